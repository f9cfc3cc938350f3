//! Is standard output JSON (4.1)? And the filter of terminal sequences (4.4, R60).

use super::event::output;
use serde_json::{Map, Value};

/// What a handler printed.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Printed {
    Nothing,
    /// Trimmed.
    Text(String),
    Json(Map<String, Value>),
    /// It looks like an object and is none; why.
    Broken(String),
}

/// Without white space around it, which is ECMAScript's: a byte order mark is some, U+0085 is none.
pub(super) fn trimmed(text: &str) -> &str {
    let is_space = |letter: char| letter == '\u{feff}' || (letter.is_whitespace() && letter != '\u{85}');
    text.trim_matches(is_space)
}

/// Reads standard output; the second value says by which row.
pub(super) fn read(stdout: &[u8]) -> (Printed, &'static str) {
    let text = String::from_utf8_lossy(stdout);
    let text = trimmed(&text);
    if text.is_empty() {
        return (Printed::Nothing, "4.1: nothing printed");
    }
    let plain = |rule| (Printed::Text(text.to_owned()), rule);
    if !text.starts_with('{') {
        return plain("4.1: plain text");
    }
    if !text.ends_with('}') {
        return plain("4.1: plain text, the brace is not closed");
    }
    match serde_json::from_str(text) {
        Ok(Value::Object(object)) => (Printed::Json(object), "4.1: a JSON object"),
        Ok(_) => plain("4.1: plain text"),
        Err(_) if is_lines_of_json(text) => plain("4.1: lines of JSON without an output field"),
        Err(why) => (Printed::Broken(format!("hook output is not valid JSON: {why}")), "4.1: does not parse"),
    }
}

fn is_lines_of_json(text: &str) -> bool {
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    lines.all(|line| match serde_json::from_str::<Value>(line) {
        Ok(Value::Object(object)) => !output(&[]).iter().any(|(field, _)| object.contains_key(*field)),
        Ok(_) => true,
        Err(_) => false,
    })
}

/// Whether a sequence is nothing but BEL and the operating system commands 0, 1, 2, 9, 99 and 777, each ended by BEL or ST.
pub(super) fn is_terminal_sequence(text: &str) -> bool {
    let mut rest = text;
    while !rest.is_empty() {
        let command = || rest.strip_prefix("\x1b]").and_then(operating_system_command);
        let Some(after) = rest.strip_prefix('\x07').or_else(command) else { return false };
        rest = after;
    }
    !text.is_empty()
}

/// What follows the command; `None` if it is not one of those that are let through.
fn operating_system_command(text: &str) -> Option<&str> {
    let end = text.find(char::is_control)?;
    let (body, tail) = text.split_at_checked(end)?;
    let number = body.split(';').next()?;
    if !matches!(number, "0" | "1" | "2" | "9" | "99" | "777") {
        return None;
    }
    tail.strip_prefix('\x07').or_else(|| tail.strip_prefix("\x1b\\"))
}

/// Text without the escape sequences of a terminal.
pub(super) fn without_escapes(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        if letter != '\x1b' {
            out.push(letter);
            continue;
        }
        match letters.next() {
            // A control sequence ends at its first letter from `@` to `~`.
            Some('[') => while letters.next().is_some_and(|letter| !('@'..='~').contains(&letter)) {},
            Some(']') => {
                while let Some(letter) = letters.next() {
                    if letter == '\x07' || (letter == '\x1b' && letters.next_if_eq(&'\\').is_some()) {
                        break;
                    }
                }
            }
            _ => {}
        }
    }
    out
}
