//! Getting, setting and deleting by path: what `.[k]`, `.[a:b]`, `getpath`, `setpath` and `delpaths` do.

use super::binding::Bindings;
use super::context::Context;
use super::error::Raise;
use super::frame::Todo;
use super::job::{PIECE, spend_bytes};
use super::object::Object;
use super::print;
use super::suspension::{Rest, noting};
use super::value::{Array, Value};
use super::work::burn;
use crate::memory::{ToMetered, Vec, format};

/// Longest array that an assignment past the end may make.
const LONGEST: usize = 1 << 29;

/// `target[key]`
///
/// # Errors
/// jq's words for a key that does not fit the target.
pub(crate) fn get(context: &mut Context<'_>, target: &Value, key: &Value) -> Result<Value, Raise> {
    match (target, key) {
        (Value::String(_), Value::Object(range)) => {
            let (from, upto) = range_of(range);
            slice(context, target, from, upto)
        }
        (Value::Array(array), Value::Array(wanted)) => {
            super::collection::indices_of(context, array.clone(), wanted.clone())
        }
        _ => member(target, key),
    }
}

/// `target[key]` where something may be assigned to it.
fn member(target: &Value, key: &Value) -> Result<Value, Raise> {
    match (target, key) {
        (Value::Object(object), Value::String(name)) => {
            Ok(object.get(name.as_str()).cloned().unwrap_or_default())
        }
        (Value::Array(array), Value::Number(number)) => Ok(position(number.value(), array.len())
            .and_then(|at| array.items().get(at))
            .cloned()
            .unwrap_or_default()),
        (Value::Null, Value::String(_) | Value::Number(_)) => Ok(Value::Null),
        (Value::Array(array), Value::Object(range)) => {
            let (from, upto) = range_of(range);
            slice_of_items(array, from, upto)
        }
        (Value::Null, Value::Object(_)) => Ok(Value::Null),
        (Value::Array(_), Value::Array(wanted)) if wanted.len() == 0 => Ok(Value::array(Vec::new())),
        (Value::Array(_), Value::Array(_)) => Err(no_places()),
        (Value::String(text), Value::Object(range)) => {
            let text = text.as_str();
            burn(1 + text.len() / 16);
            let (from, upto) = range_of(range);
            let (start, end) = bounds(from, upto, text.chars().count())?;
            let offset = |at: usize| text.char_indices().nth(at).map_or(text.len(), |(offset, _)| offset);
            Ok(Value::text(text.get(offset(start)..offset(end)).unwrap_or_default()))
        }
        _ => Err(cannot_index(target, key)),
    }
}

fn slice_of_items(array: &Array, from: &Value, upto: &Value) -> Result<Value, Raise> {
    let (start, end) = bounds(from, upto, array.len())?;
    burn((end - start) / 16);
    Ok(Value::array(array.items().get(start..end).unwrap_or_default().to_metered()))
}

/// The words for a key that does not fit.
pub(crate) fn cannot_index(target: &Value, key: &Value) -> Raise {
    let (kind, key, shown) = (target.kind(), key.kind(), print::excerpt(key));
    Raise::message(format!("Cannot index {kind} with {key} ({shown})"))
}

/// The words for an assignment to where an array lies in another.
fn no_places() -> Raise {
    Raise::message("Cannot update field at array index of array")
}

/// Where `number` points in an array, cut to an integer; negative ones count from the end.
pub(super) fn position(number: f64, length: usize) -> Option<usize> {
    if number.is_nan() {
        return None;
    }
    let number = number.trunc();
    let from_start = if number < 0.0 { number + length as f64 } else { number };
    (from_start >= 0.0 && from_start < length as f64).then_some(from_start as usize)
}

pub(super) fn range_of(range: &Object) -> (&Value, &Value) {
    // A missing bound is not a null: it is refused as not a number.
    (range.get("start").unwrap_or(&Value::Bool(false)), range.get("end").unwrap_or(&Value::Bool(false)))
}

/// The bounds of a slice, `[start, end)`, within `length`.
pub(super) fn bounds(from: &Value, upto: &Value, length: usize) -> Result<(usize, usize), Raise> {
    let number = |value: &Value, default: f64| match value {
        Value::Null => Ok(default),
        Value::Number(number) if number.is_nan() => Ok(default),
        Value::Number(number) => Ok(number.value()),
        _ => Err(Raise::message("Array/string slice indices must be integers")),
    };
    let size = length as f64;
    let (mut start, mut end) = (number(from, 0.0)?, number(upto, size)?);
    if start < 0.0 {
        start += size;
    }
    if end < 0.0 {
        end += size;
    }
    let start = start.clamp(0.0, size).floor() as usize;
    let end = end.clamp(0.0, size).ceil() as usize;
    Ok((start, end.max(start)))
}

