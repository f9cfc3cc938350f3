//! What runs cost their host, over the hostile rows and, with `MEASURE_CASES=FILTER`, the cases: the peak of the heap beside
//! what was charged, what the session keeps, the longest poll, and how late a time limit ends a run. Nothing may end the
//! process. With the feature `faults` also the longest step, by which a time limit can be late whenever it comes.
//!
//! `cargo test --release --test measure -- --nocapture` measures every row; `MEASURE_ROWS=FILTER` those whose name contains
//! the filter or, with `|` between them, one of several, `MEASURE='SCRIPT'` one script under the profile `MEASURE_PROFILE` (`hook`). Builds without optimisation
//! measure memory alone, and by default only the first row of each class. `MEASURE_OPTIONS=FILTER` measures each option of each
//! utility instead.

#![allow(clippy::unwrap_used, reason = "a test")]

#[path = "support/child.rs"]
mod child_process;
#[path = "support/figures.rs"]
mod figures;
#[allow(dead_code, reason = "other tests judge by the other criteria")]
#[path = "support/known.rs"]
mod known;
#[path = "support/options.rs"]
mod options;
#[path = "support/prepare.rs"]
mod prepare;
#[path = "support/rows.rs"]
mod rows;
#[allow(dead_code, reason = "the cases' answers are not looked at")]
mod support;

use figures::{Figures, Measured};
use hookbox::hook::{
    Contribution, Dialect, Ended, Event, HookFuture, HookHost, HookId, HookObserver, HookSet, LoadOptions,
    LogRecord, Request, ScriptOutcome,
};
use hookbox::limit::Limits;
use hookbox::sandbox::{End, Sandbox, Script};
use known::{Criterion, Known};
use nix::time::{ClockId, clock_gettime};
use peakmem_alloc::{PeakMemAlloc, PeakMemAllocTrait as _};
use rows::{Row, Want};
use std::alloc::System;
use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::task::Poll;
use std::time::{Duration, Instant};
use support::Case;
use tokio::runtime::Runtime;

/// Counts what is allocated; a block that is made larger counts for what it is made larger by.
#[global_allocator]
static HEAP: PeakMemAlloc<System> = PeakMemAlloc::new(System);

/// What the heap holds more than at the last reset; `None` where there is no room to find out.
///
/// The allocator tells peaks alone, so a block is asked for that is sure to make a new one. It is not touched.
fn heap_now() -> Option<i64> {
    let size = HEAP.get_peak_memory() + (64 << 20);
    let mut probe: Vec<u8> = Vec::new();
    probe.try_reserve_exact(size).ok()?;
    std::hint::black_box(&mut probe);
    Some(HEAP.get_peak_memory() as i64 - size as i64)
}

