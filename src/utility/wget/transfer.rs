//! One URL of `wget`: tries, redirects, the file it goes to, what is told.

use super::WgetOptions;
use crate::memory::{String, ToMetered, Vec, format};
use crate::network::{NetworkError, NetworkErrorKind, NetworkRequest, NetworkResponse, Refusal, Url, base64};
use crate::utility::curl::address;
use crate::utility::format::time_format::Zone;
use crate::utility::prelude::*;
use std::time::Duration;

/// Statuses: of the network, and of an error that the server says.
const NETWORK: u8 = 4;
const SERVER: u8 = 8;
/// Names that are looked at for a free one.
const MOST_COPIES: u32 = 10_000;

/// A file that all documents go to, and its name; no file is standard output.
pub(super) type Document = (Option<Output>, Vec<u8>);

/// Says a line on standard error.
pub(super) fn say(ctx: &mut Context, text: &str) {
    ctx.stderr.push(text.as_bytes());
    ctx.stderr.push(b"\n");
    ctx.stderr.flush_now();
}

/// Why a URL was not retrieved.
enum Stop {
    /// The status, and whether another try might go better.
    Failed(u8, bool),
    End(UtilityError),
}

impl From<UtilityError> for Stop {
    fn from(error: UtilityError) -> Self {
        match error {
            UtilityError::Write(_) => Self::Failed(3, false),
            error => Self::End(error),
        }
    }
}

impl From<crate::limit::LimitError> for Stop {
    fn from(error: crate::limit::LimitError) -> Self {
        Self::End(error.into())
    }
}

fn now(ctx: &Context) -> String {
    let zone = Zone::of(&ctx.env);
    let text = zone.format(b"%Y-%m-%d %H:%M:%S", &zone.since_epoch(ctx.session.clock.now()));
    String::from_utf8_lossy(&text)
}

/// Retrieves a URL; the status.
pub(super) async fn retrieve(
    ctx: &mut Context,
    settings: &WgetOptions,
    text: &Text,
    mut document: Option<&mut Document>,
) -> Result<u8, UtilityError> {
    let shown = if memchr::memmem::find(text, b"://").is_some() {
        text.as_bytes().to_metered()
    } else {
        let mut shown = b"http://".to_metered();
        shown.extend_from_slice(text);
        shown
    };
    let reading = address::Reading {
        default_scheme: "http",
        keeps_dots: false,
        protocols: crate::utility::curl::Protocols::ALL,
    };
    let Ok(address::AddressOf::Network(first)) = address::parse(&shown, reading) else {
        if !settings.quiet {
            say(ctx, &format!("{}: Unsupported scheme or invalid URL.", bstr::BStr::new(text.as_bytes())));
        }
        return Ok(1);
    };
    let mut tried = 0_u64;
    loop {
        ctx.check().await?;
        tried = tried.saturating_add(1);
        match attempt(ctx, settings, &first, document.as_deref_mut()).await {
            Ok(()) => return Ok(0),
            Err(Stop::End(error)) => return Err(error),
            Err(Stop::Failed(status, again)) => {
                if !again || settings.tries != 0 && tried >= settings.tries {
                    return Ok(status);
                }
                if settings.verbose {
                    say(ctx, "Retrying.\n");
                }
                let wait = Duration::from_secs(tried).min(settings.wait_retry);
                ctx.sleep(wait).await;
            }
        }
    }
}

