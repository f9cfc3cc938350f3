//! What the command gives to authors of hooks: settings from outside, plug-ins, stubs, answers, a start.

#![allow(clippy::unwrap_used, reason = "a test")]

#[path = "support/folder.rs"]
mod folder;

use folder::Folder;
use hookbox::hook::Dialect;

const INFER: &str = "enabled: true\nhooks:\n  - { name: note, hook: pre_tool, command: jq -n 1 }\n";
const PRE_TOOL: &str = r#"{"hook": "pre_tool", "tool": {"name": "Bash", "arguments": {}}}"#;

#[test]
fn settings_are_set_from_outside() {
    let folder = Folder::new("set");
    folder.write("infer.yaml", INFER);
    let fire = |sets: &[&str]| {
        let mut words = vec!["fire", "--hooks", "infer.yaml", "--event", "-", "--explain"];
        for set in sets {
            words.extend(["--set", set]);
        }
        folder.run(&words, PRE_TOOL)
    };
    let (stdout, stderr, _) = fire(&[]);
    assert!(!stdout.contains("exit status 0"), "{stdout}{stderr}");
    for sets in [
        &["INFER_TOOLS_BASH_ALLOW_APPEND=jq( .*)?"][..],
        &["tools_bash_allow_append=jq( .*)?"],
        &["tools.bash.mode.standard.allow=[jq( .*)?]"],
        &["mode=plan", "tools.bash.mode.plan.allow=[\"jq( .*)?\"]"],
    ] {
        let (stdout, stderr, status) = fire(sets);
        assert!(stdout.contains("exit status 0") && status == 0, "{sets:?}: {stdout}{stderr}");
    }
}

#[test]
fn a_setting_that_is_none_says_what_would_be_right() {
    let folder = Folder::new("set-wrong");
    folder.write("infer.yaml", INFER);
    for (set, message) in [
        ("moed=plan", "hookbox: --set: infer has no setting `moed`; its settings are:\n\nenvironment\n"),
        ("mode", "hookbox: --set mode: KEY=VALUE is wanted; the settings of infer are:\n\nenvironment\n"),
        (
            "expand_unset_to_empty=1",
            "hookbox: --set: infer: `expand_unset_to_empty` must be true or false, not `1`\n",
        ),
        ("reminders=@none.yaml", "hookbox: none.yaml: No such file or directory"),
    ] {
        let (stdout, stderr, status) =
            folder.run(&["fire", "--hooks", "infer.yaml", "--event", "-", "--set", set], PRE_TOOL);
        assert_eq!((stdout.as_str(), status), ("", 1), "{set}");
        assert!(stderr.starts_with(message), "{set}: {stderr}");
    }
    let (stdout, stderr, status) = folder.run(&["fire", "--dialect", "goclaw", "--set", "help"], "");
    assert_eq!((stderr.as_str(), status), ("", 0));
    let row = "edition\n    which build of the platform: `command` runs on `lite` only (R50)\n    one of lite, standard; default: lite\n";
    assert!(stdout.contains(row), "{stdout}");
    let (stdout, _, status) = folder.run(&["fire", "--set", "help"], "");
    assert!(status == 0 && stdout.contains("Settings of agentao:") && stdout.contains("Settings of infer:"));
    let (_, stderr, status) = folder.run(&["fire", "--set", "mode=x"], "");
    assert!(status == 1 && stderr.starts_with("hookbox: --hooks FILE is wanted: "), "{stderr}");
}

