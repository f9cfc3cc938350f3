//! Threads on which long runs go on.
//!
//! A run begins where its host polls it: most are over in microseconds. One that has been at work for a whole slice (0.4 ms), has more
//! than 64 KiB of input, finds or makes a file of 1 MiB or more (`src/vfs/table.rs`: who reads it at once takes long), or has a step
//! before it that can be long and cannot be cut (a long source for the parser, braces with thousands of results, a glob over many
//! folders, a large expression) goes on at a worker thread: a thread of the crate polls it from then on, and the host's future only
//! waits. So whatever a script does, it keeps other runs at most, never the host's executor.
//!
//! There are [`MOST_THREADS`] such threads in a process at most, named `hookbox`. They are started when there is something to do for
//! them and then stay; each polls whatever is ready, in turn. Timers and sockets of the host's commands work there, for its tokio
//! runtime is entered, and a panic of its streams comes back to it. A run that is dropped is over when the drop is, but for a step
//! of more than [`GRACE`] that it is in the middle of: that goes on and does nothing to files any more. What a run of more than 1 MiB
//! leaves is dropped on these threads, even where
//! [`SandboxBuilder::threads`](crate::sandbox::SandboxBuilder::threads) keeps runs away from them.

use super::gauge;
use super::meter::Meter;
use crate::clock::lock;
use std::any::Any;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::pin::Pin;
use std::sync::{Arc, Condvar, Mutex};
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;
use tokio::runtime::Handle;

/// Threads of the process.
const MOST_THREADS: usize = 4;
/// How long the host waits for the step that is under way when it drops a run or the time limit is over.
pub(crate) const GRACE: Duration = Duration::from_millis(4);
/// Bytes that are dropped at once, which takes about a millisecond.
const DROPPED_AT_ONCE: usize = 1 << 20;

/// Something to do for a thread.
trait Job: Send + Sync {
    fn run(self: Arc<Self>);
}

/// The threads, and what is ready.
struct Threads {
    state: Mutex<WorkerState>,
    pushed: Condvar,
}

struct WorkerState {
    ready: VecDeque<Arc<dyn Job>>,
    started: usize,
    idle: usize,
}

static THREADS: Threads = Threads {
    state: Mutex::new(WorkerState { ready: VecDeque::new(), started: 0, idle: 0 }),
    pushed: Condvar::new(),
};

impl Threads {
    /// Hands a job to a thread. `false`: there is none and none can be had.
    fn push(&'static self, job: Arc<dyn Job>) -> bool {
        let mut state = lock(&self.state);
        let is_short = state.idle <= state.ready.len() && state.started < MOST_THREADS;
        if is_short {
            let thread = std::thread::Builder::new().name("hookbox".to_owned());
            if thread.spawn(move || self.work()).is_ok() {
                state.started += 1;
            }
        }
        if state.started == 0 {
            return false;
        }
        state.ready.push_back(job);
        drop(state);
        self.pushed.notify_one();
        true
    }

    /// What each thread does.
    fn work(&self) {
        IS_HERE.set(true);
        let mut state = lock(&self.state);
        loop {
            if let Some(job) = state.ready.pop_front() {
                drop(state);
                job.run();
                state = lock(&self.state);
            } else {
                state.idle += 1;
                state = self.pushed.wait(state).unwrap_or_else(std::sync::PoisonError::into_inner);
                state.idle -= 1;
            }
        }
    }
}

/// A future that goes on at a worker thread. Dropping it ends it: what is left behind its drop is the step that is under way, if that takes
/// longer than [`GRACE`].
pub(crate) struct WorkerTask<F: Future + Send + Unpin + 'static>(Arc<Task<F>>)
where
    F::Output: Send;

struct Task<F: Future> {
    slot: Mutex<Slot<F>>,
    /// A thread has put the future back, or dropped it.
    put_back: Condvar,
    /// The host's runtime, whose timers and sockets the future may need.
    runtime: Option<Handle>,
}

struct Slot<F: Future> {
    place: FuturePlace<F>,
    /// It was woken while it was polled.
    is_woken: bool,
    /// Who waits for it.
    waiting: Option<Waker>,
}

/// Where the future is.
enum FuturePlace<F: Future> {
    /// It waits to be woken.
    Waiting(F),
    /// It waits for a thread.
    Ready(F),
    /// A thread polls it.
    Polled,
    /// It has ended, or panicked.
    Ended(Result<F::Output, Box<dyn Any + Send>>),
    /// It was dropped, or its end was taken.
    Gone,
}