/// What the heap holds more than at the last reset and than `files`, after the threads that drop what a run left behind had
/// their time.
fn settled_heap(files: i64) -> i64 {
    let held = || heap_now().unwrap_or_default() - files;
    for _ in 0..200 {
        if held() < 1 << 20 {
            break;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    // A thread may be about to begin.
    for _ in 0..20 {
        let before = held();
        std::thread::sleep(Duration::from_micros(500));
        if held() == before {
            break;
        }
    }
    let now = held();
    LAST_HELD.store(now + files, Ordering::Relaxed);
    now
}

/// What the heap held when it was last looked at, since the reset before that; `UNKNOWN` for a new subject.
static LAST_HELD: AtomicI64 = AtomicI64::new(UNKNOWN);
const UNKNOWN: i64 = i64::MIN;

/// Resets the heap's peak. Gives what the heap has grown by since it was looked at: a thread may have dropped meanwhile what the
/// run before left.
fn reset_heap() -> i64 {
    let last = LAST_HELD.load(Ordering::Relaxed);
    let moved = if last == UNKNOWN { 0 } else { heap_now().map_or(0, |now| now - last) };
    HEAP.reset_peak_memory();
    moved
}

/// The time for which this thread had a processor.
fn processor_time() -> Duration {
    clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID).unwrap().into()
}

/// The longest time between two looks at the clock since the last call; zero without the feature `faults`.
fn longest_step() -> Duration {
    #[cfg(feature = "faults")]
    return hookbox::limit::fault::take_longest_step();
    #[cfg(not(feature = "faults"))]
    Duration::ZERO
}

/// How long the threads of this process have been ready but without a processor, where the kernel tells.
fn waiting() -> Duration {
    let threads = std::fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    let waited = threads.filter_map(|thread| {
        let text = std::fs::read_to_string(thread.path().join("schedstat")).ok()?;
        text.split(' ').nth(1)?.parse::<u64>().ok()
    });
    Duration::from_nanos(waited.sum())
}

/// A thread that looks at [`waiting`] at some time.
struct Sampler {
    end: std::sync::mpsc::Sender<()>,
    thread: std::thread::JoinHandle<Option<Duration>>,
}

impl Sampler {
    fn after(time: Duration) -> Self {
        let (end, ended) = std::sync::mpsc::channel::<()>();
        let thread = std::thread::spawn(move || {
            let is_over = ended.recv_timeout(time) == Err(std::sync::mpsc::RecvTimeoutError::Timeout);
            is_over.then(waiting)
        });
        Self { end, thread }
    }

    /// What the threads have waited since then; nothing if it is not yet that time.
    fn since(self) -> Duration {
        drop(self.end);
        let then = self.thread.join().unwrap();
        then.map_or(Duration::ZERO, |then| waiting().saturating_sub(then))
    }
}

/// The longest time that the run kept its thread in one go.
#[derive(Default)]
struct Longest {
    time: Duration,
    place: &'static str,
}

impl Longest {
    fn watch<R>(&mut self, place: &'static str, work: impl FnOnce() -> R) -> R {
        let start = processor_time();
        let result = work();
        let taken = processor_time().saturating_sub(start);
        if taken > self.time {
            *self = Self { time: taken, place };
        }
        result
    }
}

/// Something to measure: a row, or a case of `tests/cases`.
enum Subject {
    Row(Row),
    Case(String, Case),
}

impl Subject {
    fn name(&self) -> &str {
        match self {
            Self::Row(row) => &row.name,
            Self::Case(name, _) => name,
        }
    }

    /// How long all its runs may take.
    fn allowed(&self) -> Duration {
        match self {
            Self::Row(row) => {
                row.allowed() * if std::env::var_os("MEASURE_LIMITS").is_some() { 5 } else { 1 }
            }
            Self::Case(..) => Duration::from_secs(1),
        }
    }

    /// Whether it is small enough to share a child.
    fn together(&self) -> bool {
        matches!(self, Self::Case(..) | Self::Row(Row { together: true, .. }))
    }

    fn want(&self) -> Want {
        match self {
            Self::Row(row) => row.want,
            Self::Case(..) => Want::Any,
        }
    }

    fn measure(&self) -> Figures {
        LAST_HELD.store(UNKNOWN, Ordering::Relaxed);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        match self {
            Self::Row(row) if row.hooks.is_some() => {
                let mut script = Script::command(row.script(0));
                script.limits = Some(Limits::interactive());
                let late = Arc::new(LateHooks::default());
                let sandbox = Sandbox::builder().limits(row.limits.clone()).hook_host(late.clone());
                let sandbox = sandbox.build().unwrap();
                let output = runtime.block_on(sandbox.start(script));
                assert_eq!((output.status, output.end), (0, End::Exited), "{}", row.name);
                measure_hooks(&runtime, &sandbox, &late, row.hooks.unwrap())
            }
            Self::Row(row) => {
                let sandbox = row.sandbox();
                warm(&runtime, &sandbox, &row.before);
                let mut all = Figures::default();
                for number in 0..row.runs {
                    let text = row.script(number);
                    let figures =
                        measure(&runtime, &sandbox, || Script::command(&text), row.before.is_empty());
                    all.add(figures);
                }
                for limit in other_limits() {
                    let mut script = Script::command(row.script(0));
                    let mut limits = row.limits.clone();
                    limits.wall_time_ms = limit;
                    script.limits = Some(limits);
                    let figures = measure(&runtime, &sandbox, || script, row.before.is_empty());
                    all.late = all.late.max(figures.late);
                }
                let mut longest = Longest::default();
                longest.watch("drop of the session", || drop(sandbox));
                if longest.time > all.poll {
                    (all.poll, all.place) = (longest.time, longest.place.to_owned());
                }
                all
            }
            Self::Case(_, case) => {
                let (sandbox, script) = prepare::sandbox(case);
                warm(&runtime, &sandbox, "");
                measure(&runtime, &sandbox, || script, true)
            }
        }
    }
}

/// Time limits, in milliseconds, that rows run under beside their own: as many as `MEASURE_LIMITS` says, others each time.
fn other_limits() -> Vec<u64> {
    let count = std::env::var("MEASURE_LIMITS").ok().map_or(0, |count| count.parse().unwrap());
    // The hash of nothing, by keys that are drawn.
    let draw = |_| RandomState::new().build_hasher().finish() % LONGEST_LIMIT + 1;
    (0..count).map(draw).collect()
}

/// Milliseconds: most long steps of a run come in its first ones.
const LONGEST_LIMIT: u64 = 300;

/// What a tree of JSON may be larger than its text, unless it is known.
const TREE: u64 = 8;

/// What is said of a config that is charged for more than [`LOADED_AT_MOST`] while it is loaded.
const TOO_LARGE: &str = "the config takes more than";
const LOADED_AT_MOST: u64 = 256 << 20;

/// What loading a config is charged for each byte of its text.
const LOADING: u64 = 88;

/// Sees what the hooks were charged for that nobody waited for.
#[derive(Default)]
struct LateHooks(AtomicU64);

impl HookHost for LateHooks {
    fn request(&self, _: Request, _: Duration) -> HookFuture<'_, ScriptOutcome> {
        Box::pin(std::future::ready(ScriptOutcome::ended(Ended::NotStarted("nobody answers".to_owned()))))
    }

    fn observer(&self) -> Option<&dyn HookObserver> {
        Some(self)
    }
}

