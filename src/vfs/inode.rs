//! Inodes, and the content of regular files.

use super::blocks::Blocks;
use super::device::Device;
use super::directory::Directory;
use super::errno::{Errno, FsError};
use super::metadata::{FileKind, Metadata};
use super::options::FsUsage;
use super::stored::{Name, StoredVec, own, share};
use crate::memory::{Held, Vec, shared};
use crate::text::Text;
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;
use std::time::Duration;

/// One file of any kind.
#[derive(Clone, Debug)]
pub(super) struct Inode {
    pub(super) body: Body,
    pub(super) parents: Parents,
    /// Nanoseconds since the Unix epoch, as the next two.
    pub(super) accessed: u64,
    pub(super) modified: u64,
    pub(super) changed: u64,
    pub(super) uid: u32,
    pub(super) gid: u32,
    pub(super) links: u32,
    /// Permission bits with set-user-id, set-group-id and sticky: `0..=0o7777`.
    pub(super) mode: u16,
}

#[derive(Clone, Debug)]
pub(super) enum Body {
    File(Blocks),
    Directory(Box<Directory>),
    Symlink(Name),
    Fifo,
    Device(Device),
}

/// In which directories the links of a file are, so that a changed inode's paths are found without a search. A directory
/// has one parent, kept in its [`Directory`] too, with its name.
#[derive(Clone, Debug)]
pub(super) enum Parents {
    One(u64),
    // In a box, so that inodes are small: files with several names are rare.
    Many(Box<LinkCounts>),
}

/// Directory to number of links in it.
#[expect(clippy::disallowed_types, reason = "it is on the account of the file system")]
type LinkCounts = std::collections::BTreeMap<u64, u32>;

/// Bytes of the heap that an inode takes with the counters of its `Arc`.
const INODE: usize = size_of::<Inode>() + 16;

/// What a map of links takes at most: itself with a node, and for each entry its part of a node that is half full.
const LINK_COUNTS: usize = 200;
const LINK_COUNT: usize = 48;

impl Parents {
    pub(super) fn add(&mut self, parent: u64) {
        match self {
            Self::One(first) => {
                let mut many = LinkCounts::from([(*first, 1)]);
                *many.entry(parent).or_insert(0) += 1;
                *self = Self::Many(own(many));
            }
            Self::Many(many) => *many.entry(parent).or_insert(0) += 1,
        }
    }

    pub(super) fn remove(&mut self, parent: u64) {
        if let Self::Many(many) = self {
            if let Some(count) = many.get_mut(&parent) {
                *count -= 1;
                if *count == 0 {
                    many.remove(&parent);
                }
            }
            if let (1, Some((&last, 1))) = (many.len(), many.first_key_value()) {
                *self = Self::One(last);
            }
        }
    }

    pub(super) fn replace(&mut self, from: u64, to: u64) {
        match self {
            Self::One(parent) => *parent = to,
            Self::Many(_) => {
                self.add(to);
                self.remove(from);
            }
        }
    }

    pub(super) fn list(&self) -> StoredVec<u64> {
        match self {
            Self::One(parent) => StoredVec::from([*parent]),
            Self::Many(many) => many.keys().copied().collect(),
        }
    }

    /// Bytes of the heap.
    #[inline]
    fn memory(&self) -> usize {
        match self {
            Self::One(_) => 0,
            Self::Many(many) => LINK_COUNTS + many.len() * LINK_COUNT,
        }
    }
}

impl Inode {
    /// A new inode with one link in `parent`; all times are `now`.
    pub(super) const fn new(body: Body, mode: u16, uid: u32, gid: u32, now: u64, parent: u64) -> Self {
        let links = if matches!(body, Body::Directory(_)) { 2 } else { 1 };
        let parents = Parents::One(parent);
        Self {
            body,
            parents,
            accessed: now,
            modified: now,
            changed: now,
            uid,
            gid,
            links,
            mode: mode & 0o7777,
        }
    }

    pub(super) const fn kind(&self) -> FileKind {
        match self.body {
            Body::File(_) => FileKind::Regular,
            Body::Directory(_) => FileKind::Directory,
            Body::Symlink(_) => FileKind::Symlink,
            Body::Fifo => FileKind::Fifo,
            Body::Device(_) => FileKind::CharDevice,
        }
    }

    /// What it counts for in the quota: a directory with the names in it.
    #[inline]
    pub(super) fn usage(&self) -> FsUsage {
        let (files, bytes, body) = match &self.body {
            Body::File(content) => (0, content.len(), content.memory()),
            Body::Symlink(target) => (0, target.len(), target.memory()),
            Body::Directory(directory) => (directory.len(), 0, directory.memory()),
            Body::Fifo | Body::Device(_) => (0, 0, 0),
        };
        let memory = INODE + body + self.parents.memory();
        FsUsage { files: files as u64, bytes: bytes as u64, memory: memory as u64 }
    }

    /// Its length, or that of a link's target.
    pub(super) fn bytes(&self) -> u64 {
        match &self.body {
            Body::File(content) => content.len() as u64,
            Body::Symlink(target) => target.len() as u64,
            Body::Directory(_) | Body::Fifo | Body::Device(_) => 0,
        }
    }

