//! Running traps: `EXIT`, `ERR`, `DEBUG`, `RETURN` and signals. Bash manual 4.1, `trap`.

use super::condition::Conditions;
use super::frame::{Frame, ScriptFrame, ScriptKind};
use super::option::ShellOption;
use super::process::{Halt, Process, Step};
use super::run::Run;
use super::trap::{self, Signal, Traps};
use crate::memory::vec;
use crate::program::{Index, Program};
use crate::text::Text;
use std::sync::Arc;

impl Process {
    /// Pushes a trap's action; the status that is set now comes back behind it.
    fn start_trap(&mut self, run: &mut Run, action: &Text, kind: ScriptKind, status: u8) -> Step {
        // The lines of `ERR` and `RETURN` go on from the command's; those of signals start over.
        let traced = matches!(kind, ScriptKind::ErrTrap | ScriptKind::ReturnTrap);
        let line = if traced { self.line() } else { 1 };
        self.start_trap_at(run, action, kind, status, line)
    }

    /// As `start_trap`; the action's first line has that number.
    fn start_trap_at(
        &mut self,
        run: &mut Run,
        action: &Text,
        kind: ScriptKind,
        status: u8,
        line: u32,
    ) -> Step {
        let program = self.compile(run, Arc::from(action.as_bytes()), (0, line), false)?;
        self.enter(run)?;
        if self.in_trap == 0 {
            let behind = u32::from(kind != ScriptKind::DebugTrap);
            let pc = self.code.pc.saturating_sub(behind);
            self.trap_command = Some((Arc::clone(&self.code.program), pc));
        }
        self.in_trap += 1;
        let resume = self.code.clone();
        let state = &self.shell.state;
        let frame = ScriptFrame {
            kind,
            resume,
            positional: None,
            source: state.source_name.clone(),
            calls: state.calls.clone(),
            status,
            conditions: state.conditions,
            pipe_status: Arc::clone(&state.pipe_status),
            expansion: Some(Box::new(std::mem::take(&mut self.x))),
            debug_done: std::mem::replace(&mut self.debug_done, false),
        };
        self.traps_running |= kind.bit();
        if kind == ScriptKind::Trap {
            // A signal's action is part of no condition.
            self.shell.state.conditions = Conditions::default();
        }
        self.frames.push(Frame::Script(Box::new(frame)));
        self.start_program(run, &program);
        Ok(())
    }

    /// Runs the `EXIT` trap; the shell ends behind it.
    pub(crate) fn start_exit_trap(&mut self, run: &mut Run, status: u8) -> Step {
        let Some(action) = self.shell.state.traps.signals.get(&0).cloned() else { return Ok(()) };
        // What was running is given up: the trap runs at the level of the shell that ends.
        while let Some(frame) = self.frames.last() {
            // A function that called `exit` is still the current one.
            if matches!(frame, Frame::Subshell(_) | Frame::Function(_)) {
                break;
            }
            if let Some(frame) = self.frames.pop() {
                self.undo(frame);
            }
        }
        self.shell.state.status = status;
        self.shell.state.conditions = Conditions::default();
        self.start_trap(run, &action, ScriptKind::ExitTrap, status)
    }

    /// Runs the `ERR` trap.
    pub(crate) fn err_trap(&mut self, run: &mut Run) -> Step {
        let Some(action) = self.shell.state.traps.err.clone() else { return Ok(()) };
        let status = self.shell.state.status;
        self.start_trap(run, &action, ScriptKind::ErrTrap, status)
    }

    /// Runs the `RETURN` trap behind a function or a sourced file.
    pub(crate) fn return_trap(&mut self, run: &mut Run) -> Step {
        if self.runs_trap(ScriptKind::ReturnTrap) {
            return Ok(());
        }
        let Some(action) = self.shell.state.traps.on_return.clone() else { return Ok(()) };
        let status = self.shell.state.status;
        self.start_trap(run, &action, ScriptKind::ReturnTrap, status)
    }

    /// Whether a function that is over has to run the `RETURN` trap.
    pub(crate) fn runs_return_trap(&self, frame: &super::frame::FunctionFrame) -> bool {
        !self.runs_trap(ScriptKind::ReturnTrap)
            && !frame.returned
            && self.shell.state.traps.on_return.as_ref().is_some_and(|action| !action.is_empty())
    }

    /// Runs the `RETURN` trap of the function on top of the frames; the function returns with `status` behind it.
    pub(crate) fn start_return_trap(&mut self, run: &mut Run, status: u8) -> Step {
        let Some(action) = self.shell.state.traps.on_return.clone() else { return Ok(()) };
        let line = self.line();
        let program = Program {
            code: vec![crate::program::Op::ReturnFromFunction],
            lines: vec![line],
            ..Program::default()
        };
        let program = Arc::new(program);
        let link = run.services.cache.link_for(&program, &run.services.names, false);
        self.switch(super::shell::Code { program, link, pc: 0, shift: 0 });
        self.start_trap(run, &action, ScriptKind::ReturnTrap, status)
    }

