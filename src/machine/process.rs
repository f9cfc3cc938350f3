//! `Process`: a shell that runs programs. Frames, shell state, the word that is being expanded, and what it waits for.
//!
//! [`Process::poll`] runs operations until the process waits, its slice of operations is over, or it ends. No operation
//! recurses: calls, substitutions and traps push frames.

use super::builder::Builder;
use super::builtin::Invocation;
use super::command::TemporaryAssignment;
use super::frame::{Frame, SavedDescriptor};
use super::option::ShellOption;
use super::run::Run;
use super::shell::{Code, Shell};
use super::trap::Signal;
use crate::io::Description;
use crate::limit::{LimitError, Turn, gauge};
use crate::memory::{Vec, VecDeque, vec};
use crate::program::{ArithmeticContext, Index, Op, Pc, Quoting};
use crate::syntax::ast::AllElements;
use crate::text::Text;
use crate::utility::{BoxFuture, ExitStatus};
use std::sync::Arc;
use std::task::{Context, Poll};

/// Why an operation did not simply end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Halt {
    /// An error was reported: the command is given up, and with it the list that it stands in (bash's "discard").
    Discard(u8),
    /// The shell, or the subshell that runs, ends.
    Exit(u8),
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

impl From<LimitError> for Halt {
    fn from(error: LimitError) -> Self {
        Self::Limit(error)
    }
}

/// What an operation gives.
pub(crate) type Step<T = ()> = Result<T, Halt>;

/// A subscript that was evaluated.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Subscript {
    Index(i64),
    Key(Text),
}

/// A parameter that was resolved.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Target {
    Variable(super::name::NameId),
    Index(super::name::NameId, u64),
    Key(super::name::NameId, Text),
    Elements(super::name::NameId, AllElements),
    Positional(u32),
    Special(u8),
    /// An indirect expansion of a name that is unset.
    Nothing,
}

/// The words of one command while they are expanded. A substitution puts it aside as a whole.
#[derive(Debug, Default)]
pub(crate) struct Expansion {
    pub(crate) fields: Vec<Text>,
    pub(crate) builder: Builder,
    pub(crate) builders: Vec<Builder>,
    pub(crate) numbers: Vec<i64>,
    pub(crate) subscripts: Vec<Subscript>,
    /// With the index of the parameter's source text.
    pub(crate) targets: Vec<(Target, Index)>,
    pub(crate) literals: Vec<ArrayLiteral>,
    /// Array literals that are arguments of a declaration builtin, by the index of their field.
    pub(crate) arguments: Vec<(usize, ArrayLiteral)>,
    pub(crate) assignments: Vec<TemporaryAssignment>,
    pub(crate) redirections: Vec<SavedDescriptor>,
    /// What the assignments hide that the value of the next one can see.
    pub(crate) shown: Option<super::variable::Temporary>,
    /// A redirection failed: the command is not run.
    pub(crate) failed: bool,
    /// A substitution ran: its status is the command's if there is no command word.
    pub(crate) substituted: Option<u8>,
    /// The text that `${!nameref}` gives.
    pub(crate) indirect_text: Option<Text>,
}

/// `( ... )` of an array assignment.
#[derive(Debug, Default)]
pub(crate) struct ArrayLiteral {
    pub(crate) elements: Vec<ArrayElement>,
    /// The fields that the literal suspended.
    fields: Vec<Text>,
}

/// An element of an array literal.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ArrayElement {
    /// `[key]=`
    pub(crate) key: Option<Text>,
    /// `+=`
    pub(crate) append: bool,
    pub(crate) value: Text,
}

/// What a process waits for.
pub(crate) enum Wait {
    Nothing,
    /// A utility in the foreground; its redirections are undone behind it.
    Utility(BoxFuture<ExitStatus>),
    /// Children in the foreground: a pipeline (`true`: its status is the pipeline's), or a shell that was started.
    Children {
        pids: Vec<u32>,
        statuses: Vec<Option<u8>>,
    },
    /// A builtin that is run again when something has happened.
    Builtin(Box<Invocation>),
    /// Work on a long value.
    Work(super::work::Work),
    /// A long value joins the word in stretches.
    Append {
        text: Text,
        at: usize,
        quoting: Quoting,
    },
    /// Other writers of a substitution's output.
    Writers,
    /// Standard input, for an operation that runs again.
    Input,
    /// The next command of a script that is read while it runs.
    Script,
    /// What is unwritten and the processes of `>( )`, before the shell ends with this status.
    Outputs(u8),
}

