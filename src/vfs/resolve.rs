//! From a path to a file: POSIX XBD 4.16 Pathname Resolution, as Linux does it.
//!
//! The walk goes through the components from left to right. A symbolic link puts its target in front of what is left; `..`
//! goes to the parent of the directory the walk is in, which at a mounted root is the parent of the mount point and at `/`
//! is `/`. So no path leads out of the tree, and links are never resolved in the text.

use super::Result;
use super::device;
use super::errno::Errno;
use super::inode::{Body, Inode};
use super::path::{LINKS_MAX, NAME_MAX, PATH_MAX};
use super::tree::{Location, ROOT, State};

/// What to do with a symbolic link in the last place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Follow {
    /// Follow it.
    Always,
    /// Follow it only where a slash comes after it (`lstat`).
    BeforeSlash,
    /// Leave it (operations on the name: `unlink`, `rename`, `mkdir`).
    Never,
}

/// Where a path led.
#[derive(Debug)]
pub(super) struct Found<'a> {
    /// The directory of the last component.
    pub(super) parent: Location,
    /// The last component; empty where it is the root, `.` or `..`.
    pub(super) name: &'a [u8],
    /// What kind of last component it is.
    pub(super) last: Last,
    /// The file, if there is one.
    pub(super) target: Option<Location>,
    /// Whether slashes follow the last component.
    pub(super) slash: bool,
}

/// The last component of a path, POSIX's names for the special cases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Last {
    Name,
    Root,
    Dot,
    DotDot,
}

impl Found<'_> {
    /// The file.
    pub(super) fn existing(&self) -> Result<Location> {
        self.target.ok_or(Errno::NotFound.into())
    }
}

/// Permission bits of one class.
pub(super) const READ: u16 = 4;
pub(super) const WRITE: u16 = 2;
pub(super) const EXECUTE: u16 = 1;

impl State {
    /// Resolves an absolute path. Every component but the last has to be there.
    pub(super) fn walk<'a>(&'a self, path: &'a [u8], follow: Follow) -> Result<Found<'a>> {
        if path.is_empty() {
            return Err(Errno::NotFound.into());
        }
        self.walk_from(self.cross(Location::ROOT), path, follow)
    }

