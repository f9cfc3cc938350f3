//! Every dialect with every kind of failure, over a scripted session: open where the platform is, closed where the host wants it.

mod class;

use super::*;
use crate::hook::contract::LoadOptions;
use crate::hook::dialect::list::Dialect;
use crate::hook::hook_set::HookSet;
use crate::hook::outcome::Outcome;
use crate::hook::portable;
use crate::hook::script::ScriptOutcome;
use crate::hook::scripted::Scripted;
use crate::missing::{Missing, MissingKind};
use serde_json::{Value, json};

/// A dialect with one guard before a tool, the event, and where its own result says that the call is blocked.
struct Guard {
    dialect: Dialect,
    config: Value,
    event: Value,
    blocked: fn(&Value) -> bool,
}

fn guards() -> Vec<Guard> {
    let claude = json!({"hooks": [{"type": "command", "command": "x"}]});
    vec![
        Guard {
            dialect: Dialect::Everruns,
            config: json!({"hooks": [{"event": "pre_tool_use", "executor": {"type": "bash", "command": "x"}}]}),
            event: json!({"moment": "tool_call_starting", "tool_name": "bash", "tool_call_id": "c"}),
            blocked: |result| !result["everruns"]["tool"]["blocked"].is_null(),
        },
        Guard {
            dialect: Dialect::DockerAgent,
            config: json!({"hooks": {"tool_input_transform": [claude]}}),
            event: json!({"hook_event_name": "tool_input_transform", "tool_name": "shell", "tool_input": {}}),
            blocked: |result| result["docker_agent"]["allowed"] == false,
        },
        Guard {
            dialect: Dialect::ClaudeCode,
            config: json!({"hooks": {"PreToolUse": [claude]}}),
            event: json!({"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {}}),
            blocked: |result| result["claude_code"]["permission"]["decision"] == "deny",
        },
        Guard {
            dialect: Dialect::Agentao,
            config: json!({"hooks": {"PreToolUse": [{"type": "command", "command": "x"}]}}),
            event: json!({"moment": "tool_call_starting", "tool_name": "bash", "tool_call_id": "c"}),
            blocked: |result| result["agentao"]["pre_tool_use"]["decision"] == "deny",
        },
        Guard {
            dialect: Dialect::Goclaw,
            config: json!([{"event": "pre_tool_use", "scope": "global", "handler_type": "command", "config": {"command": "x"}, "on_timeout": "allow"}]),
            event: json!({"moment": "tool_call_starting", "tool_name": "exec", "tool_call_id": "c"}),
            blocked: |result| result["goclaw"]["decision"] == "block",
        },
    ]
}

fn load(dialect: Dialect, config: &Value, fail_closed: bool) -> HookSet {
    let options = LoadOptions { fail_closed, ..LoadOptions::default() };
    HookSet::load(dialect, config.to_string().as_bytes(), &options).unwrap()
}

fn fire(hooks: &HookSet, outcome: Option<ScriptOutcome>, event: &Value) -> Outcome {
    let event = hooks.read_event(event).unwrap();
    let host = Scripted::new(outcome);
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(hooks.fire(&host, &event))
}

fn lacking(name: &str) -> ScriptOutcome {
    let missing = vec![Missing { kind: MissingKind::Command, name: name.to_owned() }];
    ScriptOutcome { missing, ..ScriptOutcome::exited(0, "", "") }
}

#[test]
fn every_dialect_whose_hooks_decide_by_what_they_print_has_a_guard() {
    for &dialect in Dialect::ALL {
        let decides = portable::facts(dialect).events.iter().any(|row| row.blocks && !row.output.is_empty());
        assert!(
            !decides || guards().iter().any(|guard| guard.dialect == dialect),
            "{dialect}: no row of `guards`"
        );
    }
}

#[test]
fn what_is_no_clear_answer_blocks_in_every_dialect() {
    let failures = [
        ("crash", ScriptOutcome::exited(1, "", "boom")),
        ("killed", ScriptOutcome::exited(137, "", "")),
        ("not found", ScriptOutcome::exited(127, "", "guard: No such file or directory")),
        ("time limit", ScriptOutcome::ended(Ended::TimedOut)),
        ("output limit", ScriptOutcome::ended(Ended::OutputExceeded)),
        ("syntax", ScriptOutcome::ended(Ended::Syntax("bash: line 1: syntax error".to_owned()))),
        ("not started", ScriptOutcome::ended(Ended::NotStarted("no shell".to_owned()))),
        ("bad JSON", ScriptOutcome::exited(0, r#"{"decision": "blo"#, "")),
        ("unread member", ScriptOutcome::exited(0, r#"{"desicion": "block"}"#, "")),
        ("hidden missing command", lacking("jq")),
    ];
    for guard in guards() {
        let hooks = load(guard.dialect, &guard.config, true);
        for (name, failure) in &failures {
            let outcome = fire(&hooks, Some(failure.clone()), &guard.event);
            let place = format!("{} {name}", guard.dialect);
            assert!(outcome.decision.blocked.is_some(), "{place}");
            let result = serde_json::to_value(&outcome.dialect_result).unwrap();
            assert!((guard.blocked)(&result), "{place}: {result}");
            assert!(matches!(outcome.records[0].effect, Effect::Blocked { .. }), "{place}");
        }
        let clear = fire(&hooks, Some(ScriptOutcome::exited(0, "", "")), &guard.event);
        assert!(clear.decision.proceeds(), "{} clear", guard.dialect);
        // The platform's own rule for a command that hid what it lacked.
        let open = load(guard.dialect, &guard.config, false);
        assert!(fire(&open, Some(lacking("jq")), &guard.event).decision.proceeds(), "{}", guard.dialect);
    }
}

#[test]
fn the_record_and_the_block_say_why() {
    let guard = guards().swap_remove(0);
    let outcome = fire(&load(guard.dialect, &guard.config, true), Some(lacking("jq")), &guard.event);
    assert_eq!(outcome.decision.blocked.unwrap().reason, "fail_closed: command not found: jq");
    assert!(outcome.records[0].explain().contains("effect    blocked: fail_closed: command not found: jq"));
}

#[test]
fn an_entry_that_was_left_out_blocks_its_event() {
    let claude = json!({"hooks": {"PreToolUse": [{"matcher": {"tool": "Bash"}, "hooks": []}],
                                  "UserPromptSubmit": [{"hooks": [{"type": "command", "command": "x"}]}]}});
    let agentao =
        json!({"hooks": {"PreToolUse": [{"type": "command"}, {"type": "command", "command": "x"}]}});
    let good = json!({"event": "user_prompt_submit", "executor": {"type": "bash", "command": "x"}});
    let everruns = json!({"hooks": [good, {"event": "pre_tool_use", "executor": {"type": "bash"}}]});
    let row = json!({"event": "user_prompt_submit", "scope": "global", "handler_type": "command", "config": {"command": "x"}});
    let goclaw = json!([row, {"event": "pre_tool_use", "scope": "global", "handler_type": "command", "matcher": "(", "config": {"command": "x"}}]);
    for guard in guards() {
        let config = match guard.dialect {
            Dialect::ClaudeCode => &claude,
            Dialect::Agentao => &agentao,
            Dialect::Everruns => &everruns,
            Dialect::Goclaw => &goclaw,
            // A config with a fault is refused as a whole.
            _ => continue,
        };
        let hooks = load(guard.dialect, config, true);
        let outcome = fire(&hooks, None, &guard.event);
        let reason = outcome.decision.blocked.unwrap().reason;
        assert!(reason.starts_with("fail_closed: a hook was left out of the config: hooks:"), "{reason}");
        let result = serde_json::to_value(&outcome.dialect_result).unwrap();
        assert!((guard.blocked)(&result), "{}: {result}", guard.dialect);
        assert!(fire(&load(guard.dialect, config, false), None, &guard.event).decision.proceeds());
    }
    // The place tells the event.
    let prompt = json!({"hook_event_name": "UserPromptSubmit", "prompt": "p"});
    assert!(fire(&load(Dialect::ClaudeCode, &claude, true), None, &prompt).decision.proceeds());
}

#[test]
fn a_hook_that_could_not_be_asked_blocks() {
    let rows = json!([{"event": "pre_tool_use", "scope": "global", "handler_type": "command", "config": {"command": "x"},
                       "if_expr": "tool_input.missing == 'x'"}]);
    let event = json!({"moment": "tool_call_starting", "tool_name": "exec", "tool_call_id": "c"});
    let outcome = fire(&load(Dialect::Goclaw, &rows, true), None, &event);
    assert!(
        outcome
            .decision
            .blocked
            .unwrap()
            .reason
            .starts_with("fail_closed: the hook did not run: `tool_input")
    );
    assert!(outcome.records[0].explain().contains("effect    blocked: fail_closed"));
    assert!(fire(&load(Dialect::Goclaw, &rows, false), None, &event).decision.proceeds());
    let claude =
        json!({"hooks": {"PreToolUse": [{"matcher": "(x", "hooks": [{"type": "command", "command": "x"}]}]}});
    let event = json!({"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {}});
    let reason =
        fire(&load(Dialect::ClaudeCode, &claude, true), None, &event).decision.blocked.unwrap().reason;
    assert!(reason.contains("matcher `(x` never matches"), "{reason}");
}

#[test]
fn other_events_of_claude_code_close_in_their_own_words() {
    let failed = || Some(ScriptOutcome::exited(1, "", "boom"));
    let result = |event: &str, more: Value| {
        let config = json!({"hooks": {event: [{"hooks": [{"type": "command", "command": "x"}]}]}});
        let mut payload = json!({"hook_event_name": event, "session_id": "s"});
        payload.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let outcome = fire(&load(Dialect::ClaudeCode, &config, true), failed(), &payload);
        let blocks = outcome.decision.blocked.is_some();
        (blocks, serde_json::to_value(&outcome.dialect_result).unwrap()["claude_code"].clone())
    };
    let (blocks, asked) = result("PermissionRequest", json!({"tool_name": "Bash", "tool_input": {}}));
    assert_eq!((blocks, &asked["specific"]["permission_request"]["behavior"]), (true, &json!("deny")));
    let (blocks, asked) = result("Elicitation", json!({"mcp_server_name": "m"}));
    assert_eq!((blocks, &asked["specific"]["action"]), (true, &json!("decline")));
    let (blocks, stop) = result("Stop", json!({}));
    assert_eq!((blocks, &stop["specific"]["keeps_going"]), (true, &json!(true)));
    assert!(result("PreCompact", json!({"trigger": "auto"})).0);
    assert!(result("ConfigChange", json!({"source": "user_settings"})).0);
    assert!(!result("ConfigChange", json!({"source": "policy_settings"})).0);
    assert!(!result("PostToolUse", json!({"tool_name": "Bash", "tool_input": {}, "tool_response": {}})).0);
}

#[test]
fn observers_stop_nothing() {
    let config = json!({"enabled": true, "hooks": [{"name": "a", "hook": "pre_tool", "command": "ls"}]});
    let hooks = load(Dialect::Infer, &config, true);
    let outcome =
        fire(&hooks, Some(ScriptOutcome::exited(1, "", "")), &json!({"hook": "pre_tool", "turn": 1}));
    assert!(outcome.decision.proceeds());
}

#[test]
fn one_hook_alone_can_close() {
    for guard in guards() {
        let open = fire(&load(guard.dialect, &guard.config, false), Some(lacking("jq")), &guard.event);
        let id = open.records.iter().find(|record| record.run.is_some()).unwrap().hook.to_string();
        let config = guard.config.to_string();
        let options = LoadOptions::default().fail_closed_hook(id);
        let closes = HookSet::load(guard.dialect, config.as_bytes(), &options).unwrap();
        assert!(
            fire(&closes, Some(lacking("jq")), &guard.event).decision.blocked.is_some(),
            "{}",
            guard.dialect
        );
        let options = LoadOptions::default().fail_closed_hook("no-such-hook");
        let error = HookSet::load(guard.dialect, config.as_bytes(), &options).unwrap_err().to_string();
        assert!(error.contains("fail_closed: the config has no hook `no-such-hook`"), "{error}");
    }
}
