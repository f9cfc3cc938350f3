//! `dir`: `ls -C -b` by another name. GNU coreutils dir(1).

use super::ls::{Opt, start_dir};
use crate::utility::prelude::*;

pub(super) const UTILITY: Utility = Utility {
    name: "dir",
    summary: "list directory contents, in columns and with escapes",
    usage: "dir [OPTION]... [FILE]...",
    options: Opt::TABLE,
    examples: &[example("touch a b; dir", "a  b\n")],
    usage_status: 2,
    run: start!(start_dir),
    ..Utility::BASE
};
