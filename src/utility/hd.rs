//! `hd`: `hexdump -C` by another name. util-linux hexdump(1).

use super::hexdump::{Opt, dump};
use crate::utility::prelude::*;

pub(super) const UTILITY: Utility = Utility {
    name: "hd",
    summary: "display file contents in hexadecimal and ascii",
    usage: "hd [options] <file>...",
    options: Opt::TABLE,
    examples: &[example(
        "printf 'hello\\n' | hd",
        "00000000  68 65 6c 6c 6f 0a                                 |hello.|\n00000006\n",
    )],
    run: start!(run),
    ..Utility::BASE
};

async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    dump(ctx, &UTILITY, true).await
}
