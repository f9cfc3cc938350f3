//! What of the network a session reaches: nothing, unless its host says what. `curl` and hooks that ask over HTTP go through it.
//!
//! [`Network`] is what a session is given: an [`EgressPolicy`], which says whom it may ask, how and how much, and a [`Transport`],
//! which carries a request over. The policy is off by default: it allows no host.
//!
//! 1. A request is judged: scheme, host, port, method, path, size, how many there were before (`egress.rs`).
//! 2. The headers that are the host's to say are added: what it attached to that host name as a [`Credential`]. Scripts,
//!    records and errors never see them, and where a server shows them in its answer they are blotted out (`redaction.rs`).
//! 3. The transport resolves the name, asks the request's [`AddressRule`] about every address, and carries it over. Redirects
//!    are answers: who follows one sends a new request, which is judged as the first was.
//! 4. The answer is read under a limit on its length and one on the time of all of it (`access.rs`).
//!
//! The crate's own transport, `HttpClient`, comes with the feature `http`. A host with a client of its own implements
//! [`Transport`] over it and needs no feature:
//!
//! ```
//! use hookbox::network::{EgressPolicy, Network, NetworkError, Pieces, Transport, TransportRequest, TransportResponse};
//! use hookbox::network::{AllowedHost, NetworkFuture};
//! use hookbox::sandbox::Sandbox;
//!
//! struct Own;
//!
//! impl Transport for Own {
//!     fn exchange(&self, request: TransportRequest) -> NetworkFuture<'_, Result<TransportResponse, NetworkError>> {
//!         let body = format!("{} {}", request.method, request.url);
//!         Box::pin(async move { Ok(TransportResponse::new(200, Pieces::one(body))) })
//!     }
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let policy = EgressPolicy::none().allow(AllowedHost::parse("https://collector.example.com/v1")?);
//! let sandbox = Sandbox::builder().network(Network::new(policy, Own)).build()?;
//! let output = sandbox.run("curl -sd x https://collector.example.com/v1/calls; curl -s https://example.com; echo $?").await;
//! assert_eq!(output.stdout, b"POST https://collector.example.com/v1/calls7\n");
//! # Ok(())
//! # }
//! ```

mod access;
mod address;
#[cfg(feature = "http")]
pub(crate) mod client;
mod credential;
mod egress;
mod error;
mod redaction;
mod refusal;
mod transport;
mod url;

#[cfg(feature = "http")]
pub(crate) use access::wrong_header;
pub use access::{Network, NetworkRequest, NetworkResponse};
pub use address::{AddressPolicy, AddressRule};
#[cfg(feature = "http")]
pub use client::{HttpClient, HttpClientError, HttpPolicy, Resolve, Resolved, SystemResolver};
pub(crate) use credential::base64;
pub use credential::{Credential, Secret};
pub use egress::{AllowedHost, EgressError, EgressPolicy};
pub use error::{NetworkError, NetworkErrorKind};
pub use refusal::Refusal;
pub use transport::{
    Moments, NetworkFuture, Pieces, ResponseBody, Transport, TransportRequest, TransportResponse,
};
pub use url::{Host, Scheme, Url};
