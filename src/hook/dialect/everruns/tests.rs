#![expect(clippy::needless_pass_by_value, reason = "calls read better with json! as a value")]
//! Rules R1 to R58 over a scripted session: the config and what the script printed are given, the chain is the real one.

use super::result::{EverrunsResult, PostTool, PromptGate, ToolGate};
use crate::clock::lock;
use crate::hook::contract::{Contribution, LoadOptions, Purpose};
use crate::hook::decision::Verdict;
use crate::hook::dialect::list::Dialect;
use crate::hook::dialect::result::DialectResult;
use crate::hook::error::ConfigError;
use crate::hook::hook_set::HookSet;
use crate::hook::notice::NoticeKind;
use crate::hook::outcome::Outcome;
use crate::hook::record::Selection;
use crate::hook::script::{Ended, ScriptOutcome};
use crate::hook::scripted::{Scripted, block_on, fire, rows};
use serde_json::{Value, json};

fn load_with(config: &Value, options: &LoadOptions) -> Result<HookSet, ConfigError> {
    HookSet::load(Dialect::Everruns, config.to_string().as_bytes(), options)
}

fn load(config: &Value) -> HookSet {
    load_with(config, &LoadOptions::default()).unwrap()
}

fn hook(id: &str, event: &str, on_error: &str) -> Value {
    json!({"id": id, "event": event, "executor": {"type": "bash", "command": id}, "on_error": on_error})
}

fn bundle(hooks: impl IntoIterator<Item = Value>) -> HookSet {
    load(&json!({"hooks": hooks.into_iter().collect::<Vec<_>>()}))
}

fn call(arguments: Value) -> Value {
    json!({"event": "pre_tool_use", "session_id": "ses_01", "turn_id": "trn_07", "org_id": "org_01", "agent_id": "agt_01",
           "data": {"tool_name": "bash", "tool_call_id": "call_01", "arguments": arguments}})
}

fn result_of(outcome: &Outcome) -> EverrunsResult {
    let Some(DialectResult::Everruns(result)) = outcome.dialect_result.clone() else { panic!() };
    result
}

fn gate(outcome: &Outcome) -> ToolGate {
    let EverrunsResult::Tool(gate) = result_of(outcome) else { panic!() };
    gate
}

fn post(outcome: &Outcome) -> PostTool {
    let EverrunsResult::Post(post) = result_of(outcome) else { panic!() };
    post
}

fn block_reason(outcome: &Outcome) -> Option<&str> {
    outcome.decision.blocked.as_ref().map(|block| block.reason.as_str())
}

/// One hook on an event, and the event's payload.
fn on(event: &str, members: &Value) -> (Value, Value) {
    let mut hook = hook("h", event, "warn");
    hook.as_object_mut().unwrap().extend(members.as_object().cloned().unwrap_or_default());
    let data = json!({"tool_name": "bash", "arguments": {}, "message": "m"});
    (json!({"hooks": [hook]}), json!({"event": event, "data": data}))
}

#[test]
fn rows_of_data() {
    rows::check(Dialect::Everruns, include_str!("../../../../tests/rows/everruns.jsonl"), on);
}

/// R10: at run time the others run.
#[test]
fn a_faulty_hook_is_dropped() {
    let mut faulty = hook("a", "pre_tool_use", "warn");
    faulty["timeout_ms"] = json!(1);
    let good = hook("good", "pre_tool_use", "warn");
    let hooks = load(&json!({"hooks": [good, faulty, good]}));
    assert_eq!(hooks.hooks().len(), 2);
    let dropped: Vec<_> =
        hooks.notices().iter().filter(|notice| notice.kind == NoticeKind::Dropped).collect();
    assert_eq!(dropped.len(), 1);
    assert!(dropped[0].to_string().contains("hooks[1]: hook timeout_ms 1"), "{}", dropped[0]);
    assert_eq!(dropped[0].log.as_ref().unwrap().name, "hook.warning");
}

const LIFECYCLE: [(&str, &str); 3] = [
    ("session_start", "{}"),
    ("turn_end", "{\"success\":true}"),
    ("session_end", "{\"reason\":\"archived\"}"),
];

