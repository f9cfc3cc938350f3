//! The fields of the neutral event, by which payloads are written and read. A dialect has a table ([`PayloadMember`]) that says by which
//! names its payloads call them; the same table serves in both directions.

use super::error::EventError;
use super::event::{Channel, Event, Moment, ToolCall, ToolCallSummary};
use super::event_table::{EventRow, Part};
use super::json::{Json, ObjectWriter};
use super::payload;
use serde_json::{Map, Value};
use std::borrow::Cow;

/// A field of the neutral event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EventField {
    AgentId,
    AgentName,
    ToolName,
    ToolCallId,
    Arguments,
    Result,
    Error,
    /// Of a call or a turn.
    Success,
    ToolCalls,
    /// Of a session that opens.
    Source,
    /// Of a session or a turn that ends.
    Reason,
    /// The user's.
    Message,
    Attachments,
    Model,
    Iteration,
    Response,
    LastMessage,
    /// Of a permission.
    Decision,
    DecidedBy,
    /// Of a compaction.
    Trigger,
    Summary,
    /// Of a notification.
    Level,
    Notice,
}

/// What an event has in a field.
#[derive(Clone, Copy, Debug)]
pub(crate) enum FieldValue<'a> {
    Nothing,
    Text(&'a str),
    Bool(bool),
    Number(u64),
    Json(&'a Value),
    Calls(&'a [ToolCallSummary]),
}

impl<'a> FieldValue<'a> {
    fn of_text(text: Option<&'a String>) -> Self {
        text.map_or(Self::Nothing, |text| Self::Text(text))
    }

    pub(crate) const fn is_nothing(self) -> bool {
        matches!(self, Self::Nothing)
    }

    /// As JSON; what the event holds as JSON is not copied.
    pub(crate) fn to_json(self) -> Cow<'a, Value> {
        Cow::Owned(match self {
            Self::Json(value) => return Cow::Borrowed(value),
            Self::Nothing => Value::Null,
            Self::Text(text) => text.into(),
            Self::Bool(value) => value.into(),
            Self::Number(number) => number.into(),
            Self::Calls(calls) => serde_json::to_value(calls).unwrap_or_default(),
        })
    }
}

impl ObjectWriter<'_> {
    /// A member with what an event has in a field; `null` for nothing.
    pub(crate) fn put_field(&mut self, name: &str, value: FieldValue<'_>) {
        match value {
            FieldValue::Text(text) => self.put_text(name, text),
            other => self.put_value(name, &other.to_json()),
        }
    }
}

impl Moment {
    /// The call that it is about, if it is about one.
    pub(super) const fn tool_call(&self) -> Option<&ToolCall> {
        match self {
            Self::ToolCallStarting(call)
            | Self::PermissionRequested(call)
            | Self::ToolCallEnded { call, .. }
            | Self::PermissionDecided { call, .. } => Some(call),
            _ => None,
        }
    }

    /// What it has in a field; `None` where it has no such field.
    pub(crate) fn field(&self, field: EventField) -> Option<FieldValue<'_>> {
        use EventField as Field;
        use FieldValue::{Bool, Calls, Json, Nothing, Number, Text};
        if let Some(call) = self.tool_call() {
            match field {
                Field::ToolName => return Some(Text(&call.name)),
                Field::ToolCallId => return Some(Text(&call.id)),
                Field::Arguments => return Some(Json(&call.arguments)),
                _ => {}
            }
        }
        let text = FieldValue::of_text;
        Some(match (self, field) {
            (Self::SessionStarted { source }, Field::Source) => text(source.as_ref()),
            (Self::SessionEnded { reason }, Field::Reason) => Text(reason),
            (Self::PromptSubmitted { message, .. }, Field::Message) => Text(message),
            (Self::PromptSubmitted { attachments, .. }, Field::Attachments) => Json(attachments),
            (Self::TurnEnded { success, .. }, Field::Success) => Bool(*success),
            (Self::TurnEnded { tool_calls, .. }, Field::ToolCalls) => Calls(tool_calls),
            (Self::TurnEnded { reason, .. }, Field::Reason) => text(reason.as_ref()),
            (
                Self::TurnEnded { last_message, .. } | Self::SubagentEnded { last_message },
                Field::LastMessage,
            ) => text(last_message.as_ref()),
            (Self::ModelCallStarting { model, .. } | Self::ModelCallEnded { model, .. }, Field::Model) => {
                text(model.as_ref())
            }
            (Self::ModelCallStarting { iteration, .. }, Field::Iteration) => {
                iteration.map_or(Nothing, Number)
            }
            (Self::ModelCallEnded { response, .. }, Field::Response) => text(response.as_ref()),
            (Self::ToolCallEnded { result, .. }, Field::Result) => {
                result.as_ref().map_or(Nothing, |result| Json(result))
            }
            (Self::ToolCallEnded { error, .. }, Field::Error) => text(error.as_ref()),
            (Self::ToolCallEnded { error, .. }, Field::Success) => Bool(error.is_none()),
            (Self::ToolBatchEnded { calls }, Field::ToolCalls) => Calls(calls),
            (Self::PermissionDecided { decision, .. }, Field::Decision) => Text(decision),
            (Self::PermissionDecided { source, .. }, Field::DecidedBy) => Text(source),
            (
                Self::CompactionStarting { trigger } | Self::CompactionEnded { trigger, .. },
                Field::Trigger,
            ) => Text(trigger),
            (Self::CompactionEnded { summary, .. }, Field::Summary) => Text(summary),
            (Self::Notified { level, .. }, Field::Level) => Text(level),
            (Self::Notified { message, .. }, Field::Notice) => Text(message),
            _ => return None,
        })
    }
}

