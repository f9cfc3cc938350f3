//! `Meter`: what one run uses, its deadline, its turns, and the limit that ended it.

use super::fault::{self, Fault};
use super::gauge::{self, Reading, Watched};
use super::limits::{Limit, LimitError, Limits, Usage};
use super::parse_time::ParseTime;
use crate::clock::{Clock, lock, real_monotonic};
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Longest time for which a run keeps its executor before it yields, in microseconds.
const SLICE_US: u64 = 400;
/// Fuel of a process's turn before the other processes of its run have theirs.
const TURN_FUEL: i64 = 20 * gauge::FUEL;

/// Counts what one run uses. Shared by every process of the run.
#[derive(Debug)]
pub struct Meter {
    limits: Limits,
    clock: Arc<Clock>,
    started: Duration,
    started_real: Duration,
    operations: AtomicU64,
    commands: AtomicU64,
    loop_iterations: AtomicU64,
    processes: AtomicU64,
    peak_processes: AtomicU64,
    /// Bytes held, as of the last time that the run was polled, and what other threads charged since.
    live: AtomicI64,
    watched: Arc<Watched>,
    slice_end: AtomicU64,
    /// Fuel of the gauge and of the turn, while the meter is not on a gauge.
    fuel_left: AtomicI64,
    turn_left: AtomicI64,
    paused: AtomicBool,
    yield_requested: AtomicBool,
    /// Whoever polls the run does not mind long steps: it is at a thread of its own, or there is no help.
    is_on_worker: AtomicBool,
    wants_worker: AtomicBool,
    stopped: AtomicBool,
    failure: Mutex<Option<LimitError>>,
}

/// What a run does after it looked at its meter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Turn {
    /// It goes on.
    Continues,
    /// The process has used the fuel of its turn: the others come first.
    Over,
    /// The run has kept its executor for long enough: this process goes on when the run is polled again.
    Pauses,
}

impl Meter {
    /// A meter that starts now.
    pub(crate) fn new(limits: Limits, clock: Arc<Clock>) -> Arc<Self> {
        let started_real = real_monotonic();
        let started = if clock.is_virtual() { clock.monotonic() } else { started_real };
        Arc::new(Self {
            limits,
            clock,
            started,
            started_real,
            operations: AtomicU64::new(0),
            commands: AtomicU64::new(0),
            loop_iterations: AtomicU64::new(0),
            processes: AtomicU64::new(0),
            peak_processes: AtomicU64::new(0),
            live: AtomicI64::new(0),
            watched: Arc::default(),
            slice_end: AtomicU64::new(u64::MAX),
            fuel_left: AtomicI64::new(gauge::FUEL),
            turn_left: AtomicI64::new(TURN_FUEL),
            paused: AtomicBool::new(false),
            yield_requested: AtomicBool::new(false),
            is_on_worker: AtomicBool::new(true),
            wants_worker: AtomicBool::new(false),
            stopped: AtomicBool::new(false),
            failure: Mutex::new(None),
        })
    }

    /// When the run started, by the session's clock.
    pub(crate) const fn started(&self) -> Duration {
        self.started
    }

    /// What is allowed.
    pub const fn limits(&self) -> &Limits {
        &self.limits
    }

    /// The clock of [`Limits::wall_time_ms`].
    pub(crate) fn clock(&self) -> &Arc<Clock> {
        &self.clock
    }

    // The gauge.

    fn address(&self) -> usize {
        std::ptr::from_ref(self) as usize
    }

    fn is_on_gauge(&self) -> bool {
        gauge::owner() == self.address()
    }

    /// Puts this meter on the gauge of the thread: until the guard is dropped, what is allocated and computed here is the
    /// run's.
    pub(crate) fn enter(self: &Arc<Self>) -> Entered {
        if self.is_on_gauge() {
            return Entered(None);
        }
        self.enter_with(self.fuel_left.load(Relaxed), self.turn_left.load(Relaxed), false)
    }

    /// As [`Meter::enter`], for work on another thread: the fuel is its own.
    pub(super) fn enter_beside(self: &Arc<Self>) -> Entered {
        self.enter_with(gauge::FUEL, TURN_FUEL, true)
    }

