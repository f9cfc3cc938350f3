//! `git update-index`: single entries of the index.

use super::prelude::*;
use crate::memory::format;
use crate::utility::git::index::Stat;

pub(super) static COMMAND: Command = Command {
    name: "update-index",
    usage: "git update-index [<options>] [--] [<file>...]",
    options: &[&[
        flag('q', "", "continue refresh even when index needs update"),
        flag('\0', "add", "do not ignore new files"),
        flag('\0', "remove", "let files removed from the working tree be removed from the index"),
        flag('\0', "force-remove", "remove named paths even if present in worktree"),
        flag('\0', "refresh", "refresh stat information"),
        flag('\0', "really-refresh", "like --refresh, but ignore assume-unchanged setting"),
        flag('\0', "ignore-missing", "ignore files missing from worktree"),
        flag('\0', "assume-unchanged", "mark files as not changing"),
        flag('\0', "skip-worktree", "mark files as index-only"),
        value('\0', "chmod", "(+|-)x", "override the executable bit of the listed files"),
    ]],
    run: command!(run),
    ..Command::BASE
};

async fn run(git: &mut Git) -> Result<u8> {
    let arguments = git.arguments()?;
    let mut index = git.read_index().await?;
    let mut status = 0;
    if arguments.has("refresh") || arguments.has("really-refresh") {
        let before = index.clone();
        for (at, entry) in before.entries.iter().enumerate() {
            let mode = git.work_mode(&entry.path)?;
            let is_same = mode == Some(entry.mode) && git.is_unchanged(&before, entry).await?;
            if is_same {
                if let (Some(slot), Some(metadata)) = (index.entries.get_mut(at), git.work_metadata(&entry.path)?) {
                    slot.stat = Stat::of(&metadata);
                }
            } else if !(mode.is_none() && arguments.has("ignore-missing")) {
                if !arguments.has("q") {
                    git.print(&[&entry.path[..], b": needs update\n"].concat_metered()).await?;
                }
                status = 1;
            }
        }
    }
    for operand in &arguments.operands {
        let path = git.relative(operand)?;
        if let Ok(at) = index.find(&path, 0)
            && let Some(entry) = index.entries.get_mut(at)
            && (arguments.truth("assume-unchanged").is_some() || arguments.truth("skip-worktree").is_some())
        {
            entry.assume_valid = arguments.truth("assume-unchanged").unwrap_or(entry.assume_valid);
            entry.skip_work_tree = arguments.truth("skip-worktree").unwrap_or(entry.skip_work_tree);
            continue;
        }
        let known = index.get(&path).cloned();
        if arguments.has("force-remove") {
            index.remove(&path);
            continue;
        }
        match git.entry_of(&path, known.as_ref()).await? {
            Some(mut entry) if known.is_some() || arguments.has("add") => {
                if let Some(change) = arguments.value("chmod") {
                    entry.mode = if &**change == b"+x" { 0o100_755 } else { 0o100_644 };
                }
                super::add::remove_conflicting(&mut index, &entry.path);
                index.put(entry);
            }
            Some(_) => {
                return Err(fatal!("Unable to process path {operand}\nerror: {operand}: cannot add to the index - missing --add option?"));
            }
            None if arguments.has("remove") => index.remove(&path),
            None => return Err(GitError::Plain(format!("error: {operand}: does not exist and --remove not passed\nfatal: Unable to process path {operand}\n"), 128)),
        }
    }
    git.write_index(&index).await?;
    Ok(status)
}
