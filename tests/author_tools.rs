//! What the command gives to who keeps hooks in a repository: reports for CI, coverage, recorded cases, locks.

#![allow(clippy::unwrap_used, reason = "a test")]

#[path = "support/folder.rs"]
mod folder;

use folder::Folder;
use serde_json::Value;

/// A bundle whose cases leave something out.
fn bundle(name: &str) -> Folder {
    let folder = Folder::new(name);
    let settings = r#"{"hooks": {
  "PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "bash \"$CLAUDE_PROJECT_DIR\"/.claude/guard.sh"}]}],
  "Stop": [{"hooks": [{"type": "command", "command": "true && echo bye"}]}]
}}"#;
    let guard = "command=$(jq -r .tool_input.command)\nrefuse() {\n  echo \"no: $1\" >&2\n  exit 2\n}\nif [[ $command == rm* ]] && [ -z \"$ALLOW\" ]; then\n  refuse \"$command\"\nfi\ncase $command in\n  git*) cat notes.txt > seen.txt ;;\n  ls|dir) : ;;\nesac\n";
    let cases = "id: B-1\ntitle: a bundle & more\ndialect: claude-code\nhooks_file: .claude/settings.json\ncases:\n  - name: rm is refused\n    event: { hook_event_name: PreToolUse, tool_name: Bash, tool_input: { command: rm x } }\n    expect: { decision: blocked, reason: \"no: rm x\" }\n  - name: git is not\n    event: { hook_event_name: PreToolUse, tool_name: Bash, tool_input: { command: git log } }\n    expect: { decision: proceed }\n";
    folder
        .write("b/tree/.claude/settings.json", settings)
        .write("b/tree/.claude/guard.sh", guard)
        .write("b/tree/notes.txt", "a\n")
        .write("b/fixture.yaml", "description: a bundle\n")
        .write("b/cases/guard.yaml", cases);
    folder
}

#[test]
fn coverage_names_what_no_case_came_to() {
    let folder = bundle("coverage");
    let (stdout, stderr, status) = folder.run(&["test", "b", "--coverage", "--lcov", "l.info"], "");
    assert_eq!((stderr.as_str(), status), ("", 0), "{stdout}");
    let (_, coverage) = stdout.split_once(" s\n").unwrap();
    assert_eq!(
        coverage,
        "b/tree/.claude/settings.json: no case ran user:Stop_0_0 on Stop
b/tree/.claude/settings.json: user:Stop_0_0: 0 of 2 commands, 0 of 2 branches
     1  never ran      true && echo bye
     1  never ran      echo bye
b/tree/.claude/guard.sh: 8 of 9 commands, 5 of 7 branches
     9  always an arm  case $command in
    11  never taken    ls|dir) : ;;
    11  never ran      : ;;
coverage: 1 of 2 hooks, 9 of 12 commands, 5 of 9 branches
"
    );
    let lcov = folder.read("l.info");
    let (_, script) = lcov.split_once("SF:b/tree/.claude/guard.sh\n").unwrap_or_else(|| panic!("{lcov}"));
    for line in ["DA:1,2", "DA:3,1", "DA:4,1", "DA:6,2", "DA:7,1", "DA:10,1", "DA:11,0", "LF:7", "LH:6"] {
        assert!(script.lines().any(|found| found == line), "{line} in {lcov}");
    }
    // In the config a script is at the line of its string.
    assert!(lcov.contains("SF:b/tree/.claude/settings.json\n") && lcov.contains("DA:3,0\n"), "{lcov}");
    let (stdout, _, _) = folder.run(&["test", "b", "--coverage", "--json"], "");
    let document: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(document["coverage"]["hooks"][1]["ran"], false);
    let gap = &document["coverage"]["scripts"][2]["missing"][0];
    assert_eq!((&gap["line"], &gap["column"], &gap["what"]), (&9.into(), &1.into(), &"always an arm".into()));
}