/// See the module.
pub(crate) struct Process {
    pub(crate) shell: Shell,
    pub(crate) code: Code,
    pub(crate) frames: Vec<Frame>,
    pub(crate) x: Expansion,
    pub(crate) wait: Wait,
    /// Output that a description has not taken yet, in order.
    pub(crate) unwritten: VecDeque<(Arc<Description>, Vec<u8>)>,
    /// Signals that arrived and were not looked at.
    pub(crate) signals: VecDeque<Signal>,
    /// The program changed: `poll` must look at `code` again.
    pub(crate) switched: bool,
    /// Function calls, `eval`, `source`, traps and subshells on the frames.
    pub(crate) depth: u64,
    /// How many references to elements are being looked up, each inside the one before.
    pub(crate) references: u32,
    /// The signal that ends the process.
    pub(crate) killed_by: Option<super::trap::Signal>,
    /// The signal that ended the command in the foreground, and its process.
    pub(crate) child_killed: Option<(u32, super::trap::Signal)>,
    /// A trap's action runs: `DEBUG` and `ERR` are not run for its commands.
    pub(crate) in_trap: u32,
    /// Which of `ERR`, `DEBUG` and `RETURN` run: [`super::frame::ScriptKind::bit`].
    pub(crate) traps_running: u8,
    /// Stages of the pipeline for which the `DEBUG` trap has run.
    pub(crate) debug_stage: u32,
    /// Where the command stands that the outermost trap interrupted, for `BASH_COMMAND`.
    pub(crate) trap_command: Option<(Arc<crate::program::Program>, Pc)>,
    #[expect(dead_code, reason = "held: it counts the process while it lives")]
    pub(crate) charge: crate::limit::ProcessCharge,
    /// Is no shell of its own but a stage of a pipeline, an asynchronous list or the like.
    pub(crate) is_forked: bool,
    /// Its `EXIT` trap has been started.
    pub(crate) exiting: bool,
    /// `set -e` ends the shell behind the `ERR` trap with this status.
    pub(crate) exit_after_trap: Option<u8>,
    /// Output of the builtin that runs.
    pub(crate) out: Vec<u8>,
    /// What stands before the message of an arithmetic error: `((`, `let`, `[[`.
    pub(crate) arithmetic_prefix: Option<&'static str>,
    /// What the expression that is evaluated is part of.
    pub(crate) arithmetic_context: ArithmeticContext,
    /// The evaluation of an arithmetic command failed.
    pub(crate) arithmetic_failed: bool,
    /// The `DEBUG` trap has run for the command that comes.
    pub(crate) debug_done: bool,
    /// The builtin that runs could not write its output.
    pub(crate) write_failed: bool,
    /// The value of `IFS` that `separators` was made from.
    pub(crate) ifs: super::variable::Value,
    /// Added to `SECONDS`.
    pub(crate) seconds_offset: i64,
    /// The script's path; empty for a command string.
    pub(crate) main_script: Text,
    /// Levels of `set -x` outside of this process.
    pub(crate) trace_base: usize,
    /// The answer to `select` as far as it was read.
    pub(crate) select_line: Option<Vec<u8>>,
    /// Processes of `>( )` that run: what they print belongs to the shell's output, so it ends behind them.
    pub(crate) outputs: Vec<u32>,
    /// The coprocess and its two variables, which go when it was waited for.
    pub(crate) coprocess: Option<(u32, [super::name::NameId; 2])>,
    /// The script, when it is read while it runs.
    pub(crate) input: Option<Box<super::reader::ScriptInput>>,
}

