//! Payloads (2.2 and 2.3 of the contract): an event as one flat JSON object, and the way back.
//!
//! An event's members come in the order of its row in `event.rs`, after the common ones. A member is taken from the neutral
//! event where that has it, else from its facts; facts that the row does not name follow. Tool arguments and results are
//! written from where they are, without a copy.

use super::event::{EventName, Flag, STOP_ERRORS};
use super::settings::ClaudeSettings;
use crate::hook::error::EventError;
use crate::hook::event::{Event, EventContext, Moment, ToolCall, ToolCallSummary};
use crate::hook::event_field::{EventField, FieldValue, MemberReader, PayloadMember, member};
use crate::hook::json::ObjectWriter;
use crate::hook::payload;
use crate::vfs::path;
use serde_json::{Map, Value, json};
use std::borrow::Cow;
use std::sync::Arc;

/// Tools whose input names a file, which hooks see with an absolute path (R16).
pub(super) const FILE_TOOLS: [&str; 5] = ["Read", "Write", "Edit", "MultiEdit", "NotebookEdit"];

/// What the neutral event has a field for.
const MEMBERS: &[PayloadMember] = &[
    member("tool_name", EventField::ToolName).required("tool_name"),
    member("tool_use_id", EventField::ToolCallId),
    member("tool_input", EventField::Arguments),
    member("tool_response", EventField::Result),
    member("error", EventField::Error),
    member("source", EventField::Source),
    member("reason", EventField::Reason),
    member("prompt", EventField::Message).required("prompt"),
    member("delta", EventField::Response),
    member("last_assistant_message", EventField::LastMessage),
    member("trigger", EventField::Trigger),
    member("compact_summary", EventField::Summary),
    member("notification_type", EventField::Level),
    member("message", EventField::Notice),
];

/// An event as its hooks see it.
pub(super) struct Payload<'a> {
    event: &'a Event,
    name: EventName,
    settings: &'a ClaudeSettings,
    /// Whether the loop guard says that the agent goes on because of a stop hook (R58).
    pub(super) continuing: bool,
    /// Members that came with a later version of the contract.
    pub(super) hidden: Vec<&'static str>,
}

impl<'a> Payload<'a> {
    pub(super) const fn new(event: &'a Event, name: EventName, settings: &'a ClaudeSettings) -> Self {
        Self { event, name, settings, continuing: false, hidden: Vec::new() }
    }

