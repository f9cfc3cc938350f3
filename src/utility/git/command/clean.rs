//! `git clean`: files that git does not know are removed.

use super::prelude::*;
use crate::utility::git::error::found;
use crate::utility::git::status::{Ignored, Status, Untracked};

pub(super) static COMMAND: Command = Command {
    name: "clean",
    usage: "git clean [-d] [-f] [-i] [-n] [-q] [-e <pattern>] [-x | -X] [--] [<pathspec>...]",
    options: &[&[
        flag('q', "quiet", "do not print names of files removed"),
        flag('n', "dry-run", "dry run"),
        flag('f', "force", "force"),
        flag('i', "interactive", "not supported"),
        flag('d', "", "remove whole directories"),
        value('e', "exclude", "pattern", "not supported"),
        flag('x', "", "remove ignored files, too"),
        flag('X', "", "remove only ignored files"),
    ]],
    needs: Needs::WorkTree,
    run: command!(run),
    ..Command::BASE
};

async fn run(git: &mut Git) -> Result<u8> {
    let arguments = git.arguments()?;
    for name in ["interactive", "exclude"] {
        if arguments.has(name) {
            return Err(fatal!("clean --{name} is not supported"));
        }
    }
    if arguments.has("x") && arguments.has("X") {
        return Err(fatal!("options '-x' and '-X' cannot be used together"));
    }
    let is_dry = arguments.has("dry-run");
    let needs_force = git.config.truth("clean.requireforce") != Some(false);
    if needs_force && !is_dry && !arguments.has("force") {
        return Err(fatal!("clean.requireForce is true and -f not given: refusing to clean"));
    }
    let spec = git.pathspec(&arguments.operands)?;
    let index = git.read_index().await?;
    let ignored = if arguments.has("x") || arguments.has("X") { Ignored::Traditional } else { Ignored::No };
    let mut status = Status::default();
    git.find_unknown(&index, &spec, (Untracked::Folders, ignored), &mut status).await?;
    let mut paths: Vec<Text> = Vec::new();
    if !arguments.has("X") {
        paths.extend(status.untracked.iter().cloned());
    }
    if ignored != Ignored::No {
        paths.extend(status.ignored.iter().cloned());
    }
    paths.sort();
    for path in &paths {
        git.ctx.tick().await?;
        let is_folder = path.ends_with(b"/");
        // Whole folders go only where that is asked for, or they are named.
        if is_folder && !arguments.has("d") && arguments.operands.is_empty() {
            continue;
        }
        let full = git.in_work_tree(path.strip_suffix(b"/").unwrap_or(path));
        let is_repository =
            is_folder && git.fs().metadata(&crate::utility::file::join(&full, b".git")).is_ok();
        let is_skipped = is_repository && arguments.count("force") < 2;
        let shown = git.quoted(&git.seen_from_here(path));
        let words: &[u8] = match (is_skipped, is_dry) {
            (true, true) => b"Would skip repository ",
            (true, false) => b"Skipping repository ",
            (false, true) => b"Would remove ",
            (false, false) => b"Removing ",
        };
        if !arguments.has("quiet") || is_dry {
            git.print(&[words, &shown, b"\n"].concat_metered()).await?;
        }
        if is_skipped || is_dry {
            continue;
        }
        if is_folder {
            remove_folder(git, full).await?;
        } else {
            found(git.fs().remove_file(&full))?;
        }
    }
    Ok(0)
}

/// Removes a folder with what is in it.
async fn remove_folder(git: &mut Git, folder: Vec<u8>) -> Result<()> {
    let mut pending: Vec<(Vec<u8>, bool)> = Vec::new();
    pending.push((folder, false));
    while let Some((path, is_empty)) = pending.pop() {
        git.ctx.tick().await?;
        if is_empty {
            found(git.fs().remove_dir(&path))?;
            continue;
        }
        let entries = found(git.fs().read_dir(&path))?.unwrap_or_default();
        pending.push((path.clone(), true));
        for entry in entries {
            let inner = crate::utility::file::join(&path, &entry.name);
            if entry.kind == crate::vfs::FileKind::Directory {
                pending.push((inner, false));
            } else {
                found(git.fs().remove_file(&inner))?;
            }
        }
    }
    Ok(())
}
