//! `false`: does nothing. GNU coreutils false(1).

use crate::utility::prelude::*;

pub(super) const UTILITY: Utility = Utility {
    name: "false",
    summary: "do nothing, unsuccessfully",
    usage: "false [ignored command line arguments]\nfalse OPTION",
    examples: &[example("false; echo $?", "1\n")],
    run: start!(run),
    ..Utility::BASE
};

/// A single `--help` or `--version` is obeyed, anything else ignored.
async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    let is_asked = |arg: &Text| matches!(arg.as_bytes(), b"--help" | b"--version");
    if matches!(ctx.args.as_slice(), [only] if is_asked(only)) {
        match ctx.parse_options::<NoOption>(&UTILITY) {
            Ok(_) | Err(UtilityError::Exit(_)) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(ExitStatus::FAILURE)
}
