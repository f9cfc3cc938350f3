//! Syntax of object constructions and of strings with interpolations.

use super::binding::Id;
use super::format::Format;
use super::lexer::{self, Token};
use super::object::Object;
use super::parse::{INTERPOLATION, Parsed, Parser};
use super::term::{Operation, Term};
use super::text::Text;
use super::value::Value;
use crate::memory::{String, Vec, format};

impl Parser<'_, '_, '_> {
    pub(super) fn object(&mut self) -> Parsed<Id> {
        self.enter();
        let mut parts = Vec::new();
        while !self.is_sign("}") {
            let (key, value) = self.entry()?;
            parts.extend([key, value]);
            if !self.takes(",") {
                break;
            }
        }
        self.leave("}", "'}'")?;
        Ok(self.add(Term::Apply(Operation::Object, parts)))
    }

    pub(super) fn entry(&mut self) -> Parsed<(Id, Id)> {
        let start = self.start;
        match self.token {
            Token::Binding("__loc__") => {
                self.advance();
                let value = self.location(start);
                Ok((self.constant(Value::text("__loc__")), value))
            }
            Token::Binding(name) => {
                let place = (self.start, self.end);
                self.advance();
                let value = self.variable(name, place);
                if self.is_sign(":") {
                    return self.entry_value(value);
                }
                Ok((self.constant(Value::text(name)), value))
            }
            Token::Name(name) => {
                self.advance();
                let key = self.constant(Value::text(name));
                if self.is_sign(":") {
                    return self.entry_value(key);
                }
                let input = self.add(Term::Identity);
                Ok((key, self.add(Term::Field(input, Text::from(name)))))
            }
            Token::Quote | Token::Format(_) => {
                if matches!(self.token, Token::Format(_)) && !self.is_format_before_string() {
                    self.advance();
                    return Err(self.unexpected_of("QQSTRING_START"));
                }
                let key = self.string_term()?;
                if self.is_sign(":") {
                    return self.entry_value(key);
                }
                let input = self.add(Term::Identity);
                Ok((key, self.index(input, key)))
            }
            Token::Sign("(") => {
                self.enter();
                let start = self.start;
                let key = self.pipe()?;
                let place = (start, self.last.1);
                self.leave(")", "'|' or ',' or ')'")?;
                if !self.is_sign(":") {
                    return Err(self.unexpected_of("':'"));
                }
                let entry = self.entry_value(key)?;
                self.check_key(key, place);
                Ok(entry)
            }
            _ => Err(self.unexpected()),
        }
    }

    /// Notes that a constant is not a string, though it is the key at `place`.
    pub(super) fn check_key(&mut self, key: Id, place: (usize, usize)) {
        // A negation is computed when it is used.
        let is_negated = self.text.get(place.0..).is_some_and(|text| text.starts_with('-'));
        if let Some(value) = self.literal(key, 8)
            && !matches!(value, Value::String(_))
            && !is_negated
        {
            let shown = super::print::excerpt(&value);
            let problem = format!("Cannot use {} ({shown}) as object key", value.kind());
            let fault = self.fault_at(&problem, place);
            self.shared.faults.push(fault);
        }
    }

    /// The value of a term that is made of literals alone.
    pub(super) fn literal(&self, term: Id, depth: usize) -> Option<Value> {
        let program = &self.shared.program;
        match program.term(term) {
            Term::Constant(value) => Some(value.clone()),
            Term::Collect(inner) if depth > 0 => {
                let (mut items, mut at) = (Vec::new(), *inner);
                while let Term::Comma(left, right) = program.term(at) {
                    items.push(self.literal(*left, depth - 1)?);
                    at = *right;
                }
                items.push(self.literal(at, depth - 1)?);
                Some(Value::array(items))
            }
            Term::Apply(Operation::Object, parts) if depth > 0 => {
                let mut object = Object::default();
                for pair in parts.chunks_exact(2) {
                    let [key, value] = pair else { continue };
                    let Value::String(name) = self.literal(*key, 0)? else { return None };
                    object.insert(name, self.literal(*value, depth - 1)?);
                }
                Some(Value::Object(object))
            }
            _ => None,
        }
    }

    pub(super) fn is_format_before_string(&self) -> bool {
        lexer::token(self.text, self.end).0 == Token::Quote
    }

    /// `: value`, where a value is expressions joined by `|`.
    pub(super) fn entry_value(&mut self, key: Id) -> Parsed<(Id, Id)> {
        self.expect(":", "':'")?;
        let mut value = self.nested(Self::alternative)?;
        while self.takes("|") {
            let next = self.nested(Self::alternative)?;
            value = self.add(Term::Pipe(value, next));
        }
        Ok((key, value))
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
                let error = self.add(Term::Apply(Operation::Error, Vec::from([problem])));
                if self.token != Token::Quote {
                    return Ok(error);
                }
                // Nothing is formatted in a string without interpolations.
                let string = self.nested(|parser| parser.string(Format::Text))?;
                return Ok(match self.shared.program.term(string) {
                    Term::Constant(_) => string,
                    _ => self.add(Term::Pipe(string, error)),
                });
            }
            if self.token != Token::Quote {
                if format == Format::Text {
                    // It hands a string on as it is.
                    let to_string = Operation::Native(super::string::to_string);
                    return Ok(self.add(Term::Apply(to_string, Vec::new())));
                }
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
                    if plain > 0 {
                        self.last = (at.saturating_sub(plain), at);
                    }
                    self.go_to(at);
                    return Err(self.unexpected_of("QQSTRING_TEXT or QQSTRING_INTERP_START or QQSTRING_END"));
                }
                [b'"', ..] => {
                    self.last = (at, at + 1);
                    self.go_to(at + 1);
                    break;
                }
                [b'\\'] => {
                    self.last = (at, at);
                    (self.token, self.start, self.end) = (Token::Invalid, at, at + 1);
                    return Err(self.unexpected_of("QQSTRING_TEXT or QQSTRING_INTERP_START or QQSTRING_END"));
                }
                [_, b'(', ..] => {
                    self.last = (at, at + 2);
                    self.go_to(at + 2);
                    self.open.push(INTERPOLATION);
                    pieces.push(Text::from(std::mem::take(&mut piece).as_str()));
                    parts.push(self.pipe()?);
                    if !self.is_sign(")") {
                        return Err(self.unexpected_of("QQSTRING_INTERP_END or '|' or ','"));
                    }
                    self.open.pop();
                    at = self.end;
                }
                escapes => {
                    let length = escapes_length(escapes);
                    let escapes = rest.get(plain..plain + length).unwrap_or_default();
                    match unescaped(escapes) {
                        Ok(text) => piece.push_str(&text),
                        Err(problem) => {
                            let fault = self.fault_at(&problem, (at, at + length));
                            self.shared.faults.push(fault);
                        }
                    }
                    at += length;
                    self.last = (at.saturating_sub(length), at);
                }
            }
            if plain > 0 && matches!(bytes, [] | [b'"', ..]) {
                self.last = (at.saturating_sub(plain), at);
            }
        }
        if parts.is_empty() {
            return Ok(self.constant(Value::text(&piece)));
        }
        pieces.push(Text::from(piece.as_str()));
        Ok(self.add(Term::Apply(Operation::Interpolate(format, pieces), parts)))
    }
}

