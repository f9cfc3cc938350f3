//! The crate's client as the one that answers hooks, under its own policy.

use super::{failure, headers};
use crate::hook::request::{HttpRequest, Request};
use crate::hook::runner::{HookFuture, HookHost, unanswered};
use crate::hook::script::{Ended, ScriptOutcome};
use crate::network::{AddressRule, HttpClient, NetworkError, TransportRequest, Url, wrong_header};
use crate::text::Text;
use std::future::poll_fn;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

impl HttpClient {
    /// Sends a hook's request. The outcome's status is that of HTTP and its standard output the body; it ends with
    /// [`Ended::OutputExceeded`] (status and the first [`HttpRequest::max_bytes`] are there), [`Ended::TimedOut`], or
    /// [`Ended::NotStarted`] with what went wrong, for an address that must not be reached a
    /// [`Refusal`](crate::network::Refusal)'s text. A failure of the transport and a status of 500 and more are tried again,
    /// as often as the request says, after a wait, at the addresses that were resolved and checked once. One time bounds all of
    /// it.
    pub async fn send(&self, request: &HttpRequest, timeout: Duration) -> ScriptOutcome {
        match tokio::time::timeout(timeout, self.attempts(request)).await {
            Ok(Ok(outcome)) => outcome,
            Ok(Err(error)) => failure(&error),
            Err(_) => ScriptOutcome::ended(Ended::TimedOut),
        }
    }

    async fn attempts(&self, request: &HttpRequest) -> Result<ScriptOutcome, NetworkError> {
        let url = Url::parse(&request.url)?;
        let addresses = AddressRule::new(self.policy().addresses, [].into());
        url.check_by(&addresses)?;
        let mut headers = headers(request);
        if let Some(wrong) = wrong_header(&headers) {
            return Err(wrong);
        }
        headers.push(("Connection".to_owned(), b"close".to_vec()));
        let message = TransportRequest {
            method: "POST".to_owned(),
            url,
            headers,
            body: Some(Text::from(request.body.as_slice())),
            addresses,
            connect_timeout: Duration::MAX,
            max_header_bytes: self.policy().max_header_bytes,
        };
        let mut resolved = None;
        let mut left = request.retries;
        loop {
            let result = self.attempt(&message, request.max_bytes, &mut resolved).await;
            let again = match &result {
                Ok(outcome) => outcome.status >= 500,
                Err(error) => error.is_of_transport(),
            };
            if !again || left == 0 {
                return result;
            }
            left -= 1;
            tokio::time::sleep(self.policy().retry_delay).await;
        }
    }

    async fn attempt(
        &self,
        message: &TransportRequest,
        max_bytes: u64,
        resolved: &mut Option<Vec<SocketAddr>>,
    ) -> Result<ScriptOutcome, NetworkError> {
        let started = Instant::now();
        let addresses = match resolved {
            Some(addresses) => addresses,
            None => resolved.insert(self.addresses(&message.url, &message.addresses).await?),
        };
        let mut answer = self.exchange_with(message, addresses, started).await?;
        let status = i32::from(answer.status);
        let most = usize::try_from(max_bytes).unwrap_or(usize::MAX);
        let mut all = Vec::new();
        while let Some(piece) = poll_fn(|cx| answer.body.poll_piece(cx)).await {
            let piece = piece?;
            let room = most.saturating_sub(all.len());
            all.extend_from_slice(piece.get(..room).unwrap_or(&piece));
            if piece.len() > room {
                let end = Ended::OutputExceeded;
                return Ok(ScriptOutcome { end, ..ScriptOutcome::exited(status, all, "") });
            }
        }
        Ok(ScriptOutcome::exited(status, all, ""))
    }
}

/// A host that answers HTTP requests by a client, and nothing else.
#[derive(Clone, Debug)]
pub struct HttpHost {
    client: HttpClient,
}

impl HttpHost {
    /// With that client.
    pub const fn new(client: HttpClient) -> Self {
        Self { client }
    }
}

impl HookHost for HttpHost {
    fn request(&self, request: Request, timeout: Duration) -> HookFuture<'_, ScriptOutcome> {
        Box::pin(async move {
            match &request {
                Request::Http(http) => self.client.send(http, timeout).await,
                other => unanswered(other),
            }
        })
    }
}

#[cfg(test)]
mod tests;
