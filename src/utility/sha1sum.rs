//! `sha1sum`: prints or checks SHA1 digests. GNU coreutils sha1sum(1).

use super::digest::{self, Algorithm};
use crate::utility::prelude::*;

pub(super) const UTILITY: Utility = Utility {
    name: "sha1sum",
    summary: "print or check SHA1 (160-bit) checksums",
    usage: "sha1sum [OPTION]... [FILE]...",
    options: digest::TABLE,
    examples: &[example("printf abc | sha1sum", "a9993e364706816aba3e25717850c26c9cd0d89d  -\n")],
    run: start!(run),
    ..Utility::BASE
};

async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    digest::run(ctx, &UTILITY, Algorithm::Sha1).await
}
