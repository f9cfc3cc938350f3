//! [`JsonReader`]: JSON texts from bytes, one value after another, as jq reads them.
//!
//! Open containers lie on a stack of the reader's own, so that reading can stop at any token and go on later: when the
//! rest of a value has not arrived yet, or when the turn is over. Where the text is not as expected, `diagnose.rs`
//! scans the same value again, as jq's own parser does, to word the error and to find its line and column. Accepted beyond JSON:
//! numbers such as `01`, `.5`, `+1`, `NaN`, `-Infinity`; invalid UTF-8 becomes U+FFFD; values need no space between.

use super::diagnose;
use super::job::PIECE;
use super::number::Number;
use super::object::Object;
use super::text::{Text, push_replaced, text_end, text_of};
use super::value::{Array, MAX_DEPTH, Value};
use super::work::{Stop, Work};
use crate::memory::{String, Vec, format};

/// Containers inside each other that a JSON text may have.
pub(crate) const DEPTH_LIMIT: usize = MAX_DEPTH;

/// Why no value could be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ReadError {
    /// jq's words with line and column; jq prints `jq: parse error: TEXT` and exits 5.
    Syntax(String),
    /// The run is over.
    Stopped(Stop),
}

impl From<Stop> for ReadError {
    fn from(stop: Stop) -> Self {
        ReadError::Stopped(stop)
    }
}

/// How far reading came.
#[derive(Debug)]
pub(crate) enum Progress {
    /// A value, and how many bytes it took with the space before it.
    Value(Value, usize),
    /// There is no value, only so many bytes of space.
    Blank(usize),
    /// The value goes on after these bytes: call again with the same bytes and more.
    More,
    /// The turn is over: call again with the same bytes.
    Paused,
}

/// The text is not what the grammar wants; `diagnose.rs` words it.
struct Unexpected;

/// Why a step ends the call.
enum Break {
    Unexpected,
    Stopped(Stop),
    More,
}

impl From<Stop> for Break {
    fn from(stop: Stop) -> Self {
        Break::Stopped(stop)
    }
}

impl From<Unexpected> for Break {
    fn from(_: Unexpected) -> Self {
        Break::Unexpected
    }
}

/// A container that is being read.
#[derive(Debug)]
enum Open {
    Array(Vec<Value>),
    /// With the key whose value is being read.
    Object(Object, Text),
}

/// What comes next.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Expected {
    Value,
    /// A value or `]`.
    FirstItem,
    Key,
    /// A key or `}`.
    FirstKey,
    Colon,
    /// A comma or the closing bracket.
    Separator,
    /// The rest of a string; what was read of it is in `scratch`.
    String {
        is_key: bool,
    },
    /// The end of a string in which something is wrong.
    WrongString,
}

/// Reads values from bytes that may arrive piece by piece.
#[derive(Debug)]
pub(crate) struct JsonReader {
    at: usize,
    stack: Vec<Open>,
    /// Open containers and the keys that wait for the values in them.
    depth: usize,
    expected: Expected,
    keys: Vec<Option<Text>>,
    /// Keys that were not found among `keys`.
    new_keys: usize,
    scratch: String,
    may_pause: bool,
}

/// Recently seen keys that are kept, so that equal keys of many objects share one allocation.
const KEYS: usize = 64;
/// New keys after which keys are kept: a small text is read before it would pay.
const FEW_KEYS: usize = 8;
/// The longest escape, `\ud83d\ude00`.
const LONGEST_ESCAPE: usize = 12;

impl Default for JsonReader {
    fn default() -> Self {
        JsonReader {
            at: 0,
            stack: Vec::new(),
            depth: 0,
            expected: Expected::Value,
            keys: Vec::new(),
            new_keys: 0,
            scratch: String::new(),
            may_pause: true,
        }
    }
}

impl JsonReader {
    /// A reader that never pauses, for callers that cannot.
    pub(crate) fn steady() -> Self {
        JsonReader { may_pause: false, ..JsonReader::default() }
    }

