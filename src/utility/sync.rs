//! `sync`: everything is in memory, so there is nothing to write; operands must exist. GNU coreutils sync(1).

use super::format::quote::quote_name;
use crate::utility::prelude::*;

pub(super) const UTILITY: Utility = Utility {
    name: "sync",
    summary: "synchronize cached writes to persistent storage",
    usage: "sync [FILE]...",
    examples: &[example("sync; echo $?", "0\n")],
    run: start!(run),
    ..Utility::BASE
};

async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    let options = ctx.parse_options::<NoOption>(&UTILITY)?;
    let mut status = ExitStatus::SUCCESS;
    for operand in &options.operands {
        ctx.tick().await?;
        if let Err(error) = ctx.stat(operand) {
            status = ctx.complain(format_args!("error opening {}", quote_name(operand)), error)?;
        }
    }
    Ok(status)
}