    /// Whether such a trap's action runs now.
    pub(crate) const fn runs_trap(&self, kind: ScriptKind) -> bool {
        self.traps_running & kind.bit() != 0
    }

    /// Runs the `DEBUG` trap before each stage of a pipeline, or an asynchronous command, that is a simple command: here,
    /// not in its process. The operation runs again behind each. Whether one was started.
    pub(crate) fn debug_before_stages(
        &mut self,
        run: &mut Run,
        program: &Arc<Program>,
        stages: &[(crate::program::Pc, bool)],
    ) -> Step<bool> {
        let Some(action) = self.shell.state.traps.debug.clone() else { return Ok(false) };
        if action.is_empty() || self.runs_trap(ScriptKind::DebugTrap) {
            return Ok(false);
        }
        while let Some(&(pc, nested)) = stages.get(self.debug_stage as usize) {
            self.debug_stage += 1;
            let Some(command) = program.simple_command(pc).filter(|_| !nested) else { continue };
            let (status, line) =
                (self.shell.state.status, program.line(command).saturating_sub(self.code.shift));
            self.code.pc = self.code.pc.saturating_sub(1);
            let outermost = self.in_trap == 0;
            self.start_trap_at(run, &action, ScriptKind::DebugTrap, status, line)?;
            if outermost {
                self.trap_command = Some((Arc::clone(program), command));
            }
            return Ok(true);
        }
        self.debug_stage = 0;
        Ok(false)
    }

    /// A function that inherits the `DEBUG` trap starts: the trap runs once more for its call.
    pub(crate) fn entry_trap(
        &mut self,
        run: &mut Run,
        line: u32,
        caller: (Arc<Program>, crate::program::Pc),
    ) -> Step {
        let Some(action) = self.shell.state.traps.debug.clone() else { return Ok(()) };
        if action.is_empty() || self.runs_trap(ScriptKind::DebugTrap) {
            return Ok(());
        }
        let status = self.shell.state.status;
        let outermost = self.in_trap == 0;
        self.start_trap_at(run, &action, ScriptKind::EntryTrap, status, line)?;
        if outermost {
            self.trap_command = Some(caller);
        }
        Ok(())
    }

    /// Runs the `DEBUG` trap before the operation that was just read: it runs again behind it. Whether it was started.
    pub(crate) fn run_debug_trap(&mut self, run: &mut Run) -> Step<bool> {
        let Some(action) = self.shell.state.traps.debug.clone().filter(|action| !action.is_empty()) else {
            return Ok(false);
        };
        let status = self.shell.state.status;
        let line = self.line();
        self.code.pc = self.code.pc.saturating_sub(1);
        self.debug_done = true;
        self.start_trap_at(run, &action, ScriptKind::DebugTrap, status, line)?;
        Ok(true)
    }

    /// A simple command begins: whether the `DEBUG` trap was started; then this operation runs again behind it.
    pub(crate) fn debug_simple(&mut self, run: &mut Run, program: &Arc<Program>) -> Step<bool> {
        if self.runs_trap(ScriptKind::DebugTrap) || std::mem::take(&mut self.debug_done) {
            return Ok(false);
        }
        let command = program.simple_command(self.code.pc.saturating_sub(1));
        let outermost = self.in_trap == 0;
        let started = self.run_debug_trap(run)?;
        if let (true, true, Some(command)) = (started, outermost, command) {
            self.trap_command = Some((Arc::clone(program), command));
        }
        Ok(started)
    }

    /// A compound command's head is reached.
    pub(crate) fn debug_trap(&mut self, run: &mut Run, program: &Program, text: Index) -> Step {
        if self.shell.state.traps.debug.is_some()
            && !self.runs_trap(ScriptKind::DebugTrap)
            && !std::mem::take(&mut self.debug_done)
            && self.run_debug_trap(run)?
        {
            return Ok(());
        }
        if self.shell.state.options.has(ShellOption::XTrace) {
            self.trace_head(run, &program.text(text));
        }
        Ok(())
    }

    /// `BASH_COMMAND`: the command that runs, or that the trap which runs interrupted, as bash prints it.
    pub(crate) fn current_command(&self, run: &Run) -> Text {
        let limit = u32::try_from(run.services.meter.limits().syntax_depth).unwrap_or(200).min(200);
        let (program, pc, behind) = match &self.trap_command {
            Some((program, pc)) if self.in_trap > 0 => (program, *pc, true),
            _ => (&self.code.program, self.code.pc.saturating_sub(1), false),
        };
        program.command_text(pc, behind, limit)
    }

    /// The `DEBUG` trap is over; with `extdebug` a status other than 0 skips the command.
    pub(crate) fn after_debug_trap(&mut self, status: u8) {
        if status != 0 && self.shell.state.options.has(ShellOption::ExtDebug) {
            self.debug_done = false;
            self.x.fields.clear();
            let program = &self.code.program;
            let begins = matches!(program.code.get(self.code.pc as usize), Some(crate::program::Op::Begin));
            let command = if begins { program.end_of_simple(self.code.pc) } else { None };
            self.code.pc = command.unwrap_or(self.code.pc).saturating_add(1);
        }
    }

