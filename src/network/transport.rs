//! How a request is carried over: [`Transport`], which a host can implement over a client of its own. It judges nothing but the
//! addresses that it connects to, follows no redirect, decodes no body and reads no settings of the environment.

use super::address::AddressRule;
use super::error::NetworkError;
use super::url::Url;
use crate::text::Text;
use std::collections::VecDeque;
use std::fmt;
use std::net::SocketAddr;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

/// A boxed future that can move between threads.
pub type NetworkFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Carries requests over.
pub trait Transport: Send + Sync {
    /// Sends a request and gives the head of its answer, with what reads the body. Dropping the future, or the body, gives up.
    fn exchange(
        &self,
        request: TransportRequest,
    ) -> NetworkFuture<'_, Result<TransportResponse, NetworkError>>;
}

/// A request that was judged. Some of its headers can be secrets of the host: show none of their values.
#[derive(Clone)]
#[non_exhaustive]
pub struct TransportRequest {
    /// A token, `GET`.
    pub method: String,
    /// Whom to ask.
    pub url: Url,
    /// In order, without `Host` and `Content-Length`, which are the transport's.
    pub headers: Vec<(String, Vec<u8>)>,
    /// None is no body at all, an empty one is announced.
    pub body: Option<Text>,
    /// Asked about every address that the name resolves to; one that is not allowed fails the request
    /// ([`Refusal::BlockedIp`](super::Refusal)).
    pub addresses: AddressRule,
    /// For all addresses together.
    pub connect_timeout: Duration,
    /// More than this is a failure.
    pub max_header_bytes: usize,
}

impl fmt::Debug for TransportRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.headers.iter().map(|(name, _)| name.as_str()).collect();
        let length = self.body.as_ref().map(|body| body.len());
        f.debug_struct("TransportRequest")
            .field("method", &self.method)
            .field("url", &Url::for_log(&self.url.to_string()))
            .field("headers", &names)
            .field("body", &length)
            .finish_non_exhaustive()
    }
}

/// An answer whose body is still to be read.
#[non_exhaustive]
pub struct TransportResponse {
    /// `1.0` or `1.1`.
    pub version: &'static str,
    /// 100 to 999.
    pub status: u16,
    /// What stands after the status; can be empty.
    pub reason: String,
    /// In order, names as they came.
    pub headers: Vec<(String, Vec<u8>)>,
    /// The rest.
    pub body: Box<dyn ResponseBody>,
    /// Who answered.
    pub address: Option<SocketAddr>,
    /// How long the steps took.
    pub moments: Moments,
}

/// When the steps of a request were done, counted from its start; zero where there was no such step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Moments {
    /// The name was resolved.
    pub resolved: Duration,
    /// There was a connection.
    pub connected: Duration,
    /// TLS was set up.
    pub secured: Duration,
    /// The head of the answer was there.
    pub answered: Duration,
}

impl TransportResponse {
    /// Without headers.
    pub fn new(status: u16, body: impl ResponseBody + 'static) -> Self {
        Self {
            version: "1.1",
            status,
            reason: String::new(),
            headers: Vec::new(),
            body: Box::new(body),
            address: None,
            moments: Moments::default(),
        }
    }

    /// With one more header.
    #[must_use]
    pub fn header(mut self, name: impl Into<String>, value: impl Into<Vec<u8>>) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }
}

impl fmt::Debug for TransportResponse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TransportResponse").field("status", &self.status).finish_non_exhaustive()
    }
}

/// The body of an answer, piece by piece.
pub trait ResponseBody: Send {
    /// The next piece, which is not empty and at best no longer than 64 KiB; `None` at the end.
    fn poll_piece(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Vec<u8>, NetworkError>>>;
}

/// A body that is there already.
#[derive(Clone, Debug, Default)]
pub struct Pieces(VecDeque<Vec<u8>>);

impl Pieces {
    /// Of one piece.
    pub fn one(bytes: impl Into<Vec<u8>>) -> Self {
        [bytes.into()].into_iter().collect()
    }
}

impl FromIterator<Vec<u8>> for Pieces {
    fn from_iter<I: IntoIterator<Item = Vec<u8>>>(pieces: I) -> Self {
        Self(pieces.into_iter().filter(|piece| !piece.is_empty()).collect())
    }
}

impl ResponseBody for Pieces {
    fn poll_piece(&mut self, _: &mut Context<'_>) -> Poll<Option<Result<Vec<u8>, NetworkError>>> {
        Poll::Ready(self.0.pop_front().map(Ok))
    }
}
