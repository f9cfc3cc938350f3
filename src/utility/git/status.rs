//! What is new in the index and in the work tree, and what git does not know: the facts that `status` shows.

use super::Git;
use super::diff::change::Change;
use super::diff::files::{Telling, index_and_work_tree, tree_and_index_besides};
use super::diff::rename::{RenameOptions, detect};
use super::error::{Result, found};
use super::index::{Index, KnownTrees};
use super::object::id::ObjectId;
use super::pathspec::Pathspec;
use crate::memory::{BTreeMap, ToMetered, Vec};
use crate::text::Text;
use crate::utility::file::join;
use crate::vfs::FileKind;

/// How files that git does not know are told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Untracked {
    No,
    /// Folders as a whole.
    #[default]
    Normal,
    All,
    /// Folders as a whole, those without files too.
    Folders,
}

/// How ignored files are told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Ignored {
    #[default]
    No,
    Traditional,
    Matching,
}

/// A path that is not as it was.
#[derive(Clone, Debug, Default)]
pub(crate) struct PathStatus {
    /// Against the last commit, in the index.
    pub(crate) staged: Option<Change>,
    /// Against the index, in the work tree.
    pub(crate) unstaged: Option<Change>,
    /// The stages that a conflict has, as bits.
    pub(crate) stages: u8,
}

/// Everything that `status` shows.
#[derive(Debug, Default)]
pub(crate) struct Status {
    pub(crate) paths: BTreeMap<Text, PathStatus>,
    pub(crate) untracked: Vec<Text>,
    pub(crate) ignored: Vec<Text>,
}

impl PathStatus {
    /// The two letters of a conflict.
    pub(crate) const fn conflict(&self) -> Option<(u8, u8)> {
        Some(match self.stages >> 1 {
            1 => (b'D', b'D'),
            2 => (b'A', b'U'),
            3 => (b'U', b'D'),
            4 => (b'U', b'A'),
            5 => (b'D', b'U'),
            6 => (b'A', b'A'),
            7 => (b'U', b'U'),
            _ => return None,
        })
    }

    /// The letters of index and work tree, with `none` for nothing.
    pub(crate) fn letters(&self, none: u8) -> (u8, u8) {
        let letter = |change: &Option<Change>| change.as_ref().map_or(none, |change| change.status);
        self.conflict().unwrap_or_else(|| (letter(&self.staged), letter(&self.unstaged)))
    }

    /// As [`PathStatus::letters`], where the content of a submodule is told apart from its commit.
    pub(crate) fn short_letters(&self) -> (u8, u8) {
        let (x, y) = self.letters(b' ');
        let dirt = self.unstaged.as_ref().map(|change| change.dirt).unwrap_or_default();
        match (dirt.has_commits, dirt.is_modified, dirt.has_untracked) {
            (false, true, _) => (x, b'm'),
            (false, false, true) => (x, b'?'),
            _ => (x, y),
        }
    }
}

impl Status {
    /// Whether a commit would have something in it; a merge has, once nothing is left to be resolved.
    pub(crate) fn is_committable(&self, is_merging: bool) -> bool {
        let is_unmerged = self.paths.values().any(|one| one.stages > 0);
        self.paths.values().any(|one| one.staged.is_some() && one.stages == 0) || (is_merging && !is_unmerged)
    }

    /// Leaves out what submodules are now.
    pub(crate) fn leave_out_submodules(&mut self) {
        for one in self.paths.values_mut() {
            one.staged = one.staged.take().filter(|change| !change.is_of_submodule());
            one.unstaged = one.unstaged.take().filter(|change| !change.is_of_submodule());
        }
        self.paths.retain(|_, one| one.staged.is_some() || one.unstaged.is_some() || one.stages > 0);
    }
}

impl Git {
    /// The tree of the last commit; empty without one.
    pub(crate) async fn head_tree(&mut self) -> Result<ObjectId> {
        match self.head_id()? {
            Some(id) => Ok(self.commit(&id).await?.tree),
            None => Ok(ObjectId::EMPTY_TREE),
        }
    }

