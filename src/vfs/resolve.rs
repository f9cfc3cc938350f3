//! From a path to a file: POSIX XBD 4.16 Pathname Resolution, as Linux does it.
//!
//! The walk goes through the components from left to right. A symbolic link puts its target in front of what is left; `..`
//! goes to the parent of the directory the walk is in, which at a mounted root is the parent of the mount point and at `/`
//! is `/`. So no path leads out of the tree, and links are never resolved in the text.

use super::device;
use super::errno::Errno;
use super::errno::Result;
use super::foreign::{Foreign, ForeignPath};
use super::inode::{Body, Inode};
use super::location::{Location, ROOT};
use super::mount_point::MountPoint;
use super::path::{LINKS_MAX, NAME_MAX, PATH_MAX};
use super::stored::{StoredVec, own};
use super::tree::TreeState;
use crate::memory::Vec;
use std::sync::Arc;

/// What stands for the path of a directory that was removed: nothing is ever found there or below.
pub(super) const REMOVED: &[u8] = b"/\0";

/// What to do with a symbolic link in the last place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Follow {
    /// Follow it.
    Always,
    /// Follow it, to create a file where the path ends: `EISDIR` where a slash is at the end, of a link's target too.
    Create,
    /// Follow it only where a slash comes after it (`lstat`).
    BeforeSlash,
    /// Leave it (operations on the name: `unlink`, `rename`, `mkdir`).
    Never,
}

