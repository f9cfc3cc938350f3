//! `git stash`: changes are put aside as commits and taken back.

use super::prelude::*;
use crate::memory::format;
use crate::utility::git::diff::files::{Telling, tree_and_index, tree_and_work_tree};
use crate::utility::git::diff::options::DiffOpt;
use crate::utility::git::diff::tree::{TreeOptions, compare};
use crate::utility::git::history::StyleOption;
use crate::utility::git::identity::Who;
use crate::utility::git::index::IndexEntry;
use crate::utility::git::object::commit::message;
use crate::utility::git::pathspec::Pathspec;
use crate::utility::git::pretty::subject;

options! {
    enum Opt {
        KeepIndex = flag('k', "keep-index", "keep index"),
        Staged = flag('S', "staged", "not supported"),
        Message = value('m', "message", "message", "stash message"),
        IncludeUntracked = flag('\0', "include-untracked", "not supported"),
        Index = flag('\0', "index", "attempt to recreate the index"),
        Quiet = flag('q', "", "be quiet"),
        Pretty = optional('\0', "pretty", "format", "the format of list"),
        Format = value('\0', "format", "format", "the format of list"),
        Oneline = flag('\0', "oneline", "the format of list"),
        Diff(DiffOpt),
    }
}

impl Opt {
    /// As an option on how commits are shown.
    const fn style(self) -> Option<StyleOption> {
        Some(match self {
            Self::Pretty => StyleOption::Pretty,
            Self::Format => StyleOption::Format,
            Self::Oneline => StyleOption::Oneline,
            Self::Diff(DiffOpt::Abbrev) => StyleOption::Abbrev,
            _ => return None,
        })
    }
}

pub(super) static COMMAND: Command = Command {
    name: "stash",
    usage: "git stash list [<log-options>]\ngit stash show [<diff-options>] [<stash>]\ngit stash drop [-q] [<stash>]\n\
git stash (pop | apply) [--index] [-q] [<stash>]\ngit stash clear\ngit stash [push [-k] [-q] [-m <message>]]",
    options: Opt::TABLE,
    run: command!(run),
    ..Command::BASE
};

async fn run(git: &mut Git) -> Result<u8> {
    let mut arguments = git.arguments::<Opt>()?;
    let word = arguments.operands.first().cloned().unwrap_or_else(|| Text::from_static(b"push"));
    if !arguments.operands.is_empty() {
        arguments.operands.remove(0);
        arguments.separator = arguments.separator.map(|at| at.saturating_sub(1));
    }
    if arguments.has(Opt::Staged) || arguments.has(Opt::IncludeUntracked) {
        return Err(fatal!("stash of untracked or staged files alone is not supported"));
    }
    let number = stash_number(arguments.operands.first());
    match word.as_bytes() {
        b"list" => list(git, &arguments).await,
        b"push" | b"save" => push(git, &arguments).await,
        b"show" => show(git, &arguments, number).await,
        b"clear" => {
            git.delete_ref(b"refs/stash")?;
            Ok(0)
        }
        b"drop" => drop_entry(git, &arguments, number).await,
        b"apply" | b"pop" => {
            apply(git, &arguments, number).await?;
            if word.as_bytes() == b"pop" {
                return drop_entry(git, &arguments, number).await;
            }
            Ok(0)
        }
        _ => Err(fatal!("'stash {word}' is not supported")),
    }
}

fn stash_number(name: Option<&Text>) -> usize {
    let Some(name) = name else { return 0 };
    let digits = name.strip_prefix(b"stash@{").and_then(|rest| rest.strip_suffix(b"}")).unwrap_or(name);
    let number = std::str::from_utf8(digits).ok().and_then(|digits| digits.parse().ok());
    number.unwrap_or(0)
}

fn entry_id(git: &mut Git, number: usize) -> Result<ObjectId> {
    let entries = git.read_log(b"refs/stash")?;
    if entries.is_empty() {
        return Err(GitError::Plain("No stash entries found.\n".into(), 1));
    }
    match entries.len().checked_sub(number + 1).and_then(|at| entries.get(at)) {
        Some(entry) => Ok(entry.new),
        None => Err(fatal!("log for 'stash' only has {} entries", entries.len())),
    }
}

