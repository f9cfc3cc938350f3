//! Values as text: as Go's `fmt` prints them, and as its `encoding/json` does. Depth is that of a parsed payload.

use super::structure::Structure;
use super::value::GoValue;
use serde_json::{Map, Number, Value};
use std::fmt::Write as _;

/// As `%v` prints a value; what is not there is `<no value>`.
pub(super) fn append(out: &mut String, value: &GoValue<'_>) {
    match value {
        GoValue::Nil => out.push_str("<no value>"),
        GoValue::Bool(flag) => out.push_str(if *flag { "true" } else { "false" }),
        GoValue::Integer(integer) => {
            let _ = write!(out, "{integer}");
        }
        GoValue::Float(float) => append_float(out, *float),
        GoValue::Text(text) => out.push_str(text),
        GoValue::Tree(tree) => append_tree(out, tree),
        GoValue::Record(tree, structure) => append_record(out, tree, structure),
        GoValue::Payload(payload, _) => append_map(out, payload),
    }
}

/// A structure's values in their order; one that is not there is empty.
fn append_record(out: &mut String, tree: &Value, structure: &Structure) {
    if let Value::Array(items) = tree {
        out.push('[');
        for (index, item) in items.iter().enumerate() {
            out.push_str(if index > 0 { " " } else { "" });
            append_record(out, item, structure);
        }
        out.push(']');
        return;
    }
    out.push('{');
    for (index, field) in structure.fields.iter().enumerate() {
        out.push_str(if index > 0 { " " } else { "" });
        tree.get(field.key).into_iter().for_each(|value| append_tree(out, value));
    }
    out.push('}');
}

/// As `%v` prints it among others: there `nil` has its own word.
pub(super) fn append_argument(out: &mut String, value: &GoValue<'_>) {
    if matches!(value, GoValue::Nil) { out.push_str("<nil>") } else { append(out, value) }
}

fn append_tree(out: &mut String, value: &Value) {
    match value {
        Value::Null => out.push_str("<nil>"),
        Value::Bool(flag) => out.push_str(if *flag { "true" } else { "false" }),
        Value::Number(number) => append_float(out, number.as_f64().unwrap_or_default()),
        Value::String(text) => out.push_str(text),
        Value::Array(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                out.push_str(if index > 0 { " " } else { "" });
                append_tree(out, item);
            }
            out.push(']');
        }
        Value::Object(members) => append_map(out, members),
    }
}

fn append_map(out: &mut String, members: &Map<String, Value>) {
    out.push_str("map[");
    for (index, (key, value)) in sorted(members).into_iter().enumerate() {
        let _ = write!(out, "{}{key}:", if index > 0 { " " } else { "" });
        append_tree(out, value);
    }
    out.push(']');
}

/// By key: Go prints and walks maps so.
pub(super) fn sorted(members: &Map<String, Value>) -> Vec<(&String, &Value)> {
    let mut sorted: Vec<_> = members.iter().collect();
    sorted.sort_by_key(|(key, _)| key.as_str());
    sorted
}

/// `%g` with as many digits as tell the number: an exponent below -4 and from 6 on is written.
fn append_float(out: &mut String, float: f64) {
    let scientific = format!("{float:e}");
    let exponent = scientific.split_once('e').and_then(|(_, exponent)| exponent.parse::<i32>().ok());
    match exponent {
        Some(exponent) if float != 0.0 && !(-4..6).contains(&exponent) => {
            let mantissa = scientific.split('e').next().unwrap_or_default();
            let sign = if exponent < 0 { '-' } else { '+' };
            let _ = write!(out, "{mantissa}e{sign}{:02}", exponent.unsigned_abs());
        }
        _ => {
            let _ = write!(out, "{float}");
        }
    }
}

/// As `encoding/json` writes a value: compact, maps sorted, what HTML would act on escaped.
pub(super) fn json(value: &GoValue<'_>) -> String {
    let mut out = String::new();
    match value {
        GoValue::Nil => out.push_str("null"),
        GoValue::Bool(flag) => append_json(&mut out, &Value::Bool(*flag)),
        GoValue::Integer(integer) => append_json(&mut out, &Value::from(*integer)),
        GoValue::Float(float) => append_json(&mut out, &Value::from(*float)),
        GoValue::Text(text) => append_json_text(&mut out, text),
        GoValue::Tree(tree) => append_json(&mut out, tree),
        GoValue::Record(tree, _) => append_json_record(&mut out, tree),
        // The members of a structure stay in their order.
        GoValue::Payload(payload, _) => append_members(&mut out, payload.iter()),
    }
    out
}

fn append_json_record(out: &mut String, tree: &Value) {
    match tree {
        Value::Array(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                out.push_str(if index > 0 { "," } else { "" });
                append_json_record(out, item);
            }
            out.push(']');
        }
        Value::Object(members) => append_members(out, members.iter()),
        other => append_json(out, other),
    }
}

fn append_json(out: &mut String, value: &Value) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(flag) => out.push_str(if *flag { "true" } else { "false" }),
        Value::Number(number) => append_json_number(out, number),
        Value::String(text) => append_json_text(out, text),
        Value::Array(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                out.push_str(if index > 0 { "," } else { "" });
                append_json(out, item);
            }
            out.push(']');
        }
        Value::Object(members) => append_members(out, sorted(members).into_iter()),
    }
}

fn append_members<'m>(out: &mut String, members: impl Iterator<Item = (&'m String, &'m Value)>) {
    out.push('{');
    for (index, (key, value)) in members.enumerate() {
        out.push_str(if index > 0 { "," } else { "" });
        append_json_text(out, key);
        out.push(':');
        append_json(out, value);
    }
    out.push('}');
}

fn append_json_number(out: &mut String, number: &Number) {
    let float = number.as_f64().unwrap_or_default();
    let size = float.abs();
    if size != 0.0 && !(1e-6..1e21).contains(&size) {
        let text = format!("{float:e}");
        out.push_str(&if text.contains("e-") { text } else { text.replacen('e', "e+", 1) });
    } else {
        let _ = write!(out, "{float}");
    }
}

fn append_json_text(out: &mut String, text: &str) {
    out.push('"');
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' | '\0'..='\u{1f}' => {
                let _ = write!(out, "\\u{:04x}", u32::from(character));
            }
            _ => out.push(character),
        }
    }
    out.push('"');
}
