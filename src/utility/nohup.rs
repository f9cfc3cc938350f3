//! `nohup`: runs a command that a hangup does not end. GNU coreutils nohup(1).
//!
//! The command runs behind a shell that ignores the signal and becomes the command, which goes on ignoring it. Standard
//! input, output and error stay as they are: none of them is a terminal.

use crate::memory::{JoinMetered, Vec, format, vec};
use crate::utility::prelude::*;
use crate::utility::{CommandError, Relation};

pub(super) const UTILITY: Utility = Utility {
    name: "nohup",
    summary: "run a command immune to hangups, with output to a non-tty",
    usage: "nohup COMMAND [ARG]...",
    examples: &[example("nohup sh -c 'kill -HUP $$; echo alive'", "alive\n")],
    usage_status: 125,
    operands_end_options: true,
    run: start!(run),
    ..Utility::BASE
};

/// Makes the shell ignore the signal, and become the command.
const SCRIPT: &[u8] = b"trap '' HUP; exec -- \"$@\"";

/// Exit status: the command's; 125 when `nohup` fails, 126 when the command cannot be run, 127 when there is none.
async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    let options = ctx.parse_options::<NoOption>(&UTILITY)?;
    let Some(name) = options.operands.first() else {
        return Err(UtilityError::Usage("missing operand".into()));
    };
    if let Err(errno) = find(ctx, name)? {
        let status = if errno == Errno::NotFound { 127 } else { 126 };
        let message = format!("failed to run command {}: {}", quote_name(name), errno.message());
        return Err(UtilityError::Failed { message, status });
    }
    let mut argv: Vec<Text> = vec![Text::from_static(b"bash"), Text::from_static(b"-c")];
    argv.extend([Text::from_static(SCRIPT), ctx.name.clone()]);
    argv.extend(options.operands.iter().cloned());
    ctx.stdout.flush().await?;
    match ctx.start_command(ctx.command(argv), Relation::StandIn).await {
        Ok(status) => Ok(status),
        Err(CommandError::Limit(limit)) => Err(limit.into()),
        Err(error) => Err(UtilityError::Failed { message: format!("bash: {error}"), status: 127 }),
    }
}

/// Whether a command can be run: by its path, or found in `PATH`. The inner error says why not.
fn find(ctx: &Context, name: &[u8]) -> Result<Result<(), Errno>, UtilityError> {
    if name.contains(&b'/') {
        return can_run(ctx, name);
    }
    let mut found = Err(Errno::NotFound);
    let path = ctx.env.get(b"PATH").map_or(b"/usr/bin:/bin".as_slice(), Text::as_bytes);
    for directory in path.split(|&byte| byte == b':') {
        let directory: &[u8] = if directory.is_empty() { b"." } else { directory };
        match can_run(ctx, &[directory, b"/", name].concat_metered())? {
            Ok(()) => return Ok(Ok(())),
            Err(Errno::NotFound) => {}
            Err(errno) => found = Err(errno),
        }
    }
    Ok(found)
}

fn can_run(ctx: &Context, path: &[u8]) -> Result<Result<(), Errno>, UtilityError> {
    let checked = ctx.stat(path).and_then(|metadata| {
        if !metadata.is_regular() {
            return Err(Errno::AccessDenied.into());
        }
        ctx.fs().access(&ctx.absolute(path), false, false, true)
    });
    match checked {
        Ok(()) => Ok(Ok(())),
        Err(FsError::Errno(errno)) => Ok(Err(errno)),
        Err(FsError::Limit(limit)) => Err(limit.into()),
    }
}
