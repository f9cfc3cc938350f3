//! The binary as a user meets it: streams, exit statuses, one line for what went wrong.

#![allow(clippy::unwrap_used, reason = "a test")]

use std::io::Write;
use std::process::{Command, Stdio};

/// Runs `hookbox ARGUMENTS` with `stdin`: standard output, standard error, exit status.
fn hookbox(arguments: &[&str], stdin: &str) -> (String, String, i32) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_hookbox"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(stdin.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (text(output.stdout), text(output.stderr), output.status.code().unwrap())
}

#[test]
fn a_script_on_standard_input_shares_it_with_its_commands() {
    let (stdout, stderr, status) = hookbox(
        &["sh"],
        "read x\nhello\necho \"got $x\"\nread -r y; echo $y\nnext\nif true; then\nexit 3\nfi\n",
    );
    assert_eq!((stdout.as_str(), stderr.as_str(), status), ("got hello\nnext\n", "", 3));
}

#[test]
fn lines_before_a_syntax_error_run() {
    let (stdout, stderr, status) = hookbox(&["sh"], "echo a\nif\n");
    assert_eq!((stdout.as_str(), status), ("a\n", 2));
    assert_eq!(stderr, "bash: line 3: syntax error: unexpected end of file\n");
}

#[test]
fn limits_have_statuses_of_their_own() {
    let (_, stderr, status) = hookbox(&["sh", "--timeout", "50", "-c", "while :; do :; done"], "");
    assert_eq!((stderr.lines().count(), status), (1, 124), "{stderr}");
    assert!(stderr.contains("wall_time_ms"), "{stderr}");
    let (_, stderr, status) =
        hookbox(&["sh", "--limit", "commands=10", "-c", "while true; do true; done"], "");
    assert_eq!(status, 125);
    assert!(stderr.contains("commands"), "{stderr}");
}

#[test]
fn file_changes_are_told_on_standard_error() {
    let script = "echo x > new; mkdir d; rm /home/agent/none 2> /dev/null; exit 0";
    let (stdout, stderr, status) = hookbox(&["sh", "--diff", "-c", script], "");
    assert_eq!((stdout.as_str(), stderr.as_str(), status), ("", "+ /workspace/d\n+ /workspace/new\n", 0));
}

#[test]
fn what_can_not_be_done_is_one_line_and_status_1() {
    for arguments in [
        ["fire", "--hooks", "none.json", "--event", "-"].as_slice(),
        &["fire", "--hooks", "Cargo.toml", "--event", "-"],
        &["sh", "none.sh"],
        &["sh", "--limits", "none", "-c", ":"],
        &["sh", "--limit", "commands", "-c", ":"],
        &["sh", "--env", "x", "-c", ":"],
        &["test", "none"],
    ] {
        let (stdout, stderr, status) = hookbox(arguments, "");
        assert_eq!((stdout.as_str(), status), ("", 1), "{arguments:?}: {stderr}");
        assert!(!stderr.is_empty() && stderr.lines().count() <= 3, "{arguments:?}: {stderr}");
    }
}
