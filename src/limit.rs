//! Limits (what a run is allowed), the meter (what it has used), deadlines and cancellation.
//!
//! One [`Meter`] is shared by every process of a run. Growth is charged before it happens; a [`Charge`] gives back what it
//! took when it is dropped. The first limit that is reached is kept in the meter and ends the run, whatever the code that
//! met it does with the error: a script cannot catch a limit.

use crate::clock::{Clock, lock, real_monotonic};
use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::time::Duration;

macro_rules! limits {
    ($($(#[doc = $doc:expr])* $name:ident $kind:ident $text:literal [$default:expr, $hook:expr, $everruns:expr, $interactive:expr];)*) => {
        /// What a run is allowed. Every value is a hard bound; reaching one ends the run with a [`LimitError`].
        #[derive(Clone, Debug, PartialEq, Eq)]
        #[non_exhaustive]
        pub struct Limits { $($(#[doc = $doc])* pub $name: u64,)* }

        /// The name of a limit.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Limit { $($(#[doc = $doc])* $kind,)* }

        impl Limit {
            /// Every limit, in the order of [`Limits`]' fields.
            pub const ALL: &'static [Limit] = &[$(Limit::$kind,)*];

            /// The name as the command line and messages spell it, for example `wall_time_ms`.
            pub const fn name(self) -> &'static str {
                match self { $(Limit::$kind => stringify!($name),)* }
            }

            /// What it bounds, in words.
            pub const fn describe(self) -> &'static str {
                match self { $(Limit::$kind => $text,)* }
            }
        }

        impl Limits {
            /// The value of one limit.
            pub const fn get(&self, limit: Limit) -> u64 {
                match limit { $(Limit::$kind => self.$name,)* }
            }

            /// Sets one limit.
            pub fn set(&mut self, limit: Limit, value: u64) {
                match limit { $(Limit::$kind => self.$name = value,)* }
            }

            /// The profile for a general-purpose run.
            pub const fn default_profile() -> Self { Self { $($name: $default,)* } }
            /// The profile for short hook scripts.
            pub const fn hook() -> Self { Self { $($name: $hook,)* } }
            /// The bounds that Everruns' shipped runtime sets (`dialects/everruns.md` 5.2).
            pub const fn everruns() -> Self { Self { $($name: $everruns,)* } }
            /// The profile for a person at a prompt: no time limit, wide bounds.
            pub const fn interactive() -> Self { Self { $($name: $interactive,)* } }
        }
    };
}

const KIB: u64 = 1 << 10;
const MIB: u64 = 1 << 20;
const GIB: u64 = 1 << 30;

limits! {
    /// Wall time of the run, in milliseconds of the session's clock.
    wall_time_ms WallTime "wall time in ms" [30_000, 5_000, 5_000, u64::MAX];
    /// Operations of the machine and loop turns of utilities.
    operations Operations "operations" [4_000_000_000, 400_000_000, 400_000_000, u64::MAX];
    /// Simple commands executed.
    commands Commands "simple commands" [50_000_000, 1_000_000, 200, u64::MAX];
    /// Turns of all loops of the language together.
    loop_iterations LoopIterations "loop iterations" [500_000_000, 10_000_000, 2_000, u64::MAX];
    /// Processes alive at the same time.
    processes Processes "processes" [512, 128, 64, 4096];
    /// Nested function calls, `source`, `eval`, traps and subshells.
    frames Frames "nested calls" [10_000, 10_000, 32, 100_000];
    /// Bytes held by variables, fields, pipes and utilities' buffers.
    live_bytes LiveBytes "live bytes" [256 * MIB, 64 * MIB, 10 * MIB, GIB];
    /// Bytes captured from the run's standard output, and from its standard error.
    output_bytes OutputBytes "bytes of output" [64 * MIB, MIB, MIB, GIB];
    /// Files and directories of the session's file system.
    files Files "files" [100_000, 100_000, 100_000, 1_000_000];
    /// Bytes of all files of the session's file system.
    file_system_bytes FileSystemBytes "bytes in files" [256 * MIB, 256 * MIB, 256 * MIB, GIB];
    /// Bytes of one variable, field or line.
    value_bytes ValueBytes "bytes of one value" [64 * MIB, 16 * MIB, 10 * MIB, GIB];
    /// Bytes of one script, `eval` text or sourced file.
    script_bytes ScriptBytes "bytes of script" [4 * MIB, MIB, 64 * KIB, 16 * MIB];
    /// Nesting of the grammar, all brackets, quotes and compound commands together.
    syntax_depth SyntaxDepth "syntax nesting" [200, 200, 64, 200];
    /// Fields that one word may expand to.
    expansion_results ExpansionResults "results of an expansion" [1_000_000, 100_000, 100_000, 10_000_000];
    /// Bytes of one compiled regular expression.
    regex_bytes RegexBytes "bytes of a compiled regular expression" [8 * MIB, 2 * MIB, 2 * MIB, 64 * MIB];
    /// Time to parse one script, in milliseconds.
    parse_time_ms ParseTime "parse time in ms" [5_000, 2_000, 2_000, 30_000];
}

impl Limits {
    /// The profile of that name: `default`, `hook`, `everruns` or `interactive`.
    pub fn profile(name: &str) -> Option<Self> {
        match name {
            "default" => Some(Self::default_profile()),
            "hook" => Some(Self::hook()),
            "everruns" => Some(Self::everruns()),
            "interactive" => Some(Self::interactive()),
            _ => None,
        }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self::default_profile()
    }
}

impl Limit {
    /// The limit of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|limit| limit.name() == name)
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A limit was reached, or the run was cancelled. It ends the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{} limit of {allowed} reached{}", .limit.name(), LineSuffix(*.line))]
pub struct LimitError {
    /// Which limit.
    pub limit: Limit,
    /// How much was allowed.
    pub allowed: u64,
    /// The script line that was running, where known.
    pub line: Option<u32>,
}

struct LineSuffix(Option<u32>);

impl fmt::Display for LineSuffix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.map_or(Ok(()), |line| write!(f, " at line {line}"))
    }
}

/// What a run has used, in the units of [`Limits`]; counters of limits that are not counted are 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Usage {
    /// Real time between start and end, in microseconds.
    pub wall_time_us: u64,
    /// See [`Limits::operations`].
    pub operations: u64,
    /// See [`Limits::commands`].
    pub commands: u64,
    /// See [`Limits::loop_iterations`].
    pub loop_iterations: u64,
    /// The most processes alive at one time.
    pub peak_processes: u64,
    /// The most live bytes at one time.
    pub peak_live_bytes: u64,
    /// Bytes written to standard output.
    pub stdout_bytes: u64,
    /// Bytes written to standard error.
    pub stderr_bytes: u64,
}

impl Usage {
    /// How much of each counted limit is left, in the limits' own units.
    pub fn headroom(&self, limits: &Limits) -> Vec<(Limit, u64)> {
        let used = [
            (Limit::WallTime, self.wall_time_us / 1000),
            (Limit::Operations, self.operations),
            (Limit::Commands, self.commands),
            (Limit::LoopIterations, self.loop_iterations),
            (Limit::Processes, self.peak_processes),
            (Limit::LiveBytes, self.peak_live_bytes),
            (Limit::OutputBytes, self.stdout_bytes.max(self.stderr_bytes)),
        ];
        used.iter().map(|&(limit, used)| (limit, limits.get(limit).saturating_sub(used))).collect()
    }
}

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
    live: AtomicU64,
    peak_live: AtomicU64,
    slice_end: AtomicU64,
    stopped: AtomicBool,
    failure: Mutex<Option<LimitError>>,
}

