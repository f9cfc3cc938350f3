//! `Pace`: where work in many small steps is counted, and how it gives way to others.
//!
//! What may take long is an `async fn` that counts its steps on a pace and yields where that says so. Where nobody can
//! wait, the same function is polled once ([`in_place`]) with a pace that never asks it to yield.

use super::context::yield_now;
use crate::limit::{LimitError, Meter, Turn, gauge};
use crate::pattern::{Stopped, Ticker};
use std::pin::pin;
use std::task::{Context, Poll, Waker};

/// Steps of some nanoseconds for one unit of fuel.
const STEPS_PER_FUEL: u64 = 8;

/// See the module.
pub(crate) enum Pace<'p> {
    /// Steps use the fuel of the run's turn; when that is gone, others come first.
    Shared(&'p Meter),
    /// Somebody who cannot wait counts them.
    Alone(&'p mut (dyn Ticker + Send)),
}

impl Pace<'_> {
    /// Counts steps; whether the caller has to yield now.
    pub(crate) fn count(&mut self, steps: u64) -> Result<bool, Stopped> {
        match self {
            Self::Shared(meter) => {
                if !gauge::burn(steps.div_ceil(STEPS_PER_FUEL) as i64) {
                    return Ok(false);
                }
                meter.refuel().map(|turn| turn != Turn::Continues).map_err(|_| Stopped)
            }
            Self::Alone(ticker) => ticker.tick(steps).map(|()| false),
        }
    }

    /// Counts steps and yields when it is time.
    pub(crate) async fn tick(&mut self, steps: u64) -> Result<(), Stopped> {
        if self.count(steps)? {
            yield_now().await;
        }
        Ok(())
    }
}

/// Counts `bytes` that were looked at on the fuel of the run, and yields when it is time.
pub(crate) async fn tick_bytes(meter: &Meter, bytes: usize) -> Result<(), LimitError> {
    if gauge::burn(1 + (bytes / BYTES_PER_FUEL) as i64) && meter.refuel()? != Turn::Continues {
        yield_now().await;
    }
    Ok(())
}

/// Bytes looked at one by one for one unit of fuel.
const BYTES_PER_FUEL: usize = 16;

/// The value of a future that never waits, as with [`Pace::Alone`]; `None` if it does wait.
pub(crate) fn in_place<T>(future: impl Future<Output = T>) -> Option<T> {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => Some(value),
        Poll::Pending => None,
    }
}
