//! Who answers what hooks ask: rows of a file (`--answer`), a program of the user's (`--answer-with`), a model's endpoint
//! (`--model-endpoint`), servers of tools (`--mcp`), and for hooks over HTTP the session's network. In this order.

use super::CommandFailure;
use super::egress::{client, key};
use super::program::{AnswerProgram, McpProgram};
use crate::hook::HookHost;
use crate::hook::answer::{Answer, Answers};
use crate::hook::ask::{LiveHost, ModelApi, ModelEndpoint, Prices, ToolServer};
use crate::network::Network;
use crate::vfs::FileSystem;
use std::path::PathBuf;
use std::sync::Arc;

/// Above them in the help.
const ASKING: &str = "Hooks that ask";

/// See the module.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct AskArguments {
    /// Canned answers for hooks that ask (http, models, tools of servers, built-ins): a YAML or JSON list of rows, the first that
    /// fits answers
    #[arg(long, value_name = "FILE", help_heading = ASKING)]
    pub answer: Option<PathBuf>,
    /// Answer by a program: the request as JSON on its standard input, the answer as JSON on its standard output
    /// ({"status": 0, "body": ...}, {"error": "why"} or {"timeout": true})
    #[arg(long, value_name = "PROGRAM", help_heading = ASKING)]
    pub answer_with: Option<String>,
    /// Put the questions of model, prompt and agent hooks to this endpoint
    #[arg(long, value_name = "URL", help_heading = ASKING)]
    pub model_endpoint: Option<String>,
    /// Its interface: openai or anthropic (by the URL when not given)
    #[arg(long, value_name = "NAME", requires = "model_endpoint", help_heading = ASKING)]
    pub model_api: Option<String>,
    /// The model that is asked, whatever hooks say
    #[arg(long, value_name = "NAME", requires = "model_endpoint", help_heading = ASKING)]
    pub model: Option<String>,
    /// The variable of your environment that has the endpoint's key
    #[arg(long, value_name = "VARIABLE", requires = "model_endpoint", help_heading = ASKING)]
    pub model_key: Option<String>,
    /// Longest reply, in tokens (1024)
    #[arg(long, value_name = "TOKENS", requires = "model_endpoint", help_heading = ASKING)]
    pub model_max_tokens: Option<u64>,
    /// Tokens that all questions together may use
    #[arg(long, value_name = "TOKENS", requires = "model_endpoint", help_heading = ASKING)]
    pub model_budget: Option<u64>,
    /// What a million tokens cost, in and out
    #[arg(long, value_name = "IN,OUT", requires = "model_max_cost", help_heading = ASKING)]
    pub model_prices: Option<String>,
    /// What all questions together may cost, by these prices
    #[arg(long, value_name = "COST", requires = "model_prices", help_heading = ASKING)]
    pub model_max_cost: Option<f64>,
    /// A server of tools of the Model Context Protocol (repeatable): its URL, or a program of yours that speaks it on its
    /// standard streams
    #[arg(long, value_name = "NAME=URL|PROGRAM", help_heading = ASKING)]
    pub mcp: Vec<String>,
    /// The variable of your environment that has the bearer token of such a server (repeatable)
    #[arg(long, value_name = "NAME=VARIABLE", requires = "mcp", help_heading = ASKING)]
    pub mcp_key: Vec<String>,
}

fn wrong(option: &str, text: &str, why: &str) -> CommandFailure {
    CommandFailure::Other(format!("{option} {text}: {why}"))
}

/// Who is asked what no row fits.
#[derive(Clone)]
pub(super) enum NextHost {
    Program(Arc<AnswerProgram>),
    Live(LiveHost),
}

impl NextHost {
    /// As one session asks it: a model may look into the session's files. Bounds hold for all sessions together.
    pub(super) fn of(&self, files: &Arc<FileSystem>) -> Arc<dyn HookHost> {
        match self {
            Self::Program(program) => Arc::clone(program) as _,
            Self::Live(live) => Arc::new(live.clone().files(Arc::clone(files))),
        }
    }
}

