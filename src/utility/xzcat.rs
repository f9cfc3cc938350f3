//! `xzcat`: `xz -cd`. xz(1).

use super::compress::operand::Task;
use super::xz::{self, Opt, Start, XzFormat};
use crate::utility::prelude::*;

pub(super) const UTILITY: Utility = Utility {
    name: "xzcat",
    summary: "decompress FILEs to standard output",
    usage: "xzcat [OPTION]... [FILE]...",
    options: Opt::TABLE,
    examples: &[example("printf abc | xz | xzcat", "abc")],
    run: start!(run),
    ..Utility::BASE
};

async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    xz::run(ctx, &UTILITY, Start { task: Task::Decompress, to_stdout: true, format: XzFormat::Auto }).await
}
