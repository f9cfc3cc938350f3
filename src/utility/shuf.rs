//! `shuf`: random permutations, from the session's random numbers. GNU coreutils shuf(1).
//!
//! A range is not made in memory when only some of its numbers are wanted: the positions that a shuffle has moved are kept.

use super::format::count::parse_digits;
use crate::memory::{HashMap, ToDecimal, Vec, format};
use crate::utility::prelude::*;

options! {
    enum Opt {
        Echo = flag('e', "echo", "treat each ARG as an input line"),
        InputRange = value('i', "input-range", "LO-HI", "treat each number LO through HI as an input line"),
        HeadCount = value('n', "head-count", "COUNT", "output at most COUNT lines"),
        Output = value('o', "output", "FILE", "write result to FILE instead of standard output"),
        Repeat = flag('r', "repeat", "output lines can be repeated"),
        ZeroTerminated = flag('z', "zero-terminated", "line delimiter is NUL, not newline"),
    }
}

pub(super) const UTILITY: Utility = Utility {
    name: "shuf",
    summary: "generate random permutations",
    usage: "shuf [OPTION]... [FILE]\nshuf -e [OPTION]... [ARG]...\nshuf -i LO-HI [OPTION]...",
    options: Opt::TABLE,
    examples: &[example("shuf -i 1-9 | sort -n | head -n 2", "1\n2\n")],
    run: start!(run),
    ..Utility::BASE
};

/// The lines to choose from.
enum Lines {
    /// The first number, and how many.
    Range(u64, u64),
    Text {
        text: Vec<u8>,
        starts: Vec<usize>,
    },
}

impl Lines {
    fn count(&self) -> u64 {
        match self {
            Self::Range(_, count) => *count,
            Self::Text { starts, .. } => starts.len().saturating_sub(1) as u64,
        }
    }

    fn write(&self, index: u64, end: u8, out: &mut Output) {
        match self {
            Self::Range(low, _) => out.push(low.saturating_add(index).to_decimal().as_bytes()),
            Self::Text { text, starts } => {
                let index = index as usize;
                if let (Some(&start), Some(&end)) = (starts.get(index), starts.get(index + 1)) {
                    out.push(text.get(start..end).unwrap_or(&[]));
                }
            }
        }
        out.push(&[end]);
    }
}

async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    let options = ctx.parse_options::<Opt>(&UTILITY)?;
    let end = if options.has(Opt::ZeroTerminated) { 0 } else { b'\n' };
    let range = options.value(Opt::InputRange).map(|text| parse_range(text)).transpose()?;
    if range.is_some() && options.has(Opt::Echo) {
        return Err(UtilityError::Usage("cannot combine -e and -i options".into()));
    }
    let mut wanted = u64::MAX;
    for text in options.values(Opt::HeadCount) {
        let count = parse_digits(text)
            .ok_or_else(|| UtilityError::failed(format!("invalid line count: {}", quote(text))))?;
        wanted = wanted.min(count);
    }
    let extra = options.operands.get(usize::from(range.is_none()));
    if let Some(extra) = extra.filter(|_| !options.has(Opt::Echo)) {
        return Err(UtilityError::Usage(format!("extra operand {}", quote(extra))));
    }
    let lines = match range {
        Some(range) => range,
        None if options.has(Opt::Echo) => echoed(&options.operands),
        None => read(ctx, options.operands.first(), end).await?,
    };
    let mut file = match options.value(Opt::Output) {
        Some(name) => Some(
            ctx.create(name, false)
                .map_err(|error| UtilityError::operand(quote_operand(name).as_bytes(), error))?,
        ),
        None => None,
    };
    if options.has(Opt::Repeat) {
        if wanted > 0 && lines.count() == 0 {
            return Err(UtilityError::failed("no lines to repeat"));
        }
        repeat(ctx, &lines, wanted, end, &mut file).await?;
    } else {
        permute(ctx, &lines, wanted, end, &mut file).await?;
    }
    if let Some(mut file) = file {
        file.flush().await?;
    }
    Ok(ExitStatus::SUCCESS)
}

