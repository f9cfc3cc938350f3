//! Alarms: a thread of the crate wakes who sleeps or must not wait any longer, whatever the threads that work are at and
//! whatever the host polls with.

use super::{lock, real_monotonic};
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::{Condvar, Mutex, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

/// When, by the real clock, and which of those that ring then.
type Key = (Duration, u64);

struct Alarms {
    state: Mutex<AlarmState>,
    /// There is an earlier one than the thread waits for.
    set: Condvar,
}

struct AlarmState {
    wakers: BTreeMap<Key, Waker>,
    next: u64,
    is_started: bool,
}

static ALARMS: Alarms = Alarms {
    state: Mutex::new(AlarmState { wakers: BTreeMap::new(), next: 0, is_started: false }),
    set: Condvar::new(),
};

impl Alarms {
    /// What the thread does.
    fn work(&self) {
        let mut state = lock(&self.state);
        loop {
            let now = real_monotonic();
            let earliest = state.wakers.first_key_value().map(|(&(at, _), _)| at);
            state = match earliest {
                None => self.set.wait(state).unwrap_or_else(PoisonError::into_inner),
                Some(at) if at > now => {
                    let rest = at.saturating_sub(now);
                    self.set.wait_timeout(state, rest).unwrap_or_else(PoisonError::into_inner).0
                }
                Some(_) => {
                    let due = state.wakers.pop_first();
                    drop(state);
                    if let Some((_, waker)) = due {
                        // A panic of the host's own waker is nobody's here; the others still ring.
                        drop(catch_unwind(AssertUnwindSafe(|| waker.wake())));
                    }
                    lock(&self.state)
                }
            };
        }
    }
}

/// Rings once, unless it is dropped before.
#[derive(Debug)]
pub(crate) struct Alarm(Key);

impl Alarm {
    /// Wakes at a moment of the real clock. `None`: there is no thread for that.
    pub(crate) fn set(at: Duration, waker: &Waker) -> Option<Self> {
        let mut state = lock(&ALARMS.state);
        if !state.is_started {
            let thread = std::thread::Builder::new().name("hookbox-alarm".to_owned());
            state.is_started = thread.spawn(|| ALARMS.work()).is_ok();
        }
        if !state.is_started {
            return None;
        }
        let key = (at, state.next);
        state.next += 1;
        let is_first = state.wakers.first_key_value().is_none_or(|(first, _)| *first > key);
        state.wakers.insert(key, waker.clone());
        drop(state);
        if is_first {
            ALARMS.set.notify_one();
        }
        Some(Self(key))
    }
}

impl Drop for Alarm {
    fn drop(&mut self) {
        let waker = lock(&ALARMS.state).wakers.remove(&self.0);
        // What belongs to the host's waker is dropped behind the lock: it may set or drop alarms.
        drop(waker);
    }
}

/// Is ready at a moment of the real clock.
#[derive(Debug)]
pub(crate) struct RealSleep {
    until: Duration,
    alarm: Option<Alarm>,
}

impl RealSleep {
    /// Sleeps for so long from now on.
    pub(crate) fn of(time: Duration) -> Self {
        Self { until: real_monotonic().saturating_add(time), alarm: None }
    }

    /// Whether the moment has come.
    pub(crate) fn is_over(&self) -> bool {
        real_monotonic() >= self.until
    }
}

impl Future for RealSleep {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        if real_monotonic() >= self.until {
            return Poll::Ready(());
        }
        self.alarm = Alarm::set(self.until, cx.waker());
        if self.alarm.is_none() {
            // Without a thread that waits, it asks again and again.
            cx.waker().wake_by_ref();
        }
        Poll::Pending
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test")]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::sync::mpsc::{Receiver, Sender, channel};
    use std::task::Wake;

    struct Bell(Sender<Duration>);

    impl Wake for Bell {
        fn wake(self: Arc<Self>) {
            self.0.send(real_monotonic()).unwrap();
        }
    }

    fn alarm_in(time: Duration) -> (Alarm, Duration, Receiver<Duration>) {
        let (bell, rung) = channel();
        let at = real_monotonic() + time;
        (Alarm::set(at, &Waker::from(Arc::new(Bell(bell)))).unwrap(), at, rung)
    }

    #[test]
    fn alarms_ring_in_the_order_of_their_times() {
        let (_late, _, never) = alarm_in(Duration::from_hours(1));
        let (_second, second_at, second) = alarm_in(Duration::from_millis(40));
        let (_first, first_at, first) = alarm_in(Duration::from_millis(10));
        assert!(first.recv().unwrap() >= first_at);
        assert!(second.recv().unwrap() >= second_at);
        assert!(never.try_recv().is_err());
    }

    /// Panics when it rings, and sets an alarm when it is dropped.
    struct Rude;

    impl Wake for Rude {
        fn wake(self: Arc<Self>) {
            #[allow(clippy::panic, reason = "what a host's waker must not do")]
            {
                panic!("a waker's own");
            }
        }
    }

    impl Drop for Rude {
        fn drop(&mut self) {
            drop(alarm_in(Duration::from_millis(1)));
        }
    }

    #[test]
    fn a_waker_that_panics_or_sets_alarms_keeps_nobody_from_ringing() {
        let rude = Waker::from(Arc::new(Rude));
        let rung = Alarm::set(real_monotonic() + Duration::from_millis(5), &rude).unwrap();
        drop(Alarm::set(real_monotonic() + Duration::from_hours(1), &Waker::from(Arc::new(Rude))));
        drop(rude);
        let (_later, _, later) = alarm_in(Duration::from_millis(20));
        later.recv_timeout(Duration::from_secs(10)).unwrap();
        drop(rung);
    }

    #[test]
    fn an_alarm_that_was_dropped_does_not_ring() {
        let (dropped, _, rung) = alarm_in(Duration::from_millis(5));
        drop(dropped);
        let (_later, _, later) = alarm_in(Duration::from_millis(20));
        later.recv().unwrap();
        // Its bell is gone with it.
        assert!(rung.recv().is_err());
    }
}
