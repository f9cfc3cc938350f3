//! What dialects share, ported between any two of them and fired through the engine of the target: hooks at both ends of a
//! session, a guard of messages, an observer after a tool, a word to the model, an expression in a matcher.

use super::*;
use crate::hook::contract::LoadOptions;
use crate::hook::decision::Decision;
use crate::hook::event_table::Mark;
use crate::hook::hook_set::HookSet;

/// A session's start and end and a finished call each write a line; a message with `secret` is blocked.
fn config(dialect: Dialect) -> Value {
    let write = |line: &str| format!("echo {line} >> /workspace/log");
    let guard =
        |path: &str| format!("if jq -r '{path}' | grep -q secret; then echo 'no secrets' >&2; exit 2; fi");
    match dialect {
        Dialect::Everruns => {
            let hook = |event: &str, command: String| json!({"event": event, "executor": {"type": "bash", "command": command}});
            let guard = "if jq -r .data.message | grep -q secret; then echo '{\"decision\":\"block\",\"reason\":\"no secrets\"}'; fi";
            json!({"hooks": [hook("session_start", write("started")), hook("user_prompt_submit", guard.to_owned()),
                hook("post_tool_use", write("after")), hook("session_end", write("ended"))]})
        }
        Dialect::DockerAgent => {
            let hook = |command: String| json!({"type": "command", "command": command});
            json!({"hooks": {"session_start": [hook(write("started"))], "user_prompt_submit": [hook(guard(".prompt"))],
                "post_tool_use": [{"matcher": "*", "hooks": [hook(write("after"))]}], "session_end": [hook(write("ended"))]}})
        }
        Dialect::ClaudeCode => {
            let hook = |command: String| json!([{"hooks": [{"type": "command", "command": command}]}]);
            json!({"hooks": {"SessionStart": hook(write("started")), "UserPromptSubmit": hook(guard(".prompt")),
                "PostToolUse": hook(write("after")), "SessionEnd": hook(write("ended"))}})
        }
        Dialect::Agentao => {
            let hook = |command: String| json!([{"type": "command", "command": command}]);
            json!({"hooks": {"SessionStart": hook(write("started")), "UserPromptSubmit": hook(guard(".data.userMessage")),
                "PostToolUse": hook(write("after")), "SessionEnd": hook(write("ended"))}})
        }
        Dialect::Infer => {
            let hook =
                |point: &str, command: String| json!({"name": point, "hook": point, "command": command});
            json!({"enabled": true, "hooks": [hook("pre_session", write("started")), hook("post_session", write("ended"))]})
        }
        Dialect::Goclaw => {
            let hook = |event: &str, command: String| json!({"event": event, "handler_type": "command", "scope": "global", "config": {"command": command}});
            json!([
                hook("session_start", write("started")),
                hook("user_prompt_submit", guard(".rawInput")),
                hook("post_tool_use", write("after")),
                hook("stop", write("ended"))
            ])
        }
    }
}

/// Fires events one after another in one session: the decisions, and the lines that hooks wrote.
pub(super) fn fire(dialect: Dialect, config: &Value, events: &[Value]) -> (Vec<Decision>, String) {
    let mut options = LoadOptions::default();
    match dialect {
        Dialect::Infer => {
            let list = json!({"bash": {"mode": {"all": {"allow": [".*"]}}}});
            options.settings.insert("tools".to_owned(), list);
        }
        Dialect::Goclaw => {
            options.settings.insert("builtins".to_owned(), false.into());
        }
        _ => {}
    }
    let hooks = HookSet::load(dialect, config.to_string().as_bytes(), &options)
        .unwrap_or_else(|error| panic!("{dialect}: {error}\n{config:#}"));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let sandbox = Sandbox::builder().build().unwrap();
    let fire = |event: &Value| {
        let event = hooks.read_event(event).unwrap();
        runtime.block_on(hooks.fire(&sandbox, &event)).decision
    };
    let decisions = events.iter().map(fire).collect();
    let log = sandbox.fs().read(b"/workspace/log");
    (decisions, log.map(|log| String::from_utf8_lossy(&log).into_owned()).unwrap_or_default())
}

