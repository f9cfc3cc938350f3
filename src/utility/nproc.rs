//! `nproc`: a session has one processor. GNU coreutils nproc(1).

use super::quote::quote;
use crate::utility::prelude::*;

pub(super) const UTILITY: Utility = Utility {
    name: "nproc",
    summary: "print the number of processing units available",
    usage: "nproc [OPTION]...",
    options: &[
        flag('\0', "all", "print the number of installed processors"),
        value('\0', "ignore", "N", "if possible, exclude N processing units"),
    ],
    examples: &[example("nproc", "1\n")],
    run: start!(run),
    ..Utility::BASE
};

async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    let options = ctx.parse_options(&UTILITY)?;
    if let Some(extra) = options.operands.first() {
        return Err(UtilityError::Usage(format!("extra operand {}", quote(extra))));
    }
    if let Some(ignored) = options.value("ignore")
        && (ignored.is_empty() || !ignored.iter().all(u8::is_ascii_digit))
    {
        return Err(UtilityError::failed(format!("invalid number: {}", quote(ignored))));
    }
    ctx.stdout.write(b"1\n").await?;
    Ok(ExitStatus::SUCCESS)
}
