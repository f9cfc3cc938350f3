//! Models behind an HTTP interface: where, with which key, and how much they may be used.

use super::reply::{Reply, Turn};
use super::{AskError, NoAnswer, anthropic, open_ai};
use crate::hook::request::ModelRequest;
use crate::network::{
    AllowedHost, Credential, EgressPolicy, Network, NetworkRequest, Refusal, Secret, Transport, Url,
};
use crate::text::Text;
use serde_json::Value;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Longest reply where neither the hook nor the host says.
const MAX_TOKENS: u64 = 1024;
/// Longest answer that is read, in bytes.
const LONGEST_ANSWER: usize = 4 << 20;
/// What of an error's text is shown, in characters.
const SHOWN: usize = 300;
const PER_MILLION: f64 = 1e6;

/// Which interface it has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModelApi {
    /// `POST BASE/chat/completions`, as `OpenAI` and many others have it.
    OpenAi,
    /// `POST BASE/v1/messages`.
    Anthropic,
}

/// What a million tokens cost.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Prices {
    /// Of what is sent.
    pub input: f64,
    /// Of what comes back.
    pub output: f64,
}

/// A model's endpoint. It is asked at temperature 0.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ModelEndpoint {
    api: ModelApi,
    base: Url,
    key: Option<Secret>,
    model: Option<String>,
    /// Longest reply where the hook says nothing; 1024 by default, and no hook gets more than eight times that.
    pub max_tokens: u64,
    /// Tokens that all questions together may use, in and out.
    pub token_budget: Option<u64>,
    /// For `max_cost`.
    pub prices: Option<Prices>,
    /// What all questions together may cost, in the currency of the prices.
    pub max_cost: Option<f64>,
}

impl ModelEndpoint {
    /// With the interface of `OpenAI`: `https://api.openai.com/v1`, `http://localhost:11434/v1`.
    ///
    /// # Errors
    /// It is not a URL.
    pub fn open_ai(base: &str) -> Result<Self, AskError> {
        Self::new(ModelApi::OpenAi, base)
    }

    /// With the interface of Anthropic: `https://api.anthropic.com`.
    ///
    /// # Errors
    /// It is not a URL.
    pub fn anthropic(base: &str) -> Result<Self, AskError> {
        Self::new(ModelApi::Anthropic, base)
    }

    /// With one of them.
    ///
    /// # Errors
    /// It is not a URL.
    pub fn new(api: ModelApi, base: &str) -> Result<Self, AskError> {
        Ok(Self {
            api,
            base: url(base)?,
            key: None,
            model: None,
            max_tokens: MAX_TOKENS,
            token_budget: None,
            prices: None,
            max_cost: None,
        })
    }

    /// The key, which goes to this endpoint alone.
    #[must_use]
    pub fn key(mut self, key: Secret) -> Self {
        self.key = Some(key);
        self
    }

    /// The model that is asked, whatever hooks say. Without it the one that the hook names, without its provider
    /// (`openai/gpt-5-mini` is `gpt-5-mini`).
    #[must_use]
    pub fn model(mut self, model: impl Into<String>) -> Self {
        self.model = Some(model.into());
        self
    }

    fn target(&self) -> Url {
        let end = match self.api {
            ModelApi::OpenAi => "/chat/completions",
            ModelApi::Anthropic => "/v1/messages",
        };
        let mut url = self.base.clone();
        url.target = format!("{}{end}", url.target.trim_end_matches('/'));
        url
    }
}

/// Reads the URL of whom a host asks.
pub(super) fn url(text: &str) -> Result<Url, AskError> {
    let refused = |why: Refusal| AskError { url: Url::for_log(text), why };
    let url = Url::parse(text).map_err(refused)?;
    if url.target.contains('?') { Err(refused(Refusal::UrlParseError)) } else { Ok(url) }
}

/// A network that reaches one URL and what is below it, by `POST`.
pub(super) fn network_of(
    url: &Url,
    credential: Option<Credential>,
    transport: impl Transport + 'static,
) -> Network {
    let mut policy = EgressPolicy::none().allow(AllowedHost::of_url(url).methods(["POST"]));
    if let Some(credential) = credential {
        policy = policy.credential(credential);
    }
    policy.max_response_bytes = LONGEST_ANSWER as u64;
    policy.max_time = Duration::from_mins(10);
    policy.max_requests = u64::MAX;
    Network::new(policy, transport)
}

/// What a model is asked by.
pub(super) struct ModelClient {
    endpoint: ModelEndpoint,
    target: Url,
    network: Network,
    input_tokens: AtomicU64,
    output_tokens: AtomicU64,
}

impl ModelClient {
    pub(super) fn new(endpoint: ModelEndpoint, transport: impl Transport + 'static) -> Self {
        let target = endpoint.target();
        let credential = endpoint.key.as_ref().map(|key| {
            let host = target.host.to_string();
            match endpoint.api {
                ModelApi::OpenAi => Credential::bearer(&host, key),
                ModelApi::Anthropic => Credential::header(&host, "x-api-key", key),
            }
        });
        let network = network_of(&target, credential, transport);
        Self { endpoint, target, network, input_tokens: AtomicU64::new(0), output_tokens: AtomicU64::new(0) }
    }

