//! Payloads (A2 of the contract) and the way back from a payload to an event.
//!
//! Six events are an envelope `{"event", "data"}` with camelCase data, beside which Claude Code's flat keys may stand (G9);
//! `Stop` and `PreCompact` are flat. All is compact JSON in the order of the contract's examples; what only facts know comes
//! last. A payload is the same for all hooks of a chain.

use super::event::EventName;
use super::matcher::claude_name;
use crate::hook::error::EventError;
use crate::hook::event::{Channel, Event, EventContext, Moment, ToolCall};
use crate::hook::json::{Json, ObjectWriter};
use crate::hook::payload;
use crate::text::Text;
use serde_json::{Map, Value};
use std::sync::Arc;

/// The permission mode that payloads show when the event knows none.
const DEFAULT_MODE: &str = "workspace-write";
/// A fact that is for the engine: the call's permission so far (G20).
pub(super) const PERMISSION: &str = "permission_decision";
/// A fact and a key of `Stop`: whether the turn was forced by a hook (G18).
pub(super) const STOP_ACTIVE: &str = "stop_hook_active";

/// The payload of an event; `stop_active` is for `Stop` only.
pub(super) fn text(event: &Event, name: EventName, flat_superset: bool, stop_active: bool) -> Text {
    let mut out = Vec::with_capacity(256);
    match name {
        EventName::Stop | EventName::PreCompact => append_flat(&mut out, event, name, stop_active),
        _ => append_envelope(&mut out, event, name, flat_superset),
    }
    Text::from(out)
}

fn append_envelope(out: &mut Vec<u8>, event: &Event, name: EventName, flat_superset: bool) {
    out.extend_from_slice(b"{\"event\":\"");
    out.extend_from_slice(name.name().as_bytes());
    out.extend_from_slice(b"\",\"data\":");
    append_data(out, event, name);
    if flat_superset {
        // The flat object, with a comma in the place of its brace.
        let brace = out.len();
        append_superset(out, event, name);
        if let Some(byte) = out.get_mut(brace) {
            *byte = b',';
        }
    } else {
        out.push(b'}');
    }
}

fn append_data(out: &mut Vec<u8>, event: &Event, name: EventName) {
    let mut data = ObjectWriter::new(out);
    let mut known: &[&str] = &["sessionId", "cwd"];
    match &event.moment {
        Moment::PromptSubmitted { message, .. } => {
            known = &["userMessage", "sessionId", "cwd"];
            data.put("userMessage", &**message);
        }
        Moment::ToolCallStarting(call) => {
            known = &["toolName", "toolInput", "sessionId"];
            put_call(&mut data, ["toolName", "toolInput"], call);
        }
        Moment::ToolCallEnded { call, result, error } => {
            known = &["toolName", "toolInput", "toolOutput", "error", "sessionId"];
            put_call(&mut data, ["toolName", "toolInput"], call);
            put_result(&mut data, "toolOutput", result.as_ref(), error.as_deref());
        }
        _ => {}
    }
    data.put("sessionId", &event.context.session_id);
    if !name.row().tool {
        data.put("cwd", event.context.cwd.as_deref().unwrap_or(DEFAULT_CWD));
    }
    put_facts(&mut data, event, known);
    data.end();
}

fn put_call(object: &mut ObjectWriter<'_>, names: [&str; 2], call: &ToolCall) {
    let [name, input] = names;
    object.put(name, claude_name(&call.name));
    object.put_value(input, &call.arguments);
}

/// An error of a call that failed, else its output; no output is an empty text.
fn put_result(object: &mut ObjectWriter<'_>, name: &str, result: Option<&Json>, error: Option<&str>) {
    match (error, result) {
        (Some(error), _) => object.put("error", error),
        (None, Some(result)) => object.put_value(name, result),
        (None, None) => object.put(name, ""),
    }
}

fn put_facts(object: &mut ObjectWriter<'_>, event: &Event, known: &[&str]) {
    for (name, value) in &event.facts {
        let is_engines = matches!(name.as_str(), PERMISSION | STOP_ACTIVE | "transcript_path");
        if !is_engines && !known.contains(&name.as_str()) {
            object.put_any(name, value);
        }
    }
}