#[test]
fn r2_unknown_top_level_keys() {
    let config = json!({"hooks": [], "hoks": []});
    let save = LoadOptions { purpose: Purpose::Save, name: "hooks.json".into(), ..LoadOptions::default() };
    assert_eq!(
        load_with(&config, &save).unwrap_err().to_string(),
        "hooks.json:1:13: user_hooks config parse failed: unknown field `hoks`, expected `hooks` or \
         `disabled_contributions`"
    );
    let hooks = load(&config);
    assert_eq!(hooks.notices().len(), 1);
    assert!(hooks.notices()[0].to_string().contains("unknown field `hoks`"));
}

#[test]
fn three_shapes_and_the_declarative_bundle() {
    let one = hook("a", "turn_end", "warn");
    let document = json!({"name": "x", "capabilities": [{"ref": "virtual_bash"},
                           {"ref": "user_hooks", "config": {"hooks": [one], "disabled_contributions": []}}]});
    for config in [document, json!({"hooks": [one], "disabled_contributions": []}), json!({"hooks": [one]})] {
        assert_eq!(Dialect::detect("f", config.to_string().as_bytes()), Ok(Dialect::Everruns));
        assert_eq!(load(&config).hooks()[0].id.as_str(), "user:a");
    }
    let declared = json!({"definition": {"name": "pack", "user_hooks": [one]}});
    assert_eq!(load(&declared).hooks()[0].id.as_str(), "pack:a");
    let off = LoadOptions { declarative_bundles: false, ..LoadOptions::default() };
    let ignored = load_with(&declared, &off).unwrap();
    assert!(ignored.hooks().is_empty());
    assert!(ignored.notices()[0].to_string().ends_with("definition.user_hooks is ignored"));
    let undecided = Dialect::detect("f.json", b"{}").unwrap_err().to_string();
    let all = "f.json:1:1: the config has no hooks: nothing shows its dialect; name one of: everruns, ";
    assert!(undecided.starts_with(all), "{undecided}");
}

#[test]
fn every_faulty_hook_is_told_once_with_its_place() {
    let text = "{\"hooks\": [\n  {\"event\": \"turn_end\", \"timeout_ms\": 1,\n   \"executor\": {\"type\": \"bash\", \"command\": \"\"}},\n  {\"event\": \"x\"}\n]}";
    let save = LoadOptions { purpose: Purpose::Save, name: "h.json".into(), ..LoadOptions::default() };
    let error = HookSet::load(Dialect::Everruns, text.as_bytes(), &save).unwrap_err();
    let lines: Vec<_> = error.problems.iter().map(ToString::to_string).collect();
    assert_eq!(lines[0], "h.json:2:39: user_hooks.hooks[0]: hook timeout_ms 1 is out of range (100..=30000)");
    assert!(
        lines[1]
            .starts_with("h.json:4:13: user_hooks config parse failed: hooks[1].event: unknown event `x`")
    );
    assert_eq!(
        error.problems[0].show().lines().nth(1),
        Some("  |   {\"event\": \"turn_end\", \"timeout_ms\": 1,")
    );
    let broken = HookSet::load(Dialect::Everruns, b"{\"hooks\": [}", &save).unwrap_err();
    assert_eq!(broken.to_string(), "h.json:1:12: user_hooks config parse failed: expected value");
}

#[test]
fn r12_to_r15_ids_origins_order_and_muting() {
    let shipped = vec![hook("fmt_after_edit", "pre_tool_use", "warn"), {
        let mut unnamed = hook("x", "pre_tool_use", "warn");
        unnamed["id"] = json!(null);
        unnamed["source"] = json!("user_config");
        unnamed
    }];
    let base = vec![hook("first", "pre_tool_use", "warn")];
    let options = LoadOptions {
        contributions: vec![
            Contribution { origin: "rust_quality_pack".into(), hooks: shipped },
            Contribution { origin: "base".into(), hooks: base },
        ],
        ..LoadOptions::default()
    };
    let own = json!({"hooks": [hook("mine", "pre_tool_use", "warn"), hook("mine", "pre_tool_use", "warn")],
        "disabled_contributions": ["rust_quality_pack:fmt_after_edit", "rust_quality_pack:*", "nobody:x"]});
    let ids = |hooks: &HookSet| hooks.hooks().iter().map(|hook| hook.id.to_string()).collect::<Vec<_>>();
    let config =
        json!({"capabilities": [{"ref": "user_hooks", "config": own}, {"ref": "rust_quality_pack"}]});
    let hooks = load_with(&config, &options).unwrap();
    assert_eq!(ids(&hooks), ["base:first", "user:mine", "user:mine", "rust_quality_pack:pre_tool_use_1"]);
    let kinds: Vec<_> = hooks.notices().iter().map(|notice| notice.kind).collect();
    assert_eq!(kinds, [NoticeKind::Warning, NoticeKind::Muted]);
    let muted = hooks.notices()[1].log.clone().unwrap();
    assert_eq!(
        muted.to_json(),
        json!({"record": "hook.muted", "hook_id": "rust_quality_pack:fmt_after_edit"})
    );
    let hooks = load_with(&own, &options).unwrap();
    assert_eq!(ids(&hooks), ["rust_quality_pack:pre_tool_use_1", "base:first", "user:mine", "user:mine"]);
    let both = json!({"hooks": [hook("m", "turn_end", "warn"), hook("m", "turn_end", "warn")],
        "disabled_contributions": ["user:m"]});
    assert!(load(&both).hooks().is_empty());
}