pub(super) const fn follow_if(follow: bool) -> Follow {
    if follow { Follow::Always } else { Follow::BeforeSlash }
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
    /// How many links were followed.
    pub(super) links: usize,
    /// Set where the path goes on within a foreign file system; `target` is its mount then.
    pub(super) foreign: Option<Box<ForeignPath>>,
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

impl TreeState {
    /// Resolves an absolute path. Every component but the last has to be there.
    pub(super) fn walk<'a>(&'a self, path: &'a [u8], follow: Follow) -> Result<Found<'a>> {
        if path.is_empty() {
            return Err(Errno::NotFound.into());
        }
        self.walk_from(self.cross(Location::ROOT), path, follow, 0)
    }

    /// Resolves a path from the directory `start`, `/` at its beginning or not, as the rest of a resolution that has
    /// followed `links` links already.
    pub(super) fn walk_from<'a>(
        &'a self,
        start: Location,
        path: &'a [u8],
        follow: Follow,
        links: usize,
    ) -> Result<Found<'a>> {
        if path.len() >= PATH_MAX {
            return Err(Errno::NameTooLong.into());
        }
        if memchr::memchr(0, path).is_some() {
            let is_removed = path.starts_with(REMOVED);
            return Err(if is_removed { Errno::NotFound } else { Errno::Invalid }.into());
        }
        let here = self.inode(start)?;
        let walk = Walk {
            state: self,
            follow,
            directory: start,
            here,
            last: Last::Root,
            rest: path,
            pending: Vec::new(),
            links,
        };
        walk.run()
    }

    /// The file of that name in a directory, mounts crossed.
    fn lookup(&self, at: Location, directory: &Inode, name: &[u8]) -> Result<Option<Location>> {
        if let Some(id) = directory.directory()?.get(name) {
            return Ok(Some(self.cross(at.sibling(id))));
        }
        if self.tree(at)?.descriptors == at.id() {
            return Ok(device::descriptor(name).map(Location::for_descriptor));
        }
        Ok(None)
    }

    /// The root of the tree that is mounted on `at`, or `at` itself.
    pub(super) fn cross(&self, at: Location) -> Location {
        // A mount's number is higher than that of the tree it is mounted in: the loop ends.
        let mut here = at;
        while let Some(mount) = self.mounts.iter().position(|mount| mount.at == here) {
            let root = self.mounts.get(mount).and_then(MountPoint::tree).map_or(ROOT, |tree| tree.root);
            here = Location::new(mount + 1, root);
        }
        here
    }

    /// The directory within its mount on which the tree of `at` is mounted; `None` for the session's own tree.
    fn mounted_at(&self, at: Location) -> Option<Location> {
        Some(self.mounts.get(at.tree().checked_sub(1)?)?.at)
    }

    /// `..` of a directory.
    pub(super) fn parent(&self, directory: Location) -> Result<Location> {
        let mut at = directory;
        // At a mounted root, go on from the mount point; one can be mounted on the root of another.
        while self.is_root(at) {
            match self.mounted_at(at) {
                None => return Ok(self.cross(Location::ROOT)),
                Some(mount_point) => at = mount_point,
            }
        }
        let parent = self.inode(at)?.directory()?.parent;
        Ok(self.cross(at.sibling(parent)))
    }

    /// The path of the directory `at`, followed by `names`, which are in reverse order.
    pub(super) fn path_of<'a>(&'a self, at: Location, mut names: Vec<&'a [u8]>) -> Vec<u8> {
        let mut here = at;
        loop {
            // At a mounted root, go on from the mount point.
            if self.is_root(here) {
                match self.mounted_at(here) {
                    Some(mount_point) => here = mount_point,
                    None => break,
                }
                continue;
            }
            let Ok(directory) = self.inode(here).and_then(|inode| inode.directory()) else { break };
            names.push(directory.name.as_bytes());
            here = here.sibling(directory.parent);
        }
        let mut path = Vec::new();
        for name in names.into_iter().rev() {
            path.push(b'/');
            path.extend_from_slice(name);
        }
        if path.is_empty() { Vec::from(b"/") } else { path }
    }

    /// The foreign file system that a location is the root of.
    pub(super) fn foreign_at(&self, at: Location) -> Option<&Arc<Foreign>> {
        self.mounts.get(at.tree().checked_sub(1)?)?.foreign()
    }

    /// The path within a foreign file system that `path` leads to, if it does. Errors of the path are left to the operation.
    pub(super) fn foreign(&self, path: &[u8], follow: Follow) -> Option<ForeignPath> {
        if self.mounts.iter().all(|mount| mount.foreign().is_none()) {
            return None;
        }
        self.walk(path, follow).ok()?.foreign.map(|foreign| *foreign)
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

    /// Whether a name may be taken away: as [`TreeState::check_parent`], and in a sticky directory only by the owner of the
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

/// A resolution under way.
struct Walk<'a> {
    state: &'a TreeState,
    follow: Follow,
    /// The directory it has come to.
    directory: Location,
    here: &'a Inode,
    /// What the component before was.
    last: Last,
    /// What is left of the path or of the link that is being followed.
    rest: &'a [u8],
    /// What comes after that: the rest of each path or link that led to a link.
    pending: Vec<&'a [u8]>,
    links: usize,
}

