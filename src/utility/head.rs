//! `head`: the first part of files. GNU coreutils head(1).
//!
//! A positive count stops reading as soon as it is reached. A negative one (all but the last N) keeps the last N lines or
//! bytes in a queue and writes what falls out of it.

use super::context::headings::{HeadingOpt, Headings};
use super::format::count::{CountError, parse_count};
use crate::memory::{String, ToMetered, Vec, format, vec};
use crate::utility::prelude::*;

options! {
    enum Opt {
        Bytes = value('c', "bytes", "[-]NUM", "print the first NUM bytes; with '-', all but the last NUM"),
        Lines = value(
            'n',
            "lines",
            "[-]NUM",
            "print the first NUM lines instead of 10; with '-', all but the last NUM",
        ),
        Heading(HeadingOpt),
        ZeroTerminated = flag('z', "zero-terminated", "line delimiter is NUL, not newline"),
        Digits = number("NUM", "the same as -n NUM"),
    }
}

pub(super) const UTILITY: Utility = Utility {
    name: "head",
    summary: "print the first part of files",
    usage: "head [OPTION]... [FILE]...",
    options: Opt::TABLE,
    examples: &[
        example("printf 'a\\nb\\nc\\n' | head -n 2", "a\nb\n"),
        example("printf abcdef | head -c -2", "abcd"),
    ],
    run: start!(run),
    ..Utility::BASE
};

/// What to print of each input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Part {
    count: u64,
    lines: bool,
    all_but_last: bool,
    delimiter: u8,
}

async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    if let Some(args) = ctx.args.first().and_then(|arg| expand_obsolete(arg)) {
        ctx.args.splice(..1, args.map_err(UtilityError::Usage)?);
    }
    let options = ctx.parse_options::<Opt>(&UTILITY)?;
    if let Some(digits) = options.value(Opt::Digits) {
        // Digits are an option in the first argument only.
        let digit = digits.first().copied().map_or(' ', char::from);
        return Err(UtilityError::Usage(format!("invalid trailing option -- {digit}")));
    }
    let part = wanted_part(&options)?;
    let mut inputs = Headings::new(ctx, &options);
    while let Some((name, input)) = inputs.next(ctx).await? {
        if let Err(error) = copy_part(ctx, input, part).await {
            inputs.failed(ctx, &name, error)?;
        }
    }
    Ok(inputs.status)
}

/// `-5`, `-5c`, `-2kqv` as the first argument: digits, a unit, then letters of other options.
fn expand_obsolete(arg: &[u8]) -> Option<Result<Vec<Text>, String>> {
    let rest = arg.strip_prefix(b"-")?;
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (number, letters) = rest.split_at_checked(digits).filter(|(number, _)| !number.is_empty())?;
    let (mut unit, mut option) = (None, b"-n");
    let mut others = vec![b'-'];
    for &letter in letters {
        match letter {
            b'c' => (unit, option) = (None, b"-c"),
            b'b' | b'k' | b'm' => (unit, option) = (Some(letter), b"-c"),
            b'l' => option = b"-n",
            b'q' | b'v' | b'z' => others.push(letter),
            _ => return Some(Err(format!("invalid trailing option -- {}", char::from(letter)))),
        }
    }
    let mut count = number.to_metered();
    count.extend(unit);
    let mut args = vec![Text::from(option), Text::from(count)];
    if others.len() > 1 {
        args.push(others.into());
    }
    Some(Ok(args))
}

fn wanted_part(options: &Options<Opt>) -> Result<Part, UtilityError> {
    let delimiter = if options.has(Opt::ZeroTerminated) { 0 } else { b'\n' };
    let mut part = Part { count: 10, lines: true, all_but_last: false, delimiter };
    for (option, argument) in options.given() {
        part.lines = match option {
            Opt::Bytes => false,
            Opt::Lines => true,
            Opt::Digits | Opt::Heading(_) | Opt::ZeroTerminated => continue,
        };
        let what = if part.lines { "invalid number of lines" } else { "invalid number of bytes" };
        let text = argument.map(Text::as_bytes).unwrap_or_default();
        part.all_but_last = text.starts_with(b"-");
        let digits = text.strip_prefix(b"-").unwrap_or(text);
        part.count = parse_count(digits).map_err(|error: CountError| error.about(what, digits))?;
    }
    Ok(part)
}

