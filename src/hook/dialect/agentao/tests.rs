//! Rules that the acceptance cases leave open, over a scripted session.

use crate::hook::contract::LoadOptions;
use crate::hook::decision::Verdict;
use crate::hook::dialect::list::Dialect;
use crate::hook::dialect::result::DialectResult;
use crate::hook::hook_set::HookSet;
use crate::hook::outcome::Outcome;
use crate::hook::record::Effect;
use crate::hook::script::{Ended, ScriptOutcome};
use crate::hook::scripted::Scripted;
use crate::limit::{Limit, LimitError};
use serde_json::{Value, json};

fn load_with(config: &Value, settings: &Value) -> HookSet {
    let options = LoadOptions { settings: settings.as_object().unwrap().clone(), ..LoadOptions::default() };
    HookSet::load(Dialect::Agentao, config.to_string().as_bytes(), &options).unwrap()
}

fn load(config: &Value) -> HookSet {
    load_with(config, &json!({}))
}

fn fire(hooks: &HookSet, host: &Scripted, payload: &Value) -> Outcome {
    let event = hooks.read_event(payload).unwrap();
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(hooks.fire(host, &event))
}

/// One command hook on `event` ends like this; what comes of it.
fn one(event: &str, strict: bool, outcome: ScriptOutcome) -> Outcome {
    let config = json!({event: {"type": "command", "command": "x"}});
    let hooks = load_with(&config, &json!({"strict_agentao": strict}));
    let payload = match event {
        "Stop" => json!({"hook_event_name": "Stop"}),
        "UserPromptSubmit" => json!({"event": event, "data": {"userMessage": "hi"}}),
        _ => json!({"event": event, "data": {"toolName": "Bash", "toolInput": {}, "error": "e"}}),
    };
    fire(&hooks, &Scripted::new([outcome]), &payload)
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
fn settings_are_checked() {
    for (settings, wanted) in [
        (json!({"flat": true}), "unknown name `flat`"),
        (json!({"flat_superset": 1}), "`flat_superset` must be true or false"),
        (json!({"stop_reentry_cap": -1}), "`stop_reentry_cap` must be a whole number"),
    ] {
        let options =
            LoadOptions { settings: settings.as_object().unwrap().clone(), ..LoadOptions::default() };
        let error = HookSet::load(Dialect::Agentao, b"{}", &options).unwrap_err().to_string();
        assert!(error.contains(wanted), "{error}");
    }
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
fn unknown_fields_and_empty_commands_are_told() {
    let hooks = load(
        &json!({"Stop": [{"type": "command", "command": " "}, {"type": "command", "command": "x", "if": "y"}]}),
    );
    assert_eq!(hooks.hooks().len(), 1);
    assert_eq!(hooks.notices().len(), 2);
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
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(hooks.fire(&host, &event));
    let run = &host.runs()[0];
    assert_eq!(run.stdin, payload.to_string());
    assert_eq!((run.cwd.as_str(), run.environment.len(), run.timeout.as_secs()), ("/src", 0, 60));
}

#[test]
fn g12_claudes_output_shape_and_the_strict_way() {
    let cases = [
        (exited(0, r#"{"decision":"block","reason":"r"}"#, ""), json!("r"), json!(false), json!([])),
        (exited(0, r#"{"continue":false}"#, ""), json!(null), json!(true), json!([])),
        (
            exited(0, r#"{"hookSpecificOutput":{"additionalContext":"c"}}"#, ""),
            json!(null),
            json!(false),
            json!(["c"]),
        ),
        (exited(2, "", "no\n"), json!("no"), json!(false), json!([])),
        (exited(2, "text", ""), json!("UserPromptSubmit hook blocked via exit 2"), json!(false), json!([])),
    ];
    for (outcome, error, refused, contexts) in cases {
        let shown = result(&one("UserPromptSubmit", false, outcome.clone()));
        assert_eq!(
            (&shown["blocking_error"], &shown["prevent_continuation"], &shown["additional_contexts"]),
            (&error, &refused, &contexts)
        );
        let strict = one("UserPromptSubmit", true, outcome);
        assert!(strict.decision.proceeds());
    }
}

#[test]
fn prompt_rows() {
    for (stdout, error, refused, reason, contexts) in [
        (r#"{"blockingError":5}"#, json!("5"), false, json!(null), json!([])),
        (
            r#"{"blockingError":null,"preventContinuation":"yes"}"#,
            json!("None"),
            false,
            json!(null),
            json!([]),
        ),
        (
            r#"{"preventContinuation":"yes"}"#,
            json!(null),
            true,
            json!("Hook prevented continuation"),
            json!([]),
        ),
        (
            r#"{"preventContinuation":0,"additionalContext":["a","",1]}"#,
            json!(null),
            false,
            json!(null),
            json!(["a", "1"]),
        ),
        ("5", json!(null), false, json!(null), json!(["5"])),
        (r#"{"x":1}"#, json!(null), false, json!(null), json!([])),
        (" \n", json!(null), false, json!(null), json!([])),
    ] {
        let shown = result(&one("UserPromptSubmit", false, exited(1, stdout, "")));
        assert_eq!(shown["blocking_error"], error, "{stdout}");
        assert_eq!(shown["prevent_continuation"], refused, "{stdout}");
        assert_eq!(shown["stop_reason"], reason, "{stdout}");
        assert_eq!(shown["additional_contexts"], contexts, "{stdout}");
    }
    let long = one("UserPromptSubmit", true, exited(2, "", &"é".repeat(600)));
    assert_eq!(result(&long)["messages"][0]["payload"]["stderr"].as_str().unwrap().chars().count(), 500);
}

#[test]
fn g14_exit_2_denies_a_call_unless_strict() {
    let outcome = one("PreToolUse", false, exited(2, "", "bad"));
    let block = outcome.decision.blocked.clone().unwrap();
    assert_eq!(
        (block.reason.as_str(), block.user_message.as_deref()),
        ("bad", Some("[Blocked by hook] bad"))
    );
    let strict = one("PreToolUse", true, exited(2, "", "bad"));
    assert!(strict.decision.proceeds());
    assert_eq!(strict.records[0].warnings, ["Hook exited with code 2"]);
    let parsed =
        one("PreToolUse", true, exited(2, r#"{"hookSpecificOutput":{"permissionDecision":"deny"}}"#, "bad"));
    assert_eq!(result(&parsed)["decision"], "deny");
}

#[test]
fn a_calls_context_is_recorded_not_injected() {
    for stdout in ["hello", r#"{"additionalContext":"hello"}"#] {
        let outcome = one("PreToolUse", false, exited(0, stdout, ""));
        assert_eq!(result(&outcome)["additional_contexts"], json!(["hello"]));
        assert!(outcome.decision.contexts.is_empty() && outcome.decision.proceeds());
    }
    let allow =
        one("PreToolUse", false, exited(0, r#"{"hookSpecificOutput":{"permissionDecision":"allow"}}"#, ""));
    assert_eq!(result(&allow)["decision"], json!(null));
    assert_eq!(allow.decision.permission, None);
}

#[test]
fn stop_steps() {
    for (status, stdout, force, follow_up, stop_reason, error) in [
        (0, r#"{"decision":"block","reason":"r"}"#, true, json!("r"), json!("r"), json!(null)),
        (
            0,
            r#"{"decision":"block","reason":"r","stopReason":"s"}"#,
            true,
            json!("r"),
            json!("s"),
            json!(null),
        ),
        (
            0,
            r#"{"decision":"block","reason":"r","continue":false}"#,
            false,
            json!(null),
            json!("r"),
            json!(null),
        ),
        (
            0,
            r#"{"blockingError":"e","preventContinuation":true}"#,
            false,
            json!(null),
            json!(null),
            json!("e"),
        ),
        (0, r#"{"decision":"block","reason":5}"#, false, json!(null), json!(null), json!(null)),
        (
            0,
            r#"{"preventContinuation":true}"#,
            true,
            json!("Stop hook requested continuation"),
            json!("Hook prevented continuation"),
            json!(null),
        ),
        (0, r#"{"preventContinuation":true,"stopReason":"s"}"#, true, json!("s"), json!("s"), json!(null)),
        (0, r#"{"preventContinuation":true,"continue":false}"#, false, json!(null), json!(null), json!(null)),
        (0, r#"{"preventContinuation":1}"#, false, json!(null), json!(null), json!(null)),
        (0, r#"{"blockingError":"e","continue":false}"#, false, json!(null), json!(null), json!("e")),
        (0, r#"{"force_continue":true}"#, false, json!(null), json!(null), json!(null)),
        (
            0,
            r#"{"force_continue":true,"follow_up_message":"f","continue":false}"#,
            false,
            json!(null),
            json!(null),
            json!(null),
        ),
        (1, r#"{"decision":"block","reason":"r"}"#, true, json!("r"), json!("r"), json!(null)),
        (1, "", false, json!(null), json!(null), json!(null)),
    ] {
        let shown = result(&one("Stop", false, exited(status, stdout, "")));
        assert_eq!(shown["force_continue"], force, "{stdout}");
        assert_eq!(shown["follow_up_message"], follow_up, "{stdout}");
        assert_eq!(shown["stop_reason"], stop_reason, "{stdout}");
        assert_eq!(shown["blocking_error"], error, "{stdout}");
    }
    let blocked = one("Stop", false, exited(0, r#"{"blockingError":"e"}"#, ""));
    assert_eq!(result(&blocked)["outcome"], "block");
    let contexts =
        r#"{"systemMessage":"a","hookSpecificOutput":{"additionalContext":"b"},"additionalContext":["c"]}"#;
    assert_eq!(
        result(&one("Stop", false, exited(0, contexts, "")))["additional_contexts"],
        json!(["a", "b", "c"])
    );
    assert_eq!(result(&one("Stop", false, exited(0, "plain", "")))["additional_contexts"], json!(["plain"]));
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
fn a_script_that_is_none_is_exit_2_of_the_shell() {
    let fault = || ScriptOutcome::ended(Ended::Syntax("sh: line 1: oops".to_owned()));
    for (event, strict, blocks) in [
        ("UserPromptSubmit", false, true),
        ("PreToolUse", false, true),
        ("Stop", false, true),
        ("Stop", true, true),
        ("UserPromptSubmit", true, false),
        ("PreToolUse", true, false),
        ("PostToolUse", false, false),
    ] {
        let outcome = one(event, strict, fault());
        let reason = outcome.decision.blocked.as_ref().map(|block| block.reason.as_str());
        assert_eq!(reason, blocks.then_some("sh: line 1: oops"), "{event} {strict}");
    }
    let warned = one("PreToolUse", true, fault());
    assert_eq!(warned.records[0].warnings, ["Hook exited with code 2"]);
    let recorded = result(&one("PostToolUse", false, fault()));
    assert_eq!(recorded["messages"][0]["payload"]["returncode"], 2);
}

#[test]
fn g20_a_denied_call_runs_no_hooks() {
    let hooks = load(&json!({"PreToolUse": {"type": "command", "command": "x"}}));
    let event = json!({"moment": "tool_call_starting", "session_id": "s", "tool_name": "Bash", "tool_call_id": "c",
                       "facts": {"permission_decision": "deny"}});
    let outcome = fire(&hooks, &Scripted::default(), &event);
    assert!(outcome.records[0].run.is_none() && outcome.logs.is_empty());
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
