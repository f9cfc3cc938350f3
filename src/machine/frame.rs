//! Frames: what a process has to come back to. They live on the heap, so nesting costs memory, never native stack.

use super::condition::Conditions;
use super::expansion::{Expansion, SavedDescriptor};
use super::link::Code;
use super::shell::State;
use super::variable::Mark;
use crate::io::Capture;
use crate::memory::{Arc, Box, Vec, VecDeque};
use crate::program::{Index, Pc, Quoting};
use crate::text::Text;

/// See the module.
#[derive(Debug)]
pub(crate) enum Frame {
    /// `while`, `until`, `for`, `select`.
    Loop(Box<LoopFrame>),
    /// `case`: the subject, and whether an arm that ended with `;;&` ran.
    Case(Text, bool),
    /// A list that was skimmed: where its command goes on.
    List(Code),
    /// Redirections of a compound command, undone at its end.
    Redirections(Vec<SavedDescriptor>),
    /// `time`: real, user and system time at the start are one here.
    Time(std::time::Duration),
    /// A pipeline whose stages run in this process, one after the other.
    Pipe(Box<PipeHere>),
    /// A function call.
    Function(Box<FunctionFrame>),
    /// `eval`, `source`, a trap's action.
    Script(Box<ScriptFrame>),
    /// What a function, `eval` or `source` was started with; undone after it.
    Command(Box<CommandFrame>),
    /// A builtin that runs again once the callback above it is over.
    Builtin(Box<super::builtin::invocation::Invocation>),
    /// `( )` or `$( )` in this process.
    Subshell(Box<SubshellFrame>),
    /// The last stage of a pipeline in this process (`lastpipe`).
    LastStage(Box<LastStageFrame>),
}

/// See [`Frame::LastStage`].
#[derive(Debug)]
pub(crate) struct LastStageFrame {
    /// The other stages, and what they ended with.
    pub(crate) pids: Vec<u32>,
    pub(crate) statuses: Vec<Option<u8>>,
    /// Standard input before.
    pub(crate) input: Vec<SavedDescriptor>,
    /// After the pipeline.
    pub(crate) end: Pc,
}

/// How far a pipeline of `pipe_here.rs` is. It lies below the stage's subshell.
#[derive(Debug)]
pub(crate) struct PipeHere {
    pub(crate) pipeline: Index,
    pub(crate) output: Arc<Capture>,
    /// Status of the first stage, once the second runs.
    pub(crate) first: Option<u8>,
}

/// See [`Frame::Loop`].
#[derive(Debug)]
pub(crate) struct LoopFrame {
    pub(crate) break_to: Pc,
    pub(crate) continue_to: Pc,
    /// Status of the last turn.
    pub(crate) status: u8,
    /// Conditions around the loop, restored by `break` and `continue`.
    pub(crate) conditions: Conditions,
    /// Fields of `for` and `select`.
    pub(crate) fields: crate::memory::IntoIter<Text>,
    /// The menu of `select`.
    pub(crate) menu: Vec<Text>,
    /// The menu was shown: from now on only `PS3` is, unless the answer is empty.
    pub(crate) menu_shown: bool,
}

/// See [`Frame::Function`].
#[derive(Debug)]
pub(crate) struct FunctionFrame {
    pub(crate) resume: Code,
    pub(crate) mark: Mark,
    pub(crate) positional: super::shell::Positional,
    pub(crate) conditions: Conditions,
    /// `local -`: options to put back.
    pub(crate) options: Option<super::option::ShellOptions>,
    pub(crate) source: Text,
    /// `$_` after the call.
    pub(crate) last_argument: Text,
    /// A `DEBUG` or `RETURN` trap that is not inherited comes back.
    pub(crate) traps: Option<Arc<super::trap::Traps>>,
    /// The `RETURN` trap has been started.
    pub(crate) returned: bool,
}

