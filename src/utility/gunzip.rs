//! `gunzip`: `gzip -d`. GNU gzip(1).

use super::gzip::{self, Opt};
use crate::utility::prelude::*;

pub(super) const UTILITY: Utility = Utility {
    name: "gunzip",
    summary: "uncompress FILEs (by default, in-place)",
    usage: "gunzip [OPTION]... [FILE]...",
    options: Opt::TABLE,
    examples: &[example("printf abc >f; gzip f; gunzip f.gz; cat f", "abc")],
    run: start!(run),
    ..Utility::BASE
};

async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    gzip::run(ctx, &UTILITY, true, false).await
}
