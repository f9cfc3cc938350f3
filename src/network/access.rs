//! [`Network`]: a policy and a transport, through which every request of a session goes.

use super::credential::Secret;
use super::egress::{EgressPolicy, is_token};
use super::error::{NetworkError, NetworkErrorKind};
use super::redaction::Redaction;
use super::transport::{Moments, ResponseBody, Transport, TransportRequest, TransportResponse};
use super::url::Url;
use crate::clock::{RealSleep, real_monotonic};
use crate::text::Text;
use std::fmt;
use std::future::poll_fn;
use std::net::SocketAddr;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

/// What is between the transport and the next server, not between a session and who answers it: the transport sets it, or
/// does without. RFC 9110 7.6.1 (hop-by-hop), 10.1.1 (`Expect`), 10.1.4 (`TE`), 6.6.2 (`Trailer`).
const OWN_HEADERS: [&str; 14] = [
    "connection",
    "content-length",
    "expect",
    "host",
    "http2-settings",
    "keep-alive",
    "proxy-authenticate",
    "proxy-authorization",
    "proxy-connection",
    "te",
    "trailer",
    "trailers",
    "transfer-encoding",
    "upgrade",
];

/// The header that can not be set, if there is one: a name that is not one, a value that would start another line, or what
/// is the transport's.
pub(crate) fn wrong_header(headers: &[(String, Vec<u8>)]) -> Option<NetworkError> {
    let is_wrong = |name: &str, value: &[u8]| {
        !is_token(name)
            || value.iter().any(|byte| matches!(byte, b'\r' | b'\n' | 0))
            || OWN_HEADERS.iter().any(|own| own.eq_ignore_ascii_case(name))
    };
    let (name, _) = headers.iter().find(|(name, value)| is_wrong(name, value))?;
    Some(NetworkError::new(NetworkErrorKind::Header, format!("header `{name}` can not be set")))
}

/// A request of a session.
#[derive(Clone)]
pub struct NetworkRequest {
    /// `GET`.
    pub method: String,
    /// Whom to ask.
    pub url: Url,
    /// In order.
    pub headers: Vec<(String, Vec<u8>)>,
    /// None is no body at all, an empty one is announced.
    pub body: Option<Text>,
    /// For the request and all of its answer; the policy's where that is shorter.
    pub timeout: Option<Duration>,
    /// For the connection; the policy's where that is shorter.
    pub connect_timeout: Option<Duration>,
}

impl NetworkRequest {
    /// Without headers and body.
    pub fn new(method: &str, url: Url) -> Self {
        let method = method.to_owned();
        Self { method, url, headers: Vec::new(), body: None, timeout: None, connect_timeout: None }
    }

    /// Adds a header.
    pub fn add_header(&mut self, name: &str, value: &[u8]) {
        self.headers.push((name.to_owned(), value.to_vec()));
    }
}

/// What a session has of the network. Shared by what is cloned of it, with its count of requests.
#[derive(Clone)]
pub struct Network(Arc<Inner>);

struct Inner {
    policy: EgressPolicy,
    transport: Box<dyn Transport>,
    sent: AtomicU64,
}

impl fmt::Debug for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Network").field("policy", &self.0.policy).finish_non_exhaustive()
    }
}

impl<T: Transport + ?Sized> Transport for Arc<T> {
    fn exchange(
        &self,
        request: TransportRequest,
    ) -> super::NetworkFuture<'_, Result<TransportResponse, NetworkError>> {
        (**self).exchange(request)
    }
}

impl Network {
    /// What the policy allows, carried by the transport.
    pub fn new(policy: EgressPolicy, transport: impl Transport + 'static) -> Self {
        Self(Arc::new(Inner { policy, transport: Box::new(transport), sent: AtomicU64::new(0) }))
    }

    /// The policy.
    pub fn policy(&self) -> &EgressPolicy {
        &self.0.policy
    }

    /// How many requests were sent.
    pub fn sent(&self) -> u64 {
        self.0.sent.load(Ordering::Relaxed)
    }

