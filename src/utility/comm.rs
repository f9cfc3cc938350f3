//! `comm`: compares two sorted files line by line. GNU coreutils comm(1).

use crate::limit::Meter;
use crate::memory::{ToDecimal, ToMetered, Vec, format, vec};
use crate::utility::context::pace::{append, compare};
use crate::utility::prelude::*;
use std::cmp::Ordering;

options! {
    enum Opt {
        Suppress1 = flag('1', "", "suppress column 1 (lines unique to FILE1)"),
        Suppress2 = flag('2', "", "suppress column 2 (lines unique to FILE2)"),
        Suppress3 = flag('3', "", "suppress column 3 (lines that appear in both files)"),
        CheckOrder = flag(
            '\0',
            "check-order",
            "check that the input is correctly sorted, even if all lines are pairable",
        ),
        NocheckOrder = flag('\0', "nocheck-order", "do not check that the input is correctly sorted"),
        OutputDelimiter = value('\0', "output-delimiter", "STR", "separate columns with STR"),
        Total = flag('\0', "total", "output a summary"),
        ZeroTerminated = flag('z', "zero-terminated", "line delimiter is NUL, not newline"),
    }
}

pub(super) const UTILITY: Utility = Utility {
    name: "comm",
    summary: "compare two sorted files line by line",
    usage: "comm [OPTION]... FILE1 FILE2",
    options: Opt::TABLE,
    examples: &[example("printf 'a\\nb\\n' >x; printf 'b\\nc\\n' >y; comm -12 x y", "b\n")],
    run: start!(run),
    ..Utility::BASE
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum OrderCheck {
    WhenUnpaired,
    Always,
    Never,
}

/// One of the two files with its last two lines.
struct Side {
    name: Text,
    input: Input,
    current: Vec<u8>,
    previous: Vec<u8>,
    has_previous: bool,
    ended: bool,
    disorder: bool,
}

impl Side {
    fn open(ctx: &mut Context, name: &Text) -> Result<Self, UtilityError> {
        let named = |error| UtilityError::operand(quote_operand(name).as_bytes(), error);
        Ok(Self {
            name: name.clone(),
            input: ctx.open_input(name).map_err(named)?,
            current: Vec::new(),
            previous: Vec::new(),
            has_previous: false,
            ended: false,
            disorder: false,
        })
    }

    /// Goes on to the next line.
    async fn advance(&mut self, meter: &Meter, delimiter: u8, first: bool) -> Result<(), UtilityError> {
        let line = match self.input.next_line(delimiter).await {
            Ok(line) => line,
            Err(error) => return Err(UtilityError::operand(quote_operand(&self.name).as_bytes(), error)),
        };
        match line {
            Some(line) => {
                std::mem::swap(&mut self.current, &mut self.previous);
                self.has_previous = !first;
                self.current.clear();
                append(meter, &mut self.current, split_delimiter(line, delimiter).0).await?;
            }
            // The last two lines stay to be checked.
            None => self.ended = true,
        }
        Ok(())
    }

    async fn is_out_of_order(&self, meter: &Meter) -> Result<bool, UtilityError> {
        Ok(self.has_previous && compare(meter, &self.previous, &self.current).await?.is_gt())
    }
}

async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    let options = ctx.parse_options::<Opt>(&UTILITY)?;
    let delimiter = if options.has(Opt::ZeroTerminated) { 0 } else { b'\n' };
    let separator = separator(&options)?;
    let check = match options.last_of([Opt::CheckOrder, Opt::NocheckOrder]) {
        Some(Opt::CheckOrder) => OrderCheck::Always,
        Some(_) => OrderCheck::Never,
        None => OrderCheck::WhenUnpaired,
    };
    let [first, second] = two_operands(&options.operands)?;
    let mut sides = [Side::open(ctx, &first)?, Side::open(ctx, &second)?];
    for side in &mut sides {
        side.advance(&ctx.meter, delimiter, true).await?;
    }
    let columns = Columns::new(
        [Opt::Suppress1, Opt::Suppress2, Opt::Suppress3].map(|option| !options.has(option)),
        &separator,
    );
    let mut totals = [0_u64; 3];
    let mut unpaired = false;
    loop {
        ctx.tick().await?;
        let [one, two] = &sides;
        let order = match (one.ended, two.ended) {
            (true, true) => break,
            (true, false) => Ordering::Greater,
            (false, true) => Ordering::Less,
            (false, false) => compare(&ctx.meter, &one.current, &two.current).await?,
        };
        unpaired |= order.is_ne();
        let (column, line) = match order {
            Ordering::Less => (0, &one.current),
            Ordering::Greater => (1, &two.current),
            Ordering::Equal => (2, &two.current),
        };
        if let Some(total) = totals.get_mut(column) {
            *total += 1;
        }
        if let Some(Some(prefix)) = columns.0.get(column) {
            ctx.stdout.push(prefix);
            ctx.stdout.write(line).await?;
            ctx.stdout.push(&[delimiter]);
            ctx.stdout.flush_if_full().await?;
        }
        let advances = [order.is_le(), order.is_ge()];
        for ((index, side), advances) in sides.iter_mut().enumerate().zip(advances) {
            if !advances {
                continue;
            }
            side.advance(&ctx.meter, delimiter, false).await?;
            let checked = check == OrderCheck::Always || (check == OrderCheck::WhenUnpaired && unpaired);
            if checked && !side.disorder && side.is_out_of_order(&ctx.meter).await? {
                side.disorder = true;
                let message = format!("file {} is not in sorted order", index + 1);
                if check == OrderCheck::Always {
                    return Err(UtilityError::failed(message));
                }
                ctx.warn(message);
            }
        }
    }
    if options.has(Opt::Total) {
        let [one, two, both] = totals.map(|total| total.to_decimal().into_bytes());
        // NUL between columns is nothing here, as in the real program.
        let separator = if *separator == [0] { Vec::new() } else { separator };
        let parts =
            [&one, &separator, &two, &separator, &both, &separator, &b"total".to_metered(), &vec![delimiter]];
        for part in parts {
            ctx.stdout.write(part).await?;
        }
    }
    if sides.iter().any(|side| side.disorder) {
        return Err(UtilityError::failed("input is not in sorted order"));
    }
    Ok(ExitStatus::SUCCESS)
}

