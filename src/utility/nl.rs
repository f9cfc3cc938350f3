//! `nl`: numbers lines, with headers, bodies and footers of logical pages. GNU coreutils nl(1).

use super::format::count::parse_digits;
use crate::memory::{ToDecimal, ToMetered, Vec, format, repeat_text};
use crate::utility::context::pace::Pace;
use crate::utility::context::ticker::{regex_options, search_error};
use crate::utility::prelude::*;
use crate::utility::regex::{Regex, Syntax};

options! {
    enum Opt {
        BodyNumbering = value('b', "body-numbering", "STYLE", "number body lines: a all, t nonempty, n none, pBRE those that match"),
        SectionDelimiter = value('d', "section-delimiter", "CC", "use CC for logical page delimiters"),
        FooterNumbering = value('f', "footer-numbering", "STYLE", "use STYLE for numbering footer lines"),
        HeaderNumbering = value('h', "header-numbering", "STYLE", "use STYLE for numbering header lines"),
        LineIncrement = value('i', "line-increment", "NUMBER", "line number increment at each line"),
        JoinBlankLines = value(
            'l',
            "join-blank-lines",
            "NUMBER",
            "group of NUMBER empty lines counted as one",
        ),
        NumberFormat = value(
            'n',
            "number-format",
            "FORMAT",
            "insert line numbers according to FORMAT: ln, rn, rz",
        ),
        NoRenumber = flag('p', "no-renumber", "do not reset line numbers for each section"),
        NumberSeparator = value('s', "number-separator", "STRING", "add STRING after (possible) line number"),
        StartingLineNumber = value(
            'v',
            "starting-line-number",
            "NUMBER",
            "first line number for each section",
        ),
        NumberWidth = value('w', "number-width", "NUMBER", "use NUMBER columns for line numbers"),
    }
}

pub(super) const UTILITY: Utility = Utility {
    name: "nl",
    summary: "number lines of files",
    usage: "nl [OPTION]... [FILE]...",
    options: Opt::TABLE,
    examples: &[example("printf 'a\\n\\nb\\n' | nl", "     1\ta\n       \n     2\tb\n")],
    run: start!(run),
    ..Utility::BASE
};

enum Style {
    All,
    Nonempty,
    None,
    Matching(Regex),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    Left,
    Right,
    Zeros,
}

struct NlOptions {
    /// Of header, body and footer.
    styles: [Style; 3],
    delimiter: Vec<u8>,
    increment: i64,
    join: u64,
    format: Format,
    renumber: bool,
    separator: Text,
    start: i64,
    width: usize,
}

/// Where numbering is.
struct Numbering {
    number: i64,
    overflow: bool,
    section: usize,
    blanks: u64,
}

async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    let options = ctx.parse_options::<Opt>(&UTILITY)?;
    let settings = settings(ctx, &options).await?;
    let mut state = Numbering { number: settings.start, overflow: false, section: 1, blanks: 0 };
    let mut status = ExitStatus::SUCCESS;
    for operand in ctx.inputs(&options.operands) {
        if let Err(error) = number_operand(ctx, &settings, &mut state, &operand).await {
            let errno = error.errno()?;
            status = ctx.warn(format_args!("{}: {}", quote_operand(&operand), errno.message()));
        }
    }
    Ok(status)
}

/// Which lines of a part of the page are numbered.
async fn style(
    ctx: &mut Context,
    text: Option<&Text>,
    part: &str,
    default: Style,
) -> Result<Style, UtilityError> {
    match text.map(Text::as_bytes) {
        None => Ok(default),
        Some([b'a', ..]) => Ok(Style::All),
        Some([b't', ..]) => Ok(Style::Nonempty),
        Some([b'n', ..]) => Ok(Style::None),
        Some([b'p', source @ ..]) => {
            ctx.compiles(source).await;
            let regex = Regex::new(source, Syntax::Basic, &regex_options(&ctx.meter));
            regex.map(Style::Matching).map_err(|error| search_error(&ctx.meter, &error, 1))
        }
        Some(text) => Err(UtilityError::Usage(format!("invalid {part} numbering style: {}", quote(text)))),
    }
}

