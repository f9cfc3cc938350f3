//! Hosts that answer hooks over HTTP: by a session's [`Network`], or by the crate's client alone.

use crate::hook::request::HttpRequest;
use crate::hook::script::{Ended, ScriptOutcome};
use crate::network::{Network, NetworkError, NetworkErrorKind, NetworkRequest, Url};
use crate::text::Text;
use std::time::Duration;

#[cfg(feature = "http")]
mod client;

#[cfg(feature = "http")]
pub use client::HttpHost;

/// Wait before a hook's request is tried again.
const RETRY_DELAY: Duration = Duration::from_secs(1);
const USER_AGENT: &str = concat!("hookbox/", env!("CARGO_PKG_VERSION"));

/// What goes out for a hook: its headers, and who asks.
pub(super) fn headers(request: &HttpRequest) -> Vec<(String, Vec<u8>)> {
    let own = request.headers.iter().map(|(name, value)| (name.clone(), value.clone().into_bytes()));
    let mut headers: Vec<_> = own.collect();
    if !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("user-agent")) {
        headers.push(("User-Agent".to_owned(), USER_AGENT.as_bytes().to_vec()));
    }
    headers
}

/// Why there is no answer, as an outcome.
pub(super) fn failure(error: &NetworkError) -> ScriptOutcome {
    ScriptOutcome::ended(match error.kind() {
        NetworkErrorKind::TimedOut => Ended::TimedOut,
        NetworkErrorKind::TooLong => Ended::OutputExceeded,
        _ => Ended::NotStarted(error.to_string()),
    })
}

/// Sends a hook's request through a session's network. The outcome's status is that of HTTP and its standard output the body.
pub(crate) async fn post(network: &Network, request: &HttpRequest, timeout: Duration) -> ScriptOutcome {
    let started = crate::clock::real_monotonic();
    let mut left = request.retries;
    loop {
        let result = attempt(network, request, started, timeout).await;
        let again = match &result {
            Ok(outcome) => outcome.status >= 500,
            Err(error) => error.is_of_transport(),
        };
        if !again || left == 0 {
            return result.unwrap_or_else(|error| failure(&error));
        }
        left -= 1;
        crate::clock::RealSleep::of(RETRY_DELAY).await;
    }
}

async fn attempt(
    network: &Network,
    request: &HttpRequest,
    started: Duration,
    timeout: Duration,
) -> Result<ScriptOutcome, NetworkError> {
    let passed = crate::clock::real_monotonic().saturating_sub(started);
    let asked = NetworkRequest {
        headers: headers(request),
        body: Some(Text::from(request.body.as_slice())),
        timeout: Some(timeout.saturating_sub(passed)),
        ..NetworkRequest::new("POST", Url::parse(&request.url)?)
    };
    let mut answer = network.send(asked).await?;
    let most = usize::try_from(request.max_bytes).unwrap_or(usize::MAX);
    let (body, is_longer) = answer.read_up_to(most).await?;
    let end = if is_longer { Ended::OutputExceeded } else { Ended::Exited };
    Ok(ScriptOutcome { end, ..ScriptOutcome::exited(i32::from(answer.status), body, "") })
}
