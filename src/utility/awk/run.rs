//! Drives the machine: BEGIN actions, the rules for each record of each operand, END actions; and does what the machine
//! pauses for.

mod main_input;

use super::error::{Fault, ProgramPart};
use super::in_place::InPlace;
use super::input::{RecordReader, Separator};
use super::machine::{Machine, Pause};
use super::op::{FILENAME, FNR, Program, RT, Redirect, Source};
use super::parser::Sources;
use super::stream::Streams;
use super::value::Value;
use crate::limit::gauge;
use crate::memory::{String, Vec, format};
use crate::utility::context::pace::yield_now;
use crate::utility::prelude::*;

/// Turns of the machine between two of its ticks.
const TICKS: u32 = 256;

/// Fuel of a record and what is done with it.
const RECORD: i64 = 4;
/// From so many bytes on, a record is read in turns with others.
const LONG_RECORD: usize = 16 << 10;

/// How a part of the program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ended {
    Done,
    NextFile,
    Exit,
}

pub(super) struct Runner<'p> {
    program: &'p Program,
    sources: &'p Sources,
    machine: Machine<'p>,
    streams: Streams,
    /// The operand that is being read.
    reader: Option<RecordReader>,
    /// The number of the next operand, and whether one was read.
    next_argument: usize,
    has_read: bool,
    /// A record that `getline` reads.
    line: Vec<u8>,
    separator: (Text, Separator),
    /// What is to be said of assignments among the arguments.
    assignment_warnings: Vec<String>,
    pub(super) in_place: Option<InPlace>,
    /// No command is run, and no file beside the operands is read or written.
    pub(super) is_sandboxed: bool,
    /// Some line of the program ran.
    has_run: bool,
    /// Standard input is read because no operand is a file.
    is_standard: bool,
    /// BEGINFILE or ENDFILE runs.
    is_between_files: bool,
}

impl<'p> Runner<'p> {
    pub(super) fn new(program: &'p Program, sources: &'p Sources, machine: Machine<'p>) -> Self {
        Self {
            program,
            sources,
            machine,
            streams: Streams::default(),
            reader: None,
            next_argument: 1,
            has_read: false,
            line: Vec::new(),
            separator: (Text::from_static(b"\n"), Separator::Byte(b'\n')),
            assignment_warnings: Vec::new(),
            in_place: None,
            is_sandboxed: false,
            has_run: false,
            is_standard: false,
            is_between_files: false,
        }
    }

    /// Fills `ENVIRON` and `ARGV`.
    pub(super) fn set_arrays(
        &mut self,
        environment: &crate::utility::Environment,
        arguments: &[Text],
    ) -> Result<(), Fault> {
        self.machine.set_arrays(environment, arguments)
    }

    /// `name=value`, from an operand; false when it is none.
    fn assign(&mut self, text: &[u8]) -> Result<bool, Fault> {
        let Some(equals) = memchr::memchr(b'=', text) else { return Ok(false) };
        let (name, value) = (text.get(..equals).unwrap_or(&[]), text.get(equals + 1..).unwrap_or(&[]));
        if !is_name(name) {
            return Ok(false);
        }
        let value = unescape(value, &mut self.assignment_warnings);
        self.set(name, Text::from(value))?;
        Ok(true)
    }

    /// Gives a variable a value from outside of the program. One that the program does not name cannot be seen.
    pub(super) fn set(&mut self, name: &[u8], value: Text) -> Result<(), Fault> {
        match self.program.globals.iter().position(|global| global == name) {
            Some(slot) => self.machine.set_global(slot as u32, Value::input(value)),
            None => Ok(()),
        }
    }

    /// Of these bytes after a backslash was warned.
    pub(super) fn know_escapes(&mut self, bytes: Vec<u8>) {
        self.machine.warned_escapes.extend(bytes);
    }

    /// Whether the program has a function of that name.
    pub(super) fn is_function(&self, name: &[u8]) -> bool {
        self.program.functions.iter().any(|function| *function.name == *name)
    }