/// The keys that all flat payloads begin with.
fn put_common(object: &mut ObjectWriter<'_>, event: &Event, name: EventName, name_first: bool) {
    let context = &event.context;
    if name_first {
        object.put("hook_event_name", name.name());
    }
    object.put("session_id", &context.session_id);
    object.put("transcript_path", &event.facts.get("transcript_path"));
    object.put("cwd", context.cwd.as_deref().unwrap_or(DEFAULT_CWD));
    object.put("permission_mode", context.permission_mode.as_deref().unwrap_or(DEFAULT_MODE));
    if !name_first {
        object.put("hook_event_name", name.name());
    }
}

/// G9: what Claude Code would send.
fn append_superset(out: &mut Vec<u8>, event: &Event, name: EventName) {
    let mut flat = ObjectWriter::new(out);
    put_common(&mut flat, event, name, false);
    match &event.moment {
        Moment::PromptSubmitted { message, .. } => flat.put("prompt", &**message),
        Moment::SessionStarted { source } => flat.put("source", source.as_deref().unwrap_or("startup")),
        Moment::SessionEnded { reason } => {
            flat.put("reason", if reason.is_empty() { "other" } else { reason });
        }
        Moment::ToolCallStarting(call) => {
            put_call(&mut flat, ["tool_name", "tool_input"], call);
            flat.put("tool_use_id", &*call.id);
        }
        Moment::ToolCallEnded { call, result, error } => {
            put_call(&mut flat, ["tool_name", "tool_input"], call);
            put_result(&mut flat, "tool_response", result.as_ref(), error.as_deref());
            flat.put("tool_use_id", &*call.id);
        }
        _ => {}
    }
    flat.end();
}

/// `Stop` and `PreCompact`.
fn append_flat(out: &mut Vec<u8>, event: &Event, name: EventName, stop_active: bool) {
    let mut flat = ObjectWriter::new(out);
    put_common(&mut flat, event, name, true);
    let mut known: &[&str] = &[];
    match &event.moment {
        Moment::TurnEnded { last_message, .. } => {
            flat.put(STOP_ACTIVE, &stop_active);
            flat.put("last_assistant_message", last_message.as_deref().unwrap_or(""));
            flat.put("turn_end_reason", turn_end_reason(event));
        }
        Moment::CompactionStarting { .. } => {
            known = &["custom_instructions", "compaction_type", "reason"];
            let fact = |name: &str| event.facts.get(name).and_then(Value::as_str);
            let trigger = trigger(event);
            let reason = if trigger == "manual" { "manual_cli" } else { "token_threshold" };
            flat.put("trigger", trigger);
            flat.put("custom_instructions", fact("custom_instructions").unwrap_or(""));
            flat.put("compaction_type", compaction_type(event));
            flat.put("reason", fact("reason").unwrap_or(reason));
        }
        _ => {}
    }
    put_facts(&mut flat, event, known);
    flat.end();
}

/// Why a turn ended.
pub(super) fn turn_end_reason(event: &Event) -> &str {
    match &event.moment {
        Moment::TurnEnded { reason: Some(reason), .. } => reason,
        _ => "final_response",
    }
}

/// What triggered a compaction (G8: the same in payload and log).
pub(super) fn trigger(event: &Event) -> &str {
    match &event.moment {
        Moment::CompactionStarting { trigger } if !trigger.is_empty() => trigger,
        _ => "auto",
    }
}

/// How much a compaction does.
pub(super) fn compaction_type(event: &Event) -> &str {
    event.facts.get("compaction_type").and_then(Value::as_str).unwrap_or("full")
}

/// The event that a payload describes. Members that the contract does not name become facts.
pub(super) fn read_event(payload: &Value) -> Result<Event, EventError> {
    let object = payload::members(payload)?;
    let is_envelope = object.contains_key("event");
    let field = if is_envelope { "event" } else { "hook_event_name" };
    let given = payload::text(object, field)?.ok_or(EventError::Missing("event"))?;
    let name = EventName::read(given)?;
    // Two events are flat, the others stand in an envelope (A2).
    match (is_envelope, matches!(name, EventName::Stop | EventName::PreCompact)) {
        (true, true) => return Err(EventError::Missing("hook_event_name")),
        (false, false) => return Err(EventError::Missing("event")),
        _ => {}
    }
    if is_envelope { read_envelope(object, name) } else { read_flat(object.clone(), name) }
}

