//! `cmp`: compares two files byte by byte. GNU diffutils cmp(1).

use super::diff::with_hint;
use super::format::count::parse_count;
use crate::memory::{JoinMetered, String, Vec, format};
use crate::utility::prelude::*;

options! {
    enum Opt {
        PrintBytes = flag('b', "print-bytes", "print differing bytes"),
        IgnoreInitial = value(
            'i',
            "ignore-initial",
            "SKIP",
            "skip first SKIP bytes of both inputs; SKIP1:SKIP2 for each",
        ),
        Verbose = flag('l', "verbose", "output byte numbers and differing byte values"),
        Bytes = value('n', "bytes", "LIMIT", "compare at most LIMIT bytes"),
        Quiet = flag('s', "quiet", "suppress all normal output")
            | flag('\0', "silent", "the same as --quiet"),
        Version = flag('v', "", "output version information and exit"),
    }
}

pub(super) const UTILITY: Utility = Utility {
    name: "cmp",
    summary: "compare two files byte by byte",
    usage: "cmp [OPTION]... FILE1 [FILE2 [SKIP1 [SKIP2]]]",
    options: Opt::TABLE,
    examples: &[example("printf ab >x; printf ac >y; cmp x y", "x y differ: byte 2, line 1\n")],
    run: start!(run),
    usage_status: 2,
    ..Utility::BASE
};

struct CmpOptions {
    bytes: bool,
    verbose: bool,
    quiet: bool,
    limit: u64,
    skips: [u64; 2],
}

/// Exit status: 0 the same, 1 different, 2 trouble.
async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    let options = ctx.parse_options::<Opt>(&UTILITY).map_err(|error| with_hint("cmp", error))?;
    if options.has(Opt::Version) {
        ctx.stdout.push(super::context::options::version(&UTILITY).as_bytes());
        return Ok(ExitStatus::SUCCESS);
    }
    let settings = settings(&options).map_err(|error| with_hint("cmp", error))?;
    let Some(first) = options.operands.first().cloned() else {
        return Err(with_hint("cmp", UtilityError::Usage("missing operand after 'cmp'".into())));
    };
    let second = options.operands.get(1).cloned().unwrap_or(Text::from_static(b"-"));
    // A file is the same as itself, also where it is a directory.
    let inode = |name: &Text| ctx.session.fs.metadata(&ctx.absolute(name)).ok().map(|data| data.inode);
    let is_named = [&first, &second].iter().all(|name| name.as_bytes() != b"-");
    if is_named
        && settings.skips[0] == settings.skips[1]
        && inode(&first).is_some_and(|own| inode(&second) == Some(own))
    {
        return Ok(ExitStatus::SUCCESS);
    }
    let mut inputs = Vec::new();
    for name in [&first, &second] {
        let opened = ctx.open_input(name).and_then(|input| {
            let directory =
                ctx.session.fs.metadata(&ctx.absolute(name)).is_ok_and(|data| data.is_directory());
            if directory && name.as_bytes() != b"-" { Err(Errno::IsDirectory.into()) } else { Ok(input) }
        });
        match opened {
            Ok(input) => inputs.push(input),
            Err(error) => return trouble(ctx, &settings, name, error.into()),
        }
    }
    let Ok([mut left, mut right]) = <[Input; 2]>::try_from(inputs) else { return Ok(ExitStatus(2)) };
    for ((input, name), skip) in [(&mut left, &first), (&mut right, &second)].into_iter().zip(settings.skips)
    {
        if let Err(error) = skip_bytes(ctx, input, skip).await {
            return trouble(ctx, &settings, name, error);
        }
    }
    match compare(ctx, &settings, [&first, &second], [&mut left, &mut right]).await {
        Ok(status) => Ok(status),
        Err((index, error)) => trouble(ctx, &settings, if index == 0 { &first } else { &second }, error),
    }
}

fn trouble(
    ctx: &mut Context,
    settings: &CmpOptions,
    name: &Text,
    error: OperandError,
) -> Result<ExitStatus, UtilityError> {
    let errno = error.errno()?;
    if !(settings.quiet && errno == Errno::NotFound) {
        ctx.warn(format_args!("{name}: {}", errno.message()));
    }
    Ok(ExitStatus(2))
}

