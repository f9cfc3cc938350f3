//! `git write-tree`.

use super::prelude::*;
use crate::memory::format;

options! {
    enum Opt {
        MissingOk = flag('\0', "missing-ok", "accepted"),
    }
}

pub(super) static COMMAND: Command = Command {
    name: "write-tree",
    usage: "git write-tree [--missing-ok] [--prefix=<prefix>/]",
    options: Opt::TABLE,
    run: command!(run),
    ..Command::BASE
};

async fn run(git: &mut Git) -> Result<u8> {
    git.arguments::<Opt>()?;
    let index = git.read_index().await?;
    let id = git.write_tree(&index).await?;
    git.print(format!("{id}\n").as_bytes()).await?;
    Ok(0)
}
