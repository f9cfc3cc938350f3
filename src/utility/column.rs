//! `column`: makes columns of lines, or a table of fields (`-t`). util-linux column(1).

use super::format::count::parse_digits;
use super::format::width::width;
use crate::character::blocks;
use crate::limit::LimitError;
use crate::memory::{Vec, format, vec};
use crate::utility::context::pace::tick_bytes;
use crate::utility::prelude::*;
use bstr::ByteSlice as _;

options! {
    enum Opt {
        Table = flag('t', "table", "create a table"),
        TableColumns = value('N', "table-columns", "names", "comma separated columns names"),
        TableRight = value('R', "table-right", "columns", "right align text in these columns"),
        TableColumnsLimit = value('l', "table-columns-limit", "num", "maximal number of input columns"),
        KeepEmptyLines = flag('L', "keep-empty-lines", "don't ignore empty lines"),
        OutputWidth = value('c', "output-width", "width", "width of output in number of characters"),
        OutputSeparator = value(
            'o',
            "output-separator",
            "string",
            "columns separator for table output (default is two spaces)",
        ),
        Separator = value('s', "separator", "string", "possible table delimiters"),
        Fillrows = flag('x', "fillrows", "fill rows before columns"),
    }
}

pub(super) const UTILITY: Utility = Utility {
    name: "column",
    summary: "columnate lists",
    usage: "column [options] [<file>...]",
    options: Opt::TABLE,
    examples: &[example("printf 'a b\\nccc d\\n' | column -t", "a    b\nccc  d\n")],
    run: start!(run),
    ..Utility::BASE
};

/// All lines without their ends.
struct Lines {
    text: Vec<u8>,
    /// Where each line ends.
    ends: Vec<usize>,
}

impl Lines {
    fn iter(&self) -> impl Iterator<Item = &[u8]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(self.ends.iter()).map(|(start, end)| self.text.get(start..*end).unwrap_or(&[]))
    }
}

async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    let options = ctx.parse_options::<Opt>(&UTILITY)?;
    let number = |option: Opt, default: usize, what: &str| match options.value(option) {
        None => Ok(default),
        Some(text) => parse_digits(text)
            .and_then(|value| usize::try_from(value).ok())
            .filter(|value| *value > 0)
            .ok_or_else(|| UtilityError::failed(format!("{what}: '{text}'"))),
    };
    let total = number(Opt::OutputWidth, 80, "invalid columns argument")?;
    let limit = number(Opt::TableColumnsLimit, usize::MAX, "failed to parse columns limit")?;
    let table = options.has(Opt::Table);
    if !table && options.has(Opt::TableColumns) {
        return Err(UtilityError::Usage("option --table required for --table-columns".into()));
    }
    let mut lines = Lines { text: Vec::new(), ends: Vec::new() };
    let mut status = ExitStatus::SUCCESS;
    for operand in ctx.inputs(&options.operands) {
        let keep = table && options.has(Opt::KeepEmptyLines);
        if let Err(error) = read(ctx, &operand, keep, &mut lines).await {
            let errno = error.errno()?;
            status = match errno {
                Errno::IsDirectory => ctx.warn(format_args!("read failed: {}", errno.message())),
                _ => ctx.warn(format_args!("{operand}: {}", errno.message())),
            };
        }
    }
    if table {
        print_table(ctx, &options, limit, &lines).await?;
    } else {
        print_columns(ctx, &lines, total, options.has(Opt::Fillrows)).await?;
    }
    Ok(status)
}

/// Reads the lines that are not blank.
async fn read(
    ctx: &mut Context,
    operand: &[u8],
    keep_empty: bool,
    lines: &mut Lines,
) -> Result<(), OperandError> {
    let mut input = ctx.open_input(operand)?;
    while let Some(line) = input.next_line(b'\n').await? {
        let (body, _) = split_delimiter(line, b'\n');
        if keep_empty || !body.trim_ascii().is_empty() {
            lines.text.extend_from_slice(body);
            lines.ends.push(lines.text.len());
        }
        ctx.tick().await?;
    }
    Ok(())
}

fn columns_of(text: &[u8]) -> usize {
    text.chars().map(|letter| width(letter).unwrap_or(0)).sum()
}

/// As [`columns_of`]; others run while a long text is measured.
async fn measure(ctx: &mut Context, text: &[u8]) -> Result<usize, LimitError> {
    let mut columns = 0;
    for block in blocks(text, BLOCK) {
        columns += columns_of(block);
        tick_bytes(&ctx.meter, block.len()).await?;
    }
    Ok(columns)
}

/// Bytes that are measured at once.
const BLOCK: usize = 1 << 13;

/// The fields of a line: between runs of blanks, or between any two of the given separators.
async fn fields<'l>(
    ctx: &mut Context,
    line: &'l [u8],
    separators: Option<&[u8]>,
    limit: usize,
) -> Result<Vec<&'l [u8]>, LimitError> {
    let mut fields = Vec::new();
    let mut rest = match separators {
        Some(_) => line,
        None => line.trim_ascii_start(),
    };
    let ends = |byte: &u8| match separators {
        Some(separators) => separators.contains(byte),
        None => matches!(byte, b' ' | b'\t'),
    };
    loop {
        let end = rest.iter().position(ends);
        let Some(end) = end.filter(|_| fields.len() + 1 < limit) else {
            if separators.is_some() || !rest.is_empty() {
                fields.push(rest);
            }
            return Ok(fields);
        };
        fields.push(rest.get(..end).unwrap_or(rest));
        tick_bytes(&ctx.meter, end).await?;
        rest = rest.get(end + 1..).unwrap_or(&[]);
        if separators.is_none() {
            rest = rest.trim_ascii_start();
        }
    }
}