fn settings(options: &Options<Opt>) -> Result<CmpOptions, UtilityError> {
    if let Some(extra) = options.operands.get(4) {
        return Err(UtilityError::Usage(format!("extra operand {}", quote_name(extra))));
    }
    let number = |text: &[u8], option: &str| {
        parse_count(text)
            .map_err(|_| UtilityError::Usage(format!("invalid --{option} value {}", quote_name(text))))
    };
    let mut settings = CmpOptions {
        bytes: options.has(Opt::PrintBytes),
        verbose: options.has(Opt::Verbose),
        quiet: options.has(Opt::Quiet),
        limit: u64::MAX,
        skips: [0, 0],
    };
    // Of several limits the least counts, of several numbers of bytes to skip the largest.
    for text in options.values(Opt::Bytes) {
        settings.limit = settings.limit.min(number(text, "bytes")?);
    }
    for text in options.values(Opt::IgnoreInitial) {
        let skips = match memchr::memchr(b':', text) {
            Some(colon) => [
                number(text.get(..colon).unwrap_or(&[]), "ignore-initial")?,
                number(text.get(colon + 1..).unwrap_or(&[]), "ignore-initial")?,
            ],
            None => [number(text, "ignore-initial")?; 2],
        };
        for (skip, given) in settings.skips.iter_mut().zip(skips) {
            *skip = given.max(*skip);
        }
    }
    for (skip, operand) in settings.skips.iter_mut().zip(options.operands.iter().skip(2)) {
        *skip = number(operand, "ignore-initial")?.max(*skip);
    }
    if settings.verbose && settings.quiet {
        return Err(UtilityError::Usage("options -l and -s are incompatible".into()));
    }
    Ok(settings)
}

async fn skip_bytes(ctx: &mut Context, input: &mut Input, count: u64) -> Result<(), OperandError> {
    let mut left = count;
    while left > 0 {
        ctx.check().await?;
        let available = input.fill().await?.len();
        if available == 0 {
            break;
        }
        let taken = available.min(usize::try_from(left).unwrap_or(usize::MAX));
        input.consume(taken);
        left -= taken as u64;
    }
    Ok(())
}

/// Where the comparison is.
#[derive(Default)]
struct ComparisonPlace {
    byte: u64,
    newlines: u64,
    last_was_newline: bool,
}

async fn compare(
    ctx: &mut Context,
    settings: &CmpOptions,
    names: [&Text; 2],
    [left, right]: [&mut Input; 2],
) -> Result<ExitStatus, (usize, OperandError)> {
    let end = |error: UtilityError| (0, OperandError::from(error));
    let width = number_width(settings, [left, right]);
    let mut place = ComparisonPlace::default();
    let mut status = ExitStatus::SUCCESS;
    loop {
        ctx.check().await.map_err(|error| (0, error.into()))?;
        let room = usize::try_from(settings.limit.saturating_sub(place.byte)).unwrap_or(usize::MAX);
        if room == 0 {
            return Ok(status);
        }
        let one = left.fill().await.map_err(|error| (0, error.into()))?;
        let two = right.fill().await.map_err(|error| (1, error.into()))?;
        let length = one.len().min(two.len()).min(room);
        if length == 0 {
            if one.is_empty() != two.is_empty() {
                status = ExitStatus::FAILURE;
                let shorter = if one.is_empty() { names[0] } else { names[1] };
                report_end(ctx, settings, shorter, &place);
            }
            return Ok(status);
        }
        let (one, two) = (one.get(..length).unwrap_or(one), two.get(..length).unwrap_or(two));
        if one != two {
            status = ExitStatus::FAILURE;
            if settings.quiet {
                return Ok(status);
            }
            for (index, (a, b)) in one.iter().zip(two).enumerate().filter(|(_, (a, b))| a != b) {
                let byte = place.byte + index as u64 + 1;
                if !settings.verbose {
                    let before = one.get(..index).unwrap_or(&[]);
                    let line = place.newlines + memchr::memchr_iter(b'\n', before).count() as u64 + 1;
                    let text = first_difference(settings, names, byte, line, *a, *b);
                    ctx.stdout.write(&text).await.map_err(end)?;
                    return Ok(status);
                }
                let line = if settings.bytes {
                    format!("{byte:width$} {a:3o} {:<4} {b:3o} {}\n", visible(*a), visible(*b))
                } else {
                    format!("{byte:width$} {a:3o} {b:3o}\n")
                };
                ctx.stdout.write(line.as_bytes()).await.map_err(end)?;
                ctx.tick().await.map_err(|error| (0, error.into()))?;
            }
        }
        place.byte += length as u64;
        place.newlines += memchr::memchr_iter(b'\n', one).count() as u64;
        place.last_was_newline = one.last() == Some(&b'\n');
        left.consume(length);
        right.consume(length);
    }
}

