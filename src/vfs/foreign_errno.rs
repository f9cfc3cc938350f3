//! Errors of the `vfs` crate and of the standard library as ours.

use super::errno::{Errno, FsError};
use ::vfs::VfsError;
use ::vfs::error::VfsErrorKind;
use std::io;

/// The trait's error as ours. What has no counterpart is `EIO`.
pub(super) fn errno_of(error: &VfsError) -> FsError {
    let errno = match error.kind() {
        VfsErrorKind::FileNotFound => Errno::NotFound,
        VfsErrorKind::InvalidPath => Errno::Invalid,
        VfsErrorKind::DirectoryExists | VfsErrorKind::FileExists => Errno::Exists,
        VfsErrorKind::NotSupported => Errno::NotSupported,
        VfsErrorKind::IoError(error) => return errno_of_io(error),
        VfsErrorKind::Other(_) => Errno::InputOutput,
    };
    errno.into()
}

fn errno_of_io(error: &io::Error) -> FsError {
    if let Some(ours) = error.get_ref().and_then(|inner| inner.downcast_ref::<FsError>()) {
        return *ours;
    }
    let errno = match error.kind() {
        io::ErrorKind::NotFound => Errno::NotFound,
        io::ErrorKind::PermissionDenied => Errno::AccessDenied,
        io::ErrorKind::AlreadyExists => Errno::Exists,
        io::ErrorKind::NotADirectory => Errno::NotDirectory,
        io::ErrorKind::IsADirectory => Errno::IsDirectory,
        io::ErrorKind::DirectoryNotEmpty => Errno::NotEmpty,
        io::ErrorKind::ReadOnlyFilesystem => Errno::ReadOnly,
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Errno::NoSpace,
        io::ErrorKind::FileTooLarge => Errno::FileTooBig,
        io::ErrorKind::CrossesDevices => Errno::CrossDevice,
        io::ErrorKind::InvalidInput | io::ErrorKind::InvalidFilename => Errno::Invalid,
        io::ErrorKind::Unsupported => Errno::NotSupported,
        _ => Errno::InputOutput,
    };
    errno.into()
}