#[test]
fn reports_are_read_by_others() {
    let folder = bundle("reports");
    let (stdout, _, status) = folder.run(&["test", "b", "--tap", "-j", "1", "--junit", "j.xml"], "");
    assert_eq!(
        (stdout.as_str(), status),
        ("TAP version 14\n1..2\nok 1 - B-1: rm is refused\nok 2 - B-1: git is not\n", 0)
    );
    assert!(folder.read("j.xml").contains("<testsuite name=\"B-1 a bundle &amp; more\" file=\"b/cases/guard.yaml\" tests=\"2\" failures=\"0\" errors=\"0\""));
    let cases = folder
        .read("b/cases/guard.yaml")
        .replace("\"no: rm x\"", "\"no: <rm>\"")
        .replace("git is not", "\"git # 1\"");
    folder.write("b/cases/guard.yaml", &(cases + "  - name: broken\n    fixture: none\n    load: {}\n"));
    let (stdout, _, status) = folder.run(&["test", "b", "--tap", "--junit", "j.xml"], "");
    assert_eq!(status, 1);
    assert!(
        stdout
            .contains("not ok 1 - B-1: rm is refused\n  ---\n  file: \"b/cases/guard.yaml\"\n  message: |\n"),
        "{stdout}"
    );
    assert!(stdout.contains("ok 2 - B-1: git \\# 1\nnot ok 3"), "{stdout}");
    let junit = folder.read("j.xml");
    assert!(junit.contains("tests=\"3\" failures=\"1\" errors=\"1\""), "{junit}");
    assert!(
        junit.contains("<failure message=\"expect: reason\">") && junit.contains("&lt;rm&gt;"),
        "{junit}"
    );
    assert!(junit.contains("<error message=\""), "{junit}");
}

#[test]
fn an_update_shows_what_it_changes() {
    let folder = bundle("update");
    let cases = folder.read("b/cases/guard.yaml");
    folder.write("b/cases/guard.yaml", &cases.replace("\"no: rm x\"", "\"old\""));
    let (stdout, _, status) = folder.run(&["test", "b", "--update"], "");
    assert_eq!(status, 0, "{stdout}");
    let expected = "B-1: rm is refused\n  expect: reason\n    - \"old\"\n    + \"no: rm x\"\nupdated b/cases/guard.yaml\n";
    assert!(stdout.starts_with(expected), "{stdout}");
}

#[test]
fn paths_that_are_no_cases_say_what_to_do() {
    let folder = bundle("paths");
    for (path, message) in [
        (
            "nowhere",
            "hookbox: nowhere: no such file or folder; name a file of cases (FIXTURE/cases/NAME.yaml)",
        ),
        (
            "b/tree/.claude/settings.json",
            "it is a config of claude-code: `hookbox check b/tree/.claude/settings.json` looks at it",
        ),
    ] {
        let (_, stderr, status) = folder.run(&["test", path], "");
        assert!(status == 1 && stderr.contains(message), "{path}: {stderr}");
    }
    let (_, stderr, status) = folder.run(&["test", "b", "--filter", "nope"], "");
    assert!(status == 1 && stderr.contains("no case has `nope` in its id, title, name or path"), "{stderr}");
}

#[test]
fn watching_runs_again_after_a_change() {
    use std::io::BufRead as _;
    let folder = bundle("watch");
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_hookbox"))
        .args(["test", "b", "--watch"])
        .current_dir(&folder.0)
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = std::io::BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
    let mut until = |wanted: &str| lines.by_ref().find(|line| line.contains(wanted)).unwrap();
    assert!(until("passed").starts_with("2 passed, 0 failed"));
    until("waiting for changes");
    folder.write("b/tree/.claude/guard.sh", "exit 0 # lets everything through\n");
    assert!(until("passed").starts_with("1 passed, 1 failed"));
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn a_payload_becomes_a_case_without_its_secrets() {
    let folder = bundle("record");
    let payload = r#"{"hook_event_name": "PreToolUse", "session_id": "s", "cwd": "/home/ann/p", "tool_name": "Bash",
        "tool_input": {"command": "rm /home/ann/p/x AKIAIOSFODNN7EXAMPLE", "env": {"api_key": "short"}}}"#;
    let words = ["record", "-", "--hooks", "b/tree/.claude/settings.json", "-o", "b/cases/real.yaml"];
    let (stdout, stderr, status) = folder.run(&words, payload);
    assert_eq!((stdout.as_str(), status), ("", 0), "{stderr}");
    assert!(stderr.starts_with("hookbox: 1 event recorded, secrets replaced in 1\n"), "{stderr}");
    let cases = folder.read("b/cases/real.yaml");
    assert!(cases.contains("hooks_file: \".claude/settings.json\"\n"), "{cases}");
    assert!(cases.contains("reason: \"no: rm /workspace/x [REDACTED]\"\n"), "{cases}");
    assert!(!cases.contains("short") && !cases.contains("AKIA") && !cases.contains("ann"), "{cases}");
    let (stdout, _, status) = folder.run(&["test", "b"], "");
    assert!(status == 0 && stdout.starts_with("3 passed"), "{stdout}");
    let (_, stderr, status) = folder.run(&[&words[..4], &["--tool", "Read"]].concat(), payload);
    assert!(
        status == 1 && stderr.contains("no event in it is one that --event and --tool ask for"),
        "{stderr}"
    );
}

