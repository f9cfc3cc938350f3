//! `true`: does nothing. GNU coreutils true(1).

use crate::utility::prelude::*;

pub(super) const UTILITY: Utility = Utility {
    name: "true",
    summary: "do nothing, successfully",
    usage: "true [ignored command line arguments]\ntrue OPTION",
    examples: &[example("true; echo $?", "0\n")],
    run: start!(run),
    ..Utility::BASE
};

async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    answer(ctx, &UTILITY, ExitStatus::SUCCESS)
}

/// A single `--help` or `--version` is obeyed, anything else ignored; `false` does the same.
pub(super) fn answer(
    ctx: &mut Context,
    utility: &'static Utility,
    status: ExitStatus,
) -> Result<ExitStatus, UtilityError> {
    let is_asked = |arg: &Text| matches!(arg.as_bytes(), b"--help" | b"--version");
    if matches!(ctx.args.as_slice(), [only] if is_asked(only)) {
        match ctx.parse_options::<NoOption>(utility) {
            Ok(_) | Err(UtilityError::Exit(_)) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(status)
}
