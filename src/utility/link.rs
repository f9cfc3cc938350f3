//! `link`: makes one hard link. POSIX XCU link, GNU coreutils link(1).

use super::comm::two_operands;
use super::format::quote::quote_name;
use crate::memory::format;
use crate::utility::prelude::*;

pub(super) const UTILITY: Utility = Utility {
    name: "link",
    summary: "create a link named FILE2 to an existing FILE1",
    usage: "link FILE1 FILE2",
    examples: &[example("echo x >a; link a b; cat b", "x\n")],
    run: start!(run),
    ..Utility::BASE
};

async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    let options = ctx.parse_options::<NoOption>(&UTILITY)?;
    let [existing, new] = two_operands(&options.operands)?;
    let linked = match (ctx.path(&existing), ctx.path(&new)) {
        (Ok(existing), Ok(new)) => ctx.fs().hard_link(&existing, &new),
        (Err(error), _) | (_, Err(error)) => Err(error),
    };
    match linked {
        Ok(()) => Ok(ExitStatus::SUCCESS),
        Err(FsError::Limit(limit)) => Err(limit.into()),
        Err(FsError::Errno(errno)) => Err(UtilityError::failed(format!(
            "cannot create link {} to {}: {}",
            quote_name(&new),
            quote_name(&existing),
            errno.message()
        ))),
    }
}
