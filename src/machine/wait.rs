//! [`Wait`]: what a process waits for. `resume.rs` looks whether it is over.

use super::builtin::invocation::Invocation;
use super::process::Process;
use crate::memory::{Box, Bytes, Task, Vec};
use crate::utility::ExitStatus;

/// What a process waits for.
pub(crate) enum Wait {
    Nothing,
    /// A utility in the foreground; its redirections are undone after it.
    Utility(Task<ExitStatus>),
    /// Children in the foreground: a pipeline (`true`: its status is the pipeline's), or a shell that was started.
    Children {
        pids: Vec<u32>,
        statuses: Vec<Option<u8>>,
    },
    /// A builtin that is run again when something has happened.
    Builtin(Box<Invocation>),
    /// Other writers of a substitution's output.
    Writers,
    /// Standard input, for an operation that runs again.
    Input,
    /// The program that a thread makes of a long source.
    Program(Box<Compiling>),
    /// The next command of a script that is read while it runs.
    Script,
    /// The shell that takes this one's place, once what is unwritten is written.
    Replaced(Box<Process>),
    /// What is unwritten and the processes of `>( )`, before the shell ends with this status.
    Outputs(u8),
}

/// What is done with a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum After {
    /// It is the shell's own script.
    Main,
    /// It is a text that `eval`, `source` or a callback runs.
    Text,
    /// It goes on with the program that runs, whose positions are shifted so far.
    More { shift: u32 },
}

/// A source, from where it is compiled, and what is done with its program.
#[derive(Debug)]
pub(crate) struct Compiling {
    pub(crate) source: Bytes,
    /// Offset and line.
    pub(crate) from: (usize, u32),
    pub(crate) after: After,
}
