//! `git shortlog`: who made how many commits.

use super::prelude::*;
use crate::memory::{BTreeMap, format};
use crate::utility::git::history::LOG_OPTIONS;
use crate::utility::git::object::commit::{Signature, header, message};
use crate::utility::git::pretty::subject;

pub(super) static COMMAND: Command = Command {
    name: "shortlog",
    usage: "git shortlog [<options>] [<revision-range>] [[--] <path>...]",
    options: &[
        &[
            flag('s', "summary", "suppress commit descriptions, only provides commit count"),
            flag('n', "numbered", "sort output according to the number of commits per author"),
            flag('e', "email", "show the email address of each author"),
            flag('c', "", "group by committer rather than author"),
        ],
        LOG_OPTIONS,
    ],
    style: Style::Revisions,
    run: command!(run),
    ..Command::BASE
};

async fn run(git: &mut Git) -> Result<u8> {
    let arguments = git.arguments()?;
    if arguments.operands.is_empty() && !["all", "branches"].iter().any(|name| arguments.has(name)) {
        // Without a revision a log is read, which nobody gives.
        return Ok(0);
    }
    let mut history = git.history(&arguments, Some("HEAD")).await?;
    history.prepare(git).await?;
    let mut people: BTreeMap<Text, Vec<Vec<u8>>> = BTreeMap::new();
    while let Some(item) = history.next(git).await? {
        let bytes = git.object(&item.id).await?.1;
        let role: &[u8] = if arguments.has("c") { b"committer" } else { b"author" };
        let who = Signature::parse(header(&bytes, role).unwrap_or(&[]));
        let name = if arguments.has("email") {
            [who.name, b" <", who.email, b">"].concat_metered()
        } else {
            who.name.to_metered()
        };
        if let Some(list) = people.get_or_default(Text::from(name)) {
            list.push(subject(message(&bytes)));
        }
    }
    let mut rows: Vec<(Text, Vec<Vec<u8>>)> = people.into_iter().collect();
    if arguments.has("numbered") {
        rows.sort_by_key(|row| std::cmp::Reverse(row.1.len()));
    }
    for (name, titles) in &rows {
        if arguments.has("summary") {
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
