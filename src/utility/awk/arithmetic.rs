//! Operations on two numbers, and what the order of two values says.

use super::error::Fault;
use super::op::{Binary, Comparison};
use std::cmp::Ordering;

pub(super) fn calculate(operator: Binary, left: f64, right: f64) -> Result<f64, Fault> {
    Ok(match operator {
        Binary::Add => left + right,
        Binary::Subtract => left - right,
        Binary::Multiply => left * right,
        Binary::Divide if right == 0.0 => return Err(Fault::fatal("division by zero attempted")),
        Binary::Divide => left / right,
        Binary::Remainder if right == 0.0 => return Err(Fault::fatal("division by zero attempted in `%'")),
        Binary::Remainder => left % right,
        Binary::Power => power(left, right),
    })
}

/// As [`calculate`] for an assignment such as `/=`, which its errors name.
pub(super) fn calculate_assigned(operator: Binary, left: f64, right: f64) -> Result<f64, Fault> {
    match operator {
        Binary::Divide if right == 0.0 => Err(Fault::fatal("division by zero attempted in `/='")),
        Binary::Remainder if right == 0.0 => Err(Fault::fatal("division by zero attempted in `%='")),
        _ => calculate(operator, left, right),
    }
}

/// Whole powers are products, as in gawk, whose rounding shows.
fn power(base: f64, exponent: f64) -> f64 {
    if exponent.fract() != 0.0 || exponent.abs() > 1e15 {
        return base.powf(exponent);
    }
    let (mut rest, mut square, mut product) = (exponent.abs() as u64, base, 1.0);
    while rest > 0 {
        if rest & 1 == 1 {
            product *= square;
        }
        square *= square;
        rest >>= 1;
    }
    if exponent < 0.0 { 1.0 / product } else { product }
}

pub(super) fn holds(comparison: Comparison, order: Option<Ordering>) -> bool {
    match comparison {
        Comparison::Less => order == Some(Ordering::Less),
        Comparison::LessOrEqual => matches!(order, Some(Ordering::Less | Ordering::Equal)),
        Comparison::Equal => order == Some(Ordering::Equal),
        Comparison::NotEqual => order != Some(Ordering::Equal),
        Comparison::Greater => order == Some(Ordering::Greater),
        Comparison::GreaterOrEqual => matches!(order, Some(Ordering::Greater | Ordering::Equal)),
    }
}
