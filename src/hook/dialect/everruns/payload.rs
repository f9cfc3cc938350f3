//! The payload: the envelope and its `data` (2 of the contract), the variables and the file that carry it (3), and the way
//! back from a payload to an event.
//!
//! The envelope is compact JSON in a fixed field order. Only `hook_id` differs between the hooks of a chain, so the text
//! before and after it is encoded once and again only after a hook changed something.

use super::event::EventName;
use crate::hook::error::EventError;
use crate::hook::event::{Event, EventContext, Moment, ToolCall};
use crate::hook::json::{Json, ObjectWriter, append_text};
use crate::hook::payload;
use crate::hook::runner::HookRunner;
use crate::hook::timestamp::{append_time, uuid};
use crate::text::Text;
use serde_json::{Map, Value};
use std::sync::Arc;
use std::time::Duration;

/// The base environment (R19).
pub(super) const BASE: [(&[u8], &[u8]); 4] = [
    (b"HOME", b"/home/agent"),
    (b"SHELL", b"/bin/bash"),
    (b"PATH", b"/usr/local/bin:/usr/bin:/bin"),
    (b"WORKSPACE", b"/workspace"),
];

/// What the names of the hook variables begin with, unless the host says otherwise.
pub(super) const PREFIX: &str = "EVERRUNS";

/// Names of the hook variables (R20) under one prefix.
#[derive(Debug)]
pub(super) struct Variables {
    pub(super) payload_json: Text,
    pub(super) payload_path: Text,
    pub(super) event: Text,
    pub(super) id: Text,
    pub(super) session_id: Text,
    pub(super) turn_id: Text,
    pub(super) tool_name: Text,
    pub(super) tool_call_id: Text,
}

impl Variables {
    pub(super) fn new(prefix: &str) -> Self {
        let name = |usual: &'static str| match usual.strip_prefix(PREFIX) {
            Some(rest) if prefix != PREFIX => Text::from(format!("{prefix}{rest}")),
            _ => Text::from_static(usual.as_bytes()),
        };
        Self {
            payload_json: name("EVERRUNS_HOOK_PAYLOAD_JSON"),
            payload_path: name("EVERRUNS_HOOK_PAYLOAD_PATH"),
            event: name("EVERRUNS_HOOK_EVENT"),
            id: name("EVERRUNS_HOOK_ID"),
            session_id: name("EVERRUNS_HOOK_SESSION_ID"),
            turn_id: name("EVERRUNS_HOOK_TURN_ID"),
            tool_name: name("EVERRUNS_HOOK_TOOL_NAME"),
            tool_call_id: name("EVERRUNS_HOOK_TOOL_CALL_ID"),
        }
    }
}

/// What the hooks of a chain may have changed so far.
#[derive(Debug, Default)]
pub(super) struct Current {
    pub(super) arguments: Json,
    pub(super) message: Option<Arc<str>>,
    pub(super) result: Option<Json>,
    pub(super) error: Option<String>,
}

impl Current {
    pub(super) fn of(event: &Event) -> Self {
        let mut current = Self::default();
        match &event.moment {
            Moment::ToolCallStarting(call) => current.arguments = call.arguments.clone(),
            Moment::ToolCallEnded { call, result, error } => {
                current.arguments = call.arguments.clone();
                current.result.clone_from(result);
                current.error.clone_from(error);
            }
            Moment::PromptSubmitted { message, .. } => current.message = Some(Arc::clone(message)),
            _ => {}
        }
        current
    }
}

/// The envelope of one event, around the place of `hook_id`.
#[derive(Debug)]
pub(super) struct Envelope {
    head: Vec<u8>,
    /// What follows: `common` bytes that stay, then the data.
    tail: Vec<u8>,
    common: usize,
    stale: bool,
}

impl Envelope {
    pub(super) fn new(event: &Event, name: EventName, now: Duration) -> Self {
        let mut head = Vec::with_capacity(48);
        head.extend_from_slice(b"{\"event\":\"");
        head.extend_from_slice(name.name().as_bytes());
        head.extend_from_slice(b"\",\"hook_id\":");
        let context = &event.context;
        let mut tail = Vec::with_capacity(512);
        tail.extend_from_slice(b",\"session_id\":");
        append_text(&mut tail, &context.session_id);
        for (key, id) in [
            (b",\"turn_id\":".as_slice(), &context.turn_id),
            (b",\"org_id\":", &context.org_id),
            (b",\"agent_id\":", &context.agent_id),
        ] {
            tail.extend_from_slice(key);
            match id {
                Some(id) => append_text(&mut tail, id),
                None => tail.extend_from_slice(b"null"),
            }
        }
        tail.extend_from_slice(b",\"ts\":\"");
        append_time(&mut tail, now);
        tail.extend_from_slice(b"\",\"data\":");
        let common = tail.len();
        Self { head, tail, common, stale: true }
    }

    /// To be called when a hook changed something.
    pub(super) const fn changed(&mut self) {
        self.stale = true;
    }

    /// The whole envelope for one hook.
    pub(super) fn text(&mut self, event: &Event, current: &Current, id_json: &[u8]) -> Text {
        if self.stale {
            self.tail.truncate(self.common);
            append_data(&mut self.tail, event, current);
            self.tail.push(b'}');
            self.stale = false;
        }
        Text::from([self.head.as_slice(), id_json, &self.tail].concat())
    }
}

