//! What differs between two snapshots.
//!
//! First the inode tables are compared; what they share is skipped, so that the cost follows the number of inodes that
//! changed. A directory that is at the same path in both is compared entry by entry (again without the runs that are
//! shared); names that lead to different inodes are followed into their subtrees. A file whose inode is the same but whose
//! content or metadata is not is found under each of its names. Times alone are not a change.

use super::directory::{Directory, Entry};
use super::file_system::Snapshot;
use super::inode::{Body, Inode};
use super::metadata::FileKind;
use super::path::PATH_MAX;
use super::tree::{Tree, TreeState};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cmp::Ordering;
use std::collections::BTreeMap;

/// One path at which two snapshots differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The absolute path. Paths that are too long to be opened (4096 bytes) are left out.
    pub path: Vec<u8>,
    /// How they differ.
    pub kind: ChangeKind,
    /// What is at the path afterwards or, where it was removed, was before.
    pub file: FileKind,
}

/// How two snapshots differ at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ChangeKind {
    /// Nothing was there before.
    Added,
    /// Nothing is there afterwards.
    Removed,
    /// Content, link target or kind of file differ.
    Modified,
    /// Only mode or owner differ.
    MetadataChanged,
}

/// Where `after` differs from `before`, sorted by path. Of mounts, those are compared that both snapshots have; foreign
/// file systems are not looked at.
pub fn diff(before: &Snapshot, after: &Snapshot) -> Vec<Change> {
    let mut changes = BTreeMap::new();
    let (old, new) = (&before.state, &after.state);
    compare_trees(&old.root, &new.root, Vec::new(), &mut changes);
    for (old_mount, new_mount) in old.mounts.iter().zip(&new.mounts) {
        if let (true, Some(old_tree), Some(new_tree)) =
            (old_mount.is_same(new_mount), old_mount.tree(), new_mount.tree())
        {
            let prefix = mount_path(new, new_mount.at);
            compare_trees(old_tree, new_tree, prefix, &mut changes);
        }
    }
    changes.into_iter().map(|(path, (kind, file))| Change { path, kind, file }).collect()
}

/// The path of a mount point without a slash at its end: empty for the root.
fn mount_path(state: &TreeState, at: super::location::Location) -> Vec<u8> {
    let path = state.path_of(at, crate::memory::Vec::new()).into_std();
    if path == b"/" { Vec::new() } else { path }
}

type Changes = BTreeMap<Vec<u8>, (ChangeKind, FileKind)>;

fn compare_trees(before: &Tree, after: &Tree, prefix: Vec<u8>, changes: &mut Changes) {
    let mut comparison = Comparison { before, after, prefix, changes, directories: Vec::new() };
    comparison.run();
}

struct Comparison<'a> {
    before: &'a Tree,
    after: &'a Tree,
    prefix: Vec<u8>,
    changes: &'a mut Changes,
    /// Directories whose entries are still to be compared: path, and the directory before and after.
    directories: Vec<(Vec<u8>, Option<&'a Directory>, Option<&'a Directory>)>,
}

impl<'a> Comparison<'a> {
    fn run(&mut self) {
        let mut directories = Vec::new();
        // Changed files by the directories that hold their names.
        let mut files: FxHashMap<u64, FxHashSet<u64>> = FxHashMap::default();
        super::table::Table::differences(&self.before.table, &self.after.table, &mut |id, old, new| {
            match (old, new) {
                (Some(_), Some(new)) if new.is_directory() => directories.push(id),
                (Some(_), Some(new)) => {
                    for parent in new.parents.list() {
                        files.entry(parent).or_default().insert(id);
                    }
                }
                // Inodes of one side only are found through the directory that names them.
                _ => {}
            }
        });
        for id in directories {
            self.same_directory(id);
        }
        for (parent, changed) in files {
            self.same_files(parent, &changed);
        }
        while let Some((path, old, new)) = self.directories.pop() {
            self.compare_entries(&path, old, new);
        }
    }

    /// A directory that changed: compared if it is at the same path in both. If not, the entry that moved it is found.
    fn same_directory(&mut self, id: u64) {
        let (Some(path), Some((old, new))) = (self.same_path(id), self.both(id)) else { return };
        self.note(&path, old, new);
        if let (Ok(old), Ok(new)) = (old.directory(), new.directory()) {
            self.directories.push((path, Some(old), Some(new)));
        }
    }

