//! Where the body of an answer ends (RFC 9112 6 and 7): nowhere, after a length, in chunks, or with the connection.

use super::head::Head;
use crate::network::error::{NetworkError, NetworkErrorKind};

/// Longest line that announces a chunk, in bytes.
const LONGEST_LINE: usize = 1024;

/// How a body is framed, and how much of it is still to come.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Framing {
    Length(u64),
    Chunked { state: ChunkState, line: Vec<u8>, trailers: usize },
    UntilClose,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ChunkState {
    /// In the line with the size.
    Size,
    /// So many bytes are left.
    Data(u64),
    /// In the end of line after the data.
    DataEnd,
    /// In the lines after the last chunk.
    Trailers,
    Ended,
}

fn malformed(why: &'static str) -> NetworkError {
    NetworkError::new(NetworkErrorKind::Receive, why)
}

impl Framing {
    /// Of the answer to a request.
    pub(super) fn of(head: &Head, method: &str) -> Result<Self, NetworkError> {
        if method == "HEAD" || matches!(head.status, 100..=199 | 204 | 304) {
            return Ok(Self::Length(0));
        }
        let values = |name: &str| {
            let own = head.headers.iter().filter(move |(own, _)| own.eq_ignore_ascii_case(name));
            own.flat_map(|(_, value)| value.split(|byte| *byte == b','))
                .map(<[u8]>::trim_ascii)
                .collect::<Vec<_>>()
        };
        let codings = values("transfer-encoding");
        if let Some(coding) = codings.iter().find(|coding| !coding.is_empty()) {
            if codings.len() > 1 || !coding.eq_ignore_ascii_case(b"chunked") {
                return Err(malformed("HTTP: a transfer coding that is not known"));
            }
            return Ok(Self::Chunked { state: ChunkState::Size, line: Vec::new(), trailers: 0 });
        }
        let mut lengths = values("content-length").into_iter();
        let Some(first) = lengths.next() else { return Ok(Self::UntilClose) };
        let length =
            std::str::from_utf8(first).ok().filter(|text| text.bytes().all(|byte| byte.is_ascii_digit()));
        match length.and_then(|text| text.parse().ok()) {
            Some(length) if lengths.all(|other| other == first) => Ok(Self::Length(length)),
            _ => Err(NetworkError::new(NetworkErrorKind::Malformed, "Invalid Content-Length: value")),
        }
    }

    pub(super) fn is_over(&self) -> bool {
        matches!(self, Self::Length(0) | Self::Chunked { state: ChunkState::Ended, .. })
    }

    /// What is missing where the connection ends now.
    pub(super) fn at_close(&self) -> Result<(), NetworkError> {
        let partial = |left, what: String| Err(NetworkError::new(NetworkErrorKind::Partial(left), what));
        match self {
            _ if self.is_over() => Ok(()),
            Self::UntilClose => Ok(()),
            Self::Length(left) => {
                partial(Some(*left), format!("transfer closed with {left} bytes remaining to read"))
            }
            Self::Chunked { .. } => {
                partial(None, "transfer closed with outstanding read data remaining".to_owned())
            }
        }
    }

    /// Takes what was read; the bytes of the body in it go to `body`.
    pub(super) fn take(
        &mut self,
        bytes: &[u8],
        body: &mut Vec<u8>,
        most_trailers: usize,
    ) -> Result<(), NetworkError> {
        match self {
            Self::UntilClose => body.extend_from_slice(bytes),
            Self::Length(left) => {
                let count = usize::try_from(*left).unwrap_or(usize::MAX).min(bytes.len());
                body.extend_from_slice(bytes.get(..count).unwrap_or(bytes));
                *left = left.saturating_sub(count as u64);
            }
            Self::Chunked { state, line, trailers } => {
                let mut rest = bytes;
                while !rest.is_empty() && *state != ChunkState::Ended {
                    rest = chunk(state, line, trailers, rest, body, most_trailers)?;
                }
            }
        }
        Ok(())
    }
}

