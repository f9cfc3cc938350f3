//! `tojson` and `fromjson`: a text of a value and a value of a text, some of it at a time.

use super::context::Context;
use super::error::Raise;
use super::job::{Output, PIECE, spend};
use super::print::{self, COMPACT, Layout, Printing};
use super::read::{BYTE_ORDER_MARK, JsonReader, Progress, ReadError, while_parsing};
use super::text::Text;
use super::value::Value;
use super::work::Work;
use crate::memory::String;

pub(super) fn to_json(context: &mut Context<'_>, input: Value, _: &[Value]) -> Output {
    match input {
        Value::Null | Value::Bool(_) | Value::Number(_) => Ok(Value::from(print::compact(&input))),
        other => context.job(async move { Ok(Value::from(json(other).await)) }),
    }
}

/// A value as compact JSON.
pub(super) async fn json(value: Value) -> String {
    printed(value, &COMPACT).await
}

/// A value as JSON of this layout.
pub(super) async fn printed(value: Value, layout: &Layout) -> String {
    let mut printing = Printing::new(value);
    let mut out = String::new();
    let mut work = Work::unbounded();
    loop {
        let full = out.len().saturating_add(PIECE);
        // Nobody ends this work but by dropping the job.
        if printing.go_on(layout, &mut out, full, &mut work) != Ok(false) {
            return out;
        }
        work.go_on();
        spend(1).await;
    }
}

pub(super) fn from_json(context: &mut Context<'_>, input: Value, _: &[Value]) -> Output {
    match input {
        Value::String(text) => context.job(parsed(text)),
        other => Err(Raise::about(&other, "only strings can be parsed")),
    }
}

/// The one value of a text.
///
/// # Errors
/// The text of a syntax error is jq's, ending in ` (while parsing 'TEXT')`.
pub(super) async fn parsed(text: Text) -> Output {
    let wrong = |error| match error {
        ReadError::Syntax(problem) => Raise::message(while_parsing(&problem, text.as_str())),
        ReadError::Stopped(stop) => Raise::Stop(stop),
    };
    let mut reader = JsonReader::default();
    let mut work = Work::unbounded();
    let has_mark = text.as_str().as_bytes().starts_with(BYTE_ORDER_MARK);
    let (mut at, mut base, mut found) = (if has_mark { BYTE_ORDER_MARK.len() } else { 0 }, (0, 0), None);
    loop {
        let rest = text.as_str().as_bytes().get(at..).unwrap_or_default();
        match reader.read(rest, true, base, &mut work).map_err(wrong)? {
            Progress::Value(value, used) => {
                if found.replace(value).is_some() {
                    return Err(wrong(ReadError::Syntax("Unexpected extra JSON values".into())));
                }
                base = super::diagnose::moved(base, rest.get(..used).unwrap_or_default());
                at += used;
            }
            Progress::Paused => {
                work.go_on();
                spend(1).await;
            }
            Progress::Blank(_) | Progress::More => {
                return found.ok_or_else(|| wrong(ReadError::Syntax("Expected JSON value".into())));
            }
        }
    }
}