impl HookObserver for LateHooks {
    fn log(&self, _: &LogRecord) {}

    fn ended_late(&self, _: &HookId, outcome: &ScriptOutcome) {
        self.0.fetch_add(outcome.usage.peak_live_bytes, Ordering::Relaxed);
    }
}

/// Has glibc's allocator join the small blocks that were freed, which it does when somebody asks for a larger one: what the
/// host's own calls freed counts to them.
fn tidy_heap() {
    drop(std::hint::black_box(Vec::<u8>::with_capacity(4096)));
}

/// Measures loading a config, reading an event and firing it.
fn measure_hooks(runtime: &Runtime, sandbox: &Sandbox, late: &LateHooks, dialect: Dialect) -> Figures {
    let bytes = |name: &str| sandbox.fs().read(format!("/workspace/{name}").as_bytes()).unwrap().into_vec();
    let (config, event) = (bytes("config"), bytes("event"));
    let mut options = LoadOptions::default();
    let mut written = config.len() as u64;
    if let Ok(text) = sandbox.fs().read(b"/workspace/settings") {
        options.settings = serde_json::from_slice(&text).unwrap();
        written += text.len() as u64;
    }
    if let Ok(text) = sandbox.fs().read(b"/workspace/contributions") {
        written += text.len() as u64;
        let all: Vec<(String, Vec<serde_json::Value>)> = serde_json::from_slice(&text).unwrap();
        options.contributions =
            all.into_iter().map(|(origin, hooks)| Contribution { origin, hooks }).collect();
    }
    let mut longest = Longest::default();
    longest_step();
    HEAP.reset_peak_memory();
    let start = Instant::now();
    let mut load = Longest::default();
    let loaded = load.watch("load", || {
        let loaded = HookSet::load(dialect, &config, &options);
        tidy_heap();
        loaded
    });
    let event_bytes = event.len() as u64;
    let mut charged = TREE * event_bytes;
    let heap;
    let end = match &loaded {
        Err(error) if error.to_string().contains(TOO_LARGE) => {
            charged += LOADED_AT_MOST;
            heap = HEAP.get_peak_memory() as u64;
            "config refused".to_owned()
        }
        Err(_) => {
            charged += LOADING * written;
            heap = HEAP.get_peak_memory() as u64;
            "config refused".to_owned()
        }
        Ok(hooks) => {
            let value = serde_json::from_slice(&event).unwrap();
            let event = hooks.take_event(value).unwrap();
            tidy_heap();
            charged = charged.max(event.memory()) + hooks.memory();
            let mut firing = Box::pin(async {
                let outcome = hooks.fire(sandbox, &event).await;
                HookSet::settle(sandbox).await;
                outcome
            });
            let mut polls = 0;
            let outcome = runtime.block_on(std::future::poll_fn(|context| {
                polls += 1;
                longest.watch("fire", || firing.as_mut().poll(context))
            }));
            drop(firing);
            let runs = outcome.records.iter().filter_map(|record| record.run.as_ref());
            charged +=
                runs.map(|run| run.usage.peak_live_bytes).sum::<u64>() + late.0.load(Ordering::Relaxed);
            let end = if outcome.decision.proceeds() { "proceeds" } else { "blocked" };
            longest.watch("drop", || drop(outcome));
            heap = HEAP.get_peak_memory() as u64;
            for percent in DROPPED_AT {
                drop_part_way(runtime, sandbox, (hooks, &event), polls * percent / 100, &mut longest);
            }
            end.to_owned()
        }
    };
    drop(loaded);
    Figures {
        end,
        taken: start.elapsed(),
        heap,
        charged,
        kept: settled_heap(0),
        poll: longest.time,
        place: longest.place.to_owned(),
        late: Duration::ZERO,
        step: longest_step(),
        load: load.time,
        event: event_bytes,
    }
}

