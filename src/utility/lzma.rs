//! `lzma`: `xz --format=lzma`. xz(1).

use super::compress::operand::Task;
use super::xz::{self, Opt, Start, XzFormat};
use crate::utility::prelude::*;

pub(super) const UTILITY: Utility = Utility {
    name: "lzma",
    summary: "compress FILEs in the .lzma format",
    usage: "lzma [OPTION]... [FILE]...",
    options: Opt::TABLE,
    examples: &[example("printf abc | lzma | lzma -d", "abc")],
    run: start!(run),
    ..Utility::BASE
};

async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    xz::run(ctx, &UTILITY, Start { task: Task::Compress, to_stdout: false, format: XzFormat::Lzma }).await
}
