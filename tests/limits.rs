//! Each limit is read: what grows past it ends with its name, and what was replaced or removed is given back.

#![allow(clippy::panic, reason = "a test")]

use hookbox::limit::{Limit, Limits};
use hookbox::sandbox::{End, Output, Sandbox};

fn run(limit: Limit, value: u64, script: &str) -> Output {
    let mut limits = Limits::default_profile();
    limits.set(Limit::WallTime, 60_000);
    limits.set(limit, value);
    let sandbox = Sandbox::builder().limits(limits).build().expect("a sandbox");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
    runtime.block_on(sandbox.run(script)).expect("a run")
}

fn short(script: &str) -> &str {
    script.get(..80).unwrap_or(script)
}

fn reaches(limit: Limit, value: u64, script: &str) {
    match run(limit, value, script).end {
        End::Limit(error) => assert_eq!((error.limit, error.allowed), (limit, value), "{}", short(script)),
        End::Exited => panic!("{limit} of {value} was not reached by {}", short(script)),
    }
}

fn fits(limit: Limit, value: u64, script: &str) {
    let output = run(limit, value, script);
    assert_eq!((output.end, output.status), (End::Exited, 0), "{}", short(script));
}

const MIB: u64 = 1 << 20;

#[test]
fn elements_of_arrays_are_live_bytes() {
    reaches(
        Limit::LiveBytes,
        32 * MIB,
        "s=$(printf %0100000d 1); for ((i = 0; i < 1000; i++)); do a[i]=$s$i; done",
    );
    reaches(
        Limit::LiveBytes,
        32 * MIB,
        "declare -A m; s=$(printf %0100000d 1); for ((i = 0; i < 1000; i++)); do m[$i]=$s$i; done",
    );
}

#[test]
fn elements_that_were_replaced_or_removed_are_given_back() {
    let replaced = "s=$(printf %0100000d 1); for ((i = 0; i < 1000; i++)); do NAME=$s$i; done";
    fits(Limit::LiveBytes, 32 * MIB, &replaced.replace("NAME", "a[3]"));
    fits(Limit::LiveBytes, 32 * MIB, &format!("declare -A m; {}", replaced.replace("NAME", "m[k]")));
    fits(
        Limit::LiveBytes,
        32 * MIB,
        "declare -A m; s=$(printf %0100000d 1); for ((i = 0; i < 1000; i++)); do m[$i]=$s$i; unset 'm['$i']'; done",
    );
}

#[test]
fn names_of_variables_are_live_bytes() {
    reaches(Limit::LiveBytes, 16 * MIB, "for ((i = 0; i < 1000000; i++)); do printf -v v$i x; done");
}

#[test]
fn a_script_of_many_commands_on_a_line_is_live_bytes() {
    reaches(Limit::LiveBytes, 64 * MIB, &":; ".repeat(500_000));
}

#[test]
fn braces_too_deep_are_a_limit() {
    let deep = |depth: usize| format!("echo {}x{}", "{a,".repeat(depth), "}".repeat(depth));
    assert_eq!(run(Limit::SyntaxDepth, 200, &deep(20)).status, 0);
    reaches(Limit::SyntaxDepth, 200, &deep(100_000));
}

#[test]
fn loops_commands_and_frames_are_counted() {
    reaches(Limit::LoopIterations, 100, "while :; do :; done");
    reaches(Limit::Commands, 100, "while :; do :; done");
    reaches(Limit::Frames, 50, "f() { f; }; f");
    reaches(Limit::Processes, 10, "f() { f | f; }; f");
    reaches(Limit::ValueBytes, 1 << 16, "s=x; while :; do s=$s$s; done");
    reaches(Limit::ExpansionResults, 100, "echo {1..1000}");
    reaches(Limit::OutputBytes, 1000, "yes");
    reaches(Limit::ScriptBytes, 100, &" ".repeat(101));
    reaches(Limit::Files, 10, "for ((i = 0; i < 20; i++)); do : > f$i; done");
    reaches(Limit::FileSystemBytes, 1000, "yes > f");
    reaches(Limit::Operations, 100_000, "while :; do :; done");
    reaches(Limit::ParseTime, 0, ":\n:");
}
