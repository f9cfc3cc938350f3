//! `logname`: prints the name that the user logged in with. POSIX XCU logname, GNU coreutils logname(1). Nobody logs in to a
//! session: there is no such name.

use super::format::quote::quote;
use crate::memory::format;
use crate::utility::prelude::*;

pub(super) const UTILITY: Utility = Utility {
    name: "logname",
    summary: "print the user's login name",
    usage: "logname [OPTION]",
    examples: &[example("logname 2>&1", "logname: no login name\n")],
    run: start!(run),
    ..Utility::BASE
};

async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    let options = ctx.parse_options::<NoOption>(&UTILITY)?;
    if let Some(extra) = options.operands.first() {
        return Err(UtilityError::Usage(format!("extra operand {}", quote(extra))));
    }
    Err(UtilityError::failed("no login name"))
}