/// Bytes of the escapes at the start of `bytes`, one after the other; `\\(` is none.
fn escapes_length(bytes: &[u8]) -> usize {
    let mut at = 0;
    loop {
        match bytes.get(at..).unwrap_or_default() {
            [b'\\', b'u', rest @ ..] => {
                at += 2 + rest.iter().take(4).take_while(|byte| byte.is_ascii_alphanumeric()).count();
            }
            [b'\\', b'(', ..] | [] | [_] => return at.max(1),
            [b'\\', lead, rest @ ..] => {
                at += 2 + if *lead < 0xc0 {
                    0
                } else {
                    rest.iter().take_while(|byte| **byte & 0xc0 == 0x80).count()
                };
            }
            _ => return at,
        }
    }
}

/// The text of some escapes.
///
/// # Errors
/// What is wrong with them, as in a JSON text.
fn unescaped(escapes: &str) -> Result<String, String> {
    let mut text = String::new();
    let mut rest = escapes.as_bytes();
    while let [b'\\', after @ ..] = rest {
        let Some((character, length)) = super::read::escape(after) else {
            let json = format!("\"{escapes}\"");
            let problem = super::diagnose::diagnose(json.as_bytes(), (0, 0));
            return Err(super::read::while_parsing(&problem, &json));
        };
        text.push(character);
        rest = after.get(length..).unwrap_or_default();
    }
    Ok(text)
}
