//! Every pair of dialects: a guard of the one, ported, decides on the other's payload as before.

mod conditions;
mod features;
mod refusal;

use super::*;
use crate::sandbox::{Sandbox, Script, Source as Input};
use crate::text::Text;
use serde_json::json;

/// A guard against `rm -rf` in each dialect's own way.
fn guard(dialect: Dialect) -> Value {
    let reads = |path: &str| format!("jq -r '{path}' | grep -q 'rm -rf'");
    match dialect {
        Dialect::Everruns => json!({"hooks": [{"id": "guard", "event": "pre_tool_use",
            "matcher": {"tool_name": "bash"}, "on_error": "block", "executor": {"type": "bash", "command": format!(
                "if echo \"$EVERRUNS_HOOK_PAYLOAD_JSON\" | {}; then echo '{{\"decision\":\"block\",\"reason\":\"no rm\"}}'; fi",
                reads(".data.arguments.command"))}}]}),
        Dialect::DockerAgent => {
            json!({"hooks": {"pre_tool_use": [{"matcher": "shell", "hooks": [{"name": "guard",
            "type": "command", "command": format!("if {}; then echo 'no rm' >&2; exit 2; fi", reads(".tool_input.cmd"))}]}]}})
        }
        Dialect::ClaudeCode => {
            json!({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command",
            "onFailure": "block", "command": format!(
            "if {}; then jq -n '{{hookSpecificOutput: {{hookEventName: \"PreToolUse\", permissionDecision: \"deny\", permissionDecisionReason: \"no rm\"}}}}'; fi",
            reads(".tool_input.command"))}]}]}})
        }
        Dialect::Agentao => json!({"hooks": {"PreToolUse": [{"type": "command",
            "matcher": {"tool_name": "run_shell_command"}, "command": format!(
            "{} && echo '{{\"blockingError\":\"no rm\"}}'; true", reads(".data.toolInput.command"))}]}}),
        Dialect::Goclaw => {
            json!({"hooks": [{"event": "pre_tool_use", "handler_type": "command", "scope": "global",
            "name": "guard", "matcher": "^exec$", "config": {"command": format!(
            "if {}; then echo 'no rm' >&2; exit 2; fi", reads(".toolInput.cmd"))}}]})
        }
        Dialect::Infer => {
            json!({"enabled": true, "hooks": [{"name": "log", "hook": "pre_tool", "command": "cat"}]})
        }
    }
}

/// The payload of a shell command that is about to run.
fn payload(dialect: Dialect, command: &str) -> Value {
    match dialect {
        Dialect::Everruns => {
            json!({"event": "pre_tool_use", "hook_id": "user:x", "session_id": "s", "turn_id": "t",
            "org_id": null, "agent_id": null, "ts": "2026-05-28T12:34:56.789Z",
            "data": {"tool_name": "bash", "tool_call_id": "c", "arguments": {"command": command, "timeout": 5}}})
        }
        Dialect::DockerAgent => {
            json!({"session_id": "s", "cwd": "/workspace", "hook_event_name": "pre_tool_use",
            "agent_name": "root", "tool_name": "shell", "tool_use_id": "c", "tool_input": {"cmd": command, "timeout": 5}})
        }
        Dialect::ClaudeCode => json!({"session_id": "s", "transcript_path": "/t", "cwd": "/workspace",
            "permission_mode": "default", "hook_event_name": "PreToolUse", "tool_name": "Bash",
            "tool_input": {"command": command, "timeout": 5}, "tool_use_id": "c"}),
        Dialect::Agentao => json!({"event": "PreToolUse",
            "data": {"toolName": "Bash", "toolInput": {"command": command, "timeout": 5}, "sessionId": "s"}}),
        Dialect::Goclaw => {
            json!({"eventId": "e", "sessionId": "s", "tenantId": "t", "agentId": "a", "toolName": "exec",
            "toolInput": {"cmd": command, "timeout": 5}, "rawInput": "", "depth": 0, "hookEvent": "pre_tool_use"})
        }
        Dialect::Infer => json!({"hook": "pre_tool", "session_id": "s", "turn": 1}),
    }
}

