//! [`Value`]: a JSON value as jq sees it.
//!
//! Strings, arrays and objects are shared
//! and copied at the first write by one of several owners. Each container knows how deep it nests: no deeper than [`MAX_DEPTH`], which
//! [`Value::checked`] enforces wherever a value is built.

use super::disposal::{self, free};
use super::number::Number;
use super::object::Object;
use super::text::Text;
use crate::memory::{Held, String, Vec, shared};
use std::sync::Arc;

/// Containers inside each other that a value may have; jq reads and prints as many.
pub(crate) const MAX_DEPTH: usize = 10_000;

/// A JSON value.
#[derive(Clone, Debug, Default)]
pub(crate) enum Value {
    /// `null`
    #[default]
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number; NaN and the infinities occur and are printed as `null` and the largest double.
    Number(Number),
    /// A string.
    String(Text),
    /// An array.
    Array(Array),
    /// An object.
    Object(Object),
}

/// A JSON array.
#[derive(Clone, Debug, Default)]
pub(crate) struct Array(Arc<Held<Items>>);

#[derive(Clone, Debug, Default)]
struct Items {
    items: Vec<Value>,
    depth: usize,
}

impl Drop for Items {
    fn drop(&mut self) {
        if !self.items.is_empty() {
            free(disposal::Members::Items(std::mem::take(&mut self.items)), self.depth);
        }
    }
}

impl Value {
    /// Whether it is the same value, not only an equal one. Numbers have nothing by which to tell.
    pub(crate) fn is_identical(&self, other: &Value) -> bool {
        match (self, other) {
            (Value::Number(one), Value::Number(two)) => one.value().to_bits() == two.value().to_bits(),
            (Value::Null, Value::Null) => true,
            (Value::Bool(one), Value::Bool(two)) => one == two,
            (Value::String(one), Value::String(two)) => one.is_identical(two),
            (Value::Array(one), Value::Array(two)) => Arc::ptr_eq(&one.0, &two.0),
            (Value::Object(one), Value::Object(two)) => one.is_identical(two),
            _ => false,
        }
    }
}

impl Array {
    /// The items.
    pub(crate) fn items(&self) -> &[Value] {
        &self.0.items
    }

    /// Number of items.
    pub(crate) fn len(&self) -> usize {
        self.0.items.len()
    }

    /// How many containers lie inside each other, this one included; an upper bound.
    pub(crate) fn depth(&self) -> usize {
        self.0.depth.saturating_add(1)
    }

    /// Whether this is the only owner, so that a write does not copy.
    pub(crate) fn is_unique(&self) -> bool {
        Arc::strong_count(&self.0) == 1
    }

    /// The item at a place, for writing; `None` where there is none, or the array has other owners.
    pub(crate) fn item_mut(&mut self, at: usize) -> Option<&mut Value> {
        Arc::get_mut(&mut self.0)?.items.get_mut(at)
    }

    /// Changes the items; `added` is how deep the deepest new item nests.
    pub(crate) fn change<T>(&mut self, added: usize, change: impl FnOnce(&mut Vec<Value>) -> T) -> T {
        let inner = Arc::make_mut(&mut self.0);
        inner.depth = inner.depth.max(added);
        change(&mut inner.items)
    }

    /// The items, without copying where this is the only owner.
    pub(crate) fn into_items(self) -> Vec<Value> {
        match Arc::try_unwrap(self.0) {
            Ok(mut inner) => std::mem::take(&mut inner.items),
            Err(shared) => shared.items.clone(),
        }
    }

    /// The items one by one.
    pub(crate) fn into_members(self) -> Members {
        match Arc::try_unwrap(self.0) {
            Ok(mut inner) => Members::Owned(std::mem::take(&mut inner.items).into_iter()),
            Err(shared) => Members::Shared(Array(shared), 0),
        }
    }

    /// Recomputes the depth from the items, after it was found too large.
    pub(super) fn exact_depth(&self) -> usize {
        self.items().iter().map(Value::depth).max().unwrap_or(0).saturating_add(1)
    }
}

/// The items of an array, one after the other; a shared array is not copied as a whole.
#[derive(Debug)]
pub(crate) enum Members {
    /// Of an array that nobody else has.
    Owned(crate::memory::IntoIter<Value>),
    /// Of a shared one, from this place on.
    Shared(Array, usize),
}

impl Members {
    /// How many are left.
    pub(crate) fn len(&self) -> usize {
        match self {
            Members::Owned(items) => items.len(),
            Members::Shared(array, at) => array.len().saturating_sub(*at),
        }
    }
}

impl Iterator for Members {
    type Item = Value;
    fn next(&mut self) -> Option<Value> {
        match self {
            Members::Owned(items) => items.next(),
            Members::Shared(array, at) => {
                let item = array.items().get(*at)?.clone();
                *at += 1;
                Some(item)
            }
        }
    }
}

impl From<Vec<Value>> for Array {
    fn from(items: Vec<Value>) -> Self {
        let depth = items.iter().map(Value::depth).max().unwrap_or(0);
        Array(shared(Items { items, depth }))
    }
}

impl Value {
    /// A number that was computed.
    pub(crate) fn number(value: f64) -> Value {
        Value::Number(Number::from(value))
    }

    /// A string.
    pub(crate) fn text(text: &str) -> Value {
        Value::String(Text::from(text))
    }

    /// An array.
    pub(crate) fn array(items: Vec<Value>) -> Value {
        Value::Array(Array::from(items))
    }

    /// An object of the given entries.
    pub(crate) fn object(entries: impl IntoIterator<Item = (&'static str, Value)>) -> Value {
        Value::Object(entries.into_iter().map(|(key, value)| (Text::Static(key), value)).collect())
    }

    /// Containers inside each other: 0 for a scalar; an upper bound for the others.
    pub(crate) fn depth(&self) -> usize {
        match self {
            Value::Array(array) => array.depth(),
            Value::Object(object) => object.depth(),
            _ => 0,
        }
    }

    /// `false` and `null` are false, everything else is true.
    pub(crate) fn is_true(&self) -> bool {
        !matches!(self, Value::Null | Value::Bool(false))
    }

    /// The name of the kind, as `type` gives it.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Value::Null => "null",
            Value::Bool(_) => "boolean",
            Value::Number(_) => "number",
            Value::String(_) => "string",
            Value::Array(_) => "array",
            Value::Object(_) => "object",
        }
    }

    /// The place of its kind in the order of values.
    pub(super) fn rank(&self) -> u8 {
        match self {
            Value::Null => 0,
            Value::Bool(false) => 1,
            Value::Bool(true) => 2,
            Value::Number(_) => 3,
            Value::String(_) => 4,
            Value::Array(_) => 5,
            Value::Object(_) => 6,
        }
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Value::text(text)
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Value::String(Text::from(text))
    }
}

/// Key and value of the member of a container at place `at` or after it, and the place after that.
pub(super) fn member_at(container: &Value, at: usize) -> Option<(Value, Value, usize)> {
    match container {
        Value::Array(array) => Some((Value::number(at as f64), array.items().get(at)?.clone(), at + 1)),
        Value::Object(object) => {
            let (after, name, value) = object.entry_from(at)?;
            Some((Value::String(name.clone()), value.clone(), after))
        }
        _ => None,
    }
}
