//! Compares what came out with what was expected.
//!
//! Values are compared as they are, with two liberties: in the place of a text, an object with the one key `starts_with`,
//! `ends_with` or `contains` asks for less; and in `runs`, `records`, `gate_has`, `files` and `shadow` an object may leave members out.

use serde_json::Value;
use std::fmt;

/// One value that is not as expected.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// `load`, `expect` or `step N`.
    pub place: String,
    /// The name of the value.
    pub key: String,
    /// As written.
    pub expected: Value,
    /// As it came; `None` where no such value exists.
    pub actual: Option<Value>,
}

/// Values whose objects may be given in part.
const IN_PART: [&str; 5] = ["runs", "records", "gate_has", "files", "shadow"];

pub(super) fn difference(
    place: &str,
    key: &str,
    expected: &Value,
    actual: Option<&Value>,
) -> Option<Difference> {
    if actual.is_some_and(|actual| matches(expected, actual, IN_PART.contains(&key))) {
        return None;
    }
    Some(Difference {
        place: place.to_owned(),
        key: key.to_owned(),
        expected: expected.clone(),
        actual: actual.cloned(),
    })
}

/// Depth is that of a parsed file, which its parser bounds.
fn matches(expected: &Value, actual: &Value, in_part: bool) -> bool {
    match (expected, actual) {
        (Value::Object(wanted), Value::String(text)) => asks(wanted, text),
        (Value::Object(wanted), Value::Object(found)) => {
            (in_part || wanted.len() == found.len())
                && wanted
                    .iter()
                    .all(|(key, wanted)| found.get(key).is_some_and(|found| matches(wanted, found, in_part)))
        }
        (Value::Array(wanted), Value::Array(found)) => {
            wanted.len() == found.len()
                && wanted.iter().zip(found).all(|(wanted, found)| matches(wanted, found, in_part))
        }
        _ => expected == actual,
    }
}

fn asks(wanted: &serde_json::Map<String, Value>, text: &str) -> bool {
    wanted.len() == 1
        && wanted.iter().all(|(how, part)| match (how.as_str(), part.as_str()) {
            ("starts_with", Some(part)) => text.starts_with(part),
            ("ends_with", Some(part)) => text.ends_with(part),
            ("contains", Some(part)) => text.contains(part),
            _ => false,
        })
}

/// The name, then both values; texts and lists line by line, with `-` before what is missing and `+` before what came.
impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}: {}", self.place, self.key)?;
        let Some(actual) = &self.actual else {
            return writeln!(f, "    there is no such value; it can not be expected here");
        };
        if let (Some(words), Some(word)) = (words_of(&self.key), self.expected.as_str())
            && !words.contains(&word)
        {
            let known = words.join("` or `");
            writeln!(f, "    `{}` can never be: it is `{known}`", short(word))?;
        }
        let (wanted, found) = (lines(&self.expected), lines(actual));
        for change in changes(&wanted, &found) {
            match change {
                Change::Same(line) => writeln!(f, "      {}", short(line))?,
                Change::Missing(line) => writeln!(f, "    - {}", short(line))?,
                Change::Extra(line) => writeln!(f, "    + {}", short(line))?,
            }
        }
        Ok(())
    }
}

/// The words that a value can be, where they are few.
fn words_of(key: &str) -> Option<&'static [&'static str]> {
    (key == "decision").then_some(&["proceed", "blocked"])
}

fn lines(value: &Value) -> Vec<String> {
    match value {
        Value::String(text) if text.contains('\n') => {
            text.split_inclusive('\n').map(|line| format!("{line:?}")).collect()
        }
        Value::Array(items) => items.iter().map(Value::to_string).collect(),
        Value::Object(members) => members.iter().map(|(name, value)| format!("{name}: {value}")).collect(),
        other => vec![other.to_string()],
    }
}

/// Enough of a line to know it.
fn short(line: &str) -> std::borrow::Cow<'_, str> {
    let start = crate::hook::json::cut(line, 600);
    if start.len() == line.len() { line.into() } else { format!("{start}... ({} bytes)", line.len()).into() }
}

enum Change<'a> {
    Same(&'a str),
    Missing(&'a str),
    Extra(&'a str),
}

/// The lines before and after the first and last that differ are the same; what lies between is shown whole. (A true
/// shortest difference would cost quadratic time, and expectations are short.)
fn changes<'a>(wanted: &'a [String], found: &'a [String]) -> Vec<Change<'a>> {
    let start = wanted.iter().zip(found).take_while(|(wanted, found)| wanted == found).count();
    let most = wanted.len().min(found.len()) - start;
    let tail = wanted.iter().rev().zip(found.iter().rev()).take_while(|(wanted, found)| wanted == found);
    let end = tail.take(most).count();
    let middle = |all: &'a [String]| all.get(start..all.len() - end).unwrap_or_default();
    let same = |all: &'a [String]| all.iter().map(|line| Change::Same(line)).collect::<Vec<_>>();
    let mut all = same(wanted.get(..start).unwrap_or_default());
    all.extend(middle(wanted).iter().map(|line| Change::Missing(line)));
    all.extend(middle(found).iter().map(|line| Change::Extra(line)));
    all.extend(same(wanted.get(wanted.len() - end..).unwrap_or_default()));
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn values_and_liberties() {
        let cases = [
            ("reason", json!("a"), json!("a"), true),
            ("reason", json!("a"), json!("ab"), false),
            ("reason", json!({"starts_with": "a"}), json!("ab"), true),
            ("reason", json!({"ends_with": "a"}), json!("ab"), false),
            ("reason", json!({"contains": "b"}), json!("abc"), true),
            ("reason", json!({"matches": "b"}), json!("abc"), false),
            ("reason", json!(null), json!(null), true),
            ("arguments", json!({"a": 1}), json!({"a": 1, "b": 2}), false),
            ("arguments", json!({"b": 2, "a": 1}), json!({"a": 1, "b": 2}), true),
            ("runs", json!([{"a": 1}]), json!([{"a": 1, "b": 2}]), true),
            ("runs", json!([{"a": 1}]), json!([]), false),
            ("files", json!({"/a": {"contains": "x"}}), json!({"/a": "xyz"}), true),
            ("gate", json!({"everruns": {}}), json!({"everruns": {"a": 1}}), false),
            ("gate_has", json!({"everruns": {}}), json!({"everruns": {"a": 1}}), true),
        ];
        for (key, expected, actual, same) in cases {
            let difference = difference("expect", key, &expected, Some(&actual));
            assert_eq!(difference.is_none(), same, "{expected} {actual}");
        }
        let unknown = difference("expect", "no", &json!(1), None).unwrap().to_string();
        assert!(unknown.contains("no such value"));
    }

    #[test]
    fn differences_read_line_by_line() {
        let shown =
            difference("step 2", "log", &json!(["a", "b", "d"]), Some(&json!(["a", "c", "d"]))).unwrap();
        assert_eq!(shown.to_string(), "step 2: log\n      \"a\"\n    - \"b\"\n    + \"c\"\n      \"d\"\n");
        let shown = difference("expect", "message", &json!("a\nb"), Some(&json!("a\nb\n"))).unwrap();
        assert_eq!(shown.to_string(), "expect: message\n      \"a\\n\"\n    - \"b\"\n    + \"b\\n\"\n");
    }
}
