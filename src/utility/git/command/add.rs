//! `git add`.

use super::prelude::*;
use crate::memory::format;
use crate::utility::git::diff::files::{Telling, index_and_work_tree};
use crate::utility::git::index::{Index, IndexEntry, Stat};
use crate::utility::git::object::tree::{EXECUTABLE, REGULAR, SUBMODULE};
use crate::utility::git::pathspec::Pathspec;
use crate::utility::git::status::{Ignored, Status, Untracked};

options! {
    enum Opt {
        DryRun = flag('n', "dry-run", "dry run"),
        Verbose = flag('v', "verbose", "be verbose"),
        Interactive = flag('i', "interactive", "not supported"),
        Patch = flag('p', "patch", "not supported"),
        Edit = flag('e', "edit", "not supported"),
        Force = flag('f', "force", "allow adding otherwise ignored files"),
        Update = flag('u', "update", "update tracked files"),
        IntentToAdd = flag('N', "intent-to-add", "record only the fact that the path will be added later"),
        All = flag('A', "all", "add changes from all tracked and untracked files"),
        IgnoreRemoval = flag('\0', "ignore-removal", "ignore paths removed in the working tree (same as --no-all)"),
        Refresh = flag('\0', "refresh", "don't add, only refresh the index"),
        IgnoreMissing = flag('\0', "ignore-missing", "check if - even missing - files are ignored in dry run"),
        Chmod = value('\0', "chmod", "(+|-)x", "override the executable bit of the listed files"),
        PathspecFromFile = value('\0', "pathspec-from-file", "file", "not supported"),
        Sparse = flag('\0', "sparse", "allow updating entries outside of the sparse-checkout cone"),
        Renormalize = flag('\0', "renormalize", "not supported"),
    }
}

pub(super) static COMMAND: Command = Command {
    name: "add",
    usage: "git add [<options>] [--] <pathspec>...",
    options: Opt::TABLE,
    needs: Needs::WorkTree,
    run: command!(run),
    ..Command::BASE
};

