//! The operations on paths, except `rename` and those on attributes.

use super::attribute::changeable;
use super::blocks::{Blocks, SharedBytes};
use super::device::Device;
use super::directory::Directory;
use super::errno::Errno;
use super::errno::Result;
use super::file_system::{FileSystem, Live};
use super::foreign::{ForeignEntry, ForeignPath};
use super::inode::{Body, Content};
use super::location::Location;
use super::metadata::{DirEntry, FileKind};
use super::open_file::{OpenFile, Opened};
use super::options::OpenOptions;
use super::path;
use super::resolve::{Follow, Last, READ, WRITE};
use super::stored::{Name, own};
use super::tree::{TreeState, limit};
use crate::limit::Limit;
use crate::memory::Vec;
use crate::text::Text;
use crate::trace::Used;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

const fn open_follow(options: &OpenOptions) -> Follow {
    match options {
        OpenOptions { create_new: true, .. } => Follow::Never,
        OpenOptions { no_follow: true, .. } => Follow::BeforeSlash,
        OpenOptions { create: true, .. } => Follow::Create,
        _ => Follow::Always,
    }
}

impl FileSystem {
    /// `open`.
    pub(crate) fn open(&self, path: &[u8], options: &OpenOptions) -> Result<Opened> {
        let opened = self.find_and_open(path, options)?;
        if matches!(opened, Opened::File(_)) {
            if options.read {
                self.shared.tell_trace(Used::Read, path);
            }
            if options.write || options.append || options.truncate {
                self.shared.tell_trace(Used::Write, path);
            }
        }
        Ok(opened)
    }

    fn find_and_open(&self, path: &[u8], options: &OpenOptions) -> Result<Opened> {
        let mut live = self.shared.operate()?;
        if let Some(foreign) = live.state.foreign(path, open_follow(options)) {
            drop(live);
            return match foreign.open(options)? {
                ForeignEntry::File(handle) => Ok(Opened::File(OpenFile::foreign(handle))),
                ForeignEntry::Directory => Ok(Opened::Directory),
            };
        }
        let live = &mut *live;
        let found = live.state.walk(path, open_follow(options))?;
        if found.slash && (options.create || options.create_new) {
            return Err(Errno::IsDirectory.into());
        }
        let Some(at) = found.target else {
            if !options.create && !options.create_new {
                return Err(Errno::NotFound.into());
            }
            live.state.check_parent(found.parent)?;
            let (parent, name) = (found.parent, Name::from(found.name));
            let body = Body::File(Blocks::EMPTY);
            let at = live.state.create(parent, name, body, options.mode as u16, self.shared.now())?;
            return Ok(Opened::File(OpenFile::new(&self.shared, live, at)?));
        };
        if options.create_new {
            return Err(Errno::Exists.into());
        }
        if let Some(number) = at.descriptor() {
            return Ok(Opened::Device(Device::Descriptor(number)));
        }
        self.open_existing(live, at, options)
    }

    fn open_existing(&self, live: &mut Live, at: Location, options: &OpenOptions) -> Result<Opened> {
        let inode = live.state.inode(at)?;
        let writes = options.write || options.append || options.truncate;
        match inode.body {
            Body::Symlink(_) => return Err(Errno::TooManyLevels.into()),
            Body::Directory(_) if writes || options.create => return Err(Errno::IsDirectory.into()),
            Body::Directory(_) => {}
            _ if options.directory => return Err(Errno::NotDirectory.into()),
            _ => {}
        }
        let bits = if options.read { READ } else { 0 } | if writes { WRITE } else { 0 };
        live.state.check(inode, bits)?;
        match inode.body {
            Body::Directory(_) => Ok(Opened::Directory),
            Body::Device(Device::Tty) => Err(Errno::NoDeviceOrAddress.into()),
            Body::Device(device) => Ok(Opened::Device(device)),
            Body::Fifo => Ok(Opened::Fifo(at.0)),
            _ => {
                if writes {
                    live.state.check_writable(at)?;
                }
                if options.truncate {
                    live.state.set_len(at, 0, self.shared.now())?;
                }
                Ok(Opened::File(OpenFile::new(&self.shared, live, at)?))
            }
        }
    }

    /// The whole content of a regular file; copied where it is longer than 64 KiB.
    ///
    /// # Errors
    /// `EISDIR` for a directory, `EINVAL` for a FIFO or a device, and those of opening for reading.
    pub fn read(&self, path: &[u8]) -> Result<Content> {
        self.share(path).map(|file| file.0.to_content())
    }

