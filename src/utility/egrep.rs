//! `egrep`: `grep -E` by another name.

use super::grep::{Opt, start_extended};
use crate::utility::prelude::*;

pub(super) const UTILITY: Utility = Utility {
    name: "egrep",
    summary: "print lines that match extended regular expressions",
    usage: "egrep [OPTION]... PATTERNS [FILE]...",
    options: Opt::TABLE,
    examples: &[example("printf 'ab\\nc\\n' | egrep 'a|x'", "ab\n")],
    usage_status: 2,
    run: start!(start_extended),
    ..Utility::BASE
};
