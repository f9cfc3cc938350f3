//! inference-gateway CLI: facts, reader, writer, translations.

use super::{Draft, ExitRule, Facts, Matching, PortableHandler, PortableHook, place, text, whole_seconds};
use crate::document::Node;
use crate::hook::dialect::infer::event::EVENTS;
use serde_json::{Map, Value, json};
use std::sync::OnceLock;
use std::time::Duration;

pub(crate) static FACTS: Facts = Facts {
    events: EVENTS,
    more_output: &[],
    decisions: &[],
    payload: &["hook", "turn", "session_id"],
    is_flat: true,
    names: OnceLock::new(),
    variables: &[],
    variable_prefixes: &[],
    shell_tool: "",
    shell_argument: &[],
    shell_in_payload: "",
    stops_early: false,
    merges_arguments: false,
    exit: ExitRule::Ignored,
    default_timeout: Duration::from_secs(30),
    longest_timeout: None,
    timeout_unit: "seconds",
    read,
    write,
    payload_in: r"
        {moment: $moment, session_id, turn_id: (.turn | tostring)}",
    payload_out: r#"
        {hook: $event, session_id: (.session_id // ""), turn: (.turn_id // "1" | tonumber? // 1)}"#,
    answer_in: r#"
        {verdict: "none"}"#,
    answer_out: r#"
        {stdout: (((.contexts // []) | join("\n")) | if . == "" then . else . + "\n" end),
         stderr: (if .verdict == "deny" or .verdict == "ask" then (.reason // "") + "\n" else "" end), status: 0}"#,
    matching: Matching::None,
};

fn read(node: &Node) -> Vec<PortableHook> {
    let hooks = node.get("hooks").and_then(Node::as_array).unwrap_or(&[]);
    // Off by default: a file without the switch is one whose hooks do not run.
    let enabled = super::flag(node, "enabled").unwrap_or(false);
    hooks
        .iter()
        .map(|node| {
            let mut hook = PortableHook::new(&FACTS, &text(node, "hook").unwrap_or_default(), node.at);
            hook.name = text(node, "name");
            hook.timeout = super::number(node, "timeout").and_then(super::seconds);
            hook.enabled = enabled;
            hook.places.timeout = place(node, "timeout");
            hook.places.script = place(node, "command");
            hook.handler = PortableHandler::Script(text(node, "command").unwrap_or_default());
            hook
        })
        .collect()
}

fn write(hooks: &[Draft]) -> Value {
    let enabled = hooks.iter().any(|hook| hook.enabled);
    let hooks: Vec<Value> = hooks
        .iter()
        .enumerate()
        .map(|(index, hook)| {
            let mut spec = Map::new();
            let name = hook.name.clone().unwrap_or_else(|| format!("{}_{index}", hook.event.name));
            spec.insert("name".into(), name.into());
            spec.insert("hook".into(), hook.event.name.into());
            spec.insert("command".into(), super::with_environment(hook).into());
            if let Some(timeout) = hook.timeout {
                spec.insert("timeout".into(), whole_seconds(timeout).into());
            }
            Value::Object(spec)
        })
        .collect();
    json!({"enabled": enabled, "hooks": hooks})
}
