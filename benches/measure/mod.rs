//! What the benchmarks share: CPU time of this process and of its children.

use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::{TimeVal, TimeValLike};
use nix::time::{ClockId, clock_gettime};
use std::time::Duration;

/// A runtime on this thread.
pub(crate) fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime")
}

/// CPU time of this process so far, of all its threads, in user and system mode.
pub(crate) fn cpu_time() -> Duration {
    let time = clock_gettime(ClockId::CLOCK_PROCESS_CPUTIME_ID).expect("a clock of the process");
    Duration::from(time)
}

/// CPU time since `start`, which [`cpu_time`] gave.
pub(crate) fn since(start: Duration) -> Duration {
    cpu_time().saturating_sub(start)
}

/// CPU time of children of this process that were waited for, in user and system mode.
pub(crate) fn children_time() -> Duration {
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN).expect("usage of children");
    let micros = |time: TimeVal| u64::try_from(time.num_microseconds()).unwrap_or(0);
    Duration::from_micros(micros(usage.user_time()) + micros(usage.system_time()))
}