/// Columns of a byte's number with `-l`: as many as the last one that can be compared needs.
fn number_width(settings: &CmpOptions, inputs: [&Input; 2]) -> usize {
    let mut last = settings.limit.min(i64::MAX as u64);
    for (input, skip) in inputs.into_iter().zip(settings.skips) {
        let description = input.description();
        if let Some(data) = description.metadata().filter(|_| description.is_seekable()) {
            last = last.min(data.size.saturating_sub(skip));
        }
    }
    last.checked_ilog10().map_or(1, |digits| digits as usize + 1)
}

fn first_difference(settings: &CmpOptions, names: [&Text; 2], byte: u64, line: u64, a: u8, b: u8) -> Vec<u8> {
    let [left, right] = names;
    let mut text = [left.as_bytes(), b" ", right, b" differ: "].concat_metered();
    text.extend_from_slice(format!("byte {byte}, line {line}").as_bytes());
    if settings.bytes {
        text.extend_from_slice(format!(" is {a:3o} {} {b:3o} {}", visible(a), visible(b)).as_bytes());
    }
    text.push(b'\n');
    text
}

fn report_end(ctx: &mut Context, settings: &CmpOptions, name: &Text, place: &ComparisonPlace) {
    if settings.quiet {
        return;
    }
    let byte = place.byte;
    if byte == 0 {
        ctx.warn(format_args!("EOF on {name} which is empty"));
    } else if settings.verbose {
        ctx.warn(format_args!("EOF on {name} after byte {byte}"));
    } else if place.last_was_newline {
        ctx.warn(format_args!("EOF on {name} after byte {byte}, line {}", place.newlines));
    } else {
        ctx.warn(format_args!("EOF on {name} after byte {byte}, in line {}", place.newlines + 1));
    }
}

/// A byte as `cat -t` shows it.
fn visible(byte: u8) -> String {
    let meta = if byte >= 0x80 { "M-" } else { "" };
    match byte & 0x7f {
        low @ 0..0x20 => format!("{meta}^{}", char::from(low + 0x40)),
        0x7f => format!("{meta}^?"),
        low => format!("{meta}{}", char::from(low)),
    }
}

#[cfg(test)]
mod tests {
    use crate::utility::context::testing::run;

    #[test]
    fn tells_the_first_difference_or_the_end() {
        let files = [("a", "abc\nd"), ("b", "abc\nd\ne"), ("c", "abX\n"), ("e", "")];
        for (args, want, status) in [
            (&["a", "a"][..], "", 0),
            (&["a", "c"], "a c differ: byte 3, line 1\n", 1),
            (&["a", "b"], "cmp: EOF on a after byte 5, in line 2\n", 1),
            (&["a", "e"], "cmp: EOF on e which is empty\n", 1),
            (&["-l", "a", "c"], "3 143 130\ncmp: EOF on c after byte 4\n", 1),
            (&["-b", "a", "c"], "a c differ: byte 3, line 1 is 143 c 130 X\n", 1),
            (&["-s", "a", "nope"], "", 2),
            (&["-n2", "a", "c"], "", 0),
            (&["-i1:2", "a", "b"], "a b differ: byte 1, line 1\n", 1),
        ] {
            let outcome = run("cmp", args, b"", &files);
            assert_eq!((outcome.stdout + &outcome.stderr, outcome.status), (want.into(), status), "{args:?}");
        }
    }
}
