//! An alias that begins with `!`: a command of the shell, run in the topmost folder of the work tree.

use super::prelude::*;
use crate::utility::CommandError;

pub(super) static COMMAND: Command = Command { run: command!(run), ..Command::BASE };

/// The first argument is the command; the others are added to it.
async fn run(git: &mut Git) -> Result<u8> {
    let args = std::mem::take(&mut git.ctx.args);
    let mut argv: Vec<Text> = Vec::new();
    argv.extend([Text::from_static(b"sh"), Text::from_static(b"-c")]);
    let mut script = args.first().map(|text| text.to_metered()).unwrap_or_default();
    if args.len() > 1 {
        script.extend_from_slice(b" \"$@\"");
    }
    argv.push(script.into());
    argv.extend(args);
    let request = git.command_at_top(argv);
    git.ctx.stdout.flush().await?;
    match git.ctx.run_command(request).await {
        Ok(status) => Ok(status.0),
        Err(CommandError::Limit(limit)) => Err(limit.into()),
        Err(error) => Err(fatal!("cannot run sh: {error}")),
    }
}
