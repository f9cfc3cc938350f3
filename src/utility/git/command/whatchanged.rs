//! `git whatchanged`: the log with the raw changes, without merges.

use super::log::{LogOpt, Printer, print_all};
use super::prelude::*;
use super::reflog::is_dated;
use crate::utility::git::history::HistoryOpt;

pub(super) static COMMAND: Command = Command {
    name: "whatchanged",
    usage: "git whatchanged <log-option>...",
    options: LogOpt::TABLE,
    style: Style::Revisions,
    run: command!(run),
    ..Command::BASE
};

async fn run(git: &mut Git) -> Result<u8> {
    let arguments = git.arguments::<LogOpt>()?;
    let mut history = git.history(&arguments.part(), Some("HEAD")).await?;
    let mut printer = Printer::new(git, &arguments, false).await?;
    printer.spec = history.walk.pathspec.clone();
    if printer.diff.formats.is_default() {
        printer.diff.formats.raw = true;
    }
    printer.only_changed = true;
    if arguments.has(HistoryOpt::Follow) {
        return Err(fatal!("whatchanged --follow is not supported"));
    }
    if arguments.has(HistoryOpt::WalkReflogs) {
        return super::reflog::walk(git, &history, &mut printer, is_dated(&arguments)).await;
    }
    print_all(git, &mut history, &mut printer).await?;
    Ok(0)
}
