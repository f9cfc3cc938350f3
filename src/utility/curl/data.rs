//! Bodies: what `-d`, `--json` and their like put together, and forms (`-F`).

use super::config::Config;
use super::option::Opt;
use crate::memory::{String, ToMetered, Vec, format};
use crate::utility::prelude::*;
use std::fmt::Write as _;

/// The content of `@NAME`; a file that cannot be read is a warning, and empty.
async fn load(ctx: &mut Context, config: &Config, name: &[u8]) -> Result<Vec<u8>, UtilityError> {
    let read = match ctx.open_input(name) {
        Ok(mut input) => input.read_to_end().await,
        Err(error) => Err(error),
    };
    match read {
        Ok(bytes) => Ok(bytes),
        Err(FsError::Limit(limit)) => Err(limit.into()),
        Err(FsError::Errno(_)) => {
            if !config.silent {
                let name = bstr::BStr::new(name);
                let warning =
                    format!("Warning: Couldn't read data from file \"{name}\", this makes an empty POST.\n");
                ctx.stderr.push(warning.as_bytes());
                ctx.stderr.flush_now();
            }
            Ok(Vec::new())
        }
    }
}

/// Letters that are not encoded: RFC 3986 unreserved.
pub(super) fn encode(bytes: &[u8], space_is_plus: bool) -> Vec<u8> {
    let mut encoded = Vec::with_capacity(bytes.len());
    for byte in bytes {
        match byte {
            b' ' if space_is_plus => encoded.push(b'+'),
            byte if byte.is_ascii_alphanumeric() || b"-._~".contains(byte) => encoded.push(*byte),
            byte => encoded.extend_from_slice(format!("%{byte:02X}").as_bytes()),
        }
    }
    encoded
}

/// `content`, `=content`, `name=content`, `@file`, `name@file`.
async fn urlencoded(ctx: &mut Context, config: &Config, value: &[u8]) -> Result<Vec<u8>, UtilityError> {
    let at = value.iter().position(|byte| matches!(byte, b'=' | b'@'));
    let (name, mark, rest) = match at {
        Some(at) => {
            let (name, rest) = value.split_at_checked(at).unwrap_or((value, &[]));
            (name, rest.first().copied(), rest.get(1..).unwrap_or_default())
        }
        None => (&[][..], None, value),
    };
    let content = match mark {
        Some(b'@') => load(ctx, config, rest).await?,
        _ => rest.to_metered(),
    };
    let mut all = name.to_metered();
    if !name.is_empty() {
        all.push(b'=');
    }
    let encoded = encode(&content, true);
    ctx.tick_many(u32::try_from(content.len() / 16).unwrap_or(u32::MAX));
    all.extend_from_slice(&encoded);
    Ok(all)
}

/// Adds a piece of data.
pub(super) async fn add_data(
    ctx: &mut Context,
    config: &mut Config,
    option: Opt,
    value: &Text,
) -> Result<Result<(), &'static str>, UtilityError> {
    let piece = match (option, value.strip_prefix(b"@")) {
        (Opt::DataUrlencode, _) => urlencoded(ctx, config, value).await?,
        (Opt::Data, Some(name)) => {
            let mut bytes = load(ctx, config, name).await?;
            bytes.retain(|byte| !matches!(byte, b'\r' | b'\n' | 0));
            bytes
        }
        (Opt::DataBinary | Opt::Json, Some(name)) => load(ctx, config, name).await?,
        _ => value.as_bytes().to_metered(),
    };
    if option == Opt::Json {
        config.is_json = true;
    }
    match &mut config.data {
        Some(data) => {
            // JSON is put together as it is.
            if option != Opt::Json {
                data.push(b'&');
            }
            data.extend_from_slice(&piece);
        }
        None => config.data = Some(piece),
    }
    Ok(Ok(()))
}

/// `--url-query`.
pub(super) async fn add_query(
    ctx: &mut Context,
    config: &mut Config,
    value: &Text,
) -> Result<Result<(), &'static str>, UtilityError> {
    let piece = match value.strip_prefix(b"+") {
        Some(plain) => plain.to_metered(),
        None => urlencoded(ctx, config, value).await?,
    };
    if !config.query.is_empty() {
        config.query.push(b'&');
    }
    config.query.extend_from_slice(&piece);
    Ok(Ok(()))
}

