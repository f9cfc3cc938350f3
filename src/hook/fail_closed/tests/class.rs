//! The whole class: every event that can be blocked, of every dialect, with every kind of handler that it takes and every kind of
//! failure, is blocked.

use super::super::*;
use crate::hook::contract::LoadOptions;
use crate::hook::dialect::list::Dialect;
use crate::hook::hook_set::HookSet;
use crate::hook::portable;
use crate::hook::script::ScriptOutcome;
use crate::hook::scripted::{Scripted, block_on};
use crate::missing::{Missing, MissingKind};
use serde_json::{Value, json};
use std::path::Path;

/// One hook for an event; `None`: the event takes no such handler.
type Make = fn(&EventRow) -> Option<Value>;

/// A kind of handler of a dialect.
struct Kind {
    dialect: Dialect,
    name: &'static str,
    config: Make,
    /// A host is asked, no script is run.
    asks: bool,
    /// What is printed or answered is read; else an end without an error is all that counts.
    reads: bool,
    /// Nothing printed is no answer.
    needs_output: fn(&EventRow) -> bool,
}

fn docker(event: &EventRow, hook: Value) -> Value {
    let entry = if event.tool { json!({"hooks": [hook]}) } else { hook };
    json!({"hooks": {event.name: [entry]}})
}

fn claude(event: &EventRow, hook: &Value) -> Option<Value> {
    let config = json!({"hooks": {event.name: [{"hooks": [hook]}]}});
    let loaded =
        HookSet::load(Dialect::ClaudeCode, config.to_string().as_bytes(), &LoadOptions::default()).unwrap();
    (!loaded.hooks().is_empty()).then_some(config)
}

fn goclaw(event: &EventRow, kind: &str, config: &Value) -> Value {
    json!([{"event": event.name, "scope": "global", "handler_type": kind, "if_expr": "true", "on_timeout": "allow", "config": config}])
}

const NEVER: fn(&EventRow) -> bool = |_| false;
const ALWAYS: fn(&EventRow) -> bool = |_| true;

fn kind(dialect: Dialect, name: &'static str, asks: bool, config: Make) -> Kind {
    Kind { dialect, name, config, asks, reads: true, needs_output: NEVER }
}

fn kinds() -> Vec<Kind> {
    let is_guard: fn(&EventRow) -> bool =
        |event| event.name.ends_with("_content_guard") || event.name == "prompt_file_guard";
    vec![
        kind(Dialect::Everruns, "bash", false, |event| {
            Some(json!({"hooks": [{"event": event.name, "executor": {"type": "bash", "command": "x"}}]}))
        }),
        Kind {
            needs_output: is_guard,
            ..kind(Dialect::DockerAgent, "command", false, |event| {
                Some(docker(event, json!({"type": "command", "command": "x", "on_error": "ignore"})))
            })
        },
        Kind {
            needs_output: ALWAYS,
            ..kind(Dialect::DockerAgent, "model", true, |event| {
                let hook = json!({"type": "model", "model": "a/b", "prompt": "p", "schema": "guard_decision", "on_error": "ignore"});
                // A model does not say where a conversation goes.
                let routes = event.name.contains("_agent_");
                (!routes).then(|| docker(event, hook))
            })
        },
        Kind {
            needs_output: ALWAYS,
            ..kind(Dialect::DockerAgent, "evaluator", true, |event| {
                let policy =
                    json!({"decisions": {"true": "deny"}, "min_probability": 0.9, "fallback": "ask"});
                let hook = json!({"type": "evaluator", "evaluator": "e", "evaluator_policy": policy});
                (event.name == "tool_guard").then(|| docker(event, hook))
            })
        },
        Kind {
            reads: false,
            ..kind(Dialect::DockerAgent, "http_post", true, |event| {
                let arguments = ["https://x.example/", "{}"];
                Some(docker(event, json!({"type": "builtin", "command": "http_post", "args": arguments})))
            })
        },
        kind(Dialect::ClaudeCode, "command", false, |event| {
            claude(event, &json!({"type": "command", "command": "x"}))
        }),
        kind(Dialect::ClaudeCode, "http", true, |event| {
            claude(event, &json!({"type": "http", "url": "https://x.example/"}))
        }),
        kind(Dialect::ClaudeCode, "mcp_tool", true, |event| {
            claude(event, &json!({"type": "mcp_tool", "server": "s", "tool": "t"}))
        }),
        Kind {
            needs_output: ALWAYS,
            ..kind(Dialect::ClaudeCode, "prompt", true, |event| {
                claude(event, &json!({"type": "prompt", "prompt": "p $ARGUMENTS"}))
            })
        },
        Kind {
            needs_output: ALWAYS,
            ..kind(Dialect::ClaudeCode, "agent", true, |event| {
                claude(event, &json!({"type": "agent", "prompt": "p $ARGUMENTS"}))
            })
        },
        kind(Dialect::Agentao, "command", false, |event| {
            Some(json!({"hooks": {event.name: [{"type": "command", "command": "x"}]}}))
        }),
        kind(Dialect::Goclaw, "command", false, |event| {
            Some(goclaw(event, "command", &json!({"command": "x"})))
        }),
        kind(Dialect::Goclaw, "http", true, |event| {
            Some(goclaw(event, "http", &json!({"url": "https://x.example/"})))
        }),
        Kind {
            needs_output: ALWAYS,
            ..kind(Dialect::Goclaw, "prompt", true, |event| {
                Some(goclaw(event, "prompt", &json!({"prompt_template": "p"})))
            })
        },
    ]
}

