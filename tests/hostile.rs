//! Hostile scripts end cleanly: each row of `tests/hostile` runs in a child process with a bounded address space, and must end
//! without a signal, in bounded time, with an ordinary status or with a limit that is named. `tests/measure.rs` measures what
//! they cost.
//!
//! The child is this test binary again, with the names of rows in its environment. `HOSTILE=FILTER cargo test --test
//! hostile -- --nocapture` runs the rows whose name contains the filter and prints how each ended; without it the classes
//! run that are quick.

#[path = "support/child.rs"]
mod child_process;
#[allow(dead_code, reason = "ends are judged alone")]
#[path = "support/known.rs"]
mod known;
#[path = "support/rows.rs"]
mod rows;

use hookbox::sandbox::{End, Script};
use known::{Criterion, Failure, Known};
use rows::Row;
use std::time::Instant;

/// In a child: runs the rows that it is given. Otherwise there is nothing to do.
#[test]
fn child() {
    let Some(names) = child_process::rows_to_run() else { return };
    let rows = rows::load();
    for name in names {
        let row = rows.iter().find(|row| row.name == name).expect("a row");
        let sandbox = row.sandbox();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
        runtime.block_on(rows::run_before(&sandbox, &row.before));
        let start = Instant::now();
        let mut end = String::new();
        for number in 0..row.runs {
            let output = runtime.block_on(sandbox.start(Script::command(row.script(number))));
            end = match output.end {
                End::Exited => format!("status {}", output.status),
                End::Limit(error) => format!("limit {}", error.limit),
            };
        }
        drop(sandbox);
        child_process::report(&format!("{}\t{end}", start.elapsed().as_millis()));
    }
}

/// What was wrong with the rows of a batch.
fn run(batch: &[&Row]) -> Vec<Failure> {
    let names: Vec<&str> = batch.iter().map(|row| row.name.as_str()).collect();
    let allowed = batch.iter().map(|row| row.allowed()).sum();
    let mut failures = Vec::new();
    for (row, result) in batch.iter().zip(child_process::run(&names, allowed)) {
        let report = result.and_then(|line| {
            let (time, end) = line.split_once('\t').expect("a time and an end");
            if std::env::var_os("HOSTILE").is_some() {
                println!("{time:>6} ms  {end:<28} {}", row.name);
            }
            if row.want.accepts(end) { Ok(()) } else { Err(format!("want {:?}, got {end}", row.want)) }
        });
        if let Err(detail) = report {
            failures.push(Failure { criterion: Criterion::End, row: row.name.clone(), detail });
        }
    }
    failures
}

#[test]
fn hostile_scripts_end_cleanly() {
    if child_process::rows_to_run().is_some() {
        return;
    }
    let filter = std::env::var("HOSTILE").ok();
    let is_chosen = |row: &Row| match &filter {
        Some(filter) => row.name.contains(filter.as_str()) && row.hooks.is_none(),
        None => row.quick,
    };
    let rows = rows::load();
    let chosen: Vec<&Row> = rows.iter().filter(|row| is_chosen(row)).collect();
    let batches = child_process::batches(&chosen, |row| row.together);
    let failures: Vec<Failure> =
        child_process::two_at_a_time(&batches, |batch| run(batch)).into_iter().flatten().collect();
    let names: Vec<&str> = chosen.iter().map(|row| row.name.as_str()).collect();
    let unknown = Known::load().unknown(&[Criterion::End], &names, &failures);
    assert!(unknown.is_empty(), "{} wrong of {}:\n{}", unknown.len(), names.len(), unknown.join("\n"));
}
