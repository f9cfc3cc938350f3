//! `Pace`: where work in many small steps is counted, and how it gives way to others.
//!
//! What may take long is an `async fn` that counts its steps on a pace and yields where that says so. Where nobody can
//! wait, the same function is polled once ([`in_place`]) with a pace that never asks it to yield.

use crate::limit::{LimitError, Meter, Turn, gauge};
use crate::memory::Vec;
use crate::pattern::{Stopped, Ticker};
use std::cmp::Ordering;
use std::future::poll_fn;
use std::pin::Pin;
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

    /// Appends `bytes` to `out`; what is long in stretches.
    pub(crate) fn append(
        &mut self,
        out: &mut Vec<u8>,
        bytes: &[u8],
    ) -> Quick<Result<(), Stopped>, impl Future<Output = Result<(), Stopped>>> {
        if bytes.len() <= STRETCH {
            out.extend_from_slice(bytes);
            return Quick::done(Ok(()));
        }
        Quick::slow(async move {
            out.reserve(bytes.len());
            for stretch in bytes.chunks(STRETCH) {
                out.extend_from_slice(stretch);
                self.tick(stretch.len() as u64 / 16).await?;
            }
            Ok(())
        })
    }

    /// Counts steps and yields when it is time.
    pub(crate) async fn tick(&mut self, steps: u64) -> Result<(), Stopped> {
        if self.count(steps)? {
            yield_now().await;
        }
        Ok(())
    }
}

impl crate::pattern::Pace for Pace<'_> {
    async fn tick(&mut self, n: u64) -> Result<(), Stopped> {
        Pace::tick(self, n).await
    }
}

/// Bytes that are copied or compared at once.
const STRETCH: usize = 64 << 10;

/// Appends `bytes` to `out`; what is long in stretches between which others run.
pub(crate) fn append(
    meter: &Meter,
    out: &mut Vec<u8>,
    bytes: &[u8],
) -> Quick<Result<(), LimitError>, impl Future<Output = Result<(), LimitError>>> {
    if bytes.len() <= STRETCH {
        out.extend_from_slice(bytes);
        return Quick::done(Ok(()));
    }
    Quick::slow(async move {
        out.reserve(bytes.len());
        for stretch in bytes.chunks(STRETCH) {
            out.extend_from_slice(stretch);
            tick_bytes(meter, stretch.len() / 4).await?;
        }
        Ok(())
    })
}

/// A future whose work is mostly done when it is made, so that nothing has to be kept and polled for it.
#[must_use = "what is slow is done by who awaits it"]
pub(crate) enum Quick<T, F> {
    Done(Option<T>),
    Slow(Pin<Box<F>>),
}

impl<T, F> Quick<T, F> {
    pub(crate) const fn done(value: T) -> Self {
        Self::Done(Some(value))
    }

    #[expect(clippy::disallowed_methods, reason = "what it is part of is charged by its own containers")]
    pub(crate) fn slow(work: F) -> Self {
        Self::Slow(Box::pin(work))
    }
}

impl<T: Unpin, F: Future<Output = T>> Future for Quick<T, F> {
    type Output = T;

    #[inline]
    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<T> {
        match self.get_mut() {
            Self::Done(value) => value.take().map_or(Poll::Pending, Poll::Ready),
            Self::Slow(work) => work.as_mut().poll(cx),
        }
    }
}

/// Compares texts byte by byte; what is long in stretches between which others run.
pub(crate) async fn compare(meter: &Meter, one: &[u8], two: &[u8]) -> Result<Ordering, LimitError> {
    if one.len().min(two.len()) > STRETCH {
        for (left, right) in one.chunks(STRETCH).zip(two.chunks(STRETCH)) {
            // The last stretches may differ in length alone.
            let order = left.cmp(right);
            if order.is_ne() {
                return Ok(order);
            }
            tick_bytes(meter, left.len() / 4).await?;
        }
        return Ok(one.len().cmp(&two.len()));
    }
    Ok(one.cmp(two))
}

/// The first byte that is `wanted`; what is long is looked through in stretches between which others run.
pub(crate) async fn position(
    meter: &Meter,
    bytes: &[u8],
    wanted: impl Fn(&u8) -> bool,
) -> Result<Option<usize>, LimitError> {
    let mut passed = 0;
    for stretch in bytes.chunks(STRETCH / 4) {
        if let Some(found) = stretch.iter().position(&wanted) {
            return Ok(Some(passed + found));
        }
        passed += stretch.len();
        tick_bytes(meter, stretch.len()).await?;
    }
    Ok(None)
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

/// The value of a future that never waits, as with [`Pace::Alone`]; `None` if it does wait. It is pinned by the caller, so
/// that it is not moved.
pub(crate) fn in_place<T>(future: Pin<&mut impl Future<Output = T>>) -> Option<T> {
    match future.poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => Some(value),
        Poll::Pending => None,
    }
}

/// Lets the scheduler run somebody else.
pub(crate) async fn yield_now() {
    let mut yielded = false;
    poll_fn(|cx| {
        if yielded {
            return Poll::Ready(());
        }
        yielded = true;
        cx.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}