fn failed(ctx: &mut Context, settings: &WgetOptions, error: &NetworkError, url: &Url) -> Stop {
    let (text, again) = match error.kind() {
        NetworkErrorKind::Resolve => (format!("wget: unable to resolve host address ‘{}’", url.host), false),
        NetworkErrorKind::Connect => (String::from("failed: Connection refused."), settings.retry_refused),
        NetworkErrorKind::ConnectTimedOut => (String::from("failed: Connection timed out."), true),
        NetworkErrorKind::TimedOut => (String::from("Read error (Connection timed out) in headers."), true),
        NetworkErrorKind::Refused | NetworkErrorKind::Address(Refusal::BlockedIp) => {
            (format!("wget: {}: {error}", url.host), false)
        }
        NetworkErrorKind::Tls => (format!("ERROR: cannot verify {}'s certificate: {error}", url.host), false),
        NetworkErrorKind::Header => (format!("wget: {error}"), false),
        _ => (format!("{error}"), true),
    };
    if !settings.quiet {
        say(ctx, &text);
    }
    let status = match error.kind() {
        NetworkErrorKind::Tls => 5,
        NetworkErrorKind::Malformed | NetworkErrorKind::Unversioned => 7,
        NetworkErrorKind::Header => 1,
        _ => NETWORK,
    };
    Stop::Failed(status, again)
}

fn request(
    settings: &WgetOptions,
    url: &Url,
    user: Option<&[u8]>,
    method: &str,
    body: Option<&Text>,
) -> NetworkRequest {
    let mut request = NetworkRequest::new(method, url.clone());
    let is_named = |name: &str| {
        settings.headers.iter().any(|line| {
            let own = line.split(|byte| *byte == b':').next().unwrap_or_default();
            own.trim_ascii().eq_ignore_ascii_case(name.as_bytes())
        })
    };
    let mut add = |name: &str, value: &[u8]| {
        if !is_named(name) {
            request.add_header(name, value);
        }
    };
    if let Some(referer) = &settings.referer {
        add("Referer", referer);
    }
    match &settings.agent {
        Some(agent) if agent.is_empty() => {}
        Some(agent) => add("User-Agent", agent),
        None => add("User-Agent", b"Wget/1.21.3"),
    }
    add("Accept", b"*/*");
    add("Accept-Encoding", b"identity");
    if let Some(user) = user {
        add("Authorization", format!("Basic {}", base64(user)).as_bytes());
    }
    if body.is_some() {
        add("Content-Type", b"application/x-www-form-urlencoded");
    }
    for line in &settings.headers {
        let Some(colon) = memchr::memchr(b':', line) else { continue };
        let (name, value) = line.split_at_checked(colon).unwrap_or((line, &[]));
        let name = String::from_utf8_lossy(name.trim_ascii());
        request.add_header(&name, value.get(1..).unwrap_or_default().trim_ascii());
    }
    request.body = body.cloned();
    request.timeout = Some(settings.timeout);
    request.connect_timeout = settings.connect_timeout;
    request
}

