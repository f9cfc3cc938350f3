//! The formats `@text`, `@json`, `@csv`, `@tsv`, `@html`, `@uri`, `@urid`, `@sh`, `@base64`, `@base64d`, and interpolation.

use super::context::Context;
use super::conversion::json;
use super::error::Raise;
use super::job::{Output, PIECE, spend, spend_bytes};
use super::print;
use super::string;
use super::text::{Text, push_replaced, text_end};
use super::value::Value;
use crate::memory::{String, ToMetered, Vec, format};

/// A format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    Text,
    Json,
    Csv,
    Tsv,
    Html,
    Uri,
    UriDecode,
    Sh,
    Base64,
    Base64Decode,
    /// A name that is not a format: an error when it runs.
    Unknown,
}

impl Format {
    /// The format `@name`.
    pub(crate) fn named(name: &str) -> Format {
        match name {
            "text" => Format::Text,
            "json" => Format::Json,
            "csv" => Format::Csv,
            "tsv" => Format::Tsv,
            "html" => Format::Html,
            "uri" => Format::Uri,
            "urid" => Format::UriDecode,
            "sh" => Format::Sh,
            "base64" => Format::Base64,
            "base64d" => Format::Base64Decode,
            _ => Format::Unknown,
        }
    }
}

/// A string as it is, anything else as JSON.
async fn to_text(value: Value) -> Text {
    match value {
        Value::String(text) => text,
        other => Text::from(json(other).await),
    }
}

/// Whether the text of a value is short, so that it is made at once.
fn is_short(value: &Value) -> bool {
    match value {
        Value::String(text) => text.len() <= 1024,
        Value::Array(_) | Value::Object(_) => false,
        _ => true,
    }
}

/// The pieces of a string with the formatted values between them.
pub(super) fn interpolate(
    context: &mut Context<'_>,
    format: Format,
    pieces: &[Text],
    values: Vec<Value>,
) -> Output {
    if format == Format::Text && values.iter().all(is_short) {
        context.work.steps(1 + values.len())?;
        let mut whole = String::new();
        let mut values = values.iter();
        for piece in pieces {
            whole.push_str(piece.as_str());
            match values.next() {
                Some(Value::String(text)) => whole.push_str(text.as_str()),
                Some(other) => whole.push_str(&print::compact(other)),
                None => {}
            }
        }
        return Ok(Value::from(whole));
    }
    let pieces = pieces.to_metered();
    context.job(async move {
        let mut whole = String::new();
        let mut values = values.into_iter();
        for piece in &pieces {
            whole.push_str(piece.as_str());
            if let Some(value) = values.next() {
                let text = apply(format, value).await?;
                for piece in string::pieces(text.as_str()) {
                    whole.push_str(piece);
                    spend_bytes(piece.len()).await;
                }
            }
        }
        Ok(Value::from(whole))
    })
}

/// `value | @format`.
pub(super) async fn apply(format: Format, value: Value) -> Result<Text, Raise> {
    match format {
        Format::Text => Ok(to_text(value).await),
        Format::Json => Ok(Text::from(json(value).await)),
        Format::Csv => row(value, "csv", ",", ("\"", csv_field)).await,
        Format::Tsv => row(value, "tsv", "\t", ("", tsv_field)).await,
        Format::Html => Ok(escaped(value, html).await),
        Format::Uri => Ok(escaped(value, uri).await),
        Format::UriDecode => {
            let text = to_text(value).await;
            match unescaped_uri(text.as_str()).await {
                Some(decoded) => Ok(decoded),
                None => Err(Raise::about(&Value::String(text), "is not a valid uri encoding")),
            }
        }
        Format::Sh => shell(value).await,
        Format::Base64 => Ok(encoded(to_text(value).await, 6, BASE64, 4).await),
        Format::Base64Decode => {
            let text = to_text(value).await;
            // What follows the first `=` is not looked at.
            let digits = text.as_str().split('=').next().unwrap_or_default();
            let Some(decoded) = decoded(digits, 6, BASE64).await else {
                return Err(Raise::about(&Value::String(text), "is not valid base64 data"));
            };
            if digits.len() % 4 == 1 {
                return Err(Raise::about(&Value::String(text), "trailing base64 byte found"));
            }
            Ok(decoded)
        }
        Format::Unknown => Err(Raise::message("not a valid format")),
    }
}