#[test]
fn a_plug_in_runs_from_its_folder() {
    let folder = Folder::new("plugin");
    folder
        .write("fmt/.claude-plugin/plugin.json", r#"{"name": "tidy", "hooks": ["./more.json", {"PreToolUse": [{"hooks": [{"type": "command", "command": "echo third >> $CLAUDE_PLUGIN_DATA/log; cat $CLAUDE_PLUGIN_DATA/log >&2; exit 2"}]}]}]}"#)
        .write("fmt/hooks/hooks.json", r#"{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "bash ${CLAUDE_PLUGIN_ROOT}/scripts/guard.sh"}]}]}}"#)
        .write("fmt/more.json", r#"{"hooks": {"PostToolUse": [{"hooks": [{"type": "command", "command": "echo second"}]}]}}"#)
        .write("fmt/scripts/guard.sh", "echo \"$CLAUDE_PLUGIN_ROOT says $WORD\" >&2; exit ${CLAUDE_PLUGIN_OPTION_STATUS:-0}\n");
    let event = r#"{"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "ls"}}"#;
    let words = ["fire", "--plugin-root", "fmt", "--event", "-", "--explain"];
    let (stdout, stderr, status) = folder.run(&words, event);
    assert_eq!(status, 2, "{stdout}{stderr}");
    for part in [
        "plugin:tidy:PreToolUse_0_0",
        "plugin:tidy#3:PreToolUse_0_0",
        "blocked by plugin:tidy#3:PreToolUse_0_0: third\n",
    ] {
        assert!(stdout.contains(part), "{part}: {stdout}{stderr}");
    }
    let more =
        [&words[..], &["--set", "plugins.tidy.options.status=2", "--hooks", "fmt/hooks/hooks.json"]].concat();
    let (stdout, stderr, status) = folder.run(&more, event);
    assert_eq!(status, 2, "{stdout}{stderr}");
    assert!(stdout.contains("/home/agent/.claude/plugins/tidy says"), "{stdout}");
    let (stdout, _, status) = folder.run(
        &words,
        r#"{"hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_input": {}, "tool_response": {}}"#,
    );
    assert!(status == 0 && stdout.contains("plugin:tidy#2:PostToolUse_0_0"), "{stdout}");
}

#[test]
fn what_a_hook_says_that_nobody_waits_for_is_shown() {
    let folder = Folder::new("late");
    folder.write(
        "settings.json",
        r#"{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "async": true,
            "command": "jq -n '{systemMessage: \"m\", hookSpecificOutput: {hookEventName: \"PreToolUse\", additionalContext: \"c\"}}'"}]}]}}"#,
    );
    let event = r#"{"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "ls"}}"#;
    let words = ["fire", "--hooks", "settings.json", "--event", "-"];
    let (stdout, stderr, status) = folder.run(&[&words[..], &["--explain"]].concat(), event);
    let wanted = "user:PreToolUse_0_0 after the firing, on the next turn\n  context   c\n  message   m\n";
    assert!(status == 0 && stdout.contains(wanted), "{stdout}{stderr}");
    let (stdout, _, _) = folder.run(&words, event);
    let stdout: serde_json::Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(stdout["late"][0]["contexts"], serde_json::json!(["c"]));
}