/// Takes one piece of a chunked body; what is left of `bytes`.
fn chunk<'a>(
    state: &mut ChunkState,
    line: &mut Vec<u8>,
    trailers: &mut usize,
    bytes: &'a [u8],
    body: &mut Vec<u8>,
    most_trailers: usize,
) -> Result<&'a [u8], NetworkError> {
    if let ChunkState::Data(left) = state {
        let count = usize::try_from(*left).unwrap_or(usize::MAX).min(bytes.len());
        body.extend_from_slice(bytes.get(..count).unwrap_or(bytes));
        *left = left.saturating_sub(count as u64);
        if *left == 0 {
            *state = ChunkState::DataEnd;
        }
        return Ok(bytes.get(count..).unwrap_or_default());
    }
    // All others read a line.
    let end = memchr::memchr(b'\n', bytes);
    let taken = end.map_or(bytes.len(), |end| end.saturating_add(1));
    line.extend_from_slice(bytes.get(..taken).unwrap_or(bytes));
    if line.len() > LONGEST_LINE && *state != ChunkState::Trailers {
        return Err(malformed("chunk hex-length longer than 16"));
    }
    if *state == ChunkState::Trailers {
        *trailers = trailers.saturating_add(taken);
        if *trailers > most_trailers {
            return Err(NetworkError::new(
                NetworkErrorKind::HeadersTooLong,
                "HTTP: the trailers are too long",
            ));
        }
    }
    if end.is_some() {
        let text = std::mem::take(line);
        let text = text.strip_suffix(b"\n").unwrap_or(&text);
        let text = text.strip_suffix(b"\r").unwrap_or(text);
        *state = match state {
            ChunkState::Size => match size(text)? {
                0 => ChunkState::Trailers,
                size => ChunkState::Data(size),
            },
            ChunkState::DataEnd if text.is_empty() => ChunkState::Size,
            ChunkState::Trailers if text.is_empty() => ChunkState::Ended,
            ChunkState::Trailers => ChunkState::Trailers,
            _ => return Err(malformed("Malformed encoding found in chunked-encoding")),
        };
    }
    Ok(bytes.get(taken..).unwrap_or_default())
}

fn size(line: &[u8]) -> Result<u64, NetworkError> {
    let text = line.split(|byte| *byte == b';').next().unwrap_or_default().trim_ascii();
    let text =
        std::str::from_utf8(text).ok().filter(|text| text.bytes().all(|byte| byte.is_ascii_hexdigit()));
    let size = text.and_then(|text| u64::from_str_radix(text, 16).ok());
    size.ok_or_else(|| malformed("Illegal or missing hexadecimal sequence in chunked-encoding"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn framing(headers: &[(&str, &str)], status: u16, method: &str) -> Result<Framing, NetworkErrorKind> {
        let headers =
            headers.iter().map(|(name, value)| ((*name).to_owned(), value.as_bytes().to_vec())).collect();
        let head = Head { version: "1.1", status, reason: String::new(), headers };
        Framing::of(&head, method).map_err(|error| error.kind())
    }

    #[test]
    fn framings() {
        let length = ("Content-Length", "5");
        assert_eq!(framing(&[length], 200, "GET"), Ok(Framing::Length(5)));
        assert_eq!(framing(&[length, length], 200, "GET"), Ok(Framing::Length(5)));
        assert_eq!(framing(&[length, ("content-length", "6")], 200, "GET"), Err(NetworkErrorKind::Malformed));
        assert_eq!(framing(&[("content-length", "+5")], 200, "GET"), Err(NetworkErrorKind::Malformed));
        assert_eq!(framing(&[length], 200, "HEAD"), Ok(Framing::Length(0)));
        assert_eq!(framing(&[length], 304, "GET"), Ok(Framing::Length(0)));
        assert_eq!(framing(&[], 200, "GET"), Ok(Framing::UntilClose));
        assert!(matches!(
            framing(&[length, ("Transfer-Encoding", "Chunked")], 200, "GET"),
            Ok(Framing::Chunked { .. })
        ));
        assert_eq!(
            framing(&[("Transfer-Encoding", "gzip, chunked")], 200, "GET"),
            Err(NetworkErrorKind::Receive)
        );
    }

    #[test]
    fn chunks_wherever_they_are_cut() {
        let whole = b"3\r\nabc\r\n2;x=y\r\nde\r\n0\r\nTrailer: x\r\n\r\nmore";
        for cut in 0..whole.len() {
            let mut framing = framing(&[("Transfer-Encoding", "chunked")], 200, "GET").unwrap();
            let mut body = Vec::new();
            for part in [&whole[..cut], &whole[cut..]] {
                framing.take(part, &mut body, 100).unwrap();
            }
            assert_eq!((body.as_slice(), framing.is_over()), (b"abcde".as_slice(), true), "{cut}");
        }
    }

    #[test]
    fn what_is_no_chunk() {
        for (bytes, wanted) in [
            ("x\r\n", "Illegal or missing hexadecimal"),
            ("\r\n", "Illegal or missing hexadecimal"),
            ("11111111111111111\r\n", "Illegal or missing hexadecimal"),
            ("1\r\nabc\r\n", "Malformed encoding"),
            ("0\r\naaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "trailers are too long"),
        ] {
            let mut framing = framing(&[("Transfer-Encoding", "chunked")], 200, "GET").unwrap();
            let error = framing.take(bytes.as_bytes(), &mut Vec::new(), 20).unwrap_err().to_string();
            assert!(error.contains(wanted), "{bytes:?}: {error}");
        }
        let mut framing = framing(&[("Transfer-Encoding", "chunked")], 200, "GET").unwrap();
        assert!(framing.take(&[b'1'; 2000], &mut Vec::new(), 20).is_err());
    }
}
