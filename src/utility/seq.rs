//! `seq`: prints a sequence of numbers. GNU coreutils seq(1).
//!
//! Decimal operands are added exactly, as integers scaled by a power of ten; what does not fit (very large or small
//! exponents, infinity) is counted in floating point.

mod format;
mod number;

use super::format::float::fixed;
use crate::memory::{ToMetered, Vec, format};
use crate::utility::prelude::*;
use format::Format;
use number::{Fixed, Operand};

options! {
    enum Opt {
        Format = value('f', "format", "FORMAT", "use printf style floating-point FORMAT"),
        Separator = value('s', "separator", "STRING", "use STRING to separate numbers (default: \\n)"),
        EqualWidth = flag('w', "equal-width", "equalize width by padding with leading zeroes"),
    }
}

pub(super) const UTILITY: Utility = Utility {
    name: "seq",
    summary: "print a sequence of numbers",
    usage: "seq [OPTION]... LAST\nseq [OPTION]... FIRST LAST\nseq [OPTION]... FIRST INCREMENT LAST",
    options: Opt::TABLE,
    examples: &[example("seq 2 4", "2\n3\n4\n"), example("seq -s, 0 .5 1", "0.0,0.5,1.0\n")],
    run: start!(run),
    operands_end_options: true,
    ..Utility::BASE
};

async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    protect_negative_numbers(&mut ctx.args);
    let options = ctx.parse_options::<Opt>(&UTILITY)?;
    let format = options.value(Opt::Format).map(|text| Format::parse(text)).transpose()?;
    if format.is_some() && options.has(Opt::EqualWidth) {
        let text = "format string may not be specified when printing equal width strings";
        return Err(UtilityError::Usage(text.into()));
    }
    if options.operands.is_empty() {
        return Err(UtilityError::Usage("missing operand".into()));
    }
    if let Some(extra) = options.operands.get(3) {
        return Err(UtilityError::Usage(format!("extra operand {}", quote(extra))));
    }
    let mut operands = Vec::new();
    for text in &options.operands {
        operands.push(Operand::parse(text)?);
    }
    let one = Operand::parse(b"1")?;
    let (first, step, last) = match operands.as_slice() {
        [last] => (&one, &one, last),
        [first, last] => (first, &one, last),
        [first, step, last, ..] => (first, step, last),
        [] => return Ok(ExitStatus::SUCCESS),
    };
    if step.value == 0.0 {
        let text = options.operands.get(1).map(|text| quote(text)).unwrap_or_default();
        return Err(UtilityError::Usage(format!("invalid Zero increment value: {text}")));
    }
    let precision = first.precision.max(step.precision);
    let width =
        if options.has(Opt::EqualWidth) { first.width(precision).max(last.width(precision)) } else { 0 };
    let separator = options.value(Opt::Separator).map_or(b"\n".as_slice(), Text::as_bytes);
    let mut printer = Printer {
        format,
        separator: separator.to_metered(),
        precision,
        width,
        first: true,
        begins_with_minus: first.value == 0.0 && first.value.is_sign_negative(),
        number: Vec::new(),
    };
    match number::scaled([first, step, last]) {
        Some(scaled) => count_exact(ctx, scaled, last.value.is_infinite(), &mut printer).await?,
        None => count_floating(ctx, [first.value, step.value, last.value], &mut printer).await?,
    }
    if !printer.first {
        ctx.stdout.write(b"\n").await?;
    }
    Ok(ExitStatus::SUCCESS)
}

/// `seq -5 -1`: what looks like a negative number ends the options.
fn protect_negative_numbers(args: &mut Vec<Text>) {
    let mut at = 0;
    while let Some(arg) = args.get(at) {
        match arg.as_bytes() {
            b"--" => return,
            b"-f" | b"-s" | b"--format" | b"--separator" => at += 2,
            [b'-', b'0'..=b'9' | b'.', ..] => {
                args.insert(at, Text::from_static(b"--"));
                return;
            }
            [b'-', _, ..] => at += 1,
            _ => return,
        }
    }
}

/// Writes numbers with what stands between them.
struct Printer {
    format: Option<Format>,
    separator: Vec<u8>,
    precision: usize,
    width: usize,
    first: bool,
    /// The first number is `-0`, which keeps its sign.
    begins_with_minus: bool,
    number: Vec<u8>,
}

impl Printer {
    /// Whether the number that follows is `-0`.
    fn begin(&mut self, ctx: &mut Context) -> bool {
        let is_first = std::mem::replace(&mut self.first, false);
        if !is_first {
            ctx.stdout.push(&self.separator);
        }
        self.number.clear();
        is_first && self.begins_with_minus
    }

