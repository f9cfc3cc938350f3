//! `Json`: a shared JSON value. Cloning is a reference count; the first write to a shared one copies it.
//!
//! Tool arguments and results may be large and pass through every hook of a chain; only a rewrite may copy them. What a script
//! printed may be a tree of a hundred thousand values, which takes some milliseconds to drop: that is done elsewhere.

use crate::limit::worker;
pub(crate) use crate::visible::cut;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};
use std::ops::Deref;
use std::sync::Arc;

/// An immutable-by-default JSON value, cheap to clone.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Json(Arc<Tree>);

/// A value, and whether to drop it takes long.
#[derive(Clone, Debug, Default)]
struct Tree {
    value: Value,
    is_large: bool,
}

/// Values of objects and lists from which on one is large: they are dropped in some tenths of a millisecond.
const LARGE: usize = 4096;

impl PartialEq for Tree {
    fn eq(&self, other: &Self) -> bool {
        self.value == other.value
    }
}

impl Drop for Tree {
    fn drop(&mut self) {
        if self.is_large {
            worker::discard(std::mem::take(&mut self.value));
        }
    }
}

impl Json {
    /// A value that may be large, as one that a script made. One that is, and that was made on a thread of the crate, is also
    /// dropped on one.
    pub(crate) fn of_any_size(value: Value) -> Self {
        let mut left = LARGE;
        let is_large = worker::is_current() && has_many(&value, &mut left);
        Self(Arc::new(Tree { value, is_large }))
    }

    /// The value for writing; copied first if it is shared.
    pub fn make_mut(&mut self) -> &mut Value {
        &mut Arc::make_mut(&mut self.0).value
    }

    /// The value itself; no copy when this is the only reference.
    pub fn into_value(self) -> Value {
        match Arc::try_unwrap(self.0) {
            Ok(mut tree) => {
                tree.is_large = false;
                std::mem::take(&mut tree.value)
            }
            Err(shared) => shared.value.clone(),
        }
    }
}

/// Whether there are more values than are `left`.
fn has_many(value: &Value, left: &mut usize) -> bool {
    let below = |value: &Value| match left.checked_sub(1) {
        None => true,
        Some(fewer) => {
            *left = fewer;
            matches!(value, Value::Array(_) | Value::Object(_)) && has_many(value, left)
        }
    };
    match value {
        Value::Array(items) => items.iter().any(below),
        Value::Object(members) => members.values().any(below),
        _ => false,
    }
}

impl From<Value> for Json {
    fn from(value: Value) -> Self {
        Self(Arc::new(Tree { value, is_large: false }))
    }
}

impl Deref for Json {
    type Target = Value;
    fn deref(&self) -> &Value {
        &self.0.value
    }
}

impl Serialize for Json {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.value.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Value::deserialize(deserializer).map(Self::from)
    }
}

/// Bytes of a value's text, about: strings without escapes, numbers and words of four.
pub(super) fn text_length(value: &Value) -> usize {
    let of_parts = |parts: &mut dyn Iterator<Item = usize>| parts.fold(2, usize::saturating_add);
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => 4,
        Value::String(text) => text.len().saturating_add(2),
        Value::Array(items) => of_parts(&mut items.iter().map(|item| text_length(item).saturating_add(1))),
        Value::Object(members) => {
            let member = |(name, value): (&String, &Value)| text_length(value).saturating_add(name.len() + 4);
            of_parts(&mut members.iter().map(member))
        }
    }
}

/// Bytes of memory that a value takes beside itself.
pub(crate) fn memory(value: &Value) -> u64 {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
        Value::String(text) => text.capacity() as u64,
        Value::Array(items) => {
            let own = (items.capacity() * size_of::<Value>()) as u64;
            items.iter().map(memory).fold(own, u64::saturating_add)
        }
        Value::Object(members) => map_memory(members),
    }
}

/// The same of an object's members.
pub(crate) fn map_memory(members: &Map<String, Value>) -> u64 {
    let parts = members.iter().map(|(name, value)| name.capacity() as u64 + memory(value));
    parts.fold(members_memory(members.len() as u64), u64::saturating_add)
}

/// Bytes that an object of so many members takes beside their names and what their values take.
pub(super) fn members_memory(count: u64) -> u64 {
    // A table of places, of which an eighth stays empty, and the members in order with their hashes.
    let (places, room) = match count {
        0 => return 0,
        1..=3 => (4, 3),
        4..=7 => (8, 7),
        _ => {
            let places = count.saturating_mul(8).div_ceil(7).next_power_of_two();
            (places, places / 8 * 7)
        }
    };
    let member = (size_of::<u64>() + size_of::<String>() + size_of::<Value>()) as u64;
    places.saturating_mul(9).saturating_add(room * member + 16)
}

