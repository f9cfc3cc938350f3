//! [`Reader`]: JSON texts from bytes, one value after another, as jq 1.6 reads them.
//!
//! A recursive descent over valid text; where it meets anything unexpected, `diagnose.rs` scans the same value again
//! token by token, as jq's own parser does, to word the error and to find its line and column. Accepted beyond JSON:
//! numbers such as `01`, `.5`, `+1`, `NaN`, `-Infinity`; invalid UTF-8 becomes U+FFFD; values need no space between.

use super::diagnose;
use super::error::Stop;
use super::number;
use super::object::Object;
use super::text::Text;
use super::value::{Array, Value};
use super::work::Work;

/// Containers inside each other that a JSON text may have.
pub(crate) const DEPTH_LIMIT: usize = 256;

/// Why no value could be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ReadError {
    /// jq's words with line and column; jq prints `parse error: TEXT` and exits 2.
    Syntax(String),
    /// The guard ended the evaluation.
    Stopped(Stop),
}

impl From<Stop> for ReadError {
    fn from(stop: Stop) -> Self {
        ReadError::Stopped(stop)
    }
}

/// The fast parser met something it does not take: `diagnose.rs` knows better.
enum Fault {
    Unexpected,
    Stopped(Stop),
}

impl From<Stop> for Fault {
    fn from(stop: Stop) -> Self {
        Fault::Stopped(stop)
    }
}

/// Reads values from a text.
pub(crate) struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    keys: Box<[Option<Text>; KEYS]>,
    scratch: Vec<u8>,
}

/// Recently seen keys that are kept, so that equal keys of many objects share one allocation.
const KEYS: usize = 64;