async fn run(git: &mut Git) -> Result<u8> {
    let arguments = git.arguments::<Opt>()?;
    if let Some(option) =
        arguments.first_of([Opt::Interactive, Opt::Patch, Opt::Edit, Opt::PathspecFromFile, Opt::Renormalize])
    {
        return Err(fatal!("add --{} is not supported", option.long()));
    }
    let (update, all) = (arguments.has(Opt::Update), arguments.has(Opt::All));
    if update && all {
        return Err(fatal!("options '-A' and '-u' cannot be used together"));
    }
    let is_dry = arguments.has(Opt::DryRun);
    if arguments.has(Opt::IgnoreMissing) && !is_dry {
        return Err(fatal!("the option '--ignore-missing' requires '--dry-run'"));
    }
    if arguments.operands.is_empty() && !update && !all {
        git.say("Nothing specified, nothing added.");
        git.say("hint: Maybe you wanted to say 'git add .'?");
        git.say("hint: Disable this message with \"git config advice.addEmptyPathspec false\"");
        return Ok(0);
    }
    if arguments.operands.iter().any(|operand| operand.is_empty()) {
        return Err(fatal!(
            "empty string is not a valid pathspec. please use . instead if you meant to match all paths"
        ));
    }
    let spec = git.pathspec(&arguments.operands)?;
    let mut index = git.read_index().await?;
    if arguments.has(Opt::Refresh) {
        return refresh(git, &mut index, &spec, arguments.has(Opt::Verbose)).await;
    }
    let mut status = Status::default();
    if !update {
        git.find_unknown(&index, &spec, (Untracked::All, Ignored::Traditional), &mut status).await?;
    }
    let mut new: Vec<Text> = std::mem::take(&mut status.untracked);
    let ignored: Vec<Text> = std::mem::take(&mut status.ignored);
    let mut refused: Vec<Text> = Vec::new();
    if arguments.has(Opt::Force) {
        new.extend(ignored.iter().cloned());
    } else if !update {
        refused = refused_paths(git, &spec, arguments.has(Opt::IgnoreMissing)).await?;
    }
    check_matches(git, &arguments, &spec, &index, &new, &ignored)?;
    let shows = arguments.has(Opt::Verbose) || is_dry;
    let removes = arguments.has(Opt::All)
        || update
        || !(arguments.has(Opt::IgnoreRemoval) || arguments.truth(Opt::All) == Some(false));
    git.update_tracked(&mut index, &spec, removes, shows).await?;
    new.sort();
    for path in &new {
        git.ctx.tick().await?;
        if shows {
            let line = [&b"add '"[..], path, b"'\n"].concat_metered();
            git.print(&line).await?;
        }
        let path = path.strip_suffix(b"/").unwrap_or(path);
        if arguments.has(Opt::IntentToAdd) {
            let mode = git.work_mode(path)?.unwrap_or(REGULAR);
            let entry = IndexEntry {
                mode,
                id: ObjectId::EMPTY_BLOB,
                intent_to_add: true,
                path: path.into(),
                ..IndexEntry::default()
            };
            index.put(entry);
        } else if let Some(entry) = git.entry_of(path, None).await? {
            if entry.mode == SUBMODULE && !is_dry {
                git.warn_of_embedded(&entry.path);
            }
            remove_conflicting(&mut index, &entry.path);
            index.put(entry);
        }
    }
    if let Some(change) = arguments.value(Opt::Chmod) {
        let is_on = &**change == b"+x";
        for entry in index
            .entries
            .iter_mut()
            .filter(|entry| spec.matches(&entry.path) && entry.mode & 0o170_000 == 0o100_000)
        {
            entry.mode = if is_on { EXECUTABLE } else { REGULAR };
        }
    }
    if !is_dry {
        git.write_index(&index).await?;
    }
    if refused.is_empty() {
        return Ok(0);
    }
    git.say("The following paths are ignored by one of your .gitignore files:");
    for path in &refused {
        git.say(&format!("{path}"));
    }
    git.say("hint: Use -f if you really want to add them.");
    git.say("hint: Disable this message with \"git config advice.addIgnoredFile false\"");
    Ok(1)
}

/// Entries that a new path cannot stand beside: files that are its folders, and what is in it as a folder.
pub(super) fn remove_conflicting(index: &mut Index, path: &[u8]) {
    for slash in memchr::memchr_iter(b'/', path) {
        index.remove(path.get(..slash).unwrap_or(&[]));
    }
    let range = index.folder(path);
    if !range.is_empty() {
        index.entries.splice(range, []);
    }
}

/// Notes what the files of entries look like now; nothing is added. Those that are not as they were may be told.
async fn refresh(git: &mut Git, index: &mut Index, spec: &Pathspec, shows: bool) -> Result<u8> {
    if let Some(given) = spec.unmatched(&index.entries.iter().map(|entry| entry.path.as_bytes())).first() {
        return Err(fatal!("pathspec '{given}' did not match any files"));
    }
    let changes = index_and_work_tree(git, index, spec, Telling::CONTENTS).await?;
    git.refresh_index(index, spec).await?;
    if shows && !changes.is_empty() {
        git.print(b"Unstaged changes after refreshing the index:\n").await?;
        for change in &changes {
            git.print(&[&[change.status, b'\t'][..], &change.path, b"\n"].concat_metered()).await?;
        }
    }
    git.write_index(index).await?;
    Ok(0)
}