/// `-H @FILE`: a header on each line.
pub(super) async fn add_header_file(
    ctx: &mut Context,
    config: &mut Config,
    name: &[u8],
) -> Result<Result<(), &'static str>, UtilityError> {
    let read = match ctx.open_input(name) {
        Ok(mut input) => input.read_to_end().await,
        Err(error) => Err(error),
    };
    match read {
        Ok(bytes) => {
            let lines =
                bytes.split(|byte| *byte == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line));
            config.headers.extend(lines.filter(|line| !line.is_empty()).map(Text::from));
        }
        Err(FsError::Limit(limit)) => return Err(limit.into()),
        Err(FsError::Errno(_)) => {
            let name = bstr::BStr::new(name);
            ctx.stderr.push(format!("Warning: Failed to open {name}!\n").as_bytes());
            ctx.stderr.flush_now();
        }
    }
    Ok(Ok(()))
}

/// The parts of a form.
#[derive(Clone, Default)]
pub(super) struct Form {
    parts: Vec<Part>,
    pub(super) escapes: bool,
}

#[derive(Clone)]
struct Part {
    name: Text,
    content: Content,
    file_name: Option<Text>,
    kind: Option<Text>,
    headers: Vec<Text>,
}

#[derive(Clone)]
enum Content {
    Plain(Text),
    /// Sent as a file.
    File(Text),
    /// The content of a file, sent as text.
    OfFile(Text),
}

/// The type of a file by its name, as curl guesses it.
fn kind_of(name: &[u8]) -> &'static [u8] {
    const KINDS: [(&[u8], &[u8]); 11] = [
        (b".gif", b"image/gif"),
        (b".jpg", b"image/jpeg"),
        (b".jpeg", b"image/jpeg"),
        (b".png", b"image/png"),
        (b".svg", b"image/svg+xml"),
        (b".txt", b"text/plain"),
        (b".htm", b"text/html"),
        (b".html", b"text/html"),
        (b".pdf", b"application/pdf"),
        (b".xml", b"application/xml"),
        (b"", b"application/octet-stream"),
    ];
    let fits = |end: &[u8]| {
        name.len()
            .checked_sub(end.len())
            .and_then(|at| name.get(at..))
            .is_some_and(|own| own.eq_ignore_ascii_case(end))
    };
    KINDS.iter().find(|(end, _)| fits(end)).map_or(b"application/octet-stream", |(_, kind)| kind)
}

