//! What a hook may ask of its host beside running a script: a request over the network, a question to a model, a tool, a
//! built-in of the platform. The engine renders, caps, caches and decodes; the call is the host's
//! ([`HookRunner::request`](super::HookRunner::request)). It ends as a [`ScriptOutcome`](super::ScriptOutcome): `stdout` is the
//! answer's body.

use serde_json::Value;

/// One request.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Request {
    /// `POST` of a payload; the outcome's status is that of HTTP.
    Http(HttpRequest),
    /// A question to a model; the outcome has status 0 and the reply as standard output.
    Model(ModelRequest),
    /// A tool of a server of the Model Context Protocol; status 0, or 1 when the tool says that it failed.
    Tool(ToolRequest),
    /// A built-in that only the host can do; status and output as a script's.
    Builtin(BuiltinRequest),
}

impl Request {
    /// `http`, `model`, `tool`, `builtin`.
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Http(_) => "http",
            Self::Model(_) => "model",
            Self::Tool(_) => "tool",
            Self::Builtin(_) => "builtin",
        }
    }

    /// For records and cases; header values are not shown.
    pub fn to_json(&self) -> Value {
        match self {
            Self::Http(request) => {
                let names: Vec<_> = request.headers.iter().map(|(name, _)| name.as_str()).collect();
                let body = String::from_utf8_lossy(&request.body);
                let mut object =
                    serde_json::json!({"kind": "http", "url": request.url, "headers": names, "body": body});
                if request.retries > 0 {
                    object["retries"] = request.retries.into();
                }
                object
            }
            Self::Model(request) => serde_json::json!({
                "kind": "model", "model": request.model, "system": request.system, "prompt": request.prompt,
                "schema": request.schema, "max_tokens": request.max_tokens, "agent": request.agent,
            }),
            Self::Tool(request) => serde_json::json!({
                "kind": "tool", "server": request.server, "tool": request.tool, "arguments": request.arguments,
            }),
            Self::Builtin(request) => serde_json::json!({
                "kind": "builtin", "name": request.name, "arguments": request.arguments,
                "payload": request.payload,
            }),
        }
    }
}

/// See [`Request::Http`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HttpRequest {
    /// Checked by the dialect against its allow-lists; the address is checked when it is resolved.
    pub url: String,
    /// In order.
    pub headers: Vec<(String, String)>,
    /// JSON.
    pub body: Vec<u8>,
    /// How much of the answer is read, in bytes; more is an error.
    pub max_bytes: u64,
    /// How often it is tried again after a failure of the transport or a status of 500 and more.
    pub retries: u32,
}

/// See [`Request::Model`]. The host asks at temperature 0.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelRequest {
    /// In the platform's words; `None` is its choice.
    pub model: Option<String>,
    /// What the model is told about its task.
    pub system: String,
    /// The rendered question.
    pub prompt: String,
    /// JSON Schema of the reply, or the tool that the model must call (`name`, `description`, `parameters`).
    pub schema: Option<Value>,
    /// Longest reply.
    pub max_tokens: Option<u64>,
    /// Whether the model may use the agent's reading tools on the way.
    pub agent: bool,
}

/// See [`Request::Tool`].
#[derive(Clone, Debug, PartialEq)]
pub struct ToolRequest {
    /// The server's name.
    pub server: String,
    /// The tool's name.
    pub tool: String,
    /// Rendered arguments.
    pub arguments: Value,
}

/// See [`Request::Builtin`].
#[derive(Clone, Debug, PartialEq)]
pub struct BuiltinRequest {
    /// The built-in's name in the dialect.
    pub name: String,
    /// From the config.
    pub arguments: Vec<String>,
    /// The event's payload in the dialect's shape.
    pub payload: Value,
}