async fn copy_part(ctx: &mut Context, mut input: Input, part: Part) -> Result<(), OperandError> {
    match (part.lines, part.all_but_last) {
        (true, false) => first_lines(ctx, &mut input, part).await,
        (false, false) => first_bytes(ctx, &mut input, part.count).await,
        (true, true) => all_but_last_lines(ctx, &mut input, part).await,
        (false, true) => all_but_last_bytes(ctx, &mut input, part.count).await,
    }
}

async fn first_lines(ctx: &mut Context, input: &mut Input, part: Part) -> Result<(), OperandError> {
    let mut left = part.count;
    while left > 0 {
        ctx.check().await?;
        let block = input.fill().await?;
        if block.is_empty() {
            break;
        }
        let mut taken = block.len();
        for at in memchr::memchr_iter(part.delimiter, block) {
            left -= 1;
            if left == 0 {
                taken = at + 1;
                break;
            }
        }
        ctx.stdout.write(block.get(..taken).unwrap_or(block)).await?;
        input.consume(taken);
    }
    Ok(())
}

async fn first_bytes(ctx: &mut Context, input: &mut Input, count: u64) -> Result<(), OperandError> {
    let mut left = count;
    while left > 0 {
        ctx.check().await?;
        let block = input.fill().await?;
        if block.is_empty() {
            break;
        }
        let taken = block.len().min(usize::try_from(left).unwrap_or(usize::MAX));
        ctx.stdout.write(block.get(..taken).unwrap_or(block)).await?;
        input.consume(taken);
        left -= taken as u64;
    }
    Ok(())
}

async fn all_but_last_lines(ctx: &mut Context, input: &mut Input, part: Part) -> Result<(), OperandError> {
    let mut queue = ByteQueue::default();
    let mut lines = 0;
    loop {
        ctx.check().await?;
        let block = input.fill().await?;
        if block.is_empty() {
            break;
        }
        lines += memchr::memchr_iter(part.delimiter, block).count() as u64;
        queue.push(block);
        let count = block.len();
        input.consume(count);
        lines -= release_lines(ctx, &mut queue, lines.saturating_sub(part.count), part.delimiter).await?;
    }
    if part.count == 0 {
        ctx.stdout.write(&queue).await?;
    } else if queue.last().is_some_and(|&last| last != part.delimiter) {
        release_lines(ctx, &mut queue, (lines + 1).saturating_sub(part.count), part.delimiter).await?;
    }
    Ok(())
}

/// Writes the first `count` lines of the queue and says how many they were.
async fn release_lines(
    ctx: &mut Context,
    queue: &mut ByteQueue,
    count: u64,
    delimiter: u8,
) -> Result<u64, UtilityError> {
    let Some(last) = usize::try_from(count).unwrap_or(usize::MAX).checked_sub(1) else { return Ok(0) };
    if let Some(end) = memchr::memchr_iter(delimiter, queue).nth(last) {
        ctx.stdout.write(queue.get(..=end).unwrap_or(queue)).await?;
        queue.remove_front(end + 1);
    }
    Ok(count)
}

async fn all_but_last_bytes(ctx: &mut Context, input: &mut Input, count: u64) -> Result<(), OperandError> {
    let kept = usize::try_from(count).unwrap_or(usize::MAX);
    let mut queue = ByteQueue::default();
    loop {
        ctx.check().await?;
        let block = input.fill().await?;
        if block.is_empty() {
            return Ok(());
        }
        queue.push(block);
        let length = block.len();
        input.consume(length);
        let excess = queue.len().saturating_sub(kept);
        ctx.stdout.write(queue.get(..excess).unwrap_or(&[])).await?;
        queue.remove_front(excess);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_obsolete_form_becomes_options() {
        let rows: [(&[u8], Option<&[&str]>); 4] = [
            (b"-5", Some(&["-n", "5"])),
            (b"-5c", Some(&["-c", "5"])),
            (b"-2kq", Some(&["-c", "2k", "-q"])),
            (b"-n5", None),
        ];
        for (arg, want) in rows {
            let want = want.map(|args| args.iter().map(|arg| Text::from(*arg)).collect::<Vec<_>>());
            assert_eq!(expand_obsolete(arg), want.map(Ok));
            assert!(matches!(expand_obsolete(b"-5x"), Some(Err(_))));
        }
    }
}
