//! Syntax of terms: what is left when no operator is, with the accesses behind it (`.a`, `[k]`, `?`).

use super::lexer::{self, Token};
use super::parse::{Bound, Parsed, Parser, Space};
use super::term::{Id, Term};
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
                Token::Sign("?//") => {
                    // Outside of patterns this is `?` and `//`.
                    self.go_to(self.start + 1);
                    term = self.optional(term);
                }
                Token::Sign("[") => term = self.bracket(term)?,
                Token::Sign(".") => {
                    let dot = self.start;
                    self.advance();
                    match self.token {
                        Token::Quote | Token::Format(_) => {
                            let key = self.string_term()?;
                            term = self.index(term, key);
                        }
                        // `.a.[0]`, as jq 1.7 takes it.
                        Token::Sign("[") => term = self.bracket(term)?,
                        _ => {
                            self.go_to(dot);
                            return Err(self.unexpected());
                        }
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
        self.advance();
        if self.takes("]") {
            return Ok(self.add(Term::Each(target)));
        }
        if self.takes(":") {
            let upto = self.pipe()?;
            self.expect("]")?;
            return Ok(self.add(Term::Slice(target, None, Some(upto))));
        }
        let key = self.pipe()?;
        if self.takes(":") {
            let upto = if self.is_sign("]") { None } else { Some(self.pipe()?) };
            self.expect("]")?;
            return Ok(self.add(Term::Slice(target, Some(key), upto)));
        }
        self.expect("]")?;
        Ok(self.index(target, key))
    }

    pub(super) fn primary(&mut self) -> Parsed<Id> {
        match self.token {
            Token::Number(digits) => {
                self.advance();
                Ok(self.constant(Value::Number(digits.parse().unwrap_or(f64::NAN))))
            }
            Token::Quote | Token::Format(_) => self.string_term(),
            Token::Field(name) => {
                self.advance();
                let input = self.add(Term::Identity);
                Ok(self.add(Term::Field(input, Text::from(name))))
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
                    Token::Quote => {
                        let key = self.string_term()?;
                        Ok(self.index(input, key))
                    }
                    _ => Ok(input),
                }
            }
            ".." => {
                self.advance();
                Ok(self.add(Term::Recurse))
            }
            "$" => {
                let start = self.start;
                self.advance();
                if self.takes_word("__loc__") {
                    return Ok(self.location(start));
                }
                self.go_to(start);
                let name = self.variable_name()?;
                self.variable(name, start)
            }
            "(" => {
                self.advance();
                let inner = self.pipe()?;
                self.expect(")")?;
                Ok(inner)
            }
            "[" => {
                self.advance();
                if self.takes("]") {
                    return Ok(self.constant(Value::array(Vec::new())));
                }
                let inner = self.pipe()?;
                self.expect("]")?;
                Ok(self.add(Term::Collect(inner)))
            }
            "{" => self.object(),
            _ => Err(self.unexpected()),
        }
    }

    pub(super) fn location(&mut self, at: usize) -> Id {
        let before = self.text.as_bytes().get(..at).unwrap_or_default();
        let line = memchr::memchr_iter(b'\n', before).count() + 1;
        let location =
            Value::object([("file", Value::text("<top-level>")), ("line", Value::Number(line as f64))]);
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
                let name = self.variable_name()?;
                if let Some(Bound::Slot(slot)) = self.find(Space::Label, name) {
                    return Ok(self.add(Term::Break(self.slots.saturating_sub(slot))));
                }
                self.go_to(start);
                Err(self.fault(&format!("$*label-{name} is not defined")))
            }
            _ if lexer::is_keyword(name) => Err(self.unexpected()),
            _ => self.call(name),
        }
    }

    /// What `try` and `catch` take: a term with its postfixes, or `-f`.
    pub(super) fn tried(&mut self) -> Parsed<Id> {
        self.postfix()
    }

    pub(super) fn condition(&mut self) -> Parsed<Id> {
        let mut branches = Vec::new();
        let otherwise = loop {
            let condition = self.pipe()?;
            self.expect_word("then")?;
            let then = self.pipe()?;
            branches.push((condition, then));
            if self.takes_word("elif") {
                continue;
            }
            if self.takes_word("else") {
                let otherwise = self.pipe()?;
                self.expect_word("end")?;
                break otherwise;
            }
            self.expect_word("end")?;
            break self.add(Term::Identity);
        };
        Ok(branches
            .into_iter()
            .rev()
            .fold(otherwise, |otherwise, (condition, then)| self.add(Term::If(condition, then, otherwise))))
    }
}