    /// Says what is to be said of assignments among the arguments.
    fn warn_of_assignments(&mut self, ctx: &mut Context) {
        for warning in std::mem::take(&mut self.assignment_warnings) {
            ctx.warn(format_args!("{warning}"));
        }
    }

    /// Runs the program; the exit status.
    pub(super) async fn run(&mut self, ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
        let result = self.run_parts(ctx).await;
        let closed = match result {
            Ok(()) => self.streams.close_all(ctx).await,
            Err(fault @ (Fault::Fatal(_) | Fault::Utility(_))) => {
                // What was written before goes to its files and commands.
                self.streams.close_all(ctx).await.and(Err(fault))
            }
            Err(fault) => Err(fault),
        };
        self.machine.arrays.clear_all();
        while self.machine.arrays.free_some() {
            yield_now().await;
        }
        match closed {
            Ok(()) => Ok(ExitStatus(self.machine.status)),
            Err(fault) => Err(self.error(fault)),
        }
    }

    /// The error of a fault: where it happened goes before it.
    pub(super) fn error(&self, fault: Fault) -> UtilityError {
        match fault {
            Fault::Limit(limit) => limit.into(),
            Fault::Utility(error) => error,
            Fault::Fatal(message) => {
                let message = format!("{}{}fatal: {message}", self.place(), self.record_place());
                UtilityError::Failed { message, status: 2 }
            }
        }
    }

    fn place(&self) -> String {
        let (source, line) = self.sources.locate(self.machine.line());
        match source {
            ProgramPart::CommandLine => format!("cmd. line:{line}: "),
            ProgramPart::File(name) => format!("{name}:{line}: "),
        }
    }

    fn record_place(&self) -> String {
        let count = self.machine.global(FNR).number();
        let Value::Text(name) = self.machine.global(FILENAME) else { return String::new() };
        if count < 1.0 {
            return String::new();
        }
        let name = if name.is_empty() { "-".into() } else { String::from_utf8_lossy(name) };
        format!("(FILENAME={name} FNR={count}) ")
    }

    async fn run_parts(&mut self, ctx: &mut Context) -> Result<(), Fault> {
        if let Some(begin) = self.program.begin
            && self.part(ctx, begin).await? == Ended::Exit
        {
            return self.end(ctx).await;
        }
        let Program { main, end, begin_file, end_file, .. } = self.program;
        if [main, end, begin_file, end_file].into_iter().any(Option::is_some) {
            loop {
                let ended = if let Some((main, pause)) = self.run_buffered(ctx) {
                    self.part_from(ctx, main, pause).await?
                } else if self.next_record(ctx).await? {
                    let Some(main) = self.program.main else { continue };
                    self.part(ctx, main).await?
                } else {
                    break;
                };
                match ended {
                    Ended::Done => {}
                    Ended::NextFile => self.leave_file(ctx).await?,
                    Ended::Exit => return self.end(ctx).await,
                }
            }
        }
        self.end(ctx).await
    }

    async fn end(&mut self, ctx: &mut Context) -> Result<(), Fault> {
        if let Some(in_place) = &mut self.in_place {
            in_place.finish(ctx).await?;
        }
        if let Some(end) = self.program.end {
            self.part(ctx, end).await?;
        }
        Ok(())
    }

    /// Leaves the file that is read.
    async fn leave_file(&mut self, ctx: &mut Context) -> Result<(), Fault> {
        self.reader = None;
        if let Some(entry) = self.program.end_file {
            self.part_between(ctx, entry).await?;
        }
        if let Some(in_place) = &mut self.in_place {
            in_place.finish(ctx).await?;
        }
        Ok(())
    }

