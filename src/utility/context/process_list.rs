//! The processes of a run as a utility sees them: `ps`, `pgrep`, `pkill`, `killall`, `pidof`.
//!
//! A utility asks through its [`CommandRunner`](crate::utility::CommandRunner) and the machine answers when the utility waits,
//! for only then all processes are where they can be looked at.

use crate::clock::lock;
use crate::memory::{Arc, Vec};
use crate::text::Text;
use std::pin::Pin;
use std::sync::Mutex;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

/// One process.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub(crate) struct ProcessRow {
    /// Its number.
    pub(crate) pid: u32,
    /// The number of its parent; 0: it has none.
    pub(crate) parent: u32,
    /// The number of its process group.
    pub(crate) group: u32,
    /// Name and arguments.
    pub(crate) argv: Vec<Text>,
    /// When it was started, on the session's monotonic clock.
    pub(crate) started: Duration,
    /// It is the one that asks.
    pub(crate) asks: bool,
}

/// A question for the run's processes; ready when the machine has answered.
#[derive(Debug, Default)]
pub(crate) struct ProcessQuery(pub(crate) Arc<QueryState>);

/// What the two sides of a question share.
#[derive(Debug, Default)]
pub(crate) struct QueryState {
    /// Name and arguments of the utility that asks.
    pub(crate) argv: Vec<Text>,
    inner: Mutex<(Option<Vec<ProcessRow>>, Option<Waker>)>,
}

impl ProcessQuery {
    /// A question that the machine is asked by a utility with this name and these arguments.
    pub(crate) fn new(argv: Vec<Text>) -> Self {
        Self(Arc::new(QueryState { argv, inner: Mutex::default() }))
    }

    /// One that is answered already.
    pub(crate) fn answered(rows: Vec<ProcessRow>) -> Self {
        let query = Self::new(Vec::new());
        query.0.answer(rows);
        query
    }
}

impl QueryState {
    pub(crate) fn answer(&self, rows: Vec<ProcessRow>) {
        let mut inner = lock(&self.inner);
        inner.0 = Some(rows);
        if let Some(waker) = inner.1.take() {
            drop(inner);
            waker.wake();
        }
    }
}

impl Future for ProcessQuery {
    type Output = Vec<ProcessRow>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Vec<ProcessRow>> {
        let mut inner = lock(&self.0.inner);
        match inner.0.take() {
            Some(rows) => Poll::Ready(rows),
            None => {
                inner.1 = Some(cx.waker().clone());
                Poll::Pending
            }
        }
    }
}
