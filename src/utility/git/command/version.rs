//! `git version`.

use super::prelude::*;
use crate::memory::format;

options! {
    enum Opt {
    }
}

pub(super) static COMMAND: Command = Command {
    name: "version",
    usage: "git version [--build-options]",
    options: Opt::TABLE,
    needs: Needs::Nothing,
    run: command!(run),
    ..Command::BASE
};

async fn run(git: &mut Git) -> Result<u8> {
    git.arguments::<Opt>()?;
    let text = format!("git version {}\n", super::super::VERSION);
    git.print(text.as_bytes()).await?;
    Ok(0)
}
