//! Leaving frames: how what a frame changed is taken back, and how far `exit`, an error and the end of a program reach.
//! Control flow is a [`Halt`] that goes up the frames; nothing returns through the native stack.

use super::condition::Conditions;
use super::expansion::Expansion;
use super::frame::{Frame, ScriptFrame, ScriptKind};
use super::halt::{Halt, Step};
use super::link::Code;
use super::option::ShellOption;
use super::process::{Process, Progress};
use super::run::Run;
use super::shell::Shell;
use super::wait::Wait;
use crate::limit::LimitError;
use crate::memory::{Arc, Box};
use crate::program::Pc;

/// What is abandoned by an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Extent {
    /// What is left of a text.
    Text,
    /// The command, and a subshell around the text that it stands in.
    Command,
    /// All but the main script.
    All,
}

impl Shell {
    fn continue_at_boundary(&mut self, code: &Code, line: u32) {
        let program = &code.program;
        let next = program.boundaries.partition_point(|&(boundary, _)| boundary < code.pc);
        let last = (program.code.len() as Pc).saturating_sub(1);
        let (pc, end) = program.boundaries.get(next).copied().unwrap_or((last, 0));
        let lost = end.saturating_sub(line);
        self.switch(Code { pc, shift: code.shift.saturating_add(lost), ..code.clone() });
    }
}

impl Process {
    /// Deals with what stopped an operation. `Some`: the process ends with that status.
    pub(crate) fn halt(&mut self, run: &mut Run, halt: Halt) -> Result<Option<u8>, LimitError> {
        let mut halt = halt;
        loop {
            let step = match halt {
                Halt::Limit(error) => return Err(error),
                Halt::Discard(status) => self.discard(run, status, Extent::Command),
                Halt::Unparsed(status) => self.discard(run, status, Extent::Text),
                Halt::Abandon(status)
                    if self.shell.state.invoked.command_string && !self.shell.state.invoked.interactive =>
                {
                    return self.end(run, status);
                }
                Halt::Abandon(status) => self.discard(run, status, Extent::All),
                Halt::Exit(_) | Halt::Fatal(_) | Halt::Failed { .. } => return self.end_by(run, halt),
                Halt::Killed(status) => return Ok(self.exit_now(status)),
            };
            match step {
                Ok(ended) => return Ok(ended),
                Err(next) => halt = next,
            }
        }
    }

    /// Abandons the command: goes on after the complete command of the innermost `eval`, `source` or script; a subshell
    /// ends.
    fn discard(&mut self, run: &mut Run, status: u8, extent: Extent) -> Step<Option<u8>> {
        self.x.hide_assignments(&mut self.shell);
        let discarded = std::mem::take(&mut self.x);
        self.shell.state.restore_descriptors(discarded.redirections);
        self.shell.state.set_status(status);
        let mut code = self.shell.code.clone();
        // Where the command stood that is abandoned, as far as the code's own source tells.
        let mut line = code.program.line(code.pc.saturating_sub(1));
        loop {
            match self.control.frames.last() {
                Some(Frame::Script(_)) if extent == Extent::All => {
                    let Some(Frame::Script(frame)) = self.control.frames.pop() else { continue };
                    code = frame.resume.clone();
                    line = code.program.line(code.pc.saturating_sub(1));
                    self.undo(Frame::Script(frame));
                }
                // A subshell does not outlive an error in what it evaluates.
                Some(Frame::Script(frame))
                    if extent == Extent::Command
                        && frame.kind != ScriptKind::ExitTrap
                        && (self.shell.is_forked || self.control.innermost_subshell().is_some()) =>
                {
                    return Ok(self.end(run, status)?);
                }
                Some(Frame::Script(frame)) => {
                    self.shell.state.conditions = frame.conditions;
                    self.shell.continue_at_boundary(&code, line);
                    return Ok(None);
                }
                Some(Frame::Subshell(_)) => {
                    self.shell.state.set_status(status);
                    return Ok(self.end(run, status)?);
                }
                Some(_) => {
                    let Some(frame) = self.control.frames.pop() else { continue };
                    match &frame {
                        Frame::Function(function) => {
                            code = function.resume.clone();
                            line = code.program.line(code.pc.saturating_sub(1));
                        }
                        Frame::List(resume) => code = resume.clone(),
                        _ => {}
                    }
                    self.undo(frame);
                }
                None => {
                    if self.shell.is_forked {
                        // A stage of a pipeline or an asynchronous list ends.
                        return Ok(self.end(run, status)?);
                    }
                    self.shell.state.conditions = Conditions::default();
                    self.shell.continue_at_boundary(&code, line);
                    return Ok(None);
                }
            }
        }
    }

