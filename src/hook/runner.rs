//! How a hook's script is run: the request, the outcome, and the trait that a session implements.
//!
//! This side knows nothing of the shell; the other side knows nothing of hooks.

use super::observer::HookObserver;
use super::request::Request;
use super::script::{Ended, ScriptOutcome, ScriptRequest};
use super::state::SessionState;
use crate::text::Text;
use crate::vfs::{FileSystem, FsError, WithdrawError};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

/// A boxed future that may borrow for `'a` and can move between threads.
pub type HookFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// One session, as the hook engine sees it.
pub trait HookRunner: Send + Sync {
    /// Runs a script. Dropping the future stops it and everything it started.
    fn run<'a>(&'a self, request: ScriptRequest<'a>) -> HookFuture<'a, ScriptOutcome>;

    /// Starts a script that nobody waits for: the future owns all it needs and does nothing unless polled. `None` where the
    /// session cannot do that; the script is then run and waited for.
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
