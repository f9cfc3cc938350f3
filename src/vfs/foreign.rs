//! A mounted foreign file system: the operations on paths within it.
//!
//! The walk in `resolve.rs` takes `.` and `..` out of a path before it comes here, so that the foreign implementation sees
//! absolute paths of names only (empty for its root, as the `vfs` crate wants it). Before each operation on a path, what was
//! written to open files and not stored yet is stored; see `foreign_file.rs`.

use super::errno::{Errno, FsError, Result};
use super::foreign_errno::errno_of;
pub(super) use super::foreign_file::ForeignHandle;
use super::foreign_file::OpenFiles;
use super::inode::Content;
use super::location::{FOREIGN_FILES, Location};
use super::metadata::{DirEntry, FileKind, Metadata};
use super::options::OpenOptions;
use super::path;
use super::tree::User;
use crate::clock::lock;
use crate::limit::{Limit, LimitError};
use crate::text::Text;
use ::vfs::{VfsFileType, VfsMetadata, VfsResult};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{Read, Write};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// A foreign file system and the files that are open in it.
#[derive(Debug)]
pub(super) struct Foreign {
    pub(super) fs: Box<dyn ::vfs::FileSystem>,
    max_bytes: u64,
    read_only: bool,
    /// The number of its tree, for inode numbers.
    tree: usize,
    user: User,
    pub(super) open: Mutex<OpenFiles>,
}

impl Foreign {
    pub(super) fn new(
        fs: Box<dyn ::vfs::FileSystem>,
        max_bytes: u64,
        read_only: bool,
        tree: usize,
        user: User,
    ) -> Self {
        Self { fs, max_bytes, read_only, tree, user, open: Mutex::default() }
    }

    /// Calls the foreign implementation and maps its errors.
    fn call<T>(&self, call: impl FnOnce(&dyn ::vfs::FileSystem) -> VfsResult<T>) -> Result<T> {
        call(self.fs.as_ref()).map_err(|error| errno_of(&error))
    }

