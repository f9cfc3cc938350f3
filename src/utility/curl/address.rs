//! URLs as curl takes them: a scheme that is guessed, a user in front of the host, letters that are not ASCII, dot segments;
//! and what a `Location` means beside the URL that it was an answer to.

use super::config::Protocols;
use super::failure::Failure;
use crate::memory::{String, ToMetered, Vec, format};
use crate::network::{Scheme, Url};
use crate::text::Text;

/// Where a transfer goes.
#[derive(Clone, Debug)]
pub(in crate::utility) struct Address {
    pub(in crate::utility) url: Url,
    /// `user:password` before the host, decoded.
    pub(in crate::utility) user: Option<Text>,
}

/// What a URL is of.
#[derive(Clone, Debug)]
pub(in crate::utility) enum AddressOf {
    Network(Address),
    /// A file of the session.
    File(Text),
}

/// How URLs are read.
#[derive(Clone, Copy)]
pub(in crate::utility) struct Reading<'a> {
    pub(in crate::utility) default_scheme: &'a str,
    pub(in crate::utility) keeps_dots: bool,
    pub(in crate::utility) protocols: Protocols,
}

impl Protocols {
    fn has(self, scheme: Scheme) -> bool {
        match scheme {
            Scheme::Http => self.http,
            Scheme::Https => self.https,
        }
    }
}

/// Reads a URL.
pub(in crate::utility) fn parse(text: &[u8], reading: Reading<'_>) -> Result<AddressOf, Failure> {
    if text.is_empty() || text.iter().any(|byte| *byte <= b' ' || *byte == 0x7f) {
        return Err(Failure::bad_url());
    }
    let (scheme, rest) = match memchr::memmem::find(text, b"://") {
        Some(at) => (text.get(..at).unwrap_or_default(), text.get(at + 3..).unwrap_or_default()),
        None => (reading.default_scheme.as_bytes(), text),
    };
    let is_scheme = scheme.first().is_some_and(u8::is_ascii_alphabetic)
        && scheme.iter().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(byte));
    let Some(scheme) = std::str::from_utf8(scheme).ok().filter(|_| is_scheme) else {
        return Err(Failure::bad_url());
    };
    if scheme.eq_ignore_ascii_case("file") {
        let start = memchr::memchr(b'/', rest).ok_or_else(Failure::bad_url)?;
        return Ok(AddressOf::File(Text::from(decode(rest.get(start..).unwrap_or_default()))));
    }
    let known = [Scheme::Http, Scheme::Https].into_iter().find(|own| own.name().eq_ignore_ascii_case(scheme));
    let Some(known) = known.filter(|scheme| reading.protocols.has(*scheme)) else {
        return Err(Failure::protocol(scheme));
    };
    let end = rest.iter().position(|byte| matches!(byte, b'/' | b'?' | b'#')).unwrap_or(rest.len());
    let (authority, target) = rest.split_at_checked(end).unwrap_or((rest, &[]));
    let (user, host) = match memchr::memrchr(b'@', authority) {
        Some(at) => (authority.get(..at), authority.get(at + 1..).unwrap_or_default()),
        None => (None, authority),
    };
    let host = std::str::from_utf8(host).map_err(|_| Failure::bad_url())?;
    let mut url = Url::parse(&format!("{}://{host}/", known.name())).map_err(|_| Failure::bad_url())?;
    let target = target.split(|byte| *byte == b'#').next().unwrap_or_default();
    let (path, query) = match memchr::memchr(b'?', target) {
        Some(at) => target.split_at_checked(at).unwrap_or((target, &[])),
        None => (target, &[][..]),
    };
    let mut whole =
        if reading.keeps_dots || path.is_empty() { path.to_metered() } else { without_dots(path) };
    if whole.is_empty() {
        whole.push(b'/');
    }
    whole.extend_from_slice(query);
    set_target(&mut url, &whole);
    Ok(AddressOf::Network(Address { url, user: user.map(|user| Text::from(decode(user))) }))
}

/// Sets path and query; what is not ASCII is encoded.
pub(super) fn set_target(url: &mut Url, target: &[u8]) {
    let mut encoded = String::with_capacity(target.len());
    for byte in target {
        if byte.is_ascii_graphic() {
            encoded.push(char::from(*byte));
        } else {
            encoded.push_str(&format!("%{byte:02x}"));
        }
    }
    url.target = encoded.into_std();
}

/// Adds to the query.
pub(super) fn add_query(url: &mut Url, more: &[u8]) {
    if more.is_empty() {
        return;
    }
    let mut target = url.target.as_bytes().to_metered();
    target.push(if target.contains(&b'?') { b'&' } else { b'?' });
    // curl writes what is encoded in it in small letters.
    let mut digits = 0;
    for byte in more {
        target.push(if digits > 0 { byte.to_ascii_lowercase() } else { *byte });
        digits = if *byte == b'%' { 2 } else { digits - i32::from(digits > 0) };
    }
    set_target(url, &target);
}