#[test]
fn r50_the_gate() {
    let options = LoadOptions { may_assign_high_risk: false, ..LoadOptions::default() };
    let config = json!({"hooks": [hook("a", "turn_end", "warn")]});
    let error = load_with(&config, &options).unwrap_err().to_string();
    assert!(error.ends_with("is of risk High and may be assigned by administrators only"), "{error}");
    // R51: what another capability ships rides on that capability's own gate.
    let shipped = LoadOptions {
        contributions: vec![Contribution {
            origin: "pack".into(),
            hooks: vec![hook("a", "turn_end", "warn")],
        }],
        ..options
    };
    assert_eq!(load_with(&json!({"capabilities": [{"ref": "pack"}]}), &shipped).unwrap().hooks().len(), 1);
}

#[test]
fn r17_payloads_are_the_contracts_byte_for_byte() {
    let payloads = [
        r#"{"event":"session_start","hook_id":"user:init","session_id":"ses_01","turn_id":null,"org_id":"org_01","agent_id":"agt_01","ts":"2026-05-28T12:34:56.789Z","data":{"agent_id":"agt_01"}}"#,
        r#"{"event":"user_prompt_submit","hook_id":"user:block_secrets_in_prompt","session_id":"ses_01","turn_id":"trn_07","org_id":"org_01","agent_id":"agt_01","ts":"2026-05-28T12:34:56.789Z","data":{"message":"please review this key","attachments":[]}}"#,
        r#"{"event":"pre_tool_use","hook_id":"user:guard_rm","session_id":"ses_01","turn_id":"trn_07","org_id":"org_01","agent_id":"agt_01","ts":"2026-05-28T12:34:56.789Z","data":{"tool_name":"bash","tool_call_id":"call_01","arguments":{"command":"ls -la"}}}"#,
        r#"{"event":"post_tool_use","hook_id":"user:audit_tool_calls","session_id":"ses_01","turn_id":"trn_07","org_id":"org_01","agent_id":"agt_01","ts":"2026-05-28T12:34:57.001Z","data":{"tool_name":"bash","tool_call_id":"call_01","arguments":{"command":"ls -la"},"result":{"stdout":"a\n","exit_code":0},"error":null,"success":true}}"#,
        r#"{"event":"turn_end","hook_id":"user:log_turn_end","session_id":"ses_01","turn_id":"trn_07","org_id":"org_01","agent_id":"agt_01","ts":"2026-05-28T12:35:10.000Z","data":{"success":true,"tool_calls":[]}}"#,
        r#"{"event":"session_end","hook_id":"user:bye","session_id":"ses_01","turn_id":null,"org_id":"org_01","agent_id":"agt_01","ts":"2026-05-28T13:00:00.000Z","data":{"reason":"archived"}}"#,
    ];
    for text in payloads {
        let payload: Value = serde_json::from_str(text).unwrap();
        let id = payload["hook_id"].as_str().unwrap().strip_prefix("user:").unwrap();
        let hooks = bundle([hook(id, payload["event"].as_str().unwrap(), "warn")]);
        let host = Scripted::default();
        fire(&hooks, &host, &payload);
        let run = host.runs().remove(0);
        assert_eq!(run.variable("EVERRUNS_HOOK_PAYLOAD_JSON"), Some(text));
        assert_eq!(run.stdin, text); // R25
        let path = run.variable("EVERRUNS_HOOK_PAYLOAD_PATH").unwrap();
        assert_eq!(run.files[path], text); // R22, R23
        assert!(lock(&host.files).is_empty());
    }
}

