//! What bash has done of an expression when it finds a syntax error in it: it evaluates while it reads. Only expressions
//! with an error come here; all others are parsed as a whole and compiled.
//!
//! The precedences climb as bash's do, one token ahead. A variable is read (and its value evaluated) together with its
//! token, after a look at the token after it. What is not chosen (`0 && x`) is read and not evaluated.

use super::{Evaluation, blanks_trimmed};
use crate::machine::error::EvaluationError;
use crate::machine::expansion::Subscript;
use crate::machine::halt::{Halt, Step};
use crate::machine::name::NameId;
use crate::syntax::ast::{BinaryOperator, Expression, Infix};
use crate::syntax::subscript::closing_bracket;
use crate::text::Text;

/// Parentheses, unary operators and assignments that may stand inside of each other.
const MAX_NESTING: u32 = 32;
/// Values that are expressions, inside of each other, that are looked at in this way.
const MAX_DEPTH: u32 = 8;

/// Why reading ends.
enum Stop {
    /// The syntax error that the expression is here for, or something that only bash could read.
    Syntax,
    /// An error of its own comes before it.
    Halt(Halt),
}

impl From<Halt> for Stop {
    fn from(halt: Halt) -> Self {
        Self::Halt(halt)
    }
}

type Read<T = i64> = Result<T, Stop>;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Token {
    End,
    Number,
    Variable,
    Infix(BinaryOperator),
    And,
    Or,
    Assign(Option<BinaryOperator>),
    Not,
    Complement,
    Open,
    Close,
    Question,
    Colon,
    Comma,
    /// `++`, `--` before or after a variable.
    Before(i64),
    Behind(i64),
}

/// Where a variable's value is: its name and its subscript.
type Place = (NameId, Option<Text>);

struct PrefixReader<'e, 'o, 't> {
    evaluation: &'o mut Evaluation<'e>,
    text: &'t [u8],
    /// After the token.
    at: usize,
    token: Token,
    /// The value of a number or variable.
    value: i64,
    /// The variable that was read last, if it can be assigned to.
    place: Option<Place>,
    /// How many choices around were not made.
    skipped: u32,
    nesting: u32,
}

impl Evaluation<'_> {
    /// Evaluates `text`, which has a syntax error, up to it.
    ///
    /// # Errors
    /// One that comes before the syntax error; it was reported.
    pub(super) fn before_error(&mut self, text: &[u8]) -> Step {
        if self.depth > MAX_DEPTH {
            // Such a value names itself, as a rule.
            return Err(self.shell.arithmetic_error(EvaluationError::TooDeep(Text::from(text))));
        }
        let mut reader = PrefixReader {
            evaluation: self,
            text,
            at: 0,
            token: Token::End,
            value: 0,
            place: None,
            skipped: 0,
            nesting: 0,
        };
        match reader.advance().and_then(|()| reader.list()) {
            Err(Stop::Halt(halt)) => Err(halt),
            Ok(_) | Err(Stop::Syntax) => Ok(()),
        }
    }
}

