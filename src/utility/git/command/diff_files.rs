//! `git diff-files`: the work tree against the index.

use super::prelude::*;
use crate::utility::git::diff::files::index_and_work_tree;
use crate::utility::git::diff::options::DIFF_OPTIONS;

pub(super) static COMMAND: Command = Command {
    name: "diff-files",
    usage: "git diff-files [-q] [-0 | -1 | -2 | -3 | -c | --cc] [<common-diff-options>] [<path>...]",
    options: &[DIFF_OPTIONS, &[flag('q', "", "stay silent about files that are gone")]],
    needs: Needs::WorkTree,
    style: Style::Diff,
    run: command!(run),
};

async fn run(git: &mut Git) -> Result<u8> {
    let arguments = git.arguments()?;
    let mut options = git.diff_options(&arguments)?;
    options.renames =
        options.renames.filter(|_| arguments.last_of(&["find-renames", "find-copies", "renames"]).is_some());
    if options.formats.is_default() {
        options.formats.raw = true;
        options.full_index |= options.abbreviation.is_none() && !arguments.has("abbrev");
    }
    let spec = git.pathspec(&arguments.operands)?;
    let index = git.read_index().await?;
    let changes = index_and_work_tree(git, &index, &spec).await?;
    super::diff::finish(git, changes, &options).await
}
