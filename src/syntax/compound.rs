//! Compound commands. Bash manual 3.2.5.

use super::ast::{Arithmetic, CaseArm, CaseEnd, Command, CommandKind, List, Parts, Word, WordPart};
use super::error::{ParseError, ParseErrorKind};
use super::lexer::{Keyword, Parsed, Reader};
use super::substitution::ArithmeticEnd;
use super::word::{Context, End, Tilde};
use crate::memory::{Box, Vec};
use crate::text::Text;

impl Reader<'_> {
    /// The compound command at the cursor, with its redirections.
    pub(super) fn compound(&mut self, command: &mut Command) -> Parsed<()> {
        self.enter()?;
        match self.keyword() {
            Some((Keyword::OpenBrace, end)) => self.brace_group(command, end)?,
            Some((Keyword::OpenConditional, end)) => self.conditional_command(command, end)?,
            Some((Keyword::Case, end)) => self.case(command, end)?,
            Some((Keyword::For, end)) => self.for_loop(command, end)?,
            Some((Keyword::If, end)) => self.if_clause(command, end)?,
            Some((Keyword::Select, end)) => self.select(command, end)?,
            Some((Keyword::While, end)) => self.while_loop(command, end, false)?,
            Some((Keyword::Until, end)) => self.while_loop(command, end, true)?,
            _ => self.parenthesized(command)?,
        }
        self.leave();
        let (pos, line) = (self.pos(), self.input.line);
        self.redirections(&mut command.redirections)?;
        if command.redirections.is_empty() {
            self.input.pos = pos;
            self.input.line = line;
        }
        Ok(())
    }

    /// `((...))` or `( list )`
    fn parenthesized(&mut self, command: &mut Command) -> Parsed<()> {
        let (pos, line) = (self.pos(), self.input.line);
        if self.second() == Some(b'(') {
            self.bump(1);
            if let Some(arithmetic) = self.double_parenthesis()? {
                command.kind = CommandKind::Arithmetic(arithmetic.into_inner());
                return Ok(());
            }
            self.input.pos = pos;
            self.input.line = line;
        }
        self.bump(1);
        let mut list = List::default();
        self.compound_list(&mut list)?;
        if self.byte() != Some(b')') {
            return Err(self.unexpected_or_end());
        }
        self.bump(1);
        set_subshell(command, list);
        Ok(())
    }

    fn brace_group(&mut self, command: &mut Command, end: usize) -> Parsed<()> {
        self.advance_to(end);
        let mut list = List::default();
        self.compound_list(&mut list)?;
        self.expect_keyword(Keyword::CloseBrace)?;
        set_brace_group(command, list);
        Ok(())
    }

    fn if_clause(&mut self, command: &mut Command, end: usize) -> Parsed<()> {
        self.advance_to(end);
        let mut clauses = Vec::new();
        let mut otherwise = None;
        loop {
            clauses.push((List::default(), List::default()));
            if let Some((condition, body)) = clauses.last_mut() {
                self.compound_list(condition)?;
                self.expect_keyword(Keyword::Then)?;
                self.branch(body)?;
            }
            if self.take_keyword(Keyword::Elif) {
                continue;
            }
            if self.take_keyword(Keyword::Else) {
                self.branch(otherwise.insert(List::default()))?;
            }
            break;
        }
        self.expect_keyword(Keyword::Fi)?;
        set_if(command, clauses, otherwise);
        Ok(())
    }

    fn while_loop(&mut self, command: &mut Command, end: usize, until: bool) -> Parsed<()> {
        self.advance_to(end);
        let (mut condition, mut body) = (List::default(), List::default());
        self.loops += 1;
        self.compound_list(&mut condition)?;
        self.expect_keyword(Keyword::Do)?;
        self.compound_list(&mut body)?;
        self.expect_keyword(Keyword::Done)?;
        self.loops -= 1;
        set_while(command, until, condition, body);
        Ok(())
    }

    fn for_loop(&mut self, command: &mut Command, end: usize) -> Parsed<()> {
        self.advance_to(end);
        self.skip_blanks();
        if self.byte() == Some(b'(') && self.second() == Some(b'(') {
            return self.arithmetic_for(command);
        }
        let (mut words, mut body) = (None, List::default());
        let variable = self.loop_head(&mut words)?;
        self.loop_body(&mut body)?;
        set_for(command, variable, words, body);
        Ok(())
    }

    fn select(&mut self, command: &mut Command, end: usize) -> Parsed<()> {
        self.advance_to(end);
        let (mut words, mut body) = (None, List::default());
        let variable = self.loop_head(&mut words)?;
        self.loop_body(&mut body)?;
        set_select(command, variable, words, body);
        Ok(())
    }

    /// `name`, `name;`, `name in words;` with the newlines that may be there.
    fn loop_head(&mut self, words: &mut Option<Vec<Word>>) -> Parsed<Text> {
        self.skip_blanks();
        if self.byte().is_none() {
            return Err(self.unexpected_or_newline());
        }
        if self.operator() > 0 {
            return Err(self.unexpected());
        }
        self.expand_next_alias()?;
        let start = self.pos();
        self.word()?;
        let variable = self.joined(start, self.pos());
        self.skip_blanks();
        self.expand_next_alias()?;
        if self.byte() == Some(b';') && self.operator() == 1 {
            self.bump(1);
            self.skip_newlines()?;
            return Ok(variable);
        }
        self.skip_newlines()?;
        if self.take_keyword(Keyword::In) {
            let mut list = Vec::new();
            self.loop_words(&mut list)?;
            *words = Some(list);
        }
        Ok(variable)
    }

    fn loop_words(&mut self, words: &mut Vec<Word>) -> Parsed<()> {
        loop {
            self.skip_blanks();
            self.expand_next_alias()?;
            match self.byte() {
                None => return Err(self.unexpected_end()),
                Some(b'\n') => break,
                Some(b';') if self.operator() == 1 => {
                    self.bump(1);
                    break;
                }
                Some(_)
                    if self.operator() > 0 && !self.at_process_substitution()
                        || self.at_descriptor_number() =>
                {
                    return Err(self.unexpected());
                }
                Some(_) => {
                    let word = self.word()?;
                    words.push(word);
                }
            }
        }
        self.skip_newlines()
    }

    /// `do list; done` or `{ list; }`
    fn loop_body(&mut self, body: &mut List) -> Parsed<()> {
        self.skip_newlines()?;
        let close = if self.take_keyword(Keyword::OpenBrace) {
            Keyword::CloseBrace
        } else if self.take_keyword(Keyword::Do) {
            Keyword::Done
        } else {
            return Err(self.unexpected_or_end());
        };
        self.loops += 1;
        self.compound_list(body)?;
        self.loops -= 1;
        self.expect_keyword(close)
    }

    /// `for ((a; b; c))`; the cursor is on the first parenthesis.
    fn arithmetic_for(&mut self, command: &mut Command) -> Parsed<()> {
        let mut expressions = Vec::with_capacity(3);
        let error = self.for_expressions(&mut expressions)?;
        self.skip_blanks();
        if self.byte() == Some(b';') && self.operator() == 1 {
            self.bump(1);
        }
        let mut body = List::default();
        self.loop_body(&mut body)?;
        set_arithmetic_for(command, self.arithmetic_for_line, expressions, body);
        error.map_or(Ok(()), Err)
    }

    /// Reads `((a; b; c))`. An error about their number is returned for later: bash reads the body first.
    fn for_expressions(&mut self, expressions: &mut Vec<Option<Arithmetic>>) -> Parsed<Option<ParseError>> {
        let (start, line) = (self.pos(), self.input.line);
        self.arithmetic_for_line = line;
        self.bump(2);
        loop {
            let mut text = Word { parts: Parts::new(), span: self.here() };
            self.arithmetic_text(ArithmeticEnd::Semicolon, &mut text.parts)?;
            text.span.end = self.pos() as u32;
            let blank = text.parts.iter().all(
                |part| matches!(part, WordPart::Quoted(text) if text.iter().all(u8::is_ascii_whitespace)),
            );
            expressions.push((!blank).then(|| self.arithmetic(text)));
            match self.byte() {
                None => return Err(self.unmatched(b')', line)),
                Some(b';') => self.bump(1),
                Some(_) => break,
            }
        }
        let close = self.second() == Some(b')');
        if !close {
            self.bump(1);
            return Err(self.unexpected());
        }
        self.bump(2);
        let text = Text::from(self.slice(start, self.pos()));
        let kind = match expressions.len() {
            3 => return Ok(None),
            1 | 2 => ParseErrorKind::ArithmeticForRequired(text),
            _ => ParseErrorKind::ArithmeticForSemicolon(text),
        };
        Ok(Some(self.error(kind).at_line(line)))
    }

    fn case(&mut self, command: &mut Command, end: usize) -> Parsed<()> {
        self.advance_to(end);
        self.skip_blanks();
        if self.byte().is_none() {
            return Err(self.unexpected_or_newline());
        }
        if self.operator() > 0 && !self.at_process_substitution() || self.at_descriptor_number() {
            return Err(self.unexpected());
        }
        let subject = self.word()?;
        self.skip_newlines()?;
        if !self.take_keyword(Keyword::In) {
            return Err(self.unexpected_or_end());
        }
        let mut arms = Vec::new();
        loop {
            self.skip_newlines()?;
            if self.take_keyword(Keyword::Esac) {
                break;
            }
            if self.byte().is_none() {
                return Err(self.unexpected_end());
            }
            self.case_arm(&mut arms)?;
        }
        set_case(command, subject, arms);
        Ok(())
    }

    fn case_arm(&mut self, arms: &mut Vec<CaseArm>) -> Parsed<()> {
        arms.push(CaseArm { patterns: Vec::new(), body: List::default(), end: CaseEnd::Break });
        // It was refused, and the input has not moved.
        let Some(arm) = arms.last_mut() else { return Err(self.unexpected_end()) };
        self.case_patterns(&mut arm.patterns)?;
        self.possibly_empty_list(&mut arm.body)?;
        arm.end = match (self.byte(), self.operator()) {
            (Some(b';'), 3) => CaseEnd::Continue,
            (Some(b';'), 2) if self.second() == Some(b'&') => CaseEnd::FallThrough,
            (Some(b';'), 2) => CaseEnd::Break,
            // The last one may end without.
            _ if self.at_keyword(Keyword::Esac) => return Ok(()),
            _ => return Err(self.unexpected_or_end()),
        };
        self.bump(self.operator());
        Ok(())
    }

    /// `(pattern | pattern)`
    fn case_patterns(&mut self, patterns: &mut Vec<Word>) -> Parsed<()> {
        if self.byte() == Some(b'(') {
            self.bump(1);
        }
        loop {
            self.skip_blanks();
            if self.byte().is_none() {
                return Err(self.unexpected_or_newline());
            }
            if self.operator() > 0 && !self.at_process_substitution() {
                return Err(self.unexpected());
            }
            let context = Context { end: End::Word, tilde: Tilde::Start, extglob: self.options.extglob };
            let pattern = self.word_in(context)?;
            patterns.push(pattern);
            self.skip_blanks();
            match (self.byte(), self.operator()) {
                (Some(b'|'), 1) => self.bump(1),
                (Some(b')'), _) => {
                    self.bump(1);
                    return Ok(());
                }
                _ => return Err(self.unexpected_or_newline()),
            }
        }
    }
}

