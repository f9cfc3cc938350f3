//! `lzcat`: `xz --format=lzma -cd`. xz(1).

use super::compress::operand::Task;
use super::xz::{self, Opt, Start, XzFormat};
use crate::utility::prelude::*;

pub(super) const UTILITY: Utility = Utility {
    name: "lzcat",
    summary: "decompress FILEs in the .lzma format to standard output",
    usage: "lzcat [OPTION]... [FILE]...",
    options: Opt::TABLE,
    examples: &[example("printf abc | lzma | lzcat", "abc")],
    run: start!(run),
    ..Utility::BASE
};

async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    xz::run(ctx, &UTILITY, Start { task: Task::Decompress, to_stdout: true, format: XzFormat::Lzma }).await
}
