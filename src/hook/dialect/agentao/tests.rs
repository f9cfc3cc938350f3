//! Rules that the acceptance cases leave open, over a scripted session.

use crate::hook::contract::Purpose;
use crate::hook::decision::Verdict;
use crate::hook::dialect::list::Dialect;
use crate::hook::dialect::result::DialectResult;
use crate::hook::hook_set::HookSet;
use crate::hook::outcome::Outcome;
use crate::hook::record::Effect;
use crate::hook::script::{Ended, ScriptOutcome};
use crate::hook::scripted::{Scripted, block_on, fire, load_for, rows};
use crate::limit::{Limit, LimitError};
use serde_json::{Value, json};

fn load_with(config: &Value, settings: &Value) -> HookSet {
    load_for(Dialect::Agentao, config, settings, Purpose::Run).unwrap()
}

fn load(config: &Value) -> HookSet {
    load_with(config, &json!({}))
}

/// A command hook on an event, and the event's payload.
fn on(event: &str) -> (Value, Value) {
    let payload = match event {
        "Stop" => json!({"hook_event_name": "Stop"}),
        "UserPromptSubmit" => json!({"event": event, "data": {"userMessage": "hi"}}),
        _ => json!({"event": event, "data": {"toolName": "Bash", "toolInput": {}, "error": "e"}}),
    };
    (json!({event: {"type": "command", "command": "x"}}), payload)
}

/// One command hook on `event` ends like this; what comes of it.
fn one(event: &str, strict: bool, outcome: ScriptOutcome) -> Outcome {
    let (config, payload) = on(event);
    let hooks = load_with(&config, &json!({"strict_agentao": strict}));
    fire(&hooks, &Scripted::new([outcome]), &payload)
}

#[test]
fn rows_of_data() {
    rows::check(Dialect::Agentao, include_str!("../../../../tests/rows/agentao.jsonl"), |event, _| on(event));
}

fn result(outcome: &Outcome) -> Value {
    let Some(DialectResult::Agentao(result)) = &outcome.dialect_result else { panic!() };
    serde_json::to_value(result).unwrap().as_object().unwrap().values().next().unwrap().clone()
}

fn exited(status: i32, stdout: &str, stderr: &str) -> ScriptOutcome {
    ScriptOutcome::exited(status, stdout, stderr)
}

#[test]
fn g1_shapes_of_a_config() {
    let rule = json!({"type": "command", "command": "x"});
    for config in [
        json!({"hooks": {"Stop": [rule]}}),
        json!({"Stop": [rule]}),
        json!({"Stop": rule}),
        json!({"hooks": {"Stop": rule}}),
    ] {
        assert_eq!(Dialect::detect("f", config.to_string().as_bytes()), Ok(Dialect::Agentao), "{config}");
        assert_eq!(load(&config).hooks().len(), 1, "{config}");
    }
    let group = json!({"hooks": {"Stop": [{"hooks": [rule]}]}});
    assert_ne!(Dialect::detect("f", group.to_string().as_bytes()), Ok(Dialect::Agentao));
    assert!(load(&json!({})).hooks().is_empty());
}

#[test]
fn timeouts() {
    let timeout = |value: Value| {
        let hooks = load(&json!({"Stop": {"type": "command", "command": "x", "timeout": value}}));
        (hooks.hooks()[0].timeout.as_secs(), hooks.notices().len())
    };
    assert_eq!(timeout(json!(null)), (60, 0));
    assert_eq!(timeout(json!(30)), (30, 0));
    assert_eq!(timeout(json!(30.0)), (30, 0));
    for (value, seconds) in [(json!(1.9), 1), (json!("5"), 5), (json!(" 1_0 "), 10), (json!(true), 1)] {
        assert_eq!(timeout(value.clone()), (seconds, 0), "{value}");
    }
    for bad in
        [json!(0), json!(-1), json!(0.5), json!("0"), json!("1.5"), json!("soon"), json!(false), json!([1])]
    {
        assert_eq!(timeout(bad.clone()), (60, 1), "{bad}");
    }
    let hooks = load(&json!({"Stop": {"type": "command", "command": "x", "timeout": false}}));
    assert!(
        hooks.notices()[0]
            .to_string()
            .ends_with("Invalid timeout value 'False' under 'Stop' — using default 60s")
    );
}

#[test]
fn g10_delivery() {
    let hooks = load_with(
        &json!({"PreToolUse": {"type": "command", "command": "x"}}),
        &json!({"flat_superset": false}),
    );
    let payload = json!({"event": "PreToolUse", "data": {"toolName": "Bash", "toolInput": {"command": "ls"}, "sessionId": "s1"}});
    let host = Scripted::default();
    let mut event = hooks.read_event(&payload).unwrap();
    std::sync::Arc::make_mut(&mut event.context).cwd = Some("/src".to_owned());
    block_on(hooks.fire(&host, &event));
    let run = &host.runs()[0];
    assert_eq!(run.stdin, payload.to_string());
    assert_eq!((run.cwd.as_str(), run.environment.len(), run.timeout.as_secs()), ("/src", 0, 60));
}

#[test]
fn a_warning_shows_500_characters_of_stderr() {
    let long = one("UserPromptSubmit", true, exited(2, "", &"é".repeat(600)));
    assert_eq!(result(&long)["messages"][0]["payload"]["stderr"].as_str().unwrap().chars().count(), 500);
}

#[test]
fn g16_failures_have_no_effect() {
    let limit = LimitError { limit: Limit::Commands, allowed: 1, line: None };
    for (end, attachments, warning) in [
        (Ended::TimedOut, 1, "Hook timed out after 60s"),
        (Ended::OutputExceeded, 1, "Hook failed: too much output"),
        (Ended::Limit(limit), 1, "Hook failed: "),
        (Ended::NotStarted("gone".to_owned()), 0, "Hook could not be started: gone"),
    ] {
        for event in ["UserPromptSubmit", "PreToolUse", "PostToolUseFailure", "Stop"] {
            let outcome = one(event, false, ScriptOutcome { status: 2, ..ScriptOutcome::ended(end.clone()) });
            assert!(outcome.decision.proceeds(), "{event} {end}");
            assert!(outcome.records[0].warnings[0].starts_with(warning), "{event} {end}");
            assert_eq!(result(&outcome)["messages"].as_array().unwrap().len(), attachments, "{event} {end}");
            let run = outcome.records[0].run.as_ref().unwrap();
            assert_eq!((run.reading.verdict, &outcome.records[0].effect), (Verdict::Error, &Effect::None));
        }
    }
}

#[test]
fn a_prompt_that_grows_too_large_has_no_effect() {
    let prompt = "{userMessage}".repeat(1000);
    let hooks = load(&json!({"UserPromptSubmit": {"type": "prompt", "prompt": prompt}}));
    let payload = json!({"event": "UserPromptSubmit", "data": {"userMessage": "x".repeat(2000)}});
    let outcome = fire(&hooks, &Scripted::default(), &payload);
    assert!(outcome.decision.contexts.is_empty() && !outcome.records[0].warnings.is_empty());
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
                let outcome = one(event, strict, exited(status, &text, "e"));
                let shown = result(&outcome);
                assert_eq!(shown["matched_rule_count"], 1);
                assert!(outcome.decision.proceeds() || event != "PostToolUseFailure");
                assert_eq!(outcome.logs.len(), 2);
            }
        }
    }
}
