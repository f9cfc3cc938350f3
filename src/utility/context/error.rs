//! How a utility ends: exit status and the errors that lead to one.

use crate::limit::LimitError;
use crate::memory::{String, format};
use crate::vfs::{Errno, FsError};

/// Exit status of a command, 0 to 255.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ExitStatus(pub u8);

impl ExitStatus {
    /// 0
    pub const SUCCESS: Self = Self(0);
    /// 1
    pub const FAILURE: Self = Self(1);
    /// The command was found but cannot be run.
    pub const NOT_EXECUTABLE: Self = Self(126);
    /// The command was not found.
    pub const NOT_FOUND: Self = Self(127);
    /// Ended by SIGPIPE: 128 + 13.
    pub const BROKEN_PIPE: Self = Self(141);

    /// Whether this is 0.
    pub const fn is_success(self) -> bool {
        self.0 == 0
    }
}

/// Ends a utility. Its dispatcher prints `name: message` once and takes the status.
#[derive(Clone, Debug, thiserror::Error)]
pub enum UtilityError {
    /// Wrong options or operands: the message, then `Try 'name --help' for more information.`; the status is the row's.
    #[error("{0}")]
    Usage(String),
    /// Anything else that has words of its own.
    #[error("{message}")]
    Failed {
        /// Without the utility's name.
        message: String,
        /// Usually 1.
        status: u8,
    },
    /// Standard output could not be written. A broken pipe ends the utility in silence with status 141.
    #[error("write error: {}", .0.message())]
    Write(Errno),
    /// A limit ends the whole run.
    #[error(transparent)]
    Limit(#[from] LimitError),
    /// Everything was said: end with this status.
    #[error("exit {}", .0.0)]
    Exit(ExitStatus),
}

impl UtilityError {
    /// A failure with status 1.
    pub fn failed(message: impl Into<String>) -> Self {
        Self::Failed { message: message.into(), status: 1 }
    }

    /// `operand: error text`, with status 1.
    pub fn operand(operand: &[u8], error: FsError) -> Self {
        match error {
            FsError::Errno(errno) => {
                Self::failed(format!("{}: {}", bstr::BStr::new(operand), errno.message()))
            }
            FsError::Limit(limit) => Self::Limit(limit),
        }
    }
}
