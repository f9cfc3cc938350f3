//! `tail`: the last part of files. GNU coreutils tail(1).
//!
//! The last N lines or bytes are kept in a buffer that is cut back to them each time it has doubled, so that the cost is
//! linear and memory is what is printed. Of a long regular file only the end is read when it holds enough lines. `-f` of a
//! pipe ends with it; of a file it is refused: nothing would end it.

use super::context::headings::{HeadingOpt, Headings};
use super::format::count::{CountError, parse_count, parse_digits, parse_unsigned};
use super::format::extended::Extended;
use super::format::keyword::keyword;
use crate::memory::{Vec, format, vec};
use crate::utility::prelude::*;

options! {
    enum Opt {
        Bytes = value('c', "bytes", "[+]NUM", "print the last NUM bytes; with '+', start with byte NUM"),
        Follow = flag('f', "", "go on as a pipe grows; of a file refused: a command in a sandbox has to end")
            | optional('\0', "follow", "HOW", "descriptor or name: as -f"),
        FollowName = flag('F', "", "refused: it waits for files that are not there"),
        Lines = value(
            'n',
            "lines",
            "[+]NUM",
            "print the last NUM lines instead of 10; with '+', start with line NUM",
        ),
        UnchangedStats = value(
            '\0',
            "max-unchanged-stats",
            "N",
            "checked; it means something only when following by name",
        ),
        Pid = value('\0', "pid", "PID", "checked; it means something only when following"),
        Retry = flag('\0', "retry", "warned of; it means something only when following"),
        SleepInterval = value('s', "sleep-interval", "N", "checked; it means something only when following"),
        Heading(HeadingOpt),
        ZeroTerminated = flag('z', "zero-terminated", "line delimiter is NUL, not newline"),
        Digits = number("NUM", "the same as -n NUM, as first argument and with one FILE at most"),
    }
}

pub(super) const UTILITY: Utility = Utility {
    name: "tail",
    summary: "print the last part of files",
    usage: "tail [OPTION]... [FILE]...",
    options: Opt::TABLE,
    examples: &[
        example("printf 'a\\nb\\nc\\n' | tail -n 2", "b\nc\n"),
        example("printf 'a\\nb\\nc\\n' | tail -n +2", "b\nc\n"),
    ],
    run: start!(run),
    ..Utility::BASE
};

fn ends_with_nan(text: &[u8]) -> bool {
    text.last_chunk::<3>().is_some_and(|end| end.eq_ignore_ascii_case(b"nan"))
}

/// What to print of each input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Part {
    count: u64,
    lines: bool,
    from_start: bool,
    delimiter: u8,
}

async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    if let Some(args) = expand_obsolete(&ctx.args) {
        ctx.args.splice(..1, args);
    }
    let options = ctx.parse_options::<Opt>(&UTILITY)?;
    let part = wanted_part(&options)?;
    let follows = options.has_any([Opt::Follow, Opt::FollowName]);
    let loses_all = follows && follow(ctx, &options)?;
    if options.has(Opt::Retry) && !follows {
        ctx.warn("warning: --retry ignored; --retry is useful only when following");
    }
    if !follows && options.value(Opt::Pid).is_some_and(|pid| parse_digits(pid) != Some(0)) {
        ctx.warn("warning: PID ignored; --pid=PID is useful only when following");
    }
    // Nothing is read where nothing is printed, not even headers are.
    if part.count == 0 && !part.from_start && !loses_all {
        return Ok(ExitStatus::SUCCESS);
    }
    let mut inputs = Headings::new(ctx, &options);
    while let Some((name, input)) = inputs.next(ctx).await? {
        if let Err(error) = copy_part(ctx, input, part).await {
            inputs.failed(ctx, &name, error)?;
        }
    }
    if loses_all {
        ctx.stdout.flush().await?;
        ctx.warn("no files remaining");
    }
    Ok(inputs.status)
}

