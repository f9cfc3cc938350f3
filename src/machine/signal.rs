//! Running traps: `EXIT`, `ERR`, `DEBUG`, `RETURN` and signals. Bash manual 4.1, `trap`.

use super::condition::Conditions;
use super::control::Control;
use super::frame::{Frame, ScriptFrame, ScriptKind};
use super::halt::{Halt, Step};
use super::option::ShellOption;
use super::process::Process;
use super::run::Run;
use super::shell::{Shell, State};
use super::trap::{self, Signal};
use super::wait::Wait;
use crate::memory::{Arc, Box, Bytes, Task, vec};
use crate::program::{Index, Program};
use crate::text::Text;
use crate::utility::ExitStatus;

impl State {
    fn is_fatal_signal(&self, signal: Signal) -> bool {
        signal == trap::KILL || (trap::is_fatal(signal) && !self.traps.signals.contains_key(&signal))
    }
}

impl Shell {
    /// `BASH_COMMAND`: the command that runs, or that the trap which runs interrupted, as bash prints it.
    pub(crate) fn current_command(&self, run: &Run) -> Text {
        let limit = u32::try_from(run.services.meter.limits().syntax_depth).unwrap_or(200).min(200);
        let (program, pc, behind) = match &self.trap_command {
            Some((program, pc)) if self.in_trap > 0 => (program, *pc, true),
            _ => (&self.code.program, self.code.pc.saturating_sub(1), false),
        };
        program.command_text(pc, behind, limit)
    }
}

impl Control {
    /// Whether such a trap's action runs now.
    pub(crate) const fn runs_trap(&self, kind: ScriptKind) -> bool {
        self.traps_running.has(kind)
    }

    /// Whether a process number is that of this shell or of a subshell around the one that runs here.
    pub(crate) fn is_own(&self, shell: &Shell, pid: u32) -> bool {
        shell.state.ids.own == pid
            || self.frames.iter().any(|frame| match frame {
                Frame::Subshell(frame) => frame.state.ids.own == pid,
                _ => false,
            })
    }

    /// Whether a signal arrived that ends the process.
    pub(crate) fn has_fatal_signal(&self, shell: &Shell) -> bool {
        self.signals.iter().any(|&signal| shell.state.is_fatal_signal(signal))
    }
}

impl Process {
    /// Pushes a trap's action; the status that is set now comes back after it.
    fn start_trap(&mut self, run: &mut Run, action: &Text, kind: ScriptKind, status: u8) -> Step {
        // The lines of `ERR` and `RETURN` go on from the command's; those of signals start over.
        let traced = matches!(kind, ScriptKind::ErrTrap | ScriptKind::ReturnTrap);
        let line = if traced { self.shell.line() } else { 1 };
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
        let program =
            self.control.compile(&mut self.shell, run, &Bytes::from(action.as_bytes()), (0, line), false)?;
        self.control.enter(run)?;
        if self.shell.in_trap == 0 {
            let behind = u32::from(kind != ScriptKind::DebugTrap);
            let pc = self.shell.code.pc.saturating_sub(behind);
            self.shell.trap_command = Some((Arc::clone(&self.shell.code.program), pc));
        }
        self.shell.in_trap += 1;
        let resume = self.shell.code.clone();
        let state = &self.shell.state;
        let frame = ScriptFrame {
            kind,
            resume,
            positional: None,
            source: state.calls.source.clone(),
            calls: state.calls.innermost.clone(),
            status,
            conditions: state.conditions,
            pipe_status: Arc::clone(&state.pipe_status),
            expansion: Some(Box::new(std::mem::take(&mut self.x))),
            debug_done: std::mem::replace(&mut self.control.debug_done, false),
            last_argument: None,
            debug_trap: None,
        };
        self.control.traps_running.set(kind, true);
        if kind == ScriptKind::Trap {
            // A signal's action is part of no condition.
            self.shell.state.conditions = Conditions::default();
        }
        self.control.frames.push(Frame::Script(Box::new(frame)));
        self.control.start_program(&mut self.shell, run, &program);
        Ok(())
    }

