//! A run: its input, how it is polled, and its output.

use super::Kept;
use crate::clock::{Alarm, Clock, real_monotonic};
use crate::io::{Capture, InputStream, OutputStream};
use crate::limit::{GRACE, Limit, LimitError, Limits, Meter, Usage, WorkerTask, dispose, live_bytes};
use crate::machine::{RunEnd, Scheduler};
use crate::memory::Arc;
use crate::missing::{Missing, MissingList};
use crate::text::Text;
use crate::utility::Environment;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The script ended.
    Exited,
    /// A limit ended it; what was written before stands.
    Limit(LimitError),
}

/// What a run did.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Output {
    /// Standard output, unless it went to a stream.
    pub stdout: Vec<u8>,
    /// Standard error, unless it went to a stream.
    pub stderr: Vec<u8>,
    /// Exit status of the script, 0 to 255; of a run that a limit ended 124 (time) or 125.
    pub status: u8,
    /// How it ended.
    pub end: End,
    /// What it used; [`Usage::headroom`] says what was left.
    pub usage: Usage,
    /// Commands and scripts that it wanted to run and that were not there, each once, at most 32.
    pub missing: Vec<Missing>,
}

/// Where a stream of a run goes to.
#[non_exhaustive]
pub enum Sink {
    /// Kept, up to the limit on output; more ends the run.
    Capture,
    /// Kept, up to the limit on output; more is dropped.
    CaptureDropping,
    /// Handed to the host as it is written.
    Stream(Box<dyn OutputStream>),
    /// Standard error only: into standard output, in the order of writing.
    SameAsStdout,
}

/// Where a run's standard input comes from.
#[non_exhaustive]
pub enum Source {
    /// Bytes that are there.
    Bytes(Text),
    /// The host's stream.
    Stream(Box<dyn InputStream>),
}

impl<T: Into<Text>> From<T> for Source {
    fn from(bytes: T) -> Self {
        Self::Bytes(bytes.into())
    }
}

/// A script to run: see [`Sandbox::start`](super::Sandbox::start).
///
/// ```
/// use hookbox::limit::{Limit, Limits};
/// use hookbox::sandbox::{Sandbox, Script, Sink};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), hookbox::sandbox::Error> {
/// let sandbox = Sandbox::builder().build()?;
/// let script = Script::command("read -r word; echo \"$1 $word $KIND\"; echo oops >&2")
///     .args(["the"])
///     .env("KIND", "here")
///     .stdin("word\n")
///     .stderr(Sink::SameAsStdout)
///     .limits(Limits::hook().with(Limit::WallTime, 500));
/// let output = sandbox.start(script).await;
/// assert_eq!(output.stdout, b"the word here\noops\n");
/// # Ok(())
/// # }
/// ```
#[non_exhaustive]
pub struct Script {
    /// `-c TEXT`, or the text of a file.
    pub text: std::sync::Arc<[u8]>,
    /// `$0`
    pub name: Text,
    /// `$1` and so on.
    pub args: Vec<Text>,
    /// Added to the sandbox's environment.
    pub environment: Environment,
    /// Start with an empty environment instead of the sandbox's.
    pub bare_environment: bool,
    /// Another working directory than the sandbox's.
    pub cwd: Option<Text>,
    /// Standard input.
    pub stdin: Source,
    /// Standard output.
    pub stdout: Sink,
    /// Standard error.
    pub stderr: Sink,
    /// Other limits than the sandbox's.
    pub limits: Option<Limits>,
    /// Runs as `sh`: bash in POSIX mode.
    pub posix: bool,
    /// The script's path for `BASH_SOURCE`; empty for a command string.
    pub path: Text,
}

/// Bytes of input with which a run is long.
const LONG_INPUT: usize = 64 << 10;

impl Script {
    /// Whether it has so much to read that it goes on at a worker thread at once.
    pub(super) fn is_long(&self) -> bool {
        let stdin = match &self.stdin {
            Source::Bytes(bytes) => bytes.len(),
            Source::Stream(_) => 0,
        };
        let args: usize = self.args.iter().map(|arg| arg.len()).sum();
        let environment: usize = self.environment.iter().map(|(_, value)| value.len()).sum();
        self.text.len() + stdin + args + environment > LONG_INPUT
    }

    /// `bash -c text`, with nothing on standard input, output captured.
    pub fn command(text: impl AsRef<[u8]>) -> Self {
        Self::shared(std::sync::Arc::from(text.as_ref()))
    }

