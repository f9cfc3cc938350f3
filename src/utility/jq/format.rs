//! The formats `@text`, `@json`, `@csv`, `@tsv`, `@html`, `@uri`, `@sh`, `@base64`, `@base64d`, and interpolation.

use crate::memory::{String, Vec, format};
use super::error::Raise;
use super::machine::Context;
use super::print;
use super::text::Text;
use super::value::Value;

/// A format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    Text,
    Json,
    Csv,
    Tsv,
    Html,
    Uri,
    Sh,
    Base64,
    Base64Decode,
    Base32,
    Base32Decode,
    /// A name that is no format: an error when it runs.
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
            "sh" => Format::Sh,
            "base64" => Format::Base64,
            "base64d" => Format::Base64Decode,
            "base32" => Format::Base32,
            "base32d" => Format::Base32Decode,
            _ => Format::Unknown,
        }
    }
}

/// `value` as compact JSON.
pub(crate) fn to_json(context: &mut Context<'_>, value: &Value) -> Result<String, Raise> {
    let mut out = String::new();
    print::write(value, print::COMPACT, &mut out, &mut context.work)?;
    Ok(out)
}

/// A string as it is, anything else as JSON.
pub(crate) fn to_text(context: &mut Context<'_>, value: &Value) -> Result<Text, Raise> {
    match value {
        Value::String(text) => Ok(text.clone()),
        other => to_json(context, other).map(Text::from),
    }
}

/// The pieces of a string with the formatted values between them.
pub(crate) fn interpolate(
    context: &mut Context<'_>,
    format: Format,
    pieces: &[Text],
    values: &[Value],
) -> Result<Value, Raise> {
    let mut whole = String::new();
    let mut values = values.iter();
    for piece in pieces {
        whole.push_str(piece.as_str());
        if let Some(value) = values.next() {
            let text = apply(context, format, value)?;
            context.work.charge(text.len())?;
            whole.push_str(text.as_str());
        }
    }
    Ok(Value::from(whole))
}

/// `value | @format`.
pub(crate) fn apply(context: &mut Context<'_>, format: Format, value: &Value) -> Result<Text, Raise> {
    match format {
        Format::Text => to_text(context, value),
        Format::Json => to_json(context, value).map(Text::from),
        Format::Csv => row(context, value, "csv", ",", &csv_field),
        Format::Tsv => row(context, value, "tsv", "\t", &tsv_field),
        Format::Html => escaped(context, value, &html),
        Format::Uri => escaped(context, value, &uri),
        Format::Sh => shell(context, value),
        Format::Base64 => {
            let text = to_text(context, value)?;
            context.work.charge(text.len().saturating_mul(2))?;
            Ok(Text::from(encode(text.as_str().as_bytes(), 6, BASE64, 4)))
        }
        Format::Base64Decode => {
            let text = to_text(context, value)?;
            context.work.charge(text.len())?;
            decode_base64(text.as_str())
        }
        Format::Base32 => {
            let text = to_text(context, value)?;
            context.work.charge(text.len().saturating_mul(2))?;
            Ok(Text::from(encode(text.as_str().as_bytes(), 5, BASE32, 8)))
        }
        Format::Base32Decode => {
            let text = to_text(context, value)?;
            context.work.charge(text.len())?;
            let digits = text.as_str().trim_end_matches('=');
            match decode(digits.bytes(), 5, BASE32) {
                Some(bytes) => Ok(Text::from(&*String::from_utf8_lossy(&bytes))),
                None => Err(Raise::about(&Value::String(text), "is not valid base32 data")),
            }
        }
        Format::Unknown => Err(Raise::message("not a valid format")),
    }
}

fn escaped(
    context: &mut Context<'_>,
    value: &Value,
    escape: &dyn Fn(char, &mut String),
) -> Result<Text, Raise> {
    let text = to_text(context, value)?;
    context.work.charge(text.len().saturating_mul(2))?;
    context.work.steps(text.len() / 64)?;
    let mut out = String::with_capacity(text.len());
    text.as_str().chars().for_each(|character| escape(character, &mut out));
    Ok(Text::from(out))
}

