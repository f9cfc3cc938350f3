//! Syntax of terms: what is left when no operator is, with the accesses after it (`.a`, `[k]`, `?`).

use super::binding::Id;
use super::compile::CompileError;
use super::lexer::{self, Token};
use super::number::Number;
use super::parse::{Bound, Parsed, Parser, Space};
use super::term::Term;
use super::text::Text;
use super::value::Value;
use crate::memory::{Vec, format};

impl<'t> Parser<'t, '_, '_> {
    pub(super) fn postfix(&mut self) -> Parsed<Id> {
        let mut term = self.primary()?;
        loop {
            match self.token {
                Token::Field(name) => {
                    self.advance();
                    term = self.add(Term::Field(term, Text::from(name)));
                }
                Token::Sign("?") => {
                    self.advance();
                    term = self.optional(term);
                }
                Token::Sign("[") => term = self.bracket(term)?,
                Token::Sign(".") => {
                    self.advance();
                    match self.token {
                        Token::Quote | Token::Format(_) => {
                            let key = self.string_term()?;
                            term = self.index(term, key);
                        }
                        Token::Sign("[") => term = self.bracket_after_dot(term)?,
                        _ => return Err(self.unexpected_of("FORMAT or QQSTRING_START or '['")),
                    }
                }
                _ => return Ok(term),
            }
        }
    }

    /// `term?`: after an access, only the access itself may fail, not what gives its target or its key.
    pub(super) fn optional(&mut self, term: Id) -> Id {
        let input = self.add(Term::Identity);
        let (access, target, key) = match self.shared.program.term(term).clone() {
            Term::Field(target, name) => (self.add(Term::Field(input, name)), target, None),
            Term::Each(target) => (self.add(Term::Each(input)), target, None),
            Term::Slice(target, from, upto) if self.are_constant([from, upto]) => {
                (self.add(Term::Slice(input, from, upto)), target, None)
            }
            Term::Index(target, key) => {
                let bound = self.add(Term::Variable(0));
                (self.add(Term::Index(input, bound)), target, Some(key))
            }
            _ => return self.add(Term::Try(term, None)),
        };
        let tried = self.add(Term::Try(access, None));
        match key {
            None => self.add(Term::Pipe(target, tried)),
            Some(key) => {
                let target = self.add(Term::Outer(1, target));
                let body = self.add(Term::Pipe(target, tried));
                self.add(Term::Bind(key, body))
            }
        }
    }

    fn are_constant(&self, bounds: [Option<Id>; 2]) -> bool {
        let mut bounds = bounds.into_iter().flatten();
        bounds.all(|bound| matches!(self.shared.program.term(bound), Term::Constant(_)))
    }

    pub(super) fn index(&mut self, target: Id, key: Id) -> Id {
        match self.shared.program.term(key) {
            Term::Constant(Value::String(name)) => {
                let name = name.clone();
                self.add(Term::Field(target, name))
            }
            _ => self.add(Term::Index(target, key)),
        }
    }

    /// `[]`, `[key]`, `[from:upto]` after `target`.
    pub(super) fn bracket(&mut self, target: Id) -> Parsed<Id> {
        self.enter();
        if self.is_sign("]") {
            self.leave("]", "']'")?;
            return Ok(self.add(Term::Each(target)));
        }
        if self.takes(":") {
            let upto = self.pipe()?;
            self.leave("]", "'|' or ',' or ']'")?;
            return Ok(self.add(Term::Slice(target, None, Some(upto))));
        }
        let key = self.pipe()?;
        if self.takes(":") {
            let upto = if self.is_sign("]") { None } else { Some(self.pipe()?) };
            self.leave("]", "'|' or ',' or ']'")?;
            return Ok(self.add(Term::Slice(target, Some(key), upto)));
        }
        self.leave("]", "'|' or ',' or ':' or ']'")?;
        Ok(self.index(target, key))
    }

    /// `[]` and `[key]` after `target.`: no slice can stand there.
    fn bracket_after_dot(&mut self, target: Id) -> Parsed<Id> {
        self.enter();
        if self.is_sign("]") {
            self.leave("]", "']'")?;
            return Ok(self.add(Term::Each(target)));
        }
        let key = self.pipe()?;
        self.leave("]", "'|' or ',' or ']'")?;
        Ok(self.index(target, key))
    }