    fn enter_with(self: &Arc<Self>, fuel: i64, turn: i64, is_beside: bool) -> Entered {
        fault::end_step(true);
        let live = self.live.load(Relaxed);
        let before = gauge::exchange(Reading {
            live,
            peak: live,
            allowed: i64::try_from(self.limits.live_bytes).unwrap_or(i64::MAX),
            value_bytes: usize::try_from(self.limits.value_bytes).unwrap_or(usize::MAX),
            fuel,
            deadline: self.real_deadline(),
            turn,
            refused: None,
            owner: self.address(),
        });
        // Nobody waits elsewhere for a run that is polled in place.
        let watched = gauge::watch_by(self.is_on_worker().then(|| Arc::clone(&self.watched)));
        Entered(Some(Back { meter: Arc::clone(self), before, watched, live, is_beside }))
    }

    fn leave(&self, before: Reading, live: i64, is_beside: bool) {
        let reading = gauge::exchange(before);
        fault::end_step(before.owner != 0);
        // Another thread may have charged meanwhile, so the difference is added.
        let now = self.live.fetch_add(reading.live - live, Relaxed) + (reading.live - live);
        self.watched.peak.fetch_max(reading.peak.max(now), Relaxed);
        if !is_beside {
            self.fuel_left.store(reading.fuel, Relaxed);
            self.turn_left.store(reading.turn, Relaxed);
        }
        if let Some(limit) = reading.refused {
            self.fail(limit);
        }
    }

    /// Keeps what the gauge has: the peak, and a refusal that it has latched as the run's failure.
    fn settle(&self) {
        if !self.is_on_gauge() {
            return;
        }
        if let Some(limit) = gauge::take_refusal() {
            self.fail(limit);
        }
    }

    // Failure.

    /// The error for `limit`; it is kept as the run's failure if it is the first.
    pub(crate) fn fail(&self, limit: Limit) -> LimitError {
        self.fail_with(limit, self.limits.get(limit))
    }

    /// As [`Meter::fail`], for a bound that is not the run's own (the quota of the session's file system, say).
    pub(crate) fn fail_with(&self, limit: Limit, allowed: u64) -> LimitError {
        let error = LimitError { limit, allowed, line: None };
        let mut failure = lock(&self.failure);
        let first = *failure.get_or_insert(error);
        self.stopped.store(true, Relaxed);
        first
    }

    /// Nobody waits for the run any longer: it does nothing to files any more, and ends at its next look at the clock.
    pub(crate) fn abandon(&self) -> LimitError {
        self.watched.is_abandoned.store(true, Relaxed);
        self.fail(Limit::WallTime)
    }

    /// The limit that ended the run, if one did.
    pub(crate) fn failure(&self) -> Option<LimitError> {
        self.settle();
        if self.stopped.load(Relaxed) { *lock(&self.failure) } else { None }
    }

    /// Adds the line that was running to the run's failure.
    pub(crate) fn set_failure_line(&self, line: u32) {
        if let Some(error) = lock(&self.failure).as_mut() {
            error.line.get_or_insert(line);
        }
    }

    // Time.

    /// Checks the deadline and an earlier failure. Costs a clock reading; call it every thousand operations or so.
    pub fn check(&self) -> Result<(), LimitError> {
        self.check_at(real_monotonic())
    }

    pub(super) fn check_at(&self, now: Duration) -> Result<(), LimitError> {
        fault::end_step(true);
        if let Some(error) = self.failure() {
            return Err(error);
        }
        if self.limits.wall_time_ms != u64::MAX {
            let allowed = Duration::from_millis(self.limits.wall_time_ms);
            let is_over = fault::is_due(Fault::Clock)
                || now.saturating_sub(self.started_real) >= allowed
                || self.clock.is_virtual() && self.clock.monotonic().saturating_sub(self.started) >= allowed;
            if is_over {
                return Err(self.fail(Limit::WallTime));
            }
        }
        Ok(())
    }

    /// The moment of the session's monotonic clock at which the time is over; `None` without a limit.
    pub(crate) fn deadline(&self) -> Option<Duration> {
        (self.limits.wall_time_ms != u64::MAX)
            .then(|| self.started + Duration::from_millis(self.limits.wall_time_ms))
    }

