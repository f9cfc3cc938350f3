//! Rules that the acceptance cases leave open, over a scripted session.

use crate::hook::contract::Purpose;
use crate::hook::dialect::list::Dialect;
use crate::hook::script::ScriptOutcome;
use crate::hook::scripted::{Scripted, fire, load_for, rows};
use serde_json::{Value, json};

/// A command hook on an event, and the event's payload.
fn on(event: &str, hook: &Value) -> (Value, Value) {
    let payload = match event {
        "Stop" | "PreCompact" => json!({"hook_event_name": event}),
        "UserPromptSubmit" => json!({"event": event, "data": {"userMessage": "hi"}}),
        _ => json!({"event": event, "data": {"toolName": "Bash", "toolInput": {}, "error": "e"}}),
    };
    let mut command = json!({"type": "command", "command": "x"});
    command.as_object_mut().unwrap().extend(hook.as_object().cloned().unwrap_or_default());
    (json!({event: command}), payload)
}

#[test]
fn rows_of_data() {
    rows::check(Dialect::Agentao, include_str!("../../../../tests/rows/agentao.jsonl"), on);
}

proptest::proptest! {
    /// Whatever a hook prints, on whatever event: a result comes of it, and lifecycle events never block.
    #[test]
    fn any_output_is_read(
        status in 0..4,
        keys in proptest::collection::vec((proptest::sample::select(vec![
            "blockingError", "preventContinuation", "stopReason", "additionalContext", "hookSpecificOutput", "decision", "reason",
            "continue", "systemMessage", "suppressOutput", "force_continue", "follow_up_message",
        ]), proptest::sample::select(vec![
            "null", "true", "false", "0", "1.5", "\"\"", "\"block\"", "\"x\"", "[]", "[\"a\",1]", "{}",
            "{\"permissionDecision\":\"deny\"}", "{\"permissionDecision\":\"ask\",\"additionalContext\":[\"c\"]}",
        ])), 0..8),
        cut in 0..2_usize,
    ) {
        let members: Vec<_> = keys.iter().map(|(key, value)| format!("{key:?}:{value}")).collect();
        let mut text = format!("{{{}}}", members.join(","));
        text.truncate(text.len() - cut);
        for event in ["UserPromptSubmit", "PreToolUse", "PostToolUseFailure", "Stop"] {
            for strict in [false, true] {
                let (config, payload) = on(event, &Value::Null);
                let hooks = load_for(Dialect::Agentao, &config, &json!({"strict_agentao": strict}), Purpose::Run).unwrap();
                let outcome = fire(&hooks, &Scripted::new([ScriptOutcome::exited(status, text.as_str(), "e")]), &payload);
                let shown = serde_json::to_value(&outcome.dialect_result).unwrap();
                assert_eq!(shown["agentao"].as_object().unwrap().values().next().unwrap()["matched_rule_count"], 1);
                assert!(outcome.decision.proceeds() || event != "PostToolUseFailure");
                assert_eq!(outcome.logs.len(), 2);
            }
        }
    }
}
