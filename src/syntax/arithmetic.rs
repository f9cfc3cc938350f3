//! Arithmetic expressions: bytes to [`Expression`]. Bash manual 6.5.
//!
//! Precedence climbing over one token of look-ahead. What an error shows is the rest of the text from the last token that
//! was read, so the tokenizer keeps bash's notion of it ([`Tokens::last_start`]). Runs of left-associative operators do
//! not nest: long ones become a [`Expression::Chain`], those of `&&`, `||` and `,`, which are associative, a balanced
//! tree. Depth is counted for parentheses, subscripts, prefix operators, and operators that nest to the right.
//!
//! The same parser reads text that was expanded already, and source text, where `$name` can stand for an operand. Operators
//! are in `operator.rs`.

#![allow(
    clippy::unnecessary_box_returns,
    reason = "the stack frames of functions that recurse hold pointers, not nodes"
)]

mod operator;

use super::ast::{BinaryOperator, ElementSubscript, Expression, Parameter};
use super::byte::{is_name_byte, is_name_start};
use super::error::{ArithmeticError, ArithmeticErrorKind as Kind};
use crate::memory::Box;
use crate::text::Text;
pub(super) use operator::balanced;

type Evaluated<T> = Result<T, Box<ArithmeticError>>;

/// Runs of at most so many operators are nested [`Expression::Binary`].
const NESTED_RUN: usize = 8;

/// Expressions in a script that are longer than this are parsed when they are evaluated only, and held against the limit there.
const LONGEST_SOURCE: usize = 1 << 16;

/// Parses text that was expanded: no `$` is left. Blank text is 0.
///
/// # Errors
/// Bash's error with its error token; [`Kind::TooDeep`] when nested deeper than `depth`, [`Kind::TooLong`] when more than
/// `bytes` of the text have to be read.
pub fn parse_arithmetic(text: &[u8], depth: u32, bytes: usize) -> Result<Expression, ArithmeticError> {
    parse(text, depth, bytes, false).map_err(Box::into_inner)
}

/// Parses source text in which `$name`, `${name}`, `$1`, `$#` and `$?` may be whole operands. `None` when it cannot be
/// parsed before it is expanded, or is too long for that.
pub(super) fn parse_source(text: &[u8], depth: u32) -> Option<Expression> {
    parse(text, depth, LONGEST_SOURCE, true).ok()
}

fn parse(text: &[u8], depth: u32, bytes: usize, parameters: bool) -> Evaluated<Expression> {
    let mut tokens = Tokens {
        text,
        pos: 0,
        last_start: 0,
        previous: Token::End,
        current: Token::End,
        operand: None,
        parameters,
        depth: 0,
        limit: depth,
        bytes,
    };
    tokens.advance()?;
    if tokens.current == Token::End {
        return Ok(Expression::Number(0));
    }
    let expression = tokens.comma()?;
    if tokens.current == Token::End { Ok(expression) } else { Err(tokens.error(Kind::SyntaxError)) }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Token {
    End,
    /// The value is in [`Tokens::operand`].
    Number,
    /// A variable that was an operand of `++` or `--` before it.
    PreIncremented,
    Variable,
    Increment(i64),
    PostIncrement(i64),
    Assign(Option<BinaryOperator>),
    Infix(BinaryOperator),
    AndAnd,
    OrOr,
    Not,
    Complement,
    Question,
    Colon,
    Comma,
    Open,
    Close,
    CloseBracket,
}

struct Tokens<'a> {
    text: &'a [u8],
    pos: usize,
    last_start: usize,
    previous: Token,
    current: Token,
    operand: Option<Expression>,
    parameters: bool,
    depth: u32,
    limit: u32,
    /// No token begins or ends after so many bytes.
    bytes: usize,
}