    /// As [`FileSystem::read`], for a copy: its bytes are shared until one of the files is written to.
    pub(crate) fn share(&self, path: &[u8]) -> Result<SharedBytes> {
        let live = self.shared.operate()?;
        self.shared.tell_trace(Used::Read, path);
        if let Some(foreign) = live.state.foreign(path, Follow::Always) {
            drop(live);
            return foreign.read().map(|content| SharedBytes(content.into()));
        }
        let at = live.state.walk(path, Follow::Always)?.existing()?;
        if at.descriptor().is_some() {
            return Err(Errno::Invalid.into());
        }
        live.state.check(live.state.inode(at)?, READ)?;
        Ok(SharedBytes(live.state.content(at)?.clone()))
    }

    /// Makes `bytes` the whole content of a file, which is created with `mode` where it is not there.
    pub fn write(&self, path: &[u8], bytes: &[u8], mode: u32) -> Result<()> {
        let allowed = self.shared.live().state.quota.bytes;
        if bytes.len() as u64 > allowed {
            return Err(limit(Limit::FileSystemBytes, allowed));
        }
        self.write_shared(path, SharedBytes(bytes.into()), mode)
    }

    /// Adds `bytes` at the end of a file, which is created with `mode` where it is not there.
    ///
    /// # Errors
    /// `EINVAL` for what is not a regular file, and those of opening for writing.
    pub fn append(&self, path: &[u8], bytes: &[u8], mode: u32) -> Result<()> {
        match self.open(path, &OpenOptions::for_appending(mode))? {
            Opened::File(file) => file.append(bytes).map(drop),
            _ => Err(Errno::Invalid.into()),
        }
    }

    /// As [`FileSystem::write`], for a content that is shared or owned already.
    pub fn write_content(&self, path: &[u8], content: Content, mode: u32) -> Result<()> {
        self.write_shared(path, SharedBytes(content.into()), mode)
    }

    /// Makes the bytes of a file those of another.
    pub(crate) fn write_shared(&self, path: &[u8], bytes: SharedBytes, mode: u32) -> Result<()> {
        let mut live = self.shared.operate()?;
        self.shared.tell_trace(Used::Write, path);
        if let Some(foreign) = live.state.foreign(path, Follow::Create) {
            drop(live);
            return foreign.write(&bytes.0.to_content());
        }
        let state = &mut live.state;
        let found = state.walk(path, Follow::Create)?;
        let now = self.shared.now();
        let Some(at) = found.target else {
            state.check_parent(found.parent)?;
            let (parent, name) = (found.parent, Name::from(found.name));
            return state.create(parent, name, Body::File(bytes.0), mode as u16, now).map(drop);
        };
        set_whole_content(state, at, bytes.0, now)
    }

    /// The names in a directory, sorted by bytes, without `.` and `..`.
    pub fn read_dir(&self, path: &[u8]) -> Result<Vec<DirEntry>> {
        let live = self.shared.operate()?;
        if let Some(foreign) = live.state.foreign(path, Follow::Always) {
            drop(live);
            return foreign.read_dir();
        }
        let at = live.state.walk(path, Follow::Always)?.existing()?;
        if at.descriptor().is_some() {
            return Err(Errno::NotDirectory.into());
        }
        let inode = live.state.inode(at)?;
        let directory = inode.directory()?;
        live.state.check(inode, READ)?;
        let mut entries = Vec::with_capacity(directory.len());
        for entry in directory.iter() {
            let file = live.state.cross(at.sibling(entry.inode));
            let foreign = live.state.foreign_at(file).is_some();
            let kind = if foreign { FileKind::Directory } else { live.state.inode(file)?.kind() };
            entries.push(DirEntry { name: Text::from(entry.name.as_bytes()), kind, inode: file.0 });
        }
        Ok(entries)
    }

    /// `mkdir`.
    pub fn create_dir(&self, path: &[u8], mode: u32) -> Result<()> {
        let mut live = self.shared.operate()?;
        self.shared.tell_trace(Used::Write, path);
        if let Some(foreign) = live.state.foreign(path, Follow::Never) {
            drop(live);
            return foreign.create_dir();
        }
        let (parent, name) = new_name(&live.state, path, true)?;
        live.state.create(parent, name, new_directory(), mode as u16, self.shared.now()).map(drop)
    }

    /// Creates a directory and those above it that are missing, all with `mode`; directories that are there are left as
    /// they are.
    ///
    /// # Errors
    /// `ENOTDIR` or `EEXIST` where another kind of file is in the way, and those of [`FileSystem::create_dir`].
    pub fn create_dir_all(&self, path: &[u8], mode: u32) -> Result<()> {
        let mut live = self.shared.operate()?;
        match make_directories(&mut live.state, path, mode as u16, self.shared.now())? {
            None => Ok(()),
            Some((foreign, below)) => {
                drop(live);
                foreign.create_dir_all(below.into_iter())
            }
        }
    }

