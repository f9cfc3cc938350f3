//! `yes`: prints a line until nobody reads it. GNU coreutils yes(1).

use crate::memory::{JoinMetered, repeat};
use crate::utility::prelude::*;

pub(super) const UTILITY: Utility = Utility {
    name: "yes",
    summary: "output a string repeatedly until killed",
    usage: "yes [STRING]...",
    examples: &[example("yes no | head -n 2", "no\nno\n")],
    run: start!(run),
    ..Utility::BASE
};

/// Bytes that are written at once.
const BLOCK: usize = 16 * 1024;

async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    let options = ctx.parse_options::<NoOption>(&UTILITY)?;
    let mut line = options.operands.join_metered(b" ");
    if options.operands.is_empty() {
        line.push(b'y');
    }
    line.push(b'\n');
    let block = repeat(&line, (BLOCK / line.len().max(1)).max(1));
    loop {
        ctx.stdout.write(&block).await?;
        ctx.check().await?;
    }
}
