//! The `vfs` crate's trait: a session's file system handed out as one, and how errors translate in both directions.
//! (`mount.rs` and `foreign.rs` mount foreign ones.)

use super::errno::{Errno, FsError};
use super::file_system::FileSystem;
use super::metadata::{FileKind, Metadata};
use super::open_file::{OpenFile, Opened};
use super::options::OpenOptions;
use super::path;
use ::vfs::error::VfsErrorKind;
use ::vfs::{SeekAndRead, SeekAndWrite, VfsError, VfsFileType, VfsMetadata, VfsResult};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// A directory of a session's file system as a `vfs::FileSystem`.
///
/// Permissions, quota and times are those of the session. Paths with `.` or `..` are refused; symbolic links are followed
/// wherever they lead within the session.
///
/// ```
/// use hookbox::vfs::{FileSystem, Options, SessionVfs};
/// use std::io::Read;
/// use std::sync::Arc;
///
/// let session = Arc::new(FileSystem::new(Options::default()));
/// session.write(b"/workspace/notes", b"hello", 0o644).unwrap();
/// let root = vfs::VfsPath::new(SessionVfs::new(session, b"/workspace"));
/// assert_eq!(root.join("notes").unwrap().read_to_string().unwrap(), "hello");
/// ```
#[derive(Debug)]
pub struct SessionVfs {
    session: Arc<FileSystem>,
    root: Vec<u8>,
}

impl SessionVfs {
    /// The directory `root` of `session`.
    pub fn new(session: Arc<FileSystem>, root: &[u8]) -> Self {
        let root = if root == b"/" { Vec::new() } else { root.to_vec() };
        Self { session, root }
    }

    fn path(&self, path: &str) -> VfsResult<Vec<u8>> {
        let fits = path.is_empty() || path.starts_with('/');
        if !fits || path::components(path.as_bytes()).any(|name| name == b"." || name == b"..") {
            return Err(VfsErrorKind::InvalidPath.into());
        }
        let whole = [self.root.as_slice(), path.as_bytes()].concat();
        Ok(if whole.is_empty() { b"/".to_vec() } else { whole })
    }

    fn open(&self, path: &str, options: &OpenOptions) -> VfsResult<OpenFile> {
        match self.session.open(&self.path(path)?, options).map_err(vfs_error)? {
            Opened::File(file) => Ok(file),
            _ => Err(VfsErrorKind::Other("not a regular file".to_owned()).into()),
        }
    }

    fn stat(&self, path: &str) -> VfsResult<Metadata> {
        self.session.metadata(&self.path(path)?).map_err(vfs_error)
    }

    fn expect_kind(&self, path: &str, kind: FileKind) -> VfsResult<()> {
        let errno = if kind == FileKind::Directory { Errno::NotDirectory } else { Errno::IsDirectory };
        if self.stat(path)?.kind == kind { Ok(()) } else { Err(vfs_error(errno.into())) }
    }

    fn move_to(&self, from: &str, to: &str, kind: FileKind) -> VfsResult<()> {
        self.expect_kind(from, kind)?;
        let (from, to) = (self.path(from)?, self.path(to)?);
        if self.session.symlink_metadata(&to).is_ok() {
            return Err(vfs_error(Errno::Exists.into()));
        }
        self.session.rename(&from, &to).map_err(vfs_error)
    }

    fn set_times(
        &self,
        path: &str,
        accessed: Option<SystemTime>,
        modified: Option<SystemTime>,
    ) -> VfsResult<()> {
        let since = |time: SystemTime| time.duration_since(UNIX_EPOCH).unwrap_or_default();
        let path = self.path(path)?;
        self.session.set_times(&path, accessed.map(since), modified.map(since), true).map_err(vfs_error)
    }
}

impl ::vfs::FileSystem for SessionVfs {
    fn read_dir(&self, path: &str) -> VfsResult<Box<dyn Iterator<Item = String> + Send>> {
        let entries = self.session.read_dir(&self.path(path)?).map_err(vfs_error)?;
        // The trait has no word for other names; a lossy one would name another file.
        let names = entries.into_iter().filter_map(|entry| String::from_utf8(entry.name.to_vec()).ok());
        Ok(Box::new(names))
    }

    fn create_dir(&self, path: &str) -> VfsResult<()> {
        let whole = self.path(path)?;
        self.session.create_dir(&whole, 0o755).map_err(|error| match error {
            FsError::Errno(Errno::Exists) if self.stat(path).is_ok_and(|found| found.is_directory()) => {
                VfsErrorKind::DirectoryExists.into()
            }
            error => vfs_error(error),
        })
    }