#[test]
fn a_transcript_becomes_a_session() {
    let folder = bundle("transcript");
    let lines = [
        r#"{"type": "summary", "summary": "x"}"#,
        r#"{"type": "user", "sessionId": "s1", "cwd": "/home/ann/p", "message": {"role": "user", "content": "clean up"}}"#,
        r#"{"type": "user", "isMeta": true, "sessionId": "s1", "message": {"role": "user", "content": "Caveat"}}"#,
        r#"{"type": "assistant", "sessionId": "s1", "cwd": "/home/ann/p", "message": {"role": "assistant", "content": [{"type": "text", "text": "ok"}, {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "git status"}}]}}"#,
        r#"{"type": "user", "sessionId": "s1", "cwd": "/home/ann/p", "toolUseResult": {"stdout": "clean"}, "message": {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "clean"}]}}"#,
        r#"{"type": "assistant", "sessionId": "s1", "cwd": "/home/ann/p", "message": {"role": "assistant", "stop_reason": "end_turn", "content": [{"type": "text", "text": "done"}]}}"#,
    ];
    folder.write("t.jsonl", &lines.join("\n"));
    let words =
        ["record", "t.jsonl", "--hooks", "b/tree/.claude/settings.json", "-o", "b/cases/session.yaml"];
    let (_, stderr, status) = folder.run(&words, "");
    assert!(status == 0 && stderr.starts_with("hookbox: 4 events recorded\n"), "{stderr}");
    let cases = folder.read("b/cases/session.yaml");
    let steps: Vec<&str> = cases.lines().filter_map(|line| line.strip_prefix("      # ")).collect();
    let expected =
        ["UserPromptSubmit: clean up", "PreToolUse Bash: git status", "PostToolUse Bash: git status", "Stop"];
    assert_eq!(steps, expected, "{cases}");
    assert!(cases.contains("ran: [\"user:Stop_0_0\"]") && !cases.contains("ann"), "{cases}");
    let (stdout, _, status) = folder.run(&["test", "b", "--coverage"], "");
    assert!(status == 0 && stdout.contains("coverage: 2 of 2 hooks"), "{stdout}");
}

