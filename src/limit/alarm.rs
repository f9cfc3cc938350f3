//! Alarms: a thread of the crate wakes whoever must not wait any longer, whatever the threads that work are at.

use crate::clock::{lock, real_monotonic};
use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex, PoisonError};
use std::task::Waker;
use std::time::Duration;

/// When, by the real clock, and which of those that ring then.
type Key = (Duration, u64);

struct Alarms {
    state: Mutex<State>,
    /// There is an earlier one than the thread waits for.
    set: Condvar,
}

struct State {
    wakers: BTreeMap<Key, Waker>,
    next: u64,
    is_started: bool,
}

static ALARMS: Alarms = Alarms {
    state: Mutex::new(State { wakers: BTreeMap::new(), next: 0, is_started: false }),
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
                        waker.wake();
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
        lock(&ALARMS.state).wakers.remove(&self.0);
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
