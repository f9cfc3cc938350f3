//! How a hook's script is run: the request, the outcome, and the trait that a session implements.
//!
//! This side knows nothing of the shell; the other side knows nothing of hooks.

use super::record::HookObserver;
use super::request::Request;
use super::state::SessionState;
use crate::environment::Environment;
use crate::limit::{LimitError, Limits, Usage};
use crate::missing::Missing;
use crate::text::Text;
use crate::vfs::{FileSystem, FsError, WithdrawError};
use std::any::Any;
use std::fmt;
use std::pin::Pin;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// A boxed future that may borrow for `'a` and can move between threads.
pub type HookFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// One session, as the hook engine sees it.
pub trait HookRunner: Send + Sync {
    /// Runs a script. Dropping the future stops it and everything it started.
    fn run<'a>(&'a self, request: ScriptRequest<'a>) -> HookFuture<'a, ScriptOutcome>;

    /// Starts a script that nobody waits for: the future owns all it needs and does nothing unless polled. `None` where the
    /// session can not do that; the script is then run and waited for.
    fn start(&self, request: ScriptRequest<'_>) -> Option<HookFuture<'static, ScriptOutcome>> {
        let _ = request;
        None
    }

    /// Hands over what a hook said that nobody waited for. `false` when the host does not take it; the dialect then keeps it
    /// for the next turn.
    fn deliver_late(&self, late: &LateOutput) -> bool {
        let _ = late;
        false
    }

    /// Writes a file of the session (for example a payload file), replacing an old one and making missing directories.
    fn write_file(&self, path: &[u8], content: &Text) -> Result<(), FsError>;

    /// Removes a file of the session.
    fn remove_file(&self, path: &[u8]) -> Result<(), FsError>;

    /// As [`HookRunner::write_file`], for a file that most scripts do not look at: it may be written when one does. Then an
    /// error is told by [`HookRunner::withdraw_file`].
    fn deposit_file(&self, path: &Text, content: &Text) -> Result<(), FsError> {
        self.write_file(path, content)
    }

    /// Removes a file that was deposited.
    fn withdraw_file(&self, path: &[u8]) -> Result<(), WithdrawError> {
        self.remove_file(path).map_err(WithdrawError::Remove)
    }

    /// The session's clock: time since the Unix epoch.
    fn now(&self) -> Duration;

    /// The session's random numbers.
    fn random_u64(&self) -> u64;

    /// Asks the host for what is not a script. Dropping the future gives up. The default can do nothing.
    fn request(&self, request: Request, timeout: Duration) -> HookFuture<'_, ScriptOutcome> {
        let _ = timeout;
        Box::pin(std::future::ready(unanswered(&request)))
    }

    /// What dialects keep of this session between firings.
    fn state(&self) -> &SessionState;

    /// The session's working directory; `None` where it is not known.
    fn cwd(&self) -> Option<&Text> {
        None
    }

    /// The value of a variable of the session's environment.
    fn variable(&self, name: &[u8]) -> Option<&Text> {
        let _ = name;
        None
    }

    /// The session's files, for built-ins that read them; `None` where there are none.
    fn files(&self) -> Option<&Arc<FileSystem>> {
        None
    }

    /// Who gets the records; the default is nobody.
    fn observer(&self) -> Option<&dyn HookObserver> {
        None
    }

    /// Whether nothing of this session goes on at a thread of the crate: long outputs are then read where they are awaited.
    fn stays(&self) -> bool {
        false
    }

    /// Whether this is a session in shadow mode, where nothing is enforced. The engine wraps sessions for that; a host
    /// does not implement it.
    fn is_shadow(&self) -> bool {
        false
    }
}

/// What a host of hooks does beside running scripts, and what it wants to see.
pub trait HookHost: Send + Sync {
    /// Answers a request. Dropping the future gives up; the engine gives up after `timeout`.
    fn request(&self, request: Request, timeout: Duration) -> HookFuture<'_, ScriptOutcome>;

    /// Takes what a hook said that nobody waited for; see [`HookRunner::deliver_late`].
    fn deliver_late(&self, late: &LateOutput) -> bool {
        let _ = late;
        false
    }

    /// Who gets the records; the default is nobody.
    fn observer(&self) -> Option<&dyn HookObserver> {
        None
    }
}

/// What a hook said after its firing was over.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LateOutput {
    /// The hook's id.
    pub hook: String,
    /// Text for the model, in order.
    pub contexts: Vec<String>,
    /// Text for the user, in order.
    pub system_messages: Vec<String>,
    /// Whether the agent is to be woken for it and not only told on its next turn.
    pub wake: bool,
}

/// That nobody answers.
pub(crate) fn unanswered(request: &Request) -> ScriptOutcome {
    ScriptOutcome::ended(Ended::NotStarted(format!("this host answers no {} requests", request.kind())))
}

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
        script: &'a Script,
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
pub struct Script {
    source: Text,
    compiled: OnceLock<Arc<dyn Any + Send + Sync>>,
}

impl Script {
    /// A script that was not compiled yet.
    pub fn new(source: impl Into<Text>) -> Self {
        Self { source: source.into(), compiled: OnceLock::new() }
    }

    /// The text.
    pub const fn source(&self) -> &Text {
        &self.source
    }

    /// What the runner kept, if it kept a `T`.
    pub fn compiled<T: Any + Send + Sync>(&self) -> Option<&T> {
        self.compiled.get()?.downcast_ref()
    }

    /// Keeps `compiled` for later runs; the first one wins.
    pub fn keep(&self, compiled: Arc<dyn Any + Send + Sync>) {
        let _ = self.compiled.set(compiled);
    }
}

impl fmt::Debug for Script {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Script").field(&self.source).finish()
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