/// A row of a table.
enum Row<'l> {
    Names(Vec<&'l [u8]>),
    Line(&'l [u8]),
}

async fn print_table(
    ctx: &mut Context,
    options: &Options<Opt>,
    limit: usize,
    lines: &Lines,
) -> Result<(), UtilityError> {
    let separators = options.value(Opt::Separator).map(Text::as_bytes);
    let gap = options.value(Opt::OutputSeparator).map_or(b"  ".as_slice(), Text::as_bytes);
    let names: Vec<&[u8]> = options
        .value(Opt::TableColumns)
        .map(|names| names.split(|byte| *byte == b',').collect())
        .unwrap_or_default();
    let mut widths: Vec<usize> = names.iter().map(|name| columns_of(name)).collect();
    for line in lines.iter() {
        for (index, field) in fields(ctx, line, separators, limit).await?.into_iter().enumerate() {
            let columns = measure(ctx, field).await?;
            match widths.get_mut(index) {
                Some(widest) => *widest = columns.max(*widest),
                None => widths.push(columns),
            }
        }
        ctx.tick().await?;
    }
    let right = right_aligned(options, &names)?;
    let header = (!names.is_empty()).then_some(names);
    for line in header.map(Row::Names).into_iter().chain(lines.iter().map(Row::Line)) {
        let fields = match line {
            Row::Names(names) => names,
            Row::Line(line) => fields(ctx, line, separators, limit).await?,
        };
        for (index, widest) in widths.iter().enumerate() {
            let field = fields.get(index).copied().unwrap_or(&[]);
            let padding = vec![b' '; widest.saturating_sub(measure(ctx, field).await?)];
            let last = index + 1 == widths.len();
            if right.contains(&(index + 1)) {
                ctx.stdout.push(&padding);
                ctx.stdout.push(field);
            } else {
                ctx.stdout.push(field);
                if !last {
                    ctx.stdout.push(&padding);
                }
            }
            ctx.stdout.push(if last { b"\n" } else { gap });
            ctx.stdout.flush_if_full().await?;
            ctx.tick().await?;
        }
    }
    Ok(())
}

/// The numbers, from 1, of the columns in `--table-right`.
fn right_aligned(options: &Options<Opt>, names: &[&[u8]]) -> Result<Vec<usize>, UtilityError> {
    let Some(list) = options.value(Opt::TableRight) else { return Ok(Vec::new()) };
    let mut numbers = Vec::new();
    for name in list.split(|byte| *byte == b',') {
        let named = names.iter().position(|other| *other == name).map(|index| index + 1);
        let number = named.or_else(|| parse_digits(name).and_then(|number| usize::try_from(number).ok()));
        numbers.push(number.ok_or_else(|| {
            UtilityError::failed(format!("undefined column name '{}'", bstr::BStr::new(name)))
        })?);
    }
    Ok(numbers)
}

/// Tab stops are eight columns apart.
const TAB: usize = 8;

async fn print_columns(
    ctx: &mut Context,
    lines: &Lines,
    total: usize,
    rows_first: bool,
) -> Result<(), UtilityError> {
    let items: usize = lines.ends.len();
    let mut widths = Vec::with_capacity(items);
    for line in lines.iter() {
        widths.push(measure(ctx, line).await?);
    }
    let widest = widths.iter().copied().max().unwrap_or(0);
    let column = (widest + TAB) / TAB * TAB;
    let columns = if widest >= total { 1 } else { (total / column).max(1) };
    let rows = items.div_ceil(columns);
    let start = |index: usize| index.checked_sub(1).map_or(Some(0), |before| lines.ends.get(before).copied());
    for row in 0..rows {
        for place in 0..columns {
            let index = if rows_first { row * columns + place } else { place * rows + row };
            let next = if rows_first { index + 1 } else { index + rows };
            let (Some(from), Some(to)) = (start(index), lines.ends.get(index)) else { break };
            let text = lines.text.get(from..*to).unwrap_or(&[]);
            ctx.stdout.push(text);
            if place + 1 < columns && next < items {
                let width = widths.get(index).copied().unwrap_or(0);
                let tabs = column.saturating_sub(width).div_ceil(TAB);
                ctx.stdout.push(&vec![b'\t'; tabs]);
            }
            ctx.tick().await?;
        }
        ctx.stdout.write(b"\n").await?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::utility::context::testing::run;

    #[test]
    fn tables_and_lists() {
        let input = "a b  c\nlonger x\n\nz\n";
        assert_eq!(
            run("column", &["-t"], input.as_bytes(), &[]).stdout,
            "a       b  c\nlonger  x  \nz          \n"
        );
        let input = "a:b::c\nlong:x\n";
        let outcome = run("column", &["-t", "-s:", "-o|"], input.as_bytes(), &[]);
        assert_eq!(outcome.stdout, "a   |b||c\nlong|x||\n");
        assert_eq!(run("column", &["-c", "16"], b"1\n2\n3\n", &[]).stdout, "1\t3\n2\n");
    }
}
