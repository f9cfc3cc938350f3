//! `sha224sum`: prints or checks SHA224 digests. GNU coreutils sha224sum(1).

use super::digest::{self, Algorithm};
use crate::utility::prelude::*;

pub(super) const UTILITY: Utility = Utility {
    name: "sha224sum",
    summary: "print or check SHA224 (224-bit) checksums",
    usage: "sha224sum [OPTION]... [FILE]...",
    options: digest::TABLE,
    examples: &[example(
        "printf abc | sha224sum",
        "23097d223405d8228642a477bda255b32aadbce4bda0b3f7e36c9da7  -\n",
    )],
    run: start!(run),
    ..Utility::BASE
};

async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    digest::run(ctx, &UTILITY, Algorithm::Sha224).await
}
