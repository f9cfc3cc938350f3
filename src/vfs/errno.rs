//! Error numbers of file and process operations, and their texts (`strerror` of glibc).

use crate::limit::LimitError;

/// What file operations return.
pub type Result<T> = std::result::Result<T, FsError>;

macro_rules! errnos {
    ($($kind:ident $name:literal $number:literal $text:literal;)*) => {
        /// Why a system operation failed. POSIX XSH 2.3 Error Numbers.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Errno { $(#[doc = $text] $kind,)* }

        impl Errno {
            /// The text that the C library prints.
            pub const fn message(self) -> &'static str {
                match self { $(Self::$kind => $text,)* }
            }
            /// The symbolic name, for example `ENOENT`.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$kind => $name,)* }
            }
            /// The number on Linux.
            pub const fn number(self) -> u16 {
                match self { $(Self::$kind => $number,)* }
            }
        }
    };
}

errnos! {
    NotPermitted "EPERM" 1 "Operation not permitted";
    NotFound "ENOENT" 2 "No such file or directory";
    NoProcess "ESRCH" 3 "No such process";
    Interrupted "EINTR" 4 "Interrupted system call";
    InputOutput "EIO" 5 "Input/output error";
    NoDeviceOrAddress "ENXIO" 6 "No such device or address";
    ArgumentListTooLong "E2BIG" 7 "Argument list too long";
    ExecFormat "ENOEXEC" 8 "Exec format error";
    BadDescriptor "EBADF" 9 "Bad file descriptor";
    NoChild "ECHILD" 10 "No child processes";
    AccessDenied "EACCES" 13 "Permission denied";
    Busy "EBUSY" 16 "Device or resource busy";
    Exists "EEXIST" 17 "File exists";
    CrossDevice "EXDEV" 18 "Invalid cross-device link";
    NotDirectory "ENOTDIR" 20 "Not a directory";
    IsDirectory "EISDIR" 21 "Is a directory";
    Invalid "EINVAL" 22 "Invalid argument";
    TooManyOpen "EMFILE" 24 "Too many open files";
    NotTerminal "ENOTTY" 25 "Inappropriate ioctl for device";
    FileTooBig "EFBIG" 27 "File too large";
    NoSpace "ENOSPC" 28 "No space left on device";
    IllegalSeek "ESPIPE" 29 "Illegal seek";
    ReadOnly "EROFS" 30 "Read-only file system";
    TooManyLinks "EMLINK" 31 "Too many links";
    BrokenPipe "EPIPE" 32 "Broken pipe";
    NameTooLong "ENAMETOOLONG" 36 "File name too long";
    NotEmpty "ENOTEMPTY" 39 "Directory not empty";
    TooManyLevels "ELOOP" 40 "Too many levels of symbolic links";
    NotSupported "EOPNOTSUPP" 95 "Operation not supported";
}

/// A system operation failed: with an error number that the script sees, or with a limit that ends the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FsError {
    /// The script sees it.
    #[error("{}", .0.message())]
    Errno(Errno),
    /// It ends the run.
    #[error(transparent)]
    Limit(#[from] LimitError),
}

impl From<Errno> for FsError {
    fn from(errno: Errno) -> Self {
        Self::Errno(errno)
    }
}

impl FsError {
    /// The error number, if the script may see this error.
    pub const fn errno(self) -> Option<Errno> {
        match self {
            Self::Errno(errno) => Some(errno),
            Self::Limit(_) => None,
        }
    }
}
