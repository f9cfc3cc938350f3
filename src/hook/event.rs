//! Events: what happened in an agent session, in our own words, common to all dialects.
//!
//! A host fires these; each dialect maps them to its own event names and payloads. What only one
//! dialect speaks of and no field here carries goes into [`Event::facts`], in that dialect's spelling.

use super::json::{self, Json};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::sync::Arc;

/// Something happened in a session.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Event {
    /// In which session, turn and agent.
    #[serde(flatten, with = "shared")]
    pub context: Arc<EventContext>,
    /// When, in milliseconds since the Unix epoch; `None` is now, by the session's clock.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_ms: Option<u64>,
    /// What.
    #[serde(flatten)]
    pub moment: Moment,
    /// What only one dialect knows, in its spelling; merged into that dialect's payload.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub facts: Map<String, Value>,
}

/// Where an event belongs. Empty ids are sent as they are, absent ones as the dialect has it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct EventContext {
    /// The session.
    pub session_id: String,
    /// The turn in flight.
    pub turn_id: Option<String>,
    /// The organisation or tenant.
    pub org_id: Option<String>,
    /// The agent, by id.
    pub agent_id: Option<String>,
    /// The agent, by name.
    pub agent_name: Option<String>,
    /// The agent's working directory, a path of the session's file system.
    pub cwd: Option<String>,
    /// The permission mode, in the dialect's words.
    pub permission_mode: Option<String>,
    /// Nesting of sub-agents; 0 is the agent that a person talks to.
    pub depth: u32,
}

/// One call of a tool.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ToolCall {
    /// The tool's name, as the platform has it; never renamed.
    #[serde(rename = "tool_name", with = "shared_str")]
    pub name: Arc<str>,
    /// The call's id.
    #[serde(rename = "tool_call_id", with = "shared_str")]
    pub id: Arc<str>,
    /// Its arguments, normally an object.
    #[serde(default)]
    pub arguments: Json,
}

impl EventContext {
    /// Of the session with that id; the rest is set field by field.
    pub fn session(id: impl Into<String>) -> Self {
        Self { session_id: id.into(), ..Self::default() }
    }
}

impl ToolCall {
    /// A call of the tool `name`.
    pub fn new(name: impl Into<Arc<str>>, id: impl Into<Arc<str>>, arguments: impl Into<Json>) -> Self {
        Self { name: name.into(), id: id.into(), arguments: arguments.into() }
    }
}

/// How a finished call went, as listed at the end of a turn.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ToolCallSummary {
    /// The tool.
    pub tool_name: String,
    /// The call.
    pub tool_call_id: String,
    /// Whether it succeeded.
    pub success: bool,
}

impl ToolCallSummary {
    /// A call of the tool `name` that succeeded or failed.
    pub fn new(name: impl Into<String>, id: impl Into<String>, success: bool) -> Self {
        Self { tool_name: name.into(), tool_call_id: id.into(), success }
    }
}

/// By which way a message of the user came in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Channel {
    /// Typed as the start of a turn, or injected by the host as such.
    #[default]
    Prompt,
    /// Queued while the agent works and drained into the running turn.
    Steering,
    /// Queued, and the start of a turn of its own.
    FollowUp,
}

