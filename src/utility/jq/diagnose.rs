//! Words the syntax errors of JSON texts as jq does.
//!
//! jq reads token by token with a stack of open containers and at most one pending value; which error it reports, and
//! where, follows from that order, so this does the same, without building values. Called only after a value was found
//! to be wrong. Line and column are those of the byte that revealed the error, counted from 1; a newline resets the
//! column to 0.

use super::read::{DEPTH_LIMIT, escape, hex, is_delimiter, literal_value};
use crate::memory::{String, Vec, format};

/// What is open.
#[derive(Clone, Copy, PartialEq)]
enum Open {
    Array {
        filled: bool,
    },
    Object {
        filled: bool,
    },
    /// An object whose pending key waits for its value.
    Key,
}

/// The value that waits for a separator.
#[derive(Clone, Copy, PartialEq)]
enum Pending {
    Nothing,
    String,
    Other,
}

struct Scan {
    open: Vec<Open>,
    pending: Pending,
}

/// The bytes of the value at the start of `bytes` up to the one that revealed its error.
pub(super) fn consumed(bytes: &[u8]) -> usize {
    first_problem(bytes).1
}

/// The error of the value at the start of `bytes`: `TEXT at [EOF at ]line L, column C`. `base`: line and column before
/// it, counted from 0.
pub(super) fn diagnose(bytes: &[u8], base: (usize, usize)) -> String {
    let (problem, consumed) = first_problem(bytes);
    let (line, column) = moved(base, bytes.get(..consumed).unwrap_or(bytes));
    format!("{problem} at line {}, column {column}", line + 1)
}

/// Line and column after `bytes`, both from 0.
pub(super) fn moved((line, column): (usize, usize), bytes: &[u8]) -> (usize, usize) {
    match memchr::memrchr(b'\n', bytes) {
        Some(last) => (line + memchr::memchr_iter(b'\n', bytes).count(), bytes.len() - last - 1),
        None => (line, column.saturating_add(bytes.len())),
    }
}

fn first_problem(bytes: &[u8]) -> (String, usize) {
    let mut scan = Scan { open: Vec::new(), pending: Pending::Nothing };
    let mut token_start = 0;
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        if !is_delimiter(byte) {
            at += 1;
            continue;
        }
        let token = bytes.get(token_start..at).unwrap_or_default();
        let mut step = scan.literal(token);
        if step.is_ok() && byte == b'"' {
            let Some(end) = string_end(bytes, at + 1) else {
                return ("Unfinished string at EOF".into(), bytes.len());
            };
            step = check_string(bytes.get(at + 1..end).unwrap_or_default());
            at = end;
            step = step.and_then(|()| scan.value(Pending::String));
        } else if step.is_ok() {
            step = scan.bracket(byte);
        }
        at += 1;
        token_start = at;
        if let Err(problem) = step {
            return (problem.into(), at);
        }
    }
    let token = bytes.get(token_start..).unwrap_or_default();
    let problem = scan.literal(token).err().unwrap_or("Unfinished JSON term");
    (format!("{problem} at EOF"), bytes.len())
}

fn string_end(bytes: &[u8], from: usize) -> Option<usize> {
    let mut at = from;
    loop {
        match bytes.get(at)? {
            b'"' => return Some(at),
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
}

fn check_string(raw: &[u8]) -> Result<(), &'static str> {
    let mut at = 0;
    while let Some(&byte) = raw.get(at) {
        if byte < 0x20 {
            return Err("Invalid string: control characters from U+0000 through U+001F must be escaped");
        }
        at += 1;
        if byte == b'\\' {
            let rest = raw.get(at..).unwrap_or_default();
            let Some((_, length)) = escape(rest) else { return Err(escape_problem(rest)) };
            at += length;
        }
    }
    Ok(())
}

fn escape_problem(rest: &[u8]) -> &'static str {
    if rest.first() != Some(&b'u') {
        return "Invalid escape";
    }
    match rest.get(1..5).map(hex) {
        None => "Invalid \\uXXXX escape",
        Some(None) => "Invalid characters in \\uXXXX escape",
        Some(Some(_)) => "Invalid \\uXXXX\\uXXXX surrogate pair escape",
    }
}

