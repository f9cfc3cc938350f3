//! Getting, setting and deleting by path: what `.[k]`, `.[a:b]`, `getpath`, `setpath` and `delpaths` do.

use super::binding::Bindings;
use super::error::Raise;
use super::frame::Todo;
use super::job::{PIECE, spend, spend_bytes};
use super::machine::Context;
use super::object::Object;
use super::sorting::sorted;
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
        (Value::Array(array), Value::Number(number)) => Ok(position(*number, array.len())
            .and_then(|at| array.items().get(at))
            .cloned()
            .unwrap_or_default()),
        (Value::Null, Value::String(_) | Value::Number(_) | Value::Null) => Ok(Value::Null),
        (Value::Array(array), Value::Object(range)) => {
            let (from, upto) = range_of(range);
            slice_of_items(array, from, upto)
        }
        (Value::Null, Value::Object(_)) => Ok(Value::Null),
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
    match key {
        Value::String(name) => {
            Raise::message(format!("Cannot index {} with string \"{}\"", target.kind(), name.as_str()))
        }
        _ => Raise::message(format!("Cannot index {} with {}", target.kind(), key.kind())),
    }
}

/// Where `number` points in an array: only integers do, negative ones from the end.
fn position(number: f64, length: usize) -> Option<usize> {
    if number.fract() != 0.0 {
        return None;
    }
    let from_start = if number < 0.0 { number + length as f64 } else { number };
    (from_start >= 0.0 && from_start < length as f64).then_some(from_start as usize)
}

fn range_of(range: &Object) -> (&Value, &Value) {
    // A missing bound is no null: it is refused as not a number.
    (range.get("start").unwrap_or(&Value::Bool(false)), range.get("end").unwrap_or(&Value::Bool(false)))
}

