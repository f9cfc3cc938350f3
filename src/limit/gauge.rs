//! The gauge of the run that is being polled on this thread: what it may still allocate, and the fuel of its turn.
//!
//! Memory and time are charged where they are used, not where an author remembers to: the containers of [`crate::memory`]
//! ask [`charge`] before they grow and [`release`] when they are dropped, and every operation, loop turn and copied byte
//! lowers one counter of fuel. A run's [`Meter`](super::Meter) is put on the gauge while the run is polled or dropped
//! ([`Meter::enter`](super::Meter::enter)) and taken off afterwards. Handing a meter to every value instead would cost each
//! text eight bytes and two reference counts.
//!
//! Who grows or copies much at once may be at work that nobody cut: the gauge then looks at the clock by itself ([`look`]),
//! and a time limit that is over is latched as a refusal is.
//!
//! A refusal is latched: the container stays as it is, the fuel is gone, and the next look at the meter ends the run. So
//! growing does not need a `Result`, no code can go on for long with what is missing, and a run that was refused
//! anything cannot end as if it had succeeded. Requests of a few bytes are granted up to [`SLACK`] past the limit, because
//! the run ends anyway and what the shell's own bookkeeping relies on (a slot for each name, a frame for each call) is then
//! never half made.

use super::fault::{self, Fault};
use super::limits::Limit;
use crate::clock::real_monotonic;
use std::cell::{Cell, RefCell};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering::Relaxed};
use std::time::Duration;

/// Fuel between two looks at the clock, which is about what 10 to 50 µs of work use.
pub(crate) const FUEL: i64 = 1000;
/// Bytes at once for which the clock is looked at.
pub(crate) const MUCH: usize = 1 << 16;
/// Bytes that are copied or allocated for one unit of fuel.
const BYTES_PER_FUEL: usize = 64;
/// Bytes past the limit that small requests are still granted.
pub(crate) const SLACK: i64 = 256 * 1024;
/// Largest request that counts as small, in bytes.
pub(crate) const SMALL: usize = 4096;
/// What the peak is raised by at once, in bytes: it is too high by at most this.
pub(crate) const PEAK_STEP: i64 = 4096;

/// What whoever waits for a run sees of it, and tells it, while another thread polls it.
#[derive(Debug, Default)]
pub(super) struct Watched {
    /// The most bytes held so far.
    pub(super) peak: AtomicI64,
    /// Nobody waits for it any longer.
    pub(super) is_abandoned: AtomicBool,
}

struct Gauge {
    /// Bytes held now; below zero where a run frees what it did not allocate.
    live: Cell<i64>,
    /// Bytes held beyond which the peak has to be raised or the limit looked at: the smaller of the two.
    mark: Cell<i64>,
    peak: Cell<i64>,
    allowed: Cell<i64>,
    /// See [`super::Limits::value_bytes`].
    value_bytes: Cell<usize>,
    fuel: Cell<i64>,
    /// When the run's time is over, by the real clock.
    deadline: Cell<Duration>,
    /// Fuel that the current turn may use beside `fuel`.
    turn: Cell<i64>,
    /// The limit that was met and not yet reported.
    refused: Cell<Option<Limit>>,
    /// Address of the meter that is on the gauge; 0: none.
    owner: Cell<usize>,
    watched: RefCell<Option<Arc<Watched>>>,
    /// The run has made a file that takes long to read.
    has_large_file: Cell<bool>,
}

thread_local! {
    static GAUGE: Gauge = const {
        Gauge {
            live: Cell::new(0),
            mark: Cell::new(0),
            peak: Cell::new(0),
            allowed: Cell::new(i64::MAX),
            value_bytes: Cell::new(usize::MAX),
            fuel: Cell::new(0),
            deadline: Cell::new(Duration::MAX),
            turn: Cell::new(0),
            refused: Cell::new(None),
            owner: Cell::new(0),
            watched: RefCell::new(None),
            has_large_file: Cell::new(false),
        }
    };
}

/// The numbers on the gauge, to be put aside while another meter is on it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reading {
    pub(super) live: i64,
    pub(super) peak: i64,
    pub(super) allowed: i64,
    pub(super) value_bytes: usize,
    pub(super) fuel: i64,
    pub(super) deadline: Duration,
    pub(super) turn: i64,
    pub(super) refused: Option<Limit>,
    pub(super) owner: usize,
}