    /// The moment of the real clock at which the time is over.
    pub(crate) fn real_deadline(&self) -> Duration {
        match self.limits.wall_time_ms {
            u64::MAX => Duration::MAX,
            allowed => self.started_real.saturating_add(Duration::from_millis(allowed)),
        }
    }

    /// Real time until the deadline; `None` without a limit.
    pub(crate) fn real_time_left(&self) -> Option<Duration> {
        let used = real_monotonic().saturating_sub(self.started_real);
        (self.limits.wall_time_ms != u64::MAX)
            .then(|| Duration::from_millis(self.limits.wall_time_ms).saturating_sub(used))
    }

    /// Starts to measure the time of parsing one script.
    pub(crate) fn parse_time(&self) -> ParseTime<'_> {
        ParseTime::new(self)
    }

    // Operations and turns.

    /// Counts `n` operations and checks the deadline.
    pub(crate) fn tick(&self, n: u64) -> Result<(), LimitError> {
        self.count_operations(n)?;
        self.check()
    }

    fn count_operations(&self, n: u64) -> Result<(), LimitError> {
        // A host's command may count from a task of its own.
        let value = self.operations.fetch_add(n, Relaxed).saturating_add(n);
        if value > self.limits.operations { Err(self.fail(Limit::Operations)) } else { Ok(()) }
    }

    /// Called when the fuel of the gauge is gone, or to look at the clock early: counts what was used, checks the
    /// deadline, fills up, and says whose turn it is.
    ///
    /// Whoever is told that the run pauses and comes back to the same place must have used as much fuel then as one who
    /// was not: when the run pauses depends on the machine, and turns must not.
    #[cold]
    pub(crate) fn refuel(&self) -> Result<Turn, LimitError> {
        self.refuel_or(true)
    }

    /// As [`Meter::refuel`] where coming back costs fuel: only a turn that is over ends, which comes soon enough.
    #[cold]
    pub(crate) fn refuel_for_turn(&self) -> Result<Turn, LimitError> {
        self.refuel_or(false)
    }

    fn refuel_or(&self, may_pause: bool) -> Result<Turn, LimitError> {
        let (used, turn_is_over) = gauge::refill();
        self.count_operations(used)?;
        let now = real_monotonic();
        self.check_at(now)?;
        // A turn that is over ends, whatever the time says: what the processes do to each other depends on turns alone.
        let turn = if turn_is_over {
            Turn::Over
        } else if (may_pause || self.may_use_worker()) && self.slice_ended_by(now) {
            self.paused.store(true, Relaxed);
            Turn::Pauses
        } else {
            return Ok(Turn::Continues);
        };
        self.yield_requested.store(true, Relaxed);
        Ok(turn)
    }

    /// Whether a pause is worth what it costs a builtin: the run goes on at a worker thread then. On a fixed clock it is not, because what
    /// coming back costs would depend on when that was.
    fn may_use_worker(&self) -> bool {
        !self.is_on_worker() && !self.clock.is_virtual()
    }

    /// Whether the process that runs was told to let others go first; asked once.
    pub(crate) fn take_yield_request(&self) -> bool {
        self.yield_requested.swap(false, Relaxed)
    }

    /// As [`Meter::refuel`] where nobody can yield: only the deadline is checked.
    #[cold]
    pub(crate) fn refuel_in_place(&self) -> Result<(), LimitError> {
        let (used, _) = gauge::refill();
        self.tick(used)
    }

    /// Starts the turn of a process.
    pub(crate) fn start_turn() {
        gauge::start_turn(TURN_FUEL);
    }

    /// What the turn that runs counts for so far, when a whole one counts for `whole`.
    pub(crate) fn turn_used(whole: Duration) -> Duration {
        let used = (TURN_FUEL - gauge::turn_left()).clamp(0, TURN_FUEL);
        whole * u32::try_from(used).unwrap_or(0) / u32::try_from(TURN_FUEL).unwrap_or(u32::MAX)
    }

    /// Whether a process has paused because the run's slice was over; asked once.
    pub(crate) fn take_pause(&self) -> bool {
        self.paused.swap(false, Relaxed)
    }

    /// Whether a step may be done now that can take longer than a slice and cannot be cut. `false`: who asks lets the run pause,
    /// which goes on at a worker thread (see `limit::worker`), and asks again then.
    pub(crate) fn may_take_long(&self) -> bool {
        if self.is_on_worker() {
            return true;
        }
        self.request_worker();
        self.paused.store(true, Relaxed);
        false
    }

    /// Whether whoever polls the run does not mind long steps.
    pub(crate) fn is_on_worker(&self) -> bool {
        self.is_on_worker.load(Relaxed)
    }

    /// Lets the run go on at a worker thread before it does anything more.
    pub(crate) fn request_worker(&self) {
        self.wants_worker.store(true, Relaxed);
    }

    /// Whether the run has to go on at a worker thread before it can do anything.
    pub(crate) fn wants_worker(&self) -> bool {
        self.wants_worker.load(Relaxed) && !self.is_on_worker()
    }

    /// Whoever polls the run wants to know of steps that can take long.
    pub(crate) fn set_on_host(&self) {
        self.is_on_worker.store(false, Relaxed);
    }

    /// From now on the run goes on at a worker thread, or has to stay where it is.
    pub(crate) fn set_on_worker(&self) {
        self.is_on_worker.store(true, Relaxed);
        self.paused.store(false, Relaxed);
    }

    /// Starts a slice: from now on [`Meter::slice_is_over`] is false for less than a millisecond.
    pub(crate) fn start_slice(&self) {
        self.slice_end.store(real_us() + SLICE_US, Relaxed);
    }

    /// Whether the run has kept its executor long enough. Costs a clock reading.
    pub(crate) fn slice_is_over(&self) -> bool {
        self.slice_ended_by(real_monotonic())
    }

    fn slice_ended_by(&self, now: Duration) -> bool {
        now.as_micros() as u64 >= self.slice_end.load(Relaxed)
    }

    // Counters.

    /// Counts one simple command.
    pub(crate) fn count_command(&self) -> Result<(), LimitError> {
        add(&self.commands, 1, self.limits.commands).map_err(|()| self.fail(Limit::Commands))
    }

    /// Counts one turn of a loop.
    pub(crate) fn count_loop(&self) -> Result<(), LimitError> {
        add(&self.loop_iterations, 1, self.limits.loop_iterations)
            .map_err(|()| self.fail(Limit::LoopIterations))
    }

    /// Counts a process while the guard lives.
    pub(crate) fn count_process(self: &Arc<Self>) -> Result<ProcessCharge, LimitError> {
        let alive = self.processes.load(Relaxed) + 1;
        if alive > self.limits.processes {
            return Err(self.fail(Limit::Processes));
        }
        self.processes.store(alive, Relaxed);
        self.peak_processes.fetch_max(alive, Relaxed);
        Ok(ProcessCharge(Arc::clone(self)))
    }

    // Live bytes that no container of ours holds.

    /// Takes `bytes` of the live bytes; they are given back when the charge is dropped.
    pub fn charge(self: &Arc<Self>, bytes: u64) -> Result<Charge, LimitError> {
        self.take(bytes)?;
        Ok(Charge { meter: Arc::clone(self), bytes })
    }

    /// A charge of nothing yet, to be grown.
    pub(crate) fn empty_charge(self: &Arc<Self>) -> Charge {
        Charge { meter: Arc::clone(self), bytes: 0 }
    }

    /// Checks one value's size against [`Limits::value_bytes`].
    #[inline]
    pub fn check_value(&self, bytes: u64) -> Result<(), LimitError> {
        if bytes > self.limits.value_bytes { Err(self.fail(Limit::ValueBytes)) } else { Ok(()) }
    }

    /// Takes live bytes without a guard; the caller gives them back with [`Meter::release`].
    pub(crate) fn take(&self, bytes: u64) -> Result<(), LimitError> {
        if self.is_on_gauge() {
            let is_granted = gauge::charge(usize::try_from(bytes).unwrap_or(usize::MAX));
            return match self.failure() {
                Some(error) => {
                    if is_granted {
                        self.release(bytes);
                    }
                    Err(error)
                }
                None => Ok(()),
            };
        }
        let bytes = i64::try_from(bytes).unwrap_or(i64::MAX);
        let live = self.live.fetch_add(bytes, Relaxed).saturating_add(bytes);
        if live > i64::try_from(self.limits.live_bytes).unwrap_or(i64::MAX) {
            self.live.fetch_sub(bytes, Relaxed);
            return Err(self.fail(Limit::LiveBytes));
        }
        self.watched.peak.fetch_max(live, Relaxed);
        Ok(())
    }

    /// See [`Meter::take`].
    pub(crate) fn release(&self, bytes: u64) {
        if self.is_on_gauge() {
            gauge::release(usize::try_from(bytes).unwrap_or(usize::MAX));
        } else {
            self.live.fetch_sub(i64::try_from(bytes).unwrap_or(i64::MAX), Relaxed);
        }
    }

    /// Operations since the fuel was filled up last.
    fn uncounted_operations(&self) -> u64 {
        let left = if self.is_on_gauge() { gauge::fuel_left() } else { self.fuel_left.load(Relaxed) };
        u64::try_from(gauge::FUEL - left).unwrap_or(0)
    }

    /// What was used so far.
    pub fn usage(&self) -> Usage {
        let on_gauge = if self.is_on_gauge() { gauge::live().1 } else { 0 };
        let peak = self.watched.peak.load(Relaxed).max(on_gauge);
        Usage {
            wall_time_us: real_monotonic().saturating_sub(self.started_real).as_micros() as u64,
            operations: self.operations.load(Relaxed) + self.uncounted_operations(),
            commands: self.commands.load(Relaxed),
            loop_iterations: self.loop_iterations.load(Relaxed),
            peak_processes: self.peak_processes.load(Relaxed),
            peak_live_bytes: u64::try_from(peak).unwrap_or(0),
            stdout_bytes: 0,
            stderr_bytes: 0,
        }
    }
}

