//! Builtins over arrays and objects: sorting, grouping, searching, keys, entries, containment.

#![expect(clippy::needless_pass_by_value, reason = "builtins share one signature")]

use crate::memory::{ToMetered, Vec, format};
use super::error::Raise;
use super::machine::{Context, cannot_iterate};
use super::object::Object;
use super::operator;
use super::text::Text;
use super::value::Value;
use super::work;
use std::cmp::Ordering;

type Output = Result<Value, Raise>;

/// The items in jq's order.
pub(super) fn sorted(context: &mut Context<'_>, items: Vec<Value>) -> Result<Vec<Value>, Raise> {
    let work = &mut context.work;
    work.charge(items.len().saturating_mul(2 * size_of::<Value>()))?;
    Ok(work::sort(items, &mut |one: &Value, two: &Value| one.order(two, work))?)
}

/// Where `wanted` lies in a sorted slice, or where it would.
pub(super) fn search(
    context: &mut Context<'_>,
    items: &[Value],
    wanted: &Value,
) -> Result<Result<usize, usize>, Raise> {
    let (mut low, mut high) = (0, items.len());
    while low < high {
        let middle = low + (high - low) / 2;
        let Some(item) = items.get(middle) else { break };
        match item.order(wanted, &mut context.work)? {
            Ordering::Less => low = middle + 1,
            Ordering::Greater => high = middle,
            Ordering::Equal => return Ok(Ok(middle)),
        }
    }
    Ok(Err(low))
}

/// The item with the extreme key: the first of the smallest, the last of the largest.
fn extreme(context: &mut Context<'_>, input: Value, keys: &[Value], largest: bool) -> Output {
    let Value::Array(array) = input else { return Err(Raise::about(&input, "cannot be iterated over")) };
    let own = [Value::Array(array.clone())];
    let (Some(Value::Array(keys)), items) = (keys.first().or(own.first()), array.items()) else {
        return Ok(Value::Null);
    };
    let mut best: Option<(&Value, &Value)> = None;
    for (key, item) in keys.items().iter().zip(items) {
        let is_better = match best {
            None => true,
            Some((other, _)) => (key.order(other, &mut context.work)?.is_lt()) != largest,
        };
        if is_better {
            best = Some((key, item));
        }
    }
    Ok(best.map(|(_, item)| item.clone()).unwrap_or_default())
}

pub(super) fn min(context: &mut Context<'_>, input: Value, keys: &[Value]) -> Output {
    extreme(context, input, keys, false)
}

pub(super) fn max(context: &mut Context<'_>, input: Value, keys: &[Value]) -> Output {
    extreme(context, input, keys, true)
}

pub(super) fn keys(context: &mut Context<'_>, input: Value, _: &[Value]) -> Output {
    context.work.steps(size(&input) / 4)?;
    match &input {
        Value::Object(object) => {
            let keys = object.sorted_keys().into_iter().map(|key| Value::String(key.clone()));
            Ok(Value::array(keys.collect()))
        }
        _ => keys_unsorted(context, input, &[]),
    }
}

pub(super) fn keys_unsorted(context: &mut Context<'_>, input: Value, _: &[Value]) -> Output {
    context.work.charge(size(&input).saturating_mul(size_of::<Value>()))?;
    match &input {
        Value::Object(object) => {
            Ok(Value::array(object.iter().map(|(key, _)| Value::String(key.clone())).collect()))
        }
        Value::Array(array) => {
            Ok(Value::array((0..array.len()).map(|at| Value::Number(at as f64)).collect()))
        }
        other => Err(Raise::about(other, "has no keys")),
    }
}

fn size(value: &Value) -> usize {
    match value {
        Value::Array(array) => array.len(),
        Value::Object(object) => object.len(),
        Value::String(text) => text.len(),
        _ => 1,
    }
}

