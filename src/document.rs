//! JSON and YAML with places: the tree of a config file in which every value knows where it stands, so that a message about
//! it can name line and column. YAML is read by [`Source::yaml`], in `document/yaml.rs`, into the same tree.
//!
//! JSON: the text is checked by `serde_json` first (syntax, UTF-8, nesting of at most 128); the walk that builds the tree then
//! meets well-formed text only and needs no errors of its own.

mod problem;
mod scalar;
mod typed;
#[cfg(feature = "cli")]
mod write;
mod yaml;

pub use problem::ConfigProblem;
pub(crate) use typed::from_yaml;
#[cfg(feature = "cli")]
pub(crate) use write::to_yaml;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};
use std::cell::Cell;
use std::fmt::Write as _;

/// A position in a file, for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// From 1.
    pub line: usize,
    /// From 1, in characters.
    pub column: usize,
    /// The line there, cut to 160 characters.
    pub excerpt: String,
    /// From 0, in bytes of the whole text.
    pub offset: usize,
}

/// Finding a place reads the text up to it; so that a config of nothing but faults costs linear time, only so many places
/// are told.
const MOST_PLACES: u32 = 256;

/// The mark that some editors put before UTF-8.
pub(crate) const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";
/// What is wrong with JSON that begins with it.
const MARKED: &str = "it begins with a byte order mark (U+FEFF), which JSON does not allow: save it as UTF-8 without one (`sed -i '1s/^\\xef\\xbb\\xbf//' FILE`)";

/// Why a text is no JSON, for messages.
#[cfg_attr(not(feature = "cli"), allow(dead_code, reason = "the command reads events"))]
pub(crate) fn not_json(text: &[u8], error: &serde_json::Error) -> String {
    if text.starts_with(BYTE_ORDER_MARK) { MARKED.to_owned() } else { error.to_string() }
}

/// A named text.
#[derive(Clone, Debug)]
pub struct Source<'a> {
    /// Usually a file name.
    pub name: &'a str,
    /// Its bytes.
    pub text: &'a [u8],
    places_left: Cell<u32>,
}

impl<'a> Source<'a> {
    /// `text` under the name that messages show.
    pub const fn new(name: &'a str, text: &'a [u8]) -> Self {
        Self { name, text, places_left: Cell::new(MOST_PLACES) }
    }

    /// The position of the byte at `offset`.
    pub fn place(&self, offset: usize) -> Place {
        let before = self.text.get(..offset).unwrap_or(self.text);
        let start = memchr::memrchr(b'\n', before).map_or(0, |newline| newline + 1);
        let line = memchr::memchr_iter(b'\n', before).count() + 1;
        let column = String::from_utf8_lossy(before.get(start..).unwrap_or_default()).chars().count() + 1;
        let rest = self.text.get(start..).unwrap_or_default();
        let end = rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len());
        let excerpt = String::from_utf8_lossy(rest.get(..end).unwrap_or(rest)).chars().take(160).collect();
        Place { line, column, excerpt, offset }
    }

    /// A problem at `offset`; `None` where the value did not come from this text.
    pub fn problem(&self, offset: Option<usize>, message: impl Into<String>) -> ConfigProblem {
        ConfigProblem {
            file: self.name.to_owned(),
            place: offset.filter(|_| self.takes_place()).map(|offset| self.place(offset)),
            field: None,
            message: message.into(),
        }
    }

    fn takes_place(&self) -> bool {
        let left = self.places_left.get();
        self.places_left.set(left.saturating_sub(1));
        left > 0
    }

    /// The text as JSON; the problem's message starts with `prefix`.
    pub fn json(&self, prefix: &str) -> Result<Node, ConfigProblem> {
        if self.text.starts_with(BYTE_ORDER_MARK) {
            return Err(self.problem(Some(0), format!("{prefix}{MARKED}")));
        }
        if let Err(error) = serde_json::from_slice::<Check>(self.text) {
            let line = self.text.split_inclusive(|&byte| byte == b'\n').take(error.line().saturating_sub(1));
            let offset = line.map(<[u8]>::len).sum::<usize>() + error.column().saturating_sub(1);
            let text = error.to_string();
            let why = text.rsplit_once(" at line ").map_or(text.as_str(), |(why, _)| why);
            let is_comment = self
                .text
                .get(offset..)
                .is_some_and(|rest| rest.starts_with(b"//") || rest.starts_with(b"/*"));
            let hint = if is_comment { ": JSON has no comments" } else { "" };
            return Err(self.problem(Some(offset), format!("{prefix}{why}{hint}")));
        }
        Ok(Walk { text: self.text, at: 0 }.node())
    }
}

/// A value that is read as [`Value`] is, and not kept.
struct Check;

impl<'de> Deserialize<'de> for Check {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Self)
    }
}

