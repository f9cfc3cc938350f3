//! YAML from a value, in blocks: for the configs that are converted to a dialect whose files are YAML.

use super::NodeKind;
use super::scalar::{self, Type};
use serde_json::Value;
use std::fmt::Write as _;

/// The value as YAML 1.2; reading it gives the value again. Nesting is that of the value, which was read from a text.
pub(crate) fn to_yaml(value: &Value) -> String {
    let mut text = String::new();
    write(&mut text, value, 0);
    text.push('\n');
    text.remove(0);
    text
}

/// Writes a value after a key, a dash or nothing: a blank or a newline first, no newline at the end.
fn write(text: &mut String, value: &Value, depth: usize) {
    let indent = "  ".repeat(depth);
    match value {
        Value::Object(members) if !members.is_empty() => {
            for (name, value) in members {
                text.push('\n');
                text.push_str(&indent);
                scalar(text, name);
                text.push(':');
                let deeper = if value.is_array() { depth } else { depth + 1 };
                write(text, value, deeper);
            }
        }
        Value::Array(items) if !items.is_empty() => {
            for item in items {
                text.push('\n');
                text.push_str(&indent);
                text.push('-');
                let start = text.len();
                write(text, item, depth + 1);
                // What begins in a line of its own begins after the dash.
                if item.is_object() || item.is_array() {
                    let below = 1 + 2 * (depth + 1);
                    if text.get(start..start + below).is_some_and(|blank| blank.trim().is_empty()) {
                        text.replace_range(start..start + below, " ");
                    }
                }
            }
        }
        Value::String(value) => match block(value) {
            Some(header) => {
                let _ = write!(text, " {header}");
                for line in value.trim_end_matches('\n').split('\n') {
                    text.push('\n');
                    if !line.is_empty() {
                        text.push_str(&"  ".repeat(depth.max(1)));
                        text.push_str(line);
                    }
                }
            }
            None => {
                text.push(' ');
                scalar(text, value);
            }
        },
        other => {
            let _ = write!(text, " {other}");
        }
    }
}

/// How a text of several lines stands as a block, if it can: its last line ends once or not at all, and it has nothing that a
/// block would lose or that has to be escaped.
fn block(text: &str) -> Option<&'static str> {
    let body = text.trim_end_matches('\n');
    let is_plain = |character: char| matches!(character, '\n' | '\t') || !is_special(character);
    if !body.contains('\n') || body.starts_with([' ', '\t', '\n']) || !body.chars().all(is_plain) {
        return None;
    }
    match text.len() - body.len() {
        0 => Some("|-"),
        1 => Some("|"),
        _ => None,
    }
}

/// A text in one line: as it is where that is read as the same text, else in the quotes of JSON, which YAML reads too.
fn scalar(text: &mut String, value: &str) {
    if is_plain(value) {
        text.push_str(value);
        return;
    }
    for character in Value::from(value).to_string().chars() {
        if is_special(character) {
            let _ = write!(text, "\\u{:04x}", u32::from(character));
        } else {
            text.push(character);
        }
    }
}

/// Characters that a YAML text may not have as they are.
fn is_special(character: char) -> bool {
    character.is_control() || matches!(character, '\u{feff}' | '\u{fffe}' | '\u{ffff}')
}

/// Words that readers of YAML 1.1 take for booleans.
const OLD_BOOLEANS: [&str; 6] = ["y", "n", "yes", "no", "on", "off"];

fn is_plain(text: &str) -> bool {
    let is_safe =
        |character: char| character.is_alphanumeric() || " _-./$+=(){}[]<>^|~;'\"\\".contains(character);
    let begins = |character: char| character.is_alphabetic() || "_./$^(".contains(character);
    text.starts_with(begins)
        && !text.starts_with("...")
        && !text.ends_with(' ')
        && text.chars().all(is_safe)
        && !OLD_BOOLEANS.iter().any(|word| text.eq_ignore_ascii_case(word))
        && matches!(scalar::resolve(text.to_owned(), Type::Any), Ok(NodeKind::String(_)))
}

#[cfg(test)]
mod tests {
    use super::super::Source;
    use super::to_yaml;
    use proptest::prelude::*;
    use serde_json::{Value, json};

    fn read(text: &str) -> Value {
        Source::new("", text.as_bytes()).yaml("").unwrap_or_else(|error| panic!("{error}\n{text}")).to_value()
    }

    #[test]
    fn writes_blocks() {
        let value = json!({
            "hooks": [{"name": "a", "run": "one\ntwo\n", "list": [[1, "2"], []]}, "true"],
            "empty": {}, "null": null, "text": "a: b", "deep": {"er": ["x\n\n  y", " z\nz"]},
        });
        let text = "hooks:\n- name: a\n  run: |\n    one\n    two\n  list:\n  - - 1\n    - \"2\"\n  - []\n- \"true\"\n\
                    empty: {}\n\"null\": null\ntext: \"a: b\"\ndeep:\n  er:\n  - |-\n    x\n\n      y\n  - \" z\\nz\"\n";
        assert_eq!(to_yaml(&value), text);
        assert_eq!(read(text), value);
    }

    fn values() -> impl Strategy<Value = Value> {
        let text = prop_oneof!["[ -~\n]{0,12}", "[a-z:#&*!\t|>%@`'\"{}\\[\\],?~ \n.-]{0,8}", "\\PC{0,6}"];
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            text.clone().prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 24, 4, move |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::vec((text.clone(), inner), 0..4)
                    .prop_map(|members| Value::Object(members.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_again(value in values()) {
            prop_assert_eq!(read(&to_yaml(&value)), value);
        }
    }
}
