//! Binary operators, and the errors of their operands.

use super::{Evaluation, blanks_trimmed};
use crate::machine::error::{EvaluationError, OperandFault};
use crate::machine::halt::{Halt, Step};
use crate::program::Op;
use crate::syntax::ast::{BinaryOperator, Infix};
use crate::text::Text;

impl Evaluation<'_> {
    /// Applies an operator. Overflow wraps, as in bash.
    #[inline]
    pub(super) fn binary(&mut self, infix: Infix, left: i64, right: i64) -> Step<i64> {
        let operator = infix.operator;
        Ok(match operator {
            BinaryOperator::Add => left.wrapping_add(right),
            BinaryOperator::Subtract => left.wrapping_sub(right),
            BinaryOperator::Multiply => left.wrapping_mul(right),
            BinaryOperator::Divide | BinaryOperator::Remainder => {
                if right == 0 {
                    return Err(self.operand_error(infix, OperandFault::Zero));
                }
                if operator == BinaryOperator::Divide {
                    left.wrapping_div(right)
                } else {
                    left.wrapping_rem(right)
                }
            }
            BinaryOperator::Power => {
                if right < 0 {
                    return Err(self.operand_error(infix, OperandFault::Negative));
                }
                power(left, right as u64)
            }
            BinaryOperator::ShiftLeft => left.wrapping_shl(right as u32),
            BinaryOperator::ShiftRight => left.wrapping_shr(right as u32),
            BinaryOperator::Less => i64::from(left < right),
            BinaryOperator::LessOrEqual => i64::from(left <= right),
            BinaryOperator::Greater => i64::from(left > right),
            BinaryOperator::GreaterOrEqual => i64::from(left >= right),
            BinaryOperator::Equal => i64::from(left == right),
            BinaryOperator::NotEqual => i64::from(left != right),
            BinaryOperator::BitAnd => left & right,
            BinaryOperator::BitXor => left ^ right,
            BinaryOperator::BitOr => left | right,
        })
    }

    /// Reports a right operand that is not valid.
    fn operand_error(&mut self, infix: Infix, fault: OperandFault) -> Halt {
        let from = |text: &[u8]| Text::from(text.get(infix.token as usize..).unwrap_or(&[]));
        let (shown, token) = match self.source {
            Some(text) => (Text::from(text), from(text)),
            None => {
                let Some((text, needs_text)) = self.text_in_program() else { return Halt::Discard(1) };
                let token = from(&text);
                if needs_text {
                    (self.shell.dequote_key(self.run, &text), self.shell.dequote_key(self.run, &token))
                } else {
                    (text, token)
                }
            }
        };
        let expression = Text::from(blanks_trimmed(&shown));
        self.shell.arithmetic_error(EvaluationError::Operand { expression, fault, token })
    }

    /// The text of the program's expression that runs, and whether it has parameters.
    fn text_in_program(&self) -> Option<(Text, bool)> {
        let code = &self.shell.code;
        let (Op::Arithmetic(index)
        | Op::ArithmeticCommand(index)
        | Op::ArithmeticTest { expression: index, .. }
        | Op::TryArithmetic { expression: index, .. }) =
            code.program.code.get((code.pc as usize).saturating_sub(1))?
        else {
            return None;
        };
        let expression = code.program.arithmetic.get(*index as usize)?;
        Some((expression.text.clone(), expression.needs_text))
    }
}

fn power(base: i64, exponent: u64) -> i64 {
    let (mut result, mut base, mut rest) = (1_i64, base, exponent);
    while rest > 0 {
        if rest & 1 == 1 {
            result = result.wrapping_mul(base);
        }
        base = base.wrapping_mul(base);
        rest >>= 1;
    }
    result
}