    fn exact(&mut self, ctx: &mut Context, value: Fixed) {
        let is_minus_zero = self.begin(ctx);
        match &self.format {
            Some(format) => {
                format.append(if is_minus_zero { -0.0 } else { value.to_float() }, &mut self.number);
            }
            None if is_minus_zero => {
                self.number.push(b'-');
                value.append(self.precision, self.width.saturating_sub(1), &mut self.number);
            }
            None => value.append(self.precision, self.width, &mut self.number),
        }
        ctx.stdout.push(&self.number);
    }

    fn floating(&mut self, ctx: &mut Context, value: f64) {
        let value = if self.begin(ctx) { -0.0 } else { value };
        match &self.format {
            Some(format) => format.append(value, &mut self.number),
            None => {
                let text = fixed(value, self.precision);
                let (sign, digits) =
                    text.strip_prefix('-').map_or(("", text.as_str()), |digits| ("-", digits));
                let missing = self.width.saturating_sub(text.len());
                self.number.extend_from_slice(sign.as_bytes());
                self.number.extend(std::iter::repeat_n(b'0', missing));
                self.number.extend_from_slice(digits.as_bytes());
            }
        }
        ctx.stdout.push(&self.number);
    }
}

async fn count_exact(
    ctx: &mut Context,
    [first, step, last]: [Fixed; 3],
    endless: bool,
    printer: &mut Printer,
) -> Result<(), UtilityError> {
    let mut value = first;
    loop {
        for _ in 0..256 {
            let past = if step.digits > 0 { value.digits > last.digits } else { value.digits < last.digits };
            if past && !endless {
                return Ok(());
            }
            printer.exact(ctx, value);
            let Some(next) = value.digits.checked_add(step.digits) else { return Ok(()) };
            value.digits = next;
            if ctx.stdout.is_full() {
                ctx.stdout.flush().await?;
            }
        }
        ctx.tick_many(256);
        ctx.check().await?;
    }
}

async fn count_floating(
    ctx: &mut Context,
    [first, step, last]: [f64; 3],
    printer: &mut Printer,
) -> Result<(), UtilityError> {
    let mut turns = 0.0;
    loop {
        let value = step.mul_add(turns, first);
        if (step > 0.0 && value > last) || (step < 0.0 && value < last) || value.is_nan() {
            return Ok(());
        }
        printer.floating(ctx, value);
        ctx.stdout.flush_if_full().await?;
        turns += 1.0;
        ctx.tick().await?;
    }
}

#[cfg(test)]
mod tests {
    use crate::utility::context::testing::{Fixture, run};

    #[test]
    fn sequences() {
        for (args, want) in [
            (&["3"][..], "1\n2\n3\n"),
            (&["5", "-2", "1"], "5\n3\n1\n"),
            (&["5", "1"], ""),
            (&["-w", "8", "10"], "08\n09\n10\n"),
            (&["-w", "-1", "1"], "-1\n00\n01\n"),
            (&["-w", "1", ".5", "2.25"], "1.0\n1.5\n2.0\n"),
            (&["1", ".50", "2"], "1.00\n1.50\n2.00\n"),
            (&["-s,", "3"], "1,2,3\n"),
            (&["-3", "-1"], "-3\n-2\n-1\n"),
            (&["--", "-1", "1"], "-1\n0\n1\n"),
            (&["-s,", "--", "-3", "-1"], "-3,-2,-1\n"),
            (&["0.1", "0.1", "0.5"], "0.1\n0.2\n0.3\n0.4\n0.5\n"),
            (&["1.5e1", "15"], "15\n"),
            (&["0", "1e-2", ".03"], "0.00\n0.01\n0.02\n0.03\n"),
            (&["0x1f", "32"], "31\n32\n"),
            (&["-f", "%5.2e", "1", "2"], "1.00e+00\n2.00e+00\n"),
            (&["-f", "%%%03g%%", "2"], "%001%\n%002%\n"),
            (
                &["99999999999999999999", "100000000000000000000"],
                "99999999999999999999\n100000000000000000000\n",
            ),
        ] {
            assert_eq!(run("seq", args, b"", &[]).stdout, want, "{args:?}");
        }
    }

    #[test]
    fn an_endless_sequence_meets_a_limit() {
        let mut fixture = Fixture::new(&[]);
        fixture.limits.output_bytes = 100_000;
        let outcome = fixture.run("seq", &["1", "inf"], b"");
        assert_ne!(outcome.status, 0);
        assert!(outcome.stderr.contains("limit"), "{}", outcome.stderr);
    }
}
