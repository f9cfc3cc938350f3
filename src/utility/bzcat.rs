//! `bzcat`: `bzip2 -cd`. bzip2(1).

use super::bzip2::{self, Opt};
use super::compress::operand::Task;
use crate::utility::prelude::*;

pub(super) const UTILITY: Utility = Utility {
    name: "bzcat",
    summary: "decompresses files to standard output",
    usage: "bzcat [flags and input files in any order]",
    options: Opt::TABLE,
    examples: &[example("printf abc | bzip2 | bzcat", "abc")],
    run: start!(run),
    ..Utility::BASE
};

async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    bzip2::run(ctx, &UTILITY, Task::Decompress, true).await
}