async fn list(git: &mut Git, arguments: &Arguments<Opt>) -> Result<u8> {
    let entries = git.read_log(b"refs/stash")?;
    let style = git.log_style(&arguments.pick(Opt::style))?;
    let is_formatted = arguments.last_of([Opt::Pretty, Opt::Format, Opt::Oneline]).is_some();
    let decorations = crate::utility::git::pretty::Decorations::default();
    for (number, entry) in entries.iter().rev().enumerate() {
        if is_formatted {
            let bytes = git.object(&entry.new).await?.1;
            let name = Text::from(format!("stash@{{{number}}}"));
            let shown = crate::utility::git::pretty::Shown {
                id: entry.new,
                bytes: &bytes,
                decorations: &decorations,
                log: Some((&name, entry)),
                mark: "",
                from: None,
            };
            let text = git.show_commit(&shown, &style, None).await?;
            git.print(&text).await?;
            git.print(b"\n").await?;
        } else {
            git.print(format!("stash@{{{number}}}: {}\n", entry.message).as_bytes()).await?;
        }
    }
    Ok(0)
}

async fn push(git: &mut Git, arguments: &Arguments<Opt>) -> Result<u8> {
    git.work_tree()?;
    let Some(head) = git.head_id()? else {
        return Err(GitError::Plain("You do not have the initial commit yet\n".into(), 1));
    };
    let spec = git.pathspec(&arguments.operands)?;
    let mut index = git.read_index().await?;
    let tree = git.commit(&head).await?.tree;
    let staged = tree_and_index(git, tree, &index, &spec).await?;
    let changed = tree_and_work_tree(git, tree, &index, &spec, (Telling::CONTENTS, None)).await?;
    if staged.is_empty() && changed.is_empty() {
        if !arguments.has(Opt::Quiet) && !arguments.has(DiffOpt::Quiet) {
            git.print(b"No local changes to save\n").await?;
        }
        return Ok(0);
    }
    let branch = git.current_branch()?.unwrap_or_else(|| Text::from_static(b"(no branch)"));
    let bytes = git.object(&head).await?.1;
    let title = subject(message(&bytes));
    let about = format!("{branch}: {} {}", git.abbreviate(&head, None)?, bstr::BStr::new(&title));
    let author = git.who(Who::Author)?;
    let index_tree = git.write_tree(&index).await?;
    let index_commit =
        git.write_commit(index_tree, &[head], &author, format!("index on {about}\n").as_bytes()).await?;
    let kept = index.clone();
    git.update_tracked(&mut index, &spec, true, false).await?;
    let work = git.write_tree(&index).await?;
    let text = match arguments.value(Opt::Message) {
        Some(given) => format!("On {branch}: {given}"),
        None => format!("WIP on {about}"),
    };
    let id = git.write_commit(work, &[head, index_commit], &author, text.as_bytes()).await?;
    let old = git.ref_id(b"refs/stash")?;
    let mut entries = git.read_log(b"refs/stash")?;
    git.write_ref(b"refs/stash", id)?;
    entries.push(crate::utility::git::refs::LogEntry {
        old: old.unwrap_or_default(),
        new: id,
        who: git.who(Who::Committer)?.into(),
        message: Text::from(text.as_str()),
    });
    git.write_log(b"refs/stash", &entries)?;
    if spec.is_empty() {
        git.reset_hard(if arguments.has(Opt::KeepIndex) { index_tree } else { tree }).await?;
        if arguments.has(Opt::KeepIndex) {
            git.write_index(&kept).await?;
        }
    } else {
        git.write_index(&kept).await?;
        git.restore_index(tree, &spec).await?;
        for change in &changed {
            if change.old.mode == 0 {
                git.remove_work_file(&change.path)?;
            } else {
                git.check_out(&change.path, change.old.mode, &change.old.id).await?;
            }
        }
    }
    if !arguments.has(Opt::Quiet) && !arguments.has(DiffOpt::Quiet) {
        git.print(format!("Saved working directory and index state {text}\n").as_bytes()).await?;
    }
    Ok(0)
}

async fn show(git: &mut Git, arguments: &Arguments<Opt>, number: usize) -> Result<u8> {
    let id = entry_id(git, number)?;
    let mut options = git.diff_options(&arguments.part())?;
    if options.formats.is_default() {
        options.formats.stat = true;
    }
    let commit = git.commit(&id).await?;
    let Some(parent) = commit.parents.first() else {
        return Err(fatal!("'{id}' is not a stash-like commit"));
    };
    let old = git.commit(parent).await?.tree;
    let changes = compare(git, old, commit.tree, &Pathspec::default(), TreeOptions::RECURSIVE).await?;
    super::diff::finish(git, changes, &options).await
}

