//! Payloads (A2 of the contract) and the way back from a payload to an event.
//!
//! Six events are an envelope `{"event", "data"}` with camelCase data, beside which Claude Code's flat keys may stand (G9);
//! `Stop` and `PreCompact` are flat. All is compact JSON in the order of the contract's examples; what only facts know comes
//! last. A payload is the same for all hooks of a chain.

use super::event::EventName;
use super::matcher::claude_name;
use crate::hook::error::EventError;
use crate::hook::event::{Event, EventContext, Moment};
use crate::hook::event_field::{EventField, FieldValue, MemberReader, PayloadMember, member};
use crate::hook::json::ObjectWriter;
use crate::hook::payload;
use crate::text::Text;
use serde_json::{Map, Value};
use std::sync::Arc;

/// The working directory that payloads show when the event knows none.
const DEFAULT_CWD: &str = "/workspace";
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

/// What the neutral event has a field for, in `data`.
const ENVELOPE: &[PayloadMember] = &[
    member("userMessage", EventField::Message).required("data.userMessage"),
    member("toolName", EventField::ToolName).required("data.toolName"),
    member("toolInput", EventField::Arguments),
    member("toolOutput", EventField::Result),
    member("error", EventField::Error).required("data.error"),
];

/// The same in a flat payload.
const FLAT: &[PayloadMember] = &[
    member("prompt", EventField::Message),
    member("source", EventField::Source),
    member("tool_name", EventField::ToolName),
    member("tool_input", EventField::Arguments),
    member("tool_response", EventField::Result),
    member("error", EventField::Error),
    member("tool_use_id", EventField::ToolCallId),
    member("turn_end_reason", EventField::Reason),
    member("last_assistant_message", EventField::LastMessage),
    member("trigger", EventField::Trigger),
];

fn append_data(out: &mut Vec<u8>, event: &Event, name: EventName) {
    let mut data = ObjectWriter::new(out);
    put_members(&mut data, event, ENVELOPE);
    data.put("sessionId", &event.context.session_id);
    if !name.row().tool {
        data.put("cwd", event.context.cwd.as_deref().unwrap_or(DEFAULT_CWD));
    }
    put_facts(&mut data, event, name.row().payload);
    data.end();
}

/// An error of a call that failed stands in the place of its output; no output is an empty text.
fn put_members(object: &mut ObjectWriter<'_>, event: &Event, table: &[PayloadMember]) {
    let failed = event.field(EventField::Error).is_some_and(|error| !error.is_nothing());
    for PayloadMember { name, field, .. } in table {
        let Some(value) = event.field(*field) else { continue };
        match (field, value) {
            (EventField::Result, _) if failed => {}
            (EventField::Error, _) if !failed => {}
            (EventField::Source, FieldValue::Nothing) => object.put_text(name, "startup"),
            (_, FieldValue::Nothing) => object.put_text(name, ""),
            (EventField::ToolName, FieldValue::Text(tool)) => object.put_text(name, claude_name(tool)),
            (_, value) => object.put_field(name, value),
        }
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
        Moment::SessionEnded { reason } => {
            flat.put("reason", if reason.is_empty() { "other" } else { reason });
        }
        _ => put_members(&mut flat, event, FLAT),
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
    let mut reader = MemberReader::new(&mut data, ENVELOPE);
    let mut moment = match name {
        EventName::SessionStart => Moment::SessionStarted { source: payload::text(object, "source")? },
        EventName::SessionEnd => {
            Moment::SessionEnded { reason: payload::text(object, "reason")?.unwrap_or_default() }
        }
        _ => reader.moment(name.row())?,
    };
    if let Moment::ToolCallStarting(call) | Moment::ToolCallEnded { call, .. } = &mut moment {
        call.id = payload::text(object, "tool_use_id")?.unwrap_or_default().into();
    }
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
    let moment = MemberReader::new(&mut object, FLAT).moment(name.row())?;
    object.retain(|name, value| name != "transcript_path" || !value.is_null());
    Ok(Event { context: Arc::new(context), at_ms: None, moment, facts: object })
}