    /// As [`Script::command`], for a text that is run again and again: it is not copied.
    pub fn shared(text: std::sync::Arc<[u8]>) -> Self {
        Self {
            text,
            name: Text::from_static(b"bash"),
            args: Vec::new(),
            environment: Environment::default(),
            bare_environment: false,
            cwd: None,
            stdin: Source::Bytes(Text::EMPTY),
            stdout: Sink::Capture,
            stderr: Sink::Capture,
            limits: None,
            posix: false,
            path: Text::EMPTY,
        }
    }

    /// Sets `$1` and so on.
    #[must_use]
    pub fn args<A: Into<Text>>(mut self, args: impl IntoIterator<Item = A>) -> Self {
        self.args = args.into_iter().map(Into::into).collect();
        self
    }

    /// Adds a variable to the environment.
    #[must_use]
    pub fn env(mut self, name: impl Into<Text>, value: impl Into<Text>) -> Self {
        self.environment.set(name.into(), value.into());
        self
    }

    /// Starts in another directory than the sandbox's.
    #[must_use]
    pub fn cwd(mut self, path: impl Into<Text>) -> Self {
        self.cwd = Some(path.into());
        self
    }

    /// Gives it standard input.
    #[must_use]
    pub fn stdin(mut self, input: impl Into<Source>) -> Self {
        self.stdin = input.into();
        self
    }

    /// Sends its standard output elsewhere.
    #[must_use]
    pub fn stdout(mut self, sink: Sink) -> Self {
        self.stdout = sink;
        self
    }

    /// Sends its standard error elsewhere.
    #[must_use]
    pub fn stderr(mut self, sink: Sink) -> Self {
        self.stderr = sink;
        self
    }

    /// Sets other limits than the sandbox's.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = Some(limits);
        self
    }

    /// Runs it as `sh`: bash in POSIX mode.
    #[must_use]
    pub fn posix(mut self) -> Self {
        self.posix = true;
        self
    }
}

pub(super) enum RunState {
    /// Where the host polls it.
    Running(Box<Scheduler>),
    /// At a thread of the crate.
    OnWorker(WorkerTask<Metered>),
    /// Ended before its first operation: by a limit, or with a status.
    Failed(LimitError),
    Ended(u8),
}

/// A scheduler that is polled, and dropped, on the account of its run.
pub(super) struct Metered {
    scheduler: Option<Box<Scheduler>>,
    meter: std::sync::Arc<Meter>,
}

impl Future for Metered {
    type Output = RunEnd;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<RunEnd> {
        let meter = std::sync::Arc::clone(&self.meter);
        let _entered = meter.enter();
        self.scheduler.as_mut().map_or(Poll::Pending, |scheduler| Pin::new(scheduler.as_mut()).poll(cx))
    }
}

impl Drop for Metered {
    fn drop(&mut self) {
        let _entered = self.meter.enter();
        self.scheduler = None;
    }
}

/// A run in progress. Dropping it ends every process of the run. Where one is in the middle of a step at a thread of the
/// crate, that is waited for, but not for longer than 4 ms; a step that takes longer does nothing to files any more but end
/// the operation that is under way, and uses nothing of the host's but that thread.
pub struct Running {
    pub(super) state: RunState,
    pub(super) meter: std::sync::Arc<Meter>,
    pub(super) stdout: Option<Arc<Capture>>,
    pub(super) stderr: Option<Arc<Capture>>,
    pub(super) missing: Arc<MissingList>,
    pub(super) kept: Kept,
    /// Rings when a run that goes on at a worker thread is not waited for any longer.
    pub(super) alarm: Option<Alarm>,
}

impl Running {
    /// The clock that the run lives by.
    pub(crate) fn clock(&self) -> &std::sync::Arc<Clock> {
        self.meter.clock()
    }
}

impl Drop for Running {
    /// What the run holds is given back to its own meter.
    fn drop(&mut self) {
        let state = match std::mem::replace(&mut self.state, RunState::Ended(0)) {
            RunState::OnWorker(task) => {
                let taken = task.take().and_then(|mut metered| metered.scheduler.take());
                if taken.is_none() {
                    self.meter.abandon();
                }
                taken.map_or(RunState::Ended(0), RunState::Running)
            }
            state => state,
        };
        let _entered = self.meter.enter();
        dispose(&self.meter, live_bytes(), state);
        self.kept.hand_back(&self.meter);
    }
}

