//! `git merge`, as far as it only moves a branch forward.

use super::prelude::*;
use crate::memory::format;
use crate::utility::git::diff::options::Formats;
use crate::utility::git::diff::tree::{TreeOptions, compare};
use crate::utility::git::pathspec::Pathspec;

pub(super) static COMMAND: Command = Command {
    name: "merge",
    usage: "git merge [<options>] [<commit>...]\ngit merge --abort\ngit merge --continue",
    options: &[&[
        flag('n', "", "do not show a diffstat at the end of the merge"),
        flag('\0', "stat", "show a diffstat at the end of the merge"),
        flag('\0', "ff", "allow fast-forward (default)"),
        flag('\0', "ff-only", "abort if fast-forward is not possible"),
        flag('q', "quiet", "be quiet"),
        flag('v', "verbose", "accepted"),
        flag('\0', "edit", "accepted"),
        flag('\0', "commit", "accepted"),
        flag('\0', "squash", "not supported"),
        value('m', "message", "message", "merge commit message"),
        flag('\0', "abort", "not supported"),
        flag('\0', "continue", "not supported"),
    ]],
    needs: Needs::WorkTree,
    run: command!(run),
    ..Command::BASE
};

async fn run(git: &mut Git) -> Result<u8> {
    let arguments = git.arguments()?;
    for name in ["abort", "continue", "squash"] {
        if arguments.has(name) {
            return Err(fatal!("merge --{name} is not supported"));
        }
    }
    let name = match arguments.operands.as_slice() {
        [name] => name.clone(),
        [] => git.upstream_or_fail(b"")?,
        _ => return Err(fatal!("merging several commits is not supported")),
    };
    let Some(id) = git.resolve_commit(&name).await? else {
        return Err(GitError::Plain(format!("merge: {name} - not something we can merge\n"), 1));
    };
    let Some(head) = git.head_id()? else {
        let tree = git.commit(&id).await?.tree;
        git.move_trees(ObjectId::EMPTY_TREE, tree, false, "merge").await?;
        git.update_ref(b"HEAD", id, b"initial pull")?;
        return Ok(0);
    };
    if git.is_ancestor(id, head).await? {
        if !arguments.has("quiet") {
            git.print(b"Already up to date.\n").await?;
        }
        return Ok(0);
    }
    if !git.is_ancestor(head, id).await? {
        if arguments.has("ff-only") {
            return Err(fatal!("Not possible to fast-forward, aborting."));
        }
        return Err(fatal!("the merge needs to merge contents, which is not supported"));
    }
    if arguments.truth("ff") == Some(false) {
        return Err(fatal!("merge --no-ff is not supported"));
    }
    let (old, new) = (git.commit(&head).await?.tree, git.commit(&id).await?.tree);
    git.move_trees(old, new, false, "merge").await?;
    git.update_ref(b"HEAD", id, format!("merge {name}: Fast-forward").as_bytes())?;
    if !arguments.has("quiet") {
        let (one, other) = (git.abbreviate(&head, None)?, git.abbreviate(&id, None)?);
        git.print(format!("Updating {one}..{other}\nFast-forward\n").as_bytes()).await?;
        if !arguments.has("n") && arguments.truth("stat") != Some(false) {
            let mut options = git.diff_defaults();
            options.formats = Formats { stat: true, summary: true, ..Formats::default() };
            let changes = compare(git, old, new, &Pathspec::default(), TreeOptions::RECURSIVE).await?;
            let changes = git.refine(changes, &options).await?;
            git.print_changes(&changes, &options).await?;
        }
    }
    Ok(0)
}