impl Tokens<'_> {
    fn byte(&self, at: usize) -> u8 {
        self.text.get(at).copied().unwrap_or(0)
    }

    fn slice(&self, start: usize, end: usize) -> &[u8] {
        self.text.get(start..end).unwrap_or(&[])
    }

    #[inline(never)]
    fn error(&self, kind: Kind) -> Box<ArithmeticError> {
        let token = Text::from(self.text.get(self.last_start..).unwrap_or(&[]));
        Box::new(ArithmeticError { kind, token, shown: self.text.len() })
    }

    fn enter(&mut self) -> Evaluated<()> {
        self.depth += 1;
        if self.depth > self.limit { Err(self.error(Kind::TooDeep(self.limit))) } else { Ok(()) }
    }

    fn leave(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }

    fn skip_blanks(&self, mut at: usize) -> usize {
        while at <= self.bytes && matches!(self.byte(at), b' ' | b'\t' | b'\n') {
            at += 1;
        }
        at
    }

    /// Where a name or a number ends, of which further bytes than those of names may be part.
    fn name_end(&self, start: usize, is_part: impl Fn(u8) -> bool) -> Evaluated<usize> {
        let mut end = start;
        while is_name_byte(self.byte(end)) || is_part(self.byte(end)) {
            end += 1;
            if end > self.bytes {
                return Err(self.too_long());
            }
        }
        Ok(end)
    }

    /// Nobody is shown the rest of the text, which is long.
    fn too_long(&self) -> Box<ArithmeticError> {
        let kind = Kind::TooLong(self.bytes as u64);
        Box::new(ArithmeticError { kind, token: Text::EMPTY, shown: self.text.len() })
    }

    /// Reads the next token.
    fn advance(&mut self) -> Evaluated<()> {
        let start = self.skip_blanks(self.pos);
        self.previous = self.current;
        if start >= self.text.len() {
            self.pos = start;
            self.current = Token::End;
            return Ok(());
        }
        if start > self.bytes {
            return Err(self.too_long());
        }
        self.last_start = start;
        let first = self.byte(start);
        self.pos = start;
        if is_name_start(first) {
            self.variable()
        } else if first.is_ascii_digit() {
            self.number()
        } else if first == b'$' && self.parameters {
            self.parameter()
        } else {
            self.operator(first)
        }
    }

    fn take(&mut self, length: usize, token: Token) {
        self.pos += length;
        self.current = token;
    }

    fn operator(&mut self, first: u8) -> Evaluated<()> {
        use BinaryOperator as B;
        let (second, third) = (self.byte(self.pos + 1), self.byte(self.pos + 2));
        let (length, token) = match (first, second, third) {
            (b'<', b'<', b'=') => (3, Token::Assign(Some(B::ShiftLeft))),
            (b'>', b'>', b'=') => (3, Token::Assign(Some(B::ShiftRight))),
            (b'<', b'<', _) => (2, Token::Infix(B::ShiftLeft)),
            (b'>', b'>', _) => (2, Token::Infix(B::ShiftRight)),
            (b'*', b'*', _) => (2, Token::Infix(B::Power)),
            (b'<', b'=', _) => (2, Token::Infix(B::LessOrEqual)),
            (b'>', b'=', _) => (2, Token::Infix(B::GreaterOrEqual)),
            (b'=', b'=', _) => (2, Token::Infix(B::Equal)),
            (b'!', b'=', _) => (2, Token::Infix(B::NotEqual)),
            (b'&', b'&', _) => (2, Token::AndAnd),
            (b'|', b'|', _) => (2, Token::OrOr),
            (b'*', b'=', _) => (2, Token::Assign(Some(B::Multiply))),
            (b'/', b'=', _) => (2, Token::Assign(Some(B::Divide))),
            (b'%', b'=', _) => (2, Token::Assign(Some(B::Remainder))),
            (b'+', b'=', _) => (2, Token::Assign(Some(B::Add))),
            (b'-', b'=', _) => (2, Token::Assign(Some(B::Subtract))),
            (b'&', b'=', _) => (2, Token::Assign(Some(B::BitAnd))),
            (b'^', b'=', _) => (2, Token::Assign(Some(B::BitXor))),
            (b'|', b'=', _) => (2, Token::Assign(Some(B::BitOr))),
            (b'+' | b'-', _, _) if first == second => {
                if self.previous == Token::PreIncremented {
                    return Err(self.error(Kind::LvalueRequired(first)));
                }
                self.doubled_sign(first)
            }
            (b'=', ..) => (1, Token::Assign(None)),
            (b'<', ..) => (1, Token::Infix(B::Less)),
            (b'>', ..) => (1, Token::Infix(B::Greater)),
            (b'+', ..) => (1, Token::Infix(B::Add)),
            (b'-', ..) => (1, Token::Infix(B::Subtract)),
            (b'*', ..) => (1, Token::Infix(B::Multiply)),
            (b'/', ..) => (1, Token::Infix(B::Divide)),
            (b'%', ..) => (1, Token::Infix(B::Remainder)),
            (b'&', ..) => (1, Token::Infix(B::BitAnd)),
            (b'^', ..) => (1, Token::Infix(B::BitXor)),
            (b'|', ..) => (1, Token::Infix(B::BitOr)),
            (b'!', ..) => (1, Token::Not),
            (b'~', ..) => (1, Token::Complement),
            (b'?', ..) => (1, Token::Question),
            (b':', ..) => (1, Token::Colon),
            (b',', ..) => (1, Token::Comma),
            (b'(', ..) => (1, Token::Open),
            (b')', ..) => (1, Token::Close),
            (b']', ..) if self.depth > 0 => (1, Token::CloseBracket),
            _ => return Err(self.unexpected_byte()),
        };
        self.take(length, token);
        Ok(())
    }

    /// `++` and `--`: after a variable a postfix operator, before a name a prefix operator, else two signs.
    fn doubled_sign(&self, sign: u8) -> (usize, Token) {
        let by = if sign == b'+' { 1 } else { -1 };
        let behind = self.skip_blanks(self.pos + 2);
        if self.current == Token::Variable {
            (2, Token::PostIncrement(by))
        } else if is_name_start(self.byte(behind)) {
            (2, Token::Increment(by))
        } else {
            (1, Token::Infix(if sign == b'+' { BinaryOperator::Add } else { BinaryOperator::Subtract }))
        }
    }

    fn unexpected_byte(&self) -> Box<ArithmeticError> {
        let behind_operand = matches!(
            self.current,
            Token::Number
                | Token::PreIncremented
                | Token::Variable
                | Token::Close
                | Token::CloseBracket
                | Token::PostIncrement(_)
        );
        self.error(if behind_operand { Kind::InvalidOperator } else { Kind::OperandExpected })
    }

    fn number(&mut self) -> Evaluated<()> {
        let start = self.pos;
        let end = self.name_end(start, |byte| matches!(byte, b'#' | b'@'))?;
        let value = constant(self.slice(start, end)).map_err(|kind| {
            Box::new(ArithmeticError { kind, token: Text::from(self.slice(start, end)), shown: end })
        })?;
        self.operand = Some(Expression::Number(value));
        self.take(end - start, Token::Number);
        Ok(())
    }

    fn variable(&mut self) -> Evaluated<()> {
        let start = self.pos;
        let end = self.name_end(start, |_| false)?;
        let name = Text::from(self.slice(start, end));
        self.pos = end;
        self.last_start = start;
        let operand = if self.byte(end) == b'[' {
            Expression::Element(name, Box::new(self.subscript()?))
        } else {
            Expression::Variable(name)
        };
        self.last_start = start;
        self.operand = Some(operand);
        self.current = Token::Variable;
        if is_name_start(self.byte(self.skip_blanks(self.pos))) {
            self.look_behind_names()?;
        }
        Ok(())
    }

    /// Bash looks at the token after a name, and so on: of names one after the other, which are an error, it tells what
    /// stands after the last one if that is not a token.
    fn look_behind_names(&mut self) -> Evaluated<()> {
        let (pos, start) = (self.pos, self.last_start);
        let operand = self.operand.take();
        let mut at = self.skip_blanks(pos);
        while is_name_start(self.byte(at)) {
            self.last_start = at;
            at = self.name_end(at, |_| false)?;
            if self.byte(at) == b'[' {
                at = self.closing_bracket(self.last_start, at)?.saturating_add(1);
            }
            at = self.skip_blanks(at);
        }
        if at < self.text.len() && at <= self.bytes {
            (self.pos, self.last_start) = (at, at);
            match self.byte(at) {
                b'0'..=b'9' => self.number()?,
                b'$' if self.parameters => {}
                first => self.operator(first)?,
            }
        }
        (self.pos, self.last_start, self.current) = (pos, start, Token::Variable);
        self.operand = operand;
        Ok(())
    }

    /// `[...]`: as an expression if it is one; else its text alone, up to the bracket that closes it.
    fn subscript(&mut self) -> Evaluated<ElementSubscript> {
        let (name, open, depth, previous) = (self.last_start, self.pos, self.depth, self.previous);
        self.pos += 1;
        self.current = Token::End;
        let parsed = self.subscript_expression();
        let (expression, close) = match parsed {
            Ok(expression) => (Some(expression), self.pos - 1),
            Err(error) if matches!(error.kind, Kind::TooDeep(_) | Kind::TooLong(_)) => return Err(error),
            Err(_) => (None, self.closing_bracket(name, open)?),
        };
        self.depth = depth;
        self.previous = previous;
        self.pos = close + 1;
        let text = Text::from(self.slice(open + 1, close));
        let expression = expression.filter(|_| text.len() <= LONGEST_SOURCE);
        Ok(ElementSubscript { text, expression })
    }

    fn subscript_expression(&mut self) -> Evaluated<Expression> {
        self.enter()?;
        self.advance()?;
        let expression = self.comma()?;
        if self.current == Token::CloseBracket { Ok(expression) } else { Err(self.error(Kind::SyntaxError)) }
    }

    fn closing_bracket(&mut self, name: usize, open: usize) -> Evaluated<usize> {
        let close = self.text.get(open..).and_then(super::subscript::closing_bracket);
        if let Some(close) = close {
            return Ok(open + close);
        }
        self.last_start = name;
        Err(self.error(Kind::BadSubscript))
    }

    /// `$name`, `${name}`, `$1`, `$#`, `$?` with nothing glued to it.
    fn parameter(&mut self) -> Evaluated<()> {
        let braced = self.byte(self.pos + 1) == b'{';
        let start = self.pos + 1 + usize::from(braced);
        let mut end = start + 1;
        let first = self.byte(start);
        let parameter = if is_name_start(first) {
            while is_name_byte(self.byte(end)) {
                end += 1;
            }
            Parameter::Variable(Text::from(self.slice(start, end)))
        } else if first.is_ascii_digit() {
            Parameter::Positional(u32::from(first - b'0'))
        } else if matches!(first, b'#' | b'?') {
            Parameter::Special(first)
        } else {
            return Err(self.error(Kind::OperandExpected));
        };
        if braced {
            if self.byte(end) != b'}' {
                return Err(self.error(Kind::OperandExpected));
            }
            end += 1;
        }
        let glued = self.byte(end);
        if is_name_byte(glued)
            || matches!(glued, b'[' | b'$' | b'#' | b'@' | b'"' | b'\'' | b'\\' | b'`' | b'{')
        {
            return Err(self.error(Kind::OperandExpected));
        }
        self.operand = Some(Expression::Parameter(parameter));
        self.take(end - self.pos, Token::Number);
        Ok(())
    }
}

