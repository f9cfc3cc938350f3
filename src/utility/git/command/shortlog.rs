//! `git shortlog`: who made how many commits.

use super::prelude::*;
use crate::memory::{BTreeMap, format};
use crate::utility::git::history::HistoryOpt;
use crate::utility::git::object::commit::{Signature, header, message};
use crate::utility::git::pretty::subject;

options! {
    enum Opt {
        Summary = flag('s', "summary", "suppress commit descriptions, only provides commit count"),
        Numbered = flag('n', "numbered", "sort output according to the number of commits per author"),
        Email = flag('e', "email", "show the email address of each author"),
        ByCommitter = flag('c', "", "group by committer rather than author"),
        History(HistoryOpt),
    }
}

pub(super) static COMMAND: Command = Command {
    name: "shortlog",
    usage: "git shortlog [<options>] [<revision-range>] [[--] <path>...]",
    options: Opt::TABLE,
    style: Style::Revisions,
    run: command!(run),
    ..Command::BASE
};

async fn run(git: &mut Git) -> Result<u8> {
    let arguments = git.arguments::<Opt>()?;
    if arguments.operands.is_empty() && !arguments.has_any([HistoryOpt::All, HistoryOpt::Branches]) {
        // Without a revision a log is read, which nobody gives.
        return Ok(0);
    }
    let mut history = git.history(&arguments.part(), Some("HEAD")).await?;
    history.prepare(git).await?;
    let mut people: BTreeMap<Text, Vec<Vec<u8>>> = BTreeMap::new();
    while let Some(item) = history.next(git).await? {
        let bytes = git.object(&item.id).await?.1;
        let role: &[u8] = if arguments.has(Opt::ByCommitter) { b"committer" } else { b"author" };
        let who = Signature::parse(header(&bytes, role).unwrap_or(&[]));
        let name = if arguments.has(Opt::Email) {
            [who.name, b" <", who.email, b">"].concat_metered()
        } else {
            who.name.to_metered()
        };
        if let Some(list) = people.get_or_default(Text::from(name)) {
            list.push(subject(message(&bytes)));
        }
    }
    let mut rows: Vec<(Text, Vec<Vec<u8>>)> = people.into_iter().collect();
    if arguments.has(Opt::Numbered) {
        rows.sort_by_key(|row| std::cmp::Reverse(row.1.len()));
    }
    for (name, titles) in &rows {
        if arguments.has(Opt::Summary) {
            git.print(format!("{:>6}\t{name}\n", titles.len()).as_bytes()).await?;
            continue;
        }
        git.print(format!("{name} ({}):\n", titles.len()).as_bytes()).await?;
        for title in titles.iter().rev() {
            git.print(&[&b"      "[..], title, b"\n"].concat_metered()).await?;
        }
        git.print(b"\n").await?;
    }
    Ok(0)
}
