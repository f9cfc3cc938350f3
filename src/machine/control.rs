//! Control flow: loops, `case`, `return`, `exit`, errors that give up a command, and how frames are undone.

use super::condition::Conditions;
use super::frame::{Frame, LoopFrame, ScriptFrame, ScriptKind};
use super::name::NameId;
use super::process::{Expansion, Halt, Process, Progress, Step, Target};
use super::run::Run;
use super::shell::Code;
use super::work::{Done, LONG, Paced};
use crate::limit::{Limit, LimitError};
use crate::memory::{ToMetered, ToMeteredString, Vec, format};
use crate::program::{Index, Pc, Program};
use crate::text::Text;
use std::num::NonZeroU32;
use std::sync::Arc;

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

impl Process {
    /// Reports an error of expansion: the command is given up.
    pub(crate) fn expansion_error(&mut self, message: impl std::fmt::Display) -> Halt {
        self.report(message);
        self.discarded()
    }

    /// Reports an error with which bash goes on, but not with `set -e`: then the shell ends, in a condition too.
    pub(crate) fn report_fatal(&mut self, message: impl std::fmt::Display) -> Step {
        self.report(message);
        if self.shell.state.options.has(super::option::ShellOption::ErrExit) {
            return Err(Halt::Exit(self.shell.state.status.max(1)));
        }
        Ok(())
    }

    /// What an error does that gives up the command: `set -e` ends the shell, in a condition too.
    pub(crate) fn discarded(&self) -> Halt {
        if self.shell.state.options.has(super::option::ShellOption::ErrExit) {
            Halt::Exit(self.shell.state.status.max(1))
        } else {
            Halt::Discard(1)
        }
    }

    /// A name that is not valid where one has to be: the command fails; in POSIX mode the shell ends.
    pub(crate) fn invalid_identifier(&mut self, name: &[u8]) -> Step {
        self.report(format_args!("`{}': not a valid identifier", bstr::BStr::new(name)));
        if self.shell.state.options.has(super::option::ShellOption::Posix) {
            return Err(Halt::Exit(2));
        }
        self.set_status(1);
        Ok(())
    }

    /// Takes back what a frame changed. The caller decides where the code goes on.
    pub(crate) fn undo(&mut self, frame: Frame) {
        match frame {
            Frame::Loop(_) | Frame::Case(..) | Frame::List(_) | Frame::Time(_) | Frame::Pipe(_) => {}
            Frame::Redirections(saved) => self.restore_descriptors(saved),
            Frame::LastStage(frame) => self.restore_descriptors(frame.input),
            Frame::Function(frame) => {
                self.depth = self.depth.saturating_sub(1);
                let state = &mut self.shell.state;
                self.shell.variables.leave_function(frame.mark);
                state.positional = frame.positional;
                state.conditions = frame.conditions;
                state.source_name = frame.source;
                state.calls = frame.calls;
                state.last_argument = frame.last_argument;
                if let Some(options) = frame.options {
                    state.options = options;
                }
                if let Some(traps) = frame.traps {
                    self.restore_function_traps(&traps);
                }
                self.refresh_special();
            }
            Frame::Script(frame) => {
                self.depth = self.depth.saturating_sub(1);
                let state = &mut self.shell.state;
                if let Some((before, own)) = frame.positional
                    && state.positional.is_shifted(&own)
                {
                    // A file that set them (`set -- ...`) sets them for good.
                    state.positional = before;
                }
                state.source_name = frame.source;
                state.calls = frame.calls;
                state.conditions = frame.conditions;
                if frame.kind.is_trap() {
                    self.in_trap = self.in_trap.saturating_sub(1);
                    self.traps_running &= !frame.kind.bit();
                    self.debug_done = frame.debug_done;
                }
                if let Some(expansion) = frame.expansion {
                    self.x = *expansion;
                }
            }
            Frame::Command(frame) => {
                self.restore_descriptors(frame.redirections);
                if let Some(bound) = frame.temporary {
                    self.shell.variables.leave_temporary(bound);
                }
                self.refresh_special();
            }
            Frame::Builtin(invocation) => {
                self.restore_descriptors(invocation.redirections);
                if let Some(bound) = invocation.temporary {
                    self.shell.variables.leave_temporary(bound);
                }
                self.refresh_special();
            }
            Frame::Subshell(frame) => {
                self.depth = self.depth.saturating_sub(1);
                self.shell.variables.leave_subshell(frame.mark);
                self.shell.state = frame.state;
            }
        }
    }

