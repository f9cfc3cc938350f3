//! Control flow: loops, `case`, `return`, `exit`, errors that give up a command, and how frames are undone.

use super::frame::{Frame, RunningTraps, ScriptFrame, ScriptKind};
use super::halt::{Halt, Step};
use super::name::NameId;
use super::process::{Process, Progress};
use super::run::Run;
use super::trap::Signal;
use super::wait::Wait;
use crate::limit::Limit;
use crate::memory::{Arc, Box, Vec, VecDeque};

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
    /// `set -e` ends the shell behind the `ERR` trap with this status.
    pub(crate) exit_after_trap: Option<Halt>,
    /// Levels of `set -x` outside of this process.
    pub(crate) trace_base: usize,
    /// The answer to `select` as far as it was read.
    pub(crate) select_line: Option<Vec<u8>>,
    /// Processes of `>( )` that run: what they print belongs to the shell's output, so it ends behind them.
    pub(crate) outputs: Vec<u32>,
    /// The coprocess and its two variables, which go when it was waited for.
    pub(crate) coprocess: Option<(u32, [NameId; 2])>,
    /// The script, when it is read while it runs.
    pub(crate) input: Option<Box<super::reader::ScriptInput>>,
    /// The file that the script was read from, which may grow while it runs.
    pub(crate) script: Option<Box<super::reader::ScriptFile>>,
    /// What it is given to run is compiled at once: it has startup files, which run before its script.
    pub(crate) compiles_at_once: bool,
    #[expect(dead_code, reason = "held: it counts the process while it lives")]
    charge: crate::limit::ProcessCharge,
}

