//! `git log`, and what `show` and `whatchanged` share with it.

mod printer;

use super::prelude::*;
use super::reflog::{check_reflog, is_dated};
use crate::utility::git::diff::options::DiffOpt;
use crate::utility::git::history::{History, HistoryOpt, StyleOption};
use crate::utility::git::pathspec::Pathspec;
pub(super) use printer::Printer;

options! {
    /// Options of the commands that print commits with their changes.
    pub(crate) enum LogOpt {
        History(HistoryOpt),
        Diff(DiffOpt),
    }
}

impl LogOpt {
    /// As an option on how commits are shown.
    pub(crate) const fn style(self) -> Option<StyleOption> {
        match self {
            Self::History(option) => option.style(),
            Self::Diff(DiffOpt::Abbrev) => Some(StyleOption::Abbrev),
            Self::Diff(_) => None,
        }
    }

    /// As an option of diffs.
    pub(crate) const fn diff(self) -> Option<DiffOpt> {
        match self {
            Self::Diff(option) => Some(option),
            // Both tables have a row of this name, and the first is found.
            Self::History(HistoryOpt::Color) => Some(DiffOpt::Color),
            Self::History(_) => None,
        }
    }
}

pub(super) static COMMAND: Command = Command {
    name: "log",
    usage: "git log [<options>] [<revision-range>] [[--] <path>...]",
    options: LogOpt::TABLE,
    style: Style::Revisions,
    run: command!(run),
    ..Command::BASE
};

pub(super) async fn run(git: &mut Git) -> Result<u8> {
    let arguments = git.arguments::<LogOpt>()?;
    let mut history = git.history(&arguments.part(), Some("HEAD")).await?;
    let mut printer = Printer::new(git, &arguments, false).await?;
    if arguments.has(HistoryOpt::WalkReflogs) {
        check_reflog(&arguments)?;
        return super::reflog::walk(git, &history, &mut printer, is_dated(&arguments)).await;
    }
    if arguments.has(HistoryOpt::Follow) {
        let [path] = history.paths.as_slice() else {
            return Err(fatal!("--follow requires exactly one pathspec"));
        };
        printer.followed = Some(Text::from(git.relative(path)?));
        history.walk.pathspec = Pathspec::default();
    } else {
        printer.spec = if arguments.has(HistoryOpt::FullDiff) {
            Pathspec::default()
        } else {
            history.walk.pathspec.clone()
        };
    }
    print_all(git, &mut history, &mut printer).await?;
    Ok(u8::from(printer.diff.exit_code && printer.has_printed))
}

/// Prints all commits of a history.
pub(super) async fn print_all(git: &mut Git, history: &mut History, printer: &mut Printer) -> Result<()> {
    let most = history.most;
    // What is not shown does not count.
    if printer.followed.is_some() || (printer.only_changed && !history.is_reversed) {
        history.most = None;
    }
    history.prepare(git).await?;
    let mut count = 0;
    while let Some(item) = history.next(git).await? {
        if most.is_some_and(|most| count >= most) {
            break;
        }
        history.draw(git, &item).await?;
        let mark = history.mark(&item);
        printer.graph = history.graph.take();
        let is_printed = printer.commit(git, &item, mark, None).await?;
        history.graph = printer.graph.take();
        count += usize::from(is_printed);
    }
    Ok(())
}
