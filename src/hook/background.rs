//! Hooks that were started and that nobody waits for.
//!
//! Their futures live in the session's state. They go on while a firing of the session is polled ([`beside`]) and while the
//! host lets them ([`settle`]); whoever polls takes them out of the state for that moment, so that no lock is held while a
//! script runs. One that is done says what came of it to its [`Late`].

use super::id::HookId;
use super::reading;
use super::runner::{HookFuture, HookRunner, LateOutput};
use super::script::{Ended, ScriptOutcome};
use super::shadow::Watched;
use super::state::SessionState;
use std::fmt;
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};

/// How many may be under way in one session.
const MOST: usize = 64;

/// What an output says, if anything.
type Reader = dyn Fn(&ScriptOutcome) -> Option<LateOutput> + Send + Sync;
/// Gets the outcome, what it says, and the session.
type Listener = dyn Fn(&ScriptOutcome, Option<LateOutput>, &dyn HookRunner) + Send + Sync;

/// Who is told how a run ended that nobody waited for.
#[derive(Clone)]
pub(crate) struct Late {
    reader: Arc<Reader>,
    listener: Arc<Listener>,
}

impl Late {
    /// `listener` gets the outcome, what `reader` makes of it, and the session. A long output is read on another thread.
    pub(crate) fn new(
        reader: impl Fn(&ScriptOutcome) -> Option<LateOutput> + Send + Sync + 'static,
        listener: impl Fn(&ScriptOutcome, Option<LateOutput>, &dyn HookRunner) + Send + Sync + 'static,
    ) -> Self {
        Self { reader: Arc::new(reader), listener: Arc::new(listener) }
    }

    /// Waits for the end of a run, and reads its outcome.
    pub(super) async fn wait(&self, run: HookFuture<'_, ScriptOutcome>, place: reading::ReadingPlace) -> Ran {
        let reader = Arc::clone(&self.reader);
        reading::of(run.await, place, move |outcome| reader(outcome)).await
    }

    pub(super) fn say(&self, hook: &HookId, (said, outcome): Ran, host: &dyn HookRunner) {
        if let Some(observer) = host.observer() {
            observer.ended_late(hook, &outcome);
        }
        (self.listener)(&outcome, said, host);
    }
}

/// An outcome and what it says.
pub(super) type Ran = (Option<LateOutput>, ScriptOutcome);

impl fmt::Debug for Late {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Late").finish_non_exhaustive()
    }
}

struct Run {
    hook: HookId,
    future: HookFuture<'static, Ran>,
    late: Late,
}

/// What is under way in a session.
#[derive(Default)]
struct Background {
    runs: Vec<Run>,
    /// Those that somebody polls right now.
    taken: usize,
}

/// Adds a run.
pub(super) fn add(
    host: &dyn HookRunner,
    hook: HookId,
    place: reading::ReadingPlace,
    future: HookFuture<'static, ScriptOutcome>,
    late: Late,
) -> Result<(), Ended> {
    host.state().with(|background: &mut Background| {
        if background.runs.len().saturating_add(background.taken) >= MOST {
            return Err(Ended::NotStarted(format!("{MOST} hooks run in the background already")));
        }
        let waiting = late.clone();
        let future = Box::pin(async move { waiting.wait(future, place).await });
        background.runs.push(Run { hook, future, late });
        Ok(())
    })
}

/// Ends all runs; gives the hooks whose runs they were.
pub(super) fn cancel(state: &SessionState) -> Vec<HookId> {
    let runs = state.with(|background: &mut Background| std::mem::take(&mut background.runs));
    runs.into_iter().map(|run| run.hook).collect()
}

/// Runs out of the state while they are polled; what is left goes back on drop.
struct Taken<'a> {
    host: &'a dyn HookRunner,
    runs: Vec<Run>,
    count: usize,
}

impl<'a> Taken<'a> {
    fn new(host: &'a dyn HookRunner) -> Self {
        let runs = host.state().with(|background: &mut Background| {
            let runs = std::mem::take(&mut background.runs);
            background.taken = background.taken.saturating_add(runs.len());
            runs
        });
        Self { host, count: runs.len(), runs }
    }
}

impl Drop for Taken<'_> {
    fn drop(&mut self) {
        let (mut left, count) = (std::mem::take(&mut self.runs), self.count);
        self.host.state().with(|background: &mut Background| {
            background.taken = background.taken.saturating_sub(count);
            left.append(&mut background.runs);
            background.runs = left;
        });
    }
}

/// Polls every run once, those of shadow mode too; ready when none is left.
fn poll(host: &dyn HookRunner, context: &mut Context<'_>) -> Poll<()> {
    let own = poll_of(host, context);
    let watched = Watched::known(host).map_or(Poll::Ready(()), |watched| poll_of(&watched, context));
    if own.is_ready() { watched } else { own }
}

/// Polls the runs that this state has.
fn poll_of(host: &dyn HookRunner, context: &mut Context<'_>) -> Poll<()> {
    let is_empty = |background: &mut Background| background.runs.is_empty();
    if host.state().peek(is_empty) != Some(false) {
        return Poll::Ready(());
    }
    let mut taken = Taken::new(host);
    let mut done = Vec::new();
    taken.runs.retain_mut(|run| match run.future.as_mut().poll(context) {
        Poll::Pending => true,
        Poll::Ready(ran) => {
            done.push((run.hook.clone(), run.late.clone(), ran));
            false
        }
    });
    let nothing_left = taken.runs.is_empty();
    drop(taken);
    for (hook, late, ran) in done {
        late.say(&hook, ran, host);
    }
    if nothing_left { Poll::Ready(()) } else { Poll::Pending }
}

/// `work`, with the session's runs going on beside it. What `work` itself starts goes on when `work` waits for something;
/// `given_way` tells when it only lets others come first, which depends on how fast the machine is.
pub(super) async fn beside<T>(
    host: &dyn HookRunner,
    given_way: &AtomicBool,
    mut work: Pin<&mut (impl Future<Output = T> + Send)>,
) -> T {
    poll_fn(|context| {
        let goes_on = given_way.swap(false, Ordering::Relaxed);
        if !goes_on {
            let _ = poll(host, context);
        }
        let result = work.as_mut().poll(context);
        // What woke this may have been for them.
        if goes_on && result.is_pending() && !given_way.load(Ordering::Relaxed) {
            let _ = poll(host, context);
        }
        result
    })
    .await
}

/// Until all of the session's runs are done.
pub(super) async fn settle(host: &dyn HookRunner) {
    poll_fn(|context| poll(host, context)).await;
}
