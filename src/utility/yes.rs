//! `yes`: prints a line until nobody reads it. GNU coreutils yes(1).

use crate::utility::prelude::*;

pub(super) const UTILITY: Utility = Utility {
    name: "yes",
    summary: "output a string repeatedly until killed",
    usage: "yes [STRING]...",
    examples: &[example("yes no | head -n 2", "no\nno\n")],
    run: start!(run),
    ..Utility::BASE
};

async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    let options = ctx.parse_options(&UTILITY)?;
    let mut line = options.operands.join(&b' ');
    if options.operands.is_empty() {
        line.push(b'y');
    }
    line.push(b'\n');
    let mut block = ChargedVec::new(&ctx.meter);
    while block.len() + line.len() <= 16 * 1024 || block.is_empty() {
        block.extend(&line)?;
    }
    loop {
        ctx.stdout.write(&block).await?;
        ctx.check().await?;
    }
}