async fn settings(ctx: &mut Context, options: &Options<Opt>) -> Result<NlOptions, UtilityError> {
    let styles = [
        style(ctx, options.value(Opt::HeaderNumbering), "header", Style::None).await?,
        style(ctx, options.value(Opt::BodyNumbering), "body", Style::Nonempty).await?,
        style(ctx, options.value(Opt::FooterNumbering), "footer", Style::None).await?,
    ];
    let format = match options.value(Opt::NumberFormat).map(Text::as_bytes) {
        None | Some(b"rn") => Format::Right,
        Some(b"ln") => Format::Left,
        Some(b"rz") => Format::Zeros,
        Some(text) => {
            return Err(UtilityError::Usage(format!("invalid line numbering format: {}", quote(text))));
        }
    };
    let number = |option: Opt, what: &str, default: i64, range: (i64, i64)| {
        let Some(text) = options.value(option) else { return Ok(default) };
        let bad = |reason: &str| UtilityError::failed(format!("invalid {what}: {}{reason}", quote(text)));
        let (digits, negative) = match text.strip_prefix(b"-") {
            Some(digits) => (digits, true),
            None => (text.as_bytes(), false),
        };
        let value = parse_digits(digits).ok_or_else(|| bad(""))?;
        let value = i64::try_from(value).map_err(|_| bad(": Value too large for defined data type"))?;
        let value = if negative { -value } else { value };
        if (range.0..=range.1).contains(&value) {
            Ok(value)
        } else {
            Err(bad(": Numerical result out of range"))
        }
    };
    let any = (i64::MIN, i64::MAX);
    let positive = (1, i64::MAX);
    let mut delimiter =
        options.value(Opt::SectionDelimiter).map_or(b"\\:".to_metered(), |text| text.to_metered());
    if delimiter.len() == 1 {
        delimiter.push(b':');
    }
    Ok(NlOptions {
        styles,
        delimiter,
        increment: number(Opt::LineIncrement, "line number increment", 1, any)?,
        join: number(Opt::JoinBlankLines, "line number of blank lines", 1, positive)?.unsigned_abs(),
        format,
        renumber: !options.has(Opt::NoRenumber),
        separator: options.value(Opt::NumberSeparator).cloned().unwrap_or(Text::from_static(b"\t")),
        start: number(Opt::StartingLineNumber, "starting line number", 1, any)?,
        width: number(Opt::NumberWidth, "line number field width", 6, (1, i64::from(i32::MAX)))? as usize,
    })
}

/// The section (header 0, body 1, footer 2) that a delimiter line begins.
fn section(delimiter: &[u8], line: &[u8]) -> Option<usize> {
    if delimiter.is_empty() || !line.starts_with(delimiter) || !line.len().is_multiple_of(delimiter.len()) {
        return None;
    }
    let count = line.len() / delimiter.len();
    (count <= 3 && line.chunks(delimiter.len()).all(|part| part == delimiter)).then(|| 3 - count)
}

async fn number_operand(
    ctx: &mut Context,
    settings: &NlOptions,
    state: &mut Numbering,
    operand: &[u8],
) -> Result<(), OperandError> {
    let mut input = ctx.open_input(operand)?;
    let mut prefix = Vec::new();
    while let Some(line) = input.next_line(b'\n').await? {
        let (body, _) = split_delimiter(line, b'\n');
        if let Some(section) = section(&settings.delimiter, body) {
            state.section = section;
            if settings.renumber {
                (state.number, state.overflow) = (settings.start, false);
            }
            ctx.stdout.write(b"\n").await?;
            continue;
        }
        let numbered = match settings.styles.get(state.section) {
            Some(Style::All) if body.is_empty() && settings.join > 1 => {
                state.blanks += 1;
                state.blanks == settings.join
            }
            Some(Style::All) => true,
            Some(Style::Nonempty) => !body.is_empty(),
            Some(Style::Matching(regex)) => {
                let found = regex.find_at(body, 0, &mut Pace::Shared(&ctx.meter)).await;
                found.map_err(|error| search_error(&ctx.meter, &error, 1))?.is_some()
            }
            _ => false,
        };
        if numbered || !body.is_empty() {
            state.blanks = 0;
        }
        prefix.clear();
        if numbered {
            write_number(settings, state, &mut prefix)?;
        } else {
            prefix.resize(settings.width + settings.separator.len(), b' ');
        }
        ctx.stdout.push(&prefix);
        ctx.stdout.push(body);
        ctx.stdout.write(b"\n").await?;
        ctx.tick().await?;
    }
    Ok(())
}

fn write_number(settings: &NlOptions, state: &mut Numbering, out: &mut Vec<u8>) -> Result<(), UtilityError> {
    if state.overflow {
        return Err(UtilityError::failed("line number overflow"));
    }
    let (number, width) = (state.number, settings.width);
    let text = number.to_decimal();
    // The library's own padding ends at 16 bits.
    let padding = |byte: &str| repeat_text(byte, width.saturating_sub(text.len()));
    let text = match settings.format {
        Format::Left => format!("{text}{}", padding(" ")),
        Format::Right => format!("{}{text}", padding(" ")),
        Format::Zeros => match text.strip_prefix('-') {
            Some(digits) => format!("-{}{digits}", padding("0")),
            None => format!("{}{text}", padding("0")),
        },
    };
    out.extend_from_slice(text.as_bytes());
    out.extend_from_slice(&settings.separator);
    match number.checked_add(settings.increment) {
        Some(next) => state.number = next,
        None => state.overflow = true,
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::utility::context::testing::run;

    #[test]
    fn numbers_lines_and_sections() {
        for (args, input, want) in [
            (&[][..], "a\n\nb", "     1\ta\n       \n     2\tb\n"),
            (&["-ba", "-w3", "-s:"], "a\n\n", "  1:a\n  2:\n"),
            (&["-nrz", "-v5", "-i2"], "a\nb\n", "000005\ta\n000007\tb\n"),
            (&["-ba", "-l2"], "\n\n", "       \n     1\t\n"),
            (&["-ha"], "\\:\\:\\:\nh\n\\:\\:\nb\n", "\n     1\th\n\n     1\tb\n"),
        ] {
            assert_eq!(run("nl", args, input.as_bytes(), &[]).stdout, want, "{args:?}");
        }
    }
}