/// Bytes that a list takes to which so many items were added, beside what these take.
pub(super) fn items_memory(count: u64) -> u64 {
    const FEWEST: u64 = 4;
    match count {
        0 => 0,
        _ => count.next_power_of_two().max(FEWEST).saturating_mul(size_of::<Value>() as u64),
    }
}

/// Appends `value` as compact JSON.
pub(crate) fn append_json<T: Serialize + ?Sized>(out: &mut Vec<u8>, value: &T) {
    // Values and strings always encode and a vector takes every byte, so there is no error to pass on.
    let _ = serde_json::to_writer(out, value);
}

/// Appends `value` as compact JSON; faster than [`append_json`] where texts are long. Depth is that of the value.
pub(crate) fn append_value(out: &mut Vec<u8>, value: &Value) {
    match value {
        Value::String(text) => append_text(out, text),
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                out.push(if index == 0 { b'[' } else { b',' });
                append_value(out, item);
            }
            out.extend_from_slice(if items.is_empty() { b"[]" } else { b"]" });
        }
        Value::Object(members) => append_members(out, members),
        other => append_json(out, other),
    }
}

/// [`append_value`] with the members of objects in the order of their names, so that equal values have equal texts.
pub(crate) fn append_sorted(out: &mut Vec<u8>, value: &Value) {
    match value {
        Value::Object(members) => {
            let mut sorted: Vec<_> = members.iter().collect();
            sorted.sort_unstable_by_key(|(name, _)| *name);
            for (index, (name, value)) in sorted.into_iter().enumerate() {
                out.push(if index == 0 { b'{' } else { b',' });
                append_text(out, name);
                out.push(b':');
                append_sorted(out, value);
            }
            out.extend_from_slice(if members.is_empty() { b"{}" } else { b"}" });
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                out.push(if index == 0 { b'[' } else { b',' });
                append_sorted(out, item);
            }
            out.extend_from_slice(if items.is_empty() { b"[]" } else { b"]" });
        }
        other => append_value(out, other),
    }
}

/// [`append_value`] of an object.
pub(crate) fn append_members(out: &mut Vec<u8>, members: &Map<String, Value>) {
    let mut object = ObjectWriter::new(out);
    for (name, value) in members {
        object.put_any(name, value);
    }
    object.end();
}

/// Bytes of a text that are looked at together.
const BLOCK: usize = 64;
/// Bytes of the longest escape, `\u001f`.
const LONGEST_ESCAPE: usize = 6;

/// How a byte stands in a JSON string: its first `length` bytes. All of them are copied, which is cheaper than to choose.
#[derive(Clone, Copy)]
struct Escape {
    bytes: [u8; LONGEST_ESCAPE],
    length: u8,
}

/// [`Escape`] of each byte. RFC 8259, section 7.
static ESCAPES: [Escape; 256] = {
    let mut all = [Escape { bytes: [0; LONGEST_ESCAPE], length: 1 }; 256];
    let mut byte = 0;
    while byte < all.len() {
        all[byte] = escape_of(byte as u8);
        byte += 1;
    }
    all
};

const fn escape_of(byte: u8) -> Escape {
    let short = match byte {
        b'"' | b'\\' => byte,
        b'\n' => b'n',
        b'\t' => b't',
        b'\r' => b'r',
        0x08 => b'b',
        0x0c => b'f',
        0x00..b' ' => {
            let digits = [b'0' + (byte >> 4), if byte & 15 < 10 { b'0' } else { b'a' - 10 } + (byte & 15)];
            return Escape { bytes: [b'\\', b'u', b'0', b'0', digits[0], digits[1]], length: 6 };
        }
        _ => return Escape { bytes: [byte, 0, 0, 0, 0, 0], length: 1 },
    };
    Escape { bytes: [b'\\', short, 0, 0, 0, 0], length: 2 }
}

/// Appends `text` as a JSON string.
pub(crate) fn append_text(out: &mut Vec<u8>, text: &str) {
    let is_special = |byte: u8| byte < b' ' || matches!(byte, b'"' | b'\\');
    out.reserve(text.len() + 2);
    out.push(b'"');
    for block in text.as_bytes().chunks(BLOCK) {
        // All bytes are looked at, so that several are at a time.
        if block.iter().fold(false, |special, &byte| special | is_special(byte)) {
            append_escaped(out, block);
        } else {
            out.extend_from_slice(block);
        }
    }
    out.push(b'"');
}

