//! R1 to R34 beside the cases, over a scripted session.

use crate::clock::lock;
use crate::hook::contract::{Contribution, LoadOptions};
use crate::hook::decision::Verdict;
use crate::hook::dialect::list::Dialect;
use crate::hook::dialect::result::DialectResult;
use crate::hook::error::ConfigError;
use crate::hook::hook_set::HookSet;
use crate::hook::outcome::Outcome;
use crate::hook::script::{Ended, Excess, ScriptOutcome};
use crate::hook::scripted::Scripted;
use crate::limit::{Limit, LimitError};
use serde_json::{Value, json};

const CONFIG: &str = "enabled: true\nhooks:\n- {name: a, hook: post_tool, command: ls}\n";

fn options(settings: &Value) -> LoadOptions {
    LoadOptions { settings: settings.as_object().unwrap().clone(), ..LoadOptions::default() }
}

fn load_with(text: &str, settings: &Value) -> Result<HookSet, ConfigError> {
    HookSet::load(Dialect::Infer, text.as_bytes(), &options(settings))
}

fn load(text: &str) -> HookSet {
    load_with(text, &json!({})).unwrap()
}

fn fire(hooks: &HookSet, host: &Scripted, payload: &Value) -> Outcome {
    let event = hooks.read_event(payload).unwrap();
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(hooks.fire(host, &event))
}

/// What is recorded of a hook that ends like this.
fn recorded(outcome: ScriptOutcome) -> Value {
    let outcome = fire(&load(CONFIG), &Scripted::new([outcome]), &json!({"hook": "post_tool", "turn": 4}));
    assert!(outcome.decision.proceeds());
    let Some(DialectResult::Infer(result)) = outcome.dialect_result else { panic!() };
    serde_json::to_value(&result.records[0]).unwrap()["ran"].clone()
}

#[test]
fn detected_by_its_list() {
    assert_eq!(Dialect::detect("f", CONFIG.as_bytes()), Ok(Dialect::Infer));
    let json = json!({"hooks": [{"name": "a", "hook": "pre_tool", "command": "ls"}]}).to_string();
    assert_eq!(Dialect::detect("f", json.as_bytes()), Ok(Dialect::Infer));
}

#[test]
fn r2_an_odd_variable_is_told_and_ignored() {
    let hooks = load_with(CONFIG, &json!({"environment": {"INFER_HOOKS_ENABLED": "maybe"}})).unwrap();
    assert!(
        hooks.notices()[0].to_string().contains("INFER_HOOKS_ENABLED is neither true nor false: `maybe`")
    );
    assert_eq!(fire(&hooks, &Scripted::default(), &json!({"hook": "post_tool"})).records.len(), 1);
}

#[test]
fn r3_variables_are_expanded_when_the_file_is_loaded() {
    let text = "enabled: $ON\nhooks:\n- {name: a, hook: post_tool, command: ls $DIR $HOME $$X}\n";
    let command = |settings: Value| {
        let hooks = load_with(text, &settings).unwrap();
        let host = Scripted::default();
        fire(&hooks, &host, &json!({"hook": "post_tool", "mode": "auto"}));
        host.runs()[0].source.clone()
    };
    let environment = json!({"ON": "true", "DIR": "/d"});
    assert_eq!(command(json!({"environment": environment})), "ls /d $HOME $X");
    assert_eq!(command(json!({"environment": environment, "expand_unset_to_empty": true})), "ls /d  $X");
    let faulty = "hooks:\n- {name: $LONG, hook: x$$y, command: ls}\n";
    let error = load_with(faulty, &json!({"environment": {"LONG": "a name of some length"}})).unwrap_err();
    assert!(
        error.to_string().starts_with("hooks:2:23: hooks[0] (a name of some length): unknown hook \"x$y\""),
        "{error}"
    );
}

#[test]
fn r4_unknown_keys_are_ignored_and_wrong_types_are_not() {
    assert!(
        load("version: 3\nhooks:\n- {name: a, hook: post_tool, command: ls, more: [1]}\n").notices().len()
            == 1
    );
    for (text, wanted) in [
        ("[]", "failed to parse hooks config: config: expected a mapping, found an array"),
        ("enabled: 1", "failed to parse hooks config: enabled: expected a boolean, found a number"),
        ("hooks: {}", "failed to parse hooks config: hooks: expected a list, found an object"),
        ("hooks: [1]", "failed to parse hooks config: hooks[0]: expected a mapping, found a number"),
        (
            "hooks: [{name: []}]",
            "failed to parse hooks config: hooks[0].name: expected a string, found an array",
        ),
        (
            "hooks: [{timeout: 1.5}]",
            "failed to parse hooks config: hooks[0].timeout: expected a whole number, found 1.5",
        ),
    ] {
        let error = load_with(text, &json!({})).unwrap_err().to_string();
        assert!(error.ends_with(wanted), "{error}");
    }
}

#[test]
fn settings_are_checked() {
    for (settings, wanted) in [
        (json!({"modes": 1}), "settings: unknown name `modes`"),
        (json!({"tools": {"bash": 1}}), "settings: `tools.bash` must be an object"),
        (json!({"plugins": {}}), "settings: `plugins` must be a list of objects"),
        (json!({"plugins": [{}]}), "settings: `plugins`: an entry has no `name`"),
        (
            json!({"plugins": [{"name": "p", "enabled": 1}]}),
            "settings: `plugins`: `enabled` must be true or false",
        ),
    ] {
        let error = load_with("", &settings).unwrap_err().to_string();
        assert!(error.contains(wanted), "{error}");
    }
}

