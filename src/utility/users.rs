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

/// A file of records of logins: an empty one has none. What stands in another one is not read.
pub(super) async fn no_records(ctx: &mut Context, file: &Text) -> Result<ExitStatus, UtilityError> {
    let named = |error| UtilityError::operand(quote_input(file).as_bytes(), error);
    let mut input = ctx.open(file).map_err(named)?;
    if input.fill().await.map_err(named)?.is_empty() {
        return Ok(ExitStatus::SUCCESS);
    }
    Err(UtilityError::failed(format!("{}: records of logins are not supported", quote_input(file))))
}
