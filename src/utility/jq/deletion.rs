//! `delpaths`: deleting the members at several paths.
//!
//! All paths speak of the value as it is before: negative indices and slices are made places first, then what lies in one
//! container is deleted at once.

use super::comparison::is_equal;
use super::context::Context;
use super::error::Raise;
use super::job::{Output, spend};
use super::path::{self, bounds, range_of, set_path, take_path, too_deep};
use super::sorting::sorted;
use super::value::{Array, Value};
use crate::memory::{ToMetered, Vec};

/// `delpaths(paths)`
///
/// # Errors
/// jq's words for a key that does not fit.
pub(crate) fn delete_paths(context: &mut Context<'_>, target: Value, paths: Vec<Value>) -> Output {
    if let [Value::Array(keys)] = paths.as_slice() {
        return match keys.items().split_last() {
            None => Ok(Value::Null),
            Some(_) if too_deep(keys.items()).is_err() => too_deep(keys.items()).map(|()| Value::Null),
            Some((last, parents)) => delete_in(target, parents, std::slice::from_ref(last)),
        };
    }
    context.job(async move {
        let mut target = target;
        let mut all = sorted(Array::from(paths).into_members()).await;
        for (_, given) in &all {
            spend(1).await;
            match given {
                Value::Array(keys) => too_deep(keys.items())?,
                other => {
                    let problem =
                        crate::memory::format!("Path must be specified as array, not {}", other.kind());
                    return Err(Raise::message(problem));
                }
            }
        }
        if matches!(all.first(), Some((_, Value::Array(first))) if first.len() == 0) {
            return Ok(Value::Null);
        }
        // The last first, so that no deletion moves what a path before it leads to.
        while let Some((_, Value::Array(path))) = all.pop() {
            spend(1).await;
            let Some((last, parents)) = path.items().split_last() else { return Ok(Value::Null) };
            let mut keys = Vec::from([last.clone()]);
            // Paths into the same container lie side by side, but for longer ones between them.
            let mut longer = Vec::new();
            while let Some((_, Value::Array(other))) = all.last() {
                spend(1).await;
                if !begins_with(other, parents).await {
                    break;
                }
                let Some((_, other)) = all.pop() else { break };
                match &other {
                    Value::Array(other) if other.len() == path.len() => {
                        keys.extend(other.items().last().cloned());
                    }
                    _ => longer.push(other),
                }
            }
            for path in longer {
                spend(1).await;
                if let Value::Array(path) = path
                    && let Some((last, parents)) = path.items().split_last()
                {
                    target = delete_in(target, parents, std::slice::from_ref(last))?;
                }
            }
            // The first one is told if several are wrong.
            keys.reverse();
            target = delete_in(target, parents, &keys)?;
        }
        Ok(target)
    })
}

async fn begins_with(path: &Array, start: &[Value]) -> bool {
    let Some(beginning) = path.items().get(..start.len()) else { return false };
    if path.len() == start.len() {
        return false;
    }
    for (one, two) in beginning.iter().zip(start) {
        if !is_equal(one, two).await {
            return false;
        }
    }
    true
}

/// Deletes the members `keys` of the container at the path `parents`.
fn delete_in(target: Value, parents: &[Value], keys: &[Value]) -> Result<Value, Raise> {
    let mut target = target;
    let container = take_path(&mut target, parents)?;
    if matches!(container, Value::Null) {
        return Ok(target);
    }
    let container = delete_keys(container, keys)?;
    set_path(target, parents, container)
}

/// Deletes members of one container.
fn delete_keys(target: Value, keys: &[Value]) -> Result<Value, Raise> {
    let refused = |key: &Value, what: &str| {
        Err(Raise::message(crate::memory::format!("Cannot delete {} {what}", key.kind())))
    };
    match target {
        Value::Null => Ok(Value::Null),
        Value::Object(mut object) => {
            for key in keys {
                let Value::String(name) = key else { return refused(key, "field of object") };
                super::work::burn(if object.is_unique() { 1 } else { object.len() / 4 });
                object.remove(name.as_str());
            }
            Ok(Value::Object(object))
        }
        Value::Array(mut array) => {
            let length = array.len();
            let mut gone: Vec<(usize, usize)> = Vec::with_capacity(keys.len());
            for key in keys {
                match key {
                    Value::Number(number) => {
                        let place = path::position(number.value(), length);
                        gone.extend(place.map(|place| (place, place + 1)));
                    }
                    Value::Object(range) => {
                        let (from, upto) = range_of(range);
                        gone.push(bounds(from, upto, length)?);
                    }
                    other => return refused(other, "element of array"),
                }
            }
            gone.sort_unstable();
            super::work::burn(length / 16 + gone.len());
            array.change(0, |items| {
                let mut gone = gone.iter().copied().peekable();
                let mut place = 0;
                items.retain(|_| {
                    while gone.next_if(|(_, end)| *end <= place).is_some() {}
                    let goes = gone.peek().is_some_and(|(start, _)| *start <= place);
                    place += 1;
                    !goes
                });
            });
            Ok(Value::Array(array))
        }
        other => Err(Raise::message(crate::memory::format!("Cannot delete fields from {}", other.kind()))),
    }
}

/// The paths of an argument.
pub(crate) fn delete_argument_paths(context: &mut Context<'_>, input: Value, arguments: &[Value]) -> Output {
    match arguments {
        [Value::Array(paths)] => delete_paths(context, input, paths.items().to_metered()),
        _ => Err(Raise::message("Paths must be specified as an array")),
    }
}
