//! Values as JSON text, laid out as jq does: compact or indented, keys sorted or not, ASCII only or not, in colour.
//!
//! The containers being printed lie on a stack of the printer's own, so that printing can stop after any member and go
//! on later.

use super::object::Object;
use super::text::Text;
use super::value::{Array, Value};
use super::work::{Stop, Work};
use crate::memory::{Arc, String, Vec};
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
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    /// Line breaks and indentation.
    pub(crate) indent: Indent,
    /// Keys in code point order (`-S`).
    pub(crate) sort_keys: bool,
    /// Characters past U+007E as `\uXXXX` (`-a`).
    pub(crate) ascii: bool,
    /// `-C`
    pub(crate) colours: Option<Arc<Palette>>,
}

/// The colours of `-C`, each the parameters of an escape: null, false, true, numbers, strings, arrays, objects, keys.
#[derive(Debug)]
pub(crate) struct Palette([Text; 8]);

impl Default for Palette {
    fn default() -> Self {
        Palette(["0;90", "0;39", "0;39", "0;39", "0;32", "1;39", "1;39", "1;34"].map(Text::Static))
    }
}

impl Palette {
    /// The colours of `JQ_COLORS`: digits and semicolons between colons; those at the end keep their defaults, and what
    /// follows the eighth is not looked at. `None`: it holds something else.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let mut palette = Palette::default();
        let mut rest = text;
        for place in 0..palette.0.len() {
            let end = rest.find(|c: char| !c.is_ascii_digit() && c != ';').unwrap_or(rest.len());
            let (colour, next) = rest.split_at_checked(end)?;
            let is_last = next.is_empty() || place + 1 == palette.0.len();
            // An empty colour at the very end is none.
            if !(is_last && colour.is_empty())
                && let Some(slot) = palette.0.get_mut(place)
            {
                *slot = Text::from(colour);
            }
            if is_last {
                break;
            }
            rest = next.strip_prefix(':')?;
        }
        Some(palette)
    }
}

/// Places in a [`Palette`].
const NULL: usize = 0;
const ARRAY: usize = 5;
const OBJECT: usize = 6;
const KEYS: usize = 7;

/// The place of a value's colour.
fn place_of(value: &Value) -> usize {
    match value {
        Value::Null => NULL,
        Value::Bool(false) => 1,
        Value::Bool(true) => 2,
        Value::Number(_) => 3,
        Value::String(_) => 4,
        Value::Array(_) => ARRAY,
        Value::Object(_) => OBJECT,
    }
}

/// One line, as `tojson` prints.
pub(crate) const COMPACT: Layout =
    Layout { indent: Indent::None, sort_keys: false, ascii: false, colours: None };

/// Two spaces of indentation, jq's default.
pub(crate) const PRETTY: Layout =
    Layout { indent: Indent::Spaces(2), sort_keys: false, ascii: false, colours: None };

/// Appends `value` to `out`, without a newline and without a pause.
///
/// # Errors
/// `Stop`: values share parts, so that the text can be far larger than the value. What was printed so far stays.
#[cfg(test)]
pub(crate) fn write(
    value: &Value,
    layout: &Layout,
    out: &mut String,
    work: &mut Work<'_>,
) -> Result<(), Stop> {
    write_until(value, layout, out, work, usize::MAX)
}

fn write_until(
    value: &Value,
    layout: &Layout,
    out: &mut String,
    work: &mut Work<'_>,
    limit: usize,
) -> Result<(), Stop> {
    let mut printing = Printing::default();
    let mut printer = Printer { out, layout, work, limit, depth: 0, open: &mut printing.open };
    printer.value(value)?;
    while printer.step()? {}
    Ok(())
}

fn push_escaped(character: char, out: &mut String) {
    for unit in character.encode_utf16(&mut [0; 2]) {
        let _ = write!(out, "\\u{unit:04x}");
    }
}

/// `value` as one line; for messages of bounded values only.
pub(crate) fn compact(value: &Value) -> String {
    let mut out = String::new();
    if write_until(value, &COMPACT, &mut out, &mut Work::unbounded(), 1 << 20).is_err() {
        out.push_str("...");
    }
    out
}

/// The most bytes of a value in a message.
const EXCERPT: usize = 29;

/// `value` as one line for a message: a long one is cut, and ends in `...` and the mark that would close it.
pub(crate) fn excerpt(value: &Value) -> String {
    let mut out = String::new();
    let printed = write_until(value, &COMPACT, &mut out, &mut Work::unbounded(), EXCERPT);
    if printed.is_err() || out.len() > EXCERPT {
        let close = match value {
            Value::String(_) => "\"",
            Value::Array(_) => "]",
            Value::Object(_) => "}",
            _ => "",
        };
        out.truncate(out.floor_char_boundary(EXCERPT - 3 - close.len()));
        out.push_str("...");
        out.push_str(close);
    }
    out
}