    /// Reads the value at the start of `bytes`. `ended`: nothing follows them. `base`: line and column before them,
    /// counted from 0, for messages.
    ///
    /// # Errors
    /// A syntax error, or `Stop`; the reader is of no use after either.
    pub(crate) fn read(
        &mut self,
        bytes: &[u8],
        ended: bool,
        base: (usize, usize),
        work: &mut Work<'_>,
    ) -> Result<Progress, ReadError> {
        if self.stack.is_empty() && self.expected == Expected::Value {
            self.at = bytes.len() - trimmed(bytes).len();
            if self.at >= bytes.len() {
                return Ok(Progress::Blank(std::mem::take(&mut self.at)));
            }
        }
        loop {
            if work.is_due() && self.may_pause {
                return Ok(Progress::Paused);
            }
            match self.step(bytes, ended, work) {
                Ok(None) => {}
                Ok(Some(value)) => {
                    self.expected = Expected::Value;
                    // jq takes a literal at the next character; if that is wrong, the literal is lost.
                    if !matches!(value, Value::String(_) | Value::Array(_) | Value::Object(_))
                        && matches!(bytes.get(self.at), Some(b',' | b':' | b']' | b'}'))
                    {
                        return Err(ReadError::Syntax(diagnose::diagnose(bytes, base)));
                    }
                    return Ok(Progress::Value(value, std::mem::take(&mut self.at)));
                }
                Err(Break::More) if !ended => return Ok(Progress::More),
                Err(Break::Stopped(stop)) => return Err(ReadError::Stopped(stop)),
                Err(Break::More | Break::Unexpected) => {
                    return Err(ReadError::Syntax(diagnose::diagnose(bytes, base)));
                }
            }
        }
    }

    /// One token; the outermost value when it is complete.
    fn step(&mut self, bytes: &[u8], ended: bool, work: &mut Work<'_>) -> Result<Option<Value>, Break> {
        if self.expected == Expected::WrongString {
            self.wrong_string(bytes)?;
        }
        if let Expected::String { is_key } = self.expected {
            if !self.string_rest(bytes, ended, work)? {
                return Ok(None);
            }
            let text = Text::from(std::mem::take(&mut self.scratch));
            return Ok(self.text(text, is_key));
        }
        while let Some(b' ' | b'\n' | b'\t' | b'\r') = bytes.get(self.at) {
            self.at += 1;
        }
        let Some(&byte) = bytes.get(self.at) else { return Err(Break::More) };
        match (self.expected, byte) {
            (Expected::FirstItem, b']') | (Expected::FirstKey, b'}') => {
                self.at += 1;
                Ok(self.close())
            }
            (Expected::Key | Expected::FirstKey, b'"') => Ok(self.key(bytes)),
            (Expected::Colon, b':') => {
                self.at += 1;
                self.expected = Expected::Value;
                Ok(None)
            }
            (Expected::Separator, _) => self.separator(byte),
            (Expected::Value | Expected::FirstItem, _) => {
                work.step()?;
                match byte {
                    b'"' => self.string(bytes, work),
                    b'[' => self.open(Open::Array(Vec::new()), Expected::FirstItem),
                    b'{' => self
                        .open(Open::Object(Object::with_capacity(4), Text::Static("")), Expected::FirstKey),
                    _ => {
                        let rest = bytes.get(self.at..).unwrap_or_default();
                        let length = rest.iter().take_while(|&&byte| !is_delimiter(byte)).count();
                        if length == rest.len() && !ended {
                            return Err(Break::More);
                        }
                        let value =
                            literal_value(rest.get(..length).unwrap_or_default()).ok_or(Unexpected)?;
                        self.at += length;
                        Ok(self.complete(value))
                    }
                }
            }
            _ => Err(Break::Unexpected),
        }
    }

    fn open(&mut self, container: Open, expected: Expected) -> Result<Option<Value>, Break> {
        // A key that waits for its value counts as well.
        let keys = usize::from(matches!(self.stack.last(), Some(Open::Object(..))));
        if self.depth + keys >= DEPTH_LIMIT {
            return Err(Break::Unexpected);
        }
        self.depth += 1 + keys;
        self.at += 1;
        self.stack.push(container);
        self.expected = expected;
        Ok(None)
    }

