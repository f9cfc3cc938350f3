//! A run shares its executor: a ticker on the same thread keeps ticking, a time limit is met, a dropped run is gone; and
//! recursion of a script costs no stack of the host.
//!
//! The machine that runs the tests may be busy. What a thread waited for a processor is read from the kernel where it tells
//! and taken off; the rest of the noise is measured with a task that does nothing but yield in time.

#![allow(clippy::unwrap_used, reason = "a test")]

#[allow(dead_code, reason = "waits are judged alone")]
#[path = "support/known.rs"]
mod known;

use hookbox::limit::{Limit, Limits};
use hookbox::sandbox::{End, Sandbox, Script};
use known::{Criterion, Failure, Known};
use std::time::{Duration, Instant};

/// Long work of several kinds: name, preparation, script.
const WORK: &[(&str, &str, &str)] = &[
    ("busy loop", "", "while :; do :; done"),
    ("arithmetic loop", "", "for ((;;)); do (( x += 3 )); done"),
    ("sort", "seq 200000 | tac > big", "while :; do sort -n big > /dev/null; done"),
    ("grep", "seq 200000 > big", "while :; do grep -E '([0-9]*7)+x' big; done"),
    ("jq", "", "jq -n '[range(1e9)] | length'"),
    ("jq over input", "seq 200000 > big", "while :; do jq -s 'map(. + 1) | add' big > /dev/null; done"),
    (
        "jq sort_by",
        "seq 300000 | tac > big",
        "while :; do jq -s 'sort_by(. % 1000) | length' big > /dev/null; done",
    ),
    (
        "jq group_by",
        "seq 300000 | tac > big",
        "while :; do jq -s 'group_by(. % 1000) | length' big > /dev/null; done",
    ),
    ("jq unique", "seq 300000 | tac > big", "while :; do jq -s 'unique | length' big > /dev/null; done"),
    ("jq tojson", "seq 1000000 > big", "while :; do jq -s 'tojson | length' big > /dev/null; done"),
    (
        "jq fromjson",
        "{ echo '['; seq 1000000 | sed '$!s/$/,/'; echo ']'; } | tr -d '\\n' > big",
        "while :; do jq -R 'fromjson | length' big > /dev/null; done",
    ),
    (
        "awk asort",
        "",
        "awk 'BEGIN { for (i = 0; i < 300000; i++) a[i] = (i * 7919) % 300007; for (;;) { n = asort(a, b); asorti(a, b) } }'",
    ),
    (
        "awk in order",
        "",
        "awk 'BEGIN { PROCINFO[\"sorted_in\"] = \"@val_num_desc\"; for (i = 0; i < 300000; i++) a[i] = (i * 7919) % 300007; for (;;) for (k in a) break }'",
    ),
    ("pipe", "", "yes | cat | tr y n > /dev/null"),
    ("string", "", "s=$(printf %500000s); while :; do t=${s// /ab}; done"),
    ("sed", "seq 200000 > big", "while :; do sed 's/[0-9]*/x&y/' big > /dev/null; done"),
];

/// How long the ticker may wait. A build without optimisation does the same work many times slower, and what it is asked
/// for is only that no piece of work goes on without end; `cargo test --release --test fairness` is the promise.
const LONGEST_WAIT: Duration = Duration::from_millis(if cfg!(debug_assertions) { 150 } else { 5 });

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap()
}

/// How long this thread has been ready but without a processor.
fn waited() -> Duration {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    Duration::from_nanos(text.split(' ').nth(1).and_then(|word| word.parse().ok()).unwrap_or(0))
}

/// The second-longest time that a 1 ms ticker waited, while the other task goes on.
async fn second_worst_gap() -> Duration {
    let mut worst = [Duration::ZERO; 2];
    let end = Instant::now() + Duration::from_millis(if cfg!(debug_assertions) { 250 } else { 600 });
    while Instant::now() < end {
        let (start, before) = (Instant::now(), waited());
        tokio::time::sleep(Duration::from_millis(1)).await;
        let gap = start.elapsed().saturating_sub(waited().saturating_sub(before));
        if gap > worst[0] {
            worst = [gap, worst[0]];
        } else if gap > worst[1] {
            worst[1] = gap;
        }
    }
    worst[1]
}

/// The noise of the machine: the gap beside a task that yields every 0.4 ms.
async fn control_gap() -> Duration {
    let spin = async {
        loop {
            let end = Instant::now() + Duration::from_micros(400);
            while Instant::now() < end {
                std::hint::spin_loop();
            }
            tokio::task::yield_now().await;
        }
    };
    tokio::select! {
        biased;
        gap = second_worst_gap() => gap,
        () = spin => Duration::MAX,
    }
}

fn sandbox(wall_time_ms: u64) -> Sandbox {
    let mut limits = Limits::default_profile();
    limits.wall_time_ms = wall_time_ms;
    Sandbox::builder().limits(limits).build().unwrap()
}

