//! What a model says, whatever the interface: text, calls of tools, and how much it used.

use serde_json::Value;

/// A reply.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Reply {
    pub(super) text: String,
    pub(super) calls: Vec<Call>,
    pub(super) input_tokens: u64,
    pub(super) output_tokens: u64,
}

/// A tool that the model wants to be called.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Call {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) arguments: Value,
}

/// A reply with calls, and what they gave, in their order.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Turn {
    pub(super) reply: Reply,
    pub(super) results: Vec<String>,
}

/// A tool that a model may or must call.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Tool {
    pub(super) name: String,
    pub(super) description: String,
    pub(super) parameters: Value,
}

/// The tool in a request's schema, where the schema is one: it has a name and parameters.
pub(super) fn forced_tool(schema: Option<&Value>) -> Option<Tool> {
    let schema = schema?;
    let text = |name: &str| schema.get(name).and_then(Value::as_str).map(str::to_owned);
    let parameters = schema.get("parameters")?.clone();
    Some(Tool { name: text("name")?, description: text("description").unwrap_or_default(), parameters })
}
