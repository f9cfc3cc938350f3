//! Operators by precedence, over the tokens of the parent.

use super::{Evaluated, NESTED_RUN, Token, Tokens};
use crate::limit::gauge;
use crate::memory::{Box, Vec, vec};
use crate::syntax::ast::{BinaryOperator, Expression, Infix, UnaryOperator};
use crate::syntax::error::ArithmeticErrorKind as Kind;

impl Tokens<'_> {
    pub(super) fn comma(&mut self) -> Evaluated<Expression> {
        let first = self.assignment()?;
        if self.current != Token::Comma {
            return Ok(first);
        }
        let mut operands = vec![first];
        while self.current == Token::Comma {
            self.advance()?;
            operands.push(self.assignment()?);
        }
        Ok(balanced(operands, Expression::Comma))
    }

    pub(super) fn assignment(&mut self) -> Evaluated<Expression> {
        let left = self.conditional()?;
        let Token::Assign(operator) = self.current else { return Ok(left) };
        if !matches!(left, Expression::Variable(_) | Expression::Element(..)) {
            return Err(self.error(Kind::AssignmentToNonVariable));
        }
        self.enter()?;
        self.advance()?;
        let right = self.assignment()?;
        self.leave();
        let operator = operator.map(|operator| Infix { operator, token: self.last_start as u32 });
        Ok(Expression::Assign(operator, Box::new(left), Box::new(right)))
    }

    pub(super) fn conditional(&mut self) -> Evaluated<Expression> {
        let condition = self.infix(0)?;
        if self.current != Token::Question {
            return Ok(condition);
        }
        self.enter()?;
        self.advance()?;
        if matches!(self.current, Token::End | Token::Colon) {
            return Err(self.error(Kind::ExpressionExpected));
        }
        let yes = Box::new(self.comma()?);
        if self.current != Token::Colon {
            return Err(self.error(Kind::ColonExpected));
        }
        self.advance()?;
        if self.current == Token::End {
            return Err(self.error(Kind::ExpressionExpected));
        }
        let no = self.conditional()?;
        self.leave();
        Ok(Expression::Conditional(Box::new(condition), yes, Box::new(no)))
    }

    /// Operators of at least the precedence `least`.
    fn infix(&mut self, least: u8) -> Evaluated<Expression> {
        let mut left = self.unary()?;
        loop {
            let level = match precedence(self.current) {
                Some(level) if level >= least => level,
                _ => return Ok(left),
            };
            self.enter()?;
            left = self.run(left, level)?;
            self.leave();
        }
    }

    /// All operators of one precedence after `first`.
    fn run(&mut self, first: Expression, level: u8) -> Evaluated<Expression> {
        let mut rest: Vec<(Token, u32, Expression)> = Vec::new();
        // `**` alone associates to the right: its right operand takes the others.
        let least = if level == POWER { POWER } else { level + 1 };
        while precedence(self.current) == Some(level) {
            let operator = self.current;
            let operand_start = self.skip_blanks(self.pos);
            self.advance()?;
            let operand = self.infix(least)?;
            // Bash finds a divisor of 0 before it looks further, a negative exponent when it has.
            let token = if level == POWER { self.last_start } else { operand_start };
            rest.push((operator, token as u32, operand));
        }
        Ok(join(first, rest, level))
    }

    fn unary(&mut self) -> Evaluated<Expression> {
        let operator = match self.current {
            Token::Not => UnaryOperator::Not,
            Token::Complement => UnaryOperator::Complement,
            Token::Infix(BinaryOperator::Subtract) => UnaryOperator::Minus,
            Token::Infix(BinaryOperator::Add) => UnaryOperator::Plus,
            Token::Increment(by) => return self.increment(by),
            _ => return self.primary(),
        };
        self.enter()?;
        self.advance()?;
        let operand = Box::new(self.unary()?);
        self.leave();
        Ok(Expression::Unary(operator, operand))
    }

    fn increment(&mut self, by: i64) -> Evaluated<Expression> {
        self.advance()?;
        if self.current != Token::Variable {
            return Err(self.error(Kind::IdentifierExpected));
        }
        let target = Box::new(self.take_operand()?);
        // A prefix operator's variable takes no postfix operator: `++x++`.
        self.current = Token::PreIncremented;
        self.advance()?;
        Ok(Expression::Increment { target, by, postfix: false })
    }

    fn take_operand(&mut self) -> Evaluated<Expression> {
        self.operand.take().ok_or_else(|| self.error(Kind::OperandExpected))
    }

    fn primary(&mut self) -> Evaluated<Expression> {
        match self.current {
            Token::Number => {
                let value = self.take_operand()?;
                self.advance()?;
                Ok(value)
            }
            Token::Variable => {
                let variable = self.take_operand()?;
                self.advance()?;
                let Token::PostIncrement(by) = self.current else { return Ok(variable) };
                self.current = Token::Number;
                self.advance()?;
                Ok(Expression::Increment { target: Box::new(variable), by, postfix: true })
            }
            Token::Open => self.parenthesized(),
            _ => Err(self.error(Kind::OperandExpected)),
        }
    }

    fn parenthesized(&mut self) -> Evaluated<Expression> {
        self.enter()?;
        self.advance()?;
        let inner = self.comma()?;
        if self.current != Token::Close {
            return Err(self.error(Kind::MissingClose));
        }
        self.leave();
        self.advance()?;
        // `(x) = 1` is not an assignment: a variable in parentheses is a value.
        Ok(match inner {
            Expression::Variable(_) | Expression::Element(..) => {
                Expression::Unary(UnaryOperator::Plus, Box::new(inner))
            }
            other => other,
        })
    }
}

