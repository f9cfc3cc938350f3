//! Structures: what Go knows of an object by its type, and JSON does not say.

use super::value::GoValue;
use rustc_hash::FxHashMap;
use serde_json::{Map, Value};
use std::borrow::Cow;

/// A structure of Go.
#[derive(Debug)]
pub(in crate::hook) struct Structure {
    /// As Go names the type.
    pub(super) type_name: &'static str,
    /// In Go's order.
    pub(super) fields: Vec<Field>,
    /// The places of fields by their names in Go.
    places: FxHashMap<String, usize>,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Field {
    /// The name in JSON.
    pub(super) key: &'static str,
    kind: Kind,
}

/// The type of a field.
#[derive(Clone, Copy, Debug)]
pub(in crate::hook) enum Kind {
    Bool,
    Integer,
    Text,
    List,
    Map,
    /// What is in it came from JSON, or is `nil`.
    Any,
    Structure(&'static Structure),
    Structures(&'static Structure),
}

impl Structure {
    /// Of fields by their names in Go and in JSON; of those that have one name the first.
    pub(in crate::hook) fn new(
        type_name: &'static str,
        all: impl Iterator<Item = (String, &'static str, Kind)>,
    ) -> Self {
        let (mut fields, mut places) = (Vec::new(), FxHashMap::default());
        for (name, key, kind) in all {
            places.entry(name).or_insert_with(|| {
                fields.push(Field { key, kind });
                fields.len() - 1
            });
        }
        Self { type_name, fields, places }
    }

    pub(super) fn field(&self, name: &str) -> Option<&Field> {
        self.places.get(name).and_then(|place| self.fields.get(*place))
    }
}

impl Field {
    /// Its value among the members of a structure. Whole numbers are integers there.
    pub(super) fn value(self, members: &Map<String, Value>) -> GoValue<'_> {
        match (members.get(self.key), self.kind) {
            (None, kind) => kind.zero(),
            (
                Some(value @ (Value::Array(_) | Value::Object(_))),
                Kind::Structure(structure) | Kind::Structures(structure),
            ) => GoValue::Record(value, structure),
            (Some(value), _) => match value.as_i64() {
                Some(integer) => GoValue::Integer(integer),
                None => GoValue::of(value),
            },
        }
    }
}

impl Kind {
    /// What a field is that is not there.
    fn zero(self) -> GoValue<'static> {
        match self {
            Self::Bool => GoValue::Bool(false),
            Self::Integer => GoValue::Integer(0),
            Self::Text => GoValue::text(""),
            Self::List | Self::Structures(_) => GoValue::Tree(Cow::Owned(Value::Array(Vec::new()))),
            Self::Map => GoValue::Tree(Cow::Owned(Value::Object(Map::new()))),
            Self::Any | Self::Structure(_) => GoValue::Nil,
        }
    }
}