/// The bounds of a slice, `[start, end)`, within `length`.
fn bounds(from: &Value, upto: &Value, length: usize) -> Result<(usize, usize), Raise> {
    let number = |value: &Value, default: f64| match value {
        Value::Null => Ok(default),
        Value::Number(number) => Ok(*number),
        _ => Err(Raise::message("Start and end indices of an array slice must be numbers")),
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
/// jq's words for bounds that are no numbers and targets that have no slices.
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
        _ => Err(cannot_index(target, &Value::Object(Object::default()))),
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
    let mut value = target.clone();
    let mut keys = path.iter();
    while let Some(key) = keys.next() {
        context.work.step()?;
        if matches!(value, Value::Null) {
            return Ok(Value::Null);
        }
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
    let Some((key, rest)) = path.split_first() else { return Ok(std::mem::take(target)) };
    burn(1);
    match (&mut *target, key) {
        (Value::Object(object), Value::String(name)) if object.is_unique() => {
            if let Some(inner) = object.get_mut(name.as_str()) {
                return take_path(inner, rest);
            }
        }
        (Value::Array(array), Value::Number(number)) if array.is_unique() => {
            if let Some(at) = position(*number, array.len()) {
                return array.change(0, |items| match items.get_mut(at) {
                    Some(inner) => take_path(inner, rest),
                    None => Ok(Value::Null),
                });
            }
        }
        _ => {}
    }
    let mut value = member(target, key)?;
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
    if path.len() > super::value::MAX_DEPTH {
        return Err(Raise::message("Value nests too deeply"));
    }
    set_at(target, path, value)?.checked()
}

fn set_at(target: Value, path: &[Value], value: Value) -> Result<Value, Raise> {
    let Some((key, rest)) = path.split_first() else { return Ok(value) };
    burn(1);
    match (target, key) {
        (Value::Null, Value::String(_)) => set_member(Object::default(), key, rest, value),
        (Value::Object(object), Value::String(_)) => set_member(object, key, rest, value),
        (Value::Null, Value::Number(number)) => set_item(Array::default(), *number, rest, value),
        (Value::Array(array), Value::Number(number)) => set_item(array, *number, rest, value),
        (target @ (Value::Null | Value::Array(_)), Value::Object(range)) => {
            set_slice(target, range, rest, value)
        }
        (target, key) => Err(cannot_index(&target, key)),
    }
}

fn set_member(mut object: Object, key: &Value, rest: &[Value], value: Value) -> Result<Value, Raise> {
    let Value::String(name) = key else { return Ok(Value::Object(object)) };
    if !object.is_unique() {
        burn(object.len() / 4);
    }
    let inner = object.get_mut(name.as_str()).map(std::mem::take).unwrap_or_default();
    let inner = set_at(inner, rest, value)?;
    object.insert(name.clone(), inner);
    Ok(Value::Object(object))
}

fn set_item(mut array: Array, number: f64, rest: &[Value], value: Value) -> Result<Value, Raise> {
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
    let inner = set_at(inner, rest, value)?;
    array.change(inner.depth(), |items| {
        if let Some(slot) = items.get_mut(at) {
            *slot = inner;
        }
    });
    Ok(Value::Array(array))
}

fn set_slice(target: Value, range: &Object, rest: &[Value], value: Value) -> Result<Value, Raise> {
    let (from, upto) = range_of(range);
    let current = match &target {
        Value::Array(array) => slice_of_items(array, from, upto)?,
        _ => Value::Null,
    };
    let value = set_at(current, rest, value)?;
    let Value::Array(new) = value else {
        return Err(Raise::message("A slice of an array can only be assigned another array"));
    };
    let mut array = match target {
        Value::Array(array) => array,
        _ => Array::default(),
    };
    let (start, end) = bounds(from, upto, array.len())?;
    let moved = array.len().saturating_add(new.len());
    burn(moved / 16);
    array.change(new.depth(), |items| {
        if end <= items.len() {
            items.splice(start..end, new.into_items());
        }
    });
    Ok(Value::Array(array))
}

/// `delpaths(paths)`: the paths are sorted and deleted from the last, so that none moves another.
///
/// # Errors
/// jq's words for a key that does not fit.
pub(crate) fn delete_paths(
    context: &mut Context<'_>,
    target: Value,
    paths: Vec<Value>,
) -> Result<Value, Raise> {
    if paths.len() <= 1 {
        return match paths.into_iter().next() {
            Some(path) => delete_path(target, &path),
            None => Ok(target),
        };
    }
    context.job(async move {
        let mut target = target;
        for (_, path) in sorted(Array::from(paths).into_members()).await.into_iter().rev() {
            spend(1).await;
            target = delete_path(target, &path)?;
        }
        Ok(target)
    })
}

fn delete_path(target: Value, path: &Value) -> Result<Value, Raise> {
    match path {
        Value::Array(keys) => delete_keys(target, keys.items()),
        other => Err(Raise::message(format!("Path must be specified as array, not {}", other.kind()))),
    }
}

fn delete_keys(target: Value, path: &[Value]) -> Result<Value, Raise> {
    burn(1);
    let Some((key, rest)) = path.split_first() else { return Ok(Value::Null) };
    if matches!(target, Value::Null) {
        return Ok(target);
    }
    if rest.is_empty() {
        return delete_key(target, key);
    }
    let mut target = target;
    let inner = take_path(&mut target, std::slice::from_ref(key))?;
    if matches!(inner, Value::Null) {
        return Ok(target);
    }
    let inner = delete_keys(inner, rest)?;
    set_at(target, std::slice::from_ref(key), inner)
}

fn delete_key(target: Value, key: &Value) -> Result<Value, Raise> {
    match (target, key) {
        (Value::Object(mut object), Value::String(name)) => {
            if !object.is_unique() {
                burn(object.len() / 4);
            }
            object.remove(name.as_str());
            Ok(Value::Object(object))
        }
        (Value::Array(mut array), Value::Number(number)) => {
            if let Some(at) = position(*number, array.len()) {
                array.change(0, |items| {
                    if at < items.len() {
                        items.remove(at);
                    }
                });
            }
            Ok(Value::Array(array))
        }
        (Value::Array(mut array), Value::Object(range)) => {
            let (from, upto) = range_of(range);
            let (start, end) = bounds(from, upto, array.len())?;
            burn(array.len() / 16);
            array.change(0, |items| {
                if end <= items.len() {
                    items.drain(start..end).for_each(drop);
                }
            });
            Ok(Value::Array(array))
        }
        (target, key) => Err(match (&target, key) {
            (Value::Object(_), Value::Number(_)) | (_, Value::String(_)) => cannot_index(&target, key),
            _ => Raise::message(format!("Cannot delete field at {} index of {}", key.kind(), target.kind())),
        }),
    }
}
