//! A client for hooks: `POST` of a payload to one address that was checked.
//!
//! 1. The URL is read and judged ([`Url`]).
//! 2. Its name is resolved once; every address that comes back must pass ([`AddressPolicy`]), so that a name with one public
//!    and one private address is refused. A second try goes to the same addresses: a name that has changed since is not
//!    looked at.
//! 3. The connection goes to one of these addresses (`connection.rs`); `Host` and the TLS name stay those of the URL.
//! 4. Redirects are answers like others, proxies of the environment are not looked at, nothing is decompressed, no
//!    connection is used twice.
//! 5. A failure of the transport and a status of 500 and more are tried again, as often as the request says, after a wait.
//!
//! One time bounds all of it. It needs a tokio runtime with time and network.

use super::Refusal;
use super::address::AddressPolicy;
use super::connection::{self, Failure, Target};
use super::url::{Host, Url};
use crate::hook::request::{HttpRequest, Request};
use crate::hook::runner::{HookFuture, HookHost, unanswered};
use crate::hook::script::{Ended, ScriptOutcome};
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

/// What a request may do.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct HttpPolicy {
    /// Which addresses may be reached.
    pub addresses: AddressPolicy,
    /// Wait before a request is tried again; a second by default.
    pub retry_delay: Duration,
    /// Most of the headers of an answer, in bytes; 64 KiB by default, at least 8 KiB.
    pub max_header_bytes: usize,
}

impl Default for HttpPolicy {
    fn default() -> Self {
        Self {
            addresses: AddressPolicy::default(),
            retry_delay: Duration::from_secs(1),
            max_header_bytes: 64 << 10,
        }
    }
}

/// What a name resolves to.
pub type Resolved = io::Result<Vec<IpAddr>>;

/// Resolves names; called once for a request, whose client then checks what comes back.
pub trait Resolve: Send + Sync {
    /// All addresses of a host name, in the order in which they are tried.
    fn resolve<'a>(&'a self, name: &'a str) -> HookFuture<'a, Resolved>;
}

/// The host's own resolver.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemResolver;

impl Resolve for SystemResolver {
    fn resolve<'a>(&'a self, name: &'a str) -> HookFuture<'a, Resolved> {
        Box::pin(async move {
            let all = tokio::net::lookup_host((name, 0)).await?;
            Ok(all.map(|address| address.ip()).collect())
        })
    }
}

/// No client could be made.
#[derive(Debug, thiserror::Error)]
#[error("TLS can not be set up: {0}")]
pub struct HttpClientError(#[from] tokio_rustls::rustls::Error);

/// See the module.
#[derive(Clone)]
pub struct HttpClient {
    policy: HttpPolicy,
    resolver: Arc<dyn Resolve>,
    tls: Arc<ClientConfig>,
}

impl HttpClient {
    /// A client that trusts the certificate authorities of Mozilla and asks the host's resolver.
    ///
    /// # Errors
    /// TLS cannot be set up.
    pub fn new(policy: HttpPolicy) -> Result<Self, HttpClientError> {
        let roots = RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
        let versions = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()?;
        let tls = versions.with_root_certificates(roots).with_no_client_auth();
        Ok(Self { policy, resolver: Arc::new(SystemResolver), tls: Arc::new(tls) })
    }

    /// Another resolver.
    #[must_use]
    pub fn with_resolver(mut self, resolver: Arc<dyn Resolve>) -> Self {
        self.resolver = resolver;
        self
    }

    /// Other authorities, certificates of the client, or versions of TLS.
    #[must_use]
    pub fn with_tls(mut self, config: Arc<ClientConfig>) -> Self {
        self.tls = config;
        self
    }

    /// Sends a request. The outcome's status is that of HTTP and its standard output the body; it ends with
    /// [`Ended::OutputExceeded`] (status and the first [`HttpRequest::max_bytes`] are there), [`Ended::TimedOut`], or
    /// [`Ended::NotStarted`] with what went wrong, for an address that must not be reached a [`Refusal`]'s text.
    pub async fn send(&self, request: &HttpRequest, timeout: Duration) -> ScriptOutcome {
        match tokio::time::timeout(timeout, self.attempts(request)).await {
            Ok(Ok(outcome)) => outcome,
            Ok(Err(failure)) => ScriptOutcome::ended(Ended::NotStarted(failure.to_string())),
            Err(_) => ScriptOutcome::ended(Ended::TimedOut),
        }
    }

    async fn attempts(&self, request: &HttpRequest) -> Result<ScriptOutcome, Failure> {
        let url = Url::parse(&request.url)?;
        let mut addresses = None;
        let mut left = request.retries;
        loop {
            let result = self.attempt(&url, request, &mut addresses).await;
            let again = match &result {
                Ok(outcome) => outcome.status >= 500,
                Err(failure) => failure.is_of_transport(),
            };
            if !again || left == 0 {
                return result;
            }
            left -= 1;
            tokio::time::sleep(self.policy.retry_delay).await;
        }
    }

    async fn attempt(
        &self,
        url: &Url,
        request: &HttpRequest,
        addresses: &mut Option<Vec<SocketAddr>>,
    ) -> Result<ScriptOutcome, Failure> {
        let checked = match addresses {
            Some(checked) => checked,
            None => addresses.insert(self.checked(url).await?),
        };
        let target = Target {
            url,
            addresses: checked,
            tls: &self.tls,
            max_header_bytes: self.policy.max_header_bytes,
        };
        connection::post(&target, request).await
    }

    /// The addresses of a URL's host, all of which pass.
    async fn checked(&self, url: &Url) -> Result<Vec<SocketAddr>, Failure> {
        url.check(self.policy.addresses)?;
        let found = match &url.host {
            Host::Address(address) => vec![*address],
            Host::Name(name) => self.resolver.resolve(name).await.map_err(Failure::Resolve)?,
        };
        if found.is_empty() {
            return Err(Failure::Resolve(io::Error::from(io::ErrorKind::NotFound)));
        }
        if !found.iter().all(|address| self.policy.addresses.allows(*address)) {
            return Err(Refusal::BlockedIp.into());
        }
        Ok(found.into_iter().map(|address| SocketAddr::new(address, url.port)).collect())
    }
}

impl std::fmt::Debug for HttpClient {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("HttpClient").field("policy", &self.policy).finish_non_exhaustive()
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
