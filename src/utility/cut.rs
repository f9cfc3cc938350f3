//! `cut`: prints parts of lines. GNU coreutils cut(1); like it, `-c` counts bytes.

mod list;

use crate::limit::gauge;
use crate::memory::{ToMetered, Vec, vec};
use crate::utility::context::pace::append;
use crate::utility::prelude::*;
use list::{Range, parse_list};

options! {
    enum Opt {
        Bytes = value('b', "bytes", "LIST", "select only these bytes"),
        Characters = value('c', "characters", "LIST", "select only these characters"),
        Delimiter = value('d', "delimiter", "DELIM", "use DELIM instead of TAB for field delimiter"),
        Fields = value('f', "fields", "LIST", "select only these fields; print lines without delimiter too"),
        Complement = flag('\0', "complement", "complement the set of selected bytes, characters or fields"),
        NoSplit = flag('n', "", "(ignored)"),
        OnlyDelimited = flag('s', "only-delimited", "do not print lines not containing delimiters"),
        OutputDelimiter = value('\0', "output-delimiter", "STRING", "use STRING as the output delimiter"),
        ZeroTerminated = flag('z', "zero-terminated", "line delimiter is NUL, not newline"),
    }
}

pub(super) const UTILITY: Utility = Utility {
    name: "cut",
    summary: "remove sections from each line of files",
    usage: "cut OPTION... [FILE]...",
    options: Opt::TABLE,
    examples: &[example("echo a:b:c | cut -d: -f1,3", "a:c\n"), example("echo abcdef | cut -c2-4", "bcd\n")],
    run: start!(run),
    ..Utility::BASE
};

struct CutOptions {
    ranges: Vec<Range>,
    fields: bool,
    separator: u8,
    only_delimited: bool,
    /// Between fields, or between ranges of bytes.
    output_separator: Vec<u8>,
    delimiter: u8,
}

async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    let options = ctx.parse_options::<Opt>(&UTILITY)?;
    let settings = settings(&options)?;
    let mut status = ExitStatus::SUCCESS;
    for operand in ctx.inputs(&options.operands) {
        if let Err(error) = cut_operand(ctx, &settings, &operand).await {
            let errno = error.errno()?;
            status = ctx.warn(format_args!("{}: {}", quote_operand(&operand), errno.message()));
        }
    }
    Ok(status)
}

fn settings(options: &Options<Opt>) -> Result<CutOptions, UtilityError> {
    let usage = |text: &str| UtilityError::Usage(text.into());
    let lists = [Opt::Bytes, Opt::Characters, Opt::Fields].map(|kind| options.count(kind));
    if lists.iter().sum::<usize>() > 1 {
        return Err(usage("only one list may be specified"));
    }
    let kind = options.last_of([Opt::Bytes, Opt::Characters, Opt::Fields]);
    let Some((kind, list)) = kind.and_then(|kind| Some((kind, options.value(kind)?))) else {
        return Err(usage("you must specify a list of bytes, characters, or fields"));
    };
    let fields = kind == Opt::Fields;
    let separator = match options.value(Opt::Delimiter).map(Text::as_bytes) {
        None => b'\t',
        Some([]) => 0,
        Some([byte]) => *byte,
        Some(_) => return Err(usage("the delimiter must be a single character")),
    };
    if !fields && options.has(Opt::Delimiter) {
        return Err(usage("an input delimiter may be specified only when operating on fields"));
    }
    if !fields && options.has(Opt::OnlyDelimited) {
        return Err(usage("suppressing non-delimited lines makes sense\n\tonly when operating on fields"));
    }
    let output_separator = match options.value(Opt::OutputDelimiter).map(Text::as_bytes) {
        Some([]) => vec![0],
        Some(text) => text.to_metered(),
        None if fields => vec![separator],
        None => Vec::new(),
    };
    Ok(CutOptions {
        ranges: parse_list(list, fields, options.has(Opt::Complement))?,
        fields,
        separator,
        only_delimited: options.has(Opt::OnlyDelimited),
        output_separator,
        delimiter: if options.has(Opt::ZeroTerminated) { 0 } else { b'\n' },
    })
}

