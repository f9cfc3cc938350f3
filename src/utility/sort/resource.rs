//! Options about the resources of a machine: their arguments are checked, as sorting takes place in memory and on one thread.

use super::option::{Opt, trouble};
use super::settings::failed;
use crate::memory::{String, Vec, format};
use crate::utility::context::names::{Listed, NameList};
use crate::utility::prelude::*;

/// Checks the arguments in order.
pub(super) fn check(options: &Options<Opt>) -> Result<(), UtilityError> {
    let mut program: Option<&Text> = None;
    for (option, argument) in options.given() {
        let Some(text) = argument else { continue };
        match option {
            Opt::BufferSize => size("--buffer-size", text)?,
            Opt::BufferSizeLetter => size("-S", text)?,
            Opt::Parallel if number("--parallel", text)? == 0 => {
                return Err(failed("number in parallel must be nonzero"));
            }
            Opt::BatchSize if number("--batch-size", text)? < 2 => {
                return Err(failed(format!(
                    "invalid --batch-size argument {}\nsort: minimum --batch-size argument is ‘2’",
                    quote(text)
                )));
            }
            Opt::CompressProgram => {
                if program.is_some_and(|other| other != text) {
                    return Err(failed("multiple compress programs specified"));
                }
                program = Some(text);
            }
            // No file is made, so that a directory which does not exist is as good as another, as in the real program
            // where memory suffices.
            Opt::TemporaryDirectory => {}
            _ => {}
        }
    }
    Ok(())
}

/// The digits that an argument begins with, and the rest.
fn digits<'t>(option: &str, text: &'t [u8]) -> Result<(Option<u64>, &'t [u8]), UtilityError> {
    let trimmed = text.trim_ascii_start();
    let trimmed = trimmed.strip_prefix(b"+").unwrap_or(trimmed);
    let count = trimmed.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (digits, rest) = trimmed.split_at_checked(count).unwrap_or((&[], trimmed));
    if digits.is_empty() {
        let shown = String::from_utf8_lossy(text);
        return Err(failed(format!("invalid {option} argument '{shown}'")));
    }
    let number = std::str::from_utf8(digits).ok().and_then(|digits| digits.parse::<u64>().ok());
    Ok((number, rest))
}

fn bad_suffix(option: &str, text: &[u8]) -> UtilityError {
    failed(format!("invalid suffix in {option} argument '{}'", String::from_utf8_lossy(text)))
}

/// A number without a suffix; one that is too large counts as the largest.
fn number(option: &str, text: &[u8]) -> Result<u64, UtilityError> {
    let (number, rest) = digits(option, text)?;
    if rest.is_empty() { Ok(number.unwrap_or(u64::MAX)) } else { Err(bad_suffix(option, text)) }
}

/// A size in KiB, with another unit, or in percent of the memory.
fn size(option: &str, text: &[u8]) -> Result<(), UtilityError> {
    let (number, rest) = digits(option, text)?;
    let power = match rest {
        [] | [b'k' | b'K'] => 1,
        [b'm' | b'M'] => 2,
        [b'g' | b'G'] => 3,
        [b't' | b'T'] => 4,
        [b'P'] => 5,
        [b'E'] => 6,
        [b'Z'] => 7,
        [b'Y'] => 8,
        [b'b' | b'%'] => 0,
        _ => return Err(bad_suffix(option, text)),
    };
    let bytes = number.zip(1024_u64.checked_pow(power)).and_then(|(number, unit)| number.checked_mul(unit));
    match bytes {
        Some(_) => Ok(()),
        None => Err(failed(format!("{option} argument '{}' too large", String::from_utf8_lossy(text)))),
    }
}

/// The files named in a list, each name ending in NUL.
pub(super) async fn listed_files(ctx: &mut Context, list: &Text) -> Result<Vec<Text>, UtilityError> {
    let input = ctx.open_input(list).map_err(|error| trouble("open failed", list, error))?;
    let mut entries = NameList::new(input, list);
    let mut names = Vec::new();
    loop {
        ctx.tick().await?;
        match entries.entry().await.map_err(|error| trouble("read error", list, error))? {
            None => break,
            Some(Listed::Name(name)) if name.as_bytes() == b"-" => {
                return Err(failed("when reading file names from stdin, no file name of '-' allowed"));
            }
            Some(Listed::Name(name)) => names.push(name),
            Some(Listed::Empty(place)) => {
                return Err(failed(format!("{place}: invalid zero-length file name")));
            }
        }
    }
    if names.is_empty() {
        return Err(failed(format!("no input from {}", quote_name(list))));
    }
    Ok(names)
}
