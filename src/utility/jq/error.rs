//! What ends or diverts an evaluation, and the guard that may end it.

use crate::memory::{String, format};
use super::print;
use super::text::Text;
use super::value::Value;
use crate::limit::Charge;

/// The guard ended the evaluation; the guard itself knows why. No filter can catch it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stop;

/// Looks after the resources of one evaluation.
pub(crate) trait Guard: Send + Sync {
    /// Accounts for `steps` steps (each well under a microsecond); asked at least every few hundred.
    ///
    /// # Errors
    /// `Stop` when the fuel, the deadline or the caller ends the evaluation.
    fn tick(&self, steps: u64) -> Result<(), Stop>;

    /// Accounts for `bytes` about to be allocated. Nothing is given back: the caller releases the sum after the run.
    ///
    /// # Errors
    /// `Stop` when there is no more memory to be had.
    fn charge(&self, bytes: u64) -> Result<(), Stop>;

    /// Takes bytes that are held for longer than an input, until what it gives is dropped.
    ///
    /// # Errors
    /// As [`Guard::charge`].
    fn hold(&self, bytes: u64) -> Result<Option<Charge>, Stop> {
        let _ = bytes;
        Ok(None)
    }

    /// Whether the evaluation should pause, so that its caller can let others run. Asked after each tick.
    fn is_due(&self) -> bool {
        false
    }
}

/// A guard that allows everything.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Unlimited;

impl Guard for Unlimited {
    fn tick(&self, _steps: u64) -> Result<(), Stop> {
        Ok(())
    }

    fn charge(&self, _bytes: u64) -> Result<(), Stop> {
        Ok(())
    }
}

/// A filter asked to end the program: `halt`, `halt_error`.
#[derive(Clone, Debug)]
pub(crate) struct Halt {
    /// The exit status.
    pub(crate) status: i32,
    /// For standard error: a string as it is, anything else as JSON and a newline.
    pub(crate) message: Option<Value>,
}

/// Why an evaluation has no output.
#[derive(Clone, Debug)]
pub(crate) enum Raise {
    /// An error a filter can catch, with its value.
    Error(Value),
    /// `break` to the label with this number.
    Break(u64),
    /// `halt`; cannot be caught.
    Halt(Box<Halt>),
    /// The guard said stop; cannot be caught.
    Stop(Stop),
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
    format!("{} ({})", value.kind(), print::excerpt(value, 14))
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
    /// The guard ended the evaluation.
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
            Raise::Halt(halt) => JqError::Halt(*halt),
            Raise::Stop(_) => JqError::Stopped,
        }
    }
}
