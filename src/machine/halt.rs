//! What stops an operation, and how far that reaches: a command that is given up, a subshell or a shell that ends.

use super::condition::Conditions;
use super::error::{CommandError, ExpansionError, Message};
use super::expansion::Expansion;
use super::frame::{Frame, ScriptKind};
use super::option::ShellOption;
use super::process::Process;
use super::run::Run;
use super::shell::{Code, Shell, State};
use crate::limit::LimitError;
use crate::program::{ArithmeticContext, Pc};
use crate::text::Text;

/// Why an operation did not simply end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Halt {
    /// An error was reported: the command is given up, and with it the list that it stands in (bash's "discard").
    Discard(u8),
    /// The shell, or the subshell that runs, ends: `exit`. An `EXIT` trap runs inside of the functions that run.
    Exit(u8),
    /// As `Exit`, by an error: the functions that run are given up first.
    Fatal(u8),
    /// As `Exit`, by a command that failed under `set -e`. Behind a simple command (`simple`) the outermost function that was
    /// called with redirections is given up first, with all that it called; other functions lose their local variables only.
    Failed { status: u8, simple: bool },
    /// As `Exit`, by a signal: no `EXIT` trap runs for those that can not be caught.
    Killed(u8),
    /// A text does not parse: what is left of it is not run. A subshell around it goes on.
    Unparsed(u8),
    /// As `Discard`, and with it all of the functions and scripts that run: what was read of the main script goes on
    /// with its next command; a shell that runs a command string ends.
    Abandon(u8),
    /// The run ends.
    Limit(LimitError),
}

impl Halt {
    /// An error in a subscript that is read when its command runs: what gives up the command gives up all of it.
    pub(crate) fn abandoned(self) -> Self {
        match self {
            Self::Discard(status) => Self::Abandon(status),
            other => other,
        }
    }
}

impl From<LimitError> for Halt {
    fn from(error: LimitError) -> Self {
        Self::Limit(error)
    }
}

/// What an operation gives.
pub(crate) type Step<T = ()> = Result<T, Halt>;

/// What is given up by an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Extent {
    /// What is left of a text.
    Text,
    /// The command, and a subshell around the text that it stands in.
    Command,
    /// All but the main script.
    All,
}

impl State {
    /// What an error does that gives up the command: `set -e` ends the shell, in a condition too.
    pub(crate) fn discarded(&self) -> Halt {
        if self.options.has(super::option::ShellOption::ErrExit) {
            Halt::Exit(self.status.max(1))
        } else {
            Halt::Discard(1)
        }
    }
}

impl Shell {
    /// Reports an error of expansion: the command is given up.
    pub(crate) fn expansion_error(&mut self, message: impl Message) -> Halt {
        self.report(message);
        self.state.discarded()
    }

    /// Reports an error with which bash goes on, but not with `set -e`: then the shell ends, in a condition too.
    pub(crate) fn report_fatal(&mut self, message: impl Message) -> Step {
        self.report(message);
        if self.state.options.has(super::option::ShellOption::ErrExit) {
            return Err(Halt::Exit(self.state.status.max(1)));
        }
        Ok(())
    }

    /// A name that is not valid where one has to be: the command fails; in POSIX mode the shell ends.
    pub(crate) fn invalid_identifier(&mut self, name: &[u8]) -> Step {
        self.report(CommandError::InvalidIdentifier(Text::from(name)));
        if self.state.options.has(super::option::ShellOption::Posix) {
            return Err(Halt::Fatal(2));
        }
        self.state.set_status(1);
        Ok(())
    }

    fn continue_at_boundary(&mut self, code: &Code, line: u32) {
        let program = &code.program;
        let next = program.boundaries.partition_point(|&(boundary, _)| boundary < code.pc);
        let last = (program.code.len() as Pc).saturating_sub(1);
        let (pc, end) = program.boundaries.get(next).copied().unwrap_or((last, 0));
        let lost = end.saturating_sub(line);
        self.switch(Code { pc, shift: code.shift.saturating_add(lost), ..code.clone() });
    }
}

/// Reports that a brace of an expansion in the text is not closed.
pub(crate) fn open_brace(shell: &mut Shell, text: Text) -> Halt {
    shell.expansion_error(ExpansionError::OpenBrace(text))
}

/// What gives up the command otherwise ends the shell in POSIX mode.
fn failed_expansion(shell: &Shell, halt: Halt) -> Halt {
    match halt {
        Halt::Discard(_) if shell.state.options.has(ShellOption::Posix) => shell.fatal_expansion(),
        halt => halt,
    }
}

/// Reports a bad substitution; `fatal`: the shell ends in any mode.
pub(crate) fn bad_substitution(shell: &mut Shell, text: Text, fatal: bool) -> Halt {
    let halt = shell.expansion_error(ExpansionError::BadSubstitution(text));
    if fatal { shell.fatal_expansion() } else { failed_expansion(shell, halt) }
}

/// What an expression in a word comes to: in POSIX mode an error in `$(( ))` ends the shell.
pub(crate) fn in_word(shell: &Shell, context: ArithmeticContext, result: Step<i64>) -> Step<i64> {
    match (result, context) {
        (Err(halt), ArithmeticContext::Plain) => Err(failed_expansion(shell, halt)),
        (result, _) => result,
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

    /// Gives up the command: goes on behind the complete command of the innermost `eval`, `source` or script; a subshell
    /// ends.
    fn discard(&mut self, run: &mut Run, status: u8, extent: Extent) -> Step<Option<u8>> {
        self.x.hide_assignments(&mut self.shell);
        let given_up = std::mem::take(&mut self.x);
        self.shell.state.restore_descriptors(given_up.redirections);
        self.shell.state.set_status(status);
        let mut code = self.shell.code.clone();
        // Where the command stood that is given up, as far as the code's own source tells.
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
            self.give_functions_up(halt);
            return match self.start_exit_trap(run, status) {
                Ok(()) => Ok(None),
                Err(Halt::Limit(error)) => Err(error),
                Err(_) => Ok(self.finish_exit(run, status)),
            };
        }
        Ok(self.finish_exit(run, status))
    }

    /// The shell ends: what of its functions the `EXIT` trap does not find any more.
    fn give_functions_up(&mut self, halt: Halt) {
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
        if self.shell.state.options.has(super::option::ShellOption::History)
            && self.control.innermost_subshell().is_none()
        {
            self.shell.history(run).save();
        }
        match self.exit_now(status) {
            // What a full pipe or a slow host has not taken yet is still written, and the processes of `>( )` see the end
            // of their input now.
            Some(status)
                if self.shell.outputs.is_behind()
                    || (!self.control.outputs.is_empty() && !self.shell.is_forked) =>
            {
                self.shell.state.descriptors = crate::io::DescriptorTable::default();
                self.control.wait = super::wait::Wait::Outputs(status);
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
