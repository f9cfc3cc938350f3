//! `redact_secrets`: replaces what looks like a secret in arguments, messages and tool output, by the rules of
//! [`crate::hook::redact`].

use super::BuiltinCall;
use crate::hook::dialect::docker_agent::event::EventName;
use serde_json::{Value, json};

pub(super) fn run(call: &BuiltinCall<'_>) -> Result<Option<Value>, String> {
    let redactor = call.bundle.redactor.as_ref().ok_or("redact_secrets is not ready")?;
    let (field, name) = match call.event {
        EventName::PreToolUse | EventName::ToolInputTransform => ("tool_input", "updated_input"),
        EventName::BeforeLlmCall => ("messages", "updated_messages"),
        _ => ("tool_response", "updated_tool_response"),
    };
    let Some(mut value) = call.payload.get(field).cloned() else { return Ok(None) };
    if !redactor.value(&mut value) {
        return Ok(None);
    }
    Ok(Some(json!({"hook_specific_output": {name: value}})))
}