async fn escaped(value: Value, escape: fn(char, &mut String)) -> Text {
    let text = to_text(value).await;
    let mut out = String::with_capacity(text.len());
    for piece in string::pieces(text.as_str()) {
        piece.chars().for_each(|character| escape(character, &mut out));
        spend_bytes(8 * piece.len()).await;
    }
    Text::from(out)
}

fn html(character: char, out: &mut String) {
    match character {
        '<' => out.push_str("&lt;"),
        '>' => out.push_str("&gt;"),
        '&' => out.push_str("&amp;"),
        '\'' => out.push_str("&apos;"),
        '"' => out.push_str("&quot;"),
        '\0' => out.push_str("\\0"),
        other => out.push(other),
    }
}

fn uri(character: char, out: &mut String) {
    if character.is_ascii_alphanumeric() || "-_.~".contains(character) {
        out.push(character);
        return;
    }
    for byte in character.encode_utf8(&mut [0; 4]).bytes() {
        let digit = |value: u8| char::from_digit(u32::from(value), 16).unwrap_or('0').to_ascii_uppercase();
        out.extend(['%', digit(byte >> 4), digit(byte & 15)]);
    }
}

/// The text of which `text` is the percent-encoding; `None` where it is none, or not UTF-8.
async fn unescaped_uri(text: &str) -> Option<Text> {
    let digit = |byte: Option<&u8>| byte.and_then(|byte| char::from(*byte).to_digit(16));
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some(at) =
        memchr::memchr(b'%', rest.get(..PIECE.min(rest.len()))?).or(Some(PIECE.min(rest.len())))
    {
        bytes.extend_from_slice(rest.get(..at)?);
        spend_bytes(at).await;
        rest = rest.get(at..)?;
        match rest {
            [] => break,
            [b'%', ..] => {
                let (high, low) = (digit(rest.get(1))?, digit(rest.get(2))?);
                bytes.push((high << 4 | low) as u8);
                rest = rest.get(3..)?;
            }
            _ => {}
        }
    }
    let mut valid = rest.is_empty();
    let mut at = 0;
    while valid && at < bytes.len() {
        let piece = bytes.get(at..at + text_end(bytes.get(at..)?, PIECE))?;
        valid = str::from_utf8(piece).is_ok();
        spend_bytes(piece.len()).await;
        at += piece.len();
    }
    if valid { Some(Text::from(lossy(&bytes).await)) } else { None }
}

/// A row of fields; `field` writes one character of a string, and the quotes around it are `quote`.
async fn row(
    value: Value,
    name: &str,
    separator: &str,
    (quote, field): (&str, fn(char, &mut String)),
) -> Result<Text, Raise> {
    let Value::Array(array) = value else {
        return Err(Raise::about(&value, &format!("cannot be {name}-formatted, only array")));
    };
    let mut out = String::new();
    for (at, item) in array.items().iter().enumerate() {
        spend(1).await;
        if at > 0 {
            out.push_str(separator);
        }
        match item {
            Value::Null => {}
            Value::Number(number) if number.is_nan() => {}
            Value::Bool(_) | Value::Number(_) => out.push_str(&print::compact(item)),
            Value::String(text) => quoted(text, quote, field, &mut out).await,
            _ => return Err(Raise::about(item, "is not valid in a csv row")),
        }
    }
    Ok(Text::from(out))
}

async fn quoted(text: &Text, quote: &str, field: fn(char, &mut String), out: &mut String) {
    out.push_str(quote);
    for piece in string::pieces(text.as_str()) {
        piece.chars().for_each(|character| field(character, out));
        spend_bytes(8 * piece.len()).await;
    }
    out.push_str(quote);
}