/// The value of a constant: decimal, `0` octal, `0x` hexadecimal, `base#digits`. Wraps like bash's.
pub(super) fn constant(text: &[u8]) -> Result<i64, Kind> {
    if let Some(hash) = text.iter().position(|&byte| byte == b'#') {
        let (base, digits) = (text.get(..hash).unwrap_or(&[]), text.get(hash + 1..).unwrap_or(&[]));
        if digits.contains(&b'#') {
            return Err(Kind::InvalidNumber);
        }
        let is_octal = base.first() == Some(&b'0');
        let base = constant(base)?;
        if is_octal {
            return Err(Kind::InvalidNumber);
        }
        if !(2..=64).contains(&base) {
            return Err(Kind::InvalidBase);
        }
        return if digits.is_empty() {
            Err(Kind::InvalidIntegerConstant)
        } else {
            digits_value(digits, base)
        };
    }
    match text {
        [b'0', b'x' | b'X', digits @ ..] => digits_value(digits, 16),
        [b'0', digits @ ..] => digits_value(digits, 8),
        digits => digits_value(digits, 10),
    }
}

fn digits_value(digits: &[u8], base: i64) -> Result<i64, Kind> {
    digits.iter().try_fold(0_i64, |value, &byte| {
        let digit = i64::from(match byte {
            b'0'..=b'9' => byte - b'0',
            b'a'..=b'z' => byte - b'a' + 10,
            b'A'..=b'Z' if base <= 36 => byte - b'A' + 10,
            b'A'..=b'Z' => byte - b'A' + 36,
            b'@' => 62,
            b'_' => 63,
            _ => return Err(Kind::InvalidNumber),
        });
        if digit >= base {
            Err(Kind::ValueTooGreatForBase)
        } else {
            Ok(value.wrapping_mul(base).wrapping_add(digit))
        }
    })
}

