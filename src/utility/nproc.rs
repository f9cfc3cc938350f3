//! `nproc`: the number of processors. A session has one; `OMP_NUM_THREADS` and `OMP_THREAD_LIMIT` say otherwise, unless
//! `--all` asks for those that are installed. GNU coreutils nproc(1).

use super::format::count::parse_digits;
use super::format::quote::quote;
use crate::memory::format;
use crate::utility::prelude::*;

options! {
    enum Opt {
        All = flag('\0', "all", "print the number of installed processors"),
        Ignore = value('\0', "ignore", "N", "if possible, exclude N processing units"),
    }
}

pub(super) const UTILITY: Utility = Utility {
    name: "nproc",
    summary: "print the number of processing units available",
    usage: "nproc [OPTION]...",
    options: Opt::TABLE,
    examples: &[example("nproc", "1\n")],
    run: start!(run),
    ..Utility::BASE
};

async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    let options = ctx.parse_options::<Opt>(&UTILITY)?;
    if let Some(extra) = options.operands.first() {
        return Err(UtilityError::Usage(format!("extra operand {}", quote(extra))));
    }
    let ignored = match options.value(Opt::Ignore) {
        Some(text) => parse_ignored(text)?,
        None => 0,
    };
    let threads = |name: &[u8]| ctx.env.get(name).and_then(|text| parse_threads(text));
    let limit = threads(b"OMP_THREAD_LIMIT").unwrap_or(u64::MAX);
    let found = if options.has(Opt::All) { 1 } else { threads(b"OMP_NUM_THREADS").unwrap_or(1).min(limit) };
    let count = if found > ignored { found - ignored } else { 1 };
    ctx.stdout.write(format!("{count}\n").as_bytes()).await?;
    Ok(ExitStatus::SUCCESS)
}

fn parse_ignored(text: &[u8]) -> Result<u64, UtilityError> {
    let digits = text.trim_ascii_start();
    let digits = digits.strip_prefix(b"+").unwrap_or(digits);
    match parse_digits(digits) {
        Some(u64::MAX) => {
            let shown = quote(text);
            Err(UtilityError::failed(format!(
                "invalid number: {shown}: Value too large for defined data type"
            )))
        }
        Some(number) => Ok(number),
        None => Err(UtilityError::failed(format!("invalid number: {}", quote(text)))),
    }
}

/// A number above 0, alone or the first of a list.
fn parse_threads(text: &[u8]) -> Option<u64> {
    let text = text.trim_ascii_start();
    let length = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (digits, rest) = text.split_at_checked(length)?;
    let ends = matches!(rest.trim_ascii_start(), [] | [b',', ..]);
    parse_digits(digits).filter(|&count| count > 0 && ends)
}
