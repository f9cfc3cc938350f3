//! Values as JSON text, laid out as jq does: compact or indented, keys sorted or not, ASCII only or not, in colour.

use super::error::{Stop, Unlimited};
use super::number;
use super::object::Object;
use super::text::Text;
use super::value::{Array, Value};
use super::work::Work;
use std::fmt::Write as _;

/// One step of indentation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Indent {
    /// Everything on one line (`-c`).
    None,
    /// So many spaces (`--indent n`, 2 by default).
    Spaces(u8),
    /// A tab (`--tab`).
    Tab,
}

/// How values are printed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Layout {
    /// Line breaks and indentation.
    pub(crate) indent: Indent,
    /// Keys in code point order (`-S`).
    pub(crate) sort_keys: bool,
    /// Characters past U+007E as `\uXXXX` (`-a`).
    pub(crate) ascii: bool,
    /// jq 1.6's default colours (`-C`).
    pub(crate) colour: bool,
}

/// One line, as `tojson` prints.
pub(crate) const COMPACT: Layout =
    Layout { indent: Indent::None, sort_keys: false, ascii: false, colour: false };

/// Two spaces of indentation, jq's default.
pub(crate) const PRETTY: Layout = Layout { indent: Indent::Spaces(2), ..COMPACT };

/// Appends `value` to `out`, without a newline.
///
/// # Errors
/// `Stop`: values share parts, so that the text can be far larger than the value. What was printed so far stays.
pub(crate) fn write(
    value: &Value,
    layout: Layout,
    out: &mut String,
    work: &mut Work<'_>,
) -> Result<(), Stop> {
    let charged = out.len();
    Printer { out, layout, work, limit: usize::MAX, charged }.value(value, 0)
}

/// `value` as one line; for messages of bounded values only.
pub(crate) fn compact(value: &Value) -> String {
    excerpt(value, 1 << 20)
}

/// The beginning of `value` as one line: `limit` bytes at most, the last three being `...` where it is longer.
pub(crate) fn excerpt(value: &Value, limit: usize) -> String {
    let mut out = String::new();
    let mut work = Work::new(&Unlimited);
    let printed =
        Printer { out: &mut out, layout: COMPACT, work: &mut work, limit, charged: 0 }.value(value, 0);
    if printed.is_err() || out.len() > limit {
        let end = out.floor_char_boundary(limit.saturating_sub(3));
        out.truncate(end);
        out.push_str("...");
    }
    out
}

const RESET: &str = "\x1b[0m";
const KEY: &str = "\x1b[34;1m";

struct Printer<'a, 'g> {
    out: &'a mut String,
    layout: Layout,
    work: &'a mut Work<'g>,
    /// Printing stops with `Stop` soon after so many bytes.
    limit: usize,
    /// How much of `out` was charged.
    charged: usize,
}

impl Printer<'_, '_> {
    fn value(&mut self, value: &Value, depth: usize) -> Result<(), Stop> {
        self.work.step()?;
        self.account()?;
        if self.layout.colour {
            self.out.push_str(colour(value));
        }
        match value {
            Value::Null => self.out.push_str("null"),
            Value::Bool(true) => self.out.push_str("true"),
            Value::Bool(false) => self.out.push_str("false"),
            Value::Number(number) if number.is_nan() => self.out.push_str("null"),
            Value::Number(number) => number::write(*number, self.out),
            Value::String(text) => self.string(text.as_str())?,
            Value::Array(array) => self.array(array, depth)?,
            Value::Object(object) => self.object(object, depth)?,
        }
        if self.layout.colour {
            self.out.push_str(RESET);
        }
        Ok(())
    }

    fn account(&mut self) -> Result<(), Stop> {
        if self.out.len() > self.limit {
            return Err(Stop);
        }
        self.work.charge(self.out.len().saturating_sub(self.charged))?;
        self.charged = self.out.len();
        Ok(())
    }

    fn array(&mut self, array: &Array, depth: usize) -> Result<(), Stop> {
        let start = colour(&Value::Array(Array::default()));
        self.out.push('[');
        for (at, item) in array.items().iter().enumerate() {
            if at > 0 {
                self.separator(start);
            }
            self.line(depth + 1);
            self.value(item, depth + 1)?;
        }
        self.close(start, depth, array.len() > 0, ']');
        Ok(())
    }

    fn object(&mut self, object: &Object, depth: usize) -> Result<(), Stop> {
        let start = colour(&Value::Object(Object::default()));
        self.out.push('{');
        let mut first = true;
        if self.layout.sort_keys {
            self.work.steps(object.len())?;
            for key in object.sorted_keys() {
                if let Some(value) = object.get(key.as_str()) {
                    self.entry(key, value, depth, &mut first, start)?;
                }
            }
        } else {
            for (key, value) in object.iter() {
                self.entry(key, value, depth, &mut first, start)?;
            }
        }
        self.close(start, depth, object.len() > 0, '}');
        Ok(())
    }