impl<'de> Visitor<'de> for Check {
    type Value = Self;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("any valid JSON value")
    }

    fn visit_unit<E>(self) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_str<E>(self, _: &str) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self, A::Error> {
        while items.next_element::<Self>()?.is_some() {}
        Ok(self)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Self, A::Error> {
        while members.next_entry::<Self, Self>()?.is_some() {}
        Ok(self)
    }
}

/// A value and where it stands.
#[derive(Clone, Debug)]
pub struct Node {
    /// Byte offset of its first byte; `None` for a value that came from elsewhere than a file.
    pub at: Option<usize>,
    /// What it is.
    pub kind: NodeKind,
}

/// See [`Node`].
#[derive(Clone, Debug)]
pub enum NodeKind {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// Any number.
    Number(Number),
    /// A string, decoded.
    String(String),
    /// The elements.
    Array(Vec<Node>),
    /// The members in order, doubles kept.
    Object(Vec<Member>),
}

/// A member of an object.
#[derive(Clone, Debug)]
pub struct Member {
    /// Its key.
    pub name: String,
    /// Where the key stands.
    pub at: Option<usize>,
    /// Its value.
    pub value: Node,
}

impl Node {
    /// A value that came from elsewhere than a file. Nesting is that of the value, which `serde_json` bounds.
    pub fn from_value(value: &Value) -> Self {
        let kind = match value {
            Value::Null => NodeKind::Null,
            Value::Bool(value) => NodeKind::Bool(*value),
            Value::Number(number) => NodeKind::Number(number.clone()),
            Value::String(text) => NodeKind::String(text.clone()),
            Value::Array(items) => NodeKind::Array(items.iter().map(Self::from_value).collect()),
            Value::Object(map) => NodeKind::Object(
                map.iter()
                    .map(|(name, value)| Member {
                        name: name.clone(),
                        at: None,
                        value: Self::from_value(value),
                    })
                    .collect(),
            ),
        };
        Self { at: None, kind }
    }

    /// The value without places.
    pub fn to_value(&self) -> Value {
        match &self.kind {
            NodeKind::Null => Value::Null,
            NodeKind::Bool(value) => Value::Bool(*value),
            NodeKind::Number(number) => Value::Number(number.clone()),
            NodeKind::String(text) => Value::String(text.clone()),
            NodeKind::Array(items) => items.iter().map(Self::to_value).collect(),
            NodeKind::Object(members) => {
                let pairs = members.iter().map(|member| (member.name.clone(), member.value.to_value()));
                Value::Object(pairs.collect::<Map<_, _>>())
            }
        }
    }

    /// The member of that name (the last one, as `serde_json` has it) unless it is `null`.
    pub fn get(&self, name: &str) -> Option<&Self> {
        let value = &self.members().iter().rfind(|member| member.name == name)?.value;
        (!matches!(value.kind, NodeKind::Null)).then_some(value)
    }

    /// The members; empty for anything but an object.
    pub fn members(&self) -> &[Member] {
        match &self.kind {
            NodeKind::Object(members) => members,
            _ => &[],
        }
    }

    /// The path from here to the value, or the key, that stands at `offset`: `hooks.PreToolUse[0].matcher`; `None` for this
    /// value itself, and where there is nothing.
    pub fn path_at(&self, offset: usize) -> Option<String> {
        let mut path = String::new();
        let mut node = self;
        loop {
            // What stands last of those that begin at or before the offset has it in it.
            let begins = |at: Option<usize>| at.is_some_and(|at| at <= offset);
            match &node.kind {
                NodeKind::Array(items) => {
                    let index = items.iter().rposition(|item| begins(item.at))?;
                    let _ = write!(path, "[{index}]");
                    node = items.get(index)?;
                }
                NodeKind::Object(members) => {
                    let member = members.iter().rfind(|member| begins(member.at))?;
                    let separator = if path.is_empty() { "" } else { "." };
                    let _ = write!(path, "{separator}{}", member.name);
                    if member.at == Some(offset) {
                        return Some(path);
                    }
                    node = &member.value;
                }
                _ => return None,
            }
            if node.at == Some(offset) {
                return Some(path);
            }
        }
    }

    /// The elements, if this is an array.
    pub fn as_array(&self) -> Option<&[Self]> {
        match &self.kind {
            NodeKind::Array(items) => Some(items),
            _ => None,
        }
    }

    /// The text, if this is a string.
    pub fn as_str(&self) -> Option<&str> {
        match &self.kind {
            NodeKind::String(text) => Some(text),
            _ => None,
        }
    }

    /// Whether this is an object.
    pub const fn is_object(&self) -> bool {
        matches!(self.kind, NodeKind::Object(_))
    }

