//! [`Process`]: a shell that runs programs, in three parts. What needs one part only is a method of that part: it takes the
//! [`Shell`] whose state it reads and changes, and cannot reach the rest.
//!
//! `operate.rs` runs its operations; the other files of this folder add what an operation does.

use super::control::Control;
use super::expansion::Expansion;
use super::shell::Shell;

/// A process of a run; see the module.
pub(crate) struct Process {
    /// The shell execution environment, which a subshell copies.
    pub(crate) shell: Shell,
    /// The words of the command that runs.
    pub(crate) x: Expansion,
    /// What it comes back to, and what it waits for.
    pub(crate) control: Control,
}

impl std::fmt::Debug for Process {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Process").field("pid", &self.shell.state.ids.own).finish_non_exhaustive()
    }
}

/// How far `operate` came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Progress {
    /// It has to wait.
    Wait,
    /// Its slice is over.
    Yield,
    /// The program is over.
    Ended,
}