/// Refuses to follow what does not end by itself. `true`: something else was to be followed that is not there.
fn follow(ctx: &Context, options: &Options<Opt>) -> Result<bool, UtilityError> {
    let mut by_name = options.has(Opt::FollowName);
    for (option, how) in options.given() {
        if option == Opt::Follow
            && let Some(how) = how
        {
            by_name = keyword("--follow", &[(&["descriptor"], false), (&["name"], true)], how)?;
        }
    }
    let operands = ctx.inputs(&options.operands);
    let is_input = |operand: &Text| operand.as_bytes() == b"-";
    if by_name && operands.iter().any(is_input) {
        return Err(UtilityError::failed("cannot follow '-' by name"));
    }
    let mut loses = false;
    for operand in &operands {
        let ends = if is_input(operand) {
            ctx.standard_input().description().is_pipe()
        } else {
            loses = true;
            !options.has(Opt::FollowName) && ctx.stat(operand).is_err()
        };
        if !ends {
            let words = "following a file is not possible in a sandbox: a command has to end";
            return Err(UtilityError::failed(words));
        }
    }
    Ok(loses)
}

/// `-5`, `+5`, `-5c`, `+5l` as the first argument with one operand at most.
fn expand_obsolete(args: &[Text]) -> Option<Vec<Text>> {
    let (first, rest) = args.split_first()?;
    match rest {
        [] => {}
        [only] if only.len() < 2 || only.first() != Some(&b'-') => {}
        [dashes, ..] if dashes.as_bytes() == b"--" && rest.len() <= 2 => {}
        _ => return None,
    }
    let (sign, body) = first.split_first()?;
    let digits = body.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (number, letters) = body.split_at_checked(digits)?;
    let (option, factor) = match letters {
        [] | b"l" => ("-n", 1),
        b"c" => ("-c", 1),
        b"b" => ("-c", 512),
        _ => return None,
    };
    // "-" is standard input and "-c" needs an option-argument; so does "-" with letters alone.
    if !matches!(sign, b'+' | b'-') || (*sign == b'-' && number.is_empty()) {
        return None;
    }
    let count = if number.is_empty() { 10 } else { parse_digits(number)? };
    let sign = if *sign == b'+' { "+" } else { "" };
    Some(vec![Text::from(option), Text::from(format!("{sign}{}", count.saturating_mul(factor)))])
}

fn wanted_part(options: &Options<Opt>) -> Result<Part, UtilityError> {
    let delimiter = if options.has(Opt::ZeroTerminated) { 0 } else { b'\n' };
    let mut part = Part { count: 10, lines: true, from_start: false, delimiter };
    for (option, argument) in options.given() {
        let text = argument.map(Text::as_bytes).unwrap_or_default();
        part.lines = match option {
            Opt::Bytes => false,
            Opt::Lines => true,
            Opt::Digits => {
                let digit = text.last().copied().map_or(' ', char::from);
                return Err(UtilityError::failed(format!("option used in invalid context -- {digit}")));
            }
            Opt::Pid => {
                check_number("invalid PID", text, i32::MAX as u64)?;
                continue;
            }
            Opt::UnchangedStats => {
                let what = "invalid maximum number of unchanged stats between opens";
                check_number(what, text, u64::MAX - 1)?;
                continue;
            }
            Opt::SleepInterval => {
                let number = Extended::parse(text);
                let is_number = number.length == text.len()
                    && !text.is_empty()
                    && (number.value.is_finite() || !ends_with_nan(text));
                if !is_number || number.value.is_negative() {
                    return Err(UtilityError::failed(format!("invalid number of seconds: {}", quote(text))));
                }
                continue;
            }
            Opt::Follow | Opt::FollowName | Opt::Retry | Opt::Heading(_) | Opt::ZeroTerminated => {
                continue;
            }
        };
        let what = if part.lines { "invalid number of lines" } else { "invalid number of bytes" };
        // As in the real program, a plus sign counts for what comes after it too.
        part.from_start |= text.starts_with(b"+");
        let digits = text.strip_prefix(b"-").unwrap_or(text);
        part.count = parse_count(digits).map_err(|error: CountError| error.about(what, digits))?;
    }
    Ok(part)
}