    /// Counts a nested call against the limit on frames.
    pub(crate) fn enter(&mut self, run: &Run) -> Step {
        if self.depth >= run.services.meter.limits().frames {
            return Err(run.services.meter.fail(Limit::Frames).into());
        }
        self.depth += 1;
        Ok(())
    }

    /// The program that runs is over.
    pub(crate) fn end_program(&mut self, run: &mut Run) -> Step<Progress> {
        loop {
            match self.frames.last() {
                Some(Frame::Script(_)) => {
                    self.end_script(run)?;
                    return Ok(Progress::Wait);
                }
                Some(Frame::Subshell(_)) => {
                    let status = self.shell.state.status;
                    return self.end_body(run, status);
                }
                Some(Frame::List(code)) => {
                    let resume = code.clone();
                    self.frames.pop();
                    self.switch(resume);
                    return Ok(Progress::Wait);
                }
                Some(_) => {
                    if let Some(frame) = self.frames.pop() {
                        self.undo(frame);
                    }
                }
                None if self.input.is_some() => {
                    self.wait = super::process::Wait::Script;
                    return Ok(Progress::Wait);
                }
                None => return Ok(Progress::Ended),
            }
        }
    }

    /// `eval`, `source` or a trap's action is over.
    fn end_script(&mut self, run: &mut Run) -> Step {
        let Some(Frame::Script(frame)) = self.frames.pop() else { return Ok(()) };
        self.leave_script(run, frame)
    }