    pub(super) fn tokens(&self) -> u64 {
        self.input_tokens.load(Ordering::Relaxed).saturating_add(self.output_tokens.load(Ordering::Relaxed))
    }

    /// The model's name for the endpoint.
    fn model(&self, request: &ModelRequest) -> Result<String, NoAnswer> {
        let own = request.model.as_deref().map(|name| name.rsplit('/').next().unwrap_or(name));
        match self.endpoint.model.as_deref().or(own) {
            Some(name) if !name.is_empty() => Ok(name.to_owned()),
            _ => Err(NoAnswer::failed("neither the hook nor its host names a model")),
        }
    }

    /// Whether there is something left to spend.
    fn check_budget(&self) -> Result<(), NoAnswer> {
        if let Some(most) = self.endpoint.token_budget.filter(|most| self.tokens() >= *most) {
            return Err(NoAnswer::Failed(format!("the budget of {most} tokens is used up")));
        }
        if let (Some(prices), Some(most)) = (self.endpoint.prices, self.endpoint.max_cost) {
            let input = self.input_tokens.load(Ordering::Relaxed) as f64 * prices.input;
            let output = self.output_tokens.load(Ordering::Relaxed) as f64 * prices.output;
            if (input + output) / PER_MILLION >= most {
                return Err(NoAnswer::Failed(format!("the budget of {most} for models is used up")));
            }
        }
        Ok(())
    }

    /// Longest reply, by what the hook wants and what is left.
    fn most_tokens(&self, request: &ModelRequest) -> u64 {
        let own = self.endpoint.max_tokens;
        let wanted = request.max_tokens.unwrap_or(own).min(own.saturating_mul(8));
        let left = self.endpoint.token_budget.map_or(u64::MAX, |most| most.saturating_sub(self.tokens()));
        wanted.min(left).max(1)
    }

    /// Puts a question, with the turns so far.
    pub(super) async fn ask(
        &self,
        request: &ModelRequest,
        turns: &[Turn],
        timeout: Duration,
    ) -> Result<Reply, NoAnswer> {
        self.check_budget()?;
        let (model, most) = (self.model(request)?, self.most_tokens(request));
        let started = crate::clock::real_monotonic();
        let mut with_schema = true;
        loop {
            let message = match self.endpoint.api {
                ModelApi::OpenAi => open_ai::message(request, turns, &model, most, with_schema),
                ModelApi::Anthropic => anthropic::message(request, turns, &model, most),
            };
            let passed = crate::clock::real_monotonic().saturating_sub(started);
            let (status, body) = self.send(&message, timeout.saturating_sub(passed)).await?;
            if status == 200 {
                let reply = match self.endpoint.api {
                    ModelApi::OpenAi => open_ai::reply(&body),
                    ModelApi::Anthropic => anthropic::reply(&body, request),
                };
                let reply =
                    reply.ok_or_else(|| NoAnswer::failed("the endpoint's answer is not a model's reply"))?;
                self.input_tokens.fetch_add(reply.input_tokens, Ordering::Relaxed);
                self.output_tokens.fetch_add(reply.output_tokens, Ordering::Relaxed);
                return Ok(reply);
            }
            // Many that speak this interface know no schemas.
            let may_lack_schemas = matches!(status, 400 | 404 | 422) && self.endpoint.api == ModelApi::OpenAi;
            if with_schema && may_lack_schemas && open_ai::has_format(&message) {
                with_schema = false;
                continue;
            }
            return Err(NoAnswer::Failed(format!(
                "the model's endpoint answered {status}{}",
                error_text(&body)
            )));
        }
    }

    async fn send(&self, message: &Value, timeout: Duration) -> Result<(u16, Value), NoAnswer> {
        let mut request = NetworkRequest::new("POST", self.target.clone());
        request.add_header("Content-Type", b"application/json");
        request.add_header("Accept", b"application/json");
        if self.endpoint.api == ModelApi::Anthropic {
            request.add_header("anthropic-version", b"2023-06-01");
        }
        request.body = Some(Text::from(message.to_string().as_str()));
        request.timeout = Some(timeout);
        let mut answer = self.network.send(request).await?;
        let (body, is_longer) = answer.read_up_to(LONGEST_ANSWER).await?;
        if is_longer {
            return Err(NoAnswer::failed("the endpoint's answer is too long"));
        }
        Ok((answer.status, serde_json::from_slice(&body).unwrap_or_default()))
    }
}

/// What an endpoint says about an error.
fn error_text(body: &Value) -> String {
    let error = body.get("error");
    let text = error.and_then(|error| error.get("message").or(Some(error))).and_then(Value::as_str);
    text.map(|text| format!(": {}", text.chars().take(SHOWN).collect::<String>())).unwrap_or_default()
}
