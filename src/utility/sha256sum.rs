//! `sha256sum`: prints or checks SHA256 digests. GNU coreutils sha256sum(1).

use super::digest::{self, Algorithm};
use crate::utility::prelude::*;

pub(super) const UTILITY: Utility = Utility {
    name: "sha256sum",
    summary: "print or check SHA256 (256-bit) checksums",
    usage: "sha256sum [OPTION]... [FILE]...",
    options: digest::TABLE,
    examples: &[example(
        "printf abc | sha256sum",
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad  -\n",
    )],
    run: start!(run),
    ..Utility::BASE
};

async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    digest::run(ctx, &UTILITY, Algorithm::Sha256).await
}
