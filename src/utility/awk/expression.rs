//! Expressions, by precedence: each function emits code that leaves one value on the stack. Primaries are in `primary.rs`.

mod primary;

use super::error::SyntaxError;
use super::lexer::Token;
use super::op::{Binary, Comparison, Function, Op, Place, SPECIAL, Source, Var};
use super::parser::Parser;
use super::value::Value;

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
}
