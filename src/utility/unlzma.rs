//! `unlzma`: `xz --format=lzma -d`. xz(1).

use super::compress::operand::Task;
use super::xz::{self, Opt, Start, XzFormat};
use crate::utility::prelude::*;

pub(super) const UTILITY: Utility = Utility {
    name: "unlzma",
    summary: "decompress FILEs in the .lzma format",
    usage: "unlzma [OPTION]... [FILE]...",
    options: Opt::TABLE,
    examples: &[example("printf abc >f; lzma f; unlzma f.lzma; cat f", "abc")],
    run: start!(run),
    ..Utility::BASE
};

async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    xz::run(ctx, &UTILITY, Start { task: Task::Decompress, to_stdout: false, format: XzFormat::Lzma }).await
}
