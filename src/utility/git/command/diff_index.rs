//! `git diff-index`: a tree against the index or the work tree.

use super::prelude::*;
use crate::utility::git::diff::files::{Telling, tree_and_index, tree_and_work_tree};
use crate::utility::git::diff::options::DiffOpt;

options! {
    enum Opt {
        MergeBase = flag('\0', "merge-base", "compare with the merge base of the commit and HEAD"),
        Cached = flag('\0', "cached", "compare with the index alone"),
        Recursive = flag('r', "", "recurse into subtrees, as it always does"),
        IgnoreGone = flag('m', "", "files that are gone count as up to date"),
        Diff(DiffOpt),
    }
}

pub(super) static COMMAND: Command = Command {
    name: "diff-index",
    usage: "git diff-index [-m] [--cached] [--merge-base] [<common-diff-options>] <tree-ish> [<path>...]",
    options: Opt::TABLE,
    style: Style::Diff,
    run: command!(run),
    ..Command::BASE
};

async fn run(git: &mut Git) -> Result<u8> {
    let arguments = git.arguments::<Opt>()?;
    let mut options = git.plumbing_diff_options(&arguments.part())?;
    if options.formats.is_default() {
        options.formats.raw = true;
    }
    options.full_raw |= options.abbreviation.is_none() && !arguments.has(DiffOpt::Abbrev);
    let Some((name, paths)) = arguments.operands.split_first() else {
        return Err(COMMAND.usage_error());
    };
    let id = git.resolve_or_fail(name).await?;
    let tree = if arguments.has(Opt::MergeBase) {
        super::diff::base_tree(git, id, true).await?
    } else {
        git.peel(id, Kind::Tree).await?.ok_or_else(|| fatal!("bad tree object {name}"))?
    };
    let spec = git.pathspec(paths)?;
    let index = git.read_index().await?;
    let changes = if arguments.has(Opt::Cached) {
        tree_and_index(git, tree, &index, &spec).await?
    } else {
        let telling = Telling { forgives_gone: arguments.has(Opt::IgnoreGone), ..Telling::FILES };
        tree_and_work_tree(git, tree, &index, &spec, (telling, None)).await?
    };
    super::diff::finish(git, changes, &options).await
}
