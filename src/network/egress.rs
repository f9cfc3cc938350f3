//! Whom a session may ask: [`EgressPolicy`]. It allows nothing until its host names somebody.

use super::address::{AddressPolicy, AddressRule};
use super::credential::Credential;
use super::error::{NetworkError, NetworkErrorKind};
use super::url::{Host, Scheme, Url};
use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

/// What a rule allows that names no method. `CONNECT` and `TRACE` are never sent.
const USUAL_METHODS: [&str; 7] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
const NEVER: [&str; 2] = ["CONNECT", "TRACE"];

/// Why a text is not a rule.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct EgressError(String);

/// A host name, an address, or `*.` and a name: every name below it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum HostPattern {
    Exact(Host),
    Below(String),
}

impl HostPattern {
    pub(super) fn new(text: &str) -> Self {
        let text = text.trim_end_matches('.').to_ascii_lowercase();
        if let Some(name) = text.strip_prefix("*.") {
            return Self::Below(format!(".{name}"));
        }
        let bare = text.trim_matches(['[', ']']);
        Self::Exact(match bare.parse::<IpAddr>() {
            Ok(address) => Host::Address(address),
            Err(_) => Host::Name(text),
        })
    }

    pub(super) fn fits(&self, host: &Host) -> bool {
        match (self, host) {
            (Self::Exact(Host::Name(own)), Host::Name(name)) => own == name.trim_end_matches('.'),
            (Self::Exact(Host::Address(own)), Host::Address(address)) => {
                own.to_canonical() == address.to_canonical()
            }
            (Self::Below(end), Host::Name(name)) => name.trim_end_matches('.').ends_with(end.as_str()),
            _ => false,
        }
    }
}

/// A host that may be asked, and how.
///
/// As a text it is `[METHOD[,METHOD]... ][SCHEME://]HOST[:PORT][/PATH]`: `collector.example.com`, `*.example.com/v1`,
/// `POST https://collector.example.com/v1`, `localhost:8080`, `10.0.0.5:*`. Without a scheme both will do; without a port that
/// of the scheme; `*` is every port. A path is the beginning of what may be asked for, by whole segments.
///
/// An address that is not public is reached where it is named so, `localhost` names loopback. A name that resolves to such an
/// address is refused unless the address is named too.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AllowedHost {
    host: HostPattern,
    scheme: Option<Scheme>,
    port: Port,
    path: String,
    methods: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Port {
    OfScheme,
    Any,
    Number(u16),
}

impl AllowedHost {
    /// Reads a rule.
    ///
    /// # Errors
    /// It is not one; the message says why.
    pub fn parse(text: &str) -> Result<Self, EgressError> {
        let wrong = |why: &str| Err(EgressError(format!("{text}: {why}")));
        let (methods, rest) = match text.trim().rsplit_once(' ') {
            Some((methods, rest)) => (methods.trim(), rest),
            None => ("", text.trim()),
        };
        let methods: Vec<String> = methods
            .split(',')
            .map(str::trim)
            .filter(|method| !method.is_empty())
            .map(str::to_owned)
            .collect();
        if let Some(method) =
            methods.iter().find(|method| !is_token(method) || NEVER.contains(&method.as_str()))
        {
            return wrong(&format!("`{method}` is not a method that can be allowed"));
        }
        let (scheme, rest) = match rest.split_once("://") {
            Some(("http", rest)) => (Some(Scheme::Http), rest),
            Some(("https", rest)) => (Some(Scheme::Https), rest),
            Some(_) => return wrong("http:// or https:// is wanted, or neither"),
            None => (None, rest),
        };
        let (authority, path) = match rest.find('/') {
            Some(at) => rest.split_at_checked(at).unwrap_or((rest, "")),
            None => (rest, ""),
        };
        if path.contains(['?', '#', '*']) {
            return wrong("a path is the beginning of what may be asked for, without `?`, `#` and `*`");
        }
        let (host, port) = match authority.rsplit_once(':') {
            Some((host, port)) if !port.contains(']') && !host.is_empty() => (host, Some(port)),
            _ => (authority, None),
        };
        let is_address = host.starts_with('[') || host.parse::<IpAddr>().is_ok();
        let is_name = host.strip_prefix("*.").unwrap_or(host).split('.').all(|label| {
            !label.is_empty()
                && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
        });
        if !is_address && !is_name {
            return wrong("HOST[:PORT][/PATH] is wanted, the host a name, an address or *.NAME");
        }
        let port = match port {
            None => Port::OfScheme,
            Some("*") => Port::Any,
            Some(port) => match port.parse() {
                Ok(port) => Port::Number(port),
                Err(_) => return wrong("the port is a number, or * for every port"),
            },
        };
        let path = path.trim_end_matches('/').to_owned();
        Ok(Self { host: HostPattern::new(host), scheme, port, path, methods })
    }

