//! The part of a URL that a request is made of (RFC 3986, `http` and `https`): scheme, host, port, path and query. Stricter
//! than browsers: no blanks, no back-slashes, no user information, nothing beyond ASCII, so that no two readers see two
//! hosts in it.

use super::address::{AddressPolicy, AddressRule};
use super::refusal::Refusal;
use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Most of a URL in a log, in bytes.
const LONGEST_SHOWN: usize = 512;

/// An absolute URL of HTTP.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Url {
    /// By which protocol.
    pub scheme: Scheme,
    /// Whom to ask.
    pub host: Host,
    /// Where; the scheme's own where the URL has none.
    pub port: u16,
    /// Path and query, starting with a slash.
    pub target: String,
}

/// See [`Url::scheme`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheme {
    /// In the clear.
    Http,
    /// Over TLS.
    Https,
}

/// See [`Url::host`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Host {
    /// To be resolved; lower case.
    Name(String),
    /// An address, in the usual notation.
    Address(IpAddr),
}

impl Host {
    /// Whether this names loopback: `localhost`, a name below it, or such an address.
    pub fn is_loopback(&self) -> bool {
        match self {
            Self::Name(name) => {
                let name = name.trim_end_matches('.');
                name == "localhost" || name.ends_with(".localhost")
            }
            Self::Address(address) => address.to_canonical().is_loopback(),
        }
    }
}

impl Scheme {
    /// `http` or `https`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Http => "http",
            Self::Https => "https",
        }
    }

    /// 80 or 443.
    pub const fn default_port(self) -> u16 {
        match self {
            Self::Http => 80,
            Self::Https => 443,
        }
    }
}

impl Url {
    /// Reads an absolute URL; a fragment is dropped.
    ///
    /// # Errors
    /// It is none of HTTP, or has no host.
    pub fn parse(text: &str) -> Result<Self, Refusal> {
        let allowed = |byte: u8| byte.is_ascii_graphic() && !b"\\<>\"{}|^`".contains(&byte);
        if !text.bytes().all(allowed) {
            return Err(Refusal::UrlParseError);
        }
        let (scheme, rest) = text.split_once(':').ok_or(Refusal::UrlParseError)?;
        let is_scheme = scheme.starts_with(|first: char| first.is_ascii_alphabetic())
            && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte));
        if !is_scheme {
            return Err(Refusal::UrlParseError);
        }
        let scheme = match scheme.to_ascii_lowercase().as_str() {
            "http" => Scheme::Http,
            "https" => Scheme::Https,
            _ => return Err(Refusal::NonHttpScheme),
        };
        let rest = rest.strip_prefix("//").ok_or(Refusal::EmptyHost)?;
        let rest = rest.split_once('#').map_or(rest, |(rest, _)| rest);
        let end = rest.find(['/', '?']).unwrap_or(rest.len());
        let (authority, target) = rest.split_at_checked(end).unwrap_or((rest, ""));
        let (host, port) = authority_parts(authority)?;
        let port = port.unwrap_or_else(|| scheme.default_port());
        let slash = if target.starts_with('/') { "" } else { "/" };
        Ok(Self { scheme, host, port, target: format!("{slash}{target}") })
    }

    /// Refuses a host that is an address outside `policy`; a name is judged by what it resolves to.
    ///
    /// # Errors
    /// [`Refusal::BlockedIp`].
    pub fn check(&self, policy: AddressPolicy) -> Result<(), Refusal> {
        match &self.host {
            Host::Address(address) if !policy.allows(*address) => Err(Refusal::BlockedIp),
            _ => Ok(()),
        }
    }

    /// As [`Url::check`], by a rule.
    pub(crate) fn check_by(&self, rule: &AddressRule) -> Result<(), Refusal> {
        match &self.host {
            Host::Address(address) if !rule.allows(*address) => Err(Refusal::BlockedIp),
            _ => Ok(()),
        }
    }

    /// The value of the header `Host`: the port only where it is not the scheme's own.
    pub fn authority(&self) -> String {
        if self.port == self.scheme.default_port() {
            return self.host.to_string();
        }
        format!("{}:{}", self.host, self.port)
    }

    /// `text` for logs: without query, fragment and user information, whatever it is.
    pub fn for_log(text: &str) -> String {
        let text = text.split(['?', '#']).next().unwrap_or("");
        let (scheme, rest) = text.split_once("://").unwrap_or(("", text));
        let end = rest.find('/').unwrap_or(rest.len());
        let (authority, path) = rest.split_at_checked(end).unwrap_or((rest, ""));
        let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
        let mark = if scheme.is_empty() { "" } else { "://" };
        let mut shown = format!("{scheme}{mark}{host}{path}");
        let end = (0..=LONGEST_SHOWN.min(shown.len())).rev().find(|end| shown.is_char_boundary(*end));
        shown.truncate(end.unwrap_or(0));
        shown
    }
}

