//! Rows of data (`tests/rows/claude-code.jsonl`), and what no row can say.

use super::event::EventName;
use super::result::ClaudeCodeResult;
use crate::hook::contract::Purpose;
use crate::hook::dialect::list::Dialect;
use crate::hook::dialect::result::DialectResult;
use crate::hook::hook_set::HookSet;
use crate::hook::outcome::Outcome;
use crate::hook::scripted::{Scripted, fire, load_for, rows};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

fn load(config: &Value) -> HookSet {
    load_for(Dialect::ClaudeCode, config, &json!({}), Purpose::Run).unwrap()
}

fn result(outcome: &Outcome) -> &ClaudeCodeResult {
    match &outcome.dialect_result {
        Some(DialectResult::ClaudeCode(result)) => result,
        other => panic!("{other:?}"),
    }
}

/// A group on an event: of one command handler with these members, or of one for each in a list. The matcher of the first is the
/// group's.
fn one(event: &str, hook: &Value) -> Value {
    let handler = |members: &Value| match members {
        Value::Object(members) => {
            let mut handler = json!({"type": "command", "command": "x"});
            handler.as_object_mut().unwrap().extend(members.clone());
            handler
        }
        other => other.clone(),
    };
    let mut handlers: Vec<_> = match hook {
        Value::Array(hooks) => hooks.iter().map(handler).collect(),
        Value::Null => vec![handler(&json!({}))],
        hook => vec![handler(hook)],
    };
    let matcher = handlers[0].as_object_mut().and_then(|handler| handler.shift_remove("matcher"));
    json!({"hooks": {event: [{"matcher": matcher, "hooks": handlers}]}})
}

fn event(name: &str) -> Value {
    json!({"hook_event_name": name, "session_id": "s", "tool_name": "T", "tool_input": {}, "prompt": "p",
        "source": "x", "agent_id": "a", "agent_type": "t"})
}

#[test]
fn rows_of_data() {
    let rows = include_str!("../../../../tests/rows/claude-code.jsonl");
    rows::check(Dialect::ClaudeCode, rows, |name, hook| (one(name, hook), event(name)));
}

#[test]
fn each_of_33_payloads_comes_back_byte_for_byte() {
    let payloads: Vec<_> = include_str!("../../../../tests/schema/claude-code.jsonl").lines().collect();
    assert_eq!((payloads.len(), EventName::ALL.len()), (33, 33));
    for (payload, event) in payloads.iter().zip(EventName::ALL) {
        let host = Scripted::default();
        fire(&load(&one(event.name(), &Value::Null)), &host, &serde_json::from_str(payload).unwrap());
        assert_eq!(host.runs()[0].stdin, *payload);
        let matched = event.matched_field();
        assert!(matched.is_none_or(|field| event.row().event.payload.contains(&field)), "{}", event.name());
    }
}

#[test]
fn a_large_config_takes_linear_time() {
    let handlers: Vec<_> = (0..20_000).map(|n| json!({"command": format!("echo {n}")})).collect();
    let mut config = one("PreToolUse", &handlers.into());
    config["hooks"]["PreToolUse"][0]["matcher"] = "a.*b".into();
    let started = Instant::now();
    assert_eq!(load(&config).hooks().len(), 20_000);
    assert!(started.elapsed() < Duration::from_secs(10));
}

mod nothing_panics {
    //! Whatever a config, a call or a script says.

    use super::super::path_rule::PathPattern;
    use super::super::{placeholder, printed, rule};
    use super::{fire, load, one};
    use crate::hook::dialect::expression;
    use crate::hook::matcher::RegexCompiler;
    use crate::hook::script::ScriptOutcome;
    use crate::hook::scripted::Scripted;
    use proptest::prelude::*;
    use proptest::sample::select;
    use serde_json::{Value, json};

    const WORDS: &[&str] = &["PreToolUse", "block", "deny", "allow", "command", "Stop"];
    #[rustfmt::skip]
    const NAMES: &[&str] = &[
        "hooks", "PreToolUse", "matcher", "type", "command", "if", "continue", "decision", "reason",
        "hookSpecificOutput", "hookEventName", "permissionDecision", "updatedInput", "additionalContext", "x",
    ];

