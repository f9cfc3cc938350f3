//! Tools of servers of the Model Context Protocol (revision 2025-06-18): JSON-RPC over a channel, which is streamable HTTP here
//! and can be anything of a host's own ([`McpChannel`]), as the command's stdio.
//!
//! The kept SDK (`rmcp`) was looked at: its client wants a runtime task for each server, serves requests of servers that no
//! hook can need, brings schemas and its own HTTP types, and would keep its connections outside of the session's policy. What
//! a hook needs of the protocol is three messages.

use super::endpoint::{network_of, url};
use super::{AskError, NoAnswer};
use crate::clock::lock;
use crate::hook::request::ToolRequest;
use crate::hook::runner::HookFuture;
use crate::hook::script::ScriptOutcome;
use crate::network::{Credential, Network, NetworkRequest, NetworkResponse, Secret, Transport, Url};
use crate::text::Text;
use serde_json::{Value, json};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// The revision that is asked for, and those that do as well.
const REVISIONS: [&str; 4] = ["2025-06-18", "2025-11-25", "2025-03-26", "2024-11-05"];
/// Longest message that is read, in bytes.
const LONGEST: usize = 4 << 20;

/// How messages get to a server and back.
pub trait McpChannel: Send + Sync {
    /// Sends a message of JSON-RPC; the answer to it, where it has an `id`. Dropping the future gives up.
    fn exchange(&self, message: Value, timeout: Duration) -> HookFuture<'_, Result<Option<Value>, String>>;

    /// The server and this side have agreed on a revision.
    fn agreed(&self, revision: &str) {
        let _ = revision;
    }

    /// Forgets the session: the next message begins a new one.
    fn reset(&self) {}
}

/// A server of tools.
pub struct ToolServer {
    channel: Box<dyn McpChannel>,
    is_ready: Mutex<bool>,
    next_id: AtomicU64,
}

impl std::fmt::Debug for ToolServer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ToolServer").finish_non_exhaustive()
    }
}

impl ToolServer {
    /// Over a channel.
    pub fn new(channel: impl McpChannel + 'static) -> Self {
        Self { channel: Box::new(channel), is_ready: Mutex::new(false), next_id: AtomicU64::new(1) }
    }

    /// By streamable HTTP; the token goes to this server alone.
    ///
    /// # Errors
    /// It is not a URL.
    pub fn http(
        address: &str,
        token: Option<&Secret>,
        transport: impl Transport + 'static,
    ) -> Result<Self, AskError> {
        let url = url(address)?;
        let credential = token.map(|token| Credential::bearer(&url.host.to_string(), token));
        let network = network_of(&url, credential, transport);
        Ok(Self::new(HttpChannel { url, network, session: Mutex::default() }))
    }

    /// Calls a tool.
    pub(super) async fn call(
        &self,
        request: &ToolRequest,
        timeout: Duration,
    ) -> Result<ScriptOutcome, NoAnswer> {
        let started = crate::clock::real_monotonic();
        let left = || timeout.saturating_sub(crate::clock::real_monotonic().saturating_sub(started));
        self.begin(left()).await?;
        let params = json!({"name": request.tool, "arguments": request.arguments});
        let result = match self.ask("tools/call", &params, left()).await {
            // A server that was started anew knows nothing of the session.
            Err(NoAnswer::Failed(why)) if why == GONE => {
                *lock(&self.is_ready) = false;
                self.channel.reset();
                self.begin(left()).await?;
                self.ask("tools/call", &params, left()).await?
            }
            result => result?,
        };
        let texts: Vec<&str> = result
            .get("content")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter(|block| block.get("type").and_then(Value::as_str) == Some("text"))
            .filter_map(|block| block.get("text").and_then(Value::as_str))
            .collect();
        let is_error = result.get("isError").and_then(Value::as_bool).unwrap_or(false);
        let text = match (texts.is_empty(), result.get("structuredContent")) {
            (true, Some(content)) => content.to_string(),
            _ => texts.join("\n"),
        };
        Ok(ScriptOutcome::exited(i32::from(is_error), text, ""))
    }

    /// Begins the session, once.
    async fn begin(&self, timeout: Duration) -> Result<(), NoAnswer> {
        if *lock(&self.is_ready) {
            return Ok(());
        }
        let params = json!({
            "protocolVersion": REVISIONS[0], "capabilities": {},
            "clientInfo": {"name": "hookbox", "version": env!("CARGO_PKG_VERSION")},
        });
        let result = self.ask("initialize", &params, timeout).await?;
        let revision = result.get("protocolVersion").and_then(Value::as_str).unwrap_or_default();
        if !REVISIONS.contains(&revision) {
            return Err(NoAnswer::Failed(format!(
                "the server speaks revision `{revision}`, which is not known"
            )));
        }
        self.channel.agreed(revision);
        let message = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        self.channel.exchange(message, timeout).await.map_err(no_answer)?;
        *lock(&self.is_ready) = true;
        Ok(())
    }

