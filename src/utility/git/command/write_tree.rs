//! `git write-tree`.

use super::prelude::*;
use crate::memory::format;
use crate::utility::git::index::{Index, IndexEntry};
use crate::utility::git::object::tree::SUBMODULE;

options! {
    enum Opt {
        MissingOk = flag('\0', "missing-ok", "allow missing objects"),
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
    let arguments = git.arguments::<Opt>()?;
    let index = git.read_index().await?;
    let mut is_whole = true;
    for entry in index.entries.iter().filter(|entry| entry.stage > 0) {
        git.ctx.tick().await?;
        git.say(&format!("{}: unmerged ({})", entry.path, entry.id));
        is_whole = false;
    }
    if !is_whole {
        return Err(fatal!("git-write-tree: error building trees"));
    }
    if !arguments.has(Opt::MissingOk) {
        check(git, &index).await?;
    }
    let id = git.write_tree(&index).await?;
    git.print(format!("{id}\n").as_bytes()).await?;
    Ok(0)
}

/// Refuses entries whose objects are not there.
async fn check(git: &mut Git, index: &Index) -> Result<()> {
    for entry in index.entries.iter().filter(|entry| entry.stage == 0 && !entry.intent_to_add) {
        git.ctx.tick().await?;
        if entry.mode != SUBMODULE && !git.has_object(&entry.id)? {
            let IndexEntry { mode, id, path, .. } = entry;
            git.say(&format!("error: invalid object {mode:06o} {id} for '{path}'"));
            return Err(fatal!("git-write-tree: error building trees"));
        }
    }
    Ok(())
}
