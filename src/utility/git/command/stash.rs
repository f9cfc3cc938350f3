//! `git stash`: changes are put aside as commits and taken back.

use super::prelude::*;
use crate::memory::format;
use crate::utility::git::diff::change::Change;
use crate::utility::git::diff::files::{Telling, tree_and_index, tree_and_work_tree};
use crate::utility::git::diff::options::DiffOpt;
use crate::utility::git::diff::tree::{TreeOptions, compare};
use crate::utility::git::identity::Who;
use crate::utility::git::index::{Index, IndexEntry};
use crate::utility::git::object::commit::message;
use crate::utility::git::object::tree::SUBMODULE;
use crate::utility::git::pathspec::{Pathspec, below};
use crate::utility::git::pretty::subject;
use crate::utility::git::status::{Ignored, Status, Untracked};

options! {
    enum Opt {
        KeepIndex = flag('k', "keep-index", "keep index"),
        Staged = flag('S', "staged", "not supported"),
        Message = value('m', "message", "message", "stash message"),
        IncludeUntracked = flag('u', "include-untracked", "include untracked files in stash"),
        All = flag('a', "all", "include ignore files"),
        OnlyUntracked = flag('\0', "only-untracked", "show only untracked files"),
        Index = flag('\0', "index", "attempt to recreate the index"),
        Quiet = flag('q', "", "be quiet"),
        Diff(DiffOpt),
    }
}

pub(super) static COMMAND: Command = Command {
    name: "stash",
    usage: "git stash list [<log-options>]\ngit stash show [-u | --include-untracked | --only-untracked] [<diff-options>] \
[<stash>]\ngit stash drop [-q | --quiet] [<stash>]\ngit stash pop [--index] [-q | --quiet] [<stash>]\n\
git stash apply [--index] [-q | --quiet] [<stash>]\ngit stash [push [-k | --[no-]keep-index] [-q | --quiet] [-u | \
--include-untracked] [-a | --all] [(-m | --message) <message>] [--] [<pathspec>...]]\ngit stash save [-k] [-q] [-u] [-a] \
[<message>]\ngit stash clear\ngit stash create [<message>]\n\
git stash store [(-m | --message) <message>] [-q | --quiet] <commit>",
    options: Opt::TABLE,
    run: command!(run),
    ..Command::BASE
};

/// The ref whose log has the entries.
const STASH: &[u8] = b"refs/stash";

async fn run(git: &mut Git) -> Result<u8> {
    if git.ctx.args.first().is_some_and(|word| **word == *b"list") {
        return list(git).await;
    }
    let mut arguments = git.arguments::<Opt>()?;
    // What stands after `--` are paths.
    let is_named = arguments.separator != Some(0) && !arguments.operands.is_empty();
    let word = if is_named { arguments.operands.remove(0) } else { Text::from_static(b"push") };
    if is_named {
        arguments.separator = arguments.separator.map(|at| at.saturating_sub(1));
    }
    if arguments.has(Opt::Staged) {
        return Err(fatal!("stash of staged files alone is not supported"));
    }
    match word.as_bytes() {
        b"push" => {
            let message = arguments.value(Opt::Message).cloned();
            push(git, &arguments, message, &arguments.operands).await
        }
        b"save" => {
            let words = (!arguments.operands.is_empty()).then(|| arguments.operands.join_metered(b" "));
            let message = arguments.value(Opt::Message).cloned().or_else(|| words.map(Text::from));
            push(git, &arguments, message, &[]).await
        }
        b"create" => {
            let words = arguments.operands.join_metered(b" ");
            let message = (!words.is_empty()).then(|| Text::from(words));
            create(git, message).await
        }
        b"store" => store(git, &arguments).await,
        b"show" => show(git, &arguments).await,
        b"clear" if !arguments.operands.is_empty() => {
            Err(GitError::Error("git stash clear with arguments is unimplemented".into(), 1))
        }
        b"clear" => {
            git.delete_ref(STASH)?;
            Ok(0)
        }
        b"drop" => {
            let entry = Entry::find(git, &arguments.operands).await?;
            drop_entry(git, &arguments, &entry).await
        }
        b"apply" | b"pop" => {
            let entry = Entry::find(git, &arguments.operands).await?;
            let pops = word.as_bytes() == b"pop";
            if pops {
                entry.place()?;
            }
            let status = apply(git, &arguments, &entry).await?;
            if !pops {
                return Ok(status);
            }
            if status != 0 {
                git.print(b"The stash entry is kept in case you need it again.\n").await?;
                return Ok(status);
            }
            drop_entry(git, &arguments, &entry).await
        }
        b"branch" => Err(fatal!("'stash {word}' is not supported")),
        _ => Err(fatal!(
            "subcommand wasn't specified; 'push' can't be assumed due to unexpected token '{word}'"
        )),
    }
}

