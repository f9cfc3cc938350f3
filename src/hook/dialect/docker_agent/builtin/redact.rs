//! `redact_secrets`: replaces what looks like a secret in arguments, messages and tool output, by the rules of
//! [`crate::hook::redact`].

use super::BuiltinCall;
use crate::hook::dialect::docker_agent::event::EventName;
use serde_json::{Map, Value, json};

pub(super) fn run(call: &BuiltinCall<'_>) -> Result<Option<Value>, String> {
    let redactor = call.redactor.ok_or("redact_secrets is not ready")?;
    let field = match call.event {
        EventName::PreToolUse | EventName::ToolInputTransform => "tool_input",
        EventName::BeforeLlmCall => "messages",
        _ => "tool_response",
    };
    let Some(mut value) = call.payload.get(field).cloned() else { return Ok(None) };
    if !redactor.value(&mut value) {
        return Ok(None);
    }
    let (name, value) = match call.event {
        EventName::PreToolUse | EventName::ToolInputTransform => ("updated_input", value),
        EventName::BeforeLlmCall => ("updated_messages", value),
        _ => ("updated_tool_response", value),
    };
    let specific = Map::from_iter([(name.to_owned(), value)]);
    Ok(Some(json!({"hook_specific_output": specific})))
}
