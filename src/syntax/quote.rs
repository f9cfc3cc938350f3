//! Quoting: backslash, `'...'`, `"..."`, `$'...'`, and the text that is read as if in double quotes. POSIX XCU 2.2.

use super::ansi::decode_ansi;
use super::ast::{Parts, WordPart};
use super::lexer::{Parsed, Reader};
use super::substitution::Quoting;
use super::word::push_quoted;
use crate::text::Text;

/// What ends text that is read as in double quotes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum QuotedEnd {
    /// `"`
    DoubleQuote,
    /// The `"` of `"${x:-"..."}"`, where every backslash quotes.
    InnerDoubleQuote,
    /// The `}` of `"${x:-...}"`; a double quote opens a quoted piece.
    Brace,
    /// The same inside a here-document.
    HereDocumentBrace,
    /// The end of the input, of a here-document.
    Input,
}

impl QuotedEnd {
    fn quoting(self) -> Quoting {
        match self {
            Self::DoubleQuote | Self::InnerDoubleQuote | Self::Brace => Quoting::Double,
            Self::HereDocumentBrace | Self::Input => Quoting::HereDocument,
        }
    }

    /// Whether a backslash quotes `byte`.
    fn escapes(self, byte: u8) -> bool {
        match byte {
            _ if self == Self::InnerDoubleQuote => true,
            b'$' | b'`' | b'\\' => true,
            b'"' => self != Self::Input,
            b'}' => matches!(self, Self::Brace | Self::HereDocumentBrace),
            _ => false,
        }
    }
}