/// A value being printed piece by piece.
#[derive(Debug, Default)]
pub(crate) struct Printing {
    open: Vec<Open>,
    start: Option<Value>,
}

impl Printing {
    /// Starts with a value.
    pub(crate) fn new(value: Value) -> Self {
        Printing { open: Vec::new(), start: Some(value) }
    }

    /// Appends to `out` until all is printed (true), the turn is over, or `out` is longer than `full` bytes.
    ///
    /// # Errors
    /// `Stop`: the run is over.
    pub(crate) fn go_on(
        &mut self,
        layout: &Layout,
        out: &mut String,
        full: usize,
        work: &mut Work<'_>,
    ) -> Result<bool, Stop> {
        let depth = self.open.iter().filter(|open| !matches!(open, Open::Text(..))).count();
        let mut printer = Printer { out, layout, work, limit: usize::MAX, depth, open: &mut self.open };
        if let Some(value) = self.start.take() {
            printer.value(&value)?;
        }
        while printer.step()? {
            if printer.work.is_due() || printer.out.len() > full {
                return Ok(printer.open.is_empty());
            }
        }
        Ok(printer.open.is_empty())
    }
}

/// A container of which a part is printed: what comes next.
#[derive(Debug)]
enum Open {
    Array(Array, usize),
    /// The slot.
    Object(Object, usize),
    /// The key printed last.
    Sorted(Object, Option<Text>),
    /// A long string, and the bytes of it that are printed.
    Text(Text, usize),
}

const RESET: &str = "\x1b[0m";

struct Printer<'a, 'g> {
    out: &'a mut String,
    layout: &'a Layout,
    work: &'a mut Work<'g>,
    /// Printing stops with `Stop` soon after so many bytes.
    limit: usize,
    /// Number of open containers.
    depth: usize,
    open: &'a mut Vec<Open>,
}

impl Printer<'_, '_> {
    /// Prints a scalar or opens a container.
    fn value(&mut self, value: &Value) -> Result<(), Stop> {
        self.work.step()?;
        self.account()?;
        self.colour(place_of(value));
        match value {
            Value::Null => self.out.push_str("null"),
            Value::Bool(true) => self.out.push_str("true"),
            Value::Bool(false) => self.out.push_str("false"),
            Value::Number(number) if number.is_nan() => {
                self.colour(NULL);
                self.out.push_str("null");
                self.reset();
            }
            Value::Number(number) => number.write(self.out),
            Value::String(text) if text.len() > SLICE => {
                self.out.push('"');
                self.open.push(Open::Text(text.clone(), 0));
                return Ok(());
            }
            Value::String(text) => self.string(text.as_str()),
            Value::Array(array) if array.len() == 0 => self.out.push_str("[]"),
            Value::Array(array) => {
                self.out.push('[');
                self.open.push(Open::Array(array.clone(), 0));
                self.depth += 1;
                return Ok(());
            }
            Value::Object(object) if object.len() == 0 => self.out.push_str("{}"),
            Value::Object(object) => {
                self.out.push('{');
                self.open.push(if self.layout.sort_keys {
                    Open::Sorted(object.clone(), None)
                } else {
                    Open::Object(object.clone(), 0)
                });
                self.depth += 1;
                return Ok(());
            }
        }
        self.reset();
        Ok(())
    }

    /// Starts the colour at a place of the palette.
    fn colour(&mut self, place: usize) {
        if let Some(palette) = &self.layout.colours {
            self.out.push_str("\x1b[");
            self.out.push_str(palette.0.get(place).map_or("", Text::as_str));
            self.out.push('m');
        }
    }

    fn reset(&mut self) {
        if self.layout.colours.is_some() {
            self.out.push_str(RESET);
        }
    }