/// `LO-HI`; `5-4` is an empty range.
fn parse_range(text: &[u8]) -> Result<Lines, UtilityError> {
    let parsed = memchr::memchr(b'-', text)
        .and_then(|dash| Some((parse_digits(text.get(..dash)?)?, parse_digits(text.get(dash + 1..)?)?)));
    match parsed {
        Some((low, high)) if low <= high && high - low < u64::MAX => Ok(Lines::Range(low, high - low + 1)),
        Some((low, high)) if low == high.saturating_add(1) => Ok(Lines::Range(low, 0)),
        _ => Err(UtilityError::failed(format!("invalid input range: {}", quote(text)))),
    }
}

fn echoed(operands: &[Text]) -> Lines {
    let mut text = Vec::new();
    let mut starts = Vec::new();
    starts.push(0);
    for operand in operands {
        text.extend_from_slice(operand);
        starts.push(text.len());
    }
    Lines::Text { text, starts }
}

async fn read(ctx: &mut Context, operand: Option<&Text>, end: u8) -> Result<Lines, UtilityError> {
    let operand = operand.cloned().unwrap_or(Text::from_static(b"-"));
    let mut input = ctx
        .open_input(&operand)
        .map_err(|error| UtilityError::operand(quote_operand(&operand).as_bytes(), error))?;
    let mut text = Vec::new();
    let mut starts = Vec::new();
    starts.push(0);
    loop {
        ctx.tick().await?;
        match input.next_line(end).await {
            Ok(Some(line)) => text.extend_from_slice(split_delimiter(line, end).0),
            Ok(None) => return Ok(Lines::Text { text, starts }),
            Err(error) => {
                let errno = OperandError::from(error).errno()?;
                return Err(UtilityError::failed(format!("read error: {}", errno.message())));
            }
        }
        starts.push(text.len());
    }
}

/// A random number below `bound`, each as likely as the others.
fn below(ctx: &Context, bound: u64) -> u64 {
    let random = || ctx.session.random.next_u64();
    let most = u64::MAX - u64::MAX % bound.max(1);
    let mut number = random();
    while number >= most {
        number = random();
    }
    number % bound.max(1)
}

async fn repeat(
    ctx: &mut Context,
    lines: &Lines,
    wanted: u64,
    end: u8,
    file: &mut Option<Output>,
) -> Result<(), UtilityError> {
    let mut left = wanted;
    while left > 0 {
        let index = below(ctx, lines.count());
        let out = file.as_mut().unwrap_or(&mut ctx.stdout);
        lines.write(index, end, out);
        out.flush_if_full().await?;
        ctx.tick().await?;
        // An endless number of lines was not limited.
        if wanted != u64::MAX {
            left -= 1;
        }
    }
    Ok(())
}

/// The first `wanted` steps of a Fisher-Yates shuffle.
async fn permute(
    ctx: &mut Context,
    lines: &Lines,
    wanted: u64,
    end: u8,
    file: &mut Option<Output>,
) -> Result<(), UtilityError> {
    let count = lines.count();
    let mut moved: HashMap<u64, u64> = HashMap::new();
    for step in 0..count.min(wanted) {
        let chosen = step + below(ctx, count - step);
        let here = moved.remove(&step).unwrap_or(step);
        let index = if chosen == step { here } else { moved.insert(chosen, here).unwrap_or(chosen) };
        let out = file.as_mut().unwrap_or(&mut ctx.stdout);
        lines.write(index, end, out);
        out.flush_if_full().await?;
        ctx.tick().await?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::utility::context::testing::run;

    #[test]
    fn permutes() {
        let outcome = run("shuf", &["-i", "1-100"], b"", &[]);
        let mut numbers: Vec<u32> = outcome.stdout.lines().map(|line| line.parse().unwrap()).collect();
        assert!(numbers.windows(2).any(|pair| pair[0] > pair[1]));
        numbers.sort_unstable();
        assert_eq!(numbers, (1..=100).collect::<Vec<_>>());
        assert_eq!(run("shuf", &["-e", "-n", "1", "x"], b"", &[]).stdout, "x\n");
        assert_eq!(run("shuf", &["-rn", "3"], b"a\n", &[]).stdout, "a\na\na\n");
        assert_eq!(run("shuf", &["-i", "0-18446744073709551614", "-n2"], b"", &[]).stdout.lines().count(), 2);
    }
}
