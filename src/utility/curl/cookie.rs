//! Cookies: given on the command line, kept between the requests of one call, read from and written to a file in the format of
//! Netscape.

use crate::memory::{String, ToMetered, Vec, format};
use crate::network::{Scheme, Url};
use crate::text::Text;

/// Cookies that are kept: more are not taken.
const MOST: usize = 3000;
/// Longest one, in bytes.
const LONGEST: usize = 4096;

/// What `-b` names.
#[derive(Clone, Debug)]
pub(super) enum CookieSource {
    /// `name=value; name=value`, sent as it is.
    Given(Text),
    File(Text),
}

impl CookieSource {
    pub(super) fn of(value: Text) -> Self {
        if memchr::memchr(b'=', &value).is_some() { Self::Given(value) } else { Self::File(value) }
    }
}

#[derive(Clone, Debug)]
struct Cookie {
    domain: String,
    with_subdomains: bool,
    path: String,
    secure: bool,
    http_only: bool,
    /// Seconds since the epoch; 0 lasts as long as the session.
    expires: i64,
    name: Vec<u8>,
    value: Vec<u8>,
}

/// All that are kept.
#[derive(Debug, Default)]
pub(super) struct CookieJar {
    cookies: Vec<Cookie>,
    pub(super) is_on: bool,
}

fn host(url: &Url) -> String {
    format!("{}", url.host)
}

impl CookieJar {
    fn put(&mut self, cookie: Cookie, now: i64) {
        self.cookies
            .retain(|own| own.name != cookie.name || own.domain != cookie.domain || own.path != cookie.path);
        let is_over = cookie.expires != 0 && cookie.expires <= now;
        if !is_over && self.cookies.len() < MOST && cookie.name.len() + cookie.value.len() <= LONGEST {
            self.cookies.push(cookie);
        }
    }

    /// Takes a `Set-Cookie`.
    pub(super) fn set(&mut self, header: &[u8], url: &Url, now: i64) {
        let mut parts = header.split(|byte| *byte == b';').map(<[u8]>::trim_ascii);
        let Some(first) = parts.next() else { return };
        let Some(at) = memchr::memchr(b'=', first).filter(|at| *at > 0) else { return };
        let (name, value) = first.split_at_checked(at).unwrap_or((first, &[]));
        let folder = url.target.split('?').next().unwrap_or("/");
        let folder = folder.rfind('/').filter(|at| *at > 0).and_then(|at| folder.get(..at)).unwrap_or("/");
        let mut cookie = Cookie {
            domain: host(url),
            with_subdomains: false,
            path: String::from(folder),
            secure: false,
            http_only: false,
            expires: 0,
            name: name.trim_ascii().to_metered(),
            value: value.get(1..).unwrap_or_default().trim_ascii().to_metered(),
        };
        let mut has_age = false;
        for part in parts {
            let (key, value) = match memchr::memchr(b'=', part) {
                Some(at) => (part.get(..at).unwrap_or_default(), part.get(at + 1..).unwrap_or_default()),
                None => (part, &[][..]),
            };
            let value = std::str::from_utf8(value.trim_ascii()).unwrap_or("").trim_matches('"');
            let is = |name: &str| key.trim_ascii().eq_ignore_ascii_case(name.as_bytes());
            if is("secure") {
                if url.scheme != Scheme::Https && !url.host.is_loopback() {
                    return;
                }
                cookie.secure = true;
            } else if is("httponly") {
                cookie.http_only = true;
            } else if is("path") && value.starts_with('/') {
                let path = value.trim_end_matches('/');
                cookie.path = String::from(if path.is_empty() { "/" } else { path });
            } else if is("domain") {
                let domain = lower(value.trim_start_matches('.'));
                let own = host(url);
                let fits =
                    *own == *domain || own.strip_suffix(&*domain).is_some_and(|rest| rest.ends_with('.'));
                // A cookie for a whole top-level domain is for nobody.
                if !fits || !domain.contains('.') && *own != *domain {
                    return;
                }
                cookie.domain = domain;
                cookie.with_subdomains = matches!(url.host, crate::network::Host::Name(_));
            } else if is("max-age") {
                if let Ok(seconds) = value.parse::<i64>() {
                    has_age = true;
                    cookie.expires = if seconds <= 0 { 1 } else { now.saturating_add(seconds) };
                }
            } else if is("expires") && !has_age {
                cookie.expires = super::date::http_date(value).unwrap_or(0);
            }
        }
        self.put(cookie, now);
    }

