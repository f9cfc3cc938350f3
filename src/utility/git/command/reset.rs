//! `git reset`, and how the index and the work tree become those of a tree.

use super::prelude::*;
use crate::memory::format;
use crate::utility::git::diff::files::{Telling, index_and_work_tree};
use crate::utility::git::diff::tree::files;
use crate::utility::git::index::{Index, IndexEntry};
use crate::utility::git::object::commit::message;
use crate::utility::git::object::tree::REGULAR;
use crate::utility::git::pathspec::Pathspec;
use crate::utility::git::pretty::subject;
use crate::utility::git::revision::ambiguous;

options! {
    enum Opt {
        Quiet = flag('q', "quiet", "be quiet, only report errors"),
        Refresh = flag('\0', "refresh", "skip refreshing the index after reset with --no-refresh"),
        Mixed = flag('\0', "mixed", "reset HEAD and index"),
        Soft = flag('\0', "soft", "reset only HEAD"),
        Hard = flag('\0', "hard", "reset HEAD, index and working tree"),
        Merge = flag('\0', "merge", "not supported"),
        Keep = flag('\0', "keep", "not supported"),
        Patch = flag('p', "patch", "not supported"),
        IntentToAdd = flag('N', "intent-to-add", "record only the fact that removed paths will be added later"),
    }
}

pub(super) static COMMAND: Command = Command {
    name: "reset",
    usage: "git reset [--mixed | --soft | --hard | --merge | --keep] [-q] [<commit>]\ngit reset [-q] [<tree-ish>] [--] \
<pathspec>...",
    options: Opt::TABLE,
    run: command!(run),
    ..Command::BASE
};

impl Git {
    /// The index that a tree is, with what is known of files that stay as they are.
    pub(super) async fn index_of_tree(&mut self, tree: ObjectId, known: &Index) -> Result<Index> {
        let mut index = Index { entries: Vec::new(), written: known.written };
        for file in files(self, tree, &Pathspec::default()).await? {
            self.ctx.tick().await?;
            let same = known.get(&file.path).filter(|entry| (entry.mode, entry.id) == (file.mode, file.id));
            index.entries.push(match same {
                Some(entry) => IndexEntry { intent_to_add: false, ..entry.clone() },
                None => IndexEntry { mode: file.mode, id: file.id, path: file.path, ..IndexEntry::default() },
            });
        }
        Ok(index)
    }

    /// Makes the index and the work tree a tree; what was changed is lost.
    pub(super) async fn reset_hard(&mut self, tree: ObjectId) -> Result<()> {
        let old = self.read_index().await?;
        let mut index = self.index_of_tree(tree, &old).await?;
        for entry in &old.entries {
            if index.range(&entry.path).is_empty() {
                self.remove_work_file(&entry.path)?;
            }
        }
        for at in 0..index.entries.len() {
            let Some(entry) = index.entries.get(at).cloned() else { break };
            let mode = self.work_mode(&entry.path)?;
            if mode == Some(entry.mode) && self.work_id(&entry.path, entry.mode).await? == entry.id {
                if let (Some(slot), Some(metadata)) =
                    (index.entries.get_mut(at), self.work_metadata(&entry.path)?)
                {
                    slot.stat = crate::utility::git::index::Stat::of(&metadata);
                }
                continue;
            }
            let stat = self.check_out(&entry.path, entry.mode, &entry.id).await?;
            if let Some(slot) = index.entries.get_mut(at) {
                slot.stat = stat;
            }
        }
        self.write_index(&index).await
    }
}

