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

async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    super::true_::answer(ctx, &UTILITY, ExitStatus::FAILURE)
}
