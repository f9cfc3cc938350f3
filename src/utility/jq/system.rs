//! Builtins that reach outside the value: inputs, environment, messages, the end of the program.

#![expect(clippy::needless_pass_by_value, clippy::unnecessary_wraps, reason = "builtins share one signature")]

use super::error::{Halt, Raise};
use super::format;
use super::machine::Context;
use super::read::ReadError;
use super::value::Value;

type Output = Result<Value, Raise>;

/// The next input as `[value]`, or `[]` after the last.
pub(super) fn next_input(context: &mut Context<'_>, _: Value, _: &[Value]) -> Output {
    match context.host.next_input(&mut context.work) {
        None => Ok(Value::array(Vec::new())),
        Some(Ok(value)) => Ok(Value::array(vec![value])),
        Some(Err(ReadError::Syntax(problem))) => Err(Raise::message(problem)),
        Some(Err(ReadError::Stopped(stop))) => Err(Raise::Stop(stop)),
    }
}

pub(super) fn input(context: &mut Context<'_>, input: Value, _: &[Value]) -> Output {
    match next_input(context, input, &[])? {
        Value::Array(one) if one.len() > 0 => Ok(one.into_items().pop().unwrap_or_default()),
        _ => Err(Raise::message("No more inputs")),
    }
}

pub(super) fn input_filename(context: &mut Context<'_>, _: Value, _: &[Value]) -> Output {
    Ok(context.host.input_filename().map(Value::from).unwrap_or_default())
}

pub(super) fn input_line_number(context: &mut Context<'_>, _: Value, _: &[Value]) -> Output {
    Ok(Value::Number(context.host.input_line_number() as f64))
}

pub(super) fn env(context: &mut Context<'_>, _: Value, _: &[Value]) -> Output {
    Ok(context.globals.first().cloned().unwrap_or_default())
}

pub(super) fn debug(context: &mut Context<'_>, input: Value, arguments: &[Value]) -> Output {
    let shown = arguments.first().unwrap_or(&input).clone();
    let text = format::to_json(context, &Value::array(vec![Value::text("DEBUG:"), shown]))?;
    context.host.report(&format!("{text}\n"));
    Ok(input)
}

pub(super) fn stderr(context: &mut Context<'_>, input: Value, _: &[Value]) -> Output {
    let text = format::to_json(context, &input)?;
    context.host.report(&text);
    Ok(input)
}

pub(super) fn halt(_: &mut Context<'_>, _: Value, _: &[Value]) -> Output {
    Err(Raise::Halt(Box::new(Halt { status: 0, message: None })))
}

pub(super) fn halt_error(_: &mut Context<'_>, input: Value, arguments: &[Value]) -> Output {
    let status = match arguments.first() {
        None => 5,
        Some(Value::Number(status)) => *status as i32,
        Some(_) => return Err(Raise::message("halt_error/1: number required")),
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
