//! The headers and the body of a request, from the options.

use super::config::{Config, TimeCondition};
use super::cookie::{CookieJar, CookieSource};
use super::decode::ACCEPTED;
use super::failure::{Failure, Stop};
use crate::memory::{String, ToMetered, Vec, format};
use crate::network::{NetworkRequest, Url};
use crate::utility::prelude::*;

/// What is sent, but for what depends on where it goes.
#[derive(Clone)]
pub(super) struct Message {
    pub(super) method: String,
    pub(super) body: Option<Text>,
    /// Of the body.
    pub(super) kind: Option<Vec<u8>>,
}

impl Message {
    /// By the options; `upload` is what `-T` names.
    pub(super) async fn of(ctx: &mut Context, config: &Config, upload: Option<&Text>) -> Result<Self, Stop> {
        let mut message = Self { method: String::from("GET"), body: None, kind: None };
        if config.head {
            message.method = String::from("HEAD");
        } else if let Some(name) = upload {
            message.method = String::from("PUT");
            let name: &[u8] = if name.as_bytes() == b"." { b"-" } else { name };
            let read = match ctx.open_input(name) {
                Ok(mut input) => input.read_to_end().await,
                Err(error) => Err(error),
            };
            match read {
                Ok(bytes) => message.body = Some(Text::from(bytes)),
                Err(FsError::Limit(limit)) => return Err(limit.into()),
                Err(FsError::Errno(_)) => {
                    ctx.warn(format_args!("Can't open '{}'!", bstr::BStr::new(name)));
                    ctx.warn("try 'curl --help' or 'curl --manual' for more information");
                    return Err(
                        Failure::new(26, "Failed to open/read local data from file/application").into()
                    );
                }
            }
        } else if !config.form.is_empty() {
            message.method = String::from("POST");
            let Some((body, boundary)) = config.form.body(ctx).await? else {
                return Err(Failure::new(26, "Failed to open/read local data from file/application").into());
            };
            message.body = Some(Text::from(body));
            message.kind = Some(format!("multipart/form-data; boundary={boundary}").into_bytes());
        } else if let Some(data) = config.data.as_ref().filter(|_| !config.get) {
            message.method = String::from("POST");
            message.body = Some(Text::from(data.as_slice()));
            let kind: &[u8] =
                if config.is_json { b"application/json" } else { b"application/x-www-form-urlencoded" };
            message.kind = Some(kind.to_metered());
        }
        if let Some(method) = &config.method {
            message.method = String::from_utf8_lossy(method);
        }
        Ok(message)
    }
}

/// The rest of what a request says.
pub(super) struct Circumstances<'a> {
    pub(super) url: &'a Url,
    /// `user:password`.
    pub(super) user: Option<&'a [u8]>,
    /// It goes to the host that the user named.
    pub(super) is_first_host: bool,
    pub(super) referer: Option<&'a [u8]>,
    pub(super) jar: &'a CookieJar,
    pub(super) now: i64,
    pub(super) offset: u64,
    pub(super) etag: Option<&'a [u8]>,
}

/// What a line of `-H` says.
enum Custom<'a> {
    Set(&'a [u8], &'a [u8]),
    Remove(&'a [u8]),
}

fn custom(line: &[u8]) -> Option<Custom<'_>> {
    if let Some(colon) = memchr::memchr(b':', line) {
        let (name, value) = line.split_at_checked(colon)?;
        let value = value.get(1..).unwrap_or_default();
        let value = value.trim_ascii_start();
        return Some(if value.trim_ascii().is_empty() {
            Custom::Remove(name)
        } else {
            Custom::Set(name, value)
        });
    }
    let name = line.strip_suffix(b";")?;
    Some(Custom::Set(name, b""))
}

/// Puts a request together.
pub(super) fn build(config: &Config, message: &Message, at: &Circumstances<'_>) -> NetworkRequest {
    let mut request = NetworkRequest::new(&message.method, at.url.clone());
    let lines = || config.headers.iter().filter_map(|line| custom(line));
    let is_named = |name: &str| {
        lines().any(|line| match line {
            Custom::Set(own, _) | Custom::Remove(own) => own.eq_ignore_ascii_case(name.as_bytes()),
        })
    };
    let mut add = |name: &str, value: &[u8]| {
        if !is_named(name) {
            request.add_header(name, value);
        }
    };
    let knows_secrets = at.is_first_host || config.trusted;
    if let Some(user) = at.user.filter(|_| knows_secrets) {
        add("Authorization", format!("Basic {}", crate::network::base64(user)).as_bytes());
    } else if let Some(token) = config.bearer.as_ref().filter(|_| knows_secrets) {
        add("Authorization", format!("Bearer {token}").as_bytes());
    }
    if at.offset > 0 {
        add("Range", format!("bytes={}-", at.offset).as_bytes());
    } else if let Some(range) = &config.range {
        add("Range", format!("bytes={range}").as_bytes());
    }
    match &config.agent {
        Some(agent) if agent.is_empty() => {}
        Some(agent) => add("User-Agent", agent),
        None => add("User-Agent", b"curl/7.88.1"),
    }
    if config.is_json {
        add("Content-Type", b"application/json");
        add("Accept", b"application/json");
    } else {
        add("Accept", b"*/*");
    }
    if config.compressed {
        add("Accept-Encoding", ACCEPTED.as_bytes());
    }
    if let Some(referer) = at.referer {
        add("Referer", referer);
    }
    match config.condition {
        Some(TimeCondition::IfModified(time)) => {
            add("If-Modified-Since", super::date::show_http_date(time).as_bytes());
        }
        Some(TimeCondition::IfUnmodified(time)) => {
            add("If-Unmodified-Since", super::date::show_http_date(time).as_bytes());
        }
        None => {}
    }
    if let Some(etag) = at.etag {
        add("If-None-Match", etag);
    }
    let mut cookies = at.jar.header(at.url, at.now);
    for source in &config.cookies {
        if let CookieSource::Given(text) = source
            && knows_secrets
        {
            if !cookies.is_empty() {
                cookies.extend_from_slice(b"; ");
            }
            cookies.extend_from_slice(text);
        }
    }
    if !cookies.is_empty() {
        add("Cookie", &cookies);
    }
    for line in lines() {
        let Custom::Set(name, value) = line else { continue };
        let is = |own: &str| name.eq_ignore_ascii_case(own.as_bytes());
        let is_secret = is("Authorization") || is("Cookie");
        if is_secret && !knows_secrets || is_said_anyway(name, value, message, at.url) {
            continue;
        }
        let name = String::from_utf8_lossy(name);
        request.add_header(&name, value);
    }
    if let Some(kind) = message.kind.as_ref().filter(|_| !is_named("Content-Type") && !config.is_json) {
        request.add_header("Content-Type", kind);
    }
    request.body.clone_from(&message.body);
    request
}

/// Whether a header says what the transport says of itself: the host, the length, that the connection ends.
fn is_said_anyway(name: &[u8], value: &[u8], message: &Message, url: &Url) -> bool {
    let is = |own: &str| name.eq_ignore_ascii_case(own.as_bytes());
    let length = message.body.as_ref().map(|body| format!("{}", body.len()));
    is("Host") && value.eq_ignore_ascii_case(url.authority().as_bytes())
        || is("Content-Length") && length.is_some_and(|length| length.as_bytes() == value)
        || is("Connection")
            && (value.eq_ignore_ascii_case(b"close") || value.eq_ignore_ascii_case(b"keep-alive"))
}
