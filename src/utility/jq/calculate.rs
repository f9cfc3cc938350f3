//! Applies the binary operators to values.

use super::comparison::{equality, inequality};
use super::context::Context;
use super::error::Raise;
use super::job::{Output, PIECE, spend, spend_bytes};
use super::object::Object;
use super::operator::Operator;
use super::sorting::{search, sorted};
use super::string;
use super::text::Text;
use super::value::{Array, Value};
use crate::memory::{String, Vec, vec};
use std::cmp::Ordering;

impl Operator {
    /// `left` operator `right`.
    ///
    /// # Errors
    /// jq's words for operands that do not go together.
    pub(crate) fn apply(self, context: &mut Context<'_>, left: Value, right: Value) -> Result<Value, Raise> {
        match self {
            Operator::Add => add(context, left, right),
            Operator::Subtract => subtract(context, left, right),
            Operator::Multiply => multiply(context, left, right),
            Operator::Divide => divide(context, left, right),
            Operator::Remainder => remainder(&left, &right),
            Operator::Equal => equality(context, left, right, true),
            Operator::NotEqual => equality(context, left, right, false),
            Operator::Less => inequality(context, left, right, Ordering::is_lt),
            Operator::LessOrEqual => inequality(context, left, right, Ordering::is_le),
            Operator::Greater => inequality(context, left, right, Ordering::is_gt),
            Operator::GreaterOrEqual => inequality(context, left, right, Ordering::is_ge),
        }
    }
}

/// What adding copies at once; more is added in a job.
const MANY: usize = 1024;

/// `left + right`; in place where `left` has no other owner.
fn add(context: &mut Context<'_>, left: Value, right: Value) -> Output {
    let is_large = match (&left, &right) {
        (Value::String(one), Value::String(two)) => one.len().max(two.len()) > 64 * MANY,
        (Value::Array(one), Value::Array(two)) => one.len().max(two.len()) > MANY,
        (Value::Object(one), Value::Object(two)) => one.len().max(two.len()) > MANY,
        _ => false,
    };
    if is_large && !is_cheap(&left, &right) {
        return context.job(sum(left, right));
    }
    context.work.step()?;
    match (left, right) {
        (Value::Null, other) | (other, Value::Null) => Ok(other),
        (Value::Number(one), Value::Number(two)) => Ok(Value::number(one.value() + two.value())),
        (Value::String(one), Value::String(two)) => Ok(Value::String(one.append(two.as_str()))),
        (Value::Array(mut one), Value::Array(two)) => {
            if one.len() == 0 {
                return Ok(Value::Array(two));
            }
            one.change(two.depth().saturating_sub(1), |items| items.extend_from_slice(two.items()));
            Ok(Value::Array(one))
        }
        (Value::Object(mut one), Value::Object(two)) => {
            for (key, value) in two.iter() {
                one.insert(key.clone(), value.clone());
            }
            Ok(Value::Object(one))
        }
        (left, right) => Err(Raise::about_two(&left, &right, "cannot be added")),
    }
}

/// Whether little is copied, though the left operand is large: it has no other owner.
fn is_cheap(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::String(one), Value::String(two)) => one.is_appendable() && two.len() <= 64 * MANY,
        (Value::Array(one), Value::Array(two)) => one.len() == 0 || one.is_unique() && two.len() <= MANY,
        (Value::Object(one), Value::Object(two)) => one.is_unique() && two.len() <= MANY,
        _ => true,
    }
}

/// As [`add`], in a job.
pub(super) async fn sum(left: Value, right: Value) -> Output {
    match (left, right) {
        (Value::Null, other) | (other, Value::Null) => Ok(other),
        (Value::Number(one), Value::Number(two)) => {
            spend(1).await;
            Ok(Value::number(one.value() + two.value()))
        }
        (Value::String(one), Value::String(two)) => {
            if two.len() <= 64 {
                spend(1).await;
                return Ok(Value::String(one.append(two.as_str())));
            }
            let mut whole = one;
            let mut rest = two.as_str();
            while !rest.is_empty() {
                let (piece, next) = rest.split_at(rest.ceil_char_boundary(PIECE.min(rest.len())));
                whole = whole.append(piece);
                spend_bytes(piece.len()).await;
                rest = next;
            }
            Ok(Value::String(whole))
        }
        (Value::Array(one), Value::Array(two)) => {
            if one.len() == 0 {
                return Ok(Value::Array(two));
            }
            let mut whole = if one.is_unique() { one } else { copy_of_array(&one).await };
            let added = two.depth().saturating_sub(1);
            for piece in two.items().chunks(MANY) {
                whole.change(added, |items| items.extend_from_slice(piece));
                spend(1 + piece.len() / 16).await;
            }
            Ok(Value::Array(whole))
        }
        (Value::Object(one), Value::Object(two)) => {
            let mut whole = if one.is_unique() { one } else { copy_of_object(&one).await };
            for (key, value) in two.iter() {
                whole.insert(key.clone(), value.clone());
                spend(2).await;
            }
            Ok(Value::Object(whole))
        }
        (left, right) => Err(Raise::about_two(&left, &right, "cannot be added")),
    }
}