    /// Collects what `status` shows.
    pub(crate) async fn status(
        &mut self,
        spec: &Pathspec,
        untracked: Untracked,
        ignored: Ignored,
        renames: Option<RenameOptions>,
    ) -> Result<Status> {
        let (index, trees) = self.read_index_and_trees().await?;
        let tree = self.head_tree().await?;
        self.status_of(tree, (&index, &trees), spec, (untracked, ignored), renames).await
    }

    /// As [`Git::status`], of any tree and index.
    pub(crate) async fn status_of(
        &mut self,
        tree: ObjectId,
        (index, trees): (&Index, &KnownTrees),
        spec: &Pathspec,
        (untracked, ignored): (Untracked, Ignored),
        renames: Option<RenameOptions>,
    ) -> Result<Status> {
        let mut status = Status::default();
        let mut staged = tree_and_index_besides(self, tree, index, spec, trees).await?;
        if let Some(options) = renames {
            staged = detect(self, staged, options).await?;
        }
        for change in staged {
            if change.status != b'U' {
                let path = change.path.clone();
                status.paths.insert(path, PathStatus { staged: Some(change), ..PathStatus::default() });
            }
        }
        for change in index_and_work_tree(self, index, spec, Telling::CONTENTS).await? {
            let is_conflict = change.status == b'U';
            let path = change.path.clone();
            if let Some(slot) = status.paths.get_or_insert_with(path.clone(), PathStatus::default) {
                if is_conflict {
                    let entries = index.entries.get(index.range(&path)).unwrap_or(&[]);
                    slot.stages = entries.iter().fold(0, |bits, entry| bits | 1 << entry.stage);
                } else if slot.stages == 0 {
                    slot.unstaged = Some(change);
                }
            }
        }
        if untracked != Untracked::No {
            self.find_unknown(index, spec, (untracked, ignored), &mut status).await?;
            if ignored == Ignored::No {
                status.ignored.clear();
            }
        }
        Ok(status)
    }

    /// Files that git does not know.
    pub(crate) async fn find_unknown(
        &mut self,
        index: &Index,
        spec: &Pathspec,
        (untracked, ignored): (Untracked, Ignored),
        status: &mut Status,
    ) -> Result<()> {
        // Folders that are still to be looked into, and whether they lie in an ignored one.
        let mut pending: Vec<(Vec<u8>, bool)> = Vec::new();
        pending.push((Vec::new(), false));
        while let Some((folder, in_ignored)) = pending.pop() {
            let full = self.in_work_tree(&folder);
            let own = index.entries.get(index.folder(&folder)).unwrap_or(&[]);
            for entry in found(self.fs().read_dir(&full))?.unwrap_or_default() {
                self.ctx.tick().await?;
                if &*entry.name == b".git" {
                    continue;
                }
                let path = join(&folder, &entry.name);
                let is_folder = entry.kind == FileKind::Directory;
                if !is_folder
                    && own.binary_search_by(|known| known.path.as_bytes().cmp(path.as_slice())).is_ok()
                {
                    continue;
                }
                let is_ignored = in_ignored || self.is_ignored(&path, is_folder).await?;
                if !is_folder {
                    if spec.matches(&path) && matches!(entry.kind, FileKind::Regular | FileKind::Symlink) {
                        if is_ignored {
                            status.ignored.push(path.into());
                        } else {
                            status.untracked.push(path.into());
                        }
                    }
                    continue;
                }
                if !spec.reaches(&path) && !spec.matches(&path) {
                    continue;
                }
                if index.get(&path).is_some_and(|entry| entry.mode == super::object::tree::SUBMODULE) {
                    continue;
                }
                if !index.folder(&path).is_empty() {
                    pending.push((path, is_ignored));
                    continue;
                }
                let mut shown = path.clone();
                shown.push(b'/');
                let is_repository = self.fs().metadata(&join(&self.in_work_tree(&path), b".git")).is_ok();
                if is_repository && !is_ignored {
                    status.untracked.push(shown.into());
                    continue;
                }
                if is_ignored && (ignored == Ignored::Matching || untracked != Untracked::All) {
                    if ignored != Ignored::No && (ignored == Ignored::Matching || self.holds(&path).await?.0)
                    {
                        status.ignored.push(shown.into());
                    }
                    continue;
                }
                if untracked == Untracked::All || !spec.matches(&path) {
                    pending.push((path, is_ignored));
                    continue;
                }
                let (has_files, has_untracked) = self.holds(&path).await?;
                if has_untracked || (!has_files && untracked == Untracked::Folders) {
                    status.untracked.push(shown.into());
                    if ignored != Ignored::No {
                        self.ignored_in(&path, &mut status.ignored).await?;
                    }
                } else if has_files && ignored != Ignored::No {
                    if ignored == Ignored::Matching {
                        self.ignored_in(&path, &mut status.ignored).await?;
                    } else {
                        status.ignored.push(shown.into());
                    }
                }
            }
        }
        status.untracked.sort();
        status.ignored.sort();
        Ok(())
    }

