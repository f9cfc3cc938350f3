//! `sha384sum`: prints or checks SHA384 digests. GNU coreutils sha384sum(1).

use super::digest::{self, Algorithm};
use crate::utility::prelude::*;

pub(super) const UTILITY: Utility = Utility {
    name: "sha384sum",
    summary: "print or check SHA384 (384-bit) checksums",
    usage: "sha384sum [OPTION]... [FILE]...",
    options: digest::TABLE,
    examples: &[example(
        "printf abc | sha384sum",
        "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed8086072ba1e7cc2358baeca134c825a7  -\n",
    )],
    run: start!(run),
    ..Utility::BASE
};

async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    digest::run(ctx, &UTILITY, Algorithm::Sha384).await
}