    async fn ask(&self, method: &str, params: &Value, timeout: Duration) -> Result<Value, NoAnswer> {
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        let message = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        let answer = self.channel.exchange(message, timeout).await.map_err(no_answer)?;
        let mut answer = answer.ok_or_else(|| NoAnswer::failed("the server did not answer"))?;
        if let Some(error) = answer.get("error") {
            let text = error.get("message").and_then(Value::as_str).unwrap_or("no message");
            return Err(NoAnswer::Failed(format!("the server refused {method}: {text}")));
        }
        Ok(answer.get_mut("result").map(Value::take).unwrap_or_default())
    }
}

/// The server has forgotten the session.
const GONE: &str = "the session is gone";
/// No answer in time, as a channel says it.
pub(crate) const TIMED_OUT: &str = "timed out";

fn no_answer(why: String) -> NoAnswer {
    if why == TIMED_OUT { NoAnswer::TimedOut } else { NoAnswer::Failed(why) }
}

/// Streamable HTTP.
struct HttpChannel {
    url: Url,
    network: Network,
    session: Mutex<HttpSession>,
}

#[derive(Clone, Default)]
struct HttpSession {
    id: Option<Vec<u8>>,
    revision: Option<String>,
}

impl HttpChannel {
    async fn send(&self, message: &Value, timeout: Duration) -> Result<Option<Value>, NoAnswer> {
        let HttpSession { id: session, revision } = lock(&self.session).clone();
        let id = message.get("id").cloned();
        let mut request = NetworkRequest::new("POST", self.url.clone());
        request.add_header("Content-Type", b"application/json");
        request.add_header("Accept", b"application/json, text/event-stream");
        if let Some(session) = &session {
            request.add_header("Mcp-Session-Id", session);
        }
        if let Some(revision) = &revision {
            request.add_header("MCP-Protocol-Version", revision.as_bytes());
        }
        request.body = Some(Text::from(message.to_string().as_str()));
        request.timeout = Some(timeout);
        let mut answer = self.network.send(request).await?;
        if answer.status == 404 && session.is_some() {
            return Err(NoAnswer::failed(GONE));
        }
        if !(200..300).contains(&answer.status) {
            return Err(NoAnswer::Failed(format!("the server answered {}", answer.status)));
        }
        if let Some(session) = answer.header("mcp-session-id") {
            lock(&self.session).id = Some(session.to_vec());
        }
        let Some(id) = id else { return Ok(None) };
        let is_stream = answer
            .header("content-type")
            .is_some_and(|kind| kind.trim_ascii().to_ascii_lowercase().starts_with(b"text/event-stream"));
        if is_stream {
            return event_with(&mut answer, &id).await.map(Some);
        }
        let (body, is_longer) = answer.read_up_to(LONGEST).await?;
        if is_longer {
            return Err(NoAnswer::failed("the server's answer is too long"));
        }
        let body = serde_json::from_slice(&body);
        body.map(Some).map_err(|_| NoAnswer::failed("the server's answer is not JSON"))
    }
}

/// The event of a stream that answers the message with this `id`; others are the server's own affair.
async fn event_with(answer: &mut NetworkResponse, id: &Value) -> Result<Value, NoAnswer> {
    let (mut line, mut data, mut total) = (Vec::new(), Vec::new(), 0_usize);
    while let Some(piece) = answer.piece().await? {
        total = total.saturating_add(piece.len());
        if total > LONGEST {
            return Err(NoAnswer::failed("the server's answer is too long"));
        }
        for byte in piece {
            if byte != b'\n' {
                line.push(byte);
                continue;
            }
            let text = std::mem::take(&mut line);
            let text = text.strip_suffix(b"\r").unwrap_or(&text);
            if let Some(more) = text.strip_prefix(b"data:") {
                if !data.is_empty() {
                    data.push(b'\n');
                }
                data.extend_from_slice(more.strip_prefix(b" ").unwrap_or(more));
            } else if text.is_empty() {
                let event = std::mem::take(&mut data);
                match serde_json::from_slice::<Value>(&event) {
                    Ok(message) if message.get("id") == Some(id) && message.get("method").is_none() => {
                        return Ok(message);
                    }
                    _ => {}
                }
            }
        }
    }
    Err(NoAnswer::failed("the server's stream ended without an answer"))
}

impl McpChannel for HttpChannel {
    fn exchange(&self, message: Value, timeout: Duration) -> HookFuture<'_, Result<Option<Value>, String>> {
        Box::pin(async move {
            self.send(&message, timeout).await.map_err(|why| match why {
                NoAnswer::TimedOut => TIMED_OUT.to_owned(),
                NoAnswer::Failed(why) => why,
            })
        })
    }

    fn agreed(&self, revision: &str) {
        lock(&self.session).revision = Some(revision.to_owned());
    }

    fn reset(&self) {
        *lock(&self.session) = HttpSession::default();
    }
}
