//! Handlers that are not commands: what the host is asked for them (R25 to R27, R59).

use super::placeholder::{in_header, in_input, in_prompt};
use super::rule::{has_pieces, pieces};
use super::settings::ClaudeSettings;
use crate::hook::request::{HttpRequest, ModelRequest, Request, ToolRequest};
use serde_json::{Value, json};
use std::fmt::Write as _;

/// How often an `agent` handler may call the model (4.5).
pub const AGENT_TURNS: u32 = 50;

/// How much of an answer is read, in bytes.
const ANSWER_CAP: u64 = 1 << 20;

/// What an `http` handler says.
#[derive(Debug)]
pub(super) struct HttpHandler {
    pub(super) url: String,
    pub(super) headers: Vec<(String, String)>,
    /// Variables that its headers may show.
    pub(super) variables: Vec<String>,
}

/// What all settings files together say about requests; `None`: they restrict nothing.
#[derive(Debug)]
pub(super) struct HttpAllowList {
    urls: Option<Vec<Vec<String>>>,
    variables: Option<Vec<String>>,
}

impl HttpAllowList {
    pub(super) fn new(urls: Option<Vec<String>>, variables: Option<Vec<String>>) -> Self {
        Self { urls: urls.map(|urls| urls.iter().map(|url| pieces(url)).collect()), variables }
    }

    fn allows(&self, url: &str) -> bool {
        self.urls.as_ref().is_none_or(|urls| urls.iter().any(|pieces| has_pieces(pieces, url)))
    }

    /// # Errors
    /// The address is not allowed, or a header is too long.
    pub(super) fn request(
        &self,
        handler: &HttpHandler,
        settings: &ClaudeSettings,
        body: Vec<u8>,
    ) -> Result<Request, String> {
        if !self.allows(&handler.url) {
            return Err(format!("{} is not in allowedHttpHookUrls", handler.url));
        }
        let value = |name: &str| {
            let listed = |names: &Vec<String>| names.iter().any(|known| known == name);
            let allowed = listed(&handler.variables) && self.variables.as_ref().is_none_or(listed);
            let value = settings.variable(name).filter(|_| allowed).unwrap_or("");
            // A line break in a header would start another one.
            value.chars().filter(|letter| !matches!(letter, '\r' | '\n' | '\0')).collect::<String>()
        };
        let mut headers = vec![("Content-Type".to_owned(), "application/json".to_owned())];
        let given = handler.headers.iter().filter(|(name, _)| !name.eq_ignore_ascii_case("content-type"));
        for (name, text) in given {
            headers.push((name.clone(), in_header(text, value)?));
        }
        Ok(Request::Http(HttpRequest {
            url: handler.url.clone(),
            headers,
            body,
            max_bytes: ANSWER_CAP,
            retries: 0,
        }))
    }
}

/// A call of a tool; `payload` is the encoded payload.
///
/// # Errors
/// Its input would be too long.
pub(super) fn tool(server: &str, tool: &str, input: &Value, payload: &[u8]) -> Result<Request, String> {
    let payload = serde_json::from_slice(payload).unwrap_or_default();
    let arguments = in_input(input, &payload)?;
    Ok(Request::Tool(ToolRequest { server: server.to_owned(), tool: tool.to_owned(), arguments }))
}

/// A question to a model, or to an agent that may look around.
///
/// # Errors
/// The prompt would be too long.
pub(super) fn model(
    prompt: &str,
    model: Option<&str>,
    agent: bool,
    payload: &[u8],
) -> Result<Request, String> {
    let prompt = in_prompt(prompt, payload)?;
    let mut system = "You check an event of an agent session. Reply with one JSON object and nothing else: \
                      {\"ok\": true} when it may go on, else {\"ok\": false, \"reason\": \"why\"}. Add \"impossible\": true \
                      when what is asked for can not be reached."
        .to_owned();
    if agent {
        let _ = write!(system, " You have at most {AGENT_TURNS} turns.");
    }
    let schema = json!({
        "type": "object",
        "properties": {
            "ok": {"type": "boolean"}, "reason": {"type": "string"}, "impossible": {"type": "boolean"},
        },
        "required": ["ok"],
    });
    Ok(Request::Model(ModelRequest {
        model: model.map(str::to_owned),
        system,
        prompt,
        schema: Some(schema),
        max_tokens: None,
        agent,
    }))
}