#[test]
fn the_clock_stamps_an_event_without_a_time() {
    let hooks = bundle([hook("a", "turn_end", "warn")]);
    let host = Scripted::default();
    fire(&hooks, &host, &json!({"event": "turn_end", "data": {"success": false, "more": [1]}}));
    let run = host.runs().remove(0);
    assert_eq!(
        run.stdin,
        r#"{"event":"turn_end","hook_id":"user:a","session_id":"","turn_id":null,"org_id":null,"agent_id":null,"ts":"2026-05-28T12:34:56.789Z","data":{"success":false,"tool_calls":[],"more":[1]}}"#
    );
}

#[test]
fn r18_to_r22_delivery() {
    let mut spec = hook("a/ü b", "pre_tool_use", "warn");
    spec["executor"]["env"] = json!({"EVERRUNS_HOOK_EVENT": "zzz", "WORKSPACE": "/tmp", "K": "V"});
    let hooks = bundle([spec, hook("second", "turn_end", "warn")]);
    let host = Scripted::default();
    fire(&hooks, &host, &call(json!({})));
    fire(&hooks, &host, &json!({"event": "turn_end", "session_id": "ses_01"}));
    let runs = host.runs();
    let run = &runs[0];
    assert_eq!(
        (run.source.as_str(), run.cwd.as_str(), run.timeout.as_millis()),
        ("a/ü b", "/workspace", 5000)
    );
    let path = "/workspace/.hooks/user_a___b-019e6e94-a895-7def-9abc-456789abcdef.json";
    let names = run.environment.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>();
    assert_eq!(names.len(), names.iter().collect::<std::collections::BTreeSet<_>>().len());
    for (name, value) in [
        ("HOME", "/home/agent"),
        ("SHELL", "/bin/bash"),
        ("PATH", "/usr/local/bin:/usr/bin:/bin"),
        ("WORKSPACE", "/tmp"),
        ("EVERRUNS_HOOK_PAYLOAD_PATH", path),
        ("EVERRUNS_HOOK_EVENT", "zzz"),
        ("EVERRUNS_HOOK_ID", "user:a/ü b"),
        ("EVERRUNS_HOOK_SESSION_ID", "ses_01"),
        ("EVERRUNS_HOOK_TURN_ID", "trn_07"),
        ("EVERRUNS_HOOK_TOOL_NAME", "bash"),
        ("EVERRUNS_HOOK_TOOL_CALL_ID", "call_01"),
        ("K", "V"),
    ] {
        assert_eq!(run.variable(name), Some(value), "{name}");
    }
    for unset in ["TURN_ID", "TOOL_NAME", "TOOL_CALL_ID"] {
        assert_eq!(runs[1].variable(&format!("EVERRUNS_HOOK_{unset}")), None);
    }
    let branded = LoadOptions { variable_prefix: Some("ACME".into()), ..LoadOptions::default() };
    let hooks = load_with(&json!({"hooks": [hook("a", "turn_end", "warn")]}), &branded).unwrap();
    let host = Scripted::default();
    fire(&hooks, &host, &json!({"event": "turn_end"}));
    assert_eq!(host.runs()[0].variable("ACME_HOOK_ID"), Some("user:a"));
}

#[test]
fn r23_r24_the_payload_file_goes_in_every_case() {
    let hooks = bundle([hook("a", "pre_tool_use", "warn")]);
    for end in [Ended::TimedOut, Ended::OutputExceeded, Ended::Syntax("x".into())] {
        let host = Scripted::new([ScriptOutcome::ended(end)]);
        fire(&hooks, &host, &call(json!({})));
        assert!(lock(&host.files).is_empty());
    }
    let host = Scripted { never_ends: true, ..Scripted::default() };
    let event = hooks.read_event(&call(json!({}))).unwrap();
    block_on(async {
        let mut firing = Box::pin(hooks.fire(&host, &event));
        let mut context = std::task::Context::from_waker(std::task::Waker::noop());
        assert!(firing.as_mut().poll(&mut context).is_pending());
        assert_eq!(lock(&host.files).len(), 1);
        drop(firing);
    });
    assert!(lock(&host.files).is_empty());
    let host = Scripted { write_fails: true, ..Scripted::default() };
    fire(&hooks, &host, &call(json!({})));
    assert_eq!(host.runs().len(), 1);
    assert!(host.runs()[0].variable("EVERRUNS_HOOK_PAYLOAD_PATH").is_some());
    assert_eq!(host.log_lines(), ["hook.invoked user:a", "hook.completed user:a", "hook.warning user:a"]);
    let host = Scripted { remove_fails: true, ..Scripted::default() };
    let outcome = fire(&hooks, &host, &call(json!({})));
    assert!(outcome.records[0].warnings[0].contains("could not be removed: Device or resource busy"));
}

