//! `git rev-list`: the names of commits.

use super::prelude::*;
use crate::memory::format;
use crate::utility::git::history::{HistoryOpt, StyleOption};
use crate::utility::git::object::commit::Commit;
use crate::utility::git::pretty::{Decorations, Format, Shown};

options! {
    enum Opt {
        History(HistoryOpt),
        Quiet = flag('\0', "quiet", "print nothing"),
        Abbrev = optional('\0', "abbrev", "n", "digits of names"),
    }
}

impl Opt {
    /// As an option on how commits are shown.
    const fn style(self) -> Option<StyleOption> {
        match self {
            Self::History(option) => option.style(),
            Self::Abbrev => Some(StyleOption::Abbrev),
            Self::Quiet => None,
        }
    }
}

pub(super) static COMMAND: Command = Command {
    name: "rev-list",
    usage: "git rev-list [<options>] <commit>... [--] [<path>...]",
    options: Opt::TABLE,
    style: Style::Revisions,
    run: command!(run),
    ..Command::BASE
};

async fn run(git: &mut Git) -> Result<u8> {
    let arguments = git.arguments::<Opt>()?;
    if arguments.has(HistoryOpt::Graph) {
        return Err(fatal!("rev-list --graph is not supported"));
    }
    if arguments.has(HistoryOpt::Follow) {
        return Err(fatal!("--follow requires exactly one pathspec"));
    }
    // What is for commands that show changes or names of refs.
    let foreign = [
        HistoryOpt::ShowTrees,
        HistoryOpt::Recursive,
        HistoryOpt::Combined,
        HistoryOpt::DenseCombined,
        HistoryOpt::FirstParentDiff,
        HistoryOpt::Decorate,
        HistoryOpt::ClearDecorations,
        HistoryOpt::FullDiff,
    ];
    if foreign.iter().any(|option| arguments.truth(*option).is_some()) {
        return Err(COMMAND.usage_error());
    }
    let mut history = git.history(&arguments.part(), None).await?;
    let has_refs = arguments.has_any([
        HistoryOpt::All,
        HistoryOpt::Branches,
        HistoryOpt::Tags,
        HistoryOpt::Remotes,
        HistoryOpt::Glob,
    ]);
    if !history.walk.has_tips() {
        if has_refs {
            if arguments.has(HistoryOpt::Count) {
                git.print(b"0\n").await?;
            }
            return Ok(0);
        }
        return Err(COMMAND.usage_error());
    }
    let is_formatted =
        arguments.last_of([HistoryOpt::Pretty, HistoryOpt::Format, HistoryOpt::Oneline]).is_some();
    let style = git.log_style(&arguments.pick(Opt::style))?;
    let decorations = if is_formatted { git.decorations().await? } else { Decorations::default() };
    history.prepare(git).await?;
    let mut counts = [0_usize; 2];
    while let Some(item) = history.next(git).await? {
        if arguments.has(HistoryOpt::Count) {
            let [right, left] = &mut counts;
            *(if history.left_right && item.is_left { left } else { right }) += 1;
            continue;
        }
        if arguments.has(Opt::Quiet) {
            continue;
        }
        let mark = history.mark(&item);
        let name = if style.abbreviates {
            git.abbreviate(&item.id, style.abbreviation)?
        } else {
            item.id.hex().into()
        };
        let mut line: Vec<u8> = Vec::new();
        if arguments.has(HistoryOpt::Timestamp) {
            line.extend_from_slice(format!("{} ", item.commit.date).as_bytes());
        }
        if is_formatted {
            let bytes = git.object(&item.id).await?.1;
            let shown =
                Shown { id: item.id, bytes: &bytes, decorations: &decorations, log: None, mark, from: None };
            let text = git.show_commit(&shown, &style, None).await?;
            if matches!(style.format, Format::User(..) | Format::Reference)
                && arguments.truth(HistoryOpt::CommitHeader) != Some(false)
            {
                line.extend_from_slice(&[b"commit ", mark.as_bytes(), &name[..], b"\n"].concat_metered());
            }
            line.extend_from_slice(&text);
            if !matches!(&style.format, Format::User(text, _) if text.is_empty()) {
                line.push(b'\n');
            }
            git.print(&line).await?;
            continue;
        }
        line.extend_from_slice(mark.as_bytes());
        line.extend_from_slice(&name);
        if arguments.has(HistoryOpt::Parents) {
            let bytes = git.object(&item.id).await?.1;
            let all = Commit::parse(&bytes).map(|commit| commit.parents).unwrap_or_default();
            let parents = if history.paths.is_empty() {
                all
            } else {
                history.walk.rewritten_parents(git, &item.id).await?
            };
            for parent in &parents {
                line.extend_from_slice(format!(" {parent}").as_bytes());
            }
        }
        line.push(b'\n');
        git.print(&line).await?;
    }
    if arguments.has(HistoryOpt::Count) {
        let [right, left] = counts;
        let text =
            if history.left_right { format!("{left}\t{right}\n") } else { format!("{}\n", left + right) };
        git.print(text.as_bytes()).await?;
    }
    Ok(0)
}