    /// `rmdir`.
    pub fn remove_dir(&self, path: &[u8]) -> Result<()> {
        let mut live = self.shared.operate()?;
        if let Some(foreign) = live.state.foreign(path, Follow::Never) {
            drop(live);
            return foreign.remove_dir();
        }
        let live = &mut *live;
        let found = live.state.walk(path, Follow::Never)?;
        match found.last {
            Last::Name => {}
            Last::Root => return Err(Errno::Busy.into()),
            Last::Dot => return Err(Errno::Invalid.into()),
            Last::DotDot => return Err(Errno::NotEmpty.into()),
        }
        let (parent, name, at) = (found.parent, Name::from(found.name), found.existing()?);
        if at.descriptor().is_some() {
            return Err(Errno::NotDirectory.into());
        }
        if at.tree() != parent.tree() {
            return Err(Errno::Busy.into());
        }
        let state = &live.state;
        state.check_removal(parent, at)?;
        let directory = state.inode(at)?.directory()?;
        if state.is_mount_point(at) {
            return Err(Errno::Busy.into());
        }
        if directory.len() > 0 {
            return Err(Errno::NotEmpty.into());
        }
        self.shared.moves.fetch_add(1, Relaxed);
        remove(live, parent, &name, self.shared.now())
    }

    /// `unlink`: removes a name of anything but a directory. An open file stays readable.
    pub fn remove_file(&self, path: &[u8]) -> Result<()> {
        let mut live = self.shared.operate()?;
        self.shared.tell_trace(Used::Write, path);
        if let Some(foreign) = live.state.foreign(path, Follow::Never) {
            drop(live);
            return foreign.remove_file();
        }
        let live = &mut *live;
        let found = live.state.walk(path, Follow::Never)?;
        if found.last != Last::Name {
            return Err(Errno::IsDirectory.into());
        }
        let (parent, name, at) = (found.parent, Name::from(found.name), found.existing()?);
        if at.descriptor().is_some() {
            return Err(Errno::NotPermitted.into());
        }
        let state = &live.state;
        let is_directory = state.inode(at)?.is_directory();
        if found.slash {
            return Err(if is_directory { Errno::IsDirectory } else { Errno::NotDirectory }.into());
        }
        if at.tree() != parent.tree() {
            return Err(Errno::IsDirectory.into());
        }
        state.check_removal(parent, at)?;
        if is_directory {
            return Err(Errno::IsDirectory.into());
        }
        remove(live, parent, &name, self.shared.now())
    }

    /// `link`: another name for a file; a symbolic link is linked itself.
    pub fn hard_link(&self, existing: &[u8], new: &[u8]) -> Result<()> {
        let mut live = self.shared.operate()?;
        let old_foreign = live.state.foreign(existing, Follow::BeforeSlash);
        let new_foreign = live.state.foreign(new, Follow::Never);
        if old_foreign.is_some() || new_foreign.is_some() {
            drop(live);
            return match (old_foreign, new_foreign) {
                (Some(old), Some(new)) if Arc::ptr_eq(&old.foreign, &new.foreign) => old.not_supported(),
                _ => Err(Errno::CrossDevice.into()),
            };
        }
        let state = &mut live.state;
        let at = state.walk(existing, Follow::BeforeSlash)?.existing()?;
        let (parent, name) = match new_name(state, new, false) {
            // Linux looks at the mounts before the permissions.
            Err(error) => return Err(error),
            Ok((parent, _)) if parent.tree() != at.tree() => return Err(Errno::CrossDevice.into()),
            Ok(new) => new,
        };
        if state.inode(at)?.is_directory() {
            return Err(Errno::NotPermitted.into());
        }
        state.link(at, parent, name, self.shared.now())
    }

    /// `symlink`: a symbolic link at `path` to `target`, which need not exist.
    pub fn symlink(&self, target: &[u8], path: &[u8]) -> Result<()> {
        if target.is_empty() {
            return Err(Errno::NotFound.into());
        }
        if target.len() >= path::PATH_MAX {
            return Err(Errno::NameTooLong.into());
        }
        let mut live = self.shared.operate()?;
        if let Some(foreign) = live.state.foreign(path, Follow::Never) {
            drop(live);
            return foreign.not_created();
        }
        let (parent, name) = new_name(&live.state, path, false)?;
        let body = Body::Symlink(Name::from(target));
        live.state.create(parent, name, body, 0o777, self.shared.now()).map(drop)
    }

    /// `mkfifo`.
    pub fn make_fifo(&self, path: &[u8], mode: u32) -> Result<()> {
        let mut live = self.shared.operate()?;
        if let Some(foreign) = live.state.foreign(path, Follow::Never) {
            drop(live);
            return foreign.not_created();
        }
        let (parent, name) = new_name(&live.state, path, false)?;
        live.state.create(parent, name, Body::Fifo, mode as u16, self.shared.now()).map(drop)
    }

