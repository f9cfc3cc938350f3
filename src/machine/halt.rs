//! [`Halt`]: what stops an operation, and how far that reaches. `failure.rs` makes one of an error, `unwind.rs` acts on it.

use crate::limit::LimitError;

/// Why an operation did not simply end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Halt {
    /// An error was reported: the command is abandoned, and with it the list that it stands in (bash's "discard").
    Discard(u8),
    /// The shell, or the subshell that runs, ends: `exit`. An `EXIT` trap runs inside of the functions that run.
    Exit(u8),
    /// As `Exit`, by an error: the functions that run are abandoned first.
    Fatal(u8),
    /// As `Exit`, by a command that failed under `set -e`. After a simple command (`simple`) the outermost function that was
    /// called with redirections is abandoned first, with all that it called; other functions lose their local variables only.
    Failed { status: u8, simple: bool },
    /// As `Exit`, by a signal: no `EXIT` trap runs for those that cannot be caught.
    Killed(u8),
    /// A text does not parse: what is left of it is not run. A subshell around it goes on.
    Unparsed(u8),
    /// As `Discard`, and with it all of the functions and scripts that run: what was read of the main script goes on
    /// with its next command; a shell that runs a command string ends.
    Abandon(u8),
    /// The run ends.
    Limit(LimitError),
}

impl Halt {
    /// An error in a subscript that is read when its command runs: what abandons the command abandons all of it.
    pub(crate) fn abandoned(self) -> Self {
        match self {
            Self::Discard(status) => Self::Abandon(status),
            other => other,
        }
    }
}

impl From<LimitError> for Halt {
    fn from(error: LimitError) -> Self {
        Self::Limit(error)
    }
}

/// What an operation returns.
pub(crate) type Step<T = ()> = Result<T, Halt>;