impl Reader<'_> {
    /// A backslash and what it quotes.
    pub(super) fn escaped(&mut self, out: &mut Parts) {
        let at = self.pos() + 1;
        match self.byte_at(at) {
            Some(b'\n') => self.advance_to(at + 1),
            None => {
                super::word::push_literal(out, b"\\");
                self.input.pos += 1;
            }
            Some(_) => {
                // A character of several bytes is quoted whole.
                let mut end = at + 1;
                while self.byte_at(end).is_some_and(|byte| (0x80..0xc0).contains(&byte)) {
                    end += 1;
                }
                push_quoted(out, self.slice(at, end));
                self.input.pos = end;
            }
        }
    }

    /// `'...'`
    pub(super) fn single_quoted(&mut self, out: &mut Parts) -> Parsed<()> {
        self.spend()?;
        let (start, line) = (self.pos() + 1, self.input.line);
        let rest = self.slice(start, self.input.end);
        let Some(length) = memchr::memchr(b'\'', rest) else {
            self.advance_to(self.input.end);
            return Err(self.unmatched(b'\'', line));
        };
        push_quoted(out, self.slice(start, start + length));
        self.advance_to(start + length + 1);
        Ok(())
    }

    /// `"..."`
    pub(super) fn double_quoted(&mut self, out: &mut Parts) -> Parsed<()> {
        self.double_quoted_to(QuotedEnd::DoubleQuote, out)
    }

    fn double_quoted_to(&mut self, end: QuotedEnd, out: &mut Parts) -> Parsed<()> {
        self.spend()?;
        let line = self.input.line;
        self.enter()?;
        self.input.pos += 1;
        let mut parts = Parts::new();
        self.quoted(end, &mut parts)?;
        if self.byte() != Some(b'"') {
            return Err(self.unmatched(b'"', line));
        }
        self.input.pos += 1;
        self.leave();
        out.push(WordPart::DoubleQuoted(parts.into_iter().collect()));
        Ok(())
    }

    /// Reads text as in double quotes up to its end, where the cursor stays.
    pub(super) fn quoted(&mut self, end: QuotedEnd, out: &mut Parts) -> Parsed<()> {
        let mut run = self.pos();
        let in_brace = matches!(end, QuotedEnd::Brace | QuotedEnd::HereDocumentBrace);
        // In `"${x-'}'}"` single quotes stay, and yet the brace between them does not close, except in POSIX mode.
        let pairs = in_brace && !self.options.posix;
        let mut single: Option<u32> = None;
        while let Some(byte) = self.byte() {
            match byte {
                b'"' if matches!(end, QuotedEnd::DoubleQuote | QuotedEnd::InnerDoubleQuote) => break,
                b'\'' if pairs => {
                    single = if single.is_some() { None } else { Some(self.input.line) };
                    self.input.pos += 1;
                }
                b'"' if single.is_some() => {
                    self.flush_quoted(run, out);
                    self.input.pos += 1;
                    run = self.pos();
                }
                b'}' if in_brace && single.is_none() => break,
                b'"' if end != QuotedEnd::Input => {
                    self.flush_quoted(run, out);
                    self.double_quoted_to(QuotedEnd::InnerDoubleQuote, out)?;
                    run = self.pos();
                }
                b'\\' => {
                    let next = self.byte_at(self.pos() + 1);
                    if next == Some(b'\n') {
                        self.flush_quoted(run, out);
                        self.bump(2);
                        run = self.pos();
                    } else if next.is_some_and(|next| end.escapes(next)) {
                        self.flush_quoted(run, out);
                        run = self.pos() + 1;
                        self.input.pos += 2;
                    } else if pairs && single.is_none() && next == Some(b'\'') {
                        self.input.pos += 2;
                    } else {
                        self.input.pos += 1;
                    }
                }
                // The second quote of a pair.
                b'$' if single.is_some() && self.byte_at(self.pos() + 1) == Some(b'\'') => {
                    self.input.pos += 1;
                }
                b'$' => {
                    self.flush_quoted(run, out);
                    run = self.pos();
                    let quoting = if end == QuotedEnd::Brace { Quoting::DoubleBrace } else { end.quoting() };
                    if self.dollar(quoting, out)? {
                        run = self.pos();
                    } else {
                        self.input.pos += 1;
                    }
                }
                b'`' => {
                    self.flush_quoted(run, out);
                    self.backquoted(end != QuotedEnd::Input, out)?;
                    run = self.pos();
                }
                b'\n' => {
                    self.input.pos += 1;
                    self.input.line = self.input.line.saturating_add(1);
                }
                _ => self.input.pos += 1,
            }
        }
        self.flush_quoted(run, out);
        single.map_or(Ok(()), |line| Err(self.unmatched(b'\'', line)))
    }

    fn flush_quoted(&self, run: usize, out: &mut Parts) {
        if run < self.pos() {
            push_quoted(out, self.slice(run, self.pos()));
        }
    }

    /// `$'...'`; the cursor is on the `$`.
    pub(super) fn ansi_quoted(&mut self, out: &mut Parts) -> Parsed<()> {
        let line = self.input.line;
        let start = self.after(self.pos()) + 1;
        let mut end = start;
        loop {
            match self.byte_at(end) {
                Some(b'\'') => break,
                Some(b'\\') => end += 2,
                Some(_) => end += 1,
                None => {
                    self.advance_to(self.input.end);
                    return Err(self.unmatched(b'\'', line));
                }
            }
        }
        push_quoted(out, &decode_ansi(self.slice(start, end)));
        self.advance_to(end + 1);
        Ok(())
    }

    /// The text of a word without its quotes and expansions, as for a here-document's delimiter.
    pub(super) fn is_quoted(parts: &[WordPart]) -> bool {
        parts.iter().any(|part| matches!(part, WordPart::Quoted(_) | WordPart::DoubleQuoted(_)))
    }
}

/// The text of parts that are literal, quotes removed; expansions are left out.
pub(super) fn literal_text(parts: &[WordPart], out: &mut Text) {
    for part in parts {
        match part {
            WordPart::Literal(text) | WordPart::Quoted(text) => out.push_bytes(text),
            WordPart::DoubleQuoted(inner) => literal_text(inner, out),
            _ => {}
        }
    }
}
