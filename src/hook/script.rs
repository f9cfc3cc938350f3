//! A run of a hook's script as values: what is asked for ([`ScriptRequest`]) and what came of it ([`ScriptOutcome`]). The
//! trait between them is [`HookRunner`](super::runner::HookRunner).

use crate::limit::{LimitError, Limits, Usage};
use crate::missing::Missing;
use crate::text::Text;
use crate::utility::Environment;
use std::any::Any;
use std::fmt;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// One run of a script.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ScriptRequest<'a> {
    /// What runs.
    pub command: Command<'a>,
    /// Exported variables. Names are unique.
    pub environment: Environment,
    /// Whether the session's own environment is below [`ScriptRequest::environment`] or nothing is.
    pub inherit_environment: bool,
    /// Prefixes of names of the session's environment that the script does not see.
    pub hidden: &'static [&'static [u8]],
    /// Working directory; `None` is the session's.
    pub cwd: Option<Text>,
    /// All of standard input.
    pub stdin: Text,
    /// Wall time by the session's clock; takes the place of [`Limits::wall_time_ms`].
    pub timeout: Duration,
    /// The other bounds.
    pub limits: &'a Limits,
    /// What is kept of the output.
    pub capture: Capture,
    /// What `whoami` and `hostname` say; `None` is the session's own.
    pub identity: Option<&'a HookIdentity>,
}

/// User and host names that a dialect promises to its scripts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HookIdentity {
    /// Login name.
    pub user: Text,
    /// Host name.
    pub host: Text,
}

/// What a hook runs in the shell.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Command<'a> {
    /// `bash -c SOURCE` or `sh -c SOURCE`.
    Script {
        /// The text.
        script: &'a HookScript,
        /// Which shell.
        shell: Shell,
    },
    /// A program by name or path with its arguments, without a shell between.
    Program {
        /// Name or path.
        name: &'a Text,
        /// Without the name.
        arguments: &'a [Text],
    },
}

/// By which name the shell is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shell {
    /// `bash`
    Bash,
    /// `sh`: bash in POSIX mode.
    Sh,
}

impl Shell {
    /// The name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Bash => "bash",
            Self::Sh => "sh",
        }
    }
}

/// A hook's script. It lives as long as its hook set and has room for what the runner made of it, so that a hook is
/// compiled once and the compiled form dies with the config: no cache outlives a tenant's text.
pub struct HookScript {
    pub(super) source: Text,
    pub(super) compiled: OnceLock<Arc<dyn Any + Send + Sync>>,
}

impl HookScript {
    /// A script that was not compiled yet.
    pub(crate) fn new(source: impl Into<Text>) -> Self {
        Self { source: source.into(), compiled: OnceLock::new() }
    }

    /// The text.
    pub const fn source(&self) -> &Text {
        &self.source
    }

    /// What the runner kept, if it kept a `T`.
    pub(crate) fn compiled<T: Any + Send + Sync>(&self) -> Option<&T> {
        self.compiled.get()?.downcast_ref()
    }

    /// Keeps `compiled` for later runs; the first one wins.
    pub(crate) fn keep(&self, compiled: Arc<dyn Any + Send + Sync>) {
        let _ = self.compiled.set(compiled);
    }
}

impl fmt::Debug for HookScript {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("HookScript").field(&self.source).finish()
    }
}

/// How much output is kept, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capture {
    /// Of standard output.
    pub stdout: u64,
    /// Of standard error.
    pub stderr: u64,
    /// Of both together.
    pub total: u64,
    /// Standard error goes where standard output goes, in the order of writing.
    pub merge: bool,
    /// What happens on the first byte too many.
    pub excess: Excess,
}

impl Capture {
    /// Each stream by itself up to `bytes`; more is a failure.
    pub(crate) const fn of_each(bytes: u64) -> Self {
        let total = bytes.saturating_mul(2);
        Self { stdout: bytes, stderr: bytes, total, merge: false, excess: Excess::Fail }
    }
}

/// See [`Capture::excess`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Excess {
    /// The script ends with [`Ended::OutputExceeded`].
    Fail,
    /// The script goes on, the bytes are dropped.
    Discard,
}

/// How a run went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScriptOutcome {
    /// Exit status; -1 when there is none.
    pub status: i32,
    /// Standard output up to the cap.
    pub stdout: Vec<u8>,
    /// Standard error up to the cap; empty when merged.
    pub stderr: Vec<u8>,
    /// How it ended.
    pub end: Ended,
    /// What it used.
    pub usage: Usage,
    /// How long it took by the session's clock.
    pub duration: Duration,
    /// Commands and scripts that it wanted to run and that were not there.
    pub missing: Vec<Missing>,
}

impl ScriptOutcome {
    /// A script that ended by itself.
    pub fn exited(status: i32, stdout: impl Into<Vec<u8>>, stderr: impl Into<Vec<u8>>) -> Self {
        Self { status, stdout: stdout.into(), stderr: stderr.into(), ..Self::ended(Ended::Exited) }
    }

    /// A run that was cut off, without output.
    pub fn ended(end: Ended) -> Self {
        Self {
            status: -1,
            stdout: Vec::new(),
            stderr: Vec::new(),
            end,
            usage: Usage::default(),
            duration: Duration::ZERO,
            missing: Vec::new(),
        }
    }
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Ended {
    /// By itself, with a status.
    Exited,
    /// [`ScriptRequest::timeout`] was over.
    TimedOut,
    /// More output than [`Capture`] allows.
    OutputExceeded,
    /// Another limit was reached.
    Limit(LimitError),
    /// The script is not valid; the shell's message, one line.
    Syntax(String),
    /// It could not be started; why.
    NotStarted(String),
}

impl fmt::Display for Ended {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exited => f.write_str("exited"),
            Self::TimedOut => f.write_str("timed out"),
            Self::OutputExceeded => f.write_str("too much output"),
            Self::Limit(error) => error.fmt(f),
            Self::Syntax(message) | Self::NotStarted(message) => f.write_str(message),
        }
    }
}