/// What happened.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "moment", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Moment {
    /// A session opened; its files are in place.
    SessionStarted {
        /// `startup`, `resume`, `clear`, `compact`, ... where the platform says so.
        #[serde(default)]
        source: Option<String>,
    },
    /// A session closes; its files still exist.
    SessionEnded {
        /// Why.
        #[serde(default)]
        reason: String,
    },
    /// A message of the user is about to reach the model.
    PromptSubmitted {
        /// Its text.
        #[serde(with = "shared_str")]
        message: Arc<str>,
        /// What came with it, as the host describes it.
        #[serde(default)]
        attachments: Json,
        /// By which way.
        #[serde(default)]
        channel: Channel,
    },
    /// A turn begins.
    TurnStarted,
    /// A turn came to its end, whatever end.
    TurnEnded {
        /// Whether it succeeded.
        success: bool,
        /// Its tool calls.
        #[serde(default)]
        tool_calls: Vec<ToolCallSummary>,
        /// Why it ended, in the platform's words.
        #[serde(default)]
        reason: Option<String>,
        /// The assistant's last message.
        #[serde(default)]
        last_message: Option<String>,
    },
    /// The model is about to be called.
    ModelCallStarting {
        /// `provider/model`.
        #[serde(default)]
        model: Option<String>,
        /// From 1 within the run.
        #[serde(default)]
        iteration: Option<u64>,
    },
    /// The model answered.
    ModelCallEnded {
        /// `provider/model`.
        #[serde(default)]
        model: Option<String>,
        /// Its text.
        #[serde(default)]
        response: Option<String>,
    },
    /// A tool is about to run.
    ToolCallStarting(ToolCall),
    /// A tool ran.
    ToolCallEnded {
        /// The call.
        #[serde(flatten)]
        call: ToolCall,
        /// What it gave; `None` when it gave nothing.
        #[serde(default)]
        result: Option<Json>,
        /// What went wrong; `None` is success.
        #[serde(default)]
        error: Option<String>,
    },
    /// All calls of one reply of the model are about to run.
    ToolBatchStarting {
        /// The calls.
        calls: Vec<ToolCall>,
    },
    /// All calls of one reply of the model ran.
    ToolBatchEnded {
        /// How they went.
        calls: Vec<ToolCallSummary>,
    },
    /// The user is about to be asked whether a call may run.
    PermissionRequested(ToolCall),
    /// Whether a call may run is settled.
    PermissionDecided {
        /// The call.
        #[serde(flatten)]
        call: ToolCall,
        /// `allow`, `deny`, `canceled`, ...
        decision: String,
        /// Who settled it.
        #[serde(default)]
        source: String,
    },
    /// Queued messages are about to be taken.
    QueueDrainStarting,
    /// Queued messages were taken.
    QueueDrainEnded,
    /// The conversation is about to be shortened.
    CompactionStarting {
        /// `manual`, `auto`, ...
        #[serde(default)]
        trigger: String,
    },
    /// The conversation was shortened.
    CompactionEnded {
        /// `manual`, `auto`, ...
        #[serde(default)]
        trigger: String,
        /// What it was shortened to.
        #[serde(default)]
        summary: String,
    },
    /// A sub-agent starts; the context is its own.
    SubagentStarted,
    /// A sub-agent finished; the context is its own.
    SubagentEnded {
        /// Its last message.
        #[serde(default)]
        last_message: Option<String>,
    },
    /// The agent has something to tell the user.
    Notified {
        /// `error`, `warning`, or the platform's kind.
        level: String,
        /// The text.
        message: String,
    },
    /// Anything that one dialect alone knows; [`Event::facts`] has the rest.
    Other {
        /// The event's name in that dialect.
        name: String,
    },
}

/// Reads the neutral form.
///
/// What may be large goes to its place as it is: which members an event has is told by one of them, so serde would keep all
/// of it twice more until it has found that one.
pub(super) fn read_neutral(event: Value) -> Result<Event, serde_json::Error> {
    let mut event = event;
    let mut take = |name: &str, left: Value| match event.get_mut(name) {
        Some(value @ (Value::Array(_) | Value::Object(_))) => Some(std::mem::replace(value, left)),
        _ => None,
    };
    let arguments = take("arguments", Value::Null);
    let result = take("result", Value::Null);
    let attachments = take("attachments", Value::Null);
    let facts = match take("facts", Value::Object(Map::new())) {
        Some(Value::Object(facts)) => facts,
        Some(other) => {
            return serde_json::from_value::<Map<String, Value>>(other).and(serde_json::from_value(event));
        }
        None => Map::new(),
    };
    let mut event: Event = serde_json::from_value(event)?;
    event.facts = facts;
    match &mut event.moment {
        Moment::ToolCallEnded { result: given, .. } => *given = result.map(Json::from).or(given.take()),
        Moment::PromptSubmitted { attachments: given, .. } => {
            *given = attachments.map_or_else(|| std::mem::take(given), Json::from);
        }
        _ => {}
    }
    if let (Some(arguments), Some(call)) = (arguments, event.tool_call_mut()) {
        call.arguments = Json::from(arguments);
    }
    Ok(event)
}

impl Event {
    /// Bytes of memory that its arguments, results and facts take.
    pub fn memory(&self) -> u64 {
        let facts = json::map_memory(&self.facts);
        let result = match &self.moment {
            Moment::ToolCallEnded { result: Some(value), .. }
            | Moment::PromptSubmitted { attachments: value, .. } => json::memory(value),
            _ => 0,
        };
        let arguments = self.tool_call().map_or(0, |call| json::memory(&call.arguments));
        facts.saturating_add(result).saturating_add(arguments)
    }