/// Checks a number of up to `most`.
fn check_number(what: &str, text: &[u8], most: u64) -> Result<(), UtilityError> {
    match parse_unsigned(text) {
        None => Err(CountError::Invalid.about(what, text)),
        Some(number) if number > most => Err(CountError::TooLarge.about(what, text)),
        Some(_) => Ok(()),
    }
}

async fn copy_part(ctx: &mut Context, mut input: Input, part: Part) -> Result<(), OperandError> {
    if part.from_start {
        return copy_from(ctx, &mut input, part).await;
    }
    if part.count == 0 {
        return Ok(());
    }
    if let Some(length) = skip_to_end(ctx, &mut input, part).await? {
        return copy_bytes(ctx, &mut input, length).await;
    }
    let mut kept = Vec::new();
    let mut cut_at = 2 * SEEK_WINDOW as usize;
    loop {
        ctx.check().await?;
        let block = input.fill().await?;
        if block.is_empty() {
            break;
        }
        kept.extend_from_slice(block);
        let count = block.len();
        input.consume(count);
        if kept.len() >= cut_at {
            let start = last_part(&kept, part);
            kept.remove_front(start);
            cut_at = kept.len().saturating_mul(2).max(2 * SEEK_WINDOW as usize);
        }
    }
    let start = last_part(&kept, part);
    ctx.stdout.write(kept.get(start..).unwrap_or(&[])).await?;
    Ok(())
}

/// Bytes in which delimiters are counted at once.
const COUNTED: usize = 1 << 16;

/// Where the last lines or bytes of `bytes` begin.
fn last_part(bytes: &[u8], part: Part) -> usize {
    let count = usize::try_from(part.count).unwrap_or(usize::MAX);
    if !part.lines {
        return bytes.len().saturating_sub(count);
    }
    let body = match bytes.split_last() {
        Some((last, body)) if *last == part.delimiter => body,
        _ => bytes,
    };
    // Blocks are counted, which is faster than going from one delimiter to the next.
    let mut wanted = count.max(1);
    for (block, from) in body.rchunks(COUNTED).scan(body.len(), |end, block| {
        *end -= block.len();
        Some((block, *end))
    }) {
        let found = memchr::memchr_iter(part.delimiter, block).count();
        if found >= wanted {
            let before = memchr::memrchr_iter(part.delimiter, block).nth(wanted - 1);
            return before.map_or(from, |before| from + before + 1);
        }
        wanted -= found;
    }
    0
}

/// Bytes of a regular file that are looked at together, from its end on.
const SEEK_WINDOW: u64 = 64 * 1024;

/// Moves the offset of a regular file to where the wanted part begins, without keeping any of it, and gives the part's length:
/// what is written to the file meanwhile is no part. `None` for what is short, or has to be read from its beginning.
async fn skip_to_end(ctx: &mut Context, input: &mut Input, part: Part) -> Result<Option<u64>, OperandError> {
    let description = input.description().clone();
    let size = description.metadata().map_or(0, |metadata| metadata.size);
    let offset = description.offset();
    if size.saturating_sub(offset) <= 2 * SEEK_WINDOW || !description.is_seekable() {
        return Ok(None);
    }
    if !part.lines {
        let start = size.saturating_sub(part.count).max(offset);
        description.seek(start);
        return Ok(Some(size - start));
    }
    // A delimiter at the end begins no line.
    let (mut end, mut wanted) = (size - 1, part.count);
    let mut start = offset;
    while end > offset {
        ctx.check().await?;
        let from = end.saturating_sub(SEEK_WINDOW).max(offset);
        let found = delimiters(input, (from, end), part.delimiter, u64::MAX).await?.count;
        if found >= wanted {
            start = delimiters(input, (from, end), part.delimiter, found - wanted + 1).await?.after;
            break;
        }
        wanted -= found;
        end = from;
    }
    input.restart();
    description.seek(start);
    Ok(Some(size - start))
}