/// Puts `new` on the gauge and returns what was there.
pub(super) fn exchange(new: Reading) -> Reading {
    GAUGE.with(|gauge| {
        gauge.mark.set(new.peak.min(new.allowed));
        gauge.has_large_file.set(false);
        exchange_on(gauge, new)
    })
}

fn exchange_on(gauge: &Gauge, new: Reading) -> Reading {
    Reading {
        live: gauge.live.replace(new.live),
        peak: gauge.peak.replace(new.peak),
        allowed: gauge.allowed.replace(new.allowed),
        value_bytes: gauge.value_bytes.replace(new.value_bytes),
        fuel: gauge.fuel.replace(new.fuel),
        deadline: gauge.deadline.replace(new.deadline),
        turn: gauge.turn.replace(new.turn),
        refused: gauge.refused.replace(new.refused),
        owner: gauge.owner.replace(new.owner),
    }
}

/// From now on the run on the gauge is watched by this; returns by what one was before.
pub(super) fn watch_by(watched: Option<Arc<Watched>>) -> Option<Arc<Watched>> {
    GAUGE.with(|gauge| gauge.watched.replace(watched))
}

/// Address of the meter that is on the gauge; 0: none.
pub(super) fn owner() -> usize {
    GAUGE.with(|gauge| gauge.owner.get())
}

/// The run that is on the gauge has made a file that takes long to read at once.
pub(crate) fn note_large_file() {
    GAUGE.with(|gauge| gauge.has_large_file.set(true));
}

/// Whether the run made such a file since the last time that somebody asked, or since it was put on the gauge.
#[inline]
pub(crate) fn take_large_file() -> bool {
    GAUGE.with(|gauge| gauge.has_large_file.replace(false))
}

/// Whether what is done here is done for a run.
pub(crate) fn is_in_run() -> bool {
    owner() != 0
}

/// Bytes held now, and the most so far.
pub(crate) fn live() -> (i64, i64) {
    GAUGE.with(|gauge| (gauge.live.get(), gauge.peak.get()))
}

/// The limit that was refused since the last call.
pub(super) fn take_refusal() -> Option<Limit> {
    GAUGE.with(|gauge| gauge.refused.take())
}

/// Asks for `bytes` of memory and spends fuel in proportion. `false`: they must not be allocated; the run ends soon.
#[inline]
#[must_use]
pub(crate) fn charge(bytes: usize) -> bool {
    GAUGE.with(|gauge| {
        if bytes >= MUCH && !look(gauge) {
            return false;
        }
        let (live, overflows) = gauge.live.get().overflowing_add_unsigned(bytes as u64);
        if (overflows || live > gauge.mark.get()) && !pass_mark(gauge, bytes) {
            return false;
        }
        if gauge.owner.get() != 0 && fault::is_due(Fault::Charge) {
            refuse_on(gauge, Limit::LiveBytes);
            return false;
        }
        gauge.live.set(live);
        gauge.fuel.set(gauge.fuel.get() - (bytes / BYTES_PER_FUEL) as i64);
        true
    })
}

/// Raises the peak to what `bytes` more make of it, if they are granted.
#[cold]
#[inline(never)]
fn pass_mark(gauge: &Gauge, bytes: usize) -> bool {
    let live = gauge.live.get().saturating_add_unsigned(bytes as u64);
    if live > gauge.allowed.get() {
        refuse_on(gauge, Limit::LiveBytes);
        if bytes > SMALL || live > gauge.allowed.get().saturating_add(SLACK) {
            return false;
        }
    }
    let peak = gauge.peak.get().max(live.saturating_add(PEAK_STEP).min(gauge.allowed.get()).max(live));
    gauge.peak.set(peak);
    gauge.mark.set(peak.min(gauge.allowed.get()));
    if let Some(watched) = gauge.watched.borrow().as_ref() {
        watched.peak.fetch_max(peak, Relaxed);
    }
    true
}

/// Charges `bytes` that are there whatever the limit says; the caller has been refused before, so the run ends.
pub(crate) fn force(bytes: usize) {
    GAUGE.with(|gauge| {
        let live = gauge.live.get().saturating_add_unsigned(bytes as u64);
        gauge.live.set(live);
        gauge.peak.set(gauge.peak.get().max(live));
    });
}