    /// Sends a request; the answer's body is still to be read.
    ///
    /// # Errors
    /// It was refused, or there is no answer.
    pub async fn send(&self, request: NetworkRequest) -> Result<NetworkResponse, NetworkError> {
        let started = real_monotonic();
        let policy = &self.0.policy;
        let time = request.timeout.unwrap_or(Duration::MAX).min(policy.max_time);
        let mut deadline = RealSleep::of(time);
        let (request, redaction) = self.prepare(request)?;
        let mut exchange = contained(|| self.0.transport.exchange(request))?;
        let answer = poll_fn(|cx| match contained(|| exchange.as_mut().poll(cx)) {
            Ok(Poll::Ready(answer)) => Poll::Ready(answer),
            Ok(Poll::Pending) => Pin::new(&mut deadline).poll(cx).map(|()| Err(over(started))),
            Err(crashed) => Poll::Ready(Err(crashed)),
        });
        let TransportResponse { version, status, mut reason, mut headers, body, address, moments } =
            answer.await?;
        if !redaction.is_empty() && headers.iter().any(is_encoded) {
            let why = "the answer is encoded: what the host attached to the request could not be found in it";
            return Err(NetworkError::new(NetworkErrorKind::Refused, why));
        }
        redaction.blot_text(&mut reason);
        for (name, value) in &mut headers {
            redaction.blot_text(name);
            redaction.blot(value);
        }
        let body = Body { inner: Some(body), left: policy.max_response_bytes, redaction, deadline, started };
        Ok(NetworkResponse { version, status, reason, headers, address, moments, body })
    }

    /// What goes to the transport, and what must not come back.
    fn prepare(&self, request: NetworkRequest) -> Result<(TransportRequest, Redaction), NetworkError> {
        let policy = &self.0.policy;
        let NetworkRequest { method, url, mut headers, body, connect_timeout, .. } = request;
        let refused = |what: String| Err(NetworkError::new(NetworkErrorKind::Refused, what));
        let addresses = policy.judge(&method, &url)?;
        url.check_by(&addresses)?;
        if let Some(wrong) = wrong_header(&headers) {
            return Err(wrong);
        }
        let length = body.as_ref().map_or(0, |body| body.len() as u64);
        if length > policy.max_request_bytes {
            let most = policy.max_request_bytes;
            return refused(format!("the request has {length} bytes, this session may send {most}"));
        }
        let credentials = policy.credentials_for(&url)?;
        for credential in &credentials {
            headers.retain(|(name, _)| !name.eq_ignore_ascii_case(credential.name()));
            headers.push((credential.name().to_owned(), credential.value().reveal().as_bytes().to_vec()));
        }
        if !credentials.is_empty() {
            // Nobody could find the credential in an answer that is compressed.
            headers.retain(|(name, _)| !name.eq_ignore_ascii_case("accept-encoding"));
            headers.push(("Accept-Encoding".to_owned(), b"identity".to_vec()));
        }
        if let Some(wrong) = wrong_header(&headers) {
            return Err(wrong);
        }
        let most = policy.max_requests;
        let count = |sent: u64| (sent < most).then(|| sent.saturating_add(1));
        if self.0.sent.fetch_update(Ordering::Relaxed, Ordering::Relaxed, count).is_err() {
            return refused(format!("this session may send no more than {most} requests"));
        }
        let secrets: Vec<Secret> =
            credentials.iter().flat_map(|credential| credential.secrets()).cloned().collect();
        let request = TransportRequest {
            method,
            url,
            headers,
            body,
            addresses,
            connect_timeout: connect_timeout.unwrap_or(Duration::MAX).min(policy.connect_time),
            max_header_bytes: policy.max_header_bytes,
        };
        Ok((request, Redaction::new(secrets)))
    }
}

/// Whether a header says that the body is not as it is meant to be read. RFC 9110 8.4.
fn is_encoded((name, value): &(String, Vec<u8>)) -> bool {
    let value = value.trim_ascii();
    name.eq_ignore_ascii_case("content-encoding")
        && !value.is_empty()
        && !value.eq_ignore_ascii_case(b"identity")
}

