//! How a session uses its file system, how a file is opened, and what is used of the quota.

use crate::clock::Clock;
use std::sync::Arc;

/// How a session uses its file system.
#[derive(Clone, Debug)]
pub struct Options {
    /// Where times come from.
    pub clock: Arc<Clock>,
    /// The session's user; 0 passes every permission check.
    pub uid: u32,
    /// The session's only group.
    pub gid: u32,
    /// Names in all directories together, those of the base tree and of mounts as they were mounted not counted.
    pub max_files: u64,
    /// Bytes of memory of all files, with their names, inodes and folders, counted as `max_files`; see [`FsUsage::memory`].
    /// A file that was removed counts until it is closed.
    pub max_bytes: u64,
}

impl Default for Options {
    #[expect(clippy::disallowed_methods, reason = "one for each session")]
    fn default() -> Self {
        let limits = crate::limit::Limits::default_profile();
        Self {
            clock: Arc::new(Clock::system()),
            uid: 1000,
            gid: 1000,
            max_files: limits.files,
            max_bytes: limits.file_system_bytes,
        }
    }
}

/// How to open a file; `open(2)`'s flags. All false opens nothing: at least one of `read`, `write`, `append` is meant.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct OpenOptions {
    /// For reading.
    pub(crate) read: bool,
    /// For writing.
    pub(crate) write: bool,
    /// For writing at the end.
    pub(crate) append: bool,
    /// Creates the file where it does not exist.
    pub(crate) create: bool,
    /// Creates the file and fails where it exists, even as a dangling symbolic link.
    pub(crate) create_new: bool,
    /// Empties the file; needs the permission to write.
    pub(crate) truncate: bool,
    /// Fails with `ENOTDIR` on everything but directories.
    pub(crate) directory: bool,
    /// Fails with `ELOOP` where the last component is a symbolic link.
    pub(crate) no_follow: bool,
    /// Permission bits of a file that is created, the umask already applied.
    pub(crate) mode: u32,
}

impl OpenOptions {
    /// `<`: for reading.
    #[cfg(any(test, feature = "programs", feature = "vfs"))]
    pub(crate) fn for_reading() -> Self {
        Self { read: true, ..Self::default() }
    }

    /// `>`: for writing, created with `mode` or emptied.
    #[cfg(any(test, feature = "vfs"))]
    pub(crate) fn for_writing(mode: u32) -> Self {
        Self { write: true, create: true, truncate: true, mode, ..Self::default() }
    }

    /// `>>`: for appending, created with `mode`.
    pub(crate) fn for_appending(mode: u32) -> Self {
        Self { append: true, create: true, mode, ..Self::default() }
    }
}

/// What is used of the quota; see [`Options`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FsUsage {
    /// Names.
    pub files: u64,
    /// Bytes of all regular files and link targets.
    pub bytes: u64,
    /// Bytes of memory that all of it takes: contents, of a hole and of what copies share its length, inodes, names and
    /// folders. This is what `max_bytes` bounds.
    pub memory: u64,
}

impl FsUsage {
    pub(super) const fn add(&mut self, other: Self) {
        self.files = self.files.saturating_add(other.files);
        self.bytes = self.bytes.saturating_add(other.bytes);
        self.memory = self.memory.saturating_add(other.memory);
    }

    pub(super) const fn subtract(&mut self, other: Self) {
        self.files = self.files.saturating_sub(other.files);
        self.bytes = self.bytes.saturating_sub(other.bytes);
        self.memory = self.memory.saturating_sub(other.memory);
    }
}