    /// Runs BEGINFILE or ENDFILE, while another part may wait for a record. They read no records themselves, so that the box,
    /// without which the future would hold itself, holds no other.
    #[expect(clippy::disallowed_methods, reason = "the future borrows, and there is one of it at a time")]
    fn part_between<'r>(
        &'r mut self,
        ctx: &'r mut Context,
        entry: u32,
    ) -> std::pin::Pin<Box<dyn Future<Output = Result<Ended, Fault>> + Send + 'r>> {
        Box::pin(async move {
            let suspended = self.machine.suspend();
            self.is_between_files = true;
            let ended = self.part(ctx, entry).await;
            self.is_between_files = false;
            self.machine.resume(suspended);
            ended
        })
    }

    /// Runs the rules for the records that were read already, as long as nothing takes waiting: most records need no future.
    /// Gives the rules and the pause at which those for the last record stopped; `None`: the next record is to be read.
    fn run_buffered(&mut self, ctx: &mut Context) -> Option<(u32, Result<Pause, Fault>)> {
        let main = self.program.main?;
        loop {
            let Separator::Byte(byte) = self.separator.1 else { return None };
            if gauge::burn(RECORD) || *self.separator.0 != *self.machine.settings.rs {
                return None;
            }
            let record = self.reader.as_mut()?.next_buffered(byte, LONG_RECORD)?;
            self.machine.record.set(record);
            self.machine.count_record(true);
            if !matches!(self.machine.global(RT), Value::Text(text) if **text == [byte])
                && let Err(fault) = self.machine.set_global(RT, Value::Text(Text::from(&[byte][..])))
            {
                return Some((main, Err(fault)));
            }
            self.machine.start(main);
            self.has_run = true;
            let pause = self.machine.step(&mut ctx.stdout);
            match pause {
                Ok(Pause::Done | Pause::Next) if self.machine.warnings.is_empty() => {}
                pause => return Some((main, pause)),
            }
        }
    }

    /// Runs a part of the program to its end.
    async fn part(&mut self, ctx: &mut Context, entry: u32) -> Result<Ended, Fault> {
        self.machine.start(entry);
        self.has_run = true;
        let pause = self.machine.step(&mut ctx.stdout);
        self.part_from(ctx, entry, pause).await
    }

    /// Goes on with a part of the program at a pause.
    async fn part_from(
        &mut self,
        ctx: &mut Context,
        entry: u32,
        mut pause: Result<Pause, Fault>,
    ) -> Result<Ended, Fault> {
        loop {
            self.warn(ctx).await?;
            let now = pause?;
            if self.is_sandboxed {
                refuse_in_sandbox(&now)?;
            }
            match now {
                Pause::NextFile if Some(entry) == self.program.begin_file => return Ok(Ended::NextFile),
                Pause::Next | Pause::NextFile if Some(entry) != self.program.main => {
                    let keyword = if matches!(now, Pause::Next) { "next" } else { "nextfile" };
                    let rule = match Some(entry) {
                        entry if entry == self.program.begin => "BEGIN",
                        entry if entry == self.program.end => "END",
                        entry if entry == self.program.begin_file => "BEGINFILE",
                        _ => "ENDFILE",
                    };
                    return Err(Fault::fatal(format!("`{keyword}' cannot be called from a `{rule}' rule")));
                }
                Pause::Done | Pause::Next => return Ok(Ended::Done),
                Pause::NextFile => return Ok(Ended::NextFile),
                Pause::Exit => return Ok(Ended::Exit),
                Pause::Tick => {
                    ctx.tick_many(TICKS);
                    ctx.check().await?;
                }
                Pause::Slow(op) => {
                    let next = self.machine.slow(op, &ctx.meter).await;
                    self.warn(ctx).await?;
                    let next = next?;
                    if let Some(Pause::Print(texts)) = next {
                        print(ctx, &texts).await?;
                    }
                    ctx.tick().await?;
                }
                Pause::Prepare(need) => self.machine.prepare(need, &ctx.meter).await?,
                Pause::Flush => ctx.stdout.flush().await?,
                Pause::Print(texts) => print(ctx, &texts).await?,
                Pause::Write(redirect, name) if name.is_empty() => {
                    return Err(Fault::without_name(match redirect {
                        Redirect::Append => ">>",
                        Redirect::Command => "|",
                        Redirect::File | Redirect::Stdout => ">",
                    }));
                }
                Pause::Write(redirect, name) => {
                    let text = std::mem::take(&mut self.machine.output);
                    self.streams.write(ctx, redirect, &name, &text).await?;
                    self.machine.output = text;
                }
                Pause::System(command) => {
                    let status = self.streams.system(ctx, &command).await?;
                    self.machine.push(Value::Number(status));
                }
                Pause::Close(name) => {
                    if self.streams.is_open(&name) {
                        ctx.stdout.flush().await?;
                    }
                    let status = self.streams.close(ctx, &name).await?;
                    self.machine.push(Value::Number(status));
                }
                Pause::Fflush(name) => {
                    ctx.stdout.flush().await?;
                    let name = name.as_deref().filter(|name| !name.is_empty());
                    let is_standard = name.is_some_and(|name| {
                        matches!(name, b"/dev/stdout" | b"/dev/stderr" | b"/dev/fd/1" | b"/dev/fd/2")
                    });
                    let found = self.streams.flush(name).await? || is_standard;
                    if let Some(name) = name.filter(|_| !found) {
                        let shown = String::from_utf8_lossy(name);
                        let place = format!("{}{}", self.place(), self.record_place());
                        ctx.warn(format_args!(
                            "{place}warning: fflush: `{shown}' is not an open file, pipe or co-process"
                        ));
                    }
                    self.machine.push(Value::Number(if found { 0.0 } else { -1.0 }));
                }
                Pause::Getline(source, place, name) => {
                    let outcome = self.getline(ctx, source, &name).await?;
                    self.machine.getline_done(place, outcome, &self.line)?;
                }
            }
            pause = self.machine.step(&mut ctx.stdout);
        }
    }

    /// Prints warnings; what was printed before goes out first.
    async fn warn(&mut self, ctx: &mut Context) -> Result<(), UtilityError> {
        if self.machine.warnings.is_empty() {
            return Ok(());
        }
        ctx.stdout.flush().await?;
        for warning in std::mem::take(&mut self.machine.warnings) {
            let place = self.place();
            let record =
                if warning.starts_with("warning: function ") { String::new() } else { self.record_place() };
            ctx.warn(format_args!("{place}{record}{warning}"));
        }
        Ok(())
    }
}