fn is_quiet(arguments: &Arguments<Opt>) -> bool {
    arguments.has(Opt::Quiet) || arguments.has(DiffOpt::Quiet)
}

/// The commits of what was put aside.
struct Entry {
    /// As it was named.
    name: Text,
    id: ObjectId,
    tree: ObjectId,
    base: ObjectId,
    staged: ObjectId,
    /// The commit of files that git did not know.
    untracked: Option<ObjectId>,
}

impl Entry {
    /// The entry that operands name; without any the last.
    async fn find(git: &mut Git, operands: &[Text]) -> Result<Self> {
        let name = match operands {
            [] if git.ref_id(STASH)?.is_none() => {
                return Err(GitError::Plain("No stash entries found.\n".into(), 1));
            }
            [] => Text::from_static(b"refs/stash@{0}"),
            [name] if name.iter().all(u8::is_ascii_digit) => Text::from(format!("refs/stash@{{{name}}}")),
            [name] => name.clone(),
            _ => {
                let names: Vec<Text> = operands.iter().map(|name| Text::from(format!("'{name}'"))).collect();
                let names = names.join_metered(b" ");
                let text = format!("Too many revisions specified: {}\n", bstr::BStr::new(&names));
                return Err(GitError::Plain(text, 1));
            }
        };
        let Some(id) = git.resolve(&name).await? else {
            return Err(GitError::Error(format!("{name} is not a valid reference"), 1));
        };
        let Some(id) = git.peel(id, Kind::Commit).await? else {
            return Err(fatal!("'{name}' is not a stash-like commit"));
        };
        let commit = git.commit(&id).await?;
        let [base, staged, others @ ..] = commit.parents.as_slice() else {
            return Err(fatal!("'{name}' is not a stash-like commit"));
        };
        let untracked = others.first().copied();
        Ok(Self { name, id, tree: commit.tree, base: *base, staged: *staged, untracked })
    }

    /// Which entry of the log it is, counted from the last.
    fn place(&self) -> Result<usize> {
        let digits = memchr::memmem::find(&self.name, b"@{")
            .filter(|at| matches!(self.name.get(..*at), Some(b"stash" | b"refs/stash")))
            .and_then(|at| self.name.get(at + 2..)?.strip_suffix(b"}"));
        let number = digits.and_then(|digits| std::str::from_utf8(digits).ok()?.parse().ok());
        number.ok_or_else(|| GitError::Error(format!("'{}' is not a stash reference", self.name), 1))
    }
}

/// The list is the log of the ref.
async fn list(git: &mut Git) -> Result<u8> {
    if git.ref_id(STASH)?.is_none() {
        return Ok(0);
    }
    let mut args = std::mem::take(&mut git.ctx.args);
    let front = ["--format=%gd: %gs", "-g", "--first-parent"];
    args.splice(0..1, front.iter().map(|word| Text::from_static(word.as_bytes())));
    args.push(Text::from_static(STASH));
    args.push(Text::from_static(b"--"));
    git.ctx.args = args;
    git.row = &super::log::COMMAND;
    super::log::run(git).await
}

/// What is to be put aside, and how.
struct Pushed<'p> {
    head: ObjectId,
    index: &'p Index,
    /// What is not as in the last commit.
    changed: &'p [Change],
    spec: &'p Pathspec,
    message: Option<Text>,
    /// Files that git does not know, if they are wanted.
    untracked: &'p [Text],
}