/// Appends a block of a JSON string.
fn append_escaped(out: &mut Vec<u8>, block: &[u8]) {
    let mut escaped = [0; BLOCK * LONGEST_ESCAPE];
    let mut length = 0;
    for &byte in block {
        let escape = ESCAPES[usize::from(byte)];
        if let Some(place) = escaped.get_mut(length..length + LONGEST_ESCAPE) {
            place.copy_from_slice(&escape.bytes);
        }
        length += usize::from(escape.length);
    }
    out.extend_from_slice(escaped.get(..length).unwrap_or(&[]));
}

/// Writes one JSON object, member by member.
pub(crate) struct ObjectWriter<'a> {
    out: &'a mut Vec<u8>,
    empty: bool,
}

impl<'a> ObjectWriter<'a> {
    /// A writer that appends to `out`.
    pub(crate) const fn new(out: &'a mut Vec<u8>) -> Self {
        Self { out, empty: true }
    }

    /// Appends a member whose name is plain: letters, digits and `_`. Names are not checked for doubles.
    pub(crate) fn put<T: serde::Serialize + ?Sized>(&mut self, name: &str, value: &T) {
        self.name(name);
        append_json(self.out, value);
    }

    /// Appends a member whose value is put in later; where it belongs.
    pub(crate) fn put_later(&mut self, name: &str) -> usize {
        self.name(name);
        self.out.len()
    }

    /// Appends a member that is an object, to be written and ended before the next one.
    pub(crate) fn put_object(&mut self, name: &str) -> ObjectWriter<'_> {
        self.name(name);
        ObjectWriter::new(self.out)
    }

    /// [`ObjectWriter::put`] of what may not be there.
    pub(crate) fn put_some<T: serde::Serialize>(&mut self, name: &str, value: Option<T>) {
        if let Some(value) = value {
            self.put(name, &value);
        }
    }

    /// [`ObjectWriter::put`] of a string.
    pub(crate) fn put_text(&mut self, name: &str, text: &str) {
        self.name(name);
        append_text(self.out, text);
    }

    fn name(&mut self, name: &str) {
        debug_assert!(name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_'));
        self.out.extend_from_slice(if self.empty { b"{\"" } else { b",\"" });
        self.empty = false;
        self.out.extend_from_slice(name.as_bytes());
        self.out.extend_from_slice(b"\":");
    }

    /// [`ObjectWriter::put`] of a value.
    pub(crate) fn put_value(&mut self, name: &str, value: &Value) {
        self.name(name);
        append_value(self.out, value);
    }

    /// Appends a member of any name.
    pub(crate) fn put_any(&mut self, name: &str, value: &Value) {
        self.out.push(if self.empty { b'{' } else { b',' });
        self.empty = false;
        append_text(self.out, name);
        self.out.push(b':');
        append_value(self.out, value);
    }

    /// Closes the object.
    pub(crate) fn end(self) {
        self.out.extend_from_slice(if self.empty { b"{}" } else { b"}" });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_write_leaves_the_other_owner_alone() {
        let first = Json::from(serde_json::json!({"a": 1}));
        let mut second = first.clone();
        second.make_mut()["a"] = 2.into();
        assert_eq!((first["a"].as_i64(), second["a"].as_i64()), (Some(1), Some(2)));
    }

    #[test]
    fn values_are_written_as_serde_json_does() {
        for text in [
            r#"{"a\"b":["x\ny",1,-0.5,1e300,true,null,[],{}],"":{"\u00e9\u0001":"\u007f/<&>\u2028"}}"#,
            r#""""#,
            "[[[]],[{}]]",
            "12345678901234567890",
        ] {
            let value: Value = serde_json::from_str(text).unwrap();
            let mut out = Vec::new();
            append_value(&mut out, &value);
            assert_eq!(String::from_utf8(out).unwrap(), value.to_string());
        }
    }

    #[test]
    fn texts_are_written_as_serde_json_does_wherever_a_block_ends() {
        let all: String = (0..0x100).filter_map(char::from_u32).chain(['\u{2028}', '\u{1f600}']).collect();
        for start in 0..2 * BLOCK {
            let text = format!("{}{all}{all}", "a".repeat(start));
            let mut out = Vec::new();
            append_text(&mut out, &text);
            assert_eq!(String::from_utf8(out).unwrap(), serde_json::to_string(&text).unwrap());
        }
    }

    #[test]
    fn a_cut_keeps_whole_characters() {
        assert_eq!(cut("aé", 2), "a");
        assert_eq!(cut("aé", 3), "aé");
        assert_eq!(cut("", 80), "");
    }
}