/// After how much of its polls a firing is dropped, in percent.
const DROPPED_AT: [usize; 3] = [10, 50, 90];

/// Fires, and drops that after so many polls.
fn drop_part_way(
    runtime: &Runtime,
    sandbox: &Sandbox,
    (hooks, event): (&HookSet, &Event),
    polls: usize,
    longest: &mut Longest,
) {
    let mut firing = Box::pin(hooks.fire(sandbox, event));
    let mut done = 0;
    runtime.block_on(std::future::poll_fn(|context| {
        done += 1;
        if done > polls {
            return Poll::Ready(());
        }
        longest.watch("fire", || firing.as_mut().poll(context)).map(|_| ())
    }));
    longest.watch("drop of a part", || drop(firing));
    runtime.block_on(HookSet::settle(sandbox));
}

/// Does what a process does once, and what a session does in its first runs.
fn warm(runtime: &Runtime, sandbox: &Sandbox, before: &str) {
    runtime.block_on(sandbox.run(":"));
    runtime.block_on(rows::run_before(sandbox, before));
}

/// Measures one run. Files that it leaves are taken away again, unless the run is to find files of others: they are no part
/// of what a session keeps.
fn measure(runtime: &Runtime, sandbox: &Sandbox, script: impl FnOnce() -> Script, restores: bool) -> Figures {
    let snapshot = restores.then(|| sandbox.fs().snapshot());
    let files = sandbox.fs().usage().memory;
    let mut longest = Longest::default();
    sandbox.fs().take_peak_memory();
    longest_step();
    let moved = reset_heap();
    let script = script();
    let limit = Duration::from_millis(script.limits.as_ref().unwrap_or(sandbox.limits()).wall_time_ms);
    let start = Instant::now();
    // What other processes take counts from the limit on.
    let sampler = Sampler::after(limit);
    let mut run = longest.watch("start", || sandbox.start(script));
    let output = runtime
        .block_on(std::future::poll_fn(|context| longest.watch("poll", || Pin::new(&mut run).poll(context))));
    let taken = start.elapsed();
    let noise = sampler.since();
    longest.watch("drop", || drop(run));
    let heap = HEAP.get_peak_memory() as u64;
    let end = match output.end {
        End::Exited => format!("status {}", output.status),
        End::Limit(error) => format!("limit {}", error.limit),
    };
    let usage = output.usage;
    let most_files = sandbox.fs().take_peak_memory();
    drop(output);
    let left = match &snapshot {
        Some(snapshot) => {
            sandbox.fs().restore(snapshot);
            0
        }
        None => sandbox.fs().usage().memory as i64 - files as i64,
    };
    Figures {
        end,
        taken,
        heap,
        charged: usage.peak_live_bytes + most_files.saturating_sub(files),
        kept: settled_heap(left) + moved,
        poll: longest.time,
        place: longest.place.to_owned(),
        late: taken.saturating_sub(limit).saturating_sub(noise),
        step: longest_step(),
        load: Duration::ZERO,
        event: 0,
    }
}

/// Names the script to measure.
const SCRIPT_VARIABLE: &str = "MEASURE";