    /// `readlink`: the target of a symbolic link.
    ///
    /// # Errors
    /// `EINVAL` for anything else.
    pub fn read_link(&self, path: &[u8]) -> Result<Text> {
        let live = self.shared.operate()?;
        if let Some(foreign) = live.state.foreign(path, Follow::BeforeSlash) {
            drop(live);
            return foreign.metadata().and(Err(Errno::Invalid.into()));
        }
        let at = live.state.walk(path, Follow::BeforeSlash)?.existing()?;
        if at.descriptor().is_some() {
            return Err(Errno::Invalid.into());
        }
        match &live.state.inode(at)?.body {
            Body::Symlink(target) => Ok(Text::from(target.as_bytes())),
            _ => Err(Errno::Invalid.into()),
        }
    }

    /// `truncate`: cuts a file or lengthens it with zeros.
    pub fn truncate(&self, path: &[u8], len: u64) -> Result<()> {
        let mut live = self.shared.operate()?;
        if let Some(foreign) = live.state.foreign(path, Follow::Always) {
            drop(live);
            return foreign.truncate(len);
        }
        let state = &mut live.state;
        let at = changeable(state, path, Follow::Always)?;
        state.content(at)?;
        state.check(state.inode(at)?, WRITE)?;
        state.set_len(at, len, self.shared.now())
    }

    /// `realpath`: the path without links, `.`, `..` and double slashes; every component exists.
    pub fn canonicalize(&self, path: &[u8]) -> Result<Vec<u8>> {
        let live = self.shared.operate()?;
        let state = &live.state;
        let found = state.walk(path, Follow::Always)?;
        let at = found.existing()?;
        if let Some(foreign) = &found.foreign {
            let (foreign, mut path) = (foreign.clone(), state.path_of(at, Vec::new()));
            drop(live);
            foreign.metadata()?;
            path.extend_from_slice(&foreign.path);
            return Ok(path);
        }
        let mut names: Vec<&[u8]> = Vec::new();
        if found.last == Last::Name {
            names.push(found.name);
        }
        let start = if found.last == Last::Name { found.parent } else { at };
        Ok(state.path_of(start, names))
    }
}

fn new_directory() -> Body {
    Body::Directory(own(Directory::new(0, Name::EMPTY)))
}

/// Where a new file goes: the path must not exist, and its directory must be writable.
fn new_name(state: &TreeState, path: &[u8], is_directory: bool) -> Result<(Location, Name)> {
    let found = state.walk(path, Follow::Never)?;
    if found.target.is_some() {
        return Err(Errno::Exists.into());
    }
    if found.slash && !is_directory {
        return Err(Errno::NotFound.into());
    }
    state.check_parent(found.parent)?;
    Ok((found.parent, Name::from(found.name)))
}

/// Removes a name that was found to be removable.
fn remove(live: &mut Live, parent: Location, name: &[u8], now: u64) -> Result<()> {
    let (at, is_gone) = live.state.unlink(parent, name, now)?;
    if is_gone {
        live.release(at);
    }
    Ok(())
}

/// A foreign file system on the way, and the components that are left.
pub(super) type Beyond<'p> = (Box<ForeignPath>, Vec<&'p [u8]>);

/// Creates a directory and those above it that are missing; returns the foreign file system on the way, with the
/// components that are left.
pub(super) fn make_directories<'p>(
    state: &mut TreeState,
    path: &'p [u8],
    mode: u16,
    now: u64,
) -> Result<Option<Beyond<'p>>> {
    if path.is_empty() {
        return Err(Errno::NotFound.into());
    }
    if path.len() >= path::PATH_MAX {
        return Err(Errno::NameTooLong.into());
    }
    let (mut directory, mut links) = (state.cross(Location::ROOT), 0);
    let mut components = path::components(path).peekable();
    while let Some(component) = components.next() {
        let found = state.walk_from(directory, component, Follow::Always, links)?;
        links = found.links;
        if let Some(foreign) = found.foreign {
            return Ok(Some((foreign, components.collect())));
        }
        directory = match found.target {
            Some(at) if at.descriptor().is_none() && state.inode(at)?.is_directory() => at,
            Some(_) if components.peek().is_some() => return Err(Errno::NotDirectory.into()),
            Some(_) => return Err(Errno::Exists.into()),
            None => {
                state.check_parent(found.parent)?;
                let (parent, name) = (found.parent, Name::from(found.name));
                state.create(parent, name, new_directory(), mode, now)?
            }
        };
    }
    Ok(None)
}

/// Makes `content` all that a file holds.
pub(super) fn set_whole_content(
    state: &mut TreeState,
    at: Location,
    content: Blocks,
    now: u64,
) -> Result<()> {
    if at.descriptor().is_some() {
        return Err(Errno::Invalid.into());
    }
    state.content(at)?;
    state.check(state.inode(at)?, WRITE)?;
    state.check_writable(at)?;
    state.set_content(at, content, now)
}