/// Longest time for which a run keeps its executor before it yields, in microseconds.
const SLICE_US: u64 = 400;

impl Meter {
    /// A meter that starts now.
    pub fn new(limits: Limits, clock: Arc<Clock>) -> Arc<Self> {
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
            live: AtomicU64::new(0),
            peak_live: AtomicU64::new(0),
            slice_end: AtomicU64::new(u64::MAX),
            stopped: AtomicBool::new(false),
            failure: Mutex::new(None),
        })
    }

    /// When the run started, by the session's clock.
    pub const fn started(&self) -> Duration {
        self.started
    }

    /// What is allowed.
    pub const fn limits(&self) -> &Limits {
        &self.limits
    }

    /// The error for `limit`; it is kept as the run's failure if it is the first.
    pub fn fail(&self, limit: Limit) -> LimitError {
        self.fail_with(limit, self.limits.get(limit))
    }

    /// As [`Meter::fail`], for a bound that is not the run's own (the quota of the session's file system, say).
    pub fn fail_with(&self, limit: Limit, allowed: u64) -> LimitError {
        let error = LimitError { limit, allowed, line: None };
        let mut failure = lock(&self.failure);
        let first = *failure.get_or_insert(error);
        self.stopped.store(true, Relaxed);
        first
    }

    /// The limit that ended the run, if one did.
    pub fn failure(&self) -> Option<LimitError> {
        if self.stopped.load(Relaxed) { *lock(&self.failure) } else { None }
    }

    /// Adds the line that was running to the run's failure.
    pub(crate) fn set_failure_line(&self, line: u32) {
        if let Some(error) = lock(&self.failure).as_mut() {
            error.line.get_or_insert(line);
        }
    }

    /// Checks the deadline and an earlier failure. Costs a clock reading; call it every thousand operations or so.
    pub fn check(&self) -> Result<(), LimitError> {
        self.check_at(real_monotonic())
    }

    fn check_at(&self, now: Duration) -> Result<(), LimitError> {
        if let Some(error) = self.failure() {
            return Err(error);
        }
        if self.limits.wall_time_ms != u64::MAX {
            let allowed = Duration::from_millis(self.limits.wall_time_ms);
            let is_over = now.saturating_sub(self.started_real) >= allowed
                || self.clock.is_virtual() && self.clock.monotonic().saturating_sub(self.started) >= allowed;
            if is_over {
                return Err(self.fail(Limit::WallTime));
            }
        }
        Ok(())
    }

    /// The moment of the session's monotonic clock at which the time is over; `None` without a limit.
    pub fn deadline(&self) -> Option<Duration> {
        (self.limits.wall_time_ms != u64::MAX)
            .then(|| self.started + Duration::from_millis(self.limits.wall_time_ms))
    }

    /// Real time until the deadline; `None` without a limit.
    pub(crate) fn real_time_left(&self) -> Option<Duration> {
        let used = real_monotonic().saturating_sub(self.started_real);
        (self.limits.wall_time_ms != u64::MAX)
            .then(|| Duration::from_millis(self.limits.wall_time_ms).saturating_sub(used))
    }

    /// Counts `n` operations and checks the deadline.
    pub fn tick(&self, n: u64) -> Result<(), LimitError> {
        self.count_operations(n)?;
        self.check()
    }

    fn count_operations(&self, n: u64) -> Result<(), LimitError> {
        add(&self.operations, n, self.limits.operations).map_err(|()| self.fail(Limit::Operations))
    }

    /// [`Meter::tick`], and whether the run has kept its executor long enough.
    pub(crate) fn tick_in_slice(&self, n: u64) -> Result<bool, LimitError> {
        self.count_operations(n)?;
        let now = real_monotonic();
        self.check_at(now)?;
        Ok(self.slice_ended_by(now))
    }

    /// The clock of [`Limits::wall_time_ms`].
    pub(crate) fn clock(&self) -> &Arc<Clock> {
        &self.clock
    }

    /// Starts to measure the time of parsing one script.
    pub(crate) fn parse_time(&self) -> ParseTime<'_> {
        ParseTime { meter: self, started: real_monotonic(), next: 0 }
    }

    /// Counts one simple command.
    pub fn count_command(&self) -> Result<(), LimitError> {
        add(&self.commands, 1, self.limits.commands).map_err(|()| self.fail(Limit::Commands))
    }

    /// Counts one turn of a loop.
    pub fn count_loop(&self) -> Result<(), LimitError> {
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

    /// Takes `bytes` of the live bytes; they are given back when the charge is dropped.
    pub fn charge(self: &Arc<Self>, bytes: u64) -> Result<Charge, LimitError> {
        self.take(bytes)?;
        Ok(Charge { meter: Arc::clone(self), bytes })
    }

    /// A charge of nothing yet, to be grown.
    pub fn empty_charge(self: &Arc<Self>) -> Charge {
        Charge { meter: Arc::clone(self), bytes: 0 }
    }

    /// Checks one value's size against [`Limits::value_bytes`].
    pub fn check_value(&self, bytes: u64) -> Result<(), LimitError> {
        if bytes > self.limits.value_bytes { Err(self.fail(Limit::ValueBytes)) } else { Ok(()) }
    }

    /// Takes live bytes without a guard; the caller gives them back with [`Meter::give_back`].
    pub(crate) fn take(&self, bytes: u64) -> Result<(), LimitError> {
        let live = self.live.load(Relaxed).saturating_add(bytes);
        if live > self.limits.live_bytes {
            return Err(self.fail(Limit::LiveBytes));
        }
        self.live.store(live, Relaxed);
        if live > self.peak_live.load(Relaxed) {
            self.peak_live.store(live, Relaxed);
        }
        Ok(())
    }

    /// See [`Meter::take`].
    pub(crate) fn give_back(&self, bytes: u64) {
        self.live.store(self.live.load(Relaxed).saturating_sub(bytes), Relaxed);
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

    /// What was used so far.
    pub fn usage(&self) -> Usage {
        Usage {
            wall_time_us: real_monotonic().saturating_sub(self.started_real).as_micros() as u64,
            operations: self.operations.load(Relaxed),
            commands: self.commands.load(Relaxed),
            loop_iterations: self.loop_iterations.load(Relaxed),
            peak_processes: self.peak_processes.load(Relaxed),
            peak_live_bytes: self.peak_live.load(Relaxed),
            stdout_bytes: 0,
            stderr_bytes: 0,
        }
    }
}

fn real_us() -> u64 {
    real_monotonic().as_micros() as u64
}

fn add(counter: &AtomicU64, n: u64, allowed: u64) -> Result<(), ()> {
    // A run is one future, so its counters have one writer at a time: a load and a store, not a locked addition.
    let value = counter.load(Relaxed).saturating_add(n);
    counter.store(value, Relaxed);
    if value > allowed { Err(()) } else { Ok(()) }
}

/// Bytes that are parsed between two readings of the clock.
const PARSE_STEP: usize = 1024;

/// See [`Meter::parse_time`].
pub(crate) struct ParseTime<'m> {
    meter: &'m Meter,
    started: Duration,
    /// Where the clock is read next.
    next: usize,
}