pub(super) fn length(context: &mut Context<'_>, input: Value, _: &[Value]) -> Output {
    let length = match &input {
        Value::Null => 0.0,
        Value::Number(number) => number.abs(),
        Value::String(text) => {
            context.work.steps(text.len() / 256)?;
            text.as_str().chars().count() as f64
        }
        Value::Array(array) => array.len() as f64,
        Value::Object(object) => object.len() as f64,
        Value::Bool(_) => return Err(Raise::about(&input, "has no length")),
    };
    Ok(Value::Number(length))
}

pub(super) fn has(_: &mut Context<'_>, input: Value, arguments: &[Value]) -> Output {
    let key = arguments.first().unwrap_or(&Value::Null);
    match (&input, key) {
        (Value::Null, Value::String(_) | Value::Number(_)) => Ok(Value::Bool(false)),
        (Value::Object(object), Value::String(name)) => Ok(Value::Bool(object.get(name.as_str()).is_some())),
        (Value::Array(array), Value::Number(at)) => Ok(Value::Bool(*at >= 0.0 && *at < array.len() as f64)),
        _ => Err(Raise::message(format!("Cannot check whether {} has a {} key", input.kind(), key.kind()))),
    }
}

pub(super) fn contains(context: &mut Context<'_>, input: Value, arguments: &[Value]) -> Output {
    let part = arguments.first().unwrap_or(&Value::Null);
    holds(context, &input, part).map(Value::Bool)
}

fn holds(context: &mut Context<'_>, whole: &Value, part: &Value) -> Result<bool, Raise> {
    context.work.step()?;
    match (whole, part) {
        (Value::Object(whole), Value::Object(part)) => {
            for (key, wanted) in part.iter() {
                match whole.get(key.as_str()) {
                    Some(value) if holds_same_kind(context, value, wanted)? => {}
                    _ => return Ok(false),
                }
            }
            Ok(true)
        }
        (Value::Array(whole), Value::Array(part)) => {
            for wanted in part.items() {
                let mut found = false;
                for value in whole.items() {
                    if holds_same_kind(context, value, wanted)? {
                        found = true;
                        break;
                    }
                }
                if !found {
                    return Ok(false);
                }
            }
            Ok(true)
        }
        (Value::String(whole), Value::String(part)) => {
            context.work.steps(whole.len() / 64)?;
            Ok(whole.as_str().contains(part.as_str()))
        }
        _ if whole.kind() == part.kind() => Ok(whole.is_equal(part, &mut context.work)?),
        _ => Err(Raise::about_two(whole, part, "cannot have their containment checked")),
    }
}

fn holds_same_kind(context: &mut Context<'_>, whole: &Value, part: &Value) -> Result<bool, Raise> {
    Ok(whole.kind() == part.kind() && holds(context, whole, part)?)
}

/// Sums an array's items or an object's values.
pub(super) fn add(context: &mut Context<'_>, input: Value, _: &[Value]) -> Output {
    let items = match input {
        Value::Array(array) => array.into_items(),
        Value::Object(object) => object.iter().map(|(_, value)| value.clone()).collect(),
        other => return Err(cannot_iterate(&other)),
    };
    let mut sum = Value::Null;
    for item in items {
        context.work.step()?;
        sum = operator::add(context, sum, item)?;
    }
    Ok(sum)
}

pub(super) fn any(context: &mut Context<'_>, input: Value, _: &[Value]) -> Output {
    quantify(context, &input, true)
}

pub(super) fn all(context: &mut Context<'_>, input: Value, _: &[Value]) -> Output {
    quantify(context, &input, false)
}

fn quantify(context: &mut Context<'_>, input: &Value, wanted: bool) -> Output {
    context.work.steps(size(input) / 8)?;
    let found = match input {
        Value::Array(array) => array.items().iter().any(|item| item.is_true() == wanted),
        Value::Object(object) => object.iter().any(|(_, item)| item.is_true() == wanted),
        other => return Err(cannot_iterate(other)),
    };
    Ok(Value::Bool(found == wanted))
}

