//! `setsid`: runs a command in a session of its own. util-linux setsid(1). There is no terminal that it could get or lose; a new
//! process group is what the machine has of a new session.

use super::{CommandError, Relation};
use crate::memory::format;
use crate::utility::prelude::*;

options! {
    enum Opt {
        Ctty = flag('c', "ctty", "set the controlling terminal to the current one"),
        Fork = flag('f', "fork", "always fork"),
        Wait = flag('w', "wait", "wait program to exit, and use the same return"),
    }
}

pub(super) const UTILITY: Utility = Utility {
    name: "setsid",
    summary: "run a program in a new session",
    usage: "setsid [options] <program> [arguments ...]",
    options: Opt::TABLE,
    examples: &[example("setsid -w echo a", "a\n")],
    operands_end_options: true,
    run: start!(run),
    help_letter: Some('h'),
    version_letter: Some('V'),
    ..Utility::BASE
};

/// Exit status: the program's; 126 when it cannot be run, 127 when there is none.
async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    let options = ctx.parse_options::<Opt>(&UTILITY)?;
    let Some(name) = options.operands.first().cloned() else {
        return Err(UtilityError::Usage("no command specified".into()));
    };
    if options.has(Opt::Ctty) {
        return Err(UtilityError::failed(
            "failed to set the controlling terminal: Inappropriate ioctl for device",
        ));
    }
    ctx.stdout.flush().await?;
    let request = ctx.command(options.operands.clone());
    match ctx.start_command(request, Relation::Group).await {
        // Where it forks and does not wait, nobody sees the program's status.
        Ok(_) if options.has(Opt::Fork) && !options.has(Opt::Wait) => Ok(ExitStatus::SUCCESS),
        Ok(status) => Ok(status),
        Err(CommandError::Limit(limit)) => Err(limit.into()),
        Err(error) => {
            let status = if error == CommandError::NotFound { 127 } else { 126 };
            Err(UtilityError::Failed { message: format!("failed to execute {name}: {error}"), status })
        }
    }
}
