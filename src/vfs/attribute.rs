//! What is known of a file beside its content: mode, owner, times; and whether it may be used.

use super::errno::Errno;
use super::errno::Result;
use super::file_system::{FileSystem, nanoseconds};
use super::location::Location;
use super::metadata::{FileKind, Metadata};
use super::resolve::{EXECUTE, Follow, READ, WRITE, follow_if};
use super::tree::TreeState;
use std::time::Duration;

impl FileSystem {
    /// `stat`: about the file a path leads to, links followed.
    pub fn metadata(&self, path: &[u8]) -> Result<Metadata> {
        self.stat(path, Follow::Always)
    }

    /// `lstat`: as [`FileSystem::metadata`], but about a symbolic link itself.
    pub fn symlink_metadata(&self, path: &[u8]) -> Result<Metadata> {
        self.stat(path, Follow::BeforeSlash)
    }

    fn stat(&self, path: &[u8], follow: Follow) -> Result<Metadata> {
        let live = self.shared.operate()?;
        if let Some(foreign) = live.state.foreign(path, follow) {
            drop(live);
            return foreign.metadata();
        }
        let at = live.state.walk(path, follow)?.existing()?;
        live.state.metadata(at)
    }

    /// `access`: whether the session's user may read, write and execute (search) a file; with all three false, whether it
    /// is there.
    ///
    /// # Errors
    /// `EACCES` where not, `EROFS` where it could not be written at all, and those of the path.
    pub fn access(&self, path: &[u8], read: bool, write: bool, execute: bool) -> Result<()> {
        let live = self.shared.operate()?;
        if let Some(foreign) = live.state.foreign(path, Follow::Always) {
            drop(live);
            return foreign.access(write, execute);
        }
        let at = live.state.walk(path, Follow::Always)?.existing()?;
        if at.descriptor().is_some() {
            return if execute { Err(Errno::AccessDenied.into()) } else { Ok(()) };
        }
        let inode = live.state.inode(at)?;
        if write && matches!(inode.kind(), FileKind::Regular | FileKind::Directory) {
            live.state.check_writable(at)?;
        }
        let bits =
            if read { READ } else { 0 } | if write { WRITE } else { 0 } | if execute { EXECUTE } else { 0 };
        live.state.check(inode, bits)
    }

    /// `chmod`, links followed.
    pub fn set_mode(&self, path: &[u8], mode: u32) -> Result<()> {
        let mut live = self.shared.operate()?;
        if let Some(foreign) = live.state.foreign(path, Follow::Always) {
            drop(live);
            return foreign.not_supported();
        }
        let at = owned(&live.state, path, Follow::Always)?;
        set_mode(&mut live.state, at, mode, self.shared.now())
    }

    /// `chown`: `None` leaves a half as it is. Only root may give a file away.
    pub fn set_owner(&self, path: &[u8], uid: Option<u32>, gid: Option<u32>, follow: bool) -> Result<()> {
        let mut live = self.shared.operate()?;
        if let Some(foreign) = live.state.foreign(path, follow_if(follow)) {
            drop(live);
            return foreign.not_supported();
        }
        let state = &mut live.state;
        let at = changeable(state, path, follow_if(follow))?;
        let (inode, user) = (state.inode(at)?, state.user);
        let allowed = user.uid == 0
            || (user.uid == inode.uid
                && uid.is_none_or(|uid| uid == inode.uid)
                && gid.is_none_or(|gid| gid == inode.gid || gid == user.gid))
            || (uid.is_none() && gid.is_none());
        if !allowed {
            return Err(Errno::NotPermitted.into());
        }
        let now = self.shared.now();
        let mut inode = state.inode_mut(at)?;
        inode.uid = uid.unwrap_or(inode.uid);
        inode.gid = gid.unwrap_or(inode.gid);
        if inode.kind() == FileKind::Regular && inode.mode & 0o111 != 0 {
            inode.mode &= !0o6000;
        }
        inode.changed = now;
        Ok(())
    }

    /// `utimensat`: sets times, since the Unix epoch; `None` leaves one as it is. For the owner and root.
    pub fn set_times(
        &self,
        path: &[u8],
        accessed: Option<Duration>,
        modified: Option<Duration>,
        follow: bool,
    ) -> Result<()> {
        let mut live = self.shared.operate()?;
        if let Some(foreign) = live.state.foreign(path, follow_if(follow)) {
            drop(live);
            return foreign.set_times(accessed, modified);
        }
        let at = owned(&live.state, path, follow_if(follow))?;
        set_times(&mut live.state, at, accessed, modified, self.shared.now())
    }

    /// Sets both times to now, which everyone may who may write the file.
    pub fn touch(&self, path: &[u8], follow: bool) -> Result<()> {
        let mut live = self.shared.operate()?;
        if let Some(foreign) = live.state.foreign(path, follow_if(follow)) {
            drop(live);
            let now = Some(self.shared.clock.now());
            return foreign.set_times(now, now);
        }
        let state = &mut live.state;
        let at = changeable(state, path, follow_if(follow))?;
        if state.check_owner(at).is_err() {
            state.check(state.inode(at)?, WRITE)?;
        }
        let now = self.shared.now();
        let mut inode = state.inode_mut(at)?;
        inode.accessed = now;
        inode.touch(now);
        Ok(())
    }
}

/// A file whose metadata may be changed at all.
pub(super) fn changeable(state: &TreeState, path: &[u8], follow: Follow) -> Result<Location> {
    let at = state.walk(path, follow)?.existing()?;
    if at.descriptor().is_some() {
        return Err(Errno::NotPermitted.into());
    }
    state.check_writable(at)?;
    Ok(at)
}

/// As [`changeable`], for the file's owner and root.
fn owned(state: &TreeState, path: &[u8], follow: Follow) -> Result<Location> {
    let at = changeable(state, path, follow)?;
    state.check_owner(at)?;
    Ok(at)
}

pub(super) fn set_mode(state: &mut TreeState, at: Location, mode: u32, now: u64) -> Result<()> {
    let mut inode = state.inode_mut(at)?;
    inode.mode = (mode & 0o7777) as u16;
    inode.changed = now;
    Ok(())
}

pub(super) fn set_times(
    state: &mut TreeState,
    at: Location,
    accessed: Option<Duration>,
    modified: Option<Duration>,
    now: u64,
) -> Result<()> {
    let mut inode = state.inode_mut(at)?;
    inode.accessed = accessed.map_or(inode.accessed, nanoseconds);
    inode.modified = modified.map_or(inode.modified, nanoseconds);
    inode.changed = now;
    Ok(())
}