impl Event {
    /// What it has in a field; `None` where it has no such field.
    pub(crate) fn field(&self, field: EventField) -> Option<FieldValue<'_>> {
        match field {
            EventField::AgentId => Some(FieldValue::of_text(self.context.agent_id.as_ref())),
            EventField::AgentName => Some(FieldValue::of_text(self.context.agent_name.as_ref())),
            _ => self.moment.field(field),
        }
    }

    /// What it has in the field that a table calls by this name; `None` where it has none of them.
    pub(crate) fn member(&self, table: &[PayloadMember], name: &str) -> Option<FieldValue<'_>> {
        table.iter().filter(|member| member.name == name).find_map(|member| self.field(member.field))
    }
}

/// A member of a dialect's payloads that the neutral event has a field for: a row of its table. A name may stand for different
/// fields of different moments.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PayloadMember {
    pub(crate) name: &'static str,
    pub(crate) field: EventField,
    /// Its path for messages, where an event cannot be read without it.
    required: Option<&'static str>,
}

/// A row of a table.
pub(crate) const fn member(name: &'static str, field: EventField) -> PayloadMember {
    PayloadMember { name, field, required: None }
}

impl PayloadMember {
    /// An event cannot be read without it; `path` is its path in the payload.
    pub(crate) const fn required(self, path: &'static str) -> Self {
        Self { required: Some(path), ..self }
    }
}

/// Takes members out of a payload; what is left are the event's facts.
pub(crate) struct MemberReader<'a> {
    pub(crate) rest: &'a mut Map<String, Value>,
    pub(crate) table: &'static [PayloadMember],
    /// The arguments of a call whose payload has none.
    pub(crate) no_arguments: Value,
}

impl<'a> MemberReader<'a> {
    /// A call whose payload has no arguments has an empty object of them.
    pub(crate) fn new(rest: &'a mut Map<String, Value>, table: &'static [PayloadMember]) -> Self {
        Self { rest, table, no_arguments: Value::Object(Map::new()) }
    }