/// Writes the commits of what is put aside: the last one and its text.
async fn write_commits(git: &mut Git, pushed: &Pushed<'_>) -> Result<(ObjectId, String)> {
    let head = pushed.head;
    let branch = git.current_branch()?.unwrap_or_else(|| Text::from_static(b"(no branch)"));
    let bytes = git.object(&head).await?.1;
    let title = subject(message(&bytes));
    let about = format!("{branch}: {} {}", git.abbreviate(&head, None)?, bstr::BStr::new(&title));
    let author = git.who(Who::Author)?;
    let index_tree = git.write_tree(pushed.index).await?;
    let text = format!("index on {about}\n");
    let mut parents: Vec<ObjectId> = Vec::new();
    parents.push(head);
    parents.push(git.write_commit(index_tree, &[head], &author, text.as_bytes()).await?);
    if !pushed.untracked.is_empty() {
        let mut files = Index::default();
        for path in pushed.untracked {
            if let Some(entry) = git.entry_of(path, None).await? {
                files.put(entry);
            }
        }
        let tree = git.write_tree(&files).await?;
        let text = format!("untracked files on {about}\n");
        parents.push(git.write_commit(tree, &[], &author, text.as_bytes()).await?);
    }
    let mut index = pushed.index.clone();
    git.update_tracked(&mut index, pushed.spec, true, false).await?;
    for change in pushed.changed {
        // A file that the index has let go is put aside as it is.
        if index.range(&change.path).is_empty()
            && git.work_mode(&change.path)?.is_some_and(|mode| mode & 0o170_000 != SUBMODULE)
            && let Some(entry) = git.entry_of(&change.path, None).await?
        {
            index.put(entry);
        }
    }
    let work = git.write_tree(&index).await?;
    let text = match &pushed.message {
        Some(given) => format!("On {branch}: {given}"),
        None => format!("WIP on {about}"),
    };
    let id = git.write_commit(work, &parents, &author, text.as_bytes()).await?;
    Ok((id, text))
}

/// Adds an entry to the log.
fn add_entry(git: &mut Git, id: ObjectId, text: &str) -> Result<()> {
    let old = git.ref_id(STASH)?;
    if old == Some(id) {
        return Ok(());
    }
    let mut entries = git.read_log(STASH)?;
    git.write_ref(STASH, id)?;
    entries.push(crate::utility::git::refs::LogEntry {
        old: old.unwrap_or_default(),
        new: id,
        who: git.who(Who::Committer)?.into(),
        message: Text::from(text),
    });
    git.write_log(STASH, &entries)
}

/// Files that git does not know.
async fn untracked(git: &mut Git, index: &Index, spec: &Pathspec, with_ignored: bool) -> Result<Vec<Text>> {
    let mut status = Status::default();
    let ignored = if with_ignored { Ignored::Traditional } else { Ignored::No };
    git.find_unknown(index, spec, (Untracked::All, ignored), &mut status).await?;
    let mut paths = status.untracked;
    if with_ignored {
        paths.extend(status.ignored);
    }
    // Other repositories stay where they are.
    paths.retain(|path| !path.ends_with(b"/"));
    paths.sort();
    Ok(paths)
}

fn head_or_fail(git: &mut Git) -> Result<ObjectId> {
    match git.head_id()? {
        Some(head) => Ok(head),
        None => Err(GitError::Plain("You do not have the initial commit yet\n".into(), 1)),
    }
}