impl<F> WorkerTask<F>
where
    F: Future + Send + Unpin + 'static,
    F::Output: Send,
{
    /// Lets a future go on at a worker thread.
    ///
    /// # Errors
    /// There is no thread: the future comes back.
    pub(crate) fn start(future: F) -> Result<Self, F> {
        let slot = Slot { place: FuturePlace::Ready(future), is_woken: false, waiting: None };
        let runtime = Handle::try_current().ok();
        let task = Arc::new(Task { slot: Mutex::new(slot), put_back: Condvar::new(), runtime });
        if THREADS.push(Arc::clone(&task) as Arc<dyn Job>) {
            return Ok(Self(task));
        }
        match std::mem::replace(&mut lock(&task.slot).place, FuturePlace::Gone) {
            FuturePlace::Ready(future) => Err(future),
            _ => Ok(Self(Arc::clone(&task))),
        }
    }

    /// Whom to wake when the future has ended.
    pub(crate) fn wake_when_ended(&self, waker: &Waker) {
        let mut slot = lock(&self.0.slot);
        if matches!(slot.place, FuturePlace::Ended(_)) {
            drop(slot);
            waker.wake_by_ref();
        } else {
            slot.waiting = Some(waker.clone());
        }
    }

    /// Waits for it no longer: what it is at now is its last step, and whoever does that drops it.
    pub(crate) fn abandon(self) {
        let place = std::mem::replace(&mut lock(&self.0.slot).place, FuturePlace::Gone);
        if let FuturePlace::Waiting(future) | FuturePlace::Ready(future) = place {
            discard(future);
        }
    }

    /// Takes the future out, if it has not ended and is not in the middle of a long step. If it is, that is its last, and
    /// whoever does that drops it.
    pub(crate) fn take(&self) -> Option<F> {
        let mut slot = lock(&self.0.slot);
        if matches!(slot.place, FuturePlace::Polled) {
            let is_polled = |slot: &mut Slot<F>| matches!(slot.place, FuturePlace::Polled);
            let waited = self.0.put_back.wait_timeout_while(slot, GRACE, is_polled);
            slot = waited.unwrap_or_else(std::sync::PoisonError::into_inner).0;
        }
        match std::mem::replace(&mut slot.place, FuturePlace::Gone) {
            FuturePlace::Waiting(future) | FuturePlace::Ready(future) => Some(future),
            _ => None,
        }
    }
}

impl<F> Drop for WorkerTask<F>
where
    F: Future + Send + Unpin + 'static,
    F::Output: Send,
{
    fn drop(&mut self) {
        drop(self.take());
    }
}

impl<F> Future for WorkerTask<F>
where
    F: Future + Send + Unpin + 'static,
    F::Output: Send,
{
    type Output = F::Output;

    /// A panic of the future goes on here.
    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<F::Output> {
        let mut slot = lock(&self.0.slot);
        if !matches!(slot.place, FuturePlace::Ended(_)) {
            slot.waiting = Some(cx.waker().clone());
            return Poll::Pending;
        }
        let place = std::mem::replace(&mut slot.place, FuturePlace::Gone);
        drop(slot);
        match place {
            FuturePlace::Ended(Ok(output)) => Poll::Ready(output),
            FuturePlace::Ended(Err(panic)) => resume_unwind(panic),
            _ => Poll::Pending,
        }
    }
}

impl<F> Wake for Task<F>
where
    F: Future + Send + Unpin + 'static,
    F::Output: Send,
{
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        let mut slot = lock(&self.slot);
        match std::mem::replace(&mut slot.place, FuturePlace::Gone) {
            FuturePlace::Waiting(future) => {
                slot.place = FuturePlace::Ready(future);
                drop(slot);
                THREADS.push(Arc::clone(self) as Arc<dyn Job>);
            }
            place => {
                slot.is_woken |= matches!(place, FuturePlace::Polled);
                slot.place = place;
            }
        }
    }
}

impl<F> Job for Task<F>
where
    F: Future + Send + Unpin + 'static,
    F::Output: Send,
{
    fn run(self: Arc<Self>) {
        let mut slot = lock(&self.slot);
        let mut future = match std::mem::replace(&mut slot.place, FuturePlace::Polled) {
            FuturePlace::Ready(future) => future,
            place => {
                slot.place = place;
                return;
            }
        };
        slot.is_woken = false;
        drop(slot);
        let waker = Waker::from(Arc::clone(&self));
        let polled = catch_unwind(AssertUnwindSafe(|| {
            let _runtime = self.runtime.as_ref().map(Handle::enter);
            Pin::new(&mut future).poll(&mut Context::from_waker(&waker))
        }));
        let mut slot = lock(&self.slot);
        let is_abandoned = !matches!(slot.place, FuturePlace::Polled);
        let is_ready = slot.is_woken;
        let mut rest = None;
        match polled {
            _ if is_abandoned => rest = Some(future),
            Ok(Poll::Pending) if is_ready => slot.place = FuturePlace::Ready(future),
            Ok(Poll::Pending) => slot.place = FuturePlace::Waiting(future),
            Ok(Poll::Ready(output)) => {
                (slot.place, rest) = (FuturePlace::Ended(Ok(output)), Some(future));
            }
            Err(panic) => (slot.place, rest) = (FuturePlace::Ended(Err(panic)), Some(future)),
        }
        let waiting = if matches!(slot.place, FuturePlace::Ended(_)) { slot.waiting.take() } else { None };
        drop(slot);
        self.put_back.notify_all();
        if let Some(waiting) = waiting {
            waiting.wake();
        }
        match rest {
            // A panic when what has ended is dropped is nobody's.
            Some(rest) => drop(catch_unwind(AssertUnwindSafe(|| drop(rest)))),
            None if is_ready => drop(THREADS.push(self as Arc<dyn Job>)),
            None => {}
        }
    }
}

