//! Types from YAML, by serde: what does not fit is told with line and column.

use super::{Node, NodeKind, Source};
use serde::de::value::{MapDeserializer, SeqDeserializer};
use serde::de::{
    DeserializeOwned, DeserializeSeed, Deserializer, EnumAccess, Error as _, IntoDeserializer, Unexpected,
    VariantAccess, Visitor,
};
use std::fmt;

/// Reads a text as YAML 1.2 of the core schema, so that only `true` and `false` are booleans; an empty text is `null`.
///
/// # Errors
/// In words, with line and column.
pub(crate) fn from_yaml<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    let source = Source::new("", text.as_bytes());
    let node = source.yaml("").map_err(|problem| match &problem.place {
        Some(place) => format!("line {} column {}: {}", place.line, place.column, problem.message),
        None => problem.message,
    })?;
    T::deserialize(Typed(&node)).map_err(|misfit: Misfit| match misfit.at.or(node.at) {
        None => misfit.message,
        Some(at) => {
            let place = source.place(at);
            format!("line {} column {}: {}", place.line, place.column, misfit.message)
        }
    })
}

/// A value as serde asks for it.
struct Typed<'a>(&'a Node);

/// A value that does not fit the type.
#[derive(Debug)]
struct Misfit {
    /// The byte at which it stands; that of the innermost value.
    at: Option<usize>,
    message: String,
}

impl Misfit {
    /// Says where it is, unless something inside has said so.
    fn at(mut self, at: Option<usize>) -> Self {
        self.at = self.at.or(at);
        self
    }
}

impl std::error::Error for Misfit {}

impl fmt::Display for Misfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl serde::de::Error for Misfit {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self { at: None, message: message.to_string() }
    }
}

impl<'de> IntoDeserializer<'de, Misfit> for Typed<'de> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

/// Nesting is that of the text, which its reader bounds.
impl<'de> Deserializer<'de> for Typed<'de> {
    type Error = Misfit;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misfit> {
        let result = match &self.0.kind {
            NodeKind::Null => visitor.visit_unit(),
            NodeKind::Bool(value) => visitor.visit_bool(*value),
            NodeKind::Number(number) => {
                number.deserialize_any(visitor).map_err(|error: serde_json::Error| Misfit::custom(error))
            }
            NodeKind::String(text) => visitor.visit_str(text),
            NodeKind::Array(items) => visitor.visit_seq(SeqDeserializer::new(items.iter().map(Typed))),
            NodeKind::Object(members) => visitor.visit_map(MapDeserializer::new(
                members
                    .iter()
                    .map(|member| (Key { name: &member.name, at: member.at }, Typed(&member.value))),
            )),
        };
        result.map_err(|misfit| misfit.at(self.0.at))
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misfit> {
        match self.0.kind {
            NodeKind::Null => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &str, visitor: V) -> Result<V::Value, Misfit> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(self, _: &str, _: &[&str], visitor: V) -> Result<V::Value, Misfit> {
        let at = self.0.at;
        visitor.visit_enum(self).map_err(|misfit: Misfit| misfit.at(at))
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple
        tuple_struct map struct identifier ignored_any
    }
}

/// A key of a mapping.
struct Key<'de> {
    name: &'de str,
    at: Option<usize>,
}

impl<'de> IntoDeserializer<'de, Misfit> for Key<'de> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

impl<'de> Deserializer<'de> for Key<'de> {
    type Error = Misfit;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misfit> {
        visitor.visit_borrowed_str(self.name).map_err(|misfit: Misfit| misfit.at(self.at))
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

/// An enum is written as the name of a variant that holds nothing.
impl<'de> EnumAccess<'de> for Typed<'de> {
    type Error = Misfit;
    type Variant = Empty;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Empty), Misfit> {
        let Some(name) = self.0.as_str() else {
            return Err(Misfit::invalid_type(Unexpected::Other(self.0.describe()), &"a word"));
        };
        Ok((seed.deserialize(Key { name, at: self.0.at })?, Empty))
    }
}

/// See [`EnumAccess`] of [`Typed`].
struct Empty;

impl<'de> VariantAccess<'de> for Empty {
    type Error = Misfit;

    fn unit_variant(self) -> Result<(), Misfit> {
        Ok(())
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, _: T) -> Result<T::Value, Misfit> {
        Err(Misfit::custom("the variant holds a value"))
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, _: V) -> Result<V::Value, Misfit> {
        Err(Misfit::custom("the variant holds values"))
    }

    fn struct_variant<V: Visitor<'de>>(self, _: &[&str], _: V) -> Result<V::Value, Misfit> {
        Err(Misfit::custom("the variant holds values"))
    }
}

#[cfg(test)]
mod tests {
    use super::from_yaml;
    use serde::Deserialize;
    use std::collections::BTreeMap;

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Example {
        name: String,
        #[serde(default)]
        counts: Vec<u64>,
        kind: Option<Kind>,
        #[serde(default)]
        words: BTreeMap<String, String>,
    }

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(rename_all = "snake_case")]
    enum Kind {
        OneWay,
    }

    #[test]
    fn reads_what_fits() {
        let text = "name: y\ncounts: [1, 2]\nkind: one_way\nwords: { 1: 'true' }\n";
        let example = Example {
            name: "y".to_owned(),
            counts: vec![1, 2],
            kind: Some(Kind::OneWay),
            words: BTreeMap::from([("1".to_owned(), "true".to_owned())]),
        };
        assert_eq!(from_yaml::<Example>(text), Ok(example));
        let bare = Example { name: "n".to_owned(), counts: vec![], kind: None, words: BTreeMap::new() };
        assert_eq!(from_yaml::<Example>("{name: n, kind: null}"), Ok(bare));
    }

    #[test]
    fn what_does_not_fit_has_a_place() {
        for (text, want) in [
            ("name: 1", "line 1 column 7: invalid type: integer `1`, expected a string"),
            ("name: a\ncounts:\n  - 1\n  - b", "line 4 column 5: invalid type: string \"b\", expected u64"),
            (
                "name: a\nnane: b",
                "line 2 column 1: unknown field `nane`, expected one of `name`, `counts`, `kind`, `words`",
            ),
            ("counts: []", "line 1 column 1: missing field `name`"),
            ("name: a\nkind: two", "line 2 column 7: unknown variant `two`, expected `one_way`"),
            ("name: a\nkind: [two]", "line 2 column 7: invalid type: an array, expected a word"),
            ("name: a\nname: b", "line 2 column 1: duplicate key `name`"),
        ] {
            assert_eq!(from_yaml::<Example>(text), Err(want.to_owned()), "{text}");
        }
    }
}
