//! `vdir`: `ls -l -b` by another name. GNU coreutils vdir(1).

use super::ls::{Opt, start_vdir};
use crate::utility::prelude::*;

pub(super) const UTILITY: Utility = Utility {
    name: "vdir",
    summary: "list directory contents, in the long format and with escapes",
    usage: "vdir [OPTION]... [FILE]...",
    options: Opt::TABLE,
    examples: &[example("mkdir d; vdir d", "total 0\n")],
    usage_status: 2,
    run: start!(start_vdir),
    ..Utility::BASE
};
