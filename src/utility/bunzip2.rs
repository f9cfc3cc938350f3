//! `bunzip2`: `bzip2 -d`. bzip2(1).

use super::bzip2::{self, Opt};
use super::compress::operand::Task;
use crate::utility::prelude::*;

pub(super) const UTILITY: Utility = Utility {
    name: "bunzip2",
    summary: "decompresses files (by default, in-place)",
    usage: "bunzip2 [flags and input files in any order]",
    options: Opt::TABLE,
    examples: &[example("printf abc >f; bzip2 f; bunzip2 f.bz2; cat f", "abc")],
    run: start!(run),
    ..Utility::BASE
};

async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    bzip2::run(ctx, &UTILITY, Task::Decompress, false).await
}
