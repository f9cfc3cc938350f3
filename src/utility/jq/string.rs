//! Builtins over strings: splitting, joining, trimming, case, code points, conversion to and from JSON.

#![expect(clippy::needless_pass_by_value, reason = "builtins share one signature")]

use crate::memory::{String, ToMetered, ToMeteredString, Vec, format};
use super::error::Raise;
use super::format;
use super::machine::Context;
use super::read::{self, ReadError};
use super::value::Value;

type Output = Result<Value, Raise>;

/// `text / separator`: the parts between separators; the characters where it is empty; no part for an empty text.
pub(super) fn split_text(context: &mut Context<'_>, text: &str, separator: &str) -> Output {
    context.work.steps(text.len() / 16)?;
    context.work.charge(text.len())?;
    let mut parts = Vec::new();
    let mut add = |context: &mut Context<'_>, part: &str| {
        context.work.charge(2 * size_of::<Value>())?;
        parts.push(Value::text(part));
        context.work.step()
    };
    if separator.is_empty() {
        for character in text.chars() {
            add(context, character.encode_utf8(&mut [0; 4]))?;
        }
    } else if !text.is_empty() {
        for part in text.split(separator) {
            add(context, part)?;
        }
    }
    Ok(Value::array(parts))
}

pub(super) fn split(context: &mut Context<'_>, input: Value, arguments: &[Value]) -> Output {
    match (&input, arguments) {
        (Value::String(text), [Value::String(separator)]) => {
            split_text(context, text.as_str(), separator.as_str())
        }
        _ => Err(Raise::message("split input and separator must be strings")),
    }
}

/// Byte offsets of `part`, overlapping ones too, as jq 1.6 counts.
pub(super) fn indices(context: &mut Context<'_>, text: &str, part: &str) -> Output {
    context.work.steps(text.len() / 16)?;
    if part.is_empty() {
        return Ok(Value::Null);
    }
    let finder = memchr::memmem::Finder::new(part.as_bytes());
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(at) = finder.find(text.as_bytes().get(from..).unwrap_or_default()) {
        context.work.steps(1 + part.len() / 16)?;
        context.work.charge(size_of::<Value>())?;
        found.push(Value::Number((from + at) as f64));
        from += at + 1;
    }
    Ok(Value::array(found))
}

/// `join(separator)`: null counts as empty, numbers and booleans as their JSON.
pub(super) fn join(context: &mut Context<'_>, input: Value, arguments: &[Value]) -> Output {
    let Value::Array(items) = &input else { return Err(super::machine::cannot_iterate(&input)) };
    if items.len() == 0 {
        return Ok(Value::text(""));
    }
    let separator = match arguments {
        [Value::String(separator)] => separator.as_str(),
        _ => "",
    };
    let mut out = String::new();
    for (at, item) in items.items().iter().enumerate() {
        context.work.step()?;
        if at > 0 {
            out.push_str(separator);
        }
        let before = out.len();
        match item {
            Value::Null => {}
            Value::String(text) => out.push_str(text.as_str()),
            Value::Bool(_) | Value::Number(_) => out.push_str(&format::to_json(context, item)?),
            other => return Err(Raise::about_two(&Value::from(out), other, "cannot be added")),
        }
        context.work.charge(separator.len() + out.len() - before)?;
    }
    Ok(Value::from(out))
}

fn affix(input: &Value, arguments: &[Value]) -> Option<(String, String)> {
    match (input, arguments) {
        (Value::String(text), [Value::String(part)]) => {
            Some((text.as_str().to_metered_string(), part.as_str().to_metered_string()))
        }
        _ => None,
    }
}

pub(super) fn starts_with(context: &mut Context<'_>, input: Value, arguments: &[Value]) -> Output {
    match (&input, arguments) {
        (Value::String(text), [Value::String(part)]) => {
            context.work.step()?;
            Ok(Value::Bool(text.as_str().starts_with(part.as_str())))
        }
        _ => Err(Raise::message("startswith() requires string inputs")),
    }
}

pub(super) fn ends_with(context: &mut Context<'_>, input: Value, arguments: &[Value]) -> Output {
    match (&input, arguments) {
        (Value::String(text), [Value::String(part)]) => {
            context.work.step()?;
            Ok(Value::Bool(text.as_str().ends_with(part.as_str())))
        }
        _ => Err(Raise::message("endswith() requires string inputs")),
    }
}

pub(super) fn trim_prefix(context: &mut Context<'_>, input: Value, arguments: &[Value]) -> Output {
    trimmed(context, input, arguments, |text, part| text.strip_prefix(part).map(str::to_metered))
}

