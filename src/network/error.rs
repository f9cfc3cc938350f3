//! Why there is no answer, or not all of one.

use super::refusal::Refusal;
use std::borrow::Cow;

/// What went wrong, and its words. The words name hosts and headers, never what a host attached.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct NetworkError {
    kind: NetworkErrorKind,
    message: Cow<'static, str>,
}

/// See [`NetworkError::kind`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NetworkErrorKind {
    /// The session has no network, or its policy does not let this through.
    Refused,
    /// An address that must not be reached, or a URL that is not one.
    Address(Refusal),
    /// The name is not known.
    Resolve,
    /// Nobody answers there.
    Connect,
    /// No connection in the time for that.
    ConnectTimedOut,
    /// TLS failed, or the certificate is not trusted.
    Tls,
    /// The connection broke while the request was sent.
    Send,
    /// The connection broke while the answer was read.
    Receive,
    /// The connection ended before the answer began.
    Empty,
    /// The answer is not one of HTTP.
    Malformed,
    /// The answer speaks HTTP/0.9.
    Unversioned,
    /// The connection ended within the body; the bytes that were still to come, where they were announced.
    Partial(Option<u64>),
    /// A header can not be set.
    Header,
    /// The headers of the answer are too long.
    HeadersTooLong,
    /// The answer is longer than the session may read.
    TooLong,
    /// It took longer than it may.
    TimedOut,
    /// Anything else of the transport's own.
    Other,
}

impl NetworkError {
    /// Of that kind, in these words.
    pub fn new(kind: NetworkErrorKind, message: impl Into<Cow<'static, str>>) -> Self {
        Self { kind, message: message.into() }
    }

    /// What kind of failure it is.
    pub const fn kind(&self) -> NetworkErrorKind {
        self.kind
    }

    /// The error of a session without a network.
    pub fn none() -> Self {
        Self::new(NetworkErrorKind::Refused, NO_NETWORK)
    }

    /// Whether another try might go better.
    pub const fn is_of_transport(&self) -> bool {
        use NetworkErrorKind::{
            Connect, ConnectTimedOut, Empty, HeadersTooLong, Malformed, Partial, Receive, Resolve, Send, Tls,
            Unversioned,
        };
        matches!(
            self.kind,
            Resolve
                | Connect
                | ConnectTimedOut
                | Tls
                | Send
                | Receive
                | Empty
                | Malformed
                | Unversioned
                | Partial(_)
                | HeadersTooLong
        )
    }
}

/// What is said where there is no network.
pub(crate) const NO_NETWORK: &str = "this session has no network";

impl From<Refusal> for NetworkError {
    fn from(refusal: Refusal) -> Self {
        Self::new(NetworkErrorKind::Address(refusal), refusal.to_string())
    }
}
