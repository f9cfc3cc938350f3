//! Formatting into a metered string.

use super::string::String;
use std::fmt::{Arguments, Write as _};

/// What `format!` of this module makes.
pub(crate) fn format_text(arguments: Arguments<'_>) -> String {
    match arguments.as_str() {
        Some(text) => String::from(text),
        None => {
            let mut text = String::new();
            // The only error is a refusal, which ends the run.
            let _ = text.write_fmt(arguments);
            text
        }
    }
}