    fn close(&mut self) -> Option<Value> {
        let closed = self.stack.pop()?;
        let keys = usize::from(matches!(self.stack.last(), Some(Open::Object(..))));
        self.depth = self.depth.saturating_sub(1 + keys);
        match closed {
            Open::Array(items) if items.is_empty() => self.complete(Value::Array(Array::default())),
            Open::Array(items) => self.complete(Value::array(items)),
            Open::Object(object, _) => self.complete(Value::Object(object)),
        }
    }

    fn separator(&mut self, byte: u8) -> Result<Option<Value>, Break> {
        match (self.stack.last(), byte) {
            (Some(Open::Array(_)), b',') => self.expected = Expected::Value,
            (Some(Open::Object(..)), b',') => self.expected = Expected::Key,
            (Some(Open::Array(_)), b']') | (Some(Open::Object(..)), b'}') => {
                self.at += 1;
                return Ok(self.close());
            }
            _ => return Err(Break::Unexpected),
        }
        self.at += 1;
        Ok(None)
    }

    /// Puts a complete value into its container; the value itself where it is the outermost.
    fn complete(&mut self, value: Value) -> Option<Value> {
        self.expected = Expected::Separator;
        match self.stack.last_mut() {
            None => return Some(value),
            Some(Open::Array(items)) => items.push(value),
            Some(Open::Object(object, key)) => object.insert(std::mem::take(key), value),
        }
        None
    }

    fn text(&mut self, text: Text, is_key: bool) -> Option<Value> {
        if !is_key {
            return self.complete(Value::String(text));
        }
        if let Some(Open::Object(_, key)) = self.stack.last_mut() {
            *key = text;
        }
        self.expected = Expected::Colon;
        None
    }

    fn key(&mut self, bytes: &[u8]) -> Option<Value> {
        let rest = bytes.get(self.at + 1..).unwrap_or_default();
        let plain = plain_prefix(rest.get(..rest.len().min(PIECE)).unwrap_or(rest));
        let Some((raw, b'"')) = rest.get(..plain).zip(rest.get(plain).copied()) else {
            self.long_string(true);
            return None;
        };
        self.at += plain + 2;
        let edge = |byte: Option<&u8>| usize::from(byte.copied().unwrap_or(0));
        let place = (raw.len() + 3 * edge(raw.first()) + 7 * edge(raw.last())) % KEYS;
        if let Some(Some(known)) = self.keys.get(place)
            && known.as_str().as_bytes() == raw
        {
            let known = known.clone();
            return self.text(known, true);
        }
        let key = text_of(raw);
        self.new_keys += 1;
        if self.new_keys == FEW_KEYS {
            self.keys.resize(KEYS, None);
        }
        if let Some(slot) = self.keys.get_mut(place) {
            *slot = Some(key.clone());
        }
        self.text(key, true)
    }

    /// A string that is not a key; the position is at its opening quote.
    fn string(&mut self, bytes: &[u8], work: &mut Work<'_>) -> Result<Option<Value>, Break> {
        let rest = bytes.get(self.at + 1..).unwrap_or_default();
        let plain = plain_prefix(rest.get(..rest.len().min(PIECE)).unwrap_or(rest));
        if rest.get(plain) != Some(&b'"') {
            self.long_string(false);
            return Ok(None);
        }
        work.steps(plain / 256)?;
        self.at += plain + 2;
        let raw = rest.get(..plain).unwrap_or_default();
        Ok(self.complete(Value::String(text_of(raw))))
    }

    /// A string with escapes, or one that is not all there.
    fn long_string(&mut self, is_key: bool) {
        self.at += 1;
        self.scratch.clear();
        self.expected = Expected::String { is_key };
    }

