//! Why a transfer failed: the number that becomes the exit status, and curl's words.

use crate::memory::{String, ToMeteredString, format};
use crate::network::{NetworkError, NetworkErrorKind, Url};
use crate::utility::UtilityError;
use std::time::Duration;

/// See the module.
#[derive(Clone, Debug)]
pub(in crate::utility) struct Failure {
    pub(super) code: u8,
    pub(super) message: String,
}

impl Failure {
    pub(super) fn new(code: u8, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }

    pub(super) fn bad_url() -> Self {
        Self::new(3, "URL using bad/illegal format or missing URL")
    }

    pub(super) fn protocol(name: &str) -> Self {
        Self::new(1, format!("Protocol \"{name}\" not supported or disabled in libcurl"))
    }

    pub(super) fn write() -> Self {
        Self::new(23, "Failure writing output to destination")
    }

    pub(super) fn too_large() -> Self {
        Self::new(63, "Maximum file size exceeded")
    }

    /// Of a network that failed. `received` is what was read of a body of `expected` bytes.
    pub(super) fn of(
        error: &NetworkError,
        url: &Url,
        took: Duration,
        received: u64,
        expected: Option<u64>,
    ) -> Self {
        let text = error.to_metered_string();
        let text = text.strip_prefix("HTTP: ").unwrap_or(&text);
        let (host, port, ms) = (&url.host, url.port, took.as_millis());
        match error.kind() {
            NetworkErrorKind::Resolve => Self::new(6, format!("Could not resolve host: {host}")),
            NetworkErrorKind::Connect => Self::new(
                7,
                format!("Failed to connect to {host} port {port} after {ms} ms: Couldn't connect to server"),
            ),
            NetworkErrorKind::Refused | NetworkErrorKind::Address(_) => {
                Self::new(7, format!("Failed to connect to {host} port {port}: {text}"))
            }
            NetworkErrorKind::ConnectTimedOut => Self::new(
                28,
                format!("Failed to connect to {host} port {port} after {ms} ms: Timeout was reached"),
            ),
            NetworkErrorKind::TimedOut => {
                let of = expected.map_or_else(String::new, |expected| format!(" out of {expected}"));
                Self::new(
                    28,
                    format!("Operation timed out after {ms} milliseconds with {received}{of} bytes received"),
                )
            }
            NetworkErrorKind::Tls if text.contains("certificate") => {
                Self::new(60, format!("SSL certificate problem: {text}"))
            }
            NetworkErrorKind::Tls => Self::new(35, text),
            NetworkErrorKind::Send => Self::new(55, text),
            NetworkErrorKind::Receive | NetworkErrorKind::HeadersTooLong => Self::new(56, text),
            NetworkErrorKind::Empty => Self::new(52, "Empty reply from server"),
            NetworkErrorKind::Malformed => Self::new(8, text),
            NetworkErrorKind::Unversioned => Self::new(1, "Received HTTP/0.9 when not allowed"),
            NetworkErrorKind::Partial(_) => Self::new(18, text),
            NetworkErrorKind::TooLong => Self::new(63, text),
            NetworkErrorKind::Header => Self::new(43, text),
            _ => Self::new(7, text),
        }
    }
}

/// A failure of the transfer, or the end of the utility.
#[derive(Debug)]
pub(super) enum Stop {
    Failed(Failure),
    End(UtilityError),
}

impl From<Failure> for Stop {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

impl From<UtilityError> for Stop {
    fn from(error: UtilityError) -> Self {
        match error {
            UtilityError::Write(_) => Self::Failed(Failure::write()),
            error => Self::End(error),
        }
    }
}

impl From<crate::limit::LimitError> for Stop {
    fn from(error: crate::limit::LimitError) -> Self {
        Self::End(error.into())
    }
}