/// Gives back `bytes` of memory.
#[inline]
pub(crate) fn release(bytes: usize) {
    GAUGE.with(|gauge| gauge.live.set(gauge.live.get().saturating_sub_unsigned(bytes as u64)));
}

/// Whether a value of `bytes` is within [`super::Limits::value_bytes`]; otherwise the run ends soon.
#[inline]
#[must_use]
pub(crate) fn admit_value(bytes: usize) -> bool {
    GAUGE.with(|gauge| {
        let fits = bytes <= gauge.value_bytes.get();
        if !fits {
            refuse_on(gauge, Limit::ValueBytes);
        }
        fits
    })
}

/// Ends the run soon by `limit`.
#[cold]
pub(crate) fn refuse(limit: Limit) {
    GAUGE.with(|gauge| refuse_on(gauge, limit));
}

#[cold]
fn refuse_on(gauge: &Gauge, limit: Limit) {
    if gauge.refused.get().is_none() {
        gauge.refused.set(Some(limit));
    }
    // The next operation or loop turn looks at the meter.
    gauge.fuel.set(gauge.fuel.get().min(0));
}

/// Whether something was refused and the run ends soon: work in long steps can be left off.
#[inline]
pub(crate) fn is_refused() -> bool {
    GAUGE.with(|gauge| gauge.refused.get().is_some())
}

/// Uses `fuel`; whether none is left, so that [`super::Meter::refuel`] has to be called.
#[inline]
pub(crate) fn burn(fuel: i64) -> bool {
    GAUGE.with(|gauge| {
        let left = gauge.fuel.get() - fuel;
        gauge.fuel.set(left);
        left < 0
    })
}

/// As [`spend_bytes`], where the clock is looked at otherwise.
#[inline]
pub(crate) fn spend_few_bytes(bytes: usize) {
    burn((bytes / BYTES_PER_FUEL) as i64);
}

/// Looks at the clock in the middle of a long step. `true`: the run was refused something, now or before; it ends soon.
#[cold]
#[inline(never)]
pub(crate) fn is_time_over() -> bool {
    GAUGE.with(|gauge| gauge.refused.get().is_some() || !look(gauge))
}

/// Looks at the clock; whether there is time left and somebody waits. Otherwise the run is refused everything from now on.
#[cold]
#[inline(never)]
fn look(gauge: &Gauge) -> bool {
    let is_abandoned = gauge.watched.borrow().as_ref().is_some_and(|run| run.is_abandoned.load(Relaxed));
    if !is_abandoned && (gauge.owner.get() == 0 || gauge.deadline.get() == Duration::MAX) {
        return true;
    }
    fault::end_step(true);
    let is_over = is_abandoned || fault::is_due(Fault::Clock) || real_monotonic() >= gauge.deadline.get();
    if is_over {
        refuse_on(gauge, Limit::WallTime);
        gauge.allowed.set(gauge.allowed.get().min(gauge.live.get()));
        gauge.mark.set(gauge.mark.get().min(gauge.allowed.get()));
    }
    !is_over
}

/// Uses the fuel of reading, comparing or copying `bytes`.
#[inline]
pub(crate) fn spend_bytes(bytes: usize) {
    spend_few_bytes(bytes);
    if bytes >= MUCH {
        is_time_over();
    }
}

/// Fills up the fuel; returns what was used since the last time, and whether the turn is over.
pub(super) fn refill() -> (u64, bool) {
    GAUGE.with(|gauge| {
        let used = (FUEL - gauge.fuel.replace(FUEL)).max(0);
        let turn = gauge.turn.get() - used;
        gauge.turn.set(turn);
        (used as u64, turn <= 0)
    })
}

/// Fuel that is left of the turn, beside what was filled up last.
pub(super) fn turn_left() -> i64 {
    GAUGE.with(|gauge| gauge.turn.get() - (FUEL - gauge.fuel.get()))
}

/// Fuel that is left until the next look at the clock.
pub(super) fn fuel_left() -> i64 {
    GAUGE.with(|gauge| gauge.fuel.get())
}

/// Starts a turn that ends after `fuel`.
pub(super) fn start_turn(fuel: i64) {
    GAUGE.with(|gauge| gauge.turn.set(fuel));
}