    fn open_file(&self, path: &str) -> VfsResult<Box<dyn SeekAndRead + Send>> {
        let file = self.open(path, &OpenOptions::for_reading())?;
        Ok(Box::new(Stream { file, position: 0 }))
    }

    fn create_file(&self, path: &str) -> VfsResult<Box<dyn SeekAndWrite + Send>> {
        let file = self.open(path, &OpenOptions::for_writing(0o644))?;
        Ok(Box::new(Stream { file, position: 0 }))
    }

    fn append_file(&self, path: &str) -> VfsResult<Box<dyn SeekAndWrite + Send>> {
        let file = self.open(path, &OpenOptions { create: false, ..OpenOptions::for_appending(0) })?;
        let position = file.len().map_err(vfs_error)?;
        Ok(Box::new(Stream { file, position }))
    }

    fn metadata(&self, path: &str) -> VfsResult<VfsMetadata> {
        let found = self.stat(path)?;
        let time = |since: Duration| UNIX_EPOCH.checked_add(since);
        let is_directory = found.is_directory();
        Ok(VfsMetadata {
            file_type: if is_directory { VfsFileType::Directory } else { VfsFileType::File },
            len: if is_directory { 0 } else { found.size },
            created: None,
            modified: time(found.modified),
            accessed: time(found.accessed),
        })
    }

    fn set_modification_time(&self, path: &str, time: SystemTime) -> VfsResult<()> {
        self.set_times(path, None, Some(time))
    }

    fn set_access_time(&self, path: &str, time: SystemTime) -> VfsResult<()> {
        self.set_times(path, Some(time), None)
    }

    fn exists(&self, path: &str) -> VfsResult<bool> {
        match self.session.metadata(&self.path(path)?) {
            Ok(_) => Ok(true),
            Err(FsError::Errno(Errno::NotFound | Errno::NotDirectory)) => Ok(false),
            Err(error) => Err(vfs_error(error)),
        }
    }

    fn remove_file(&self, path: &str) -> VfsResult<()> {
        self.session.remove_file(&self.path(path)?).map_err(vfs_error)
    }

    fn remove_dir(&self, path: &str) -> VfsResult<()> {
        self.session.remove_dir(&self.path(path)?).map_err(vfs_error)
    }

    fn copy_file(&self, from: &str, to: &str) -> VfsResult<()> {
        let content = self.session.read(&self.path(from)?).map_err(vfs_error)?;
        self.session.write_content(&self.path(to)?, content, 0o644).map_err(vfs_error)
    }

    fn move_file(&self, from: &str, to: &str) -> VfsResult<()> {
        self.move_to(from, to, FileKind::Regular)
    }

    fn move_dir(&self, from: &str, to: &str) -> VfsResult<()> {
        self.move_to(from, to, FileKind::Directory)
    }
}

/// An open file with a position.
struct Stream {
    file: OpenFile,
    position: u64,
}

impl Read for Stream {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read_at(self.position, &mut |bytes| {
            let count = bytes.len().min(room.len());
            if let (Some(room), Some(bytes)) = (room.get_mut(..count), bytes.get(..count)) {
                room.copy_from_slice(bytes);
            }
            count
        });
        let read = read.map_err(io_error)?;
        self.position = self.position.saturating_add(read as u64);
        Ok(read)
    }
}

impl Write for Stream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write_at(self.position, bytes).map_err(io_error)?;
        self.position = self.position.saturating_add(bytes.len() as u64);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush().map_err(io_error)
    }
}

impl Seek for Stream {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let position = match to {
            SeekFrom::Start(offset) => Some(offset),
            SeekFrom::Current(offset) => self.position.checked_add_signed(offset),
            SeekFrom::End(offset) => self.file.len().map_err(io_error)?.checked_add_signed(offset),
        };
        self.position = position.ok_or(io::ErrorKind::InvalidInput)?;
        Ok(self.position)
    }
}

/// Our error as the trait's.
fn vfs_error(error: FsError) -> VfsError {
    match error {
        FsError::Errno(Errno::NotFound) => VfsErrorKind::FileNotFound.into(),
        FsError::Errno(Errno::Exists) => VfsErrorKind::FileExists.into(),
        FsError::Errno(Errno::NotSupported) => VfsErrorKind::NotSupported.into(),
        FsError::Errno(Errno::Invalid | Errno::NameTooLong) => VfsErrorKind::InvalidPath.into(),
        error => VfsErrorKind::IoError(io_error(error)).into(),
    }
}

