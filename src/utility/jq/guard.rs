//! [`MeterGuard`]: an evaluation's steps and bytes on the run's meter.

use super::error::{Guard, Stop};
use crate::limit::{Charge, Limit, LimitError, Meter};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Counts on a meter; the bytes are given back when it is dropped or released.
#[derive(Debug)]
pub(super) struct MeterGuard {
    meter: Arc<Meter>,
    taken: AtomicU64,
}

impl MeterGuard {
    pub(super) fn new(meter: &Arc<Meter>) -> Self {
        MeterGuard { meter: Arc::clone(meter), taken: AtomicU64::new(0) }
    }

    /// Gives back all bytes but those that were taken before: `kept` is what [`MeterGuard::taken`] said then.
    pub(super) fn release(&self, kept: u64) {
        let taken = self.taken.load(Relaxed);
        self.meter.give_back(taken.saturating_sub(kept));
        self.taken.store(taken.min(kept), Relaxed);
    }

    /// Bytes taken so far.
    pub(super) fn taken(&self) -> u64 {
        self.taken.load(Relaxed)
    }

    /// The limit behind a [`Stop`].
    pub(super) fn limit(&self) -> LimitError {
        self.meter.failure().unwrap_or_else(|| self.meter.fail(Limit::Operations))
    }
}

impl Guard for MeterGuard {
    fn tick(&self, steps: u64) -> Result<(), Stop> {
        self.meter.tick(steps).map_err(|_| Stop)
    }

    fn charge(&self, bytes: u64) -> Result<(), Stop> {
        self.meter.take(bytes).map_err(|_| Stop)?;
        self.taken.fetch_add(bytes, Relaxed);
        Ok(())
    }

    fn hold(&self, bytes: u64) -> Result<Option<Charge>, Stop> {
        self.meter.charge(bytes).map(Some).map_err(|_| Stop)
    }

    fn is_due(&self) -> bool {
        self.meter.slice_is_over()
    }
}

impl Drop for MeterGuard {
    fn drop(&mut self) {
        self.release(0);
    }
}
