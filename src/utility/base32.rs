//! `base32`: encodes or decodes. GNU coreutils base32(1), RFC 4648.

use super::basenc::{self, BASE32, Task};
use crate::utility::prelude::*;

options! {
    enum Opt {
        Decode = flag('d', "decode", "decode data"),
        IgnoreGarbage = flag('i', "ignore-garbage", "when decoding, ignore non-alphabet characters"),
        Wrap = value('w', "wrap", "COLS", "wrap encoded lines after COLS characters (default 76), 0 for no wrapping"),
    }
}

pub(super) const UTILITY: Utility = Utility {
    name: "base32",
    summary: "base32 encode or decode FILE, or standard input, to standard output",
    usage: "base32 [OPTION]... [FILE]",
    options: Opt::TABLE,
    examples: &[example("printf hello | base32", "NBSWY3DP\n")],
    run: start!(run),
    ..Utility::BASE
};

async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    let options = ctx.parse_options::<Opt>(&UTILITY)?;
    let (decodes, ignores_garbage) = (options.has(Opt::Decode), options.has(Opt::IgnoreGarbage));
    let task = Task { encoding: BASE32, decodes, ignores_garbage };
    basenc::run_with(ctx, task, options.value(Opt::Wrap), &options.operands).await
}
