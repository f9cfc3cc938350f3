//! What can be wrong with a hook config or an event: messages with file, line, column and the offending text.

pub(crate) use crate::document::ConfigProblem;
use std::fmt;

/// A config that cannot be used; at least one problem.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct ConfigError {
    /// In the order of the file.
    pub problems: Vec<ConfigProblem>,
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

/// An event that cannot be read.
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
    #[error("event: unknown event `{name}` (known: {known}){}", crate::near::hint(name, known.split(", ")))]
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
