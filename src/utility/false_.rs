//! `false`: does nothing. GNU coreutils false(1).

use crate::utility::prelude::*;

pub(super) const UTILITY: Utility = Utility {
    name: "false",
    summary: "do nothing, unsuccessfully",
    usage: "false [ignored command line arguments]",
    examples: &[example("false; echo $?", "1\n")],
    run: |_| crate::utility::boxed(std::future::ready(ExitStatus::FAILURE)),
    ..Utility::BASE
};
