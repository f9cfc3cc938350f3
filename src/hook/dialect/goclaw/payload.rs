//! The payload (2 of the contract): one object with both spellings of its keys, and the way back from a payload to an event.

use super::event::EventName;
use crate::hook::error::EventError;
use crate::hook::event::{Event, EventContext, Moment};
use crate::hook::event_field::{EventField, FieldValue, MemberReader, PayloadMember, member};
use crate::hook::json::{Json, append_text, append_value};
use crate::hook::payload;
use crate::hook::runner::HookRunner;
use crate::hook::timestamp::random_uuid;
use serde_json::{Map, Value};
use std::sync::Arc;

/// Both spellings, in the order of the payload.
const KEYS: [(&str, &str); 9] = [
    ("eventId", "EventID"),
    ("sessionId", "SessionID"),
    ("tenantId", "TenantID"),
    ("agentId", "AgentID"),
    ("toolName", "ToolName"),
    ("toolInput", "ToolInput"),
    ("rawInput", "RawInput"),
    ("depth", "Depth"),
    ("hookEvent", "HookEvent"),
];

/// What a tool call came to; the product does not send it.
const AFTER: [&str; 2] = ["toolOutput", "toolError"];

/// What a payload says, with what hooks rewrote so far.
#[derive(Clone, Debug)]
pub(super) struct Payload {
    pub(super) event_id: String,
    pub(super) name: EventName,
    pub(super) context: Arc<EventContext>,
    pub(super) tool_name: Arc<str>,
    /// `null` when there is no call.
    pub(super) tool_input: Json,
    pub(super) raw_input: Arc<str>,
    /// Output and error of a finished call, when the host has them.
    after: Option<(Json, Option<String>)>,
    /// What else the host knows; keys of the payload are not among it.
    more: Map<String, Value>,
}

impl Payload {
    pub(super) fn new(event: &Event, name: EventName, host: &dyn HookRunner) -> Self {
        let fact = |name: &str| event.facts.get(name).and_then(Value::as_str);
        let call = event.tool_call();
        let raw_input = match &event.moment {
            Moment::PromptSubmitted { message, .. } => Arc::clone(message),
            _ => Arc::from(fact("rawInput").unwrap_or("")),
        };
        let after = match &event.moment {
            Moment::ToolCallEnded { result, error, .. } if result.is_some() || error.is_some() => {
                Some((result.clone().unwrap_or_default(), error.clone()))
            }
            _ => None,
        };
        let known = |name: &str| {
            AFTER.contains(&name) || KEYS.iter().any(|(camel, pascal)| name == *camel || name == *pascal)
        };
        let more = event.facts.iter().filter(|(name, _)| !known(name));
        Self {
            event_id: fact("eventId").map_or_else(|| random_uuid(|| host.random_u64()), str::to_owned),
            name,
            context: Arc::clone(&event.context),
            tool_name: call.map_or_else(|| Arc::from(""), |call| Arc::clone(&call.name)),
            tool_input: call.map_or_else(Json::default, |call| call.arguments.clone()),
            raw_input,
            after,
            more: more.map(|(name, value)| (name.clone(), value.clone())).collect(),
        }
    }

