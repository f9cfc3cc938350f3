//! `git merge`, as far as it only moves a branch forward.

use super::prelude::*;
use crate::memory::format;
use crate::utility::git::diff::options::Formats;
use crate::utility::git::diff::tree::{TreeOptions, compare};
use crate::utility::git::hook::HookInput;
use crate::utility::git::pathspec::Pathspec;

options! {
    enum Opt {
        NoStat = flag('n', "", "do not show a diffstat at the end of the merge"),
        Stat = flag('\0', "stat", "show a diffstat at the end of the merge"),
        Ff = flag('\0', "ff", "allow fast-forward (default)"),
        FfOnly = flag('\0', "ff-only", "abort if fast-forward is not possible"),
        Quiet = flag('q', "quiet", "be quiet"),
        Verbose = flag('v', "verbose", "be more verbose"),
        Edit = flag('\0', "edit", "edit message before committing"),
        Commit = flag('\0', "commit", "perform a commit if the merge succeeds (default)"),
        Squash = flag('\0', "squash", "not supported"),
        Message = value('m', "message", "message", "merge commit message"),
        Abort = flag('\0', "abort", "not supported"),
        Continue = flag('\0', "continue", "not supported"),
    }
}

pub(super) static COMMAND: Command = Command {
    name: "merge",
    usage: "git merge [<options>] [<commit>...]\ngit merge --abort\ngit merge --continue",
    options: Opt::TABLE,
    needs: Needs::WorkTree,
    run: command!(run),
    ..Command::BASE
};

async fn run(git: &mut Git) -> Result<u8> {
    let arguments = git.arguments::<Opt>()?;
    if let Some(option) = arguments.first_of([Opt::Abort, Opt::Continue, Opt::Squash]) {
        return Err(fatal!("merge --{} is not supported", option.long()));
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
        if !arguments.has(Opt::Quiet) {
            git.print(b"Already up to date.\n").await?;
        }
        return Ok(0);
    }
    if !git.is_ancestor(head, id).await? {
        if arguments.has(Opt::FfOnly) {
            return Err(fatal!("Not possible to fast-forward, aborting."));
        }
        return Err(fatal!("the merge needs to merge contents, which is not supported"));
    }
    if arguments.truth(Opt::Ff) == Some(false) {
        return Err(fatal!("merge --no-ff is not supported"));
    }
    let (old, new) = (git.commit(&head).await?.tree, git.commit(&id).await?.tree);
    git.move_trees(old, new, false, "merge").await?;
    let more = if arguments.has(Opt::Message) { " (no commit created; -m option ignored)" } else { "" };
    git.update_ref(b"HEAD", id, format!("merge {name}: Fast-forward{more}").as_bytes())?;
    if !arguments.has(Opt::Quiet) {
        let (one, other) = (git.abbreviate(&head, None)?, git.abbreviate(&id, None)?);
        git.print(format!("Updating {one}..{other}\nFast-forward{more}\n").as_bytes()).await?;
        if !arguments.has(Opt::NoStat) && arguments.truth(Opt::Stat) != Some(false) {
            let mut options = git.diff_defaults();
            options.formats = Formats { stat: true, summary: true, ..Formats::default() };
            let changes = compare(git, old, new, &Pathspec::default(), TreeOptions::RECURSIVE).await?;
            let changes = git.refine(changes, &options).await?;
            git.print_changes(&changes, &options).await?;
        }
    }
    // The argument says that it was no `--squash`.
    git.run_hook("post-merge", HookInput::of(["0".into()])).await?;
    Ok(0)
}
