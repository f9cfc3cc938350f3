//! The index and the work tree against trees and each other.

use super::change::{Change, Side};
use super::combined::CombinedFile;
use super::tree::{self, TreeFile};
use crate::memory::Vec;
use crate::text::Text;
use crate::utility::git::Git;
use crate::utility::git::error::Result;
use crate::utility::git::index::{Index, IndexEntry, KnownTrees, mode_of};
use crate::utility::git::object::id::ObjectId;
use crate::utility::git::object::tree::SUBMODULE;
use crate::utility::git::pathspec::Pathspec;
use crate::utility::git::work_tree::CheckedFolder;
use crate::vfs::Metadata;
use std::cmp::Ordering;

/// The entries that are meant.
fn meant<'i>(index: &'i Index, spec: &Pathspec) -> Vec<&'i IndexEntry> {
    index.entries.iter().filter(|entry| spec.matches(&entry.path)).collect()
}

/// The files of a tree beside the entries of the index, in the order of their paths.
struct Pairs<'p> {
    files: &'p [TreeFile],
    entries: &'p [&'p IndexEntry],
}

impl<'p> Pairs<'p> {
    /// The file and the entry of the next path, as far as they are there.
    fn next(&mut self) -> Option<(Option<&'p TreeFile>, Option<&'p IndexEntry>)> {
        let order = match (self.files.first(), self.entries.first()) {
            (None, None) => return None,
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some(file), Some(entry)) => file.path.cmp(&entry.path),
        };
        let file = if order.is_le() { self.files.split_off_first() } else { None };
        let entry = if order.is_ge() { self.entries.split_off_first() } else { None };
        Some((file, entry.copied()))
    }

    /// Leaves out the other stages of a path.
    fn skip(&mut self, path: &Text) {
        while self.entries.first().is_some_and(|next| next.path == *path) {
            self.entries.split_off_first();
        }
    }
}

/// What differs between a tree and the index.
pub(crate) async fn tree_and_index(
    git: &mut Git,
    tree: ObjectId,
    index: &Index,
    spec: &Pathspec,
) -> Result<Vec<Change>> {
    tree_and_index_besides(git, tree, index, spec, &KnownTrees::default()).await
}

/// As [`tree_and_index`], where folders of the index are known to be trees.
pub(crate) async fn tree_and_index_besides(
    git: &mut Git,
    tree: ObjectId,
    index: &Index,
    spec: &Pathspec,
    known: &KnownTrees,
) -> Result<Vec<Change>> {
    let (files, same) = tree::files_besides(git, tree, spec, known).await?;
    let mut changes = Vec::new();
    let mut entries = Vec::new();
    let mut from = 0;
    // Both are in order: what lies between the folders is compared.
    for range in
        same.iter().map(|folder| index.folder(folder)).chain(std::iter::once(index.entries.len()..usize::MAX))
    {
        let between = index.entries.get(from..range.start.max(from)).unwrap_or(&[]);
        entries.extend(between.iter().filter(|entry| spec.matches(&entry.path)));
        from = range.end;
    }
    let mut pairs = Pairs { files: &files, entries: &entries };
    while let Some((file, entry)) = pairs.next() {
        git.ctx.tick().await?;
        let old = file.map_or(Side::NONE, |file| Side::stored(file.mode, file.id));
        match entry {
            Some(entry) if entry.stage > 0 => {
                pairs.skip(&entry.path);
                changes.push(Change { old, ..Change::unmerged(entry.path.clone()) });
            }
            // What is only meant to be added is not there yet.
            Some(entry) if entry.intent_to_add => {
                if let Some(file) = file {
                    changes.push(Change::new(file.path.clone(), old, Side::NONE));
                }
            }
            Some(entry) if (old.mode, old.id) != (entry.mode, entry.id) => {
                changes.push(Change::new(entry.path.clone(), old, Side::stored(entry.mode, entry.id)));
            }
            Some(_) => {}
            None => {
                if let Some(file) = file {
                    changes.push(Change::new(file.path.clone(), old, Side::NONE));
                }
            }
        }
    }
    Ok(changes)
}

/// How files of the work tree are told.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Telling {
    /// The side of a conflict that the file is compared with; 0: none.
    pub(crate) stage: u8,
    /// A file whose content is as it was is not told, though the index does not know that yet.
    pub(crate) only_contents: bool,
    /// A file that is gone counts as one that is as the index says.
    pub(crate) forgives_gone: bool,
}

impl Telling {
    /// As commands for people do it.
    pub(crate) const CONTENTS: Self = Self { stage: 2, only_contents: true, forgives_gone: false };
    /// As commands for scripts do it.
    pub(crate) const FILES: Self = Self { stage: 2, only_contents: false, forgives_gone: false };
}

/// What stands in the work tree for an entry: its mode and facts; a folder in the place of a file is nothing.
fn file_of(git: &Git, entry: &IndexEntry, folder: &mut CheckedFolder) -> Result<Option<(u32, Metadata)>> {
    let Some(metadata) = git.work_metadata_below(&entry.path, folder)? else { return Ok(None) };
    let mut mode = mode_of(&metadata);
    if mode == SUBMODULE && entry.mode != SUBMODULE {
        return Ok(None);
    }
    let is_file = |mode: u32| mode & 0o170_000 == 0o100_000;
    if is_file(mode) && is_file(entry.mode) && !git.trusts_modes() {
        mode = entry.mode;
    }
    Ok(Some((mode, metadata)))
}