    /// `None` where there is no such file.
    fn look(&self, path: &str) -> Result<Option<VfsMetadata>> {
        match self.call(|fs| fs.metadata(path)) {
            Ok(metadata) => Ok(Some(metadata)),
            Err(FsError::Errno(Errno::NotFound)) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Fails where `len` bytes are more than a file may have.
    pub(super) const fn check_len(&self, len: u64) -> Result<()> {
        if len > self.max_bytes {
            let limit = Limit::FileSystemBytes;
            return Err(FsError::Limit(LimitError { limit, allowed: self.max_bytes, line: None }));
        }
        Ok(())
    }

    pub(super) const fn check_writable(&self) -> Result<()> {
        if self.read_only { Err(FsError::Errno(Errno::ReadOnly)) } else { Ok(()) }
    }

    /// The whole content; its length is what is read, whatever the metadata say.
    pub(super) fn load(&self, path: &str) -> Result<Content> {
        let reader = self.call(|fs| fs.open_file(path))?;
        let mut bytes = Vec::new();
        let read = reader.take(self.max_bytes.saturating_add(1)).read_to_end(&mut bytes);
        read.map_err(|error| errno_of(&error.into()))?;
        self.check_len(bytes.len() as u64)?;
        Ok(Content::from(bytes))
    }

    /// Makes `bytes` the whole content.
    pub(super) fn store(&self, path: &str, bytes: &[u8]) -> Result<()> {
        let mut writer = self.call(|fs| fs.create_file(path))?;
        let written = writer.write_all(bytes).and_then(|()| writer.flush());
        written.map_err(|error| errno_of(&error.into()))
    }

    pub(super) fn metadata_of(&self, path: &str, found: &VfsMetadata) -> Metadata {
        let is_directory = found.file_type == VfsFileType::Directory;
        let writable = if self.read_only { 0o555 } else { 0o755 };
        let modified = since_epoch(found.modified.or(found.created));
        let (mode, size) = if is_directory { (0o755, 4096) } else { (0o644, found.len) };
        Metadata {
            kind: if is_directory { FileKind::Directory } else { FileKind::Regular },
            mode: mode & writable,
            uid: self.user.uid,
            gid: self.user.gid,
            size,
            links: if is_directory { 2 } else { 1 },
            inode: self.inode(path),
            accessed: found.accessed.map_or(modified, |time| since_epoch(Some(time))),
            modified,
            changed: modified,
            device: None,
        }
    }

    /// An inode number made from the path: foreign file systems have none.
    fn inode(&self, path: &str) -> u64 {
        let mut hasher = DefaultHasher::new();
        path.hash(&mut hasher);
        Location::new(FOREIGN_FILES + self.tree, hasher.finish() >> 16).0
    }
}

fn since_epoch(time: Option<SystemTime>) -> Duration {
    time.and_then(|time| time.duration_since(UNIX_EPOCH).ok()).unwrap_or_default()
}

/// What opening a path gave.
pub(super) enum ForeignEntry {
    File(ForeignHandle),
    Directory,
}

/// A path within a foreign file system.
#[derive(Clone, Debug)]
pub(super) struct ForeignPath {
    pub(super) foreign: Arc<Foreign>,
    /// Empty for the root, otherwise `/` and a name, repeated.
    pub(super) path: Vec<u8>,
    /// Whether slashes follow it, so that it has to be a directory.
    pub(super) slash: bool,
}

impl ForeignPath {
    /// The path as the foreign implementation wants it. A name that is not UTF-8 is not there.
    fn text(&self) -> Result<&str> {
        std::str::from_utf8(&self.path).map_err(|_| Errno::NotFound.into())
    }

    /// The path after pending writes were stored, and what is there.
    fn look(&self) -> Result<(&str, Option<VfsMetadata>)> {
        let path = self.text()?;
        lock(&self.foreign.open).store_all(&self.foreign)?;
        let found = self.foreign.look(path)?;
        if self.slash && found.as_ref().is_some_and(|found| found.file_type == VfsFileType::File) {
            return Err(Errno::NotDirectory.into());
        }
        Ok((path, found))
    }

    fn existing(&self) -> Result<(&str, VfsMetadata)> {
        let (path, found) = self.look()?;
        Ok((path, found.ok_or(Errno::NotFound)?))
    }

    fn existing_file(&self) -> Result<&str> {
        match self.existing()? {
            (path, found) if found.file_type == VfsFileType::File => Ok(path),
            _ => Err(Errno::IsDirectory.into()),
        }
    }

    /// Checks that a new name can be made here: the path as text, the directory above is one, all of it writable.
    fn creatable(&self) -> Result<&str> {
        self.foreign.check_writable()?;
        let path = std::str::from_utf8(&self.path).map_err(|_| Errno::Invalid)?;
        let parent = path.rsplit_once('/').map_or("", |(parent, _)| parent);
        match self.foreign.look(parent)? {
            None => Err(Errno::NotFound.into()),
            Some(found) if found.file_type == VfsFileType::File => Err(Errno::NotDirectory.into()),
            Some(_) => Ok(path),
        }
    }

    pub(super) fn metadata(&self) -> Result<Metadata> {
        let (path, found) = self.existing()?;
        Ok(self.foreign.metadata_of(path, &found))
    }

    pub(super) fn access(&self, write: bool, execute: bool) -> Result<()> {
        let (_, found) = self.existing()?;
        if write {
            self.foreign.check_writable()?;
        }
        if execute && found.file_type == VfsFileType::File {
            return Err(Errno::AccessDenied.into());
        }
        Ok(())
    }

    pub(super) fn open(&self, options: &OpenOptions) -> Result<ForeignEntry> {
        let writes = options.write || options.append || options.truncate;
        let (path, found) = match self.look() {
            Err(FsError::Errno(Errno::NotFound)) if options.create || options.create_new => {
                return Err(Errno::Invalid.into());
            }
            looked => looked?,
        };
        match found.map(|found| found.file_type) {
            None if !options.create && !options.create_new => return Err(Errno::NotFound.into()),
            None if self.slash => return Err(Errno::IsDirectory.into()),
            None => self.foreign.store(self.creatable()?, b"")?,
            Some(_) if options.create_new => return Err(Errno::Exists.into()),
            Some(VfsFileType::Directory) if writes || options.create => {
                return Err(Errno::IsDirectory.into());
            }
            Some(VfsFileType::Directory) => return Ok(ForeignEntry::Directory),
            Some(VfsFileType::File) if options.directory => return Err(Errno::NotDirectory.into()),
            Some(VfsFileType::File) if writes => self.foreign.check_writable()?,
            Some(VfsFileType::File) => {}
        }
        let handle = ForeignHandle::open(&self.foreign, path, options.truncate)?;
        Ok(ForeignEntry::File(handle))
    }

    pub(super) fn read(&self) -> Result<Content> {
        self.foreign.load(self.existing_file()?)
    }

    pub(super) fn write(&self, bytes: &[u8]) -> Result<()> {
        self.foreign.check_len(bytes.len() as u64)?;
        let options = OpenOptions::for_writing(0);
        match self.open(&options)? {
            ForeignEntry::File(file) => file.write_at(0, bytes).and_then(|()| file.flush()),
            ForeignEntry::Directory => Err(Errno::IsDirectory.into()),
        }
    }

    pub(super) fn truncate(&self, len: u64) -> Result<()> {
        self.foreign.check_writable()?;
        let handle = ForeignHandle::open(&self.foreign, self.existing_file()?, false)?;
        handle.set_len(len)?;
        handle.flush()
    }

    /// Names that could not be in a path are left out.
    pub(super) fn read_dir(&self) -> Result<crate::memory::Vec<DirEntry>> {
        let (path, found) = self.existing()?;
        if found.file_type == VfsFileType::File {
            return Err(Errno::NotDirectory.into());
        }
        let mut entries = crate::memory::Vec::new();
        for name in self.foreign.call(|fs| fs.read_dir(path))? {
            let fits = !name.is_empty() && name.len() <= path::NAME_MAX && name != "." && name != "..";
            if !fits || name.contains(['/', '\0']) {
                continue;
            }
            let whole = format!("{path}/{name}");
            if let Some(found) = self.foreign.look(&whole)? {
                let metadata = self.foreign.metadata_of(&whole, &found);
                entries.push(DirEntry { name: Text::from(name), kind: metadata.kind, inode: metadata.inode });
            }
        }
        entries.sort_unstable_by(|a, b| a.name.cmp(&b.name));
        entries.dedup_by(|a, b| a.name == b.name);
        Ok(entries)
    }

    pub(super) fn create_dir(&self) -> Result<()> {
        let name = Self { slash: false, ..self.clone() };
        match name.look() {
            Ok((_, None)) => {}
            Ok((_, Some(_))) => return Err(Errno::Exists.into()),
            Err(FsError::Errno(Errno::NotFound)) => return Err(Errno::Invalid.into()),
            Err(error) => return Err(error),
        }
        let path = self.creatable()?;
        self.foreign.call(|fs| fs.create_dir(path))
    }

    /// Creates this directory and, below it, those that `rest` names.
    pub(super) fn create_dir_all<'a>(mut self, rest: impl Iterator<Item = &'a [u8]>) -> Result<()> {
        let mut rest = rest.peekable();
        self.slash = false;
        loop {
            match self.look()? {
                (_, Some(found)) if found.file_type == VfsFileType::Directory => {}
                (_, Some(_)) if rest.peek().is_some() => return Err(Errno::NotDirectory.into()),
                (_, Some(_)) => return Err(Errno::Exists.into()),
                (_, None) => self.create_dir()?,
            }
            let Some(name) = rest.next() else { return Ok(()) };
            if !self.push(name)? {
                return Err(Errno::Invalid.into());
            }
        }
    }

    /// Goes one name further. False where `..` leads out of the mount.
    pub(super) fn push(&mut self, name: &[u8]) -> Result<bool> {
        match name {
            b"." => {}
            b".." => match self.path.iter().rposition(|&byte| byte == b'/') {
                Some(slash) => self.path.truncate(slash),
                None => return Ok(false),
            },
            _ if name.len() > path::NAME_MAX => return Err(Errno::NameTooLong.into()),
            _ => {
                self.path.push(b'/');
                self.path.extend_from_slice(name);
            }
        }
        Ok(true)
    }

    pub(super) fn remove_dir(&self) -> Result<()> {
        let (path, found) = self.existing()?;
        if path.is_empty() {
            return Err(Errno::Busy.into());
        }
        if found.file_type == VfsFileType::File {
            return Err(Errno::NotDirectory.into());
        }
        self.foreign.check_writable()?;
        if self.foreign.call(|fs| fs.read_dir(path))?.next().is_some() {
            return Err(Errno::NotEmpty.into());
        }
        self.foreign.call(|fs| fs.remove_dir(path))
    }

    pub(super) fn remove_file(&self) -> Result<()> {
        let path = self.existing_file()?;
        self.foreign.check_writable()?;
        self.foreign.call(|fs| fs.remove_file(path))?;
        lock(&self.foreign.open).removed(path);
        Ok(())
    }

    /// Within one foreign file system; what is there is replaced as `rename` does it.
    pub(super) fn rename(&self, to: &Self) -> Result<()> {
        let (from, source) = self.existing()?;
        let target = to.look()?.1;
        let new = to.creatable()?;
        if from == new {
            return Ok(());
        }
        let is_directory = source.file_type == VfsFileType::Directory;
        if from.is_empty() || new.is_empty() {
            return Err(Errno::Busy.into());
        }
        if is_directory && new.strip_prefix(from).is_some_and(|rest| rest.starts_with('/')) {
            return Err(Errno::Invalid.into());
        }
        match target.map(|target| target.file_type) {
            None if to.slash && !is_directory => return Err(Errno::NotDirectory.into()),
            None => {}
            Some(VfsFileType::File) if is_directory => return Err(Errno::NotDirectory.into()),
            Some(VfsFileType::File) => to.remove_file()?,
            Some(VfsFileType::Directory) if !is_directory => return Err(Errno::IsDirectory.into()),
            Some(VfsFileType::Directory) => to.remove_dir()?,
        }
        let moved = self
            .foreign
            .call(|fs| if is_directory { fs.move_dir(from, new) } else { fs.move_file(from, new) });
        match moved {
            // `EXDEV` makes `mv` copy.
            Err(FsError::Errno(Errno::NotSupported)) if is_directory => return Err(Errno::CrossDevice.into()),
            Err(FsError::Errno(Errno::NotSupported)) => {
                self.foreign.store(new, &self.foreign.load(from)?)?;
                self.foreign.call(|fs| fs.remove_file(from))?;
            }
            moved => moved?,
        }
        lock(&self.foreign.open).renamed(from, new);
        Ok(())
    }

    pub(super) fn set_times(&self, accessed: Option<Duration>, modified: Option<Duration>) -> Result<()> {
        let (path, _) = self.existing()?;
        self.foreign.check_writable()?;
        let time = |since: Duration| UNIX_EPOCH.checked_add(since).ok_or(FsError::Errno(Errno::Invalid));
        if let Some(accessed) = accessed.map(time).transpose()? {
            self.foreign.call(|fs| fs.set_access_time(path, accessed))?;
        }
        if let Some(modified) = modified.map(time).transpose()? {
            self.foreign.call(|fs| fs.set_modification_time(path, modified))?;
        }
        Ok(())
    }

    /// For new files of kinds that foreign file systems do not have.
    pub(super) fn not_created<T>(&self) -> Result<T> {
        if self.look()?.1.is_some() {
            return Err(Errno::Exists.into());
        }
        self.creatable()?;
        Err(Errno::NotSupported.into())
    }

    /// For operations on files that foreign file systems do not have.
    pub(super) fn not_supported<T>(&self) -> Result<T> {
        self.existing()?;
        self.foreign.check_writable()?;
        Err(Errno::NotSupported.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vfs::{FileSystem, Mount, Options, SessionVfs};
    use crate::vfs::{OpenFile, Opened};
    use ::vfs::MemoryFS;

    /// A session with a foreign file system on `/workspace/m`, which another session lends out.
    fn lent() -> (FileSystem, Arc<FileSystem>) {
        let lender = Arc::new(FileSystem::new(Options { max_bytes: 1000, ..Options::default() }));
        let foreign = SessionVfs::new(Arc::clone(&lender), b"/workspace");
        (mounted(Box::new(foreign)), lender)
    }

    fn mounted(foreign: Box<dyn ::vfs::FileSystem>) -> FileSystem {
        let fs = FileSystem::new(Options::default());
        fs.create_dir(b"/workspace/m", 0o755).unwrap();
        fs.mount(b"/workspace/m", Mount::foreign(foreign, 100)).unwrap();
        fs
    }

    #[expect(clippy::needless_pass_by_value, reason = "so that calls can be written in place")]
    fn errno<T: std::fmt::Debug>(result: Result<T>) -> &'static str {
        match result {
            Ok(_) => "ok",
            Err(FsError::Errno(errno)) => errno.name(),
            Err(FsError::Limit(error)) => error.limit.name(),
        }
    }

    fn open(fs: &FileSystem, path: &[u8], options: &OpenOptions) -> OpenFile {
        match fs.open(path, options).unwrap() {
            Opened::File(file) => file,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn files_of_every_implementation_are_written_and_read() {
        for fs in [lent().0, mounted(Box::new(MemoryFS::new()))] {
            fs.create_dir_all(b"/workspace/m/a/b", 0o755).unwrap();
            fs.write(b"/workspace/m/a/f", b"one", 0o644).unwrap();
            let (first, second) = (
                open(&fs, b"/workspace/m/a/f", &OpenOptions::for_appending(0)),
                open(&fs, b"/workspace/m/a/f", &OpenOptions::for_appending(0)),
            );
            first.append(b" two").unwrap();
            second.append(b" three").unwrap();
            assert_eq!(&*fs.read(b"/workspace/m/a/f").unwrap(), b"one two three");
            first.write_at(15, b"!").unwrap();
            assert_eq!(fs.metadata(b"/workspace/m/a/f").unwrap().size, 16);
            fs.rename(b"/workspace/m/a/f", b"/workspace/m/a/g").unwrap();
            first.set_len(3).unwrap();
            drop((first, second));
            assert_eq!(&*fs.read(b"/workspace/m/a/b/../g").unwrap(), b"one");
            fs.truncate(b"/workspace/m/a/g", 5).unwrap();
            assert_eq!(&*fs.read(b"/workspace/m/a/g").unwrap(), b"one\0\0");
            let names = fs.read_dir(b"/workspace/m/a").unwrap();
            assert_eq!(names.iter().map(|entry| entry.name.to_string()).collect::<Vec<_>>(), ["b", "g"]);
            fs.remove_dir(b"/workspace/m/a/b").unwrap();
            fs.remove_file(b"/workspace/m/a/g").unwrap();
            fs.remove_dir(b"/workspace/m/a").unwrap();
            assert_eq!(fs.read_dir(b"/workspace/m").unwrap(), []);
        }
    }

    #[test]
    fn a_removed_file_stays_readable_and_is_not_stored_again() {
        let (fs, lender) = lent();
        fs.write(b"/workspace/m/f", b"text", 0o644).unwrap();
        let file = open(&fs, b"/workspace/m/f", &OpenOptions::for_appending(0));
        fs.remove_file(b"/workspace/m/f").unwrap();
        file.append(b" more").unwrap();
        assert_eq!(&*file.content().unwrap(), b"text more");
        drop(file);
        assert_eq!(errno(lender.metadata(b"/workspace/f")), "ENOENT");
    }

    #[test]
    fn errors() {
        let (fs, lender) = lent();
        fs.create_dir(b"/workspace/m/d", 0o755).unwrap();
        fs.write(b"/workspace/m/f", b"text", 0o644).unwrap();
        fs.symlink(b"m/d", b"/workspace/l").unwrap();
        lender.write(b"/workspace/big", &[b'x'; 101], 0o644).unwrap();
        let read = OpenOptions::for_reading();
        for (case, got, expected) in [
            ("stat f/", errno(fs.metadata(b"/workspace/m/f/")), "ENOTDIR"),
            ("stat none", errno(fs.metadata(b"/workspace/m/none")), "ENOENT"),
            ("stat not UTF-8", errno(fs.metadata(b"/workspace/m/\xff")), "ENOENT"),
            ("create not UTF-8", errno(fs.write(b"/workspace/m/\xff", b"", 0o644)), "EINVAL"),
            ("mkdir f", errno(fs.create_dir(b"/workspace/m/f", 0o755)), "EEXIST"),
            ("mkdir none/x", errno(fs.create_dir(b"/workspace/m/none/x", 0o755)), "ENOENT"),
            ("mkdir f/x", errno(fs.create_dir(b"/workspace/m/f/x", 0o755)), "ENOTDIR"),
            ("mkdir -p f/x", errno(fs.create_dir_all(b"/workspace/m/f/x", 0o755)), "ENOTDIR"),
            ("rmdir f", errno(fs.remove_dir(b"/workspace/m/f")), "ENOTDIR"),
            ("rmdir mount", errno(fs.remove_dir(b"/workspace/m")), "EBUSY"),
            ("unlink d", errno(fs.remove_file(b"/workspace/m/d")), "EISDIR"),
            ("open d", errno(fs.open(b"/workspace/m/d", &OpenOptions::for_writing(0))), "EISDIR"),
            ("open d through a link", errno(fs.open(b"/workspace/l", &read)), "ok"),
            ("read big", errno(fs.read(b"/workspace/m/big")), "file_system_bytes"),
            ("write big", errno(fs.write(b"/workspace/m/g", &[0; 101], 0o644)), "file_system_bytes"),
            ("rename out", errno(fs.rename(b"/workspace/m/f", b"/workspace/f")), "EXDEV"),
            ("rename d into d", errno(fs.rename(b"/workspace/m/d", b"/workspace/m/d/x")), "EINVAL"),
            ("symlink", errno(fs.symlink(b"x", b"/workspace/m/s")), "EOPNOTSUPP"),
            ("link", errno(fs.hard_link(b"/workspace/m/f", b"/workspace/m/g")), "EOPNOTSUPP"),
            ("chmod", errno(fs.set_mode(b"/workspace/m/f", 0o600)), "EOPNOTSUPP"),
            ("mount", errno(fs.mount(b"/workspace/m/d", Mount::memory())), "EBUSY"),
        ] {
            assert_eq!(got, expected, "{case}");
        }
        fs.touch(b"/workspace/m/f", true).unwrap();
        assert_eq!(fs.canonicalize(b"/workspace/l/../f").unwrap(), b"/workspace/m/f");
        assert_eq!(fs.canonicalize(b"/workspace/m/d/../../../tmp").unwrap(), b"/tmp");
        assert_eq!(fs.metadata(b"/workspace/m/..").unwrap().inode, fs.metadata(b"/workspace").unwrap().inode);
        assert!(fs.read_dir(b"/workspace").unwrap().iter().any(|entry| entry.name == b"m"));
    }

    #[test]
    fn a_read_only_mount_is_not_written() {
        let lender = Arc::new(FileSystem::new(Options::default()));
        lender.write(b"/workspace/f", b"text", 0o644).unwrap();
        let foreign = Box::new(SessionVfs::new(Arc::clone(&lender), b"/workspace"));
        let fs = FileSystem::new(Options::default());
        fs.mount(b"/workspace", Mount::foreign(foreign, 100).read_only()).unwrap();
        assert_eq!(&*fs.read(b"/workspace/f").unwrap(), b"text");
        assert_eq!(fs.metadata(b"/workspace/f").unwrap().mode, 0o444);
        for got in [
            errno(fs.write(b"/workspace/f", b"", 0o644)),
            errno(fs.write(b"/workspace/g", b"", 0o644)),
            errno(fs.create_dir(b"/workspace/d", 0o755)),
            errno(fs.remove_file(b"/workspace/f")),
            errno(fs.rename(b"/workspace/f", b"/workspace/g")),
            errno(fs.truncate(b"/workspace/f", 0)),
            errno(fs.touch(b"/workspace/f", true)),
            errno(fs.access(b"/workspace/f", false, true, false)),
        ] {
            assert_eq!(got, "EROFS");
        }
        assert_eq!(&*lender.read(b"/workspace/f").unwrap(), b"text");
    }
}
