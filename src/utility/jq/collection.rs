//! Builtins over arrays and objects: searching, keys, entries, sums, flattening, paths. Each is a job, because its input may be
//! large.

#![expect(clippy::needless_pass_by_value, reason = "builtins share one signature")]

use super::calculate::sum;
use super::comparison::{is_equal, order};
use super::context::Context;
use super::error::{Raise, cannot_iterate};
use super::job::{Output, PIECE, spend, spend_bytes};
use super::object::Object;
use super::sorting::search;
use super::text::Text;
use super::value::{Array, Value, member_at};
use crate::memory::{Vec, format, vec};

/// The members of a container, one after the other, without their copy as a whole.
struct Values(Value, usize);

impl Values {
    /// # Errors
    /// The value has no members.
    fn of(container: Value) -> Result<Self, Raise> {
        match container {
            Value::Array(_) | Value::Object(_) => Ok(Values(container, 0)),
            other => Err(cannot_iterate(&other)),
        }
    }
}

impl Iterator for Values {
    type Item = Value;
    fn next(&mut self) -> Option<Value> {
        let (_, value, after) = member_at(&self.0, self.1)?;
        self.1 = after;
        Some(value)
    }
}

/// The item with the extreme key: the first of the smallest, the last of the largest.
fn extreme(context: &mut Context<'_>, input: Value, keys: &[Value], largest: bool) -> Output {
    let keys = keys.first().unwrap_or(&input).clone();
    let (Value::Array(items), Value::Array(keys)) = (&input, &keys) else {
        return Err(Raise::about_two(&input, &keys, "cannot be iterated over"));
    };
    let (items, keys) = (items.clone(), keys.clone());
    context.job(async move {
        let mut best: Option<(&Value, &Value)> = None;
        for (key, item) in keys.items().iter().zip(items.items()) {
            spend(1).await;
            let is_better = match best {
                None => true,
                Some((other, _)) => order(key, other).await.is_lt() != largest,
            };
            if is_better {
                best = Some((key, item));
            }
        }
        Ok(best.map(|(_, item)| item.clone()).unwrap_or_default())
    })
}

pub(super) fn min(context: &mut Context<'_>, input: Value, keys: &[Value]) -> Output {
    extreme(context, input, keys, false)
}

pub(super) fn max(context: &mut Context<'_>, input: Value, keys: &[Value]) -> Output {
    extreme(context, input, keys, true)
}

pub(super) fn keys(context: &mut Context<'_>, input: Value, _: &[Value]) -> Output {
    let Value::Object(object) = input else { return keys_unsorted(context, input, &[]) };
    context.job(async move {
        let mut keys = Vec::with_capacity(object.len());
        let mut last: Option<&Text> = None;
        while let Some((key, _)) = object.entry_after(last.map(Text::as_str)) {
            keys.push(Value::String(key.clone()));
            last = Some(key);
            spend(1).await;
        }
        Ok(Value::array(keys))
    })
}

pub(super) fn keys_unsorted(context: &mut Context<'_>, input: Value, _: &[Value]) -> Output {
    if !matches!(input, Value::Array(_) | Value::Object(_)) {
        return Err(Raise::about(&input, "has no keys"));
    }
    context.job(async move {
        let (mut keys, mut at) = (Vec::new(), 0);
        while let Some((key, _, after)) = member_at(&input, at) {
            keys.push(key);
            at = after;
            spend(1).await;
        }
        Ok(Value::array(keys))
    })
}

pub(super) fn length(context: &mut Context<'_>, input: Value, _: &[Value]) -> Output {
    let length = match &input {
        Value::Null => 0.0,
        Value::Number(number) => return Ok(Value::Number(number.abs())),
        Value::String(text) if text.len() > PIECE => {
            let text = text.clone();
            return context.job(async move {
                let mut count = 0;
                for piece in super::string::pieces(text.as_str()) {
                    count += piece.chars().count();
                    spend_bytes(piece.len()).await;
                }
                Ok(Value::number(count as f64))
            });
        }
        Value::String(text) => text.as_str().chars().count() as f64,
        Value::Array(array) => array.len() as f64,
        Value::Object(object) => object.len() as f64,
        Value::Bool(_) => return Err(Raise::about(&input, "has no length")),
    };
    Ok(Value::number(length))
}