impl Default for Expression {
    fn default() -> Self {
        Self::Number(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str) -> String {
        parse_arithmetic(text.as_bytes(), 50, usize::MAX)
            .map_or_else(|error| error.to_string(), |_| String::new())
    }

    #[test]
    fn errors_are_worded_as_bash_words_them() {
        for (text, words) in [
            ("1+", "syntax error: operand expected (error token is \"+\")"),
            ("1 2", "syntax error in expression (error token is \"2\")"),
            ("1 + )", "syntax error: operand expected (error token is \")\")"),
            ("1.5", "syntax error: invalid arithmetic operator (error token is \".5\")"),
            ("$", "syntax error: operand expected (error token is \"$\")"),
            ("1 = 2", "attempted assignment to non-variable (error token is \"= 2\")"),
            ("(1", "missing `)' (error token is \"1\")"),
            ("1 ? 2", "`:' expected for conditional expression (error token is \"2\")"),
            ("1 ? : 2", "expression expected (error token is \": 2\")"),
            ("08 + 1", "value too great for base (error token is \"08\")"),
            ("65#1", "invalid arithmetic base (error token is \"65#1\")"),
            ("2#1#1", "invalid number (error token is \"2#1#1\")"),
            ("16#", "invalid integer constant (error token is \"16#\")"),
            ("1 + x[0", "bad array subscript (error token is \"x[0\")"),
            ("++x++", "++: assignment requires lvalue (error token is \"++\")"),
        ] {
            assert_eq!(error(text), words, "{text}");
        }
    }

    #[test]
    fn long_runs_do_not_nest() {
        let text = "1-2".repeat(1000).replace("21", "2*3-1");
        let Ok(Expression::Chain(_, rest)) = parse_arithmetic(text.as_bytes(), 50, usize::MAX) else {
            panic!("{text}")
        };
        assert_eq!(rest.len(), 1999);
        assert!(parse_arithmetic("a&&".repeat(100_000).as_bytes(), 50, usize::MAX).is_err());
        let text = "a&&".repeat(100_000) + "a";
        assert!(matches!(parse_arithmetic(text.as_bytes(), 50, usize::MAX), Ok(Expression::And(..))));
    }

    #[test]
    fn depth_counts_every_kind_of_nesting() {
        for (open, close) in
            [("(", ")"), ("a[", "]"), ("-", ""), ("a=", ""), ("2**", ""), ("a?1:", ""), ("a?", ":1")]
        {
            let text = |count: usize| [open.repeat(count), "1".to_owned(), close.repeat(count)].concat();
            assert_eq!(error(&text(24)), "", "{open}");
            assert!(error(&text(60)).contains("recursion level"), "{open}");
        }
    }

    #[test]
    fn parameters_are_whole_operands() {
        for text in ["$a + ${b} - $1 * $# / $?", "-$a", "x[$i] = 1", "x = $y ? 1 : 2"] {
            assert!(parse_source(text.as_bytes(), 50).is_some(), "{text}");
        }
        for text in
            ["$a$b", "a$b", "1$b", "${a}1", "$a[0]", "$a = 1", "$(b)", "${a:-b}", "16#$a", "$-", "'$a'"]
        {
            assert!(parse_source(text.as_bytes(), 50).is_none(), "{text}");
        }
    }

    #[test]
    fn constants_have_bases() {
        for (text, value) in
            [("0x1F", 31), ("017", 15), ("36#Z", 35), ("64#_", 63), ("64#@", 62), ("64#Z", 61), ("0x", 0)]
        {
            assert_eq!(constant(text.as_bytes()), Ok(value), "{text}");
        }
        assert_eq!(constant(b"9223372036854775808"), Ok(i64::MIN));
    }
}