#[test]
fn executor_errors_follow_on_error() {
    let prompt = json!({"event": "user_prompt_submit", "data": {"message": "m"}});
    for payload in [call(json!({})), prompt] {
        let event = payload["event"].as_str().unwrap();
        for bad in [
            "hello",
            "[1]",
            "{\"decision\":\"explode\"}",
            "{\"decision\":\"mutate\"}",
            "{} trailing",
            "{\"reason\":5}",
        ] {
            let run = |on_error: &str| {
                let host = Scripted::printing([bad]);
                let outcome = fire(&bundle([hook("x", event, on_error)]), &host, &payload);
                let warnings =
                    host.log_lines().iter().filter(|line| line.starts_with("hook.warning")).count();
                assert_eq!(lock(&host.logs)[1].fields["decision"], "error");
                (outcome, warnings)
            };
            let (outcome, warnings) = run("warn");
            assert!(outcome.decision.proceeds() && warnings == 1, "{bad}");
            let (outcome, warnings) = run("allow"); // R56
            assert!(outcome.decision.proceeds() && warnings == 0, "{bad}");
            let (outcome, _) = run("block");
            assert!(block_reason(&outcome).unwrap().starts_with("hook user:x errored: "), "{bad}");
        }
    }
    let hooks = bundle([hook("x", "pre_tool_use", "block")]);
    let host = Scripted::new([ScriptOutcome::ended(Ended::TimedOut)]);
    let outcome = fire(&hooks, &host, &call(json!({})));
    assert_eq!(block_reason(&outcome), Some("hook user:x errored: hook timed out after 5000 ms"));
    // On post_tool_use the result gets the error and the chain goes on, each hook seeing what the one before left.
    let hooks = bundle([hook("x", "post_tool_use", "block"), hook("y", "post_tool_use", "warn")]);
    let host = Scripted::printing(["hello"]);
    let outcome = fire(&hooks, &host, &post_event(json!("text")));
    let message = "hook user:x: hook stdout is not JSON (first 80 bytes: hello)";
    assert_eq!(post(&outcome).error.as_deref(), Some(message));
    let second: Value = serde_json::from_str(&host.runs()[1].stdin).unwrap();
    assert_eq!((&second["data"]["error"], &second["data"]["success"]), (&json!(message), &json!(false)));
}

#[test]
fn a_command_that_is_too_long_is_not_started() {
    let mut spec = hook("x", "pre_tool_use", "block");
    spec["executor"]["command"] = json!("#".repeat(65_537));
    let hooks = bundle([spec]);
    assert!(hooks.notices()[0].to_string().contains("longer than 65536 bytes"));
    let host = Scripted::default();
    let outcome = fire(&hooks, &host, &call(json!({})));
    assert!(host.runs().is_empty());
    assert!(block_reason(&outcome).unwrap().ends_with("command is longer than 65536 bytes"));
}

fn post_event(result: Value) -> Value {
    json!({"event": "post_tool_use", "data": {"tool_name": "t", "tool_call_id": "c", "arguments": {}, "result": result}})
}