fn real_us() -> u64 {
    real_monotonic().as_micros() as u64
}

fn add(counter: &AtomicU64, n: u64, allowed: u64) -> Result<(), ()> {
    // Commands and loops are counted by the run alone, which is one future: a load and a store, not a locked addition.
    let value = counter.load(Relaxed).saturating_add(n);
    counter.store(value, Relaxed);
    if value > allowed { Err(()) } else { Ok(()) }
}

/// The meter is on the gauge of this thread while this lives; see [`Meter::enter`].
#[derive(Debug)]
pub(crate) struct Entered(Option<Back>);

/// How the gauge goes back to what it was.
#[derive(Debug)]
struct Back {
    meter: Arc<Meter>,
    before: Reading,
    /// By what the run before was watched.
    watched: Option<Arc<Watched>>,
    live: i64,
    is_beside: bool,
}

impl Drop for Entered {
    fn drop(&mut self) {
        if let Some(Back { meter, before, watched, live, is_beside }) = self.0.take() {
            gauge::watch_by(watched);
            meter.leave(before, live, is_beside);
        }
    }
}

/// Live bytes that were taken from a [`Meter`]; given back on drop.
#[derive(Debug)]
pub struct Charge {
    meter: Arc<Meter>,
    bytes: u64,
}

impl Charge {
    /// Takes `more` bytes.
    pub fn grow(&mut self, more: u64) -> Result<(), LimitError> {
        self.meter.take(more)?;
        self.bytes = self.bytes.saturating_add(more);
        Ok(())
    }

    /// Makes the charge `bytes` in all, up or down. Charges for buffers that grow in small steps should be rounded up by
    /// the caller.
    pub fn set(&mut self, bytes: u64) -> Result<(), LimitError> {
        if bytes > self.bytes {
            self.grow(bytes - self.bytes)
        } else {
            self.meter.release(self.bytes - bytes);
            self.bytes = bytes;
            Ok(())
        }
    }

    /// Bytes taken.
    pub const fn bytes(&self) -> u64 {
        self.bytes
    }
}

impl Drop for Charge {
    fn drop(&mut self) {
        self.meter.release(self.bytes);
    }
}

/// One living process; see [`Meter::count_process`].
#[derive(Debug)]
pub(crate) struct ProcessCharge(Arc<Meter>);

impl Drop for ProcessCharge {
    fn drop(&mut self) {
        self.0.processes.store(self.0.processes.load(Relaxed).saturating_sub(1), Relaxed);
    }
}
