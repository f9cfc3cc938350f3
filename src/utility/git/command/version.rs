//! `git version`.

use super::prelude::*;
use crate::memory::format;

pub(super) static COMMAND: Command = Command {
    name: "version",
    usage: "git version [--build-options]",
    options: &[&[flag('\0', "build-options", "also print build options")]],
    needs: Needs::Nothing,
    run: command!(run),
    ..Command::BASE
};

async fn run(git: &mut Git) -> Result<u8> {
    git.arguments()?;
    let text = format!("git version {}\n", super::super::VERSION);
    git.print(text.as_bytes()).await?;
    Ok(0)
}
