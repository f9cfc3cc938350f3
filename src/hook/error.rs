//! What can be wrong with a hook config or an event: messages with file, line, column and the offending text.

use super::document::Place;
use crate::visible;
use std::fmt;

/// A config that can not be used; at least one problem.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct ConfigError {
    /// In the order of the file.
    pub problems: Vec<ConfigProblem>,
}

/// One fault of a config.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigProblem {
    /// The config's name, usually its file name.
    pub file: String,
    /// Where in the file, where that is known.
    pub place: Option<Place>,
    /// The path there, where the place is known: `hooks.PreToolUse[0].matcher`.
    pub field: Option<String>,
    /// What is wrong, in the dialect's words.
    pub message: String,
}

impl ConfigProblem {
    /// The message, and below it the offending line with a mark under the place.
    pub fn show(&self) -> String {
        let head = visible::block(&self.to_string(), "  ");
        let Some(place) = &self.place else { return head };
        let mark = " ".repeat(place.column.saturating_sub(1));
        format!("{head}\n  | {}\n  | {mark}^", visible::line(&place.excerpt))
    }
}

impl fmt::Display for ConfigProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.place {
            Some(place) => write!(f, "{}:{}:{}: {}", self.file, place.line, place.column, self.message),
            None if self.file.is_empty() => f.write_str(&self.message),
            None => write!(f, "{}: {}", self.file, self.message),
        }
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, problem) in self.problems.iter().enumerate() {
            if index > 0 {
                f.write_str("\n")?;
            }
            problem.fmt(f)?;
        }
        Ok(())
    }
}

impl From<ConfigProblem> for ConfigError {
    fn from(problem: ConfigProblem) -> Self {
        Self { problems: vec![problem] }
    }
}

/// An event that can not be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EventError {
    /// A field that the event needs is absent.
    #[error("event: `{0}` is missing")]
    Missing(&'static str),
    /// A field has the wrong type.
    #[error("event: `{field}` must be {expected}")]
    Type {
        /// Its name.
        field: &'static str,
        /// What it should be.
        expected: &'static str,
    },
    /// No such event in the dialect.
    #[error("event: unknown event `{name}` (known: {known})")]
    Unknown {
        /// As given.
        name: String,
        /// The dialect's events.
        known: String,
    },
    /// It takes more memory than an event may.
    #[error("event: it takes {bytes} bytes of memory, of {allowed}")]
    TooLarge {
        /// What it takes.
        bytes: u64,
        /// What it may take.
        allowed: u64,
    },
    /// The neutral form does not fit.
    #[error("event: {0}")]
    Neutral(String),
}