/// What stands before the lines of each column; `None` for one that is not shown.
struct Columns([Option<Vec<u8>>; 3]);

impl Columns {
    fn new(shown: [bool; 3], separator: &[u8]) -> Self {
        let mut before = Vec::new();
        Self(shown.map(|shown| {
            shown.then(|| {
                let prefix = before.clone();
                before.extend_from_slice(separator);
                prefix
            })
        }))
    }
}

fn separator(options: &Options<Opt>) -> Result<Vec<u8>, UtilityError> {
    let mut separators = options.values(Opt::OutputDelimiter);
    let Some(first) = separators.next() else { return Ok(b"\t".to_metered()) };
    if separators.any(|other| other != first) {
        return Err(UtilityError::failed("multiple output delimiters specified"));
    }
    Ok(if first.is_empty() { vec![0] } else { first.to_metered() })
}

/// The two operands of `comm` and `join`.
pub(super) fn two_operands(operands: &[Text]) -> Result<[Text; 2], UtilityError> {
    match operands {
        [] => Err(UtilityError::Usage("missing operand".into())),
        [only] => Err(UtilityError::Usage(format!("missing operand after {}", quote(only)))),
        [first, second] => Ok([first.clone(), second.clone()]),
        [_, _, extra, ..] => Err(UtilityError::Usage(format!("extra operand {}", quote(extra)))),
    }
}

#[cfg(test)]
mod tests {
    use crate::utility::context::testing::run;

    #[test]
    fn three_columns() {
        let files = [("x", "a\nb\nc\n"), ("y", "b\nc\nd"), ("z", "c\na\n")];
        for (args, want) in [
            (&["x", "y"][..], "a\n\t\tb\n\t\tc\n\td\n"),
            (&["-12", "x", "y"], "b\nc\n"),
            (&["-3", "x", "y"], "a\n\td\n"),
            (&["--total", "-123", "x", "y"], "1\t1\t2\ttotal\n"),
        ] {
            assert_eq!(run("comm", args, b"", &files).stdout, want, "{args:?}");
        }
        let outcome = run("comm", &["x", "z"], b"", &files);
        assert_eq!(
            outcome.stderr,
            "comm: file 2 is not in sorted order\ncomm: input is not in sorted order\n"
        );
        assert_eq!(outcome.status, 1);
    }
}