/// Calls a transport, which can be a host's own: what panics there is a request without an answer. The crate's client does so
/// where there is no tokio runtime with a network.
fn contained<T>(call: impl FnOnce() -> T) -> Result<T, NetworkError> {
    catch_unwind(AssertUnwindSafe(call)).map_err(|_| {
        NetworkError::new(NetworkErrorKind::Other, "the client of this session's network crashed")
    })
}

fn over(started: Duration) -> NetworkError {
    let took = real_monotonic().saturating_sub(started).as_millis();
    NetworkError::new(NetworkErrorKind::TimedOut, format!("timed out after {took} milliseconds"))
}

/// An answer: its head, and its body to be read.
pub struct NetworkResponse {
    /// `1.0` or `1.1`.
    pub version: &'static str,
    /// Of HTTP.
    pub status: u16,
    /// What stands after the status.
    pub reason: String,
    /// In order, names as they came.
    pub headers: Vec<(String, Vec<u8>)>,
    /// Who answered.
    pub address: Option<SocketAddr>,
    /// How long the steps took.
    pub moments: Moments,
    body: Body,
}

impl fmt::Debug for NetworkResponse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NetworkResponse").field("status", &self.status).finish_non_exhaustive()
    }
}

impl NetworkResponse {
    /// The value of the first header of that name.
    pub fn header(&self, name: &str) -> Option<&[u8]> {
        self.headers.iter().find(|(own, _)| own.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_slice())
    }

    /// The next piece of the body; `None` at its end.
    ///
    /// # Errors
    /// The connection broke, the time is over, or the body is longer than the policy allows.
    pub async fn piece(&mut self) -> Result<Option<Vec<u8>>, NetworkError> {
        poll_fn(|cx| self.body.poll(cx)).await
    }

    /// All that is left of the body, if it is no longer than `most`, and whether it was longer.
    ///
    /// # Errors
    /// As for [`NetworkResponse::piece`].
    pub async fn read_up_to(&mut self, most: usize) -> Result<(Vec<u8>, bool), NetworkError> {
        let mut all = Vec::new();
        while let Some(piece) = self.piece().await? {
            let room = most.saturating_sub(all.len());
            all.extend_from_slice(piece.get(..room).unwrap_or(&piece));
            if piece.len() > room {
                return Ok((all, true));
            }
        }
        Ok((all, false))
    }
}

struct Body {
    /// None at the end.
    inner: Option<Box<dyn ResponseBody>>,
    /// Bytes that may still come.
    left: u64,
    redaction: Redaction,
    deadline: RealSleep,
    started: Duration,
}

impl Body {
    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Result<Option<Vec<u8>>, NetworkError>> {
        let Some(inner) = &mut self.inner else { return Poll::Ready(Ok(None)) };
        // A body that always has a piece ready ends in time too.
        if self.deadline.is_over() {
            self.inner = None;
            return Poll::Ready(Err(over(self.started)));
        }
        loop {
            let polled = contained(|| inner.poll_piece(cx));
            let piece = match polled.unwrap_or_else(|crashed| Poll::Ready(Some(Err(crashed)))) {
                Poll::Pending => {
                    return Pin::new(&mut self.deadline).poll(cx).map(|()| {
                        self.inner = None;
                        Err(over(self.started))
                    });
                }
                Poll::Ready(Some(Ok(piece))) => piece,
                Poll::Ready(Some(Err(error))) => {
                    self.inner = None;
                    return Poll::Ready(Err(error));
                }
                Poll::Ready(None) => {
                    self.inner = None;
                    let rest = self.redaction.rest();
                    return Poll::Ready(Ok((!rest.is_empty()).then_some(rest)));
                }
            };
            let length = piece.len() as u64;
            if length > self.left {
                self.inner = None;
                let error = NetworkError::new(
                    NetworkErrorKind::TooLong,
                    "the answer is longer than this session may read",
                );
                return Poll::Ready(Err(error));
            }
            self.left = self.left.saturating_sub(length);
            let piece = self.redaction.piece(piece);
            if !piece.is_empty() {
                return Poll::Ready(Ok(Some(piece)));
            }
        }
    }
}