#[test]
fn rows_that_are_off_or_of_others_are_explained() {
    let folder = Folder::new("absent");
    let row = |name: &str, more: &str| {
        format!(
            r#"{{"event": "pre_tool_use", "handler_type": "command", "name": "{name}", "config": {{"command": "true"}}, {more}}}"#
        )
    };
    let rows = [
        row("off", r#""scope": "tenant", "enabled": false"#),
        row("theirs", r#""scope": "tenant", "tenant_id": "t2""#),
        row("other", r#""scope": "agent", "tenant_id": "t1", "agent_ids": ["a2"]"#),
        row("mine", r#""scope": "tenant", "tenant_id": "t1""#),
    ];
    folder.write("rows.json", &format!(r#"{{"hooks": [{}]}}"#, rows.join(",")));
    let event = r#"{"hookEvent": "pre_tool_use", "tenantId": "t1", "agentId": "a1", "toolName": "exec", "toolInput": {}}"#;
    let words = ["fire", "--dialect", "goclaw", "--hooks", "rows.json", "--event", "-", "--explain"];
    let (stdout, stderr, status) = folder.run(&words, event);
    assert_eq!(status, 0, "{stdout}{stderr}");
    for wanted in [
        "off\n  not asked it is disabled\n",
        "theirs\n  not asked it is another tenant's\n",
        "other\n  not asked it is another agent's\n",
    ] {
        assert!(stdout.contains(wanted), "{wanted}: {stdout}{stderr}");
    }
    assert_eq!(stdout.matches("not asked").count(), 3, "{stdout}");
}

#[test]
fn what_a_plug_in_lacks_is_told() {
    let folder = Folder::new("plugin-faults");
    folder
        .write("none/README.md", "")
        .write("out/.claude-plugin/plugin.json", r#"{"hooks": "../secret.json"}"#)
        .write("gone/.claude-plugin/plugin.json", r#"{"hooks": "./x.json"}"#)
        .write(
            "secret.json",
            r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "exit 2"}]}]}}"#,
        );
    for (plugin, message) in [
        (
            "none",
            "hookbox: none: no hooks: neither hooks/hooks.json nor `hooks` of .claude-plugin/plugin.json is there\n",
        ),
        ("gone", "hookbox: gone/.claude-plugin/plugin.json: `hooks`: there is no x.json\n"),
        ("out", "hookbox: out/../secret.json: "),
    ] {
        let (stdout, stderr, status) =
            folder.run(&["fire", "--plugin-root", plugin, "--event", "-"], r#"{"hook_event_name": "Stop"}"#);
        assert!(stdout.is_empty() && status == 1 && stderr.starts_with(message), "{plugin}: {stderr}");
    }
    let words = ["fire", "--plugin-root", "none", "--dialect", "infer", "--event", "-"];
    let (_, stderr, status) = folder.run(&words, "");
    assert_eq!(
        (stderr.as_str(), status),
        (
            "hookbox: --plugin-root is for plug-ins of claude-code, the dialect is infer: name its config with --hooks\n",
            1
        )
    );
}

#[test]
fn stubs_are_commands_of_the_session() {
    let folder = Folder::new("stub");
    let config = r#"{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "gitleaks detect >&2 || exit 2"}]}]}}"#;
    folder.write("hooks.json", config).write("leaks.sh", "#!/bin/bash\necho \"$1: found\"; exit 1\n");
    let event = r#"{"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "ls"}}"#;
    let fire =
        |stub: &str| folder.run(&["fire", "--hooks", "hooks.json", "--event", "-", "--stub", stub], event);
    assert_eq!(fire("gitleaks").2, 0);
    let (stdout, _, status) = fire("gitleaks=leaks.sh");
    assert!(status == 2 && stdout.contains("detect: found"), "{stdout}");
    for (stub, message) in [
        ("a/b", "hookbox: --stub a/b: NAME or NAME=FILE is wanted, the name without a folder\n"),
        ("x=none.sh", "hookbox: none.sh: No such file or directory"),
    ] {
        let (_, stderr, status) = fire(stub);
        assert!(status == 1 && stderr.starts_with(message), "{stderr}");
    }
    folder.write(
        "set/cases/a.yaml",
        &format!(
            "id: A-1\ndialect: claude-code\nhooks: {config}\ncases:\n  - name: blocks\n    event: {event}\n    expect: {{ decision: blocked, reason: {{ contains: found }} }}\n"
        ),
    );
    folder.write("set/fixture.yaml", "");
    let (stdout, stderr, status) = folder.run(&["test", "set", "--stub", "gitleaks=leaks.sh"], "");
    assert!(status == 0 && stdout.starts_with("1 passed"), "{stdout}{stderr}");
}

#[test]
fn flags_of_docker_agent_add_hooks() {
    let folder = Folder::new("flags");
    folder.write(
        "agent.yaml",
        "agents:\n  root:\n    hooks:\n      session_start: [{ type: command, command: 'true' }]\n",
    );
    let event = r#"{"hook_event_name": "pre_tool_use", "tool_name": "shell", "tool_input": {"cmd": "ls"}}"#;
    let words = ["fire", "--dialect", "docker-agent", "--hooks", "agent.yaml", "--event", "-"];
    assert_eq!(folder.run(&words, event).2, 0);
    let flag = ["--hook-pre-tool-use", "echo no >&2; exit 2"];
    let (stdout, stderr, status) = folder.run(&[&words[..], &flag].concat(), event);
    assert!(status == 2 && stdout.contains("no"), "{stdout}{stderr}");
    folder.write("infer.yaml", INFER);
    let words = ["fire", "--hooks", "infer.yaml", "--event", "-", "--hook-stop", "x"];
    let (_, stderr, status) = folder.run(&words, event);
    assert_eq!(
        (stderr.as_str(), status),
        (
            "hookbox: --hook-stop is a flag of docker-agent, the dialect is infer: add the hook to the config\n",
            1
        )
    );
}

const ASKING: &str = r#"{"hooks": {"PreToolUse": [{"hooks": [
  {"type": "http", "url": "https://hooks.example.com/guard"},
  {"type": "prompt", "prompt": "Is this safe? $ARGUMENTS"},
  {"type": "mcp_tool", "server": "audit", "tool": "note", "input": {"what": "${tool_name}"}}
]}]}}"#;
const TOOL_CALL: &str =
    r#"{"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "rm -rf /"}}"#;

