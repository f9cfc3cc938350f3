//! `arch`: prints the machine's architecture. GNU coreutils arch(1).

use super::format::quote::quote;
use crate::memory::format;
use crate::utility::prelude::*;

pub(super) const UTILITY: Utility = Utility {
    name: "arch",
    summary: "print machine architecture",
    usage: "arch [OPTION]...",
    examples: &[example("arch", "x86_64\n")],
    run: start!(run),
    ..Utility::BASE
};

async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    let options = ctx.parse_options::<NoOption>(&UTILITY)?;
    if let Some(extra) = options.operands.first() {
        return Err(UtilityError::Usage(format!("extra operand {}", quote(extra))));
    }
    ctx.stdout.write(b"x86_64\n").await?;
    Ok(ExitStatus::SUCCESS)
}
