//! A command that a utility asked for, while it runs: [`RunningCommand`] is what the utility has of it, [`CommandState`] what
//! the machine has.

use super::CommandError;
use crate::clock::lock;
use crate::memory::{Arc, Vec};
use crate::utility::ExitStatus;
use std::pin::Pin;
use std::sync::Mutex;
use std::task::{Context, Poll, Waker};

/// Whom a signal reaches that a utility sends to its command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reach {
    /// The command alone.
    Command,
    /// The command's process group: all that it started, but for what has a group of its own.
    Group,
}

/// How the processes of a command are related to the utility that asked for it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Relation {
    /// A child.
    #[default]
    Child,
    /// It stands for the utility, as `env` is replaced by its command: it gets the signals that are sent to the utility.
    StandIn,
    /// As [`Relation::StandIn`], in a process group of its own: `timeout`.
    Group,
}

/// See the module. It is ready with the command's status; dropping it ends the command and all that it started.
#[derive(Debug)]
pub(crate) struct RunningCommand(Arc<CommandState>);

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct CommandState {
    relation: Relation,
    inner: Mutex<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    result: Option<Result<ExitStatus, CommandError>>,
    killed_by: Option<u8>,
    waker: Option<Waker>,
    is_abandoned: bool,
    signals: Vec<(u8, Reach)>,
}

impl RunningCommand {
    /// A command that the machine is asked for.
    pub(crate) fn new(relation: Relation) -> (Self, Arc<CommandState>) {
        let state = Arc::new(CommandState { relation, inner: Mutex::default() });
        (Self(Arc::clone(&state)), state)
    }

    /// Sends a signal, by its number; 0 is none. It arrives when the utility waits.
    pub(crate) fn signal(&self, number: u8, reach: Reach) {
        if number != 0 {
            lock(&self.0.inner).signals.push((number, reach));
        }
    }

    /// The signal that ended the command.
    pub(crate) fn killed_by(&self) -> Option<u8> {
        lock(&self.0.inner).killed_by
    }
}

impl Future for RunningCommand {
    type Output = Result<ExitStatus, CommandError>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let mut inner = lock(&self.0.inner);
        match inner.result.take() {
            Some(result) => Poll::Ready(result),
            None => {
                inner.waker = Some(cx.waker().clone());
                Poll::Pending
            }
        }
    }
}

impl Drop for RunningCommand {
    fn drop(&mut self) {
        lock(&self.0.inner).is_abandoned = true;
    }
}

impl CommandState {
    pub(crate) const fn relation(&self) -> Relation {
        self.relation
    }

    /// Nobody waits for it any more.
    pub(crate) fn is_abandoned(&self) -> bool {
        lock(&self.inner).is_abandoned
    }

    /// The signals that were sent since this was asked last.
    pub(crate) fn take_signals(&self) -> Vec<(u8, Reach)> {
        std::mem::take(&mut lock(&self.inner).signals)
    }

    /// Tells of the end, or why there is no such command.
    pub(crate) fn end(&self, result: Result<ExitStatus, CommandError>, killed_by: Option<u8>) {
        let mut inner = lock(&self.inner);
        (inner.result, inner.killed_by) = (Some(result), killed_by);
        if let Some(waker) = inner.waker.take() {
            drop(inner);
            waker.wake();
        }
    }
}
