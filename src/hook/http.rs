//! What hooks that speak HTTP need: the URL, which addresses may be reached, and, with the feature `http`, a client.
//!
//! A hook of a type `http` is a question to the host ([`Request::Http`](super::Request::Http)): hookbox itself sends nothing. A
//! host answers it with a client of its own, or with `HttpHost`, which it gives to
//! [`SandboxBuilder::hook_host`](crate::sandbox::SandboxBuilder::hook_host). Who sends checks twice: the URL before anything is
//! sent, and each address that its name resolves to before it is connected to.
//!
//! ```
//! use hookbox::hook::http::{AddressPolicy, Refusal, Url};
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
//! [`Url`] is the part of a URL that a request is made of (RFC 3986, `http` and `https`); it is stricter than browsers, so that
//! no two readers see two hosts in it. [`AddressPolicy`] refuses what only the host can reach: loopback, private networks,
//! link-local addresses. A [`Refusal`] is the one error of both; its message is what hooks' records show. Timeouts are those of
//! the hook.

pub(crate) mod address;
#[cfg(feature = "http")]
mod client;
#[cfg(feature = "http")]
mod connection;
pub(crate) mod url;

pub use address::AddressPolicy;
#[cfg(feature = "http")]
pub use client::{HttpClient, HttpClientError, HttpHost, HttpPolicy, Resolve, Resolved, SystemResolver};
pub use url::{Host, Scheme, Url};

/// Why a URL is not asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// It is not a URL.
    UrlParseError,
    /// Neither `http` nor `https`.
    NonHttpScheme,
    /// It names no host.
    EmptyHost,
    /// The host is, or resolves to, an address that must not be reached.
    BlockedIp,
}

impl Refusal {
    /// What messages about a refusal start with; the name follows.
    pub const PREFIX: &'static str = "ssrf blocked: ";

    /// Every one.
    pub const ALL: [Self; 4] = [Self::UrlParseError, Self::NonHttpScheme, Self::EmptyHost, Self::BlockedIp];

    /// As logs spell it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::UrlParseError => "url_parse_error",
            Self::NonHttpScheme => "non_http_scheme",
            Self::EmptyHost => "empty_host",
            Self::BlockedIp => "blocked_ip",
        }
    }

    /// The refusal that a message is about.
    pub fn from_message(message: &str) -> Option<Self> {
        let name = message.strip_prefix(Self::PREFIX)?;
        Self::ALL.into_iter().find(|refusal| refusal.name() == name)
    }
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}{}", Self::PREFIX, self.name())
    }
}

impl std::error::Error for Refusal {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_is_known_by_its_message() {
        for refusal in Refusal::ALL {
            assert_eq!(Refusal::from_message(&refusal.to_string()), Some(refusal));
        }
        assert_eq!(Refusal::from_message("ssrf blocked: x"), None);
        assert_eq!(Refusal::from_message("blocked_ip"), None);
    }
}
