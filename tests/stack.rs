//! The least stack of a thread that runs the library, as the README states it: what nests up to its limit is parsed, run,
//! printed, looked through and dropped on a thread of that size. Each attempt is a process of its own, because a stack that
//! overflows ends the process.
//!
//! `STACK_KIB=512 cargo test --release --test stack` tries another size.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test")]

use hookbox::hook::{Dialect, HookSet, LoadOptions};
use hookbox::limit::Limits;
use hookbox::sandbox::Sandbox;
use std::process::Command;

/// As the README says; builds without optimisation, whose frames are the largest, need it.
const LEAST_KIB: usize = 2048;

/// Processes that share the scripts.
const PARTS: usize = 2;

/// Opening, middle and closing text of everything that nests in a script.
const NESTED: &[(&str, &str, &str)] = &[
    ("( ", ":", " )"),
    ("{ ", ":", "; }"),
    ("if ", ":", "; then :; fi"),
    ("if :; then ", ":", "; fi"),
    ("if ! :; then :; else ", ":", "; fi"),
    ("while ", "false", "; do :; done"),
    ("until ", ":", "; do :; done"),
    ("for i in a; do ", ":", "; done"),
    ("for ((i = 0; i < 1; i++)); do ", ":", "; done"),
    ("case a in a) ", ":", ";; esac"),
    ("f() { ", ":", "; }; f"),
    ("f() ( ", ":", " ); f"),
    ("echo $(", ":", ")"),
    ("echo \"$(", ":", ")\""),
    ("echo `", ":", "`"),
    ("cat <(", ":", ")"),
    ("echo ${a:-", "b", "}"),
    ("echo \"${a:-", "b", "}\""),
    ("echo \"${a:-x\"${b:-", "b", "}\"}\""),
    ("echo ${PATH/x/", "b", "}"),
    ("echo ${PATH:", "0", "}"),
    ("echo $((", "1", "))"),
    ("((", "1", "))"),
    ("((", "1", " + 1))"),
    ("[[ ", "a", " ]]"),
    ("[[ ( ", "a", " ) ]]"),
    ("[[ ! ", "a", " ]]"),
    ("echo {a,", "b", "}"),
    ("[[ a == @(", "a", ") ]]"),
    ("case a in @(", "a", ")) :;; esac"),
    ("cat <<X\n$(", ":", ")\nX\n"),
    ("! ", ":", ""),
    ("time ", ":", ""),
    ("coproc ", ":", ""),
    ("eval '", ":", "'"),
    ("trap '", ":", "' EXIT"),
    ("alias x='", ":", "'"),
];

/// Only the inner part of these nests.
const INNER: &[(&str, &str, &str, &str, &str)] = &[
    ("echo ", "${a:-", "b", "}", ""),
    ("echo \"", "${a:-", "b", "}", "\""),
    ("echo ", "$((", "1", "))", ""),
    ("echo $((", "(", "1", ")", "))"),
    ("echo $((", "-", "1", "", "))"),
    ("echo $((", "1 ? ", "1", " : 2", "))"),
    ("echo $((", "a[", "0", "]", "))"),
    ("echo $((", "a = ", "1", "", "))"),
    ("x=1; echo $((", "x ** ", "1", "", "))"),
    ("[[ ", "( ", "a", " )", " ]]"),
    ("[[ ", "! ", "a", "", " ]]"),
    ("[[ a == ", "@(", "a", ")", " ]]"),
    ("echo ", "{a,", "b", "}", ""),
    ("[[ a =~ ", "(", "a", ")", " ]]"),
    ("echo a | grep -E '", "(", "a", ")", "'"),
    ("echo a | grep '", "\\(", "a", "\\)", "'"),
    ("echo a | sed -E 's/", "(", "a", ")", "/b/'"),
    ("echo a | sed '", "{", "p", "}", "'"),
    ("awk 'BEGIN { print ", "(", "1", ")", " }'"),
    ("awk 'BEGIN ", "{ ", "x = 1", " }", "'"),
    ("awk 'BEGIN { ", "if (1) ", "x = 1", "", " }'"),
    ("awk 'BEGIN { x = ", "-", "1", "", " }'"),
    ("awk 'BEGIN { x = ", "1 ? ", "1", " : 2", " }'"),
    ("awk 'function f(n) { return n ? f(n - 1) : 0 } BEGIN { print f(", "", "2000", "", ") }'"),
    ("jq -n '", "[", "1", "]", "'"),
    ("jq -n '", "{a: ", "1", "}", "'"),
    ("jq -n '", "(", "1", ")", "'"),
    ("jq -n '", "if true then ", "1", " else 2 end", "'"),
    ("jq -n '", "try ", "1", "", "'"),
    ("jq -n '", "def f: ", "1", "; f", "'"),
    ("jq -n '", "reduce 1 as $x (0; ", "1", ")", "'"),
    ("jq -n '\"", "\\(\"", "1", "\")", "\"'"),
    ("jq -n 'reduce range(3000) as $i (1; [.]) | tojson | length'", "", "", "", ""),
    ("jq -n 'reduce range(3000) as $i (1; {a: .}) | [.. | numbers]'", "", "", "", ""),
    ("jq -n 'def f(n): if n == 0 then 0 else 1 + f(n - 1) end; f(3000)'", "", "", "", ""),
    ("echo '", "[", "1", "]", "' | jq -c ."),
    ("echo '", "{\"a\":", "1", "}", "' | jq -c ."),
    ("expr ", "\\( ", "1", " \\)", ""),
    ("test ", "! ", "a", "", ""),
    ("test ", "\\( ", "a", " \\)", ""),
    ("find . ", "\\( ", "-true", " \\)", ""),
    ("find . ", "! ", "-true", "", ""),
    ("", "env ", "true", "", ""),
    ("", "command ", "true", "", ""),
    ("", "eval ", "true", "", ""),
    ("", "timeout 5 ", "true", "", ""),
    ("", "xargs ", "true", "", " < /dev/null"),
    ("", "bash -c '", "", "", ":'"),
    ("f() { (( $1 == 0 )) || f $(($1 - 1)); }; f ", "", "2000", "", ""),
    (
        "a() { b; }; b() { :; }; p=d; for i in {1..300}; do mkdir $p; p=$p/d; done; find d | wc -l; du d > /dev/null; cp -r d e; rm -r d e",
        "",
        "",
        "",
        "",
    ),
    ("bind", "", "", "", ""),
];