    /// What it is, for messages: `a string`.
    pub const fn describe(&self) -> &'static str {
        match self.kind {
            NodeKind::Null => "null",
            NodeKind::Bool(_) => "a boolean",
            NodeKind::Number(_) => "a number",
            NodeKind::String(_) => "a string",
            NodeKind::Array(_) => "an array",
            NodeKind::Object(_) => "an object",
        }
    }
}

struct Walk<'a> {
    text: &'a [u8],
    at: usize,
}

impl Walk<'_> {
    fn peek(&mut self) -> u8 {
        while let Some(&byte) = self.text.get(self.at) {
            if !byte.is_ascii_whitespace() {
                return byte;
            }
            self.at += 1;
        }
        0
    }

    /// The next value. Recursion is bounded: the text was accepted by `serde_json`, which stops at 128 levels.
    fn node(&mut self) -> Node {
        let first = self.peek();
        let start = self.at;
        let kind = match first {
            b'{' => self.object(),
            b'[' => self.array(),
            b'"' => NodeKind::String(self.string()),
            _ => self.scalar(),
        };
        Node { at: Some(start), kind }
    }

    fn object(&mut self) -> NodeKind {
        let mut members = Vec::new();
        self.at += 1;
        while self.peek() == b'"' {
            let at = Some(self.at);
            let name = self.string();
            self.skip(b':');
            let value = self.node();
            members.push(Member { name, at, value });
            self.skip(b',');
        }
        self.skip(b'}');
        NodeKind::Object(members)
    }

    fn array(&mut self) -> NodeKind {
        let mut items = Vec::new();
        self.at += 1;
        while !matches!(self.peek(), b']' | 0) {
            items.push(self.node());
            self.skip(b',');
        }
        self.skip(b']');
        NodeKind::Array(items)
    }

    fn skip(&mut self, byte: u8) {
        if self.peek() == byte {
            self.at += 1;
        }
    }

    fn string(&mut self) -> String {
        let start = self.at;
        self.at += 1;
        while let Some(&byte) = self.text.get(self.at) {
            self.at += 1;
            match byte {
                b'\\' => self.at += 1,
                b'"' => break,
                _ => {}
            }
        }
        self.decode(start)
    }

    fn scalar(&mut self) -> NodeKind {
        let start = self.at;
        while let Some(&byte) = self.text.get(self.at) {
            if byte.is_ascii_whitespace() || matches!(byte, b',' | b']' | b'}') {
                break;
            }
            self.at += 1;
        }
        self.at = self.at.max(start + 1); // always forward, whatever the text
        match self.decode::<Value>(start) {
            Value::Bool(value) => NodeKind::Bool(value),
            Value::Number(number) => NodeKind::Number(number),
            _ => NodeKind::Null,
        }
    }

    fn decode<T: serde::de::DeserializeOwned + Default>(&self, start: usize) -> T {
        let text = self.text.get(start..self.at).unwrap_or_default();
        serde_json::from_slice(text).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_know_their_place() {
        let source = Source::new("f", b"{\n  \"a\": [1, {\"\\u00e9\": \"x\\\"y\"}],\n  \"b\": null }");
        let node = source.json("").unwrap();
        let item = &node.get("a").unwrap().as_array().unwrap()[1];
        let text = item.get("é").unwrap();
        assert_eq!(text.as_str(), Some("x\"y"));
        let place = source.place(text.at.unwrap());
        assert_eq!((place.line, place.column), (2, 23));
        assert!(node.get("b").is_none());
        assert_eq!(node.to_value(), serde_json::from_slice::<Value>(source.text).unwrap());
    }

    #[test]
    fn a_place_has_a_path() {
        let source = Source::new("f", br#"{"hooks": {"A": [{"m": 1}, {"m": {"x": []}}]}, "b": null }"#);
        let node = source.json("").unwrap();
        for (text, path) in [
            ("{\"x\"", Some("hooks.A[1].m")),
            ("\"x\"", Some("hooks.A[1].m.x")),
            ("[]", Some("hooks.A[1].m.x")),
            ("{\"m\": 1", Some("hooks.A[0]")),
            ("null", Some("b")),
            ("{\"hooks", None),
            (" }", None),
        ] {
            let offset = source.text.windows(text.len()).position(|part| part == text.as_bytes()).unwrap();
            assert_eq!(node.path_at(offset).as_deref(), path, "{text}");
        }
    }

    #[test]
    fn a_syntax_error_names_line_and_column() {
        let source = Source::new("hooks.json", b"{\n \"a\": ,\n}");
        let problem = source.json("parse failed: ").unwrap_err();
        assert_eq!(problem.to_string(), "hooks.json:2:7: parse failed: expected value");
        let deep = vec![b'['; 100_000];
        assert!(Source::new("f", &deep).json("").is_err());
    }
}