/// What differs between the index and the work tree.
pub(crate) async fn index_and_work_tree(
    git: &mut Git,
    index: &Index,
    spec: &Pathspec,
    telling: Telling,
) -> Result<Vec<Change>> {
    let mut changes: Vec<Change> = Vec::new();
    let mut folder = CheckedFolder::default();
    let mut last: Option<&IndexEntry> = None;
    for entry in &index.entries {
        git.ctx.tick().await?;
        if !spec.matches(&entry.path) {
            continue;
        }
        if entry.stage == 0 {
            let old = Side::stored(entry.mode, entry.id);
            let change = against_file(git, index, entry, old, (telling, &mut folder)).await?;
            changes.extend(change);
            continue;
        }
        let file = file_of(git, entry, &mut folder)?;
        let new = file.as_ref().map_or(Side::NONE, |(mode, _)| Side::in_work_tree(*mode));
        if last.is_none_or(|last| last.path != entry.path) {
            changes.push(Change { new, ..Change::unmerged(entry.path.clone()) });
        }
        last = Some(entry);
        if entry.stage == telling.stage {
            let is_same = telling.only_contents
                && new.mode == entry.mode
                && git.work_id(&entry.path, new.mode).await? == entry.id;
            if !is_same {
                changes.push(Change::new(entry.path.clone(), Side::stored(entry.mode, entry.id), new));
            }
        }
    }
    Ok(changes)
}

/// How the file of an entry differs from `old`.
async fn against_file(
    git: &mut Git,
    index: &Index,
    entry: &IndexEntry,
    old: Side,
    (telling, folder): (Telling, &mut CheckedFolder),
) -> Result<Option<Change>> {
    let change = |new: Side| Change::new(entry.path.clone(), old, new);
    let own = Side::stored(entry.mode, entry.id);
    let of_entry = || (old != own).then(|| change(own));
    if entry.skip_work_tree || entry.assume_valid {
        return Ok(of_entry());
    }
    let file = file_of(git, entry, folder)?;
    if entry.intent_to_add {
        let new = file.map(|(mode, _)| Side::in_work_tree(mode));
        return Ok(new.map(|new| Change::new(entry.path.clone(), Side::NONE, new)));
    }
    let Some((mode, metadata)) = file else {
        if telling.forgives_gone {
            return Ok(of_entry());
        }
        return Ok((old.mode != 0).then(|| change(Side::NONE)));
    };
    if mode == SUBMODULE {
        let is_whole = entry.stage == 0;
        let dirt = if is_whole { git.submodule_dirt(&entry.path, &entry.id).await? } else { None };
        return Ok(match dirt.filter(|dirt| dirt.is_any()) {
            Some(dirt) => {
                let new = if dirt.has_commits { Side::in_work_tree(mode) } else { own };
                Some(Change { dirt, ..change(new) })
            }
            None => of_entry(),
        });
    }
    let is_own =
        entry.stage == 0 && mode == entry.mode && git.is_unchanged_file(index, entry, &metadata).await?;
    if is_own {
        return Ok(of_entry());
    }
    if telling.only_contents
        && old.mode == mode
        && old != own
        && git.work_id(&entry.path, mode).await? == old.id
    {
        return Ok(None);
    }
    Ok(Some(change(Side::in_work_tree(mode))))
}

/// What differs between a tree and the files of the work tree that the index knows. With `combined`, files that all have go
/// there, against the index and the tree at once.
pub(crate) async fn tree_and_work_tree(
    git: &mut Git,
    tree: ObjectId,
    index: &Index,
    spec: &Pathspec,
    (telling, mut combined): (Telling, Option<&mut Vec<CombinedFile>>),
) -> Result<Vec<Change>> {
    let files: Vec<TreeFile> = tree::files(git, tree, spec).await?;
    let mut changes: Vec<Change> = Vec::new();
    let mut folder = CheckedFolder::default();
    let entries = meant(index, spec);
    let mut pairs = Pairs { files: &files, entries: &entries };
    while let Some((file, entry)) = pairs.next() {
        git.ctx.tick().await?;
        let old = file.map_or(Side::NONE, |file| Side::stored(file.mode, file.id));
        let Some(entry) = entry else {
            changes.extend(file.map(|file| Change::new(file.path.clone(), old, Side::NONE)));
            continue;
        };
        // Of a conflict the first side stands for all.
        pairs.skip(&entry.path);
        let own = Side::stored(entry.mode, entry.id);
        let before = Telling { only_contents: telling.only_contents && combined.is_none(), ..telling };
        let Some(change) = against_file(git, index, entry, old, (before, &mut folder)).await? else {
            continue;
        };
        match &mut combined {
            Some(combined)
                if change.old.mode != 0
                    && change.new.mode != 0
                    && !entry.skip_work_tree
                    && !entry.assume_valid =>
            {
                let work = Side::in_work_tree(change.new.mode);
                combined.push(super::combined::conflict(&entry.path, own, old, work));
            }
            _ => changes.push(change),
        }
    }
    Ok(changes)
}