/// Why a script frame was pushed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ScriptKind {
    Eval,
    Source,
    /// A trap's action: the status from before is put back.
    Trap,
    /// The `ERR` trap: as `Trap`; `set -e` ends the shell after it.
    ErrTrap,
    /// The `RETURN` trap: as `Trap`.
    ReturnTrap,
    /// The `DEBUG` trap: as `Trap`, and its status can skip a command.
    DebugTrap,
    /// The `DEBUG` trap at the start of a function: as `Trap`.
    EntryTrap,
    /// The `EXIT` trap: the shell ends after it with this status.
    ExitTrap,
    /// `PROMPT_COMMAND`: the status from before is put back.
    Prompt,
}

/// Which of `ERR`, `DEBUG` and `RETURN` run: they do not run inside of themselves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RunningTraps {
    err: bool,
    debug: bool,
    on_return: bool,
}

impl RunningTraps {
    pub(crate) const NONE: Self = Self { err: false, debug: false, on_return: false };

    /// Whether the action of that kind runs.
    pub(crate) const fn has(self, kind: ScriptKind) -> bool {
        match kind {
            ScriptKind::ErrTrap => self.err,
            ScriptKind::DebugTrap | ScriptKind::EntryTrap => self.debug,
            ScriptKind::ReturnTrap => self.on_return,
            _ => false,
        }
    }

    /// The action of that kind begins or ends.
    pub(crate) const fn set(&mut self, kind: ScriptKind, runs: bool) {
        match kind {
            ScriptKind::ErrTrap => self.err = runs,
            ScriptKind::DebugTrap | ScriptKind::EntryTrap => self.debug = runs,
            ScriptKind::ReturnTrap => self.on_return = runs,
            _ => {}
        }
    }
}

impl ScriptKind {
    /// Whether it is a trap's action.
    pub(crate) const fn is_trap(self) -> bool {
        !matches!(self, Self::Eval | Self::Source | Self::Prompt)
    }
}

/// See [`Frame::Script`].
#[derive(Debug)]
pub(crate) struct ScriptFrame {
    pub(crate) kind: ScriptKind,
    pub(crate) resume: Code,
    /// Positional parameters before `source FILE ARGS`, and those of the file.
    pub(crate) positional: Option<(super::shell::Positional, super::shell::Positional)>,
    pub(crate) source: Text,
    pub(crate) calls: Option<Arc<super::shell::Call>>,
    /// Status to put back after a trap.
    pub(crate) status: u8,
    pub(crate) conditions: Conditions,
    pub(crate) pipe_status: Arc<Vec<u8>>,
    /// The command that a trap interrupted.
    pub(crate) expansion: Option<Box<Expansion>>,
    /// Whether the `DEBUG` trap had run for it.
    pub(crate) debug_done: bool,
    /// `$_` after `eval` and `source`.
    pub(crate) last_argument: Option<Text>,
    /// The `DEBUG` trap, which a sourced file does not inherit.
    pub(crate) debug_trap: Option<Text>,
}

/// See [`Frame::Command`].
#[derive(Debug)]
pub(crate) struct CommandFrame {
    pub(crate) redirections: Vec<SavedDescriptor>,
    /// Temporary assignments.
    pub(crate) temporary: Option<super::variable::Temporary>,
}

/// See [`Frame::Subshell`].
#[derive(Debug)]
pub(crate) struct SubshellFrame {
    /// It runs one command of the file system: where [`crate::program::Op::OwnProcess`] ends.
    pub(crate) own: Option<Pc>,
    /// Where the parent goes on.
    pub(crate) resume: Code,
    pub(crate) state: State,
    pub(crate) mark: Mark,
    /// The word in which a substitution stands; `None` for `( )`.
    pub(crate) substitution: Option<Substitution>,
    /// The `EXIT` trap has run.
    pub(crate) exiting: bool,
    /// Signals that arrived for the shell around it.
    pub(crate) signals: VecDeque<super::trap::Signal>,
}

/// What a command substitution comes back to.
#[derive(Debug)]
pub(crate) struct Substitution {
    pub(crate) expansion: Expansion,
    pub(crate) capture: Arc<Capture>,
    pub(crate) quoting: Quoting,
}
