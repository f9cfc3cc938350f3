//! Each limit is read: what grows past it ends with its name, and what was replaced or removed is given back.

#![allow(clippy::panic, reason = "a test")]

use hookbox::limit::{Limit, Limits};
use hookbox::sandbox::{End, Output, Sandbox};

fn run(limit: Limit, value: u64, script: &str) -> Output {
    let mut limits = Limits::default_profile();
    // A busy machine may be slow.
    limits.set(Limit::WallTime, 600_000);
    limits.set(Limit::ParseTime, 600_000);
    limits.set(limit, value);
    let sandbox = Sandbox::builder().limits(limits).build().expect("a sandbox");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
    runtime.block_on(sandbox.run(script))
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

#[test]
fn compiled_regular_expressions_are_live_bytes() {
    let many = "for i in {1..3000}; do echo \"s/(a|b){50}$i/x/\"; done > s; sed -E -f s /dev/null";
    reaches(Limit::LiveBytes, 8 * MIB, many);
    fits(Limit::LiveBytes, 256 * MIB, many);
    // What is no longer kept is given back.
    let one_by_one = "for i in {1..300}; do echo a | sed -E \"s/(a|b){200}$i/x/\" > /dev/null; done";
    fits(Limit::LiveBytes, 8 * MIB, one_by_one);
    let dynamic = "awk 'BEGIN { for (i = 0; i < 3000; i++) \"a\" ~ (\"(a|b){100}\" i) }'";
    fits(Limit::LiveBytes, 8 * MIB, dynamic);
    let of_jq = "jq -n '[range(300) | tostring as $i | \"a\" | test(\"a\" + $i)] | length'";
    fits(Limit::LiveBytes, 16 * MIB, of_jq);
    reaches(Limit::LiveBytes, 2 * MIB, of_jq);
}

/// A guard that cannot compile its expression must not pass for one that found nothing.
#[test]
fn regular_expressions_past_a_limit_end_the_run() {
    let groups = format!("re='{}'; ", "(a)".repeat(2_000));
    let copies = "re='(a{100}){100}{100}'; ";
    let deep = format!("re='{}a{}'; ", "(".repeat(300), ")".repeat(300));
    for search in [
        "[[ a =~ $re ]]",
        "echo a | grep -E \"$re\"",
        "echo a | sed -E \"s/$re/x/\"",
        "echo a | sed -E \"/$re/d\"",
        "echo a | awk -v re=\"$re\" '$0 ~ re'",
        "echo a | awk \"/$re/\"",
        "echo a | awk -F \"$re\" '{ print $1 }'",
        "touch a; find . -regextype posix-extended -regex \"$re\"",
        "git init -q; echo a >a; git add a; git grep -E \"$re\"",
        "git init -q; git config --get-regexp \"$re\"",
        "pgrep \"$re\"",
    ] {
        if cfg!(not(feature = "programs")) && search.contains("git") {
            continue;
        }
        for (limit, value, text) in [
            (Limit::RegexBytes, 1 << 20, groups.as_str()),
            (Limit::RegexBytes, 1 << 20, copies),
            (Limit::SyntaxDepth, 200, deep.as_str()),
        ] {
            let output = run(limit, value, &format!("{text}{search} || echo not found"));
            let ended = matches!(output.end, End::Limit(error) if error.limit == limit);
            assert!(ended && output.stderr.is_empty(), "{limit} is not what ended {search}: {output:?}");
        }
    }
}

#[test]
fn blocks_and_pieces_of_utilities_are_counted() {
    reaches(Limit::LiveBytes, 32 * MIB, "dd if=/dev/zero of=/dev/null bs=1G count=1");
    reaches(Limit::LiveBytes, 32 * MIB, "dd cbs=1G conv=block < <(echo a)");
    reaches(Limit::LiveBytes, 32 * MIB, "yes | tr -d '\\n' | split -n 2");
    reaches(Limit::Files, 100, "yes | split -l 1");
    reaches(Limit::FileSystemBytes, MIB, "yes | split -b 100000");
    reaches(Limit::OutputBytes, 1000, "yes '$HOME' | envsubst");
    reaches(Limit::OutputBytes, 1000, "yes 1000 | numfmt --to=si");
    reaches(Limit::OutputBytes, 1000, "yes a b c | fmt");
}

#[test]
fn what_is_read_of_an_arithmetic_expression_is_counted_however_it_comes_to_it() {
    let bytes = Limit::ExpressionBytes;
    for script in [
        "x=1$(printf '+1%.0s' {1..600}); : $((x))",
        "x=1$(printf '+1%.0s' {1..600}); ((x)); let x",
        "x=1$(printf '+1%.0s' {1..600}); declare -i y=x",
        "x=1$(printf '+1%.0s' {1..600}); y=(1); : ${y[x]} ${y:x}",
        "x=1$(printf '+1%.0s' {1..600}); [[ x -gt 1 ]]",
        "eval \"((1$(printf '+1%.0s' {1..40000})))\"",
        "a=b+b+b+b b=c+c+c+c c=d+d+d+d d=1+1; : $((a))",
        "a=b+b+b+b b=c+c+c+c c=d+d+d+d d=1+1; : $((a ? 1 : 0)) $((y[a]))",
    ] {
        reaches(bytes, 1000, script);
    }
    for script in [
        "x=1$(printf '+1%.0s' {1..400}); for i in {1..9}; do ((x == 401)) || exit; done",
        "declare -A m; m[$(printf 'a%.0s' {1..5000})]=1",
        // The error comes before the limit does.
        "[[ 'no number' -gt 1 ]]; x='1 2 '$(printf '%5000s'); ((x)) 2> /dev/null; true",
        "a=b+b+b b=c+c+c c=1; ((a == 9))",
    ] {
        fits(bytes, 1000, script);
    }
}