impl PrefixReader<'_, '_, '_> {
    fn rest(&self) -> &[u8] {
        self.text.get(self.at..).unwrap_or(&[])
    }

    fn skip_blanks(&mut self) {
        let blanks = self.rest().iter().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\n')).count();
        self.at += blanks;
    }

    /// Reads the next token; a variable's value with it.
    fn advance(&mut self) -> Read<()> {
        self.skip_blanks();
        let first = self.rest().first().copied();
        match first {
            Some(b'0'..=b'9') => self.number(),
            Some(byte) if byte == b'_' || byte.is_ascii_alphabetic() => self.variable(),
            _ => {
                self.token = self.operator()?;
                Ok(())
            }
        }
    }

    fn number(&mut self) -> Read<()> {
        let digit = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'#' | b'@' | b'_');
        let length = self.rest().iter().take_while(digit).count();
        let digits = self.rest().get(..length).unwrap_or(&[]);
        let Ok(Expression::Number(number)) = crate::syntax::parse_arithmetic(digits, 1, digits.len()) else {
            return Err(Stop::Syntax);
        };
        self.at += length;
        (self.token, self.value, self.place) = (Token::Number, number, None);
        Ok(())
    }

    fn variable(&mut self) -> Read<()> {
        let name = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'_';
        let length = self.rest().iter().take_while(name).count();
        let id = self.evaluation.run.services.names.intern(self.rest().get(..length).unwrap_or(&[]));
        self.at += length;
        let mut subscript = None;
        if self.rest().first() == Some(&b'[') {
            let end = closing_bracket(self.rest()).ok_or(Stop::Syntax)?;
            subscript = Some(Text::from(self.rest().get(1..end).unwrap_or(&[])));
            self.at += end + 1;
        }
        let before = self.token;
        let behind = self.at;
        self.token = Token::Variable;
        self.skip_blanks();
        self.skip_names()?;
        let next = match self.rest().first() {
            Some(byte) if byte.is_ascii_alphanumeric() || *byte == b'_' => Token::Variable,
            _ => match self.operator() {
                Err(Stop::Syntax) => return Err(self.invalid_operator()),
                next => next?,
            },
        };
        self.at = behind;
        let place = (id, subscript);
        self.value = if next == Token::Assign(None) && !matches!(before, Token::Before(_)) {
            0
        } else {
            self.load(&place)?
        };
        (self.token, self.place) = (Token::Variable, Some(place));
        Ok(())
    }

    /// Of names one after the other, which are an error, bash looks at what stands after the last one before it asks for the
    /// value of the first.
    fn skip_names(&mut self) -> Read<()> {
        let is_name = |byte: &u8| byte.is_ascii_alphabetic() || *byte == b'_';
        let behind = self.at;
        while self.rest().first().is_some_and(is_name) {
            self.at += self.rest().iter().take_while(|byte| is_name(byte) || byte.is_ascii_digit()).count();
            if self.rest().first() == Some(&b'[') {
                self.at += closing_bracket(self.rest()).ok_or(Stop::Syntax)?.saturating_add(1);
            }
            self.skip_blanks();
        }
        let is_operand = self.at == behind || self.rest().first().is_some_and(u8::is_ascii_digit);
        if !is_operand && matches!(self.operator(), Err(Stop::Syntax)) {
            return Err(self.invalid_operator());
        }
        self.at = behind;
        Ok(())
    }

    /// What stands after a variable is not an operator.
    fn invalid_operator(&mut self) -> Stop {
        let expression = Text::from(blanks_trimmed(self.text));
        let token = Text::from(self.rest());
        let error = EvaluationError::InvalidOperator { expression, token };
        Stop::Halt(self.evaluation.shell.arithmetic_error(error))
    }

    fn load(&mut self, place: &Place) -> Read {
        if self.skipped > 0 {
            return Ok(0);
        }
        Ok(match self.subscript(place)? {
            None => self.evaluation.load(place.0)?,
            Some(subscript) => self.evaluation.load_element(place.0, subscript)?,
        })
    }

    fn store(&mut self, place: &Place, number: i64) -> Read<()> {
        if self.skipped == 0 {
            let subscript = self.subscript(place)?;
            self.evaluation.store_place((place.0, subscript), number)?;
        }
        Ok(())
    }

    fn subscript(&mut self, place: &Place) -> Read<Option<Subscript>> {
        let Some(text) = &place.1 else { return Ok(None) };
        Ok(Some(self.evaluation.subscript_of(place.0, None, text)?))
    }

    /// Reads an operator.
    fn operator(&mut self) -> Read<Token> {
        use BinaryOperator as Binary;
        let after_variable = self.token == Token::Variable;
        let rest = self.rest();
        let Some(&first) = rest.first() else { return Ok(Token::End) };
        let second = rest.get(1).copied().unwrap_or(0);
        let third = rest.get(2).copied().unwrap_or(0);
        let (token, length) = match (first, second) {
            (b'<' | b'>', same) if same == first => {
                let shift = if first == b'<' { Binary::ShiftLeft } else { Binary::ShiftRight };
                if third == b'=' { (Token::Assign(Some(shift)), 3) } else { (Token::Infix(shift), 2) }
            }
            (b'=', b'=') => (Token::Infix(Binary::Equal), 2),
            (b'!', b'=') => (Token::Infix(Binary::NotEqual), 2),
            (b'<', b'=') => (Token::Infix(Binary::LessOrEqual), 2),
            (b'>', b'=') => (Token::Infix(Binary::GreaterOrEqual), 2),
            (b'&', b'&') => (Token::And, 2),
            (b'|', b'|') => (Token::Or, 2),
            (b'*', b'*') => (Token::Infix(Binary::Power), 2),
            (b'+' | b'-', same) if same == first => {
                let by = if first == b'+' { 1 } else { -1 };
                let name = |byte: &u8| byte.is_ascii_alphabetic() || *byte == b'_';
                let blank = |byte: &&u8| matches!(byte, b' ' | b'\t' | b'\n');
                let behind = rest.get(2..).unwrap_or(&[]);
                let blanks = behind.iter().take_while(blank).count();
                if after_variable {
                    (Token::Behind(by), 2)
                } else if behind.get(blanks).is_some_and(name) {
                    (Token::Before(by), 2)
                } else {
                    (Token::Infix(if by > 0 { Binary::Add } else { Binary::Subtract }), 1)
                }
            }
            (byte, b'=') if binary(byte).is_some() && !matches!(byte, b'<' | b'>') => {
                (Token::Assign(binary(byte)), 2)
            }
            (b'=', _) => (Token::Assign(None), 1),
            (b'!', _) => (Token::Not, 1),
            (b'~', _) => (Token::Complement, 1),
            (b'(', _) => (Token::Open, 1),
            (b')', _) => (Token::Close, 1),
            (b'?', _) => (Token::Question, 1),
            (b':', _) => (Token::Colon, 1),
            (b',', _) => (Token::Comma, 1),
            (byte, _) => (Token::Infix(binary(byte).ok_or(Stop::Syntax)?), 1),
        };
        self.at += length;
        Ok(token)
    }

    fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> Read<T>) -> Read<T> {
        if self.nesting >= MAX_NESTING {
            return Err(Stop::Syntax);
        }
        self.nesting += 1;
        let result = read(self);
        self.nesting -= 1;
        result
    }

    /// Reads what is not evaluated if `skips`.
    fn choice(&mut self, skips: bool, read: impl FnOnce(&mut Self) -> Read) -> Read {
        self.skipped += u32::from(skips);
        let result = read(self);
        self.skipped -= u32::from(skips);
        result
    }

    /// `a, b`
    fn list(&mut self) -> Read {
        let mut value = self.assignment()?;
        while self.token == Token::Comma {
            self.advance()?;
            value = self.assignment()?;
        }
        Ok(value)
    }

    fn assignment(&mut self) -> Read {
        let before = self.conditional()?;
        let Token::Assign(operator) = self.token else { return Ok(before) };
        let place = self.place.take().ok_or(Stop::Syntax)?;
        let token = self.at as u32;
        self.advance()?;
        let right = self.deeper(Self::assignment)?;
        let value = match operator {
            Some(operator) => self.apply(Infix { operator, token }, before, right)?,
            None => right,
        };
        self.store(&place, value)?;
        self.place = None;
        Ok(value)
    }

    fn conditional(&mut self) -> Read {
        let test = self.binary(0)?;
        if self.token != Token::Question {
            return Ok(test);
        }
        let yes = self.choice(test == 0, |this| {
            this.advance()?;
            if matches!(this.token, Token::End | Token::Colon) {
                return Err(Stop::Syntax);
            }
            this.deeper(Self::list)
        })?;
        if self.token != Token::Colon {
            return Err(Stop::Syntax);
        }
        let no = self.choice(test != 0, |this| {
            this.advance()?;
            this.deeper(Self::conditional)
        })?;
        self.place = None;
        Ok(if test == 0 { no } else { yes })
    }

    /// Binary operators of at least that precedence.
    fn binary(&mut self, least: u8) -> Read {
        let mut left = self.unary()?;
        loop {
            let token = self.token;
            let Some(level) = precedence(token).filter(|level| *level >= least) else { return Ok(left) };
            let next = if token == Token::Infix(BinaryOperator::Power) { level } else { level + 1 };
            left = match token {
                Token::And | Token::Or => {
                    let and = token == Token::And;
                    let right = self.choice((left == 0) == and, |this| this.right(next))?;
                    i64::from(if and { left != 0 && right != 0 } else { left != 0 || right != 0 })
                }
                Token::Infix(operator) => {
                    self.skip_blanks();
                    let token = self.at as u32;
                    let right = self.right(next)?;
                    self.apply(Infix { operator, token }, left, right)?
                }
                _ => return Ok(left),
            };
            self.place = None;
        }
    }

    fn right(&mut self, least: u8) -> Read {
        self.advance()?;
        self.deeper(|this| this.binary(least))
    }

    fn apply(&mut self, infix: Infix, left: i64, right: i64) -> Read {
        if self.skipped > 0 {
            return Ok(0);
        }
        Ok(self.evaluation.binary(infix, left, right)?)
    }

    fn unary(&mut self) -> Read {
        let token = self.token;
        if !matches!(
            token,
            Token::Not | Token::Complement | Token::Infix(BinaryOperator::Add | BinaryOperator::Subtract)
        ) {
            return self.operand();
        }
        self.advance()?;
        let number = self.deeper(Self::unary)?;
        self.place = None;
        Ok(match token {
            Token::Not => i64::from(number == 0),
            Token::Complement => !number,
            Token::Infix(BinaryOperator::Subtract) => number.wrapping_neg(),
            _ => number,
        })
    }

    fn operand(&mut self) -> Read {
        match self.token {
            Token::Number => {
                let value = self.value;
                self.advance()?;
                Ok(value)
            }
            Token::Variable => self.variable_operand(),
            Token::Before(by) => {
                self.advance()?;
                let place = self.place.take().ok_or(Stop::Syntax)?;
                let value = self.value.wrapping_add(by);
                self.store(&place, value)?;
                self.token = Token::Number;
                self.advance()?;
                self.place = None;
                Ok(value)
            }
            Token::Open => {
                self.advance()?;
                let value = self.deeper(Self::list)?;
                if self.token != Token::Close {
                    return Err(Stop::Syntax);
                }
                self.advance()?;
                self.place = None;
                Ok(value)
            }
            _ => Err(Stop::Syntax),
        }
    }

    fn variable_operand(&mut self) -> Read {
        let (value, place) = (self.value, self.place.clone());
        // Another operand after it is read, and evaluated, before it turns out to be an error.
        self.advance()?;
        if let Token::Behind(by) = self.token {
            if let Some(place) = &place {
                self.store(place, value.wrapping_add(by))?;
            }
            self.token = Token::Number;
            self.advance()?;
            self.place = None;
        } else {
            self.place = place;
        }
        Ok(value)
    }
}