impl Scan {
    fn literal(&mut self, token: &[u8]) -> Result<(), &'static str> {
        if token.is_empty() {
            return Ok(());
        }
        if literal_value(token).is_none() {
            return Err(match token {
                [b't' | b'f', ..] | [b'n', b'u', ..] => "Invalid literal",
                [b'\'', ..] => "Invalid string literal; expected \", but got '",
                _ => "Invalid numeric literal",
            });
        }
        self.value(Pending::Other)
    }

    fn value(&mut self, value: Pending) -> Result<(), &'static str> {
        if self.open.is_empty() {
            return Ok(());
        }
        if self.pending != Pending::Nothing {
            return Err("Expected separator between values");
        }
        self.pending = value;
        Ok(())
    }

    fn bracket(&mut self, byte: u8) -> Result<(), &'static str> {
        match byte {
            b'[' => self.push(Open::Array { filled: false }),
            b'{' => self.push(Open::Object { filled: false }),
            b':' => self.colon(),
            b',' => self.comma(),
            b']' => self.close_array(),
            b'}' => self.close_object(),
            _ => Ok(()),
        }
    }

    fn push(&mut self, open: Open) -> Result<(), &'static str> {
        if self.open.len() >= DEPTH_LIMIT {
            return Err("Exceeds depth limit for parsing");
        }
        if self.pending != Pending::Nothing {
            return Err("Expected separator between values");
        }
        self.open.push(open);
        Ok(())
    }

    fn colon(&mut self) -> Result<(), &'static str> {
        match (self.pending, self.open.last()) {
            (Pending::Nothing, _) => Err("Expected string key before ':'"),
            (Pending::String, Some(Open::Object { .. })) => {
                self.pending = Pending::Nothing;
                self.open.push(Open::Key);
                Ok(())
            }
            (Pending::Other, Some(Open::Object { .. })) => Err("Object keys must be strings"),
            _ => Err("':' not as part of an object"),
        }
    }

    fn comma(&mut self) -> Result<(), &'static str> {
        match (self.pending, self.open.last_mut()) {
            (Pending::Nothing, _) => Err("Expected value before ','"),
            (_, Some(Open::Array { filled })) => {
                *filled = true;
                self.pending = Pending::Nothing;
                Ok(())
            }
            (_, Some(Open::Key)) => {
                self.take_member();
                Ok(())
            }
            _ => Err("Objects must consist of key:value pairs"),
        }
    }

    fn take_member(&mut self) {
        self.open.pop();
        if let Some(Open::Object { filled }) = self.open.last_mut() {
            *filled = true;
        }
        self.pending = Pending::Nothing;
    }

    fn close_array(&mut self) -> Result<(), &'static str> {
        match (self.pending, self.open.last()) {
            (Pending::Nothing, Some(Open::Array { filled: true })) => Err("Expected another array element"),
            (_, Some(Open::Array { .. })) => self.close(),
            _ => Err("Unmatched ']'"),
        }
    }

    fn close_object(&mut self) -> Result<(), &'static str> {
        match (self.pending, self.open.last()) {
            (_, None) => Err("Unmatched '}'"),
            (Pending::Nothing, Some(Open::Object { filled: true })) => Err("Expected another key-value pair"),
            (Pending::Nothing, Some(Open::Object { .. })) => self.close(),
            (Pending::Nothing, _) => Err("Unmatched '}'"),
            (_, Some(Open::Key)) => {
                self.take_member();
                self.close()
            }
            _ => Err("Objects must consist of key:value pairs"),
        }
    }

    fn close(&mut self) -> Result<(), &'static str> {
        self.open.pop();
        self.pending = Pending::Nothing;
        self.value(Pending::Other)
    }
}

#[cfg(test)]
mod tests {
    use super::diagnose;

    #[test]
    fn words_errors_as_jq() {
        let cases = [
            ("{\"a\":1", "Unfinished JSON term at EOF at line 1, column 6"),
            ("{a:1}", "Invalid numeric literal at line 1, column 3"),
            ("[1,]", "Expected another array element at line 1, column 4"),
            ("abc", "Invalid numeric literal at EOF at line 1, column 3"),
            ("\"abc", "Unfinished string at EOF at line 1, column 4"),
            ("{\"a\" 1}", "Expected separator between values at line 1, column 7"),
            ("\"\\x\"", "Invalid escape at line 1, column 4"),
            ("\"\\ud800x\"", "Invalid \\uXXXX\\uXXXX surrogate pair escape at line 1, column 9"),
            ("{\"a\":}", "Unmatched '}' at line 1, column 6"),
            ("[,1]", "Expected value before ',' at line 1, column 2"),
            ("{1:2}", "Object keys must be strings at line 1, column 3"),
            ("{\"a\":1,}", "Expected another key-value pair at line 1, column 8"),
            (":", "Expected string key before ':' at line 1, column 1"),
            ("{\"a\"}", "Objects must consist of key:value pairs at line 1, column 5"),
            ("[1}", "Objects must consist of key:value pairs at line 1, column 3"),
            ("{\"a\":1:2}", "':' not as part of an object at line 1, column 7"),
            ("{\"a\"\n:1\n,x}", "Invalid numeric literal at line 3, column 3"),
            ("abc\n", "Invalid numeric literal at line 2, column 0"),
            ("[nul]", "Invalid literal at line 1, column 5"),
            ("[nen]", "Invalid numeric literal at line 1, column 5"),
            ("['a']", "Invalid string literal; expected \", but got ' at line 1, column 5"),
            ("\"\\u12\"", "Invalid \\uXXXX escape at line 1, column 6"),
            ("\"\\u12x4\"", "Invalid characters in \\uXXXX escape at line 1, column 8"),
        ];
        for (text, expected) in cases {
            assert_eq!(diagnose(text.as_bytes(), (0, 0)), expected, "{text}");
        }
    }
}
