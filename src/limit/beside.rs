//! Threads beside a run, for the few steps that neither can be cut nor may keep the executor: the parser, which recurses,
//! reads one very long command, and what a run leaves behind is dropped. There are only a few such threads in a process;
//! where all are at work, or none can be had, the step is done in place.

use super::{Meter, gauge};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

/// Live bytes that are dropped at once, which takes about a millisecond.
const DROPPED_AT_ONCE: i64 = 1 << 20;
/// Threads at work in the process.
const MOST_THREADS: usize = 4;

static THREADS: AtomicUsize = AtomicUsize::new(0);

/// Counts a thread while it lives.
struct Place;

impl Place {
    fn take() -> Option<Self> {
        let more = |threads| (threads < MOST_THREADS).then_some(threads + 1);
        THREADS.fetch_update(SeqCst, SeqCst, more).is_ok().then_some(Self)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        THREADS.fetch_sub(1, SeqCst);
    }
}

/// Does `work` on a thread, on the account of `meter`, and hands its result to `then` when the account is settled. `false`:
/// `work` was dropped and nothing is done.
pub(crate) fn do_beside<R>(
    meter: &Arc<Meter>,
    work: impl FnOnce() -> R + Send + 'static,
    then: impl FnOnce(R) + Send + 'static,
) -> bool {
    let Some(place) = Place::take() else { return false };
    let meter = Arc::clone(meter);
    let thread = std::thread::Builder::new().name("hookbox-beside".to_owned());
    let work = move || {
        let _place = place;
        let entered = meter.enter_beside();
        let result = work();
        drop(entered);
        then(result);
    };
    thread.spawn(work).is_ok()
}

/// Drops what the run of `meter`, which is on the gauge, leaves behind.
pub(crate) fn dispose(meter: &Arc<Meter>, remains: impl Send + 'static) {
    if gauge::live().0 >= DROPPED_AT_ONCE {
        do_beside(meter, move || drop(remains), |()| ());
    }
}