async fn run(git: &mut Git) -> Result<u8> {
    let arguments = git.arguments::<Opt>()?;
    if let Some(option) = arguments.first_of([Opt::Merge, Opt::Keep, Opt::Patch]) {
        return Err(fatal!("reset --{} is not supported", option.long()));
    }
    let mode = arguments.last_of([Opt::Soft, Opt::Hard, Opt::Mixed]).unwrap_or(Opt::Mixed);
    let keeps_new = arguments.has(Opt::IntentToAdd);
    let (before, after) = arguments.parts();
    let mut paths: Vec<Text> = Vec::new();
    let mut name = Text::from_static(b"HEAD");
    let mut rest = before;
    if let Some((first, more)) = before.split_first() {
        let exists = git.fs().symlink_metadata(&git.ctx.absolute(first)).is_ok();
        let is_revision = git.resolve(first).await?.is_some();
        if is_revision {
            name = first.clone();
            rest = more;
        } else if !exists || arguments.separator.is_some() {
            return Err(ambiguous(first));
        }
    }
    let tells = !arguments.has(Opt::Quiet) && arguments.truth(Opt::Refresh) != Some(false);
    paths.extend(rest.iter().cloned());
    paths.extend(after.iter().cloned());
    let id = git.resolve(&name).await?;
    if !paths.is_empty() {
        if mode != Opt::Mixed {
            return Err(fatal!("Cannot do {} reset with paths.", mode.long()));
        }
        let tree = match id {
            Some(id) => {
                git.peel(id, Kind::Tree).await?.ok_or_else(|| fatal!("Could not parse object '{name}'."))?
            }
            None => ObjectId::EMPTY_TREE,
        };
        let spec = git.pathspec(&paths)?;
        let before = if keeps_new { Some(git.read_index().await?) } else { None };
        let mut index = git.restore_index(tree, &spec).await?;
        if let Some(before) = before {
            intend_to_add(&before, &mut index, &spec);
            git.write_index(&index).await?;
        }
        if tells {
            unstaged(git).await?;
        }
        return Ok(0);
    }
    let commit = match id {
        Some(id) => Some(
            git.peel(id, Kind::Commit).await?.ok_or_else(|| fatal!("Could not parse object '{name}'."))?,
        ),
        None if &*name == b"HEAD" => None,
        None => return Err(ambiguous(&name)),
    };
    let tree = match &commit {
        Some(commit) => git.commit(commit).await?.tree,
        None => ObjectId::EMPTY_TREE,
    };
    if keeps_new && mode != Opt::Mixed {
        return Err(fatal!("the option '-N' requires '--mixed'"));
    }
    if mode == Opt::Hard {
        git.work_tree()?;
        git.reset_hard(tree).await?;
    } else if mode == Opt::Mixed {
        let old = git.read_index().await?;
        let mut index = git.index_of_tree(tree, &old).await?;
        if keeps_new {
            intend_to_add(&old, &mut index, &Pathspec::default());
        }
        git.write_index(&index).await?;
    }
    if let Some(commit) = commit {
        if let Some(head) = git.head_id()? {
            let path = crate::utility::file::join(&git.repo.git_dir, b"ORIG_HEAD");
            git.fs().write(&path, format!("{head}\n").as_bytes(), 0o644)?;
        }
        git.update_ref(b"HEAD", commit, format!("reset: moving to {name}").as_bytes())?;
        let quiet = arguments.has(Opt::Quiet);
        if mode == Opt::Hard && !quiet {
            let bytes = git.object(&commit).await?.1;
            let short = git.abbreviate(&commit, None)?;
            let title = subject(message(&bytes));
            git.print(format!("HEAD is now at {short} {}\n", bstr::BStr::new(&title)).as_bytes()).await?;
        }
        if mode == Opt::Mixed && tells {
            unstaged(git).await?;
        }
    }
    Ok(0)
}

/// Entries that an index has lost stay as those of files that will be added later.
fn intend_to_add(before: &Index, index: &mut Index, spec: &Pathspec) {
    for entry in before.entries.iter().filter(|entry| spec.matches(&entry.path)) {
        if index.range(&entry.path).is_empty() {
            index.put(IndexEntry {
                mode: REGULAR,
                id: ObjectId::EMPTY_BLOB,
                intent_to_add: true,
                path: entry.path.clone(),
                ..IndexEntry::default()
            });
        }
    }
}

/// What differs from the index after it was reset.
async fn unstaged(git: &mut Git) -> Result<()> {
    let index = git.read_index().await?;
    let changes = index_and_work_tree(git, &index, &Pathspec::default(), Telling::CONTENTS).await?;
    if !changes.is_empty() {
        git.print(b"Unstaged changes after reset:\n").await?;
    }
    for change in &changes {
        git.print(&[&[change.status, b'\t'][..], &change.path, b"\n"].concat_metered()).await?;
    }
    Ok(())
}

impl Git {
    /// Makes the meant paths of the index those of a tree.
    pub(super) async fn restore_index(&mut self, tree: ObjectId, spec: &Pathspec) -> Result<Index> {
        let mut index = self.read_index().await?;
        let fresh = self.index_of_tree(tree, &index).await?;
        let known = index.entries.iter().chain(fresh.entries.iter()).map(|entry| entry.path.as_bytes());
        if let Some(given) = spec.unmatched(&known).first()
            && self.fs().symlink_metadata(&self.ctx.absolute(given)).is_err()
        {
            return Err(GitError::Error(
                format!("pathspec '{given}' did not match any file(s) known to git"),
                1,
            ));
        }
        index.entries.retain(|entry| !spec.matches(&entry.path));
        for entry in fresh.entries.iter().filter(|entry| spec.matches(&entry.path)) {
            index.put(entry.clone());
        }
        self.write_index(&index).await?;
        Ok(index)
    }
}
