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
fn dashes_behind_a_command_string_are_its_name() {
    for (arguments, want) in [
        (["--", "1"].as_slice(), "-- 1\n"),
        (&["--", "--", "1"], "-- --\n"),
        (&["n", "--", "1"], "n --\n"),
        (&["-q", "1"], "-q 1\n"),
        (&["n", "--usage"], "n --usage\n"),
    ] {
        let all = [["sh", "--timeout", "5000", "-c", "echo \"$0\" $1"].as_slice(), arguments].concat();
        assert_eq!(hookbox(&all, ""), (want.into(), String::new(), 0), "{arguments:?}");
    }
}

#[test]
fn arguments_are_bytes() {
    use std::os::unix::ffi::OsStrExt;
    let bytes = |bytes| std::ffi::OsStr::from_bytes(bytes);
    let output = Command::new(env!("CARGO_BIN_EXE_hookbox"))
        .args(["sh", "--env"].map(|text| bytes(text.as_bytes())))
        .args([b"v=\xfe".as_slice(), b"-c", b"printf %s \"\xff$0$1$v\"", b"\x80", b"a\xc3"].map(bytes))
        .output()
        .unwrap();
    assert_eq!(output.stdout, b"\xff\x80a\xc3\xfe");
    assert_eq!((output.stderr.as_slice(), output.status.code()), (b"".as_slice(), Some(0)));
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

/// A guard that did not look is no guard that has seen nothing.
#[test]
fn fire_says_what_kept_guards_from_their_work() {
    let folder = std::env::temp_dir().join(format!("hookbox-notices-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let hooks = folder.join("hooks.json").display().to_string();
    let config = r#"{"hooks": {"PreToolUse": [
  {"matcher": {"tool": "Bash"}, "hooks": [{"type": "command", "command": "exit 2"}]},
  {"matcher": "Bash", "hooks": ["exit 2", {"type": "command", "command": "gitleaks 2>/dev/null || true; sh ./none.sh 2>/dev/null; exit 0"}]},
  {"matcher": "(x", "hooks": [{"type": "command", "command": "exit 2"}]}
]}}"#;
    std::fs::write(&hooks, config).unwrap();
    let event = r#"{"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "ls"}}"#;
    let words = ["fire", "--hooks", &hooks, "--event", "-"];
    let (stdout, stderr, status) = hookbox(&words, event);
    let expected = [
        ":2:15: hooks.PreToolUse[0].matcher: expected a string, found an object; skipped",
        ":3:33: hooks.PreToolUse[1].hooks[0]: expected an object, found a string; skipped",
        ":4:15: user:PreToolUse_2_0: matcher `(x` never matches: unclosed group (hooks.PreToolUse[2].matcher)",
        "user:PreToolUse_1_1: command not found: gitleaks",
        "user:PreToolUse_1_1: no such file: ./none.sh",
    ];
    let mut lines: Vec<_> = stderr.lines().collect();
    let hint = "hookbox: the session has no files of yours: --seed FOLDER copies the project in";
    assert_eq!(lines.pop(), Some(hint));
    assert_eq!((lines.len(), status), (expected.len(), 0), "{stderr}");
    for (line, end) in lines.iter().zip(expected) {
        assert!(line.starts_with("hookbox: warning: ") && line.ends_with(end), "{line}");
    }
    let outcome: serde_json::Value = serde_json::from_str(&stdout).unwrap();
    let first = &outcome["notices"][0];
    assert_eq!(
        (&first["line"], &first["column"], &first["kind"]),
        (&2.into(), &15.into(), &"dropped".into())
    );
    assert_eq!(first["field"], "hooks.PreToolUse[0].matcher");
    let (stdout, stderr, _) = hookbox(&[&words[..], &["--explain"]].concat(), event);
    assert!(stderr.is_empty(), "{stderr}");
    for end in expected {
        assert!(stdout.lines().any(|line| line.ends_with(end)), "{end}: {stdout}");
    }
    assert!(stdout.contains("\n  missing   command not found: gitleaks\n"), "{stdout}");
    let (stdout, _, _) = hookbox(&[&words[..], &["--json"]].concat(), event);
    let outcome: serde_json::Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(
        outcome["records"][0]["run"]["missing"],
        serde_json::json!([{"kind": "command", "name": "gitleaks"}, {"kind": "file", "name": "./none.sh"}])
    );
    assert!(outcome["records"][1]["warnings"][0].as_str().unwrap().ends_with("unclosed group"), "{stdout}");
    std::fs::remove_dir_all(folder).unwrap();
}
