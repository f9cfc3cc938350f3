//! Live answers: a host that asks whom hooks want asked. `http` hooks go through a session's [`Network`], questions to a model
//! ([`ModelEndpoint`]) and tools ([`ToolServer`]) to what the host named, each through a policy that allows that alone.
//!
//! ```no_run
//! use hookbox::hook::ask::{LiveHost, ModelEndpoint, ToolServer};
//! use hookbox::network::{AllowedHost, EgressPolicy, Network, Secret, Transport};
//! use hookbox::sandbox::Sandbox;
//! use std::sync::Arc;
//!
//! # fn host(client: Arc<dyn Transport>, key: String) -> Result<(), Box<dyn std::error::Error>> {
//! let policy = EgressPolicy::none().allow(AllowedHost::parse("POST https://collector.example.com/v1")?);
//! let model = ModelEndpoint::anthropic("https://api.anthropic.com")?.key(Secret::new(key)).model("claude-haiku-4-5");
//! let host = LiveHost::default()
//!     .network(Network::new(policy, Arc::clone(&client)))
//!     .model(model, Arc::clone(&client))
//!     .tools("tickets", ToolServer::http("https://tools.example.com/mcp", None, client)?);
//! let sandbox = Sandbox::builder().hook_host(Arc::new(host)).build()?;
//! # Ok(())
//! # }
//! ```

mod agent;
mod anthropic;
mod endpoint;
mod mcp;
mod open_ai;
mod reply;

pub use endpoint::{ModelApi, ModelEndpoint, Prices};
pub use mcp::{McpChannel, ToolServer};

use super::http::post;
use super::observer::HookObserver;
use super::request::Request;
use super::runner::{HookFuture, HookHost, LateOutput, unanswered};
use super::script::{Ended, ScriptOutcome};
use crate::network::{Network, NetworkError, NetworkErrorKind, Refusal, Transport};
use crate::vfs::FileSystem;
use endpoint::ModelClient;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

/// Why somebody can not be asked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{url}: {why}")]
pub struct AskError {
    url: String,
    why: Refusal,
}

/// Why there is no answer.
#[derive(Debug)]
pub(crate) enum NoAnswer {
    /// It was not there in time.
    TimedOut,
    /// In words.
    Failed(String),
}

impl From<NetworkError> for NoAnswer {
    fn from(error: NetworkError) -> Self {
        match error.kind() {
            NetworkErrorKind::TimedOut => Self::TimedOut,
            _ => Self::Failed(error.to_string()),
        }
    }
}

impl NoAnswer {
    fn failed(why: impl Into<String>) -> Self {
        Self::Failed(why.into())
    }

    pub(crate) fn outcome(self) -> ScriptOutcome {
        ScriptOutcome::ended(match self {
            Self::TimedOut => Ended::TimedOut,
            Self::Failed(why) => Ended::NotStarted(why),
        })
    }
}

/// See the module. What it has nobody for goes to the next host, if there is one, else it could not be asked.
#[derive(Clone, Default)]
pub struct LiveHost {
    network: Option<Network>,
    model: Option<Arc<ModelClient>>,
    tools: BTreeMap<String, Arc<ToolServer>>,
    files: Option<Arc<FileSystem>>,
    next: Option<Arc<dyn HookHost>>,
}

impl std::fmt::Debug for LiveHost {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let tools: Vec<&String> = self.tools.keys().collect();
        f.debug_struct("LiveHost")
            .field("network", &self.network)
            .field("tools", &tools)
            .finish_non_exhaustive()
    }
}

impl LiveHost {
    /// Answers `http` hooks.
    #[must_use]
    pub fn network(mut self, network: Network) -> Self {
        self.network = Some(network);
        self
    }

    /// Answers questions to a model.
    #[must_use]
    pub fn model(mut self, endpoint: ModelEndpoint, transport: impl Transport + 'static) -> Self {
        self.model = Some(Arc::new(ModelClient::new(endpoint, transport)));
        self
    }

    /// Answers calls of the tools of a server, by the name that hooks know it by.
    #[must_use]
    pub fn tools(mut self, name: impl Into<String>, server: ToolServer) -> Self {
        self.tools.insert(name.into(), Arc::new(server));
        self
    }

    /// The session's files, in which a model may look around for `agent` hooks. Without them such a hook's question is put
    /// as a `prompt` hook's is.
    #[must_use]
    pub fn files(mut self, files: Arc<FileSystem>) -> Self {
        self.files = Some(files);
        self
    }

    /// Who answers what this has nobody for, takes what comes late, and gets the records.
    #[must_use]
    pub fn or(mut self, next: Arc<dyn HookHost>) -> Self {
        self.next = Some(next);
        self
    }

    /// Tokens that models have used.
    pub fn tokens(&self) -> u64 {
        self.model.as_ref().map_or(0, |model| model.tokens())
    }

    async fn otherwise(&self, request: Request, timeout: Duration) -> ScriptOutcome {
        match &self.next {
            Some(next) => next.request(request, timeout).await,
            None => unanswered(&request),
        }
    }
}

impl HookHost for LiveHost {
    fn request(&self, request: Request, timeout: Duration) -> HookFuture<'_, ScriptOutcome> {
        Box::pin(async move {
            match (&request, &self.network, &self.model) {
                (Request::Http(http), Some(network), _) => post(network, http, timeout).await,
                (Request::Model(question), _, Some(model)) => {
                    let files = self.files.as_ref().filter(|_| question.agent);
                    let answer = agent::ask(model, question, files, timeout).await;
                    answer.unwrap_or_else(NoAnswer::outcome)
                }
                (Request::Tool(call), ..) => match self.tools.get(&call.server) {
                    Some(server) => server.call(call, timeout).await.unwrap_or_else(NoAnswer::outcome),
                    None if self.tools.is_empty() => self.otherwise(request, timeout).await,
                    None => {
                        let known: Vec<&str> = self.tools.keys().map(String::as_str).collect();
                        let why =
                            format!("no server `{}` is known (known: {})", call.server, known.join(", "));
                        NoAnswer::Failed(why).outcome()
                    }
                },
                _ => self.otherwise(request, timeout).await,
            }
        })
    }

    fn deliver_late(&self, late: &LateOutput) -> bool {
        self.next.as_ref().is_some_and(|next| next.deliver_late(late))
    }

    fn observer(&self) -> Option<&dyn HookObserver> {
        self.next.as_deref().and_then(HookHost::observer)
    }
}