/// What a dialect makes of an answer: the reason of a block.
fn block(dialect: Dialect, output: &Ran) -> Option<String> {
    let printed: Value = serde_json::from_str(&output.stdout).unwrap_or(Value::Null);
    let text = |path: &str| printed.pointer(path).and_then(Value::as_str).map(str::to_owned);
    match dialect {
        Dialect::Everruns => text("/reason").filter(|_| printed["decision"] == "block"),
        Dialect::DockerAgent => text("/hook_specific_output/permission_decision_reason")
            .filter(|_| printed["hook_specific_output"]["permission_decision"] == "deny"),
        Dialect::ClaudeCode | Dialect::Agentao => text("/hookSpecificOutput/permissionDecisionReason")
            .filter(|_| printed["hookSpecificOutput"]["permissionDecision"] == "deny")
            .or_else(|| text("/blockingError")),
        Dialect::Goclaw => (output.status == 2).then(|| output.stderr.trim().to_owned()),
        Dialect::Infer => None,
    }
}

#[derive(Debug)]
struct Ran {
    stdout: String,
    stderr: String,
    status: u8,
}

fn run(script: &str, stdin: &str) -> Ran {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let sandbox = Sandbox::builder().build().unwrap();
    let script = Script { stdin: Input::Bytes(Text::from(stdin)), ..Script::command(script) };
    let output = runtime.block_on(sandbox.start(script));
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Ran { stdout: text(&output.stdout), stderr: text(&output.stderr), status: output.status }
}

fn port(from: Dialect, to: Dialect, config: &Value) -> Converted {
    convert(from, to, "f", config.to_string().as_bytes()).unwrap()
}

fn hooks(dialect: Dialect, config: &Value) -> Vec<PortableHook> {
    let text = config.to_string();
    (portable::facts(dialect).read)(&Source::new("f", text.as_bytes()).json("").unwrap())
}

fn pairs() -> impl Iterator<Item = (Dialect, Dialect)> {
    let all = Dialect::ALL.iter().copied();
    all.clone().flat_map(move |from| all.clone().map(move |to| (from, to))).filter(|(from, to)| from != to)
}

/// The dialect's event of a moment.
fn event_of(dialect: Dialect, moment: &str) -> Option<&'static EventRow> {
    portable::facts(dialect).events.iter().find(|row| row.moment == moment && !row.is_aside)
}

/// Whether a hook can look at the command of a call that is about to run, and block it.
fn guards_calls(dialect: Dialect) -> bool {
    let has_command = !portable::facts(dialect).shell_argument.is_empty();
    has_command && event_of(dialect, "tool_call_starting").is_some_and(|row| row.blocks)
}

#[test]
fn a_guard_decides_as_before_in_every_dialect() {
    for (from, to) in pairs().filter(|(from, to)| guards_calls(*from) && guards_calls(*to)) {
        let converted = port(from, to, &guard(from));
        assert_eq!(converted.hooks, (1, 1), "{from} {to}");
        let hooks = hooks(to, &converted.config);
        let hook = &hooks[0];
        let shell = portable::facts(to).shell_tool;
        assert_eq!(hook.tools.passes(shell), Some(true), "{from} {to}");
        assert_eq!(hook.tools.passes("other"), Some(false), "{from} {to}");
        let script = hook.script().unwrap();
        let ran = run(script, &payload(to, "rm -rf /").to_string());
        assert_eq!(block(to, &ran).as_deref(), Some("no rm"), "{from} {to}: {ran:?}\n{script}");
        let ran = run(script, &payload(to, "ls").to_string());
        assert_eq!(block(to, &ran), None, "{from} {to}: {ran:?}");
        assert_eq!((ran.stderr.as_str(), ran.status), ("", 0), "{from} {to}: {ran:?}");
    }
}

#[test]
fn there_and_back_is_the_same_hook() {
    for (from, to) in pairs() {
        let original = port(from, from, &guard(from)).config;
        let there = port(from, to, &original);
        if there.hooks.1 == 0 {
            continue;
        }
        let back = port(to, from, &there.config);
        assert_eq!(back.config, original, "{from} {to}");
        // And on to a third, as if it came from the first.
        for third in Dialect::ALL.iter().filter(|third| **third != from && **third != to) {
            assert_eq!(
                port(to, *third, &there.config).config,
                port(from, *third, &original).config,
                "{from} {to} {third}"
            );
        }
    }
}

