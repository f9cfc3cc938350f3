//! Builtins over strings: splitting, joining, trimming, case, code points, conversion to and from JSON. What takes longer for
//! longer strings is a job.

#![expect(clippy::needless_pass_by_value, reason = "builtins share one signature")]

use super::containment::find;
use super::context::Context;
use super::error::Raise;
use super::format;
use super::job::{Output, PIECE, spend, spend_bytes};
use super::number::Number;
use super::text::Text;
use super::value::Value;
use crate::memory::{String, Vec, format};
use memchr::memmem::Finder;

/// The parts of a text that are handled in one step each.
pub(super) fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let end = rest.ceil_char_boundary(PIECE.min(rest.len()));
        let (piece, next) = rest.split_at(end);
        rest = next;
        (!piece.is_empty()).then_some(piece)
    })
}

/// A string of its own that is part of a text; copied in steps where it is long.
pub(super) async fn part(text: &str) -> Value {
    if text.len() <= PIECE {
        return Value::text(text);
    }
    let mut out = String::with_capacity(text.len());
    for piece in pieces(text) {
        out.push_str(piece);
        spend_bytes(piece.len()).await;
    }
    Value::from(out)
}

/// `text / separator`: the parts between separators; the characters where it is empty; no part for an empty text.
pub(super) fn split_text(context: &mut Context<'_>, text: Text, separator: Text) -> Output {
    context.job(async move {
        let mut parts = Vec::new();
        let whole = text.as_str();
        if separator.len() == 0 {
            for character in whole.chars() {
                parts.push(Value::text(character.encode_utf8(&mut [0; 4])));
                spend(1).await;
            }
        } else if !whole.is_empty() {
            let finder = Finder::new(separator.as_str());
            let mut start = 0;
            loop {
                spend(1).await;
                let Some(end) = find(whole, &finder, start).await else { break };
                parts.push(part(whole.get(start..end).unwrap_or_default()).await);
                start = end + separator.len();
            }
            parts.push(part(whole.get(start..).unwrap_or_default()).await);
        }
        Ok(Value::array(parts))
    })
}

pub(super) fn split(context: &mut Context<'_>, input: Value, arguments: &[Value]) -> Output {
    match (input, arguments) {
        (Value::String(text), [Value::String(separator)]) => split_text(context, text, separator.clone()),
        _ => Err(Raise::message("split input and separator must be strings")),
    }
}

/// Where `part` begins, in characters, overlapping places too.
pub(super) fn indices(context: &mut Context<'_>, text: Text, part: Text) -> Output {
    if part.len() == 0 {
        return Ok(Value::array(Vec::new()));
    }
    context.job(async move {
        let finder = Finder::new(part.as_str());
        let mut found = Vec::new();
        let (mut start, mut before, mut characters) = (0, 0, 0);
        while let Some(at) = find(text.as_str(), &finder, start).await {
            for piece in pieces(text.as_str().get(before..at).unwrap_or_default()) {
                characters += piece.chars().count();
                spend_bytes(piece.len()).await;
            }
            before = at;
            found.push(Value::number(characters as f64));
            start = text.as_str().ceil_char_boundary(at + 1);
            spend_bytes(part.len()).await;
        }
        Ok(Value::array(found))
    })
}

/// `join(separator)`: null counts as empty, numbers and booleans as their JSON.
pub(super) fn join(context: &mut Context<'_>, input: Value, arguments: &[Value]) -> Output {
    if !matches!(input, Value::Array(_) | Value::Object(_)) {
        return Err(super::error::cannot_iterate(&input));
    }
    let separator = arguments.first().cloned().unwrap_or_default();
    context.job(async move {
        let mut out = String::new();
        let mut at = 0;
        while let Some((_, item, after)) = super::value::member_at(&input, at) {
            spend(1).await;
            if at > 0 {
                match &separator {
                    Value::String(text) => out.push_str(text.as_str()),
                    Value::Null => {}
                    other => return Err(Raise::about_two(&Value::from(out), other, "cannot be added")),
                }
            }
            at = after;
            let item = &item;
            match item {
                Value::Null => {}
                Value::String(text) => {
                    for piece in pieces(text.as_str()) {
                        out.push_str(piece);
                        spend_bytes(piece.len()).await;
                    }
                }
                Value::Bool(_) | Value::Number(_) => out.push_str(&super::print::compact(item)),
                other => return Err(Raise::about_two(&Value::from(out), other, "cannot be added")),
            }
        }
        Ok(Value::from(out))
    })
}

pub(super) fn starts_with(_: &mut Context<'_>, input: Value, arguments: &[Value]) -> Output {
    match (&input, arguments) {
        (Value::String(text), [Value::String(part)]) => {
            Ok(Value::Bool(text.as_str().starts_with(part.as_str())))
        }
        _ => Err(Raise::message("startswith() requires string inputs")),
    }
}

pub(super) fn ends_with(_: &mut Context<'_>, input: Value, arguments: &[Value]) -> Output {
    match (&input, arguments) {
        (Value::String(text), [Value::String(part)]) => {
            Ok(Value::Bool(text.as_str().ends_with(part.as_str())))
        }
        _ => Err(Raise::message("endswith() requires string inputs")),
    }
}

pub(super) fn trim_prefix(context: &mut Context<'_>, input: Value, arguments: &[Value]) -> Output {
    trimmed(context, input, arguments, "startswith", |text, part| text.strip_prefix(part))
}

pub(super) fn trim_suffix(context: &mut Context<'_>, input: Value, arguments: &[Value]) -> Output {
    trimmed(context, input, arguments, "endswith", |text, part| text.strip_suffix(part))
}