    /// The traps that a function does not inherit are put aside; returns all as they were.
    pub(crate) fn function_traps(&mut self, name: &[u8]) -> Option<Arc<Traps>> {
        let traps = &self.shell.state.traps;
        if traps.debug.is_none() && traps.on_return.is_none() && traps.err.is_none() {
            return None;
        }
        let options = self.shell.state.options;
        let traced = self.shell.variables.names.find(name);
        let keep_debug = options.has(ShellOption::FuncTrace)
            || traced.is_some_and(|id| self.shell.variables.traced_functions.contains(&id));
        let keep_err = options.has(ShellOption::ErrTrace);
        let hides = (!keep_debug && (traps.debug.is_some() || traps.on_return.is_some()))
            || (!keep_err && traps.err.is_some());
        if !hides {
            return None;
        }
        let before = Arc::clone(traps);
        let inside = Arc::make_mut(&mut self.shell.state.traps);
        if !keep_debug {
            inside.debug = None;
            inside.on_return = None;
        }
        if !keep_err {
            inside.err = None;
        }
        Some(before)
    }

    /// A function is over: what it did not inherit and did not set comes back.
    pub(crate) fn restore_function_traps(&mut self, before: &Arc<Traps>) {
        let inside = Arc::make_mut(&mut self.shell.state.traps);
        if inside.err.is_none() {
            inside.err.clone_from(&before.err);
        }
        if inside.debug.is_none() {
            inside.debug.clone_from(&before.debug);
        }
        if inside.on_return.is_none() {
            inside.on_return.clone_from(&before.on_return);
        }
    }

    /// A trap was set: in a function it stays when the function is over.
    pub(crate) fn note_trap_in_function(&mut self, condition: trap::Condition) {
        let _ = condition;
    }

    /// Whether a process number is that of this shell or of a subshell around the one that runs here.
    pub(crate) fn is_own(&self, pid: u32) -> bool {
        self.shell.state.pid == pid
            || self.frames.iter().any(|frame| match frame {
                Frame::Subshell(frame) => frame.state.pid == pid,
                _ => false,
            })
    }

    /// A signal arrives. One for a shell around the subshell that runs waits for the subshell's end, unless it ends the
    /// shell.
    pub(crate) fn deliver(&mut self, pid: u32, signal: Signal) {
        if self.shell.state.pid == pid {
            self.signals.push_back(signal);
            return;
        }
        let Some(at) = self.frames.iter().position(|frame| match frame {
            Frame::Subshell(frame) => frame.state.pid == pid,
            _ => false,
        }) else {
            return;
        };
        let trapped = match self.frames.get(at) {
            Some(Frame::Subshell(frame)) => frame.state.traps.signals.contains_key(&signal),
            _ => false,
        };
        if (trap::is_fatal(signal) && !trapped) || signal == trap::KILL {
            self.x = super::process::Expansion::default();
            while self.frames.len() > at
                && let Some(frame) = self.frames.pop()
            {
                self.undo(frame);
            }
            self.signals.push_back(signal);
        } else if let Some(Frame::Subshell(frame)) = self.frames.get_mut(at) {
            frame.signals.push_back(signal);
        }
    }

    /// Whether a signal arrived that ends the process.
    pub(crate) fn has_fatal_signal(&self) -> bool {
        self.signals.iter().any(|&signal| self.is_deadly(signal))
    }

    fn is_deadly(&self, signal: Signal) -> bool {
        signal == trap::KILL
            || (trap::is_fatal(signal) && !self.shell.state.traps.signals.contains_key(&signal))
    }

    /// Looks at the signals that arrived: runs a trap, or ends the process.
    pub(crate) fn take_signals(&mut self, run: &mut Run) -> Step {
        if let Some(at) = self.signals.iter().position(|&signal| self.is_deadly(signal)) {
            let signal = self.signals.get(at).copied().unwrap_or(trap::TERM);
            self.signals.clear();
            self.wait = super::process::Wait::Nothing;
            let status = 128 + signal;
            if signal != trap::KILL && self.shell.state.traps.signals.contains_key(&0) {
                return Err(Halt::Exit(status));
            }
            self.killed_by = Some(signal);
            return Err(Halt::Killed(status));
        }
        let Some(signal) = self.signals.pop_front() else { return Ok(()) };
        let Some(action) = self.shell.state.traps.signals.get(&signal).cloned() else { return Ok(()) };
        if action.is_empty() {
            return Ok(());
        }
        if !matches!(self.wait, super::process::Wait::Nothing | super::process::Wait::Builtin(_)) {
            self.signals.push_front(signal);
            return Ok(());
        }
        if let super::process::Wait::Builtin(invocation) = &self.wait
            && invocation.builtin.name == "wait"
        {
            // A trapped signal ends `wait` with 128 plus its number, before the trap runs.
            self.wait = super::process::Wait::Nothing;
            self.set_status(128 + signal);
        } else if matches!(self.wait, super::process::Wait::Builtin(_)) {
            self.signals.push_front(signal);
            return Ok(());
        }
        let status = self.shell.state.status;
        self.start_trap(run, &action, ScriptKind::Trap, status)
    }
}