    /// Files that changed, under those of their names in `parent` that are in both.
    fn same_files(&mut self, parent: u64, changed: &FxHashSet<u64>) {
        let Some(path) = self.same_path(parent) else { return };
        let Some((old, new)) = self.both(parent) else { return };
        let (Ok(old), Ok(new)) = (old.directory(), new.directory()) else { return };
        for entry in new.iter().filter(|entry| changed.contains(&entry.inode)) {
            if old.get(&entry.name) == Some(entry.inode)
                && let Some((before, after)) = self.both(entry.inode)
                && let Some(path) = child(&path, &entry.name)
            {
                self.note(&path, before, after);
            }
        }
    }

    fn both(&self, id: u64) -> Option<(&'a Inode, &'a Inode)> {
        Some((self.before.table.get(id)?, self.after.table.get(id)?))
    }

    fn same_path(&self, directory: u64) -> Option<Vec<u8>> {
        let path = path_in(self.before, directory)?;
        if path_in(self.after, directory)? != path {
            return None;
        }
        Some([self.prefix.as_slice(), &path].concat())
    }

    fn compare_entries(&mut self, path: &[u8], old: Option<&'a Directory>, new: Option<&'a Directory>) {
        let (old, new): (Vec<&Entry>, Vec<&Entry>) = match (old, new) {
            (Some(old), Some(new)) => old.unshared(new),
            (old, new) => (
                old.map(|directory| directory.iter().collect()).unwrap_or_default(),
                new.map(|directory| directory.iter().collect()).unwrap_or_default(),
            ),
        };
        let (mut old, mut new) = (old.into_iter().peekable(), new.into_iter().peekable());
        loop {
            let order = match (old.peek(), new.peek()) {
                (None, None) => return,
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (Some(old), Some(new)) => old.name.cmp(&new.name),
            };
            let before = if order == Ordering::Greater { None } else { old.next() };
            let after = if order == Ordering::Less { None } else { new.next() };
            let name = before.or(after).map(|entry| entry.name.as_bytes()).unwrap_or_default();
            if before.map(|entry| entry.inode) != after.map(|entry| entry.inode)
                && let Some(path) = child(path, name)
            {
                let before = before.and_then(|entry| self.before.table.get(entry.inode));
                let after = after.and_then(|entry| self.after.table.get(entry.inode));
                self.compare(path, before, after);
            }
        }
    }

    /// Two different inodes, or one and none, at the same path.
    fn compare(&mut self, path: Vec<u8>, before: Option<&'a Inode>, after: Option<&'a Inode>) {
        match (before, after) {
            (Some(old), Some(new)) => self.note(&path, old, new),
            (Some(old), None) => drop(self.changes.insert(path.clone(), (ChangeKind::Removed, old.kind()))),
            (None, Some(new)) => drop(self.changes.insert(path.clone(), (ChangeKind::Added, new.kind()))),
            (None, None) => {}
        }
        let old = before.and_then(|inode| inode.directory().ok());
        let new = after.and_then(|inode| inode.directory().ok());
        if old.is_some() || new.is_some() {
            self.directories.push((path, old, new));
        }
    }

    fn note(&mut self, path: &[u8], before: &Inode, after: &Inode) {
        if let Some(kind) = difference(before, after) {
            let path = if path.is_empty() { b"/" } else { path };
            self.changes.insert(path.to_vec(), (kind, after.kind()));
        }
    }
}

fn difference(before: &Inode, after: &Inode) -> Option<ChangeKind> {
    let same = match (&before.body, &after.body) {
        (Body::File(old), Body::File(new)) => old.is_same(new) || old.is_equal(new),
        (Body::Symlink(old), Body::Symlink(new)) => old == new,
        (Body::Device(old), Body::Device(new)) => old == new,
        _ => before.kind() == after.kind(),
    };
    if !same {
        return Some(ChangeKind::Modified);
    }
    let metadata = |inode: &Inode| (inode.mode, inode.uid, inode.gid);
    (metadata(before) != metadata(after)).then_some(ChangeKind::MetadataChanged)
}

/// `path` and a name in it, unless that is too long to be a path.
fn child(path: &[u8], name: &[u8]) -> Option<Vec<u8>> {
    (path.len() + 1 + name.len() < PATH_MAX).then(|| [path, b"/", name].concat())
}

