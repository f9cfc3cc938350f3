//! Expressions, by precedence: each function emits code that leaves one value on the stack.

use super::error::{SyntaxError, SyntaxErrorKind};
use super::lexer::{Token, regex_escape_warning, unknown_escapes};
use super::op::{Binary, Comparison, Function, Op, Place, SPECIAL, Source, Var};
use super::parser::Parser;
use super::value::Value;
use crate::memory::ToMetered;
use crate::text::Text;
use crate::utility::regex::{Dialect, Regex, RegexOptions, Syntax};

/// Binary operators bind the tighter the higher their level.
const OR: u8 = 1;
const AND: u8 = 2;
const IN: u8 = 3;
const MATCH: u8 = 4;
const COMPARE: u8 = 5;
const GETLINE: u8 = 6;
const CONCATENATE: u8 = 7;
const ADD: u8 = 8;
const MULTIPLY: u8 = 9;

impl Parser<'_> {
    pub(super) fn expression(&mut self) -> Result<(), SyntaxError> {
        self.ternary(true)
    }

    /// As an argument of `print`: `>` is a redirection.
    pub(super) fn print_expression(&mut self) -> Result<(), SyntaxError> {
        self.ternary(false)
    }

    /// What names the target of a redirection.
    pub(super) fn concatenation(&mut self) -> Result<(), SyntaxError> {
        self.binary(CONCATENATE, false)
    }

    fn ternary(&mut self, compares: bool) -> Result<(), SyntaxError> {
        let outer = std::mem::replace(&mut self.is_operand, false);
        let outside = std::mem::replace(&mut self.compares, compares);
        let result = self.deeper(|parser| parser.ternary_here(compares));
        (self.is_operand, self.compares) = (outer, outside);
        result
    }

    /// Parses an operand of arithmetic or of a concatenation: `1 + x = 2` is an error.
    fn operand(
        &mut self,
        parse: impl FnOnce(&mut Self) -> Result<(), SyntaxError>,
    ) -> Result<(), SyntaxError> {
        let outer = std::mem::replace(&mut self.is_operand, true);
        let result = parse(self);
        self.is_operand = outer;
        result
    }

    fn ternary_here(&mut self, compares: bool) -> Result<(), SyntaxError> {
        self.binary(OR, compares)?;
        if !self.take_sign("?") {
            return Ok(());
        }
        self.skip_newlines_in_expression()?;
        let to_else = self.emit(Op::JumpIfFalse(0));
        self.ternary(compares)?;
        self.expect_sign(":")?;
        self.skip_newlines_in_expression()?;
        let to_end = self.emit(Op::Jump(0));
        self.patch_here(to_else);
        self.ternary(compares)?;
        self.patch_here(to_end);
        self.last_place = None;
        Ok(())
    }

    fn level(&self, compares: bool) -> Option<u8> {
        Some(match &self.token {
            Token::Sign("||") => OR,
            Token::Sign("&&") => AND,
            Token::Keyword("in") => IN,
            Token::Sign("~" | "!~") => MATCH,
            Token::Sign("<" | "<=" | "==" | "!=" | ">=") => COMPARE,
            Token::Sign(">") if compares => COMPARE,
            Token::Sign("|") => GETLINE,
            Token::Sign("+" | "-") => ADD,
            Token::Sign("*" | "/" | "%") => MULTIPLY,
            Token::Number(_)
            | Token::Text(_)
            | Token::Name(_)
            | Token::Call(_)
            | Token::Function(_)
            | Token::Sign("$" | "(" | "!" | "++" | "--") => CONCATENATE,
            _ => return None,
        })
    }

    /// Parses operators of `least` and above, one after the other.
    fn binary(&mut self, least: u8, compares: bool) -> Result<(), SyntaxError> {
        let start = self.program.code.len();
        self.unary()?;
        while let Some(level) = self.level(compares) {
            if level < least {
                return Ok(());
            }
            match level {
                OR | AND => self.logical(level, compares)?,
                IN => {
                    self.advance();
                    self.membership()?;
                    // What `in` makes is not an operand but of comparisons, matches and what is weaker.
                    if self.level(compares).is_some_and(|level| level >= CONCATENATE) {
                        return Err(self.unexpected());
                    }
                }
                MATCH => {
                    let is_negated = self.is_sign("!~");
                    self.advance();
                    let right = self.program.code.len();
                    self.binary(COMPARE, compares)?;
                    self.keep_regex(right);
                    self.emit(Op::Match { is_negated });
                }
                COMPARE => {
                    let comparison = match self.advance() {
                        Token::Sign("<") => Comparison::Less,
                        Token::Sign("<=") => Comparison::LessOrEqual,
                        Token::Sign("==") => Comparison::Equal,
                        Token::Sign("!=") => Comparison::NotEqual,
                        Token::Sign(">") => Comparison::Greater,
                        _ => Comparison::GreaterOrEqual,
                    };
                    self.binary(GETLINE, compares)?;
                    self.emit(Op::Compare(comparison));
                    if self.level(compares) == Some(COMPARE) {
                        return Err(self.unexpected());
                    }
                }
                GETLINE => {
                    let mark = self.mark();
                    self.advance();
                    if !self.is_keyword("getline") {
                        if compares {
                            return Err(self.unexpected());
                        }
                        // The pipe of a `print`.
                        self.go_back(mark);
                        return Ok(());
                    }
                    self.advance();
                    let place = self.getline_place()?;
                    self.emit(Op::Getline(Source::Command, place));
                }
                CONCATENATE => {
                    let mut count = 1;
                    while self.level(compares) == Some(CONCATENATE) {
                        self.operand(|parser| parser.binary(ADD, compares))?;
                        count += 1;
                    }
                    self.emit(Op::Concatenate(count));
                    self.last_concatenation = (start, self.program.code.len());
                }
                _ => {
                    let operator = match self.advance() {
                        Token::Sign("+") => Binary::Add,
                        Token::Sign("-") => Binary::Subtract,
                        Token::Sign("*") => Binary::Multiply,
                        Token::Sign("/") => Binary::Divide,
                        _ => Binary::Remainder,
                    };
                    let right = self.program.code.len();
                    self.operand(|parser| {
                        if level == ADD { parser.binary(MULTIPLY, compares) } else { parser.unary() }
                    })?;
                    self.check_divisor(operator, right);
                    self.emit(Op::Binary(operator));
                }
            }
            self.last_place = None;
        }
        Ok(())
    }

    /// A division by a zero that stands there is an error of the program's text; one in parentheses shows when it runs.
    fn check_divisor(&mut self, operator: Binary, right: usize) {
        let message = match operator {
            Binary::Divide => "division by zero attempted",
            Binary::Remainder => "division by zero attempted in `%'",
            _ => return,
        };
        let before = self.lexer.text.get(..self.lexer.start).unwrap_or(&[]).trim_ascii_end();
        let constant = |number: &u32| self.program.constants.get(*number as usize);
        let is_zero = match self.program.code.get(right..) {
            Some([Op::Constant(right)] | [Op::Constant(right), Op::Negate]) => {
                matches!(constant(right), Some(Value::Number(0.0)))
            }
            Some([Op::Constant(right), Op::Not]) => constant(right).is_some_and(Value::is_true),
            _ => false,
        };
        if is_zero && !before.ends_with(b")") {
            self.tell(message);
        }
    }

    /// `||` and `&&`: the right side is left out where the left one decides.
    fn logical(&mut self, level: u8, compares: bool) -> Result<(), SyntaxError> {
        self.advance();
        self.skip_newlines_in_expression()?;
        let decided = self.emit(if level == OR { Op::JumpIfTrue(0) } else { Op::JumpIfFalse(0) });
        self.binary(level + 1, compares)?;
        self.emit(Op::Truth);
        let to_end = self.emit(Op::Jump(0));
        self.patch_here(decided);
        let constant = self.constant(Value::truth(level == OR));
        self.emit(Op::Constant(constant));
        self.patch_here(to_end);
        Ok(())
    }

    /// After `in`: the array.
    fn membership(&mut self) -> Result<(), SyntaxError> {
        let Token::Name(name) = self.token.clone() else { return Err(self.unexpected()) };
        self.advance();
        let array = self.variable(&name);
        self.emit(Op::In(array));
        Ok(())
    }

    fn unary(&mut self) -> Result<(), SyntaxError> {
        let op = match self.token {
            Token::Sign("!") => Op::Not,
            Token::Sign("-") => Op::Negate,
            Token::Sign("+") => Op::Number,
            _ => return self.power(),
        };
        self.advance();
        self.operand(|parser| parser.deeper(Self::unary))?;
        self.emit(op);
        self.last_place = None;
        Ok(())
    }

    fn power(&mut self) -> Result<(), SyntaxError> {
        self.postfix()?;
        if self.take_sign("^") {
            self.operand(|parser| {
                if matches!(parser.token, Token::Sign("-" | "+" | "!")) {
                    parser.deeper(Self::unary)
                } else {
                    parser.deeper(Self::power)
                }
            })?;
            self.emit(Op::Binary(Binary::Power));
            self.last_place = None;
        }
        Ok(())
    }

    /// A primary with what may follow a place: an assignment or a step.
    fn postfix(&mut self) -> Result<(), SyntaxError> {
        let start = self.program.code.len();
        let Some(place) = self.primary()? else {
            self.last_place = None;
            return Ok(());
        };
        let operator = match self.token {
            Token::Sign("++" | "--") => {
                let delta = if self.is_sign("++") { 1 } else { -1 };
                self.advance();
                self.emit(Op::Step { place, delta, gives_old: true });
                self.last_place = None;
                return Ok(());
            }
            Token::Sign("=") => None,
            Token::Sign("+=") => Some(Binary::Add),
            Token::Sign("-=") => Some(Binary::Subtract),
            Token::Sign("*=") => Some(Binary::Multiply),
            Token::Sign("/=") => Some(Binary::Divide),
            Token::Sign("%=") => Some(Binary::Remainder),
            Token::Sign("^=") => Some(Binary::Power),
            _ => {
                self.load(place, start);
                return Ok(());
            }
        };
        if self.is_operand {
            return Err(self.unexpected());
        }
        self.advance();
        let right = self.program.code.len();
        self.ternary(self.compares)?;
        match (operator, place) {
            (Some(operator), _) => {
                self.evaluate_right_first(place, start, right);
                self.emit(Op::Update(place, operator));
            }
            (None, Place::Var(variable)) if self.is_append(variable, right) => {
                self.make_append(variable, right);
            }
            (None, _) => {
                self.evaluate_right_first(place, start, right);
                self.emit(Op::Store(place));
            }
        }
        self.last_place = None;
        Ok(())
    }

    /// What is assigned is evaluated before the subscript or field number it is assigned to, as gawk does: `a[n++] = n`
    /// sees the old `n`. Where nothing tells the difference, the code stays as it is.
    fn evaluate_right_first(&mut self, place: Place, start: usize, right: usize) {
        let (Some(operand), Some(value)) =
            (self.program.code.get(start..right), self.program.code.get(right..))
        else {
            return;
        };
        let is_step = |op: &Op| matches!(op, Op::Step { place: Place::Var(_), .. });
        let is_steady = matches!(value, [Op::Constant(_) | Op::Field(_)])
            && operand.iter().all(|op| is_step(op) || !op.has_effects());
        let is_same = is_steady || !operand.iter().chain(value).any(Op::has_effects);
        if matches!(place, Place::Var(_)) || is_same {
            return;
        }
        let (before, after) = (operand.len() as u32, value.len() as u32);
        for (index, op) in self.program.code.iter_mut().enumerate().skip(start) {
            if let Op::Jump(to) | Op::JumpIfFalse(to) | Op::JumpIfTrue(to) | Op::JumpCase(to) = op {
                *to = if index < right { to.saturating_add(after) } else { to.saturating_sub(before) };
            }
        }
        if let Some(code) = self.program.code.get_mut(start..) {
            code.rotate_left(before as usize);
        }
        if let Some(lines) = self.program.lines.get_mut(start..) {
            lines.rotate_left(before as usize);
        }
        self.emit(Op::Swap);
    }

    /// Whether the code from `right` on joins the variable itself and other things, none of which changes anything.
    fn is_append(&self, variable: Var, right: usize) -> bool {
        let code = self.program.code.get(right..).unwrap_or(&[]);
        let [first, middle @ .., Op::Concatenate(_)] = code else { return false };
        let is_special = matches!(variable, Var::Global(slot) if (slot as usize) < SPECIAL.len());
        let is_harmless = |op: &Op| {
            matches!(
                op,
                Op::Constant(_)
                    | Op::Load(_)
                    | Op::LoadField
                    | Op::Field(_)
                    | Op::LoadElement(_)
                    | Op::Concatenate(_)
                    | Op::Subscripts(_)
                    | Op::Binary(_)
                    | Op::Negate
                    | Op::Number
                    | Op::Function(
                        Function::Substr
                            | Function::Sprintf
                            | Function::Length
                            | Function::Index
                            | Function::Toupper
                            | Function::Tolower
                            | Function::Int,
                        _
                    )
            )
        };
        *first == Op::Load(variable)
            && !is_special
            && self.last_concatenation == (right, self.program.code.len())
            && middle.iter().all(is_harmless)
    }

    /// `s = s x` appends in place: a loop of them costs what it appends.
    fn make_append(&mut self, variable: Var, right: usize) {
        if let Some(Op::Concatenate(count)) = self.program.code.pop() {
            self.program.lines.pop();
            self.program.code.remove(right);
            self.program.lines.remove(right);
            self.emit(Op::Append(variable, count - 1));
        }
    }

    /// Emits the load of a place whose own code begins at `start`.
    fn load(&mut self, place: Place, start: usize) {
        match place {
            Place::Var(variable) => {
                self.emit(Op::Load(variable));
            }
            Place::Element(array) => {
                self.emit(Op::LoadElement(array));
            }
            Place::Field => match self.program.code.get(start..) {
                Some(&[Op::Constant(index)]) if self.small_number(index).is_some() => {
                    let number = self.small_number(index).unwrap_or(0);
                    self.program.code.truncate(start);
                    self.program.lines.truncate(start);
                    self.emit(Op::Field(number));
                }
                _ => {
                    self.emit(Op::LoadField);
                }
            },
        }
        self.last_place = Some((place, start, self.program.code.len()));
    }

    fn small_number(&self, constant: u32) -> Option<u32> {
        match self.program.constants.get(constant as usize) {
            Some(Value::Number(number)) if (0.0..1e6).contains(number) && number.fract() == 0.0 => {
                Some(*number as u32)
            }
            _ => None,
        }
    }

    /// Undoes the load of a place that is all there is from `start` on: its own code stays.
    pub(super) fn take_place(&mut self, start: usize) -> Option<Place> {
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
    pub(super) fn keep_regex(&mut self, start: usize) {
        if let Some([op @ Op::MatchRecord(_)]) = self.program.code.get_mut(start..)
            && let Op::MatchRecord(regex) = *op
        {
            *op = Op::Regex(regex);
        }
    }

    pub(super) fn constant(&mut self, value: Value) -> u32 {
        self.program.constants.add(value) as u32
    }

    /// A number, a text or a regular expression.
    pub(super) fn constant_primary(&mut self) -> Result<(), SyntaxError> {
        self.primary().map(|_| ())
    }

    /// A primary; a place is given back without being loaded.
    fn primary(&mut self) -> Result<Option<Place>, SyntaxError> {
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

    fn regex(&mut self) -> Result<(), SyntaxError> {
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
    pub(super) fn subscripts(&mut self) -> Result<(), SyntaxError> {
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
    fn getline_place(&mut self) -> Result<Option<Place>, SyntaxError> {
        match self.token {
            Token::Name(_) | Token::Sign("$") => self.primary(),
            _ => Ok(None),
        }
    }

    /// Expressions up to `)`; how many.
    pub(super) fn arguments(&mut self) -> Result<u32, SyntaxError> {
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
