//! Configs of all dialects, and the two languages inside them.

use super::session::{limits, wait};
use super::{LONGEST, parts};
use hookbox::hook::convert::convert;
use hookbox::hook::lint::{LintOptions, lint};
use hookbox::hook::{Dialect, HookSet, LoadOptions, Outcome, Purpose};
use hookbox::sandbox::Sandbox;
use hookbox::vfs::Change;
use serde_json::{Value, json};

/// A session for hooks.
pub(super) fn session() -> Sandbox {
    Sandbox::builder().limits(limits()).deterministic().build().unwrap()
}

/// What a config is loaded with.
pub(super) fn options(dialect: Dialect, purpose: Purpose) -> LoadOptions {
    let mut options = LoadOptions::default();
    options.purpose = purpose;
    options.limits = Some(limits());
    if dialect == Dialect::Infer {
        let settings = json!({"tools": {"bash": {"mode": {"all": {"allow": [".*"]}}}}});
        options.settings = settings.as_object().cloned().unwrap_or_default();
    }
    options
}

/// Fires an event in a session of its own; none when it is not one of the dialect. Tells what was changed of the files too.
pub(super) fn fire(hooks: &HookSet, event: &Value) -> Option<(Outcome, Vec<Change>)> {
    let event = hooks.read_event(event).ok()?;
    let session = session();
    let before = session.fs().snapshot();
    let outcome = wait(async {
        let outcome = hooks.fire(&session, &event).await;
        HookSet::settle(&session).await;
        outcome
    });
    for record in &outcome.records {
        let _ = hooks.log_records(record);
    }
    Some((outcome, session.diff(&before)))
}

/// Fires an event through fresh hooks twice; the outcome is the same.
fn fire_twice(dialect: Dialect, config: &[u8], event: &Value) {
    let outcome = || {
        let hooks = HookSet::load(dialect, config, &options(dialect, Purpose::Run)).ok()?;
        fire(&hooks, event).map(|(outcome, _)| settled(outcome.to_json()))
    };
    assert_eq!(outcome(), outcome(), "two firings");
}

/// An outcome without what the host's clock has a part in: a run that pauses takes an operation up again.
pub(super) fn settled(mut outcome: Value) -> Value {
    let mut pending = vec![&mut outcome];
    while let Some(value) = pending.pop() {
        match value {
            Value::Object(object) => {
                for name in ["wall_time_us", "duration_us", "duration_ms", "usage", "operations"] {
                    object.shift_remove(name);
                }
                pending.extend(object.values_mut());
            }
            Value::Array(list) => pending.extend(list),
            _ => {}
        }
    }
    outcome
}

/// A config in every dialect: loaded, checked, converted. What loads is checked without error, and what is converted from it
/// is a config of the other dialect.
pub fn config(data: &[u8]) {
    let text = data.get(..LONGEST).unwrap_or(data);
    let _ = Dialect::detect("hooks", text);
    for &dialect in Dialect::ALL {
        let load = |purpose| HookSet::load(dialect, text, &options(dialect, purpose));
        let (run, save) = (load(Purpose::Run), load(Purpose::Save));
        assert!(save.is_err() || run.is_ok(), "{dialect}: may be saved but not run: {:?}", run.err());
        let lint_options = LintOptions {
            has_command: &Sandbox::has_command,
            timeout_cap: None,
            files: None,
            load: None,
            target: None,
        };
        let findings = lint(dialect, "hooks", text, &lint_options);
        for finding in findings.iter().flatten() {
            let _ = (finding.show(), finding.to_json());
        }
        // A host that must not fail for a broken file takes it for one without hooks.
        if run.is_err() || findings.is_err() {
            continue;
        }
        for &target in Dialect::ALL {
            let converted = convert(dialect, target, "hooks", text).expect("what loads is JSON or YAML");
            let config = converted.config.to_string();
            let loaded = HookSet::load(target, config.as_bytes(), &options(target, Purpose::Run));
            assert!(loaded.is_ok(), "{dialect} to {target}: {config}: {:?}", loaded.err());
            let _ = convert(target, dialect, "hooks", config.as_bytes()).expect("it is JSON");
        }
    }
}

/// A condition and the tool's input.
pub fn cel(data: &[u8]) {
    let [condition, input] = parts(data).map(String::from_utf8_lossy);
    let config = json!([{"name": "h", "event": "pre_tool_use", "handler_type": "command", "scope": "tenant",
        "if_expr": condition, "config": {"command": "exit 2"}}]);
    let input = serde_json::from_str(&input).unwrap_or_else(|_| json!({"command": input}));
    let event = json!({"eventId": "e", "sessionId": "s", "tenantId": "t", "agentId": "a",
        "hookEvent": "pre_tool_use", "toolName": "exec", "toolInput": input, "depth": 1});
    fire_twice(Dialect::Goclaw, config.to_string().as_bytes(), &event);
}

/// A template and the tool's input, in every dialect that fills something in.
pub fn template(data: &[u8]) {
    let [template, input] = parts(data).map(String::from_utf8_lossy);
    let input = serde_json::from_str(&input).unwrap_or_else(|_| json!({"command": input}));
    let model = json!({"agents": {"root": {"hooks": {"pre_tool_use": [{"hooks": [
        {"type": "model", "model": "m", "prompt": template}, {"type": "command", "command": template}]}]}}}});
    let event = json!({"session_id": "s", "hook_event_name": "pre_tool_use", "agent_name": "root",
        "tool_name": "shell", "tool_use_id": "c", "tool_input": input});
    fire_twice(Dialect::DockerAgent, model.to_string().as_bytes(), &event);
    let prompt = json!([{"name": "h", "event": "pre_tool_use", "handler_type": "prompt", "scope": "tenant",
        "matcher": ".*", "config": {"prompt_template": template, "model": "m"}}]);
    let event = json!({"eventId": "e", "sessionId": "s", "tenantId": "t", "agentId": "a",
        "hookEvent": "pre_tool_use", "toolName": "exec", "toolInput": input});
    fire_twice(Dialect::Goclaw, prompt.to_string().as_bytes(), &event);
    let placeholders = json!({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [
        {"type": "prompt", "prompt": template}, {"type": "command", "command": template},
        {"type": "http", "url": format!("https://host.example/{template}"), "headers": {"X": template}},
        {"type": "mcp_tool", "server": "s", "tool": "t", "input": {"x": template}},
        {"type": "command", "command": "true", "if": format!("Bash({template})")}]}]}});
    let event =
        json!({"session_id": "s", "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": input});
    fire_twice(Dialect::ClaudeCode, placeholders.to_string().as_bytes(), &event);
}