impl Control {
    /// Of a process that has nothing to come back to.
    pub(crate) const fn new(charge: crate::limit::ProcessCharge) -> Self {
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
    fn resume_caller(&mut self) {
        if let Some(Frame::Builtin(_)) = self.frames.last()
            && let Some(Frame::Builtin(invocation)) = self.frames.pop()
        {
            self.wait = super::wait::Wait::Builtin(invocation);
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

impl Process {
    /// Takes back what a frame changed. The caller decides where the code goes on.
    pub(crate) fn undo(&mut self, frame: Frame) {
        match frame {
            Frame::Loop(_) | Frame::Case(..) | Frame::List(_) | Frame::Time(_) | Frame::Pipe(_) => {}
            Frame::Redirections(saved) => self.shell.state.restore_descriptors(saved),
            Frame::LastStage(frame) => self.shell.state.restore_descriptors(frame.into_inner().input),
            Frame::Function(mut frame) => {
                self.control.depth = self.control.depth.saturating_sub(1);
                let state = &mut self.shell.state;
                let changes_reading = self.shell.variables.leave_function(frame.mark);
                // The frame is large: it is not moved out of its box.
                std::mem::swap(&mut state.positional, &mut frame.positional);
                state.conditions = frame.conditions;
                std::mem::swap(&mut state.calls.source, &mut frame.source);
                let call = state.calls.innermost.take();
                state.calls.innermost = call.and_then(|call| call.parent.clone());
                std::mem::swap(&mut state.last_argument, &mut frame.last_argument);
                if let Some(options) = frame.options {
                    state.options = options;
                }
                if let Some(traps) = &frame.traps {
                    self.shell.state.restore_function_traps(traps);
                }
                if changes_reading {
                    self.shell.refresh_special();
                }
            }
            Frame::Script(frame) => {
                let frame = frame.into_inner();
                self.control.depth = self.control.depth.saturating_sub(1);
                let state = &mut self.shell.state;
                if let Some((before, own)) = frame.positional
                    && state.positional.is_shifted(&own)
                {
                    // A file that set them (`set -- ...`) sets them for good.
                    state.positional = before;
                }
                state.calls.source = frame.source;
                state.calls.innermost = frame.calls;
                state.conditions = frame.conditions;
                if let Some(last) = frame.last_argument {
                    state.last_argument = last;
                }
                if frame.kind.is_trap() {
                    self.shell.in_trap = self.shell.in_trap.saturating_sub(1);
                    self.control.traps_running.set(frame.kind, false);
                    // Without the trap nobody asks for it before the next one is set.
                    self.control.debug_done = frame.debug_done && state.traps.debug.is_some();
                }
                if let Some(action) = frame.debug_trap
                    && state.traps.debug.is_none()
                {
                    Arc::make_mut(&mut state.traps).debug = Some(action);
                }
                if let Some(expansion) = frame.expansion {
                    self.x = expansion.into_inner();
                }
            }
            Frame::Command(frame) => {
                let frame = frame.into_inner();
                self.shell.state.restore_descriptors(frame.redirections);
                if let Some(bound) = frame.temporary {
                    self.shell.variables.leave_temporary(bound);
                }
                self.shell.refresh_special();
            }
            Frame::Builtin(mut invocation) => {
                self.shell.release(&mut invocation);
                self.shell.refresh_special();
            }
            Frame::Subshell(mut frame) => {
                self.control.depth = self.control.depth.saturating_sub(1);
                self.shell.variables.leave_subshell(frame.mark);
                // The frame is large: it is not moved out of its box.
                std::mem::swap(&mut self.shell.state, &mut frame.state);
                let exports = self.shell.variables.exports;
                let kept = &self.shell.state.environment;
                if exports == frame.mark.exports && kept.as_ref().is_none_or(|kept| kept.0 != exports) {
                    // Nothing that is exported has changed there: what its commands were given is right here too.
                    self.shell.state.environment = frame.state.environment.take();
                }
            }
        }
    }

    /// The program that runs is over.
    pub(crate) fn end_program(&mut self, run: &mut Run) -> Step<Progress> {
        loop {
            match self.control.frames.last() {
                Some(Frame::Script(_)) => {
                    self.end_script(run)?;
                    return Ok(Progress::Wait);
                }
                Some(Frame::Subshell(_)) => {
                    let status = self.shell.state.status;
                    return self.control.end_body(&mut self.shell, status);
                }
                Some(Frame::List(code)) => {
                    let resume = code.clone();
                    self.control.frames.pop();
                    self.shell.switch(resume);
                    return Ok(Progress::Wait);
                }
                Some(_) => {
                    if let Some(frame) = self.control.frames.pop() {
                        self.undo(frame);
                    }
                }
                None if self.control.input.is_some() => {
                    self.control.wait = super::wait::Wait::Script;
                    return Ok(Progress::Wait);
                }
                None => {
                    let goes_on = self.control.run_appended(&mut self.shell, run)?;
                    return Ok(if goes_on { Progress::Wait } else { Progress::Ended });
                }
            }
        }
    }

    /// `eval`, `source` or a trap's action is over.
    fn end_script(&mut self, run: &mut Run) -> Step {
        let Some(Frame::Script(frame)) = self.control.frames.pop() else { return Ok(()) };
        let after = self.shell.state.status;
        self.leave_script(run, frame, after)
    }

    /// `after`: the status of `eval` and `source`.
    pub(crate) fn leave_script(&mut self, run: &mut Run, frame: Box<ScriptFrame>, after: u8) -> Step {
        let (kind, status) = (frame.kind, frame.status);
        let resume = frame.resume.clone();
        let pipe_status = Arc::clone(&frame.pipe_status);
        let last = self.shell.state.status;
        self.undo(Frame::Script(frame));
        self.shell.switch(resume);
        match kind {
            ScriptKind::Eval | ScriptKind::Source => {
                let traps = kind == ScriptKind::Source && self.return_trap(run, after)?;
                self.pop_command_frame();
                self.shell.state.set_status(after);
                if traps {
                    // The trap sees the status of the last command, not that of `return`.
                    self.shell.state.status = last;
                }
                self.control.resume_caller();
                Ok(())
            }
            ScriptKind::Trap | ScriptKind::EntryTrap | ScriptKind::ReturnTrap => {
                self.shell.state.status = status;
                self.shell.state.pipe_status = pipe_status;
                if self.shell.in_trap == 0
                    && let Some(halt) = self.control.exit_after_trap.take()
                {
                    return Err(halt);
                }
                if kind == ScriptKind::ReturnTrap {
                    self.control.resume_caller();
                }
                Ok(())
            }
            ScriptKind::Prompt => {
                self.shell.state.status = status;
                self.shell.state.pipe_status = pipe_status;
                Ok(())
            }
            ScriptKind::ErrTrap => {
                self.shell.state.status = status;
                self.shell.state.pipe_status = pipe_status;
                self.control.exit_after_trap.take().map_or(Ok(()), Err)
            }
            ScriptKind::DebugTrap => {
                self.shell.state.status = status;
                self.shell.state.pipe_status = pipe_status;
                if after == 2
                    && self.shell.state.options.has(super::option::ShellOption::ExtDebug)
                    && self.control.can_return()
                {
                    self.control.debug_done = false;
                    return self.return_from_function(run, after);
                }
                self.after_debug_trap(after);
                Ok(())
            }
            ScriptKind::ExitTrap => Err(Halt::Exit(status)),
        }
    }

    /// Pops the frame that holds a called command's redirections and temporary assignments.
    pub(crate) fn pop_command_frame(&mut self) {
        if let Some(Frame::Command(_)) = self.control.frames.last()
            && let Some(frame) = self.control.frames.pop()
        {
            self.undo(frame);
        }
    }
}
