//! The crate's own transport: HTTP/1.1 over TCP and TLS.
//!
//! 1. A name is resolved once; every address that comes back must pass ([`AddressRule`]), so that a name with one public and
//!    one private address is refused.
//! 2. The connection goes to one of these addresses (`connection.rs`); `Host` and the TLS name stay those of the URL.
//! 3. The request is written and the answer read (`http1.rs`, `framing.rs`): redirects are answers like others, proxies of the
//!    environment are not looked at, nothing is decompressed, no connection is used twice.
//!
//! It needs a tokio runtime with time and network.

mod connection;
mod framing;
mod head;
mod http1;

use super::address::{AddressPolicy, AddressRule};
use super::error::{NetworkError, NetworkErrorKind};
use super::refusal::Refusal;
use super::transport::{Moments, NetworkFuture, Transport, TransportRequest, TransportResponse};
use super::url::{Host, Url};
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

/// What a hook's request may do, where a host answers hooks by the client alone. In a session with a
/// [`Network`](super::Network) its policy says it.
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
    fn resolve<'a>(&'a self, name: &'a str) -> NetworkFuture<'a, Resolved>;
}

/// The host's own resolver.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemResolver;

impl Resolve for SystemResolver {
    fn resolve<'a>(&'a self, name: &'a str) -> NetworkFuture<'a, Resolved> {
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
    /// TLS can not be set up.
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

    pub(crate) fn policy(&self) -> &HttpPolicy {
        &self.policy
    }

    /// The addresses of a URL's host, all of which pass.
    pub(crate) async fn addresses(
        &self,
        url: &Url,
        rule: &AddressRule,
    ) -> Result<Vec<SocketAddr>, NetworkError> {
        let unknown =
            |why: io::Error| NetworkError::new(NetworkErrorKind::Resolve, format!("resolve: {why}"));
        let found = match &url.host {
            Host::Address(address) => vec![*address],
            Host::Name(name) => self.resolver.resolve(name).await.map_err(unknown)?,
        };
        if found.is_empty() {
            return Err(unknown(io::Error::from(io::ErrorKind::NotFound)));
        }
        if !found.iter().all(|address| rule.allows(*address)) {
            return Err(Refusal::BlockedIp.into());
        }
        Ok(found.into_iter().map(|address| SocketAddr::new(address, url.port)).collect())
    }

    /// Sends a request to one of these addresses.
    pub(crate) async fn exchange_with(
        &self,
        request: &TransportRequest,
        addresses: &[SocketAddr],
        started: Instant,
    ) -> Result<TransportResponse, NetworkError> {
        let mut moments = Moments { resolved: started.elapsed(), ..Moments::default() };
        let message = http1::message(request);
        let connection = connection::open(&request.url, addresses, request.connect_timeout);
        let (stream, address) = connection.await?;
        moments.connected = started.elapsed();
        let stream = connection::secure(&request.url, stream, &self.tls).await?;
        if stream.is_secure() {
            moments.secured = started.elapsed();
        }
        let mut response = http1::exchange(stream, &message, request).await?;
        moments.answered = started.elapsed();
        (response.address, response.moments) = (Some(address), moments);
        Ok(response)
    }
}

impl Transport for HttpClient {
    fn exchange(
        &self,
        request: TransportRequest,
    ) -> NetworkFuture<'_, Result<TransportResponse, NetworkError>> {
        Box::pin(async move {
            let started = Instant::now();
            let addresses = self.addresses(&request.url, &request.addresses).await?;
            self.exchange_with(&request, &addresses, started).await
        })
    }
}

impl std::fmt::Debug for HttpClient {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("HttpClient").field("policy", &self.policy).finish_non_exhaustive()
    }
}
