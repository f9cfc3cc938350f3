//! `git whatchanged`: the log with the raw changes, without merges.

use super::log::{Printer, print_all};
use super::prelude::*;
use crate::utility::git::diff::options::DIFF_OPTIONS;
use crate::utility::git::history::LOG_OPTIONS;

pub(super) static COMMAND: Command = Command {
    name: "whatchanged",
    usage: "git whatchanged <log-option>...",
    options: &[LOG_OPTIONS, DIFF_OPTIONS],
    style: Style::Revisions,
    run: command!(run),
    ..Command::BASE
};

async fn run(git: &mut Git) -> Result<u8> {
    let arguments = git.arguments()?;
    let mut history = git.history(&arguments, Some("HEAD")).await?;
    let mut printer = Printer::new(git, &arguments, false).await?;
    printer.spec = history.walk.pathspec.clone();
    if printer.diff.formats.is_default() {
        printer.diff.formats.raw = true;
    }
    printer.only_changed = true;
    print_all(git, &mut history, &mut printer).await?;
    Ok(0)
}
