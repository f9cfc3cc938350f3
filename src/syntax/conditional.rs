//! The expression of `[[ ]]`. Bash manual 3.2.5.2.
//!
//! `||` and `&&` are associative: their runs become balanced trees. Parentheses and `!` recurse, and are counted.

#![allow(
    clippy::unnecessary_box_returns,
    clippy::boxed_local,
    reason = "the stack frames of functions that recurse hold pointers, not nodes"
)]

use super::arithmetic::balanced;
use super::ast::{Command, CommandKind, Conditional, ConditionalOperator, Word, WordPart};
use super::error::{AtEnd, ParseError, ParseErrorKind};
use super::lexer::{Parsed, Reader};
use super::word::Context;
use crate::memory::{Box, vec};
use crate::text::Text;

impl Default for Conditional {
    fn default() -> Self {
        Self::Word(Word::default())
    }
}

impl Reader<'_> {
    /// `[[ expression ]]`; its first word ends at `end`.
    pub(super) fn conditional_command(&mut self, command: &mut Command, end: usize) -> Parsed<()> {
        let line = self.input.line;
        self.advance_to(end);
        let expression = self.conditional_or().map_err(|error| match error.kind() {
            ParseErrorKind::ConditionalEnd => error.at_line(line),
            _ => error,
        })?;
        if !self.take_conditional_end() {
            return Err(self.conditional_rest().at_line(line));
        }
        command.kind = CommandKind::Conditional(expression.into_inner());
        Ok(())
    }

    fn conditional_rest(&mut self) -> ParseError {
        if self.byte().is_none() {
            return self.error(ParseErrorKind::ConditionalEnd);
        }
        self.conditional_error(ParseErrorKind::ConditionalToken, ParseErrorKind::Conditional)
    }

    fn at_conditional_end(&self) -> bool {
        if self.byte() != Some(b']') {
            return false;
        }
        let second = self.after(self.pos());
        self.byte_at(second) == Some(b']')
            && self.byte_at(self.after(second)).is_none_or(super::byte::is_metacharacter)
    }

    fn take_conditional_end(&mut self) -> bool {
        let ends = self.at_conditional_end();
        if ends {
            self.bump(2);
        }
        ends
    }

    fn conditional_or(&mut self) -> Parsed<Box<Conditional>> {
        let first = self.conditional_and()?;
        if self.byte() != Some(b'|') || self.operator() != 2 {
            return Ok(first);
        }
        let mut operands = vec![first.into_inner()];
        while self.byte() == Some(b'|') && self.second() == Some(b'|') {
            self.bump(2);
            operands.push(self.conditional_and()?.into_inner());
        }
        Ok(Box::new(balanced(operands, Conditional::Or)))
    }

    fn conditional_and(&mut self) -> Parsed<Box<Conditional>> {
        let first = self.conditional_term()?;
        if self.byte() != Some(b'&') || self.second() != Some(b'&') {
            return Ok(first);
        }
        let mut operands = vec![first.into_inner()];
        while self.byte() == Some(b'&') && self.second() == Some(b'&') {
            self.bump(2);
            operands.push(self.conditional_term()?.into_inner());
        }
        Ok(Box::new(balanced(operands, Conditional::And)))
    }

    /// `! term`, `( expression )`, or a test; then blanks and newlines.
    fn conditional_term(&mut self) -> Parsed<Box<Conditional>> {
        self.skip_newlines()?;
        if self.byte().is_none() {
            return Err(self.error(ParseErrorKind::ConditionalEnd));
        }
        if self.at_conditional_end() {
            return Err(self.error(ParseErrorKind::ConditionalEmpty));
        }
        if self.byte() == Some(b'(') {
            return self.conditional_group();
        }
        if self.byte() == Some(b'!')
            && self.second().is_none_or(super::byte::is_metacharacter)
            && !(self.options.extglob && self.second() == Some(b'('))
        {
            self.enter()?;
            self.bump(1);
            let term = self.conditional_term()?;
            self.leave();
            return Ok(Box::new(Conditional::Not(term)));
        }
        if self.operator() > 0 && !self.at_process_substitution() {
            let token = self.conditional_token();
            return Err(self.error(ParseErrorKind::ConditionalTokenNear(token)));
        }
        self.conditional_test()
    }

    fn conditional_group(&mut self) -> Parsed<Box<Conditional>> {
        self.enter()?;
        self.bump(1);
        let inner = self.conditional_or().map_err(ParseError::in_conditional_group)?;
        if self.byte() != Some(b')') {
            return Err(self.conditional_close_expected());
        }
        self.bump(1);
        self.leave();
        self.skip_newlines()?;
        Ok(Box::new(Conditional::Group(inner)))
    }

    #[inline(never)]
    fn conditional_close_expected(&mut self) -> ParseError {
        if self.at_conditional_end() {
            return self.error(ParseErrorKind::ConditionalCloseExpected(Text::from_static(b"]]")));
        }
        let plain = ParseErrorKind::ConditionalEmpty;
        let is_word = self.byte().is_none() || self.operator() == 0;
        let error = self.conditional_error(ParseErrorKind::ConditionalCloseExpected, plain);
        if is_word { error.in_conditional_group() } else { error }
    }

    /// A word alone, a unary operator with its word, or a binary operator between two.
    fn conditional_test(&mut self) -> Parsed<Box<Conditional>> {
        let mut first = Box::<Word>::default();
        self.word_into(&mut first).map_err(|error| error.ended_at(self.end_line(), AtEnd::Test))?;
        if let Some(letter) = unary_operator(&first) {
            let operand = self.conditional_operand(
                Context::WORD,
                ParseErrorKind::ConditionalUnaryArgument,
                AtEnd::UnaryArgument,
            )?;
            self.skip_newlines()?;
            return Ok(unary(letter, operand));
        }
        self.skip_blanks();
        if self.at_conditional_end() {
            return Ok(word_alone(first));
        }
        match (self.byte(), self.operator()) {
            (Some(b'&'), 2) if self.second() == Some(b'&') => return Ok(word_alone(first)),
            (Some(b'|'), 2) if self.second() == Some(b'|') => return Ok(word_alone(first)),
            (Some(b')'), _) => return Ok(word_alone(first)),
            _ => {}
        }
        let operator = self.conditional_operator()?;
        let context = match operator {
            ConditionalOperator::Match | ConditionalOperator::NotMatch => Context::PATTERN,
            ConditionalOperator::Regex => Context::REGEX,
            _ => Context::WORD,
        };
        let second = self.conditional_operand(
            context,
            ParseErrorKind::ConditionalBinaryArgument,
            AtEnd::BinaryArgument,
        )?;
        self.skip_newlines()?;
        Ok(binary(operator, first, second))
    }

    fn conditional_operator(&mut self) -> Parsed<ConditionalOperator> {
        if !self.at_process_substitution() {
            match (self.byte(), self.operator()) {
                (Some(b'<'), 1) => {
                    self.bump(1);
                    return Ok(ConditionalOperator::Before);
                }
                (Some(b'>'), 1) => {
                    self.bump(1);
                    return Ok(ConditionalOperator::After);
                }
                (None | Some(_), _) => {}
            }
        }
        let error = |reader: &mut Self| {
            reader.conditional_error(
                ParseErrorKind::ConditionalBinaryExpectedAt,
                ParseErrorKind::ConditionalBinaryExpected,
            )
        };
        if self.byte().is_none() || self.operator() > 0 {
            return Err(error(self));
        }
        let at = self.pos();
        let mut end = at;
        while self.byte_at(end).is_some_and(|byte| !super::byte::is_metacharacter(byte)) {
            end += 1;
        }
        let Some(operator) = binary_operator(self.slice(at, end)) else { return Err(error(self)) };
        self.input.pos = end;
        Ok(operator)
    }

    fn conditional_operand(
        &mut self,
        context: Context,
        kind: fn(Text) -> ParseErrorKind,
        end: AtEnd,
    ) -> Parsed<Box<Word>> {
        self.skip_blanks();
        let regex = context.end == super::word::End::Regex && matches!(self.byte(), Some(b'(' | b'|'));
        let operator = self.operator() > 0 && !regex && !self.at_process_substitution();
        if self.byte().is_none() || operator || self.at_conditional_end() {
            let token = self.conditional_token();
            return Err(self.error(kind(token)));
        }
        let mut word = Box::<Word>::default();
        if context.end == super::word::End::Word && !context.extglob {
            self.word_into(&mut word)
        } else {
            self.word_in_place(context, &mut word)
        }
        .map_err(|error| error.ended_at(self.end_line(), end))?;
        Ok(word)
    }

    /// The token at the cursor for a message; the end of the input is a newline too.
    fn conditional_token(&mut self) -> Text {
        let (pos, line) = (self.pos(), self.input.line);
        let token = self.token().ok().flatten().unwrap_or(Text::from_static(b"newline"));
        self.input.pos = pos;
        self.input.line = line;
        token
    }

    /// The error for the token at the cursor: one for operators, another for words.
    fn conditional_error(
        &mut self,
        operator: fn(Text) -> ParseErrorKind,
        word: ParseErrorKind,
    ) -> ParseError {
        if self.byte().is_some() && self.operator() == 0 {
            return self.error(word);
        }
        let token = self.conditional_token();
        self.error(operator(token))
    }
}

