//! Values: those of JSON are borrowed from the event, those that an expression makes are shared.

use serde_json::Value as Json;
use std::cmp::Ordering;
use std::sync::Arc;

/// A constant of an expression.
#[derive(Clone, Debug)]
pub(super) enum Literal {
    Null,
    Bool(bool),
    Int(i64),
    Uint(u64),
    Double(f64),
    String(String),
    Bytes(Arc<[u8]>),
    Type(&'static str),
}

/// A value at evaluation; cheap to clone.
#[derive(Clone, Debug)]
pub(in crate::hook) enum Value<'a> {
    Null,
    Bool(bool),
    Int(i64),
    Uint(u64),
    Double(f64),
    String(Str<'a>),
    Bytes(Arc<[u8]>),
    List(List<'a>),
    Map(Map<'a>),
    Type(&'static str),
    /// Nanoseconds since the Unix epoch.
    Timestamp(i128),
    /// Nanoseconds.
    Duration(i64),
}

#[derive(Clone, Debug)]
pub(in crate::hook) enum Str<'a> {
    Borrowed(&'a str),
    Shared(Arc<str>),
}

#[derive(Clone, Debug)]
pub(in crate::hook) enum List<'a> {
    Json(&'a [Json]),
    Made(Arc<[Value<'a>]>),
}

#[derive(Clone, Debug)]
pub(in crate::hook) enum Map<'a> {
    Json(&'a serde_json::Map<String, Json>),
    Made(Arc<[(Value<'a>, Value<'a>)]>),
}

impl Str<'_> {
    pub(super) fn as_str(&self) -> &str {
        match self {
            Self::Borrowed(text) => text,
            Self::Shared(text) => text,
        }
    }
}

impl<'a> List<'a> {
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Json(items) => items.len(),
            Self::Made(items) => items.len(),
        }
    }

    pub(super) fn get(&self, index: usize) -> Option<Value<'a>> {
        match self {
            Self::Json(items) => items.get(index).map(Value::from_json),
            Self::Made(items) => items.get(index).cloned(),
        }
    }
}

impl<'a> Map<'a> {
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Json(members) => members.len(),
            Self::Made(members) => members.len(),
        }
    }

    pub(super) fn keys(&self) -> Vec<Value<'a>> {
        match self {
            Self::Json(members) => members.keys().map(|key| Value::text(key)).collect(),
            Self::Made(members) => members.iter().map(|(key, _)| key.clone()).collect(),
        }
    }

    pub(super) fn get(&self, key: &Value<'_>) -> Option<Value<'a>> {
        match (self, key) {
            (Self::Json(members), Value::String(key)) => members.get(key.as_str()).map(Value::from_json),
            (Self::Json(_), _) => None,
            (Self::Made(members), key) => {
                members.iter().find(|(known, _)| known.same_scalar(key)).map(|(_, value)| value.clone())
            }
        }
    }
}

impl<'a> Value<'a> {
    pub(in crate::hook) const fn text(text: &'a str) -> Self {
        Self::String(Str::Borrowed(text))
    }

    /// CEL's reading of JSON: every number is a double.
    pub(in crate::hook) fn from_json(json: &'a Json) -> Self {
        match json {
            Json::Null => Self::Null,
            Json::Bool(value) => Self::Bool(*value),
            Json::Number(number) => Self::Double(number.as_f64().unwrap_or(f64::NAN)),
            Json::String(text) => Self::text(text),
            Json::Array(items) => Self::List(List::Json(items)),
            Json::Object(members) => Self::Map(Map::Json(members)),
        }
    }

    pub(super) fn of(literal: &'a Literal) -> Self {
        match literal {
            Literal::Null => Self::Null,
            Literal::Bool(value) => Self::Bool(*value),
            Literal::Int(value) => Self::Int(*value),
            Literal::Uint(value) => Self::Uint(*value),
            Literal::Double(value) => Self::Double(*value),
            Literal::String(text) => Self::text(text),
            Literal::Bytes(bytes) => Self::Bytes(Arc::clone(bytes)),
            Literal::Type(name) => Self::Type(name),
        }
    }

    pub(super) fn owned(text: String) -> Self {
        Self::String(Str::Shared(text.into()))
    }

    /// The name of its type.
    pub(super) const fn type_name(&self) -> &'static str {
        match self {
            Self::Null => "null_type",
            Self::Bool(_) => "bool",
            Self::Int(_) => "int",
            Self::Uint(_) => "uint",
            Self::Double(_) => "double",
            Self::String(_) => "string",
            Self::Bytes(_) => "bytes",
            Self::List(_) => "list",
            Self::Map(_) => "map",
            Self::Type(_) => "type",
            Self::Timestamp(_) => "google.protobuf.Timestamp",
            Self::Duration(_) => "google.protobuf.Duration",
        }
    }

    /// Equality of anything but lists and maps; numbers by what they say, whatever their type.
    pub(super) fn same_scalar(&self, other: &Value<'_>) -> bool {
        match (self, other) {
            (Self::Null, Value::Null) => true,
            (Self::Bool(a), Value::Bool(b)) => a == b,
            (Self::String(a), Value::String(b)) => a.as_str() == b.as_str(),
            (Self::Bytes(a), Value::Bytes(b)) => a == b,
            (Self::Type(a), Value::Type(b)) => a == b,
            (Self::Timestamp(a), Value::Timestamp(b)) => a == b,
            (Self::Duration(a), Value::Duration(b)) => a == b,
            _ => self.compare_numbers(other) == Some(Ordering::Equal),
        }
    }

    /// Order, where the types have one; `None` for others and for NaN.
    pub(super) fn compare(&self, other: &Value<'_>) -> Option<Ordering> {
        match (self, other) {
            (Self::Bool(a), Value::Bool(b)) => Some(a.cmp(b)),
            (Self::String(a), Value::String(b)) => Some(a.as_str().cmp(b.as_str())),
            (Self::Bytes(a), Value::Bytes(b)) => Some(a.cmp(b)),
            (Self::Timestamp(a), Value::Timestamp(b)) => Some(a.cmp(b)),
            (Self::Duration(a), Value::Duration(b)) => Some(a.cmp(b)),
            _ => self.compare_numbers(other),
        }
    }

    fn compare_numbers(&self, other: &Value<'_>) -> Option<Ordering> {
        match (self, other) {
            (Self::Double(a), Value::Double(b)) => a.partial_cmp(b),
            (Self::Double(a), b) => compare_double(*a, b.integer()?),
            (a, Value::Double(b)) => compare_double(*b, a.integer()?).map(Ordering::reverse),
            (a, b) => Some(a.integer()?.cmp(&b.integer()?)),
        }
    }

    pub(super) const fn integer(&self) -> Option<i128> {
        match self {
            Self::Int(value) => Some(*value as i128),
            Self::Uint(value) => Some(*value as i128),
            _ => None,
        }
    }
}

/// Whether there is nothing after the point; also of what is too large to have it, but not of infinity.
pub(super) fn is_whole(double: f64) -> bool {
    double.fract() == 0.0
}

/// Exact, beyond 2^53 too: every whole double of that size is an `i128` or out of the range of integers.
fn compare_double(double: f64, integer: i128) -> Option<Ordering> {
    if double.is_nan() {
        return None;
    }
    let whole = double.trunc() as i128; // saturates
    let rest = if is_whole(double) { Ordering::Equal } else { double.partial_cmp(&double.trunc())? };
    Some(whole.cmp(&integer).then(rest))
}
