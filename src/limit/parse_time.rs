//! The time to parse one script: [`Limits::parse_time_ms`](super::Limits::parse_time_ms).

use super::gauge;
use super::limits::{Limit, LimitError};
use super::meter::Meter;
use crate::clock::real_monotonic;
use std::time::Duration;

/// Bytes that are parsed between two readings of the clock.
const PARSE_STEP: usize = 1024;
/// Fuel of parsing one step of bytes.
const STEP_FUEL: i64 = 200;

/// See [`Meter::parse_time`].
pub(crate) struct ParseTime<'m> {
    meter: &'m Meter,
    started: Duration,
    /// Where the clock is read next.
    next: usize,
}

impl<'m> ParseTime<'m> {
    pub(super) fn new(meter: &'m Meter) -> Self {
        Self { meter, started: real_monotonic(), next: 0 }
    }

    /// [`ParseTime::check`] once in a while, at ever higher offsets of the text.
    pub(crate) fn check_at(&mut self, offset: usize) -> Result<(), LimitError> {
        if offset < self.next {
            return Ok(());
        }
        self.next = offset + PARSE_STEP;
        gauge::burn(STEP_FUEL);
        self.check()
    }

    /// Fails once the time to parse, or that of the run, is over.
    pub(crate) fn check(&self) -> Result<(), LimitError> {
        let allowed = self.meter.limits().parse_time_ms;
        let now = real_monotonic();
        if allowed != u64::MAX && now.saturating_sub(self.started) >= Duration::from_millis(allowed) {
            return Err(self.meter.fail(Limit::ParseTime));
        }
        self.meter.check_at(now)
    }
}
