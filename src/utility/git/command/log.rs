//! `git log`, and what `show` and `whatchanged` share with it.

mod printer;

use super::prelude::*;
use crate::utility::git::diff::options::DIFF_OPTIONS;
use crate::utility::git::history::{History, LOG_OPTIONS};
use crate::utility::git::pathspec::Pathspec;
pub(super) use printer::Printer;

pub(super) static COMMAND: Command = Command {
    name: "log",
    usage: "git log [<options>] [<revision-range>] [[--] <path>...]",
    options: &[LOG_OPTIONS, DIFF_OPTIONS],
    style: Style::Revisions,
    run: command!(run),
    ..Command::BASE
};

async fn run(git: &mut Git) -> Result<u8> {
    let arguments = git.arguments()?;
    let mut history = git.history(&arguments, Some("HEAD")).await?;
    let mut printer = Printer::new(git, &arguments, false).await?;
    if arguments.has("walk-reflogs") {
        return super::reflog::walk(git, &history, &mut printer).await;
    }
    if arguments.has("follow") {
        let [path] = history.paths.as_slice() else {
            return Err(fatal!("--follow requires exactly one pathspec"));
        };
        printer.followed = Some(Text::from(git.relative(path)?));
        history.walk.pathspec = Pathspec::default();
    } else {
        printer.spec =
            if arguments.has("full-diff") { Pathspec::default() } else { history.walk.pathspec.clone() };
    }
    print_all(git, &mut history, &mut printer).await?;
    Ok(u8::from(printer.diff.exit_code && printer.has_printed))
}

/// Prints all commits of a history.
pub(super) async fn print_all(git: &mut Git, history: &mut History, printer: &mut Printer) -> Result<()> {
    let most = history.most;
    if printer.followed.is_some() {
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