    /// Whether there are files in a folder without known ones, and whether one is not ignored.
    async fn holds(&mut self, folder: &[u8]) -> Result<(bool, bool)> {
        let mut pending: Vec<Vec<u8>> = Vec::new();
        pending.push(folder.to_metered());
        let mut has_files = false;
        while let Some(folder) = pending.pop() {
            for entry in found(self.fs().read_dir(&self.in_work_tree(&folder)))?.unwrap_or_default() {
                self.ctx.tick().await?;
                let path = join(&folder, &entry.name);
                if entry.kind == FileKind::Directory {
                    let is_repository = self.fs().metadata(&join(&self.in_work_tree(&path), b".git")).is_ok();
                    if is_repository && !self.is_ignored(&path, true).await? {
                        return Ok((true, true));
                    }
                    if self.is_ignored(&path, true).await? {
                        has_files = true;
                    } else {
                        pending.push(path);
                    }
                } else if matches!(entry.kind, FileKind::Regular | FileKind::Symlink) {
                    has_files = true;
                    if !self.is_ignored(&path, false).await? {
                        return Ok((true, true));
                    }
                }
            }
        }
        Ok((has_files, false))
    }

    /// What is ignored in a folder without known files.
    async fn ignored_in(&mut self, folder: &[u8], out: &mut Vec<Text>) -> Result<()> {
        let mut pending: Vec<Vec<u8>> = Vec::new();
        pending.push(folder.to_metered());
        while let Some(folder) = pending.pop() {
            for entry in found(self.fs().read_dir(&self.in_work_tree(&folder)))?.unwrap_or_default() {
                self.ctx.tick().await?;
                let mut path = join(&folder, &entry.name);
                let is_folder = entry.kind == FileKind::Directory;
                if self.is_ignored(&path, is_folder).await? {
                    if is_folder {
                        path.push(b'/');
                    }
                    out.push(path.into());
                } else if is_folder {
                    pending.push(path);
                }
            }
        }
        Ok(())
    }

    /// Commits that a branch has and its upstream has not, and the other way round.
    pub(crate) async fn ahead_behind(&mut self, one: ObjectId, other: ObjectId) -> Result<(usize, usize)> {
        if one == other {
            return Ok((0, 0));
        }
        let bases = self.merge_bases(one, &[other]).await?;
        let mut counts = [0; 2];
        for (count, (tip, hidden)) in counts.iter_mut().zip([(one, other), (other, one)]) {
            let mut walk = super::walk::Walk::default();
            walk.include(tip);
            walk.exclude(hidden);
            for base in &bases {
                walk.exclude(*base);
            }
            walk.prepare(self).await?;
            while walk.next(self).await?.is_some() {
                *count += 1;
            }
        }
        let [ahead, behind] = counts;
        Ok((ahead, behind))
    }
}
