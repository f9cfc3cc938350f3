//! [`ConfigProblem`]: what is wrong in a text, and where.

use super::Place;
use crate::visible;
use std::fmt;

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

impl std::error::Error for ConfigProblem {}