fn append_data(out: &mut Vec<u8>, event: &Event, current: &Current) {
    let mut object = ObjectWriter::new(out);
    match &event.moment {
        Moment::SessionStarted { .. } => object.put("agent_id", &event.context.agent_id),
        Moment::PromptSubmitted { attachments, .. } => {
            object.put("message", current.message.as_deref().unwrap_or(""));
            object.put("attachments", attachments.as_array().map_or(&[][..], Vec::as_slice));
        }
        Moment::ToolCallStarting(call) => put_call(&mut object, call, current),
        Moment::ToolCallEnded { call, .. } => {
            put_call(&mut object, call, current);
            object.put("result", &current.result);
            object.put("error", &current.error);
            object.put("success", &current.error.is_none());
        }
        Moment::TurnEnded { success, tool_calls, .. } => {
            object.put("success", success);
            object.put("tool_calls", tool_calls);
        }
        Moment::SessionEnded { reason } => object.put("reason", reason),
        _ => {}
    }
    for (name, value) in &event.facts {
        object.put_any(name, value);
    }
    object.end();
}

fn put_call(object: &mut ObjectWriter<'_>, call: &ToolCall, current: &Current) {
    object.put_text("tool_name", &call.name);
    object.put_text("tool_call_id", &call.id);
    object.put_value("arguments", &current.arguments);
}

/// A fresh payload file's path (R22): a time-ordered UUID (version 7) after the hook's safe id.
pub(super) fn file_path(safe_id: &str, now: Duration, host: &dyn HookRunner) -> Text {
    let (a, b) = (host.random_u64(), host.random_u64());
    let high = (now.as_millis() as u64) << 16 | 0x7000 | a & 0xfff;
    let low = (0x8000 | a >> 12 & 0x3fff) << 48 | b & 0xffff_ffff_ffff;
    let directory = b"/workspace/.hooks/".as_slice();
    Text::from([directory, safe_id.as_bytes(), b"-", &uuid(high, low), b".json"].concat())
}

/// A hook id as part of a file name.
pub(super) fn safe_id(id: &str) -> String {
    let keep = |character: char| character.is_ascii_alphanumeric() || matches!(character, '_' | '-');
    id.chars().map(|character| if keep(character) { character } else { '_' }).collect()
}

/// The event that a payload describes. Of the envelope only `event` is needed; `hook_id` is the engine's to fill and is not
/// looked at. Without `ts` the event happens now. Members of `data` that the contract does not name become facts.
pub(super) fn read_event(payload: &Value) -> Result<Event, EventError> {
    let envelope = payload::members(payload)?;
    let name = payload::text(envelope, "event")?.ok_or(EventError::Missing("event"))?;
    let event = EventName::read(name)?;
    let mut data = payload::below(envelope, "data")?;
    let mut context = EventContext {
        session_id: payload::text(envelope, "session_id")?.unwrap_or_default(),
        turn_id: payload::text(envelope, "turn_id")?,
        org_id: payload::text(envelope, "org_id")?,
        agent_id: payload::text(envelope, "agent_id")?,
        ..EventContext::default()
    };
    let moment = moment(event, &mut data, &mut context)?;
    let at_ms = match payload::text(envelope, "ts")? {
        None => None,
        Some(text) => {
            let stamp: jiff::Timestamp =
                text.parse().map_err(|_| EventError::Type { field: "ts", expected: "an RFC 3339 time" })?;
            Some(u64::try_from(stamp.as_millisecond()).unwrap_or(0))
        }
    };
    Ok(Event { context: Arc::new(context), at_ms, moment, facts: data })
}

/// Takes the members that the event names out of `data`.
fn moment(
    event: EventName,
    data: &mut Map<String, Value>,
    context: &mut EventContext,
) -> Result<Moment, EventError> {
    Ok(match event {
        EventName::SessionStart => {
            let agent_id = payload::take(data, "agent_id")?;
            context.agent_id = context.agent_id.take().or(agent_id);
            Moment::SessionStarted { source: None }
        }
        EventName::UserPromptSubmit => Moment::PromptSubmitted {
            message: payload::take(data, "message")?.ok_or(EventError::Missing("data.message"))?.into(),
            attachments: data.shift_remove("attachments").unwrap_or_else(|| Value::Array(Vec::new())).into(),
            channel: crate::hook::event::Channel::Prompt,
        },
        EventName::PreToolUse => Moment::ToolCallStarting(take_call(data)?),
        EventName::PostToolUse => {
            let call = take_call(data)?;
            let result = payload::take_value(data, "result");
            let error = payload::take(data, "error")?;
            data.shift_remove("success");
            Moment::ToolCallEnded { call, result, error }
        }
        EventName::TurnEnd => Moment::TurnEnded {
            success: match data.shift_remove("success") {
                None | Some(Value::Null) => true,
                Some(Value::Bool(success)) => success,
                Some(_) => return Err(EventError::Type { field: "data.success", expected: "a boolean" }),
            },
            tool_calls: match data.shift_remove("tool_calls") {
                None | Some(Value::Null) => Vec::new(),
                Some(calls) => serde_json::from_value(calls).map_err(|_| EventError::Type {
                    field: "data.tool_calls",
                    expected: "a list of {tool_name, tool_call_id, success}",
                })?,
            },
            reason: None,
            last_message: None,
        },
        EventName::SessionEnd => {
            Moment::SessionEnded { reason: payload::take(data, "reason")?.unwrap_or_default() }
        }
    })
}

fn take_call(data: &mut Map<String, Value>) -> Result<ToolCall, EventError> {
    Ok(ToolCall {
        name: payload::take(data, "tool_name")?.ok_or(EventError::Missing("data.tool_name"))?.into(),
        id: payload::take(data, "tool_call_id")?.unwrap_or_default().into(),
        arguments: data.shift_remove("arguments").unwrap_or_else(|| Value::Object(Map::new())).into(),
    })
}
