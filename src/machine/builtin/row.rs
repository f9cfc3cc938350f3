//! [`Builtin`]: a row of the table of builtins; [`Flow`]: how a builtin goes on once it was called.

use super::context::{Context, ShellContext};
use super::error::BuiltinError;
use super::options::OptionRow;
use crate::memory::{Bytes, Vec};
use crate::text::Text;

/// A row of the table of builtins.
#[derive(Debug)]
pub(crate) struct Builtin {
    pub(crate) name: &'static str,
    /// POSIX calls it special: bash manual 4.4.
    pub(crate) special: bool,
    /// `usage: ` and this is printed for a usage error; `help` shows it.
    pub(crate) synopsis: &'static str,
    /// What `help` says about it.
    pub(crate) help: &'static str,
    /// Its options, where they are letters; see [`options`](super::options).
    pub(crate) options: &'static [OptionRow],
    pub(crate) act: Act,
}

/// The function behind a builtin, and with it what the builtin may touch.
#[derive(Clone, Copy)]
pub(crate) enum Act {
    /// It needs the shell alone.
    Shell(fn(&mut ShellContext<'_>) -> Result<Flow, BuiltinError>),
    /// It needs the machine.
    Machine(fn(&mut Context<'_, '_>) -> Result<Flow, BuiltinError>),
}

impl std::fmt::Debug for Act {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Shell(_) => "Shell",
            Self::Machine(_) => "Machine",
        })
    }
}

/// How a builtin goes on.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Flow {
    /// It is done.
    Status(u8),
    /// It waits: its waker was registered, and it is called again when something has happened.
    Wait,
    /// It is called again after its output was handed on and others had their turn.
    Again,
    /// It pushed frames, or the invocation went on as something else: the status comes from there.
    Switched,
    /// The `RETURN` trap runs, and then it is called again.
    ReturnTrap,
    /// This text is run as commands, and then it is called again.
    Callback(Bytes),
    /// Another builtin takes its place, with these arguments: the last ones of its own.
    Delegate { builtin: &'static Builtin, args: Vec<Text> },
}

impl PartialEq for Builtin {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

/// The table of builtins as they see it themselves: they get it with their call, so that none of them imports the others.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Table {
    pub(super) rows: &'static [&'static Builtin],
    /// Finds a builtin by its name.
    pub(super) find: fn(&[u8]) -> Option<&'static Builtin>,
}