/// Paths that were named and are ignored; those that are not there only on request.
async fn refused_paths(git: &mut Git, spec: &Pathspec, with_missing: bool) -> Result<Vec<Text>> {
    let named: Vec<Vec<u8>> = spec.plain().map(|(_, path)| path.to_metered()).collect();
    let index = git.read_index().await?;
    let (mut refused, mut missing): (Vec<Text>, Vec<Text>) = (Vec::new(), Vec::new());
    for path in named {
        let metadata = git.work_metadata(&path)?;
        let is_missing = metadata.is_none();
        if is_missing && !with_missing {
            continue;
        }
        let is_folder = metadata.is_some_and(|metadata| metadata.is_directory());
        if path.is_empty() || index.get(&path).is_some() || !index.folder(&path).is_empty() {
            continue;
        }
        let pattern = git.deciding_pattern(&path, is_folder).await?;
        if pattern.is_none_or(|(_, pattern)| pattern.is_negated) {
            continue;
        }
        if is_missing {
            missing.push(path.into());
            continue;
        }
        let mut shown = path.clone();
        for slash in memchr::memchr_iter(b'/', &path) {
            let above = path.get(..slash).unwrap_or(&[]);
            if git.is_ignored(above, true).await? {
                shown = above.to_metered();
                break;
            }
        }
        refused.push(shown.into());
    }
    refused.sort();
    refused.dedup();
    refused.append(&mut missing);
    Ok(refused)
}

fn check_matches(
    git: &Git,
    arguments: &Arguments<Opt>,
    spec: &Pathspec,
    index: &Index,
    new: &[Text],
    ignored: &[Text],
) -> Result<()> {
    let known = index.entries.iter().map(|entry| entry.path.as_bytes());
    let bare = |path: &'_ Text| -> Text { path.strip_suffix(b"/").map_or_else(|| path.clone(), Text::from) };
    let others: Vec<Text> = new.iter().chain(ignored.iter()).map(bare).collect();
    let missing = spec.unmatched(&known.chain(others.iter().map(Text::as_bytes)));
    for given in missing {
        let is_there = git.fs().symlink_metadata(&git.ctx.absolute(&given)).is_ok();
        let may_miss = arguments.has(Opt::IgnoreMissing) && !arguments.has(Opt::Update);
        if !may_miss && (!is_there || arguments.has(Opt::Update)) {
            return Err(fatal!("pathspec '{given}' did not match any files"));
        }
    }
    Ok(())
}

impl Git {
    /// Notes the times and sizes of files that are as the index says.
    async fn refresh_index(&mut self, index: &mut Index, spec: &Pathspec) -> Result<()> {
        let before = index.clone();
        for (entry, known) in index.entries.iter_mut().zip(before.entries.iter()) {
            self.ctx.tick().await?;
            if known.stage > 0 || known.intent_to_add || !spec.matches(&known.path) {
                continue;
            }
            let Some(metadata) = self.work_metadata(&known.path)? else { continue };
            if self.work_mode(&known.path)? == Some(known.mode) && self.is_unchanged(&before, known).await? {
                entry.stat = Stat::of(&metadata);
            }
        }
        Ok(())
    }

    /// Takes what changed in files that the index knows.
    pub(super) async fn update_tracked(
        &mut self,
        index: &mut Index,
        spec: &Pathspec,
        removes: bool,
        shows: bool,
    ) -> Result<()> {
        let before = index.clone();
        let mut last: Option<&Text> = None;
        for entry in &before.entries {
            self.ctx.tick().await?;
            if !spec.matches(&entry.path)
                || entry.skip_work_tree
                || entry.assume_valid
                || last == Some(&entry.path)
            {
                continue;
            }
            last = Some(&entry.path);
            let mode = self.work_mode(&entry.path)?;
            let is_file = mode.is_some_and(|mode| mode != SUBMODULE || entry.mode == SUBMODULE);
            if !is_file {
                if removes {
                    if shows {
                        self.print(&[&b"remove '"[..], &entry.path, b"'\n"].concat_metered()).await?;
                    }
                    index.remove(&entry.path);
                }
                continue;
            }
            if entry.stage == 0
                && !entry.intent_to_add
                && mode == Some(entry.mode)
                && self.is_unchanged(&before, entry).await?
            {
                continue;
            }
            if let Some(fresh) = self.entry_of(&entry.path, Some(entry)).await? {
                let is_changed = (fresh.mode, fresh.id) != (entry.mode, entry.id) || entry.stage > 0;
                if shows && is_changed {
                    self.print(&[&b"add '"[..], &entry.path, b"'\n"].concat_metered()).await?;
                }
                index.put(fresh);
            }
        }
        Ok(())
    }
}