async fn cut_operand(ctx: &mut Context, settings: &CutOptions, operand: &[u8]) -> Result<(), OperandError> {
    let mut input = ctx.open_input(operand)?;
    if settings.fields && settings.separator == settings.delimiter {
        return cut_lines_as_fields(ctx, settings, &mut input).await;
    }
    let mut shown = Vec::new();
    let is_simple = settings.output_separator.len() < SHORT_SEPARATOR;
    loop {
        if is_simple {
            cut_short_lines(ctx, settings, &mut input).await?;
        }
        let Some(line) = input.next_line(settings.delimiter).await? else { break };
        let (body, _) = split_delimiter(line, settings.delimiter);
        shown.clear();
        shown.reserve(body.len() + 1);
        let wanted = if settings.fields {
            select_fields(ctx, settings, body, &mut shown).await?
        } else {
            select_bytes(ctx, settings, body, &mut shown).await?;
            true
        };
        if wanted {
            shown.push(settings.delimiter);
            ctx.stdout.write(&shown).await?;
        }
        ctx.tick_many((body.len() / 64) as u32);
        ctx.tick().await?;
    }
    Ok(())
}

/// Bytes of a line that is cut without a look at others.
const SHORT: usize = 4 << 10;
/// A longer separator may make much of a short line.
const SHORT_SEPARATOR: usize = 16;

/// Takes whole lines that are buffered, up to one that is long: what waits for nothing needs no future.
async fn cut_short_lines(
    ctx: &mut Context,
    settings: &CutOptions,
    input: &mut Input,
) -> Result<(), OperandError> {
    loop {
        let mut used = 0;
        let block = input.buffered();
        let lines = memchr::memchr_iter(settings.delimiter, block);
        for end in lines {
            let line = block.get(used..end).unwrap_or(&[]);
            if line.len() > SHORT || ctx.stdout.is_full() {
                break;
            }
            if settings.fields {
                cut_fields(&mut ctx.stdout, settings, line);
            } else {
                cut_bytes(&mut ctx.stdout, settings, line);
            }
            used = end + 1;
        }
        input.consume(used);
        gauge::spend_few_bytes(used.saturating_mul(4));
        ctx.tick().await?;
        if used == 0 {
            return Ok(());
        }
        ctx.stdout.flush_if_full().await?;
    }
}

/// Writes the wanted bytes of a short line, and its end.
fn cut_bytes(out: &mut Output, settings: &CutOptions, line: &[u8]) {
    let mut is_first = true;
    for range in &settings.ranges {
        let end = range.last.min(line.len());
        let Some(part) = line.get(range.first - 1..end).filter(|part| !part.is_empty()) else { break };
        if !is_first {
            out.push(&settings.output_separator);
        }
        is_first = false;
        out.push(part);
    }
    out.push(&[settings.delimiter]);
}

/// Writes the wanted fields of a short line, and its end.
fn cut_fields(out: &mut Output, settings: &CutOptions, line: &[u8]) {
    let mut separators = memchr::memchr_iter(settings.separator, line).peekable();
    if separators.peek().is_none() {
        if !settings.only_delimited {
            out.push(line);
            out.push(&[settings.delimiter]);
        }
        return;
    }
    let joins_as_before = matches!(settings.output_separator.as_slice(), [one] if *one == settings.separator);
    let (mut number, mut start, mut is_first, mut is_over) = (1, 0, true, false);
    for range in &settings.ranges {
        // Where the field begins that the range does.
        while number < range.first && !is_over {
            match separators.next() {
                Some(end) => (number, start) = (number + 1, end + 1),
                None => is_over = true,
            }
        }
        while number <= range.last && !is_over {
            if !is_first {
                out.push(&settings.output_separator);
            }
            is_first = false;
            if range.last == usize::MAX && joins_as_before {
                out.push(line.get(start..).unwrap_or(&[]));
                is_over = true;
                break;
            }
            let end = separators.next();
            out.push(line.get(start..end.unwrap_or(line.len())).unwrap_or(&[]));
            match end {
                Some(end) => (number, start) = (number + 1, end + 1),
                None => is_over = true,
            }
        }
        if is_over {
            break;
        }
    }
    out.push(&[settings.delimiter]);
}

