//! Every schema is one, takes the contracts' examples, and refuses broken ones.

use super::*;
use crate::hook::contract::{LoadOptions, Purpose};
use crate::hook::hook_set::HookSet;
use crate::hook::portable;
use jsonschema::Validator;
use serde_json::{Value, json};
use std::path::Path;

fn validator(dialect: Dialect, kind: SchemaKind) -> Validator {
    let schema: Value = serde_json::from_str(schema(dialect, kind)).unwrap();
    assert!(jsonschema::meta::is_valid(&schema), "{dialect} {kind:?}");
    jsonschema::validator_for(&schema).unwrap()
}

fn fault(validator: &Validator, value: &Value) -> Option<String> {
    let errors: Vec<String> = validator.iter_errors(value).map(|error| error.to_string()).collect();
    (!errors.is_empty()).then(|| errors.join("; "))
}

/// The contract's worked payloads.
fn payloads(dialect: Dialect) -> Vec<Value> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/schema").join(format!("{dialect}.jsonl"));
    let text = std::fs::read_to_string(path).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn worked_payloads_are_valid_and_all_events_are_known() {
    for dialect in Dialect::ALL {
        let validator = validator(*dialect, SchemaKind::Payload);
        let payloads = payloads(*dialect);
        for payload in &payloads {
            assert_eq!(fault(&validator, payload), None, "{dialect}: {payload}");
        }
        let text = schema(*dialect, SchemaKind::Payload);
        for event in portable::facts(*dialect).events {
            assert!(text.contains(&format!("\"{}\"", event.name)), "{dialect} {}", event.name);
        }
        assert_eq!(payloads.len(), portable::facts(*dialect).events.len(), "{dialect}");
    }
}

#[test]
fn broken_payloads_are_refused() {
    for dialect in Dialect::ALL {
        let validator = validator(*dialect, SchemaKind::Payload);
        for payload in payloads(*dialect) {
            let is_event = |value: &Value| {
                value.as_str().is_some_and(|name| portable::facts(*dialect).event(name).is_some())
            };
            let mut unknown = payload.clone();
            let members = unknown.as_object_mut().unwrap().values_mut();
            members.filter(|value| is_event(value)).for_each(|value| *value = json!("no_such_event"));
            assert!(fault(&validator, &unknown).is_some(), "{dialect}: {unknown}");
            let mut typed = payload.clone();
            let mut names = typed.as_object().unwrap().keys();
            let session = names.clone().find(|name| name.starts_with("session"));
            let not_a_number = |name: &&String| !is_event(&payload[*name]) && !payload[*name].is_number();
            let other = names.clone().find(not_a_number);
            let name = names.find(|name| *name == "data").or(session).or(other).unwrap().clone();
            typed[&name] = json!(5);
            assert!(fault(&validator, &typed).is_some(), "{dialect}: {typed}");
        }
        assert!(fault(&validator, &json!([])).is_some());
    }
}