    /// Resolves a path from the directory `start`, `/` at its beginning or not.
    pub(super) fn walk_from<'a>(
        &'a self,
        start: Location,
        path: &'a [u8],
        follow: Follow,
    ) -> Result<Found<'a>> {
        if path.len() >= PATH_MAX {
            return Err(Errno::NameTooLong.into());
        }
        if memchr::memchr(0, path).is_some() {
            return Err(Errno::Invalid.into());
        }
        let mut directory = start;
        let mut last = Last::Root;
        let mut rest = path;
        // What comes after the links that are being followed.
        let mut pending: Vec<&'a [u8]> = Vec::new();
        let mut links = 0;
        loop {
            rest = skip_slashes(rest);
            if rest.is_empty() {
                match pending.pop() {
                    Some(more) => rest = more,
                    None => {
                        let target = Some(directory);
                        return Ok(Found { parent: directory, name: b"", last, target, slash: false });
                    }
                }
                continue;
            }
            let end = memchr::memchr(b'/', rest).unwrap_or(rest.len());
            let (name, after) = rest.split_at(end);
            rest = after;
            let here = self.inode(directory)?;
            here.directory()?;
            self.check(here, EXECUTE)?;
            match name {
                b"." => {
                    last = Last::Dot;
                    continue;
                }
                b".." => {
                    last = Last::DotDot;
                    directory = self.parent(directory)?;
                    continue;
                }
                _ => last = Last::Name,
            }
            if name.len() > NAME_MAX {
                return Err(Errno::NameTooLong.into());
            }
            let is_last =
                skip_slashes(after).is_empty() && pending.iter().all(|more| skip_slashes(more).is_empty());
            let slash = is_last && !(after.is_empty() && pending.is_empty());
            let Some(target) = self.lookup(directory, here, name) else {
                if is_last {
                    return Ok(Found { parent: directory, name, last, target: None, slash });
                }
                return Err(Errno::NotFound.into());
            };
            let body = if target.descriptor().is_some() { None } else { Some(&self.inode(target)?.body) };
            match body {
                Some(Body::Symlink(link))
                    if !is_last || follow == Follow::Always || (slash && follow == Follow::BeforeSlash) =>
                {
                    links += 1;
                    if links > LINKS_MAX {
                        return Err(Errno::TooManyLevels.into());
                    }
                    if !after.is_empty() {
                        pending.push(after);
                    }
                    rest = link.as_bytes();
                    if rest.starts_with(b"/") {
                        directory = self.cross(Location::ROOT);
                        last = Last::Root;
                    }
                }
                Some(Body::Directory(_)) if !is_last => directory = target,
                _ if !is_last => return Err(Errno::NotDirectory.into()),
                Some(Body::Directory(_)) => {
                    return Ok(Found { parent: directory, name, last, target: Some(target), slash });
                }
                _ if slash && follow != Follow::Never => return Err(Errno::NotDirectory.into()),
                _ => return Ok(Found { parent: directory, name, last, target: Some(target), slash }),
            }
        }
    }

    /// The file of that name in a directory, mounts crossed.
    fn lookup(&self, at: Location, directory: &Inode, name: &[u8]) -> Option<Location> {
        let entries = directory.directory().ok()?;
        if let Some(id) = entries.get(name) {
            return Some(self.cross(at.sibling(id)));
        }
        if self.tree(at).is_ok_and(|tree| tree.descriptors == at.id()) {
            return device::descriptor(name).map(Location::for_descriptor);
        }
        None
    }

    /// The root of the tree that is mounted on `at`, or `at` itself.
    pub(super) fn cross(&self, at: Location) -> Location {
        // A mount's number is higher than that of the tree it is mounted in: the loop ends.
        let mut here = at;
        while let Some(mount) = self.mounts.iter().position(|mount| mount.at == here) {
            here = Location::new(mount + 1, ROOT);
        }
        here
    }

    /// `..` of a directory.
    pub(super) fn parent(&self, directory: Location) -> Result<Location> {
        let mut at = directory;
        // At a mounted root, go on from the mount point; one can be mounted on the root of another.
        while at.id() == ROOT {
            match at.tree().checked_sub(1).and_then(|mount| self.mounts.get(mount)) {
                None => return Ok(self.cross(Location::ROOT)),
                Some(mount) => at = mount.at,
            }
        }
        let parent = self.inode(at)?.directory()?.parent;
        Ok(self.cross(at.sibling(parent)))
    }

    /// Checks the session's user against an inode: `bits` of read, write and execute are all needed.
    pub(super) fn check(&self, inode: &Inode, bits: u16) -> Result<()> {
        let user = self.user;
        if user.uid == 0 {
            let executable = inode.is_directory() || inode.mode & 0o111 != 0;
            return if bits & EXECUTE != 0 && !executable { Err(Errno::AccessDenied.into()) } else { Ok(()) };
        }
        let shift = match () {
            () if inode.uid == user.uid => 6,
            () if inode.gid == user.gid => 3,
            () => 0,
        };
        if inode.mode >> shift & bits == bits { Ok(()) } else { Err(Errno::AccessDenied.into()) }
    }

    /// Whether names may be added to or taken from a directory.
    pub(super) fn check_parent(&self, parent: Location) -> Result<()> {
        self.check_writable(parent)?;
        self.check(self.inode(parent)?, WRITE | EXECUTE)
    }

    /// Whether a name may be taken away: as [`State::check_parent`], and in a sticky directory only by the owner of the
    /// directory or of the file.
    pub(super) fn check_removal(&self, parent: Location, target: Location) -> Result<()> {
        self.check_parent(parent)?;
        let (directory, inode) = (self.inode(parent)?, self.inode(target)?);
        let uid = self.user.uid;
        if directory.mode & 0o1000 != 0 && uid != 0 && uid != directory.uid && uid != inode.uid {
            return Err(Errno::NotPermitted.into());
        }
        Ok(())
    }

    /// `EPERM` for everyone but the owner and root.
    pub(super) fn check_owner(&self, at: Location) -> Result<()> {
        let uid = self.user.uid;
        if uid == 0 || self.inode(at)?.uid == uid { Ok(()) } else { Err(Errno::NotPermitted.into()) }
    }
}

fn skip_slashes(path: &[u8]) -> &[u8] {
    let slashes = path.iter().take_while(|&&byte| byte == b'/').count();
    path.get(slashes..).unwrap_or_default()
}
