//! What is told of a wrong program: at which token, in which line, and whether the text is read on.

use super::error::{ProgramPart, SyntaxError, SyntaxErrorKind};
use super::lexer::{Token, outside_loop};
use super::parser::Parser;
use crate::memory::{String, ToMetered, format};

impl Parser<'_> {
    pub(super) fn error(&self, kind: SyntaxErrorKind) -> SyntaxError {
        let (source, line) = self.sources.locate(self.lexer.line);
        SyntaxError { source, line, kind }
    }

    /// The token here cannot stand here.
    pub(super) fn unexpected(&mut self) -> SyntaxError {
        if let Token::Keyword(keyword @ ("break" | "continue")) = self.token
            && self.loops.is_empty()
        {
            // gawk tells that first.
            self.tell(outside_loop(keyword));
        }
        match self.token {
            Token::End if self.shows_end_of_file() => {
                self.end_of_file(self.lexer.text.last() == Some(&b'\n'))
            }
            // As a token, a comment is more than the newline that it ends with.
            Token::Newline if self.lexer.text.get(self.lexer.start) == Some(&b'#') => {
                self.wrong("syntax error")
            }
            Token::Newline | Token::End => self.wrong("unexpected newline or end of string"),
            Token::Wrong if self.lexer.text.get(self.lexer.start) == Some(&b'"') => {
                self.wrong("unterminated string")
            }
            Token::Wrong if self.lexer.text.get(self.lexer.start) == Some(&b'\\') => {
                self.wrong("backslash not last character on line")
            }
            Token::Wrong if let Some(&byte @ (b'`' | b'\'')) = self.lexer.text.get(self.lexer.start) => {
                self.wrong(format!("invalid char '{}' in expression", char::from(byte)))
            }
            _ => self.wrong("syntax error"),
        }
    }

    /// The text ends where a statement could begin: gawk counts no line for that.
    pub(super) fn unexpected_end(&mut self) -> SyntaxError {
        self.ends_behind_newlines = true;
        self.unexpected()
    }

    /// Whether the text ends here without the newline of its last line.
    fn is_cut_off(&self) -> bool {
        self.token == Token::End && self.lexer.text.last().is_some_and(|byte| *byte != b'\n')
    }

    /// Whether the text that ends here was a file, or ended in a comment.
    fn shows_end_of_file(&self) -> bool {
        let is_file = matches!(self.sources.0.last(), Some((ProgramPart::File(_), _)));
        is_file || self.lexer.text.get(self.lexer.previous) == Some(&b'#')
    }

    /// The text ends in the middle of a rule, after the token before or with a whole line.
    fn end_of_file(&self, is_whole: bool) -> SyntaxError {
        let before = self.lexer.text.get(..self.lexer.previous).unwrap_or(&[]);
        let column = before.iter().rev().take_while(|byte| **byte != b'\n').count();
        let pad = before.get(before.len() - column..).unwrap_or(&[]);
        let pad: String = pad.iter().map(|byte| if *byte == b'\t' { '\t' } else { ' ' }).collect();
        let mut error = self.error(SyntaxErrorKind::EndOfFile(if is_whole { String::new() } else { pad }));
        let is_next_line = !is_whole && !self.ends_behind_newlines;
        error.line = (error.line + u32::from(is_next_line)).saturating_sub(u32::from(is_whole));
        error
    }

    /// Newlines may follow an operator such as `&&`, the end of the text may not.
    pub(super) fn skip_newlines_in_expression(&mut self) -> Result<(), SyntaxError> {
        let operator = self.lexer.previous;
        self.skip_newlines();
        if self.token != Token::End {
            return Ok(());
        }
        let is_whole = self.lexer.text.last() == Some(&b'\n');
        (self.lexer.previous, self.ends_behind_newlines) = (operator, true);
        let mut error = self.end_of_file(false);
        error.line += if is_whole { 1 } else { 2 };
        Err(error)
    }

    /// Something is wrong at the token here.
    pub(super) fn wrong(&self, message: impl Into<String>) -> SyntaxError {
        let text = &self.lexer.text;
        let start = self.lexer.start.min(text.len());
        let before = text.get(..start).unwrap_or(&[]);
        // gawk shows a newline with which the text begins, before a word that ends it.
        let is_word = matches!(self.token, Token::Keyword(_) | Token::Name(_) | Token::Function(_));
        let shows_newline = start == 1 && is_word && self.lexer.at >= text.len();
        let line_start = memchr::memrchr(b'\n', before).filter(|_| !shows_newline).map_or(0, |at| at + 1);
        let line_end =
            memchr::memchr(b'\n', text.get(start..).unwrap_or(&[])).map_or(text.len(), |at| start + at);
        let line = text.get(line_start..line_end).unwrap_or(&[]).to_metered();
        // gawk counts bytes.
        let column = start - line_start;
        let mut error = self.error(SyntaxErrorKind::Token { text: line, column, message: message.into() });
        let is_cut_off = self.is_cut_off() && !self.ends_behind_newlines;
        error.line += u32::from(self.token == Token::Newline || is_cut_off);
        error
    }

    /// Tells an error after which the text is read on.
    pub(super) fn tell(&mut self, message: impl std::fmt::Display) {
        self.lexer.tell(format!("error: {message}"));
    }

    /// The same at another line than the one that is read.
    pub(super) fn tell_at(&mut self, line: u32, message: impl std::fmt::Display) {
        let here = std::mem::replace(&mut self.lexer.line, line);
        self.tell(message);
        self.lexer.line = here;
    }

    pub(super) fn fatal(&self, message: impl Into<String>) -> SyntaxError {
        self.error(SyntaxErrorKind::Fatal(message.into()))
    }
}
