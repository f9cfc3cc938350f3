//! What is told of a file: its kind, its metadata, its entry in a directory.

use super::location::file_system;
use crate::text::Text;
use std::time::Duration;

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
    pub(crate) fn file_system(&self) -> u64 {
        file_system(self.inode)
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

/// The inode number of a FIFO: unique in the session.
pub(crate) type FifoId = u64;