    /// The one that allows this URL's host and what lies at or below its path.
    pub fn of_url(url: &Url) -> Self {
        let path = url.target.split('?').next().unwrap_or_default().trim_end_matches('/').to_owned();
        let port = Port::Number(url.port);
        let host = HostPattern::Exact(url.host.clone());
        Self { host, scheme: Some(url.scheme), port, path, methods: Vec::new() }
    }

    /// With these methods and no others.
    #[must_use]
    pub fn methods<M: Into<String>>(mut self, methods: impl IntoIterator<Item = M>) -> Self {
        self.methods = methods.into_iter().map(Into::into).collect();
        self
    }

    fn fits_place(&self, url: &Url) -> bool {
        let port = match self.port {
            Port::OfScheme => url.scheme.default_port(),
            Port::Any => url.port,
            Port::Number(port) => port,
        };
        self.host.fits(&url.host) && port == url.port && self.scheme.is_none_or(|scheme| scheme == url.scheme)
    }

    fn fits_method(&self, method: &str) -> bool {
        if NEVER.iter().any(|never| never.eq_ignore_ascii_case(method)) {
            return false;
        }
        if self.methods.is_empty() {
            return USUAL_METHODS.contains(&method);
        }
        self.methods.iter().any(|allowed| allowed == method)
    }

    fn fits_path(&self, url: &Url) -> bool {
        if self.path.is_empty() {
            return true;
        }
        let path = url.target.split('?').next().unwrap_or_default();
        let below = path.strip_prefix(self.path.as_str());
        !climbs(path) && below.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }

    fn address(&self) -> Option<IpAddr> {
        match &self.host {
            HostPattern::Exact(Host::Address(address)) => Some(address.to_canonical()),
            _ => None,
        }
    }

    fn is_loopback_name(&self) -> bool {
        match &self.host {
            HostPattern::Exact(host) => host.is_loopback(),
            HostPattern::Below(end) => end == ".localhost",
        }
    }
}

impl FromStr for AllowedHost {
    type Err = EgressError;

    fn from_str(text: &str) -> Result<Self, EgressError> {
        Self::parse(text)
    }
}

impl fmt::Display for AllowedHost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.methods.is_empty() {
            write!(f, "{} ", self.methods.join(","))?;
        }
        if let Some(scheme) = self.scheme {
            write!(f, "{}://", scheme.name())?;
        }
        match &self.host {
            HostPattern::Exact(host) => host.fmt(f)?,
            HostPattern::Below(end) => write!(f, "*{end}")?,
        }
        match self.port {
            Port::OfScheme => {}
            Port::Any => f.write_str(":*")?,
            Port::Number(port) => write!(f, ":{port}")?,
        }
        f.write_str(&self.path)
    }
}

/// Whether a path has segments, plain or encoded, that a server may take for a way up, or hides a slash.
fn climbs(path: &str) -> bool {
    let mut plain = String::with_capacity(path.len());
    let mut rest = path;
    while let Some(letter) = rest.chars().next() {
        let encoded = rest.get(..3).filter(|_| letter == '%').map(str::to_ascii_lowercase);
        let (decoded, length) = match encoded.as_deref() {
            Some("%2e") => ('.', 3),
            Some("%2f" | "%5c") => return true,
            _ => (letter, letter.len_utf8()),
        };
        plain.push(decoded);
        rest = rest.get(length..).unwrap_or("");
    }
    plain.contains('\\') || plain.split('/').any(|segment| segment == "." || segment == "..")
}