/// Our error as the standard library's; `foreign_errno::errno_of` finds it again.
fn io_error(error: FsError) -> io::Error {
    let kind = match error.errno() {
        Some(Errno::NotFound) => io::ErrorKind::NotFound,
        Some(Errno::AccessDenied | Errno::NotPermitted) => io::ErrorKind::PermissionDenied,
        Some(Errno::Exists) => io::ErrorKind::AlreadyExists,
        Some(Errno::NotDirectory) => io::ErrorKind::NotADirectory,
        Some(Errno::IsDirectory) => io::ErrorKind::IsADirectory,
        Some(Errno::NotEmpty) => io::ErrorKind::DirectoryNotEmpty,
        Some(Errno::ReadOnly) => io::ErrorKind::ReadOnlyFilesystem,
        Some(Errno::Invalid) => io::ErrorKind::InvalidInput,
        Some(Errno::FileTooBig) => io::ErrorKind::FileTooLarge,
        None => io::ErrorKind::QuotaExceeded,
        Some(_) => io::ErrorKind::Other,
    };
    io::Error::new(kind, error)
}

#[cfg(test)]
mod tests {
    use super::super::foreign_errno::errno_of;
    use super::*;
    use crate::vfs::Options;
    use ::vfs::VfsPath;

    #[test]
    fn the_trait_works_on_a_session() {
        let session = Arc::new(FileSystem::new(Options::default()));
        let root = VfsPath::new(SessionVfs::new(Arc::clone(&session), b"/workspace"));
        let directory = root.join("a/b").unwrap();
        directory.create_dir_all().unwrap();
        assert!(matches!(directory.create_dir().unwrap_err().kind(), VfsErrorKind::DirectoryExists));
        let file = directory.join("f").unwrap();
        file.create_file().unwrap().write_all(b"hello").unwrap();
        file.append_file().unwrap().write_all(b" world").unwrap();
        assert_eq!(&*session.read(b"/workspace/a/b/f").unwrap(), b"hello world");
        let mut reader = file.open_file().unwrap();
        reader.seek(SeekFrom::End(-5)).unwrap();
        let mut text = String::new();
        reader.read_to_string(&mut text).unwrap();
        assert_eq!(text, "world");
        reader.seek(SeekFrom::Start(u64::MAX)).unwrap();
        assert_eq!(reader.read(&mut [0; 4]).unwrap(), 0);
        assert!(reader.seek(SeekFrom::Current(1)).is_err());
        file.copy_file(&root.join("copy").unwrap()).unwrap();
        directory.move_dir(&root.join("moved").unwrap()).unwrap();
        let mut names: Vec<_> =
            root.walk_dir().unwrap().map(|path| path.unwrap().as_str().to_owned()).collect();
        names.sort();
        assert_eq!(names, ["/a", "/copy", "/moved", "/moved/f"]);
        root.join("moved").unwrap().remove_dir_all().unwrap();
        assert!(matches!(
            root.join("moved/f").unwrap().open_file().err().unwrap().kind(),
            VfsErrorKind::FileNotFound
        ));
    }

    #[test]
    fn no_path_leads_out_of_the_directory() {
        let session = Arc::new(FileSystem::new(Options::default()));
        let lent = SessionVfs::new(session, b"/workspace");
        for path in ["/..", "/../etc/passwd", "/a/../../etc", "..", "etc", "/."] {
            let error = ::vfs::FileSystem::metadata(&lent, path).unwrap_err();
            assert!(matches!(error.kind(), VfsErrorKind::InvalidPath), "{path}");
        }
    }

    #[test]
    fn errors_survive_the_way_out_and_back() {
        let limit = crate::limit::LimitError { limit: crate::limit::Limit::Files, allowed: 3, line: None };
        for error in [
            FsError::Errno(Errno::NotFound),
            FsError::Errno(Errno::AccessDenied),
            FsError::Errno(Errno::NotPermitted),
            FsError::Errno(Errno::NotEmpty),
            FsError::Errno(Errno::TooManyLevels),
            FsError::Limit(limit),
        ] {
            assert_eq!(errno_of(&vfs_error(error)), error);
        }
    }
}
