//! What a word does when it is expanded, as far as it shows in the syntax: whether it expands anything, and whether that
//! can change the shell or fail.

use crate::syntax::ast::{
    Arithmetic, BinaryOperator, DefaultOperator, Expression, Parameter, ParameterExpansion,
    ParameterOperation, Word, WordPart,
};

/// Whether anything in the word is known only at run time.
pub(super) fn expands(word: &Word) -> bool {
    word.parts.iter().any(part_expands)
}

/// See [`expands`].
pub(super) fn part_expands(part: &WordPart) -> bool {
    match part {
        WordPart::Literal(_) | WordPart::Quoted(_) => false,
        WordPart::DoubleQuoted(parts) => parts.iter().any(part_expands),
        _ => true,
    }
}

/// Whether expanding the word changes nothing in the shell, and can only fail because a variable is unset (`set -u`).
pub(super) fn is_plain(word: &Word) -> bool {
    are_plain(&word.parts)
}

/// The recursion is as deep as the syntax, which the parser's depth budget bounds.
fn are_plain(parts: &[WordPart]) -> bool {
    parts.iter().all(|part| match part {
        WordPart::DoubleQuoted(parts) => are_plain(parts),
        WordPart::Parameter(expansion) => is_plain_parameter(expansion),
        WordPart::Arithmetic(arithmetic) => is_plain_arithmetic(arithmetic),
        WordPart::Literal(_)
        | WordPart::Quoted(_)
        | WordPart::Tilde(_)
        | WordPart::CommandSubstitution(_)
        | WordPart::ProcessSubstitution(_) => true,
    })
}

fn is_plain_parameter(expansion: &ParameterExpansion) -> bool {
    let plain_parameter = match &expansion.parameter {
        Parameter::Element(_, subscript) => {
            subscript.all.is_some() || is_plain_arithmetic(&subscript.arithmetic)
        }
        _ => true,
    };
    plain_parameter
        && !expansion.indirect
        && match &expansion.operation {
            ParameterOperation::Value
            | ParameterOperation::Length
            | ParameterOperation::Names(_)
            | ParameterOperation::Keys(_)
            | ParameterOperation::Transform(_) => true,
            ParameterOperation::Default { operator, word, .. } => {
                matches!(operator, DefaultOperator::Use | DefaultOperator::Alternative) && is_plain(word)
            }
            ParameterOperation::TrimPrefix { pattern, .. }
            | ParameterOperation::TrimSuffix { pattern, .. } => is_plain(pattern),
            ParameterOperation::Replace { pattern, replacement, .. } => {
                is_plain(pattern) && replacement.as_ref().is_none_or(is_plain)
            }
            ParameterOperation::Case { pattern, .. } => pattern.as_ref().is_none_or(is_plain),
            ParameterOperation::Substring { offset, length } => {
                is_plain_arithmetic(offset) && length.as_ref().is_none_or(is_plain_arithmetic)
            }
            ParameterOperation::Bad | ParameterOperation::Open => false,
        }
}

/// Whether evaluating it assigns nothing; that a value is an expression with effects is left out.
pub(super) fn is_plain_arithmetic(arithmetic: &Arithmetic) -> bool {
    arithmetic.expression.as_ref().is_some_and(is_pure)
}

/// Whether it is a number.
pub(super) fn is_constant(arithmetic: &Arithmetic) -> bool {
    match &arithmetic.expression {
        Some(Expression::Number(_)) => true,
        Some(Expression::Unary(_, operand)) => matches!(operand.as_ref(), Expression::Number(_)),
        _ => false,
    }
}

/// Whether evaluating it changes nothing and cannot fail in a way of its own.
pub(super) fn is_pure(expression: &Expression) -> bool {
    match expression {
        Expression::Number(_) | Expression::Variable(_) | Expression::Parameter(_) => true,
        Expression::Unary(_, operand) => is_pure(operand),
        Expression::Binary(operator, left, right) => {
            !matches!(
                operator.operator,
                BinaryOperator::Divide | BinaryOperator::Remainder | BinaryOperator::Power
            ) && is_pure(left)
                && is_pure(right)
        }
        _ => false,
    }
}
