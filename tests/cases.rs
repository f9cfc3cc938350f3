//! Runs every case of `tests/cases` in a sandbox of its own. `CASES=FILTER cargo test --test cases` runs those whose
//! file or name contains the filter; `CASES_SHOW=1` prints every failure. Cases that fail today stand in
//! `tests/known_failures.txt` (`CASES_UPDATE=1` writes it anew): any other failure fails the test.

#[path = "support/prepare.rs"]
mod prepare;
mod support;

use hookbox::sandbox::End;
use std::fmt::Write as _;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use support::Case;

/// What differs between a case and its run; empty: nothing.
fn run(case: &Case) -> String {
    let (sandbox, script) = prepare::sandbox(case);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
    let output = runtime.block_on(sandbox.start(script));
    let mut wrong = String::new();
    if let End::Limit(error) = output.end {
        let _ = writeln!(wrong, "  limit: {error}");
    }
    let mut compare = |what: &str, want: &[u8], got: &[u8]| {
        if want != got {
            let show = |bytes: &[u8]| {
                let text = format!("{:?}", String::from_utf8_lossy(&bytes[..bytes.len().min(1500)]));
                text
            };
            let _ = writeln!(
                wrong,
                "  {what}: want {}\n  {}   got {}",
                show(want),
                " ".repeat(what.len()),
                show(got)
            );
        }
    };
    compare("stdout", &case.stdout, &output.stdout);
    if let Some(stderr) = &case.stderr {
        compare("stderr", stderr, &output.stderr);
    }
    for (path, want) in &case.files {
        let full = format!("/tmp/work/{path}");
        let got = sandbox.fs().read(full.as_bytes()).ok().map(|content| content.as_bytes().to_vec());
        if want.as_ref() != got.as_ref() {
            let show = |bytes: &Option<Vec<u8>>| {
                bytes.as_ref().map(|bytes| String::from_utf8_lossy(bytes).into_owned())
            };
            let _ = writeln!(wrong, "  file {path}: want {:?}, got {:?}", show(want), show(&got));
        }
    }
    if case.status != output.status {
        let _ = writeln!(wrong, "  status: want {}, got {}", case.status, output.status);
        if case.stderr.is_none() && !output.stderr.is_empty() {
            let _ = writeln!(wrong, "  stderr was {:?}", String::from_utf8_lossy(&output.stderr));
        }
    }
    wrong
}

#[test]
fn every_case_does_as_bash_and_the_tools_do() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    let filter = std::env::var("CASES").unwrap_or_default();
    let cases: Vec<Case> = support::load(&folder)
        .into_iter()
        .filter(|case| case.name.contains(&filter) || case.file.to_string_lossy().contains(&filter))
        .collect();
    assert!(!cases.is_empty(), "no case matches {filter:?}");
    let next = AtomicUsize::new(0);
    let failures = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let wrong =
                        std::panic::catch_unwind(|| run(case)).unwrap_or_else(|_| "  panicked\n".into());
                    if !wrong.is_empty() {
                        failures.lock().unwrap().push((case, wrong));
                    }
                }
            });
        }
    });
    let mut failures = failures.into_inner().unwrap();
    failures.sort_by_key(|(case, _)| (case.file.clone(), case.line));
    let known_file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/known_failures.txt");
    let key = |case: &Case| {
        format!("{}: {}", case.file.strip_prefix(&folder).unwrap_or(&case.file).display(), case.name)
    };
    if std::env::var_os("CASES_UPDATE").is_some() {
        let lines: Vec<String> = failures.iter().map(|(case, _)| key(case)).collect();
        std::fs::write(&known_file, lines.join("\n") + "\n").expect("the list of known failures");
    }
    let known = std::fs::read_to_string(&known_file).unwrap_or_default();
    let known: std::collections::HashSet<&str> = known.lines().collect();
    let all = failures.len();
    let failing: std::collections::HashSet<String> = failures.iter().map(|(case, _)| key(case)).collect();
    for case in &cases {
        if known.contains(key(case).as_str()) && !failing.contains(&key(case)) {
            println!("passes now, take it off tests/known_failures.txt: {}", key(case));
        }
    }
    failures
        .retain(|(case, _)| !known.contains(key(case).as_str()) || std::env::var_os("CASES_SHOW").is_some());
    let shown = if std::env::var_os("CASES_SHOW").is_some() { usize::MAX } else { 40 };
    for (case, wrong) in failures.iter().take(shown) {
        let file = case.file.strip_prefix(&folder).unwrap_or(&case.file);
        println!("{}:{}: {}\n{wrong}", file.display(), case.line, case.name);
    }
    failures.retain(|(case, _)| !known.contains(key(case).as_str()));
    println!("{} cases, {all} failed, {} of them not known", cases.len(), failures.len());
    assert!(failures.is_empty(), "{} of {} cases failed", failures.len(), cases.len());
}
