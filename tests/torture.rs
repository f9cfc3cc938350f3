//! Whatever fails, and whenever: the Nth charge is refused, the Nth file operation fails, the Nth look at the clock is the
//! deadline, the run is dropped at its Nth poll, for every N. Nothing panics, nothing hangs, a run that was refused something
//! ends by a limit that names itself, no payload file is left, and the session works as before afterwards.
//!
//! `cargo test --release --features faults --test torture` tries every N of every script; without `--release` it tries those
//! that an increasing step leaves. `TORTURE=WORD` picks the scripts whose text contains the word, `TORTURE_ALL=` tries every
//! N, `TORTURE_FROM=N` begins there.

#![allow(clippy::unwrap_used, reason = "a test")]

use hookbox::limit::Limit;
use hookbox::limit::fault::{Fault, Injection};
use hookbox::sandbox::{End, Output, Sandbox, Script};
use std::fmt::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::task::{Context, Poll, Waker};

/// Scripts that use each part of the shell and most utilities, short enough to be run thousands of times.
const SCRIPTS: &str = include_str!("torture/scripts.txt");

fn scripts() -> Vec<&'static str> {
    let wanted = std::env::var("TORTURE").unwrap_or_default();
    SCRIPTS.split("\n\n").filter(|script| !script.trim().is_empty() && script.contains(&wanted)).collect()
}

/// The occasions to try: all of them at first, then ever fewer.
fn occasions() -> impl Iterator<Item = u64> {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse().ok());
    let mut next = number("TORTURE_FROM").unwrap_or(0);
    let all = !cfg!(debug_assertions) || std::env::var_os("TORTURE_ALL").is_some();
    std::iter::from_fn(move || {
        let now = next;
        next += if all { 1 } else { 1 + now / 4 };
        (now < if all { 100_000 } else { 60 }).then_some(now)
    })
}

fn session() -> Sandbox {
    Sandbox::builder()
        .deterministic()
        .file("/workspace/old", "one\ntwo\nthree\n")
        .file("/workspace/in.json", r#"{"tool": {"name": "Bash", "input": [1, 2, {"a": null}]}}"#)
        .script("/workspace/child.sh", "#!/bin/bash\nread -r line; echo \"child $1 $line\"; exit 3\n")
        .build()
        .unwrap()
}

/// Runs a script until it ends, or until it has been polled `most` times.
fn run(sandbox: &Sandbox, script: &str, most: u64) -> Option<Output> {
    let mut running = pin!(sandbox.start(Script::command(script)));
    let mut cx = Context::from_waker(Waker::noop());
    for _ in 0..most {
        if let Poll::Ready(output) = running.as_mut().poll(&mut cx) {
            return Some(output);
        }
    }
    None
}

/// The session must work as if nothing had happened, and nobody's temporary file may be there.
fn check_session(sandbox: &Sandbox, what: &str) {
    let output = run(
        sandbox,
        "cd /workspace && echo $((6 * 7)) | cat && f() { local x=$1; echo \"<$x>\"; }; f a && ls /tmp",
        1000,
    )
    .unwrap_or_else(|| panic!("{what}: the next run does not end"));
    let shown = String::from_utf8_lossy(&output.stdout);
    assert_eq!(
        (output.status, &*shown),
        (0, "42\n<a>\n"),
        "{what}: the next run\n{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

/// Tries a fault at every occasion; `judge` says what was wrong with the outcome.
fn torture(fault: Fault, judge: impl Fn(&Output) -> Option<String>) {
    let mut failures = String::new();
    for script in scripts() {
        for nth in occasions() {
            let sandbox = session();
            let injection = Injection::new(fault, nth);
            let output = catch_unwind(AssertUnwindSafe(|| run(&sandbox, script, 100_000)));
            let Ok(output) = output else {
                let _ = writeln!(failures, "{fault:?} {nth} panics: {script}");
                continue;
            };
            let has_failed = injection.is_over();
            drop(injection);
            let Some(output) = output else {
                let _ = writeln!(failures, "{fault:?} {nth} hangs: {script}");
                break;
            };
            if !has_failed {
                break;
            }
            if let Some(wrong) = judge(&output) {
                let _ = writeln!(failures, "{fault:?} {nth}: {wrong}: {script}");
            }
            check_session(&sandbox, &format!("{fault:?} {nth} in {script}"));
        }
    }
    assert!(failures.is_empty(), "{failures}");
}

#[test]
fn a_refused_charge_ends_the_run_by_its_limit() {
    torture(Fault::Charge, |output| match output.end {
        End::Limit(error) if error.limit == Limit::LiveBytes => None,
        end => Some(format!("{end:?} instead of live_bytes")),
    });
}

#[test]
fn a_deadline_at_any_moment_ends_the_run() {
    torture(Fault::Clock, |output| match output.end {
        End::Limit(error) if error.limit == Limit::WallTime && output.status == 124 => None,
        end => Some(format!("{end:?} instead of wall_time_ms")),
    });
}

#[test]
fn a_file_operation_that_fails_is_an_error_of_the_script() {
    torture(Fault::FileOperation, |output| match output.end {
        End::Exited => None,
        end => Some(format!("{end:?}")),
    });
}

#[test]
fn a_run_that_is_dropped_leaves_the_session_whole() {
    for script in scripts() {
        for polls in occasions() {
            let sandbox = session();
            let ended = run(&sandbox, script, polls).is_some();
            check_session(&sandbox, &format!("dropped after {polls} polls of {script}"));
            if ended {
                break;
            }
        }
    }
}
