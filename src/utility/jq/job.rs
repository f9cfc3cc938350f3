//! [`Job`]: a builtin at work on values that may be large. It uses fuel for each of its steps and pauses where there is none
//! left, so that no value is large enough for it to keep the thread for long.

use super::super::context::pace::yield_now;
use super::error::Raise;
use super::value::Value;
use super::work::{Stop, Work};
use crate::limit::gauge;
use crate::memory::Task;
use std::fmt;
use std::pin::Pin;
use std::task::{self, Poll, Waker};

/// What a builtin returns.
pub(crate) type Output = Result<Value, Raise>;

/// Bytes of a text that are handled in one step.
pub(crate) const PIECE: usize = 16 << 10;

/// See the module. It does nothing but while [`Job::go_on`] runs.
pub(crate) struct Job(Task<Output>);

impl fmt::Debug for Job {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Job").finish_non_exhaustive()
    }
}

impl Job {
    /// The job that a future does.
    pub(crate) fn new(task: impl Future<Output = Output> + Send + 'static) -> Self {
        Job(Task::of(task))
    }

    /// A job that only comes to its turn.
    pub(crate) fn done() -> Self {
        Job(Task::of(std::future::ready(Ok(Value::Null))))
    }

    /// Goes on until there is an output, or (`None`) until the turn is over.
    ///
    /// # Errors
    /// What the builtin raises, and the end of the run for who goes on after it.
    pub(crate) fn go_on(&mut self, work: &mut Work<'_>) -> Result<Option<Value>, Raise> {
        if work.is_over() {
            return Err(Raise::Stop(Stop));
        }
        loop {
            match Pin::new(&mut self.0).poll(&mut task::Context::from_waker(Waker::noop())) {
                Poll::Ready(output) => return output?.checked().map(Some),
                // At the end of the run too: what the job holds may be large, and is dropped with the run, not here.
                Poll::Pending if work.refuel().is_err() => work.cancel(),
                Poll::Pending => {}
            }
            if work.is_due() {
                return Ok(None);
            }
        }
    }
}

/// Uses the fuel of so many steps of a job, and pauses where there is none left.
#[inline]
pub(crate) async fn spend(steps: usize) {
    if gauge::burn(2 * i64::try_from(steps.min(1 << 30)).unwrap_or(0)) {
        yield_now().await;
    }
}

/// The pace of a job.
pub(crate) struct JobPace;

impl crate::pattern::Pace for JobPace {
    async fn tick(&mut self, n: u64) -> Result<(), crate::pattern::Stopped> {
        spend(usize::try_from(n / 16).unwrap_or(usize::MAX)).await;
        Ok(())
    }
}

/// Uses the fuel of reading so many bytes.
#[inline]
pub(crate) async fn spend_bytes(bytes: usize) {
    spend(1 + bytes / 256).await;
}