    pub(super) fn primary(&mut self) -> Parsed<Id> {
        match self.token {
            Token::Number(digits) => {
                self.advance();
                let number = Number::parse(digits.as_bytes()).unwrap_or_else(|| Number::from(f64::INFINITY));
                Ok(self.constant(Value::Number(number)))
            }
            Token::Quote | Token::Format(_) => self.string_term(),
            Token::Field(name) => {
                self.advance();
                let input = self.add(Term::Identity);
                Ok(self.add(Term::Field(input, Text::from(name))))
            }
            Token::Binding("__loc__") => {
                let start = self.start;
                self.advance();
                Ok(self.location(start))
            }
            Token::Binding(name) => {
                let place = (self.start, self.end);
                self.advance();
                Ok(self.variable(name, place))
            }
            Token::Sign(sign) => self.primary_sign(sign),
            Token::Name(name) => self.primary_name(name),
            Token::Invalid | Token::End => Err(self.unexpected()),
        }
    }

    pub(super) fn primary_sign(&mut self, sign: &str) -> Parsed<Id> {
        match sign {
            "." => {
                self.advance();
                let input = self.add(Term::Identity);
                match self.token {
                    Token::Quote | Token::Format(_) => {
                        let key = self.string_term()?;
                        Ok(self.index(input, key))
                    }
                    // A name after a dot and a blank.
                    Token::Name(name) if !lexer::is_keyword(name) => Err(self.unusual_field()),
                    _ => Ok(input),
                }
            }
            ".." => {
                self.advance();
                Ok(self.add(Term::Recurse))
            }
            "$" => {
                self.advance();
                Err(self.unexpected_of("'$'"))
            }
            "(" => {
                self.enter();
                let inner = self.pipe()?;
                self.leave(")", "'|' or ',' or ')'")?;
                Ok(inner)
            }
            "[" => {
                self.enter();
                if self.is_sign("]") {
                    self.leave("]", "']'")?;
                    return Ok(self.constant(Value::array(Vec::new())));
                }
                let inner = self.pipe()?;
                self.leave("]", "'|' or ',' or ']'")?;
                Ok(self.add(Term::Collect(inner)))
            }
            "{" => self.object(),
            _ => Err(self.unexpected()),
        }
    }

    /// The errors of a name after a dot and a blank.
    fn unusual_field(&mut self) -> CompileError {
        let start = self.last.0;
        self.advance();
        let first = self.unexpected();
        let hint = "try .[\"field\"] instead of .field for unusually named fields";
        let second = self.fault_at(hint, (start, self.place().1));
        let mut faults = first.0;
        faults.push(second);
        CompileError(faults)
    }

    pub(super) fn location(&mut self, at: usize) -> Id {
        let before = self.text.as_bytes().get(..at).unwrap_or_default();
        let line = memchr::memchr_iter(b'\n', before).count() + 1;
        let location =
            Value::object([("file", Value::text(self.source)), ("line", Value::number(line as f64))]);
        self.constant(location)
    }

    pub(super) fn primary_name(&mut self, name: &'t str) -> Parsed<Id> {
        match name {
            "if" => {
                self.advance();
                self.nested(Self::condition)
            }
            "try" => {
                self.advance();
                let body = self.nested(Self::tried)?;
                let handler = if self.takes_word("catch") { Some(self.nested(Self::tried)?) } else { None };
                // Unlike `f?`, it forgives an access to a value without a path too: its body is not an access itself.
                let input = self.add(Term::Identity);
                let body = self.add(Term::Pipe(input, body));
                Ok(self.add(Term::Try(body, handler)))
            }
            "reduce" => {
                self.advance();
                self.nested(|parser| parser.fold(false))
            }
            "foreach" => {
                self.advance();
                self.nested(|parser| parser.fold(true))
            }
            "break" => {
                let start = self.start;
                self.advance();
                let name = self.variable_name("BINDING")?;
                if let Some(Bound::Slot(slot)) = self.find(Space::Label, name) {
                    return Ok(self.add(Term::Break(self.slots.saturating_sub(slot))));
                }
                let place = (start, self.last.1);
                Ok(self.undefined(&format!("$*label-{name} is not defined"), place))
            }
            _ if lexer::is_keyword(name) => Err(self.unexpected()),
            _ => self.call(name),
        }
    }

    /// What `try` and `catch` take: a term with its postfixes, or `-term`.
    pub(super) fn tried(&mut self) -> Parsed<Id> {
        self.operand()
    }

    pub(super) fn condition(&mut self) -> Parsed<Id> {
        let mut branches = Vec::new();
        let otherwise = loop {
            let condition = self.pipe()?;
            self.expect_word("then", "then or '|' or ','")?;
            let then = self.pipe()?;
            branches.push((condition, then));
            if self.takes_word("elif") {
                continue;
            }
            if self.takes_word("else") {
                let otherwise = self.pipe()?;
                self.expect_word("end", "end or '|' or ','")?;
                break otherwise;
            }
            if !self.takes_word("end") {
                return Err(self.unexpected());
            }
            break self.add(Term::Identity);
        };
        Ok(branches
            .into_iter()
            .rev()
            .fold(otherwise, |otherwise, (condition, then)| self.add(Term::If(condition, then, otherwise))))
    }
}
