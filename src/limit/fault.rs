//! Faults for tests: the Nth charge is refused, the Nth file operation fails, the Nth look at the clock is the deadline.
//! And the longest step: how long a run computed between two looks at the clock, by which a time limit can be late.
//!
//! Only built with the feature `faults`, which nothing but the crate's own tests turns on. A fault belongs to the thread
//! that asked for it, while its `Injection` lives; steps are those of the whole process.

/// What fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// A container asks for memory and is refused.
    Charge,
    /// An operation of the session's file system fails with `EIO`.
    FileOperation,
    /// A look at the clock finds the time limit reached.
    Clock,
}

#[cfg(feature = "faults")]
mod injected {
    use super::Fault;
    use std::cell::Cell;

    thread_local! {
        static PLAN: Cell<Option<(Fault, u64)>> = const { Cell::new(None) };
    }

    /// A fault that was asked for; none any more once this is dropped.
    #[derive(Debug)]
    pub struct Injection(());

    impl Injection {
        /// Lets the `nth` (from 0) occasion of this thread fail.
        pub fn new(fault: Fault, nth: u64) -> Self {
            PLAN.set(Some((fault, nth)));
            Self(())
        }

        /// Whether the occasion has come.
        pub fn is_over(&self) -> bool {
            PLAN.get().is_none()
        }
    }

    impl Drop for Injection {
        fn drop(&mut self) {
            PLAN.set(None);
        }
    }

    /// Whether this occasion is the one that fails.
    pub(crate) fn is_due(fault: Fault) -> bool {
        match PLAN.get() {
            Some((planned, left)) if planned == fault => {
                PLAN.set(left.checked_sub(1).map(|left| (fault, left)));
                left == 0
            }
            _ => false,
        }
    }
}

#[cfg(feature = "faults")]
mod watched {
    use std::cell::Cell;
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
    use std::time::Duration;

    /// What a thread's time is told by.
    static CLOCK: OnceLock<fn() -> Duration> = OnceLock::new();
    /// Nanoseconds.
    static LONGEST: AtomicU64 = AtomicU64::new(0);

    thread_local! {
        /// When a run that is on this thread looked at the clock last.
        static LAST: Cell<Option<Duration>> = const { Cell::new(None) };
    }

    /// Measures steps from now on, by the processor time of the thread that asks the clock.
    pub fn watch_steps(clock: fn() -> Duration) {
        CLOCK.get_or_init(|| clock);
    }

    /// The longest step since the last call.
    pub fn take_longest_step() -> Duration {
        Duration::from_nanos(LONGEST.swap(0, Relaxed))
    }

    /// A step ends; another one begins if the run `goes_on`.
    pub(crate) fn end_step(goes_on: bool) {
        let Some(clock) = CLOCK.get() else { return };
        let now = clock();
        if let Some(last) = LAST.replace(goes_on.then_some(now)) {
            let nanoseconds = u64::try_from(now.saturating_sub(last).as_nanos()).unwrap_or(u64::MAX);
            LONGEST.fetch_max(nanoseconds, Relaxed);
        }
    }
}

#[cfg(feature = "faults")]
pub use injected::Injection;
#[cfg(feature = "faults")]
pub(crate) use injected::is_due;
#[cfg(feature = "faults")]
pub(crate) use watched::end_step;
#[cfg(feature = "faults")]
pub use watched::{take_longest_step, watch_steps};

/// Whether this occasion is the one that fails: never, without the feature.
#[cfg(not(feature = "faults"))]
#[inline]
pub(crate) const fn is_due(_: Fault) -> bool {
    false
}

/// A step ends; another one begins if the run goes on.
#[cfg(not(feature = "faults"))]
#[inline]
pub(crate) const fn end_step(_: bool) {}
