//! One connection to a checked address, with TLS where the URL asks for it. Dropping it closes it.

use crate::network::error::{NetworkError, NetworkErrorKind};
use crate::network::url::{Scheme, Url};
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_rustls::rustls::ClientConfig;
use tokio_rustls::rustls::pki_types::ServerName;

/// Time for one address, so that another one gets its turn.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(3);

/// A connection.
pub(super) enum Stream {
    Plain(TcpStream),
    Secure(Box<TlsStream<TcpStream>>),
}

impl Stream {
    pub(super) const fn is_secure(&self) -> bool {
        matches!(self, Self::Secure(_))
    }
}

/// Connects to the first address that answers.
pub(super) async fn open(
    url: &Url,
    addresses: &[SocketAddr],
    time: Duration,
) -> Result<(TcpStream, SocketAddr), NetworkError> {
    let until = tokio::time::Instant::now().checked_add(time);
    let mut error = io::Error::from(io::ErrorKind::NotFound);
    for address in addresses {
        let left = until
            .map_or(CONNECT_TIMEOUT, |until| until.saturating_duration_since(tokio::time::Instant::now()));
        match tokio::time::timeout(left.min(CONNECT_TIMEOUT), TcpStream::connect(address)).await {
            Ok(Ok(stream)) => return Ok((stream, *address)),
            Ok(Err(why)) => error = why,
            Err(_) => error = io::Error::from(io::ErrorKind::TimedOut),
        }
    }
    let kind = match error.kind() {
        io::ErrorKind::TimedOut => NetworkErrorKind::ConnectTimedOut,
        _ => NetworkErrorKind::Connect,
    };
    Err(NetworkError::new(kind, format!("connect: {}: {error}", url.authority())))
}

/// Sets TLS up, if the URL asks for it.
pub(super) async fn secure(
    url: &Url,
    stream: TcpStream,
    tls: &Arc<ClientConfig>,
) -> Result<Stream, NetworkError> {
    if url.scheme == Scheme::Http {
        return Ok(Stream::Plain(stream));
    }
    let failed =
        |why: &dyn std::fmt::Display| NetworkError::new(NetworkErrorKind::Tls, format!("TLS: {why}"));
    let name = url.host.to_string().trim_matches(['[', ']']).trim_end_matches('.').to_owned();
    let name = ServerName::try_from(name).map_err(|error| failed(&error))?;
    let connector = TlsConnector::from(Arc::clone(tls));
    let stream = connector.connect(name, stream).await.map_err(|error| failed(&error))?;
    Ok(Stream::Secure(Box::new(stream)))
}

impl AsyncRead for Stream {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_read(cx, buffer),
            Self::Secure(stream) => Pin::new(stream.as_mut()).poll_read(cx, buffer),
        }
    }
}

impl AsyncWrite for Stream {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_write(cx, bytes),
            Self::Secure(stream) => Pin::new(stream.as_mut()).poll_write(cx, bytes),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_flush(cx),
            Self::Secure(stream) => Pin::new(stream.as_mut()).poll_flush(cx),
        }
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_shutdown(cx),
            Self::Secure(stream) => Pin::new(stream.as_mut()).poll_shutdown(cx),
        }
    }
}