fn csv_field(character: char, out: &mut String) {
    match character {
        '"' => out.push_str("\"\""),
        '\0' => out.push_str("\\0"),
        other => out.push(other),
    }
}

fn tsv_field(character: char, out: &mut String) {
    match character {
        '\t' => out.push_str("\\t"),
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\\' => out.push_str("\\\\"),
        '\0' => out.push_str("\\0"),
        other => out.push(other),
    }
}

fn shell_field(character: char, out: &mut String) {
    match character {
        '\'' => out.push_str("'\\''"),
        '\0' => out.push_str("\\0"),
        other => out.push(other),
    }
}

async fn shell(value: Value) -> Result<Text, Raise> {
    let one = [value.clone()];
    let items = match &value {
        Value::Array(array) => array.items(),
        _ => &one,
    };
    let mut out = String::new();
    for (at, item) in items.iter().enumerate() {
        spend(1).await;
        if at > 0 {
            out.push(' ');
        }
        match item {
            Value::String(text) => quoted(text, "'", shell_field, &mut out).await,
            Value::Array(_) | Value::Object(_) => {
                return Err(Raise::about(item, "can not be escaped for shell"));
            }
            _ => out.push_str(&print::compact(item)),
        }
    }
    Ok(Text::from(out))
}

const BASE64: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Digits of `width` bits each, filled up with `=` to a multiple of `group`.
fn encode(bytes: &[u8], width: u32, alphabet: &[u8], group: usize) -> String {
    let mut out = String::with_capacity(bytes.len() * 8 / width as usize + group);
    let (mut pending, mut count) = (0_u32, 0_u32);
    let mut digit = |value: u32| {
        let index = (value & ((1 << width) - 1)) as usize;
        out.extend(alphabet.get(index).map(|byte| char::from(*byte)));
    };
    for byte in bytes {
        pending = (pending << 8 | u32::from(*byte)) & 0xffff;
        count += 8;
        while count >= width {
            count -= width;
            digit(pending >> count);
        }
    }
    if count > 0 {
        digit(pending << (width - count));
    }
    while !out.len().is_multiple_of(group) {
        out.push('=');
    }
    out
}

fn decode(digits: &[u8], width: u32, alphabet: &[u8]) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let (mut pending, mut count) = (0_u32, 0_u32);
    for digit in digits {
        let value = alphabet.iter().position(|known| known == digit)? as u32;
        pending = (pending << width | value) & 0xffff;
        count += width;
        if count >= 8 {
            count -= 8;
            bytes.push((pending >> count) as u8);
        }
    }
    Some(bytes)
}

/// A text's bytes in digits of `width` bits each, in pieces of whole groups.
async fn encoded(text: Text, width: u32, alphabet: &[u8], group: usize) -> Text {
    let mut out = String::new();
    // 15 bytes are whole groups of both widths.
    for piece in text.as_str().as_bytes().chunks(15 << 10) {
        out.push_str(&encode(piece, width, alphabet, group));
        spend_bytes(8 * piece.len()).await;
    }
    Text::from(out)
}

/// The text that digits of `width` bits each stand for.
async fn decoded(digits: &str, width: u32, alphabet: &[u8]) -> Option<Text> {
    let mut bytes = Vec::new();
    // 8 digits of either width are whole bytes.
    for piece in digits.as_bytes().chunks(8 << 10) {
        bytes.extend(decode(piece, width, alphabet)?);
        spend_bytes(16 * piece.len()).await;
    }
    Some(Text::from(lossy(&bytes).await))
}

/// Bytes as text; invalid UTF-8 becomes U+FFFD.
pub(super) async fn lossy(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    let mut rest = bytes;
    while !rest.is_empty() {
        let (piece, next) = rest.split_at(text_end(rest, PIECE));
        match str::from_utf8(piece) {
            Ok(piece) => text.push_str(piece),
            Err(_) => push_replaced(piece, true, &mut text),
        }
        spend_bytes(2 * piece.len()).await;
        rest = next;
    }
    text
}