pub(super) fn flatten(context: &mut Context<'_>, input: Value, arguments: &[Value]) -> Output {
    let depth = match arguments.first() {
        None => f64::INFINITY,
        Some(Value::Number(depth)) if *depth < 0.0 => {
            return Err(Raise::message("flatten depth must not be negative"));
        }
        Some(Value::Number(depth)) => *depth,
        Some(_) => return Err(Raise::message("flatten depth must not be negative")),
    };
    let items = match input {
        Value::Array(array) => array.into_items(),
        Value::Object(object) => object.iter().map(|(_, value)| value.clone()).collect(),
        other => return Err(cannot_iterate(&other)),
    };
    let mut flat = Vec::new();
    flatten_into(context, &items, depth, &mut flat)?;
    Ok(Value::array(flat))
}

fn flatten_into(
    context: &mut Context<'_>,
    items: &[Value],
    depth: f64,
    flat: &mut Vec<Value>,
) -> Result<(), Raise> {
    for item in items {
        context.work.step()?;
        match item {
            Value::Array(inner) if depth > 0.0 => {
                flatten_into(context, inner.items(), depth - 1.0, flat)?;
            }
            other => {
                context.work.charge(size_of::<Value>())?;
                flat.push(other.clone());
            }
        }
    }
    Ok(())
}

/// Items from the last; like jq 1.6, null has none and a string cannot be reversed.
pub(super) fn reverse(context: &mut Context<'_>, input: Value, _: &[Value]) -> Output {
    context.work.steps(size(&input) / 16)?;
    context.work.charge(size(&input).saturating_mul(size_of::<Value>()))?;
    match input {
        Value::Null => Ok(Value::array(Vec::new())),
        Value::Array(array) => Ok(Value::array(array.into_items().into_iter().rev().collect())),
        Value::String(text) if text.len() == 0 => Ok(Value::array(Vec::new())),
        Value::Object(object) if object.len() == 0 => Ok(Value::array(Vec::new())),
        Value::Number(0.0) => Ok(Value::array(Vec::new())),
        other => Err(super::path::cannot_index(&other, &Value::Number(0.0))),
    }
}

pub(super) fn to_entries(context: &mut Context<'_>, input: Value, _: &[Value]) -> Output {
    context.work.charge(size(&input).saturating_mul(6 * size_of::<Value>()))?;
    context.work.steps(size(&input))?;
    let entry = |key: Value, value: &Value| Value::object([("key", key), ("value", value.clone())]);
    match &input {
        Value::Object(object) => {
            let entries = object.iter().map(|(key, value)| entry(Value::String(key.clone()), value));
            Ok(Value::array(entries.collect()))
        }
        Value::Array(array) => {
            let items = array.items().iter().enumerate();
            Ok(Value::array(items.map(|(at, value)| entry(Value::Number(at as f64), value)).collect()))
        }
        other => Err(Raise::about(other, "has no keys")),
    }
}

pub(super) fn from_entries(context: &mut Context<'_>, input: Value, _: &[Value]) -> Output {
    let items = match input {
        Value::Array(array) => array.into_items(),
        Value::Object(object) => object.iter().map(|(_, value)| value.clone()).collect(),
        other => return Err(cannot_iterate(&other)),
    };
    let mut object = Object::default();
    for entry in items {
        context.work.step()?;
        context.work.charge(2 * size_of::<Value>())?;
        let Value::Object(entry) = &entry else {
            return Err(super::path::cannot_index(&entry, &Value::text("key")));
        };
        let named = |names: &[&str]| {
            names.iter().filter_map(|name| entry.get(name)).find(|value| !matches!(value, Value::Null))
        };
        let first_true =
            |names: &[&str]| names.iter().filter_map(|name| entry.get(name)).find(|value| value.is_true());
        // A key of false is a key; otherwise the first true one counts.
        let key = first_true(&["key", "k", "name", "Name", "K", "Key"])
            .or_else(|| named(&["key", "k", "name", "Name", "K", "Key"]));
        let name = match key {
            Some(Value::String(name)) => name.clone(),
            Some(Value::Bool(true)) => Text::Static("true"),
            Some(Value::Bool(false)) => Text::Static("false"),
            Some(number @ Value::Number(_)) => super::format::to_text(context, number)?,
            None | Some(Value::Null) => {
                return Err(Raise::message("Cannot use null (null) as object key"));
            }
            Some(other) => {
                let shown = super::print::excerpt(other, 14);
                let problem = format!("Cannot use {} ({shown}) as object key", other.kind());
                return Err(Raise::message(problem));
            }
        };
        let value = ["value", "v", "Value", "V"].iter().find_map(|name| entry.get(name));
        object.insert(name, value.cloned().unwrap_or_default());
    }
    Ok(Value::Object(object))
}

