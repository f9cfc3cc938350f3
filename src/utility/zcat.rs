//! `zcat`: `gzip -cd`. GNU gzip(1).

use super::gzip::{self, Opt};
use crate::utility::prelude::*;

pub(super) const UTILITY: Utility = Utility {
    name: "zcat",
    summary: "uncompress FILEs to standard output",
    usage: "zcat [OPTION]... [FILE]...",
    options: Opt::TABLE,
    examples: &[example("printf abc | gzip | zcat", "abc")],
    run: start!(run),
    ..Utility::BASE
};

async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    gzip::run(ctx, &UTILITY, true, true).await
}