async fn apply(git: &mut Git, arguments: &Arguments<Opt>, number: usize) -> Result<()> {
    git.work_tree()?;
    let id = entry_id(git, number)?;
    let commit = git.commit(&id).await?;
    let (Some(base), Some(staged)) = (commit.parents.first(), commit.parents.get(1)) else {
        return Err(fatal!("'{id}' is not a stash-like commit"));
    };
    let base_tree = git.commit(base).await?.tree;
    let staged_tree = git.commit(staged).await?.tree;
    let mut index = git.read_index().await?;
    let changes = compare(git, base_tree, commit.tree, &Pathspec::default(), TreeOptions::RECURSIVE).await?;
    let mut dirty: Vec<Text> = Vec::new();
    for change in &changes {
        let mode = git.work_mode(&change.path)?;
        let is_as_before = match mode {
            None => change.old.mode == 0,
            Some(mode) => change.old.mode == mode && git.work_id(&change.path, mode).await? == change.old.id,
        };
        if !is_as_before {
            dirty.push(change.path.clone());
        }
    }
    if !dirty.is_empty() {
        let mut text: String =
            "error: Your local changes to the following files would be overwritten by merge:\n".into();
        for path in &dirty {
            text.push_str(&format!("\t{path}\n"));
        }
        text.push_str("Please commit your changes or stash them before you merge.\nAborting\n");
        return Err(GitError::Plain(text, 1));
    }
    for change in &changes {
        if change.new.mode == 0 {
            git.remove_work_file(&change.path)?;
            continue;
        }
        let stat = git.check_out(&change.path, change.new.mode, &change.new.id).await?;
        if change.old.mode == 0 {
            // New files stay known, as they were when they were put aside.
            let (mode, id, path) = (change.new.mode, change.new.id, change.path.clone());
            index.put(IndexEntry { stat, mode, id, path, ..IndexEntry::default() });
        }
    }
    if arguments.has(Opt::Index) {
        let head = git.head_tree().await?;
        for change in compare(git, head, staged_tree, &Pathspec::default(), TreeOptions::RECURSIVE).await? {
            if change.new.mode == 0 {
                index.remove(&change.path);
            } else {
                let (mode, id, path) = (change.new.mode, change.new.id, change.path.clone());
                index.put(IndexEntry { mode, id, path, ..IndexEntry::default() });
            }
        }
    }
    git.write_index(&index).await?;
    if !arguments.has(Opt::Quiet) && !arguments.has(DiffOpt::Quiet) {
        use crate::utility::git::status::{Ignored, Untracked};
        let renames = git.diff_defaults().renames;
        let status = git.status(&Pathspec::default(), Untracked::Normal, Ignored::No, renames).await?;
        super::status::long(git, &status, &super::status::LongView::default()).await?;
    }
    Ok(())
}

async fn drop_entry(git: &mut Git, arguments: &Arguments<Opt>, number: usize) -> Result<u8> {
    let id = entry_id(git, number)?;
    let mut entries = git.read_log(b"refs/stash")?;
    if let Some(at) = entries.len().checked_sub(number + 1) {
        entries.remove(at);
        let before = at
            .checked_sub(1)
            .and_then(|before| entries.get(before))
            .map_or(ObjectId::ZERO, |entry| entry.new);
        if let Some(next) = entries.get_mut(at) {
            next.old = before;
        }
    }
    match entries.last().map(|entry| entry.new) {
        Some(last) => {
            git.write_ref(b"refs/stash", last)?;
            git.write_log(b"refs/stash", &entries)?;
        }
        None => git.delete_ref(b"refs/stash")?,
    }
    if !arguments.has(Opt::Quiet) && !arguments.has(DiffOpt::Quiet) {
        let name = arguments.operands.first().cloned();
        let shown = match name {
            Some(name) if name.starts_with(b"stash@") => format!("{name}"),
            Some(name) => format!("stash@{{{name}}}"),
            None => "refs/stash@{0}".into(),
        };
        git.print(format!("Dropped {shown} ({id})\n").as_bytes()).await?;
    }
    Ok(0)
}