/// What is dropped on a thread.
struct Remains<R>(Mutex<Option<R>>, Arc<Meter>);

impl<R: Send> Job for Remains<R> {
    fn run(self: Arc<Self>) {
        let _entered = self.1.enter_beside();
        let remains = lock(&self.0).take();
        // A panic of the host's own parts when they are dropped is nobody's.
        drop(catch_unwind(AssertUnwindSafe(|| drop(remains))));
    }
}

thread_local! {
    static IS_HERE: std::cell::Cell<bool> = const { std::cell::Cell::new(false) };
}

/// Whether this is one of the threads.
pub(crate) fn is_current() -> bool {
    IS_HERE.get()
}

/// What is dropped on a thread and is charged to nobody.
struct Discarded<R>(Mutex<Option<R>>);

impl<R: Send> Job for Discarded<R> {
    fn run(self: Arc<Self>) {
        let remains = lock(&self.0).take();
        // As there.
        drop(catch_unwind(AssertUnwindSafe(|| drop(remains))));
    }
}

/// Drops on a thread what takes long to drop; here, where there is none.
pub(crate) fn discard(remains: impl Send + 'static) {
    THREADS.push(Arc::new(Discarded(Mutex::new(Some(remains)))));
}

/// Live bytes of the run that is on the gauge.
pub(crate) fn live_bytes() -> usize {
    usize::try_from(gauge::live().0).unwrap_or(0)
}

/// Drops what the run of `meter` leaves behind and what holds so many bytes: on a thread if they are many.
pub(crate) fn dispose(meter: &Arc<Meter>, bytes: usize, remains: impl Send + 'static) {
    if bytes >= DROPPED_AT_ONCE {
        THREADS.push(Arc::new(Remains(Mutex::new(Some(remains)), Arc::clone(meter))));
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test")]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
    use std::thread::ThreadId;

    /// Is ready at its `turns`-th poll; wakes itself before.
    struct Counting {
        turns: usize,
        dropped: Arc<AtomicUsize>,
    }

    impl Future for Counting {
        type Output = ThreadId;
        fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<ThreadId> {
            match self.turns.checked_sub(1) {
                None => Poll::Ready(std::thread::current().id()),
                Some(turns) => {
                    self.turns = turns;
                    cx.waker().wake_by_ref();
                    Poll::Pending
                }
            }
        }
    }

    impl Drop for Counting {
        fn drop(&mut self) {
            self.dropped.fetch_add(1, SeqCst);
        }
    }

    fn counting(turns: usize) -> (Counting, Arc<AtomicUsize>) {
        let dropped = Arc::new(AtomicUsize::new(0));
        (Counting { turns, dropped: Arc::clone(&dropped) }, dropped)
    }

    #[tokio::test]
    async fn a_future_goes_on_at_another_thread() {
        let futures = (0..100).map(|turns| WorkerTask::start(counting(turns).0).ok().unwrap());
        for future in futures.collect::<Vec<_>>() {
            assert_ne!(future.await, std::thread::current().id());
        }
    }

    #[tokio::test]
    async fn the_runtime_of_the_host_is_there() {
        let sleep = Box::pin(async { tokio::time::sleep(Duration::from_millis(5)).await });
        WorkerTask::start(sleep).ok().unwrap().await;
    }

    #[test]
    fn what_is_dropped_is_polled_no_more() {
        for _ in 0..200 {
            let (future, dropped) = counting(usize::MAX);
            drop(WorkerTask::start(future).ok().unwrap());
            // A busy machine may have taken the thread away for longer than its end is waited for.
            while dropped.load(SeqCst) == 0 {
                std::thread::yield_now();
            }
            assert_eq!(dropped.load(SeqCst), 1);
        }
    }

    #[tokio::test]
    #[should_panic(expected = "the host's own")]
    async fn a_panic_goes_on_where_the_future_is_awaited() {
        WorkerTask::start(Box::pin(async { panic!("the host's own") })).ok().unwrap().await;
    }
}
