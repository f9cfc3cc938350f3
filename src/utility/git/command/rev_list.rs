//! `git rev-list`: the names of commits.

use super::prelude::*;
use crate::memory::format;
use crate::utility::git::history::LOG_OPTIONS;
use crate::utility::git::object::commit::Commit;
use crate::utility::git::pretty::{Decorations, Format, Shown};

pub(super) static COMMAND: Command = Command {
    name: "rev-list",
    usage: "git rev-list [<options>] <commit>... [--] [<path>...]",
    options: &[
        LOG_OPTIONS,
        &[flag('\0', "quiet", "print nothing"), optional('\0', "abbrev", "n", "digits of names")],
    ],
    style: Style::Revisions,
    run: command!(run),
    ..Command::BASE
};

async fn run(git: &mut Git) -> Result<u8> {
    let arguments = git.arguments()?;
    if arguments.has("graph") {
        return Err(fatal!("rev-list --graph is not supported"));
    }
    let mut history = git.history(&arguments, None).await?;
    let has_refs = ["all", "branches", "tags", "remotes", "glob"].iter().any(|name| arguments.has(name));
    if !history.walk.has_tips() {
        if has_refs {
            if arguments.has("count") {
                git.print(b"0\n").await?;
            }
            return Ok(0);
        }
        return Err(GitError::Plain(super::super::arguments::usage(&COMMAND), 129));
    }
    let is_formatted = arguments.last_of(&["pretty", "format", "oneline"]).is_some();
    let style = git.log_style(&arguments)?;
    let decorations = if is_formatted { git.decorations().await? } else { Decorations::default() };
    history.prepare(git).await?;
    let mut counts = [0_usize; 2];
    while let Some(item) = history.next(git).await? {
        if arguments.has("count") {
            let [right, left] = &mut counts;
            *(if history.left_right && item.is_left { left } else { right }) += 1;
            continue;
        }
        if arguments.has("quiet") {
            continue;
        }
        let mark = history.mark(&item);
        let name = if style.abbreviates {
            git.abbreviate(&item.id, style.abbreviation)?
        } else {
            item.id.hex().into()
        };
        let mut line: Vec<u8> = Vec::new();
        if arguments.has("timestamp") {
            line.extend_from_slice(format!("{} ", item.commit.date).as_bytes());
        }
        if is_formatted {
            let bytes = git.object(&item.id).await?.1;
            let shown =
                Shown { id: item.id, bytes: &bytes, decorations: &decorations, log: None, mark, from: None };
            let text = git.show_commit(&shown, &style, None).await?;
            if matches!(style.format, Format::User(..) | Format::Reference)
                && arguments.truth("commit-header") != Some(false)
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
        if arguments.has("parents") {
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
    if arguments.has("count") {
        let [right, left] = counts;
        let text =
            if history.left_right { format!("{left}\t{right}\n") } else { format!("{}\n", left + right) };
        git.print(text.as_bytes()).await?;
    }
    Ok(0)
}