// The nodes are stored by functions of their own: a large temporary in a function that recurses would be in the stack
// frame of every level.

#[inline(never)]
fn set_subshell(command: &mut Command, list: List) {
    command.kind = CommandKind::Subshell(list);
}

#[inline(never)]
fn set_brace_group(command: &mut Command, list: List) {
    command.kind = CommandKind::BraceGroup(list);
}

#[inline(never)]
fn set_if(command: &mut Command, clauses: Vec<(List, List)>, otherwise: Option<List>) {
    command.kind = CommandKind::If { clauses, otherwise };
}

#[inline(never)]
fn set_while(command: &mut Command, until: bool, condition: List, body: List) {
    command.kind = CommandKind::While { until, condition, body };
}

#[inline(never)]
fn set_for(command: &mut Command, variable: Text, words: Option<Vec<Word>>, body: List) {
    command.kind = CommandKind::For { variable, words, body };
}

#[inline(never)]
fn set_select(command: &mut Command, variable: Text, words: Option<Vec<Word>>, body: List) {
    command.kind = CommandKind::Select { variable, words, body };
}

#[inline(never)]
fn set_case(command: &mut Command, subject: Word, arms: Vec<CaseArm>) {
    command.kind = CommandKind::Case { subject, arms };
}

#[inline(never)]
fn set_arithmetic_for(command: &mut Command, line: u32, expressions: Vec<Option<Arithmetic>>, body: List) {
    let mut expressions = expressions.into_iter();
    let mut next = || expressions.next().flatten().map(Box::new);
    command.kind = CommandKind::ArithmeticFor { line, init: next(), condition: next(), update: next(), body };
}
