//! `shuf`: random permutations, from the session's random numbers or a file. GNU coreutils shuf(1).
//!
//! Of a long input some lines are kept while it is read, if only some are wanted: its lines are not all held.
//! A range is not made in memory when only some of its numbers are wanted: the positions that a shuffle has moved are kept.

use super::file::random_source::{RandomSource, only_source};
use super::format::count::parse_digits;
use crate::memory::{HashMap, ToDecimal, ToMetered, Vec, format};
use crate::utility::prelude::*;
use crate::vfs::FileKind;

options! {
    enum Opt {
        Echo = flag('e', "echo", "treat each ARG as an input line"),
        InputRange = value('i', "input-range", "LO-HI", "treat each number LO through HI as an input line"),
        HeadCount = value('n', "head-count", "COUNT", "output at most COUNT lines"),
        Output = value('o', "output", "FILE", "write result to FILE instead of standard output"),
        RandomSource = value('\0', "random-source", "FILE", "get random bytes from FILE"),
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
    /// Those that were kept of a long input.
    Kept(Vec<Vec<u8>>),
}

impl Lines {
    fn count(&self) -> u64 {
        match self {
            Self::Range(_, count) => *count,
            Self::Text { starts, .. } => starts.len().saturating_sub(1) as u64,
            Self::Kept(lines) => lines.len() as u64,
        }
    }

    fn write(&self, index: u64, end: u8, out: &mut Output) {
        match self {
            Self::Kept(lines) => out.push(lines.get(index as usize).map_or(&[], Vec::as_slice)),
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
    let name = only_source(options.values(Opt::RandomSource)).map_err(UtilityError::failed)?;
    if wanted == 0 {
        // Nothing is read, but the output is made.
        output(ctx, &options)?;
        return Ok(ExitStatus::SUCCESS);
    }
    let open = |ctx: &Context| {
        let opened = RandomSource::open(ctx, name);
        opened.map_err(|error| {
            UtilityError::operand(quote_operand(name.map_or(&[], Text::as_bytes)).as_bytes(), error)
        })
    };
    let (lines, mut source) = match range {
        Some(range) => (range, open(ctx)?),
        None if options.has(Opt::Echo) => (echoed(&options.operands), open(ctx)?),
        None => {
            let operand = options.operands.first().cloned().unwrap_or(Text::from_static(b"-"));
            let input = ctx
                .open_input(&operand)
                .map_err(|error| UtilityError::operand(quote_operand(&operand).as_bytes(), error))?;
            if options.has(Opt::Repeat) || wanted == u64::MAX || is_short(&input) {
                (read(ctx, input, end).await?, open(ctx)?)
            } else {
                let mut source = open(ctx)?;
                (keep_some(ctx, input, end, wanted, &mut source).await?, source)
            }
        }
    };
    let mut file = output(ctx, &options)?;
    if options.has(Opt::Repeat) {
        if lines.count() == 0 {
            return Err(UtilityError::failed("no lines to repeat"));
        }
        repeat(ctx, &lines, wanted, end, &mut file, &mut source).await?;
    } else {
        permute(ctx, &lines, wanted, end, &mut file, &mut source).await?;
    }
    if let Some(mut file) = file {
        file.flush().await?;
    }
    Ok(ExitStatus::SUCCESS)
}

/// The file of `-o`.
fn output(ctx: &Context, options: &Options<Opt>) -> Result<Option<Output>, UtilityError> {
    let open = |name: &Text| {
        let created = ctx.create(name, false);
        created.map_err(|error| UtilityError::operand(quote_operand(name).as_bytes(), error))
    };
    options.value(Opt::Output).map(open).transpose()
}

/// Whether an input is a file of up to 8 MiB, of which all lines are held.
fn is_short(input: &Input) -> bool {
    let metadata = input.description().metadata();
    metadata.is_some_and(|metadata| metadata.kind == FileKind::Regular && metadata.size <= 8 << 20)
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

fn read_error(error: FsError) -> UtilityError {
    match OperandError::from(error).errno() {
        Ok(errno) => UtilityError::failed(format!("read error: {}", errno.message())),
        Err(end) => end,
    }
}

async fn read(ctx: &mut Context, mut input: Input, end: u8) -> Result<Lines, UtilityError> {
    let mut text = Vec::new();
    let mut starts = Vec::new();
    starts.push(0);
    loop {
        ctx.tick().await?;
        match input.next_line(end).await {
            Ok(Some(line)) => text.extend_from_slice(split_delimiter(line, end).0),
            Ok(None) => return Ok(Lines::Text { text, starts }),
            Err(error) => return Err(read_error(error)),
        }
        starts.push(text.len());
    }
}

/// Keeps `wanted` of the lines: each further one takes the place of one of those, with less and less likelihood.
async fn keep_some(
    ctx: &mut Context,
    mut input: Input,
    end: u8,
    wanted: u64,
    source: &mut RandomSource,
) -> Result<Lines, UtilityError> {
    let mut kept: Vec<Vec<u8>> = Vec::new();
    let mut count = 0;
    loop {
        ctx.tick().await?;
        // The place is chosen before it is known whether there is a line: the last choice is of no use.
        let place = if count < wanted { count } else { source.below(ctx, count + 1).await? };
        let line = match input.next_line(end).await {
            Ok(Some(line)) => split_delimiter(line, end).0,
            Ok(None) => return Ok(Lines::Kept(kept)),
            Err(error) => return Err(read_error(error)),
        };
        if count < wanted {
            kept.push(line.to_metered());
        } else if let Some(slot) = kept.get_mut(place as usize).filter(|_| place < wanted) {
            slot.clear();
            slot.extend_from_slice(line);
        }
        count += 1;
    }
}

async fn repeat(
    ctx: &mut Context,
    lines: &Lines,
    wanted: u64,
    end: u8,
    file: &mut Option<Output>,
    source: &mut RandomSource,
) -> Result<(), UtilityError> {
    let mut left = wanted;
    while left > 0 {
        let index = source.below(ctx, lines.count()).await?;
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
    source: &mut RandomSource,
) -> Result<(), UtilityError> {
    let count = lines.count();
    let mut moved: HashMap<u64, u64> = HashMap::new();
    // Nothing is printed where a file of random bytes ends too early.
    let mut chosen_lines: Vec<u64> = Vec::new();
    let waits = source.is_file();
    for step in 0..count.min(wanted) {
        let chosen = step + source.below(ctx, count - step).await?;
        let here = moved.remove(&step).unwrap_or(step);
        let index = if chosen == step { here } else { moved.insert(chosen, here).unwrap_or(chosen) };
        ctx.tick().await?;
        if waits {
            chosen_lines.push(index);
            continue;
        }
        let out = file.as_mut().unwrap_or(&mut ctx.stdout);
        lines.write(index, end, out);
        out.flush_if_full().await?;
    }
    for index in chosen_lines {
        ctx.tick().await?;
        let out = file.as_mut().unwrap_or(&mut ctx.stdout);
        lines.write(index, end, out);
        out.flush_if_full().await?;
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
