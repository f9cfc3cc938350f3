//! `git shortlog`: who made how many commits.

use super::prelude::*;
use crate::memory::{BTreeMap, format};
use crate::utility::git::history::{HistoryOpt, StyleOption};
use crate::utility::git::object::commit::{Signature, header, message};
use crate::utility::git::pretty::{Decorations, Format, Shown, subject};

options! {
    enum Opt {
        Summary = flag('s', "summary", "suppress commit descriptions, only provides commit count"),
        Numbered = flag('n', "numbered", "sort output according to the number of commits per author"),
        Email = flag('e', "email", "show the email address of each author"),
        ByCommitter = flag('c', "committer", "group by committer rather than author"),
        Group = value('\0', "group", "field", "group by field: author or committer"),
        History(HistoryOpt),
    }
}

impl Opt {
    /// As an option on how commits are shown.
    const fn style(self) -> Option<StyleOption> {
        match self {
            Self::History(option) => option.style(),
            _ => None,
        }
    }

    /// The headers that commits are grouped by.
    fn roles(arguments: &Arguments<Self>) -> Result<Vec<&'static [u8]>> {
        let mut roles: Vec<&'static [u8]> = Vec::new();
        for (option, given) in arguments.in_order() {
            let role: &[u8] = match (option, given.map(Text::as_bytes)) {
                (Self::ByCommitter, _) | (Self::Group, Some(b"committer")) => b"committer",
                (Self::Group, Some(b"author")) => b"author",
                (Self::Group, Some(other)) => {
                    let is_known = other.starts_with(b"trailer:") || other.contains(&b'%');
                    let other = bstr::BStr::new(other);
                    return Err(if is_known || other.starts_with(b"format:") {
                        fatal!("--group={other} is not supported")
                    } else {
                        GitError::Error(format!("unknown group type: {other}"), 129)
                    });
                }
                _ => continue,
            };
            if !roles.contains(&role) {
                roles.push(role);
            }
        }
        if roles.is_empty() {
            roles.push(b"author");
        }
        Ok(roles)
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
    let mut people: People = BTreeMap::new();
    if arguments.operands.is_empty() && !arguments.has_any([HistoryOpt::All, HistoryOpt::Branches]) {
        // Without a revision a log is read.
        read_log(git, &arguments, &mut people).await?;
        return print(git, &arguments, people).await;
    }
    for option in
        [HistoryOpt::Decorate, HistoryOpt::ClearDecorations, HistoryOpt::Timestamp, HistoryOpt::CommitHeader]
    {
        if let Some(truth) = arguments.truth(option) {
            let no = if truth { "" } else { "no-" };
            return Err(fatal!("unrecognized argument: --{no}{}", option.long()));
        }
    }
    if arguments.has(HistoryOpt::Follow) {
        return Err(fatal!("--follow requires exactly one pathspec"));
    }
    let mut history = git.history(&arguments.part(), Some("HEAD")).await?;
    history.prepare(git).await?;
    let roles = Opt::roles(&arguments)?;
    let style = git.log_style(&arguments.pick(Opt::style))?;
    let decorations = Decorations::default();
    while let Some(item) = history.next(git).await? {
        let bytes = git.object(&item.id).await?.1;
        // A format of the user's own takes the subject's place, up to its first blank line.
        let title = match &style.format {
            Format::User(..) if !arguments.has(Opt::Summary) => {
                let (decorations, bytes) = (&decorations, &bytes[..]);
                let shown = Shown { id: item.id, bytes, decorations, log: None, mark: "", from: None };
                subject(git.show_commit(&shown, &style, None).await?.trim_ascii_start())
            }
            _ => subject(message(&bytes)),
        };
        let title = if title.is_empty() { b"<none>".to_metered() } else { title };
        let mut names: Vec<Vec<u8>> = Vec::new();
        for role in &roles {
            let who = Signature::parse(header(&bytes, role).unwrap_or(&[]));
            let name = if arguments.has(Opt::Email) {
                [who.name, b" <", who.email, b">"].concat_metered()
            } else {
                who.name.to_metered()
            };
            if names.contains(&name) {
                continue;
            }
            if let Some(list) = people.get_or_default(Text::from(name.as_slice())) {
                list.push(title.clone());
            }
            names.push(name);
        }
    }
    print(git, &arguments, people).await
}

/// People, and the titles of their commits.
type People = BTreeMap<Text, Vec<Vec<u8>>>;

/// Takes people and titles from a log on standard input.
async fn read_log(git: &mut Git, arguments: &Arguments<Opt>, people: &mut People) -> Result<()> {
    let roles = Opt::roles(arguments)?;
    let is_committer = roles.first().is_some_and(|role| *role == b"committer");
    let fronts: [&[u8]; 2] =
        if is_committer { [b"Commit: ", b"committer "] } else { [b"Author: ", b"author "] };
    let text = git.ctx.standard_input().read_to_end().await?;
    let mut lines = text.split(|byte| *byte == b'\n');
    while let Some(line) = lines.next() {
        git.ctx.tick().await?;
        let Some(person) = fronts.iter().find_map(|front| line.strip_prefix(*front)) else { continue };
        // What stands after an empty line is the title.
        let mut title: &[u8] = b"";
        for line in lines.by_ref() {
            git.ctx.tick().await?;
            if line.is_empty() {
                break;
            }
        }
        for line in lines.by_ref() {
            git.ctx.tick().await?;
            title = line.trim_ascii();
            if !title.is_empty() {
                break;
            }
        }
        let who = Signature::parse(person.trim_ascii());
        let name = if arguments.has(Opt::Email) {
            [who.name, b" <", who.email, b">"].concat_metered()
        } else {
            who.name.to_metered()
        };
        let title = if title.is_empty() { b"<none>" } else { title };
        if let Some(list) = people.get_or_default(Text::from(name)) {
            // The log has the youngest first, as a history has.
            list.push(title.to_metered());
        }
    }
    Ok(())
}

async fn print(git: &mut Git, arguments: &Arguments<Opt>, people: People) -> Result<u8> {
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
