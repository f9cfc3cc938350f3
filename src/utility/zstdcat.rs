//! `zstdcat`: `zstd -dcf`. zstd(1).

use super::compress::operand::Task;
use super::zstd::{self, Opt};
use crate::utility::prelude::*;

pub(super) const UTILITY: Utility = Utility {
    name: "zstdcat",
    summary: "decompress the INPUT file(s) to standard output",
    usage: "zstdcat [OPTIONS...] [INPUT... | -] [-o OUTPUT]",
    options: Opt::TABLE,
    examples: &[example("printf abc | zstd | zstdcat", "abc")],
    run: start!(run),
    ..Utility::BASE
};

async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    zstd::run(ctx, &UTILITY, Task::Decompress, true).await
}
