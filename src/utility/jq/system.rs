//! Builtins that reach outside the value: inputs, environment, messages, the end of the program.

#![expect(clippy::needless_pass_by_value, clippy::unnecessary_wraps, reason = "builtins share one signature")]

use super::context::Context;
use super::error::{Halt, Raise};
use super::print::{Indent, Layout};
use super::source;
use super::value::Value;
use crate::memory::{Box, vec};

/// The directory of the program.
pub(super) const ORIGIN: &str = "/usr/bin";

/// Where modules are searched when no argument says it.
pub(super) const LIBRARY: [&str; 3] = ["~/.jq", "$ORIGIN/../lib/jq", "$ORIGIN/../lib"];

type Output = Result<Value, Raise>;

pub(super) fn input_filename(context: &mut Context<'_>, _: Value, _: &[Value]) -> Output {
    let name = context.host.filename.as_ref();
    Ok(name.map(|name| Value::from(source::shown(name))).unwrap_or_default())
}

pub(super) fn input_line_number(context: &mut Context<'_>, _: Value, _: &[Value]) -> Output {
    Ok(Value::number(context.host.lines as f64))
}

/// Keeps `["DEBUG:",INPUT]` for standard error, laid out as outputs are but on one line.
pub(super) fn debug(context: &mut Context<'_>, input: Value, _: &[Value]) -> Output {
    let shown = Value::array(vec![Value::text("DEBUG:"), input.clone()]);
    let layout = Layout { indent: Indent::None, ..context.host.layout.clone() };
    let said = std::sync::Arc::clone(&context.host.messages);
    context.job(async move {
        let mut line = super::conversion::printed(shown, &layout).await;
        line.push('\n');
        said.push(&line);
        Ok(input)
    })
}

/// Keeps a text for standard error; its input is its output.
pub(super) fn keep_message(context: &mut Context<'_>, input: Value, arguments: &[Value]) -> Output {
    if let Some(Value::String(text)) = arguments.first() {
        context.host.messages.push(text.as_str());
    }
    Ok(input)
}

pub(super) fn halt(_: &mut Context<'_>, _: Value, _: &[Value]) -> Output {
    Err(Raise::Halt(Box::new(Halt { status: 0, message: None })))
}

pub(super) fn halt_error(_: &mut Context<'_>, input: Value, arguments: &[Value]) -> Output {
    let status = match arguments.first() {
        None => 5,
        Some(Value::Number(status)) => status.value() as i32,
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

pub(super) fn search_list(context: &mut Context<'_>, _: Value, _: &[Value]) -> Output {
    Ok(Value::array(context.host.library.iter().map(|directory| Value::text(directory)).collect()))
}

pub(super) fn program_origin(context: &mut Context<'_>, _: Value, _: &[Value]) -> Output {
    Ok(Value::text(&context.host.origin.to_string_lossy()))
}

pub(super) fn jq_origin(_: &mut Context<'_>, _: Value, _: &[Value]) -> Output {
    Ok(Value::text(ORIGIN))
}
