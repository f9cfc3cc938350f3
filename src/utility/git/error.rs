//! How a subcommand ends when it does not succeed: git's words and statuses.

use crate::limit::LimitError;
use crate::memory::String;
use crate::utility::UtilityError;
use crate::vfs::FsError;

/// What ends a subcommand.
#[derive(Debug)]
pub(crate) enum GitError {
    /// `fatal: text`, status 128.
    Fatal(String),
    /// `error: text`, with a status.
    Error(String, u8),
    /// A text as it is, with a status.
    Plain(String, u8),
    /// Everything was said.
    Exit(u8),
    /// What is not git's: a limit, standard output that cannot be written.
    Other(UtilityError),
}

/// What most functions of git return.
pub(crate) type Result<T> = std::result::Result<T, GitError>;

impl From<UtilityError> for GitError {
    fn from(error: UtilityError) -> Self {
        Self::Other(error)
    }
}

impl From<LimitError> for GitError {
    fn from(error: LimitError) -> Self {
        Self::Other(UtilityError::Limit(error))
    }
}

impl From<FsError> for GitError {
    fn from(error: FsError) -> Self {
        match error {
            FsError::Limit(limit) => limit.into(),
            FsError::Errno(errno) => Self::Fatal(errno.message().into()),
        }
    }
}

/// `GitError::Fatal` of a formatted text.
macro_rules! fatal {
    ($($argument:tt)*) => { $crate::utility::git::error::GitError::Fatal($crate::memory::format!($($argument)*)) };
}
pub(crate) use fatal;

/// A missing file is `None`; a limit ends the run.
pub(crate) fn found<T>(result: std::result::Result<T, FsError>) -> Result<Option<T>> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(FsError::Limit(limit)) => Err(limit.into()),
        Err(FsError::Errno(_)) => Ok(None),
    }
}
