//! The head of an answer (RFC 9112 2 to 5): the line with the status, and the headers. Line feeds alone end lines too.

use crate::network::error::{NetworkError, NetworkErrorKind};

/// The head of an answer.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Head {
    pub(super) version: &'static str,
    pub(super) status: u16,
    pub(super) reason: String,
    pub(super) headers: Vec<(String, Vec<u8>)>,
}

/// Where a head in `bytes` ends: after its empty line. `from` is how much was looked at before.
pub(super) fn end(bytes: &[u8], from: usize) -> Option<usize> {
    let start = from.saturating_sub(3);
    let mut rest = bytes.get(start..)?;
    let mut at = start;
    while let Some(found) = memchr::memchr(b'\n', rest) {
        at = at.saturating_add(found).saturating_add(1);
        rest = bytes.get(at..)?;
        match rest {
            [b'\n', ..] => return Some(at.saturating_add(1)),
            [b'\r', b'\n', ..] => return Some(at.saturating_add(2)),
            _ => {}
        }
    }
    None
}

/// Reads a head.
pub(super) fn parse(bytes: &[u8]) -> Result<Head, NetworkError> {
    let malformed = |why: &'static str| NetworkError::new(NetworkErrorKind::Malformed, why);
    let mut lines = bytes.split(|byte| *byte == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line));
    let first = lines.next().unwrap_or_default();
    let Some(rest) = first.strip_prefix(b"HTTP/") else {
        return Err(NetworkError::new(
            NetworkErrorKind::Unversioned,
            "HTTP: Received HTTP/0.9 when not allowed",
        ));
    };
    let version = match rest.get(..3) {
        Some(b"1.1") => "1.1",
        Some(b"1.0") => "1.0",
        _ => return Err(malformed("HTTP: Unsupported HTTP version in response")),
    };
    let rest = rest.get(3..).unwrap_or_default();
    let (status, reason) = match rest {
        [b' ', a, b, c] if [a, b, c].iter().all(|digit| digit.is_ascii_digit()) => ([*a, *b, *c], &[][..]),
        [b' ', a, b, c, b' ', reason @ ..] if [a, b, c].iter().all(|digit| digit.is_ascii_digit()) => {
            ([*a, *b, *c], reason)
        }
        _ => return Err(malformed("HTTP: Unsupported HTTP/1 subversion in response")),
    };
    let status = status.iter().fold(0_u16, |status, digit| status * 10 + u16::from(digit - b'0'));
    let mut headers: Vec<(String, Vec<u8>)> = Vec::new();
    for line in lines.take_while(|line| !line.is_empty()) {
        if line.contains(&0) {
            return Err(malformed("HTTP: Nul byte in header"));
        }
        if let ([b' ' | b'\t', ..], Some((_, value))) = (line, headers.last_mut()) {
            value.push(b' ');
            value.extend_from_slice(line.trim_ascii());
            continue;
        }
        let Some(colon) = memchr::memchr(b':', line) else {
            return Err(malformed("HTTP: Header without colon"));
        };
        let (name, value) = line.split_at_checked(colon).unwrap_or((line, &[]));
        let value = value.get(1..).unwrap_or_default().trim_ascii();
        headers.push((String::from_utf8_lossy(name).trim_end().to_owned(), value.to_vec()));
    }
    Ok(Head { version, status, reason: String::from_utf8_lossy(reason).into_owned(), headers })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_end_at_an_empty_line() {
        for (text, wanted) in [
            ("HTTP/1.1 200 OK\r\nA: b\r\n\r\nbody", Some(25)),
            ("HTTP/1.1 200 OK\nA: b\n\nbody", Some(22)),
            ("HTTP/1.1 200 OK\r\n\r\n", Some(19)),
            ("HTTP/1.1 200 OK\r\nA: b\r\n", None),
            ("", None),
        ] {
            assert_eq!(end(text.as_bytes(), 0), wanted, "{text:?}");
            for from in 0..text.len().min(wanted.unwrap_or(usize::MAX).saturating_sub(1)) {
                assert_eq!(end(text.as_bytes(), from), wanted, "{text:?} from {from}");
            }
        }
    }

    #[test]
    fn lines_and_headers() {
        let head =
            parse(b"HTTP/1.1 404 Not Found\r\nA: b \r\nSet-Cookie:x=1\r\n folded\r\nEmpty:\r\n\r\n").unwrap();
        assert_eq!((head.version, head.status, head.reason.as_str()), ("1.1", 404, "Not Found"));
        let shown: Vec<_> = head
            .headers
            .iter()
            .map(|(name, value)| format!("{name}={}", String::from_utf8_lossy(value)))
            .collect();
        assert_eq!(shown, ["A=b", "Set-Cookie=x=1 folded", "Empty="]);
        assert_eq!(parse(b"HTTP/1.0 200\r\n\r\n").unwrap().reason, "");
        for (text, kind) in [
            ("SSH-2.0\r\n\r\n", NetworkErrorKind::Unversioned),
            ("HTTP/3.0 200 OK\r\n\r\n", NetworkErrorKind::Malformed),
            ("HTTP/1.1 2x0 OK\r\n\r\n", NetworkErrorKind::Malformed),
            ("HTTP/1.1 200 OK\r\nno colon\r\n\r\n", NetworkErrorKind::Malformed),
            ("HTTP/1.1 200 OK\r\nA: \0\r\n\r\n", NetworkErrorKind::Malformed),
        ] {
            assert_eq!(parse(text.as_bytes()).unwrap_err().kind(), kind, "{text:?}");
        }
    }
}