#[test]
fn what_infer_can_not_do_is_lost_and_told() {
    let converted = port(Dialect::Everruns, Dialect::Infer, &guard(Dialect::Everruns));
    assert_eq!(converted.hooks, (1, 0));
    assert!(
        converted
            .remarks
            .iter()
            .any(|remark| remark.kind == RemarkKind::Lost && remark.text.contains("matcher"))
    );
    let config = json!({"hooks": [{"event": "session_end", "executor": {"type": "bash",
        "command": "jq -r .data.reason >&2"}}]});
    let converted = port(Dialect::Everruns, Dialect::Infer, &config);
    let hooks = hooks(Dialect::Infer, &converted.config);
    let ran = run(hooks[0].script().unwrap(), r#"{"hook":"post_session","session_id":"s","turn":2}"#);
    assert_eq!((ran.status, ran.stdout.as_str()), (0, ""));
}

#[test]
fn a_patch_is_merged_where_arguments_are_replaced() {
    let config = json!({"hooks": [{"event": "pre_tool_use", "matcher": {"tool_name": "bash"},
        "executor": {"type": "bash", "command": "echo '{\"decision\":\"mutate\",\"patch\":{\"arguments\":{\"command\":\"ls -h\"}}}'"}}]});
    for (to, pointer) in [
        (Dialect::ClaudeCode, "/hookSpecificOutput/updatedInput"),
        (Dialect::DockerAgent, "/hook_specific_output/updated_input"),
    ] {
        let converted = port(Dialect::Everruns, to, &config);
        let hooks = hooks(to, &converted.config);
        let ran = run(hooks[0].script().unwrap(), &payload(to, "ls").to_string());
        let printed: Value = serde_json::from_str(&ran.stdout).unwrap();
        let key = portable::facts(to).shell_argument[0];
        assert_eq!(printed.pointer(pointer), Some(&json!({key: "ls -h", "timeout": 5})), "{to} {ran:?}");
        assert!(
            converted
                .remarks
                .iter()
                .any(|remark| remark.kind == RemarkKind::Kept && remark.text.contains("merges"))
        );
    }
    let converted = port(Dialect::Everruns, Dialect::Goclaw, &config);
    assert!(
        converted
            .remarks
            .iter()
            .any(|remark| remark.kind == RemarkKind::Lost && remark.text.contains("arguments"))
    );
}

#[test]
fn tests_of_arguments_move_into_the_adapter() {
    let config = json!({"hooks": [{"event": "pre_tool_use", "on_error": "block",
        "matcher": {"tool_name": "bash", "args_jsonpath": "$.command", "deny_regex": "rm\\s+-rf\\b"},
        "executor": {"type": "bash", "command": "echo '{\"decision\":\"block\",\"reason\":\"no rm\"}'"}}]});
    for to in [Dialect::ClaudeCode, Dialect::DockerAgent, Dialect::Agentao, Dialect::Goclaw] {
        let converted = port(Dialect::Everruns, to, &config);
        let hooks = hooks(to, &converted.config);
        let blocked =
            |command: &str| block(to, &run(hooks[0].script().unwrap(), &payload(to, command).to_string()));
        assert_eq!(blocked("rm -rf /").as_deref(), Some("no rm"), "{to}");
        assert_eq!(blocked("ls"), None, "{to}");
    }
}

#[test]
fn failures_do_what_their_own_dialect_says() {
    // Text is an error of the hook in everruns; `on_error` decides.
    for (policy, wanted) in [("block", true), ("warn", false)] {
        let config = json!({"hooks": [{"event": "pre_tool_use", "on_error": policy,
            "executor": {"type": "bash", "command": "echo hello"}}]});
        for to in [Dialect::ClaudeCode, Dialect::DockerAgent, Dialect::Agentao, Dialect::Goclaw] {
            let converted = port(Dialect::Everruns, to, &config);
            let hooks = hooks(to, &converted.config);
            let ran = run(hooks[0].script().unwrap(), &payload(to, "ls").to_string());
            assert_eq!(block(to, &ran).is_some(), wanted, "{policy} {to} {ran:?}");
        }
    }
}

#[test]
fn one_event_becomes_two_and_two_one() {
    let config = json!({"hooks": [{"id": "audit", "event": "post_tool_use", "executor": {"type": "bash",
        "command": "jq -c '[.data.success, .data.error, .data.result]' >&2"}}]});
    let converted = port(Dialect::Everruns, Dialect::ClaudeCode, &config);
    let there = hooks(Dialect::ClaudeCode, &converted.config);
    assert_eq!(
        there.iter().map(|hook| hook.event.as_str()).collect::<Vec<_>>(),
        ["PostToolUse", "PostToolUseFailure"]
    );
    assert_eq!(port(Dialect::ClaudeCode, Dialect::Everruns, &converted.config).config, config);

    let config = json!({"hooks": {"PostToolUseFailure": [{"hooks": [{"type": "command",
        "command": "jq -r .error >&2; exit 2"}]}]}});
    let converted = port(Dialect::ClaudeCode, Dialect::Everruns, &config);
    let there = hooks(Dialect::Everruns, &converted.config);
    let mut event = payload(Dialect::Everruns, "x");
    event["event"] = json!("post_tool_use");
    event["data"]["result"] = Value::Null;
    event["data"]["error"] = Value::Null;
    event["data"]["success"] = json!(true);
    let ran = run(there[0].script().unwrap(), &event.to_string());
    assert_eq!((ran.stdout.trim(), ran.status), ("{}", 0));
    event["data"]["error"] = json!("boom");
    let ran = run(there[0].script().unwrap(), &event.to_string());
    assert!(ran.stdout.contains("boom"), "{ran:?}");
}

#[test]
fn losses_are_told() {
    let config = json!({"hooks": {
        "PreToolUse": [{"matcher": "Bash", "hooks": [
            {"type": "command", "if": "Bash(rm *)", "async": true, "command": "echo '{\"hookSpecificOutput\":{\"permissionDecision\":\"ask\"}}'"},
            {"type": "prompt", "prompt": "ok?"}]}],
        "FileChanged": [{"hooks": [{"type": "command", "command": "true"}]}]}});
    let converted = port(Dialect::ClaudeCode, Dialect::Everruns, &config);
    let lost: Vec<String> =
        converted.remarks.iter().filter(|remark| remark.kind == RemarkKind::Lost).map(Remark::show).collect();
    for text in ["`async`", "`if: Bash(rm *)`", "type `prompt`", "no event for `FileChanged`", "ask the user"]
    {
        assert!(lost.iter().any(|line| line.contains(text)), "{text}: {lost:?}");
    }
    assert_eq!(converted.hooks, (3, 1));
}

#[test]
fn quotes_in_scripts_survive() {
    let config = json!({"hooks": {"stop": [{"type": "command", "command": "echo \"it's $(jq -r .stop_response)\" '\\' \"\\\"\" >&2; exit 0"}]}});
    let converted = port(Dialect::DockerAgent, Dialect::ClaudeCode, &config);
    let there = hooks(Dialect::ClaudeCode, &converted.config);
    let ran = run(
        there[0].script().unwrap(),
        r#"{"session_id":"s","hook_event_name":"Stop","last_assistant_message":"a 'b'"}"#,
    );
    assert_eq!((ran.status, ran.stdout.as_str()), (0, ""), "{ran:?}");
    assert_eq!(port(Dialect::ClaudeCode, Dialect::DockerAgent, &converted.config).config, config);
}

#[test]
fn ported_guards_block_through_the_engine_of_their_new_dialect() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    for (from, to) in pairs() {
        let converted = port(from, to, &guard(from));
        let options = crate::hook::contract::LoadOptions {
            purpose: crate::hook::contract::Purpose::Save,
            ..Default::default()
        };
        let hooks =
            crate::hook::hook_set::HookSet::load(to, converted.config.to_string().as_bytes(), &options)
                .unwrap_or_else(|error| panic!("{from} {to}: {error}\n{:#}", converted.config));
        if !guards_calls(from) || !guards_calls(to) {
            continue;
        }
        let facts = portable::facts(to);
        for (command, blocks) in [("rm -rf /", true), ("ls", false)] {
            let event = json!({"moment": "tool_call_starting", "session_id": "s", "tool_name": facts.shell_tool,
                "tool_call_id": "c", "arguments": {facts.shell_argument[0]: command}});
            let event = hooks.read_event(&event).unwrap();
            let sandbox = Sandbox::builder().build().unwrap();
            let outcome = runtime.block_on(hooks.fire(&sandbox, &event));
            let reason = outcome.decision.blocked.as_ref().map(|block| block.reason.as_str());
            assert_eq!(reason, blocks.then_some("no rm"), "{from} {to}: {:#}", outcome.to_json());
        }
    }
}

#[test]
fn the_linter_looks_at_what_was_ported_and_not_at_the_adapter() {
    let options = crate::hook::lint::LintOptions {
        has_command: &Sandbox::has_command,
        timeout_cap: None,
        files: None,
        load: None,
        target: None,
    };
    for (from, to) in pairs() {
        let converted = port(from, to, &guard(from));
        let findings =
            crate::hook::lint::lint(to, "f", converted.config.to_string().as_bytes(), &options).unwrap();
        let rules: Vec<&str> = findings.iter().map(|finding| finding.rule.id).collect();
        let told = ["fail-open-default", "config-notice"];
        assert!(rules.iter().all(|rule| told.contains(rule)), "{from} {to}: {findings:?}");
    }
}
