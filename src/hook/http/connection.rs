//! One request over one connection: connect to a checked address, TLS where the URL asks for it, `POST`, read the answer up to
//! a bound. Dropping the future closes the connection.

use super::Refusal;
use super::url::{Scheme, Url};
use crate::hook::request::HttpRequest;
use crate::hook::script::{Ended, ScriptOutcome};
use http_body_util::{BodyExt as _, Full};
use hyper::body::{Bytes, Incoming};
use hyper::client::conn::http1;
use hyper::header::{CONNECTION, HOST, HeaderName, HeaderValue, USER_AGENT};
use hyper::rt::ReadBufCursor;
use hyper::{Method, Response};
use std::future::poll_fn;
use std::io;
use std::net::SocketAddr;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::ClientConfig;
use tokio_rustls::rustls::pki_types::ServerName;

/// Time for one address, so that another one gets its turn.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(3);
/// Smallest buffer that hyper takes.
const LEAST_HEADER_BYTES: usize = 8 << 10;
/// What is between the client and the next server, not between the hook and who answers it: the client sets it, or does
/// without. RFC 9110 7.6.1 (hop-by-hop), 10.1.1 (`Expect`), 10.1.4 (`TE`), 6.6.2 (`Trailer`).
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

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub(super) enum Failure {
    #[error(transparent)]
    Refused(#[from] Refusal),
    #[error("resolve: {0}")]
    Resolve(io::Error),
    #[error("connect: {0}")]
    Connect(io::Error),
    #[error("TLS: {0}")]
    Tls(io::Error),
    #[error("HTTP: {0}")]
    Http(#[from] hyper::Error),
    #[error("header `{0}` can not be set")]
    Header(String),
    #[error("the request can not be built: {0}")]
    Request(hyper::http::Error),
}

impl Failure {
    /// Whether another try might go better.
    pub(super) const fn is_of_transport(&self) -> bool {
        matches!(self, Self::Resolve(_) | Self::Connect(_) | Self::Tls(_) | Self::Http(_))
    }
}

/// Whom to ask, and how.
pub(super) struct Target<'a> {
    pub(super) url: &'a Url,
    /// Checked, in order.
    pub(super) addresses: &'a [SocketAddr],
    pub(super) tls: &'a Arc<ClientConfig>,
    pub(super) max_header_bytes: usize,
}

pub(super) async fn post(target: &Target<'_>, request: &HttpRequest) -> Result<ScriptOutcome, Failure> {
    let message = message(target.url, request)?;
    let stream = connect(target.addresses).await?;
    match target.url.scheme {
        Scheme::Http => exchange(stream, target, message, request.max_bytes).await,
        Scheme::Https => {
            let name = ServerName::try_from(target.url.host.to_string().trim_matches(['[', ']']).to_owned());
            let name = name.map_err(|error| Failure::Tls(io::Error::other(error)))?;
            let connector = TlsConnector::from(Arc::clone(target.tls));
            let stream = connector.connect(name, stream).await.map_err(Failure::Tls)?;
            exchange(stream, target, message, request.max_bytes).await
        }
    }
}

type Message = hyper::Request<Full<Bytes>>;

fn message(url: &Url, request: &HttpRequest) -> Result<Message, Failure> {
    let mut builder = hyper::Request::builder().method(Method::POST).uri(url.target.as_str());
    builder = builder.header(HOST, url.authority()).header(CONNECTION, "close");
    let mut has_agent = false;
    for (name, value) in &request.headers {
        let refused = || Failure::Header(name.clone());
        let known = HeaderName::from_bytes(name.as_bytes()).map_err(|_| refused())?;
        let value = HeaderValue::from_bytes(value.as_bytes()).map_err(|_| refused())?;
        if OWN_HEADERS.contains(&known.as_str()) {
            return Err(refused());
        }
        has_agent |= known == USER_AGENT;
        builder = builder.header(known, value);
    }
    if !has_agent {
        builder = builder.header(USER_AGENT, concat!("hookbox/", env!("CARGO_PKG_VERSION")));
    }
    builder.body(Full::new(Bytes::from(request.body.clone()))).map_err(Failure::Request)
}

async fn connect(addresses: &[SocketAddr]) -> Result<TcpStream, Failure> {
    let mut error = io::Error::from(io::ErrorKind::NotFound);
    for address in addresses {
        match tokio::time::timeout(CONNECT_TIMEOUT, TcpStream::connect(address)).await {
            Ok(Ok(stream)) => return Ok(stream),
            Ok(Err(why)) => error = why,
            Err(_) => error = io::Error::from(io::ErrorKind::TimedOut),
        }
    }
    Err(Failure::Connect(error))
}

async fn exchange<S: AsyncRead + AsyncWrite + Send + Unpin + 'static>(
    stream: S,
    target: &Target<'_>,
    message: Message,
    max_bytes: u64,
) -> Result<ScriptOutcome, Failure> {
    let mut builder = http1::Builder::new();
    builder.max_buf_size(target.max_header_bytes.max(LEAST_HEADER_BYTES));
    let (mut sender, connection) = builder.handshake(Stream(stream)).await?;
    let mut connection = pin!(connection);
    let mut is_open = true;
    let mut answer = pin!(async move {
        let response = sender.send_request(message).await?;
        read(response, max_bytes).await
    });
    // The connection moves while the answer is waited for; how it ends shows in the answer.
    poll_fn(|context| {
        if is_open && connection.as_mut().poll(context).is_ready() {
            is_open = false;
        }
        answer.as_mut().poll(context)
    })
    .await
}

async fn read(response: Response<Incoming>, max_bytes: u64) -> Result<ScriptOutcome, Failure> {
    let status = i32::from(response.status().as_u16());
    let most = usize::try_from(max_bytes).unwrap_or(usize::MAX);
    let mut body = response.into_body();
    let mut all = Vec::new();
    while let Some(frame) = body.frame().await {
        let Ok(data) = frame?.into_data() else { continue };
        let room = most.saturating_sub(all.len());
        all.extend_from_slice(data.get(..room).unwrap_or(&data));
        if data.len() > room {
            let end = Ended::OutputExceeded;
            return Ok(ScriptOutcome { end, ..ScriptOutcome::exited(status, all, "") });
        }
    }
    Ok(ScriptOutcome::exited(status, all, ""))
}

/// A stream of tokio as one of hyper.
struct Stream<S>(S);

impl<S: AsyncRead + Unpin> hyper::rt::Read for Stream<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        mut cursor: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        let mut bytes = [0; 8 << 10];
        let room = cursor.remaining().min(bytes.len());
        let mut buffer = ReadBuf::new(bytes.get_mut(..room).unwrap_or_default());
        ready!(Pin::new(&mut self.0).poll_read(context, &mut buffer))?;
        cursor.put_slice(buffer.filled());
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncWrite + Unpin> hyper::rt::Write for Stream<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(context)
    }
}