impl Form {
    pub(super) fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// Takes `name=content`.
    pub(super) fn add(&mut self, value: &Text, is_literal: bool) -> Result<(), &'static str> {
        let at = memchr::memchr(b'=', value).ok_or("is badly used here")?;
        let (name, content) = value.split_at_checked(at).unwrap_or((value, &[]));
        let content = content.get(1..).unwrap_or_default();
        let mut part = Part {
            name: Text::from(name),
            content: Content::Plain(Text::EMPTY),
            file_name: None,
            kind: None,
            headers: Vec::new(),
        };
        if is_literal {
            part.content = Content::Plain(Text::from(content));
            self.parts.push(part);
            return Ok(());
        }
        let (mark, body) = match content.split_first() {
            Some((mark @ (b'@' | b'<'), rest)) => (Some(*mark), rest),
            _ => (None, content),
        };
        let mut pieces = split_unquoted(body).into_iter();
        let first = Text::from(pieces.next().unwrap_or_default());
        for piece in pieces {
            let piece = piece.trim_ascii();
            if let Some(kind) = piece.strip_prefix(b"type=") {
                part.kind = Some(Text::from(kind));
            } else if let Some(name) = piece.strip_prefix(b"filename=") {
                part.file_name = Some(Text::from(unquoted(name)));
            } else if let Some(header) = piece.strip_prefix(b"headers=") {
                part.headers.push(Text::from(unquoted(header)));
            } else {
                return Err("a form takes type=, filename= and headers= here");
            }
        }
        let first = Text::from(unquoted(&first));
        part.content = match mark {
            Some(b'@') => Content::File(first),
            Some(_) => Content::OfFile(first),
            None => Content::Plain(first),
        };
        self.parts.push(part);
        Ok(())
    }

    /// The body, and its boundary.
    ///
    /// # Errors
    /// A file cannot be read.
    pub(super) async fn body(&self, ctx: &mut Context) -> Result<Option<(Vec<u8>, String)>, UtilityError> {
        let mut boundary = String::from("------------------------");
        let _ = write!(boundary, "{:016x}", ctx.session.random.next_u64());
        let mut body = Vec::new();
        for part in &self.parts {
            body.extend_from_slice(
                format!("--{boundary}\r\nContent-Disposition: form-data; name=\"").as_bytes(),
            );
            body.extend_from_slice(&self.escaped(&part.name));
            body.push(b'"');
            let (content, given, is_file) = match &part.content {
                Content::Plain(text) => (text.as_bytes().to_metered(), None, false),
                Content::File(name) | Content::OfFile(name) => {
                    let read = match ctx.open_input(name) {
                        Ok(mut input) => input.read_to_end().await,
                        Err(error) => Err(error),
                    };
                    let bytes = match read {
                        Ok(bytes) => bytes,
                        Err(FsError::Limit(limit)) => return Err(limit.into()),
                        Err(FsError::Errno(_)) => return Ok(None),
                    };
                    let is_file = matches!(part.content, Content::File(_));
                    let base = name.rsplit(|byte| *byte == b'/').next().unwrap_or(name);
                    (bytes, is_file.then(|| Text::from(base)), is_file)
                }
            };
            let file_name = part.file_name.as_ref().or(given.as_ref());
            if let Some(name) = file_name {
                body.extend_from_slice(b"; filename=\"");
                body.extend_from_slice(&self.escaped(name));
                body.push(b'"');
            }
            body.extend_from_slice(b"\r\n");
            let is_stdin = matches!(&part.content, Content::File(name) if name.as_bytes() == b"-");
            let guessed = file_name.filter(|_| is_file && !is_stdin).map(|name| kind_of(name.as_bytes()));
            if let Some(kind) = part.kind.as_ref().map(Text::as_bytes).or(guessed) {
                body.extend_from_slice(b"Content-Type: ");
                body.extend_from_slice(kind);
                body.extend_from_slice(b"\r\n");
            }
            for header in &part.headers {
                body.extend_from_slice(header);
                body.extend_from_slice(b"\r\n");
            }
            body.extend_from_slice(b"\r\n");
            body.extend_from_slice(&content);
            body.extend_from_slice(b"\r\n");
            ctx.check().await?;
        }
        body.extend_from_slice(format!("--{boundary}--\r\n").as_bytes());
        Ok(Some((body, boundary)))
    }

    /// A name between double quotes: percent signs as browsers write them, or backslashes.
    fn escaped(&self, name: &[u8]) -> Vec<u8> {
        let mut escaped = Vec::with_capacity(name.len());
        for byte in name {
            match (byte, self.escapes) {
                (b'"', false) => escaped.extend_from_slice(b"%22"),
                (b'\r', false) => escaped.extend_from_slice(b"%0D"),
                (b'\n', false) => escaped.extend_from_slice(b"%0A"),
                (b'"' | b'\\', true) => escaped.extend_from_slice(&[b'\\', *byte]),
                _ => escaped.push(*byte),
            }
        }
        escaped
    }
}

/// Pieces between semicolons that are not in double quotes.
fn split_unquoted(text: &[u8]) -> Vec<&[u8]> {
    let mut pieces = Vec::new();
    let (mut start, mut is_quoted, mut is_escaped) = (0, false, false);
    for (at, byte) in text.iter().enumerate() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if is_quoted => is_escaped = true,
            b'"' => is_quoted = !is_quoted,
            b';' if !is_quoted => {
                pieces.push(text.get(start..at).unwrap_or_default());
                start = at + 1;
            }
            _ => {}
        }
    }
    pieces.push(text.get(start..).unwrap_or_default());
    pieces
}

fn unquoted(text: &[u8]) -> Vec<u8> {
    let Some(inner) = text.strip_prefix(b"\"").and_then(|text| text.strip_suffix(b"\"")) else {
        return text.to_metered();
    };
    let mut plain = Vec::with_capacity(inner.len());
    let mut bytes = inner.iter();
    while let Some(byte) = bytes.next() {
        plain.push(if *byte == b'\\' { bytes.next().copied().unwrap_or(b'\\') } else { *byte });
    }
    plain
}
