//! Builtins that reach outside the value: inputs, environment, messages, the end of the program.

#![expect(clippy::needless_pass_by_value, clippy::unnecessary_wraps, reason = "builtins share one signature")]

use super::error::{Halt, Raise};
use super::machine::Context;
use super::value::Value;
use crate::memory::Box;

type Output = Result<Value, Raise>;

pub(super) fn input_filename(context: &mut Context<'_>, _: Value, _: &[Value]) -> Output {
    Ok(context.host.filename.clone().map(Value::from).unwrap_or_default())
}

pub(super) fn input_line_number(context: &mut Context<'_>, _: Value, _: &[Value]) -> Output {
    Ok(Value::Number(context.host.lines as f64))
}

/// Keeps a text for standard error; its input is its output.
pub(super) fn say(context: &mut Context<'_>, input: Value, arguments: &[Value]) -> Output {
    if let Some(Value::String(text)) = arguments.first() {
        context.host.said.push_str(text.as_str());
    }
    Ok(input)
}

pub(super) fn halt(_: &mut Context<'_>, _: Value, _: &[Value]) -> Output {
    Err(Raise::Halt(Box::new(Halt { status: 0, message: None })))
}

pub(super) fn halt_error(_: &mut Context<'_>, input: Value, arguments: &[Value]) -> Output {
    let status = match arguments.first() {
        None => 5,
        Some(Value::Number(status)) => *status as i32,
        Some(_) => return Err(Raise::about(&input, "halt_error/1: number required")),
    };
    Err(Raise::Halt(Box::new(Halt { status, message: Some(input) })))
}

pub(super) fn kind(_: &mut Context<'_>, input: Value, _: &[Value]) -> Output {
    Ok(Value::text(input.kind()))
}

pub(super) fn not(_: &mut Context<'_>, input: Value, _: &[Value]) -> Output {
    Ok(Value::Bool(!input.is_true()))
}

pub(super) fn builtins(_: &mut Context<'_>, _: Value, _: &[Value]) -> Output {
    Ok(Value::array(super::builtin::names().map(Value::from).collect()))
}