// Large temporaries stay out of the frames of functions that recurse.

#[inline(never)]
fn word_alone(word: Box<Word>) -> Box<Conditional> {
    Box::new(Conditional::Word(word.into_inner()))
}

#[inline(never)]
fn unary(letter: u8, word: Box<Word>) -> Box<Conditional> {
    Box::new(Conditional::Unary(letter, word.into_inner()))
}

#[inline(never)]
fn binary(operator: ConditionalOperator, left: Box<Word>, right: Box<Word>) -> Box<Conditional> {
    Box::new(Conditional::Binary(operator, left.into_inner(), right.into_inner()))
}

fn plain(word: &Word) -> Option<&[u8]> {
    match word.parts.as_slice() {
        [WordPart::Literal(text)] => Some(text),
        _ => None,
    }
}

fn unary_operator(word: &Word) -> Option<u8> {
    match plain(word)? {
        [b'-', letter] if b"abcdefghknoprstuvwxzGLNORS".contains(letter) => Some(*letter),
        _ => None,
    }
}

fn binary_operator(text: &[u8]) -> Option<ConditionalOperator> {
    Some(match text {
        b"=" | b"==" => ConditionalOperator::Match,
        b"!=" => ConditionalOperator::NotMatch,
        b"=~" => ConditionalOperator::Regex,
        b"-eq" => ConditionalOperator::Equal,
        b"-ne" => ConditionalOperator::NotEqual,
        b"-lt" => ConditionalOperator::Less,
        b"-le" => ConditionalOperator::LessOrEqual,
        b"-gt" => ConditionalOperator::Greater,
        b"-ge" => ConditionalOperator::GreaterOrEqual,
        b"-ef" => ConditionalOperator::SameFile,
        b"-nt" => ConditionalOperator::Newer,
        b"-ot" => ConditionalOperator::Older,
        _ => return None,
    })
}