/// The path of a directory in its tree, empty for the root; `None` where it is too long.
fn path_in(tree: &Tree, directory: u64) -> Option<Vec<u8>> {
    let (mut names, mut length, mut here) = (Vec::new(), 0, directory);
    while here != tree.root {
        let directory = tree.table.get(here)?.directory().ok()?;
        length += directory.name.len() + 1;
        if length >= PATH_MAX {
            return None;
        }
        names.push(directory.name.as_bytes());
        here = directory.parent;
    }
    let mut path = Vec::with_capacity(length);
    for name in names.into_iter().rev() {
        path.push(b'/');
        path.extend_from_slice(name);
    }
    Some(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vfs::{FileSystem, Options};

    fn show(changes: &[Change]) -> Vec<String> {
        let show = |change: &Change| {
            let sign = match change.kind {
                ChangeKind::Added => '+',
                ChangeKind::Removed => '-',
                ChangeKind::Modified => '*',
                ChangeKind::MetadataChanged => '%',
            };
            format!("{sign}{}", String::from_utf8_lossy(&change.path))
        };
        changes.iter().map(show).collect()
    }

    #[test]
    fn every_kind_of_change_is_listed() {
        let fs = FileSystem::new(Options::default());
        fs.create_dir_all(b"/tmp/moved/deep", 0o755).unwrap();
        for path in
            [&b"/tmp/moved/deep/f"[..], b"/tmp/gone", b"/tmp/same", b"/tmp/mode", b"/tmp/one", b"/tmp/swap"]
        {
            fs.write(path, b"text", 0o644).unwrap();
        }
        fs.hard_link(b"/tmp/one", b"/workspace/two").unwrap();
        let before = fs.snapshot();
        assert_eq!(diff(&before, &fs.snapshot()), []);

        fs.rename(b"/tmp/moved", b"/tmp/here").unwrap();
        fs.write(b"/tmp/here/deep/f", b"other", 0o644).unwrap();
        fs.remove_file(b"/tmp/gone").unwrap();
        fs.write(b"/tmp/same", b"text", 0o644).unwrap();
        fs.touch(b"/tmp/same", true).unwrap();
        fs.set_mode(b"/tmp/mode", 0o600).unwrap();
        fs.write(b"/tmp/one", b"more text", 0o644).unwrap();
        fs.remove_file(b"/tmp/swap").unwrap();
        fs.create_dir_all(b"/tmp/swap/x", 0o755).unwrap();
        let after = fs.snapshot();
        assert_eq!(
            show(&diff(&before, &after)),
            [
                "-/tmp/gone",
                "+/tmp/here",
                "+/tmp/here/deep",
                "+/tmp/here/deep/f",
                "%/tmp/mode",
                "-/tmp/moved",
                "-/tmp/moved/deep",
                "-/tmp/moved/deep/f",
                "*/tmp/one",
                "*/tmp/swap",
                "+/tmp/swap/x",
                "*/workspace/two",
            ]
        );
        assert_eq!(diff(&before, &after).first().map(|change| change.file), Some(FileKind::Regular));
        fs.restore(&before);
        assert_eq!(diff(&before, &fs.snapshot()), []);
    }

    #[test]
    fn a_directory_that_keeps_its_path_below_one_that_was_replaced() {
        let fs = FileSystem::new(Options::default());
        fs.create_dir_all(b"/tmp/a/x", 0o755).unwrap();
        fs.write(b"/tmp/a/x/f", b"1", 0o644).unwrap();
        fs.write(b"/tmp/a/g", b"1", 0o644).unwrap();
        let before = fs.snapshot();
        fs.rename(b"/tmp/a", b"/tmp/b").unwrap();
        fs.create_dir(b"/tmp/a", 0o755).unwrap();
        fs.rename(b"/tmp/b/x", b"/tmp/a/x").unwrap();
        fs.write(b"/tmp/a/x/f", b"2", 0o644).unwrap();
        fs.write(b"/tmp/a/x/new", b"2", 0o644).unwrap();
        assert_eq!(
            show(&diff(&before, &fs.snapshot())),
            ["-/tmp/a/g", "*/tmp/a/x/f", "+/tmp/a/x/new", "+/tmp/b", "+/tmp/b/g"]
        );
    }
}
