//! What hooks that speak HTTP need: the URL, which addresses may be reached, and, with the feature `http`, a client.
//!
//! A hook of a type `http` is a question to the host ([`Request::Http`](super::Request::Http)): hookbox itself sends nothing. A
//! host answers it with a client of its own, or with `HttpHost`, which it gives to
//! [`SandboxBuilder::hook_host`](crate::sandbox::SandboxBuilder::hook_host). Who sends checks twice: the URL before anything is
//! sent, and each address that its name resolves to before it is connected to.
//!
//! ```
//! use hookbox::network::{AddressPolicy, Refusal, Url};
//!
//! let url = Url::parse("https://hooks.example.com/deny?team=a")?;
//! assert_eq!((url.authority().as_str(), url.port), ("hooks.example.com", 443));
//! url.check(AddressPolicy::default())?;
//!
//! // The metadata service of a cloud, which only its host may ask.
//! let url = Url::parse("http://169.254.169.254/latest/meta-data")?;
//! assert_eq!(url.check(AddressPolicy::default()), Err(Refusal::BlockedIp));
//! # Ok::<(), Refusal>(())
//! ```
//!
//! [`Url`](crate::network::Url) is the part of a URL that a request is made of (RFC 3986, `http` and `https`); it is stricter than browsers, so that
//! no two readers see two hosts in it. [`AddressPolicy`](crate::network::AddressPolicy) refuses what only the host can reach: loopback, private networks,
//! link-local addresses. A [`Refusal`](crate::network::Refusal) is the one error of both; its message is what hooks' records show. Timeouts are those of
//! the hook. What they stand on is in [`network`](crate::network), where the rules for a whole session are, `curl` included.

mod host;

#[cfg(feature = "http")]
pub use host::HttpHost;
pub(crate) use host::post;
