//! The payload: the envelope and its `data` (2 of the contract), the variables and the file that carry it (3), and the way
//! back from a payload to an event.
//!
//! The envelope is compact JSON in a fixed field order. Only `hook_id` differs between the hooks of a chain, so the text
//! before and after it is encoded once and again only after a hook changed something.

use super::event::EventName;
use crate::hook::error::EventError;
use crate::hook::event::{Event, EventContext, Moment};
use crate::hook::event_field::{EventField, FieldValue, MemberReader, PayloadMember, member};
use crate::hook::json::{ObjectWriter, append_text};
use crate::hook::payload;
use crate::hook::runner::HookRunner;
use crate::hook::timestamp::{append_time, uuid};
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

/// The envelope of one event, around the place of `hook_id`.
#[derive(Debug)]
pub(super) struct Envelope {
    head: Vec<u8>,
    /// What follows: `common` bytes that stay, then the data.
    tail: Vec<u8>,
    common: usize,
    name: EventName,
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
        Self { head, tail, common, name, stale: true }
    }

    /// To be called when a hook changed something.
    pub(super) const fn changed(&mut self) {
        self.stale = true;
    }

    /// The whole envelope for one hook; `current` is the moment with what hooks changed so far.
    pub(super) fn text(&mut self, event: &Event, current: &Moment, id_json: &[u8]) -> Text {
        if self.stale {
            self.tail.truncate(self.common);
            append_data(&mut self.tail, self.name, event, current);
            self.tail.push(b'}');
            self.stale = false;
        }
        Text::from([self.head.as_slice(), id_json, &self.tail].concat())
    }
}

fn append_data(out: &mut Vec<u8>, name: EventName, event: &Event, current: &Moment) {
    let mut object = ObjectWriter::new(out);
    for name in name.row().payload {
        let field = MEMBERS.iter().find(|member| member.name == *name).map(|member| member.field);
        let value = field.and_then(|field| current.field(field).or_else(|| event.field(field)));
        match value.unwrap_or(FieldValue::Nothing) {
            FieldValue::Json(value) if *name == "attachments" && !value.is_array() => {
                object.put_value(name, &Value::Array(Vec::new()));
            }
            value => object.put_field(name, value),
        }
    }
    for (name, value) in &event.facts {
        object.put_any(name, value);
    }
    object.end();
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
