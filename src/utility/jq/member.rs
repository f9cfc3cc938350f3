//! One member of a JSON text without the rest of it: what `.a.b` needs.
//!
//! The text is read over and checked, but only the wanted member is built. Whatever is out of the ordinary (an error, a
//! value that goes on after the bytes at hand, a key with escapes, a path into something that is not an object) is left to
//! the reader of whole values.

use super::read::{self, JsonReader, Progress, escape, is_delimiter, literal_value, plain_prefix};
use super::text::{Text, text_of};
use super::value::Value;
use super::work::Work;

/// Containers inside each other that are tried: reading over them recurses.
const DEEPEST: usize = 256;

/// Longest text that is tried: no pause is made in it.
const LONGEST: usize = 64 << 10;

/// The member at the end of `path` (null where a key is missing) of the object at the start of `bytes`, and the bytes
/// that the object took with the space before it. `None`: read the value as a whole.
pub(crate) fn member(bytes: &[u8], path: &[Text], work: &mut Work<'_>) -> Option<(Value, usize)> {
    let bytes = bytes.get(..bytes.len().min(LONGEST)).unwrap_or(bytes);
    let start = bytes.len() - read::trimmed(bytes).len();
    let mut skim = Skim { bytes, at: start };
    let value = skim.member(path, 0, work)?;
    Some((value, skim.at))
}

struct Skim<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Skim<'a> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn skip_space(&mut self) {
        while let Some(b' ' | b'\n' | b'\t' | b'\r') = self.peek() {
            self.at += 1;
        }
    }

    fn takes(&mut self, byte: u8) -> bool {
        let takes = self.peek() == Some(byte);
        self.at += usize::from(takes);
        takes
    }

    fn member(&mut self, path: &[Text], depth: usize, work: &mut Work<'_>) -> Option<Value> {
        let Some((wanted, rest)) = path.split_first() else { return self.build(depth, work) };
        if !self.takes(b'{') || depth >= DEEPEST {
            return None;
        }
        let mut found = Value::Null;
        self.skip_space();
        if self.takes(b'}') {
            return Some(found);
        }
        loop {
            let key = self.string()?;
            self.colon()?;
            if key? == wanted.as_str().as_bytes() {
                // A key may come again: the last one counts.
                found = self.member(rest, depth + 1, work)?;
            } else {
                self.skip(depth + 1, work)?;
            }
            if self.ends(b'}')? {
                return Some(found);
            }
        }
    }

    /// Builds the value here, which lies in so many containers.
    fn build(&mut self, depth: usize, work: &mut Work<'_>) -> Option<Value> {
        let start = self.at;
        match self.peek()? {
            b'"' => {
                if let Some(raw) = self.string()? {
                    return Some(Value::String(text_of(raw)));
                }
            }
            b'[' | b'{' => self.skip(depth, work)?,
            _ => {
                self.literal()?;
                return literal_value(self.bytes.get(start..self.at)?);
            }
        }
        let text = self.bytes.get(start..self.at)?;
        match JsonReader::steady().read(text, true, (0, 0), work).ok()? {
            Progress::Value(value, _) => Some(value),
            _ => None,
        }
    }

    fn colon(&mut self) -> Option<()> {
        self.skip_space();
        let takes = self.takes(b':');
        self.skip_space();
        takes.then_some(())
    }

    /// Takes a comma (false) or the closing bracket (true).
    fn ends(&mut self, bracket: u8) -> Option<bool> {
        self.skip_space();
        if self.takes(bracket) {
            return Some(true);
        }
        let takes = self.takes(b',');
        self.skip_space();
        takes.then_some(false)
    }

    fn skip(&mut self, depth: usize, work: &mut Work<'_>) -> Option<()> {
        work.step().ok()?;
        let bracket = match self.peek()? {
            b'"' => return self.string().map(|_| ()),
            b'{' => b'}',
            b'[' => b']',
            _ => return self.literal(),
        };
        if depth >= DEEPEST {
            return None;
        }
        self.at += 1;
        self.skip_space();
        if self.takes(bracket) {
            return Some(());
        }
        loop {
            if bracket == b'}' {
                self.string()?;
                self.colon()?;
            }
            self.skip(depth + 1, work)?;
            if self.ends(bracket)? {
                return Some(());
            }
        }
    }

    fn literal(&mut self) -> Option<()> {
        let rest = self.bytes.get(self.at..)?;
        let length = rest.iter().position(|&byte| is_delimiter(byte))?;
        self.at += length;
        literal_value(rest.get(..length)?).map(|_| ())
    }

    /// Reads over a string; its bytes where it has no escapes.
    #[expect(clippy::option_option, reason = "a string that ends too early and one with escapes differ")]
    fn string(&mut self) -> Option<Option<&'a [u8]>> {
        if !self.takes(b'"') {
            return None;
        }
        let start = self.at;
        let mut is_plain = true;
        loop {
            let rest = self.bytes.get(self.at..)?;
            let plain = plain_prefix(rest);
            self.at += plain;
            match rest.get(plain)? {
                b'"' => {
                    let raw = self.bytes.get(start..self.at)?;
                    self.at += 1;
                    return Some(is_plain.then_some(raw));
                }
                b'\\' => {
                    let (_, length) = escape(rest.get(plain + 1..)?)?;
                    self.at += 1 + length;
                    is_plain = false;
                }
                _ => return None,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::print;
    use super::*;

    #[test]
    fn reads_members_without_building_the_rest() {
        let path = [Text::from("a"), Text::from("b")];
        let cases = [
            (r#" {"x":[1,{"a":"\n"}],"a":{"b":5,"b":{"c":7}}} 1"#, Some((r#"{"c":7}"#, 45))),
            (r#"{"a":{}}"#, Some(("null", 8))),
            ("{}", Some(("null", 2))),
            (r#"{"a":{"b":"x\u00e9"}}"#, Some(("\"xé\"", 21))),
            (r#"{"a":[1]}"#, None),
            (r#"{"a":null}"#, None),
            (r#"{"a":{"b":1,}}"#, None),
            (r#"{"a":{"b":1}"#, None),
            (r#"{"a":{"b":nul}}"#, None),
            (r#"{"\u0061":{"b":1}}"#, None),
        ];
        for (text, expected) in cases {
            let found = member(text.as_bytes(), &path, &mut Work::unbounded());
            let found = found.map(|(value, used)| (print::compact(&value), used));
            assert_eq!(found, expected.map(|(text, used)| (text.into(), used)), "{text}");
        }
    }
}
