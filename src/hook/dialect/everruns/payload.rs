//! The payload: the envelope and its `data` (2 of the contract), the variables and the file that carry it (3), and the way
//! back from a payload to an event.
//!
//! The envelope is compact JSON in a fixed field order. Only `hook_id` differs between the hooks of a chain, so the rest is
//! written once, and again only after a hook changed something.

use super::event::EventName;
use crate::hook::error::EventError;
use crate::hook::event::{Event, EventContext, Moment};
use crate::hook::event_field::{EventField, FieldValue, MemberReader, PayloadMember, member};
use crate::hook::json::ObjectWriter;
use crate::hook::payload;
use crate::hook::runner::HookRunner;
use crate::hook::timestamp::{time_text, uuid};
use crate::text::Text;
use serde_json::Value;
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
const PREFIX: &str = "EVERRUNS";

/// The names of the variables that are a hook's own (R20), and that of the workspace (R19).
pub(in crate::hook) const VARIABLES: [&str; 9] = [
    "EVERRUNS_HOOK_PAYLOAD_JSON",
    "EVERRUNS_HOOK_PAYLOAD_PATH",
    "EVERRUNS_HOOK_EVENT",
    "EVERRUNS_HOOK_ID",
    "EVERRUNS_HOOK_SESSION_ID",
    "EVERRUNS_HOOK_TURN_ID",
    "EVERRUNS_HOOK_TOOL_NAME",
    "EVERRUNS_HOOK_TOOL_CALL_ID",
    "WORKSPACE",
];

/// [`VARIABLES`] under one prefix.
#[derive(Debug)]
pub(super) struct Variables(pub(super) [Text; 9]);

impl Variables {
    pub(super) fn new(prefix: Option<&str>) -> Self {
        Self(VARIABLES.map(|name| match (prefix, name.strip_prefix(PREFIX)) {
            (Some(prefix), Some(rest)) => Text::from(format!("{prefix}{rest}")),
            _ => Text::from_static(name.as_bytes()),
        }))
    }
}

/// The members of `data`.
const MEMBERS: &[PayloadMember] = &[
    member("agent_id", EventField::AgentId),
    member("message", EventField::Message).required("data.message"),
    member("attachments", EventField::Attachments),
    member("tool_name", EventField::ToolName).required("data.tool_name"),
    member("tool_call_id", EventField::ToolCallId),
    member("arguments", EventField::Arguments),
    member("result", EventField::Result),
    member("error", EventField::Error),
    member("success", EventField::Success),
    member("tool_calls", EventField::ToolCalls),
    member("reason", EventField::Reason),
];

/// The envelope of one event.
#[derive(Debug)]
pub(super) struct Envelope {
    name: EventName,
    now: Duration,
    /// All but the value of `hook_id`; empty when it has to be written.
    text: Vec<u8>,
    /// Where that value belongs.
    id_at: usize,
}

impl Envelope {
    pub(super) const fn new(name: EventName, now: Duration) -> Self {
        Self { name, now, text: Vec::new(), id_at: 0 }
    }

    /// To be called when a hook changed something.
    pub(super) fn changed(&mut self) {
        self.text.clear();
    }

    /// The whole envelope for one hook; `current` is the moment with what hooks changed so far.
    pub(super) fn text(&mut self, event: &Event, current: &Moment, id_json: &[u8]) -> Text {
        if self.text.is_empty() {
            self.write(event, current);
        }
        let (head, tail) = self.text.split_at_checked(self.id_at).unwrap_or_default();
        Text::from([head, id_json, tail].concat())
    }

    fn write(&mut self, event: &Event, current: &Moment) {
        let context = &event.context;
        self.text.reserve(512);
        let mut object = ObjectWriter::new(&mut self.text);
        object.put_text("event", self.name.name());
        self.id_at = object.put_later("hook_id");
        object.put_text("session_id", &context.session_id);
        object.put("turn_id", &context.turn_id);
        object.put("org_id", &context.org_id);
        object.put("agent_id", &context.agent_id);
        object.put_text("ts", &time_text(self.now));
        let mut data = object.put_object("data");
        for name in self.name.row().payload {
            let field = MEMBERS.iter().find(|member| member.name == *name).map(|member| member.field);
            let value = field.and_then(|field| current.field(field).or_else(|| event.field(field)));
            match value.unwrap_or(FieldValue::Nothing) {
                FieldValue::Json(value) if *name == "attachments" && !value.is_array() => {
                    data.put(name, &[(); 0]);
                }
                value => data.put_field(name, value),
            }
        }
        for (name, value) in &event.facts {
            data.put_any(name, value);
        }
        data.end();
        object.end();
    }
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
    id.replace(|character: char| !(character.is_ascii_alphanumeric() || matches!(character, '_' | '-')), "_")
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
    if event == EventName::SessionStart {
        let agent_id = payload::take(&mut data, "agent_id")?;
        context.agent_id = context.agent_id.take().or(agent_id);
    }
    let moment = MemberReader::new(&mut data, MEMBERS).moment(event.row())?;
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
