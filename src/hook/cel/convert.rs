//! Numbers and conversions: arithmetic of 64-bit integers, sizes, and the functions named for types.

use super::evaluate::{EvaluationError, overload, wrong};
use super::expression::{Arithmetic, Function};
use super::time;
use super::value::Value;
use std::sync::Arc;

pub(super) fn double(value: &Value<'_>) -> Option<f64> {
    match value {
        Value::Double(value) => Some(*value),
        other => other.integer().map(|value| value as f64),
    }
}

/// Integers of 64 bits, by way of wider ones.
pub(super) fn whole<T: Into<i128> + TryFrom<i128> + Copy>(
    operator: Arithmetic,
    a: T,
    b: T,
) -> Result<T, EvaluationError> {
    let (a, b): (i128, i128) = (a.into(), b.into());
    let value = match operator {
        Arithmetic::Add => a.checked_add(b),
        Arithmetic::Subtract => a.checked_sub(b),
        Arithmetic::Multiply => a.checked_mul(b),
        Arithmetic::Divide if b == 0 => return Err(wrong("division by zero")),
        Arithmetic::Remainder if b == 0 => return Err(wrong("modulus by zero")),
        Arithmetic::Divide => a.checked_div(b),
        Arithmetic::Remainder => a.checked_rem(b),
    };
    value.and_then(|value| T::try_from(value).ok()).ok_or_else(|| wrong("integer overflow"))
}

pub(super) fn size<'a>(value: &Value<'a>) -> Result<Value<'a>, EvaluationError> {
    let size = match value {
        Value::String(text) => text.as_str().chars().count(),
        Value::Bytes(bytes) => bytes.len(),
        Value::List(list) => list.len(),
        Value::Map(map) => map.len(),
        other => return Err(overload("size", &[other])),
    };
    Ok(Value::Int(i64::try_from(size).unwrap_or(i64::MAX)))
}

pub(super) fn convert<'a>(function: &Function, value: &Value<'a>) -> Result<Value<'a>, EvaluationError> {
    let range = || wrong("range error");
    match (function, value) {
        (Function::Int, Value::Int(_))
        | (Function::Uint, Value::Uint(_))
        | (Function::Double, Value::Double(_))
        | (Function::String, Value::String(_))
        | (Function::Bytes, Value::Bytes(_))
        | (Function::Bool, Value::Bool(_)) => Ok(value.clone()),
        (Function::Int | Function::Uint, Value::Double(number)) => {
            if !number.is_finite() {
                return Err(range());
            }
            let whole = *number as i128;
            narrow(function, whole).ok_or_else(range)
        }
        (Function::Int, Value::Timestamp(nanos)) => {
            narrow(function, nanos.div_euclid(time::SECOND)).ok_or_else(range)
        }
        (Function::Int, Value::Duration(nanos)) => Ok(Value::Int(*nanos)),
        (Function::String, Value::Timestamp(nanos)) => time::text(*nanos).map(Value::owned),
        (Function::String, Value::Duration(nanos)) => Ok(Value::owned(time::span_text(*nanos))),
        (Function::Int | Function::Uint, Value::Int(_) | Value::Uint(_)) => {
            value.integer().and_then(|whole| narrow(function, whole)).ok_or_else(range)
        }
        (Function::Int | Function::Uint, Value::String(text)) => {
            let whole = text.as_str().parse::<i128>().map_err(|_| wrong("not a number"))?;
            narrow(function, whole).ok_or_else(range)
        }
        (Function::Double, Value::String(text)) => {
            text.as_str().parse().map(Value::Double).map_err(|_| wrong("not a number"))
        }
        (Function::Double, other) => {
            double(other).map(Value::Double).ok_or_else(|| overload("double", &[other]))
        }
        (Function::String, Value::Int(number)) => Ok(Value::owned(number.to_string())),
        (Function::String, Value::Uint(number)) => Ok(Value::owned(number.to_string())),
        (Function::String, Value::Double(number)) => Ok(Value::owned(number.to_string())),
        (Function::String, Value::Bool(value)) => Ok(Value::owned(value.to_string())),
        (Function::String, Value::Bytes(bytes)) => {
            let text = std::str::from_utf8(bytes).map_err(|_| wrong("the bytes are not valid UTF-8"))?;
            Ok(Value::owned(text.to_owned()))
        }
        (Function::Bytes, Value::String(text)) => Ok(Value::Bytes(Arc::from(text.as_str().as_bytes()))),
        (Function::Bool, Value::String(text)) => match text.as_str() {
            "true" | "True" | "TRUE" | "t" | "1" => Ok(Value::Bool(true)),
            "false" | "False" | "FALSE" | "f" | "0" => Ok(Value::Bool(false)),
            _ => Err(wrong("not a boolean")),
        },
        (_, other) => Err(overload(&format!("{function:?}").to_lowercase(), &[other])),
    }
}

fn narrow<'a>(function: &Function, whole: i128) -> Option<Value<'a>> {
    match function {
        Function::Uint => u64::try_from(whole).ok().map(Value::Uint),
        _ => i64::try_from(whole).ok().map(Value::Int),
    }
}
