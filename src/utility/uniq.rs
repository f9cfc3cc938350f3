//! `uniq`: reports or leaves out repeated lines that follow each other. GNU coreutils uniq(1).
//!
//! Of a group of equal lines the first is kept; the lines of a group are written when it is known that they are wanted.

use super::format::count::parse_digits;
use super::format::keyword::keyword;
use crate::limit::{LimitError, Meter};
use crate::memory::{Vec, format};
use crate::utility::context::pace::{append, position, tick_bytes};
use crate::utility::prelude::*;

options! {
    enum Opt {
        Count = flag('c', "count", "prefix lines by the number of occurrences"),
        Repeated = flag('d', "repeated", "only print duplicate lines, one for each group"),
        AllDuplicates = flag('D', "", "print all duplicate lines"),
        AllRepeated = optional(
            '\0',
            "all-repeated",
            "METHOD",
            "like -D, with an empty line between groups: none, prepend, separate",
        ),
        SkipFields = value('f', "skip-fields", "N", "avoid comparing the first N fields"),
        Group = optional(
            '\0',
            "group",
            "METHOD",
            "show all lines, groups apart: separate, prepend, append, both",
        ),
        IgnoreCase = flag('i', "ignore-case", "ignore differences in case when comparing"),
        SkipChars = value('s', "skip-chars", "N", "avoid comparing the first N characters"),
        Unique = flag('u', "unique", "only print unique lines"),
        ZeroTerminated = flag('z', "zero-terminated", "line delimiter is NUL, not newline"),
        CheckChars = value('w', "check-chars", "N", "compare no more than N characters in lines"),
        Digits = number("NUM", "the same as -f NUM"),
    }
}

pub(super) const UTILITY: Utility = Utility {
    name: "uniq",
    summary: "report or omit repeated lines",
    usage: "uniq [OPTION]... [INPUT [OUTPUT]]",
    options: Opt::TABLE,
    examples: &[example("printf 'a\\na\\nb\\n' | uniq -c", "      2 a\n      1 b\n")],
    run: start!(run),
    ..Utility::BASE
};

/// Where empty lines go between groups.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Gaps {
    before_each: bool,
    between: bool,
    at_end: bool,
}

/// Which lines are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wanted {
    /// The first line of groups: of one line, of several lines.
    First { single: bool, repeated: bool, count: bool },
    /// All lines of groups of several lines.
    AllRepeated(Gaps),
    /// All lines.
    Groups(Gaps),
}

#[derive(Clone, Copy, Debug)]
struct UniqOptions {
    wanted: Wanted,
    /// Of all lines of a group, the last one is left out (`-D -u`).
    drops_last: bool,
    skip_fields: u64,
    skip_bytes: usize,
    check_bytes: usize,
    ignore_case: bool,
    delimiter: u8,
}

async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    let options = ctx.parse_options::<Opt>(&UTILITY)?;
    let settings = settings(&options)?;
    let operands = &options.operands;
    if let Some(extra) = operands.get(2) {
        return Err(UtilityError::Usage(format!("extra operand {}", quote(extra))));
    }
    let named = |name: &Text, error| UtilityError::operand(quote_operand(name).as_bytes(), error);
    let name = operands.first().cloned().unwrap_or(Text::from_static(b"-"));
    let mut input = ctx.open_input(&name).map_err(|error| named(&name, error))?;
    let mut output = match operands.get(1).filter(|output| output.as_bytes() != b"-") {
        Some(output) => Some(ctx.create(output, false).map_err(|error| named(output, error))?),
        None => None,
    };
    copy(ctx, &settings, &mut input, &mut output, &name).await?;
    if let Some(mut output) = output {
        output.flush().await?;
    }
    Ok(ExitStatus::SUCCESS)
}

fn settings(options: &Options<Opt>) -> Result<UniqOptions, UtilityError> {
    let mut settings = UniqOptions {
        drops_last: options.has(Opt::Unique) && options.has_any([Opt::AllDuplicates, Opt::AllRepeated]),
        wanted: wanted(options)?,
        skip_fields: 0,
        skip_bytes: 0,
        check_bytes: usize::MAX,
        ignore_case: options.has(Opt::IgnoreCase),
        delimiter: if options.has(Opt::ZeroTerminated) { 0 } else { b'\n' },
    };
    for (option, argument) in options.given() {
        let what = match option {
            Opt::SkipFields | Opt::Digits => "fields to skip",
            Opt::SkipChars => "bytes to skip",
            Opt::CheckChars => "bytes to compare",
            _ => continue,
        };
        let text = argument.map(Text::as_bytes).unwrap_or_default();
        let value = parse_digits(text).ok_or_else(|| {
            UtilityError::failed(format!("{}: invalid number of {what}", bstr::BStr::new(text)))
        })?;
        let bytes = usize::try_from(value).unwrap_or(usize::MAX);
        match option {
            Opt::SkipChars => settings.skip_bytes = bytes,
            Opt::CheckChars => settings.check_bytes = bytes,
            _ => settings.skip_fields = value,
        }
    }
    Ok(settings)
}

