//! `git var`.

use super::prelude::*;
use crate::utility::git::identity::Who;

options! {
    enum Opt {
        List = flag('l', "", "not supported"),
    }
}

pub(super) static COMMAND: Command = Command {
    name: "var",
    usage: "git var (-l | <variable>)",
    options: Opt::TABLE,
    needs: Needs::Perhaps,
    run: command!(run),
    ..Command::BASE
};

async fn run(git: &mut Git) -> Result<u8> {
    let arguments = git.arguments::<Opt>()?;
    let text = match arguments.operands.first().map(Text::as_bytes) {
        Some(b"GIT_AUTHOR_IDENT") => git.who(Who::Author)?,
        Some(b"GIT_COMMITTER_IDENT") => git.who(Who::Committer)?,
        Some(b"GIT_DEFAULT_BRANCH") => git.config.get("init.defaultbranch").unwrap_or(b"master").to_metered(),
        Some(b"GIT_EDITOR") => return Ok(1),
        Some(b"GIT_PAGER") => b"cat".to_metered(),
        Some(b"GIT_SHELL_PATH") => b"/bin/sh".to_metered(),
        _ => return Err(COMMAND.usage_error()),
    };
    git.print(&[&text[..], b"\n"].concat_metered()).await?;
    Ok(0)
}
