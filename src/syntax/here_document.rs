//! Here-documents. POSIX XCU 2.7.4.
//!
//! A body begins after the next newline token, so here-documents wait in a queue that shares them with the tree; the body is
//! set when it is read. A body without quotes in its delimiter
//! is parsed in place, between its bounds; when leading tabs are removed it has a source of its own. An error inside a
//! body's substitution belongs to its expansion, as in bash.

#![allow(clippy::boxed_local, reason = "large, and put away while a here-document is read")]

use super::ast::{CommandSubstitution, HereDocument, HereDocumentBody, List, Parts, Word, WordPart};
use super::error::{ParseError, ParseErrorKind, ParseWarning};
use super::lexer::{Input, Parsed, Reader, Salvage};
use super::quote::QuotedEnd;
use crate::memory::{Arc, Box, Bytes, HashMap, Vec};
use crate::text::Text;

/// What belongs to one input, kept while another is read.
pub(super) struct OuterInput {
    input: Input,
    pending: Vec<Arc<HereDocument>>,
    substitutions: u32,
    salvage: HashMap<usize, Salvage>,
    closes: HashMap<usize, usize>,
    active_aliases: Vec<super::alias::ActiveAlias>,
    alias_blank: usize,
    depth: u32,
}

/// Where a body ends.
struct Bounds {
    /// End of the body.
    end: usize,
    /// Where reading goes on.
    next: usize,
    /// The delimiter was not there.
    unterminated: bool,
}

