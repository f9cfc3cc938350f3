//! The options of `ptx`, read in order: the first that is wrong is told.

use super::Opt;
use crate::character::{digits, escaped_byte};
use crate::memory::{ToMetered, Vec, format};
use crate::utility::format::keyword::keyword;
use crate::utility::prelude::*;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    Plain,
    Roff,
    Tex,
}

#[derive(Debug)]
pub(super) struct PtxOptions {
    pub(super) is_traditional: bool,
    pub(super) has_line_references: bool,
    pub(super) has_own_references: bool,
    pub(super) has_references_at_right: bool,
    pub(super) ignores_case: bool,
    pub(super) format: Format,
    pub(super) macro_name: Text,
    /// What stands where text was cut off; empty: nothing does.
    pub(super) mark: Vec<u8>,
    pub(super) width: i64,
    pub(super) gap: i64,
    /// What ends a context; empty: a file is one context.
    pub(super) context_end: Vec<u8>,
    /// What a word is, where that is an expression.
    pub(super) word: Option<Vec<u8>>,
    pub(super) break_file: Option<Text>,
    pub(super) ignore_file: Option<Text>,
    pub(super) only_file: Option<Text>,
}

/// Where sentences end: at the end of a line, or before a tab or two blanks.
const SENTENCE_END: &[u8] = b"[.?!][]\"')}]*\\($\\|\t\\|  \\)[ \t\n]*";

impl PtxOptions {
    pub(super) fn read(options: &Options<Opt>) -> Result<Self, UtilityError> {
        let mut format = None;
        let (mut width, mut gap) = (72, 3);
        for (option, value) in options.given() {
            let value = value.map_or(b"".as_slice(), Text::as_bytes);
            match option {
                Opt::Roff => format = Some(Format::Roff),
                Opt::Tex => format = Some(Format::Tex),
                Opt::Format => {
                    let rows: [(&[&str], Format); 2] = [(&["roff"], Format::Roff), (&["tex"], Format::Tex)];
                    format = Some(keyword("--format", &rows, value)?);
                }
                Opt::Width => width = number("line width", value)?,
                Opt::GapSize => gap = number("gap width", value)?,
                // The real program takes it and does nothing, either.
                Opt::TypesetMode => {}
                _ => {}
            }
        }
        let is_traditional = options.has(Opt::Traditional);
        let has_own_references = options.has(Opt::References);
        let context_end = match options.value(Opt::SentenceRegexp) {
            Some(given) => without_escapes(given),
            None if is_traditional || has_own_references => b"\n".to_metered(),
            None => SENTENCE_END.to_metered(),
        };
        let word = options.value(Opt::WordRegexp).map(|word| without_escapes(word));
        let default = if is_traditional { Format::Roff } else { Format::Plain };
        Ok(Self {
            is_traditional,
            has_line_references: options.has(Opt::AutoReference),
            has_own_references,
            has_references_at_right: options.has(Opt::RightSideRefs),
            ignores_case: options.has(Opt::IgnoreCase),
            format: format.unwrap_or(default),
            macro_name: options.value(Opt::MacroName).cloned().unwrap_or(Text::from_static(b"xx")),
            mark: options.value(Opt::FlagTruncation).map_or(b"/".to_metered(), |mark| without_escapes(mark)),
            width,
            gap,
            context_end,
            word: word.filter(|word| !word.is_empty()),
            break_file: options.value(Opt::BreakFile).cloned(),
            ignore_file: options.value(Opt::IgnoreFile).cloned(),
            only_file: options.value(Opt::OnlyFile).cloned(),
        })
    }

    /// Whether lines have references.
    pub(super) const fn has_references(&self) -> bool {
        self.has_line_references || self.has_own_references
    }
}

/// A number above zero, as C reads it: decimal, octal after a zero, hexadecimal after `0x`.
fn number(what: &str, text: &[u8]) -> Result<i64, UtilityError> {
    let blanks = text.iter().take_while(|byte| byte.is_ascii_whitespace() || **byte == 0x0b).count();
    let body = text.get(blanks..).unwrap_or_default();
    let body = body.strip_prefix(b"+").unwrap_or(body);
    let (base, body) = match body {
        [b'0', b'x' | b'X', rest @ ..] => (16, rest),
        [b'0', ..] => (8, body),
        _ => (10, body),
    };
    let digits = std::str::from_utf8(body).ok().filter(|body| !body.starts_with(['+', '-']));
    let value = digits.and_then(|digits| i64::from_str_radix(digits, base).ok());
    value
        .filter(|value| *value > 0)
        .ok_or_else(|| UtilityError::failed(format!("invalid {what}: {}", quote(text))))
}

/// The text with its escapes read: those of C, `\xHHH`, `\0NNN`, and `\c`, after which nothing counts. It ends at a NUL.
fn without_escapes(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        at += 1;
        if byte != b'\\' {
            out.push(byte);
            continue;
        }
        let Some(&letter) = text.get(at) else { break };
        at += 1;
        match letter {
            b'c' => break,
            b'0' | b'x' => {
                let (value, count) = digits(text, at, if letter == b'x' { 16 } else { 8 }, 3);
                at += count;
                if letter == b'x' && count == 0 {
                    out.extend_from_slice(b"\\x");
                } else {
                    out.push(value as u8);
                }
            }
            b'a' | b'b' | b'f' | b'n' | b'r' | b't' | b'v' => out.extend(escaped_byte(letter)),
            _ => out.extend_from_slice(&[b'\\', letter]),
        }
    }
    let end = out.iter().position(|byte| *byte == 0).unwrap_or(out.len());
    out.truncate(end);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_end_at_a_nul_and_at_c() {
        for (text, want) in [
            (r"a\tb", b"a\tb".as_slice()),
            (r"\x414x", b"\x14x"),
            (r"\0101\101", b"A\\101"),
            (r"a\cb", b"a"),
            (r"a\0b", b"a"),
            (r"\x\q\", b"\\x\\q"),
            (r"\\n", b"\\\\n"),
        ] {
            assert_eq!(without_escapes(text.as_bytes()).as_slice(), want, "{text}");
        }
    }

    #[test]
    fn numbers_are_above_zero() {
        for (text, want) in
            [("012", Some(10)), ("0x1F", Some(31)), (" +7", Some(7)), ("0", None), ("1k", None)]
        {
            assert_eq!(number("x", text.as_bytes()).ok(), want, "{text}");
        }
    }
}