impl AskArguments {
    /// Canned answers.
    pub(super) fn rows(&self) -> Result<Vec<Answer>, CommandFailure> {
        let Some(path) = &self.answer else { return Ok(Vec::new()) };
        let wrong = |why: String| CommandFailure::Other(format!("{}: {why}", path.display()));
        let text = String::from_utf8(super::read_text(path)?);
        let text = text.map_err(|error| wrong(error.utf8_error().to_string()))?;
        Answers::rows(&text).map_err(|error| wrong(error.to_string()))
    }

    /// Who is asked what no row fits.
    pub(super) fn next(&self, network: Option<Network>) -> Result<Option<NextHost>, CommandFailure> {
        if let Some(program) = &self.answer_with {
            if self.model_endpoint.is_some() || !self.mcp.is_empty() {
                return Err(wrong(
                    "--answer-with",
                    program,
                    "it answers everything; --model-endpoint and --mcp have nothing to do",
                ));
            }
            return Ok(Some(NextHost::Program(Arc::new(AnswerProgram::new(program)?))));
        }
        if network.is_none() && self.model_endpoint.is_none() && self.mcp.is_empty() {
            return Ok(None);
        }
        let mut live = LiveHost::default();
        if let Some(network) = network {
            live = live.network(network);
        }
        if let Some(url) = &self.model_endpoint {
            live = live.model(self.model_of(url)?, client()?);
        }
        for text in &self.mcp {
            let (name, server) = self.server(text)?;
            live = live.tools(name, server);
        }
        for text in &self.mcp_key {
            let name = text.split_once('=').map_or(text.as_str(), |(name, _)| name);
            if !self.mcp.iter().any(|server| server.split_once('=').is_some_and(|(own, _)| own == name)) {
                return Err(wrong("--mcp-key", text, "no --mcp has this name"));
            }
        }
        Ok(Some(NextHost::Live(live)))
    }

    fn model_of(&self, url: &str) -> Result<ModelEndpoint, CommandFailure> {
        let api = match self.model_api.as_deref() {
            Some("openai") => ModelApi::OpenAi,
            Some("anthropic") => ModelApi::Anthropic,
            Some(other) => return Err(wrong("--model-api", other, "openai or anthropic is wanted")),
            None if url.contains("anthropic.com") => ModelApi::Anthropic,
            None => ModelApi::OpenAi,
        };
        let endpoint = ModelEndpoint::new(api, url);
        let mut endpoint =
            endpoint.map_err(|error| CommandFailure::Other(format!("--model-endpoint {error}")))?;
        if let Some(variable) = &self.model_key {
            endpoint = endpoint.key(key("--model-key", variable)?);
        }
        if let Some(model) = &self.model {
            endpoint = endpoint.model(model);
        }
        endpoint.max_tokens = self.model_max_tokens.unwrap_or(endpoint.max_tokens);
        endpoint.token_budget = self.model_budget;
        if let Some(text) = &self.model_prices {
            let prices = text.split_once(',').and_then(|(input, output)| {
                Some(Prices { input: input.trim().parse().ok()?, output: output.trim().parse().ok()? })
            });
            endpoint.prices =
                Some(prices.ok_or_else(|| wrong("--model-prices", text, "IN,OUT is wanted, two numbers"))?);
            endpoint.max_cost = self.model_max_cost;
        }
        Ok(endpoint)
    }

    fn server<'a>(&self, text: &'a str) -> Result<(&'a str, ToolServer), CommandFailure> {
        const OPTION: &str = "--mcp";
        let Some((name, what)) =
            text.split_once('=').filter(|(name, what)| !name.is_empty() && !what.is_empty())
        else {
            return Err(wrong(OPTION, text, "NAME=URL or NAME=PROGRAM is wanted"));
        };
        let variable = self.mcp_key.iter().find_map(|text| {
            let (own, variable) = text.split_once('=')?;
            (own == name).then_some(variable)
        });
        if !what.starts_with("http://") && !what.starts_with("https://") {
            if let Some(variable) = variable {
                return Err(wrong("--mcp-key", variable, "a program has your environment anyway"));
            }
            return Ok((name, ToolServer::new(McpProgram::new(what)?)));
        }
        let token = variable.map(|variable| key("--mcp-key", variable)).transpose()?;
        let server = ToolServer::http(what, token.as_ref(), client()?);
        server
            .map(|server| (name, server))
            .map_err(|error| CommandFailure::Other(format!("{OPTION} {error}")))
    }
}
