//! `numfmt`: converts numbers from and to what people read (`1.5K`). GNU coreutils numfmt(1).
//!
//! Numbers are exact fractions (`numfmt/number.rs`), so that rounding up never adds one for what a binary fraction lacks.

mod number;
mod settings;

use crate::memory::{JoinMetered, Vec};
use crate::utility::prelude::*;
use number::{Number, Parsed};
use settings::{Invalid, NumfmtOptions};

options! {
    enum Opt {
        Debug = flag('\0', "debug", "print warnings about invalid input"),
        Delimiter = value('d', "delimiter", "X", "use X instead of whitespace for field delimiter"),
        Field = value('\0', "field", "FIELDS", "replace the numbers in these input fields (default=1)"),
        Format = value('\0', "format", "FORMAT", "use printf style floating-point FORMAT"),
        From = value('\0', "from", "UNIT", "auto-scale input numbers to UNITs; default is 'none'"),
        FromUnit = value('\0', "from-unit", "N", "specify the input unit size (instead of the default 1)"),
        Grouping = flag('\0', "grouping", "use locale-defined grouping of digits: none in the locale C"),
        Header = optional('\0', "header", "N", "print (without converting) the first N header lines"),
        Invalid = value(
            '\0',
            "invalid",
            "MODE",
            "failure mode for invalid numbers: abort, fail, warn, ignore",
        ),
        Padding = value('\0', "padding", "N", "pad the output to N characters; negative N will left-align"),
        Round = value(
            '\0',
            "round",
            "METHOD",
            "use METHOD for rounding: up, down, from-zero, towards-zero, nearest",
        ),
        Suffix = value(
            '\0',
            "suffix",
            "SUFFIX",
            "add SUFFIX to output numbers, and accept it in input numbers",
        ),
        To = value('\0', "to", "UNIT", "auto-scale output numbers to UNITs: none, si, iec, iec-i"),
        ToUnit = value('\0', "to-unit", "N", "the output unit size (instead of the default 1)"),
        ZeroTerminated = flag('z', "zero-terminated", "line delimiter is NUL, not newline"),
    }
}

pub(super) const UTILITY: Utility = Utility {
    name: "numfmt",
    summary: "convert numbers from/to human-readable strings",
    usage: "numfmt [OPTION]... [NUMBER]...",
    options: Opt::TABLE,
    examples: &[example("numfmt --to=si 123456", "124K\n"), example("numfmt --from=iec 1.5K", "1536\n")],
    run: start!(run),
    ..Utility::BASE
};

/// Exit status of numbers that could not be converted.
const UNCONVERTED: u8 = 2;

async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    let options = ctx.parse_options::<Opt>(&UTILITY)?;
    let mut settings = NumfmtOptions::of(&options)?;
    for warning in std::mem::take(&mut settings.warnings) {
        ctx.warn(warning);
    }
    let end = if settings.zero_terminated { 0 } else { b'\n' };
    let mut all_valid = true;
    if options.operands.is_empty() {
        let mut input = ctx.standard_input();
        let mut header = settings.header;
        loop {
            ctx.tick().await?;
            let line = match input.next_line(end).await {
                Ok(Some(line)) => line,
                Ok(None) => break,
                Err(error) => {
                    let errno = OperandError::from(error).errno()?;
                    all_valid = false;
                    ctx.warn(format_args!("error reading input: {}", errno.message()));
                    break;
                }
            };
            if header > 0 {
                header -= 1;
                ctx.stdout.write(line).await?;
                continue;
            }
            let (body, has_end) = split_delimiter(line, end);
            all_valid &= convert_line(ctx, &settings, body).await?;
            if has_end {
                ctx.stdout.write(&[end]).await?;
            }
        }
    } else {
        if settings.debug && settings.header > 0 {
            ctx.warn("--header ignored with command-line input");
        }
        for operand in &options.operands {
            ctx.tick().await?;
            all_valid &= convert_line(ctx, &settings, operand).await?;
            ctx.stdout.write(&[end]).await?;
        }
    }
    if settings.debug && !all_valid {
        ctx.warn("failed to convert some of the input numbers");
    }
    let fails = !all_valid && matches!(settings.invalid, Invalid::Abort | Invalid::Fail);
    Ok(ExitStatus(if fails { UNCONVERTED } else { 0 }))
}

/// Whether everything in the line could be converted.
async fn convert_line(
    ctx: &mut Context,
    settings: &NumfmtOptions,
    line: &[u8],
) -> Result<bool, UtilityError> {
    let mut all_valid = true;
    let mut rest = line;
    let mut number = 0_u64;
    loop {
        ctx.tick().await?;
        number += 1;
        let length = match settings.delimiter {
            Some(delimiter) => memchr::memchr(delimiter, rest).unwrap_or(rest.len()),
            None => {
                let blanks = rest.iter().take_while(|byte| is_separator(**byte)).count();
                let body = rest.get(blanks..).unwrap_or(&[]);
                blanks + body.iter().take_while(|byte| !is_separator(**byte)).count()
            }
        };
        let (field, after) = rest.split_at_checked(length).unwrap_or((rest, &[]));
        let converted =
            if settings.has_field(number) { convert(ctx, settings, field, number)? } else { None };
        match converted {
            Some(text) => {
                let (prefix, suffix) = (settings.format.prefix.as_slice(), settings.format.suffix.as_slice());
                ctx.stdout.write(&[prefix, &text, suffix].concat_metered()).await?;
            }
            None => {
                all_valid &= !settings.has_field(number);
                ctx.stdout.write(field).await?;
            }
        }
        let Some((_, more)) = after.split_first() else { return Ok(all_valid) };
        ctx.stdout.write(&[settings.delimiter.unwrap_or(b' ')]).await?;
        rest = more;
    }
}

const fn is_separator(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n')
}

/// The number in other words; `None`: it is invalid, which was told as the settings want it.
fn convert(
    ctx: &mut Context,
    settings: &NumfmtOptions,
    field: &[u8],
    number: u64,
) -> Result<Option<Vec<u8>>, UtilityError> {
    let suffix = settings.suffix.as_bytes();
    let text = if field.len() > suffix.len() { field.strip_suffix(suffix).unwrap_or(field) } else { field };
    let blanks = text.iter().take_while(|byte| matches!(**byte, b' ' | b'\t')).count();
    // Without a width of their own, numbers in columns keep that of the field.
    let width = match settings.padding {
        Some((width, _)) => width,
        None if settings.delimiter.is_none() && (blanks > 0 || number > 1) => text.len(),
        None => 0,
    };
    let left = settings.padding.is_some_and(|(_, left)| left);
    let body = text.get(blanks..).unwrap_or(&[]);
    let converted = number::parse(body, settings.from).and_then(|Parsed { number, precision, loses }| {
        if loses && settings.debug {
            ctx.warn(format_args!("large input value {}: possible precision loss", quote(body)));
        }
        let number: Number = number.scaled(settings.from_unit, settings.to_unit);
        number::print(&number, precision, settings)
    });
    match converted {
        Ok(mut text) => {
            text.extend_from_slice(suffix);
            let missing = width.saturating_sub(text.len());
            if left {
                text.resize_by(missing, b' ');
            } else {
                text.splice(..0, std::iter::repeat_n(b' ', missing));
            }
            Ok(Some(text))
        }
        Err(message) => match settings.invalid {
            Invalid::Abort => Err(UtilityError::Failed { message, status: UNCONVERTED }),
            Invalid::Fail | Invalid::Warn => {
                ctx.warn(message);
                Ok(None)
            }
            Invalid::Ignore => Ok(None),
        },
    }
}