#[test]
fn r7_contributions_come_before_plugins() {
    let mut options = options(
        &json!({"plugins": [{"name": "q", "hooks": {"hooks": [{"name": "b", "hook": "post_tool", "command": "ls"}]}}]}),
    );
    let hook = json!({"name": "b", "hook": "post_tool", "command": "ls"});
    options.contributions = vec![
        Contribution { origin: "p".to_owned(), hooks: vec![hook] },
        Contribution { origin: "bad".to_owned(), hooks: vec![json!({"name": "b"})] },
    ];
    let hooks = HookSet::load(Dialect::Infer, CONFIG.as_bytes(), &options).unwrap();
    let ids: Vec<_> = hooks.hooks().iter().map(|hook| hook.id.as_str()).collect();
    assert_eq!(ids, ["a", "p:b", "q:b"]);
    assert!(
        hooks.notices()[0].to_string().contains("plugin bad is left out: hooks[0] (b): command is required")
    );
}

#[test]
fn r13_delivery() {
    let hooks = load(CONFIG);
    let host = Scripted::default();
    fire(&hooks, &host, &json!({"hook": "post_tool", "session_id": "s", "turn": 1}));
    let run = &host.runs()[0];
    assert_eq!(run.stdin, r#"{"hook":"post_tool","session_id":"s","turn":1}"#);
    assert_eq!((run.environment.len(), run.timeout.as_secs()), (0, 30));
    let capture = hooks.hooks()[0].capture;
    assert_eq!((capture.merge, capture.excess, capture.total), (true, Excess::Discard, 1 << 20));
}

#[test]
fn r17_to_r20_records() {
    for (outcome, exit_code, error) in [
        (ScriptOutcome::exited(0, "x", ""), 0, ""),
        (ScriptOutcome::exited(7, "", ""), 7, "exit status 7"),
        (ScriptOutcome::ended(Ended::TimedOut), -1, "timed out after 30s"),
        (ScriptOutcome::ended(Ended::NotStarted("gone".to_owned())), -1, "gone"),
        (ScriptOutcome::ended(Ended::Syntax("oops".to_owned())), 2, "exit status 2"),
    ] {
        let ran = recorded(outcome);
        assert_eq!((ran["exit_code"].as_i64(), ran["error"].as_str()), (Some(exit_code), Some(error)));
        assert_eq!(ran["turn"], 4);
    }
    let limit = LimitError { limit: Limit::Commands, allowed: 1, line: None };
    assert_eq!(recorded(ScriptOutcome::ended(Ended::Limit(limit)))["exit_code"], -1);
    assert_eq!(recorded(ScriptOutcome::exited(0, b"a\xffb".as_slice(), ""))["output"], "a\u{fffd}b");
    let wide = recorded(ScriptOutcome::exited(0, format!("a{}", "é".repeat(3000)), ""));
    let output = wide["output"].as_str().unwrap();
    assert_eq!(output, format!("a{}\n... (truncated)", "é".repeat(2047)));
    let exact = recorded(ScriptOutcome::exited(0, "a".repeat(4096), ""));
    assert_eq!(exact["output"].as_str().unwrap().len(), 4096);
}

#[test]
fn r21_hooks_follow_one_another_whatever_happens() {
    let text = "enabled: true\nhooks:\n- {name: a, hook: post_tool, command: ls}\n- {name: b, hook: post_tool, command: rm x}\n- {name: c, hook: post_tool, command: ls}\n";
    let host = Scripted::new([ScriptOutcome::ended(Ended::TimedOut)]);
    let outcome = fire(&load(text), &host, &json!({"hook": "post_tool"}));
    let names: Vec<_> =
        lock(&host.logs).iter().map(|log| (log.name.to_string(), log.fields["name"].clone())).collect();
    assert_eq!(
        names,
        [("hook_command", json!("a")), ("hook_command_skipped", json!("b")), ("hook_command", json!("c"))]
            .map(|(name, of)| (name.to_owned(), of))
    );
    assert_eq!(outcome.records[0].run.as_ref().unwrap().reading.verdict, Verdict::Error);
}

#[test]
fn section_7_events_field_by_field() {
    let text = "enabled: true\nhooks:\n- {name: gofmt, hook: post_session, command: gofmt -w .}\n";
    let listed = json!({"tools": {"bash": {"mode": {"all": {"allow": ["gofmt -w ."]}}}}});
    let payload = json!({"hook": "post_session", "session_id": "sess-1", "turn": 2});
    let line = |settings: &Value| {
        let host = Scripted::default();
        fire(&load_with(text, settings).unwrap(), &host, &payload);
        let logs = lock(&host.logs);
        Value::Object(logs[0].fields.clone()).to_string()
    };
    assert_eq!(
        line(&listed),
        r#"{"type":"hook_command","kind":"hook_command","timestamp":"2026-05-28T12:34:56.789Z","name":"gofmt","hook":"post_session","command":"gofmt -w .","turn":2,"exit_code":0,"duration_ms":0,"output":"","error":""}"#
    );
    assert_eq!(
        line(&json!({})),
        r#"{"type":"hook_command_skipped","kind":"hook_command_skipped","timestamp":"2026-05-28T12:34:56.789Z","name":"gofmt","hook":"post_session","command":"gofmt -w .","mode":"standard","reason":"not_allowlisted","hint":""}"#
    );
}