/// Where `wanted` begins in `items`.
pub(super) fn indices_of(context: &mut Context<'_>, items: &[Value], wanted: &[Value]) -> Output {
    let mut found = Vec::new();
    if wanted.is_empty() {
        return Ok(Value::array(found));
    }
    for (at, window) in items.windows(wanted.len()).enumerate() {
        let mut same = true;
        for (one, two) in window.iter().zip(wanted) {
            if !one.is_equal(two, &mut context.work)? {
                same = false;
                break;
            }
        }
        if same {
            context.work.charge(size_of::<Value>())?;
            found.push(Value::Number(at as f64));
        }
    }
    Ok(Value::array(found))
}

pub(super) fn indices(context: &mut Context<'_>, input: Value, arguments: &[Value]) -> Output {
    let wanted = arguments.first().cloned().unwrap_or_default();
    match (&input, &wanted) {
        (Value::Null, _) => Ok(Value::Null),
        (Value::Array(items), Value::Array(wanted)) => indices_of(context, items.items(), wanted.items()),
        (Value::Array(items), _) => indices_of(context, items.items(), std::slice::from_ref(&wanted)),
        (Value::String(text), Value::String(part)) => {
            super::string::indices(context, text.as_str(), part.as_str())
        }
        _ => super::path::get(context, &input, &wanted),
    }
}

pub(super) fn bsearch(context: &mut Context<'_>, input: Value, arguments: &[Value]) -> Output {
    let wanted = arguments.first().unwrap_or(&Value::Null);
    let Value::Array(items) = &input else {
        return Err(Raise::about(&input, "cannot be searched from"));
    };
    Ok(Value::Number(match search(context, items.items(), wanted)? {
        Ok(at) => at as f64,
        Err(at) => -1.0 - at as f64,
    }))
}

pub(super) fn transpose(context: &mut Context<'_>, input: Value, _: &[Value]) -> Output {
    let Value::Array(rows) = &input else { return Err(cannot_iterate(&input)) };
    let mut columns: Vec<Vec<Value>> = Vec::new();
    let width = rows.items().iter().map(size).max().unwrap_or(0);
    context.work.charge(width.saturating_mul(rows.len()).saturating_mul(size_of::<Value>()))?;
    context.work.steps(width.saturating_mul(rows.len()))?;
    columns.resize_with(width, Vec::new);
    for row in rows.items() {
        let items = match row {
            Value::Array(items) => items.items(),
            Value::Null => &[],
            other => return Err(super::path::cannot_index(other, &Value::Number(0.0))),
        };
        for (at, column) in columns.iter_mut().enumerate() {
            column.push(items.get(at).cloned().unwrap_or_default());
        }
    }
    Ok(Value::array(columns.into_iter().map(Value::array).collect()))
}

pub(super) fn set_path(context: &mut Context<'_>, input: Value, arguments: &[Value]) -> Output {
    match arguments {
        [Value::Array(keys), value] => super::path::set_path(context, input, keys.items(), value.clone()),
        _ => Err(Raise::message("Path must be specified as an array")),
    }
}

pub(super) fn delete_paths(context: &mut Context<'_>, input: Value, arguments: &[Value]) -> Output {
    match arguments {
        [Value::Array(paths)] => super::path::delete_paths(context, input, paths.items().to_metered()),
        _ => Err(Raise::message("Paths must be specified as an array")),
    }
}