    fn row(&self, field: EventField) -> Option<&'static PayloadMember> {
        self.table.iter().find(|row| row.field == field)
    }

    pub(crate) fn text(&mut self, field: EventField) -> Result<Option<String>, EventError> {
        let Some(row) = self.row(field) else { return Ok(None) };
        match (payload::take(self.rest, row.name)?, row.required) {
            (None, Some(path)) => Err(EventError::Missing(path)),
            (text, _) => Ok(text),
        }
    }

    /// An absent text is empty.
    pub(crate) fn string(&mut self, field: EventField) -> Result<String, EventError> {
        Ok(self.text(field)?.unwrap_or_default())
    }

    fn value(&mut self, field: EventField) -> Option<Value> {
        self.row(field).and_then(|row| self.rest.shift_remove(row.name))
    }

    fn json(&mut self, field: EventField) -> Option<Json> {
        self.value(field).filter(|value| !value.is_null()).map(Json::from)
    }

    pub(crate) fn call(&mut self) -> Result<ToolCall, EventError> {
        Ok(ToolCall {
            name: self.string(EventField::ToolName)?.into(),
            id: self.string(EventField::ToolCallId)?.into(),
            arguments: self
                .value(EventField::Arguments)
                .unwrap_or_else(|| std::mem::take(&mut self.no_arguments))
                .into(),
        })
    }

    fn turn_ended(&mut self, part: Part) -> Result<Moment, EventError> {
        let wrong = |field, expected| EventError::Type { field, expected };
        let success = match self.value(EventField::Success) {
            None | Some(Value::Null) => part != Part::Failure,
            Some(Value::Bool(success)) => success,
            Some(_) => return Err(wrong("data.success", "a boolean")),
        };
        let tool_calls = match self.json(EventField::ToolCalls) {
            None => Vec::new(),
            Some(calls) => serde_json::from_value(calls.into_value())
                .map_err(|_| wrong("data.tool_calls", "a list of {tool_name, tool_call_id, success}"))?,
        };
        let reason = self.text(EventField::Reason)?;
        let last_message = self.text(EventField::LastMessage)?;
        Ok(Moment::TurnEnded { success, tool_calls, reason, last_message })
    }

    fn tool_call_ended(&mut self, part: Part) -> Result<Moment, EventError> {
        let call = self.call()?;
        let result = if part == Part::Failure { None } else { self.json(EventField::Result) };
        let error = match part {
            Part::All => self.text(EventField::Error)?,
            Part::Success => None,
            Part::Failure => Some(self.string(EventField::Error)?),
        };
        // It follows from the error.
        self.value(EventField::Success);
        Ok(Moment::ToolCallEnded { call, result, error })
    }

    /// The moment that an event is about.
    pub(crate) fn moment(&mut self, row: &EventRow) -> Result<Moment, EventError> {
        self.moment_named(row.moment, row)
    }

    /// The same for an event whose row leaves the moment to another one.
    pub(crate) fn moment_named(&mut self, moment: &str, row: &EventRow) -> Result<Moment, EventError> {
        use EventField as Field;
        Ok(match moment {
            "session_started" => Moment::SessionStarted { source: self.text(Field::Source)? },
            "session_ended" => Moment::SessionEnded { reason: self.string(Field::Reason)? },
            "prompt_submitted" => Moment::PromptSubmitted {
                message: self.string(Field::Message)?.into(),
                attachments: match self.row(Field::Attachments) {
                    None => Json::default(),
                    Some(_) => {
                        self.value(Field::Attachments).unwrap_or_else(|| Value::Array(Vec::new())).into()
                    }
                },
                channel: Channel::Prompt,
            },
            "turn_started" => Moment::TurnStarted,
            "turn_ended" => self.turn_ended(row.part)?,
            "model_call_starting" => Moment::ModelCallStarting {
                model: self.text(Field::Model)?,
                iteration: self.value(Field::Iteration).and_then(|iteration| iteration.as_u64()),
            },
            "model_call_ended" => Moment::ModelCallEnded {
                model: self.text(Field::Model)?,
                response: self.text(Field::Response)?,
            },
            "tool_call_starting" => Moment::ToolCallStarting(self.call()?),
            "tool_call_ended" => self.tool_call_ended(row.part)?,
            "tool_batch_ended" => Moment::ToolBatchEnded { calls: Vec::new() },
            "permission_requested" => Moment::PermissionRequested(self.call()?),
            "permission_decided" => Moment::PermissionDecided {
                call: self.call()?,
                decision: self.string(Field::Decision)?,
                source: self.string(Field::DecidedBy)?,
            },
            "queue_drain_starting" => Moment::QueueDrainStarting,
            "queue_drain_ended" => Moment::QueueDrainEnded,
            "compaction_starting" => Moment::CompactionStarting { trigger: self.string(Field::Trigger)? },
            "compaction_ended" => Moment::CompactionEnded {
                trigger: self.string(Field::Trigger)?,
                summary: self.string(Field::Summary)?,
            },
            "subagent_started" => Moment::SubagentStarted,
            "subagent_ended" => Moment::SubagentEnded { last_message: self.text(Field::LastMessage)? },
            "notified" => {
                Moment::Notified { level: self.string(Field::Level)?, message: self.string(Field::Notice)? }
            }
            // What one dialect alone knows, and a batch, of which a payload says only that there is one.
            _ => Moment::Other { name: row.name.to_owned() },
        })
    }
}
