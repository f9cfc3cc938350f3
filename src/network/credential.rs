//! What a host attaches to requests for a host name: a header with a secret. It is added behind the session's back, on the way
//! to the transport, and nothing in a session can read it.

use super::egress::HostPattern;
use super::url::{Scheme, Url};
use std::fmt;

/// A text that is shown nowhere.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Of this text.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    pub(crate) fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("***")
    }
}

/// A header that the host adds to requests for a host name. It takes the place of one of that name that a script sets.
/// It goes over TLS only, and in the clear to loopback.
#[derive(Clone, Debug)]
pub struct Credential {
    host: HostPattern,
    /// `None` is any that the policy allows.
    port: Option<u16>,
    header: String,
    value: Secret,
    /// What must not come back: the part of the value that is secret, and what it was made of.
    secrets: Vec<Secret>,
}

impl Credential {
    /// `Authorization: Bearer TOKEN` for a host: an exact name, an address, or `*.example.com`.
    pub fn bearer(host: &str, token: &Secret) -> Self {
        Self::of(host, "Authorization", format!("Bearer {}", token.reveal()), [token.clone()])
    }

    /// `Authorization: Basic ...`.
    pub fn basic(host: &str, user: &str, password: &Secret) -> Self {
        let pair = format!("{user}:{}", password.reveal());
        let encoded = base64(pair.as_bytes());
        Self::of(host, "Authorization", format!("Basic {encoded}"), [Secret::new(encoded), password.clone()])
    }

    /// Another header (`x-api-key`).
    pub fn header(host: &str, name: &str, value: &Secret) -> Self {
        Self::of(host, name, value.reveal().to_owned(), [value.clone()])
    }

    fn of<const N: usize>(host: &str, header: &str, value: String, secrets: [Secret; N]) -> Self {
        let in_json = |secret: &Secret| {
            let quoted = serde_json::Value::from(secret.reveal()).to_string();
            Secret::new(quoted.get(1..quoted.len().saturating_sub(1)).unwrap_or_default())
        };
        let in_json: Vec<Secret> = secrets.iter().map(in_json).collect();
        Self {
            host: HostPattern::new(host),
            port: None,
            header: header.to_owned(),
            value: Secret::new(value),
            secrets: secrets.into_iter().chain(in_json).collect(),
        }
    }

    /// For one port only.
    #[must_use]
    pub fn port(mut self, port: u16) -> Self {
        self.port = Some(port);
        self
    }

    pub(super) fn is_for(&self, url: &Url) -> bool {
        self.host.fits(&url.host) && self.port.is_none_or(|port| port == url.port)
    }

    /// Whether any may be sent to this URL at all.
    pub(super) fn may_go_to(url: &Url) -> bool {
        url.scheme == Scheme::Https || url.host.is_loopback()
    }

    pub(super) fn name(&self) -> &str {
        &self.header
    }

    pub(super) fn value(&self) -> &Secret {
        &self.value
    }

    pub(super) fn secrets(&self) -> &[Secret] {
        &self.secrets
    }
}

/// RFC 4648, with padding.
pub(crate) fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3).saturating_mul(4));
    for group in bytes.chunks(3) {
        let at = |index: usize| u32::from(group.get(index).copied().unwrap_or(0));
        let bits = at(0) << 16 | at(1) << 8 | at(2);
        for place in 0..4_usize {
            let letter = LETTERS.get((bits >> (18 - 6 * place) & 63) as usize).copied().unwrap_or(b'=');
            text.push(if place <= group.len() { char::from(letter) } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_not_shown() {
        let shown = format!("{:?}", Credential::basic("a.example", "user", &Secret::new("hunter2")));
        assert!(!shown.contains("hunter2") && !shown.contains(&base64(b"user:hunter2")), "{shown}");
    }

    #[test]
    fn base64_is_padded() {
        for (bytes, text) in
            [("", ""), ("a", "YQ=="), ("ab", "YWI="), ("abc", "YWJj"), ("user:pass", "dXNlcjpwYXNz")]
        {
            assert_eq!(base64(bytes.as_bytes()), text);
        }
    }
}