    /// The session's current directory as far as the host says.
    pub(super) fn cwd(&self) -> &'a str {
        self.event.context.cwd.as_deref().unwrap_or(&self.settings.project_dir)
    }

    fn shows(&self, name: &str) -> bool {
        !self.hidden.contains(&name)
    }

    fn fact(&self, name: &str) -> Option<&'a Value> {
        self.event.facts.get(name)
    }

    /// A member as text, if it is one.
    pub(super) fn text(&self, name: &str) -> Option<Cow<'a, str>> {
        match self.member(name)? {
            Cow::Borrowed(Value::String(text)) => Some(Cow::Borrowed(text)),
            Cow::Owned(Value::String(text)) => Some(Cow::Owned(text)),
            _ => None,
        }
    }

    /// What a group's matcher tests.
    pub(super) fn matched_value(&self) -> Option<Cow<'a, str>> {
        let value = self.text(self.name.matched_field()?)?;
        if self.name != EventName::FileChanged {
            return Some(value);
        }
        Some(Cow::Owned(value.rsplit('/').next().unwrap_or("").to_owned()))
    }

    /// `Event:matchvalue` (R34).
    pub(super) fn hook_name(&self) -> String {
        match self.matched_value() {
            Some(value) => format!("{}:{value}", self.name.name()),
            None => self.name.name().to_owned(),
        }
    }

    /// The whole object as text.
    pub(super) fn encode(&self) -> Vec<u8> {
        let context = &self.event.context;
        let mut out = Vec::with_capacity(512);
        let mut object = ObjectWriter::new(&mut out);
        object.put("session_id", &context.session_id);
        match (self.fact("prompt_id"), &context.turn_id) {
            (Some(id), _) => object.put("prompt_id", id),
            (None, Some(id)) if self.name != EventName::MessageDisplay => object.put("prompt_id", id),
            _ => {}
        }
        match self.fact("transcript_path") {
            Some(path) => object.put("transcript_path", path),
            None => object.put("transcript_path", &self.settings.transcript_path),
        }
        let own = self.name.row().event.payload;
        if self.shows("cwd") {
            object.put("cwd", self.cwd());
        }
        object.put_some("scratchpad_dir", self.fact("scratchpad_dir"));
        if self.name.has(Flag::Mode) {
            object.put_some("permission_mode", context.permission_mode.as_ref());
        }
        if context.depth > 0 && !own.contains(&"agent_id") {
            object.put_some("agent_id", context.agent_id.as_ref());
            object.put_some("agent_type", context.agent_name.as_ref());
        }
        object.put_some("effort", self.fact("effort").filter(|_| self.shows("effort")));
        object.put("hook_event_name", self.name.name());
        for name in own {
            if let Some(value) = self.member(name).filter(|_| self.shows(name)) {
                object.put_value(name, &value);
            }
        }
        let common = ["prompt_id", "transcript_path", "scratchpad_dir", "effort"];
        for (name, value) in &self.event.facts {
            if !common.contains(&name.as_str()) && !own.contains(&name.as_str()) {
                object.put_any(name, value);
            }
        }
        object.end();
        out
    }

    /// A member of the event's own.
    fn member(&self, name: &str) -> Option<Cow<'a, Value>> {
        let own = self.own_member(name);
        own.or_else(|| self.fact(name).map(Cow::Borrowed)).or_else(|| self.default_member(name))
    }

    /// What the neutral event has.
    fn own_member(&self, name: &str) -> Option<Cow<'a, Value>> {
        let text = |text: &str| Some(Cow::Owned(Value::from(text)));
        let option = |text: &Option<String>| text.as_deref().map(|text| Cow::Owned(Value::from(text)));
        let context = &self.event.context;
        match (&self.event.moment, name) {
            (_, "tool_input") => self.event.tool_call().map(|call| self.input(call)),
            (_, "tool_use_id") if self.event.tool_call().is_some_and(|call| call.id.is_empty()) => None,
            (Moment::SessionStarted { source: None }, "source") => text("startup"),
            (Moment::SessionEnded { reason }, "reason") if reason.is_empty() => text("other"),
            (Moment::ModelCallEnded { .. }, "turn_id") => {
                self.fact(name).is_none().then(|| option(&context.turn_id)).flatten()
            }
            (Moment::TurnEnded { success: false, reason, .. }, "error") if self.fact(name).is_none() => {
                let known = reason.as_deref().filter(|reason| STOP_ERRORS.contains(reason));
                text(known.unwrap_or("unknown"))
            }
            (Moment::TurnEnded { success: false, reason: Some(reason), .. }, "error_details")
                if !STOP_ERRORS.contains(&reason.as_str()) && self.fact("error").is_none() =>
            {
                text(reason)
            }
            (Moment::ToolCallEnded { result: None, error: None, .. }, "tool_response") => {
                Some(Cow::Owned(Value::Null))
            }
            (Moment::ToolBatchEnded { calls }, "tool_calls") if self.fact(name).is_none() => {
                let summary = |call: &ToolCallSummary| json!({"tool_name": call.tool_name, "tool_input": {}, "tool_use_id": call.tool_call_id});
                Some(Cow::Owned(calls.iter().map(summary).collect()))
            }
            (Moment::CompactionStarting { trigger } | Moment::CompactionEnded { trigger, .. }, "trigger")
                if trigger.is_empty() =>
            {
                text("auto")
            }
            (Moment::SubagentStarted | Moment::SubagentEnded { .. }, "agent_id") => option(&context.agent_id),
            (Moment::SubagentStarted | Moment::SubagentEnded { .. }, "agent_type") => {
                option(&context.agent_name)
            }
            (Moment::TurnEnded { .. } | Moment::SubagentEnded { .. }, "stop_hook_active")
                if self.continuing =>
            {
                Some(Cow::Owned(Value::Bool(true)))
            }
            _ => {
                let value = self.event.member(MEMBERS, name).filter(|value| !value.is_nothing());
                value.map(FieldValue::to_json)
            }
        }
    }

    /// R16.
    fn input(&self, call: &'a ToolCall) -> Cow<'a, Value> {
        let arguments: &'a Value = &call.arguments;
        let field = if &*call.name == "NotebookEdit" { "notebook_path" } else { "file_path" };
        let file = arguments.get(field).and_then(Value::as_str);
        match file.filter(|file| !file.starts_with('/') && FILE_TOOLS.contains(&&*call.name)) {
            None => Cow::Borrowed(arguments),
            Some(file) => {
                let mut arguments = arguments.clone();
                let file = path::normalise(&path::join(self.cwd().as_bytes(), file.as_bytes()));
                if let Some(member) = arguments.get_mut(field) {
                    *member = String::from_utf8_lossy(&file).into();
                }
                Cow::Owned(arguments)
            }
        }
    }

    /// What an event has even where nobody says so.
    fn default_member(&self, name: &str) -> Option<Cow<'a, Value>> {
        let value = match (self.name, name) {
            (EventName::Stop | EventName::SubagentStop, "stop_hook_active") => Value::Bool(false),
            (EventName::Stop | EventName::SubagentStop, "background_tasks" | "session_crons") => {
                Value::Array(Vec::new())
            }
            (EventName::PostToolUseFailure, "is_interrupt") => Value::Bool(false),
            (EventName::PreCompact, "custom_instructions") => Value::Null,
            (EventName::MessageDisplay, "index") => Value::from(0),
            (EventName::MessageDisplay, "final") => Value::Bool(true),
            _ => return None,
        };
        Some(Cow::Owned(value))
    }
}