pub(super) fn trim_suffix(context: &mut Context<'_>, input: Value, arguments: &[Value]) -> Output {
    trimmed(context, input, arguments, |text, part| text.strip_suffix(part).map(str::to_metered))
}

fn trimmed(
    context: &mut Context<'_>,
    input: Value,
    arguments: &[Value],
    strip: impl Fn(&str, &str) -> Option<String>,
) -> Output {
    let Some((text, part)) = affix(&input, arguments) else { return Ok(input) };
    context.work.charge(text.len())?;
    Ok(strip(&text, &part).map_or(input, Value::from))
}

fn trim_with(context: &mut Context<'_>, input: &Value, cut: fn(&str) -> &str) -> Output {
    let Value::String(text) = input else {
        return Err(Raise::about(input, "cannot be trimmed"));
    };
    context.work.charge(text.len())?;
    Ok(Value::text(cut(text.as_str())))
}

pub(super) fn trim(context: &mut Context<'_>, input: Value, _: &[Value]) -> Output {
    trim_with(context, &input, str::trim)
}

pub(super) fn ltrim(context: &mut Context<'_>, input: Value, _: &[Value]) -> Output {
    trim_with(context, &input, str::trim_start)
}

pub(super) fn rtrim(context: &mut Context<'_>, input: Value, _: &[Value]) -> Output {
    trim_with(context, &input, str::trim_end)
}

fn cased(context: &mut Context<'_>, input: &Value, change: fn(&str) -> String) -> Output {
    let Value::String(text) = input else { return Err(Raise::message("explode input must be a string")) };
    context.work.charge(text.len())?;
    context.work.steps(text.len() / 256)?;
    Ok(Value::from(change(text.as_str())))
}

pub(super) fn downcase(context: &mut Context<'_>, input: Value, _: &[Value]) -> Output {
    cased(context, &input, |text| String::from(text.to_ascii_lowercase()))
}

pub(super) fn upcase(context: &mut Context<'_>, input: Value, _: &[Value]) -> Output {
    cased(context, &input, |text| String::from(text.to_ascii_uppercase()))
}

pub(super) fn explode(context: &mut Context<'_>, input: Value, _: &[Value]) -> Output {
    let Value::String(text) = &input else { return Err(Raise::message("explode input must be a string")) };
    context.work.charge(text.len().saturating_mul(size_of::<Value>()))?;
    context.work.steps(text.len() / 64)?;
    Ok(Value::array(text.as_str().chars().map(|code| Value::Number(f64::from(u32::from(code)))).collect()))
}

pub(super) fn implode(context: &mut Context<'_>, input: Value, _: &[Value]) -> Output {
    let Value::Array(codes) = &input else { return Err(Raise::message("implode input must be an array")) };
    context.work.charge(codes.len().saturating_mul(4))?;
    context.work.steps(codes.len() / 64)?;
    let mut text = String::new();
    for code in codes.items() {
        let Value::Number(code) = code else {
            return Err(Raise::message("Unicode codepoint must be numeric"));
        };
        text.push(char::from_u32(*code as u32).unwrap_or('\u{fffd}'));
    }
    Ok(Value::from(text))
}

pub(super) fn utf8_byte_length(_: &mut Context<'_>, input: Value, _: &[Value]) -> Output {
    match &input {
        Value::String(text) => Ok(Value::Number(text.len() as f64)),
        other => Err(Raise::about(other, "only strings have UTF-8 byte length")),
    }
}

pub(super) fn to_string(context: &mut Context<'_>, input: Value, _: &[Value]) -> Output {
    format::to_text(context, &input).map(Value::String)
}

fn parsed(context: &mut Context<'_>, text: &str) -> Output {
    read::read_one(text, &mut context.work).map_err(|error| match error {
        ReadError::Syntax(problem) => Raise::message(problem),
        ReadError::Stopped(stop) => Raise::Stop(stop),
    })
}

pub(super) fn to_number(context: &mut Context<'_>, input: Value, _: &[Value]) -> Output {
    match &input {
        Value::Number(_) => Ok(input),
        Value::String(text) => match parsed(context, text.as_str())? {
            number @ Value::Number(_) => Ok(number),
            _ => Err(Raise::about(&input, "cannot be parsed as a number")),
        },
        other => Err(Raise::about(other, "cannot be parsed as a number")),
    }
}

pub(super) fn format(context: &mut Context<'_>, input: Value, arguments: &[Value]) -> Output {
    let Some(Value::String(name)) = arguments.first() else {
        return Err(Raise::about(arguments.first().unwrap_or(&Value::Null), "is not a valid format"));
    };
    match format::Format::named(name.as_str()) {
        format::Format::Unknown => Err(Raise::message(format!("{} is not a valid format", name.as_str()))),
        known => format::apply(context, known, &input).map(Value::String),
    }
}