impl std::fmt::Debug for Process {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Process").field("pid", &self.shell.state.pid).finish_non_exhaustive()
    }
}

impl Process {
    /// The line of the operation that runs. Behind an error that gave a command of several lines up bash goes on counting
    /// from the line of the error.
    pub(crate) fn line(&self) -> u32 {
        self.code.program.line(self.code.pc.saturating_sub(1)).saturating_sub(self.code.shift)
    }

    /// Runs until the process ends (`Ready` with its status) or has to wait.
    ///
    /// # Errors
    /// A limit ends the whole run.
    pub(crate) fn poll(&mut self, run: &mut Run, cx: &mut Context<'_>) -> Poll<Result<u8, LimitError>> {
        loop {
            let step = match self.resume(run, cx) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(Ok(())) => self.operate(run, cx),
                Poll::Ready(Err(halt)) => Err(halt),
            };
            let outcome = match step {
                Ok(Progress::Wait) => continue,
                Ok(Progress::Yield) => {
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
                    run.services.meter.set_failure_line(self.line());
                    return Poll::Ready(Err(error));
                }
            }
        }
    }

    /// Looks at what the process waits for. Once that is over, a trapped signal comes before the next command.
    fn resume(&mut self, run: &mut Run, cx: &mut Context<'_>) -> Poll<Step> {
        let waits = !matches!(self.wait, Wait::Nothing);
        let resumed = self.resume_wait(run, cx);
        if waits
            && !self.signals.is_empty()
            && matches!((&resumed, &self.wait), (Poll::Ready(Ok(())), Wait::Nothing))
        {
            return Poll::Ready(self.take_signals(run));
        }
        resumed
    }

    fn resume_wait(&mut self, run: &mut Run, cx: &mut Context<'_>) -> Poll<Step> {
        if !self.signals.is_empty()
            && !matches!(self.wait, Wait::Utility(_) | Wait::Work(_) | Wait::Append { .. })
            && let Err(halt) = self.take_signals(run)
        {
            return Poll::Ready(Err(halt));
        }
        if !self.unwritten.is_empty() && self.flush_unwritten(cx)?.is_pending() {
            return Poll::Pending;
        }
        match &mut self.wait {
            Wait::Nothing => Poll::Ready(Ok(())),
            Wait::Input => {
                self.wait = Wait::Nothing;
                Poll::Ready(Ok(()))
            }
            Wait::Utility(future) => {
                let Poll::Ready(status) = future.as_mut().poll(cx) else {
                    if self.has_fatal_signal() {
                        self.wait = Wait::Nothing;
                        return Poll::Ready(self.take_signals(run));
                    }
                    return Poll::Pending;
                };
                self.wait = Wait::Nothing;
                if let Some(error) = run.services.meter.failure() {
                    return Poll::Ready(Err(error.into()));
                }
                self.shell.state.jobs.notice_ended();
                self.finish_simple(run, status.0);
                Poll::Ready(Ok(()))
            }
            Wait::Children { .. } => self.resume_children(run),
            Wait::Work(work) => {
                let Poll::Ready(done) = work.as_mut().poll(cx) else {
                    if self.has_fatal_signal() {
                        self.wait = Wait::Nothing;
                        return Poll::Ready(self.take_signals(run));
                    }
                    return Poll::Pending;
                };
                match self.finish_work(run, done) {
                    Ok(()) if !matches!(self.wait, Wait::Nothing) => self.resume_append(run, cx),
                    step => Poll::Ready(step),
                }
            }
            Wait::Append { .. } => self.resume_append(run, cx),
            Wait::Builtin(_) => {
                let Wait::Builtin(invocation) = std::mem::replace(&mut self.wait, Wait::Nothing) else {
                    return Poll::Ready(Ok(()));
                };
                let step = self.invoke(run, cx, *invocation);
                match (&self.wait, step) {
                    (Wait::Builtin(_), Ok(())) => Poll::Pending,
                    (_, step) => Poll::Ready(step),
                }
            }
            Wait::Writers => self.resume_writers(cx),
            Wait::Script => self.next_command(run, cx),
            Wait::Outputs(status) if self.outputs.is_empty() || self.is_forked => {
                let status = *status;
                self.wait = Wait::Nothing;
                Poll::Ready(Err(Halt::Exit(status)))
            }
            Wait::Outputs(_) => Poll::Pending,
        }
    }

    /// Writes what is left; a broken pipe kills the process.
    fn flush_unwritten(&mut self, cx: &mut Context<'_>) -> Result<Poll<()>, Halt> {
        while let Some((description, bytes)) = self.unwritten.front_mut() {
            match description.poll_write(cx, bytes) {
                Poll::Pending => return Ok(Poll::Pending),
                Poll::Ready(Ok(count)) if count < bytes.len() => {
                    bytes.drain(..count);
                }
                Poll::Ready(Ok(_)) => {
                    self.unwritten.pop_front();
                }
                Poll::Ready(Err(error)) => {
                    self.unwritten.clear();
                    return match error {
                        crate::vfs::FsError::Limit(limit) => Err(limit.into()),
                        crate::vfs::FsError::Errno(crate::vfs::Errno::BrokenPipe) => Err(Halt::Killed(141)),
                        crate::vfs::FsError::Errno(_) => Ok(Poll::Ready(())),
                    };
                }
            }
        }
        Ok(Poll::Ready(()))
    }

    /// Counts the operations that used up the fuel, and checks the deadline. Whether the process gives others a turn.
    #[cold]
    fn refuel(run: &Run) -> Step<bool> {
        Ok(run.services.meter.refuel()? != Turn::Continues)
    }

    /// Whether something has to be waited for, written or taken before the next operation.
    fn has_to_wait(&self) -> bool {
        !matches!(self.wait, Wait::Nothing) || !self.unwritten.is_empty() || !self.signals.is_empty()
    }

    /// Runs operations. Those that start nothing `continue`: what they may have left to write waits for the next one that
    /// does, or for fuel.
    fn operate(&mut self, run: &mut Run, cx: &mut Context<'_>) -> Step<Progress> {
        loop {
            let program = Arc::clone(&self.code.program);
            let link = Arc::clone(&self.code.link);
            self.switched = false;
            while !self.switched {
                if gauge::burn(1) {
                    if Self::refuel(run)? {
                        return Ok(Progress::Yield);
                    }
                    if self.has_to_wait() {
                        return Ok(Progress::Wait);
                    }
                }
                let Some(op) = program.code.get(self.code.pc as usize) else { return Ok(Progress::Ended) };
                self.code.pc += 1;
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
                        let expanded = self.tilde(run, &program.text(text));
                        self.x.builder.push_quoted(&expanded);
                    }
                    Op::InnerTilde(text) => {
                        let name = program.text(text);
                        if self.shell.state.options.has(ShellOption::Posix) {
                            self.x.builder.push_raw(b"~");
                            self.x.builder.push_raw(&name);
                        } else {
                            let expanded = self.tilde(run, &name);
                            self.x.builder.push_quoted(&expanded);
                        }
                    }
                    Op::Variable { name, quoting } => {
                        self.append_variable(run, link.name(name), quoting)?;
                        if matches!(self.wait, Wait::Nothing) {
                            continue;
                        }
                    }
                    Op::FieldVariable(name) => {
                        self.field_variable(run, link.name(name))?;
                        continue;
                    }
                    Op::Target(index) => self.resolve_target(run, &program, &link, index)?,
                    Op::Value { quoting } => {
                        let (target, source) = self.pop_target();
                        self.append_target(run, &target, source, quoting)?;
                    }
                    Op::Length { quoting } => self.length(run, quoting)?,
                    Op::UnlessDeclared { name, quoting, end } => {
                        self.unless_declared(link.name(name), quoting, end);
                    }
                    Op::SkipWords { null, slice, end } => self.skip_words(run, null, slice, end)?,
                    Op::SkipLength { end } => self.skip_length(run, end),
                    Op::UseValue { colon, quoting, keep, end } => {
                        self.use_value(run, colon, quoting, keep, end)?;
                    }
                    Op::SkipUnlessSet { colon, quoting, end } => {
                        let (target, source) = self.pop_target();
                        if !self.is_value_used(run, &target, source, colon, quoting)? {
                            self.code.pc = end;
                        }
                    }
                    Op::AssignDefault { quoting } => self.assign_default(run, quoting)?,
                    Op::ErrorUnset { colon } => self.error_unset(run, colon)?,
                    Op::Trim { prefix, longest, quoting, pattern } => {
                        let pattern = self.pattern(run, &program, pattern, false)?;
                        self.trim(run, prefix, longest, quoting, pattern)?;
                    }
                    Op::Replace { scope, replacement, quoting } => {
                        self.replace(run, scope, replacement, quoting)?;
                    }
                    Op::ChangeCase { operator, pattern, quoting } => {
                        self.change_case(run, operator, pattern, quoting)?;
                    }
                    Op::Substring { length, quoting } => self.substring(run, &program, length, quoting)?,
                    Op::Transform { operator, quoting } => self.transform(run, operator, quoting)?,
                    Op::Names { prefix, all, quoting } => {
                        let prefix = program.text(prefix);
                        self.names_with_prefix(&prefix, all, quoting);
                    }
                    Op::Keys { all, quoting } => self.keys(run, all, quoting)?,
                    Op::BadSubstitution { text, fatal } => {
                        let text = program.text(text);
                        let halt = self.expansion_error(format_args!("{text}: bad substitution"));
                        return Err(if fatal { self.fatal_expansion() } else { halt });
                    }
                    Op::Reject(message) => {
                        let message = program.text(message);
                        return Err(self.expansion_error(message));
                    }
                    Op::InvalidIdentifier(name) => {
                        let name = program.text(name);
                        self.invalid_identifier(&name)?;
                    }
                    Op::PushBuilder => self.x.builders.push(std::mem::take(&mut self.x.builder)),
                    Op::AppendNumber { quoting } => {
                        let number = self.x.numbers.pop().unwrap_or(0);
                        let text = super::variable::decimal(number);
                        self.append_text(&text, quoting);
                        continue;
                    }
                    Op::IfAssociative { name, key } => {
                        if self.is_associative(link.name(name)) {
                            self.code.pc = key;
                        }
                    }
                    Op::SubscriptIndex => {
                        let number = self.x.numbers.pop().unwrap_or(0);
                        self.x.subscripts.push(Subscript::Index(number));
                    }
                    Op::SubscriptKey { assigned } => {
                        let text = self.x.builder.take_text();
                        self.x.builder = self.x.builders.pop().unwrap_or_default();
                        if text.is_empty() && assigned != u32::MAX {
                            let shown = program.text(assigned);
                            return Err(self.expansion_error(format_args!("{shown}: bad array subscript")));
                        }
                        self.x.subscripts.push(Subscript::Key(text));
                    }
                    Op::Arithmetic(index) => {
                        if let Some(code) = program.arithmetic.get(index as usize) {
                            let number = self.evaluate(run, code, &link)?;
                            self.x.numbers.push(number);
                        }
                        continue;
                    }
                    Op::TryArithmetic { expression, done } => {
                        if let Some(code) = program.arithmetic.get(expression as usize)
                            && self.has_plain_operands(run, code, &link)?
                        {
                            let number = self.evaluate(run, code, &link)?;
                            self.x.numbers.push(number);
                            self.code.pc = done;
                        }
                    }
                    Op::ArithmeticText(context) => {
                        let text = self.x.builder.take_text();
                        self.x.builder = self.x.builders.pop().unwrap_or_default();
                        self.arithmetic_context = context;
                        let result = self.evaluate_text(run, &text, 0);
                        let number = self.arithmetic_result(context, result)?;
                        self.x.numbers.push(number);
                    }
                    Op::ArithmeticCommand(index) => {
                        if let Some(code) = program.arithmetic.get(index as usize) {
                            let number = self.evaluate(run, code, &link)?;
                            self.arithmetic_failed = false;
                            self.set_status(u8::from(number == 0));
                        }
                        continue;
                    }
                    Op::ArithmeticTest { expression, test, end } => {
                        if let Some(code) = program.arithmetic.get(expression as usize) {
                            let number = self.evaluate(run, code, &link)?;
                            self.arithmetic_loop(number, test, end);
                        }
                        continue;
                    }
                    Op::ArithmeticStatus => {
                        let number = self.x.numbers.pop().unwrap_or(0);
                        self.arithmetic_failed = false;
                        self.set_status(u8::from(number == 0));
                    }
                    Op::ArithmeticLoop { test, end } => {
                        let number = self.x.numbers.pop().unwrap_or(1);
                        self.arithmetic_loop(number, test, end);
                    }
                    Op::Substitution { end, quoting, .. } => self.begin_substitution(run, end, quoting)?,
                    Op::SubstitutionEnd | Op::EndProcess => {
                        let status = self.shell.state.status;
                        return self.end_body(run, status);
                    }
                    Op::ReadFile { quoting } => self.read_file(run, quoting)?,
                    Op::ProcessSubstitution { output, end } => self.process_substitution(run, output, end)?,
                    Op::Begin => {
                        if self.shell.state.traps.debug.is_some() && self.debug_simple(run, &program)? {
                            continue;
                        }
                        self.begin_command();
                        continue;
                    }
                    Op::BeginWords => {
                        self.begin_command();
                        continue;
                    }
                    Op::Field(text) => {
                        self.x.fields.push(program.text(text));
                        continue;
                    }
                    Op::EndField => {
                        self.end_field(run)?;
                        continue;
                    }
                    Op::EndScalar => {
                        let text = self.x.builder.take_text();
                        self.x.fields.push(text);
                    }
                    Op::UnlessBraces(to) => {
                        if !self.shell.state.options.has(ShellOption::BraceExpand) {
                            self.code.pc = to;
                        }
                    }
                    Op::BraceFields(index) => self.brace_fields(run, &program, index)?,
                    Op::ArrayBegin => {
                        let fields = std::mem::take(&mut self.x.fields);
                        self.x.literals.push(ArrayLiteral { elements: Vec::new(), fields });
                    }
                    Op::ArrayElements => self.array_elements(),
                    Op::ArrayKeyed { append, name } => {
                        let indexed = self.x.builder.has_breaks()
                            && name != Index::MAX
                            && !self.is_associative(link.name(name));
                        if indexed {
                            // Bash joins every list there with what `IFS` begins with.
                            self.x.builder.join_all(&self.shell.state.separators.join);
                        }
                        self.array_keyed(append);
                    }
                    Op::ArrayArgument { name, append } => self.array_argument(&program.text(name), append),
                    Op::Assign { name, append } => {
                        let text = self.x.builder.take_text();
                        self.assign_word(run, link.name(name), text, append)?;
                        continue;
                    }
                    Op::AssignStatement { name, append } => {
                        let text = self.x.builder.take_text();
                        self.assign_word(run, link.name(name), text, append)?;
                        self.forget_last_argument();
                        self.set_status(0);
                        continue;
                    }
                    Op::AssignNumber { name } => {
                        let number = self.x.numbers.pop().unwrap_or(0);
                        self.assign_number(run, link.name(name), number)?;
                        self.forget_last_argument();
                        self.set_status(0);
                        continue;
                    }
                    Op::AssignElement { name, append, shown } => {
                        let text = self.x.builder.take_text();
                        self.assign_element_word(run, link.name(name), text, append, shown)?;
                    }
                    Op::AssignArray { name, append } => {
                        let literal = self.pop_literal();
                        self.assign_array_word(run, link.name(name), &literal, append)?;
                    }
                    Op::TemporaryAssign { name, append } => {
                        let value = self.x.builder.take_text();
                        self.x.assignments.push(TemporaryAssignment { name: link.name(name), value, append });
                    }
                    Op::ShowAssignments => self.show_assignments(run),
                    Op::HideAssignments => self.hide_assignments(),
                    Op::AssignmentsDone => self.assignments_done(),
                    Op::Redirect(index) => self.redirect(run, &program, index)?,
                    Op::OwnProcess { plain, end } => {
                        self.begin_own_process(run, plain, end)?;
                        continue;
                    }
                    Op::EndOwnProcess => self.end_own_process()?,
                    Op::RedirectBegin => self.begin_command(),
                    Op::RedirectReady { end } => self.redirections_ready(end),
                    Op::RedirectEnd => self.end_redirections(),
                    Op::Execute { name } => {
                        let known = (name != u32::MAX).then(|| (link.name(name), link.builtin(name)));
                        self.execute(run, cx, known)?;
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
                    Op::RunStandardInput => self.read_commands(),
                    Op::Pipeline(index) => self.pipeline(run, &program, index)?,
                    Op::Background { end, text, nested } => {
                        self.background(run, &program, end, program.text(text), nested)?;
                    }
                    Op::Coprocess { end, text } => self.coprocess(run, end, program.text(text))?,
                    Op::Subshell { end } => self.begin_subshell(run, end)?,
                    Op::DefineFunction { function, end } => {
                        self.define_function(&program, function, end)?;
                    }
                    Op::FunctionBody(part) => self.enter_part(run, &program, &link, part)?,
                    Op::DeferredList(part) => {
                        self.frames.push(Frame::List(self.code.clone()));
                        self.enter_part(run, &program, &link, part)?;
                    }
                    Op::ReturnFromFunction => {
                        let status = self.shell.state.status;
                        self.return_from_function(run, status)?;
                    }
                    Op::End => return self.end_program(run),
                    Op::ParseMore => self.parse_more(run, &program)?,
                    Op::SyntaxError(index) => return Err(self.syntax_error(run, &program, index)),
                    Op::Jump(to) => {
                        self.code.pc = to;
                        continue;
                    }
                    Op::JumpIfFailure(to) => {
                        if self.shell.state.status != 0 {
                            self.code.pc = to;
                        }
                        continue;
                    }
                    Op::JumpIfSuccess(to) => {
                        if self.shell.state.status == 0 {
                            self.code.pc = to;
                        }
                        continue;
                    }
                    Op::Negate => {
                        let status = u8::from(self.shell.state.status == 0);
                        self.shell.state.status = status;
                    }
                    Op::SetStatus(status) => self.shell.state.status = status,
                    Op::Check => {
                        if self.shell.state.status != 0 {
                            self.check_failure(run)?;
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
                        self.begin_loop(break_to, continue_to, Vec::new());
                    }
                    Op::LoopTurn => {
                        run.services.meter.count_loop()?;
                        continue;
                    }
                    Op::LoopStatus => {
                        let status = self.shell.state.status;
                        if let Some(Frame::Loop(frame)) = self.frames.last_mut() {
                            frame.status = status;
                        }
                        continue;
                    }
                    Op::LoopEnd => {
                        if let Some(Frame::Loop(frame)) = self.frames.pop() {
                            self.shell.state.status = frame.status;
                        }
                    }
                    Op::ForBegin { positional, break_to, continue_to } => {
                        let fields = self.loop_fields(positional);
                        self.begin_loop(break_to, continue_to, fields);
                    }
                    Op::ForNext { name, end } => {
                        self.next_field(run, link.name(name), end)?;
                        continue;
                    }
                    Op::SelectBegin { positional, break_to, continue_to } => {
                        let fields = self.loop_fields(positional);
                        self.begin_select(break_to, continue_to, fields);
                    }
                    Op::SelectNext { name, end } => {
                        if !self.select_next(run, cx, link.name(name), end)? {
                            return Ok(Progress::Wait);
                        }
                    }
                    Op::CaseBegin => {
                        let subject = self.x.builder.take_text();
                        self.frames.push(Frame::Case(subject, false));
                    }
                    Op::CaseMatch { pattern, arm } => self.case_match(run, &program, pattern, arm)?,
                    Op::CaseContinue => {
                        if let Some(Frame::Case(_, ran)) = self.frames.last_mut() {
                            *ran = true;
                        }
                    }
                    Op::CaseUnmatched => {
                        if !matches!(self.frames.last(), Some(Frame::Case(_, true))) {
                            self.shell.state.status = 0;
                        }
                    }
                    Op::CaseEnd => {
                        self.frames.pop();
                    }
                    Op::TimeBegin => self.frames.push(Frame::Time(run.services.session.clock.monotonic())),
                    Op::TimeEnd { posix } => self.time_end(run, posix),
                    Op::ConditionalWord => self.conditional_word(run),
                    Op::ConditionalUnary(operator) => self.conditional_unary(run, operator)?,
                    Op::ConditionalBinary(operator) => self.conditional_binary(run, operator)?,
                    Op::ConditionalEnd => {}
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

    /// An expression of `for ((` was evaluated: whether the loop goes on.
    fn arithmetic_loop(&mut self, number: i64, test: bool, end: Pc) {
        if std::mem::take(&mut self.arithmetic_failed) {
            if let Some(Frame::Loop(frame)) = self.frames.last_mut() {
                frame.status = 1;
            }
            self.code.pc = end;
        } else if test && number == 0 {
            self.code.pc = end;
        }
    }

    /// Appends a text as one value.
    pub(crate) fn append_text(&mut self, text: &[u8], quoting: Quoting) {
        match quoting {
            Quoting::Quoted | Quoting::Document => self.x.builder.push_quoted(text),
            Quoting::Raw => self.x.builder.push_raw(text),
            Quoting::Split => self.x.builder.push_split(text, &self.shell.state.separators),
        }
    }

    pub(crate) fn pop_target(&mut self) -> (Target, Index) {
        self.x.targets.pop().unwrap_or((Target::Nothing, 0))
    }

    /// `$_` is empty behind an assignment.
    #[inline]
    pub(crate) fn forget_last_argument(&mut self) {
        if !self.shell.state.last_argument.is_empty() {
            self.shell.state.last_argument = Text::EMPTY;
        }
    }

    /// Sets `$?` and, as for a pipeline of one command, `PIPESTATUS`.
    pub(crate) fn set_status(&mut self, status: u8) {
        self.shell.state.status = status;
        let statuses = &mut self.shell.state.pipe_status;
        if statuses.as_slice() != [status] {
            match Arc::get_mut(statuses) {
                Some(statuses) => {
                    statuses.clear();
                    statuses.push(status);
                }
                None => *statuses = Arc::new(vec![status]),
            }
        }
    }

    /// Goes on at another place.
    pub(crate) fn switch(&mut self, code: Code) {
        self.code = code;
        self.switched = true;
    }

    /// The code at `pc` of the program that runs.
    pub(crate) fn code_at(&self, pc: Pc) -> Code {
        Code { pc, ..self.code.clone() }
    }

    fn array_elements(&mut self) {
        if let Some(literal) = self.x.literals.last_mut() {
            let elements = self.x.fields.drain(..);
            literal.elements.extend(elements.map(|value| ArrayElement { key: None, append: false, value }));
        }
    }

    fn array_keyed(&mut self, append: bool) {
        let value = self.x.builder.take_text();
        self.x.builder = self.x.builders.pop().unwrap_or_default();
        let key = Some(self.x.builder.take_text());
        if let Some(literal) = self.x.literals.last_mut() {
            literal.elements.push(ArrayElement { key, append, value });
        }
    }

    fn array_argument(&mut self, name: &Text, append: bool) {
        let literal = self.pop_literal();
        let mut field = name.clone();
        field.push_bytes(if append { b"+=" } else { b"=" });
        self.x.arguments.push((self.x.fields.len(), literal));
        self.x.fields.push(field);
    }

    fn pop_literal(&mut self) -> ArrayLiteral {
        let mut literal = self.x.literals.pop().unwrap_or_default();
        self.x.fields = std::mem::take(&mut literal.fields);
        literal
    }
}

/// How far `operate` came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Progress {
    /// It has to wait.
    Wait,
    /// Its slice is over.
    Yield,
    /// The program is over.
    Ended,
}
