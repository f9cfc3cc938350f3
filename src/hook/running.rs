//! Hooks of one firing that run side by side, and how a firing lets others come first.

use super::outcome_list::OutcomeList;
use super::runner::HookFuture;
use crate::clock::real_monotonic;
use std::collections::VecDeque;
use std::future::poll_fn;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

/// How long a chain keeps its executor before others come first.
const IN_A_TURN: Duration = Duration::from_micros(400);

/// How many hooks of one firing run side by side. Each has a machine of its own, and who drops a firing half-way drops them
/// all at once: the others of a config with thousands of hooks start as these end.
const MOST_RUNNING: usize = 64;

/// Lets other tasks of the thread come first after some work. What a hook's conditions and its payload cost is not known before.
pub(crate) struct Pace {
    since: Duration,
    /// It just did; nothing is waited for.
    pub(super) given_way: Arc<AtomicBool>,
}

impl Pace {
    pub(super) fn new() -> Self {
        Self { since: real_monotonic(), given_way: Arc::default() }
    }

    pub(crate) async fn look(&mut self) {
        if real_monotonic().saturating_sub(self.since) < IN_A_TURN {
            return;
        }
        let mut has_waited = false;
        poll_fn(|cx| {
            if std::mem::replace(&mut has_waited, true) {
                return Poll::Ready(());
            }
            self.given_way.store(true, Ordering::Relaxed);
            cx.waker().wake_by_ref();
            Poll::Pending
        })
        .await;
        self.since = real_monotonic();
    }
}

/// Runs whose results are wanted in the order in which they were added.
pub(super) struct Running<'a, R: Send + 'static> {
    under_way: VecDeque<Run<'a, R>>,
    results: OutcomeList<Option<R>>,
    /// See [`Pace::given_way`].
    given_way: Arc<AtomicBool>,
}

struct Run<'a, R> {
    /// Of its result.
    place: usize,
    future: HookFuture<'a, R>,
    /// It was not polled yet.
    is_new: bool,
}

impl<'a, R: Send + 'static> Running<'a, R> {
    pub(super) fn new(pace: &Pace) -> Self {
        let given_way = Arc::clone(&pace.given_way);
        Self { under_way: VecDeque::new(), results: OutcomeList::default(), given_way }
    }

    /// Waits until there is room for one more.
    pub(super) async fn make_room(&mut self) {
        if self.under_way.len() >= MOST_RUNNING {
            poll_fn(|context| self.poll_until(MOST_RUNNING - 1, context)).await;
        }
    }

    pub(super) fn add(&mut self, future: HookFuture<'a, R>) {
        self.under_way.push_back(Run { place: self.results.len(), future, is_new: true });
        self.results.push(None);
    }

    /// All results in order, once the last one is there.
    pub(super) async fn join(mut self) -> OutcomeList<Option<R>> {
        poll_fn(|context| self.poll_until(0, context)).await;
        self.results
    }

    /// Ready when so many are left, or fewer. Many short runs take long together: others come first in between.
    fn poll_until(&mut self, left: usize, context: &mut Context<'_>) -> Poll<()> {
        let since = real_monotonic();
        for _ in 0..self.under_way.len() {
            let Some(mut run) = self.under_way.pop_front() else { break };
            match run.future.as_mut().poll(context) {
                Poll::Ready(value) => {
                    if let Some(result) = self.results.get_mut(run.place) {
                        *result = Some(value);
                    }
                }
                Poll::Pending => self.under_way.push_back(Run { is_new: false, ..run }),
            }
            if real_monotonic().saturating_sub(since) >= IN_A_TURN {
                let has_new = self.under_way.iter().any(|run| run.is_new);
                self.given_way.store(has_new, Ordering::Relaxed);
                context.waker().wake_by_ref();
                break;
            }
        }
        if self.under_way.len() <= left { Poll::Ready(()) } else { Poll::Pending }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicUsize;

    /// Counts those that are alive, and is ready at its third poll.
    async fn run(number: usize, alive: Arc<AtomicUsize>, most: Arc<AtomicUsize>) -> usize {
        let now = alive.fetch_add(1, Ordering::SeqCst) + 1;
        most.fetch_max(now, Ordering::SeqCst);
        tokio::task::yield_now().await;
        tokio::task::yield_now().await;
        alive.fetch_sub(1, Ordering::SeqCst);
        number
    }

    #[tokio::test]
    async fn as_many_run_at_once_as_may_and_results_are_in_order() {
        for count in [1, MOST_RUNNING, MOST_RUNNING + 1, 1_000] {
            let (alive, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
            let mut running = Running::new(&Pace::new());
            for number in 0..count {
                running.make_room().await;
                running.add(Box::pin(run(number, Arc::clone(&alive), Arc::clone(&most))));
            }
            let results: Vec<_> = running.join().await.into_iter().flatten().collect();
            assert_eq!(results, (0..count).collect::<Vec<_>>());
            assert_eq!(most.load(Ordering::SeqCst), count.min(MOST_RUNNING));
        }
    }
}
