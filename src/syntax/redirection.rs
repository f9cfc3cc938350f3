//! Redirections: the descriptor, the operator, the target. Bash manual 3.6.

use super::ast::{HereDocument, Redirection, RedirectionDescriptor, RedirectionKind, Word, WordPart};
use super::byte::is_name_start;
use super::lexer::{Parsed, Reader};
use super::quote::literal_text;
use crate::memory::{Arc, Vec};
use crate::text::Text;

impl Reader<'_> {
    /// Reads a redirection if one begins at the cursor.
    pub(super) fn redirection(&mut self, out: &mut Vec<Redirection>) -> Parsed<bool> {
        let Some((descriptor, operator_at)) = self.redirection_descriptor() else { return Ok(false) };
        let (start, line) = (self.pos(), self.input.line);
        self.advance_to(operator_at);
        let kind = self.redirection_kind()?;
        out.push(Redirection { descriptor, kind, span: self.span_from(start, line) });
        Ok(true)
    }

    /// Reads the redirections after a compound command.
    pub(super) fn redirections(&mut self, out: &mut Vec<Redirection>) -> Parsed<()> {
        loop {
            self.skip_blanks();
            if !self.redirection(out)? {
                return Ok(());
            }
        }
    }

    /// The descriptor, and where the operator begins; `None` when no redirection begins here.
    fn redirection_descriptor(&self) -> Option<(RedirectionDescriptor, usize)> {
        let at = self.pos();
        match self.byte()? {
            b'<' | b'>' if !self.at_process_substitution() => Some((RedirectionDescriptor::Default, at)),
            b'&' if self.second() == Some(b'>') => Some((RedirectionDescriptor::Default, at)),
            b'0'..=b'9' => self.numbered_descriptor(at),
            b'{' => self.named_descriptor(at),
            _ => None,
        }
    }

    /// Whether digits follow that belong to a redirection: no word, and an error where there can be no redirection.
    pub(super) fn at_descriptor_number(&self) -> bool {
        self.byte().is_some_and(|byte| byte.is_ascii_digit())
            && self.numbered_descriptor(self.pos()).is_some()
    }

    pub(super) fn numbered_descriptor(&self, mut at: usize) -> Option<(RedirectionDescriptor, usize)> {
        let mut number = Some(0_u32);
        while let Some(byte) = self.byte_at(at).filter(u8::is_ascii_digit) {
            number = number
                .and_then(|number| number.checked_mul(10)?.checked_add(u32::from(byte - b'0')))
                .filter(|&number| i32::try_from(number).is_ok());
            at = self.after(at);
        }
        // Before a process substitution a number is a part of its word.
        if self.is_process_substitution(at) {
            return None;
        }
        // A number that is not a descriptor's is a word, as in bash.
        matches!(self.byte_at(at), Some(b'<' | b'>')).then_some((RedirectionDescriptor::Number(number?), at))
    }

    fn named_descriptor(&self, open: usize) -> Option<(RedirectionDescriptor, usize)> {
        let start = open + 1;
        if !self.byte_at(start).is_some_and(is_name_start) {
            return None;
        }
        let mut end = self.name_end(start);
        let mut close = end;
        if self.byte_at(close) == Some(b'[') {
            while self.byte_at(close).is_some_and(|byte| byte != b']' && !super::byte::is_metacharacter(byte))
            {
                close += 1;
            }
            close += 1;
            end = close;
        }
        let operator = self.after(close);
        let closed = self.byte_at(close) == Some(b'}')
            && matches!(self.byte_at(operator), Some(b'<' | b'>'))
            && !self.is_process_substitution(operator);
        closed.then(|| (RedirectionDescriptor::Variable(self.joined(start, end)), operator))
    }

    fn redirection_kind(&mut self) -> Parsed<RedirectionKind> {
        let length = self.operator();
        let start = self.pos();
        let second_at = self.after(start);
        let operator = [
            self.byte_at(start),
            self.byte_at(second_at).filter(|_| length > 1),
            self.byte_at(self.after(second_at)).filter(|_| length > 2),
        ];
        self.bump(length);
        if operator == [Some(b'<'), Some(b'<'), None] || operator == [Some(b'<'), Some(b'<'), Some(b'-')] {
            return self.here_document(length == 3);
        }
        let target = self.redirection_target()?;
        Ok(match operator {
            [Some(b'<'), None, _] => RedirectionKind::Read(target),
            [Some(b'<'), Some(b'<'), _] => RedirectionKind::HereString(target),
            [Some(b'<'), Some(b'&'), _] => RedirectionKind::DuplicateInput(target),
            [Some(b'<'), Some(_), _] => RedirectionKind::ReadWrite(target),
            [Some(b'>'), Some(b'>'), _] => RedirectionKind::Append(target),
            [Some(b'>'), Some(b'&'), _] => RedirectionKind::DuplicateOutput(target),
            [Some(b'>'), Some(_), _] => RedirectionKind::Clobber(target),
            [Some(b'&'), _, Some(_)] => RedirectionKind::BothAppend(target),
            [Some(b'&'), ..] => RedirectionKind::BothWrite(target),
            _ => RedirectionKind::Write(target),
        })
    }

    fn redirection_target(&mut self) -> Parsed<Word> {
        self.skip_blanks();
        if self.byte().is_none() || self.operator() > 0 && !self.at_process_substitution() {
            return Err(self.unexpected_or_newline());
        }
        // Digits before an operator are its descriptor, never a word: `>3>f`.
        if self.byte().is_some_and(|byte| byte.is_ascii_digit())
            && let Some((_, operator_at)) = self.numbered_descriptor(self.pos())
        {
            let token = Text::from(self.slice(self.pos(), operator_at));
            return Err(self.error(super::ParseErrorKind::UnexpectedToken(token)));
        }
        self.word()
    }

    /// The error for a missing word: at the end of the input bash sees a newline first.
    pub(super) fn unexpected_or_newline(&mut self) -> super::ParseError {
        self.skip_blanks();
        if self.byte().is_some() {
            return self.unexpected();
        }
        self.error(super::ParseErrorKind::UnexpectedToken(Text::from_static(b"newline")))
    }

    fn here_document(&mut self, strip_tabs: bool) -> Parsed<RedirectionKind> {
        let target = self.redirection_target()?;
        let quoted = Self::is_quoted(&target.parts);
        let delimiter = self.here_document_delimiter(&target);
        let document = Arc::new(HereDocument::new(delimiter, quoted, strip_tabs));
        self.pending.push(Arc::clone(&document));
        Ok(RedirectionKind::HereDocument(document))
    }

    /// The delimiter's text: quotes are removed, nothing is expanded.
    fn here_document_delimiter(&self, word: &Word) -> Text {
        let literal = |part: &WordPart| {
            matches!(part, WordPart::Literal(_) | WordPart::Quoted(_) | WordPart::DoubleQuoted(_))
        };
        if word.parts.iter().all(literal) {
            let mut text = Text::EMPTY;
            literal_text(&word.parts, &mut text);
            return text;
        }
        // The quotes inside of an expansion stay.
        let mut text = Text::EMPTY;
        for part in &word.parts {
            let span = match part {
                WordPart::Parameter(expansion) => expansion.span,
                WordPart::CommandSubstitution(substitution) => substitution.span,
                WordPart::ProcessSubstitution(substitution) => substitution.span,
                WordPart::Arithmetic(arithmetic) => arithmetic.text.span,
                other => {
                    literal_text(std::slice::from_ref(other), &mut text);
                    continue;
                }
            };
            text.push_bytes(self.slice(span.start as usize, span.end as usize));
        }
        text
    }
}
