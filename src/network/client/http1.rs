//! One request over one connection (RFC 9112): the message, and the reading of its answer. Our own, as `curl` shows what hyper
//! does not hand on: names of headers as they came, the words of a status, and how much of a body is missing where it broke off.

use super::connection::Stream;
use super::framing::Framing;
use super::head::{self, Head};
use crate::network::error::{NetworkError, NetworkErrorKind};
use crate::network::transport::{Moments, ResponseBody, TransportRequest, TransportResponse};
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use tokio::io::{AsyncRead as _, AsyncReadExt as _, AsyncWriteExt as _, ReadBuf};

/// Read at a time.
const BLOCK: usize = 16 << 10;
/// Least room for the headers of an answer.
const LEAST_HEADER_BYTES: usize = 8 << 10;
/// Most answers before the last one (status 100 to 199).
const MOST_INTERIM: usize = 16;

/// The head of a request.
pub(super) fn message(request: &TransportRequest) -> Vec<u8> {
    let mut message = format!(
        "{} {} HTTP/1.1\r\nHost: {}\r\n",
        request.method,
        request.url.target,
        request.url.authority()
    )
    .into_bytes();
    for (name, value) in &request.headers {
        message.extend_from_slice(name.as_bytes());
        message.extend_from_slice(if value.is_empty() { b":" } else { b": " });
        message.extend_from_slice(value);
        message.extend_from_slice(b"\r\n");
    }
    if let Some(body) = &request.body {
        message.extend_from_slice(format!("Content-Length: {}\r\n", body.len()).as_bytes());
    }
    message.extend_from_slice(b"\r\n");
    message
}

fn broken(error: &io::Error) -> NetworkError {
    let what = match error.kind() {
        io::ErrorKind::ConnectionReset => "Recv failure: Connection reset by peer".to_owned(),
        _ => format!("HTTP: {error}"),
    };
    NetworkError::new(NetworkErrorKind::Receive, what)
}

/// Sends a message and reads the head of its answer.
pub(super) async fn exchange(
    mut stream: Stream,
    message: &[u8],
    request: &TransportRequest,
) -> Result<TransportResponse, NetworkError> {
    let sent = send(&mut stream, message, request).await;
    let mut buffer = Vec::new();
    let mut seen = 0;
    for _ in 0..MOST_INTERIM {
        let head = match next_head(&mut stream, &mut buffer, &mut seen, request.max_header_bytes).await {
            Ok(head) => head,
            // A server that refuses a body can answer and hang up before it is all sent.
            Err(error) => return Err(sent.err().unwrap_or(error)),
        };
        if (100..200).contains(&head.status) && head.status != 101 {
            continue;
        }
        let framing = Framing::of(&head, &request.method)?;
        let Head { version, status, reason, headers } = head;
        let most_trailers = request.max_header_bytes.max(LEAST_HEADER_BYTES);
        let body = Body { stream, framing, buffer, most_trailers, is_over: false };
        return Ok(TransportResponse {
            version,
            status,
            reason,
            headers,
            body: Box::new(body),
            address: None,
            moments: Moments::default(),
        });
    }
    Err(NetworkError::new(NetworkErrorKind::Malformed, "HTTP: too many interim answers"))
}

async fn send(stream: &mut Stream, message: &[u8], request: &TransportRequest) -> Result<(), NetworkError> {
    let failed =
        |error: io::Error| NetworkError::new(NetworkErrorKind::Send, format!("Send failure: {error}"));
    stream.write_all(message).await.map_err(failed)?;
    if let Some(body) = &request.body {
        stream.write_all(body).await.map_err(failed)?;
    }
    stream.flush().await.map_err(failed)
}

/// The next head; what follows it stays in `buffer`. `seen` counts the bytes of all heads.
async fn next_head(
    stream: &mut Stream,
    buffer: &mut Vec<u8>,
    seen: &mut usize,
    most: usize,
) -> Result<Head, NetworkError> {
    let most = most.max(LEAST_HEADER_BYTES);
    let mut looked = 0;
    loop {
        if let Some(end) = head::end(buffer, looked) {
            *seen = seen.saturating_add(end);
            if *seen > most {
                return Err(too_long());
            }
            let rest = buffer.split_off(end);
            let head = head::parse(&std::mem::replace(buffer, rest));
            return head;
        }
        looked = buffer.len();
        // What does not begin as an answer does is not waited for.
        if !buffer.iter().zip(b"HTTP/").all(|(byte, wanted)| byte == wanted) {
            return head::parse(buffer);
        }
        if seen.saturating_add(buffer.len()) > most {
            return Err(too_long());
        }
        buffer.reserve(BLOCK);
        let mut block = (&mut *stream).take(BLOCK as u64);
        let count = block.read_buf(buffer).await.map_err(|error| broken(&error))?;
        if count == 0 {
            return Err(if buffer.is_empty() {
                NetworkError::new(NetworkErrorKind::Empty, "HTTP: Empty reply from server")
            } else {
                NetworkError::new(
                    NetworkErrorKind::Partial(None),
                    "HTTP: the connection ended within the headers",
                )
            });
        }
    }
}

fn too_long() -> NetworkError {
    NetworkError::new(NetworkErrorKind::HeadersTooLong, "HTTP: the headers of the answer are too long")
}

/// The body of an answer.
struct Body {
    stream: Stream,
    framing: Framing,
    /// Read with the head.
    buffer: Vec<u8>,
    most_trailers: usize,
    is_over: bool,
}

impl Body {
    fn take(&mut self, bytes: &[u8]) -> Result<Option<Vec<u8>>, NetworkError> {
        let mut body = Vec::with_capacity(bytes.len());
        self.framing.take(bytes, &mut body, self.most_trailers)?;
        Ok((!body.is_empty()).then_some(body))
    }

    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Result<Option<Vec<u8>>, NetworkError>> {
        if !self.buffer.is_empty() {
            let bytes = std::mem::take(&mut self.buffer);
            if let Some(body) = self.take(&bytes)? {
                return Poll::Ready(Ok(Some(body)));
            }
        }
        loop {
            if self.is_over || self.framing.is_over() {
                return Poll::Ready(Ok(None));
            }
            let mut bytes = [0; BLOCK];
            let mut block = ReadBuf::new(&mut bytes);
            let read = ready!(Pin::new(&mut self.stream).poll_read(cx, &mut block));
            read.map_err(|error| broken(&error))?;
            if block.filled().is_empty() {
                self.is_over = true;
                self.framing.at_close()?;
            } else if let Some(body) = self.take(block.filled())? {
                return Poll::Ready(Ok(Some(body)));
            }
        }
    }
}

impl ResponseBody for Body {
    fn poll_piece(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Vec<u8>, NetworkError>>> {
        self.poll(cx).map(Result::transpose)
    }
}
