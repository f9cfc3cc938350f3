//! Whole firings over a scripted session: what rules say that no example of the contract shows.

use super::result::ClaudeCodeResult;
use crate::hook::contract::Purpose;
use crate::hook::dialect::list::Dialect;
use crate::hook::dialect::result::DialectResult;
use crate::hook::hook_set::HookSet;
use crate::hook::outcome::Outcome;
use crate::hook::script::{Ended, ScriptOutcome};
use crate::hook::scripted::{Scripted, fire, load_for, rows};
use serde_json::{Value, json};
use std::time::Duration;

fn load(config: &Value, settings: &Value) -> HookSet {
    load_for(Dialect::ClaudeCode, config, settings, Purpose::Run).unwrap()
}

fn result(outcome: &Outcome) -> &ClaudeCodeResult {
    match &outcome.dialect_result {
        Some(DialectResult::ClaudeCode(result)) => result,
        other => panic!("{other:?}"),
    }
}

/// One command handler on an event.
fn one(event: &str) -> Value {
    json!({"hooks": {event: [{"hooks": [{"type": "command", "command": "x"}]}]}})
}

fn event(name: &str) -> Value {
    json!({"hook_event_name": name, "session_id": "s", "tool_name": "T", "tool_input": {}, "prompt": "p",
        "source": "x", "agent_id": "a", "agent_type": "t"})
}

fn ended(outcome: ScriptOutcome, name: &str) -> Outcome {
    fire(&load(&one(name), &json!({})), &Scripted::new([outcome]), &event(name))
}

#[test]
fn rows_of_data() {
    let rows = include_str!("../../../../tests/rows/claude-code.jsonl");
    rows::check(Dialect::ClaudeCode, rows, |name, _| (one(name), event(name)));
}

#[test]
fn a_script_that_is_none_is_exit_2() {
    let outcome = ScriptOutcome {
        stderr: b"sh: line 1: syntax error\n".to_vec(),
        ..ScriptOutcome::ended(Ended::Syntax("sh: line 1: syntax error".to_owned()))
    };
    let outcome = ended(outcome, "PreToolUse");
    assert_eq!(outcome.decision.blocked.unwrap().reason, "sh: line 1: syntax error");
}

#[test]
fn members_of_several_hooks_are_folded() {
    let config = json!({"hooks": {"SessionStart": [{"hooks": [
        {"type": "command", "command": "a"}, {"type": "command", "command": "b"},
    ]}]}});
    let own =
        |members: &str| format!(r#"{{"hookSpecificOutput":{{"hookEventName":"SessionStart",{members}}}}}"#);
    let first = own(
        r#""additionalContext":"1","sessionTitle":"x","initialUserMessage":"i","watchPaths":["/a","/b"]"#,
    );
    let second =
        own(r#""additionalContext":"2","sessionTitle":"y","watchPaths":["/b","/c"],"reloadSkills":true"#);
    let host = Scripted::printing([first.as_str(), second.as_str()]);
    let outcome = fire(&load(&config, &json!({})), &host, &event("SessionStart"));
    let specific = &result(&outcome).specific;
    assert_eq!(result(&outcome).contexts, ["1", "2"]);
    assert_eq!(specific.session_title.as_deref(), Some("y"));
    assert_eq!(specific.initial_user_message.as_deref(), Some("i"));
    assert_eq!(specific.watch_paths.as_deref().unwrap(), ["/a", "/b", "/c"]);
    assert!(specific.reload_skills);
}

#[test]
fn r52_the_classifier_gets_2000_characters_of_all_hooks() {
    let config = json!({"hooks": {"PostToolUse": [{"hooks": [
        {"type": "command", "command": "a"}, {"type": "command", "command": "b"}, {"type": "command", "command": "c"},
    ]}]}});
    let text = "é".repeat(1500);
    let printed = json!({"hookSpecificOutput": {"hookEventName": "PostToolUse", "classifierContext": text}})
        .to_string();
    let host = Scripted::printing([printed.as_str(); 3]);
    let outcome = fire(&load(&config, &json!({})), &host, &event("PostToolUse"));
    let lengths: Vec<_> =
        result(&outcome).specific.classifier_context.iter().map(|text| text.chars().count()).collect();
    assert_eq!(lengths, [1500, 500]);
}

#[test]
fn once_is_over_after_the_first_success() {
    let config = json!({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "x", "once": true}]}]}});
    let hooks = load(&config, &json!({"source": "skill:s"}));
    let host = Scripted::new([ScriptOutcome::exited(1, "", ""), ScriptOutcome::exited(0, "", "")]);
    for runs in [1, 2, 2] {
        fire(&hooks, &host, &event("Stop"));
        assert_eq!(host.runs().len(), runs);
    }
}