    pub(crate) fn leave_script(&mut self, run: &mut Run, frame: Box<ScriptFrame>) -> Step {
        let (kind, status) = (frame.kind, frame.status);
        let resume = frame.resume.clone();
        let pipe_status = Arc::clone(&frame.pipe_status);
        let after = self.shell.state.status;
        self.undo(Frame::Script(frame));
        self.switch(resume);
        match kind {
            ScriptKind::Eval | ScriptKind::Source => {
                if kind == ScriptKind::Source {
                    self.return_trap(run)?;
                }
                self.pop_command_frame();
                self.set_status(after);
                self.resume_caller();
                Ok(())
            }
            ScriptKind::Trap | ScriptKind::EntryTrap | ScriptKind::ReturnTrap => {
                self.shell.state.status = status;
                self.shell.state.pipe_status = pipe_status;
                if self.in_trap == 0
                    && let Some(status) = self.exit_after_trap.take()
                {
                    return Err(Halt::Exit(status));
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
                self.exit_after_trap.take().map_or(Ok(()), |status| Err(Halt::Exit(status)))
            }
            ScriptKind::DebugTrap => {
                self.shell.state.status = status;
                self.shell.state.pipe_status = pipe_status;
                if after == 2
                    && self.shell.state.options.has(super::option::ShellOption::ExtDebug)
                    && self.can_return()
                {
                    self.debug_done = false;
                    return self.return_from_function(run, after);
                }
                self.after_debug_trap(after);
                Ok(())
            }
            ScriptKind::ExitTrap => Err(Halt::Exit(status)),
        }
    }

    /// Runs a builtin again whose callback is over.
    fn resume_caller(&mut self) {
        if let Some(Frame::Builtin(_)) = self.frames.last()
            && let Some(Frame::Builtin(invocation)) = self.frames.pop()
        {
            self.wait = super::process::Wait::Builtin(invocation);
        }
    }

    /// Pops the frame that holds a called command's redirections and temporary assignments.
    pub(crate) fn pop_command_frame(&mut self) {
        if let Some(Frame::Command(_)) = self.frames.last()
            && let Some(frame) = self.frames.pop()
        {
            self.undo(frame);
        }
    }

    /// Deals with what stopped an operation. `Some`: the process ends with that status.
    pub(crate) fn halt(&mut self, run: &mut Run, halt: Halt) -> Result<Option<u8>, LimitError> {
        let mut halt = halt;
        loop {
            let step = match halt {
                Halt::Limit(error) => return Err(error),
                Halt::Discard(status) => self.discard(run, status, Extent::Command),
                Halt::Unparsed(status) => self.discard(run, status, Extent::Text),
                Halt::Abandon(status) if self.shell.state.command_string && !self.shell.state.interactive => {
                    return self.end(run, status);
                }
                Halt::Abandon(status) => self.discard(run, status, Extent::All),
                Halt::Exit(status) => return self.end(run, status),
                Halt::Killed(status) => self.exit_now(run, status),
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
        self.hide_assignments();
        let given_up = std::mem::take(&mut self.x);
        self.restore_descriptors(given_up.redirections);
        self.set_status(status);
        let mut code = self.code.clone();
        // Where the command stood that is given up, as far as the code's own source tells.
        let mut line = code.program.line(code.pc.saturating_sub(1));
        loop {
            match self.frames.last() {
                Some(Frame::Script(_)) if extent == Extent::All => {
                    let Some(Frame::Script(frame)) = self.frames.pop() else { continue };
                    code = frame.resume.clone();
                    line = code.program.line(code.pc.saturating_sub(1));
                    self.undo(Frame::Script(frame));
                }
                // A subshell does not outlive an error in what it evaluates.
                Some(Frame::Script(frame))
                    if extent == Extent::Command
                        && frame.kind != ScriptKind::ExitTrap
                        && (self.is_forked || self.innermost_subshell().is_some()) =>
                {
                    return Ok(self.end(run, status)?);
                }
                Some(Frame::Script(frame)) => {
                    self.shell.state.conditions = frame.conditions;
                    self.continue_at_boundary(&code, line);
                    return Ok(None);
                }
                Some(Frame::Subshell(_)) => {
                    self.set_status(status);
                    return Ok(self.end(run, status)?);
                }
                Some(_) => {
                    let Some(frame) = self.frames.pop() else { continue };
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
                    if self.is_forked {
                        // A stage of a pipeline or an asynchronous list ends.
                        return Ok(self.end(run, status)?);
                    }
                    self.shell.state.conditions = Conditions::default();
                    self.continue_at_boundary(&code, line);
                    return Ok(None);
                }
            }
        }
    }

    fn continue_at_boundary(&mut self, code: &Code, line: u32) {
        let program = &code.program;
        let next = program.boundaries.partition_point(|&(boundary, _)| boundary < code.pc);
        let last = (program.code.len() as Pc).saturating_sub(1);
        let (pc, end) = program.boundaries.get(next).copied().unwrap_or((last, 0));
        let lost = end.saturating_sub(line);
        self.switch(Code { pc, shift: code.shift.saturating_add(lost), ..code.clone() });
    }

    /// The shell ends with `status`, after its `EXIT` trap; in a subshell that runs here, the subshell does.
    pub(crate) fn end(&mut self, run: &mut Run, status: u8) -> Result<Option<u8>, LimitError> {
        let exiting = match self.innermost_subshell() {
            Some(at) => match self.frames.get(at) {
                Some(Frame::Subshell(frame)) => frame.exiting,
                _ => false,
            },
            None => self.exiting,
        };
        if !exiting && self.shell.state.traps.signals.get(&0).is_some_and(|action| !action.is_empty()) {
            self.mark_exiting();
            return match self.start_exit_trap(run, status) {
                Ok(()) => Ok(None),
                Err(Halt::Limit(error)) => Err(error),
                Err(_) => self.finish_exit(run, status),
            };
        }
        self.finish_exit(run, status)
    }

    fn finish_exit(&mut self, run: &mut Run, status: u8) -> Result<Option<u8>, LimitError> {
        if self.shell.state.options.has(super::option::ShellOption::History)
            && self.innermost_subshell().is_none()
        {
            self.save_history(run);
        }
        match self.exit_now(run, status) {
            // What a full pipe or a slow host has not taken yet is still written, and the processes of `>( )` see the end
            // of their input now.
            Ok(Some(status))
                if !self.unwritten.is_empty() || (!self.outputs.is_empty() && !self.is_forked) =>
            {
                self.shell.state.descriptors = crate::io::DescriptorTable::default();
                self.wait = super::process::Wait::Outputs(status);
                self.exiting = true;
                Ok(None)
            }
            Ok(ended) => Ok(ended),
            Err(Halt::Limit(error)) => Err(error),
            Err(
                Halt::Exit(status)
                | Halt::Killed(status)
                | Halt::Discard(status)
                | Halt::Unparsed(status)
                | Halt::Abandon(status),
            ) => Ok(Some(status)),
        }
    }

    fn innermost_subshell(&self) -> Option<usize> {
        self.frames.iter().rposition(|frame| matches!(frame, Frame::Subshell(_)))
    }

    fn mark_exiting(&mut self) {
        match self.innermost_subshell() {
            Some(at) => {
                if let Some(Frame::Subshell(frame)) = self.frames.get_mut(at) {
                    frame.exiting = true;
                }
            }
            None => self.exiting = true,
        }
    }

    /// Unwinds to the innermost subshell and ends it, or ends the process.
    fn exit_now(&mut self, run: &mut Run, status: u8) -> Step<Option<u8>> {
        self.hide_assignments();
        self.x = Expansion::default();
        while let Some(frame) = self.frames.last() {
            if matches!(frame, Frame::Subshell(_)) {
                self.shell.state.status = status;
                self.end_subshell(run, status)?;
                return Ok(None);
            }
            if let Some(frame) = self.frames.pop() {
                self.undo(frame);
            }
        }
        self.shell.state.status = status;
        Ok(Some(status))
    }

    /// A command failed where failures count: `ERR` trap, then `set -e`.
    pub(crate) fn check_failure(&mut self, run: &mut Run) -> Step {
        use super::option::ShellOption;
        let state = &self.shell.state;
        if !state.conditions.is_empty() {
            return Ok(());
        }
        let status = state.status;
        let exits = state.options.has(ShellOption::ErrExit);
        if self.shell.state.traps.err.is_some() && !self.runs_trap(ScriptKind::ErrTrap) {
            self.exit_after_trap = exits.then_some(status);
            return self.err_trap(run);
        }
        if exits { Err(Halt::Exit(status)) } else { Ok(()) }
    }

    // Loops.

    pub(crate) fn loop_fields(&mut self, positional: bool) -> Vec<Text> {
        if positional {
            self.shell.state.positional.as_slice().to_metered()
        } else {
            std::mem::take(&mut self.x.fields)
        }
    }

    pub(crate) fn begin_loop(&mut self, break_to: Pc, continue_to: Pc, fields: Vec<Text>) {
        self.frames.push(Frame::Loop(Box::new(LoopFrame {
            break_to,
            continue_to,
            status: 0,
            conditions: self.shell.state.conditions,
            fields: fields.into_iter(),
            menu: Vec::new(),
            menu_shown: false,
        })));
    }

    pub(crate) fn next_field(&mut self, run: &mut Run, name: NameId, end: Pc) -> Step {
        let next = match self.frames.last_mut() {
            Some(Frame::Loop(frame)) => frame.fields.next(),
            _ => None,
        };
        let Some(field) = next else {
            self.code.pc = end;
            return Ok(());
        };
        if self.shell.state.options.has(super::option::ShellOption::XTrace) {
            self.trace_for(run, name);
        }
        self.assign_loop_variable(run, name, field)
    }

    /// How many loops `break` can leave.
    pub(crate) fn loop_depth(&self) -> usize {
        self.frames
            .iter()
            .rev()
            .take_while(|frame| !matches!(frame, Frame::Function(_) | Frame::Subshell(_)))
            .filter(|frame| matches!(frame, Frame::Loop(_)))
            .count()
    }

    /// `break` and `continue`: unwinds to the `count`th loop.
    pub(crate) fn leave_loops(&mut self, run: &mut Run, count: usize, again: bool) -> Step {
        let mut rest = count.min(self.loop_depth());
        let mut code: Option<Code> = None;
        while rest > 0 {
            if let (1, true, Some(Frame::Loop(frame))) = (rest, again, self.frames.last_mut()) {
                frame.status = 0;
                let (pc, conditions) = (frame.continue_to, frame.conditions);
                self.shell.state.conditions = conditions;
                self.go_to(code, pc);
                return Ok(());
            }
            let Some(frame) = self.frames.pop() else { return Ok(()) };
            match &frame {
                Frame::Loop(frame) => {
                    rest -= 1;
                    if rest == 0 {
                        self.shell.state.conditions = frame.conditions;
                        self.go_to(code.take(), frame.break_to);
                    }
                }
                Frame::Script(frame) => code = Some(frame.resume.clone()),
                Frame::List(resume) => code = Some(resume.clone()),
                _ => {}
            }
            self.undo(frame);
        }
        let _ = run;
        Ok(())
    }

    fn go_to(&mut self, code: Option<Code>, pc: Pc) {
        match code {
            Some(code) => self.switch(Code { pc, ..code }),
            None => self.code.pc = pc,
        }
    }

    // Functions.

    /// A function's body is over, or `return` unwinds to it.
    pub(crate) fn return_from_function(&mut self, run: &mut Run, status: u8) -> Step {
        while let Some(frame) = self.frames.pop() {
            match frame {
                Frame::Function(mut frame) if self.runs_return_trap(&frame) => {
                    // The trap runs in the function; behind it the function returns.
                    frame.returned = true;
                    self.frames.push(Frame::Function(frame));
                    return self.start_return_trap(run, status);
                }
                Frame::Function(frame) => {
                    let resume = frame.resume.clone();
                    self.undo(Frame::Function(frame));
                    self.switch(resume);
                    self.pop_command_frame();
                    self.set_status(status);
                    return Ok(());
                }
                Frame::Script(frame) if frame.kind == ScriptKind::Source => {
                    self.shell.state.status = status;
                    return self.leave_script(run, frame);
                }
                Frame::Subshell(_) => {
                    self.frames.push(frame);
                    return Err(Halt::Exit(status));
                }
                frame => self.undo(frame),
            }
        }
        Err(Halt::Exit(status))
    }

    /// Whether `return` has somewhere to return to.
    pub(crate) fn can_return(&self) -> bool {
        self.frames.iter().any(|frame| match frame {
            Frame::Function(_) => true,
            Frame::Script(frame) => frame.kind == ScriptKind::Source,
            _ => false,
        })
    }

    // Case.

    pub(crate) fn case_match(
        &mut self,
        run: &mut Run,
        program: &Program,
        constant: Option<NonZeroU32>,
        arm: Pc,
    ) -> Step {
        let ready = constant.and_then(|index| program.patterns.get(index.get() as usize));
        let subject = match self.frames.last() {
            Some(Frame::Case(subject, _)) => subject.clone(),
            _ => Text::EMPTY,
        };
        if subject.len() > LONG {
            let pattern = match ready {
                Some(constant) => constant.compiled(self.pattern_options(true)).into_owned(),
                None => self.pattern(run, program, constant, true)?,
            };
            let mut pace = Paced::new(run);
            return self.start_work(async move {
                Ok(Done::Arm(pattern.matches_paced(&subject, &mut pace).await?, arm))
            });
        }
        let matched = match ready {
            Some(constant) => self.matches(run, &constant.compiled(self.pattern_options(true)), &subject)?,
            None => {
                let pattern = self.pattern(run, program, constant, true)?;
                self.matches(run, &pattern, &subject)?
            }
        };
        if matched {
            self.code.pc = arm;
        }
        Ok(())
    }

    // Errors of the parser.

    pub(crate) fn syntax_error(&mut self, run: &mut Run, program: &Program, index: Index) -> Halt {
        let Some(error) = program.errors.get(index as usize) else { return Halt::Exit(2) };
        if let Some(limit) = error.limit() {
            return run.services.meter.fail_with(limit.limit, limit.allowed).into();
        }
        let substitution =
            matches!(self.frames.last(), Some(Frame::Subshell(frame)) if frame.substitution.is_some());
        let eval = match self.frames.iter().rev().find(|frame| matches!(frame, Frame::Script(_))) {
            Some(Frame::Script(frame)) => Some(frame.kind),
            _ => None,
        };
        let state = &self.shell.state;
        let (name, line) = (&state.report_name, error.line());
        let place = match eval {
            _ if substitution => format!("{name}: command substitution: line {line}"),
            Some(ScriptKind::Eval) => {
                let in_function = state.calls.is_some() && !state.source_name.is_empty();
                let name = if in_function { &state.source_name } else { name };
                format!("{name}: eval: line {line}")
            }
            Some(ScriptKind::Source) => format!("{}: line {line}", state.source_name),
            Some(ScriptKind::ExitTrap) => format!("{name}: exit trap: line {line}"),
            _ if state.command_string => format!("{name}: -c: line {line}"),
            _ => format!("{name}: line {line}"),
        };
        for message in error.message() {
            self.write_error(format!("{place}: {message}\n").as_bytes());
        }
        let errexit = self.shell.state.options.has(super::option::ShellOption::ErrExit);
        let mut status = error.status().unwrap_or(if errexit { 2 } else { self.shell.state.status });
        if eval.is_none() && !substitution && self.shell.state.status != 0 && error.is_unfinished() {
            // A quote or a brace that is not closed leaves the status of the last command; a parenthesis does not.
            let message = error.message();
            let open = message
                .iter()
                .any(|line| line.contains("while looking for matching") && !line.ends_with("`)'"));
            status = if open { self.shell.state.status } else { status };
        }
        self.set_status(status);
        if errexit && error.status().is_none() && !substitution {
            return Halt::Exit(status);
        }
        match eval {
            _ if error.is_in_array() && !substitution => Halt::Discard(status),
            // The rest of the string is not run.
            Some(_) if !substitution => Halt::Unparsed(status),
            None if self.shell.state.interactive && self.input.is_some() && !substitution => {
                Halt::Unparsed(status)
            }
            _ => Halt::Exit(status),
        }
    }

    /// A target's index in a message: `name[subscript]`.
    pub(crate) fn target_name(&self, run: &Run, target: &Target) -> Text {
        let names = &run.services.names;
        let element = |name: NameId, subscript: &[u8]| {
            let mut text = names.text(name);
            text.push_bytes(b"[");
            text.push_bytes(subscript);
            text.push_bytes(b"]");
            text
        };
        match target {
            Target::Variable(name) => names.text(*name),
            Target::Index(name, index) => element(*name, index.to_metered_string().as_bytes()),
            Target::Key(name, key) => element(*name, key),
            Target::Elements(name, crate::syntax::ast::AllElements::At) => element(*name, b"@"),
            Target::Elements(name, crate::syntax::ast::AllElements::Star) => element(*name, b"*"),
            Target::Positional(number) => Text::from(number.to_metered_string()),
            Target::Special(special) => Text::from(&[*special]),
            Target::Nothing => Text::EMPTY,
        }
    }
}