#[test]
fn outputs() {
    use Dialect::*;
    let rows: &[(Dialect, Value, bool)] = &[
        (Everruns, json!({}), true),
        (Everruns, json!({"decision": "block", "reason": "r", "user_message": "u", "other": 1}), true),
        (Everruns, json!({"decision": "mutate", "patch": {"arguments": {}}}), true),
        (Everruns, json!({"decision": "mutate"}), false),
        (Everruns, json!({"decision": "deny"}), false),
        (Everruns, json!({"reason": 5}), false),
        (Everruns, json!("text"), false),
        (
            DockerAgent,
            json!({"hook_specific_output": {"permission_decision": "deny", "updated_input": {}}}),
            true,
        ),
        (DockerAgent, json!({"hook_specific_output": {"permission_decision": "no"}}), false),
        (DockerAgent, json!({"decision": "allow"}), false),
        (DockerAgent, json!({"continue": "no"}), false),
        (
            ClaudeCode,
            json!({"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "defer"}}),
            true,
        ),
        (
            ClaudeCode,
            json!({"hookSpecificOutput": {"hookEventName": "PermissionRequest", "decision": {"behavior": "allow"}}}),
            true,
        ),
        (ClaudeCode, json!({"hookSpecificOutput": {"permissionDecision": "deny"}}), false),
        (
            ClaudeCode,
            json!({"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "block"}}),
            false,
        ),
        (ClaudeCode, json!({"decision": "deny"}), false),
        (Agentao, json!({"blockingError": "x", "additionalContext": ["a"]}), true),
        (Agentao, json!({"hookSpecificOutput": {"permissionDecision": "later"}}), false),
        (Infer, json!("anything"), true),
        (Goclaw, json!({"continue": false}), true),
        (Goclaw, json!({"continue": 0}), false),
    ];
    for (dialect, value, valid) in rows {
        let fault = fault(&validator(*dialect, SchemaKind::Output), value);
        assert_eq!(fault.is_none(), *valid, "{dialect} {value}: {fault:?}");
    }
}

#[test]
fn configs() {
    use Dialect::*;
    let spec = |more: Value| {
        let mut spec = json!({"event": "pre_tool_use", "executor": {"type": "bash", "command": "x"}});
        spec.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        json!({"hooks": [spec]})
    };
    let group =
        |event: &str, handler: Value| json!({"hooks": {event: [{"matcher": "Bash", "hooks": [handler]}]}});
    let record = |more: Value| {
        let mut record = json!({"event": "pre_tool_use", "handler_type": "command", "scope": "global", "config": {"command": "x"}});
        record.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        record
    };
    let rows: &[(Dialect, Value, bool)] = &[
        (Everruns, spec(json!({})), true),
        (Everruns, json!({}), true),
        (
            Everruns,
            json!({"capabilities": [{"ref": "other"}, {"ref": "user_hooks", "config": spec(json!({"timeout_ms": 100}))}]}),
            true,
        ),
        (
            Everruns,
            json!({"capabilities": [{"ref": "user_hooks", "config": spec(json!({"timeout_ms": 99}))}]}),
            false,
        ),
        (Everruns, spec(json!({"timeout_ms": 30001})), false),
        (Everruns, spec(json!({"event": "turn_end", "matcher": {}})), true),
        (Everruns, spec(json!({"event": "turn_end", "matcher": {"tool_name": "a"}})), false),
        (Everruns, spec(json!({"event": "pre_compact"})), false),
        (Everruns, spec(json!({"matcher": {"match_regex": "a", "deny_regex": "b"}})), false),
        (Everruns, spec(json!({"matcher": {"tool_name_glob": "bash | daytona_*"}})), true),
        (Everruns, spec(json!({"matcher": {"tool_name_glob": "b**"}})), false),
        (Everruns, spec(json!({"matcher": {"tool_name_glob": "a?"}})), false),
        (Everruns, spec(json!({"executor": {"type": "bash", "command": "  "}})), false),
        (Everruns, spec(json!({"executor": {"type": "wasm", "command": "x"}})), false),
        (Everruns, json!({"hook": []}), false),
        (
            DockerAgent,
            json!({"hooks": {"pre_tool_use": [{"matcher": "a", "hooks": [{"type": "command", "command": "x"}]}], "stop": {"type": "command", "command": "x"}}}),
            true,
        ),
        (
            DockerAgent,
            json!({"agents": {"root": {"model": "m", "hooks": {"stop": [{"type": "command", "command": "x"}]}}}}),
            true,
        ),
        (DockerAgent, json!({"hooks": {"pre_tool_use": [{"matcher": "a", "hooks": []}]}}), false),
        (DockerAgent, json!({"hooks": {"no_such": []}}), false),
        (DockerAgent, json!({"hooks": {"stop": [{"command": "x"}]}}), false),
        (DockerAgent, json!({"hooks": {"stop": [{"type": "model", "model": "m"}]}}), false),
        (DockerAgent, json!({"hooks": {"stop": [{"type": "webhook"}]}}), false),
        (
            ClaudeCode,
            group("PreToolUse", json!({"type": "command", "command": "x", "timeout": 30, "args": []})),
            true,
        ),
        (ClaudeCode, group("Stop", json!({"type": "prompt", "prompt": "x"})), true),
        (ClaudeCode, group("PreToolCall", json!({"type": "command", "command": "x"})), false),
        (ClaudeCode, group("PreToolUse", json!({"type": "command"})), false),
        (ClaudeCode, group("PreToolUse", json!({"type": "http"})), false),
        (ClaudeCode, group("PreToolUse", json!({"type": "command", "command": "x", "timeout": 0})), false),
        (ClaudeCode, json!({"hooks": {"PreToolUse": [{"type": "command", "command": "x"}]}}), false),
        (
            Agentao,
            json!({"hooks": {"PreToolUse": [{"type": "command", "command": "x", "matcher": {"tool_name": "a"}}]}}),
            true,
        ),
        (Agentao, json!({"UserPromptSubmit": {"type": "prompt", "prompt": "x"}}), true),
        (Agentao, json!({"hooks": {"Stop": [{"type": "prompt", "prompt": "x"}]}}), false),
        (
            Agentao,
            json!({"hooks": {"Stop": [{"type": "command", "command": "x", "matcher": "Bash"}]}}),
            false,
        ),
        (Agentao, json!({"hooks": {"Bogus": []}}), false),
        (
            Infer,
            json!({"enabled": true, "hooks": [{"name": "a", "hook": "pre_tool", "command": "x", "timeout": 0}]}),
            true,
        ),
        (Infer, json!({"hooks": [{"name": "a", "hook": "on_stop", "command": "x"}]}), false),
        (Infer, json!({"hooks": [{"name": " ", "hook": "pre_tool", "command": "x"}]}), false),
        (Infer, json!({"hooks": [{"name": "a", "hook": "pre_tool", "command": "x", "timeout": -1}]}), false),
        (
            Everruns,
            spec(json!({"timeout_ms": null, "foo": 1, "matcher": {"tool_name": null, "bar": 1}})),
            true,
        ),
        (Everruns, json!({"hooks": vec![spec(json!({}))["hooks"][0].clone(); 65]}), false),
        (
            ClaudeCode,
            group(
                "Stop",
                json!({"type": "command", "command": "x", "timeout": null, "async": null, "if": null}),
            ),
            true,
        ),
        (ClaudeCode, group("Stop", json!({"type": "command", "command": " "})), false),
        (ClaudeCode, group("Stop", json!({"type": "command", "command": null})), false),
        (ClaudeCode, json!({"hooks": {"// later": "x", "_Stop": []}}), true),
        (ClaudeCode, json!({"name": "p", "hooks": "./hooks.json"}), true),
        (ClaudeCode, json!({"name": "p", "hooks": ["./hooks.json", {"Stop": []}]}), true),
        (ClaudeCode, json!({"hooks": "./hooks.json"}), false),
        (DockerAgent, json!({"settings": {"hooks": {"stop": [{"type": "command", "command": "x"}]}}}), true),
        (
            DockerAgent,
            json!({"hooks": {"stop": [{"type": "command", "command": "x", "timeout": -1}]}}),
            false,
        ),
        (DockerAgent, json!({"hooks": {"stop": [{"type": "command", "command": "x", "env": null}]}}), true),
        (Agentao, json!({"Stop": {"type": "command", "command": "x", "timeout": "5"}}), true),
        (Agentao, json!({"Stop": {"type": "command", "command": "x", "timeout": -1}}), false),
        (Infer, json!({"hooks": [{"name": "a", "hook": "pre_tool", "command": "x", "timeout": null}]}), true),
        (Goclaw, record(json!({"matcher": null, "on_timeout": "", "enabled": null})), true),
        (Goclaw, record(json!({"config": {"command": " "}})), false),
        (Goclaw, record(json!({})), true),
        (Goclaw, json!([record(json!({"timeout_ms": 0}))]), true),
        (Goclaw, json!({"hooks": [record(json!({"scope": "agent", "agent_ids": ["a"]}))]}), true),
        (Goclaw, record(json!({"scope": "agent"})), false),
        (Goclaw, record(json!({"timeout_ms": 10001})), false),
        (Goclaw, record(json!({"on_timeout": "ask"})), false),
        (Goclaw, record(json!({"event": "pre_tool"})), false),
        (Goclaw, record(json!({"handler_type": "prompt", "config": {"prompt_template": "x"}})), false),
    ];
    for (dialect, value, valid) in rows {
        let fault = fault(&validator(*dialect, SchemaKind::Config), value);
        assert_eq!(fault.is_none(), *valid, "{dialect} {value}: {fault:?}");
        // The loader is of the same mind, where a schema can say as much and the dialect refuses rather than skips.
        let options = LoadOptions { purpose: Purpose::Save, ..LoadOptions::default() };
        match HookSet::load(*dialect, value.to_string().as_bytes(), &options) {
            Err(error) => assert!(!valid, "{dialect} {value}: {error}"),
            Ok(set) => assert!(*valid || !set.notices().is_empty(), "{dialect} {value}: the loader takes it"),
        }
    }
}

#[test]
fn a_schema_of_an_older_version_lacks_what_came_later() {
    let text = |version: &str, kind| super::schema_of(version.parse().unwrap(), kind).into_owned();
    let words = |version: &str, kind| -> Vec<bool> {
        let text = text(version, kind);
        ["skill_content_guard", "evaluator", "transition", "tool_guard"]
            .iter()
            .map(|word| text.contains(word))
            .collect()
    };
    assert_eq!(words("docker-agent@manual", SchemaKind::Config), [false, false, false, true]);
    assert_eq!(words("docker-agent@manual", SchemaKind::Payload), [false, false, false, true]);
    assert_eq!(words("docker-agent@manual", SchemaKind::Output), [false, false, false, true]);
    assert_eq!(words("docker-agent", SchemaKind::Config), [true, true, false, true]);
    assert_eq!(words("docker-agent", SchemaKind::Output), [true, false, true, true]);
    let old = text("claude-code@2.1.60", SchemaKind::Config);
    assert!(old.contains("WorktreeCreate") && !old.contains("StopFailure") && !old.contains("mcp_tool"));
    for version in Dialect::ALL.iter().flat_map(|dialect| dialect.versions()) {
        for kind in SchemaKind::ALL {
            let schema = serde_json::from_str(&super::schema_of(version, kind)).unwrap();
            jsonschema::validator_for(&schema).unwrap();
        }
    }
}
