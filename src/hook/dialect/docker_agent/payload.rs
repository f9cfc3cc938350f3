//! The payload (2.2 of the contract): flat, `snake_case`, fields in the order of the contract's table, empty ones left out
//! (R6); and the way back from a payload to an event.
//!
//! A field's value is a fact of that name, else what the neutral event says. Facts that no row of the table names follow at
//! the end, except those that speak to the engine ([`FOR_THE_ENGINE`]).

use super::event::EventName;
use crate::hook::error::EventError;
use crate::hook::event::{Channel, Event, EventContext, Moment};
use crate::hook::event_field::{EventField, FieldValue, MemberReader, PayloadMember, member};
use crate::hook::json::{Json, ObjectWriter};
use crate::hook::payload;
use crate::text::Text;
use rustc_hash::FxHashSet;
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::sync::Arc;

/// Facts that are not part of a payload: which lane of `pre_tool_use` fires, what already allowed the call (5.4), and in the manual's
/// contract the category of the tool (R34).
pub(super) const FOR_THE_ENGINE: [&str; 3] = ["lane", "approved_by", "tool_category"];

/// What the neutral event has a field for.
const MEMBERS: &[PayloadMember] = &[
    member("agent_name", EventField::AgentName),
    member("tool_name", EventField::ToolName).required("tool_name"),
    member("tool_use_id", EventField::ToolCallId),
    member("tool_input", EventField::Arguments),
    member("tool_response", EventField::Result),
    member("source", EventField::Source),
    member("reason", EventField::Reason),
    member("prompt", EventField::Message),
    member("stop_response", EventField::LastMessage),
    member("stop_response", EventField::Response),
    member("model_id", EventField::Model),
    member("iteration", EventField::Iteration),
    member("approval_decision", EventField::Decision),
    member("approval_source", EventField::DecidedBy),
    member("compaction_reason", EventField::Trigger),
    member("source", EventField::Trigger),
    member("summary", EventField::Summary),
    member("notification_level", EventField::Level),
    member("notification_message", EventField::Notice),
];

/// What hooks rewrote.
#[derive(Debug, Default)]
pub(super) struct Rewrites {
    /// The call's arguments as they become.
    pub(super) input: Option<Json>,
    pub(super) response: Option<Json>,
    pub(super) messages: Option<Json>,
}

/// What hooks of an event get.
pub(super) struct Payload<'a> {
    pub(super) event: &'a Event,
    pub(super) name: EventName,
    /// What was rewritten so far (R21).
    pub(super) rewrites: &'a Rewrites,
    /// The session's directory, where the event does not say.
    pub(super) cwd: Option<&'a Text>,
    /// Hooks get to see the tool's category.
    pub(super) shows_category: bool,
}

impl<'a> Payload<'a> {
    /// Names and values, in order; the event or a rewrite may hold a value already.
    fn members(&self) -> Vec<(&'a str, Cow<'a, Value>)> {
        let Self { event, name, .. } = *self;
        let own = event.context.cwd.clone();
        let own = own.or_else(|| self.cwd.map(|cwd| cwd.to_string_lossy().into_owned()));
        let mut all = vec![
            ("session_id", Cow::Owned(event.context.session_id.as_str().into())),
            ("cwd", Cow::Owned(own.into())),
            ("hook_event_name", Cow::Owned(name.name().into())),
        ];
        all.extend(name.fields().iter().map(|field| (*field, self.field(field))));
        let known: FxHashSet<&str> = all.iter().map(|(key, _)| *key).chain(FOR_THE_ENGINE).collect();
        let is_shown = |key: &str| !known.contains(key) || key == "tool_category" && self.shows_category;
        let others = event.facts.iter().filter(|(key, _)| is_shown(key));
        all.extend(others.map(|(key, value)| (key.as_str(), Cow::Borrowed(value))));
        all.retain(|(key, value)| *key == "cost" && !value.is_null() || !is_empty(value));
        all
    }

    /// As a value.
    pub(super) fn value(&self) -> Map<String, Value> {
        let members = self.members().into_iter();
        members.map(|(key, value)| (key.to_owned(), value.into_owned())).collect()
    }

    /// As text.
    pub(super) fn text(&self) -> Text {
        let mut out = Vec::with_capacity(256);
        let mut object = ObjectWriter::new(&mut out);
        for (key, value) in self.members() {
            object.put_any(key, &value);
        }
        object.end();
        Text::from(out)
    }

    fn field(&self, field: &str) -> Cow<'a, Value> {
        let Self { event, name, rewrites, .. } = *self;
        let rewritten = match field {
            "tool_input" => rewrites.input.as_deref().map(Cow::Borrowed),
            "tool_response" => rewrites.response.as_deref().map(Cow::Borrowed),
            "messages" => rewrites.messages.as_deref().map(Cow::Borrowed),
            // These two have one level only.
            "notification_level" if name == EventName::OnError => Some(Cow::Owned("error".into())),
            "notification_level" if name == EventName::OnMaxIterations => Some(Cow::Owned("warning".into())),
            _ => None,
        };
        let of_facts = || event.facts.get(field).map(Cow::Borrowed);
        let own = || {
            let value = event.member(MEMBERS, field).filter(|value| !value.is_nothing());
            value.map_or_else(|| Cow::Owned(derived(&event.moment, field)), FieldValue::to_json)
        };
        rewritten.or_else(of_facts).unwrap_or_else(own)
    }
}

