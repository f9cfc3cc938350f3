//! What ends or diverts an evaluation.

use super::print;
use super::suspension::Suspension;
use super::text::Text;
use super::value::{MAX_DEPTH, Value};
use super::work::Stop;
use crate::memory::{Box, String, format};

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

impl Value {
    /// This value, or an error if it nests deeper than [`MAX_DEPTH`].
    pub(crate) fn checked(self) -> Result<Value, Raise> {
        if self.depth() <= MAX_DEPTH {
            return Ok(self);
        }
        let exact = match &self {
            Value::Array(array) => array.exact_depth(),
            Value::Object(object) => object.exact_depth(),
            _ => 0,
        };
        if exact <= MAX_DEPTH {
            return Ok(match self {
                Value::Array(array) => Value::array(array.into_items()),
                Value::Object(object) => {
                    Value::Object(object.iter().map(|(key, value)| (key.clone(), value.clone())).collect())
                }
                other => other,
            });
        }
        Err(Raise::message("Value nests too deeply"))
    }
}

/// `object ({"a":1,"b":...)`: kind and the beginning of the value.
fn described(value: &Value) -> String {
    format!("{} ({})", value.kind(), print::excerpt(value))
}

/// The words for a value that has no members.
pub(super) fn cannot_iterate(value: &Value) -> Raise {
    Raise::message(format!("Cannot iterate over {} ({})", value.kind(), print::excerpt(value)))
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