/// All that can be measured.
fn subjects() -> Vec<Subject> {
    if let Ok(script) = std::env::var(SCRIPT_VARIABLE) {
        let mut row = Row::of_script("script", &script);
        if let Ok(profile) = std::env::var("MEASURE_PROFILE") {
            row.limits = Limits::profile(&profile).unwrap();
            row.limits.wall_time_ms = rows::WALL_TIME_MS;
        }
        return vec![Subject::Row(row)];
    }
    if let Ok(filter) = std::env::var("MEASURE_OPTIONS") {
        let rows = options::load().into_iter().filter(|row| row.name.contains(filter.as_str()));
        return rows.map(Subject::Row).collect();
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    let cases = support::load(&folder).into_iter().map(|case| {
        let file = case.file.strip_prefix(&folder).unwrap_or(&case.file).display();
        Subject::Case(format!("cases/{file}: {}", case.name), case)
    });
    rows::load().into_iter().map(Subject::Row).chain(cases).collect()
}

/// Those that are asked for.
fn chosen() -> Vec<Subject> {
    let rows = std::env::var("MEASURE_ROWS").ok();
    let cases = std::env::var("MEASURE_CASES").ok();
    let is_chosen = |subject: &Subject| match subject {
        Subject::Row(row) => match &rows {
            Some(filters) => filters.split('|').any(|filter| row.name.contains(filter)),
            None => cases.is_none() && (!cfg!(debug_assertions) || row.specimen),
        },
        Subject::Case(name, _) => cases.as_ref().is_some_and(|filter| name.contains(filter.as_str())),
    };
    if [SCRIPT_VARIABLE, "MEASURE_OPTIONS"].iter().any(|name| std::env::var_os(name).is_some()) {
        return subjects();
    }
    subjects().into_iter().filter(is_chosen).collect()
}

/// In a child: measures the rows that it is given. Otherwise there is nothing to do.
#[test]
fn child() {
    let Some(names) = child_process::rows_to_run() else { return };
    #[cfg(feature = "faults")]
    hookbox::limit::fault::watch_steps(processor_time);
    let subjects = subjects();
    for name in names {
        let subject = subjects.iter().find(|subject| subject.name() == name).unwrap();
        child_process::report(&subject.measure().to_line());
    }
}

/// Measures in a child process for each, or for several small ones.
fn measure_all(subjects: &[&Subject]) -> Vec<Measured> {
    let batches = child_process::batches(subjects, Subject::together);
    let results = child_process::two_at_a_time(&batches, |batch| {
        let names: Vec<&str> = batch.iter().map(|subject| subject.name()).collect();
        let results = child_process::run(&names, batch.iter().map(|subject| subject.allowed()).sum());
        let measured = batch.iter().zip(results).map(|(subject, result)| Measured {
            row: subject.name().to_owned(),
            want: subject.want(),
            outcome: result.map(|line| Figures::from_line(&line)),
        });
        measured.collect::<Vec<_>>()
    });
    results.into_iter().flatten().collect()
}

/// Criteria that hold in any build, and those that are about time.
const CRITERIA: &[Criterion] = if cfg!(debug_assertions) {
    &[Criterion::End, Criterion::Heap, Criterion::Kept]
} else {
    &[Criterion::End, Criterion::Heap, Criterion::Kept, Criterion::Poll, Criterion::Load, Criterion::Late]
};

#[test]
fn a_run_costs_its_host_what_it_was_charged_for() {
    if child_process::rows_to_run().is_some() {
        return;
    }
    let subjects = chosen();
    let all: Vec<&Subject> = subjects.iter().collect();
    let mut measured = measure_all(&all);
    let known = Known::load();
    // Noise makes things slower, never faster: what took too long is measured again, and the best counts.
    let repeats = if std::env::var_os("MEASURE_LIMITS").is_some() { 0 } else { 2 };
    for _ in 0..repeats {
        let again: Vec<usize> = measured
            .iter()
            .enumerate()
            .filter(|(_, measured)| {
                let failures = measured.failures(CRITERIA);
                let is_noise = |criterion| matches!(criterion, Criterion::Poll | Criterion::Late);
                failures
                    .iter()
                    .any(|failure| is_noise(failure.criterion) && !known.has(failure.criterion, &failure.row))
            })
            .map(|(index, _)| index)
            .collect();
        let names: Vec<&str> = again.iter().map(|&index| measured[index].row.as_str()).collect();
        let slow: Vec<&Subject> =
            all.iter().copied().filter(|subject| names.contains(&subject.name())).collect();
        for better in measure_all(&slow) {
            if let Some(old) = measured.iter_mut().find(|measured| measured.row == better.row) {
                old.improve(better);
            }
        }
    }
    figures::print(&measured);
    if std::env::var_os(SCRIPT_VARIABLE).is_some() {
        return;
    }
    let failures: Vec<_> = measured.iter().flat_map(|measured| measured.failures(CRITERIA)).collect();
    let names: Vec<&str> = measured.iter().map(|measured| measured.row.as_str()).collect();
    let unknown = known.unknown(CRITERIA, &names, &failures);
    assert!(unknown.is_empty(), "{} failures that are not known:\n{}", unknown.len(), unknown.join("\n"));
}