#[test]
fn hooks_of_an_agent_run_in_that_agent() {
    let config = json!({"hooks": {
        "Stop": [{"hooks": [{"type": "command", "command": "x"}]}],
        "PreToolUse": [{"hooks": [{"type": "command", "command": "x"}]}],
    }});
    let hooks = load(&config, &json!({"source": "agent:t"}));
    let host = Scripted::default();
    fire(&hooks, &host, &json!({"hook_event_name": "PreToolUse", "tool_name": "T"}));
    fire(&hooks, &host, &json!({"hook_event_name": "Stop"}));
    fire(&hooks, &host, &json!({"hook_event_name": "SubagentStop", "agent_id": "a", "agent_type": "other"}));
    assert_eq!(host.runs().len(), 0);
    fire(&hooks, &host, &event("PreToolUse"));
    fire(&hooks, &host, &event("SubagentStop"));
    assert_eq!(host.runs().len(), 2);
}

#[test]
fn what_a_hook_gets() {
    let settings = json!({
        "source": "plugin:p", "project_dir": "/p",
        "plugins": {"p": {"root": "/plug", "data": "/data", "options": {"key": true}}},
        "environment": {"CLAUDE_CODE_REMOTE": "true", "CLAUDE_CODE_BRIDGE_SESSION_ID": "b", "SECRET": "s"},
    });
    let hooks = load(&one("PreToolUse"), &settings);
    let host = Scripted::default();
    let event = json!({"hook_event_name": "PreToolUse", "tool_name": "T", "effort": {"level": "high"}});
    fire(&hooks, &host, &event);
    let run = &host.runs()[0];
    for (name, value) in [
        ("CLAUDE_PROJECT_DIR", Some("/p")),
        ("CLAUDE_PLUGIN_ROOT", Some("/plug")),
        ("CLAUDE_PLUGIN_DATA", Some("/data")),
        ("CLAUDE_PLUGIN_OPTION_KEY", Some("true")),
        ("CLAUDE_EFFORT", Some("high")),
        ("CLAUDE_CODE_REMOTE", Some("true")),
        ("CLAUDE_CODE_BRIDGE_SESSION_ID", Some("b")),
        ("SECRET", None),
        ("CLAUDE_ENV_FILE", None),
    ] {
        assert_eq!(run.variable(name), value, "{name}");
    }
    assert_eq!(run.timeout, Duration::from_mins(10));
    assert!(
        run.stdin.ends_with(r#""tool_name":"T","tool_input":{}}"#)
            || run.stdin.contains(r#""effort":{"level":"high"}"#)
    );
}

#[test]
fn hooks_that_can_not_start() {
    let config = json!({"hooks": {"Stop": [{"hooks": [
        {"type": "command", "command": "x", "shell": "powershell"},
        {"type": "command", "command": "x ${user_config.a}"},
    ]}]}});
    let host = Scripted::default();
    let outcome = fire(&load(&config, &json!({})), &host, &event("Stop"));
    assert_eq!(host.runs().len(), 0);
    assert_eq!(outcome.decision.blocked, None);
    let messages: Vec<_> = result(&outcome).errors.iter().map(|error| error.message.as_str()).collect();
    assert_eq!(
        messages,
        [
            "Failed with non-blocking status code: powershell is not available in the sandbox",
            "Failed with non-blocking status code: ${user_config.a} is for commands with `args` only",
        ]
    );
}

#[test]
fn tools_get_parts_of_the_payload() {
    let config = json!({"hooks": {"SessionStart": [{"hooks": [
        {"type": "mcp_tool", "server": "s", "tool": "t", "input": {"from": "${source}", "id": "${session_id}"}},
    ]}]}});
    let hooks = load(&config, &json!({}));
    let host = Scripted::default();
    host.answers
        .lock()
        .unwrap()
        .extend([ScriptOutcome::exited(0, "some text", ""), ScriptOutcome::exited(1, "it broke", "")]);
    let start =
        |source: &str| json!({"hook_event_name": "SessionStart", "session_id": "i", "source": source});
    assert_eq!(result(&fire(&hooks, &host, &start("startup"))).contexts.len(), 0);
    assert_eq!(host.requests.lock().unwrap().len(), 0, "no server is there yet");
    assert_eq!(result(&fire(&hooks, &host, &start("clear"))).contexts, ["some text"]);
    let asked = host.requests.lock().unwrap()[0].to_json();
    assert_eq!(asked["arguments"], json!({"from": "clear", "id": "i"}));
    let outcome = fire(&hooks, &host, &start("clear"));
    assert_eq!(result(&outcome).errors[0].message, "Failed with non-blocking status code: it broke");
}

#[test]
fn records() {
    let config = json!({"hooks": {"PostToolUse": [{"matcher": "Write", "hooks": [
        {"type": "command", "command": "a"}, {"type": "command", "command": "b"}, {"type": "command", "command": "c"},
    ]}]}});
    let hooks = load(&config, &json!({"source": "plugin:p"}));
    let host = Scripted::new([
        ScriptOutcome::exited(0, "", ""),
        ScriptOutcome::exited(2, "", "no"),
        ScriptOutcome::ended(Ended::TimedOut),
    ]);
    fire(&hooks, &host, &json!({"hook_event_name": "PostToolUse", "tool_name": "Write"}));
    let logs = host.logs.lock().unwrap();
    let names: Vec<_> = logs.iter().map(|log| log.name.to_string()).collect();
    let wanted = [
        ["hook_registered"; 3].as_slice(),
        &["hook_execution_start"],
        &["hook_started"; 3],
        &["hook_response"; 3],
        &["hook_execution_complete"],
    ];
    assert_eq!(names, wanted.concat());
    assert_eq!(
        Value::Object(logs[0].fields.clone()),
        json!({"hook_id": "plugin:p:PostToolUse_0_0", "hook_event": "PostToolUse", "hook_type": "command",
            "hook_source": "pluginHook", "hook_matcher": "Write", "plugin.name": "p"})
    );
    assert_eq!(
        Value::Object(logs.last().unwrap().fields.clone()),
        json!({"hook_event": "PostToolUse", "hook_name": "PostToolUse:Write", "num_hooks": 3, "num_success": 1,
            "num_blocking": 1, "num_non_blocking_error": 0, "num_cancelled": 1, "total_duration_ms": 0})
    );
    let outcomes: Vec<_> = logs
        .iter()
        .filter(|log| log.name == "hook_response")
        .map(|log| log.fields["outcome"].clone())
        .collect();
    assert_eq!(outcomes, ["success", "success", "cancelled"]);
    drop(logs);
    fire(&hooks, &host, &json!({"hook_event_name": "PostToolUse", "tool_name": "Read"}));
    assert_eq!(host.logs.lock().unwrap().len(), names.len(), "nothing ran, and registration is shown once");
}

#[test]
fn a_moment_that_the_contract_does_not_know_opens_nothing() {
    let hooks = load(&one("Stop"), &json!({}));
    let outcome = fire(&hooks, &Scripted::default(), &json!({"moment": "queue_drain_starting"}));
    assert_eq!((outcome.dialect_result, outcome.records.len()), (None, 0));
}

mod nothing_panics {
    //! Whatever a config, a call or a script says.

    use super::super::path_rule::PathPattern;
    use super::super::schema::Output;
    use super::super::{placeholder, printed, rule};
    use super::{fire, load, one};
    use crate::hook::matcher::RegexCompiler;
    use crate::hook::script::ScriptOutcome;
    use crate::hook::scripted::Scripted;
    use proptest::prelude::*;
    use serde_json::{Value, json};

    fn json_value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i32>().prop_map(Value::from),
            "[a-z{}$ ]{0,8}".prop_map(Value::from),
            prop_oneof![
                Just("PreToolUse"),
                Just("block"),
                Just("deny"),
                Just("allow"),
                Just("command"),
                Just("Stop")
            ]
            .prop_map(Value::from),
        ];
        let name = prop_oneof![
            Just("hooks"),
            Just("PreToolUse"),
            Just("matcher"),
            Just("type"),
            Just("command"),
            Just("if"),
            Just("continue"),
            Just("decision"),
            Just("reason"),
            Just("hookSpecificOutput"),
            Just("hookEventName"),
            Just("permissionDecision"),
            Just("updatedInput"),
            Just("additionalContext"),
            Just("x"),
        ];
        leaf.prop_recursive(5, 32, 4, move |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::vec((name.clone(), inner), 0..4).prop_map(|members| {
                    Value::Object(members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
                }),
            ]
        })
    }

    proptest! {
        #[test]
        fn on_text(text in "\\PC{0,40}", other in "[\\[\\](){}*?|\\\\^$.a-z/~:-]{0,24}") {
            let compiler = &mut RegexCompiler::new(1 << 18);
            for text in [&text, &other] {
                let _ = crate::hook::dialect::expression::compile(text, compiler);
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
            let _ = load(&config, &json!({}));
        }

        #[test]
        fn on_output(output in json_value(), status in 0..4) {
            let text = output.to_string();
            if let Value::Object(members) = output {
                let _ = Output::lenient(members, super::super::event::EventName::PreToolUse);
            }
            for name in ["PreToolUse", "Stop", "PermissionRequest", "UserPromptSubmit"] {
                let host = Scripted::new([ScriptOutcome::exited(status, text.as_str(), "e")]);
                fire(&load(&one(name), &json!({})), &host, &super::event(name));
            }
        }
    }
}