fn html(character: char, out: &mut String) {
    match character {
        '<' => out.push_str("&lt;"),
        '>' => out.push_str("&gt;"),
        '&' => out.push_str("&amp;"),
        '\'' => out.push_str("&apos;"),
        '"' => out.push_str("&quot;"),
        other => out.push(other),
    }
}

fn uri(character: char, out: &mut String) {
    if character.is_ascii_alphanumeric() || "-_.~!*'()".contains(character) {
        out.push(character);
        return;
    }
    for byte in character.encode_utf8(&mut [0; 4]).bytes() {
        let digit = |value: u8| char::from_digit(u32::from(value), 16).unwrap_or('0').to_ascii_uppercase();
        out.extend(['%', digit(byte >> 4), digit(byte & 15)]);
    }
}

type Field<'f> = &'f dyn Fn(&str, &mut String);

fn row(
    context: &mut Context<'_>,
    value: &Value,
    name: &str,
    separator: &str,
    field: Field<'_>,
) -> Result<Text, Raise> {
    let Value::Array(array) = value else {
        return Err(Raise::about(value, &format!("cannot be {name}-formatted, only array")));
    };
    let mut out = String::new();
    for (at, item) in array.items().iter().enumerate() {
        if at > 0 {
            out.push_str(separator);
        }
        match item {
            Value::Null => {}
            Value::Number(number) if number.is_nan() => {}
            Value::Bool(_) | Value::Number(_) => out.push_str(&to_json(context, item)?),
            Value::String(text) => {
                context.work.steps(1 + text.len() / 64)?;
                context.work.charge(text.len())?;
                field(text.as_str(), &mut out);
            }
            _ => return Err(Raise::about(item, "is not valid in a csv row")),
        }
    }
    Ok(Text::from(out))
}

fn csv_field(text: &str, out: &mut String) {
    out.push('"');
    out.push_str(&text.replace('"', "\"\""));
    out.push('"');
}

fn tsv_field(text: &str, out: &mut String) {
    for character in text.chars() {
        match character {
            '\t' => out.push_str("\\t"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\\' => out.push_str("\\\\"),
            other => out.push(other),
        }
    }
}

fn shell(context: &mut Context<'_>, value: &Value) -> Result<Text, Raise> {
    let one = [value.clone()];
    let items = match value {
        Value::Array(array) => array.items(),
        _ => &one,
    };
    let mut out = String::new();
    for (at, item) in items.iter().enumerate() {
        if at > 0 {
            out.push(' ');
        }
        match item {
            Value::String(text) => {
                context.work.steps(1 + text.len() / 64)?;
                context.work.charge(text.len())?;
                out.push('\'');
                out.push_str(&text.as_str().replace('\'', "'\\''"));
                out.push('\'');
            }
            Value::Array(_) | Value::Object(_) => {
                return Err(Raise::about(item, "can not be escaped for shell"));
            }
            _ => out.push_str(&to_json(context, item)?),
        }
    }
    Ok(Text::from(out))
}

const BASE64: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const BASE32: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

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

fn decode(digits: impl Iterator<Item = u8>, width: u32, alphabet: &[u8]) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let (mut pending, mut count) = (0_u32, 0_u32);
    for digit in digits {
        let value = alphabet.iter().position(|known| *known == digit)? as u32;
        pending = (pending << width | value) & 0xffff;
        count += width;
        if count >= 8 {
            count -= 8;
            bytes.push((pending >> count) as u8);
        }
    }
    Some(bytes)
}

fn decode_base64(text: &str) -> Result<Text, Raise> {
    let digits = text.trim_end_matches('=');
    let invalid = |problem| Raise::about(&Value::text(text), problem);
    let Some(bytes) = decode(digits.bytes(), 6, BASE64) else {
        return Err(invalid("is not valid base64 data"));
    };
    if digits.len() % 4 == 1 {
        return Err(invalid("trailing base64 byte found"));
    }
    Ok(Text::from(&*String::from_utf8_lossy(&bytes)))
}