    /// Takes a file: of Netscape's format, or lines `Set-Cookie: ...`.
    pub(super) fn load(&mut self, text: &[u8], skips_session: bool, now: i64) {
        for line in text.split(|byte| *byte == b'\n') {
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            let (line, http_only) = match line.strip_prefix(b"#HttpOnly_") {
                Some(rest) => (rest, true),
                None => (line, false),
            };
            let fields: Vec<&[u8]> = line.split(|byte| *byte == b'\t').collect();
            let [domain, tail, path, secure, expires, name, value] = fields.as_slice() else { continue };
            if line.starts_with(b"#") {
                continue;
            }
            let text = |bytes: &[u8]| String::from_utf8_lossy(bytes);
            let expires = text(expires).parse().unwrap_or(0);
            if skips_session && expires == 0 {
                continue;
            }
            let domain = text(domain);
            self.put(
                Cookie {
                    domain: lower(domain.trim_start_matches('.')),
                    with_subdomains: *tail == b"TRUE",
                    path: text(path),
                    secure: *secure == b"TRUE",
                    http_only,
                    expires,
                    name: name.to_metered(),
                    value: value.to_metered(),
                },
                now,
            );
        }
    }

    /// The value of the header for a URL, those with the longest path first.
    pub(super) fn header(&self, url: &Url, now: i64) -> Vec<u8> {
        let own = host(url);
        let path = url.target.split('?').next().unwrap_or("/");
        let mut fitting: Vec<&Cookie> = self
            .cookies
            .iter()
            .filter(|cookie| {
                let same = *cookie.domain == *own;
                let below = cookie.with_subdomains
                    && own.strip_suffix(&*cookie.domain).is_some_and(|rest| rest.ends_with('.'));
                let in_path = *cookie.path == *"/"
                    || path
                        .strip_prefix(&*cookie.path)
                        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
                let secure = !cookie.secure || url.scheme == Scheme::Https || url.host.is_loopback();
                (same || below) && in_path && secure && (cookie.expires == 0 || cookie.expires > now)
            })
            .collect();
        // As curl puts them: the longest path, domain and name first, then those that came last.
        fitting.reverse();
        let lengths = |cookie: &Cookie| (cookie.path.len(), cookie.domain.len(), cookie.name.len());
        fitting.sort_by_key(|cookie| std::cmp::Reverse(lengths(cookie)));
        let mut header = Vec::new();
        for cookie in fitting {
            if !header.is_empty() {
                header.extend_from_slice(b"; ");
            }
            header.extend_from_slice(&cookie.name);
            header.push(b'=');
            header.extend_from_slice(&cookie.value);
        }
        header
    }

    /// As a file.
    pub(super) fn save(&self) -> Vec<u8> {
        let mut text = b"# Netscape HTTP Cookie File\n# https://curl.se/docs/http-cookies.html\n# This file was generated by libcurl! Edit at your own risk.\n\n".to_metered();
        for cookie in self.cookies.iter().rev() {
            let yes = |is: bool| if is { "TRUE" } else { "FALSE" };
            let only = if cookie.http_only { "#HttpOnly_" } else { "" };
            let dot = if cookie.with_subdomains { "." } else { "" };
            let line = format!(
                "{only}{dot}{}\t{}\t{}\t{}\t{}\t",
                cookie.domain,
                yes(cookie.with_subdomains),
                cookie.path,
                yes(cookie.secure),
                cookie.expires
            );
            text.extend_from_slice(line.as_bytes());
            text.extend_from_slice(&cookie.name);
            text.push(b'\t');
            text.extend_from_slice(&cookie.value);
            text.push(b'\n');
        }
        text
    }
}

fn lower(text: &str) -> String {
    text.chars().map(|letter| letter.to_ascii_lowercase()).collect()
}
