//! The work of a regular expression or pattern, counted on the run's meter.

use crate::limit::{Limit, LimitError, Meter};
use crate::memory::ToMeteredString;
use crate::pattern::{Stopped, Ticker};
use crate::utility::UtilityError;
use crate::utility::regex::{BYTES_PER_INSTRUCTION, RegexError, RegexOptions};
use std::sync::Arc;

/// Steps that are counted together: the clock is not looked at for every short match.
const BATCH: u64 = 10_000;

/// Counts on a meter; stops when a limit is reached.
pub(crate) struct MeterTicker<'m> {
    meter: &'m Meter,
    steps: u64,
}

impl<'m> MeterTicker<'m> {
    pub(crate) const fn new(meter: &'m Meter) -> Self {
        Self { meter, steps: 0 }
    }
}

impl Ticker for MeterTicker<'_> {
    fn tick(&mut self, n: u64) -> Result<(), Stopped> {
        self.steps = self.steps.saturating_add(n);
        if self.steps < BATCH {
            return Ok(());
        }
        self.meter.tick(std::mem::take(&mut self.steps)).map_err(|_| Stopped)
    }
}

/// The limit that stopped a match.
pub(crate) fn stopped(meter: &Meter) -> LimitError {
    meter.failure().unwrap_or_else(|| meter.fail(Limit::Operations))
}

/// The error of a search: a limit ends the run, anything else the utility, with `status`.
pub(crate) fn search_error(meter: &Meter, error: &RegexError, status: u8) -> UtilityError {
    match error {
        RegexError::Stopped(_) => stopped(meter).into(),
        error => UtilityError::Failed { message: error.to_metered_string(), status },
    }
}

/// Options whose size limit is the run's; what is compiled is charged to its meter.
pub(crate) fn regex_options(meter: &Arc<Meter>) -> RegexOptions {
    let default = RegexOptions::default();
    let allowed = usize::try_from(meter.limits().regex_bytes / BYTES_PER_INSTRUCTION).unwrap_or(usize::MAX);
    RegexOptions { size_limit: allowed.min(default.size_limit), meter: Some(Arc::clone(meter)), ..default }
}