mod with_a_shell {
    //! Handlers that nobody waits for, in a real session.

    use super::{event, load, result};
    use crate::clock::lock;
    use crate::hook::hook_set::HookSet;
    use crate::hook::observer::HookObserver;
    use crate::hook::record::LogRecord;
    use crate::hook::request::Request;
    use crate::hook::runner::{HookFuture, HookHost, LateOutput};
    use crate::hook::script::{Ended, ScriptOutcome};
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
        fn request(&self, _: Request, _: Duration) -> HookFuture<'_, ScriptOutcome> {
            Box::pin(std::future::ready(ScriptOutcome::ended(Ended::NotStarted(String::new()))))
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

    #[tokio::test]
    async fn a_firing_does_not_wait_and_the_host_is_told_later() {
        let config = json!({"hooks": {"PostToolUse": [{"hooks": [
            {"type": "command", "asyncRewake": true, "command": "sleep 0.5; echo broken >&2; exit 2"},
        ]}]}});
        let hooks = load(&config, &json!({}));
        let (session, host) = session();
        let started = Instant::now();
        let outcome = hooks.fire(&session, &hooks.read_event(&event("PostToolUse")).unwrap()).await;
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
        let config = json!({"hooks": {"PostToolUse": [{"hooks": [
            {"type": "command", "async": true, "command": "sleep 60; touch /workspace/done"},
        ]}]}});
        let hooks = load(&config, &json!({}));
        let (session, host) = session();
        for name in ["PostToolUse", "SessionEnd"] {
            hooks.fire(&session, &hooks.read_event(&event(name)).unwrap()).await;
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
        let handlers: Vec<_> = (0..70)
            .map(|n| json!({"type": "command", "async": true, "command": format!("sleep 60; echo {n}")}))
            .collect();
        let hooks = load(&json!({"hooks": {"Stop": [{"hooks": handlers}]}}), &json!({}));
        let (session, _) = session();
        let outcome = hooks.fire(&session, &hooks.read_event(&event("Stop")).unwrap()).await;
        assert_eq!(result(&outcome).errors.len(), 6);
        hooks.fire(&session, &hooks.read_event(&event("SessionEnd")).unwrap()).await;
    }
}
