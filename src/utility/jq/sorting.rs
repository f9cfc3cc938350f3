//! `sort`, `sort_by`, `group_by`, `unique_by`: a stable merge sort, bottom up, that can pause between comparisons.
//!
//! What is sorted is places, so that no item moves before the end.

use super::comparison::{is_equal, order};
use super::context::Context;
use super::error::Raise;
use super::job::{Output, spend};
use super::value::{Members, Value};
use crate::memory::{Vec, vec};
use std::cmp::Ordering;

/// A key and its item.
pub(super) type Pair = (Value, Value);

/// What is made of the sorted items.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    /// Their array.
    Items,
    /// An array for each group of equal keys.
    Groups,
    /// The first item of each group.
    Firsts,
}

/// `sort`, and `sort_by` with the array of as many keys.
pub(super) fn sort(context: &mut Context<'_>, input: Value, keys: &[Value]) -> Output {
    by_keys(context, input, keys, Kind::Items)
}

pub(super) fn group(context: &mut Context<'_>, input: Value, keys: &[Value]) -> Output {
    by_keys(context, input, keys, Kind::Groups)
}

pub(super) fn unique(context: &mut Context<'_>, input: Value, keys: &[Value]) -> Output {
    by_keys(context, input, keys, Kind::Firsts)
}

fn by_keys(context: &mut Context<'_>, input: Value, keys: &[Value], kind: Kind) -> Output {
    let Value::Array(items) = input else {
        return Err(match keys.first() {
            None => Raise::about(&input, "cannot be sorted, as it is not an array"),
            Some(keys) => Raise::about_two(&input, keys, "cannot be sorted, as they are not both arrays"),
        });
    };
    let keys = match keys.first() {
        Some(Value::Array(keys)) => Some(keys.clone().into_members()),
        _ => None,
    };
    context.job(async move {
        let sorted = match keys {
            Some(keys) => sort_pairs(keys.zip(items.into_members())).await,
            None => sorted(items.into_members()).await,
        };
        made_of(sorted, kind).await
    })
}

/// The items, each beside itself, in jq's order.
pub(super) async fn sorted(items: Members) -> Vec<Pair> {
    sort_pairs(items.map(|item| (item.clone(), item))).await
}

async fn sort_pairs(all: impl Iterator<Item = Pair>) -> Vec<Pair> {
    let mut pairs = Vec::new();
    for pair in all {
        spend(1).await;
        pairs.push(pair);
    }
    let mut result = Vec::with_capacity(pairs.len());
    for place in places_in_order(&pairs).await {
        spend(1).await;
        result.extend(pairs.get_mut(place).map(std::mem::take));
    }
    result
}

/// The places of the pairs in the order of their keys.
async fn places_in_order(pairs: &[Pair]) -> Vec<usize> {
    let count = pairs.len();
    let mut places: Vec<usize> = (0..count).collect();
    let mut width = 1;
    while width < count {
        let mut merged = Vec::with_capacity(count);
        let mut start = 0;
        while start < count {
            let (middle, end) = ((start + width).min(count), (start + 2 * width).min(count));
            let mut left = places.get(start..middle).unwrap_or_default().iter().copied().peekable();
            let mut right = places.get(middle..end).unwrap_or_default().iter().copied().peekable();
            loop {
                spend(1).await;
                let next = match (left.peek(), right.peek()) {
                    (Some(&one), Some(&two)) if is_before(pairs, two, one).await => right.next(),
                    (Some(_), _) => left.next(),
                    (None, _) => right.next(),
                };
                let Some(next) = next else { break };
                merged.push(next);
            }
            start = end;
        }
        places = merged;
        width *= 2;
    }
    places
}

async fn is_before(pairs: &[Pair], one: usize, two: usize) -> bool {
    match pairs.get(one).zip(pairs.get(two)) {
        Some(((one, _), (two, _))) => order(one, two).await.is_lt(),
        None => false,
    }
}

async fn made_of(sorted: Vec<Pair>, kind: Kind) -> Output {
    let mut done = Vec::new();
    // The group at hand: its key, and its items where they are wanted.
    let mut group: Option<(Value, Vec<Value>)> = None;
    for (key, item) in sorted {
        spend(1).await;
        if kind == Kind::Items {
            done.push(item);
            continue;
        }
        let is_same = match &group {
            Some((last, _)) => is_equal(last, &key).await,
            None => false,
        };
        match &mut group {
            Some((_, items)) if is_same => {
                if kind == Kind::Groups {
                    items.push(item);
                }
            }
            group if kind == Kind::Groups => {
                let closed = group.replace((key, vec![item]));
                done.extend(closed.map(|(_, items)| Value::array(items)));
            }
            group => {
                *group = Some((key, Vec::new()));
                done.push(item);
            }
        }
    }
    if kind == Kind::Groups {
        done.extend(group.map(|(_, items)| Value::array(items)));
    }
    Ok(Value::array(done))
}

/// Where `wanted` lies in so many sorted items, or where it would.
pub(super) async fn search<'a>(
    length: usize,
    item: impl Fn(usize) -> Option<&'a Value>,
    wanted: &Value,
) -> Result<usize, usize> {
    let (mut low, mut high) = (0, length);
    while low < high {
        spend(1).await;
        let middle = low + (high - low) / 2;
        let Some(item) = item(middle) else { break };
        match order(item, wanted).await {
            Ordering::Less => low = middle + 1,
            Ordering::Greater => high = middle,
            Ordering::Equal => return Ok(middle),
        }
    }
    Err(low)
}