    /// The shell ends with `status`, after its `EXIT` trap; in a subshell that runs here, the subshell does.
    pub(crate) fn end(&mut self, run: &mut Run, status: u8) -> Result<Option<u8>, LimitError> {
        self.end_by(run, Halt::Exit(status))
    }

    /// As `end`, by `Halt::Exit`, `Halt::Fatal` or `Halt::Failed`.
    fn end_by(&mut self, run: &mut Run, halt: Halt) -> Result<Option<u8>, LimitError> {
        let (Halt::Exit(status) | Halt::Fatal(status) | Halt::Failed { status, .. }) = halt else {
            return Ok(None);
        };
        let exiting = match self.control.innermost_subshell() {
            Some(at) => match self.control.frames.get(at) {
                Some(Frame::Subshell(frame)) => frame.exiting,
                _ => false,
            },
            None => self.control.exiting,
        };
        if !exiting && self.shell.state.traps.signals.get(&0).is_some_and(|action| !action.is_empty()) {
            self.control.mark_exiting();
            self.unwind_functions(halt);
            return match self.start_exit_trap(run, status) {
                Ok(()) => Ok(None),
                Err(Halt::Limit(error)) => Err(error),
                Err(_) => Ok(self.finish_exit(run, status)),
            };
        }
        Ok(self.finish_exit(run, status))
    }

    /// The shell ends: what of its functions the `EXIT` trap does not find any more.
    fn unwind_functions(&mut self, halt: Halt) {
        let is_main = !self.shell.is_forked && self.control.innermost_subshell().is_none();
        let begin = match halt {
            Halt::Fatal(_) if is_main => Some(0),
            Halt::Failed { simple: true, .. } => self.control.outermost_redirected_call(),
            Halt::Failed { .. } => None,
            _ => return,
        };
        while begin.is_some_and(|begin| begin < self.control.frames.len()) {
            let Some(frame) = self.control.frames.pop() else { break };
            self.undo(frame);
        }
        if !is_main {
            return;
        }
        let mut changes_reading = false;
        for frame in self.control.frames.iter().rev() {
            if let Frame::Function(frame) = frame {
                changes_reading |= self.shell.variables.leave_function(frame.mark);
            }
        }
        if changes_reading {
            self.shell.refresh_special();
        }
    }

    fn finish_exit(&mut self, run: &mut Run, status: u8) -> Option<u8> {
        if self.shell.state.options.has(ShellOption::History) && self.control.innermost_subshell().is_none() {
            self.shell.history(run).save();
        }
        match self.exit_now(status) {
            // What a full pipe or a slow host has not taken yet is still written, and the processes of `>( )` see the end
            // of their input now.
            Some(status)
                if self.shell.outputs.has_unwritten()
                    || (!self.control.outputs.is_empty() && !self.shell.is_forked) =>
            {
                self.shell.state.descriptors = crate::io::DescriptorTable::default();
                self.control.wait = Wait::Outputs(status);
                self.control.exiting = true;
                None
            }
            ended => ended,
        }
    }

    /// Unwinds to the innermost subshell and ends it, or ends the process.
    fn exit_now(&mut self, status: u8) -> Option<u8> {
        self.x.hide_assignments(&mut self.shell);
        // The words around a substitution change places with its own, which are dropped with its frame.
        let has_others = match self.control.frames.last() {
            Some(Frame::Subshell(frame)) => frame.substitution.is_some(),
            _ => false,
        };
        if !has_others {
            self.x = Expansion::default();
        }
        while let Some(frame) = self.control.frames.last() {
            if matches!(frame, Frame::Subshell(_)) {
                self.shell.state.status = status;
                self.end_subshell(status);
                return None;
            }
            if let Some(frame) = self.control.frames.pop() {
                self.undo(frame);
            }
        }
        self.shell.state.status = status;
        Some(status)
    }

    /// A command failed where failures count: `ERR` trap, then `set -e`.
    pub(crate) fn check_failure(&mut self, run: &mut Run, simple: bool) -> Step {
        let state = &self.shell.state;
        if !state.conditions.is_empty() {
            return Ok(());
        }
        let status = state.status;
        let exits = state.options.has(ShellOption::ErrExit);
        if self.shell.state.traps.err.is_some() && !self.control.runs_trap(ScriptKind::ErrTrap) {
            self.control.exit_after_trap = exits.then_some(Halt::Failed { status, simple });
            return self.err_trap(run);
        }
        if exits { Err(Halt::Failed { status, simple }) } else { Ok(()) }
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
                    self.control.wait = Wait::Script;
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
                    && self.shell.state.options.has(ShellOption::ExtDebug)
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
