//! One run of a filter over all its inputs, and the printing of what comes out.

use super::super::arguments::Request;
use super::super::compile::{Member, Otherwise};
use super::super::disposal::Disposal;
use super::super::error::JqError;
use super::super::library::{self, Places};
use super::super::machine::Interruption;
use super::super::member;
use super::super::print::{self, Layout, Printing};
use super::super::read::ReadError;
use super::super::run::Run;
use super::super::source::{self, Source, SourceError, end_of_run, ended};
use super::super::text::Text;
use super::super::value::Value;
use crate::limit::Meter;
use crate::memory::{String, ToMeteredString, format};
use crate::utility::prelude::{Context, ExitStatus, UtilityError};
use std::sync::Arc;

/// Bytes of output that are printed before they are handed on.
const FULL: usize = 32 << 10;

/// Bytes of an input that is freed a part at a time.
const LARGE: usize = 256 << 10;

/// How the last input ended, for the exit status.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Verdict {
    /// No output, or no input yet.
    Nothing,
    /// Its last output was false or null.
    False,
    /// Its last output was anything else.
    True,
    /// An error of the filter, or of an input's text.
    Error,
    /// `halt` and `halt_error`.
    Halted(i32),
}

/// One run over all its inputs.
pub(super) struct Evaluation<'a> {
    pub(super) request: &'a Request<'a>,
    pub(super) places: &'a Places,
    pub(super) layout: Layout,
    /// The filter, where it is no more than a member of each input.
    pub(super) member: Option<&'a Member>,
    pub(super) meter: &'a Arc<Meter>,
    pub(super) run: Run<'a, 'a>,
    pub(super) source: Source,
    /// Where outputs are laid out.
    pub(super) line: String,
    pub(super) verdict: Verdict,
    /// Whether the last output was true, of the last input that had one and no error.
    pub(super) last: Option<bool>,
}

