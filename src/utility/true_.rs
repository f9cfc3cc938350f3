//! `true`: does nothing. GNU coreutils true(1).

use crate::utility::prelude::*;

pub(super) const UTILITY: Utility = Utility {
    name: "true",
    summary: "do nothing, successfully",
    usage: "true [ignored command line arguments]",
    examples: &[example("true; echo $?", "0\n")],
    run: |_| crate::utility::boxed(std::future::ready(ExitStatus::SUCCESS)),
    ..Utility::BASE
};
