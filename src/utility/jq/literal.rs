//! Syntax of object constructions and of strings with interpolations.

use super::format::Format;
use super::lexer::{self, Token};
use super::parse::{Parsed, Parser};
use super::term::{Id, Operation, Term};
use super::text::Text;
use super::value::Value;
use crate::memory::{String, Vec, format};

impl Parser<'_, '_, '_> {
    pub(super) fn object(&mut self) -> Parsed<Id> {
        self.advance();
        let mut parts = Vec::new();
        while !self.is_sign("}") {
            let (key, value) = self.entry()?;
            parts.extend([key, value]);
            if !self.takes(",") {
                break;
            }
        }
        self.expect("}")?;
        Ok(self.add(Term::Apply(Operation::Object, parts)))
    }

    pub(super) fn entry(&mut self) -> Parsed<(Id, Id)> {
        let shorthand = match self.token {
            Token::Sign("$") => {
                let start = self.start;
                self.advance();
                if self.takes_word("__loc__") {
                    let value = self.location(start);
                    return Ok((self.constant(Value::text("__loc__")), value));
                }
                self.go_to(start);
                let name = self.variable_name()?;
                if self.is_sign(":") {
                    let value = self.variable(name, self.start)?;
                    return self.entry_value(value);
                }
                Some((self.constant(Value::text(name)), self.variable(name, self.start)?))
            }
            Token::Name(name) => {
                self.advance();
                let key = self.constant(Value::text(name));
                if self.is_sign(":") {
                    return self.entry_value(key);
                }
                let input = self.add(Term::Identity);
                Some((key, self.add(Term::Field(input, Text::from(name)))))
            }
            Token::Quote | Token::Format(_) => {
                if matches!(self.token, Token::Format(_)) && !self.is_format_before_string() {
                    self.advance();
                    return Err(self.unexpected());
                }
                let key = self.string_term()?;
                if self.is_sign(":") {
                    return self.entry_value(key);
                }
                let input = self.add(Term::Identity);
                Some((key, self.index(input, key)))
            }
            Token::Sign("(") => {
                self.advance();
                let key = self.pipe()?;
                if let Term::Constant(value) = self.shared.program.term(key)
                    && !matches!(value, Value::String(_))
                {
                    let shown = super::print::excerpt(value, 14);
                    let problem = format!("Cannot use {} ({shown}) as object key", value.kind());
                    return Err(self.fault(&problem));
                }
                self.expect(")")?;
                return self.entry_value(key);
            }
            _ => None,
        };
        shorthand.ok_or_else(|| self.unexpected())
    }

    pub(super) fn is_format_before_string(&self) -> bool {
        lexer::token(self.text, self.end).0 == Token::Quote
    }

    /// `: value`, where a value is terms joined by `|`, each perhaps negated.
    pub(super) fn entry_value(&mut self, key: Id) -> Parsed<(Id, Id)> {
        self.expect(":")?;
        let mut value = self.nested(Self::entry_term)?;
        while self.takes("|") {
            let next = self.nested(Self::entry_term)?;
            value = self.add(Term::Pipe(value, next));
        }
        Ok((key, value))
    }

    pub(super) fn entry_term(&mut self) -> Parsed<Id> {
        if self.takes("-") {
            let inner = self.nested(Self::entry_term)?;
            return Ok(self.add(Term::Apply(Operation::Negate, Vec::from([inner]))));
        }
        self.postfix()
    }

    /// `"text \(f)"`, `@format "text \(f)"`, or `@format` alone.
    pub(super) fn string_term(&mut self) -> Parsed<Id> {
        let mut format = Format::Text;
        if let Token::Format(name) = self.token {
            self.advance();
            let name = name.get(1..).unwrap_or_default();
            format = Format::named(name);
            if format == Format::Unknown {
                let problem = self.constant(Value::from(format!("{name} is not a valid format")));
                return Ok(self.add(Term::Apply(Operation::Error, Vec::from([problem]))));
            }
            if self.token != Token::Quote {
                let input = self.add(Term::Identity);
                let pieces = Vec::from([Text::Static(""), Text::Static("")]);
                return Ok(self.add(Term::Apply(Operation::Interpolate(format, pieces), Vec::from([input]))));
            }
        }
        self.nested(|parser| parser.string(format))
    }

    /// A string; the current token is its opening quote.
    pub(super) fn string(&mut self, format: Format) -> Parsed<Id> {
        let mut pieces = Vec::new();
        let mut parts = Vec::new();
        let mut piece = String::new();
        let mut at = self.end;
        loop {
            let rest = self.text.get(at..).unwrap_or_default();
            let plain = rest.find(['"', '\\']).unwrap_or(rest.len());
            piece.push_str(rest.get(..plain).unwrap_or_default());
            at += plain;
            let bytes = rest.as_bytes().get(plain..).unwrap_or_default();
            match bytes {
                [] => {
                    self.go_to(at);
                    return Err(self.unexpected());
                }
                [b'"', ..] => {
                    self.go_to(at + 1);
                    break;
                }
                [_, b'(', ..] => {
                    self.go_to(at + 2);
                    pieces.push(Text::from(std::mem::take(&mut piece).as_str()));
                    parts.push(self.pipe()?);
                    if !self.is_sign(")") {
                        return Err(self.unexpected());
                    }
                    at = self.end;
                }
                [_, escaped @ ..] => {
                    let Some((character, length)) = super::read::escape(escaped) else {
                        self.go_to(at);
                        return Err(self.fault("invalid escape in a string"));
                    };
                    piece.push(character);
                    at += 1 + length;
                }
            }
        }
        if parts.is_empty() {
            return Ok(self.constant(Value::text(&piece)));
        }
        pieces.push(Text::from(piece.as_str()));
        Ok(self.add(Term::Apply(Operation::Interpolate(format, pieces), parts)))
    }
}
