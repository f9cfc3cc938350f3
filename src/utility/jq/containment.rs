//! `contains`: whether a value holds another one, part by part. A part of an array may lie in any of its items, so this takes
//! the product of their lengths at each level; the containers at hand lie on a list, and it pauses between two steps.

use super::comparison::is_equal;
use super::context::Context;
use super::error::Raise;
use super::job::{Output, PIECE, spend, spend_bytes};
use super::object::Object;
use super::value::Value;
use crate::memory::Vec;
use memchr::memmem::Finder;

/// Containers of which it is not decided yet whether one holds the other.
enum Open<'v> {
    /// Whole and part, and the slot of the part's next entry.
    Objects(&'v Object, &'v Object, usize),
    /// Whole and part, and the place in each.
    Arrays(&'v [Value], &'v [Value], usize, usize),
}

/// What is known after a step.
enum ContainmentState<'v> {
    /// It depends on whether this holds that.
    Asks(&'v Value, &'v Value),
    Known(bool),
}

impl<'v> Open<'v> {
    /// What comes next, after the last answer.
    fn next(&mut self, answer: Option<bool>) -> ContainmentState<'v> {
        match self {
            Open::Objects(whole, part, at) => {
                if answer == Some(false) {
                    return ContainmentState::Known(false);
                }
                let Some((after, key, wanted)) = part.entry_from(*at) else {
                    return ContainmentState::Known(true);
                };
                *at = after;
                whole
                    .get(key.as_str())
                    .map_or(ContainmentState::Known(false), |value| ContainmentState::Asks(value, wanted))
            }
            Open::Arrays(whole, part, at, of) => {
                match answer {
                    Some(true) => (*at, *of) = (0, *of + 1),
                    Some(false) => *at += 1,
                    None => {}
                }
                let Some(wanted) = part.get(*of) else { return ContainmentState::Known(true) };
                whole
                    .get(*at)
                    .map_or(ContainmentState::Known(false), |value| ContainmentState::Asks(value, wanted))
            }
        }
    }
}

pub(super) fn contains(context: &mut Context<'_>, input: Value, arguments: &[Value]) -> Output {
    let part = arguments.first().cloned().unwrap_or_default();
    if input.kind() != part.kind() {
        return Err(Raise::about_two(&input, &part, "cannot have their containment checked"));
    }
    context.job(async move { Ok(Value::Bool(holds(&input, &part).await)) })
}

async fn holds(whole: &Value, part: &Value) -> bool {
    let mut open: Vec<Open<'_>> = Vec::new();
    let mut state = ContainmentState::Asks(whole, part);
    loop {
        spend(1).await;
        let answer = match state {
            ContainmentState::Asks(Value::Object(whole), Value::Object(part)) => {
                open.push(Open::Objects(whole, part, 0));
                None
            }
            ContainmentState::Asks(Value::Array(whole), Value::Array(part)) => {
                open.push(Open::Arrays(whole.items(), part.items(), 0, 0));
                None
            }
            ContainmentState::Asks(Value::String(whole), Value::String(part)) => {
                Some(find(whole.as_str(), &Finder::new(part.as_str()), 0).await.is_some())
            }
            ContainmentState::Asks(whole, part) => {
                Some(whole.kind() == part.kind() && is_equal(whole, part).await)
            }
            ContainmentState::Known(answer) => {
                open.pop();
                Some(answer)
            }
        };
        let Some(last) = open.last_mut() else { return answer.unwrap_or(false) };
        state = last.next(answer);
    }
}

/// Where `wanted` lies in `text` from `start` on, in bytes.
pub(super) async fn find(text: &str, wanted: &Finder<'_>, start: usize) -> Option<usize> {
    let length = wanted.needle().len();
    let piece = PIECE.max(length);
    let mut at = start;
    loop {
        let rest = text.as_bytes().get(at..)?;
        let end = rest.len().min(piece.saturating_add(length));
        if let Some(found) = wanted.find(rest.get(..end)?) {
            spend_bytes(found).await;
            return Some(at + found);
        }
        if end == rest.len() {
            return None;
        }
        spend_bytes(end).await;
        // A match may begin in the last bytes that were looked at.
        at += piece;
    }
}
