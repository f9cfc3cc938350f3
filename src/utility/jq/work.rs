//! [`Work`]: spends the fuel of an evaluation, and notes that its turn is over.
//!
//! What can be resumed (the machine, reading, printing) then returns to its caller.

use crate::limit::{Charge, Meter, Turn, gauge};
use std::sync::Arc;

/// The run is over; its meter knows why. No filter can catch it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stop;

/// Fuel of a step, which takes well under a microsecond.
const STEP: i64 = 2;

/// How the work of one evaluation stands.
#[derive(Debug)]
pub(crate) struct Work<'m> {
    meter: Option<&'m Arc<Meter>>,
    is_due: bool,
    is_over: bool,
}

impl<'m> Work<'m> {
    /// Work of the run with this meter.
    pub(crate) const fn new(meter: &'m Arc<Meter>) -> Self {
        Work { meter: Some(meter), is_due: false, is_over: false }
    }

    /// Work that nobody ends: its fuel is that of whoever does it, and it is due when that is gone.
    pub(crate) const fn unbounded() -> Self {
        Work { meter: None, is_due: false, is_over: false }
    }

    /// One step.
    #[inline]
    pub(crate) fn step(&mut self) -> Result<(), Stop> {
        if gauge::burn(STEP) { self.refuel() } else { Ok(()) }
    }

    /// Many steps at once.
    pub(crate) fn steps(&mut self, count: usize) -> Result<(), Stop> {
        let fuel = STEP * i64::try_from(count.min(1 << 30)).unwrap_or(0);
        if gauge::burn(fuel) { self.refuel() } else { Ok(()) }
    }

    /// Looks at the meter when the fuel is gone.
    #[cold]
    pub(crate) fn refuel(&mut self) -> Result<(), Stop> {
        let turn = match self.meter {
            Some(meter) => meter.refuel().map_err(|_| Stop)?,
            None => Turn::Over,
        };
        self.is_due |= turn != Turn::Continues;
        Ok(())
    }

    /// Whether the turn is over.
    #[inline]
    pub(crate) const fn is_due(&self) -> bool {
        self.is_due
    }

    /// Asks for a pause because the run is over: whoever has paused finds that out.
    pub(crate) const fn cancel(&mut self) {
        (self.is_due, self.is_over) = (true, true);
    }

    /// Whether somebody has given up.
    pub(crate) const fn is_over(&self) -> bool {
        self.is_over
    }

    /// The pause was made.
    pub(crate) const fn go_on(&mut self) {
        self.is_due = false;
    }

    /// Bytes that somebody else's code holds, until the charge is dropped.
    pub(crate) fn hold(&self, bytes: usize) -> Result<Option<Charge>, Stop> {
        self.meter.map(|meter| meter.charge(bytes as u64)).transpose().map_err(|_| Stop)
    }
}

/// Uses the fuel of steps that are made in any case; the next look at the fuel comes after them.
pub(crate) fn burn(steps: usize) {
    gauge::burn(STEP * i64::try_from(steps.min(1 << 30)).unwrap_or(0));
}