fn trimmed(
    context: &mut Context<'_>,
    input: Value,
    arguments: &[Value],
    test: &str,
    strip: for<'t> fn(&'t str, &str) -> Option<&'t str>,
) -> Output {
    let (Value::String(text), [Value::String(taken)]) = (&input, arguments) else {
        return Err(Raise::message(format!("{test}() requires string inputs")));
    };
    let Some(rest) = strip(text.as_str(), taken.as_str()) else { return Ok(input) };
    context.work.step()?;
    if rest.len() <= PIECE {
        return Ok(Value::text(rest));
    }
    let (text, taken) = (text.clone(), taken.clone());
    context.job(async move { Ok(part(strip(text.as_str(), taken.as_str()).unwrap_or_default()).await) })
}

/// A string that has nothing to trim is handed on as it is, with its path.
fn trim_with(context: &mut Context<'_>, input: Value, cut: fn(&str) -> &str) -> Output {
    let Value::String(text) = &input else {
        return Err(Raise::message("trim input must be a string"));
    };
    let rest = cut(text.as_str());
    context.work.steps(1 + (text.len() - rest.len()) / 64)?;
    if rest.len() == text.len() {
        return Ok(input);
    }
    Ok(Value::text(rest))
}

pub(super) fn trim(context: &mut Context<'_>, input: Value, _: &[Value]) -> Output {
    trim_with(context, input, str::trim)
}

pub(super) fn ltrim(context: &mut Context<'_>, input: Value, _: &[Value]) -> Output {
    trim_with(context, input, str::trim_start)
}

pub(super) fn rtrim(context: &mut Context<'_>, input: Value, _: &[Value]) -> Output {
    trim_with(context, input, str::trim_end)
}

fn cased(context: &mut Context<'_>, input: Value, change: fn(&char) -> char) -> Output {
    let Value::String(text) = input else { return Err(Raise::message("explode input must be a string")) };
    context.job(async move {
        let mut out = String::with_capacity(text.len());
        for piece in pieces(text.as_str()) {
            out.extend(piece.chars().map(|character| change(&character)));
            spend_bytes(4 * piece.len()).await;
        }
        Ok(Value::from(out))
    })
}

pub(super) fn downcase(context: &mut Context<'_>, input: Value, _: &[Value]) -> Output {
    cased(context, input, char::to_ascii_lowercase)
}

pub(super) fn upcase(context: &mut Context<'_>, input: Value, _: &[Value]) -> Output {
    cased(context, input, char::to_ascii_uppercase)
}

pub(super) fn explode(context: &mut Context<'_>, input: Value, _: &[Value]) -> Output {
    let Value::String(text) = input else { return Err(Raise::message("explode input must be a string")) };
    context.job(async move {
        let mut codes = Vec::new();
        for piece in pieces(text.as_str()) {
            codes.extend(piece.chars().map(|code| Value::number(f64::from(u32::from(code)))));
            spend_bytes(16 * piece.len()).await;
        }
        Ok(Value::array(codes))
    })
}

pub(super) fn implode(context: &mut Context<'_>, input: Value, _: &[Value]) -> Output {
    let Value::Array(codes) = input else { return Err(Raise::message("implode input must be an array")) };
    context.job(async move {
        let mut text = String::new();
        for code in codes.items() {
            spend(1).await;
            let code = match code {
                Value::Number(code) if !code.is_nan() => code.value(),
                other => {
                    let problem = "can't be imploded, unicode codepoint needs to be numeric";
                    return Err(Raise::about(other, problem));
                }
            };
            let character = if code <= -1.0 { None } else { char::from_u32(code as u32) };
            text.push(character.unwrap_or('\u{fffd}'));
        }
        Ok(Value::from(text))
    })
}

pub(super) fn utf8_byte_length(_: &mut Context<'_>, input: Value, _: &[Value]) -> Output {
    match &input {
        Value::String(text) => Ok(Value::number(text.len() as f64)),
        other => Err(Raise::about(other, "only strings have UTF-8 byte length")),
    }
}

pub(super) fn to_string(context: &mut Context<'_>, input: Value, _: &[Value]) -> Output {
    match input {
        Value::String(_) => Ok(input),
        other => super::conversion::to_json(context, other, &[]),
    }
}

pub(super) fn to_number(context: &mut Context<'_>, input: Value, _: &[Value]) -> Output {
    match input {
        Value::Number(_) => Ok(input),
        Value::String(text) => {
            context.work.steps(1 + text.len() / 64)?;
            let number = Number::parse(text.as_str().as_bytes());
            number
                .map(Value::Number)
                .ok_or_else(|| Raise::about(&Value::String(text), "cannot be parsed as a number"))
        }
        other => Err(Raise::about(&other, "cannot be parsed as a number")),
    }
}

pub(super) fn to_boolean(_: &mut Context<'_>, input: Value, _: &[Value]) -> Output {
    match &input {
        Value::Bool(_) => Ok(input),
        Value::String(text) if text.as_str() == "true" => Ok(Value::Bool(true)),
        Value::String(text) if text.as_str() == "false" => Ok(Value::Bool(false)),
        other => Err(Raise::about(other, "cannot be parsed as a boolean")),
    }
}

pub(super) fn format(context: &mut Context<'_>, input: Value, arguments: &[Value]) -> Output {
    let Some(Value::String(name)) = arguments.first() else {
        return Err(Raise::about(arguments.first().unwrap_or(&Value::Null), "is not a valid format"));
    };
    match format::Format::named(name.as_str()) {
        format::Format::Unknown => Err(Raise::message(format!("{} is not a valid format", name.as_str()))),
        known => context.job(async move { format::apply(known, input).await.map(Value::String) }),
    }
}