    /// Reads some of the rest of a string into `scratch`; true when it is complete.
    fn string_rest(&mut self, bytes: &[u8], ended: bool, work: &mut Work<'_>) -> Result<bool, Break> {
        let rest = bytes.get(self.at..).unwrap_or_default();
        let window = rest.get(..rest.len().min(PIECE)).unwrap_or(rest);
        let plain = plain_prefix(window);
        work.steps(1 + plain / 64)?;
        if plain == window.len() {
            // More may follow: no character is cut.
            let end =
                if window.len() < rest.len() { text_end(rest, plain) } else { whole_characters(rest, ended) };
            push_replaced(rest.get(..end).unwrap_or_default(), false, &mut self.scratch);
            self.at += end;
            return if window.len() < rest.len() { Ok(false) } else { Err(Break::More) };
        }
        let is_last = window.get(plain) == Some(&b'"');
        push_replaced(rest.get(..plain).unwrap_or_default(), is_last, &mut self.scratch);
        self.at += plain;
        let rest = rest.get(plain..).unwrap_or_default();
        match rest.first() {
            Some(b'"') => {
                self.at += 1;
                Ok(true)
            }
            Some(b'\\') => match rest.get(1..).and_then(escape) {
                Some((character, length)) => {
                    self.at += 1 + length;
                    self.scratch.push(character);
                    Ok(false)
                }
                None if rest.len() < LONGEST_ESCAPE && !ended => Err(Break::More),
                None => self.wrong_string(bytes),
            },
            _ => self.wrong_string(bytes),
        }
    }
}

impl JsonReader {
    /// Looks for the end of a string that is known to be wrong: jq reads it whole before it looks at it.
    fn wrong_string(&mut self, bytes: &[u8]) -> Result<bool, Break> {
        self.expected = Expected::WrongString;
        while let Some(found) = memchr::memchr2(b'"', b'\\', bytes.get(self.at..).unwrap_or_default()) {
            self.at += found;
            match bytes.get(self.at..).unwrap_or_default() {
                [b'"', ..] => return Err(Break::Unexpected),
                [_, _, ..] => self.at += 2,
                // What the backslash stands before has not arrived.
                _ => return Err(Break::More),
            }
        }
        self.at = bytes.len();
        Err(Break::More)
    }
}

/// The bytes without a character at their end that may go on.
fn whole_characters(bytes: &[u8], ended: bool) -> usize {
    let last = bytes.len().saturating_sub(1);
    let lead = (last.saturating_sub(2)..=last)
        .rev()
        .find(|at| bytes.get(*at).is_some_and(|byte| byte & 0xc0 != 0x80));
    match lead {
        Some(lead) if !ended && bytes.get(lead).is_some_and(|byte| *byte >= 0xc0) => lead,
        _ => bytes.len(),
    }
}

/// `bytes` without the space at their start.
pub(super) fn trimmed(bytes: &[u8]) -> &[u8] {
    let space = bytes.iter().take_while(|byte| matches!(byte, b' ' | b'\n' | b'\t' | b'\r')).count();
    bytes.get(space..).unwrap_or_default()
}

/// Bytes that end a literal token.
pub(super) fn is_delimiter(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | b'[' | b'{' | b':' | b',' | b']' | b'}' | b'"')
}

/// The value of a token that is neither a string nor a bracket.
pub(super) fn literal_value(token: &[u8]) -> Option<Value> {
    match token {
        b"null" => Some(Value::Null),
        b"true" => Some(Value::Bool(true)),
        b"false" => Some(Value::Bool(false)),
        [b't' | b'f', ..] | [b'n', b'u', ..] => None,
        other => Number::parse(other).map(Value::Number),
    }
}

/// How many bytes of a string need no attention: up to a quote, a backslash or a control character.
pub(super) fn plain_prefix(bytes: &[u8]) -> usize {
    bytes.iter().position(|&byte| byte == b'"' || byte == b'\\' || byte < 0x20).unwrap_or(bytes.len())
}

