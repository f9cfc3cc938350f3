//! Several trees under one root: memory, overlays and foreign file systems, each read-only or not.
//!
//! An overlay needs no two layers: trees are copy-on-write, so it is a tree that starts as the lower one and shares it. What
//! was written is the [`diff`](super::diff()) of the two.

use super::errno::{Errno, Result};
use super::file_system::FileSystem;
use super::file_system::Snapshot;
#[cfg(feature = "vfs")]
use super::foreign::Foreign;
use super::location::FOREIGN_FILES;
#[cfg(feature = "vfs")]
use super::location::Location;
use super::mount_point::{MountPoint, Target};
use super::resolve::Follow;
use super::tree::Tree;
use std::sync::Arc;

/// What [`FileSystem::mount`] mounts.
#[derive(Debug)]
pub struct Mount {
    source: Source,
    read_only: bool,
}

#[derive(Debug)]
enum Source {
    Memory,
    Overlay(Snapshot, Vec<u8>),
    #[cfg(feature = "vfs")]
    Foreign(Box<dyn ::vfs::FileSystem>, u64),
}

impl Mount {
    /// An empty directory tree that belongs to the session's user.
    pub const fn memory() -> Self {
        Self { source: Source::Memory, read_only: false }
    }

    /// The directory `path` of a snapshot. Writes stay in the mount; the snapshot does not change. What is mounted within the
    /// snapshot is left out.
    pub fn overlay(lower: &Snapshot, path: &[u8]) -> Self {
        Self { source: Source::Overlay(lower.clone(), path.to_vec()), read_only: false }
    }

    /// Another implementation of the `vfs` crate's trait. Its files may have `max_bytes` bytes each; opening, writing or
    /// reading a larger one ends the run with the limit on bytes of files.
    ///
    /// It has no links, modes and owners: files look as if they belonged to the session's user, operations that need more
    /// fail with `EOPNOTSUPP`. Names that are not UTF-8 cannot be used in it. It is called without a lock held and should
    /// answer fast: it runs on the session's executor.
    #[cfg(feature = "vfs")]
    pub fn foreign(file_system: Box<dyn ::vfs::FileSystem>, max_bytes: u64) -> Self {
        Self { source: Source::Foreign(file_system, max_bytes), read_only: false }
    }

    /// The same, but every write fails with `EROFS`.
    #[must_use]
    pub fn read_only(self) -> Self {
        Self { read_only: true, ..self }
    }
}

impl FileSystem {
    /// Mounts a tree on the directory `path`, whose own entries it hides. What it holds now does not count towards the quota.
    ///
    /// # Errors
    /// Those of resolving `path` (in an overlay, also the path within the snapshot), `ENOTDIR`, and `EBUSY` for a directory
    /// within a foreign file system and for a foreign file system on `/`. Permissions are not checked: mounting is the host's act.
    pub fn mount(&self, path: &[u8], mount: Mount) -> Result<()> {
        let mut live = self.shared.live();
        let state = &mut live.state;
        let host = state.without_permissions();
        let found = host.walk(path, Follow::Always)?;
        if found.foreign.is_some() || state.mounts.len() + 1 >= FOREIGN_FILES {
            return Err(Errno::Busy.into());
        }
        let at = found.existing()?;
        if at.descriptor().is_some() || !state.inode(at)?.is_directory() {
            return Err(Errno::NotDirectory.into());
        }
        #[cfg(feature = "vfs")]
        if matches!(mount.source, Source::Foreign(..)) && at == state.cross(Location::ROOT) {
            return Err(Errno::Busy.into());
        }
        let read_only = mount.read_only;
        let target = match mount.source {
            Source::Memory => {
                Target::Tree(Tree::new(0o755, state.user.uid, state.user.gid, self.shared.now()))
            }
            Source::Overlay(snapshot, path) => {
                let host = snapshot.state.without_permissions();
                let found = host.walk(&path, Follow::Always)?;
                let root = found.existing()?;
                if root.tree() != 0 || !host.inode(root)?.is_directory() {
                    return Err(Errno::NotDirectory.into());
                }
                Target::Tree(Tree { root: root.id(), ..host.root.clone() })
            }
            #[cfg(feature = "vfs")]
            Source::Foreign(file_system, max_bytes) => {
                let tree = state.mounts.len() + 1;
                Target::Foreign(Arc::new(Foreign::new(file_system, max_bytes, read_only, tree, state.user)))
            }
        };
        if let Target::Tree(tree) = &target {
            state.given.add(tree.table.usage());
        }
        state.mounts.push(MountPoint { at, read_only, identity: Arc::new(()), target });
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vfs::{FsError, OpenOptions, Opened, Options, diff};

    fn fs() -> FileSystem {
        FileSystem::new(Options::default())
    }

    fn errno<T: std::fmt::Debug>(result: Result<T>) -> &'static str {
        result.map_err(|error: FsError| error.errno().map_or("limit", Errno::name)).err().unwrap_or("ok")
    }

