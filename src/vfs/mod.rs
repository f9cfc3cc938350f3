//! The session's file system: an in-memory tree with copy-on-write sharing, quotas, links, modes and times.
//!
//! - `table.rs`, `inode.rs`, `directory.rs`: the persistent data. Cloning all of it copies a few pointers.
//! - `tree.rs`: the state, what a snapshot holds: inodes, mounts and what is used of the quota.
//! - `resolve.rs`: from a path to an inode, with search permissions, symbolic links and mount points.
//! - `file_system.rs`, `operation.rs`, `rename.rs`, `open_file.rs`: the operations on paths and on open files.
//! - `place.rs`: directories by what they are, for processes that work in them.
//! - `process.rs`: what of `/proc` depends on the process that asks.
//! - `deposit.rs`: files that are written when somebody looks.
//! - `mount.rs`, `interop.rs`: other trees under the same root, and the `vfs` crate's trait in both directions.
//! - `base.rs`: the tree that a new session starts with.
//!
//! - `stored.rs`: what of all that is on the account of the file system; everything else is on the gauge of the run.
//!
//! Reading does not change access times, as if every file system were mounted `noatime`: a read never copies a node.

#![cfg_attr(not(test), deny(clippy::disallowed_types, clippy::disallowed_methods, clippy::disallowed_macros))]

mod attribute;
#[allow(clippy::disallowed_methods, clippy::disallowed_macros, reason = "the host makes it, once")]
mod base;
mod blocks;
mod deposit;
mod device;
#[allow(clippy::disallowed_types, clippy::disallowed_methods, reason = "the host compares, outside of runs")]
mod diff;
mod directory;
mod errno;
mod file_system;
#[allow(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    clippy::disallowed_macros,
    reason = "the host loads fixtures before runs"
)]
pub mod fixture;
#[allow(
    clippy::disallowed_types,
    clippy::disallowed_macros,
    reason = "paths in the words of the `vfs` crate"
)]
mod foreign;
#[allow(
    clippy::disallowed_types,
    clippy::disallowed_macros,
    reason = "paths in the words of the `vfs` crate"
)]
mod foreign_file;
mod inode;
#[allow(clippy::disallowed_types, clippy::disallowed_methods, reason = "the host reads and writes by it")]
mod interop;
#[allow(clippy::disallowed_types, clippy::disallowed_methods, reason = "the host mounts")]
mod mount;
mod open_file;
mod operation;
pub mod path;
mod place;
mod process;
mod rename;
mod resolve;
mod stored;
mod table;
mod tree;

pub use base::{Base, COMMAND_MARK};
pub use deposit::WithdrawError;
pub use device::Device;

pub use diff::{Change, ChangeKind, diff};
pub use errno::{Errno, FsError};
pub use file_system::{FileSystem, Snapshot};
pub use inode::Content;
pub use interop::SessionVfs;
pub use mount::Mount;
pub use open_file::OpenFile;
pub(crate) use place::Place;
pub(crate) use process::of_process;

use crate::clock::Clock;
use crate::text::Text;
use std::sync::Arc;
use std::time::Duration;

/// What file operations return.
pub type Result<T> = std::result::Result<T, FsError>;

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

/// What a path leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FileKind {
    /// A regular file.
    Regular,
    /// A directory.
    Directory,
    /// A symbolic link.
    Symlink,
    /// A FIFO.
    Fifo,
    /// A character device.
    CharDevice,
}

/// What `stat` tells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Metadata {
    /// What it is.
    pub kind: FileKind,
    /// Permission bits with set-user-id, set-group-id and sticky: `0..=0o7777`.
    pub mode: u32,
    /// Owner.
    pub uid: u32,
    /// Group.
    pub gid: u32,
    /// Length in bytes; of a symbolic link, that of its target; of a directory 4096.
    pub size: u64,
    /// Names of the file; of a directory, 2 and one for each directory in it.
    pub links: u64,
    /// Unique in the session, mounts included, and never used again.
    pub inode: u64,
    /// Time of the last access, since the Unix epoch; set only explicitly.
    pub accessed: Duration,
    /// Time of the last change of the content.
    pub modified: Duration,
    /// Time of the last change of content or metadata.
    pub changed: Duration,
    /// Major and minor number of a device.
    pub device: Option<(u32, u32)>,
}

impl Metadata {
    /// The number of the file system that it is in: 0 is the session's own, each mount has another.
    pub fn file_system(&self) -> u64 {
        tree::file_system(self.inode)
    }

    /// Whether it is a directory.
    pub fn is_directory(&self) -> bool {
        self.kind == FileKind::Directory
    }

    /// Whether it is a regular file.
    pub fn is_regular(&self) -> bool {
        self.kind == FileKind::Regular
    }

    /// Whether it is a symbolic link.
    pub fn is_symlink(&self) -> bool {
        self.kind == FileKind::Symlink
    }
}

/// One name in a directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DirEntry {
    /// The name, without the directory.
    pub name: Text,
    /// What it leads to; links are not followed.
    pub kind: FileKind,
    /// As [`Metadata::inode`].
    pub inode: u64,
}

/// How to open a file; `open(2)`'s flags. All false opens nothing: at least one of `read`, `write`, `append` is meant.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OpenOptions {
    /// For reading.
    pub read: bool,
    /// For writing.
    pub write: bool,
    /// For writing at the end.
    pub append: bool,
    /// Creates the file where it does not exist.
    pub create: bool,
    /// Creates the file and fails where it exists, even as a dangling symbolic link.
    pub create_new: bool,
    /// Empties the file; needs the permission to write.
    pub truncate: bool,
    /// Fails with `ENOTDIR` on everything but directories.
    pub directory: bool,
    /// Fails with `ELOOP` where the last component is a symbolic link.
    pub no_follow: bool,
    /// Permission bits of a file that is created, the umask already applied.
    pub mode: u32,
}

impl OpenOptions {
    /// `<`: for reading.
    pub fn for_reading() -> Self {
        Self { read: true, ..Self::default() }
    }

    /// `>`: for writing, created with `mode` or emptied.
    pub fn for_writing(mode: u32) -> Self {
        Self { write: true, create: true, truncate: true, mode, ..Self::default() }
    }

    /// `>>`: for appending, created with `mode`.
    pub fn for_appending(mode: u32) -> Self {
        Self { append: true, create: true, mode, ..Self::default() }
    }
}

/// What opening a path gave.
#[derive(Debug)]
#[non_exhaustive]
pub enum Opened {
    /// A regular file.
    File(OpenFile),
    /// A directory, opened for reading.
    Directory(Metadata),
    /// A device, for the descriptor layer to act out.
    Device(Device),
    /// A FIFO, known by its inode number; the descriptor layer keeps its bytes.
    Fifo(FifoId),
}

/// The inode number of a FIFO: unique in the session.
pub type FifoId = u64;

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
    const fn add(&mut self, other: Self) {
        self.files = self.files.saturating_add(other.files);
        self.bytes = self.bytes.saturating_add(other.bytes);
        self.memory = self.memory.saturating_add(other.memory);
    }

    const fn subtract(&mut self, other: Self) {
        self.files = self.files.saturating_sub(other.files);
        self.bytes = self.bytes.saturating_sub(other.bytes);
        self.memory = self.memory.saturating_sub(other.memory);
    }
}

#[cfg(test)]
mod tests;