    fn entry(
        &mut self,
        key: &Text,
        value: &Value,
        depth: usize,
        first: &mut bool,
        start: &str,
    ) -> Result<(), Stop> {
        if !std::mem::take(first) {
            self.separator(start);
        }
        self.line(depth + 1);
        if self.layout.colour {
            self.out.push_str(RESET);
            self.out.push_str(KEY);
        }
        self.string(key.as_str())?;
        if self.layout.colour {
            self.out.push_str(RESET);
            self.out.push_str(start);
        }
        self.out.push(':');
        if self.layout.indent != Indent::None {
            self.out.push(' ');
        }
        if self.layout.colour {
            self.out.push_str(RESET);
        }
        self.value(value, depth + 1)
    }

    fn separator(&mut self, start: &str) {
        if self.layout.colour {
            self.out.push_str(start);
        }
        self.out.push(',');
    }

    fn close(&mut self, start: &str, depth: usize, filled: bool, bracket: char) {
        if filled {
            if self.layout.colour {
                self.out.push_str(start);
            }
            self.line(depth);
            if self.layout.colour {
                self.out.push_str(start);
            }
        }
        self.out.push(bracket);
    }

    fn line(&mut self, depth: usize) {
        let (unit, count) = match self.layout.indent {
            Indent::None => return,
            Indent::Spaces(width) => (' ', depth.saturating_mul(usize::from(width))),
            Indent::Tab => ('\t', depth),
        };
        self.out.push('\n');
        self.out.extend(std::iter::repeat_n(unit, count));
    }

    fn string(&mut self, text: &str) -> Result<(), Stop> {
        self.out.push('"');
        let mut rest = text;
        loop {
            let plain = rest.bytes().take(SLICE).take_while(|&byte| self.is_plain(byte)).count();
            let end = rest.floor_char_boundary(plain);
            let (done, next) = rest.split_at(end);
            self.out.push_str(done);
            let mut characters = next.chars();
            if end < SLICE.saturating_sub(4) {
                let Some(character) = characters.next() else { break };
                self.character(character);
            }
            rest = characters.as_str();
            if self.out.len().saturating_sub(self.charged) >= SLICE {
                self.work.steps(SLICE / 64)?;
                self.account()?;
            }
        }
        self.out.push('"');
        Ok(())
    }

    fn is_plain(&self, byte: u8) -> bool {
        byte >= 0x20 && byte != b'"' && byte != b'\\' && byte != 0x7f && (byte < 0x80 || !self.layout.ascii)
    }

    fn character(&mut self, character: char) {
        match character {
            '"' => self.out.push_str("\\\""),
            '\\' => self.out.push_str("\\\\"),
            '\n' => self.out.push_str("\\n"),
            '\t' => self.out.push_str("\\t"),
            '\r' => self.out.push_str("\\r"),
            '\u{8}' => self.out.push_str("\\b"),
            '\u{c}' => self.out.push_str("\\f"),
            other if other.is_ascii_control() || (self.layout.ascii && !other.is_ascii()) => {
                for unit in other.encode_utf16(&mut [0; 2]) {
                    let _ = write!(self.out, "\\u{unit:04x}");
                }
            }
            other => self.out.push(other),
        }
    }
}

/// Bytes of a string printed between two questions to the guard.
const SLICE: usize = 4096;

fn colour(value: &Value) -> &'static str {
    match value {
        Value::Null => "\x1b[1;30m",
        Value::Bool(_) | Value::Number(_) => "\x1b[0;39m",
        Value::String(_) => "\x1b[0;32m",
        Value::Array(_) | Value::Object(_) => "\x1b[1;39m",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn excerpts_end_in_dots() {
        assert_eq!(excerpt(&Value::text("abcdefghijklmnop"), 14), "\"abcdefghij...");
        assert_eq!(excerpt(&Value::text("abc"), 14), "\"abc\"");
    }

    #[test]
    fn escapes_and_indents() {
        let value = Value::object([("k", Value::array(vec![Value::text("\u{7f}\u{0}é\n\u{1f600}")]))]);
        let mut out = String::new();
        let layout = Layout { ascii: true, ..PRETTY };
        write(&value, layout, &mut out, &mut Work::new(&Unlimited)).unwrap();
        assert_eq!(out, "{\n  \"k\": [\n    \"\\u007f\\u0000\\u00e9\\n\\ud83d\\ude00\"\n  ]\n}");
    }

    #[test]
    fn long_strings_are_printed_whole() {
        let text = "é".repeat(10_000) + "\n" + &"x".repeat(10_000);
        let mut out = String::new();
        write(&Value::text(&text), COMPACT, &mut out, &mut Work::new(&Unlimited)).unwrap();
        assert_eq!(out, format!("\"{}\"", text.replace('\n', "\\n")));
    }
}