/// What a program of `--sandbox` must not do ends it.
fn refuse_in_sandbox(pause: &Pause) -> Result<(), Fault> {
    let what = match pause {
        Pause::System(_) => "'system' function",
        Pause::Write(..) | Pause::Getline(Source::File | Source::Command, ..) => "redirection",
        _ => return Ok(()),
    };
    Err(Fault::fatal(format!("{what} not allowed in sandbox mode")))
}

async fn print(ctx: &mut Context, texts: &[Text]) -> Result<(), UtilityError> {
    for text in texts {
        ctx.stdout.write(text).await?;
    }
    Ok(())
}

/// Whether a text can name a variable.
pub(super) fn is_name(text: &[u8]) -> bool {
    text.first().is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'_')
        && text.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
}

/// The value of an assignment, escapes resolved as in a string.
pub(super) fn unescape(text: &[u8], warnings: &mut Vec<String>) -> Vec<u8> {
    let mut value = Vec::with_capacity(text.len());
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        at += 1;
        if byte != b'\\' {
            value.push(byte);
            continue;
        }
        let rest = text.get(at..).unwrap_or(&[]);
        if let Some((byte, length)) = super::lexer::escape(rest) {
            value.push(byte);
            at += length;
        } else {
            // gawk drops a backslash at the end.
            let Some(&byte) = rest.first() else { break };
            warnings.push(super::lexer::escape_warning(byte));
            value.push(byte);
            at += 1;
        }
    }
    value
}