/// The character an escape stands for and the bytes it takes, after its backslash.
pub(super) fn escape(rest: &[u8]) -> Option<(char, usize)> {
    let simple = |character| Some((character, 1));
    match rest.first()? {
        b'"' => simple('"'),
        b'\\' => simple('\\'),
        b'/' => simple('/'),
        b'b' => simple('\u{8}'),
        b'f' => simple('\u{c}'),
        b'n' => simple('\n'),
        b'r' => simple('\r'),
        b't' => simple('\t'),
        b'u' => {
            let high = hex(rest.get(1..5)?)?;
            if !(0xd800..0xdc00).contains(&high) {
                // A low surrogate alone is not a character.
                return Some((char::from_u32(high).unwrap_or('\u{fffd}'), 5));
            }
            let low = rest.get(5..7).filter(|mark| mark == b"\\u").and_then(|_| hex(rest.get(7..11)?))?;
            let offset = low.checked_sub(0xdc00).filter(|offset| *offset < 0x400)?;
            Some((char::from_u32(0x10000 + ((high - 0xd800) << 10) + offset)?, 11))
        }
        _ => None,
    }
}

/// The number of four hexadecimal digits.
pub(super) fn hex(digits: &[u8]) -> Option<u32> {
    digits.iter().try_fold(0_u32, |sum, &digit| Some(sum * 16 + char::from(digit).to_digit(16)?))
}

/// The words for a syntax error in a text that a filter reads.
pub(super) fn while_parsing(problem: &str, text: &str) -> String {
    // jq's text ends at a NUL.
    let shown = text.split('\0').next().unwrap_or_default();
    format!("{problem} (while parsing '{shown}')")
}

/// What may stand before a text.
pub(super) const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// All values of a text, without a pause.
///
/// # Errors
/// As [`JsonReader::read`].
pub(crate) fn read_all(text: &[u8], work: &mut Work<'_>) -> Result<Vec<Value>, ReadError> {
    let mut rest = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
    let mut base = (0, 0);
    let mut reader = JsonReader::steady();
    let mut values = Vec::new();
    loop {
        match reader.read(rest, true, base, work)? {
            Progress::Value(value, used) => {
                base = diagnose::moved(base, rest.get(..used).unwrap_or_default());
                rest = rest.get(used..).unwrap_or_default();
                values.push(value);
            }
            _ => return Ok(values),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::print;
    use super::*;

    #[test]
    fn reads_streams_of_values() {
        let text = b"1\"a\"[2 ,3]{\"a\":1,\"a\":[]}\ntrue 01 .5 1. +1 -NaN -0 \"\xff\\u00e9\"";
        let values = super::read_all(text, &mut Work::unbounded()).unwrap();
        let values: Vec<String> = values.iter().map(print::compact).collect();
        let expected = [
            "1",
            "\"a\"",
            "[2,3]",
            "{\"a\":[]}",
            "true",
            "1",
            "0.5",
            "1",
            "1",
            "null",
            "-0",
            "\"\u{fffd}é\"",
        ];
        assert!(values.iter().map(String::as_str).eq(expected), "{values:?}");
    }

    #[test]
    fn a_value_may_arrive_byte_by_byte() {
        let text = br#" {"a\u00e9":[1,-2.5e3,"x\ud83d\ude00y",{"b":{}},[]],"c":true,"d":null} "#;
        let mut reader = JsonReader::default();
        let mut work = Work::unbounded();
        let mut found = None;
        for end in 0..=text.len() {
            let progress = loop {
                match reader.read(&text[..end], end == text.len(), (0, 0), &mut work).unwrap() {
                    Progress::Paused => work.go_on(),
                    progress => break progress,
                }
            };
            match progress {
                Progress::Value(value, used) => {
                    found = Some((print::compact(&value), used));
                    break;
                }
                Progress::More | Progress::Blank(_) | Progress::Paused => {}
            }
        }
        let expected = r#"{"aé":[1,-2.5E+3,"x😀y",{"b":{}},[]],"c":true,"d":null}"#;
        assert_eq!(found, Some((expected.into(), text.len() - 1)));
    }
}
