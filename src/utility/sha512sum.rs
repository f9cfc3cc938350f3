//! `sha512sum`: prints or checks SHA512 digests. GNU coreutils sha512sum(1).

use super::digest::{self, Algorithm};
use crate::utility::prelude::*;

pub(super) const UTILITY: Utility = Utility {
    name: "sha512sum",
    summary: "print or check SHA512 (512-bit) checksums",
    usage: "sha512sum [OPTION]... [FILE]...",
    options: digest::TABLE,
    examples: &[example(
        "printf abc | sha512sum",
        "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f  -\n",
    )],
    run: start!(run),
    ..Utility::BASE
};

async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    digest::run(ctx, &UTILITY, Algorithm::Sha512).await
}