async fn attempt(
    ctx: &mut Context,
    settings: &WgetOptions,
    first: &address::Address,
    document: Option<&mut Document>,
) -> Result<(), Stop> {
    let mut url = first.url.clone();
    let (mut method, mut body) = (settings.method.clone(), settings.body.clone());
    let credentials = match (&settings.user, &first.user) {
        (Some(user), _) => {
            let mut pair = user.clone();
            pair.push_bytes(b":");
            pair.push_bytes(settings.password.as_deref().unwrap_or_default());
            Some(pair)
        }
        (None, user) => user.clone(),
    };
    let mut sends_user = settings.always_sends_user;
    let mut redirects = 0_u64;
    if settings.spider && settings.verbose {
        say(ctx, "Spider mode enabled. Check if remote file exists.");
    }
    loop {
        ctx.check().await?;
        let is_first = url.host == first.url.host && url.port == first.url.port;
        let user = credentials.as_deref().filter(|_| sends_user && is_first);
        if settings.verbose {
            let line = format!("--{}--  {url}\nConnecting to {}:{}... ", now(ctx), url.host, url.port);
            ctx.stderr.push(line.as_bytes());
            ctx.stderr.flush_now();
        }
        let asked = request(settings, &url, user, &method, body.as_ref());
        let Some(network) = ctx.session.network.clone() else {
            return Err(failed(ctx, settings, &NetworkError::none(), &url));
        };
        let mut answer = match network.send(asked).await {
            Ok(answer) => answer,
            Err(error) => return Err(failed(ctx, settings, &error, &url)),
        };
        told(ctx, settings, &answer);
        let status = answer.status;
        if status == 401 && credentials.is_some() && !sends_user && is_first {
            sends_user = true;
            if settings.verbose {
                say(ctx, "Authentication selected: Basic");
            }
            continue;
        }
        let location = answer.header("location").filter(|_| matches!(status, 301 | 302 | 303 | 307 | 308));
        if let Some(location) = location.map(|location| address::join(&url, location)) {
            redirects = redirects.saturating_add(1);
            if redirects > settings.max_redirects {
                if !settings.quiet {
                    say(ctx, &format!("{} redirections exceeded.", settings.max_redirects));
                }
                return Err(Stop::Failed(SERVER, false));
            }
            if settings.verbose {
                say(ctx, &format!("Location: {} [following]", bstr::BStr::new(&location)));
            }
            let reading = address::Reading {
                default_scheme: "http",
                keeps_dots: false,
                protocols: crate::utility::curl::Protocols::ALL,
            };
            match address::parse(&location, reading) {
                Ok(address::AddressOf::Network(there)) => url = there.url,
                _ => return Err(Stop::Failed(1, false)),
            }
            if matches!(status, 301..=303) && body.is_some() {
                (method, body) = (String::from("GET"), None);
            }
            continue;
        }
        let is_error = status >= 400;
        if is_error && !settings.content_on_error {
            if settings.spider {
                let start = if settings.verbose { String::new() } else { format!("{url}:\n") };
                if !settings.quiet {
                    say(ctx, &format!("{start}Remote file does not exist -- broken link!!!"));
                }
            } else if !settings.quiet {
                let start = if settings.verbose { String::new() } else { format!("{url}:\n") };
                say(ctx, &format!("{start}{} ERROR {status}: {}.", now(ctx), answer.reason));
            }
            return Err(Stop::Failed(if status == 401 { 6 } else { SERVER }, false));
        }
        if settings.spider {
            if settings.verbose {
                say(ctx, "Remote file exists.\n");
            } else if !settings.quiet {
                say(ctx, &format!("{} URL: {url} {status} {}", now(ctx), answer.reason));
            }
            return Ok(());
        }
        let named = if settings.trust_names { &url } else { &first.url };
        save(ctx, settings, &url, named, &mut answer, document).await?;
        return if is_error { Err(Stop::Failed(SERVER, false)) } else { Ok(()) };
    }
}

/// Tells the head of an answer.
fn told(ctx: &mut Context, settings: &WgetOptions, answer: &NetworkResponse) {
    if settings.verbose {
        ctx.stderr.push(b"connected.\nHTTP request sent, awaiting response... ");
        if settings.server_response {
            ctx.stderr.push(b"\n");
        } else {
            ctx.stderr.push(format!("{} {}\n", answer.status, answer.reason).as_bytes());
        }
    }
    if settings.server_response {
        ctx.stderr
            .push(format!("  HTTP/{} {} {}\n", answer.version, answer.status, answer.reason).as_bytes());
        for (name, value) in &answer.headers {
            ctx.stderr.push(format!("  {name}: {}\n", bstr::BStr::new(value)).as_bytes());
        }
    }
    ctx.stderr.flush_now();
}

/// The name of the file that a document goes to.
fn file_name(ctx: &Context, settings: &WgetOptions, url: &Url, answer: &NetworkResponse) -> Vec<u8> {
    let given = answer
        .header("content-disposition")
        .filter(|_| settings.content_disposition)
        .and_then(crate::utility::curl::disposition_name);
    let target = url.target.trim_start_matches('/');
    let (path, query) = target.split_once('?').map_or((target, None), |(path, query)| (path, Some(query)));
    let last = path.rsplit('/').next().unwrap_or_default();
    let mut name = given.unwrap_or_else(|| {
        let mut name = address::decode(if last.is_empty() { b"index.html" } else { last.as_bytes() });
        if let Some(query) = query {
            name.push(b'?');
            name.extend_from_slice(query.as_bytes());
        }
        for byte in &mut name {
            if matches!(*byte, b'/' | 0) {
                *byte = b'_';
            }
        }
        if name.as_slice() == b"." || name.as_slice() == b".." { b"index.html".to_metered() } else { name }
    });
    if let Some(prefix) = &settings.prefix {
        let mut path = prefix.as_bytes().to_metered();
        path.push(b'/');
        path.extend_from_slice(&name);
        name = path;
    }
    let is_there = |name: &[u8]| ctx.session.fs.metadata(&ctx.absolute(name)).is_ok();
    if settings.no_clobber || !is_there(&name) {
        return name;
    }
    let copies = (1..MOST_COPIES).map(|number| {
        let mut copy = name.clone();
        copy.extend_from_slice(format!(".{number}").as_bytes());
        copy
    });
    copies.into_iter().find(|copy| !is_there(copy)).unwrap_or(name)
}

