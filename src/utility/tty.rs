//! `tty`: says that standard input is not a terminal. GNU coreutils tty(1).

use super::format::quote::quote;
use crate::memory::format;
use crate::utility::prelude::*;

options! {
    enum Opt {
        Silent = flag('s', "silent", "print nothing, only return an exit status")
            | flag('\0', "quiet", "as -s"),
    }
}

pub(super) const UTILITY: Utility = Utility {
    name: "tty",
    summary: "print the file name of the terminal connected to standard input",
    usage: "tty [OPTION]...",
    options: Opt::TABLE,
    examples: &[example("tty", "not a tty\n")],
    usage_status: 2,
    run: start!(run),
    ..Utility::BASE
};

/// Exit status: 1, always.
async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    let options = ctx.parse_options::<Opt>(&UTILITY)?;
    if let Some(extra) = options.operands.first() {
        return Err(UtilityError::Usage(format!("extra operand {}", quote(extra))));
    }
    if !options.has(Opt::Silent) && !options.has(Opt::Silent) {
        ctx.stdout.write(b"not a tty\n").await?;
    }
    Ok(ExitStatus::FAILURE)
}
