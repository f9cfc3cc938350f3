//! Whatever fails, and whenever: the Nth charge is refused, the Nth file operation fails, the Nth look at the clock is the
//! deadline, the run is dropped at its Nth poll, for every N. Nothing panics, nothing hangs, a run that was refused something
//! ends by a limit that names itself, no payload file is left, and the session works as before afterwards.
//!
//! `cargo test --release --features faults --test torture` tries every N of every script; without `--release` it tries those
//! that an increasing step leaves. `TORTURE=WORD` picks the scripts whose text contains the word, `TORTURE_ALL=` tries every
//! N, `TORTURE_FROM=N` begins there.

#![allow(clippy::unwrap_used, reason = "a test")]

use hookbox::hook::HookRunner;
use hookbox::hook::case::{Case, CaseFile, SessionSetup, SessionSource};
use hookbox::limit::Limit;
use hookbox::limit::fault::{Fault, Injection};
use hookbox::sandbox::{End, Output, Sandbox, SandboxSource, Script};
use hookbox::vfs::fixture::Fixture;
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

/// Sessions of cases, and the files of the one that was made last.
#[derive(Default)]
struct Watched(std::sync::Mutex<Option<std::sync::Arc<hookbox::vfs::FileSystem>>>);

impl SessionSource for Watched {
    fn base(&self) -> &hookbox::vfs::Base {
        SandboxSource.base()
    }

    fn session(&self, setup: SessionSetup) -> Result<Box<dyn HookRunner>, String> {
        *self.0.lock().unwrap() = Some(std::sync::Arc::clone(&setup.files));
        SandboxSource.session(setup)
    }
}

impl Watched {
    /// The names in the session's folder for temporary files, where payloads lie while a hook runs.
    fn temporary(&self) -> Vec<String> {
        let files = self.0.lock().unwrap().take();
        let entries = files.map(|files| files.read_dir(b"/tmp").unwrap().into_std()).unwrap_or_default();
        entries.iter().map(|entry| entry.name.to_string()).collect()
    }
}

/// Files of cases of a dialect with the folder of their fixture.
fn case_files(dialect: &str) -> Vec<(CaseFile, std::path::PathBuf)> {
    let fixture = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("vfs-fixtures").join(dialect);
    let mut paths: Vec<_> =
        std::fs::read_dir(fixture.join("cases")).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let parse = |path: &std::path::PathBuf| CaseFile::parse(&std::fs::read_to_string(path).unwrap()).unwrap();
    paths.iter().map(|path| (parse(path), fixture.clone())).collect()
}

/// Runs a case; `None`: it did not end.
fn run_case(file: &CaseFile, case: &Case, fixture: &std::path::Path, sessions: &Watched) -> Option<()> {
    let fixtures = |name: Option<&str>| match name {
        None => Fixture::load(fixture),
        Some(name) => Fixture::load(&fixture.parent().unwrap_or(fixture).join(name)),
    };
    let mut running = pin!(file.run(case, sessions, &fixtures));
    let mut cx = Context::from_waker(Waker::noop());
    (0..100_000).find_map(|_| running.as_mut().poll(&mut cx).is_ready().then_some(()))
}

#[test]
fn chains_of_all_dialects_bear_every_fault() {
    let mut failures = String::new();
    let sessions = Watched::default();
    for dialect in ["everruns", "docker-agent", "claude-code", "agentao", "infer", "goclaw"] {
        for (file, fixture) in case_files(dialect) {
            for case in file.cases.iter().take(if cfg!(debug_assertions) { 1 } else { 4 }) {
                if run_case(&file, case, &fixture, &sessions).is_none() {
                    // It waits for real time, or for somebody outside.
                    continue;
                }
                let usual = sessions.temporary();
                for fault in [Fault::Charge, Fault::Clock, Fault::FileOperation] {
                    for nth in occasions() {
                        let injection = Injection::new(fault, nth);
                        let ran =
                            catch_unwind(AssertUnwindSafe(|| run_case(&file, case, &fixture, &sessions)));
                        let has_failed = injection.is_over();
                        drop(injection);
                        // A removal that fails leaves what it was to remove.
                        let left =
                            if fault == Fault::FileOperation { Vec::new() } else { sessions.temporary() };
                        let wrong = match ran {
                            Err(_) => Some("panics".to_owned()),
                            Ok(None) => Some("hangs".to_owned()),
                            Ok(Some(())) if left.iter().any(|name| !usual.contains(name)) => {
                                Some(format!("leaves {left:?}"))
                            }
                            Ok(Some(())) => None,
                        };
                        if let Some(wrong) = wrong {
                            let _ = writeln!(failures, "{fault:?} {nth} {wrong}: {dialect}: {}", case.name);
                        }
                        if !has_failed {
                            break;
                        }
                    }
                }
            }
        }
    }
    assert!(failures.is_empty(), "{failures}");
}