    #[test]
    fn a_memory_mount_hides_the_directory_and_keeps_renames_out() {
        let fs = fs();
        fs.create_dir_all(b"/workspace/m/hidden", 0o755).unwrap();
        fs.mount(b"/workspace/m", Mount::memory()).unwrap();
        assert_eq!(fs.read_dir(b"/workspace/m").unwrap(), []);
        fs.write(b"/workspace/m/f", b"text", 0o644).unwrap();
        fs.create_dir_all(b"/workspace/m/d/e", 0o755).unwrap();
        assert_eq!(fs.canonicalize(b"/workspace/m/d/../../m/d/e/..").unwrap(), b"/workspace/m/d");
        assert_eq!(errno(fs.rename(b"/workspace/m/f", b"/workspace/f")), "EXDEV");
        assert_eq!(errno(fs.hard_link(b"/workspace/m/f", b"/workspace/f")), "EXDEV");
        assert_eq!(errno(fs.remove_dir(b"/workspace/m")), "EBUSY");
        assert_eq!(errno(fs.rename(b"/workspace/m", b"/workspace/n")), "EBUSY");
        let numbers = [&b"/workspace"[..], b"/workspace/m", b"/workspace/m/f"]
            .map(|path| fs.metadata(path).unwrap().inode);
        assert!(numbers[0] != numbers[1] && numbers[1] != numbers[2]);
        assert_eq!((fs.usage().files, fs.usage().bytes), (5, 4));
        fs.mount(b"/workspace/m", Mount::memory().read_only()).unwrap();
        assert_eq!(fs.read_dir(b"/workspace/m").unwrap(), []);
        assert_eq!(errno(fs.write(b"/workspace/m/f", b"", 0o644)), "EROFS");
        assert_eq!(fs.canonicalize(b"/workspace/m/..").unwrap(), b"/workspace");
    }

    #[test]
    fn a_memory_mount_is_in_snapshots() {
        let fs = fs();
        fs.mount(b"/workspace", Mount::memory()).unwrap();
        let before = fs.snapshot();
        fs.write(b"/workspace/f", b"text", 0o644).unwrap();
        let fork = fs.fork();
        let changes = diff(&before, &fs.snapshot());
        assert_eq!(changes.iter().map(|change| &*change.path).collect::<Vec<_>>(), [b"/workspace/f"]);
        fs.restore(&before);
        assert_eq!(errno(fs.read(b"/workspace/f")), "ENOENT");
        assert_eq!(&*fork.read(b"/workspace/f").unwrap(), b"text");
    }

    #[test]
    fn an_overlay_leaves_the_lower_tree_alone() {
        let lower = fs();
        lower.create_dir_all(b"/workspace/project/src", 0o755).unwrap();
        lower.write(b"/workspace/project/src/main", b"text", 0o644).unwrap();
        let snapshot = lower.snapshot();
        let fs = fs();
        fs.create_dir(b"/workspace/p", 0o755).unwrap();
        fs.mount(b"/workspace/p", Mount::overlay(&snapshot, b"/workspace/project")).unwrap();
        assert_eq!((fs.usage().files, fs.usage().bytes), (1, 0));
        assert_eq!(fs.canonicalize(b"/workspace/p/src/../src/main").unwrap(), b"/workspace/p/src/main");
        assert_eq!(fs.canonicalize(b"/workspace/p/src/../..").unwrap(), b"/workspace");
        let before = fs.snapshot();
        fs.remove_file(b"/workspace/p/src/main").unwrap();
        fs.write(b"/workspace/p/new", b"new", 0o644).unwrap();
        let changes = diff(&before, &fs.snapshot());
        assert_eq!(
            changes.iter().map(|change| &*change.path).collect::<Vec<_>>(),
            [&b"/workspace/p/new"[..], b"/workspace/p/src/main"]
        );
        assert_eq!(&*lower.read(b"/workspace/project/src/main").unwrap(), b"text");
    }

    #[test]
    fn a_mount_on_the_root_is_the_root() {
        let fs = fs();
        fs.mount(b"/", Mount::memory()).unwrap();
        assert_eq!(fs.read_dir(b"/").unwrap(), []);
        fs.write(b"/f", b"text", 0o644).unwrap();
        assert_eq!(fs.canonicalize(b"/../f").unwrap(), b"/f");
        assert!(matches!(fs.open(b"/f", &OpenOptions::for_reading()), Ok(Opened::File(_))));
    }

    #[test]
    fn mounting_needs_a_directory() {
        let fs = fs();
        fs.write(b"/tmp/f", b"", 0o644).unwrap();
        assert_eq!(errno(fs.mount(b"/tmp/f", Mount::memory())), "ENOTDIR");
        assert_eq!(errno(fs.mount(b"/tmp/none", Mount::memory())), "ENOENT");
        assert_eq!(errno(fs.mount(b"/dev/fd/1", Mount::memory())), "ENOTDIR");
    }
}