fn wanted(options: &Options<Opt>) -> Result<Wanted, UtilityError> {
    let [count, repeated, single] =
        [Opt::Count, Opt::Repeated, Opt::Unique].map(|option| options.has(option));
    let all = options.last_of([Opt::AllDuplicates, Opt::AllRepeated]);
    if options.has(Opt::Group) {
        if count || repeated || single || all.is_some() {
            return Err(UtilityError::Usage("--group is mutually exclusive with -c/-d/-D/-u".into()));
        }
        let rows: [(&[&str], Gaps); 4] = [
            (&["prepend"], Gaps { before_each: true, ..Gaps::default() }),
            (&["append"], Gaps { between: true, at_end: true, ..Gaps::default() }),
            (&["separate"], Gaps { between: true, ..Gaps::default() }),
            (&["both"], Gaps { before_each: true, at_end: true, ..Gaps::default() }),
        ];
        let word = options.value(Opt::Group).map_or(b"separate".as_slice(), Text::as_bytes);
        return keyword("--group", &rows, word).map(Wanted::Groups);
    }
    if let Some(all) = all {
        if count {
            let text = "printing all duplicated lines and repeat counts is meaningless";
            return Err(UtilityError::Usage(text.into()));
        }
        let rows: [(&[&str], Gaps); 3] = [
            (&["none"], Gaps::default()),
            (&["prepend"], Gaps { before_each: true, ..Gaps::default() }),
            (&["separate"], Gaps { between: true, ..Gaps::default() }),
        ];
        let word = options.value(all).filter(|_| all == Opt::AllRepeated);
        return keyword("--all-repeated", &rows, word.map_or(b"none", Text::as_bytes))
            .map(Wanted::AllRepeated);
    }
    Ok(match (repeated, single) {
        (false, false) => Wanted::First { single: true, repeated: true, count },
        (repeated, single) => {
            Wanted::First { single: single && !repeated, repeated: repeated && !single, count }
        }
    })
}

async fn copy(
    ctx: &mut Context,
    settings: &UniqOptions,
    input: &mut Input,
    output: &mut Option<Output>,
    name: &[u8],
) -> Result<(), UtilityError> {
    let mut first = Vec::new();
    let mut previous = Vec::new();
    let mut count = 0_u64;
    let mut any_written = false;
    loop {
        ctx.tick().await?;
        let line = match input.next_line(settings.delimiter).await {
            Ok(line) => line.map(|line| split_delimiter(line, settings.delimiter).0),
            Err(FsError::Limit(limit)) => return Err(limit.into()),
            Err(FsError::Errno(_)) => {
                return Err(UtilityError::failed(format!("error reading {}", quote_name(name))));
            }
        };
        let out = output.as_mut().unwrap_or(&mut ctx.stdout);
        let same = match line {
            Some(line) if count > 0 => equal(&ctx.meter, settings, &first, line).await?,
            _ => false,
        };
        if !same && count > 0 {
            end_group(settings, out, &first, count).await?;
        }
        let Some(line) = line else {
            if let Wanted::Groups(Gaps { at_end: true, .. }) = settings.wanted
                && any_written
            {
                out.push(&[settings.delimiter]);
            }
            return Ok(());
        };
        count = if same { count.saturating_add(1) } else { 1 };
        if !same {
            first.clear();
            if line.len() <= STRETCH {
                first.extend_from_slice(line);
            } else {
                append(&ctx.meter, &mut first, line).await?;
            }
        }
        // Nothing is written of most lines where they are counted.
        if !matches!(settings.wanted, Wanted::First { count: true, .. }) {
            let lines = [first.as_slice(), &previous, line];
            any_written |= add_line(settings, out, lines, count, any_written).await?;
        }
        if settings.drops_last {
            previous.clear();
            append(&ctx.meter, &mut previous, line).await?;
        }
        if out.is_full() {
            out.flush().await?;
        }
    }
}

