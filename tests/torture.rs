//! Whatever fails, and whenever: the Nth charge is refused, the Nth file operation fails, the Nth look at the clock is the
//! deadline, the run is dropped at its Nth poll. Nothing panics, nothing hangs, a run that was refused something ends by a
//! limit that names itself, no file is half written that bash would have whole, no payload file is left, a chain decides by
//! its dialect's rule for failures, and the session works as before afterwards.
//!
//! `cargo test --features faults --test torture` tries some Ns of every script, `TORTURE_ALL=` tries every N; `--release` is
//! advised then. `TORTURE=WORD` picks the scripts whose text contains the word, `TORTURE_FROM=N` begins there.

#![allow(clippy::unwrap_used, reason = "a test")]

#[path = "torture/chains.rs"]
mod chains;
#[path = "torture/fault_run.rs"]
mod fault_run;
#[path = "torture/promises.rs"]
mod promises;

use fault_run::{MOST_POLLS, occasions, run, session};
use hookbox::limit::Limit;
use hookbox::limit::fault::{Fault, Injection};
use hookbox::sandbox::{End, Output, Sandbox};
use hookbox::vfs::Snapshot;
use std::fmt::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Scripts that use each part of the shell and most utilities, short enough to be run thousands of times.
const SCRIPTS: &str = include_str!("torture/scripts.txt");

fn scripts() -> Vec<&'static str> {
    let wanted = std::env::var("TORTURE").unwrap_or_default();
    SCRIPTS.split("\n\n").filter(|script| !script.trim().is_empty() && script.contains(&wanted)).collect()
}

/// What a run tells: status, standard output, standard error.
type Told = (u8, String, String);

fn told(output: &Output) -> Told {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status, text(&output.stdout), text(&output.stderr))
}

/// What a script does in a fresh session, and again with the same files; `None` where the two differ, because it asks for the
/// time or for random numbers.
fn usual(script: &str) -> Option<Told> {
    let sandbox = session();
    let files = sandbox.fs().snapshot();
    let first = told(&run(&sandbox, script, MOST_POLLS)?);
    sandbox.fs().restore(&files);
    let second = told(&run(&sandbox, script, MOST_POLLS)?);
    (first == second).then_some(first)
}

/// The session must work as if nothing had happened: nobody's temporary file is there, and what it keeps of the script that
/// failed (programs, filters, expressions, names) is whole.
fn check_session(sandbox: &Sandbox, files: &Snapshot, script: &str, usual: Option<&Told>, what: &str) {
    let next = run(
        sandbox,
        "cd /workspace && echo $((6 * 7)) | cat && f() { local x=$1; echo \"<$x>\"; }; f a && ls /tmp",
        MOST_POLLS,
    );
    assert!(next.is_some(), "{what}: the next run does not end");
    let output = next.unwrap();
    let shown = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!((output.status, &*shown), (0, "42\n<a>\n"), "{what}: the next run\n{errors}");
    let Some(usual) = usual else { return };
    sandbox.fs().restore(files);
    let again = run(sandbox, script, MOST_POLLS).as_ref().map(told);
    assert_eq!(again.as_ref(), Some(usual), "{what}: the same again");
}

/// Whether a script waits for a file that a failed operation did not make, as it would on bash: its end is the limit on time,
/// which is no matter of polls.
fn waits_for_files(script: &str) -> bool {
    ["mkfifo", "until [[ -e"].iter().any(|wait| script.contains(wait))
}

/// Tries a fault at every occasion; `judge` says what was wrong with the outcome.
fn torture(fault: Fault, judge: impl Fn(&str, &Output) -> Option<String>) {
    let mut failures = String::new();
    for (number, script) in scripts().into_iter().enumerate() {
        let usual = usual(script);
        for nth in occasions(number) {
            let sandbox = session();
            let files = sandbox.fs().snapshot();
            let injection = Injection::new(fault, nth);
            let output = catch_unwind(AssertUnwindSafe(|| run(&sandbox, script, MOST_POLLS)));
            let Ok(output) = output else {
                let _ = writeln!(failures, "{fault:?} {nth} panics: {script}");
                continue;
            };
            let has_failed = injection.is_over();
            drop(injection);
            let Some(output) = output else {
                if fault == Fault::FileOperation && waits_for_files(script) {
                    continue;
                }
                let _ = writeln!(failures, "{fault:?} {nth} hangs: {script}");
                break;
            };
            if !has_failed {
                break;
            }
            if let Some(wrong) = judge(script, &output) {
                let _ = writeln!(failures, "{fault:?} {nth}: {wrong}: {script}");
            }
            check_session(&sandbox, &files, script, usual.as_ref(), &format!("{fault:?} {nth} in {script}"));
        }
    }
    assert!(failures.is_empty(), "{failures}");
}

#[test]
fn a_refused_charge_ends_the_run_by_its_limit() {
    torture(Fault::Charge, |_, output| match output.end {
        End::Limit(error) if error.limit == Limit::LiveBytes => None,
        end => Some(format!("{end:?} instead of live_bytes")),
    });
}

#[test]
fn a_deadline_at_any_moment_ends_the_run() {
    torture(Fault::Clock, |_, output| match output.end {
        End::Limit(error) if error.limit == Limit::WallTime && output.status == 124 => None,
        end => Some(format!("{end:?} instead of wall_time_ms")),
    });
}

#[test]
fn a_file_operation_that_fails_is_an_error_of_the_script() {
    torture(Fault::FileOperation, |script, output| match output.end {
        End::Exited => None,
        End::Limit(error) if error.limit == Limit::WallTime && waits_for_files(script) => None,
        end @ End::Limit(_) => Some(format!("{end:?}")),
    });
}

#[test]
fn a_run_that_is_dropped_leaves_the_session_whole() {
    for (number, script) in scripts().into_iter().enumerate() {
        let usual = usual(script);
        for polls in occasions(number) {
            let sandbox = session();
            let files = sandbox.fs().snapshot();
            let ended = run(&sandbox, script, polls).is_some();
            let what = format!("dropped after {polls} polls of {script}");
            check_session(&sandbox, &files, script, usual.as_ref(), &what);
            if ended {
                break;
            }
        }
    }
}