const POWER: u8 = 10;

fn precedence(token: Token) -> Option<u8> {
    use BinaryOperator as B;
    Some(match token {
        Token::OrOr => 0,
        Token::AndAnd => 1,
        Token::Infix(operator) => match operator {
            B::BitOr => 2,
            B::BitXor => 3,
            B::BitAnd => 4,
            B::Equal | B::NotEqual => 5,
            B::Less | B::LessOrEqual | B::Greater | B::GreaterOrEqual => 6,
            B::ShiftLeft | B::ShiftRight => 7,
            B::Add | B::Subtract => 8,
            B::Multiply | B::Divide | B::Remainder => 9,
            B::Power => POWER,
        },
        _ => return None,
    })
}

/// The tree of `first` and the operators of one precedence after it.
fn join(first: Expression, rest: Vec<(Token, u32, Expression)>, level: u8) -> Expression {
    if level <= 1 {
        let operands =
            std::iter::once(first).chain(rest.into_iter().map(|(_, _, operand)| operand)).collect();
        return balanced(operands, if level == 0 { Expression::Or } else { Expression::And });
    }
    let operator = |(token, start, operand)| match token {
        Token::Infix(operator) => Some((Infix { operator, token: start }, operand)),
        _ => None,
    };
    let collected: Vec<_> = rest.into_iter().filter_map(operator).collect();
    if collected.len() > NESTED_RUN {
        return Expression::Chain(Box::new(first), collected);
    }
    collected
        .into_iter()
        .fold(first, |left, (operator, right)| Expression::Binary(operator, Box::new(left), Box::new(right)))
}

/// A balanced tree of an associative operator: as deep as the logarithm of the number of operands.
pub(in crate::syntax) fn balanced<T>(mut operands: Vec<T>, join: fn(Box<T>, Box<T>) -> T) -> T
where
    T: Default,
{
    // Nodes are made whatever the limit says, and there may be many: where one was refused the run ends anyway.
    while operands.len() > 1 && !gauge::is_refused() {
        let mut joined = Vec::with_capacity(operands.len().div_ceil(2));
        let mut from = operands.into_iter();
        while let Some(left) = from.next() {
            if gauge::is_refused() {
                break;
            }
            joined.push(match from.next() {
                Some(right) => join(Box::new(left), Box::new(right)),
                None => left,
            });
        }
        operands = joined;
    }
    operands.pop().unwrap_or_default()
}
