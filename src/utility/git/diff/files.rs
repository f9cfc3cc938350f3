//! The index and the work tree against trees and each other.

use super::change::{Change, Side};
use super::tree::{self, TreeFile};
use crate::memory::Vec;
use crate::utility::git::Git;
use crate::utility::git::error::Result;
use crate::utility::git::index::{Index, IndexEntry};
use crate::utility::git::object::id::ObjectId;
use crate::utility::git::pathspec::Pathspec;
use std::cmp::Ordering;

/// The entries that are meant.
fn meant<'i>(index: &'i Index, spec: &Pathspec) -> Vec<&'i IndexEntry> {
    index.entries.iter().filter(|entry| spec.matches(&entry.path)).collect()
}

/// What differs between a tree and the index.
pub(crate) async fn tree_and_index(
    git: &mut Git,
    tree: ObjectId,
    index: &Index,
    spec: &Pathspec,
) -> Result<Vec<Change>> {
    let files = tree::files(git, tree, spec).await?;
    let mut changes = Vec::new();
    let entries = meant(index, spec);
    let mut entries = entries.iter().peekable();
    let mut files = files.iter().peekable();
    loop {
        git.ctx.tick().await?;
        let order = match (files.peek(), entries.peek()) {
            (None, None) => return Ok(changes),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some(file), Some(entry)) => file.path.cmp(&entry.path),
        };
        let file = if order.is_le() { files.next() } else { None };
        let entry = if order.is_ge() { entries.next() } else { None };
        let old = file.map_or(Side::NONE, |file| Side::stored(file.mode, file.id));
        match entry {
            Some(entry) if entry.stage > 0 => {
                while entries.peek().is_some_and(|next| next.path == entry.path) {
                    entries.next();
                }
                changes.push(Change::unmerged(entry.path.clone()));
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
}

/// What differs between the index and the work tree.
pub(crate) async fn index_and_work_tree(
    git: &mut Git,
    index: &Index,
    spec: &Pathspec,
) -> Result<Vec<Change>> {
    let mut changes: Vec<Change> = Vec::new();
    for entry in &index.entries {
        git.ctx.tick().await?;
        if !spec.matches(&entry.path) {
            continue;
        }
        if entry.stage > 0 {
            if changes.last().is_none_or(|last| last.path != entry.path) {
                changes.push(Change::unmerged(entry.path.clone()));
            }
            if entry.stage == 2
                && let Some(mode) = git.work_mode(&entry.path)?
            {
                let old = Side::stored(entry.mode, entry.id);
                changes.push(Change::new(entry.path.clone(), old, Side::in_work_tree(mode)));
            }
            continue;
        }
        if let Some(change) = against_file(git, index, entry, Side::stored(entry.mode, entry.id)).await? {
            changes.push(change);
        }
    }
    Ok(changes)
}

/// How the file of an entry differs from `old`.
async fn against_file(git: &mut Git, index: &Index, entry: &IndexEntry, old: Side) -> Result<Option<Change>> {
    let is_own = (old.mode, old.id) == (entry.mode, entry.id);
    if entry.skip_work_tree || entry.assume_valid {
        let new = Side::stored(entry.mode, entry.id);
        return Ok((!is_own).then(|| Change::new(entry.path.clone(), old, new)));
    }
    let mode = git.work_mode(&entry.path)?;
    if entry.intent_to_add {
        return Ok(mode.map(|mode| Change::new(entry.path.clone(), Side::NONE, Side::in_work_tree(mode))));
    }
    let Some(mut mode) = mode else {
        return Ok((old.mode != 0).then(|| Change::new(entry.path.clone(), old, Side::NONE)));
    };
    if mode == super::super::object::tree::SUBMODULE && old.mode != mode {
        // A folder stands in the place of the file.
        return Ok((old.mode != 0).then(|| Change::new(entry.path.clone(), old, Side::NONE)));
    }
    if !git.trusts_modes() && mode & 0o170_000 == 0o100_000 && entry.mode & 0o170_000 == 0o100_000 {
        mode = entry.mode;
    }
    if mode == super::super::object::tree::SUBMODULE {
        return Ok(
            (!is_own).then(|| Change::new(entry.path.clone(), old, Side::stored(entry.mode, entry.id)))
        );
    }
    let is_same = mode == entry.mode && git.is_unchanged(index, entry).await?;
    if is_same {
        return Ok(
            (!is_own).then(|| Change::new(entry.path.clone(), old, Side::stored(entry.mode, entry.id)))
        );
    }
    if old.mode == mode && !is_own {
        let id = git.work_id(&entry.path, mode).await?;
        if id == old.id {
            return Ok(None);
        }
    }
    Ok(Some(Change::new(entry.path.clone(), old, Side::in_work_tree(mode))))
}

/// What differs between a tree and the files of the work tree that the index knows.
pub(crate) async fn tree_and_work_tree(
    git: &mut Git,
    tree: ObjectId,
    index: &Index,
    spec: &Pathspec,
) -> Result<Vec<Change>> {
    let files: Vec<TreeFile> = tree::files(git, tree, spec).await?;
    let mut changes: Vec<Change> = Vec::new();
    let entries = meant(index, spec);
    let mut entries = entries.iter().peekable();
    let mut files = files.iter().peekable();
    loop {
        git.ctx.tick().await?;
        let order = match (files.peek(), entries.peek()) {
            (None, None) => return Ok(changes),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some(file), Some(entry)) => file.path.cmp(&entry.path),
        };
        let file = if order.is_le() { files.next() } else { None };
        let entry = if order.is_ge() { entries.next() } else { None };
        let old = file.map_or(Side::NONE, |file| Side::stored(file.mode, file.id));
        match (file, entry) {
            (_, Some(entry)) if entry.stage > 0 => {
                while entries.peek().is_some_and(|next| next.path == entry.path) {
                    entries.next();
                }
                changes.push(Change::unmerged(entry.path.clone()));
                if let Some(mode) = git.work_mode(&entry.path)? {
                    changes.push(Change::new(entry.path.clone(), old, Side::in_work_tree(mode)));
                }
            }
            (_, Some(entry)) => {
                if let Some(change) = against_file(git, index, entry, old).await? {
                    changes.push(change);
                }
            }
            (Some(file), None) => changes.push(Change::new(file.path.clone(), old, Side::NONE)),
            (None, None) => {}
        }
    }
}