impl<'a> Walk<'a> {
    fn run(mut self) -> Result<Found<'a>> {
        while let Some(name) = self.next_component() {
            self.state.check(self.here, EXECUTE)?;
            match name {
                b"." => self.last = Last::Dot,
                b".." => {
                    self.last = Last::DotDot;
                    self.enter(self.state.parent(self.directory)?)?;
                }
                _ => {
                    self.last = Last::Name;
                    if let Some(found) = self.step(name)? {
                        return Ok(found);
                    }
                }
            }
        }
        let target = Some(self.directory);
        Ok(self.found(b"", target, false))
    }

    fn next_component(&mut self) -> Option<&'a [u8]> {
        loop {
            let rest = skip_slashes(self.rest);
            if rest.is_empty() {
                self.rest = self.pending.pop()?;
                continue;
            }
            let end = memchr::memchr(b'/', rest).unwrap_or(rest.len());
            let (name, after) = rest.split_at(end);
            self.rest = after;
            return Some(name);
        }
    }

    fn enter(&mut self, directory: Location) -> Result<()> {
        self.here = self.state.inode(directory)?;
        self.directory = directory;
        Ok(())
    }

    const fn found(&self, name: &'a [u8], target: Option<Location>, slash: bool) -> Found<'a> {
        let (parent, last, links) = (self.directory, self.last, self.links);
        Found { parent, name, last, target, slash, links, foreign: None }
    }

    /// Goes on by one name. Returns what was found when it was the last.
    fn step(&mut self, name: &'a [u8]) -> Result<Option<Found<'a>>> {
        if name.len() > NAME_MAX {
            return Err(Errno::NameTooLong.into());
        }
        let is_last = skip_slashes(self.rest).is_empty()
            && self.pending.iter().all(|more| skip_slashes(more).is_empty());
        let slash = is_last && !(self.rest.is_empty() && self.pending.is_empty());
        if slash && self.follow == Follow::Create {
            return Err(Errno::IsDirectory.into());
        }
        let Some(target) = self.state.lookup(self.directory, self.here, name)? else {
            return if is_last {
                Ok(Some(self.found(name, None, slash)))
            } else {
                Err(Errno::NotFound.into())
            };
        };
        if let Some(foreign) = self.state.foreign_at(target) {
            return self.step_into_foreign(name, target, Arc::clone(foreign));
        }
        let body = if target.descriptor().is_some() { None } else { Some(&self.state.inode(target)?.body) };
        let follows = !is_last
            || match self.follow {
                Follow::Always | Follow::Create => true,
                Follow::BeforeSlash => slash,
                Follow::Never => false,
            };
        match body {
            Some(Body::Symlink(link)) if follows => self.follow_link(link.as_bytes()).map(|()| None),
            Some(Body::Directory(_)) if !is_last => self.enter(target).map(|()| None),
            Some(Body::Directory(_)) => Ok(Some(self.found(name, Some(target), slash))),
            _ if !is_last || (slash && self.follow != Follow::Never) => Err(Errno::NotDirectory.into()),
            _ => Ok(Some(self.found(name, Some(target), slash))),
        }
    }

    fn follow_link(&mut self, link: &'a [u8]) -> Result<()> {
        self.links += 1;
        if self.links > LINKS_MAX {
            return Err(Errno::TooManyLevels.into());
        }
        if !self.rest.is_empty() {
            self.pending.push(self.rest);
        }
        self.rest = link;
        if link.starts_with(b"/") {
            self.last = Last::Root;
            self.enter(self.state.cross(Location::ROOT))?;
        }
        Ok(())
    }

    /// `name` is where a foreign file system is mounted; the rest of the path lies in it, or leads through it.
    fn step_into_foreign(
        &mut self,
        name: &'a [u8],
        mount: Location,
        foreign: Arc<Foreign>,
    ) -> Result<Option<Found<'a>>> {
        let mut inside = ForeignPath { foreign, path: StoredVec::new(), slash: false };
        if walk_foreign(&mut inside, &mut self.rest, &mut self.pending)? {
            let found = self.found(name, Some(mount), inside.slash);
            return Ok(Some(Found { foreign: Some(own(inside)), ..found }));
        }
        // `..` led out of it again, to the directory of its mount point.
        self.last = Last::DotDot;
        Ok(None)
    }
}

/// Goes through what is left of a path within a foreign file system, which has no links. False where `..` led out: the
/// rest of the path is left then.
fn walk_foreign<'a>(
    inside: &mut ForeignPath,
    rest: &mut &'a [u8],
    pending: &mut Vec<&'a [u8]>,
) -> Result<bool> {
    loop {
        let left = skip_slashes(rest);
        if left.is_empty() {
            inside.slash |= !rest.is_empty();
            match pending.pop() {
                Some(more) => *rest = more,
                None => return Ok(true),
            }
            continue;
        }
        let end = memchr::memchr(b'/', left).unwrap_or(left.len());
        let (name, after) = left.split_at(end);
        *rest = after;
        inside.slash = matches!(name, b"." | b"..");
        if !inside.push(name)? {
            return Ok(false);
        }
    }
}

fn skip_slashes(path: &[u8]) -> &[u8] {
    let slashes = path.iter().take_while(|&&byte| byte == b'/').count();
    path.get(slashes..).unwrap_or_default()
}
