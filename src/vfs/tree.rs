//! `TreeState`: all trees of a session with their inodes, links and quota, below the level of paths and permissions.
//!
//! A file is found by its [`Location`]: the tree it is in and its inode id there. Ids are never used again within a tree, so
//! that an open file's location stays its own. Every change of what the quota counts goes through here.

use super::blocks::Blocks;
use super::device::Device;
use super::directory::Entry;
use super::errno::Result;
use super::errno::{Errno, FsError};
use super::inode::{Body, Inode};
use super::location::{Location, ROOT};
use super::metadata::Metadata;
use super::mount_point::MountPoint;
use super::options::FsUsage;
use super::stored::{Name, StoredVec, own, share};
use super::table::{InodeMut, Table};
use crate::limit::{Limit, LimitError};

/// As on Linux's ext4.
const LINKS_MAX: u32 = 65_000;
/// The inodes of one tree.
#[derive(Clone, Debug)]
pub(super) struct Tree {
    pub(super) table: Table,
    /// The id of the root directory.
    pub(super) root: u64,
    /// The next inode id.
    pub(super) next: u64,
    /// The directory whose names are descriptors, `/proc/self/fd`; 0 where there is none.
    pub(super) descriptors: u64,
}

impl Tree {
    /// A tree that holds an empty root directory.
    pub(super) fn new(mode: u16, uid: u32, gid: u32, now: u64) -> Self {
        let root = super::directory::Directory::new(ROOT, Name::EMPTY);
        let mut table = Table::new();
        table.insert(ROOT, share(Inode::new(Body::Directory(own(root)), mode, uid, gid, now, ROOT)));
        Self { table, root: ROOT, next: ROOT + 1, descriptors: 0 }
    }
}

/// The session's user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct User {
    pub(super) uid: u32,
    pub(super) gid: u32,
}

/// What is allowed of the quota.
#[derive(Clone, Copy, Debug)]
pub(super) struct Quota {
    pub(super) files: u64,
    pub(super) bytes: u64,
}

/// See the module.
#[derive(Clone, Debug)]
pub(super) struct TreeState {
    pub(super) root: Tree,
    pub(super) mounts: StoredVec<MountPoint>,
    pub(super) user: User,
    pub(super) quota: Quota,
    /// The part of what is in all trees that the session started with or mounted.
    pub(super) given: FsUsage,
    /// Counts what may have changed a file.
    pub(super) changes: u64,
}

impl TreeState {
    pub(super) fn tree(&self, at: Location) -> Result<&Tree> {
        match at.tree().checked_sub(1) {
            None => Ok(&self.root),
            Some(mount) => self.mounts.get(mount).and_then(MountPoint::tree).ok_or(Errno::InputOutput.into()),
        }
    }

    pub(super) fn tree_mut(&mut self, at: Location) -> Result<&mut Tree> {
        self.changes = self.changes.wrapping_add(1);
        match at.tree().checked_sub(1) {
            None => Ok(&mut self.root),
            Some(mount) => {
                self.mounts.get_mut(mount).and_then(MountPoint::tree_mut).ok_or(Errno::InputOutput.into())
            }
        }
    }

    pub(super) fn inode(&self, at: Location) -> Result<&Inode> {
        self.tree(at)?.table.get(at.id()).ok_or(Errno::InputOutput.into())
    }

