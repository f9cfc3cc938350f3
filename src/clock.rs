//! The session's clock, random numbers and ids, real or fixed; timers of a run.
//!
//! Nothing else in the crate reads a clock or asks for randomness. With a fixed set ([`Clock::fixed`], a seeded
//! [`Random`]) the same run writes the same bytes, and sleeping costs no time: when every process of a run waits for a
//! timer, the virtual clock jumps to the earliest one.
//!
//! ```
//! use hookbox::clock::Clock;
//! use hookbox::sandbox::Sandbox;
//! use std::time::Duration;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), hookbox::sandbox::Error> {
//! let sandbox = Sandbox::builder().clock(Clock::fixed(Duration::from_secs(86_400))).build()?;
//! let output = sandbox.run("date -u +%F; sleep 20; date -u +%T").await;
//! assert_eq!(output.stdout, b"1970-01-02\n00:00:20\n");
//! # Ok(())
//! # }
//! ```

mod alarm;

pub(crate) use alarm::{Alarm, RealSleep};

use crate::memory::ordered::BTreeMap;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Locks a mutex whose holder cannot have left it in a broken state; a poisoned lock is taken as it is.
pub(crate) fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The session's clock. Cheap to share by `Arc`.
#[derive(Debug)]
pub struct Clock {
    source: Source,
}

#[derive(Debug)]
enum Source {
    System,
    /// Wall time at the start, and how far the clock was moved since, both in nanoseconds.
    Fixed {
        start: u64,
        moved: AtomicU64,
        /// The session's, of which this is one run's.
        of: Option<Arc<Clock>>,
    },
}

impl Clock {
    /// The host's clock.
    pub const fn system() -> Self {
        Self { source: Source::System }
    }

    /// A clock that stands at `start` (since the Unix epoch) and moves only when a run sleeps.
    pub fn fixed(start: Duration) -> Self {
        let start = u64::try_from(start.as_nanos()).unwrap_or(u64::MAX / 2);
        Self { source: Source::Fixed { start, moved: AtomicU64::new(0), of: None } }
    }

    /// The clock of one run of a session. A fixed clock stands for each run where the session's stood when the run began,
    /// and moves when that run sleeps: what runs beside it loses no time. The session's follows whoever is furthest.
    pub(crate) fn of_run(self: &Arc<Self>) -> Arc<Self> {
        match &self.source {
            Source::System => Arc::clone(self),
            Source::Fixed { start, moved, .. } => {
                let moved = AtomicU64::new(moved.load(Ordering::Relaxed));
                Arc::new(Self { source: Source::Fixed { start: *start, moved, of: Some(Arc::clone(self)) } })
            }
        }
    }

    /// Wall time since the Unix epoch.
    pub fn now(&self) -> Duration {
        match &self.source {
            Source::System => SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default(),
            Source::Fixed { start, moved, .. } => {
                Duration::from_nanos(start.saturating_add(moved.load(Ordering::Relaxed)))
            }
        }
    }

    /// Time that only grows, since an arbitrary start.
    pub fn monotonic(&self) -> Duration {
        match &self.source {
            Source::System => real_monotonic(),
            Source::Fixed { moved, .. } => Duration::from_nanos(moved.load(Ordering::Relaxed)),
        }
    }

    /// Whether sleeping costs no real time.
    pub const fn is_virtual(&self) -> bool {
        matches!(self.source, Source::Fixed { .. })
    }

    /// Moves a fixed clock forward to `monotonic`; the system's clock is left alone.
    pub(crate) fn advance_to(&self, monotonic: Duration) {
        if let Source::Fixed { moved, of, .. } = &self.source {
            moved.fetch_max(u64::try_from(monotonic.as_nanos()).unwrap_or(u64::MAX / 2), Ordering::Relaxed);
            if let Some(session) = of {
                session.advance_to(monotonic);
            }
        }
    }
}

/// Real monotonic time, for limits that hold whatever the session's clock says.
pub(crate) fn real_monotonic() -> Duration {
    static START: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    START.get_or_init(Instant::now).elapsed()
}

/// A source of random numbers (`SplitMix64`): seeded for reproducible runs, or from the host.
#[derive(Debug)]
pub struct Random {
    state: AtomicU64,
}

impl Random {
    /// A reproducible sequence.
    pub const fn seeded(seed: u64) -> Self {
        Self { state: AtomicU64::new(seed) }
    }

