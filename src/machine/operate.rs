//! The loop over operations: the one `match` that says what each operation does.
//!
//! [`Process::poll`] runs operations until the process waits, its slice of operations is over, or it ends. No operation
//! recurses: calls, substitutions and traps push frames.

use super::compile::parser_warning;
use super::error::{AssignmentError, ExpansionError};
use super::expand::defers_braces;
use super::expansion::{Subscript, TemporaryAssignment};
use super::failure::{bad_substitution, in_word, open_brace};
use super::frame::Frame;
use super::halt::Step;
use super::option::ShellOption;
use super::process::{Process, Progress};
use super::run::Run;
use super::shell::State;
use super::wait::Wait;
use crate::limit::{LimitError, Turn, gauge};
use crate::memory::{Arc, Vec};
use crate::program::{Op, Pc};
use std::task::{Context, Poll};

/// Whether a command waits until the run may take long: it may read what was made large just now.
fn defers_command(run: &Run) -> bool {
    gauge::take_large_file() && !run.services.meter.may_take_long()
}

impl Process {
    /// Whether something has to be waited for, written or taken before the next operation.
    fn has_to_wait(&self) -> bool {
        !matches!(self.control.wait, Wait::Nothing)
            || self.x.pending.is_some()
            || self.shell.outputs.has_unwritten()
            || !self.control.signals.is_empty()
    }

