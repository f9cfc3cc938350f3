//! `git clean`: files that git does not know are removed.

use super::prelude::*;
use crate::utility::git::error::found;
use crate::utility::git::status::{Ignored, Status, Untracked};

options! {
    enum Opt {
        Quiet = flag('q', "quiet", "do not print names of files removed"),
        DryRun = flag('n', "dry-run", "dry run"),
        Force = flag('f', "force", "force"),
        Interactive = flag('i', "interactive", "not supported"),
        Folders = flag('d', "", "remove whole directories"),
        Exclude = value('e', "exclude", "pattern", "add <pattern> to ignore rules"),
        IgnoredToo = flag('x', "", "remove ignored files, too"),
        OnlyIgnored = flag('X', "", "remove only ignored files"),
    }
}

pub(super) static COMMAND: Command = Command {
    name: "clean",
    usage: "git clean [-d] [-f] [-i] [-n] [-q] [-e <pattern>] [-x | -X] [--] [<pathspec>...]",
    options: Opt::TABLE,
    needs: Needs::WorkTree,
    run: command!(run),
    ..Command::BASE
};

async fn run(git: &mut Git) -> Result<u8> {
    let arguments = git.arguments::<Opt>()?;
    if arguments.has(Opt::Interactive) {
        return Err(fatal!("clean --interactive is not supported"));
    }
    for pattern in arguments.values(Opt::Exclude) {
        git.add_ignored(pattern, b"--exclude option");
    }
    if arguments.has(Opt::IgnoredToo) {
        // Only what the command line names is kept.
        git.ignore_only_given();
    }
    if arguments.has(Opt::IgnoredToo) && arguments.has(Opt::OnlyIgnored) {
        return Err(fatal!("options '-x' and '-X' cannot be used together"));
    }
    let is_dry = arguments.has(Opt::DryRun);
    let needs_force = git.config.truth("clean.requireforce") != Some(false);
    if needs_force && !is_dry && !arguments.has(Opt::Force) {
        return Err(fatal!("clean.requireForce is true and -f not given: refusing to clean"));
    }
    let spec = git.pathspec(&arguments.operands)?;
    let index = git.read_index().await?;
    let ignored = if arguments.has(Opt::OnlyIgnored) { Ignored::Traditional } else { Ignored::No };
    let mut status = Status::default();
    git.find_unknown(&index, &spec, (Untracked::Folders, ignored), &mut status).await?;
    let mut paths: Vec<Text> = Vec::new();
    if !arguments.has(Opt::OnlyIgnored) {
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
        if is_folder && !arguments.has(Opt::Folders) && arguments.operands.is_empty() {
            continue;
        }
        let full = git.in_work_tree(path.strip_suffix(b"/").unwrap_or(path));
        let is_repository =
            is_folder && git.fs().metadata(&crate::utility::file::join(&full, b".git")).is_ok();
        let is_skipped = is_repository && arguments.count(Opt::Force) < 2;
        let shown = git.quoted(&git.seen_from_here(path));
        let words: &[u8] = match (is_skipped, is_dry) {
            (true, true) => b"Would skip repository ",
            (true, false) => b"Skipping repository ",
            (false, true) => b"Would remove ",
            (false, false) => b"Removing ",
        };
        if !arguments.has(Opt::Quiet) || is_dry {
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
