//! Faults for tests: the Nth charge is refused, the Nth file operation fails, the Nth look at the clock is the deadline.
//!
//! Only built with the feature `faults`, which nothing but the crate's own tests turns on. A fault belongs to the thread
//! that asked for it, while its `Injection` lives.

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
pub use injected::Injection;
#[cfg(feature = "faults")]
pub(crate) use injected::is_due;

/// Whether this occasion is the one that fails: never, without the feature.
#[cfg(not(feature = "faults"))]
#[inline]
pub(crate) const fn is_due(_: Fault) -> bool {
    false
}