    /// Runs until the process ends (`Ready` with its status) or has to wait.
    ///
    /// # Errors
    /// A limit ends the whole run.
    pub(crate) fn poll(&mut self, run: &mut Run, cx: &mut Context<'_>) -> Poll<Result<u8, LimitError>> {
        // What an earlier poll was told was heeded by its end.
        run.services.meter.take_yield_request();
        loop {
            let step = match self.resume(run, cx) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(Ok(())) => self.operate(run, cx),
                Poll::Ready(Err(halt)) => Err(halt),
            };
            let outcome = match step {
                // A builtin that yields waits as one does that has no input, but what it waits for is there at once.
                Ok(Progress::Wait) if !run.services.meter.take_yield_request() => continue,
                Ok(Progress::Wait | Progress::Yield) => {
                    cx.waker().wake_by_ref();
                    return Poll::Pending;
                }
                Ok(Progress::Ended) => self.end(run, self.shell.state.status),
                Err(halt) => self.halt(run, halt),
            };
            match outcome {
                Ok(None) => {}
                Ok(Some(status)) => return Poll::Ready(Ok(status)),
                Err(error) => {
                    run.services.meter.set_failure_line(self.shell.line());
                    return Poll::Ready(Err(error));
                }
            }
        }
    }

    /// Counts the operations that used up the fuel, and checks the deadline. Whether the process stops before the operation that
    /// comes, and why.
    #[cold]
    fn refuel(&self, run: &Run) -> Step<Option<Progress>> {
        let progress = if run.services.meter.refuel()? != Turn::Continues {
            Progress::Yield
        } else if self.has_to_wait() {
            Progress::Wait
        } else {
            return Ok(None);
        };
        // The operation uses its fuel when it runs.
        gauge::burn(-1);
        Ok(Some(progress))
    }

    /// Jumps where something does not hold of the shell.
    fn unless(&mut self, to: Pc, holds: impl FnOnce(&State) -> bool) {
        self.shell.code.jump_unless(holds(&self.shell.state), to);
    }

    /// The operation is run again when the run may take long.
    fn again(&mut self) -> Progress {
        self.shell.code.pc -= 1;
        gauge::burn(-1);
        Progress::Yield
    }

    /// Runs operations. Those that start nothing `continue`: what they may have left to write waits for the next one that
    /// does, or for fuel.
    fn operate(&mut self, run: &mut Run, cx: &mut Context<'_>) -> Step<Progress> {
        loop {
            let program = Arc::clone(&self.shell.code.program);
            let link = Arc::clone(&self.shell.code.link);
            self.shell.switched = false;
            while !self.shell.switched {
                if gauge::burn(1)
                    && let Some(progress) = self.refuel(run)?
                {
                    return Ok(progress);
                }
                let Some(op) = program.code.get(self.shell.code.pc as usize) else {
                    return Ok(Progress::Ended);
                };
                self.shell.code.pc += 1;
                match *op {
                    Op::Literal(text) => {
                        self.x.builder.push_raw(&program.text(text));
                        continue;
                    }
                    Op::LiteralSplit(text) => {
                        self.x.builder.push_split(&program.text(text), &self.shell.state.separators);
                        continue;
                    }
                    Op::Quoted(text) => {
                        if let Some(text) = program.texts.get(text as usize) {
                            self.x.builder.push_quoted(text);
                        }
                        continue;
                    }
                    Op::Tilde(text) => {
                        let expanded = self.shell.tilde(run, &program.text(text));
                        self.x.builder.push_quoted(&expanded);
                    }
                    Op::InnerTilde(text) => {
                        let name = program.text(text);
                        if self.shell.state.options.has(ShellOption::Posix) {
                            self.x.builder.push_raw(b"~");
                            self.x.builder.push_raw(&name);
                        } else {
                            let expanded = self.shell.tilde(run, &name);
                            self.x.builder.push_quoted(&expanded);
                        }
                    }
                    Op::Variable { name, quoting } => {
                        self.x.append_variable(&mut self.shell, run, link.name(name), quoting)?;
                        if self.x.pending.is_none() {
                            continue;
                        }
                    }
                    Op::FieldVariable(name) => {
                        self.x.field_variable(&mut self.shell, run, link.name(name))?;
                        continue;
                    }
                    Op::Target(index) => {
                        self.x.resolve_target(&mut self.shell, run, &program, &link, index)?;
                    }
                    Op::Value { quoting } => {
                        let (target, source) = self.x.pop_target();
                        self.x.append_target(&mut self.shell, run, &target, source, quoting)?;
                    }
                    Op::Length { quoting } => self.x.length(&mut self.shell, run, quoting)?,
                    Op::UnlessDeclared { name, quoting, end } => {
                        self.x.unless_declared(&mut self.shell, link.name(name), quoting, end);
                    }
                    Op::SkipWords { null, slice, end } => {
                        self.x.skip_words(&mut self.shell, run, null, slice, end)?;
                    }
                    Op::SkipLength { end } => self.x.skip_length(&mut self.shell, run, end),
                    Op::UseValue { colon, quoting, keep, end } => {
                        self.x.use_value(&mut self.shell, run, colon, quoting, keep, end)?;
                    }
                    Op::SkipUnlessSet { colon, quoting, end } => {
                        let (target, source) = self.x.pop_target();
                        if !self.shell.is_value_used(run, &target, source, colon, quoting) {
                            self.shell.code.pc = end;
                        }
                    }
                    Op::AssignDefault { quoting } => self.assign_default(run, quoting)?,
                    Op::ErrorUnset { colon, given } => {
                        self.x.error_unset(&mut self.shell, run, colon, given)?;
                    }
                    Op::Trim { prefix, longest, quoting, pattern } => {
                        let pattern = self.x.pattern(&mut self.shell, &program, pattern, false);
                        self.x.trim(&mut self.shell, run, prefix, longest, quoting, pattern)?;
                    }
                    Op::Replace { scope, replacement, quoting } => {
                        self.x.replace(&mut self.shell, run, scope, replacement, quoting)?;
                    }
                    Op::ChangeCase { operator, pattern, quoting } => {
                        self.x.change_case(&mut self.shell, run, operator, pattern, quoting)?;
                    }
                    Op::Substring { length, quoting } => {
                        self.x.substring(&mut self.shell, run, &program, length, quoting)?;
                    }
                    Op::Transform { operator, quoting } => {
                        self.x.transform(&mut self.shell, run, operator, quoting)?;
                    }
                    Op::Names { prefix, all, quoting } => {
                        let prefix = program.text(prefix);
                        self.x.names_with_prefix(&mut self.shell, &prefix, all, quoting);
                    }
                    Op::Keys { all, quoting } => self.x.keys(&mut self.shell, run, all, quoting),
                    Op::BadSubstitution { text, fatal } => {
                        return Err(bad_substitution(&mut self.shell, program.text(text), fatal));
                    }
                    Op::OpenBackquote(text) => {
                        let error = ExpansionError::OpenBackquote(program.text(text));
                        return Err(self.shell.expansion_error(error));
                    }
                    Op::OpenBrace(text) => return Err(open_brace(&mut self.shell, program.text(text))),
                    Op::ListToElement(text) => {
                        let error = AssignmentError::ListToElement(program.text(text));
                        return Err(self.shell.expansion_error(error));
                    }
                    Op::InvalidIdentifier(name) => {
                        let name = program.text(name);
                        self.shell.invalid_identifier(&name)?;
                    }
                    Op::PushBuilder => self.x.builders.push(std::mem::take(&mut self.x.builder)),
                    Op::AppendNumber { quoting } => {
                        let number = self.x.numbers.pop().unwrap_or(0);
                        let text = super::variable::decimal(number);
                        self.x.append_text(&mut self.shell, &text, quoting);
                        continue;
                    }
                    Op::IfAssociative { name, key } => {
                        let is_map = self.shell.variables.is_associative(link.name(name));
                        self.shell.code.jump_unless(!is_map, key);
                    }
                    Op::SubscriptIndex => {
                        let number = self.x.numbers.pop().unwrap_or(0);
                        self.x.subscripts.push(Subscript::Index(number));
                    }
                    Op::SubscriptKey { assigned } => {
                        let text = self.x.pop_text();
                        if let Some(assigned) = assigned.filter(|_| text.is_empty()) {
                            let error = AssignmentError::BadSubscript(program.text(assigned));
                            return Err(self.shell.expansion_error(error));
                        }
                        self.x.subscripts.push(Subscript::Key(text));
                    }
                    Op::Arithmetic(index) => {
                        if let Some(code) = program.arithmetic.get(index as usize) {
                            let number = self.shell.evaluate(run, code, &link);
                            self.x.numbers.push(in_word(&self.shell, code.context, number)?);
                        }
                        continue;
                    }
                    Op::TryArithmetic { expression, done } => {
                        if let Some(code) = program.arithmetic.get(expression as usize)
                            && self.shell.has_plain_operands(run, code, &link)
                        {
                            let number = self.shell.evaluate(run, code, &link);
                            self.x.numbers.push(in_word(&self.shell, code.context, number)?);
                            self.shell.code.pc = done;
                        }
                    }
                    Op::EscapeKey => self.x.escape_key(),
                    Op::ArithmeticText(context) => {
                        let text = self.x.pop_text();
                        self.shell.arithmetic.context = context;
                        let result = self.shell.evaluate_text(run, &text, 0);
                        let result = self.shell.arithmetic.result(context, result);
                        self.x.numbers.push(in_word(&self.shell, context, result)?);
                    }
                    Op::ArithmeticCommand(index) => {
                        if let Some(code) = program.arithmetic.get(index as usize) {
                            let number = self.shell.evaluate(run, code, &link)?;
                            self.shell.arithmetic.failed = false;
                            self.shell.state.set_status(u8::from(number == 0));
                        }
                        continue;
                    }
                    Op::ArithmeticTest { expression, test, end } => {
                        if let Some(code) = program.arithmetic.get(expression as usize) {
                            let number = self.shell.evaluate(run, code, &link)?;
                            self.control.arithmetic_loop(&mut self.shell, number, test, end);
                        }
                        continue;
                    }
                    Op::ArithmeticStatus => {
                        let number = self.x.numbers.pop().unwrap_or(0);
                        self.shell.arithmetic.failed = false;
                        self.shell.state.set_status(u8::from(number == 0));
                    }
                    Op::ArithmeticLoop { test, end } => {
                        let number = self.x.numbers.pop().unwrap_or(1);
                        self.control.arithmetic_loop(&mut self.shell, number, test, end);
                    }
                    Op::Substitution { end, quoting, .. } => self.begin_substitution(run, end, quoting)?,
                    Op::SubstitutionEnd | Op::EndProcess => {
                        let status = self.shell.state.status;
                        return self.control.end_body(&mut self.shell, status);
                    }
                    Op::ReadFile { quoting } => self.x.read_file(&mut self.shell, run, cx, quoting)?,
                    Op::ProcessSubstitution { output, end } => self.process_substitution(run, output, end)?,
                    Op::Begin => {
                        if self.shell.state.traps.debug.is_some() && self.debug_simple(run, &program)? {
                            continue;
                        }
                        self.x.begin_command(&mut self.shell);
                        continue;
                    }
                    Op::BeginWords => {
                        self.x.begin_command(&mut self.shell);
                        continue;
                    }
                    Op::Field(text) => {
                        self.x.fields.push(program.text(text));
                        continue;
                    }
                    Op::EndField if self.x.defers_fields(&self.shell, run) => return Ok(self.again()),
                    Op::EndField => {
                        self.x.end_field(&mut self.shell, run)?;
                        continue;
                    }
                    Op::EndScalar => {
                        let text = self.x.builder.take_text();
                        self.x.fields.push(text);
                    }
                    Op::UnlessKeyword(to) => self.unless(to, |state| state.options.has(ShellOption::Keyword)),
                    Op::UnlessBraces(to) => self.unless(to, State::expands_braces),
                    Op::BraceFields(index) if defers_braces(run, &program, index) => return Ok(self.again()),
                    Op::BraceFields(index) => self.x.brace_fields(&mut self.shell, run, &program, index)?,
                    Op::ArrayBegin { start, end } => {
                        self.trace_list(run, &program, start, end);
                        self.x.begin_list();
                    }
                    Op::ArrayElements => self.x.array_elements(),
                    Op::ArrayKeyed { append, name } => {
                        let indexed = self.x.builder.has_breaks()
                            && name.is_some_and(|name| !self.shell.variables.is_associative(link.name(name)));
                        if indexed {
                            // Bash joins every list there with what `IFS` begins with.
                            self.x.builder.join_all(&self.shell.state.separators.join);
                        }
                        self.x.array_keyed(append);
                    }
                    Op::ArrayArgument { name, append } => self.x.array_argument(&program.text(name), append),
                    Op::Assign { name, append } => {
                        let text = self.x.builder.take_text();
                        self.assign_word(run, link.name(name), text, append)?;
                        continue;
                    }
                    Op::AssignStatement { name, append } => {
                        let text = self.x.builder.take_text();
                        self.assign_word(run, link.name(name), text, append)?;
                        self.shell.state.forget_last_argument();
                        self.shell.state.set_status(0);
                        continue;
                    }
                    Op::AssignNumber { name } => {
                        let number = self.x.numbers.pop().unwrap_or(0);
                        self.assign_number(run, link.name(name), number)?;
                        self.shell.state.forget_last_argument();
                        self.shell.state.set_status(0);
                        continue;
                    }
                    Op::AssignElement { name, append, shown } => {
                        let text = self.x.builder.take_text();
                        self.assign_element_word(run, link.name(name), text, append, shown)?;
                    }
                    Op::AssignArray { name, append } => {
                        let literal = self.x.pop_literal();
                        self.assign_array_word(run, link.name(name), &literal, append)?;
                    }
                    Op::TemporaryAssign { name, append } => {
                        let value = self.x.builder.take_text();
                        self.x.assignments.push(TemporaryAssignment { name: link.name(name), value, append });
                    }
                    Op::ShowAssignments => self.x.show_assignments(&mut self.shell, run),
                    Op::HideAssignments => self.x.hide_assignments(&mut self.shell),
                    Op::AssignmentsDone => self.x.assignments_done(&mut self.shell),
                    Op::Redirect(index) => self.x.redirect(&mut self.shell, run, &program, index)?,
                    Op::OwnProcess { plain, end } => {
                        self.begin_own_process(run, plain, end)?;
                        continue;
                    }
                    Op::EndOwnProcess => self.control.end_own_process(&mut self.shell)?,
                    Op::RedirectBegin => self.x.begin_command(&mut self.shell),
                    Op::RedirectReady { end } => self.redirections_ready(end),
                    Op::RedirectEnd => self.end_redirections(),
                    Op::Execute { .. } | Op::ExecuteStatic(_) if defers_command(run) => {
                        return Ok(self.again());
                    }
                    Op::Execute { name } => {
                        self.execute(run, cx, name.map(|name| (link.name(name), link.builtin(name))))?;
                    }
                    Op::ExecuteStatic(index) => {
                        if let Some(command) = program.commands.get(index as usize) {
                            self.x.fields.clear();
                            self.x.fields.extend_from_slice(&command.fields);
                            if self.shell.state.traps.debug.is_some() && self.debug_simple(run, &program)? {
                                continue;
                            }
                            let known = (link.name(command.name), link.builtin(command.name));
                            self.execute(run, cx, Some(known))?;
                        }
                    }
                    Op::ExecuteExternal => self.run_external(run, cx)?,
                    Op::RunStandardInput => self.control.read_commands(&mut self.shell),
                    Op::Pipeline(index) => self.pipeline(run, &program, index)?,
                    Op::Background { end, text, nested } => {
                        self.background(run, &program, end, &program.text(text), nested)?;
                    }
                    Op::Coprocess { end, text } => self.coprocess(run, end, &program.text(text))?,
                    Op::Subshell { end } => self.control.begin_subshell(&mut self.shell, run, end)?,
                    Op::DefineFunction { function, end } => {
                        self.shell.define_function(&program, function, end)?;
                    }
                    Op::FunctionBody(part) => self.shell.enter_part(run, &program, &link, part)?,
                    Op::DeferredList(part) => {
                        self.control.frames.push(Frame::List(self.shell.code.clone()));
                        self.shell.enter_part(run, &program, &link, part)?;
                    }
                    Op::ReturnFromFunction => {
                        let status = self.shell.state.status;
                        self.return_from_function(run, status)?;
                    }
                    Op::End => return self.end_program(run),
                    Op::ParseMore => self.control.parse_more(&mut self.shell, run, &program, program.rest)?,
                    Op::Boundary(index) if self.shell.state.commands.parser_changed => {
                        self.control.parse_anew(&mut self.shell, run, &program, index)?;
                    }
                    Op::Boundary(_) => continue,
                    Op::Warning(index) => parser_warning(&mut self.shell, &program, index),
                    Op::SyntaxError(index) => {
                        return Err(self.control.syntax_error(&mut self.shell, run, &program, index));
                    }
                    Op::Jump(to) => {
                        self.shell.code.pc = to;
                        continue;
                    }
                    Op::JumpIfFailure(to) => {
                        if self.shell.state.status != 0 {
                            self.shell.code.pc = to;
                        }
                        continue;
                    }
                    Op::JumpIfSuccess(to) => {
                        if self.shell.state.status == 0 {
                            self.shell.code.pc = to;
                        }
                        continue;
                    }
                    Op::Note(note) => self.tell_trace(run, &program, &link, note),
                    Op::Negate => {
                        let status = u8::from(self.shell.state.status == 0);
                        self.shell.state.status = status;
                    }
                    Op::SetStatus(status) => self.shell.state.status = status,
                    Op::Check { simple } => {
                        if self.shell.state.status != 0 {
                            self.check_failure(run, simple)?;
                        }
                        continue;
                    }
                    Op::ConditionBegin => {
                        self.shell.state.conditions.begin();
                        continue;
                    }
                    Op::ConditionEnd => {
                        self.shell.state.conditions.end();
                        continue;
                    }
                    Op::NegationBegin => {
                        let errexit = self.shell.state.options.has(ShellOption::ErrExit);
                        self.shell.state.conditions.begin_negation(errexit);
                        continue;
                    }
                    Op::NegationEnd => {
                        self.shell.state.conditions.end_negation();
                        continue;
                    }
                    Op::LoopBegin { break_to, continue_to } => {
                        self.control.begin_loop(&mut self.shell, break_to, continue_to, Vec::new());
                    }
                    Op::LoopTurn => {
                        run.services.meter.count_loop()?;
                        continue;
                    }
                    Op::LoopStatus => {
                        let status = self.shell.state.status;
                        if let Some(Frame::Loop(frame)) = self.control.frames.last_mut() {
                            frame.status = status;
                        }
                        continue;
                    }
                    Op::LoopEnd => {
                        if let Some(Frame::Loop(frame)) = self.control.frames.pop() {
                            self.shell.state.status = frame.status;
                        }
                    }
                    Op::ForBegin { positional, break_to, continue_to } => {
                        let fields = self.x.loop_fields(&mut self.shell, positional);
                        self.control.begin_loop(&mut self.shell, break_to, continue_to, fields);
                    }
                    Op::ForNext { name, end } => {
                        self.next_field(run, link.name(name), end)?;
                        continue;
                    }
                    Op::SelectBegin { positional, break_to, continue_to } => {
                        let fields = self.x.loop_fields(&mut self.shell, positional);
                        self.control.begin_select(&mut self.shell, break_to, continue_to, fields);
                    }
                    Op::SelectNext { name, end } => {
                        if !self.select_next(run, cx, link.name(name), end)? {
                            return Ok(Progress::Wait);
                        }
                    }
                    Op::CaseBegin => {
                        let subject = self.x.builder.take_text();
                        self.control.frames.push(Frame::Case(subject, false));
                    }
                    Op::CaseMatch { pattern, arm } => self.case_match(run, &program, pattern, arm)?,
                    Op::CaseContinue { ran: body } => {
                        if let Some(Frame::Case(_, ran)) = self.control.frames.last_mut() {
                            *ran = body;
                        }
                    }
                    Op::CaseUnmatched => {
                        if !matches!(self.control.frames.last(), Some(Frame::Case(_, true))) {
                            self.shell.state.status = 0;
                        }
                    }
                    Op::CaseEnd => {
                        self.control.frames.pop();
                    }
                    Op::TimeBegin => {
                        self.control.frames.push(Frame::Time(run.services.session.clock.monotonic()));
                    }
                    Op::TimeEnd { posix } => self.control.time_end(&mut self.shell, run, posix),
                    Op::ConditionalWord => self.conditional_word(run),
                    Op::ConditionalUnary(operator) => self.conditional_unary(run, operator)?,
                    Op::ConditionalBinary(operator) => self.conditional_binary(run, operator)?,
                    Op::ConditionalEnd | Op::LoopCondition { .. } => {}
                    Op::Debug(text) => {
                        self.debug_trap(run, &program, text)?;
                        continue;
                    }
                }
                if self.has_to_wait() {
                    return Ok(Progress::Wait);
                }
            }
        }
    }
}
