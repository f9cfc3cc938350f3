//! The type of a YAML scalar by the core schema (YAML 1.2.2, 10.3.2): `null`, `true`, `12`, `0o17`, `0x1f`, `1.5e3`, and
//! everything else a string. `yes`, `on` and dates are strings.

use super::NodeKind;
use serde_json::Number;

/// What a scalar is to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Type {
    /// What its text looks like.
    Any,
    /// Text as it is.
    String,
    /// One of `null`, `~` and nothing.
    Null,
    /// `true` or `false`.
    Bool,
    /// A whole number.
    Integer,
    /// Any number.
    Float,
}

/// The value of `text`.
///
/// # Errors
/// A tag asked for a type that the text has not, or the number has no JSON form.
pub(super) fn resolve(text: String, wanted: Type) -> Result<NodeKind, String> {
    let kind = match wanted {
        Type::String => return Ok(NodeKind::String(text)),
        Type::Any => plain(&text)?,
        Type::Null => null(&text),
        Type::Bool => boolean(&text),
        Type::Integer => integer(&text)?,
        Type::Float => match integer(&text)? {
            None => float(&text)?,
            known => known,
        },
    };
    match kind {
        Some(kind) => Ok(kind),
        None if wanted == Type::Any => Ok(NodeKind::String(text)),
        None => Err(format!("`{}` is not of the type that its tag names", crate::visible::cut(&text, 120))),
    }
}

fn plain(text: &str) -> Result<Option<NodeKind>, String> {
    // Most scalars are words: one look at the first byte spares them the tests.
    match text.as_bytes().first() {
        None | Some(b'~' | b'n' | b'N') => Ok(null(text)),
        Some(b't' | b'T' | b'f' | b'F') => Ok(boolean(text)),
        Some(b'0'..=b'9' | b'+' | b'-' | b'.') => match integer(text)? {
            None => float(text),
            known => Ok(known),
        },
        Some(_) => Ok(None),
    }
}

fn null(text: &str) -> Option<NodeKind> {
    matches!(text, "" | "~" | "null" | "Null" | "NULL").then_some(NodeKind::Null)
}

fn boolean(text: &str) -> Option<NodeKind> {
    match text {
        "true" | "True" | "TRUE" => Some(NodeKind::Bool(true)),
        "false" | "False" | "FALSE" => Some(NodeKind::Bool(false)),
        _ => None,
    }
}

/// `[-+]?[0-9]+`, `0o[0-7]+`, `0x[0-9a-fA-F]+`; what 64 bits cannot hold is a float, as in JSON.
fn integer(text: &str) -> Result<Option<NodeKind>, String> {
    let with_base = |digits: &str, base: u32| {
        if digits.is_empty() || !digits.chars().all(|digit| digit.is_digit(base)) {
            return Ok(None);
        }
        match u64::from_str_radix(digits, base) {
            Ok(value) => Ok(Some(NodeKind::Number(value.into()))),
            Err(_) => Err(no_form(text)),
        }
    };
    if let Some(digits) = text.strip_prefix("0o") {
        return with_base(digits, 8);
    }
    if let Some(digits) = text.strip_prefix("0x") {
        return with_base(digits, 16);
    }
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Ok(None);
    }
    let signed = text.strip_prefix('+').unwrap_or(text);
    if let Ok(value) = signed.parse::<u64>() {
        return Ok(Some(NodeKind::Number(value.into())));
    }
    if let Ok(value) = signed.parse::<i64>() {
        return Ok(Some(NodeKind::Number(value.into())));
    }
    finite(text).map(Some)
}

/// `[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?`; an infinity or NaN is an error.
fn float(text: &str) -> Result<Option<NodeKind>, String> {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let is_nan = matches!(text, ".nan" | ".NaN" | ".NAN");
    if is_nan || matches!(unsigned, ".inf" | ".Inf" | ".INF") {
        return Err(no_form(text));
    }
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent.strip_prefix(['-', '+']).unwrap_or(exponent))),
        None => (unsigned, None),
    };
    let are_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let is_float = are_digits(whole)
        && are_digits(fraction)
        && !(whole.is_empty() && fraction.is_empty())
        && exponent.is_none_or(|digits| !digits.is_empty() && are_digits(digits));
    if is_float { finite(text).map(Some) } else { Ok(None) }
}

fn finite(text: &str) -> Result<NodeKind, String> {
    let value = text.parse::<f64>().ok().and_then(Number::from_f64);
    value.map(NodeKind::Number).ok_or_else(|| no_form(text))
}

fn no_form(text: &str) -> String {
    format!("the number `{}` is out of range", crate::visible::cut(text, 120))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn value(text: &str) -> serde_json::Value {
        let kind = resolve(text.to_owned(), Type::Any).unwrap();
        super::super::Node { at: None, kind }.to_value()
    }

    #[test]
    fn the_core_schema() {
        for (text, wanted) in [
            ("", json!(null)),
            ("~", json!(null)),
            ("Null", json!(null)),
            ("TRUE", json!(true)),
            ("False", json!(false)),
            ("yes", json!("yes")),
            ("off", json!("off")),
            ("0", json!(0)),
            ("010", json!(10)),
            ("+12", json!(12)),
            ("-3", json!(-3)),
            ("0o17", json!(15)),
            ("0x1F", json!(31)),
            ("0o8", json!("0o8")),
            ("0x", json!("0x")),
            ("18446744073709551615", json!(u64::MAX)),
            ("18446744073709551616", json!(18_446_744_073_709_551_616.0)),
            ("1.", json!(1.0)),
            (".5", json!(0.5)),
            ("-1.5e3", json!(-1500.0)),
            ("1e3", json!(1000.0)),
            (".", json!(".")),
            ("1e", json!("1e")),
            ("-", json!("-")),
            ("1_000", json!("1_000")),
            ("1.2.3", json!("1.2.3")),
            ("2026-05-28", json!("2026-05-28")),
            ("nullable", json!("nullable")),
        ] {
            assert_eq!(value(text), wanted, "{text:?}");
        }
    }

    #[test]
    fn what_json_can_not_hold_is_an_error() {
        for text in [".inf", "-.INF", ".nan", "1e999", "0xfffffffffffffffff"] {
            assert!(resolve(text.to_owned(), Type::Any).is_err(), "{text}");
        }
        assert!(resolve("x".to_owned(), Type::Integer).is_err());
        assert!(resolve("1".to_owned(), Type::Float).is_ok());
    }
}
