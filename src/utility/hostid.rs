//! `hostid`: prints the number of the host. GNU coreutils hostid(1). A session's host has the address of its loopback, as a
//! Debian machine without an address of its own has.

use super::format::quote::quote;
use crate::memory::format;
use crate::utility::prelude::*;

pub(super) const UTILITY: Utility = Utility {
    name: "hostid",
    summary: "print the numeric identifier (in hexadecimal) for the current host",
    usage: "hostid [OPTION]",
    examples: &[example("hostid", "007f0100\n")],
    run: start!(run),
    ..Utility::BASE
};

async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    let options = ctx.parse_options::<NoOption>(&UTILITY)?;
    if let Some(extra) = options.operands.first() {
        return Err(UtilityError::Usage(format!("extra operand {}", quote(extra))));
    }
    ctx.stdout.write(b"007f0100\n").await?;
    Ok(ExitStatus::SUCCESS)
}