async fn copy_of_array(array: &Array) -> Array {
    let mut items = Vec::with_capacity(array.len());
    for piece in array.items().chunks(MANY) {
        items.extend_from_slice(piece);
        spend(1 + piece.len() / 16).await;
    }
    let mut copy = Array::default();
    copy.change(array.depth().saturating_sub(1), |old| *old = items);
    copy
}

async fn copy_of_object(object: &Object) -> Object {
    let mut copy = Object::default();
    for (key, value) in object.iter() {
        copy.insert(key.clone(), value.clone());
        spend(2).await;
    }
    copy
}

fn subtract(context: &mut Context<'_>, left: Value, right: Value) -> Output {
    match (left, right) {
        (Value::Number(one), Value::Number(two)) => Ok(Value::number(one.value() - two.value())),
        (Value::Array(one), Value::Array(two)) => context.job(async move {
            // A sorted copy of what goes, so that large arrays do not take the product of their lengths.
            let unwanted = sorted(two.into_members()).await;
            let mut kept = Vec::new();
            for item in one.into_members() {
                spend(1).await;
                if search(unwanted.len(), |at| unwanted.get(at).map(|(key, _)| key), &item).await.is_err() {
                    kept.push(item);
                }
            }
            Ok(Value::array(kept))
        }),
        (left, right) => Err(Raise::about_two(&left, &right, "cannot be subtracted")),
    }
}

fn multiply(context: &mut Context<'_>, left: Value, right: Value) -> Output {
    match (left, right) {
        (Value::Number(one), Value::Number(two)) => Ok(Value::number(one.value() * two.value())),
        (Value::String(text), Value::Number(times)) | (Value::Number(times), Value::String(text)) => {
            repeat(context, text, times.value())
        }
        (Value::Object(one), Value::Object(two)) => context.job(merge(one, two)),
        (left, right) => Err(Raise::about_two(&left, &right, "cannot be multiplied")),
    }
}

/// `text` so many times, the number cut to an integer; null for less than 0.
fn repeat(context: &mut Context<'_>, text: Text, times: f64) -> Output {
    if times.is_nan() || times < 0.0 {
        return Ok(Value::Null);
    }
    let count = times as usize;
    let length = text.len().saturating_mul(count);
    if length > 1 << 30 {
        return Err(Raise::message("Repeat string result too long"));
    }
    context.job(async move {
        let mut whole = String::with_capacity(length);
        let mut left = if text.len() > 0 { count } else { 0 };
        while left > 0 {
            let at_once = (PIECE / text.len()).clamp(1, left);
            for _ in 0..at_once {
                whole.push_str(text.as_str());
            }
            spend_bytes(at_once * text.len()).await;
            left -= at_once;
        }
        Ok(Value::from(whole))
    })
}

/// An object that others are merged into: what was under its key in the object around it.
struct Merge {
    key: Text,
    left: Object,
    right: Object,
    /// The slot of the next entry of `right`.
    at: usize,
}

/// Objects merged into each other at every level.
async fn merge(left: Object, right: Object) -> Output {
    let mut open = vec![Merge { key: Text::default(), left, right, at: 0 }];
    loop {
        spend(2).await;
        let Some(Merge { left, right, at, .. }) = open.last_mut() else { return Ok(Value::Null) };
        if let Some((after, key, value)) = right.entry_from(*at) {
            *at = after;
            match (left.get(key.as_str()), value) {
                (Some(Value::Object(inner)), Value::Object(more)) => {
                    let next = Merge { key: key.clone(), left: inner.clone(), right: more.clone(), at: 0 };
                    open.push(next);
                }
                _ => left.insert(key.clone(), value.clone()),
            }
            continue;
        }
        let Some(Merge { key, left: merged, .. }) = open.pop() else { return Ok(Value::Null) };
        match open.last_mut() {
            Some(around) => around.left.insert(key, Value::Object(merged)),
            None => return Ok(Value::Object(merged)),
        }
    }
}

fn divide(context: &mut Context<'_>, left: Value, right: Value) -> Output {
    match (left, right) {
        (Value::Number(one), Value::Number(two)) => {
            if two.value() == 0.0 {
                let problem = "cannot be divided because the divisor is zero";
                return Err(Raise::about_two(&Value::Number(one), &Value::Number(two), problem));
            }
            Ok(Value::number(one.value() / two.value()))
        }
        (Value::String(one), Value::String(two)) => string::split_text(context, one, two),
        (left, right) => Err(Raise::about_two(&left, &right, "cannot be divided")),
    }
}

/// The remainder of the operands cut to integers; its sign is the dividend's.
fn remainder(left: &Value, right: &Value) -> Result<Value, Raise> {
    let (Value::Number(one), Value::Number(two)) = (left, right) else {
        return Err(Raise::about_two(left, right, "cannot be divided (remainder)"));
    };
    let (one, two) = (one.value(), two.value());
    if one.is_nan() || two.is_nan() {
        return Ok(Value::number(f64::NAN));
    }
    match (one as i64).checked_rem(two as i64) {
        Some(rest) => Ok(Value::number(rest as f64)),
        None if two as i64 == -1 => Ok(Value::number(0.0)),
        None => {
            Err(Raise::about_two(left, right, "cannot be divided (remainder) because the divisor is zero"))
        }
    }
}
