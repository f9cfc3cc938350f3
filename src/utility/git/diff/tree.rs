//! Trees against trees, and trees as lists of files.

use super::change::{Change, Side};
use crate::memory::{JoinMetered, Vec};
use crate::text::Text;
use crate::utility::git::Git;
use crate::utility::git::error::Result;
use crate::utility::git::index::KnownTrees;
use crate::utility::git::object::id::ObjectId;
use crate::utility::git::object::tree::{TreeEntry, compare_names};
use crate::utility::git::pathspec::Pathspec;
use std::cmp::Ordering;

/// How trees are compared.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TreeOptions {
    /// Into folders.
    pub(crate) recursive: bool,
    /// Folders are told too.
    pub(crate) shows_trees: bool,
    /// One change is enough.
    pub(crate) only_whether: bool,
}

impl TreeOptions {
    pub(crate) const RECURSIVE: Self = Self { recursive: true, shows_trees: false, only_whether: false };
}

enum Task {
    Tell(Change),
    Folder { path: Vec<u8>, old: ObjectId, new: ObjectId },
}

/// What differs between two trees; the empty tree stands for none.
pub(crate) async fn compare(
    git: &mut Git,
    old: ObjectId,
    new: ObjectId,
    spec: &Pathspec,
    options: TreeOptions,
) -> Result<Vec<Change>> {
    let mut changes = Vec::new();
    let mut tasks: Vec<Task> = Vec::new();
    if old != new {
        tasks.push(Task::Folder { path: Vec::new(), old, new });
    }
    while let Some(task) = tasks.pop() {
        git.ctx.tick().await?;
        match task {
            Task::Tell(change) => {
                changes.push(change);
                if options.only_whether {
                    return Ok(changes);
                }
            }
            Task::Folder { path, old, new } => {
                let mut here = compare_level(git, &path, old, new, spec, options).await?;
                here.as_mut_slice().reverse();
                tasks.append(&mut here);
            }
        }
    }
    Ok(changes)
}

/// The changes of one folder, and the folders in it that differ.
async fn compare_level(
    git: &mut Git,
    folder: &[u8],
    old: ObjectId,
    new: ObjectId,
    spec: &Pathspec,
    options: TreeOptions,
) -> Result<Vec<Task>> {
    let (olds, news) = (git.tree(&old).await?, git.tree(&new).await?);
    let (mut olds, mut news) = (olds.iter().peekable(), news.iter().peekable());
    let mut tasks = Vec::new();
    loop {
        git.ctx.tick().await?;
        let order = match (olds.peek(), news.peek()) {
            (None, None) => return Ok(tasks),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some(one), Some(other)) => compare_names(&one.name, one.is_tree(), &other.name, other.is_tree()),
        };
        let one = if order.is_le() { olds.next() } else { None };
        let other = if order.is_ge() { news.next() } else { None };
        if let (Some(one), Some(other)) = (one, other)
            && (one.mode, one.id) == (other.mode, other.id)
        {
            continue;
        }
        let name = one.or(other).map_or(&b""[..], |entry| &entry.name);
        let path = [folder, name].concat_metered();
        let side =
            |entry: Option<&TreeEntry>| entry.map_or(Side::NONE, |entry| Side::stored(entry.mode, entry.id));
        let is_tree = one.or(other).is_some_and(TreeEntry::is_tree);
        if is_tree && (options.recursive || options.shows_trees) {
            if !spec.reaches(&path) {
                continue;
            }
            if options.shows_trees && spec.matches(&path) {
                tasks.push(Task::Tell(Change::new(Text::from(path.as_slice()), side(one), side(other))));
            }
            if options.recursive {
                let mut path = path;
                path.push(b'/');
                let id = |entry: Option<&TreeEntry>| entry.map_or(ObjectId::EMPTY_TREE, |entry| entry.id);
                tasks.push(Task::Folder { path, old: id(one), new: id(other) });
            }
        } else if spec.matches(&path) || (is_tree && spec.reaches(&path)) {
            tasks.push(Task::Tell(Change::new(path.into(), side(one), side(other))));
        }
    }
}

/// Whether two trees differ in paths that are meant.
pub(crate) async fn differs(git: &mut Git, old: ObjectId, new: ObjectId, spec: &Pathspec) -> Result<bool> {
    if old == new {
        return Ok(false);
    }
    let options = TreeOptions { only_whether: true, ..TreeOptions::RECURSIVE };
    Ok(!compare(git, old, new, spec, options).await?.is_empty())
}

/// A file of a tree.
#[derive(Clone, Debug)]
pub(crate) struct TreeFile {
    pub(crate) path: Text,
    pub(crate) mode: u32,
    pub(crate) id: ObjectId,
}

/// The files of a tree that are meant, in the index's order.
pub(crate) async fn files(git: &mut Git, tree: ObjectId, spec: &Pathspec) -> Result<Vec<TreeFile>> {
    Ok(files_besides(git, tree, spec, &KnownTrees::default()).await?.0)
}

/// As [`files`], without those of folders that are known to be the trees; these folders.
pub(crate) async fn files_besides(
    git: &mut Git,
    tree: ObjectId,
    spec: &Pathspec,
    known: &KnownTrees,
) -> Result<(Vec<TreeFile>, Vec<Vec<u8>>)> {
    let mut files = Vec::new();
    let mut folders = Vec::new();
    let mut tasks: Vec<(Vec<u8>, u32, ObjectId)> = Vec::new();
    tasks.push((Vec::new(), super::super::object::tree::TREE, tree));
    while let Some((path, mode, id)) = tasks.pop() {
        git.ctx.tick().await?;
        if mode != super::super::object::tree::TREE {
            files.push(TreeFile { path: path.into(), mode, id });
            continue;
        }
        if known.has(&path, &id) {
            folders.push(path);
            continue;
        }
        for entry in git.tree(&id).await?.iter().rev() {
            git.ctx.tick().await?;
            let mut inner = path.clone();
            if !inner.is_empty() {
                inner.push(b'/');
            }
            inner.extend_from_slice(&entry.name);
            let is_meant = if entry.is_tree() { spec.reaches(&inner) } else { spec.matches(&inner) };
            if is_meant {
                tasks.push((inner, entry.mode, entry.id));
            }
        }
    }
    Ok((files, folders))
}