fn read_envelope(object: &Map<String, Value>, name: EventName) -> Result<Event, EventError> {
    let mut data = payload::below(object, "data")?;
    let context = EventContext {
        session_id: match payload::take(&mut data, "sessionId")? {
            Some(id) => id,
            None => payload::text(object, "session_id")?.unwrap_or_default(),
        },
        cwd: match payload::take(&mut data, "cwd")? {
            Some(cwd) => Some(cwd),
            None => payload::text(object, "cwd")?,
        },
        permission_mode: payload::text(object, "permission_mode")?,
        ..EventContext::default()
    };
    let id = payload::text(object, "tool_use_id")?.unwrap_or_default();
    let moment = match name {
        EventName::UserPromptSubmit => Moment::PromptSubmitted {
            message: required(&mut data, "userMessage", "data.userMessage")?.into(),
            attachments: Json::default(),
            channel: Channel::Prompt,
        },
        EventName::SessionStart => Moment::SessionStarted { source: payload::text(object, "source")? },
        EventName::SessionEnd => {
            Moment::SessionEnded { reason: payload::text(object, "reason")?.unwrap_or_default() }
        }
        EventName::PreToolUse => Moment::ToolCallStarting(take_call(&mut data, id)?),
        EventName::PostToolUse => {
            let call = take_call(&mut data, id)?;
            let result = payload::take_value(&mut data, "toolOutput");
            Moment::ToolCallEnded { call, result, error: None }
        }
        _ => {
            let call = take_call(&mut data, id)?;
            let error = required(&mut data, "error", "data.error")?;
            Moment::ToolCallEnded { call, result: None, error: Some(error) }
        }
    };
    let transcript = object.get("transcript_path").filter(|path| !path.is_null());
    data.extend(transcript.map(|path| ("transcript_path".to_owned(), path.clone())));
    Ok(Event { context: Arc::new(context), at_ms: None, moment, facts: data })
}

fn read_flat(mut object: Map<String, Value>, name: EventName) -> Result<Event, EventError> {
    object.shift_remove("hook_event_name");
    let context = EventContext {
        session_id: payload::take(&mut object, "session_id")?.unwrap_or_default(),
        cwd: payload::take(&mut object, "cwd")?,
        permission_mode: payload::take(&mut object, "permission_mode")?,
        ..EventContext::default()
    };
    let moment = if name == EventName::Stop {
        Moment::TurnEnded {
            success: true,
            tool_calls: Vec::new(),
            reason: payload::take(&mut object, "turn_end_reason")?,
            last_message: payload::take(&mut object, "last_assistant_message")?,
        }
    } else {
        Moment::CompactionStarting { trigger: payload::take(&mut object, "trigger")?.unwrap_or_default() }
    };
    object.retain(|name, value| name != "transcript_path" || !value.is_null());
    Ok(Event { context: Arc::new(context), at_ms: None, moment, facts: object })
}

fn take_call(data: &mut Map<String, Value>, id: String) -> Result<ToolCall, EventError> {
    Ok(ToolCall {
        name: required(data, "toolName", "data.toolName")?.into(),
        id: id.into(),
        arguments: data.shift_remove("toolInput").unwrap_or_else(|| Value::Object(Map::new())).into(),
    })
}

fn required(
    data: &mut Map<String, Value>,
    name: &'static str,
    shown: &'static str,
) -> Result<String, EventError> {
    payload::take(data, name)?.ok_or(EventError::Missing(shown))
}

/// The working directory that payloads show when the event knows none.
pub(super) const DEFAULT_CWD: &str = "/workspace";

