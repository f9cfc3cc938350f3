//! `stdbuf`: runs a command with other buffers. GNU coreutils stdbuf(1). Utilities flush when they wait and at their end: the modes
//! are checked and change nothing that a reader could see but the size of the pieces.

use super::format::human_size::parse_size;
use super::format::quote::quote;
use crate::memory::format;
use crate::utility::prelude::*;

options! {
    enum Opt {
        Input = value('i', "input", "MODE", "adjust standard input stream buffering"),
        Output = value('o', "output", "MODE", "adjust standard output stream buffering"),
        Error = value('e', "error", "MODE", "adjust standard error stream buffering"),
    }
}

pub(super) const UTILITY: Utility = Utility {
    name: "stdbuf",
    summary: "run COMMAND with modified buffering operations for its standard streams",
    usage: "stdbuf OPTION... COMMAND",
    options: Opt::TABLE,
    examples: &[example("stdbuf -oL echo a", "a\n")],
    usage_status: 125,
    operands_end_options: true,
    run: start!(run),
    ..Utility::BASE
};

/// Exit status: the command's; 125 when `stdbuf` fails, 126 when the command cannot be run, 127 when there is none.
async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    let options = ctx.parse_options::<Opt>(&UTILITY)?;
    for (option, mode) in options.given() {
        let Some(mode) = mode else { continue };
        if option == Opt::Input && mode.as_bytes() == b"L" {
            return Err(UtilityError::Usage("line buffering stdin is meaningless".into()));
        }
        if mode.as_bytes() != b"L" && parse_size(mode).is_none() {
            let message = format!("invalid mode {}", quote(mode));
            return Err(UtilityError::Failed { message, status: 125 });
        }
    }
    if options.operands.is_empty() {
        return Err(UtilityError::Usage("missing operand".into()));
    }
    if options.given().next().is_none() {
        return Err(UtilityError::Usage("you must specify a buffering mode option".into()));
    }
    let request = ctx.command(options.operands);
    ctx.stand_in(request, |name| format!("failed to run command {}", quote(name))).await
}