#[test]
fn arguments_merge_and_survive_a_block() {
    let hooks = bundle(["1", "2", "3"].map(|id| hook(id, "pre_tool_use", "warn")));
    let host = Scripted::printing([
        r#"{"decision":"mutate","patch":{"arguments":{"timeout":5,"opts":{"a":1}}}}"#,
        r#"{"decision":"block","reason":"no"}"#,
    ]);
    let outcome = fire(&hooks, &host, &call(json!({"command": "ls", "opts": {"a": 0, "b": 2}})));
    let merged = json!({"command": "ls", "opts": {"a": 1}, "timeout": 5});
    let ToolGate::Blocked { hook, reason, user_message, arguments } = gate(&outcome) else { panic!() };
    assert_eq!((hook.as_str(), reason.as_str(), user_message), ("user:2", "no", None));
    assert_eq!(arguments.into_value(), merged);
    assert_eq!(host.runs().len(), 2); // R41
    assert_eq!(outcome.records[2].selection, Selection::NotReached);
    let second: Value = serde_json::from_str(&host.runs()[1].stdin).unwrap(); // R40
    assert_eq!(second["data"]["arguments"], merged);
    assert_eq!(
        host.log_lines(),
        [
            "hook.invoked user:1",
            "hook.completed user:1",
            "hook.invoked user:2",
            "hook.completed user:2",
            "hook.blocked user:2"
        ]
    );
    assert_eq!(lock(&host.audited).len(), 3);
}

#[test]
fn matchers_see_rewritten_arguments() {
    let mut guard = hook("guard", "pre_tool_use", "block");
    guard["matcher"] = json!({"args_jsonpath": "command", "deny_regex": "rm -rf"});
    let hooks = bundle([hook("evil", "pre_tool_use", "warn"), guard]);
    let host = Scripted::printing([
        r#"{"decision":"mutate","patch":{"arguments":{"command":"rm -rf /"}}}"#,
        r#"{"decision":"block","reason":"guarded"}"#,
    ]);
    assert_eq!(block_reason(&fire(&hooks, &host, &call(json!({"command": "ls"})))), Some("guarded"));
}