async fn save(
    ctx: &mut Context,
    settings: &WgetOptions,
    url: &Url,
    named: &Url,
    answer: &mut NetworkResponse,
    document: Option<&mut Document>,
) -> Result<(), Stop> {
    let length = answer
        .header("content-length")
        .and_then(|value| std::str::from_utf8(value).ok()?.parse::<u64>().ok());
    let name = match &document {
        Some((_, name)) => name.clone(),
        None => file_name(ctx, settings, named, answer),
    };
    if document.is_none() && settings.no_clobber && ctx.session.fs.metadata(&ctx.absolute(&name)).is_ok() {
        if settings.verbose {
            say(ctx, &format!("File ‘{}’ already there; not retrieving.\n", bstr::BStr::new(&name)));
        }
        return Ok(());
    }
    if settings.verbose {
        let length = length.map_or_else(|| String::from("unspecified"), |length| format!("{length}"));
        let name: &[u8] = if name.as_slice() == b"-" { b"STDOUT" } else { &name };
        say(ctx, &format!("Length: {length}\nSaving to: ‘{}’\n", bstr::BStr::new(name)));
    }
    let mut own = None;
    let mut to_file = match document {
        Some((file, _)) => file.as_mut(),
        None => {
            if let Some(folder) = &settings.prefix {
                // Where it cannot be made, the file cannot either, which is told.
                let _ = ctx.session.fs.create_dir_all(&ctx.absolute(folder), 0o777 & !ctx.umask);
            }
            match ctx.create(&name, false) {
                Ok(file) => Some(own.insert(file)),
                Err(FsError::Limit(limit)) => return Err(limit.into()),
                Err(FsError::Errno(errno)) => {
                    say(ctx, &format!("{}: {}", bstr::BStr::new(&name), errno.message()));
                    return Err(Stop::Failed(3, false));
                }
            }
        }
    };
    if settings.save_headers {
        let head = crate::utility::curl::head_text(answer);
        match &mut to_file {
            Some(file) => file.write(&head).await?,
            None => ctx.stdout.write(&head).await?,
        }
    }
    let mut count = 0_u64;
    loop {
        let piece = match answer.piece().await {
            Ok(Some(piece)) => piece,
            Ok(None) => break,
            Err(error) => {
                let _ = ctx.stdout.flush().await;
                return Err(failed(ctx, settings, &error, url));
            }
        };
        ctx.tick_many(u32::try_from(piece.len() / 64).unwrap_or(u32::MAX));
        ctx.check().await?;
        count = count.saturating_add(piece.len() as u64);
        match &mut to_file {
            Some(file) => file.write(&piece).await?,
            None => ctx.stdout.write(&piece).await?,
        }
    }
    match &mut to_file {
        Some(file) => file.flush().await?,
        None => ctx.stdout.flush().await?,
    }
    if !settings.quiet {
        let of = length.map_or_else(String::new, |length| format!("/{length}"));
        let name = bstr::BStr::new(&name);
        let line = if settings.verbose {
            format!("{} - ‘{name}’ saved [{count}{of}]\n", now(ctx))
        } else {
            format!("{} URL:{url} [{count}{of}] -> \"{name}\" [1]", now(ctx))
        };
        say(ctx, &line);
    }
    Ok(())
}
