//! Parts 3, 4, 5 and 7 of the contract: delivery, folding, failures, records.

use super::*;
use crate::hook::decision::Verdict;
use crate::hook::dialect::docker_agent::result::Permission;
use crate::hook::event::{Event, EventContext, Moment, ToolCall};
use crate::hook::record::Selection;
use crate::hook::script::ScriptOutcome;
use crate::text::Text;

fn specific(value: &Value) -> String {
    json!({"hook_specific_output": value}).to_string()
}

fn with_outputs<'a>(event: &str, outputs: impl IntoIterator<Item = &'a str>) -> (HookSet, Scripted) {
    let outputs: Vec<_> = outputs.into_iter().collect();
    let commands: Vec<_> = (0..outputs.len()).map(|index| format!("c{index}")).collect();
    let commands: Vec<_> = commands.iter().map(String::as_str).collect();
    (load(&hooks_of(event, &commands).to_string()), Scripted::printing(outputs))
}

#[test]
fn r7_to_r10_delivery() {
    let hooks = load(
        "hooks:
  turn_start:
    - { type: command, command: here }
    - { type: command, command: there, working_dir: sub/../x, env: { A: 'a${env.HOME}$HOME', B: b } }
",
    );
    let host = Scripted {
        directory: Some(Text::from("/session")),
        variables: vec![("HOME".into(), "/home/agent".into())],
        ..Scripted::default()
    };
    fire(&hooks, &host, &json!({"session_id": "s", "hook_event_name": "turn_start"}));
    let runs = host.runs();
    let payload = r#"{"session_id":"s","cwd":"/session","hook_event_name":"turn_start"}"#;
    assert_eq!((runs[0].cwd.as_str(), runs[0].stdin.as_str()), ("/session", payload));
    assert!(runs[0].environment.is_empty());
    assert_eq!((runs[1].cwd.as_str(), runs[1].stdin.as_str()), ("/session/x", payload));
    assert_eq!(runs[1].variable("A"), Some("a/home/agent$HOME"));
    assert_eq!(runs[1].variable("B"), Some("b"));
    fire(&hooks, &host, &payload_at("/elsewhere"));
    assert_eq!(host.runs()[3].cwd, "/elsewhere/x");
}

fn payload_at(cwd: &str) -> Value {
    json!({"hook_event_name": "turn_start", "cwd": cwd})
}

#[test]
fn the_neutral_form_fires_every_event_of_the_contract() {
    let config: Value = of_manual()
        .map(|event| (event.name().to_owned(), hooks_of(event.name(), &["x"])["hooks"][event.name()].clone()))
        .collect();
    let hooks = load(&config.to_string());
    for event in of_manual() {
        let host = Scripted::default();
        let outcome = fire(&hooks, &host, &payload(event.name()));
        assert_eq!(ran(&outcome)[0].split('[').next(), Some(event.name()));
        let asked: Value = serde_json::from_str(&host.runs()[0].stdin).unwrap();
        assert_eq!(asked["hook_event_name"], event.name());
    }
    let call = ToolCall { name: "shell".into(), id: "c".into(), arguments: json!({}).into() };
    let named = |name: &str, moment| {
        let mut event = Event::new(EventContext::default(), moment);
        event.facts.insert("hook_event_name".to_owned(), name.into());
        event
    };
    for (event, expected) in [
        (Event::new(EventContext::default(), Moment::ToolCallStarting(call.clone())), "pre_tool_use"),
        (named("tool_guard", Moment::ToolCallStarting(call)), "tool_guard"),
        (named("on_error", Moment::Notified { level: "x".into(), message: "m".into() }), "on_error"),
        (
            Event::new(EventContext::default(), Moment::Other { name: "on_user_input".into() }),
            "on_user_input",
        ),
    ] {
        let outcome = block_on(hooks.fire(&Scripted::default(), &event));
        assert_eq!(outcome.records[0].event, expected);
    }
    let none = Event::new(EventContext::default(), Moment::QueueDrainEnded);
    assert!(block_on(hooks.fire(&Scripted::default(), &none)).dialect_result.is_none());
}