#[test]
fn hooks_that_ask_get_canned_answers() {
    let folder = Folder::new("answers");
    folder.write("hooks.json", ASKING).write(
        "answers.yaml",
        "- { kind: http, url: 'https://*.example.com/*', status: 200, body: {} }\n\
         - { kind: prompt, prompt: '*rm -rf*', body: { ok: false, reason: never } }\n\
         - { kind: mcp_tool, server: audit, delay_ms: 99999999 }\n",
    );
    let words = ["fire", "--hooks", "hooks.json", "--event", "-", "--answer", "answers.yaml"];
    let (stdout, stderr, status) = folder.run(&[&words[..], &["--explain"]].concat(), TOOL_CALL);
    assert_eq!((stderr.as_str(), status), ("", 2), "{stdout}");
    for part in [
        "asked http https://hooks.example.com/guard: answered by row 1\n",
        "asked mcp_tool audit/note: answered by row 3\n",
        "  ran       timed out",
        ": never\n",
    ] {
        assert!(stdout.contains(part), "{part}: {stdout}");
    }
    let (stdout, _, _) = folder.run(&[&words[..], &["--json"]].concat(), TOOL_CALL);
    assert!(stdout.contains("\"answered_by\": 2"), "{stdout}");
}

#[test]
fn what_nobody_answers_is_told_as_what_it_is() {
    let folder = Folder::new("unanswered");
    folder.write("hooks.json", ASKING).write("answers.yaml", "- { kind: prompt, body: '{\"ok\": true}' }\n");
    let words = ["fire", "--hooks", "hooks.json", "--event", "-"];
    let (stdout, stderr, status) = folder.run(&words, TOOL_CALL);
    assert_eq!(status, 0, "{stdout}{stderr}");
    for part in [
        "warning: asked http https://hooks.example.com/guard: nobody answered (--answer FILE can)\n",
        "warning: asked prompt \"Is this safe? ",
        "warning: asked mcp_tool audit/note: nobody answered (--answer FILE can)\n",
        "this host answers no http requests",
    ] {
        assert!(stderr.contains(part), "{part}: {stderr}");
    }
    let more = [&words[..], &["--answer", "answers.yaml", "--explain"]].concat();
    let (stdout, _, _) = folder.run(&more, TOOL_CALL);
    assert!(stdout.contains("no answer fits: http https://hooks.example.com/guard"), "{stdout}");
    assert!(stdout.contains("asked mcp_tool audit/note: nobody answered"), "{stdout}");
    folder.write("wrong.yaml", "- { kind: http }\n- { kind: http, tool: x }\n");
    let more = [&words[..], &["--answer", "wrong.yaml"]].concat();
    let (_, stderr, status) = folder.run(&more, TOOL_CALL);
    assert!(status == 1 && stderr.contains("`tool` does not choose among requests of this kind"), "{stderr}");
    assert!(stderr.starts_with("hookbox: wrong.yaml: "), "{stderr}");
}

