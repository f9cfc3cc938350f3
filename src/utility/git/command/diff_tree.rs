//! `git diff-tree`: two trees, or a commit and its parents.

use super::prelude::*;
use crate::memory::format;
use crate::utility::git::diff::options::{DiffOpt, DiffOptions};
use crate::utility::git::diff::tree::{TreeOptions, compare};

options! {
    enum Opt {
        Recursive = flag('r', "", "recurse into subtrees"),
        ShowTrees = flag('t', "", "show the trees themselves too"),
        Root = flag('\0', "root", "show the initial commit as a big creation event"),
        NoCommitId = flag('\0', "no-commit-id", "do not print the commit's name"),
        EachParent = flag('m', "", "show merges against each parent"),
        Combined = flag('c', "", "show combined diffs of merges"),
        DenseCombined = flag('\0', "cc", "show combined diffs of merges without hunks that are as in one parent"),
        Verbose = flag('v', "", "not supported"),
        Pretty = optional('\0', "pretty", "format", "not supported"),
        Stdin = flag('\0', "stdin", "not supported"),
        Diff(DiffOpt),
    }
}

pub(super) static COMMAND: Command = Command {
    name: "diff-tree",
    usage: "git diff-tree [-r] [-t] [--root] [<common-diff-options>] <tree-ish> [<tree-ish>] [<path>...]",
    options: Opt::TABLE,
    style: Style::Diff,
    run: command!(run),
    ..Command::BASE
};

async fn run(git: &mut Git) -> Result<u8> {
    let arguments = git.arguments::<Opt>()?;
    if arguments.has(Opt::Verbose) {
        return Err(fatal!("diff-tree -v is not supported"));
    }
    if let Some(option) = arguments.first_of([Opt::Pretty, Opt::Stdin]) {
        return Err(fatal!("diff-tree --{} is not supported", option.long()));
    }
    let is_combined = arguments.has(Opt::Combined) || arguments.has(Opt::DenseCombined);
    let mut options = git.plumbing_diff_options(&arguments.part())?;
    let is_deep = arguments.has(Opt::DenseCombined)
        || arguments.has(Opt::Recursive)
        || arguments.has(Opt::ShowTrees)
        || options.formats.patch
        || options.formats.stat
        || options.formats.numstat
        || options.formats.shortstat
        || options.formats.summary;
    if options.formats.is_default() {
        options.formats.raw = !arguments.has(Opt::DenseCombined);
        options.formats.patch = arguments.has(Opt::DenseCombined);
    }
    options.full_raw |= options.abbreviation.is_none() && !arguments.has(DiffOpt::Abbrev);
    let tree_options =
        TreeOptions { recursive: is_deep, shows_trees: arguments.has(Opt::ShowTrees), only_whether: false };
    let (before, after) = arguments.parts();
    let mut names: Vec<ObjectId> = Vec::new();
    let mut paths: Vec<Text> = Vec::new();
    for word in before {
        match git.resolve(word).await? {
            Some(id) if names.len() < 2 && paths.is_empty() => names.push(id),
            None if names.is_empty() => return Err(crate::utility::git::revision::ambiguous(word)),
            _ => paths.push(word.clone()),
        }
    }
    paths.extend(after.iter().cloned());
    let spec = git.pathspec(&paths)?;
    match names.as_slice() {
        [one, other] => {
            let (Some(old), Some(new)) =
                (git.peel(*one, Kind::Tree).await?, git.peel(*other, Kind::Tree).await?)
            else {
                return Err(fatal!("bad tree object"));
            };
            let changes = compare(git, old, new, &spec, tree_options).await?;
            super::diff::finish(git, changes, &options).await
        }
        [one] => {
            let Some(id) = git.peel(*one, Kind::Commit).await? else {
                return Err(fatal!("unable to read commit {one}"));
            };
            let commit = git.commit(&id).await?;
            if is_combined && commit.parents.len() > 1 {
                let mut trees = Vec::new();
                for parent in &commit.parents {
                    trees.push(git.commit(parent).await?.tree);
                }
                let files = git.combined_files(&trees, commit.tree, &spec, &options).await?;
                if !arguments.has(Opt::NoCommitId) && !options.quiet {
                    tell(git, id, &options).await?;
                }
                git.print_combined(&files, &options, arguments.has(Opt::DenseCombined)).await?;
                return Ok(u8::from(options.exit_code && !files.is_empty()));
            }
            let parents: Vec<Option<ObjectId>> = match commit.parents.as_slice() {
                [] if arguments.has(Opt::Root) => Vec::from([None]),
                [] => Vec::new(),
                [parent] => Vec::from([Some(*parent)]),
                all if arguments.has(Opt::EachParent) => all.iter().copied().map(Some).collect(),
                _ => Vec::new(),
            };
            let mut status = 0;
            for parent in parents {
                let old = match parent {
                    Some(parent) => git.commit(&parent).await?.tree,
                    None => ObjectId::EMPTY_TREE,
                };
                let changes = compare(git, old, commit.tree, &spec, tree_options).await?;
                if !changes.is_empty() && !arguments.has(Opt::NoCommitId) && !options.quiet {
                    tell(git, id, &options).await?;
                }
                status = status.max(super::diff::finish(git, changes, &options).await?);
            }
            Ok(status)
        }
        _ => Err(COMMAND.usage_error()),
    }
}

/// Prints which commit the changes are of.
async fn tell(git: &mut Git, id: ObjectId, options: &DiffOptions) -> Result<()> {
    let end = if options.ends_in_nul { '\0' } else { '\n' };
    git.print(format!("{id}{end}").as_bytes()).await
}
