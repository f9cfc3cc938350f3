//! `fgrep`: `grep -F` by another name.

use super::grep::{Opt, start_fixed};
use crate::utility::prelude::*;

pub(super) const UTILITY: Utility = Utility {
    name: "fgrep",
    summary: "print lines that match strings",
    usage: "fgrep [OPTION]... PATTERNS [FILE]...",
    options: Opt::TABLE,
    examples: &[example("printf 'ab\\nc\\n' | fgrep 'a'", "ab\n")],
    usage_status: 2,
    run: start!(start_fixed),
    ..Utility::BASE
};