    fn json_value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i32>().prop_map(Value::from),
            "[a-z{}$ ]{0,8}".prop_map(Value::from),
            select(WORDS).prop_map(Value::from),
        ];
        leaf.prop_recursive(5, 32, 4, |inner| {
            let member = (select(NAMES).prop_map(str::to_owned), inner.clone());
            prop_oneof![
                prop::collection::vec(inner, 0..4).prop_map(Value::from),
                prop::collection::vec(member, 0..4)
                    .prop_map(|members| Value::Object(members.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn on_text(text in "\\PC{0,40}", other in "[\\[\\](){}*?|\\\\^$.a-z/~:-]{0,24}") {
            let compiler = &mut RegexCompiler::new(1 << 18);
            for text in [&text, &other] {
                let _ = expression::compile(text, compiler);
                let _ = PathPattern::read(text, compiler).map(|pattern| pattern.matches(&other, "/w", "/h"));
                if let Ok(rule) = rule::IfRule::read(&format!("Bash({text})")) {
                    let input = json!({"command": other});
                    let _ = rule.test(&rule::RuleCall::new("Bash", &input, "/w", "/h"));
                }
                let _ = placeholder::in_header(text, str::to_owned);
                let _ = placeholder::in_prompt(text, b"{}");
                let _ = printed::is_terminal_sequence(text);
                let _ = printed::without_escapes(text);
            }
        }

        #[test]
        fn on_configs(config in json_value()) {
            let _ = load(&config);
        }

        #[test]
        fn on_output(output in json_value(), status in 0..4) {
            let text = output.to_string();
            for name in ["PreToolUse", "Stop", "PermissionRequest", "UserPromptSubmit"] {
                for hook in [json!({}), json!({"async": true})] {
                    let host = Scripted::new([ScriptOutcome::exited(status, text.as_str(), "e")]);
                    fire(&load(&one(name, &hook)), &host, &super::event(name));
                }
            }
        }
    }
}

mod with_a_shell {
    //! Handlers that nobody waits for, in a real session.

    use super::{event, load, one, result};
    use crate::clock::lock;
    use crate::hook::hook_set::HookSet;
    use crate::hook::observer::HookObserver;
    use crate::hook::outcome::Outcome;
    use crate::hook::record::LogRecord;
    use crate::hook::request::Request;
    use crate::hook::runner::{HookFuture, HookHost, LateOutput, unanswered};
    use crate::hook::script::ScriptOutcome;
    use crate::sandbox::Sandbox;
    use serde_json::json;
    use std::sync::{Arc, Mutex};
    use std::time::{Duration, Instant};

    /// Takes late outputs, and sees the records.
    #[derive(Default)]
    struct Host {
        late: Mutex<Vec<LateOutput>>,
        logs: Mutex<Vec<LogRecord>>,
    }

    impl HookHost for Host {
        fn request(&self, request: Request, _: Duration) -> HookFuture<'_, ScriptOutcome> {
            Box::pin(std::future::ready(unanswered(&request)))
        }
        fn deliver_late(&self, late: &LateOutput) -> bool {
            lock(&self.late).push(late.clone());
            true
        }
        fn observer(&self) -> Option<&dyn HookObserver> {
            Some(self)
        }
    }

    impl HookObserver for Host {
        fn log(&self, record: &LogRecord) {
            lock(&self.logs).push(record.clone());
        }
    }

    fn session() -> (Sandbox, Arc<Host>) {
        let host = Arc::new(Host::default());
        (Sandbox::builder().hook_host(host.clone()).build().unwrap(), host)
    }

    async fn fire(hooks: &HookSet, session: &Sandbox, name: &str) -> Outcome {
        hooks.fire(session, &hooks.read_event(&event(name)).unwrap()).await
    }

    #[tokio::test]
    async fn a_firing_does_not_wait_and_the_host_is_told_later() {
        let hook = json!({"asyncRewake": true, "command": "sleep 0.5; echo broken >&2; exit 2"});
        let (hooks, (session, host)) = (load(&one("PostToolUse", &hook)), session());
        let started = Instant::now();
        let outcome = fire(&hooks, &session, "PostToolUse").await;
        assert!(started.elapsed() < Duration::from_millis(400), "{:?}", started.elapsed());
        assert_eq!(result(&outcome).block, None);
        assert_eq!(lock(&host.late).len(), 0);
        HookSet::settle(&session).await;
        assert!(started.elapsed() >= Duration::from_millis(500));
        let late = lock(&host.late).pop().unwrap();
        assert_eq!((late.hook.as_str(), late.wake), ("user:PostToolUse_0_0", true));
        assert_eq!(late.contexts, ["broken"]);
    }

    #[tokio::test]
    async fn the_end_of_the_session_cancels() {
        let hook = json!({"async": true, "command": "sleep 60; touch /workspace/done"});
        let (hooks, (session, host)) = (load(&one("PostToolUse", &hook)), session());
        for name in ["PostToolUse", "SessionEnd"] {
            fire(&hooks, &session, name).await;
        }
        let started = Instant::now();
        HookSet::settle(&session).await;
        assert!(started.elapsed() < Duration::from_secs(5));
        let logs = lock(&host.logs);
        let response = logs.iter().find(|log| log.name == "hook_response").unwrap();
        assert_eq!(response.fields["outcome"], "cancelled");
    }

    #[tokio::test]
    async fn only_so_many_go_on_at_once() {
        let handlers: Vec<_> =
            (0..70).map(|n| json!({"async": true, "command": format!("sleep 60; echo {n}")})).collect();
        let (hooks, (session, _)) = (load(&one("Stop", &handlers.into())), session());
        assert_eq!(result(&fire(&hooks, &session, "Stop").await).errors.len(), 6);
        fire(&hooks, &session, "SessionEnd").await;
    }
}
