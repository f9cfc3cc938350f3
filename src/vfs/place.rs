//! Directories by what they are, not by their path: a process keeps its working directory when that, or one above it, is
//! moved or removed.
//!
//! A process remembers the inode of its directory. As long as no directory is moved or removed anywhere, which a counter
//! tells, the path by which it was found is right; then the inode tells where the directory is now.

use super::file_system::FileSystem;
use super::location::Location;
use super::resolve::{Follow, REMOVED};
use crate::memory::Vec;
use crate::text::Text;
use std::sync::OnceLock;
use std::sync::atomic::Ordering::Relaxed;

/// A directory that a process works in.
#[derive(Clone, Debug, Default)]
pub(crate) struct Place {
    /// Where it was found.
    path: Text,
    /// [`FileSystem::moves`] then.
    moves: u64,
    /// Its inode, looked up when it is asked for first; none in a mounted foreign file system.
    inode: OnceLock<Option<u64>>,
}

impl Place {
    /// The directory at `path`.
    pub(crate) fn new(files: &FileSystem, path: &Text) -> Self {
        Self { path: path.clone(), moves: files.moves(), inode: OnceLock::new() }
    }

    /// Where it is now.
    pub(crate) fn path(&self, files: &FileSystem) -> Text {
        self.moved(files).unwrap_or_else(|| self.path.clone())
    }

    /// Where it is now, if that is not where it was found.
    pub(crate) fn moved(&self, files: &FileSystem) -> Option<Text> {
        let inode = *self.inode.get_or_init(|| files.directory(&self.path));
        let inode = inode.filter(|_| files.moves() != self.moves)?;
        if files.directory(&self.path) == Some(inode) {
            return None;
        }
        Some(files.path_of_directory(inode).map_or(Text::from_static(REMOVED), Text::from))
    }

    /// Whether it was removed.
    pub(crate) fn is_removed(&self, files: &FileSystem) -> bool {
        self.moved(files).is_some_and(|path| path.starts_with(REMOVED))
    }
}

impl FileSystem {
    /// How many directories were moved or removed so far.
    fn moves(&self) -> u64 {
        self.shared.moves.load(Relaxed)
    }

    /// The inode of the directory at a path.
    fn directory(&self, path: &[u8]) -> Option<u64> {
        let live = self.shared.live();
        let found = live.state.walk(path, Follow::Always).ok()?;
        let at = found.target.filter(|_| found.foreign.is_none())?;
        live.state.inode(at).is_ok_and(super::inode::Inode::is_directory).then_some(at.0)
    }

    /// Where a directory is that has a name.
    fn path_of_directory(&self, inode: u64) -> Option<Vec<u8>> {
        let live = self.shared.live();
        let at = Location(inode);
        let directory = live.state.inode(at).ok().filter(|inode| inode.is_directory() && inode.links > 0);
        directory.map(|_| live.state.path_of(at, Vec::new()))
    }
}
