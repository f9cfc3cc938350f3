//! Payloads that a host sends and outputs that hooks give, in every dialect.

use super::hook::{fire, options, settled};
use super::parts;
use hookbox::hook::{Dialect, Event, HookSet, Purpose};
use hookbox::vfs::{Change, FileKind};
use serde_json::{Map, Value, json};
use std::fmt::Write as _;

/// Events that have a hook here, as each dialect writes them.
const fn events(dialect: Dialect) -> &'static [&'static str] {
    match dialect {
        Dialect::Everruns => {
            &["session_start", "user_prompt_submit", "pre_tool_use", "post_tool_use", "turn_end"]
        }
        Dialect::DockerAgent => &[
            "pre_tool_use",
            "tool_input_transform",
            "tool_response_transform",
            "post_tool_use",
            "permission_request",
            "user_prompt_submit",
            "before_llm_call",
            "before_compaction",
            "stop",
            "worktree_create",
        ],
        Dialect::ClaudeCode => &[
            "SessionStart",
            "UserPromptSubmit",
            "PreToolUse",
            "PermissionRequest",
            "PostToolUse",
            "PostToolBatch",
            "Stop",
            "Elicitation",
            "MessageDisplay",
            "WorktreeCreate",
        ],
        Dialect::Agentao => {
            &["UserPromptSubmit", "SessionStart", "PreToolUse", "PostToolUse", "Stop", "PreCompact"]
        }
        Dialect::Infer => &["pre_session", "pre_tool", "post_tool", "pre_stream", "post_session"],
        Dialect::Goclaw => &["session_start", "user_prompt_submit", "pre_tool_use", "post_tool_use", "stop"],
        _ => &[],
    }
}

/// A config in which every event has a hook that runs `script`.
fn hooks(dialect: Dialect, script: &str) -> HookSet {
    let is_known = !events(dialect).is_empty();
    assert!(is_known, "{dialect}: its events and its config belong into fuzz/src/target/event.rs");
    let names = events(dialect).iter();
    let command = json!({"type": "command", "command": script});
    let map = |entry: &dyn Fn(&str) -> Value| -> Map<String, Value> {
        events(dialect).iter().map(|name| ((*name).to_owned(), entry(name))).collect()
    };
    let config = match dialect {
        Dialect::Everruns => json!({"hooks": names.map(|event| json!({"event": event, "on_error": "block",
            "executor": {"type": "bash", "command": script}})).collect::<Vec<_>>()}),
        Dialect::DockerAgent => {
            let has_matcher = |event: &str| event.contains("tool") || event == "permission_request";
            json!({"agents": {"root": {"hooks": map(&|event| {
                if has_matcher(event) { json!([{"hooks": [command]}]) } else { json!([command]) }
            })}}})
        }
        Dialect::ClaudeCode => json!({"hooks": map(&|_| json!([{"hooks": [command]}]))}),
        Dialect::Agentao => json!({"hooks": map(&|_| json!([command]))}),
        Dialect::Infer => json!({"enabled": true, "hooks": names.map(|event| {
            json!({"name": event, "hook": event, "command": script})
        }).collect::<Vec<_>>()}),
        _ => names
            .map(|event| {
                json!({"name": event, "event": event, "handler_type": "command", "scope": "tenant",
                "config": {"command": script}})
            })
            .collect(),
    };
    HookSet::load(dialect, config.to_string().as_bytes(), &options(dialect, Purpose::Save)).unwrap()
}

/// A payload in JSON, in every dialect and in the neutral form. An event that is read is written and read as the same, and
/// its hook gets it.
pub fn payload(data: &[u8]) {
    let [payload] = parts(data);
    let Ok(payload) = serde_json::from_slice::<Value>(payload) else { return };
    for &dialect in Dialect::ALL {
        let hooks = hooks(dialect, "cat; env | grep -c . >&2");
        let Ok(event) = hooks.read_event(&payload) else { continue };
        let written = serde_json::to_value(&event).expect("an event is JSON");
        let again: Event =
            serde_json::from_value(written.clone()).unwrap_or_else(|error| panic!("{written}: {error}"));
        assert_eq!(serde_json::to_value(&again).expect("an event is JSON"), written, "{dialect}");
        if let Some((outcome, changes)) = fire(&hooks, &payload) {
            let _ = outcome.to_json();
            // A folder of payload files stays; what does not fit into an answer is kept in a file of its own.
            let kept = |change: &Change| {
                change.file == FileKind::Directory || change.path.starts_with(b"/tmp/claude-")
            };
            assert!(changes.iter().all(kept), "{dialect}: left behind: {changes:?}");
        }
        if let Some((outcome, _)) = fire(&hooks.shadow(), &payload) {
            assert!(outcome.decision.proceeds(), "{dialect}: enforced in shadow mode");
        }
    }
}

/// What a hook prints and its status, for every event of every dialect: the outcome is a decision, and always the same.
pub fn output(data: &[u8]) {
    let [stdout, stderr, status] = parts(data);
    let status = status.first().map_or(0, |byte| byte.wrapping_sub(b'0'));
    let script = format!("printf %b '{}'; printf %b '{}' >&2; exit {status}", octal(stdout), octal(stderr));
    for &dialect in Dialect::ALL {
        let mut fires = script.len() > 1_000;
        for event in events(dialect) {
            let payload = json!({"session_id": "s", "hook_event_name": event, "tool_name": "bash",
                "tool_input": {"command": "ls"}, "event": event, "hook": event, "hookEvent": event, "data": {}});
            // Hooks of a dialect know an event that they have had.
            let outcome =
                || fire(&hooks(dialect, &script), &payload).map(|(outcome, _)| settled(outcome.to_json()));
            let once = outcome();
            fires |= once.is_some();
            assert_eq!(once, outcome(), "{dialect} {event}");
        }
        assert!(fires, "{dialect}: the payload has not the members that its events want");
    }
}

/// The bytes as `printf %b` reads them.
fn octal(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "\\0{byte:03o}");
        text
    })
}