async fn select_bytes(
    ctx: &Context,
    settings: &CutOptions,
    line: &[u8],
    out: &mut Vec<u8>,
) -> Result<(), OperandError> {
    let mut first = true;
    for range in &settings.ranges {
        let end = range.last.min(line.len());
        let Some(part) = line.get(range.first - 1..end).filter(|part| !part.is_empty()) else { break };
        if !first {
            out.extend_from_slice(&settings.output_separator);
        }
        first = false;
        append(&ctx.meter, out, part).await?;
    }
    Ok(())
}

/// Returns whether the line is printed at all.
async fn select_fields(
    ctx: &mut Context,
    settings: &CutOptions,
    line: &[u8],
    out: &mut Vec<u8>,
) -> Result<bool, OperandError> {
    let mut ranges = settings.ranges.iter();
    let mut range = ranges.next();
    let (mut number, mut start, mut first) = (1, 0, true);
    let mut separators = memchr::memchr_iter(settings.separator, line);
    loop {
        let end = separators.next();
        if end.is_none() && number == 1 {
            if !settings.only_delimited {
                append(&ctx.meter, out, line).await?;
            }
            return Ok(!settings.only_delimited);
        }
        while range.is_some_and(|range| range.last < number) {
            range = ranges.next();
        }
        let Some(current) = range else { return Ok(true) };
        if current.first <= number {
            if !first {
                out.extend_from_slice(&settings.output_separator);
            }
            first = false;
            // All that follows is wanted as it is.
            if current.last == usize::MAX
                && matches!(settings.output_separator.as_slice(), [one] if *one == settings.separator)
            {
                append(&ctx.meter, out, line.get(start..).unwrap_or(&[])).await?;
                return Ok(true);
            }
            append(&ctx.meter, out, line.get(start..end.unwrap_or(line.len())).unwrap_or(&[])).await?;
        }
        let Some(end) = end else { return Ok(true) };
        start = end + 1;
        number += 1;
        if number % TURN == 0 {
            ctx.tick_many(TURN as u32 / 8);
            ctx.tick().await?;
        }
    }
}

/// Fields between two ticks.
const TURN: usize = 256;

/// With the line's end as delimiter the lines of the input are the fields of one record.
async fn cut_lines_as_fields(
    ctx: &mut Context,
    settings: &CutOptions,
    input: &mut Input,
) -> Result<(), OperandError> {
    let mut ranges = settings.ranges.iter();
    let mut range = ranges.next();
    let (mut number, mut first) = (0, true);
    while let Some(line) = input.next_line(settings.delimiter).await? {
        number += 1;
        while range.is_some_and(|range| range.last < number) {
            range = ranges.next();
        }
        if range.is_some_and(|range| range.first <= number) {
            if !first {
                ctx.stdout.push(&settings.output_separator);
            }
            first = false;
            ctx.stdout.write(split_delimiter(line, settings.delimiter).0).await?;
        }
        ctx.tick().await?;
    }
    if number > 0 {
        ctx.stdout.write(&[settings.delimiter]).await?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::utility::context::testing::run;

    #[test]
    fn parts() {
        for (args, input, want) in [
            (&["-f2"][..], "a\tb\tc\nx\n", "b\nx\n"),
            (&["-sf2"], "a\tb\tc\nx\n", "b\n"),
            (&["-d:", "-f2-"], "a:b:c", "b:c\n"),
            (&["-d:", "-f3,1"], "a:b:c\n", "a:c\n"),
            (&["-d:", "-f1,3", "--output-delimiter=--"], "a:b:c\n", "a--c\n"),
            (&["-d:", "--complement", "-f2"], "a:b:c\n", "a:c\n"),
            (&["-c2-3,5"], "abcdef\n", "bce\n"),
            (&["-b1,3", "--output-delimiter=x"], "abc\n", "axc\n"),
            (&["-c-2"], "abc\n\n", "ab\n\n"),
            (&["-f5"], "a\tb\n", "\n"),
            (&["-d:", "-f2"], "a:\n:\n", "\n\n"),
        ] {
            assert_eq!(run("cut", args, input.as_bytes(), &[]).stdout, want, "{args:?}");
        }
    }
}