pub(super) fn has(_: &mut Context<'_>, input: Value, arguments: &[Value]) -> Output {
    let key = arguments.first().unwrap_or(&Value::Null);
    match (&input, key) {
        (Value::Null, _) => Ok(Value::Bool(false)),
        (Value::Object(object), Value::String(name)) => Ok(Value::Bool(object.get(name.as_str()).is_some())),
        (Value::Array(array), Value::Number(at)) => {
            Ok(Value::Bool(at.value().trunc() >= 0.0 && at.value() < array.len() as f64))
        }
        _ => Err(Raise::message(format!("Cannot check whether {} has a {} key", input.kind(), key.kind()))),
    }
}

/// Sums an array's items or an object's values.
pub(super) fn add(context: &mut Context<'_>, input: Value, _: &[Value]) -> Output {
    let values = Values::of(input)?;
    context.job(async move {
        let mut total = Value::Null;
        for value in values {
            spend(1).await;
            total = sum(total, value).await?.checked()?;
        }
        Ok(total)
    })
}

pub(super) fn any(context: &mut Context<'_>, input: Value, _: &[Value]) -> Output {
    quantify(context, input, true)
}

pub(super) fn all(context: &mut Context<'_>, input: Value, _: &[Value]) -> Output {
    quantify(context, input, false)
}

fn quantify(context: &mut Context<'_>, input: Value, wanted: bool) -> Output {
    let values = Values::of(input)?;
    context.job(async move {
        for value in values {
            spend(1).await;
            if value.is_true() == wanted {
                return Ok(Value::Bool(wanted));
            }
        }
        Ok(Value::Bool(!wanted))
    })
}

pub(super) fn flatten(context: &mut Context<'_>, input: Value, arguments: &[Value]) -> Output {
    let (depth, odd) = match arguments.first() {
        None => (f64::INFINITY, None),
        Some(Value::Number(depth)) if depth.value() < 0.0 || depth.is_nan() => {
            return Err(Raise::message("flatten depth must not be negative"));
        }
        Some(Value::Number(depth)) => (depth.value(), None),
        Some(Value::Null | Value::Bool(_)) => {
            return Err(Raise::message("flatten depth must not be negative"));
        }
        // Not a number, but larger than all: that is noticed where it is counted down.
        Some(other) => (f64::INFINITY, Some(other.clone())),
    };
    let outermost = Values::of(input)?;
    context.job(async move {
        let mut flat = Vec::new();
        let mut open = vec![outermost];
        while let Some(values) = open.last_mut() {
            spend(1).await;
            match values.next() {
                None => drop(open.pop()),
                Some(Value::Array(_)) if let Some(odd) = &odd => {
                    return Err(Raise::about_two(odd, &Value::number(1.0), "cannot be subtracted"));
                }
                Some(inner @ Value::Array(_)) if (open.len() as f64) - 1.0 < depth => {
                    open.push(Values(inner, 0));
                }
                Some(other) => flat.push(other),
            }
        }
        Ok(Value::array(flat))
    })
}

/// Items from the last; null has none and a string cannot be reversed.
pub(super) fn reverse(context: &mut Context<'_>, input: Value, _: &[Value]) -> Output {
    match input {
        Value::Null => Ok(Value::array(Vec::new())),
        Value::Array(array) => context.job(async move {
            let mut items = Vec::with_capacity(array.len());
            for item in array.items().iter().rev() {
                items.push(item.clone());
                spend(1).await;
            }
            Ok(Value::array(items))
        }),
        Value::String(text) if text.len() == 0 => Ok(Value::array(Vec::new())),
        Value::Object(object) if object.len() == 0 => Ok(Value::array(Vec::new())),
        Value::Number(number) if number.value() == 0.0 => Ok(Value::array(Vec::new())),
        // The last member is looked up first.
        other => match length(context, other.clone(), &[])? {
            Value::Number(count) => {
                Err(super::path::cannot_index(&other, &Value::number(count.value() - 1.0)))
            }
            _ => Err(Raise::about(&other, "has no length")),
        },
    }
}

pub(super) fn to_entries(context: &mut Context<'_>, input: Value, _: &[Value]) -> Output {
    if !matches!(input, Value::Array(_) | Value::Object(_)) {
        return Err(Raise::about(&input, "has no keys"));
    }
    context.job(async move {
        let (mut entries, mut at) = (Vec::new(), 0);
        while let Some((key, value, after)) = member_at(&input, at) {
            entries.push(Value::object([("key", key), ("value", value)]));
            at = after;
            spend(2).await;
        }
        Ok(Value::array(entries))
    })
}