fn binary(byte: u8) -> Option<BinaryOperator> {
    Some(match byte {
        b'*' => BinaryOperator::Multiply,
        b'/' => BinaryOperator::Divide,
        b'%' => BinaryOperator::Remainder,
        b'+' => BinaryOperator::Add,
        b'-' => BinaryOperator::Subtract,
        b'<' => BinaryOperator::Less,
        b'>' => BinaryOperator::Greater,
        b'&' => BinaryOperator::BitAnd,
        b'^' => BinaryOperator::BitXor,
        b'|' => BinaryOperator::BitOr,
        _ => return None,
    })
}

fn precedence(token: Token) -> Option<u8> {
    use BinaryOperator as Binary;
    Some(match token {
        Token::Or => 0,
        Token::And => 1,
        Token::Infix(operator) => match operator {
            Binary::BitOr => 2,
            Binary::BitXor => 3,
            Binary::BitAnd => 4,
            Binary::Equal | Binary::NotEqual => 5,
            Binary::Less | Binary::LessOrEqual | Binary::Greater | Binary::GreaterOrEqual => 6,
            Binary::ShiftLeft | Binary::ShiftRight => 7,
            Binary::Add | Binary::Subtract => 8,
            Binary::Multiply | Binary::Divide | Binary::Remainder => 9,
            Binary::Power => 10,
        },
        _ => return None,
    })
}
