//! `mkfifo`: makes FIFOs. POSIX XCU mkfifo, GNU coreutils mkfifo(1).

use super::format::file_mode::ModeChange;
use super::format::quote::quote_name;
use crate::utility::prelude::*;

options! {
    enum Opt {
        Mode = value('m', "mode", "MODE", "set file permission bits to MODE, not a=rw - umask"),
        SecurityContext = flag('Z', "", "set the SELinux security context of what is made to the default type"),
        Context = optional('\0', "context", "CTX", "like -Z, or set the SELinux or SMACK context to CTX"),
    }
}

pub(super) const UTILITY: Utility = Utility {
    name: "mkfifo",
    summary: "create named pipes (FIFOs) with the given NAMEs",
    usage: "mkfifo [OPTION]... NAME...",
    options: Opt::TABLE,
    examples: &[example("mkfifo -m 600 p; stat -c '%A %F' p", "prw------- fifo\n")],
    run: start!(run),
    ..Utility::BASE
};

/// Exit status: 0, or 1 when a FIFO could not be made (the others still are).
async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    let options = ctx.parse_options::<Opt>(&UTILITY)?;
    for _ in options.values(Opt::Context) {
        ctx.warn("warning: ignoring --context; it requires an SELinux/SMACK-enabled kernel");
    }
    if options.operands.is_empty() {
        return Err(UtilityError::Usage("missing operand".into()));
    }
    let mode = match options.value(Opt::Mode) {
        Some(text) => {
            let change = ModeChange::parse(text).ok_or_else(|| UtilityError::failed("invalid mode"))?;
            change.apply(0o666, false, ctx.umask)
        }
        None => 0o666 & !ctx.umask,
    };
    let mut status = ExitStatus::SUCCESS;
    for operand in &options.operands {
        ctx.tick().await?;
        let made = ctx.path(operand).and_then(|path| ctx.fs().make_fifo(&path, mode));
        if let Err(error) = made {
            status = ctx.complain(format_args!("cannot create fifo {}", quote_name(operand)), error)?;
        }
    }
    Ok(status)
}
