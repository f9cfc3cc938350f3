//! The binary operators over values.

use crate::memory::{String, Vec};
use super::error::Raise;
use super::machine::Context;
use super::object::Object;
use super::string;
use super::text::Text;
use super::value::Value;

/// A binary operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operator {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

impl Operator {
    /// `left` operator `right`.
    ///
    /// # Errors
    /// jq's words for operands that do not go together.
    pub(crate) fn apply(self, context: &mut Context<'_>, left: Value, right: Value) -> Result<Value, Raise> {
        let work = &mut context.work;
        match self {
            Operator::Add => add(context, left, right),
            Operator::Subtract => subtract(context, left, right),
            Operator::Multiply => multiply(context, left, right),
            Operator::Divide => divide(context, left, right),
            Operator::Remainder => remainder(&left, &right),
            Operator::Equal => Ok(Value::Bool(left.is_equal(&right, work)?)),
            Operator::NotEqual => Ok(Value::Bool(!left.is_equal(&right, work)?)),
            Operator::Less => Ok(Value::Bool(left.compare(&right, work)?.is_lt())),
            Operator::LessOrEqual => Ok(Value::Bool(left.compare(&right, work)?.is_le())),
            Operator::Greater => Ok(Value::Bool(left.compare(&right, work)?.is_gt())),
            Operator::GreaterOrEqual => Ok(Value::Bool(left.compare(&right, work)?.is_ge())),
        }
    }
}

/// `left + right`; in place where `left` has no other owner.
pub(crate) fn add(context: &mut Context<'_>, left: Value, right: Value) -> Result<Value, Raise> {
    let work = &mut context.work;
    match (left, right) {
        (Value::Null, other) | (other, Value::Null) => Ok(other),
        (Value::Number(one), Value::Number(two)) => Ok(Value::Number(one + two)),
        (Value::String(one), Value::String(two)) => {
            let copied = if matches!(&one, Text::Growing(text) if std::sync::Arc::strong_count(text) == 1) {
                two.len()
            } else {
                one.len().saturating_add(two.len())
            };
            work.charge(copied)?;
            work.steps(copied / 256)?;
            Ok(Value::String(one.append(two.as_str())))
        }
        (Value::Array(mut one), Value::Array(two)) => {
            if one.len() == 0 {
                return Ok(Value::Array(two));
            }
            let copied = if one.is_unique() { two.len() } else { one.len().saturating_add(two.len()) };
            work.charge(copied.saturating_mul(size_of::<Value>()))?;
            work.steps(copied / 16)?;
            one.change(two.depth().saturating_sub(1), |items| items.extend_from_slice(two.items()));
            Ok(Value::Array(one))
        }
        (Value::Object(mut one), Value::Object(two)) => {
            let copied = if one.is_unique() { two.len() } else { one.len().saturating_add(two.len()) };
            work.charge(copied.saturating_mul(2 * size_of::<Value>()))?;
            work.steps(copied)?;
            for (key, value) in two.iter() {
                one.insert(key.clone(), value.clone());
            }
            Ok(Value::Object(one))
        }
        (left, right) => Err(Raise::about_two(&left, &right, "cannot be added")),
    }
}

fn subtract(context: &mut Context<'_>, left: Value, right: Value) -> Result<Value, Raise> {
    match (left, right) {
        (Value::Number(one), Value::Number(two)) => Ok(Value::Number(one - two)),
        (Value::Array(one), Value::Array(two)) => {
            // A sorted copy of what goes, so that large arrays do not take the product of their lengths.
            let unwanted = super::collection::sorted(context, two.into_items())?;
            let mut kept = Vec::new();
            for item in one.into_items() {
                context.work.step()?;
                if super::collection::search(context, &unwanted, &item)?.is_err() {
                    kept.push(item);
                }
            }
            Ok(Value::array(kept))
        }
        (left, right) => Err(Raise::about_two(&left, &right, "cannot be subtracted")),
    }
}

fn multiply(context: &mut Context<'_>, left: Value, right: Value) -> Result<Value, Raise> {
    match (left, right) {
        (Value::Number(one), Value::Number(two)) => Ok(Value::Number(one * two)),
        (Value::String(text), Value::Number(times)) | (Value::Number(times), Value::String(text)) => {
            repeat(context, &text, times)
        }
        (Value::Object(one), Value::Object(two)) => Ok(Value::Object(merge(context, one, &two)?)),
        (left, right) => Err(Raise::about_two(&left, &right, "cannot be multiplied")),
    }
}

/// `text` so many times; once for any number in `(0, 1]`, null for 0 or less.
fn repeat(context: &mut Context<'_>, text: &Text, times: f64) -> Result<Value, Raise> {
    if times.is_nan() || times <= 0.0 {
        return Ok(Value::Null);
    }
    let count = if times < 1.0 { 1 } else { times as usize };
    let length = text.len().saturating_mul(count);
    if length > 1 << 30 {
        return Err(Raise::message("Repeat string result too long"));
    }
    context.work.charge(length)?;
    context.work.steps(length / 256)?;
    Ok(Value::from(String::from(text.as_str().repeat(count))))
}

/// Objects merged into each other at every level.
fn merge(context: &mut Context<'_>, mut left: Object, right: &Object) -> Result<Object, Raise> {
    context.work.steps(left.len().saturating_add(right.len()))?;
    context.work.charge(right.len().saturating_mul(2 * size_of::<Value>()))?;
    for (key, value) in right.iter() {
        let merged = match (left.get(key.as_str()), value) {
            (Some(Value::Object(inner)), Value::Object(more)) => {
                Value::Object(merge(context, inner.clone(), more)?)
            }
            _ => value.clone(),
        };
        left.insert(key.clone(), merged);
    }
    Ok(left)
}

fn divide(context: &mut Context<'_>, left: Value, right: Value) -> Result<Value, Raise> {
    match (left, right) {
        (Value::Number(one), Value::Number(two)) => {
            if two == 0.0 {
                let problem = "cannot be divided because the divisor is zero";
                return Err(Raise::about_two(&Value::Number(one), &Value::Number(two), problem));
            }
            Ok(Value::Number(one / two))
        }
        (Value::String(one), Value::String(two)) => string::split_text(context, one.as_str(), two.as_str()),
        (left, right) => Err(Raise::about_two(&left, &right, "cannot be divided")),
    }
}

/// The remainder of the operands cut to integers; its sign is the dividend's.
fn remainder(left: &Value, right: &Value) -> Result<Value, Raise> {
    let (Value::Number(one), Value::Number(two)) = (left, right) else {
        return Err(Raise::about_two(left, right, "cannot be divided"));
    };
    if one.is_nan() || two.is_nan() {
        return Ok(Value::Number(f64::NAN));
    }
    match (*one as i64).checked_rem(*two as i64) {
        Some(rest) => Ok(Value::Number(rest as f64)),
        None if *two as i64 == -1 => Ok(Value::Number(0.0)),
        None => {
            Err(Raise::about_two(left, right, "cannot be divided (remainder) because the divisor is zero"))
        }
    }
}