async fn push(
    git: &mut Git,
    arguments: &Arguments<Opt>,
    message: Option<Text>,
    paths: &[Text],
) -> Result<u8> {
    git.work_tree()?;
    if arguments.has(DiffOpt::Patch) {
        return Err(fatal!("stash push --patch is not supported"));
    }
    let head = head_or_fail(git)?;
    let spec = git.pathspec(paths)?;
    let index = git.read_index().await?;
    let tree = git.commit(&head).await?.tree;
    let with_ignored = arguments.has(Opt::All);
    let with_untracked = with_ignored || arguments.has(Opt::IncludeUntracked);
    if !with_untracked {
        let known = index.entries.iter().map(|entry| entry.path.as_bytes());
        let missing = spec.unmatched(&known);
        if !missing.is_empty() {
            return Err(unmatched(git, &missing));
        }
    }
    let staged = tree_and_index(git, tree, &index, &spec).await?;
    let changed = tree_and_work_tree(git, tree, &index, &spec, (Telling::CONTENTS, None)).await?;
    let others = if with_untracked { untracked(git, &index, &spec, with_ignored).await? } else { Vec::new() };
    if staged.is_empty() && changed.is_empty() && others.is_empty() {
        if !is_quiet(arguments) {
            git.print(b"No local changes to save\n").await?;
        }
        return Ok(0);
    }
    let pushed = Pushed { head, index: &index, changed: &changed, spec: &spec, message, untracked: &others };
    let (id, text) = write_commits(git, &pushed).await?;
    add_entry(git, id, &text)?;
    if !is_quiet(arguments) {
        git.print(format!("Saved working directory and index state {text}\n").as_bytes()).await?;
    }
    for path in &others {
        git.ctx.tick().await?;
        git.remove_work_file(path)?;
    }
    let keeps_index = arguments.has(Opt::KeepIndex);
    if spec.is_empty() {
        let staged = git.write_tree(&index).await?;
        git.reset_hard(if keeps_index { staged } else { tree }).await?;
    } else if keeps_index {
        // The files are as the index has them.
        for entry in index.entries.iter().filter(|entry| entry.stage == 0 && spec.matches(&entry.path)) {
            git.check_out(&entry.path, entry.mode, &entry.id).await?;
        }
    } else {
        for change in &staged {
            if change.old.mode == 0 {
                git.remove_work_file(&change.path)?;
            }
        }
        if !staged.is_empty() || !changed.is_empty() {
            git.restore_index(tree, &spec).await?;
        }
        for change in &changed {
            if change.old.mode == 0 {
                git.remove_work_file(&change.path)?;
            } else {
                git.check_out(&change.path, change.old.mode, &change.old.id).await?;
            }
        }
    }
    Ok(0)
}

/// What git says of paths that it does not know.
fn unmatched(git: &mut Git, missing: &[Text]) -> GitError {
    for given in missing {
        let prefix = git.repo.prefix.clone();
        let path = below(&prefix, given).unwrap_or_default();
        // Of the folder only what the path has of it counts.
        let shared = if path.starts_with(&prefix) { prefix.len() } else { 0 };
        let path = bstr::BStr::new(&path);
        git.say(&format!(
            "error: pathspec ':(prefix:{shared}){path}' did not match any file(s) known to git"
        ));
    }
    GitError::Plain("Did you forget to 'git add'?\n".into(), 1)
}

/// `git stash create`: the commits alone.
async fn create(git: &mut Git, message: Option<Text>) -> Result<u8> {
    git.work_tree()?;
    let head = head_or_fail(git)?;
    let spec = Pathspec::default();
    let index = git.read_index().await?;
    let tree = git.commit(&head).await?.tree;
    let staged = tree_and_index(git, tree, &index, &spec).await?;
    let changed = tree_and_work_tree(git, tree, &index, &spec, (Telling::CONTENTS, None)).await?;
    if staged.is_empty() && changed.is_empty() {
        return Ok(0);
    }
    let pushed = Pushed { head, index: &index, changed: &changed, spec: &spec, message, untracked: &[] };
    let (id, _) = write_commits(git, &pushed).await?;
    git.print(format!("{id}\n").as_bytes()).await?;
    Ok(0)
}

/// `git stash store`: a commit becomes an entry.
async fn store(git: &mut Git, arguments: &Arguments<Opt>) -> Result<u8> {
    let [name] = arguments.operands.as_slice() else {
        let text = "\"git stash store\" requires one <commit> argument\n";
        let text = if is_quiet(arguments) { "" } else { text };
        return Err(GitError::Plain(text.into(), 1));
    };
    let entry = Entry::find(git, std::slice::from_ref(name)).await?;
    let text = arguments.value(Opt::Message).map_or(&b"Created via \"git stash store\"."[..], |text| text);
    let text = String::from_utf8_lossy(text);
    add_entry(git, entry.id, &text)?;
    Ok(0)
}