#[test]
fn check_reads_standard_input_and_names_the_dialect() {
    let folder = Folder::new("check-stdin");
    let (stdout, stderr, status) = folder.run(&["check", "-"], INFER);
    assert_eq!(
        (stdout.as_str(), stderr.as_str(), status),
        ("standard input: infer: 0 errors, 0 warnings\n", "", 0)
    );
    folder.write("a.yaml", INFER).write("b.yaml", INFER);
    let (stdout, _, _) = folder.run(&["check", "a.yaml", "b.yaml"], "");
    let expected = "a.yaml: infer: 0 errors, 0 warnings\nb.yaml: infer: 0 errors, 0 warnings\n2 files: 0 errors, 0 warnings\n";
    assert_eq!(stdout, expected);
}

#[test]
fn a_refused_file_has_no_count_and_says_what_is_wrong_with_it() {
    let folder = Folder::new("check-refused");
    for (config, message) in [
        ("{\"hooks\": {\"PreToolUse\": [", "hookbox: f.json:1:26: not a hook config: EOF"),
        (
            "{\"hooks\": {\"Stop\": [{\"command\": \"x\"}]}}",
            "hookbox: f.json:1:21: as a config of claude-code, the likeliest: hooks.Stop[0].hooks: missing: a handler stands in the list `hooks` of a group",
        ),
        (
            "{\"hooks\": {\"beforeReadFile\": []}}",
            "hookbox: f.json:1:1: `beforeReadFile` is an event of Cursor: a config of no dialect\n",
        ),
        (
            "{\"x\": 1}",
            "hookbox: f.json:1:1: a config of no dialect; if it is one, name it: everruns, docker-agent,",
        ),
    ] {
        folder.write("f.json", config);
        let (stdout, stderr, status) = folder.run(&["check", "f.json"], "");
        assert_eq!((stdout.as_str(), status), ("", 2), "{config}: {stderr}");
        assert!(stderr.starts_with(message), "{config}: {stderr}");
    }
    folder.write(
        ".claude/settings.json",
        "{\"hooks\": {\"Stop\": [{\"type\": \"command\", \"command\": \"true\"}]}}",
    );
    let (stdout, _, status) = folder.run(&["check", ".claude/settings.json"], "");
    assert!(status == 1 && stdout.contains("error: hooks.Stop[0].hooks: missing"), "{stdout}");
    assert!(stdout.ends_with(".claude/settings.json: claude-code: 1 error, 2 warnings\n"), "{stdout}");
}

