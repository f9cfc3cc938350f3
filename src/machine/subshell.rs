//! Subshells: `( )` and `$( )` run in this process over a journal of variables and a copy of the state; stages of a
//! pipeline, asynchronous lists, coprocesses and process substitutions are processes of their own.

use super::control::Control;
use super::error::ExpansionError;
use super::expansion::Expansion;
use super::frame::{Frame, SubshellFrame, Substitution};
use super::halt::Step;
use super::option::ShellOption;
use super::pending::Reading;
use super::process::{Process, Progress};
use super::run::Run;
use super::shell::{Shell, State};
use super::wait::Wait;
use crate::io::{Capture, Description, OnExcess};
use crate::limit::Limit;
use crate::memory::{Arc, Box, Vec, VecDeque};
use crate::program::{Op, Pc, Quoting};
use crate::text::Text;
use std::task::{Context, Poll};

impl State {
    /// State of a subshell of this shell: jobs and traps start over.
    pub(crate) fn subshell_state(&self, run: &mut Run) -> State {
        let mut state = self.clone();
        state.ids.own = run.new_pid();
        state.ids.level += 1;
        state.counters.random =
            state.counters.random.wrapping_add(state.ids.own.wrapping_mul(0x9e37_79b9)) & 0x7fff_ffff;
        state.jobs.restart();
        let keep_err = state.options.has(ShellOption::ErrTrace);
        let keep_debug = state.options.has(ShellOption::FuncTrace);
        if !state.traps.is_empty() {
            state.traps = Arc::new(state.traps.for_subshell(keep_err, keep_debug));
        }
        state
    }

    /// Closes every descriptor of the subshell that writes to the capture.
    fn close_capture(&mut self, capture: &Arc<Capture>) {
        let numbers: Vec<u32> = self
            .descriptors
            .iter()
            .filter(|(_, description)| is_capture(description, capture))
            .map(|(number, _)| number)
            .collect();
        for number in numbers {
            let _ = self.descriptors.replace(number, None);
        }
    }
}

impl Shell {
    /// Whether the operations up to `end` expand nothing but variables that are set.
    fn reads_set_variables(&self, end: Pc) -> bool {
        let (code, link) = (&self.code.program.code, &self.code.link);
        let mut at = self.code.pc;
        while at < end
            && let Some(op) = code.get(at as usize)
        {
            at += 1;
            match op {
                Op::Variable { name, .. } => {
                    if self.variables.slot(link.name(*name)).value == super::variable::Value::Unset {
                        return false;
                    }
                }
                // What fails in a process of its own fails there.
                Op::Substitution { end, .. } | Op::ProcessSubstitution { end, .. } => at = at.max(*end),
                Op::Literal(_) | Op::Quoted(_) | Op::Redirect(_) | Op::Execute { .. } | Op::EndOwnProcess => {
                }
                _ => return false,
            }
        }
        true
    }
}

impl Expansion {
    /// Whether the fields that were made are a command of the file system.
    fn is_external(&self, shell: &Shell) -> bool {
        let mut names = self.fields.iter();
        let Some(mut name) = names.next() else { return false };
        let functions = &shell.state.commands.functions;
        let is_function =
            |name: &Text| shell.variables.names.find(name).is_some_and(|id| functions.contains_key(&id));
        if !functions.is_empty() && is_function(name) {
            return false;
        }
        // Bash looks at the word after `command`.
        while name.as_bytes() == b"command"
            && let Some(next) = names.next()
        {
            if next.starts_with(b"-") {
                return false;
            }
            name = next;
        }
        super::builtin::find(name).is_none_or(|builtin| !shell.state.is_enabled(builtin))
    }

    /// `$(< file)`
    pub(crate) fn read_file(
        &mut self,
        shell: &mut Shell,
        run: &mut Run,
        cx: &mut Context<'_>,
        quoting: Quoting,
    ) -> Step {
        let fields = std::mem::take(&mut self.fields);
        let step = self.end_field(shell, run);
        let mut path = std::mem::replace(&mut self.fields, fields);
        self.builder = self.builders.pop().unwrap_or_default();
        step?;
        let path = path.pop().unwrap_or_default();
        let options = crate::vfs::OpenOptions { read: true, ..crate::vfs::OpenOptions::default() };
        self.substituted = Some(0);
        match shell.state.open_path(run, &path, &options) {
            Ok(description) => {
                let reading = Reading { description, bytes: Vec::new(), quoting };
                if let Poll::Ready(step) = self.read_on(shell, run, cx, reading) {
                    step?;
                }
            }
            Err(error) => {
                if let crate::vfs::FsError::Limit(limit) = error {
                    return Err(limit.into());
                }
                shell.report(ExpansionError::File(path, error));
                self.substituted = Some(1);
                shell.state.status = 1;
            }
        }
        Ok(())
    }
}

impl Control {
    /// `( list )`: its body follows, `end` is after it.
    pub(crate) fn begin_subshell(&mut self, shell: &mut Shell, run: &mut Run, end: Pc) -> Step {
        self.enter(run)?;
        let state = shell.state.subshell_state(run);
        self.push_subshell(shell, end, state, None);
        Ok(())
    }

    /// The command is over that may have had a process of its own.
    pub(crate) fn end_own_process(&mut self, shell: &mut Shell) -> Step {
        match self.frames.last() {
            Some(Frame::Subshell(frame)) if frame.own == Some(shell.code.pc) => {
                Err(super::halt::Halt::Exit(shell.state.status))
            }
            _ => Ok(()),
        }
    }