impl Evaluation<'_> {
    pub(super) async fn over_all_inputs(&mut self, ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
        if self.request.null_input {
            self.run.start(Value::Null);
            self.evaluate(ctx).await?;
        } else {
            // After a file that could not be read there are no further inputs.
            while !self.source.has_failed {
                if let Some(member) = self.member
                    && let Some((value, used)) =
                        member::member(self.source.bytes(), &member.path, self.run.work())
                {
                    self.source.consume(used);
                    self.verdict = Verdict::Nothing;
                    match &member.otherwise {
                        Otherwise::Value(other) if !value.is_true() => self.print(ctx, other.clone()).await?,
                        Otherwise::Nothing if !value.is_true() => {}
                        _ => self.print(ctx, value).await?,
                    }
                    self.note();
                    ctx.tick().await?;
                    continue;
                }
                // What follows a file that could not be opened is one input more.
                if self.member.is_some()
                    && self.source.bytes().is_empty()
                    && self.source.fill(ctx).await?
                    && !self.source.has_failed
                {
                    continue;
                }
                let before = self.source.consumed();
                match self.source.next(ctx, self.run.work()).await {
                    Ok(Some(input)) => {
                        self.describe_input();
                        // The machine drops its input somewhere inside; a large one is not freed there, but here.
                        let large = (self.source.consumed() - before > LARGE).then(|| input.clone());
                        self.run.start(input);
                        self.evaluate(ctx).await?;
                        if let Verdict::Halted(_) = self.verdict {
                            break;
                        }
                        self.note();
                        dispose(ctx, large).await?;
                        ctx.tick().await?;
                    }
                    Ok(None) => break,
                    Err(SourceError::Utility(error)) => return Err(error),
                    Err(SourceError::Stopped(_)) => return Err(ended(self.meter).into()),
                    Err(SourceError::Syntax(problem)) => {
                        ctx.stdout.flush().await?;
                        let is_fatal = !self.request.sequence;
                        let what = if is_fatal { "parse error" } else { "ignoring parse error" };
                        ctx.stderr.write(format!("jq: {what}: {problem}\n").as_bytes()).await?;
                        if is_fatal {
                            self.verdict = Verdict::Error;
                            break;
                        }
                    }
                }
            }
        }
        Ok(self.status())
    }

    /// Keeps what the outputs of this input say for `-e`.
    fn note(&mut self) {
        match self.verdict {
            Verdict::True => self.last = Some(true),
            Verdict::False => self.last = Some(false),
            _ => {}
        }
    }

    fn status(&self) -> ExitStatus {
        if self.source.has_failed {
            return ExitStatus(2);
        }
        let strict = self.request.exit_status;
        ExitStatus(match self.verdict {
            Verdict::Error => 5,
            Verdict::Halted(status) if strict => status.unsigned_abs() as u8,
            Verdict::Halted(status) => status.max(0) as u8,
            _ if !strict => 0,
            Verdict::True => 0,
            Verdict::False => 1,
            Verdict::Nothing => match self.last {
                None => 4,
                Some(last) => u8::from(!last),
            },
        })
    }

    fn describe_input(&mut self) {
        let host = self.run.host();
        host.filename = self.source.name().cloned();
        host.lines = self.source.lines();
    }

    /// The outputs over the current input.
    async fn evaluate(&mut self, ctx: &mut Context) -> Result<(), UtilityError> {
        self.verdict = Verdict::Nothing;
        loop {
            let step = self.run.step();
            let said = self.run.host().messages.take();
            if !said.is_empty() {
                ctx.stderr.write(said.as_bytes()).await?;
                ctx.stderr.flush().await?;
            }
            match step {
                Interruption::Output(Value::String(text)) if self.refuses(&text) => {
                    let problem = "Cannot dump a string containing NUL with --raw-output0 option";
                    return self.fail(ctx, &JqError::Uncaught(Value::text(problem))).await;
                }
                Interruption::Output(value) => {
                    self.print(ctx, value).await?;
                }
                Interruption::Done => return Ok(()),
                Interruption::Pause => {
                    if ctx.check().await.is_err() {
                        return end_of_run().await;
                    }
                    self.run.work().go_on();
                }
                Interruption::Input => {
                    let input = match self.source.next(ctx, self.run.work()).await {
                        Ok(value) => value.map(Ok),
                        Err(SourceError::Syntax(problem)) => Some(Err(ReadError::Syntax(problem))),
                        Err(SourceError::Stopped(stop)) => Some(Err(ReadError::Stopped(stop))),
                        Err(SourceError::Utility(error)) => return Err(error),
                    };
                    self.describe_input();
                    self.run.supply(input);
                }
                Interruption::Module(name) => {
                    let metadata = library::metadata(ctx, self.places, name.as_str()).await?;
                    self.run.describe(metadata);
                }
                Interruption::Failed(error) => return self.fail(ctx, &error).await,
            }
        }
    }

    /// Whether the output could not be told apart from the next one.
    fn refuses(&self, text: &Text) -> bool {
        self.request.refuses_nul
            && self.request.raw_output
            && memchr::memchr(0, text.as_str().as_bytes()).is_some()
    }

    async fn fail(&mut self, ctx: &mut Context, error: &JqError) -> Result<(), UtilityError> {
        let said = match error {
            JqError::Stopped => return end_of_run().await,
            JqError::Halt(halt) => {
                let said = match &halt.message {
                    Some(Value::String(text)) => text.as_str().to_metered_string(),
                    Some(Value::Null) => String::new(),
                    Some(other) => format!("{}\n", print::compact(other)),
                    None => String::new(),
                };
                ctx.stderr.write(said.as_bytes()).await?;
                self.verdict = Verdict::Halted(halt.status);
                return Ok(());
            }
            JqError::Break => ": break".to_metered_string(),
            JqError::Uncaught(_) => error.to_metered_string(),
        };
        let place = match self.source.name() {
            Some(name) => format!("{}:{}", source::shown(name), self.source.lines()),
            None => "<unknown>".to_metered_string(),
        };
        ctx.stderr.write(format!("jq: error (at {place}){said}\n").as_bytes()).await?;
        ctx.stderr.flush().await?;
        self.verdict = Verdict::Error;
        Ok(())
    }

    async fn print(&mut self, ctx: &mut Context, value: Value) -> Result<(), UtilityError> {
        self.verdict = if value.is_true() { Verdict::True } else { Verdict::False };
        if let (true, Value::String(text)) = (self.request.raw_output, &value) {
            ctx.stdout.push(text.as_str().as_bytes());
        } else {
            if self.request.sequence {
                ctx.stdout.push(b"\x1e");
            }
            let (owner, mut is_long) = (value.clone(), false);
            let mut printing = Printing::new(value);
            loop {
                self.line.clear();
                let work = self.run.work();
                let is_done = printing.go_on(&self.layout, &mut self.line, FULL, work);
                let is_done = is_done.map_err(|_| UtilityError::from(ended(self.meter)))?;
                ctx.stdout.write(self.line.as_bytes()).await?;
                if is_done {
                    break;
                }
                is_long = true;
                ctx.check().await?;
                self.run.work().go_on();
            }
            drop(printing);
            if is_long {
                dispose(ctx, Some(owner)).await?;
            }
        }
        ctx.stdout.write(self.request.end).await
    }
}

/// Frees a value, with pauses.
pub(super) async fn dispose(ctx: &mut Context, value: Option<Value>) -> Result<(), UtilityError> {
    let Some(value) = value else { return Ok(()) };
    let mut disposal = Disposal::new(value);
    while disposal.go_on() {
        ctx.check().await?;
    }
    Ok(())
}
