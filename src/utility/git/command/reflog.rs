//! `git reflog` and `git log -g`: the log of a ref, youngest first.

use super::log::{LogOpt, Printer};
use super::prelude::*;
use crate::memory::format;
use crate::utility::git::history::{History, HistoryOpt};
use crate::utility::git::object::commit::Signature;
use crate::utility::git::pretty::Format;
use crate::utility::git::walk::Item;

pub(super) static COMMAND: Command = Command {
    name: "reflog",
    usage: "git reflog [show] [<log-options>] [<ref>]\ngit reflog exists <ref>",
    options: LogOpt::TABLE,
    style: Style::Revisions,
    run: command!(run),
    ..Command::BASE
};

async fn run(git: &mut Git) -> Result<u8> {
    let mut arguments = git.arguments::<LogOpt>()?;
    match arguments.operands.first().map(Text::as_bytes) {
        Some(b"show") => drop(arguments.operands.remove(0)),
        Some(b"exists") => {
            let Some(name) = arguments.operands.get(1).cloned() else { return Err(GitError::Exit(129)) };
            return Ok(u8::from(!git.has_log(&name)));
        }
        Some(b"expire" | b"delete" | b"list") => return Err(fatal!("'reflog' only shows logs")),
        _ => {}
    }
    check_reflog(&arguments)?;
    let history = git.history(&arguments.part(), Some("HEAD")).await?;
    let mut printer = Printer::new(git, &arguments, false).await?;
    if arguments.last_of([HistoryOpt::Pretty, HistoryOpt::Format, HistoryOpt::Oneline]).is_none() {
        printer.pretty.format = Format::Oneline;
        printer.pretty.abbreviates = true;
    }
    walk(git, &history, &mut printer, is_dated(&arguments)).await
}

/// Refuses what does not go with the log of a ref.
pub(super) fn check_reflog(arguments: &Arguments<LogOpt>) -> Result<()> {
    if arguments.has(HistoryOpt::Graph) {
        return Err(fatal!("cannot combine --walk-reflogs with history-limiting options"));
    }
    if arguments.has(HistoryOpt::Reverse) {
        return Err(fatal!("options '--reverse' and '--walk-reflogs' cannot be used together"));
    }
    Ok(())
}

/// Whether entries are named by their dates, not by their numbers.
pub(super) fn is_dated(arguments: &Arguments<LogOpt>) -> bool {
    arguments.has_any([HistoryOpt::Date, HistoryOpt::RelativeDate])
}

/// Prints the entries of the logs that were named.
pub(super) async fn walk(
    git: &mut Git,
    history: &History,
    printer: &mut Printer,
    is_dated: bool,
) -> Result<u8> {
    let mut count = 0;
    for name in &history.logs {
        let full = match &name[..] {
            b"HEAD" => Text::from_static(b"HEAD"),
            _ => git.find_ref(name)?.map_or_else(|| name.clone(), |found| found.0),
        };
        let entries = git.read_log(&full)?;
        for (age, entry) in entries.iter().rev().enumerate() {
            if age < history.skip {
                continue;
            }
            if history.most.is_some_and(|most| count >= most) {
                return Ok(0);
            }
            if !git.has_object(&entry.new)? {
                continue;
            }
            let commit = git.commit(&entry.new).await?;
            let item = Item { id: entry.new, commit, is_left: false, is_boundary: false };
            let shown = if is_dated || printer.pretty.has_date {
                let date = git.show_date(&Signature::parse(&entry.who), &printer.pretty.date);
                Text::from([&name[..], b"@{", &date, b"}"].concat_metered())
            } else {
                Text::from(format!("{name}@{{{age}}}"))
            };
            printer.commit(git, &item, "", Some((&shown, entry))).await?;
            count += 1;
        }
    }
    Ok(0)
}