/// The event that a payload describes.
///
/// # Errors
/// It has no event's name, or a member of the wrong type.
pub(super) fn read_event(payload: &Value) -> Result<Event, EventError> {
    let mut rest = payload::members(payload)?.clone();
    let name = payload::take(&mut rest, "hook_event_name")?.ok_or(EventError::Missing("hook_event_name"))?;
    let name = EventName::read(name)?;
    let mut context = EventContext {
        session_id: payload::take(&mut rest, "session_id")?.unwrap_or_default(),
        cwd: payload::take(&mut rest, "cwd")?,
        ..EventContext::default()
    };
    if name.has(Flag::Mode) {
        context.permission_mode = payload::take(&mut rest, "permission_mode")?;
    }
    if rest.contains_key("agent_id") {
        context.agent_id = payload::take(&mut rest, "agent_id")?;
        context.agent_name = payload::take(&mut rest, "agent_type")?;
        context.depth = 1;
    }
    let moment = moment(name, &mut rest)?;
    Ok(Event { context: Arc::new(context), at_ms: None, moment, facts: rest })
}

/// Takes the members that the neutral form has out of the payload.
fn moment(name: EventName, rest: &mut Map<String, Value>) -> Result<Moment, EventError> {
    let row = &name.row().event;
    let mut reader = MemberReader::new(rest, MEMBERS);
    Ok(match name {
        EventName::MessageDisplay => {
            Moment::ModelCallEnded { model: None, response: Some(reader.string(EventField::Response)?) }
        }
        EventName::PermissionDenied => Moment::PermissionDecided {
            call: reader.call()?,
            decision: "deny".to_owned(),
            source: "auto".to_owned(),
        },
        EventName::PostToolBatch => Moment::ToolBatchEnded { calls: summaries(rest.get("tool_calls"))? },
        EventName::Stop => turn_ended(true, None, reader.text(EventField::LastMessage)?),
        EventName::StopFailure => {
            let error = payload::take(rest, "error")?;
            // An error that the contract does not list stays as it is.
            if let Some(error) = error.as_deref().filter(|error| !STOP_ERRORS.contains(error)) {
                rest.insert("error".to_owned(), error.into());
            }
            let last_message = MemberReader::new(rest, MEMBERS).text(EventField::LastMessage)?;
            turn_ended(false, error, last_message)
        }
        _ => reader.moment(row)?,
    })
}

fn turn_ended(success: bool, reason: Option<String>, last_message: Option<String>) -> Moment {
    Moment::TurnEnded { success, tool_calls: Vec::new(), reason, last_message }
}

/// The calls of a batch; the payload keeps them as they are, for their inputs and responses.
fn summaries(calls: Option<&Value>) -> Result<Vec<ToolCallSummary>, EventError> {
    let wrong = EventError::Type { field: "tool_calls", expected: "a list of objects" };
    let Some(calls) = calls else { return Ok(Vec::new()) };
    let Some(calls) = calls.as_array() else { return Err(wrong) };
    let member = |call: &Value, name: &str| {
        call.get(name).and_then(Value::as_str).map(str::to_owned).unwrap_or_default()
    };
    let summary = |call: &Value| ToolCallSummary {
        tool_name: member(call, "tool_name"),
        tool_call_id: member(call, "tool_use_id"),
        success: true,
    };
    Ok(calls.iter().map(summary).collect())
}
