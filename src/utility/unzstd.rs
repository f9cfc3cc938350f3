//! `unzstd`: `zstd -d`. zstd(1).

use super::compress::operand::Task;
use super::zstd::{self, Opt};
use crate::utility::prelude::*;

pub(super) const UTILITY: Utility = Utility {
    name: "unzstd",
    summary: "decompress the INPUT file(s)",
    usage: "unzstd [OPTIONS...] [INPUT... | -] [-o OUTPUT]",
    options: Opt::TABLE,
    examples: &[example("printf abc >f; zstd -q --rm f; unzstd -q f.zst; cat f", "abc")],
    run: start!(run),
    ..Utility::BASE
};

async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    zstd::run(ctx, &UTILITY, Task::Decompress, false).await
}