    pub(super) fn directory(&self) -> Result<&Directory, FsError> {
        match &self.body {
            Body::Directory(directory) => Ok(directory),
            _ => Err(Errno::NotDirectory.into()),
        }
    }

    pub(super) fn directory_mut(&mut self) -> Result<&mut Directory, FsError> {
        match &mut self.body {
            Body::Directory(directory) => Ok(directory),
            _ => Err(Errno::NotDirectory.into()),
        }
    }

    pub(super) fn blocks_mut(&mut self) -> Result<&mut Blocks, FsError> {
        match &mut self.body {
            Body::File(blocks) => Ok(blocks),
            Body::Directory(_) => Err(Errno::IsDirectory.into()),
            _ => Err(Errno::Invalid.into()),
        }
    }

    pub(super) const fn is_directory(&self) -> bool {
        matches!(self.body, Body::Directory(_))
    }

    /// Marks a change of the content or the entries.
    pub(super) const fn touch(&mut self, now: u64) {
        self.modified = now;
        self.changed = now;
    }

    /// As [`Self::touch`]; a file that somebody but root has written no longer runs as its owner or its group.
    pub(super) const fn written(&mut self, now: u64, user: u32) {
        self.touch(now);
        if user != 0 {
            self.mode &= !0o4000;
            if self.mode & 0o010 != 0 {
                self.mode &= !0o2000;
            }
        }
    }

    pub(super) fn metadata(&self, inode: u64) -> Metadata {
        let size = match &self.body {
            Body::Directory(_) => 4096,
            _ => self.bytes(),
        };
        Metadata {
            kind: self.kind(),
            mode: u32::from(self.mode),
            uid: self.uid,
            gid: self.gid,
            size,
            links: u64::from(self.links),
            inode,
            accessed: Duration::from_nanos(self.accessed),
            modified: Duration::from_nanos(self.modified),
            changed: Duration::from_nanos(self.changed),
            device: match &self.body {
                Body::Device(device) => Some(device.numbers()),
                _ => None,
            },
        }
    }
}

/// The bytes of a regular file in one piece, as they were when it was read.
#[derive(Clone)]
pub struct Content(Repr);

#[derive(Clone)]
enum Repr {
    Static(&'static [u8]),
    /// A block of a file.
    Shared(Arc<StoredVec<u8>>),
    /// Copied for who reads, on the account of the run.
    Copied(Arc<Held<Vec<u8>>>),
}

impl Content {
    /// No bytes.
    pub const EMPTY: Self = Self(Repr::Static(b""));

    /// The bytes.
    pub fn as_bytes(&self) -> &[u8] {
        match &self.0 {
            Repr::Static(bytes) => bytes,
            Repr::Shared(bytes) => bytes,
            Repr::Copied(bytes) => bytes,
        }
    }

    /// The bytes as an owned vector; no copy when nothing else shares them.
    pub fn into_vec(self) -> StoredVec<u8> {
        match self.0 {
            Repr::Static(bytes) => bytes.into(),
            Repr::Shared(bytes) => Arc::try_unwrap(bytes).unwrap_or_else(|shared| shared.as_ref().clone()),
            Repr::Copied(bytes) => match Arc::try_unwrap(bytes) {
                Ok(bytes) => bytes.take().into_std(),
                Err(shared) => shared.as_slice().into(),
            },
        }
    }

    /// A content over bytes that live for the whole program.
    pub(super) const fn from_static(bytes: &'static [u8]) -> Self {
        Self(Repr::Static(bytes))
    }

    pub(super) const fn from_shared(bytes: Arc<StoredVec<u8>>) -> Self {
        Self(Repr::Shared(bytes))
    }

    /// A content that was copied out of a file; it is charged to the run.
    pub(super) fn from_copy(bytes: Vec<u8>) -> Self {
        Self(Repr::Copied(shared(bytes)))
    }

    /// The bytes behind the reference count; `Err`: they live for the whole program.
    pub(super) fn into_shared(self) -> std::result::Result<Arc<StoredVec<u8>>, &'static [u8]> {
        match self.0 {
            Repr::Static(bytes) => Err(bytes),
            Repr::Shared(bytes) => Ok(bytes),
            Repr::Copied(_) => Ok(share(self.into_vec())),
        }
    }
}

impl Deref for Content {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        self.as_bytes()
    }
}

impl AsRef<[u8]> for Content {
    fn as_ref(&self) -> &[u8] {
        self.as_bytes()
    }
}

impl From<Text> for Content {
    /// The bytes are the file system's from now on, on its own account.
    fn from(text: Text) -> Self {
        Self::from(text.into_vec().into_std())
    }
}

impl From<StoredVec<u8>> for Content {
    fn from(bytes: StoredVec<u8>) -> Self {
        if bytes.is_empty() { Self::EMPTY } else { Self(Repr::Shared(share(bytes))) }
    }
}

impl fmt::Debug for Content {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Content({} bytes)", self.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parents_are_counted() {
        let mut parents = Parents::One(1);
        parents.add(1);
        parents.add(2);
        parents.remove(1);
        assert_eq!(parents.list(), [1, 2]);
        parents.replace(2, 3);
        parents.remove(1);
        assert!(matches!(parents, Parents::One(3)));
    }

    #[test]
    fn an_inode_is_small() {
        assert!(size_of::<Inode>() <= 96, "{}", size_of::<Inode>());
    }
}
