//! Values of a template, as Go has them: the payload is a structure, what is below it came from JSON, where every number is a
//! floating-point number.

use super::super::event::EventName;
use rustc_hash::FxHashMap;
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::sync::LazyLock;

#[derive(Clone, Debug)]
pub(super) enum GoValue<'v> {
    /// `nil`, and a member that is not there.
    Nil,
    Bool(bool),
    Integer(i64),
    Float(f64),
    Text(Cow<'v, str>),
    /// A list or a map.
    Tree(Cow<'v, Value>),
    /// A structure below the payload, or a list of such.
    Record(&'v Value, Record),
    /// The payload itself.
    Payload(&'v Map<String, Value>),
}

/// The fields of a structure: the name in Go and in JSON, in Go's order.
pub(super) type Record = &'static [(&'static str, &'static str)];

/// The members of the payload that are structures, or lists of such.
const RECORDS: [(&str, Record); 6] = [
    ("skill", &[("Name", "name"), ("Source", "source"), ("Path", "path"), ("Content", "content")]),
    ("prompt_file", &[("Path", "path"), ("Content", "content")]),
    ("conversation", &[("Role", "role"), ("Content", "content")]),
    (
        "messages",
        &[
            ("Role", "role"),
            ("Content", "content"),
            ("MultiContent", "multi_content"),
            ("ReasoningContent", "reasoning_content"),
            ("ToolCalls", "tool_calls"),
            ("ToolCallID", "tool_call_id"),
            ("IsError", "is_error"),
            ("CreatedAt", "created_at"),
            ("Model", "model"),
        ],
    ),
    (
        "from_agent_models",
        &[("Provider", "provider"), ("Model", "model"), ("BaseURL", "base_url"), ("UnloadAPI", "unload_api")],
    ),
    (
        "usage",
        &[
            ("InputTokens", "input_tokens"),
            ("OutputTokens", "output_tokens"),
            ("CachedInputTokens", "cached_input_tokens"),
            ("CacheWriteTokens", "cached_write_tokens"),
            ("ReasoningTokens", "reasoning_tokens"),
        ],
    ),
];

/// What a name that a map does not have is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Missing {
    IsNil,
    IsError,
}

impl<'v> GoValue<'v> {
    pub(super) fn text(text: impl Into<Cow<'v, str>>) -> Self {
        Self::Text(text.into())
    }

    /// A value of the payload's trees.
    fn of(value: &'v Value) -> Self {
        match value {
            Value::Null => Self::Nil,
            Value::Bool(flag) => Self::Bool(*flag),
            Value::Number(number) => number.as_f64().map_or(Self::Nil, Self::Float),
            Value::String(text) => Self::Text(Cow::Borrowed(text)),
            Value::Array(_) | Value::Object(_) => Self::Tree(Cow::Borrowed(value)),
        }
    }

    /// An item of this tree.
    pub(super) fn item(&self, pick: impl Fn(&Value) -> Option<&Value>) -> Option<Self> {
        match self {
            Self::Tree(Cow::Borrowed(tree)) => pick(tree).map(Self::of),
            Self::Tree(Cow::Owned(tree)) => pick(tree).map(|item| match GoValue::of(item) {
                GoValue::Nil => Self::Nil,
                GoValue::Bool(flag) => Self::Bool(flag),
                GoValue::Integer(integer) => Self::Integer(integer),
                GoValue::Float(float) => Self::Float(float),
                GoValue::Text(text) => Self::Text(Cow::Owned(text.into_owned())),
                GoValue::Tree(_) | GoValue::Record(..) | GoValue::Payload(_) => {
                    Self::Tree(Cow::Owned(item.clone()))
                }
            }),
            &Self::Record(tree, record) => pick(tree).map(|item| Self::Record(item, record)),
            _ => None,
        }
    }

    /// Follows a chain of fields.
    pub(super) fn follow(self, path: &[String], missing: Missing) -> Result<Self, String> {
        path.iter().try_fold(self, |value, name| value.field(name, missing))
    }

    fn field(&self, name: &str, missing: Missing) -> Result<Self, String> {
        match self {
            Self::Payload(payload) => {
                let key = key_of(name).ok_or_else(|| format!("there is no field `.{name}`"))?;
                Ok(payload.get(key).map_or_else(|| zero(key), |value| top_level(key, value)))
            }
            Self::Record(tree, record) if tree.is_object() => {
                let field = record.iter().find(|(own, _)| *own == name);
                let (_, key) = field.ok_or_else(|| format!("there is no field `.{name}`"))?;
                Ok(tree.get(key).map_or_else(|| zero(key), |value| top_level(key, value)))
            }
            Self::Tree(tree) if tree.is_object() => match (self.item(|tree| tree.get(name)), missing) {
                (Some(item), _) => Ok(item),
                (None, Missing::IsNil) => Ok(Self::Nil),
                (None, Missing::IsError) => Err(format!("the map has no entry for key `{name}`")),
            },
            Self::Nil => Err(format!("nil has no field `.{name}`")),
            other => Err(format!("a value of type {} has no field `.{name}`", other.type_name())),
        }
    }

    /// Whether `if` takes it as true.
    pub(super) fn is_true(&self) -> bool {
        match self {
            Self::Nil => false,
            Self::Bool(flag) => *flag,
            Self::Integer(integer) => *integer != 0,
            Self::Float(float) => *float != 0.0,
            Self::Text(text) => !text.is_empty(),
            Self::Tree(tree) => match tree.as_ref() {
                Value::Array(items) => !items.is_empty(),
                Value::Object(members) => !members.is_empty(),
                _ => false,
            },
            Self::Record(tree, _) => tree.as_array().is_none_or(|items| !items.is_empty()),
            Self::Payload(_) => true,
        }
    }

    pub(super) fn type_name(&self) -> &'static str {
        match self {
            Self::Nil => "nil",
            Self::Bool(_) => "bool",
            Self::Integer(_) => "int",
            Self::Float(_) => "float64",
            Self::Text(_) => "string",
            Self::Tree(tree) if tree.is_array() => "[]interface {}",
            Self::Tree(_) => "map[string]interface {}",
            Self::Record(tree, _) if tree.is_array() => "[]struct",
            Self::Record(..) => "struct",
            Self::Payload(_) => "hooks.Input",
        }
    }
}

/// A field of the payload or of a structure: its whole numbers are integers there.
fn top_level<'v>(key: &str, value: &'v Value) -> GoValue<'v> {
    match value {
        Value::Array(_) | Value::Object(_) => match RECORDS.iter().find(|(known, _)| *known == key) {
            Some(&(_, record)) => GoValue::Record(value, record),
            None => GoValue::of(value),
        },
        Value::Number(number) => match number.as_i64() {
            Some(integer) => GoValue::Integer(integer),
            None => GoValue::of(value),
        },
        other => GoValue::of(other),
    }
}

