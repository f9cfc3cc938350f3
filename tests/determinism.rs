//! Under `Sandbox::builder().deterministic()` a run gives the same output and the same files, time after time, however busy
//! the machine is: turns are counted in what processes use, never in real time. The scripts are those of
//! `tests/hostile/determinism.test`; other threads keep the processors busy in bursts meanwhile.
//!
//! `cargo test --release --test determinism` runs each 100 times, a build without optimisation twice; `DETERMINISM=N` says
//! otherwise. `DETERMINISM_ROWS=FILTER` picks rows whose name contains the filter.

#[allow(dead_code, reason = "digests are judged alone")]
#[path = "support/known.rs"]
mod known;
#[allow(dead_code, reason = "the class is run in one process")]
#[path = "support/rows.rs"]
mod rows;

use hookbox::sandbox::{End, Sandbox, Script};
use known::{Criterion, Failure, Known};
use rows::Row;
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hasher as _};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Shows every file that a script left, as a script.
const SHOW_FILES: &str = "find . /tmp | sort; find . /tmp -type f -exec cat {} +";

/// What one run came to: its end, its output and its files.
fn digest(row: &Row) -> String {
    let sandbox = Sandbox::builder().limits(row.limits.clone()).deterministic().build().expect("a sandbox");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
    let mut digest = DefaultHasher::new();
    let output = runtime.block_on(sandbox.start(Script::command(row.script(0))));
    let end = match output.end {
        End::Exited => format!("status {}", output.status),
        End::Limit(error) => format!("limit {}", error.limit),
    };
    digest.write(&output.stdout);
    digest.write(&[0]);
    digest.write(&output.stderr);
    let mut show = Script::command(SHOW_FILES);
    show.limits = Some(hookbox::limit::Limits::default_profile());
    let files = runtime.block_on(sandbox.start(show));
    digest.write(&files.stdout);
    let short = digest.finish();
    format!("{end}, {} + {} bytes, {short:016x}", output.stdout.len(), files.stdout.len())
}

/// Keeps a processor busy, in bursts of other lengths.
fn disturb(stop: &AtomicBool, mut seed: u64) {
    while !stop.load(Ordering::Relaxed) {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let end = Instant::now() + Duration::from_micros(seed >> 52);
        while Instant::now() < end {
            std::hint::spin_loop();
        }
        std::thread::sleep(Duration::from_micros((seed >> 40) & 0xfff));
    }
}

#[test]
fn concurrent_scripts_are_deterministic_on_a_busy_machine() {
    let default = if cfg!(debug_assertions) { 2 } else { 100 };
    let times = std::env::var("DETERMINISM").ok().and_then(|text| text.parse().ok()).unwrap_or(default);
    let filter = std::env::var("DETERMINISM_ROWS").unwrap_or_default();
    let rows = rows::load();
    let rows: Vec<&Row> = rows
        .iter()
        .filter(|row| row.name.starts_with("determinism: ") && row.name.contains(&filter))
        .collect();
    let stop = AtomicBool::new(false);
    let failures: Vec<Failure> = std::thread::scope(|scope| {
        for seed in 1..=3 {
            let stop = &stop;
            scope.spawn(move || disturb(stop, seed));
        }
        let failures = rows.iter().filter_map(|row| differs(row, times)).collect();
        stop.store(true, Ordering::Relaxed);
        failures
    });
    println!("{} scripts, each {times} times: {} differ", rows.len(), failures.len());
    for failure in &failures {
        println!("{}: {}", failure.row, failure.detail);
    }
    let names: Vec<&str> = rows.iter().map(|row| row.name.as_str()).collect();
    let unknown = Known::load().unknown(&[Criterion::Differs], &names, &failures);
    assert!(
        unknown.is_empty(),
        "{} scripts that are not known differ:\n{}",
        unknown.len(),
        unknown.join("\n")
    );
}

/// What came out how often, if not always the same.
fn differs(row: &Row, times: usize) -> Option<Failure> {
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for _ in 0..times {
        *seen.entry(digest(row)).or_default() += 1;
    }
    if let [(only, _)] = seen.iter().collect::<Vec<_>>().as_slice() {
        if !row.want.accepts(only.split(", ").next().unwrap_or_default()) {
            println!("{}: {only}", row.name);
        }
        return None;
    }
    let most = seen.values().max().copied().unwrap_or_default();
    let example: Vec<&str> = seen.keys().take(3).map(String::as_str).collect();
    let detail = format!("{most} of {times} alike, {} kinds: {}", seen.len(), example.join("; "));
    Some(Failure { criterion: Criterion::Differs, row: row.name.clone(), detail })
}
