//! `md5sum`: prints or checks MD5 digests. GNU coreutils md5sum(1).

use super::digest::{self, Algorithm};
use crate::utility::prelude::*;

pub(super) const UTILITY: Utility = Utility {
    name: "md5sum",
    summary: "print or check MD5 (128-bit) checksums",
    usage: "md5sum [OPTION]... [FILE]...",
    options: digest::TABLE,
    examples: &[example("printf abc | md5sum", "900150983cd24fb0d6963f7d28e17f72  -\n")],
    run: start!(run),
    ..Utility::BASE
};

async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    digest::run(ctx, &UTILITY, Algorithm::Md5).await
}
