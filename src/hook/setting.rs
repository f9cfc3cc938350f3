//! A row of a dialect's table of settings: what a host may set when it loads a config. The tables are the dialects' own
//! (`settings.rs` of each); values by name and text are read in `assignment.rs`.

use crate::document::from_yaml;
use serde_json::Value;

/// One setting of a dialect: a row of its table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Setting {
    /// Its name in [`LoadOptions::settings`](crate::hook::LoadOptions::settings), or of a field of [`LoadOptions`](crate::hook::LoadOptions).
    pub name: &'static str,
    /// The type of its value.
    pub kind: SettingKind,
    /// What holds where it is not set, in words.
    pub default: &'static str,
    /// What it does, in a line.
    pub summary: &'static str,
}

/// The type of a setting's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SettingKind {
    /// `true` or `false`.
    Boolean,
    /// A whole number that is not negative.
    Count,
    /// A whole number, or `null` for none.
    CountOrNull,
    /// A number.
    Number,
    /// A text.
    Text,
    /// One of these words.
    Choice(&'static [&'static str]),
    /// A list of texts; each assignment adds one.
    Texts,
    /// An object of texts.
    TextMembers,
    /// Whatever the dialect reads: an object, a list or a text.
    Any,
}

impl SettingKind {
    /// In words, for lists and messages.
    pub fn describe(self) -> String {
        match self {
            Self::Boolean => "true or false".to_owned(),
            Self::Count => "a whole number".to_owned(),
            Self::CountOrNull => "a whole number or null".to_owned(),
            Self::Number => "a number".to_owned(),
            Self::Text => "a text".to_owned(),
            Self::Choice(words) => format!("one of {}", words.join(", ")),
            Self::Texts => "a text (repeatable)".to_owned(),
            Self::TextMembers => "an object of texts".to_owned(),
            Self::Any => "JSON or YAML".to_owned(),
        }
    }

    /// The value that a text stands for.
    pub(super) fn read(self, text: &str) -> Option<Value> {
        let whole = || text.parse::<u64>().ok().map(Value::from);
        match self {
            Self::Boolean => text.parse::<bool>().ok().map(Value::from),
            Self::Count => whole(),
            Self::CountOrNull if text == "null" => Some(Value::Null),
            Self::CountOrNull => whole(),
            Self::Number => {
                text.parse::<f64>().ok().and_then(serde_json::Number::from_f64).map(Value::Number)
            }
            Self::Text | Self::Texts => Some(text.into()),
            Self::Choice(words) => words.contains(&text).then(|| text.into()),
            Self::TextMembers => structured(text)
                .filter(|value| value.as_object().is_some_and(|all| all.values().all(Value::is_string))),
            Self::Any => structured(text).or_else(|| Some(text.into())),
        }
    }
}

/// A text that is written as an object, a list, a quoted text, a number, a boolean or null; else it stands for itself.
pub(super) fn structured(text: &str) -> Option<Value> {
    let value: Value = from_yaml(text).ok()?;
    let is_text = value.is_string() && !text.trim_start().starts_with('"');
    (!is_text).then_some(value)
}

/// A row of a table.
pub(super) const fn setting(
    name: &'static str,
    kind: SettingKind,
    default: &'static str,
    summary: &'static str,
) -> Setting {
    Setting { name, kind, default, summary }
}
