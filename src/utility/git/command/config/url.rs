//! URLs as configuration compares them: brought to one form, then scheme, user, host, port and path of a name are held
//! against those of what is asked for.

use crate::memory::{ToMetered, Vec, format};

/// Characters besides letters and digits that stand in a host's name.
const HOST: &[u8] = b".-_[:]";
/// Characters that a URL always has escaped.
const UNSAFE: &[u8] = b" <>\"%{}|\\^`";
/// Characters with a meaning of their own, which stay escaped where they were.
const RESERVED: &[u8] = b":/?#[]@!$&'()*+,;=";

/// A URL in the form in which it is compared.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Url {
    scheme: Vec<u8>,
    user: Option<Vec<u8>>,
    host: Vec<u8>,
    /// Empty for the port of the scheme.
    port: Vec<u8>,
    /// With the query and the fragment.
    rest: Vec<u8>,
}

/// How well a name fits; more is better.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Fit {
    host: usize,
    path: usize,
    has_user: bool,
}

impl Url {
    /// A URL; `has_wildcards` is for those in configuration, whose hosts may have a `*` for a label.
    ///
    /// # Errors
    /// What git says is wrong with it.
    pub(super) fn parse(text: &[u8], has_wildcards: bool) -> Result<Self, &'static str> {
        const SCHEME: &str = "invalid URL scheme name or missing '://' suffix";
        let is_scheme = |byte: &u8| byte.is_ascii_alphanumeric() || b"+.-".contains(byte);
        let length = text.iter().take_while(|byte| is_scheme(byte)).count();
        let (scheme, rest) = text.split_at(length);
        if !scheme.first().is_some_and(u8::is_ascii_alphabetic) {
            return Err(SCHEME);
        }
        let rest = rest.strip_prefix(b"://").ok_or(SCHEME)?;
        let mut url = Self { scheme: scheme.to_metered(), ..Self::default() };
        url.scheme.make_ascii_lowercase();
        let end = rest.iter().position(|byte| b"/?#".contains(byte)).unwrap_or(rest.len());
        let (authority, path) = rest.split_at(end);
        let authority = match memchr::memchr(b'@', authority) {
            None => authority,
            Some(at) => {
                let mut user = Vec::new();
                push_escaped(authority.get(..at).unwrap_or(&[]), &mut user)?;
                // A password does not count.
                if let Some(colon) = memchr::memchr(b':', &user) {
                    user.truncate(colon);
                }
                url.user = Some(user);
                authority.get(at + 1..).unwrap_or(&[])
            }
        };
        url.take_host(authority, has_wildcards)?;
        url.take_path(path)?;
        Ok(url)
    }

    fn take_host(&mut self, authority: &[u8], has_wildcards: bool) -> Result<(), &'static str> {
        let is_file = self.scheme == b"file";
        if authority.first().is_none_or(|byte| *byte == b':') && !is_file {
            return Err("missing host and scheme is not 'file:'");
        }
        // The last colon starts the port, if it is not in the brackets of an address.
        let colon = authority.iter().rposition(|byte| b":]".contains(byte));
        let colon = colon.filter(|at| authority.get(*at) == Some(&b':'));
        let (host, port) = authority.split_at(colon.unwrap_or(authority.len()));
        let port = port.strip_prefix(b":").unwrap_or(port);
        if is_file && host.is_empty() && !port.is_empty() {
            return Err("a 'file:' URL may not have a port number");
        }
        let is_host = |byte: &u8| {
            byte.is_ascii_alphanumeric() || HOST.contains(byte) || (has_wildcards && *byte == b'*')
        };
        if !host.iter().all(is_host) {
            return Err("invalid characters in host name");
        }
        self.host = host.to_metered();
        self.host.make_ascii_lowercase();
        let zeros = port.iter().take_while(|byte| **byte == b'0').count();
        let digits = port.get(zeros..).unwrap_or(&[]);
        if digits.is_empty() {
            return if zeros > 0 { Err("invalid port number") } else { Ok(()) };
        }
        let is_known = matches!((self.scheme.as_slice(), digits), (b"http", b"80") | (b"https", b"443"));
        let number: Option<u32> = std::str::from_utf8(digits).ok().and_then(|digits| digits.parse().ok());
        let is_port = digits.iter().all(u8::is_ascii_digit) && number.is_some_and(|number| number < 1 << 16);
        if !is_port {
            return Err("invalid port number");
        }
        if !is_known {
            self.port = digits.to_metered();
        }
        Ok(())
    }

    /// The path without `.` and `..`, and what follows it.
    fn take_path(&mut self, text: &[u8]) -> Result<(), &'static str> {
        let text = text.strip_prefix(b"/").unwrap_or(text);
        let end = text.iter().position(|byte| b"?#".contains(byte)).unwrap_or(text.len());
        let (path, after) = text.split_at(end);
        self.rest.push(b'/');
        let mut is_first = true;
        for segment in path.split(|byte| *byte == b'/') {
            let start = self.rest.len();
            if !is_first {
                self.rest.push(b'/');
            }
            let name_start = self.rest.len();
            push_escaped(segment, &mut self.rest)?;
            is_first = match self.rest.get(name_start..).unwrap_or(&[]) {
                b"." => {
                    self.rest.truncate(start);
                    is_first
                }
                b".." if is_first => return Err("invalid '..' path segment"),
                b".." => {
                    self.rest.truncate(start);
                    let slash = memchr::memrchr(b'/', &self.rest).unwrap_or(0);
                    self.rest.truncate(slash.max(1));
                    slash == 0
                }
                _ => false,
            };
        }
        push_escaped(after, &mut self.rest)
    }

    /// How well a name of the configuration fits this URL, if it does.
    pub(super) fn fit(&self, name: &Self) -> Option<Fit> {
        let is_user = name.user.is_none() || name.user == self.user;
        if name.scheme != self.scheme || !is_user || name.port != self.port || !self.has_host(&name.host) {
            return None;
        }
        let has_user = name.user.is_some();
        Some(Fit { host: name.host.len(), path: self.path_fit(&name.rest)?, has_user })
    }

    fn has_host(&self, pattern: &[u8]) -> bool {
        let mut labels = self.host.split(|byte| *byte == b'.');
        let mut patterns = pattern.split(|byte| *byte == b'.');
        loop {
            match (labels.next(), patterns.next()) {
                (None, None) => return true,
                (Some(label), Some(pattern)) if pattern == b"*" || pattern == label => {}
                _ => return false,
            }
        }
    }

    /// How much of the path is that of a name, which ends at a slash.
    fn path_fit(&self, name: &[u8]) -> Option<usize> {
        let name = name.strip_suffix(b"/").unwrap_or(name);
        let rest = self.rest.strip_prefix(name)?;
        (rest.is_empty() || rest.starts_with(b"/")).then_some(name.len() + 1)
    }
}

/// Adds a text whose escapes are undone where they need not be.
fn push_escaped(text: &[u8], out: &mut Vec<u8>) -> Result<(), &'static str> {
    let mut bytes = text.iter().copied();
    while let Some(byte) = bytes.next() {
        let (byte, was_escaped) = if byte == b'%' {
            let digit =
                |byte: Option<u8>| char::from(byte?).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
            let (Some(high), Some(low)) = (digit(bytes.next()), digit(bytes.next())) else {
                return Err("invalid %XX escape sequence");
            };
            (high * 16 + low, true)
        } else {
            (byte, false)
        };
        let is_odd = !(0x20..0x7f).contains(&byte) || UNSAFE.contains(&byte);
        if is_odd || (was_escaped && RESERVED.contains(&byte)) {
            out.extend_from_slice(format!("%{byte:02X}").as_bytes());
        } else {
            out.push(byte);
        }
    }
    Ok(())
}