    /// The next member of the innermost container, or its end; false when nothing is open.
    fn step(&mut self) -> Result<bool, Stop> {
        let Some(open) = self.open.last_mut() else { return Ok(false) };
        match open {
            Open::Array(array, at) => {
                let is_first = *at == 0;
                let Some(item) = array.items().get(*at).cloned() else {
                    self.close(ARRAY, ']');
                    return Ok(true);
                };
                *at += 1;
                self.separator(ARRAY, is_first);
                self.line(self.depth);
                self.value(&item)?;
            }
            Open::Object(object, at) => {
                let is_first = *at == 0;
                let Some((after, key, value)) = object.entry_from(*at) else {
                    self.close(OBJECT, '}');
                    return Ok(true);
                };
                let (key, value) = (key.clone(), value.clone());
                *at = after;
                self.separator(OBJECT, is_first);
                self.key(&key)?;
                self.value(&value)?;
            }
            Open::Sorted(object, last) => {
                let is_first = last.is_none();
                let Some((key, value)) = object.entry_after(last.as_ref().map(Text::as_str)) else {
                    self.close(OBJECT, '}');
                    return Ok(true);
                };
                let (key, value) = (key.clone(), value.clone());
                *last = Some(key.clone());
                self.separator(OBJECT, is_first);
                self.key(&key)?;
                self.value(&value)?;
            }
            Open::Text(text, at) => {
                let text = text.clone();
                let rest = text.as_str().get(*at..).unwrap_or_default();
                let piece = rest.get(..rest.ceil_char_boundary(SLICE.min(rest.len()))).unwrap_or_default();
                *at += piece.len();
                self.work.steps(1 + piece.len() / 32)?;
                self.account()?;
                self.characters(piece);
                if piece.len() == rest.len() {
                    self.open.pop();
                    self.out.push('"');
                    self.reset();
                }
            }
        }
        Ok(true)
    }

    fn key(&mut self, key: &Text) -> Result<(), Stop> {
        self.line(self.depth);
        self.colour(KEYS);
        self.work.steps(key.len() / 32)?;
        self.string(key.as_str());
        self.reset();
        self.colour(OBJECT);
        self.out.push(':');
        self.reset();
        if self.layout.indent != Indent::None {
            self.out.push(' ');
        }
        Ok(())
    }

    fn account(&self) -> Result<(), Stop> {
        if self.out.len() > self.limit { Err(Stop) } else { Ok(()) }
    }

    /// What stands before a member.
    fn separator(&mut self, container: usize, is_first: bool) {
        if !is_first {
            self.colour(container);
            self.out.push(',');
        }
        self.reset();
    }

    fn close(&mut self, container: usize, bracket: char) {
        self.open.pop();
        self.depth = self.depth.saturating_sub(1);
        self.line(self.depth);
        self.colour(container);
        self.out.push(bracket);
        self.reset();
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

    fn string(&mut self, text: &str) {
        self.out.push('"');
        self.characters(text);
        self.out.push('"');
    }

    fn characters(&mut self, text: &str) {
        let mut rest = text;
        while !rest.is_empty() {
            let plain = rest.bytes().take_while(|&byte| self.is_plain(byte)).count();
            // Where each byte beyond ASCII is escaped, those that go on a character were not taken.
            let (done, next) = rest.split_at(rest.floor_char_boundary(plain));
            self.out.push_str(done);
            let mut characters = next.chars();
            if let Some(character) = characters.next() {
                self.character(character);
            }
            rest = characters.as_str();
        }
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
                push_escaped(other, self.out);
            }
            other => self.out.push(other),
        }
    }
}

/// Bytes of a long string that are printed at a time.
const SLICE: usize = 4096;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::{format, vec};

    #[test]
    fn excerpts_end_in_dots() {
        let text = "abcdefghijklmnopqrstuvwxyz0123456789";
        assert_eq!(excerpt(&Value::text(text)), "\"abcdefghijklmnopqrstuvwx...\"");
        assert_eq!(excerpt(&Value::text("abcdefghijklmnopqrstuvwxyz0")), "\"abcdefghijklmnopqrstuvwxyz0\"");
        let items = Value::array(vec![Value::text("é"); 9]);
        assert_eq!(excerpt(&items), "[\"é\",\"é\",\"é\",\"é\",\"é\"...]");
    }

    #[test]
    fn escapes_and_indents() {
        let value = Value::object([("k", Value::array(vec![Value::text("\u{7f}\u{0}é\n\u{1f600}")]))]);
        let mut out = String::new();
        let layout = Layout { ascii: true, ..PRETTY };
        write(&value, &layout, &mut out, &mut Work::unbounded()).unwrap();
        assert_eq!(out, "{\n  \"k\": [\n    \"\\u007f\\u0000\\u00e9\\n\\ud83d\\ude00\"\n  ]\n}");
    }

    #[test]
    fn long_strings_are_printed_whole() {
        let text = format!("{}\n{}", "é".repeat(10_000), "x".repeat(10_000));
        let mut out = String::new();
        write(&Value::text(&text), &COMPACT, &mut out, &mut Work::unbounded()).unwrap();
        assert_eq!(out, format!("\"{}\"", text.replace('\n', "\\n")));
    }
}