fn failures(asks: bool, reads: bool) -> Vec<(&'static str, ScriptOutcome)> {
    let lacking = |kind, name: &str| {
        let missing = vec![Missing { kind, name: name.to_owned() }];
        ScriptOutcome { missing, ..ScriptOutcome::exited(0, "", "") }
    };
    let mut all = vec![
        ("time", ScriptOutcome::ended(Ended::TimedOut)),
        ("limit of output", ScriptOutcome::ended(Ended::OutputExceeded)),
        ("not started", ScriptOutcome::ended(Ended::NotStarted("nobody answers".to_owned()))),
        ("bad JSON", ScriptOutcome::exited(if asks { 200 } else { 0 }, r#"{"decision": "blo"#, "")),
        (
            "a wrong type",
            ScriptOutcome::exited(
                if asks { 200 } else { 0 },
                r#"{"decision": 7, "continue": "no", "blockingError": 7}"#,
                "",
            ),
        ),
        (
            "a member that nobody reads",
            ScriptOutcome::exited(if asks { 200 } else { 0 }, r#"{"desicion": "block"}"#, ""),
        ),
    ];
    if !reads {
        all.retain(|(_, outcome)| outcome.end != Ended::Exited);
    }
    if asks {
        all.push(("a status", ScriptOutcome::exited(500, "{}", "")));
        all.push(("a refusal", ScriptOutcome::exited(403, "no", "")));
    } else {
        all.extend([
            ("a crash", ScriptOutcome::exited(1, "", "boom")),
            ("a signal", ScriptOutcome::exited(137, "", "")),
            ("no command", ScriptOutcome::exited(127, "", "x: command not found")),
            ("no permission", ScriptOutcome::exited(126, "", "x: Permission denied")),
            ("syntax", ScriptOutcome::ended(Ended::Syntax("bash: line 1: syntax error".to_owned()))),
            ("a command that the script hid", lacking(MissingKind::Command, "jq")),
            ("a script that the script hid", lacking(MissingKind::File, "/workspace/guard.sh")),
        ]);
    }
    all
}

fn payloads(dialect: Dialect) -> Vec<Value> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/schema").join(format!("{dialect}.jsonl"));
    let text = std::fs::read_to_string(path).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// How often a failed question may be put again.
const TIMES: usize = 4;

fn proceeds(hooks: &HookSet, asks: bool, outcome: &ScriptOutcome, payload: &Value) -> bool {
    let outcomes = vec![outcome.clone(); TIMES];
    let host = if asks {
        Scripted { answers: std::sync::Mutex::new(outcomes.into()), ..Scripted::default() }
    } else {
        Scripted::new(outcomes)
    };
    let event = hooks.read_event(payload).unwrap();
    block_on(hooks.fire(&host, &event)).decision.proceeds()
}

#[test]
fn every_event_every_handler_every_failure() {
    for &dialect in Dialect::ALL {
        let blocks = portable::facts(dialect).events.iter().any(|event| event.blocks);
        assert!(
            !blocks || kinds().iter().any(|kind| kind.dialect == dialect),
            "{dialect}: no row of `kinds`"
        );
    }
    let (mut count, mut open) = (0, Vec::new());
    for Kind { dialect, name, config, asks, reads, needs_output } in kinds() {
        let payloads = payloads(dialect);
        for (event, payload) in portable::facts(dialect).events.iter().zip(&payloads) {
            assert!(payload.to_string().contains(&format!("\"{}\"", event.name)), "{dialect} {}", event.name);
            let Some(config) = config(event).filter(|_| event.blocks) else { continue };
            let options = LoadOptions { fail_closed: true, ..LoadOptions::default() };
            let hooks = match HookSet::load(dialect, config.to_string().as_bytes(), &options) {
                Ok(hooks) => hooks,
                Err(error) => panic!("{dialect} {name} {}: {error}", event.name),
            };
            let mut failures = failures(asks, reads);
            if needs_output(event) {
                failures.push(("nothing printed", ScriptOutcome::exited(if asks { 200 } else { 0 }, "", "")));
                failures
                    .push(("an empty object", ScriptOutcome::exited(if asks { 200 } else { 0 }, "{}", "")));
            }
            for (what, failure) in failures {
                count += 1;
                if proceeds(&hooks, asks, &failure, payload) {
                    open.push(format!("{dialect} {} {name}: {what}", event.name));
                }
            }
        }
    }
    assert!(open.is_empty(), "{} of {count}:\n{}", open.len(), open.join("\n"));
    assert!(count > 1200, "{count}");
}

#[test]
fn what_could_not_be_looked_at() {
    let list = format!("[{}]", vec!["1"; 200].join(","));
    let costly = format!("{list}.all(a, {list}.all(b, {list}.all(c, {list}.all(d, a + b + c + d > 0))))");
    let goclaw = |condition: &str| json!([{"event": "pre_tool_use", "scope": "global", "handler_type": "command", "if_expr": condition, "config": {"command": "x"}}]);
    let claude = |matcher: &str, rule: Option<&str>| {
        let mut hook = json!({"type": "command", "command": "x"});
        if let Some(rule) = rule {
            hook["if"] = rule.into();
        }
        json!({"hooks": {"PreToolUse": [{"matcher": matcher, "hooks": [hook]}]}})
    };
    let exec = json!({"moment": "tool_call_starting", "tool_name": "exec", "tool_call_id": "c"});
    let tool = |name: &str| json!({"hook_event_name": "PreToolUse", "tool_name": name, "tool_input": {"command": "ls"}});
    let shell = json!({"hook_event_name": "tool_guard", "tool_name": "shell", "tool_input": {}});
    let builtin = json!({"hooks": {"tool_guard": [{"hooks": [{"type": "builtin", "command": "no_such", "on_error": "ignore"}]}]}});
    let context = json!({"hooks": {"user_prompt_submit": [{"type": "builtin", "command": "add_context", "args": ["{{ .Nope }}"], "on_error": "ignore"}]}});
    let prompt = json!({"hook_event_name": "user_prompt_submit", "prompt": "hi"});
    let rows = [
        ("a condition that fails", Dialect::Goclaw, goclaw("tool_input.none == 'x'"), exec.clone()),
        ("a condition that divides by nothing", Dialect::Goclaw, goclaw("1 / 0 == 1"), exec.clone()),
        ("a condition that is no truth", Dialect::Goclaw, goclaw("tool_input"), exec.clone()),
        ("a condition that costs too much", Dialect::Goclaw, goclaw(&costly), exec),
        ("a matcher that does not compile", Dialect::ClaudeCode, claude("(x", None), tool("Bash")),
        ("a rule that is none", Dialect::ClaudeCode, claude("Bash", Some("Bash(ls")), tool("Bash")),
        ("a built-in that is not there", Dialect::DockerAgent, builtin, shell),
        ("a template that fails", Dialect::DockerAgent, context, prompt),
    ];
    for (what, dialect, config, payload) in rows {
        let options = LoadOptions { fail_closed: true, ..LoadOptions::default() };
        // What is refused as a whole guards nothing, and lets nothing through: there is no hook set to fire.
        let Ok(hooks) = HookSet::load(dialect, config.to_string().as_bytes(), &options) else { continue };
        let outcome = ScriptOutcome::exited(0, "", "");
        assert!(!proceeds(&hooks, false, &outcome, &payload), "{dialect}: {what}");
    }
    // A matcher that takes too many steps to know counts as one that fits: the hook runs and sees for itself.
    let config = claude(r"^(?:(a+)\1*)*(?=b)", None);
    let hooks =
        HookSet::load(Dialect::ClaudeCode, config.to_string().as_bytes(), &LoadOptions::default()).unwrap();
    assert!(!proceeds(&hooks, false, &ScriptOutcome::exited(2, "", "no"), &tool(&"a".repeat(60))));
    assert!(proceeds(&hooks, false, &ScriptOutcome::exited(2, "", "no"), &tool("c")));
}
