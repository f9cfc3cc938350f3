//! Primaries: constants, places, regular expressions, groups, `getline`, arguments of calls.

use crate::memory::ToMetered;
use crate::text::Text;
use crate::utility::awk::error::{SyntaxError, SyntaxErrorKind};
use crate::utility::awk::lexer::{Token, regex_escape_warning, unknown_escapes};
use crate::utility::awk::op::{Op, Place, Source};
use crate::utility::awk::parser::Parser;
use crate::utility::awk::value::Value;
use crate::utility::regex::{Dialect, Regex, RegexOptions, Syntax};

impl Parser<'_> {
    /// Undoes the load of a place that is all there is from `start` on: its own code stays.
    pub(in crate::utility::awk) fn take_place(&mut self, start: usize) -> Option<Place> {
        let (place, begin, end) = self.last_place?;
        if begin != start || end != self.program.code.len() {
            return None;
        }
        let load = self.program.code.pop();
        self.program.lines.pop();
        if let Some(Op::Field(number)) = load {
            let constant = self.constant(Value::Number(f64::from(number)));
            self.emit(Op::Constant(constant));
        }
        Some(place)
    }

    /// Makes a regular expression that is all there is from `start` on an argument, rather than a match of `$0`.
    pub(in crate::utility::awk) fn keep_regex(&mut self, start: usize) {
        if let Some([op @ Op::MatchRecord(_)]) = self.program.code.get_mut(start..)
            && let Op::MatchRecord(regex) = *op
        {
            *op = Op::Regex(regex);
        }
    }

    pub(in crate::utility::awk) fn constant(&mut self, value: Value) -> u32 {
        self.program.constants.add(value) as u32
    }

    /// A number, a text or a regular expression.
    pub(in crate::utility::awk) fn constant_primary(&mut self) -> Result<(), SyntaxError> {
        self.primary().map(|_| ())
    }

    /// A primary; a place is given back without being loaded.
    pub(super) fn primary(&mut self) -> Result<Option<Place>, SyntaxError> {
        match self.token.clone() {
            Token::Number(number) => {
                self.advance();
                let constant = self.constant(Value::Number(number));
                self.emit(Op::Constant(constant));
            }
            Token::Text(text) => {
                self.advance();
                let constant = self.constant(Value::Text(Text::from(text)));
                self.emit(Op::Constant(constant));
            }
            Token::Sign("/" | "/=") => self.regex()?,
            Token::Sign("(") => self.group()?,
            Token::Sign("$") => {
                self.advance();
                self.deeper(Self::field_number)?;
                return Ok(Some(Place::Field));
            }
            Token::Sign("++" | "--") => {
                let delta = if self.is_sign("++") { 1 } else { -1 };
                self.advance();
                if !matches!(self.token, Token::Name(_) | Token::Sign("$")) {
                    return Err(self.unexpected());
                }
                let Some(place) = self.deeper(Self::primary)? else { return Err(self.unexpected()) };
                self.emit(Op::Step { place, delta, gives_old: false });
            }
            Token::Sign("-" | "+" | "!") => self.unary()?,
            Token::Name(name) => {
                self.advance();
                let variable = self.variable(&name);
                if !self.is_sign("[") {
                    return Ok(Some(Place::Var(variable)));
                }
                self.subscripts()?;
                return Ok(Some(Place::Element(variable)));
            }
            Token::Call(name) => self.call(&name)?,
            Token::Function(function) => self.function_call(function)?,
            Token::Keyword("getline") => {
                self.advance();
                let place = self.getline_place()?;
                let source = if self.take_sign("<") {
                    self.deeper(Self::file_name)?;
                    Source::File
                } else {
                    if let Some(part @ ("BEGINFILE" | "ENDFILE")) = self.part {
                        self.tell(format_args!("non-redirected `getline' invalid inside `{part}' rule"));
                    }
                    Source::Main
                };
                self.emit(Op::Getline(source, place));
            }
            _ => return Err(self.unexpected()),
        }
        Ok(None)
    }

    /// What follows `$`: a primary without an assignment after it. A step belongs to the innermost `$`: `$$a++` is
    /// `$($a++)`.
    fn field_number(&mut self) -> Result<(), SyntaxError> {
        let start = self.program.code.len();
        match self.primary()? {
            Some(place @ Place::Field) if self.is_sign("++") || self.is_sign("--") => {
                let delta = if self.is_sign("++") { 1 } else { -1 };
                self.advance();
                self.emit(Op::Step { place, delta, gives_old: true });
                self.last_place = None;
            }
            Some(place) => self.load(place, start),
            None => {}
        }
        Ok(())
    }

    /// What follows the `<` of `getline`.
    fn file_name(&mut self) -> Result<(), SyntaxError> {
        self.field_number()
    }

    pub(super) fn regex(&mut self) -> Result<(), SyntaxError> {
        let start = self.lexer.start + 1;
        let Some(source) = self.lexer.regex() else {
            let rest = self.lexer.text.get(start..).unwrap_or(&[]);
            let (is_empty, is_cut) = (matches!(rest, [] | [b'\n', ..]), rest.ends_with(b"\\"));
            self.lexer.start += 1;
            if is_cut && self.lexer.at >= self.lexer.text.len() {
                let mut error = self.wrong("unterminated regexp at end of file");
                error.line += 1;
                return Err(error);
            }
            let message =
                if is_empty { "unexpected newline or end of string" } else { "unterminated regexp" };
            return Err(self.wrong(message));
        };
        // An error shows it as it was written.
        let end = self.lexer.at.saturating_sub(1);
        let written = self.lexer.text.get(start..end).unwrap_or(&[]).to_metered();
        self.advance();
        for byte in unknown_escapes(&written, &mut self.program.warned_escapes) {
            self.lexer.warn(regex_escape_warning(byte));
        }
        let options = RegexOptions { dialect: Dialect::Awk, ..self.regex_options.clone() };
        let regex = Regex::new(&source, Syntax::Extended, &options)
            .map_err(|error| self.error(SyntaxErrorKind::Regex(error, written)))?;
        let number = self.program.regexes.add(regex) as u32;
        self.program.regex_sources.push(source);
        self.emit(Op::MatchRecord(number));
        Ok(())
    }

    /// `(expression)`, or `(i, j) in array`.
    fn group(&mut self) -> Result<(), SyntaxError> {
        self.advance();
        self.expression()?;
        let mut count = 1;
        while self.take_sign(",") {
            self.skip_newlines();
            self.expression()?;
            count += 1;
        }
        self.expect_sign(")")?;
        if count > 1 {
            if !self.is_keyword("in") {
                return Err(self.unexpected());
            }
            self.advance();
            self.emit(Op::Subscripts(count));
            self.membership()?;
        }
        Ok(())
    }

    /// `[i, j]`: one value, joined.
    pub(in crate::utility::awk) fn subscripts(&mut self) -> Result<(), SyntaxError> {
        self.expect_sign("[")?;
        let mut count = 0;
        loop {
            self.expression()?;
            count += 1;
            if !self.take_sign(",") {
                break;
            }
            self.skip_newlines();
        }
        self.expect_sign("]")?;
        if count > 1 {
            self.emit(Op::Subscripts(count));
        }
        Ok(())
    }

    /// The place after `getline`, if there is one.
    pub(super) fn getline_place(&mut self) -> Result<Option<Place>, SyntaxError> {
        match self.token {
            Token::Name(_) | Token::Sign("$") => self.primary(),
            _ => Ok(None),
        }
    }

    /// Expressions up to `)`; how many.
    pub(in crate::utility::awk) fn arguments(&mut self) -> Result<u32, SyntaxError> {
        let mut count = 0;
        if self.is_sign(")") {
            return Ok(count);
        }
        loop {
            self.expression()?;
            count += 1;
            if !self.take_sign(",") {
                return Ok(count);
            }
            self.skip_newlines();
        }
    }
}
