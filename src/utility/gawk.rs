//! `gawk`: `awk` by another name.

use super::awk::{Opt, run_gawk};
use crate::utility::prelude::*;

pub(super) const UTILITY: Utility = Utility {
    name: "gawk",
    summary: "pattern scanning and processing language",
    usage: "gawk [-F fs] [-v var=val]... [--] 'program' [file...]\ngawk [-F fs] [-v var=val]... -f progfile... [--] [file...]",
    options: Opt::TABLE,
    examples: &[example("gawk 'BEGIN { print toupper(\"a\") }'", "A\n")],
    operands_end_options: true,
    help_letter: Some('h'),
    version_letter: Some('V'),
    run: start!(run_gawk),
    ..Utility::BASE
};