impl<'a> Reader<'a> {
    /// Reads from the start of `bytes`; a byte order mark is skipped.
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        let at = if bytes.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
        Reader { bytes, at, keys: Box::new([const { None }; KEYS]), scratch: Vec::new() }
    }

    /// Bytes read so far.
    pub(crate) fn position(&self) -> usize {
        self.at
    }

    /// The next value, or `None` at the end.
    ///
    /// # Errors
    /// A syntax error, after which there are no more values, or `Stop`.
    pub(crate) fn read(&mut self, work: &mut Work<'_>) -> Result<Option<Value>, ReadError> {
        self.skip_space();
        if self.at >= self.bytes.len() {
            return Ok(None);
        }
        let start = self.at;
        match self.value(0, work) {
            // jq takes a literal at the next character; if that is wrong, the literal is lost.
            Ok(Value::Null | Value::Bool(_) | Value::Number(_))
                if matches!(self.peek(), Some(b',' | b':' | b']' | b'}')) =>
            {
                self.at = self.bytes.len();
                Err(ReadError::Syntax(diagnose::diagnose(self.bytes, start)))
            }
            Ok(value) => Ok(Some(value)),
            Err(Fault::Stopped(stop)) => Err(ReadError::Stopped(stop)),
            Err(Fault::Unexpected) => {
                self.at = self.bytes.len();
                Err(ReadError::Syntax(diagnose::diagnose(self.bytes, start)))
            }
        }
    }

    /// Reads over the next value, checking it as [`Reader::read`] does, and gives the member at the end of `path`
    /// (`null` where a key is missing), without building the rest. `None` at the end of the text; the inner `None` where
    /// the path leads into something that is not an object, so that the value has to be built after all.
    ///
    /// # Errors
    /// As [`Reader::read`].
    #[expect(clippy::option_option, reason = "the end of the text and a path that cannot be followed differ")]
    pub(crate) fn read_member(
        &mut self,
        path: &[Text],
        work: &mut Work<'_>,
    ) -> Result<Option<Option<Value>>, ReadError> {
        self.skip_space();
        if self.at >= self.bytes.len() {
            return Ok(None);
        }
        let start = self.at;
        match self.member(path, 0, work) {
            Ok(Some(value)) => Ok(Some(Some(value))),
            Ok(None) => {
                self.at = start;
                Ok(Some(None))
            }
            Err(Fault::Stopped(stop)) => Err(ReadError::Stopped(stop)),
            Err(Fault::Unexpected) => {
                self.at = self.bytes.len();
                Err(ReadError::Syntax(diagnose::diagnose(self.bytes, start)))
            }
        }
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn skip_space(&mut self) {
        while let Some(b' ' | b'\n' | b'\t' | b'\r') = self.peek() {
            self.at += 1;
        }
    }

    fn value(&mut self, depth: usize, work: &mut Work<'_>) -> Result<Value, Fault> {
        work.step()?;
        match self.peek() {
            Some(b'"') => {
                work.charge(48)?;
                Ok(Value::String(self.string(work)?))
            }
            Some(b'{') => self.object(depth + 1, work),
            Some(b'[') => self.array(depth + 1, work),
            Some(_) => self.literal(),
            None => Err(Fault::Unexpected),
        }
    }

    fn array(&mut self, depth: usize, work: &mut Work<'_>) -> Result<Value, Fault> {
        self.open(depth)?;
        let mut items = Vec::new();
        if self.closes(b']') {
            return Ok(Value::Array(Array::default()));
        }
        loop {
            work.charge(size_of::<Value>())?;
            items.push(self.value(depth, work)?);
            if self.separator(b']')? {
                return Ok(Value::array(items));
            }
        }
    }

    fn object(&mut self, depth: usize, work: &mut Work<'_>) -> Result<Value, Fault> {
        self.open(depth)?;
        if self.closes(b'}') {
            return Ok(Value::Object(Object::default()));
        }
        let mut object = Object::with_capacity(4);
        loop {
            work.charge(2 * size_of::<Value>())?;
            let key = self.key(work)?;
            let value = self.value(depth, work)?;
            object.insert(key, value);
            if self.separator(b'}')? {
                return Ok(Value::Object(object));
            }
        }
    }

    fn open(&mut self, depth: usize) -> Result<(), Fault> {
        if depth > DEPTH_LIMIT {
            return Err(Fault::Unexpected);
        }
        self.at += 1;
        self.skip_space();
        Ok(())
    }

    fn closes(&mut self, bracket: u8) -> bool {
        let closes = self.peek() == Some(bracket);
        self.at += usize::from(closes);
        closes
    }

    /// Takes a comma (false) or the closing bracket (true).
    fn separator(&mut self, bracket: u8) -> Result<bool, Fault> {
        self.skip_space();
        match self.peek() {
            Some(b',') => {
                self.at += 1;
                self.skip_space();
                Ok(false)
            }
            Some(byte) if byte == bracket => {
                self.at += 1;
                Ok(true)
            }
            _ => Err(Fault::Unexpected),
        }
    }

    fn colon(&mut self) -> Result<(), Fault> {
        self.skip_space();
        if self.peek() != Some(b':') {
            return Err(Fault::Unexpected);
        }
        self.at += 1;
        self.skip_space();
        Ok(())
    }

    fn key(&mut self, work: &mut Work<'_>) -> Result<Text, Fault> {
        if self.peek() != Some(b'"') {
            return Err(Fault::Unexpected);
        }
        let start = self.at + 1;
        let rest = self.bytes.get(start..).unwrap_or_default();
        let plain = plain_prefix(rest);
        let Some((raw, b'"')) = rest.get(..plain).zip(rest.get(plain).copied()) else {
            let key = self.string(work)?;
            self.colon()?;
            return Ok(key);
        };
        self.at = start + plain + 1;
        self.colon()?;
        let edge = |byte: Option<&u8>| usize::from(byte.copied().unwrap_or(0));
        let place = (raw.len() + 3 * edge(raw.first()) + 7 * edge(raw.last())) % KEYS;
        if let Some(Some(known)) = self.keys.get(place)
            && known.as_str().as_bytes() == raw
        {
            return Ok(known.clone());
        }
        work.charge(raw.len() + 32)?;
        let key = Text::from(&*String::from_utf8_lossy(raw));
        if let Some(slot) = self.keys.get_mut(place) {
            *slot = Some(key.clone());
        }
        Ok(key)
    }

    /// A string; the position is at its opening quote.
    fn string(&mut self, work: &mut Work<'_>) -> Result<Text, Fault> {
        let start = self.at + 1;
        let rest = self.bytes.get(start..).unwrap_or_default();
        let plain = plain_prefix(rest);
        work.steps(plain / 256)?;
        work.charge(plain)?;
        if rest.get(plain) == Some(&b'"') {
            self.at = start + plain + 1;
            let raw = rest.get(..plain).unwrap_or_default();
            return Ok(Text::from(&*String::from_utf8_lossy(raw)));
        }
        self.scratch.clear();
        self.at = start;
        loop {
            let rest = self.bytes.get(self.at..).unwrap_or_default();
            let plain = plain_prefix(rest);
            work.steps(1 + plain / 256)?;
            work.charge(plain)?;
            self.scratch.extend_from_slice(rest.get(..plain).unwrap_or_default());
            self.at += plain;
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(Text::from(&*String::from_utf8_lossy(&self.scratch)));
                }
                Some(b'\\') => {
                    let rest = self.bytes.get(self.at + 1..).unwrap_or_default();
                    let (character, length) = escape(rest).ok_or(Fault::Unexpected)?;
                    self.at += 1 + length;
                    self.scratch.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
                }
                _ => return Err(Fault::Unexpected),
            }
        }
    }

    fn literal(&mut self) -> Result<Value, Fault> {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let length = rest.iter().take_while(|&&byte| !is_delimiter(byte)).count();
        let token = rest.get(..length).unwrap_or_default();
        self.at += length;
        literal_value(token).ok_or(Fault::Unexpected)
    }

    fn member(&mut self, path: &[Text], depth: usize, work: &mut Work<'_>) -> Result<Option<Value>, Fault> {
        let Some((wanted, rest)) = path.split_first() else { return self.value(depth, work).map(Some) };
        match self.peek() {
            Some(b'{') => {}
            Some(b'n') => {
                self.literal()?;
                return Ok(Some(Value::Null));
            }
            _ => return Ok(None),
        }
        self.open(depth + 1)?;
        let mut found = Value::Null;
        if self.closes(b'}') {
            return Ok(Some(found));
        }
        loop {
            let raw = self.skip_string(work)?;
            self.colon()?;
            let is_wanted = match raw {
                Some(raw) => raw == wanted.as_str().as_bytes(),
                None => return Ok(None),
            };
            if is_wanted {
                // A key may come again: the last one counts.
                match self.member(rest, depth + 1, work)? {
                    Some(value) => found = value,
                    None => return Ok(None),
                }
            } else {
                self.skip_value(depth + 1, work)?;
            }
            if self.separator(b'}')? {
                return Ok(Some(found));
            }
        }
    }

    fn skip_value(&mut self, depth: usize, work: &mut Work<'_>) -> Result<(), Fault> {
        work.step()?;
        let bracket = match self.peek() {
            Some(b'"') => return self.skip_string(work).map(|_| ()),
            Some(b'{') => b'}',
            Some(b'[') => b']',
            Some(_) => return self.literal().map(|_| ()),
            None => return Err(Fault::Unexpected),
        };
        self.open(depth + 1)?;
        if self.closes(bracket) {
            return Ok(());
        }
        loop {
            if bracket == b'}' {
                self.skip_string(work)?;
                self.colon()?;
            }
            self.skip_value(depth + 1, work)?;
            if self.separator(bracket)? {
                return Ok(());
            }
        }
    }

    /// Reads over a string; its bytes where it has no escapes.
    fn skip_string(&mut self, work: &mut Work<'_>) -> Result<Option<&'a [u8]>, Fault> {
        if self.peek() != Some(b'"') {
            return Err(Fault::Unexpected);
        }
        let start = self.at + 1;
        self.at = start;
        loop {
            let rest = self.bytes.get(self.at..).unwrap_or_default();
            let plain = plain_prefix(rest);
            work.steps(1 + plain / 256)?;
            self.at += plain;
            match self.peek() {
                Some(b'"') => {
                    let whole = self.at == start + plain;
                    self.at += 1;
                    return Ok(if whole { self.bytes.get(start..start + plain) } else { None });
                }
                Some(b'\\') => {
                    let rest = self.bytes.get(self.at + 1..).unwrap_or_default();
                    let (_, length) = escape(rest).ok_or(Fault::Unexpected)?;
                    self.at += 1 + length;
                }
                _ => return Err(Fault::Unexpected),
            }
        }
    }
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
        [b't' | b'f' | b'n', ..] => None,
        digits if digits.len() < 16 && digits.iter().all(u8::is_ascii_digit) => {
            let whole = digits.iter().fold(0_u64, |sum, digit| sum * 10 + u64::from(digit - b'0'));
            (!digits.is_empty()).then_some(Value::Number(whole as f64))
        }
        other => number::parse(other).map(Value::Number),
    }
}