/// `target[from:upto]`; characters of a string.
///
/// # Errors
/// jq's words for bounds that are not numbers and targets that have no slices.
pub(crate) fn slice(
    context: &mut Context<'_>,
    target: &Value,
    from: &Value,
    upto: &Value,
) -> Result<Value, Raise> {
    match target {
        Value::Null => Ok(Value::Null),
        Value::Array(array) => slice_of_items(array, from, upto),
        Value::String(text) if text.len() > PIECE => {
            let (text, from, upto) = (text.clone(), from.clone(), upto.clone());
            context.job(async move {
                let length = character_at(text.as_str(), usize::MAX).await.1;
                let (start, end) = bounds(&from, &upto, length)?;
                let start = character_at(text.as_str(), start).await.0;
                let end = character_at(text.as_str(), end).await.0;
                Ok(Value::text(text.as_str().get(start..end).unwrap_or_default()))
            })
        }
        Value::String(text) => {
            let text = text.as_str();
            context.work.steps(1 + text.len() / 64)?;
            let (start, end) = bounds(from, upto, text.chars().count())?;
            let offset = |at: usize| text.char_indices().nth(at).map_or(text.len(), |(offset, _)| offset);
            Ok(Value::text(text.get(offset(start)..offset(end)).unwrap_or_default()))
        }
        _ => {
            let range = Value::object([("start", from.clone()), ("end", upto.clone())]);
            Err(cannot_index(target, &range))
        }
    }
}

/// The byte offset of the character with this number, or of the end, and the number of characters before it.
async fn character_at(text: &str, number: usize) -> (usize, usize) {
    let (mut offset, mut count) = (0, 0);
    for piece in super::string::pieces(text) {
        spend_bytes(4 * piece.len()).await;
        let in_piece = piece.chars().count();
        if count + in_piece > number {
            let found = piece.char_indices().nth(number - count).map_or(piece.len(), |(found, _)| found);
            return (offset + found, number);
        }
        offset += piece.len();
        count += in_piece;
    }
    (offset, count)
}

/// `getpath(path)`: null from where the path leads through a null.
///
/// # Errors
/// As [`get`].
pub(crate) fn get_path(context: &mut Context<'_>, target: &Value, path: &[Value]) -> Result<Value, Raise> {
    too_deep(path)?;
    let mut value = target.clone();
    let mut keys = path.iter();
    while let Some(key) = keys.next() {
        context.work.step()?;
        let mut found = get(context, &value, key);
        if matches!(found, Err(Raise::Suspended(_))) {
            for key in keys.by_ref() {
                found = noting(found, || Rest::Todo(Todo::Index(key.clone()), Bindings::default()));
            }
        }
        value = found?;
    }
    Ok(value)
}

/// Takes the value at `path` out, leaving a null that is about to be overwritten, so that the value can be changed in
/// place. Anything but existing members of objects and arrays that have one owner is copied instead.
///
/// # Errors
/// As [`get`].
pub(crate) fn take_path(target: &mut Value, path: &[Value]) -> Result<Value, Raise> {
    let mut at = target;
    let mut keys = path;
    while let Some((key, rest)) = keys.split_first() {
        burn(1);
        let inner = match (&mut *at, key) {
            (Value::Object(object), Value::String(name)) if object.is_unique() => {
                object.get_mut(name.as_str())
            }
            (Value::Array(array), Value::Number(number)) => match position(number.value(), array.len()) {
                Some(place) => array.item_mut(place),
                None => None,
            },
            _ => None,
        };
        if inner.is_none() {
            break;
        }
        // The same place once more: a borrow that is returned from one branch alone is not accepted.
        at = match (at, key) {
            (Value::Object(object), Value::String(name)) => match object.get_mut(name.as_str()) {
                Some(inner) => inner,
                None => return Ok(Value::Null),
            },
            (Value::Array(array), Value::Number(number)) => {
                let place = position(number.value(), array.len());
                match place.and_then(|place| array.item_mut(place)) {
                    Some(inner) => inner,
                    None => return Ok(Value::Null),
                }
            }
            _ => return Ok(Value::Null),
        };
        keys = rest;
    }
    let Some((key, rest)) = keys.split_first() else { return Ok(std::mem::take(at)) };
    let mut value = member(at, key)?;
    for key in rest {
        if matches!(value, Value::Null) {
            break;
        }
        burn(1);
        value = member(&value, key)?;
    }
    Ok(value)
}

