//! `users`: prints who is logged in: nobody. GNU coreutils users(1).

use super::format::quote::{quote, quote_input};
use crate::memory::format;
use crate::utility::prelude::*;

pub(super) const UTILITY: Utility = Utility {
    name: "users",
    summary: "output who is currently logged in",
    usage: "users [OPTION]... [FILE]",
    examples: &[example("users", "")],
    run: start!(run),
    ..Utility::BASE
};

async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    let options = ctx.parse_options::<NoOption>(&UTILITY)?;
    if let Some(extra) = options.operands.get(1) {
        return Err(UtilityError::Usage(format!("extra operand {}", quote(extra))));
    }
    match options.operands.first() {
        Some(file) => no_records(ctx, file).await,
        None => Ok(ExitStatus::SUCCESS),
    }
}

/// A file of records of logins: an empty one has none, and neither has one that cannot be read. What stands in another one is not read.
pub(super) async fn no_records(ctx: &mut Context, file: &Text) -> Result<ExitStatus, UtilityError> {
    let is_empty = match ctx.open(file) {
        Ok(mut input) => input.fill().await.map(<[u8]>::is_empty),
        Err(error) => Err(error),
    };
    match is_empty {
        Ok(true) | Err(FsError::Errno(_)) => return Ok(ExitStatus::SUCCESS),
        Ok(false) => {}
        Err(FsError::Limit(limit)) => return Err(limit.into()),
    }
    Err(UtilityError::failed(format!("{}: records of logins are not supported", quote_input(file))))
}