impl Running {
    /// Goes on where the run is.
    fn poll_end(&mut self, cx: &mut Context<'_>) -> Poll<RunEnd> {
        match &mut self.state {
            RunState::Failed(error) => Poll::Ready(RunEnd::Limit(*error)),
            RunState::Ended(status) => Poll::Ready(RunEnd::Status(*status)),
            RunState::OnWorker(_) => self.poll_worker(cx),
            RunState::Running(scheduler) => Pin::new(scheduler.as_mut()).poll(cx),
        }
    }

    /// Waits for the end of a run that goes on at a worker thread, but hardly longer than its time limit: what cannot be cut may take
    /// longer. Nobody sees what comes of that. The run does nothing to files any more, and ends at its next look at the
    /// clock.
    fn poll_worker(&mut self, cx: &mut Context<'_>) -> Poll<RunEnd> {
        let RunState::OnWorker(task) = &mut self.state else { return Poll::Pending };
        if let Poll::Ready(end) = Pin::new(task).poll(cx) {
            return Poll::Ready(end);
        }
        if real_monotonic() < self.last_moment() {
            self.set_alarm(cx);
            return Poll::Pending;
        }
        let error = self.meter.abandon();
        if let RunState::OnWorker(task) = std::mem::replace(&mut self.state, RunState::Failed(error)) {
            task.abandon();
        }
        Poll::Ready(RunEnd::Limit(error))
    }

    /// Until when the host waits for a run that goes on at a worker thread.
    fn last_moment(&self) -> Duration {
        self.meter.real_deadline().saturating_add(GRACE)
    }

    fn set_alarm(&mut self, cx: &mut Context<'_>) {
        let last = self.last_moment();
        self.alarm = if last < Duration::MAX { Alarm::set(last, cx.waker()) } else { None };
    }

    /// Whether it could go on, but its slice is over, or what comes next may take long.
    fn is_at_work(&self) -> bool {
        match &self.state {
            RunState::Running(scheduler) => scheduler.is_at_work() || self.meter.wants_worker(),
            _ => false,
        }
    }

    /// Lets a run that is at work for long go on at a thread of the crate. It is not on the gauge.
    fn move_to_worker(&mut self, cx: &mut Context<'_>) {
        if self.meter.is_on_worker() || !matches!(self.state, RunState::Running(_)) {
            return;
        }
        self.meter.set_on_worker();
        let RunState::Running(scheduler) = std::mem::replace(&mut self.state, RunState::Ended(0)) else {
            return;
        };
        match WorkerTask::start(Metered {
            scheduler: Some(scheduler),
            meter: std::sync::Arc::clone(&self.meter),
        }) {
            Ok(task) => {
                task.wake_when_ended(cx.waker());
                self.state = RunState::OnWorker(task);
                self.set_alarm(cx);
            }
            // There are no threads here, so it stays. The scheduler has woken its task.
            Err(mut metered) => {
                self.state = metered.scheduler.take().map_or(RunState::Ended(0), RunState::Running);
            }
        }
    }
}

impl Future for Running {
    type Output = Output;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Output> {
        if self.meter.wants_worker() {
            self.move_to_worker(cx);
        }
        let meter = std::sync::Arc::clone(&self.meter);
        let entered = matches!(self.state, RunState::Running(_)).then(|| meter.enter());
        let Poll::Ready(end) = self.poll_end(cx) else {
            drop(entered);
            if self.is_at_work() {
                self.move_to_worker(cx);
            }
            return Poll::Pending;
        };
        let _entered = entered.unwrap_or_else(|| meter.enter());
        // A refusal that came last is as good a limit as any other.
        let end = self.meter.failure().map_or(end, RunEnd::Limit);
        let (end, status) = match end {
            RunEnd::Status(status) => (End::Exited, status),
            RunEnd::Limit(error) => {
                (End::Limit(error), if error.limit == Limit::WallTime { 124 } else { 125 })
            }
        };
        let mut usage = self.meter.usage();
        let mut take = |capture: &Option<Arc<Capture>>, written: fn(&mut Usage) -> &mut u64| match capture {
            Some(capture) => {
                *written(&mut usage) = capture.written();
                capture.take().into_std()
            }
            None => Vec::new(),
        };
        let stdout = take(&self.stdout, |usage| &mut usage.stdout_bytes);
        let stderr = take(&self.stderr, |usage| &mut usage.stderr_bytes);
        let missing = self.missing.take();
        Poll::Ready(Output { stdout, stderr, status, end, usage, missing })
    }
}