impl ParseTime<'_> {
    /// [`ParseTime::check`] once in a while, at ever higher offsets of the text.
    pub(crate) fn check_at(&mut self, offset: usize) -> Result<(), LimitError> {
        if offset < self.next {
            return Ok(());
        }
        self.next = offset + PARSE_STEP;
        self.check()
    }

    /// Fails once the time to parse is over.
    pub(crate) fn check(&self) -> Result<(), LimitError> {
        let allowed = self.meter.limits.parse_time_ms;
        if allowed != u64::MAX
            && real_monotonic().saturating_sub(self.started) >= Duration::from_millis(allowed)
        {
            return Err(self.meter.fail(Limit::ParseTime));
        }
        Ok(())
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
            self.meter.give_back(self.bytes - bytes);
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
        self.meter.give_back(self.bytes);
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

#[cfg(test)]
mod tests {
    use super::*;

    fn meter(limits: Limits) -> Arc<Meter> {
        Meter::new(limits, Arc::new(Clock::fixed(Duration::ZERO)))
    }

    #[test]
    fn the_first_limit_is_kept_and_named() {
        let meter = meter(Limits { live_bytes: 10, commands: 0, ..Limits::default() });
        let charge = meter.charge(8).unwrap();
        let error = meter.charge(3).unwrap_err();
        assert_eq!(error.to_string(), "live_bytes limit of 10 reached");
        drop(charge);
        assert_eq!(meter.count_command().unwrap_err().limit, Limit::LiveBytes);
        assert_eq!(meter.failure().map(|error| error.limit), Some(Limit::LiveBytes));
    }

    #[test]
    fn a_charge_is_given_back_when_it_is_dropped() {
        let meter = meter(Limits { live_bytes: 10, ..Limits::default() });
        for _ in 0..5 {
            let mut charge = meter.charge(4).unwrap();
            charge.set(10).unwrap();
            charge.set(2).unwrap();
        }
        assert_eq!(meter.usage().peak_live_bytes, 10);
    }

    #[test]
    fn every_limit_has_a_name_and_a_value() {
        for &limit in Limit::ALL {
            assert_eq!(Limit::from_name(limit.name()), Some(limit));
            assert!(Limits::hook().get(limit) <= Limits::interactive().get(limit), "{limit}");
        }
    }
}