fn session(dialect: Dialect) -> Vec<Value> {
    let facts = portable::facts(dialect);
    let tool = if facts.shell_tool.is_empty() { "shell" } else { facts.shell_tool };
    vec![
        json!({"moment": "session_started", "session_id": "s", "source": "startup"}),
        json!({"moment": "prompt_submitted", "session_id": "s", "message": "my secret plan"}),
        json!({"moment": "prompt_submitted", "session_id": "s", "message": "my plan"}),
        json!({"moment": "tool_call_ended", "session_id": "s", "tool_name": tool, "tool_call_id": "c",
            "arguments": {}, "result": "ok", "error": null}),
        json!({"moment": "session_ended", "session_id": "s", "reason": "other"}),
    ]
}

/// The moments at which hooks of `config` run, with what those that write do write.
const MOMENTS: [(&str, &str); 4] = [
    ("session_started", "started\n"),
    ("prompt_submitted", ""),
    ("tool_call_ended", "after\n"),
    ("session_ended", "ended\n"),
];

/// Which of them all of these dialects know.
fn known<'m>(by: &[Dialect]) -> Vec<(&'m str, &'m str)> {
    let is_known = |moment: &str| by.iter().all(|dialect| event_of(*dialect, moment).is_some());
    MOMENTS.into_iter().filter(|(moment, _)| is_known(moment)).collect()
}

fn lines(moments: &[(&str, &str)]) -> String {
    moments.iter().map(|(_, line)| *line).collect()
}

#[test]
fn a_session_goes_as_before_in_every_dialect() {
    for dialect in Dialect::ALL {
        let (_, log) = fire(*dialect, &config(*dialect), &session(*dialect));
        assert_eq!(log, lines(&known(&[*dialect])), "{dialect}");
    }
    for (from, to) in pairs() {
        let converted = port(from, to, &config(from));
        let (decisions, log) = fire(to, &converted.config, &session(to));
        let lost: Vec<&Remark> =
            converted.remarks.iter().filter(|remark| remark.kind == RemarkKind::Lost).collect();
        let (before, kept) = (known(&[from]), known(&[from, to]));
        assert_eq!(log, lines(&kept), "{from} {to}");
        let reasons: Vec<Option<&str>> = decisions
            .iter()
            .map(|decision| decision.blocked.as_ref().map(|block| block.reason.as_str()))
            .collect();
        let blocks = kept.iter().any(|(moment, _)| *moment == "prompt_submitted").then_some("no secrets");
        assert_eq!(reasons, [None, blocks, None, None, None], "{from} {to}");
        let told = |kind: RemarkKind, text: &str| {
            let is_it = |remark: &Remark| remark.kind == kind && remark.text.contains(text);
            assert!(converted.remarks.iter().any(is_it), "{from} {to} {text}: {:?}", converted.remarks);
        };
        // What ran after a call runs there after all calls of a reply.
        let stands_in = to == Dialect::Infer && before.iter().any(|(moment, _)| *moment == "tool_call_ended");
        if stands_in {
            told(RemarkKind::Changed, "`post_tool` is not the same moment");
        }
        assert_eq!(converted.hooks, (before.len(), kept.len() + usize::from(stands_in)), "{from} {to}");
        if kept.len() < before.len() {
            told(RemarkKind::Lost, &format!("{to} has no event for"));
            continue;
        }
        assert!(lost.is_empty(), "{from} {to}: {lost:?}");
        let back = port(to, from, &converted.config).config;
        assert_eq!(back, port(from, from, &config(from)).config, "{from} {to}");
    }
}