    const fn tool_call_mut(&mut self) -> Option<&mut ToolCall> {
        match &mut self.moment {
            Moment::ToolCallStarting(call)
            | Moment::PermissionRequested(call)
            | Moment::ToolCallEnded { call, .. }
            | Moment::PermissionDecided { call, .. } => Some(call),
            _ => None,
        }
    }

    /// An event of a session, now. A host that fires many shares one context: `Arc::clone(&context)`.
    pub fn new(context: impl Into<Arc<EventContext>>, moment: Moment) -> Self {
        Self { context: context.into(), at_ms: None, moment, facts: Map::new() }
    }

    /// Says when it happened, in milliseconds since the Unix epoch.
    #[must_use]
    pub fn at_ms(mut self, milliseconds: u64) -> Self {
        self.at_ms = Some(milliseconds);
        self
    }

    /// Adds what only one dialect knows, in its spelling: see [`Event::facts`].
    #[must_use]
    pub fn fact(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        self.facts.insert(name.into(), value.into());
        self
    }

    /// The call that this event is about, if it is about one.
    pub const fn tool_call(&self) -> Option<&ToolCall> {
        self.moment.tool_call()
    }
}

mod shared {
    //! `Arc<T>` as `T`.
    use super::{Arc, Deserialize, Serialize};
    pub(super) fn serialize<T: Serialize, S: serde::Serializer>(
        value: &Arc<T>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        value.as_ref().serialize(serializer)
    }
    pub(super) fn deserialize<'de, T: Deserialize<'de>, D: serde::Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Arc<T>, D::Error> {
        T::deserialize(deserializer).map(Arc::new)
    }
}

mod shared_str {
    //! `Arc<str>` as a string.
    use super::{Arc, Deserialize};
    pub(super) fn serialize<S: serde::Serializer>(
        value: &Arc<str>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(value)
    }
    pub(super) fn deserialize<'de, D: serde::Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Arc<str>, D::Error> {
        String::deserialize(deserializer).map(Arc::from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_members_go_to_their_places() {
        for text in [
            r#"{"moment":"tool_call_ended","session_id":"s","tool_name":"b","tool_call_id":"c","arguments":[1],"result":{"out":1}}"#,
            r#"{"moment":"tool_call_ended","session_id":"s","tool_name":"b","tool_call_id":"c","arguments":"x","result":"y"}"#,
            r#"{"moment":"tool_call_ended","session_id":"s","tool_name":"b","tool_call_id":"c"}"#,
            r#"{"moment":"permission_decided","session_id":"s","tool_name":"b","tool_call_id":"c","arguments":{"a":1},"decision":"d"}"#,
            r#"{"moment":"prompt_submitted","session_id":"s","message":"m","attachments":[{"a":1}],"facts":{"x":[1]}}"#,
            r#"{"moment":"prompt_submitted","session_id":"s","message":"m","attachments":3,"result":{"a":1}}"#,
        ] {
            let value: Value = serde_json::from_str(text).unwrap();
            let wanted: Event = serde_json::from_value(value.clone()).unwrap();
            let found = read_neutral(value).unwrap();
            assert_eq!(serde_json::to_value(&found).unwrap(), serde_json::to_value(&wanted).unwrap());
        }
        for text in [r#"{"moment":"turn_started","facts":[1]}"#, r#"{"moment":"turn_started","facts":1}"#] {
            assert!(read_neutral(serde_json::from_str(text).unwrap()).is_err(), "{text}");
        }
    }

    #[test]
    fn the_neutral_form_survives_a_round_trip() {
        let text = r#"{"moment":"tool_call_ended","session_id":"s","turn_id":"t","tool_name":"bash","tool_call_id":"c",
            "arguments":{"command":"ls"},"result":{"out":1},"facts":{"x":1}}"#;
        let event: Event = serde_json::from_str(text).unwrap();
        let again: Event = serde_json::from_str(&serde_json::to_string(&event).unwrap()).unwrap();
        assert_eq!(again.context, event.context);
        assert_eq!(again.tool_call(), event.tool_call());
        let Moment::ToolCallEnded { result, error, .. } = again.moment else { panic!() };
        assert_eq!(result.map(Json::into_value), Some(serde_json::json!({"out": 1})));
        assert_eq!(error, None);
    }
}
