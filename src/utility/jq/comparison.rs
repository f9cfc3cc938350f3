//! The order and equality of values, without recursion: the containers being compared lie on a list, so that values that
//! share parts, and whose comparison can take far longer than building them did, are compared in many turns.

use super::context::Context;
use super::error::Raise;
use super::job::{spend, spend_bytes};
use super::object::Object;
use super::value::{Array, Value};
use crate::memory::Vec;
use std::cmp::Ordering;

/// Strings of more bytes than this are compared in a job.
const LONG: usize = 64 << 10;

/// Two containers being compared, and where.
enum Open<'v> {
    Arrays(&'v Array, &'v Array, usize),
    /// Objects of equal keys, and the last key whose values were compared.
    Objects(&'v Object, &'v Object, Option<&'v str>),
}

/// What comes next in two containers.
enum Found<'v> {
    Pair(&'v Value, &'v Value),
    End(Ordering),
}

impl<'v> Open<'v> {
    fn next(&mut self) -> Found<'v> {
        match self {
            Open::Arrays(left, right, at) => {
                let pair = left.items().get(*at).zip(right.items().get(*at));
                *at += 1;
                pair.map_or_else(
                    || Found::End(left.len().cmp(&right.len())),
                    |(one, two)| Found::Pair(one, two),
                )
            }
            Open::Objects(left, right, last) => match left.entry_after(*last) {
                Some((key, one)) => {
                    *last = Some(key.as_str());
                    Found::Pair(one, right.get(key.as_str()).unwrap_or(&Value::Null))
                }
                None => Found::End(Ordering::Equal),
            },
        }
    }
}

/// A total order for sorting: kinds, then values; NaN lies before all numbers and equals itself.
pub(crate) async fn order(left: &Value, right: &Value) -> Ordering {
    match quick_order(left, right, false) {
        Some(order) => order,
        None => compare(left, right, false).await,
    }
}

/// `==` of the language: NaN is not equal to itself, but a container that holds one is.
pub(crate) async fn is_equal(left: &Value, right: &Value) -> bool {
    match quick_order(left, right, true) {
        Some(order) => order.is_eq(),
        None => compare(left, right, true).await.is_eq(),
    }
}

/// `strictly`: only whether they are equal is asked, and NaN equals nothing.
async fn compare(left: &Value, right: &Value, strictly: bool) -> Ordering {
    let mut open: Vec<Open<'_>> = Vec::new();
    let (mut left, mut right) = (left, right);
    loop {
        let is_container = matches!(left, Value::Array(_) | Value::Object(_));
        let found = match (left, right) {
            // One array or object is the same as itself, whatever it holds.
            (one, two) if strictly && is_container && one.is_identical(two) => Ordering::Equal,
            (Value::Array(one), Value::Array(two)) => {
                if strictly && one.len() != two.len() {
                    return Ordering::Less;
                }
                open.push(Open::Arrays(one, two, 0));
                Ordering::Equal
            }
            (Value::Object(one), Value::Object(two)) => {
                if strictly && one.len() != two.len() {
                    return Ordering::Less;
                }
                open.push(Open::Objects(one, two, None));
                order_of_keys(one, two).await
            }
            (Value::String(one), Value::String(two)) => {
                spend_bytes(one.len().min(two.len())).await;
                one.cmp(two)
            }
            (one, two) => order_of_scalars(one, two, strictly),
        };
        if found.is_ne() {
            return found;
        }
        (left, right) = loop {
            spend(1).await;
            let Some(last) = open.last_mut() else { return Ordering::Equal };
            match last.next() {
                Found::Pair(one, two) => break (one, two),
                Found::End(Ordering::Equal) => drop(open.pop()),
                Found::End(order) => return order,
            }
        };
    }
}

async fn order_of_keys(left: &Object, right: &Object) -> Ordering {
    let (mut one, mut two) = (None, None);
    loop {
        spend(1).await;
        one = left.entry_after(one).map(|(key, _)| key.as_str());
        two = right.entry_after(two).map(|(key, _)| key.as_str());
        let order = one.is_some().cmp(&two.is_some()).then_with(|| one.cmp(&two));
        if order.is_ne() || one.is_none() {
            return order;
        }
    }
}

/// The order of values of which not both are strings, arrays or objects.
fn order_of_scalars(left: &Value, right: &Value, strictly: bool) -> Ordering {
    match (left, right) {
        (Value::Number(one), Value::Number(two)) => one
            .compare(two)
            .unwrap_or_else(|| if strictly { Ordering::Less } else { two.is_nan().cmp(&one.is_nan()) }),
        _ => left.rank().cmp(&right.rank()),
    }
}

/// The order of two values that takes one step to find.
fn quick_order(left: &Value, right: &Value, strictly: bool) -> Option<Ordering> {
    match (left, right) {
        (Value::Array(one), Value::Array(two)) => {
            (one.len() == 0 && two.len() == 0).then_some(Ordering::Equal)
        }
        (Value::Object(one), Value::Object(two)) => {
            (one.len() == 0 && two.len() == 0).then_some(Ordering::Equal)
        }
        (Value::String(one), Value::String(two)) => (one.len().min(two.len()) <= LONG).then(|| one.cmp(two)),
        _ => Some(order_of_scalars(left, right, strictly)),
    }
}

/// `left == right`, or the contrary where `wanted` is false.
///
/// # Errors
/// The end of the run, or a pause.
pub(super) fn equality(
    context: &mut Context<'_>,
    left: Value,
    right: Value,
    wanted: bool,
) -> Result<Value, Raise> {
    if let Some(order) = quick_order(&left, &right, true) {
        return Ok(Value::Bool(order.is_eq() == wanted));
    }
    context.job(async move { Ok(Value::Bool(is_equal(&left, &right).await == wanted)) })
}

/// `left < right` and its kin, by what `test` says of their order. NaN is less than any number, itself too.
///
/// # Errors
/// The end of the run, or a pause.
pub(super) fn inequality(
    context: &mut Context<'_>,
    left: Value,
    right: Value,
    test: fn(Ordering) -> bool,
) -> Result<Value, Raise> {
    if matches!((&left, &right), (Value::Number(one), Value::Number(_)) if one.is_nan()) {
        return Ok(Value::Bool(test(Ordering::Less)));
    }
    if let Some(order) = quick_order(&left, &right, false) {
        return Ok(Value::Bool(test(order)));
    }
    context.job(async move { Ok(Value::Bool(test(order(&left, &right).await))) })
}