fn scripts() -> Vec<String> {
    let mut all = Vec::new();
    // Levels that count as three, the limit and one below, and what is so far over it that only the bound is met.
    for depth in [66, 199, 200, 5000] {
        for (open, middle, close) in NESTED {
            all.push(format!("{}{middle}{}", open.repeat(depth), close.repeat(depth)));
        }
        for (before, open, middle, close, after) in INNER {
            all.push(format!("{before}{}{middle}{}{after}", open.repeat(depth), close.repeat(depth)));
        }
    }
    all
}

/// What one script goes through: it runs, is only checked, printed, looked through, and judged as a tool's command.
async fn run(script: &str) {
    let mut limits = Limits::default_profile();
    // Some of these scripts never end.
    limits.wall_time_ms = 300;
    let sandbox = Sandbox::builder().limits(limits).file("/workspace/s", script).build().unwrap();
    for around in [
        script.to_owned(),
        "bash -n s".to_owned(),
        ". ./s".to_owned(),
        format!("f() {{\n{script}\n}}; declare -f f; f"),
        "shell-commands < s".to_owned(),
        "set -nv; . ./s".to_owned(),
    ] {
        sandbox.run(&around).await;
    }
    let _ = hookbox::internal::program::dump(script.as_bytes());
    let config = br#"{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "if": "Bash(rm *)", "command": "cat"}]}]}}"#;
    let hooks = HookSet::load(Dialect::ClaudeCode, config, &LoadOptions::default()).unwrap();
    let event = serde_json::json!({"moment": "tool_call_starting", "session_id": "s", "tool_name": "Bash",
        "tool_call_id": "c", "arguments": {"command": script}});
    let event = hooks.read_event(&event).unwrap();
    hooks.fire(&sandbox, &event).await;
}

/// Configs and payloads as deep as their readers let them be.
fn read_texts() {
    for depth in [50, 100, 126, 127, 128, 200, 5000] {
        for (open, middle, close) in
            [("[", "1", "]"), ("{\"a\":", "1", "}"), ("{a: ", "1", "}"), ("- ", "1", ""), ("\"", "\\", "\"")]
        {
            let text = format!("{}{middle}{}", open.repeat(depth), close.repeat(depth));
            for &dialect in Dialect::ALL {
                let _ = Dialect::detect("x", text.as_bytes());
                let _ = HookSet::load(dialect, text.as_bytes(), &LoadOptions::default());
                let config = format!("{{\"hooks\": {text}}}");
                let _ = HookSet::load(dialect, config.as_bytes(), &LoadOptions::default());
            }
        }
    }
}

/// The attempt itself; [`deep_texts_need_the_stated_stack`] starts it.
#[test]
#[ignore = "runs in a process of its own"]
fn attempt() {
    let Ok(size) = std::env::var("STACK_ATTEMPT") else { return };
    let part = std::env::var("STACK_PART").unwrap().parse().unwrap();
    let thread = std::thread::Builder::new().stack_size(size.parse().unwrap());
    let thread = thread.spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        for script in scripts().into_iter().skip(part).step_by(PARTS) {
            let start: String = script.chars().take(60).collect();
            eprintln!("{} {start}", script.len());
            runtime.block_on(run(&script));
        }
        if part == 0 {
            eprintln!("configs");
            read_texts();
        }
    });
    thread.unwrap().join().unwrap();
}

#[test]
fn deep_texts_need_the_stated_stack() {
    let kib = std::env::var("STACK_KIB").map_or(LEAST_KIB, |kib| kib.parse().unwrap());
    let start = |part: usize| {
        Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "attempt", "--ignored", "--nocapture"])
            .env("STACK_ATTEMPT", (kib << 10).to_string())
            .env("STACK_PART", part.to_string())
            .stderr(std::process::Stdio::piped())
            .stdout(std::process::Stdio::null())
            .spawn()
            .unwrap()
    };
    let children: Vec<_> = (0..PARTS).map(start).collect();
    for child in children {
        let child = child.wait_with_output().unwrap();
        let text = String::from_utf8_lossy(&child.stderr);
        let last: Vec<_> = text.lines().rev().take(6).collect();
        assert!(child.status.success(), "{kib} KiB: {:?}: {last:#?}", child.status);
    }
}

/// The README says what is tested.
#[test]
fn the_readme_states_it() {
    let readme = include_str!("../README.md");
    assert!(readme.contains("2 MiB of stack"));
}