/// RFC 9110 5.6.2.
pub(super) fn is_token(text: &str) -> bool {
    !text.is_empty()
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte))
}

/// Whom a session may ask, how, and how much. The default is nobody.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct EgressPolicy {
    allowed: Vec<AllowedHost>,
    credentials: Vec<Credential>,
    named: Arc<[IpAddr]>,
    /// Longest body that is sent, in bytes; 16 MiB by default.
    pub max_request_bytes: u64,
    /// Longest body that is read, in bytes; 64 MiB by default.
    pub max_response_bytes: u64,
    /// Most of the headers of an answer, in bytes; 64 KiB by default.
    pub max_header_bytes: usize,
    /// Longest time for one request and its answer; 60 s by default.
    pub max_time: Duration,
    /// Longest time for a connection; 10 s by default.
    pub connect_time: Duration,
    /// Most requests of a session, redirects and tries counted; 1000 by default.
    pub max_requests: u64,
}

impl Default for EgressPolicy {
    fn default() -> Self {
        Self {
            allowed: Vec::new(),
            credentials: Vec::new(),
            named: Arc::default(),
            max_request_bytes: 16 << 20,
            max_response_bytes: 64 << 20,
            max_header_bytes: 64 << 10,
            max_time: Duration::from_mins(1),
            connect_time: Duration::from_secs(10),
            max_requests: 1000,
        }
    }
}

impl EgressPolicy {
    /// Nobody is asked.
    pub fn none() -> Self {
        Self::default()
    }

    /// Allows a host.
    #[must_use]
    pub fn allow(mut self, host: AllowedHost) -> Self {
        self.named = self.named.iter().copied().chain(host.address()).collect();
        self.allowed.push(host);
        self
    }

    /// Names an address that is not public and that names of allowed hosts may resolve to.
    #[must_use]
    pub fn allow_address(mut self, address: IpAddr) -> Self {
        self.named = self.named.iter().copied().chain([address.to_canonical()]).collect();
        self
    }

    /// Attaches a credential to a host name.
    #[must_use]
    pub fn credential(mut self, credential: Credential) -> Self {
        self.credentials.push(credential);
        self
    }

    /// Whether nobody may be asked.
    pub fn is_none(&self) -> bool {
        self.allowed.is_empty()
    }

    /// Judges a request; the addresses that it may reach.
    ///
    /// # Errors
    /// It is not allowed.
    pub fn judge(&self, method: &str, url: &Url) -> Result<AddressRule, NetworkError> {
        let refused = |what: String| Err(NetworkError::new(NetworkErrorKind::Refused, what));
        if self.is_none() {
            return Err(NetworkError::none());
        }
        let mut rules = self.allowed.iter().filter(|rule| rule.fits_place(url)).peekable();
        if rules.peek().is_none() {
            let place = format!("{}://{}", url.scheme.name(), url.authority());
            return refused(format!("{place} is not among the hosts that this session may ask"));
        }
        let of_path: Vec<&AllowedHost> = rules.filter(|rule| rule.fits_path(url)).collect();
        if of_path.is_empty() {
            return refused(format!(
                "this path of {} is not among those that this session may ask for",
                url.host
            ));
        }
        let Some(rule) = of_path.iter().find(|rule| rule.fits_method(method)) else {
            return refused(format!("the method {method} is not allowed for {}", url.host));
        };
        let policy = AddressPolicy { allow_loopback: rule.is_loopback_name() };
        Ok(AddressRule::new(policy, Arc::clone(&self.named)))
    }

    /// The credentials for a URL.
    ///
    /// # Errors
    /// One of them must not go there.
    pub(super) fn credentials_for(&self, url: &Url) -> Result<Vec<&Credential>, NetworkError> {
        let own: Vec<&Credential> =
            self.credentials.iter().filter(|credential| credential.is_for(url)).collect();
        match own.first().filter(|_| !Credential::may_go_to(url)) {
            None => Ok(own),
            Some(_) => Err(NetworkError::new(
                NetworkErrorKind::Refused,
                format!("{} has a credential of this session's host, which goes over https only", url.host),
            )),
        }
    }
}

#[cfg(test)]
mod tests;