/// A context for the model on a message: text where text is read, the dialect's object where not.
fn context(dialect: Dialect) -> Option<Value> {
    Some(match dialect {
        Dialect::DockerAgent => {
            json!({"hooks": {"user_prompt_submit": [{"type": "command", "command": "echo be kind"}]}})
        }
        Dialect::ClaudeCode => {
            json!({"hooks": {"UserPromptSubmit": [{"hooks": [{"type": "command", "command": "echo be kind"}]}]}})
        }
        Dialect::Agentao => {
            json!({"hooks": {"UserPromptSubmit": [{"type": "command", "command": "echo be kind"}]}})
        }
        _ => return None,
    })
}

#[test]
fn a_word_to_the_model_arrives_or_is_told_as_lost() {
    for (from, to) in pairs() {
        let Some(config) = context(from) else { continue };
        let converted = port(from, to, &config);
        let (decisions, _) = fire(to, &converted.config, &session(to)[2..3]);
        let arrived = decisions.first().is_some_and(|decision| decision.contexts == ["be kind"]);
        let told = converted.remarks.iter().any(|remark| {
            let texts = ["text for the model has no place there", "has no event for"];
            remark.kind == RemarkKind::Lost && texts.iter().any(|text| remark.text.contains(text))
        });
        let has_place = event_of(to, "prompt_submitted").is_some_and(|row| row.has(Mark::Context));
        assert_eq!(arrived, has_place, "{from} {to}: {decisions:?}");
        assert_eq!(told, !arrived, "{from} {to}: {:?}", converted.remarks);
    }
}

#[test]
fn an_expression_in_a_matcher_is_kept() {
    let script = "echo \"$(cat)\" >> /workspace/log; true";
    let configs = [
        (
            Dialect::DockerAgent,
            json!({"hooks": {"pre_tool_use": [{"matcher": "mcp_[a-c].*", "hooks": [{"type": "command", "command": script}]}]}}),
        ),
        (
            Dialect::ClaudeCode,
            json!({"hooks": {"PreToolUse": [{"matcher": "^mcp_[a-c]", "hooks": [{"type": "command", "command": script}]}]}}),
        ),
        (
            Dialect::Agentao,
            json!({"hooks": {"PreToolUse": [{"type": "command", "matcher": {"tool_name": "^mcp_[a-c].*$"}, "command": script}]}}),
        ),
        (
            Dialect::Goclaw,
            json!([{"event": "pre_tool_use", "handler_type": "command", "scope": "global", "matcher": "^mcp_[a-c]", "config": {"command": script}}]),
        ),
    ];
    let call = |tool: &str| json!({"moment": "tool_call_starting", "session_id": "s", "tool_name": tool, "tool_call_id": "c", "arguments": {}});
    for (from, config) in &configs {
        let all = Dialect::ALL.iter().filter(|to| portable::facts(**to).matching != Matching::None);
        for to in all.filter(|to| *to != from) {
            let converted = port(*from, *to, config);
            for (tool, runs) in [("mcp_b_x", true), ("mcp_d", false), ("x_mcp_b", false)] {
                let (_, log) = fire(*to, &converted.config, &[call(tool)]);
                assert_eq!(!log.is_empty(), runs, "{from} {to} {tool}: {log}\n{:#}", converted.config);
            }
        }
    }
}

#[test]
fn a_matcher_over_a_value_is_tested_in_the_adapter() {
    for (matcher, source, runs) in [
        ("startup|resume", "resume", true),
        ("startup|resume", "clear", false),
        ("^start", "startup", true),
        ("^start", "clear", false),
    ] {
        let config = json!({"hooks": {"SessionStart": [{"matcher": matcher,
            "hooks": [{"type": "command", "command": "echo x >> /workspace/log"}]}]}});
        let converted = port(Dialect::ClaudeCode, Dialect::DockerAgent, &config);
        let event = json!({"moment": "session_started", "session_id": "s", "source": source});
        let (_, log) = fire(Dialect::DockerAgent, &converted.config, &[event]);
        assert_eq!(!log.is_empty(), runs, "{matcher} {source}");
    }
}
