//! `unlink`: removes one file. POSIX XCU unlink, GNU coreutils unlink(1).

use super::format::quote::{quote, quote_name};
use crate::memory::format;
use crate::utility::prelude::*;

pub(super) const UTILITY: Utility = Utility {
    name: "unlink",
    summary: "remove the specified FILE",
    usage: "unlink FILE",
    examples: &[example("touch a b; unlink a; ls", "b\n")],
    run: start!(run),
    ..Utility::BASE
};

async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    let options = ctx.parse_options::<NoOption>(&UTILITY)?;
    let file = match options.operands.as_slice() {
        [] => return Err(UtilityError::Usage("missing operand".into())),
        [file] => file,
        [_, extra, ..] => return Err(UtilityError::Usage(format!("extra operand {}", quote(extra)))),
    };
    match ctx.path(file).and_then(|path| ctx.fs().remove_file(&path)) {
        Ok(()) => Ok(ExitStatus::SUCCESS),
        Err(FsError::Limit(limit)) => Err(limit.into()),
        Err(FsError::Errno(errno)) => {
            Err(UtilityError::failed(format!("cannot unlink {}: {}", quote_name(file), errno.message())))
        }
    }
}