    /// Compact JSON; `<`, `>` and `&` stay as they are.
    pub(super) fn encode(&self) -> Vec<u8> {
        let mut out = vec![b'{'];
        let put = |out: &mut Vec<u8>, key: &str, value: FieldValue<'_>| {
            if out.len() > 1 {
                out.push(b',');
            }
            append_text(out, key);
            out.push(b':');
            let start = out.len();
            match value {
                FieldValue::Text(text) => append_text(out, text),
                other => append_value(out, &other.to_json()),
            }
            start..out.len()
        };
        // Each value stands there twice; it is written once and copied.
        let values = KEYS.map(|(camel, _)| put(&mut out, camel, self.field(camel)));
        for ((_, pascal), value) in KEYS.into_iter().zip(values) {
            out.push(b',');
            append_text(&mut out, pascal);
            out.push(b':');
            out.extend_from_within(value);
        }
        if let Some((output, error)) = &self.after {
            put(&mut out, "toolOutput", FieldValue::Json(output));
            put(&mut out, "toolError", error.as_deref().map_or(FieldValue::Nothing, FieldValue::Text));
        }
        for (name, value) in &self.more {
            put(&mut out, name, FieldValue::Json(value));
        }
        out.push(b'}');
        out
    }

    fn field(&self, camel: &str) -> FieldValue<'_> {
        FieldValue::Text(match camel {
            "eventId" => &self.event_id,
            "sessionId" => &self.context.session_id,
            "tenantId" => self.context.org_id.as_deref().unwrap_or(""),
            "agentId" => self.context.agent_id.as_deref().unwrap_or(""),
            "toolName" => &self.tool_name,
            "toolInput" => return FieldValue::Json(&self.tool_input),
            "rawInput" => &self.raw_input,
            "depth" => return FieldValue::Number(self.context.depth.into()),
            _ => self.name.name(),
        })
    }

    /// What a script's `handle` gets: the camelCase keys.
    pub(super) fn for_script(&self) -> Value {
        let member = |(camel, _): (&str, _)| (camel.to_owned(), self.field(camel).to_json().into_owned());
        Value::Object(KEYS.into_iter().map(member).collect())
    }
}

/// What the neutral event has a field for.
const MEMBERS: &[PayloadMember] = &[
    member("rawInput", EventField::Message),
    member("toolName", EventField::ToolName),
    member("toolInput", EventField::Arguments),
    member("toolOutput", EventField::Result),
    member("toolError", EventField::Error),
];

/// The sample event of `hooks.test` and the product's own payloads: either spelling, missing keys empty.
pub(super) fn read_event(payload: &Value) -> Result<Event, EventError> {
    let object = payload::members(payload)?;
    let given = |name: &str| object.get(name).filter(|value| !value.is_null());
    let spelt =
        KEYS.iter().filter_map(|(camel, pascal)| Some((*camel, given(camel).or_else(|| given(pascal))?)));
    let after = AFTER.iter().filter_map(|name| Some((*name, given(name)?)));
    let mut rest: Map<_, _> =
        spelt.chain(after).map(|(name, value)| (name.to_owned(), value.clone())).collect();
    let name = payload::take(&mut rest, "hookEvent")?.ok_or(EventError::Missing("hookEvent"))?;
    let name = EventName::read(name)?;
    let depth = match rest.shift_remove("depth") {
        None => 0,
        Some(value) => value
            .as_u64()
            .and_then(|depth| u32::try_from(depth).ok())
            .ok_or(EventError::Type { field: "depth", expected: "a small integer" })?,
    };
    let context = EventContext {
        session_id: payload::take(&mut rest, "sessionId")?.unwrap_or_default(),
        org_id: payload::take(&mut rest, "tenantId")?,
        agent_id: payload::take(&mut rest, "agentId")?,
        depth,
        ..EventContext::default()
    };
    if rest.get("toolInput").is_some_and(|input| !input.is_object()) {
        return Err(EventError::Type { field: "toolInput", expected: "an object or null" });
    }
    rest.retain(|name, value| name != "toolError" || value.is_string());
    let mut facts = Map::new();
    facts.extend(payload::take(&mut rest, "eventId")?.map(|id| ("eventId".to_owned(), Value::from(id))));
    let mut reader = MemberReader { no_arguments: Value::Null, ..MemberReader::new(&mut rest, MEMBERS) };
    let moment = reader.moment(name.row())?;
    // Where there is no message, the text belongs to the event all the same.
    let text = payload::take(&mut rest, "rawInput")?.filter(|text| !text.is_empty());
    facts.extend(text.map(|text| ("rawInput".to_owned(), Value::from(text))));
    Ok(Event { context: Arc::new(context), at_ms: None, moment, facts })
}
