//! Values of a template, as Go has them: the payload is a structure, what is below it came from JSON, where every number is a
//! floating-point number.

use super::structure::Structure;
use serde_json::{Map, Value};
use std::borrow::Cow;

#[derive(Clone, Debug)]
pub(super) enum GoValue<'v> {
    /// `nil`, and a member that is not there.
    Nil,
    Bool(bool),
    Integer(i64),
    Float(f64),
    Text(Cow<'v, str>),
    /// A list or a map.
    Tree(Cow<'v, Value>),
    /// A structure below the payload, or a list of such.
    Record(&'v Value, &'static Structure),
    /// The payload itself.
    Payload(&'v Map<String, Value>, &'static Structure),
}

/// What a name that a map does not have is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Missing {
    IsNil,
    IsError,
}

impl<'v> GoValue<'v> {
    pub(super) fn text(text: impl Into<Cow<'v, str>>) -> Self {
        Self::Text(text.into())
    }

    /// A value of the payload's trees.
    pub(super) fn of(value: &'v Value) -> Self {
        match value {
            Value::Null => Self::Nil,
            Value::Bool(flag) => Self::Bool(*flag),
            Value::Number(number) => number.as_f64().map_or(Self::Nil, Self::Float),
            Value::String(text) => Self::Text(Cow::Borrowed(text)),
            Value::Array(_) | Value::Object(_) => Self::Tree(Cow::Borrowed(value)),
        }
    }

    /// An item of this tree.
    pub(super) fn item(&self, pick: impl Fn(&Value) -> Option<&Value>) -> Option<Self> {
        match self {
            Self::Tree(Cow::Borrowed(tree)) => pick(tree).map(Self::of),
            Self::Tree(Cow::Owned(tree)) => pick(tree).map(|item| match GoValue::of(item) {
                GoValue::Nil => Self::Nil,
                GoValue::Bool(flag) => Self::Bool(flag),
                GoValue::Integer(integer) => Self::Integer(integer),
                GoValue::Float(float) => Self::Float(float),
                GoValue::Text(text) => Self::Text(Cow::Owned(text.into_owned())),
                GoValue::Tree(_) | GoValue::Record(..) | GoValue::Payload(..) => {
                    Self::Tree(Cow::Owned(item.clone()))
                }
            }),
            &Self::Record(tree, record) => pick(tree).map(|item| Self::Record(item, record)),
            _ => None,
        }
    }

    /// Follows a chain of fields.
    pub(super) fn follow(self, path: &[String], missing: Missing) -> Result<Self, String> {
        path.iter().try_fold(self, |value, name| value.field(name, missing))
    }

    fn field(&self, name: &str, missing: Missing) -> Result<Self, String> {
        let of_structure = |members: &'v Map<String, Value>, structure: &Structure| {
            let field = structure.field(name).ok_or_else(|| format!("there is no field `.{name}`"))?;
            Ok(field.value(members))
        };
        match self {
            Self::Payload(payload, structure) => of_structure(payload, structure),
            Self::Record(Value::Object(members), structure) => of_structure(members, structure),
            Self::Tree(tree) if tree.is_object() => match (self.item(|tree| tree.get(name)), missing) {
                (Some(item), _) => Ok(item),
                (None, Missing::IsNil) => Ok(Self::Nil),
                (None, Missing::IsError) => Err(format!("the map has no entry for key `{name}`")),
            },
            Self::Nil => Err(format!("nil has no field `.{name}`")),
            other => Err(format!("a value of type {} has no field `.{name}`", other.type_name())),
        }
    }

    /// Whether `if` takes it as true.
    pub(super) fn is_true(&self) -> bool {
        match self {
            Self::Nil => false,
            Self::Bool(flag) => *flag,
            Self::Integer(integer) => *integer != 0,
            Self::Float(float) => *float != 0.0,
            Self::Text(text) => !text.is_empty(),
            Self::Tree(tree) => match tree.as_ref() {
                Value::Array(items) => !items.is_empty(),
                Value::Object(members) => !members.is_empty(),
                _ => false,
            },
            Self::Record(tree, _) => tree.as_array().is_none_or(|items| !items.is_empty()),
            Self::Payload(..) => true,
        }
    }

    pub(super) fn type_name(&self) -> &'static str {
        match self {
            Self::Nil => "nil",
            Self::Bool(_) => "bool",
            Self::Integer(_) => "int",
            Self::Float(_) => "float64",
            Self::Text(_) => "string",
            Self::Tree(tree) if tree.is_array() => "[]interface {}",
            Self::Tree(_) => "map[string]interface {}",
            Self::Record(tree, _) if tree.is_array() => "[]struct",
            Self::Record(..) => "struct",
            Self::Payload(_, structure) => structure.type_name,
        }
    }
}