/// The directory that hooks run in, where the event names one.
pub(super) fn cwd_of(event: &Event) -> Option<Text> {
    event.context.cwd.as_deref().map(Text::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The contract's examples (A2).
    const EXAMPLES: [&str; 8] = [
        r#"{"event":"UserPromptSubmit","data":{"userMessage":"hi","sessionId":"s1","cwd":"/workspace"}}"#,
        r#"{"event":"SessionStart","data":{"sessionId":"s1","cwd":"/workspace"}}"#,
        r#"{"event":"SessionEnd","data":{"sessionId":"s1","cwd":"/workspace"}}"#,
        r#"{"event":"PreToolUse","data":{"toolName":"Bash","toolInput":{"command":"ls"},"sessionId":"s1"}}"#,
        r#"{"event":"PostToolUse","data":{"toolName":"Bash","toolInput":{"command":"ls"},"toolOutput":"a\n","sessionId":"s1"}}"#,
        r#"{"event":"PostToolUseFailure","data":{"toolName":"Bash","toolInput":{"command":"x"},"error":"not found","sessionId":"s1"}}"#,
        r#"{"hook_event_name":"Stop","session_id":"s1","transcript_path":null,"cwd":"/workspace","permission_mode":"workspace-write","stop_hook_active":false,"last_assistant_message":"","turn_end_reason":"final_response"}"#,
        r#"{"hook_event_name":"PreCompact","session_id":"s1","transcript_path":null,"cwd":"/workspace","permission_mode":"workspace-write","trigger":"auto","custom_instructions":"","compaction_type":"full","reason":"token_threshold"}"#,
    ];

    fn again(payload: &str, flat_superset: bool) -> String {
        let event = read_event(&serde_json::from_str(payload).unwrap()).unwrap();
        let name = EventName::at(&event.moment).unwrap();
        String::from_utf8_lossy(&text(&event, name, flat_superset, false)).into_owned()
    }

    #[test]
    fn the_examples_come_back_byte_for_byte() {
        for example in EXAMPLES {
            assert_eq!(again(example, false), example);
        }
    }

    #[test]
    fn g9_flat_keys_stand_beside_the_envelope() {
        for example in &EXAMPLES[..6] {
            let flat = again(example, true);
            assert!(flat.starts_with(example.strip_suffix('}').unwrap()), "{flat}");
            let value: Value = serde_json::from_str(&flat).unwrap();
            assert_eq!(value["hook_event_name"], value["event"]);
            assert_eq!(again(&flat, true), flat);
        }
        assert_eq!(
            again(EXAMPLES[3], true),
            r#"{"event":"PreToolUse","data":{"toolName":"Bash","toolInput":{"command":"ls"},"sessionId":"s1"},"session_id":"s1","transcript_path":null,"cwd":"/workspace","permission_mode":"workspace-write","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"ls"},"tool_use_id":""}"#
        );
    }

    #[test]
    fn neutral_events_get_the_contracts_names() {
        let event: Event = serde_json::from_str(
            r#"{"moment":"tool_call_starting","session_id":"s1","tool_name":"run_shell_command","tool_call_id":"c","arguments":{"command":"ls"},"facts":{"extra":1}}"#,
        )
        .unwrap();
        let shown = text(&event, EventName::PreToolUse, false, false);
        assert_eq!(
            String::from_utf8_lossy(&shown),
            r#"{"event":"PreToolUse","data":{"toolName":"Bash","toolInput":{"command":"ls"},"sessionId":"s1","extra":1}}"#
        );
        let event: Event =
            serde_json::from_str(r#"{"moment":"compaction_starting","trigger":"manual","session_id":"s"}"#)
                .unwrap();
        let shown = text(&event, EventName::PreCompact, true, false);
        assert!(shown.ends_with(
            br#""trigger":"manual","custom_instructions":"","compaction_type":"full","reason":"manual_cli"}"#
        ));
    }

    #[test]
    fn what_is_no_payload_is_told() {
        for (payload, wanted) in [
            ("[]", "event: `payload` must be an object"),
            ("{}", "event: `event` is missing"),
            (r#"{"event":"PreToolUse"}"#, "event: `data.toolName` is missing"),
            (r#"{"event":"Stop"}"#, "event: `hook_event_name` is missing"),
            (r#"{"hook_event_name":"PreToolUse"}"#, "event: `event` is missing"),
            (
                r#"{"event":"UserPromptSubmit","data":{"userMessage":1}}"#,
                "event: `userMessage` must be a string",
            ),
        ] {
            assert_eq!(read_event(&serde_json::from_str(payload).unwrap()).unwrap_err().to_string(), wanted);
        }
        let error = read_event(&serde_json::json!({"event": "x"})).unwrap_err().to_string();
        assert!(error.starts_with("event: unknown event `"), "{error}");
    }
}