    /// A sequence that starts from the host's randomness.
    pub fn from_host() -> Self {
        use std::hash::{BuildHasher, Hasher};
        Self::seeded(std::collections::hash_map::RandomState::new().build_hasher().finish())
    }

    /// The next 64 random bits.
    pub fn next_u64(&self) -> u64 {
        const STEP: u64 = 0x9e37_79b9_7f4a_7c15;
        let mut z = self.state.fetch_add(STEP, Ordering::Relaxed).wrapping_add(STEP);
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}

/// The timers of one run: who sleeps until when, by the session's monotonic clock.
#[derive(Debug, Default)]
pub(crate) struct Timers {
    waiting: Mutex<Waiting>,
}

/// When a timer is due, and its number among those of the run.
type TimerKey = (Duration, u64);

#[derive(Debug, Default)]
struct Waiting {
    wakers: BTreeMap<TimerKey, Waker>,
    next: u64,
}

impl Timers {
    /// A future that is ready once `clock.monotonic()` has reached `until`. Dropping it forgets the timer.
    pub(crate) fn sleep_until(self: &Arc<Self>, clock: &Arc<Clock>, until: Duration) -> Sleep {
        Sleep { timers: Arc::clone(self), clock: Arc::clone(clock), until, entry: None }
    }

    fn register(&self, until: Duration, waker: Waker) -> TimerKey {
        let mut waiting = lock(&self.waiting);
        let key = (until, waiting.next);
        waiting.next += 1;
        waiting.wakers.insert(key, waker);
        key
    }

    fn forget(&self, key: TimerKey) {
        lock(&self.waiting).wakers.remove(&key);
    }

    /// The earliest moment for which somebody still waits.
    pub(crate) fn earliest(&self) -> Option<Duration> {
        lock(&self.waiting).wakers.first_key_value().map(|(&(until, _), _)| until)
    }

    /// Wakes everybody whose time has come.
    pub(crate) fn fire(&self, now: Duration) {
        loop {
            let waker = {
                let mut waiting = lock(&self.waiting);
                match waiting.wakers.first_key_value() {
                    Some((&(until, _), _)) if until <= now => waiting.wakers.pop_first(),
                    _ => return,
                }
            };
            if let Some((_, waker)) = waker {
                waker.wake();
            }
        }
    }
}

/// A future that is ready at a moment of the session's clock. Dropping it forgets the timer.
#[derive(Debug)]
pub struct Sleep {
    timers: Arc<Timers>,
    clock: Arc<Clock>,
    until: Duration,
    entry: Option<TimerKey>,
}

impl Future for Sleep {
    type Output = ();
    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        if let Some(key) = self.entry.take() {
            self.timers.forget(key);
        }
        if self.clock.monotonic() >= self.until {
            return Poll::Ready(());
        }
        self.entry = Some(self.timers.register(self.until, cx.waker().clone()));
        Poll::Pending
    }
}

impl Drop for Sleep {
    fn drop(&mut self) {
        if let Some(key) = self.entry {
            self.timers.forget(key);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fixed_clock_moves_only_when_told() {
        let clock = Clock::fixed(Duration::from_secs(5));
        assert_eq!(clock.now(), Duration::from_secs(5));
        clock.advance_to(Duration::from_secs(2));
        clock.advance_to(Duration::from_secs(1));
        assert_eq!(clock.now(), Duration::from_secs(7));
    }

    #[test]
    fn runs_side_by_side_sleep_by_themselves() {
        let session = Arc::new(Clock::fixed(Duration::from_secs(5)));
        session.advance_to(Duration::from_secs(1));
        let (one, other) = (session.of_run(), session.of_run());
        one.advance_to(Duration::from_secs(9));
        other.advance_to(Duration::from_secs(3));
        let times = [&session, &one, &other].map(|clock| clock.now().as_secs());
        assert_eq!(times, [14, 14, 8]);
        assert_eq!(session.of_run().monotonic(), Duration::from_secs(9));
    }

    #[test]
    fn a_seed_repeats_its_sequence() {
        let (a, b) = (Random::seeded(1), Random::seeded(1));
        assert_eq!(a.next_u64(), b.next_u64());
        assert_ne!(a.next_u64(), Random::seeded(2).next_u64());
    }
}