#[test]
fn a_file_that_claude_code_never_reads_is_told() {
    let folder = Folder::new("check-unread");
    let hooks = r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "\"${CLAUDE_PLUGIN_ROOT}/.claude/hooks/a.sh\""}]}]}}"#;
    let is_unread = |path: &str| {
        let (stdout, stderr, _) = folder.run(&["check", path], "");
        assert!(stdout.contains(": claude-code: "), "{path}: {stdout}{stderr}");
        (stdout.contains("[config-unread]"), stdout.contains("is not there"))
    };
    folder
        .write(".claude/hooks.json", hooks)
        .write(".claude/hooks/hooks.json", hooks)
        .write("hooks/hooks.json", hooks);
    assert_eq!(is_unread(".claude/hooks.json"), (true, false));
    assert_eq!(is_unread(".claude/hooks/hooks.json"), (true, false));
    assert!(!is_unread("hooks/hooks.json").0);
    // The folder of a plug-in whose manifest names the file; what that calls is looked for from there.
    folder.write(".claude-plugin/plugin.json", r#"{"name": "p", "hooks": ["./.claude/hooks/hooks.json"]}"#);
    assert_eq!(is_unread(".claude/hooks/hooks.json"), (false, true));
    assert!(is_unread(".claude/hooks.json").0);
    folder.write(".claude/hooks/a.sh", "true\n");
    assert_eq!(is_unread(".claude/hooks/hooks.json"), (false, false));
    // A list of plug-ins may name the folder itself as one, from which then all is looked for.
    let list = r#"{"name": "m", "plugins": [{"name": "p", "source": "./.claude"}]}"#;
    folder.write(".claude-plugin/plugin.json", r#"{"name": "p"}"#).write(".claude/hooks/b.sh", "");
    assert_eq!(is_unread(".claude/hooks/hooks.json"), (true, false));
    folder.write(".claude-plugin/marketplace.json", list);
    assert_eq!(is_unread(".claude/hooks/hooks.json"), (false, true));
}

#[cfg(unix)]
#[test]
fn modes_of_a_template_are_for_who_copies_it() {
    let folder = Folder::new("check-template");
    let hooks = r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": ".claude/hooks/a.sh"}]}]}}"#;
    for (top, is_told) in [("templates/php", false), ("php", true)] {
        let config = format!("{top}/.claude/settings.json");
        folder.write(&config, hooks).write(&format!("{top}/.claude/hooks/a.sh"), "true\n");
        let (stdout, _, _) = folder.run(&["check", &config], "");
        assert_eq!(stdout.contains("[script-not-executable]"), is_told, "{stdout}");
    }
}

#[test]
fn a_folder_is_told_with_the_configs_in_it() {
    let folder = Folder::new("check-folder");
    folder.write("p/.claude/settings.json", "{}").write("p/hooks/hooks.json", "{}").write("q/x", "");
    let (_, stderr, status) = folder.run(&["check", "p"], "");
    let message = "hookbox: p: a folder: name the config files; there are p/.claude/settings.json, p/hooks/hooks.json\n";
    assert_eq!((stderr.as_str(), status), (message, 2));
    let (_, stderr, status) = folder.run(&["check", "q"], "");
    assert_eq!((stderr.as_str(), status), ("hookbox: q: a folder: name the config files\n", 2));
}

#[test]
fn a_script_that_a_session_lacks_is_told_with_the_option_that_brings_it() {
    let folder = Folder::new("fire-seed");
    folder.write("g/tree/.claude/x.sh", "exit 2\n");
    let hooks =
        r#"{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "sh .claude/x.sh"}]}]}}"#;
    folder.write("g/tree/.claude/settings.json", hooks);
    folder.write(
        "e.json",
        r#"{"hook_event_name": "PreToolUse", "cwd": "/x", "tool_name": "Bash", "tool_input": {}}"#,
    );
    let fire = ["fire", "--hooks", "g/tree/.claude/settings.json", "--event", "e.json"];
    let (_, stderr, _) = folder.run(&fire, "");
    assert!(stderr.contains("--seed FOLDER copies the project in"), "{stderr}");
    let (_, stderr, status) = folder.run(&[&fire[..], &["--seed", "g/tree"]].concat(), "");
    assert!(status == 2 && !stderr.contains("--seed"), "{stderr}");
}

#[test]
fn what_is_found_often_is_told_once() {
    let folder = Folder::new("check-often");
    let hook = "  - { name: NAME, hook: pre_tool, command: nodejs a }\n";
    let config = |count: usize| {
        let hooks: String = (0..count).map(|n| hook.replace("NAME", &format!("h{n}"))).collect();
        format!("enabled: true\nhooks:\n{hooks}")
    };
    let (stdout, _, _) = folder.run(&["check", "-"], &config(3));
    assert_eq!(stdout.matches("has no `nodejs`").count(), 3, "{stdout}");
    let (stdout, _, _) = folder.run(&["check", "-"], &config(4));
    assert_eq!(stdout.matches("has no `nodejs`").count(), 1, "{stdout}");
    assert!(stdout.contains("\n  = 4 times: 3:"), "{stdout}");
    assert!(stdout.ends_with("standard input: infer: 0 errors, 4 warnings\n"), "{stdout}");
}

#[test]
fn findings_in_block_scalars_have_their_own_lines() {
    let folder = Folder::new("check-block");
    let config = "agents:\n  root:\n    hooks:\n      pre_tool_use:\n        - matcher: shell\n          hooks:\n            - type: command\n              command: |\n                input=$(cat)\n\n                cmd=$(echo \"$input\" | jq -r .tool_input.cmd)\n                  eval \"$cmd\"\n";
    let (stdout, _, status) = folder.run(&["check", "-"], config);
    assert!(status == 1 && stdout.contains("standard input:12:19: error: pre_tool_use: `eval"), "{stdout}");
}

#[test]
fn cases_outside_a_fixture_say_where_they_belong() {
    let folder = Folder::new("astray");
    let cases = format!(
        "id: A-1\ndialect: infer\nhooks_text: |\n  {}\ncases:\n  - name: x\n    event: {PRE_TOOL}\n",
        INFER.replace('\n', "\n  ").trim_end()
    );
    folder.write("sub/c.yaml", &cases);
    let (stdout, _, status) = folder.run(&["test", "sub/c.yaml"], "");
    assert!(
        status == 1
            && stdout.contains("the file lies in no fixture: a file of cases is FIXTURE/cases/NAME.yaml"),
        "{stdout}"
    );
    let (_, stderr, status) = folder.run(&["test", "sub"], "");
    assert!(status == 1 && stderr.starts_with("hookbox: no file of cases is there: "), "{stderr}");
}

#[test]
fn a_start_passes_check_and_test() {
    let folder = Folder::new("init");
    for dialect in Dialect::ALL.iter().map(|dialect| dialect.name()) {
        let (stdout, stderr, status) = folder.run(&["init", dialect, dialect], "");
        assert_eq!((stderr.as_str(), status), ("", 0), "{dialect}");
        let config = stdout.lines().next().and_then(|line| line.strip_prefix("wrote ")).unwrap().to_owned();
        assert!(config.starts_with(&format!("{dialect}/tree/")), "{stdout}");
        assert!(
            stdout.ends_with(&format!(
                "hookbox check {config}\ntry it:      hookbox test {dialect}\nlock it:     hookbox lock {dialect}\n"
            )),
            "{stdout}"
        );
        let (stdout, stderr, status) = folder.run(&["check", &config], "");
        let clean = format!("{config}: {dialect}: 0 errors, 0 warnings\n");
        assert_eq!((stdout, stderr.as_str(), status), (clean, "", 0), "{dialect}");
        let (stdout, stderr, status) = folder.run(&["test", dialect], "");
        assert!(status == 0 && stdout.contains(" passed, 0 failed in "), "{stdout}{stderr}");
        let (stdout, stderr, status) = folder.run(&["lock", dialect], "");
        assert!(status == 0 && stdout.contains(" cases passed; 3 files; "), "{stdout}{stderr}");
        assert_eq!(folder.run(&["check", &config, "--locked"], "").2, 0, "{dialect}");
    }
}

#[test]
fn a_start_is_written_over_nothing() {
    let folder = Folder::new("init-over");
    folder.write("a/cases/start.yaml", "mine").write("b/tree", "mine").write("c/README.md", "mine");
    for (name, there) in [("a", "a/cases/start.yaml"), ("b", "b/tree")] {
        let (stdout, stderr, status) = folder.run(&["init", "infer", name], "");
        let message = format!(
            "hookbox: {there}: is there already; nothing was written: name another folder, or move the file away\n"
        );
        assert_eq!((stdout.as_str(), stderr, status), ("", message, 1));
        assert!(!folder.0.join(name).join("fixture.yaml").exists());
        assert_eq!(std::fs::read_to_string(folder.0.join(there)).unwrap(), "mine");
    }
    assert_eq!(folder.run(&["init", "infer", "c"], "").2, 0);
    let (_, stderr, status) = folder.run(&["init", "nope"], "");
    assert!(status == 2 && stderr.contains("unknown dialect `nope`"), "{stderr}");
}
