//! Fields of a record by their types; absent and null are the same.

use crate::hook::document::{Node, NodeKind};

/// What is wrong with a record.
pub(super) struct Fault {
    pub(super) at: Option<usize>,
    pub(super) message: String,
}

pub(super) type Checked<T> = Result<T, Fault>;

pub(super) fn fault<T>(at: Option<usize>, message: impl Into<String>) -> Checked<T> {
    Err(Fault { at, message: message.into() })
}

pub(super) fn wrong_type<T>(node: &Node, name: &str, expected: &str) -> Checked<T> {
    fault(node.at, format!("hook: {name}: expected {expected}, found {}", node.describe()))
}

/// Absent is empty.
pub(super) fn text<'n>(node: &'n Node, name: &str) -> Checked<&'n str> {
    match node.get(name) {
        None => Ok(""),
        Some(value) => match value.as_str() {
            Some(text) => Ok(text),
            None => wrong_type(value, name, "a string"),
        },
    }
}

pub(super) fn strings(node: &Node, name: &str) -> Checked<Vec<String>> {
    let Some(items) = node.as_array() else { return wrong_type(node, name, "a list of strings") };
    let text = |item: &Node| match item.as_str() {
        Some(text) => Ok(text.to_owned()),
        None => wrong_type(item, name, "a list of strings"),
    };
    items.iter().map(text).collect()
}

pub(super) fn object<'n>(node: &'n Node, name: &str) -> Checked<Option<&'n Node>> {
    match node.get(name) {
        Some(value) if !value.is_object() => wrong_type(value, name, "an object"),
        other => Ok(other),
    }
}

pub(super) fn boolean(node: &Node, name: &str) -> Checked<Option<bool>> {
    match node.get(name).map(|value| (value, &value.kind)) {
        None => Ok(None),
        Some((_, NodeKind::Bool(value))) => Ok(Some(*value)),
        Some((value, _)) => wrong_type(value, name, "a boolean"),
    }
}

pub(super) fn integer(node: &Node, name: &str) -> Checked<Option<i128>> {
    let Some(value) = node.get(name) else { return Ok(None) };
    let NodeKind::Number(number) = &value.kind else { return wrong_type(value, name, "an integer") };
    let whole = number.as_i64().map(i128::from).or_else(|| number.as_u64().map(i128::from));
    match whole {
        Some(whole) => Ok(Some(whole)),
        None => fault(value.at, format!("hook: {name}: expected an integer, found {number}")),
    }
}

pub(super) fn saturating(value: i128) -> i64 {
    i64::try_from(value).unwrap_or(if value < 0 { i64::MIN } else { i64::MAX })
}