/// Prints so many bytes, or fewer where the input ends before.
async fn copy_bytes(ctx: &mut Context, input: &mut Input, mut left: u64) -> Result<(), OperandError> {
    while left > 0 {
        ctx.check().await?;
        let block = input.fill().await?;
        if block.is_empty() {
            break;
        }
        let block = block.get(..usize::try_from(left).unwrap_or(usize::MAX)).unwrap_or(block);
        let length = block.len();
        ctx.stdout.write(block).await?;
        input.consume(length);
        left -= length as u64;
    }
    Ok(())
}

/// The delimiters of a stretch of a file, and the place after the last one.
struct Delimiters {
    count: u64,
    after: u64,
}

/// Looks at a stretch of a file up to the delimiter of that number.
async fn delimiters(
    input: &mut Input,
    (from, end): (u64, u64),
    delimiter: u8,
    most: u64,
) -> Result<Delimiters, FsError> {
    input.restart();
    input.description().seek(from);
    let (mut at, mut seen) = (from, Delimiters { count: 0, after: from });
    while at < end && seen.count < most {
        let block = input.fill().await?;
        if block.is_empty() {
            // The file is shorter than it was.
            break;
        }
        let left = usize::try_from(end - at).unwrap_or(usize::MAX);
        let block = block.get(..left).unwrap_or(block);
        if most == u64::MAX {
            seen.count += memchr::memchr_iter(delimiter, block).count() as u64;
        } else {
            for place in memchr::memchr_iter(delimiter, block) {
                seen = Delimiters { count: seen.count + 1, after: at + place as u64 + 1 };
                if seen.count == most {
                    break;
                }
            }
        }
        let length = block.len();
        at += length as u64;
        input.consume(length);
    }
    Ok(seen)
}

/// Prints from line or byte `count` on, counted from 1.
async fn copy_from(ctx: &mut Context, input: &mut Input, part: Part) -> Result<(), OperandError> {
    let mut skip = part.count.saturating_sub(1);
    loop {
        ctx.check().await?;
        let block = input.fill().await?;
        if block.is_empty() {
            return Ok(());
        }
        let length = block.len();
        let mut start = 0;
        if skip > 0 && part.lines {
            start = length;
            for at in memchr::memchr_iter(part.delimiter, block) {
                skip -= 1;
                if skip == 0 {
                    start = at + 1;
                    break;
                }
            }
        } else if skip > 0 {
            start = length.min(usize::try_from(skip).unwrap_or(usize::MAX));
            skip -= start as u64;
        }
        ctx.stdout.write(block.get(start..).unwrap_or(&[])).await?;
        input.consume(length);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_obsolete_form_becomes_options() {
        let rows: [(&[&str], Option<[&str; 2]>); 7] = [
            (&["-5"], Some(["-n", "5"])),
            (&["+5", "x"], Some(["-n", "+5"])),
            (&["-2b"], Some(["-c", "1024"])),
            (&["-5", "-q"], None),
            (&["-5", "a", "b"], None),
            (&["-"], None),
            (&["-c", "5"], None),
        ];
        for (args, want) in rows {
            let args: Vec<Text> = args.iter().map(|arg| Text::from(*arg)).collect();
            assert_eq!(expand_obsolete(&args), want.map(|want| Vec::from(want.map(Text::from))), "{args:?}");
        }
    }

    #[test]
    fn finds_the_last_lines() {
        let part = |count| Part { count, lines: true, from_start: false, delimiter: b'\n' };
        for (text, count, want) in
            [(b"a\nb\nc\n".as_slice(), 2, 2), (b"a\nb\nc", 2, 2), (b"a\n", 5, 0), (b"\n\n", 1, 1)]
        {
            assert_eq!(last_part(text, part(count)), want);
        }
    }
}
