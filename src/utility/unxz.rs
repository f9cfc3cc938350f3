//! `unxz`: `xz -d`. xz(1).

use super::compress::operand::Task;
use super::xz::{self, Opt, Start, XzFormat};
use crate::utility::prelude::*;

pub(super) const UTILITY: Utility = Utility {
    name: "unxz",
    summary: "decompress FILEs (by default, in-place)",
    usage: "unxz [OPTION]... [FILE]...",
    options: Opt::TABLE,
    examples: &[example("printf abc >f; xz f; unxz f.xz; cat f", "abc")],
    run: start!(run),
    ..Utility::BASE
};

async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    xz::run(ctx, &UTILITY, Start { task: Task::Decompress, to_stdout: false, format: XzFormat::Auto }).await
}