/// What has to be written as soon as a line of a group is seen, after the first one and the one before it; returns whether
/// something was.
async fn add_line(
    settings: &UniqOptions,
    out: &mut Output,
    [first, previous, line]: [&[u8]; 3],
    count: u64,
    any_written: bool,
) -> Result<bool, UtilityError> {
    let delimiter = [settings.delimiter];
    let (gaps, starts) = match settings.wanted {
        Wanted::First { single: true, repeated: true, count: false } if count == 1 => {
            out.write(line).await?;
            out.push(&delimiter);
            return Ok(true);
        }
        Wanted::First { .. } => return Ok(false),
        Wanted::AllRepeated(_) if count == 1 => return Ok(false),
        Wanted::AllRepeated(gaps) => (gaps, count == 2),
        Wanted::Groups(gaps) => (gaps, count == 1),
    };
    if starts && (gaps.before_each || (gaps.between && any_written)) {
        out.push(&delimiter);
    }
    if settings.drops_last {
        out.write(previous).await?;
        out.push(&delimiter);
        return Ok(true);
    }
    if matches!(settings.wanted, Wanted::AllRepeated(_)) && count == 2 {
        out.write(first).await?;
        out.push(&delimiter);
    }
    out.write(line).await?;
    out.push(&delimiter);
    Ok(true)
}

async fn end_group(
    settings: &UniqOptions,
    out: &mut Output,
    first: &[u8],
    lines: u64,
) -> Result<(), UtilityError> {
    let Wanted::First { single, repeated, count } = settings.wanted else { return Ok(()) };
    let wanted = if lines > 1 { repeated } else { single };
    if !wanted || (single && repeated && !count) {
        return Ok(());
    }
    if count {
        let mut digits = itoa::Buffer::new();
        let digits = digits.format(lines).as_bytes();
        out.push(b"       ".get(digits.len()..).unwrap_or(&[]));
        out.push(digits);
        out.push(b" ");
    }
    out.write(first).await?;
    out.push(&[settings.delimiter]);
    Ok(())
}

async fn equal(meter: &Meter, settings: &UniqOptions, one: &[u8], two: &[u8]) -> Result<bool, LimitError> {
    if settings.skip_fields == 0 && one.len().max(two.len()) <= STRETCH {
        // Most lines end here: what waits for nothing needs no future.
        let (one, two) = (compared_bytes(settings, one), compared_bytes(settings, two));
        return Ok(if settings.ignore_case { one.eq_ignore_ascii_case(two) } else { one == two });
    }
    let (one, two) = (compared(meter, settings, one).await?, compared(meter, settings, two).await?);
    if one.len() != two.len() {
        return Ok(false);
    }
    for (left, right) in one.chunks(STRETCH).zip(two.chunks(STRETCH)) {
        let same = if settings.ignore_case { left.eq_ignore_ascii_case(right) } else { left == right };
        if !same {
            return Ok(false);
        }
        tick_bytes(meter, left.len()).await?;
    }
    Ok(true)
}

/// Bytes that are compared at once.
const STRETCH: usize = 16 << 10;

/// The part of a line that is compared.
async fn compared<'l>(meter: &Meter, settings: &UniqOptions, line: &'l [u8]) -> Result<&'l [u8], LimitError> {
    let mut rest = line;
    let is_blank = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\n');
    for _ in 0..settings.skip_fields {
        if rest.is_empty() {
            break;
        }
        let field = position(meter, rest, |byte| !is_blank(byte)).await?.unwrap_or(rest.len());
        rest = rest.get(field..).unwrap_or(&[]);
        let end = position(meter, rest, is_blank).await?.unwrap_or(rest.len());
        rest = rest.get(end..).unwrap_or(&[]);
    }
    Ok(compared_bytes(settings, rest))
}

/// Of what follows the fields that are skipped.
fn compared_bytes<'l>(settings: &UniqOptions, rest: &'l [u8]) -> &'l [u8] {
    let rest = rest.get(settings.skip_bytes..).unwrap_or(&[]);
    rest.get(..settings.check_bytes).unwrap_or(rest)
}

#[cfg(test)]
mod tests {
    use crate::utility::context::testing::run;

    #[test]
    fn groups() {
        let input = b"a\na\nB\nb\nc\nc\nc";
        for (args, want) in [
            (&[][..], "a\nB\nb\nc\n"),
            (&["-c"], "      2 a\n      1 B\n      1 b\n      3 c\n"),
            (&["-d"], "a\nc\n"),
            (&["-u"], "B\nb\n"),
            (&["-i"], "a\nB\nc\n"),
            (&["-D"], "a\na\nc\nc\nc\n"),
            (&["--all-repeated=separate"], "a\na\n\nc\nc\nc\n"),
            (&["--group"], "a\na\n\nB\n\nb\n\nc\nc\nc\n"),
            (&["-cd"], "      2 a\n      3 c\n"),
            (&["-du"], ""),
        ] {
            assert_eq!(run("uniq", args, input, &[]).stdout, want, "{args:?}");
        }
        assert_eq!(run("uniq", &["-f1"], b"1 a\n2 a\n3 b\n", &[]).stdout, "1 a\n3 b\n");
        assert_eq!(run("uniq", &["-s1", "-w1"], b"xaz\nyaw\nzb\n", &[]).stdout, "xaz\nzb\n");
    }
}