    fn push_subshell(
        &mut self,
        shell: &mut Shell,
        end: Pc,
        state: State,
        substitution: Option<Substitution>,
    ) {
        let mark = shell.variables.enter_subshell();
        let resume = shell.code_at(end);
        let state = std::mem::replace(&mut shell.state, state);
        self.frames.push(Frame::Subshell(Box::new(SubshellFrame {
            own: None,
            resume,
            state,
            mark,
            substitution,
            exiting: false,
            signals: VecDeque::new(),
        })));
    }

    /// The body of a subshell or of a forked process is over.
    pub(crate) fn end_body(&mut self, shell: &mut Shell, status: u8) -> Step<Progress> {
        if let Some(Frame::LastStage(_)) = self.frames.last()
            && let Some(Frame::LastStage(frame)) = self.frames.pop()
        {
            let mut frame = frame.into_inner();
            // The stage ran in this process: the pipeline ends when the others have.
            shell.state.restore_descriptors(std::mem::take(&mut frame.input));
            shell.code.pc = frame.end;
            frame.pids.push(0);
            frame.statuses.push(Some(status));
            self.wait = Wait::Children { pids: frame.pids, statuses: frame.statuses };
            return Ok(Progress::Wait);
        }
        Err(super::halt::Halt::Exit(status))
    }
}

impl Process {
    /// The redirections of a simple command come: those of a command of the file system are made in a subshell.
    pub(crate) fn begin_own_process(&mut self, run: &mut Run, plain: bool, end: Pc) -> Step {
        let can_fail =
            || self.shell.state.options.has(ShellOption::NoUnset) && !self.shell.reads_set_variables(end);
        if plain && !can_fail() || !self.x.is_external(&self.shell) {
            return Ok(());
        }
        self.control.enter(run)?;
        let mut state = self.shell.state.subshell_state(run);
        state.ids.level = self.shell.state.ids.level;
        self.control.push_subshell(&mut self.shell, end, state, None);
        if let Some(Frame::Subshell(frame)) = self.control.frames.last_mut() {
            frame.own = Some(end);
        }
        Ok(())
    }

    /// `$( list )`: standard output is collected; the word goes on after `end`.
    pub(crate) fn begin_substitution(&mut self, run: &mut Run, end: Pc, quoting: Quoting) -> Step {
        self.control.enter(run)?;
        let mut state = self.shell.state.subshell_state(run);
        if !self.shell.state.jobs.list.is_empty() || !self.shell.state.jobs.inherited.is_empty() {
            state.jobs = self.shell.state.jobs.for_child();
        }
        if !state.options.has(ShellOption::InheritErrExit) && !state.options.has(ShellOption::Posix) {
            state.options.set(ShellOption::ErrExit, false);
        }
        let capture = Capture::new(&run.services.meter, Limit::LiveBytes, OnExcess::Fail);
        let _ = state.descriptors.replace(1, Some(Description::capture(Arc::clone(&capture))));
        let expansion = std::mem::take(&mut self.x);
        self.control.push_subshell(
            &mut self.shell,
            end,
            state,
            Some(Substitution { expansion, capture, quoting }),
        );
        Ok(())
    }

    /// Ends the subshell on top of the frames with the status that is set.
    pub(crate) fn end_subshell(&mut self, status: u8) {
        let Some(Frame::Subshell(_)) = self.control.frames.last() else { return };
        if let Some(Frame::Subshell(frame)) = self.control.frames.last()
            && let Some(substitution) = &frame.substitution
        {
            // Its own descriptor goes with its state; one that is left belongs to a process that still runs.
            let own = Arc::clone(&substitution.capture);
            let _ = self.shell.state.descriptors.replace(1, None);
            if writers(&self.shell.state, &own) {
                self.shell.state.close_capture(&own);
            }
            if has_other_writers(&own) {
                self.shell.state.status = status;
                self.control.wait = Wait::Writers;
                return;
            }
        }
        self.finish_subshell(status);
    }

    pub(crate) fn finish_subshell(&mut self, status: u8) {
        let Some(Frame::Subshell(mut frame)) = self.control.frames.pop() else { return };
        let resume = frame.resume.clone();
        // The words that wait are large: they are not moved out of the frame, but change places with those of the subshell.
        let substitution = frame.substitution.as_mut().map(|substitution| {
            std::mem::swap(&mut self.x, &mut substitution.expansion);
            (Arc::clone(&substitution.capture), substitution.quoting)
        });
        self.control.signals.append(&mut frame.signals);
        self.undo(Frame::Subshell(frame));
        self.shell.refresh_special();
        self.shell.state.jobs.notice_ended();
        self.shell.switch(resume);
        match substitution {
            None => self.shell.state.set_status(status),
            Some((capture, quoting)) => {
                self.x.substituted = Some(status);
                let mut bytes = capture.take();
                while bytes.last() == Some(&b'\n') {
                    bytes.pop();
                }
                if memchr::memchr(0, &bytes).is_some() {
                    bytes.retain(|&byte| byte != 0);
                    self.shell.report(ExpansionError::NullByte);
                }
                self.shell.state.status = status;
                // What is short need not become a text first.
                if bytes.len() > super::work::LONG {
                    self.x.append_value(&mut self.shell, &Text::from(bytes), quoting);
                } else {
                    self.x.append_text(&mut self.shell, &bytes, quoting);
                }
            }
        }
    }
}

fn is_capture(description: &Arc<Description>, capture: &Arc<Capture>) -> bool {
    description.as_capture().is_some_and(|own| Arc::ptr_eq(own, capture))
}

pub(crate) fn writers(state: &State, capture: &Arc<Capture>) -> bool {
    state.descriptors.iter().any(|(_, description)| is_capture(description, capture))
}

/// Whether a description that writes to the capture is open somewhere: the frame has one reference, the caller another.
pub(crate) fn has_other_writers(capture: &Arc<Capture>) -> bool {
    Arc::strong_count(capture) > 2
}