    pub(super) fn inode_mut(&mut self, at: Location) -> Result<InodeMut<'_>> {
        self.tree_mut(at)?.table.get_mut(at.id()).ok_or(Errno::InputOutput.into())
    }

    pub(super) fn metadata(&self, at: Location) -> Result<Metadata> {
        if let Some(number) = at.descriptor() {
            let device = Body::Device(Device::Descriptor(number));
            let User { uid, gid } = self.user;
            return Ok(Inode::new(device, 0o620, uid, gid, 0, ROOT).metadata(at.0));
        }
        Ok(self.inode(at)?.metadata(at.0))
    }

    /// The same with the rights of root, to look at.
    pub(super) fn without_permissions(&self) -> Self {
        Self { user: User { uid: 0, gid: 0 }, ..self.clone() }
    }

    /// Whether a directory is the root of its tree.
    pub(super) fn is_root(&self, at: Location) -> bool {
        // Of a foreign file system, only the root has a location.
        self.tree(at).map_or(at.id() == ROOT, |tree| tree.root == at.id())
    }

    /// `EROFS` where the tree may not be written.
    pub(super) fn check_writable(&self, at: Location) -> Result<()> {
        let mount = at.tree().checked_sub(1).and_then(|mount| self.mounts.get(mount));
        if mount.is_some_and(|mount| mount.read_only) { Err(Errno::ReadOnly.into()) } else { Ok(()) }
    }

    /// Whether another tree is mounted on the directory `at`.
    pub(super) fn is_mount_point(&self, at: Location) -> bool {
        self.mounts.iter().any(|mount| mount.at == at)
    }

    /// What is in all trees; see [`Table::usage`].
    pub(super) fn used(&self) -> FsUsage {
        let mut used = self.root.table.usage();
        for tree in self.mounts.iter().filter_map(MountPoint::tree) {
            used.add(tree.table.usage());
        }
        used
    }

    /// Whether a file of some tree takes long to read at once.
    pub(super) fn has_large_file(&self) -> bool {
        let mut trees = self.mounts.iter().filter_map(MountPoint::tree);
        self.root.table.has_large_file() || trees.any(|tree| tree.table.has_large_file())
    }

    /// The most memory that was used of the quota since the last call.
    pub(super) fn take_peak(&mut self) -> u64 {
        let mut peak = self.root.table.take_peak();
        for tree in self.mounts.iter_mut().filter_map(MountPoint::tree_mut) {
            peak = peak.saturating_add(tree.table.take_peak());
        }
        peak.saturating_sub(self.given.memory)
    }

    /// What of the quota is used.
    pub(super) fn usage(&self) -> FsUsage {
        let mut used = self.used();
        used.subtract(self.given);
        used
    }

    /// Whether the quota allows for so many names and so much memory more. What a table or a folder grows by at a step is
    /// not foreseen; it is some KiB at most.
    ///
    /// # Errors
    /// The limit that would be passed.
    pub(super) fn admit(&self, files: u64, memory: usize) -> Result<()> {
        let used = if self.mounts.is_empty() { self.root.table.usage() } else { self.used() };
        let passes = |used: u64, more: u64, given: u64, quota: u64| {
            used.saturating_add(more) > given.saturating_add(quota)
        };
        if files > 0 && passes(used.files, files, self.given.files, self.quota.files) {
            return Err(limit(Limit::Files, self.quota.files));
        }
        if passes(used.memory, memory as u64, self.given.memory, self.quota.bytes) {
            return Err(limit(Limit::FileSystemBytes, self.quota.bytes));
        }
        Ok(())
    }

    /// A new file of any kind under a name that is not there yet. Its group is the directory's where that is
    /// set-group-id.
    pub(super) fn create(
        &mut self,
        parent: Location,
        name: Name,
        mut body: Body,
        mode: u16,
        now: u64,
    ) -> Result<Location> {
        let User { uid, mut gid } = self.user;
        let mut mode = mode;
        let holder = self.inode(parent)?;
        if holder.mode & 0o2000 != 0 {
            gid = holder.gid;
            mode |= if matches!(body, Body::Directory(_)) { 0o2000 } else { 0 };
        }
        if let Body::Directory(directory) = &mut body {
            directory.parent = parent.id();
            directory.name = name.clone();
        }
        let is_directory = matches!(body, Body::Directory(_));
        let inode = Inode::new(body, mode, uid, gid, now, parent.id());
        self.admit(1, inode.usage().memory as usize + name_memory(&name))?;
        let tree = self.tree_mut(parent)?;
        let id = tree.next;
        tree.next += 1;
        tree.table.insert(id, share(inode));
        let mut holder = self.inode_mut(parent)?;
        holder.touch(now);
        holder.links = holder.links.saturating_add(u32::from(is_directory));
        holder.directory_mut()?.insert(name, id);
        Ok(parent.sibling(id))
    }

    /// One more name for a file.
    pub(super) fn link(&mut self, target: Location, parent: Location, name: Name, now: u64) -> Result<()> {
        if self.inode(target)?.links >= LINKS_MAX {
            return Err(Errno::TooManyLinks.into());
        }
        self.admit(1, name_memory(&name))?;
        let mut inode = self.inode_mut(target)?;
        inode.links += 1;
        inode.changed = now;
        inode.parents.add(parent.id());
        drop(inode);
        let mut holder = self.inode_mut(parent)?;
        holder.touch(now);
        holder.directory_mut()?.insert(name, target.id());
        Ok(())
    }

    /// Takes a name away; the inode stays, with a link less (a directory with none). True if that was its last link.
    pub(super) fn unlink(&mut self, parent: Location, name: &[u8], now: u64) -> Result<(Location, bool)> {
        let mut holder = self.inode_mut(parent)?;
        let id = holder.directory_mut()?.remove(name).ok_or(Errno::NotFound)?;
        holder.touch(now);
        drop(holder);
        let target = parent.sibling(id);
        let mut inode = self.inode_mut(target)?;
        inode.changed = now;
        if inode.is_directory() {
            inode.links = 0;
            drop(inode);
            let mut holder = self.inode_mut(parent)?;
            holder.links = holder.links.saturating_sub(1);
            return Ok((target, true));
        }
        inode.links = inode.links.saturating_sub(1);
        if inode.links == 0 {
            return Ok((target, true));
        }
        inode.parents.remove(parent.id());
        Ok((target, false))
    }

    /// Forgets an inode that has no name left.
    pub(super) fn free(&mut self, at: Location) {
        if let Ok(tree) = self.tree_mut(at) {
            tree.table.remove(at.id());
        }
    }

    pub(super) fn content(&self, at: Location) -> Result<&Blocks> {
        match &self.inode(at)?.body {
            Body::File(content) => Ok(content),
            Body::Directory(_) => Err(Errno::IsDirectory.into()),
            _ => Err(Errno::Invalid.into()),
        }
    }

    /// Writes at `offset`; a hole before it is filled with zeros.
    pub(super) fn write_at(&mut self, at: Location, offset: u64, bytes: &[u8], now: u64) -> Result<()> {
        let len = self.content(at)?.len();
        let end = offset.checked_add(bytes.len() as u64).filter(|&end| i64::try_from(end).is_ok());
        let end = usize::try_from(end.ok_or(Errno::FileTooBig)?).map_err(|_| Errno::FileTooBig)?;
        let start = end - bytes.len();
        self.admit(0, end.saturating_sub(len))?;
        let user = self.user.uid;
        let mut inode = self.inode_mut(at)?;
        inode.written(now, user);
        inode.blocks_mut()?.write(start, bytes)
    }

    /// Appends and returns the new length.
    pub(super) fn append(&mut self, at: Location, bytes: &[u8], now: u64) -> Result<u64> {
        self.admit(0, bytes.len())?;
        let user = self.user.uid;
        let mut inode = self.inode_mut(at)?;
        inode.written(now, user);
        let blocks = inode.blocks_mut()?;
        blocks.write(blocks.len(), bytes)?;
        Ok(blocks.len() as u64)
    }

    /// Cuts the content or lengthens it with zeros.
    pub(super) fn set_len(&mut self, at: Location, len: u64, now: u64) -> Result<()> {
        let old = self.content(at)?.len();
        i64::try_from(len).map_err(|_| Errno::FileTooBig)?;
        let length = usize::try_from(len).map_err(|_| Errno::FileTooBig)?;
        if length > old {
            self.admit(0, length - old)?;
        }
        let user = self.user.uid;
        let mut inode = self.inode_mut(at)?;
        inode.written(now, user);
        inode.blocks_mut()?.set_len(length)
    }

    /// Replaces the whole content, sharing nothing with the old one.
    pub(super) fn set_content(&mut self, at: Location, content: Blocks, now: u64) -> Result<()> {
        self.admit(0, content.memory().saturating_sub(self.content(at)?.memory()))?;
        let user = self.user.uid;
        let mut inode = self.inode_mut(at)?;
        inode.written(now, user);
        *inode.blocks_mut()? = content;
        Ok(())
    }
}

/// What a name takes at least in a folder.
fn name_memory(name: &Name) -> usize {
    size_of::<Entry>() + name.memory()
}

/// The error of a quota that is used up.
pub(super) const fn limit(limit: Limit, allowed: u64) -> FsError {
    FsError::Limit(LimitError { limit, allowed, line: None })
}