impl Reader<'_> {
    /// Starts reading another text.
    pub(super) fn enter_input(&mut self, input: Input) -> Box<OuterInput> {
        Box::new(OuterInput {
            input: std::mem::replace(&mut self.input, input),
            pending: std::mem::take(&mut self.pending),
            substitutions: std::mem::take(&mut self.substitutions),
            salvage: std::mem::take(&mut self.salvage),
            closes: std::mem::take(&mut self.closes),
            active_aliases: std::mem::take(&mut self.active_aliases),
            alias_blank: std::mem::replace(&mut self.alias_blank, usize::MAX),
            depth: self.depth,
        })
    }

    /// Goes on with the text that was read before.
    pub(super) fn leave_input(&mut self, outer: Box<OuterInput>) {
        let outer = outer.into_inner();
        self.input = outer.input;
        self.pending = outer.pending;
        self.substitutions = outer.substitutions;
        self.salvage = outer.salvage;
        self.closes = outer.closes;
        self.active_aliases = outer.active_aliases;
        self.alias_blank = outer.alias_blank;
        self.depth = outer.depth;
    }

    /// After a substitution's end: here-documents that it left without a body get theirs after the next newline.
    pub(super) fn keep_pending(&mut self, outer: Vec<Arc<HereDocument>>) {
        if !self.pending.is_empty() {
            let count = self.pending.len() as u32;
            self.warnings.push(ParseWarning::UnterminatedHereDocuments { line: self.input.line, count });
        }
        let inner = std::mem::replace(&mut self.pending, outer);
        self.pending.extend(inner);
    }

    /// Reads the bodies that begin at the cursor.
    #[inline(never)]
    pub(super) fn read_here_documents(&mut self) -> Parsed<()> {
        for document in std::mem::take(&mut self.pending) {
            let start = self.pos();
            // Bash names the line before the body.
            let behind_newline = start > 0 && self.byte_at(start - 1) == Some(b'\n');
            let opened = self.input.line.saturating_sub(u32::from(behind_newline));
            let bounds = self.here_document_bounds(&document);
            let mut body = self.here_document_body(&document, start, bounds.end)?;
            if bounds.unterminated && bounds.end > start && self.byte_at(bounds.end - 1) != Some(b'\n') {
                body.word.parts.push(WordPart::Quoted(Text::from_static(b"\n")));
            }
            document.set_body(body);
            self.advance_to(bounds.next);
            if bounds.unterminated {
                let line = self.here_document_end_line();
                let delimiter = document.delimiter.clone();
                self.warnings.push(ParseWarning::HereDocumentEnd { line, opened, delimiter });
            }
        }
        Ok(())
    }

    /// At the end of the input: here-documents without a body are empty.
    pub(super) fn end_here_documents(&mut self) -> Parsed<()> {
        if self.pending.is_empty() { Ok(()) } else { self.read_here_documents() }
    }

    /// Bash has read the bodies of a line before it tells of an error in that line: the error is told after them.
    pub(super) fn after_here_documents(&mut self, error: ParseError) -> ParseError {
        let is_told_behind =
            matches!(error.kind(), ParseErrorKind::UnexpectedToken(token) if token.as_bytes() != b"newline");
        if self.pending.is_empty() || !is_told_behind {
            return error;
        }
        let rest = self.slice(self.pos(), self.input.end);
        let to = self.pos() + memchr::memchr(b'\n', rest).unwrap_or(rest.len());
        self.advance_to(to);
        let read = if self.byte().is_some() { self.newline() } else { self.end_here_documents() };
        if self.byte_at(self.pos().wrapping_sub(1)) == Some(b'\n') {
            // Whoever skips the line of the error goes on after this newline.
            self.input.pos -= 1;
            self.input.line = self.input.line.saturating_sub(1);
        }
        match read {
            Err(error) if error.limit().is_some() => error,
            _ => error.at_line(self.input.line),
        }
    }

    fn here_document_end_line(&self) -> u32 {
        let ends_in_newline = self.input.end > 0 && self.byte_at(self.input.end - 1) == Some(b'\n');
        self.input.line.saturating_sub(u32::from(ends_in_newline))
    }

    fn here_document_bounds(&self, document: &HereDocument) -> Bounds {
        let delimiter = document.delimiter.as_bytes();
        let mut at = self.pos();
        let mut continued = false;
        while at < self.input.end {
            let rest = self.slice(at, self.input.end);
            let length = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
            let line = rest.get(..length).unwrap_or(rest);
            let tabs =
                if document.strip_tabs { line.iter().take_while(|&&byte| byte == b'\t').count() } else { 0 };
            let text = line.get(tabs..).unwrap_or(&[]);
            if !continued {
                if text == delimiter {
                    return Bounds {
                        end: at,
                        next: (at + length + 1).min(self.input.end),
                        unterminated: false,
                    };
                }
                // `$(cat <<E`, text, `E)`: the parenthesis of the substitution may follow the delimiter.
                if self.substitutions > 0
                    && text.starts_with(delimiter)
                    && text.get(delimiter.len()) == Some(&b')')
                {
                    return Bounds { end: at, next: at + tabs + delimiter.len(), unterminated: false };
                }
            }
            let backslashes = line.iter().rev().take_while(|&&byte| byte == b'\\').count();
            continued = !document.quoted && backslashes % 2 == 1;
            at += length + 1;
        }
        Bounds { end: self.input.end, next: self.input.end, unterminated: true }
    }

    fn here_document_body(
        &mut self,
        document: &HereDocument,
        start: usize,
        end: usize,
    ) -> Parsed<HereDocumentBody> {
        let mut word = Word { parts: Parts::new(), span: self.here() };
        word.span.end = end as u32;
        let stripped =
            if document.strip_tabs { strip_tabs(self.slice(start, end), document.quoted) } else { None };
        if document.quoted {
            let text = match &stripped {
                Some(text) => Text::from(text.as_slice()),
                None => Text::from(self.slice(start, end)),
            };
            if !text.is_empty() {
                word.parts.push(WordPart::Quoted(text));
            }
            return Ok(HereDocumentBody { word, source: stripped.map(Bytes::from) });
        }
        let line = self.input.line;
        let (input, source) = match stripped {
            Some(text) => {
                let source: Bytes = text.into();
                word.span = super::ast::Span { start: 0, end: source.len() as u32, line };
                (Input { source: source.clone(), pos: 0, end: source.len(), line }, Some(source))
            }
            None => (Input { source: self.input.source.clone(), pos: start, end, line }, None),
        };
        self.expanded_body(input, &mut word.parts)?;
        Ok(HereDocumentBody { word, source })
    }

    /// Parses a body as in double quotes.
    fn expanded_body(&mut self, input: Input, parts: &mut Parts) -> Parsed<()> {
        let outer = self.enter_input(input);
        let outer_body = std::mem::replace(&mut self.in_body, true);
        let result = self.quoted(QuotedEnd::Input, parts);
        self.in_body = outer_body;
        let span = self.here();
        self.leave_input(outer);
        match result {
            Err(error) if error.limit().is_none() => {
                parts.push(WordPart::CommandSubstitution(Box::new(CommandSubstitution {
                    body: Arc::new(List::default()),
                    reads_file: false,
                    backquoted: false,
                    deferred: false,
                    span,
                    source: None,
                    error: Some(error),
                })));
                Ok(())
            }
            other => other,
        }
    }
}

/// The lines of `text` without their leading tabs; `None` when there are none.
fn strip_tabs(text: &[u8], quoted: bool) -> Option<Vec<u8>> {
    if !text.starts_with(b"\t") && memchr::memmem::find(text, b"\n\t").is_none() {
        return None;
    }
    let mut out = Vec::with_capacity(text.len());
    let mut continued = false;
    for line in text.split_inclusive(|&byte| byte == b'\n') {
        let tabs = if continued { 0 } else { line.iter().take_while(|&&byte| byte == b'\t').count() };
        out.extend_from_slice(line.get(tabs..).unwrap_or(&[]));
        let backslashes = line.iter().rev().skip(1).take_while(|&&byte| byte == b'\\').count();
        continued = !quoted && backslashes % 2 == 1;
    }
    Some(out)
}
