//! `git diff-files`: the work tree against the index.

use super::prelude::*;
use crate::utility::git::command::diff::SideOpt;
use crate::utility::git::diff::files::Telling;
use crate::utility::git::diff::options::DiffOpt;

options! {
    enum Opt {
        Diff(DiffOpt),
        Side(SideOpt),
        IgnoreGone = flag('q', "", "files that are gone are told all the same"),
    }
}

pub(super) static COMMAND: Command = Command {
    name: "diff-files",
    usage: "git diff-files [-q] [-0 | -1 | -2 | -3 | -c | --cc] [<common-diff-options>] [<path>...]",
    options: Opt::TABLE,
    needs: Needs::WorkTree,
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
    let spec = git.pathspec(&arguments.operands)?;
    let index = git.read_index().await?;
    let telling = (Telling::FILES, &options);
    let changes = super::diff::compare_files(git, &arguments.part(), &index, &spec, telling).await?;
    super::diff::finish(git, changes, &options).await
}
