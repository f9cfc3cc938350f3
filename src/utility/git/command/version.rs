//! `git version`.

use super::prelude::*;
use crate::memory::format;

options! {
    enum Opt {
        BuildOptions = flag('\0', "build-options", "not supported"),
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
    if git.arguments::<Opt>()?.has(Opt::BuildOptions) {
        return Err(fatal!("--build-options is not supported"));
    }
    let text = format!("git version {}\n", super::super::VERSION);
    git.print(text.as_bytes()).await?;
    Ok(0)
}