    /// Runs the `EXIT` trap; the shell ends after it.
    pub(crate) fn start_exit_trap(&mut self, run: &mut Run, status: u8) -> Step {
        let Some(action) = self.shell.state.traps.signals.get(&0).cloned() else { return Ok(()) };
        // What was running is abandoned: the trap runs at the level of the shell that ends.
        // In a subshell and in a function it runs under the redirections that are in force.
        let keeps = self.shell.is_forked
            || self
                .control
                .frames
                .iter()
                .any(|frame| matches!(frame, Frame::Subshell(_) | Frame::Function(_)));
        while let Some(frame) = self.control.frames.last() {
            // A function that called `exit` is still the current one.
            if matches!(frame, Frame::Subshell(_) | Frame::Function(_)) {
                break;
            }
            match self.control.frames.pop() {
                Some(Frame::Redirections(_)) if keeps => {}
                Some(frame) => self.undo(frame),
                None => {}
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

    /// Whether there is a `RETURN` trap that does not run already.
    pub(crate) fn has_return_trap(&self) -> bool {
        !self.control.runs_trap(ScriptKind::ReturnTrap) && self.shell.state.traps.on_return.is_some()
    }

    /// Runs the `RETURN` trap after a sourced file; the status is `status` after it. Whether there is one.
    pub(crate) fn return_trap(&mut self, run: &mut Run, status: u8) -> Step<bool> {
        if self.control.runs_trap(ScriptKind::ReturnTrap) {
            return Ok(false);
        }
        let Some(action) = self.shell.state.traps.on_return.clone() else { return Ok(false) };
        self.start_trap(run, &action, ScriptKind::ReturnTrap, status)?;
        Ok(true)
    }

    /// Runs the `RETURN` trap of the function on top of the frames; the function returns with `status` after it.
    pub(crate) fn start_return_trap(&mut self, run: &mut Run, status: u8) -> Step {
        let Some(action) = self.shell.state.traps.on_return.clone() else { return Ok(()) };
        let line = self.shell.line();
        let program = Program {
            code: vec![crate::program::Op::ReturnFromFunction],
            lines: vec![line],
            ..Program::default()
        };
        let program = Arc::new(program);
        let link = run.services.cache.link_for(&program, &run.services.names, false);
        self.shell.switch(super::link::Code { program, link, pc: 0, shift: 0 });
        self.start_trap(run, &action, ScriptKind::ReturnTrap, status)
    }

    /// Runs the `DEBUG` trap before each stage of a pipeline, or an asynchronous command, that is a simple command: here,
    /// not in its process. The operation runs again after each. Whether one was started.
    pub(crate) fn debug_before_stages(
        &mut self,
        run: &mut Run,
        program: &Arc<Program>,
        stages: &[(crate::program::Pc, bool)],
    ) -> Step<bool> {
        let Some(action) = self.shell.state.traps.debug.clone() else { return Ok(false) };
        if action.is_empty() || self.control.runs_trap(ScriptKind::DebugTrap) {
            return Ok(false);
        }
        while let Some(&(pc, nested)) = stages.get(self.control.debug_stage as usize) {
            self.control.debug_stage += 1;
            let Some(command) = program.simple_command(pc).filter(|_| !nested) else { continue };
            let (status, line) =
                (self.shell.state.status, program.line(command).saturating_sub(self.shell.code.shift));
            self.shell.code.pc = self.shell.code.pc.saturating_sub(1);
            let outermost = self.shell.in_trap == 0;
            self.start_trap_at(run, &action, ScriptKind::DebugTrap, status, line)?;
            if outermost {
                self.shell.trap_command = Some((Arc::clone(program), command));
            }
            return Ok(true);
        }
        self.control.debug_stage = 0;
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
        if action.is_empty() || self.control.runs_trap(ScriptKind::DebugTrap) {
            return Ok(());
        }
        let status = self.shell.state.status;
        let outermost = self.shell.in_trap == 0;
        self.start_trap_at(run, &action, ScriptKind::EntryTrap, status, line)?;
        if outermost {
            self.shell.trap_command = Some(caller);
        }
        Ok(())
    }

    /// Runs the `DEBUG` trap before the operation that was just read: it runs again after it. Whether it was started.
    pub(crate) fn run_debug_trap(&mut self, run: &mut Run) -> Step<bool> {
        let Some(action) = self.shell.state.traps.debug.clone().filter(|action| !action.is_empty()) else {
            return Ok(false);
        };
        let status = self.shell.state.status;
        let line = self.shell.line();
        self.shell.code.pc = self.shell.code.pc.saturating_sub(1);
        self.control.debug_done = true;
        self.start_trap_at(run, &action, ScriptKind::DebugTrap, status, line)?;
        Ok(true)
    }

    /// A simple command begins: whether the `DEBUG` trap was started; then this operation runs again after it.
    pub(crate) fn debug_simple(&mut self, run: &mut Run, program: &Arc<Program>) -> Step<bool> {
        if self.control.runs_trap(ScriptKind::DebugTrap) || std::mem::take(&mut self.control.debug_done) {
            return Ok(false);
        }
        let command = program.simple_command(self.shell.code.pc.saturating_sub(1));
        let outermost = self.shell.in_trap == 0;
        let started = self.run_debug_trap(run)?;
        if let (true, true, Some(command)) = (started, outermost, command) {
            self.shell.trap_command = Some((Arc::clone(program), command));
        }
        Ok(started)
    }

    /// A compound command's head is reached.
    pub(crate) fn debug_trap(&mut self, run: &mut Run, program: &Program, text: Index) -> Step {
        if self.shell.state.traps.debug.is_some()
            && !self.control.runs_trap(ScriptKind::DebugTrap)
            && !std::mem::take(&mut self.control.debug_done)
            && self.run_debug_trap(run)?
        {
            return Ok(());
        }
        if self.shell.state.options.has(ShellOption::XTrace) {
            self.trace_head(run, &program.text(text));
        }
        Ok(())
    }

    /// The `DEBUG` trap is over; with `extdebug` a status other than 0 skips the command.
    pub(crate) fn after_debug_trap(&mut self, status: u8) {
        if status != 0 && self.shell.state.options.has(ShellOption::ExtDebug) {
            self.control.debug_done = false;
            self.x.fields.clear();
            let program = &self.shell.code.program;
            let begins =
                matches!(program.code.get(self.shell.code.pc as usize), Some(crate::program::Op::Begin));
            let command = if begins { program.end_of_simple(self.shell.code.pc) } else { None };
            self.shell.code.pc = command.unwrap_or(self.shell.code.pc).saturating_add(1);
        }
    }

    /// A signal arrives. One for a shell around the subshell that runs waits for the subshell's end, unless it ends the
    /// shell.
    pub(crate) fn deliver(&mut self, pid: u32, signal: Signal) {
        if self.shell.state.ids.own == pid {
            self.control.signals.push_back(signal);
            return;
        }
        let Some(at) = self.control.frames.iter().position(|frame| match frame {
            Frame::Subshell(frame) => frame.state.ids.own == pid,
            _ => false,
        }) else {
            return;
        };
        let trapped = match self.control.frames.get(at) {
            Some(Frame::Subshell(frame)) => frame.state.traps.signals.contains_key(&signal),
            _ => false,
        };
        if (trap::is_fatal(signal) && !trapped) || signal == trap::KILL {
            self.x = super::expansion::Expansion::default();
            while self.control.frames.len() > at
                && let Some(frame) = self.control.frames.pop()
            {
                self.undo(frame);
            }
            self.control.signals.push_back(signal);
        } else if let Some(Frame::Subshell(frame)) = self.control.frames.get_mut(at) {
            frame.signals.push_back(signal);
        }
    }

    /// A signal arrives for the whole process group: each shell that runs here gets it, and the utility in the foreground.
    /// Those shells inside of which one goes on wait for its end, whatever the signal does to them.
    pub(crate) fn deliver_to_group(&mut self, signal: Signal) {
        let inner = (self.shell.state.ids.own, self.shell.state.is_fatal_signal(signal));
        let outer = self.control.frames.iter().rev().filter_map(|frame| match frame {
            Frame::Subshell(frame) => Some((frame.state.ids.own, frame.state.is_fatal_signal(signal))),
            _ => None,
        });
        let mut ends = None;
        for (pid, is_fatal_signal) in std::iter::once(inner).chain(outer) {
            if !is_fatal_signal {
                break;
            }
            ends = Some(pid);
        }
        match ends {
            Some(pid) => self.deliver(pid, signal),
            None => {
                self.control.signals.push_back(signal);
                self.end_utility(signal);
            }
        }
        for frame in &mut self.control.frames {
            if let Frame::Subshell(frame) = frame {
                frame.signals.push_back(signal);
            }
        }
    }

    /// A signal for the process group ends the utility in the foreground, which ignores what its shell ignores. Under job
    /// control it has a group of its own.
    fn end_utility(&mut self, signal: Signal) {
        let state = &self.shell.state;
        let is_ignored = state.traps.signals.get(&signal).is_some_and(|action| action.is_empty());
        if trap::is_fatal(signal)
            && !is_ignored
            && !state.options.has(ShellOption::Monitor)
            && matches!(self.control.wait, Wait::Utility(_))
        {
            self.control.child_killed = Some((state.ids.own, signal));
            self.control.wait = Wait::Utility(Task::of(std::future::ready(ExitStatus(128 + signal))));
        }
    }

    /// Whether a signal ends the process before anything else of it runs.
    pub(crate) fn is_killed_at_once(&self, signal: Signal) -> bool {
        let state = &self.shell.state;
        signal == trap::KILL || (state.is_fatal_signal(signal) && !state.traps.signals.contains_key(&0))
    }

    /// Looks at the signals that arrived: runs a trap, or ends the process.
    pub(crate) fn take_signals(&mut self, run: &mut Run) -> Step {
        if let Some(at) =
            self.control.signals.iter().position(|&signal| self.shell.state.is_fatal_signal(signal))
        {
            let signal = self.control.signals.get(at).copied().unwrap_or(trap::TERM);
            self.control.signals.clear();
            self.control.wait = Wait::Nothing;
            let status = 128 + signal;
            if signal != trap::KILL && self.shell.state.traps.signals.contains_key(&0) {
                return Err(Halt::Exit(status));
            }
            self.control.killed_by = Some(signal);
            return Err(Halt::Killed(status));
        }
        let Some(signal) = self.control.signals.pop_front() else { return Ok(()) };
        let Some(action) = self.shell.state.traps.signals.get(&signal).cloned() else { return Ok(()) };
        if action.is_empty() {
            return Ok(());
        }
        if !matches!(self.control.wait, Wait::Nothing | Wait::Builtin(_)) {
            self.control.signals.push_front(signal);
            return Ok(());
        }
        if let Wait::Builtin(invocation) = &self.control.wait
            && invocation.builtin.row().name == "wait"
        {
            // A trapped signal ends `wait` with 128 plus its number, before the trap runs.
            self.control.wait = Wait::Nothing;
            self.shell.state.set_status(128 + signal);
        } else if matches!(self.control.wait, Wait::Builtin(_)) {
            self.control.signals.push_front(signal);
            return Ok(());
        }
        let status = self.shell.state.status;
        self.start_trap(run, &action, ScriptKind::Trap, status)
    }
}