impl fmt::Display for Url {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}://{}{}", self.scheme.name(), self.authority(), self.target)
    }
}

impl fmt::Display for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(name) => f.write_str(name),
            Self::Address(IpAddr::V4(address)) => address.fmt(f),
            Self::Address(IpAddr::V6(address)) => write!(f, "[{address}]"),
        }
    }
}

fn authority_parts(authority: &str) -> Result<(Host, Option<u16>), Refusal> {
    if authority.contains('@') {
        return Err(Refusal::UrlParseError);
    }
    let (host, port) = match authority.strip_prefix('[') {
        Some(rest) => {
            let (address, port) = rest.split_once(']').ok_or(Refusal::UrlParseError)?;
            let address: Ipv6Addr = address.parse().map_err(|_| Refusal::UrlParseError)?;
            let port = if port.is_empty() { None } else { port.strip_prefix(':') };
            if port.is_none() && !authority.ends_with(']') {
                return Err(Refusal::UrlParseError);
            }
            (Host::Address(IpAddr::V6(address)), port)
        }
        None => {
            let (host, port) =
                authority.split_once(':').map_or((authority, None), |(host, port)| (host, Some(port)));
            (name_or_address(host)?, port)
        }
    };
    let port = match port {
        None | Some("") => None,
        Some(port) => Some(port.parse().map_err(|_| Refusal::UrlParseError)?),
    };
    Ok((host, port))
}

fn name_or_address(host: &str) -> Result<Host, Refusal> {
    if host.is_empty() {
        return Err(Refusal::EmptyHost);
    }
    if let Ok(address) = host.parse::<Ipv4Addr>() {
        return Ok(Host::Address(IpAddr::V4(address)));
    }
    let is_name = host.len() <= 253
        && host.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
        && host.trim_end_matches('.').split('.').all(|label| (1..=63).contains(&label.len()));
    if is_name { Ok(Host::Name(host.to_ascii_lowercase())) } else { Err(Refusal::UrlParseError) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts() {
        for (text, scheme, authority, port, target) in [
            ("http://Example.com", Scheme::Http, "example.com", 80, "/"),
            ("HTTPS://example.com/a/b?c=d#e", Scheme::Https, "example.com", 443, "/a/b?c=d"),
            ("http://example.com:8080?x", Scheme::Http, "example.com:8080", 8080, "/?x"),
            ("https://[2606:4700::1111]:443/", Scheme::Https, "[2606:4700::1111]", 443, "/"),
            ("http://1.2.3.4:/x", Scheme::Http, "1.2.3.4", 80, "/x"),
        ] {
            let url = Url::parse(text).unwrap();
            assert_eq!(
                (url.scheme, url.authority().as_str(), url.port, url.target.as_str()),
                (scheme, authority, port, target)
            );
        }
    }

    #[test]
    fn what_is_refused() {
        for (text, refusal) in [
            ("", Refusal::UrlParseError),
            ("example.com/x", Refusal::UrlParseError),
            ("http://a b/", Refusal::UrlParseError),
            ("http://a\\@b/", Refusal::UrlParseError),
            ("http://user:secret@example.com/", Refusal::UrlParseError),
            ("http://exämple.com/", Refusal::UrlParseError),
            ("http://example.com:99999/", Refusal::UrlParseError),
            ("http://example.com:8x/", Refusal::UrlParseError),
            ("http://[::1", Refusal::UrlParseError),
            ("http://[::1]x/", Refusal::UrlParseError),
            ("http://[v1.a]/", Refusal::UrlParseError),
            ("http://a..b/", Refusal::UrlParseError),
            ("http://%6c/", Refusal::UrlParseError),
            ("file:///x", Refusal::NonHttpScheme),
            ("gopher://example.com/", Refusal::NonHttpScheme),
            ("http:///x", Refusal::EmptyHost),
            ("http://:80/", Refusal::EmptyHost),
            ("http:x", Refusal::EmptyHost),
        ] {
            assert_eq!(Url::parse(text), Err(refusal), "{text}");
        }
    }

    #[test]
    fn addresses_are_judged_before_anything_is_asked() {
        for text in
            ["http://127.0.0.1/", "http://[::1]/", "http://169.254.169.254/", "http://[::ffff:10.0.0.5]/"]
        {
            assert_eq!(Url::parse(text).unwrap().check(AddressPolicy::default()), Err(Refusal::BlockedIp));
        }
        assert_eq!(Url::parse("http://example.com/").unwrap().check(AddressPolicy::default()), Ok(()));
    }

    #[test]
    fn logs_have_no_secrets() {
        assert_eq!(Url::for_log("http://u:p@10.0.0.5:1/a/b?token=x#y"), "http://10.0.0.5:1/a/b");
        assert_eq!(Url::for_log("file:///x"), "file:///x");
        assert_eq!(Url::for_log("nonsense?a"), "nonsense");
    }
}