async fn show(git: &mut Git, arguments: &Arguments<Opt>) -> Result<u8> {
    let entry = Entry::find(git, &arguments.operands).await?;
    let mut options = git.diff_options(&arguments.part())?;
    if options.formats.is_default() {
        options.formats.stat = git.config.truth("stash.showstat") != Some(false);
        options.formats.patch = git.config.truth("stash.showpatch") == Some(true);
    }
    let configured = git.config.truth("stash.showincludeuntracked") == Some(true);
    let kind = arguments.truth_of_last([Opt::IncludeUntracked, Opt::OnlyUntracked]);
    let (spec, mut changes) = (Pathspec::default(), Vec::new());
    if !matches!(kind, Some((Opt::OnlyUntracked, true))) {
        let old = git.commit(&entry.base).await?.tree;
        changes = compare(git, old, entry.tree, &spec, TreeOptions::RECURSIVE).await?;
    }
    if kind.map_or(configured, |(_, is_wanted)| is_wanted)
        && let Some(untracked) = entry.untracked
    {
        let tree = git.commit(&untracked).await?.tree;
        changes.extend(compare(git, ObjectId::EMPTY_TREE, tree, &spec, TreeOptions::RECURSIVE).await?);
        changes.sort_by(|one, other| one.path.cmp(&other.path));
    }
    super::diff::finish(git, changes, &options).await
}

/// Takes changes back; the status.
async fn apply(git: &mut Git, arguments: &Arguments<Opt>, entry: &Entry) -> Result<u8> {
    git.work_tree()?;
    let mut status = take_back(git, arguments, entry).await?;
    if let Some(untracked) = entry.untracked
        && !restore_untracked(git, untracked).await?
    {
        git.say("error: could not restore untracked files from stash");
        status = 1;
    }
    if !is_quiet(arguments) {
        let renames = git.diff_defaults().renames;
        let now = git.status(&Pathspec::default(), Untracked::Normal, Ignored::No, renames).await?;
        super::status::long(git, &now, &super::status::LongView::default()).await?;
    }
    Ok(status)
}

/// Takes back what git knew; the status.
async fn take_back(git: &mut Git, arguments: &Arguments<Opt>, entry: &Entry) -> Result<u8> {
    let base_tree = git.commit(&entry.base).await?.tree;
    let staged_tree = git.commit(&entry.staged).await?.tree;
    let mut index = git.read_index().await?;
    let changes = compare(git, base_tree, entry.tree, &Pathspec::default(), TreeOptions::RECURSIVE).await?;
    // What the index has already is not changed again.
    let is_there = |change: &Change| match index.get(&change.path) {
        Some(entry) => (entry.mode, entry.id) == (change.new.mode, change.new.id),
        None => change.new.mode == 0,
    };
    let changes: Vec<Change> = changes.into_iter().filter(|change| !is_there(change)).collect();
    if changes.is_empty() {
        git.print(b"Already up to date.\n").await?;
    }
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
        text.push_str("Please commit your changes or stash them before you merge.\nAborting");
        git.say(&text);
        if arguments.has(Opt::Index) {
            git.say("Index was not unstashed.");
        }
        return Ok(1);
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
    Ok(0)
}

/// Writes the files that git did not know; whether none of them is there.
async fn restore_untracked(git: &mut Git, commit: ObjectId) -> Result<bool> {
    let tree = git.commit(&commit).await?.tree;
    let mut is_whole = true;
    for file in crate::utility::git::diff::tree::files(git, tree, &Pathspec::default()).await? {
        git.ctx.tick().await?;
        if git.fs().symlink_metadata(&git.in_work_tree(&file.path)).is_ok() {
            git.say(&format!("{} already exists, no checkout", file.path));
            is_whole = false;
            continue;
        }
        git.check_out(&file.path, file.mode, &file.id).await?;
    }
    Ok(is_whole)
}

async fn drop_entry(git: &mut Git, arguments: &Arguments<Opt>, entry: &Entry) -> Result<u8> {
    let number = entry.place()?;
    let mut entries = git.read_log(STASH)?;
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
            git.write_ref(STASH, last)?;
            git.write_log(STASH, &entries)?;
        }
        None => git.delete_ref(STASH)?,
    }
    if !is_quiet(arguments) {
        git.print(format!("Dropped {} ({})\n", entry.name, entry.id).as_bytes()).await?;
    }
    Ok(0)
}