#[test]
fn a_lock_holds_a_bundle_to_what_it_did() {
    let folder = bundle("lock");
    let fire = |extra: &[&str]| {
        let words = ["fire", "--hooks", "b/tree/.claude/settings.json", "--event", "-", "--seed", "b/tree"];
        let event =
            r#"{"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "rm x"}}"#;
        folder.run(&[&words[..], extra].concat(), event)
    };
    let (_, stderr, status) = fire(&["--locked"]);
    assert!(
        status == 1
            && stderr.contains("b/hookbox.lock: No such file")
            && stderr.contains("`hookbox lock b` writes it"),
        "{stderr}"
    );
    let (stdout, stderr, status) = folder.run(&["lock", "b"], "");
    assert_eq!((stderr.as_str(), status), ("", 0), "{stdout}");
    assert!(stdout.starts_with("wrote b/hookbox.lock\n2 cases passed; 4 files; "), "{stdout}");
    let lock: Value = serde_json::from_str(&folder.read("b/hookbox.lock")).unwrap();
    let names = |key: &str| {
        lock["effects"][key]
            .as_array()
            .unwrap()
            .iter()
            .map(|name| name.as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert!(lock["files"]["tree/.claude/guard.sh"].as_str().unwrap().starts_with("sha256:"));
    assert_eq!(names("commands"), ["[", "bash", "cat", "echo", "exit", "jq", "refuse"]);
    assert_eq!(names("reads"), ["/workspace/.claude/guard.sh", "/workspace/notes.txt"]);
    assert_eq!(names("writes"), ["/workspace/seen.txt"]);
    assert!(
        names("variables").contains(&"ALLOW".to_owned())
            && !names("variables").contains(&"command".to_owned())
    );
    assert_eq!(fire(&["--locked"]).2, 2);
    assert_eq!(folder.run(&["check", "b/tree/.claude/settings.json", "--locked"], "").2, 0);

    // A script that does more than it did.
    let guard = folder.read("b/tree/.claude/guard.sh");
    folder.write("b/tree/.claude/guard.sh", &format!("base64 notes.txt > .cache\n{guard}"));
    let (stdout, stderr, status) = fire(&["--locked"]);
    let expected = "hookbox: b/tree/.claude/settings.json: not what was locked:
  ~ tree/.claude/guard.sh
in its cases the bundle now does more (+) and less (-):
  + runs base64
  + writes /workspace/.cache
if that is meant: hookbox lock b
";
    assert_eq!((stdout.as_str(), stderr.as_str(), status), ("", expected, 1));
    let (_, stderr, status) = folder.run(&["check", "b/tree/.claude/settings.json", "--locked"], "");
    assert_eq!((stderr.as_str(), status), (expected, 2));
    let (stdout, _, status) = folder.run(&["lock", "b"], "");
    assert!(status == 0 && stdout.contains("since the last lock:\n  + runs base64\n"), "{stdout}");
    folder.write("b/tree/.claude/more.sh", "true\n");
    assert!(
        fire(&["--locked"]).1.contains("  + tree/.claude/more.sh\nits cases pass, and do what they did\n")
    );

    // What does not pass is not locked.
    folder.write("b/tree/.claude/guard.sh", "exit 0\n");
    let (_, stderr, _) = fire(&["--locked"]);
    assert!(
        stderr.contains("  - runs jq\n") && stderr.contains("cases that do not pass any more:\n"),
        "{stderr}"
    );
    let (_, stderr, status) = folder.run(&["lock", "b"], "");
    assert!(status == 1 && stderr.contains("b: not locked: its cases do not pass\n"), "{stderr}");
}

#[test]
fn a_guard_that_does_not_guard_is_an_error_when_it_is_loaded() {
    let folder = bundle("canary");
    let cases = folder.read("b/cases/guard.yaml");
    folder.write(
        "b/cases/guard.yaml",
        &cases.replace("  - name: rm is refused\n", "  - name: rm is refused\n    canary: true\n"),
    );
    let fire = || {
        let words = ["fire", "--hooks", "b/tree/.claude/settings.json", "--event", "-", "--seed", "b/tree"];
        folder.run(
            &words,
            r#"{"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "ls"}}"#,
        )
    };
    let (_, stderr, status) = fire();
    assert_eq!((stderr.as_str(), status), ("", 0));
    folder.write("b/tree/.claude/guard.sh", "exit 1\n");
    let (stdout, stderr, status) = fire();
    assert!(stdout.is_empty() && status == 1, "{stdout}");
    assert!(stderr.starts_with("hookbox: a canary of the bundle failed: its guard does not guard\nb/cases/guard.yaml: rm is refused\n"), "{stderr}");
}

#[test]
fn findings_are_told_to_reviews() {
    let folder = Folder::new("reviews");
    folder.write("a b.json", "{\"hooks\": {\"PreToolUse\": [{\"matcher\": \"run_command\", \"hooks\": [{\"type\": \"command\", \"command\": \"true\"}]}]}}");
    folder.write("c.json", "{");
    let (stdout, _, status) =
        folder.run(&["check", "--sarif", "a b.json", "c.json", "--dialect", "claude-code"], "");
    assert_eq!(status, 2);
    let document: Value = serde_json::from_str(&stdout).unwrap();
    let run = &document["runs"][0];
    assert_eq!(
        (&document["version"], &run["results"][0]["ruleId"]),
        (&"2.1.0".into(), &"matcher-foreign-tool".into())
    );
    let index = run["results"][0]["ruleIndex"].as_u64().unwrap();
    assert_eq!(run["tool"]["driver"]["rules"][usize::try_from(index).unwrap()]["id"], "matcher-foreign-tool");
    let place = &run["results"][0]["locations"][0]["physicalLocation"];
    assert_eq!(
        (&place["artifactLocation"]["uri"], &place["region"]["startLine"]),
        (&"a%20b.json".into(), &1.into())
    );
    assert_eq!(run["invocations"][0]["executionSuccessful"], false);
    let (stdout, _, _) = folder.run(&["check", "--github", "a b.json"], "");
    assert!(stdout.starts_with("::warning file=a b.json,line=1,col="), "{stdout}");
    assert!(stdout.contains(",title=matcher-foreign-tool::"), "{stdout}");
    let (stdout, _, _) = folder.run(&["check", "a b.json"], "");
    assert!(!stdout.contains('\u{1b}'), "no colours where nobody looks");
}

#[test]
fn what_has_one_safe_answer_is_mended() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = Folder::new("fix");
    let config = "{\"hooks\": {\"preToolUse\": [{\"matcher\": \"run_command\", \"hooks\": [{\"type\": \"command\", \"command\": \"\\\"$CLAUDE_PROJECT_DIR\\\"/.claude/a.sh\"}]}]}}";
    folder.write(".claude/settings.json", config).write(".claude/a.sh", "#!/bin/bash\r\ntrue\r\n");
    let (_, stderr, _) = folder.run(&["check", ".claude/settings.json", "--fix"], "");
    assert!(
        stderr.contains(
            "fixed: .claude/settings.json: `preToolUse` is spelled `PreToolUse` here, now \"PreToolUse\""
        ),
        "{stderr}"
    );
    // The next look sees more: the event is known now.
    let (stdout, stderr, status) = folder.run(&["check", ".claude/settings.json", "--fix"], "");
    let (again, _, _) = folder.run(&["check", ".claude/settings.json", "--fix"], "");
    assert!(again.ends_with(": 0 errors, 0 warnings\n"), "{status} {stdout}{stderr}{again}");
    assert_eq!(
        folder.read(".claude/settings.json"),
        config.replace("preToolUse", "PreToolUse").replace("run_command", "Bash")
    );
    assert_eq!(folder.read(".claude/a.sh"), "#!/bin/bash\ntrue\n");
    let mode = std::fs::metadata(folder.0.join(".claude/a.sh")).unwrap().permissions().mode();
    assert_eq!(mode & 0o100, 0o100);
}

#[test]
fn a_config_is_checked_as_its_host_loads_it_and_for_another_platform() {
    let folder = Folder::new("check-set");
    let config = "enabled: true\nhooks:\n  - { name: note, hook: pre_tool, command: jq -n 1 }\n";
    folder.write("i.yaml", config);
    let (stdout, _, status) = folder.run(&["check", "i.yaml", "--set", "mode=plan"], "");
    assert_eq!(status, 0, "{stdout}");
    let (_, stderr, status) = folder.run(&["check", "i.yaml", "--set", "nope=1"], "");
    assert!(status == 2 && stderr.contains("infer has no setting `nope`"), "{stderr}");
    let (stdout, _, status) = folder.run(&["check", "--set", "help", "--dialect", "infer"], "");
    assert!(status == 0 && stdout.starts_with("Settings of infer:"), "{stdout}");
    let hooks =
        "{\"hooks\": {\"Notification\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"true\"}]}]}}";
    folder.write("c.json", hooks);
    let (stdout, _, status) = folder.run(&["check", "c.json", "--target", "everruns"], "");
    assert!(
        status == 0 && stdout.contains("everruns has no event for `Notification` [target-lost]"),
        "{stdout}"
    );
}

#[test]
fn completions_and_pages_come_from_the_command_itself() {
    let folder = Folder::new("completions");
    for (shell, word) in
        [("bash", "complete -F _hookbox"), ("zsh", "#compdef hookbox"), ("fish", "complete -c hookbox")]
    {
        let (stdout, _, status) = folder.run(&["completions", shell], "");
        assert!(status == 0 && stdout.contains(word) && stdout.contains("goclaw"), "{shell}");
    }
    assert_eq!(folder.run(&["completions", "csh"], "").2, 2);
    let (page, _, status) = folder.run(&["man", "test"], "");
    assert!(status == 0 && page.contains(".TH hookbox-test 1") && page.contains("coverage"), "{page}");
    assert!(folder.run(&["man"], "").0.contains("hookbox\\-lock(1)"));
    let (_, stderr, status) = folder.run(&["man", "nope"], "");
    assert!(status == 1 && stderr.contains("there is no subcommand `nope`; there are sh, fire"), "{stderr}");
}

#[test]
fn adapters_stand_in_one_file_beside_the_config() {
    let folder = bundle("convert");
    let words = ["convert", "b/tree/.claude/settings.json", "--to", "docker-agent", "-o", "agent.yaml"];
    let (stdout, stderr, status) = folder.run(&words, "");
    assert_eq!((stdout.as_str(), status), ("", 0), "{stderr}");
    let (config, adapter) = (folder.read("agent.yaml"), folder.read("hookbox-adapter.sh"));
    assert!(config.contains("exec bash 'hookbox-adapter.sh' 1"), "{config}");
    assert!(
        config.len() < 2500 && adapter.contains("\nhook_2() {\n") && !adapter.contains("event_3="),
        "{adapter}"
    );
    // It decides as before.
    folder
        .write("w/hookbox-adapter.sh", &adapter)
        .write("w/.claude/guard.sh", &folder.read("b/tree/.claude/guard.sh"));
    let fire = |command: &str| {
        let event = format!(
            "{{\"moment\": \"tool_call_starting\", \"session_id\": \"s\", \"tool_name\": \"shell\", \"tool_call_id\": \"c\", \"arguments\": {{\"cmd\": \"{command}\"}}}}"
        );
        folder.run(&["fire", "--hooks", "agent.yaml", "--event", "-", "--seed", "w"], &event)
    };
    let (stdout, stderr, status) = fire("rm x");
    assert!(status == 2 && stdout.contains("no: rm x"), "{stdout}{stderr}");
    assert_eq!(fire("ls").2, 0);
    // And back.
    let (stdout, _, status) = folder.run(&["convert", "agent.yaml", "--to", "claude-code"], "");
    assert!(
        status == 0
            && stdout.contains("bash \\\"$CLAUDE_PROJECT_DIR\\\"/.claude/guard.sh")
            && !stdout.contains("adapter"),
        "{stdout}"
    );
}

#[test]
fn a_lock_holds_modes_data_cases_and_configs_beside() {
    use std::os::unix::fs::PermissionsExt as _;
    let settings = "b/tree/.claude/settings.json";
    let told = |folder: &Folder, line: &str| {
        let (_, stderr, status) = folder.run(&["check", settings, "--locked"], "");
        assert!(status == 2 && stderr.contains(&format!("  {line}\n")), "{line}: {stderr}");
    };
    let set_mode = |folder: &Folder, mode: u32| {
        let path = folder.0.join("b/tree/.claude/guard.sh");
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    };
    let folder = bundle("lock-more");
    set_mode(&folder, 0o755);
    let (stdout, stderr, status) = folder.run(&["lock", "b"], "");
    assert_eq!((stderr.as_str(), status), ("", 0), "{stdout}");
    assert_eq!(folder.run(&["check", settings, "--locked"], "").2, 0);

    set_mode(&folder, 0o644);
    told(&folder, "~ tree/.claude/guard.sh: it can not be executed any more");
    set_mode(&folder, 0o755);
    folder.write("b/tree/notes.txt", "zzz\n");
    told(&folder, "~ tree/notes.txt");
    folder.write("b/tree/notes.txt", "a\n").write("b/tree/.claude/settings.local.json", "{}");
    told(&folder, "+ tree/.claude/settings.local.json");
    std::fs::remove_file(folder.0.join("b/tree/.claude/settings.local.json")).unwrap();
    folder.write("b/tree/.claude/agents/plain.md", "---\nname: plain\n---\nhooks: none\n");
    assert_eq!(folder.run(&["check", settings, "--locked"], "").2, 0);
    folder.write("b/tree/.claude/agents/x.md", "---\nname: x\nhooks:\n  Stop: []\n---\n");
    told(&folder, "+ tree/.claude/agents/x.md");
    std::fs::remove_file(folder.0.join("b/tree/.claude/agents/x.md")).unwrap();
    let cases = folder.read("b/cases/guard.yaml");
    folder.write("b/cases/guard.yaml", cases.split("  - name: git").next().unwrap());
    told(&folder, "~ cases/guard.yaml");
    told(&folder, "- 1 of 2 cases");

    // A lock of before knows less and holds what it knows.
    folder.write("b/cases/guard.yaml", &cases);
    let lock = folder.read("b/hookbox.lock").replace(" +x", "").replace("\"version\": 2", "\"version\": 1");
    folder.write("b/hookbox.lock", &lock);
    assert_eq!(folder.run(&["check", settings, "--locked"], "").2, 0);
}

#[test]
fn what_a_recording_lacks_is_told() {
    let folder = bundle("record-lacks");
    let payload = r#"{"hook_event_name": "PreToolUse", "session_id": "s", "tool_name": "Bash", "tool_input": {"command": "rm x"}}"#;
    let settings = "b/tree/.claude/settings.json";
    let (stdout, stderr, status) = folder.run(&["record", "-", "--hooks", settings], payload);
    assert!(status == 0 && stdout.contains("decision: \"proceed\""), "{stdout}");
    assert!(stderr.contains("guard.sh") && stderr.contains("without files of yours"), "{stderr}");
    let (_, stderr, status) =
        folder.run(&["record", "-", "--hooks", settings, "--event", "PreToolUsed"], payload);
    assert_eq!(
        (stderr.as_str(), status),
        ("hookbox: --event: claude-code has no event `PreToolUsed`: did you mean `PreToolUse`?\n", 1)
    );
    let lines = [
        r#"{"type": "user", "sessionId": "s1", "message": {"role": "user", "content": "clean up"}}"#,
        "{broken",
        r#"{"type": "assistant", "isSidechain": true, "sessionId": "s1", "message": {"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "Bash", "input": {}}]}}"#,
        r#"{"type": "assistant", "sessionId": "s1", "mess"#,
    ];
    folder.write("t.jsonl", &lines.join("\n"));
    let (_, stderr, status) =
        folder.run(&["record", "t.jsonl", "--hooks", settings, "-o", "b/cases/s.yaml"], "");
    assert!(status == 0 && stderr.contains("1 event recorded"), "{stderr}");
    for part in ["line 2 is left out: ", "line 4 is left out: ", "1 call of sub-agents left out"] {
        assert!(stderr.contains(part), "{part}: {stderr}");
    }
    assert_eq!(folder.run(&["record", "-", "--hooks", settings], "{broken").2, 1);
}

#[test]
fn a_failure_names_its_line_and_a_word_that_can_never_be() {
    let folder = bundle("word");
    let cases = folder.read("b/cases/guard.yaml").replace("{ decision: proceed }", "{ decision: denied }");
    folder.write("b/cases/guard.yaml", &cases);
    let (stdout, _, status) = folder.run(&["test", "b"], "");
    assert_eq!(status, 1);
    assert!(stdout.contains("FAIL B-1 a bundle & more: git is not\n  b/cases/guard.yaml:9\n"), "{stdout}");
    assert!(stdout.contains("    `denied` can never be: it is `proceed` or `blocked`\n"), "{stdout}");
}
