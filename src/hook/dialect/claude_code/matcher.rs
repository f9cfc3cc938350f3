//! A group's matcher (R5 to R7): everything, a list of names, or an expression.

use super::event::EventName;
use crate::hook::dialect::expression;
use crate::hook::matcher::{Mismatch, Regex, RegexCompiler};

/// See the module.
#[derive(Debug)]
pub(super) enum Matcher {
    /// Every value, and every event that has none.
    Every,
    /// One of these, exactly.
    Names { text: String, names: Vec<String> },
    /// Found anywhere in the value.
    Expression { text: String, regex: Regex },
    /// The expression cannot be used.
    Never,
}

impl Matcher {
    /// Reads a matcher. Beside it stands why it never matches, for one that does not.
    pub(super) fn read(text: &str, event: EventName, compiler: &mut RegexCompiler) -> (Self, Option<String>) {
        if event.matched_field().is_none() || matches!(text, "" | "*") {
            return (Self::Every, None);
        }
        // Of a list of names beside ASCII letters, digits and `_` (R5, R6).
        let others: &[char] = match event {
            EventName::FileChanged | EventName::StopFailure => &['|'],
            _ => &['|', ',', '-', ' '],
        };
        let is_listed =
            |letter: char| letter.is_ascii_alphanumeric() || letter == '_' || others.contains(&letter);
        if text.chars().all(is_listed) {
            let names = text.split(['|', ',']).map(|name| name.trim().to_owned());
            return (Self::Names { text: text.to_owned(), names: names.collect() }, None);
        }
        match expression::compile(text, compiler) {
            Ok(regex) => (Self::Expression { text: text.to_owned(), regex }, None),
            Err(why) => (Self::Never, Some(format!("matcher `{text}` never matches: {why}"))),
        }
    }

    /// Whether the event's value passes.
    pub(super) fn test(&self, value: Option<&str>) -> Result<(), Mismatch> {
        let found = value.unwrap_or("");
        let (passes, wanted) = match self {
            Self::Every => return Ok(()),
            Self::Never => return Err(Mismatch::Never("its matcher can not be used")),
            Self::Names { text, names } => (names.iter().any(|name| name == found), text.as_str()),
            Self::Expression { text, regex } => (regex.is_match(found), text.as_str()),
        };
        if passes {
            Ok(())
        } else {
            Err(Mismatch::Because(format!("`{found}` is not matched by `{wanted}`")))
        }
    }
}