/// How many bytes of a string need no attention: up to a quote, a backslash or a control character.
fn plain_prefix(bytes: &[u8]) -> usize {
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
                // A low surrogate alone is no character.
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

/// The one value of `text`, for `fromjson` and the like.
///
/// # Errors
/// As [`Reader::read`]; the text of a syntax error is jq's, ending in ` (while parsing 'TEXT')`.
pub(crate) fn read_one(text: &str, work: &mut Work<'_>) -> Result<Value, ReadError> {
    let while_parsing = |problem: String| ReadError::Syntax(format!("{problem} (while parsing '{text}')"));
    let mut reader = Reader::new(text.as_bytes());
    let explain = |error| match error {
        ReadError::Syntax(problem) => while_parsing(problem),
        ReadError::Stopped(stop) => ReadError::Stopped(stop),
    };
    let Some(value) = reader.read(work).map_err(explain)? else {
        return Err(while_parsing("Expected JSON value".into()));
    };
    match reader.read(work).map_err(explain)? {
        None => Ok(value),
        Some(_) => Err(while_parsing("Unexpected extra JSON values".into())),
    }
}

#[cfg(test)]
mod tests {
    use super::super::error::Unlimited;
    use super::super::print;
    use super::*;

    fn read_all(text: &[u8]) -> (Vec<String>, Option<String>) {
        let mut work = Work::new(&Unlimited);
        let mut reader = Reader::new(text);
        let mut values = Vec::new();
        loop {
            match reader.read(&mut work) {
                Ok(Some(value)) => values.push(print::compact(&value)),
                Ok(None) => return (values, None),
                Err(ReadError::Syntax(problem)) => return (values, Some(problem)),
                Err(ReadError::Stopped(_)) => return (values, Some("stopped".into())),
            }
        }
    }

    #[test]
    fn reads_streams_of_values() {
        let (values, error) =
            read_all(b"\xef\xbb\xbf1\"a\"[2 ,3]{\"a\":1,\"a\":[]}\ntrue 01 .5 1. +1 -NaN -0 \"\xff\\u00e9\"");
        assert_eq!(error, None);
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
        assert_eq!(values, expected);
    }

    #[test]
    fn reads_members_without_building_the_rest() {
        let mut work = Work::new(&Unlimited);
        let text = br#"{"x":[1,{"a":"\n"}],"a":{"b":5,"b":{"c":7}}} {"a":null} {"a":[1]} {"a":{"b":1,}}"#;
        let mut reader = Reader::new(text);
        let path = [Text::from("a"), Text::from("b")];
        let mut next = || reader.read_member(&path, &mut work);
        assert!(matches!(next(), Ok(Some(Some(Value::Object(_))))));
        assert!(matches!(next(), Ok(Some(Some(Value::Null)))));
        assert!(matches!(next(), Ok(Some(None))));
    }
}