/// `%41` as `A`.
pub(in crate::utility) fn decode(text: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((first, after)) = rest.split_first() {
        let hex = after.get(..2).filter(|_| *first == b'%').and_then(|hex| std::str::from_utf8(hex).ok());
        match hex.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            Some(byte) => {
                plain.push(byte);
                rest = after.get(2..).unwrap_or_default();
            }
            None => {
                plain.push(*first);
                rest = after;
            }
        }
    }
    plain
}

/// RFC 3986 5.2.4.
fn without_dots(path: &[u8]) -> Vec<u8> {
    let mut segments: Vec<&[u8]> = Vec::new();
    let mut ends_open = false;
    for segment in path.get(1..).unwrap_or_default().split(|byte| *byte == b'/') {
        ends_open = false;
        match segment {
            b"." => ends_open = true,
            b".." => {
                segments.pop();
                ends_open = true;
            }
            segment => segments.push(segment),
        }
    }
    let mut plain = Vec::with_capacity(path.len());
    for segment in &segments {
        plain.push(b'/');
        plain.extend_from_slice(segment);
    }
    if ends_open {
        plain.push(b'/');
    }
    plain
}

/// What a `Location` means, as a whole URL.
pub(in crate::utility) fn join(base: &Url, location: &[u8]) -> Vec<u8> {
    let mut clean = Vec::with_capacity(location.len());
    for byte in location.trim_ascii() {
        match byte {
            b' ' => clean.extend_from_slice(b"%20"),
            byte => clean.push(*byte),
        }
    }
    let scheme = base.scheme.name();
    let is_absolute = memchr::memmem::find(&clean, b"://").is_some_and(|at| {
        clean.iter().take(at).all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(byte))
    });
    if is_absolute {
        return clean;
    }
    let mut whole = format!("{scheme}:").into_bytes();
    if clean.starts_with(b"//") {
        whole.extend_from_slice(&clean);
        return whole;
    }
    whole.extend_from_slice(format!("//{}", base.authority()).as_bytes());
    let path = base.target.split('?').next().unwrap_or_default();
    match clean.first() {
        Some(b'/') => {}
        Some(b'?') => whole.extend_from_slice(path.as_bytes()),
        _ => {
            let folder = path.rfind('/').and_then(|at| path.get(..=at)).unwrap_or("/");
            whole.extend_from_slice(folder.as_bytes());
        }
    }
    whole.extend_from_slice(&clean);
    whole
}

#[cfg(test)]
mod tests {
    use super::*;

    const USUAL: Reading<'_> = Reading {
        default_scheme: "http",
        keeps_dots: false,
        protocols: Protocols { http: true, https: true },
    };

    fn shown(text: &str) -> std::string::String {
        match parse(text.as_bytes(), USUAL) {
            Ok(AddressOf::Network(Address { url, user })) => match user {
                Some(user) => std::format!("{url} {user}"),
                None => std::format!("{url}"),
            },
            Ok(AddressOf::File(path)) => std::format!("{path}"),
            Err(failure) => std::format!("({}) {}", failure.code, failure.message),
        }
    }

    #[test]
    fn urls_as_curl_takes_them() {
        for (text, wanted) in [
            ("a.example", "http://a.example/"),
            ("HTTPS://u%3A:p@A.example:444/x/../y?z#f", "https://a.example:444/y?z u::p"),
            ("http://a/x/./y/..", "http://a/x/"),
            ("http://a?q", "http://a/?q"),
            ("http://a/ü", "http://a/%c3%bc"),
            ("http://a/{b}", "http://a/{b}"),
            ("file:///etc/x%20y", "/etc/x y"),
            ("ftp://a", "(1) Protocol \"ftp\" not supported or disabled in libcurl"),
            ("http://a b", "(3) URL using bad/illegal format or missing URL"),
            ("http://a:99999/", "(3) URL using bad/illegal format or missing URL"),
            ("", "(3) URL using bad/illegal format or missing URL"),
        ] {
            assert_eq!(shown(text), wanted, "{text}");
        }
    }

    #[test]
    fn locations() {
        let base = Url::parse("http://a.example:8080/x/y?z").unwrap();
        for (location, wanted) in [
            ("https://b/", "https://b/"),
            ("//b/c", "http://b/c"),
            ("/c d", "http://a.example:8080/c%20d"),
            ("c?u=http://x", "http://a.example:8080/x/c?u=http://x"),
            ("?q", "http://a.example:8080/x/y?q"),
        ] {
            assert_eq!(join(&base, location.as_bytes()), wanted.as_bytes(), "{location}");
        }
    }
}