/// What a field is that this event does not have.
fn zero(key: &str) -> GoValue<'static> {
    match key {
        "tool_input" => GoValue::Tree(Cow::Owned(Value::Object(Map::new()))),
        "messages" | "steering_messages" | "from_agent_models" | "conversation" | "multi_content"
        | "tool_calls" => GoValue::Tree(Cow::Owned(Value::Array(Vec::new()))),
        "tool_error" | "tool_read_only" | "is_error" => GoValue::Bool(false),
        "tool_response" | "usage" | "cost" | "skill" | "prompt_file" => GoValue::Nil,
        "iteration"
        | "input_tokens"
        | "output_tokens"
        | "cached_input_tokens"
        | "cached_write_tokens"
        | "reasoning_tokens"
        | "context_limit"
        | "previous_max_iterations"
        | "new_max_iterations" => GoValue::Integer(0),
        _ => GoValue::text(""),
    }
}

/// Whether a payload can have a field of this name.
pub(super) fn is_field(name: &str) -> bool {
    key_of(name).is_some()
}

/// The payload's key of a field's name in Go's spelling.
fn key_of(name: &str) -> Option<&'static str> {
    static FIELDS: LazyLock<FxHashMap<String, &'static str>> = LazyLock::new(|| {
        // Those of calls of tools come with the host's facts.
        let common = [
            "session_id",
            "cwd",
            "hook_event_name",
            "tool_category",
            "tool_read_only",
            "safety_policy",
            "safety_label",
        ];
        let all =
            EventName::ALL.iter().copied().flat_map(|event| event.fields().iter().copied()).chain(common);
        all.map(|key| (go_name(key), key)).collect()
    });
    FIELDS.get(name).copied()
}

/// `tool_use_id` → `ToolUseID`.
fn go_name(key: &str) -> String {
    let mut name = String::new();
    for word in key.split('_') {
        if matches!(word, "id" | "llm" | "url" | "api") {
            name.push_str(&word.to_ascii_uppercase());
            continue;
        }
        let mut characters = word.chars();
        name.extend(characters.next().map(|first| first.to_ascii_uppercase()));
        name.push_str(characters.as_str());
    }
    name
}