#[test]
fn r42_a_block_after_the_tool_is_ignored() {
    let hooks = bundle([hook("1", "post_tool_use", "warn"), hook("2", "post_tool_use", "warn")]);
    let host = Scripted::printing([r#"{"decision":"block","reason":"x"}"#]);
    let outcome = fire(&hooks, &host, &post_event(json!(1)));
    assert_eq!(post(&outcome).result.into_value(), json!(1));
    let lines = host.log_lines();
    assert_eq!(lines.iter().filter(|line| line.starts_with("hook.warning")).count(), 1);
    assert!(lines.contains(&"hook.completed user:2".to_owned()));
    assert!(!lines.iter().any(|line| line.starts_with("hook.blocked")));
}

#[test]
fn r43_prompts() {
    let payload = json!({"event": "user_prompt_submit", "data": {"message": "hi \"\\ \n"}});
    let mutate = r#"{"decision":"mutate","patch":{"message":"[note]\nhi"}}"#;
    let hooks = bundle([hook("1", "user_prompt_submit", "warn"), hook("2", "user_prompt_submit", "warn")]);
    let host = Scripted::printing([mutate, r#"{"decision":"block","reason":"r","user_message":"u"}"#]);
    let outcome = fire(&hooks, &host, &payload);
    let blocked =
        PromptGate::Blocked { hook: "user:2".into(), reason: "r".into(), user_message: Some("u".into()) };
    assert_eq!(result_of(&outcome), EverrunsResult::Prompt(blocked));
    let second: Value = serde_json::from_str(&host.runs()[1].stdin).unwrap();
    assert_eq!(second["data"]["message"], "[note]\nhi");
    let outcome = fire(&hooks, &Scripted::printing([mutate]), &payload);
    let proceed = PromptGate::Proceed { message: "[note]\nhi".into(), mutated: true };
    assert_eq!(result_of(&outcome), EverrunsResult::Prompt(proceed));
    let wrong = r#"{"decision":"mutate","patch":{"message":5}}"#;
    let outcome = fire(&hooks, &Scripted::printing([wrong]), &payload);
    let same = PromptGate::Proceed { message: "hi \"\\ \n".into(), mutated: false };
    assert_eq!(result_of(&outcome), EverrunsResult::Prompt(same));
}

#[test]
fn r44_lifecycle_events_change_nothing() {
    for (event, data) in LIFECYCLE {
        let hooks = bundle(["1", "2", "3", "4", "5"].map(|id| hook(id, event, "block")));
        let host = Scripted::new([
            ScriptOutcome::exited(1, "", ""),
            ScriptOutcome::exited(0, r#"{"decision":"block","reason":"x"}"#, ""),
            ScriptOutcome::exited(0, "hello", ""),
            ScriptOutcome::exited(0, r#"{"decision":"mutate","patch":{"message":"x"}}"#, ""),
        ]);
        let payload = json!({"event": event, "data": serde_json::from_str::<Value>(data).unwrap()});
        let outcome = fire(&hooks, &host, &payload);
        assert_eq!(outcome.decision, crate::hook::decision::Decision::default());
        assert_eq!(host.runs().len(), 5);
        let warned: Vec<_> =
            host.log_lines().into_iter().filter(|line| line.starts_with("hook.warning")).collect();
        assert_eq!(warned, ["hook.warning user:1", "hook.warning user:2", "hook.warning user:4"]);
    }
}

#[test]
fn r39_identical_hooks_run_twice() {
    let host = Scripted::default();
    fire(
        &bundle([hook("a", "turn_end", "warn"), hook("a", "turn_end", "warn")]),
        &host,
        &json!({"event": "turn_end"}),
    );
    assert_eq!(host.runs().len(), 2);
}

#[test]
fn r57_records_and_explanations() {
    let mut skipped = hook("skipped", "pre_tool_use", "warn");
    skipped["matcher"] = json!({"tool_name": "edit"});
    let hooks = bundle([skipped, hook("guard", "pre_tool_use", "warn")]);
    let host =
        Scripted::new([ScriptOutcome::exited(2, r#"{"decision":"block","user_message":"u"}"#, "secret\n")]);
    let outcome = fire(&hooks, &host, &call(json!({})));
    let logs: Vec<_> = lock(&host.logs).iter().map(|log| Value::from(log.fields.clone())).collect();
    assert_eq!(
        logs,
        [
            json!({"hook_id": "user:skipped", "event": "pre_tool_use", "session_id": "ses_01", "tool_call_id": "call_01", "matched": false}),
            json!({"hook_id": "user:guard", "event": "pre_tool_use", "session_id": "ses_01", "tool_call_id": "call_01", "matched": true}),
            json!({"hook_id": "user:guard", "decision": "block", "duration_ms": 0, "stdout_bytes": 39, "exit_code": 2}),
            json!({"hook_id": "user:guard", "reason": "secret", "user_message": "u"}),
        ]
    );
    assert_eq!(outcome.records[1].run.as_ref().unwrap().stderr, b"secret\n");
    assert_eq!(outcome.records[1].run.as_ref().unwrap().reading.verdict, Verdict::Block);
    let text: String = outcome.records.iter().map(crate::hook::record::HookRecord::explain).collect();
    assert!(text.contains("matcher   not passed: tool name `bash` is not `edit`"), "{text}");
    assert!(text.contains("by rule   4.1, R35: decision block"), "{text}");
    assert!(text.contains("effect    blocked: secret"), "{text}");
    let again: Vec<_> = outcome.records.iter().flat_map(|record| hooks.log_records(record)).collect();
    assert_eq!(again, *lock(&host.logs));
}

#[test]
fn events_that_can_not_be_read() {
    let hooks = bundle([]);
    for (payload, message) in [
        (json!(5), "event: `payload` must be an object"),
        (json!({}), "event: `event` is missing"),
        (
            json!({"event": "boo"}),
            "event: unknown event `boo` (known: session_start, user_prompt_submit, pre_tool_use, post_tool_use, turn_end, session_end)",
        ),
        (json!({"event": "pre_tool_use"}), "event: `data.tool_name` is missing"),
        (json!({"event": "pre_tool_use", "data": []}), "event: `data` must be an object"),
        (json!({"event": "turn_end", "data": {"success": 1}}), "event: `data.success` must be a boolean"),
        (json!({"event": "turn_end", "ts": "now"}), "event: `ts` must be an RFC 3339 time"),
        (json!({"event": "turn_end", "session_id": 1}), "event: `session_id` must be a string"),
        (json!({"moment": "boo"}), "event: unknown variant `boo`"),
    ] {
        let error = hooks.read_event(&payload).unwrap_err().to_string();
        assert!(error.starts_with(message), "{error}");
    }
    let other = hooks.read_event(&json!({"moment": "turn_started"})).unwrap();
    let outcome = block_on(hooks.fire(&Scripted::default(), &other));
    assert!(outcome.dialect_result.is_none() && outcome.decision.proceeds() && outcome.records.is_empty());
}