/// `setpath(path; value)`, in place where the containers have no other owner.
///
/// # Errors
/// jq's words for a key that does not fit.
pub(crate) fn set_path(target: Value, path: &[Value], value: Value) -> Result<Value, Raise> {
    too_deep(path)?;
    let mut open: Vec<(Value, &Value, usize)> = Vec::with_capacity(path.len());
    let mut at = target;
    for key in path {
        burn(1);
        let (container, place, inner) = opened(at, key)?;
        open.push((container, key, place));
        at = inner;
    }
    let mut value = value;
    while let Some((container, key, place)) = open.pop() {
        value = closed(container, key, place, value)?;
    }
    value.checked()
}

/// jq's words for a path of too many keys.
pub(super) fn too_deep(path: &[Value]) -> Result<(), Raise> {
    if path.len() > super::value::MAX_DEPTH { Err(Raise::message("Path too deep")) } else { Ok(()) }
}

/// Takes out the value at `key`, to be changed: the container with a hole, the place of an item, and the value.
fn opened(target: Value, key: &Value) -> Result<(Value, usize, Value), Raise> {
    match (target, key) {
        (Value::Null, Value::String(_)) => Ok((Value::Object(Object::default()), 0, Value::Null)),
        (Value::Object(mut object), Value::String(name)) => {
            if !object.is_unique() {
                burn(object.len() / 4);
            }
            let inner = object.get_mut(name.as_str()).map(std::mem::take).unwrap_or_default();
            Ok((Value::Object(object), 0, inner))
        }
        (Value::Null, Value::Number(number)) => open_item(Array::default(), number.value()),
        (Value::Array(array), Value::Number(number)) => open_item(array, number.value()),
        (Value::Null, Value::Object(range)) => {
            let (from, upto) = range_of(range);
            bounds(from, upto, 0)?;
            Ok((Value::Array(Array::default()), 0, Value::Null))
        }
        (Value::Array(array), Value::Object(range)) => {
            let (from, upto) = range_of(range);
            let inner = slice_of_items(&array, from, upto)?;
            Ok((Value::Array(array), 0, inner))
        }
        (Value::String(text), Value::Object(range)) => {
            let (from, upto) = range_of(range);
            bounds(from, upto, text.len())?;
            Err(Raise::message("Cannot update string slices"))
        }
        (Value::Array(_), Value::Array(_)) => Err(no_places()),
        (target, key) => Err(cannot_index(&target, key)),
    }
}

fn open_item(mut array: Array, number: f64) -> Result<(Value, usize, Value), Raise> {
    if number.is_nan() {
        return Err(Raise::message("Cannot set array element at NaN index"));
    }
    let number = number.trunc();
    let from_start = if number < 0.0 { number + array.len() as f64 } else { number };
    if from_start < 0.0 {
        return Err(Raise::message("Out of bounds negative array index"));
    }
    let at = from_start as usize;
    if at > LONGEST {
        return Err(Raise::message("Array index too large"));
    }
    let grown = at.saturating_add(1).saturating_sub(array.len());
    let copied = if array.is_unique() { grown } else { grown.saturating_add(array.len()) };
    burn(copied / 16);
    let inner = array.change(0, |items| {
        if at >= items.len() {
            items.resize(at + 1, Value::Null);
        }
        items.get_mut(at).map(std::mem::take).unwrap_or_default()
    });
    Ok((Value::Array(array), at, inner))
}

/// Puts the changed value back.
fn closed(container: Value, key: &Value, place: usize, inner: Value) -> Result<Value, Raise> {
    match (container, key) {
        (Value::Object(mut object), Value::String(name)) => {
            object.insert(name.clone(), inner);
            Ok(Value::Object(object))
        }
        (Value::Array(array), Value::Object(range)) => splice(array, range, inner),
        (Value::Array(mut array), _) => {
            array.change(inner.depth(), |items| {
                if let Some(slot) = items.get_mut(place) {
                    *slot = inner;
                }
            });
            Ok(Value::Array(array))
        }
        (other, _) => Ok(other),
    }
}

/// `array` with an array in the place of a slice.
fn splice(mut array: Array, range: &Object, inner: Value) -> Result<Value, Raise> {
    let Value::Array(new) = inner else {
        return Err(Raise::message("A slice of an array can only be assigned another array"));
    };
    let (from, upto) = range_of(range);
    let (start, end) = bounds(from, upto, array.len())?;
    burn(array.len().saturating_add(new.len()) / 16);
    array.change(new.depth(), |items| {
        if end <= items.len() {
            items.splice(start..end, new.into_items());
        }
    });
    Ok(Value::Array(array))
}