/// A sandbox in which the preparation of some work has been done.
async fn prepared(preparation: &str) -> Sandbox {
    let sandbox = sandbox(60_000);
    assert_eq!(sandbox.run(preparation).await.status, 0, "{preparation}");
    sandbox
}

/// Repeats a measurement that noise can spoil; the last failure is the test's.
fn within(
    what: &str,
    allowed: Duration,
    mut measure: impl FnMut() -> (Duration, Duration),
) -> Option<String> {
    let mut report = None;
    for _ in 0..4 {
        let (measured, control) = measure();
        if measured.saturating_sub(control) <= allowed {
            return None;
        }
        report = Some(format!("{what}: {measured:?}, noise {control:?}, allowed {allowed:?}"));
    }
    report
}

#[test]
fn a_ticker_beside_a_run_never_waits_long() {
    let mut wrong = Vec::new();
    for &(name, preparation, script) in WORK {
        let runtime = runtime();
        let sandbox = runtime.block_on(prepared(preparation));
        wrong.extend(within(name, LONGEST_WAIT, || {
            runtime.block_on(async {
                let control = control_gap().await;
                let gap = tokio::select! {
                    biased;
                    gap = second_worst_gap() => gap,
                    output = sandbox.start(Script::command(script)) => panic!("{name} ended: {:?}", output.end),
                };
                // The control has a millisecond of its own that the run has not.
                (gap, control.saturating_sub(Duration::from_millis(2)))
            })
        }));
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn a_spawned_ticker_beside_a_spawned_run_never_waits_long() {
    let mut failures = Vec::new();
    let name_of = |name: &str| format!("fairness: {name}");
    for &(name, preparation, script) in WORK {
        let runtime = runtime();
        let sandbox = runtime.block_on(prepared(preparation));
        let wrong = within(name, LONGEST_WAIT, || {
            runtime.block_on(async {
                let control = control_gap().await;
                let run = tokio::spawn(sandbox.start(Script::command(script)));
                let gap = tokio::spawn(second_worst_gap()).await.unwrap();
                assert!(!run.is_finished(), "{name} ended");
                run.abort();
                (gap, control.saturating_sub(Duration::from_millis(2)))
            })
        });
        failures.extend(wrong.map(|detail| Failure {
            criterion: Criterion::Wait,
            row: name_of(name),
            detail,
        }));
    }
    let names: Vec<String> = WORK.iter().map(|(name, ..)| name_of(name)).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let unknown = Known::load().unknown(&[Criterion::Wait], &names, &failures);
    assert!(unknown.is_empty(), "{unknown:#?}");
}

#[test]
fn a_time_limit_is_met() {
    let mut wrong = Vec::new();
    for &(name, preparation, script) in WORK {
        let runtime = runtime();
        let sandbox = runtime.block_on(prepared(preparation));
        wrong.extend(within(name, Duration::from_millis(120), || {
            let (start, before) = (Instant::now(), waited());
            let output = runtime.block_on(async {
                let mut script = Script::command(script);
                let mut limits = sandbox.limits().clone();
                limits.wall_time_ms = 100;
                script.limits = Some(limits);
                sandbox.start(script).await
            });
            let taken = start.elapsed();
            let noise = waited().saturating_sub(before);
            assert!(
                matches!(output.end, End::Limit(error) if error.limit == Limit::WallTime),
                "{name}: {:?}",
                output.end
            );
            (taken, noise)
        }));
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn a_dropped_run_stops() {
    let runtime = runtime();
    let sandbox = sandbox(60_000);
    let script = "(while :; do echo x >> f; done) & while :; do echo y >> g; done | cat";
    runtime.block_on(async {
        let run = sandbox.start(Script::command(script));
        assert!(tokio::time::timeout(Duration::from_millis(200), run).await.is_err());
    });
    let size = || sandbox.fs().read(b"/workspace/f").map(|content| content.as_bytes().len()).unwrap();
    let then = size();
    assert!(then > 0, "the background loop ran");
    runtime.block_on(async { tokio::time::sleep(Duration::from_millis(100)).await });
    assert_eq!(size(), then);
}

#[test]
fn yes_ends_when_head_has_enough() {
    let output = runtime().block_on(sandbox(60_000).run("yes | head -n 100000 | wc -l"));
    assert_eq!(String::from_utf8_lossy(&output.stdout), "100000\n");
    assert_eq!(output.end, End::Exited);
}

#[test]
fn two_thousand_nested_calls_need_no_stack_of_the_host() {
    let script = "f() { if (( $1 )); then f $(( $1 - 1 )); else echo deep; fi; }; f 2000";
    let run = move || runtime().block_on(sandbox(60_000).run(script));
    let output = std::thread::Builder::new().stack_size(2 << 20).spawn(run).unwrap().join().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout), "deep\n");
    assert_eq!((output.end, output.status), (End::Exited, 0));
}
