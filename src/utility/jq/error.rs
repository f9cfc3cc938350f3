//! What ends or diverts an evaluation.

use super::print;
use super::suspension::Suspension;
use super::text::Text;
use super::value::Value;
use crate::memory::{Box, String, format};

/// The run is over; its meter knows why. No filter can catch it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stop;

/// A filter asked to end the program: `halt`, `halt_error`.
#[derive(Clone, Debug)]
pub(crate) struct Halt {
    /// The exit status.
    pub(crate) status: i32,
    /// For standard error: a string as it is, anything else as JSON and a newline.
    pub(crate) message: Option<Value>,
}

/// Why an evaluation has no output.
#[derive(Debug)]
pub(crate) enum Raise {
    /// An error a filter can catch, with its value.
    Error(Value),
    /// `break` to the label with this number.
    Break(u64),
    /// `halt`; cannot be caught.
    Halt(Box<Halt>),
    /// The run is over; cannot be caught.
    Stop(Stop),
    /// Nothing yet: a job in the evaluation pauses, and the machine has to put the evaluation aside.
    Suspended(Box<Suspension>),
}

impl From<Stop> for Raise {
    fn from(stop: Stop) -> Self {
        Raise::Stop(stop)
    }
}

impl Raise {
    /// An error with a text.
    pub(crate) fn message(text: impl Into<String>) -> Raise {
        Raise::Error(Value::String(Text::from(text.into())))
    }

    /// `number (1) has no keys`: one value and what is wrong with it.
    pub(crate) fn about(value: &Value, problem: &str) -> Raise {
        Raise::message(format!("{} {problem}", described(value)))
    }

    /// `number (1) and string ("a") cannot be subtracted`.
    pub(crate) fn about_two(left: &Value, right: &Value, problem: &str) -> Raise {
        Raise::message(format!("{} and {} {problem}", described(left), described(right)))
    }
}

/// `object ({"a":1,"b":...)`: kind and the beginning of the value.
fn described(value: &Value) -> String {
    format!("{} ({})", value.kind(), print::excerpt(value))
}

/// Why a filter ended without further outputs, for the caller.
#[derive(Clone, Debug, thiserror::Error)]
pub(crate) enum JqError {
    /// An uncaught error of the filter; jq prints `jq: error (at <stdin>:N): TEXT` and exits 5.
    #[error("{}", shown(.0))]
    Uncaught(Value),
    /// A `break` without its label.
    #[error("break")]
    Break,
    /// `halt` or `halt_error`.
    #[error("halt with status {}", .0.status)]
    Halt(Halt),
    /// The run is over.
    #[error("stopped")]
    Stopped,
}

/// The text after `jq: error (at FILE:N)`: `: TEXT` for a string, ` (not a string): JSON` for anything else.
fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => format!(": {}", text.as_str()),
        other => format!(" (not a string): {}", print::compact(other)),
    }
}

impl From<Raise> for JqError {
    fn from(raise: Raise) -> Self {
        match raise {
            Raise::Error(value) => JqError::Uncaught(value),
            Raise::Break(_) => JqError::Break,
            Raise::Halt(halt) => JqError::Halt(halt.into_inner()),
            Raise::Stop(_) | Raise::Suspended(_) => JqError::Stopped,
        }
    }
}