#[test]
fn r21_rewrites_go_from_hook_to_hook() {
    let first = specific(&json!({"updated_input": {"cmd": "a", "x": 1}}));
    let second = specific(&json!({"updated_input": {"cmd": "b"}}));
    for event in ["pre_tool_use", "permission_request", "tool_input_transform"] {
        let commands = ["1", "2", "3", "4"];
        let hooks = load(&hooks_of(event, &commands).to_string());
        let host = Scripted::new([
            ScriptOutcome::exited(0, first.as_str(), ""),
            ScriptOutcome::exited(0, second.as_str(), ""),
            ScriptOutcome::exited(0, "", ""),
        ]);
        let outcome = fire(&hooks, &host, &payload(event));
        let inputs: Vec<Value> = host
            .runs()
            .iter()
            .map(|asked| serde_json::from_str::<Value>(&asked.stdin).unwrap()["tool_input"].clone())
            .collect();
        let union = json!({"cmd": "b", "x": 1});
        assert_eq!(inputs, [json!({"cmd": "ls"}), json!({"cmd": "a", "x": 1}), union.clone(), union.clone()]);
        assert_eq!(result(&outcome).modified_input.as_deref(), Some(&union));
    }
    let messages = specific(&json!({"updated_messages": [{"role": "user"}]}));
    let (hooks, host) = with_outputs("before_llm_call", [messages.as_str(), ""]);
    let event = json!({"hook_event_name": "before_llm_call", "iteration": 1, "messages": [1, 2]});
    let outcome = fire(&hooks, &host, &event);
    assert!(host.runs()[1].stdin.ends_with(r#""iteration":1,"messages":[{"role":"user"}]}"#));
    assert_eq!(result(&outcome).updated_messages.as_deref(), Some(&json!([{"role": "user"}])));
}

#[test]
fn r22_a_block_stops_nobody_and_r24_discards_the_rewrite() {
    let rewrite = specific(&json!({"updated_input": {"cmd": "b"}}));
    let (hooks, host) =
        with_outputs("pre_tool_use", [r#"{"continue":false,"stop_reason":"no"}"#, rewrite.as_str()]);
    let outcome = fire(&hooks, &host, &payload("pre_tool_use"));
    assert_eq!(ran(&outcome).len(), 2);
    let result = result(&outcome);
    assert_eq!((result.allowed, result.message.as_str(), result.exit_code), (false, "no", 0));
    assert_eq!((result.modified_input, outcome.decision.arguments), (None, None));
    assert_eq!(outcome.decision.blocked.unwrap().reason, "no");
}

#[test]
fn r23_without_hooks_all_is_allowed() {
    let hooks = load("{}");
    let outcome = fire(&hooks, &Scripted::default(), &payload("pre_tool_use"));
    assert!(result(&outcome).allowed && outcome.records.is_empty() && outcome.logs.is_empty());
}

#[test]
fn folding() {
    let (hooks, host) = with_outputs(
        "post_tool_use",
        [
            r#"{"system_message":"s1","hook_specific_output":{"additional_context":"c1"}}"#,
            r#"{"decision":"block"}"#,
            "c2",
            r#"{"system_message":"s2","decision":"block","reason":"r2"}"#,
        ],
    );
    let outcome = fire(&hooks, &host, &payload("post_tool_use"));
    let folded = result(&outcome);
    assert_eq!((folded.system_message.as_str(), folded.additional_context.as_str()), ("s1\ns2", "c1\nc2"));
    assert_eq!((folded.message.as_str(), folded.decision, folded.transient), ("r2", None, false));
    assert_eq!(outcome.decision.blocked.unwrap().hook.as_str(), "post_tool_use[0].hooks[1]");
    let (hooks, host) =
        with_outputs("before_compaction", ["", r#"{"hook_specific_output":{"summary":"1"}}"#]);
    assert_eq!(result(&fire(&hooks, &host, &payload("before_compaction"))).summary, "1");
    // A block without words still has a reason for whoever reads the neutral decision.
    let (hooks, host) = with_outputs("pre_compact", [r#"{"decision":"block"}"#]);
    let outcome = fire(&hooks, &host, &payload("pre_compact"));
    assert_eq!(outcome.decision.blocked.unwrap().reason, "blocked by hook \"c0\"");
    // An allow beside an ask: permission_allowed tells of allow and deny only, decision of the strongest.
    let say = |what: &str| specific(&json!({"permission_decision": what}));
    let (allow, ask) = (say("allow"), say("ask"));
    let (hooks, host) = with_outputs("permission_request", [allow.as_str(), ask.as_str()]);
    let folded = result(&fire(&hooks, &host, &payload("permission_request")));
    assert_eq!((folded.permission_allowed, folded.decision), (true, Some(Permission::Ask)));
}

#[test]
fn failures_by_event_and_policy() {
    for event in of_manual() {
        for policy in ["warn", "ignore", "block"] {
            let mut config = hooks_of(event.name(), &["x"]);
            let list = &mut config["hooks"][event.name()][0];
            let hook = if event.is_matched() { &mut list["hooks"][0] } else { list };
            hook["on_error"] = policy.into();
            let host = Scripted::new([ScriptOutcome::exited(3, "", "err")]);
            let folded = result(&fire(&load(&config.to_string()), &host, &payload(event.name())));
            let closed = matches!(event.name(), "pre_tool_use" | "tool_guard");
            let denies = closed || policy == "block" && event.can_block();
            let text = format!("{} hook failed to execute: hook \"x\": exit status 3", event.name());
            assert_eq!(folded.allowed, !denies, "{} {policy}", event.name());
            assert_eq!(folded.exit_code, if denies { -1 } else { 0 });
            assert_eq!(folded.stderr, "err");
            assert_eq!(folded.message, if denies { text.as_str() } else { "" });
            let warns = !denies && policy != "ignore";
            assert_eq!(folded.system_message, if warns { text.as_str() } else { "" });
        }
    }
}

#[test]
fn parallel_events_get_one_payload() {
    let (hooks, host) =
        with_outputs("tool_guard", ["", specific(&json!({"permission_decision": "deny"})).as_str()]);
    let outcome = fire(&hooks, &host, &payload("tool_guard"));
    let runs = host.runs();
    assert_eq!(runs[0].stdin, runs[1].stdin);
    assert_eq!(result(&outcome).decision, Some(Permission::Deny));
}

#[test]
fn records_hold_free_text_only_when_asked() {
    let config = hooks_of("pre_tool_use", &["x"]).to_string();
    let said = json!({"suppress_output": false, "hook_specific_output":
        {"permission_decision": "ask", "permission_decision_reason": "secret"}});
    let logs = |settings: &Value, said: &str| {
        let hooks = load_with(&config, &with(settings)).unwrap();
        let host = Scripted::new([ScriptOutcome::exited(0, said, "noise")]);
        fire(&hooks, &host, &payload("pre_tool_use"));
        let logs = crate::clock::lock(&host.logs);
        logs.iter().map(crate::hook::record::LogRecord::to_json).collect::<Vec<_>>()
    };
    let said_text = said.to_string();
    assert_eq!(
        logs(&json!({}), &said_text),
        [
            json!({"record": "hook.run", "hook_id": "pre_tool_use[0].hooks[0]", "event": "pre_tool_use", "name": "x",
                "type": "command", "exit_code": 0, "duration_ms": 0, "stdout_bytes": said_text.len(), "stderr_bytes": 5}),
            json!({"record": "hook.pre_tool_use", "event": "pre_tool_use", "count": 1, "allowed": true, "exit_code": 0,
                "decision": "ask", "permission_allowed": false, "modified_input": false, "summary_provided": false}),
        ]
    );
    let captured = logs(&json!({"capture_content": true}), &said_text);
    assert_eq!((&captured[0]["stderr"], &captured[0]["stdout"]), (&json!("noise"), &json!(said_text)));
    assert_eq!(
        (&captured[0]["reason"], &captured[1]["decision_reason"]),
        (&json!("secret"), &json!("secret"))
    );
    let suppressed = logs(&json!({"capture_content": true}), r#"{"suppress_output":true}"#);
    assert_eq!(suppressed[0].get("stdout"), None);
}

#[test]
fn lanes_dedup_apart() {
    let entry =
        |preempt: bool| json!({"preempt_yolo": preempt, "hooks": [{"type": "command", "command": "x"}]});
    let config = json!({"hooks": {"pre_tool_use": [entry(false), entry(true)]}}).to_string();
    let outcome = fire(&load(&config), &Scripted::default(), &payload("pre_tool_use"));
    assert_eq!(ran(&outcome), ["pre_tool_use[1].hooks[0]", "pre_tool_use[0].hooks[0]"]);
    let host = Scripted::new([ScriptOutcome::exited(2, "", "no")]);
    let outcome = fire(&load(&config), &host, &payload("pre_tool_use"));
    assert_eq!(ran(&outcome), ["pre_tool_use[1].hooks[0]"]);
    let rewrite = specific(&json!({"updated_input": {"a": 1}}));
    let host = Scripted::printing(["", rewrite.as_str(), ""]);
    assert_eq!(ran(&fire(&load(&config), &host, &payload("pre_tool_use"))).len(), 3);
    assert!(host.runs()[2].stdin.contains(r#""tool_input":{"a":1}"#));
    assert!(matches!(outcome.records[1].selection, Selection::NotMatched(_)));
}

#[test]
fn a_script_that_is_too_long_does_not_start() {
    let mut options = LoadOptions::default();
    let mut limits = crate::limit::Limits::hook();
    limits.script_bytes = 3;
    options.limits = Some(limits);
    let hooks = load_with(&hooks_of("pre_tool_use", &["echo"]).to_string(), &options).unwrap();
    let outcome = fire(&hooks, &Scripted::default(), &payload("pre_tool_use"));
    assert!(result(&outcome).message.ends_with("the command is longer than 3 bytes"));
    assert_eq!(outcome.records[0].run.as_ref().unwrap().reading.verdict, Verdict::Error);
}

#[test]
fn a_dropped_firing_decides_nothing() {
    // R26: whoever cancels a run drops the firing, and no result exists.
    let hooks = load(&hooks_of("pre_tool_use", &["x"]).to_string());
    let host = Scripted { never_ends: true, ..Scripted::default() };
    let event = hooks.read_event(&payload("pre_tool_use")).unwrap();
    let mut firing = Box::pin(hooks.fire(&host, &event));
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    assert!(firing.as_mut().poll(&mut context).is_pending());
    drop(firing);
    assert!(crate::clock::lock(&host.logs).is_empty());
}
