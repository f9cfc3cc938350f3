//! [`Control`]: what a process comes back to, and what it waits for. `unwind.rs` leaves frames, `resume.rs` ends a wait.

use super::frame::{Frame, RunningTraps, ScriptKind};
use super::halt::{Halt, Step};
use super::name::NameId;
use super::run::Run;
use super::trap::Signal;
use super::wait::Wait;
use crate::limit::Limit;
use crate::memory::{Arc, Box, Vec, VecDeque};
use crate::text::Text;

/// What a process comes back to, and what it waits for.
pub(crate) struct Control {
    pub(crate) frames: Vec<Frame>,
    pub(crate) wait: Wait,
    /// Signals that arrived and were not looked at.
    pub(crate) signals: VecDeque<Signal>,
    /// Function calls, `eval`, `source`, traps and subshells on the frames.
    pub(crate) depth: u64,
    /// The signal that ends the process.
    pub(crate) killed_by: Option<Signal>,
    /// The signal that ended the command in the foreground, and its process.
    pub(crate) child_killed: Option<(u32, Signal)>,
    pub(crate) traps_running: RunningTraps,
    /// Stages of the pipeline for which the `DEBUG` trap has run.
    pub(crate) debug_stage: u32,
    /// The `DEBUG` trap has run for the command that comes.
    pub(crate) debug_done: bool,
    /// Its `EXIT` trap has been started.
    pub(crate) exiting: bool,
    /// The command that it starts takes its place: after `exec`, and where a utility asked for the command.
    pub(crate) becomes_command: bool,
    /// `set -e` ends the shell after the `ERR` trap with this status.
    pub(crate) exit_after_trap: Option<Halt>,
    /// Levels of `set -x` outside of this process.
    pub(crate) trace_base: usize,
    /// The answer to `select` as far as it was read.
    pub(crate) select_line: Option<Vec<u8>>,
    /// Processes of `>( )` that run: what they print belongs to the shell's output, so it ends after them.
    pub(crate) outputs: Vec<u32>,
    /// The coprocess and its two variables, which go when it was waited for.
    pub(crate) coprocess: Option<(u32, [NameId; 2])>,
    /// The script, when it is read while it runs.
    pub(crate) input: Option<Box<super::script_input::ScriptInput>>,
    /// The file that the script was read from, which may grow while it runs.
    pub(crate) script: Option<Box<super::script_input::ScriptFile>>,
    /// What it is given to run is compiled at once: it has startup files, which run before its script.
    pub(crate) compiles_at_once: bool,
    /// Name and arguments that the shell was started with; a subshell has those of its parent.
    pub(crate) argv: Arc<Vec<Text>>,
    /// The utility that runs in the foreground of another process than the first, for `ps`.
    pub(crate) utility: Option<Vec<Text>>,
    #[expect(dead_code, reason = "held: it counts the process while it lives")]
    charge: crate::limit::ProcessCharge,
}

impl Control {
    /// Of a process that has nothing to come back to.
    pub(crate) fn new(charge: crate::limit::ProcessCharge) -> Self {
        Self {
            frames: Vec::new(),
            wait: Wait::Nothing,
            signals: VecDeque::new(),
            depth: 0,
            killed_by: None,
            child_killed: None,
            traps_running: RunningTraps::NONE,
            debug_stage: 0,
            debug_done: false,
            exiting: false,
            becomes_command: false,
            exit_after_trap: None,
            trace_base: 0,
            select_line: None,
            outputs: Vec::new(),
            coprocess: None,
            input: None,
            script: None,
            compiles_at_once: false,
            argv: Arc::default(),
            utility: None,
            charge,
        }
    }
}

impl Control {
    /// Counts a nested call against the limit on frames.
    pub(crate) fn enter(&mut self, run: &Run) -> Step {
        if self.depth >= run.services.meter.limits().frames {
            return Err(run.services.meter.fail(Limit::Frames).into());
        }
        self.depth += 1;
        Ok(())
    }

    /// Runs a builtin again whose callback is over.
    pub(crate) fn resume_caller(&mut self) {
        if let Some(Frame::Builtin(_)) = self.frames.last()
            && let Some(Frame::Builtin(invocation)) = self.frames.pop()
        {
            self.wait = Wait::Builtin(invocation);
        }
    }

    pub(crate) fn innermost_subshell(&self) -> Option<usize> {
        self.frames.iter().rposition(|frame| matches!(frame, Frame::Subshell(_)))
    }

    /// Where the outermost call begins that has redirections, in the subshell that runs.
    pub(crate) fn outermost_redirected_call(&self) -> Option<usize> {
        let floor = self.innermost_subshell().map_or(0, |at| at + 1);
        let own = self.frames.get(floor..)?;
        let is_call = |pair: &[Frame]| match pair {
            [Frame::Command(command), Frame::Function(_)] => !command.redirections.is_empty(),
            _ => false,
        };
        own.windows(2).position(is_call).map(|at| at + floor)
    }

    pub(crate) fn mark_exiting(&mut self) {
        match self.innermost_subshell() {
            Some(at) => {
                if let Some(Frame::Subshell(frame)) = self.frames.get_mut(at) {
                    frame.exiting = true;
                }
            }
            None => self.exiting = true,
        }
    }

    /// Whether `return` has somewhere to return to.
    pub(crate) fn can_return(&self) -> bool {
        self.frames.iter().any(|frame| match frame {
            Frame::Function(_) => true,
            Frame::Script(frame) => frame.kind == ScriptKind::Source,
            _ => false,
        })
    }
}