/// R6. An object without members is a value: a call without arguments has one.
fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => true,
        Value::Bool(true) | Value::Object(_) => false,
        Value::Number(number) => number.as_f64() == Some(0.0),
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
    }
}

/// What follows from other fields of the neutral event.
fn derived(moment: &Moment, field: &str) -> Value {
    match (moment, field) {
        (Moment::PromptSubmitted { message, .. }, "steering_messages") => {
            vec![Value::from(&**message)].into()
        }
        (Moment::TurnEnded { success, .. }, "reason") => if *success { "normal" } else { "error" }.into(),
        (Moment::ToolCallEnded { error, .. }, "tool_response") => error.clone().into(),
        (Moment::ToolCallEnded { error, .. }, "tool_error") => error.is_some().into(),
        _ => Value::Null,
    }
}

/// The event that a payload describes. Of a payload only `hook_event_name` is needed, and `tool_name` where a tool is
/// matched. What the neutral event has no place for becomes facts.
pub(super) fn read_event(payload: &Value) -> Result<Event, EventError> {
    let mut rest = payload::members(payload)?.clone();
    let name = payload::take(&mut rest, "hook_event_name")?.ok_or(EventError::Missing("hook_event_name"))?;
    let event = EventName::read(name)?;
    let mut context = EventContext {
        session_id: payload::take(&mut rest, "session_id")?.unwrap_or_default(),
        cwd: payload::take(&mut rest, "cwd")?,
        ..EventContext::default()
    };
    context.agent_name = payload::take(&mut rest, "agent_name")?;
    let moment = moment(event, &mut rest)?;
    let mut read = Event { context: Arc::new(context), at_ms: None, moment, facts: rest };
    if EventName::of(&read) != Some(event) {
        read.facts.insert("hook_event_name".to_owned(), event.name().into());
    }
    Ok(read)
}

/// Takes the fields that the neutral event has a place for.
fn moment(event: EventName, rest: &mut Map<String, Value>) -> Result<Moment, EventError> {
    let mut reader = MemberReader { no_arguments: Value::Null, ..MemberReader::new(rest, MEMBERS) };
    Ok(match event {
        EventName::PostToolUse | EventName::ToolResponseTransform => {
            let call = reader.call()?;
            let failed = rest.shift_remove("tool_error").is_some_and(|failed| failed == true);
            let response = rest.shift_remove("tool_response").filter(|response| !response.is_null());
            let error = failed.then(|| match &response {
                Some(Value::String(text)) => text.clone(),
                Some(other) => other.to_string(),
                None => String::new(),
            });
            Moment::ToolCallEnded { call, result: response.map(Json::from), error }
        }
        EventName::UserFollowupSubmit => {
            let message = reader.string(EventField::Message)?.into();
            Moment::PromptSubmitted { message, attachments: Json::default(), channel: Channel::FollowUp }
        }
        EventName::UserSteeringMessagesSubmit => {
            let messages = rest.get("steering_messages").and_then(Value::as_array);
            let texts: Vec<_> = messages.into_iter().flatten().filter_map(Value::as_str).collect();
            let message = texts.join("\n").into();
            Moment::PromptSubmitted { message, attachments: Json::default(), channel: Channel::Steering }
        }
        EventName::TurnEnd => {
            let reason = reader.text(EventField::Reason)?;
            let success =
                !matches!(reason.as_deref(), Some("error" | "canceled" | "hook_blocked" | "loop_detected"));
            Moment::TurnEnded { success, tool_calls: Vec::new(), reason, last_message: None }
        }
        EventName::Stop => Moment::TurnEnded {
            success: true,
            tool_calls: Vec::new(),
            reason: None,
            last_message: reader.text(EventField::LastMessage)?,
        },
        EventName::PreCompact => {
            Moment::CompactionStarting { trigger: payload::take(rest, "source")?.unwrap_or_default() }
        }
        event => reader.moment_named(event.read_as(), &event.row().event)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The payloads of 2.3, one of each event of the manual.
    #[test]
    fn payloads_come_back_byte_for_byte() {
        for line in include_str!("../../../../tests/schema/docker-agent.jsonl").lines().take(28) {
            let event = read_event(&serde_json::from_str(line).unwrap()).unwrap();
            let neutral = serde_json::from_value(serde_json::to_value(&event).unwrap()).unwrap();
            for event in [event, neutral] {
                let (name, rewrites) = (EventName::of(&event).unwrap(), &Rewrites::default());
                let payload = Payload { event: &event, name, rewrites, cwd: None, shows_category: false };
                assert_eq!(payload.text().to_string_lossy(), line);
                assert_eq!(serde_json::to_string(&payload.value()).unwrap(), line);
            }
        }
    }
}