pub(super) fn from_entries(context: &mut Context<'_>, input: Value, _: &[Value]) -> Output {
    let entries = Values::of(input)?;
    context.job(async move {
        let mut object = Object::default();
        for entry in entries {
            spend(2).await;
            let (name, value) = entry_of(&entry)?;
            object.insert(name, value);
        }
        Ok(Value::Object(object))
    })
}

/// Name and value that an entry stands for.
fn entry_of(entry: &Value) -> Result<(Text, Value), Raise> {
    const KEYS: [&str; 4] = ["key", "Key", "name", "Name"];
    let nothing = Object::default();
    let entry = match entry {
        Value::Object(entry) => entry,
        Value::Null => &nothing,
        other => return Err(super::path::cannot_index(other, &Value::text("key"))),
    };
    // The first true one counts, otherwise the last.
    let key = KEYS.iter().filter_map(|name| entry.get(name)).find(|value| value.is_true());
    let name = match key.or_else(|| entry.get("Name")) {
        Some(Value::String(name)) => name.clone(),
        other => {
            let other = other.unwrap_or(&Value::Null);
            let shown = super::print::excerpt(other);
            return Err(Raise::message(format!("Cannot use {} ({shown}) as object key", other.kind())));
        }
    };
    let value = entry.get("value").or_else(|| entry.get("Value"));
    Ok((name, value.cloned().unwrap_or_default()))
}

/// Where `wanted` begins in `items`.
pub(super) fn indices_of(context: &mut Context<'_>, items: Array, wanted: Array) -> Output {
    if wanted.len() == 0 {
        return Ok(Value::array(Vec::new()));
    }
    context.job(async move {
        let mut found = Vec::new();
        for (at, window) in items.items().windows(wanted.len()).enumerate() {
            let mut same = true;
            for (one, two) in window.iter().zip(wanted.items()) {
                spend(1).await;
                if !is_equal(one, two).await {
                    same = false;
                    break;
                }
            }
            if same {
                found.push(Value::number(at as f64));
            }
        }
        Ok(Value::array(found))
    })
}

pub(super) fn indices(context: &mut Context<'_>, input: Value, arguments: &[Value]) -> Output {
    let wanted = arguments.first().cloned().unwrap_or_default();
    match (input, wanted) {
        (Value::Array(items), Value::Array(wanted)) => indices_of(context, items, wanted),
        (Value::Array(items), wanted) => indices_of(context, items, Array::from(vec![wanted])),
        (Value::String(text), Value::String(part)) => super::string::indices(context, text, part),
        (input, wanted) => super::path::get(context, &input, &wanted),
    }
}

pub(super) fn bsearch(context: &mut Context<'_>, input: Value, arguments: &[Value]) -> Output {
    let wanted = arguments.first().cloned().unwrap_or_default();
    let Value::Array(items) = input else {
        return Err(Raise::about(&input, "cannot be searched from"));
    };
    context.job(async move {
        Ok(Value::number(match search(items.len(), |at| items.items().get(at), &wanted).await {
            Ok(at) => at as f64,
            Err(at) => -1.0 - at as f64,
        }))
    })
}

pub(super) fn transpose(context: &mut Context<'_>, input: Value, _: &[Value]) -> Output {
    let rows: Vec<Value> = Values::of(input)?.collect();
    context.job(async move {
        let mut width = 0;
        for row in &rows {
            spend(1).await;
            width = width.max(match row {
                Value::Null => 0,
                Value::Array(items) => items.len(),
                Value::Object(object) => object.len(),
                Value::String(text) => text.as_str().chars().take(1).count(),
                Value::Number(number) => usize::from(number.value() != 0.0),
                Value::Bool(_) => return Err(Raise::about(row, "has no length")),
            });
        }
        let has_items = |row: &&Value| matches!(row, Value::Array(_) | Value::Null);
        if let Some(odd) = rows.iter().find(|row| width > 0 && !has_items(row)) {
            return Err(super::path::cannot_index(odd, &Value::number(0.0)));
        }
        let mut columns = Vec::new();
        for at in 0..width {
            let mut column = Vec::with_capacity(rows.len());
            for row in &rows {
                spend(1).await;
                let item = match row {
                    Value::Array(items) => items.items().get(at).cloned(),
                    _ => None,
                };
                column.push(item.unwrap_or_default());
            }
            columns.push(Value::array(column));
        }
        Ok(Value::array(columns))
    })
}

pub(super) fn set_path(_: &mut Context<'_>, input: Value, arguments: &[Value]) -> Output {
    match arguments {
        [Value::Array(keys), value] => super::path::set_path(input, keys.items(), value.clone()),
        _ => Err(Raise::message("Path must be specified as an array")),
    }
}
