//! `whoami`: prints the session's user. GNU coreutils whoami(1).

use super::format::quote::quote;
use crate::memory::{JoinMetered, format};
use crate::utility::prelude::*;

pub(super) const UTILITY: Utility = Utility {
    name: "whoami",
    summary: "print the user name associated with the current effective user ID",
    usage: "whoami [OPTION]...",
    examples: &[example("whoami", "agent\n")],
    run: start!(run),
    ..Utility::BASE
};

async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    let options = ctx.parse_options::<NoOption>(&UTILITY)?;
    if let Some(extra) = options.operands.first() {
        return Err(UtilityError::Usage(format!("extra operand {}", quote(extra))));
    }
    let user = ctx.session.identity.user.clone();
    ctx.stdout.write(&[user.as_bytes(), b"\n"].concat_metered()).await?;
    Ok(ExitStatus::SUCCESS)
}
