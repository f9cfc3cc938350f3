//! A run: what it is given, how it goes on, and what it gives back.

use super::Kept;
use crate::clock::Clock;
use crate::io::{Capture, InputStream, OutputStream};
use crate::limit::{Limit, LimitError, Limits, Meter, Usage, dispose};
use crate::machine::{RunEnd, Scheduler};
use crate::memory::Arc;
use crate::text::Text;
use crate::utility::Environment;

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
}

/// Where a stream of a run goes to.
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
pub enum Source {
    /// Bytes that are there.
    Bytes(Text),
    /// The host's stream.
    Stream(Box<dyn InputStream>),
}

/// A script to run: see [`Sandbox::start`](super::Sandbox::start).
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

impl Script {
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
}

pub(super) enum State {
    Running(Box<Scheduler>),
    /// Ended before its first operation: by a limit, or with a status.
    Failed(LimitError),
    Ended(u8),
}

/// A run in progress. Dropping it ends every process of the run.
pub struct Running {
    pub(super) state: State,
    pub(super) meter: std::sync::Arc<Meter>,
    pub(super) stdout: Option<Arc<Capture>>,
    pub(super) stderr: Option<Arc<Capture>>,
    pub(super) kept: Kept,
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
        let _entered = self.meter.enter();
        let state = std::mem::replace(&mut self.state, State::Ended(0));
        dispose(&self.meter, state);
        self.kept.trim();
    }
}

impl Future for Running {
    type Output = Output;

    fn poll(mut self: std::pin::Pin<&mut Self>, cx: &mut std::task::Context<'_>) -> std::task::Poll<Output> {
        use std::task::Poll;
        let meter = std::sync::Arc::clone(&self.meter);
        let _entered = meter.enter();
        let end = match &mut self.state {
            State::Failed(error) => RunEnd::Limit(*error),
            State::Ended(status) => RunEnd::Status(*status),
            State::Running(scheduler) => match std::pin::Pin::new(scheduler.as_mut()).poll(cx) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(end) => end,
            },
        };
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
        Poll::Ready(Output { stdout, stderr, status, end, usage })
    }
}
