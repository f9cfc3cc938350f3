//! A row of a dialect's table of settings: what a host may set when it loads a config. The tables are the dialects' own
//! (`settings.rs` of each): [`settings!`] declares the rows, the values that are read by them and the documentation together. Values by
//! name and text are read in `assignment.rs`.

use super::word::Word;
use crate::document::from_yaml;
use serde_json::{Map, Value};

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

/// A type of which a setting's value can be.
pub(in crate::hook) trait SettingValue: Sized {
    const KIND: SettingKind;
    /// Whether `null` is a value; else it counts as absent.
    const TAKES_NULL: bool = false;

    /// `None` where it is of another type.
    fn read(value: &Value) -> Option<Self>;

    /// What a value must be, for messages.
    fn expected() -> String {
        Self::KIND.describe()
    }
}

impl SettingValue for bool {
    const KIND: SettingKind = SettingKind::Boolean;
    fn read(value: &Value) -> Option<Self> {
        value.as_bool()
    }
}

impl SettingValue for u64 {
    const KIND: SettingKind = SettingKind::Count;
    fn read(value: &Value) -> Option<Self> {
        value.as_u64()
    }
}

impl SettingValue for Option<u64> {
    const KIND: SettingKind = SettingKind::CountOrNull;
    const TAKES_NULL: bool = true;
    fn read(value: &Value) -> Option<Self> {
        if value.is_null() { Some(None) } else { value.as_u64().map(Some) }
    }
}

impl SettingValue for String {
    const KIND: SettingKind = SettingKind::Text;
    fn read(value: &Value) -> Option<Self> {
        value.as_str().map(str::to_owned)
    }
}

impl SettingValue for Option<String> {
    const KIND: SettingKind = SettingKind::Text;
    fn read(value: &Value) -> Option<Self> {
        value.as_str().map(|text| Some(text.to_owned()))
    }
}

impl SettingValue for Vec<String> {
    const KIND: SettingKind = SettingKind::Texts;
    fn read(value: &Value) -> Option<Self> {
        value.as_array()?.iter().map(|text| text.as_str().map(str::to_owned)).collect()
    }
    fn expected() -> String {
        "a list of texts".to_owned()
    }
}

/// Names and texts, in order.
impl SettingValue for Vec<(String, String)> {
    const KIND: SettingKind = SettingKind::TextMembers;
    fn read(value: &Value) -> Option<Self> {
        let pair = |(name, text): (&String, &Value)| Some((name.clone(), text.as_str()?.to_owned()));
        value.as_object()?.iter().map(pair).collect()
    }
}

/// What the dialect reads itself.
impl SettingValue for Option<Value> {
    const KIND: SettingKind = SettingKind::Any;
    fn read(value: &Value) -> Option<Self> {
        Some(Some(value.clone()))
    }
}

impl<T: Word> SettingValue for T {
    const KIND: SettingKind = SettingKind::Choice(T::NAMES);
    fn read(value: &Value) -> Option<Self> {
        T::from_name(value.as_str()?)
    }
}

/// Reads one value to its place.
pub(in crate::hook) fn read_into<T: SettingValue>(
    name: &str,
    value: &Value,
    place: &mut T,
) -> Result<(), String> {
    if value.is_null() && !T::TAKES_NULL {
        return Ok(());
    }
    let wrong = || format!("settings: `{name}` must be {}", T::expected());
    *place = T::read(value).ok_or_else(wrong)?;
    Ok(())
}

/// Reads each value by `read`, which tells whether it knows the name: no switch is given in vain.
pub(in crate::hook) fn read_all(
    given: &Map<String, Value>,
    table: &[Setting],
    mut read: impl FnMut(&str, &Value) -> Result<bool, String>,
) -> Result<(), String> {
    for (name, value) in given {
        if !read(name, value)? {
            let known: Vec<_> = table.iter().map(|row| row.name).collect();
            return Err(format!("settings: unknown name `{name}` (known: {})", known.join(", ")));
        }
    }
    Ok(())
}

/// Declares a dialect's settings: the type that holds them, their defaults, and the table `SETTINGS`, which is documentation too. A
/// row is a field (with its name, where that is not an identifier), its type, what holds where it is not set, the same in words, and what
/// it does.
macro_rules! settings {
    (
        $(#[$meta:meta])*
        $vis:vis struct $Name:ident {
            $($field:ident $(as $name:literal)?: $Type:ty = $default:expr, $shown:literal, $summary:literal;)*
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Debug)]
        $vis struct $Name { $($vis $field: $Type,)* }

        impl Default for $Name {
            fn default() -> Self {
                Self { $($field: $default,)* }
            }
        }

        impl $Name {
            /// # Errors
            /// An unknown name, or a value of the wrong type.
            $vis fn read(
                given: &serde_json::Map<String, serde_json::Value>,
            ) -> Result<Self, String> {
                let mut all = Self::default();
                $crate::hook::setting::read_all(given, SETTINGS, |name, value| {
                    $(if name == $crate::hook::setting::setting_name!($field $($name)?) {
                        return $crate::hook::setting::read_into(name, value, &mut all.$field).map(|()| true);
                    })*
                    Ok(false)
                })?;
                Ok(all)
            }
        }

        /// What a host may set ([`LoadOptions::settings`](crate::hook::LoadOptions::settings)).
        ///
        /// | setting | default | |
        /// |---|---|---|
        $(#[doc = concat!("| `", $crate::hook::setting::setting_name!($field $($name)?), "` | ", $shown, " | ", $summary, " |")])*
        pub const SETTINGS: &[$crate::hook::setting::Setting] = &[$($crate::hook::setting::setting(
            $crate::hook::setting::setting_name!($field $($name)?),
            <$Type as $crate::hook::setting::SettingValue>::KIND,
            $shown,
            $summary,
        ),)*];
    };
}

/// The name of a row of [`settings!`].
macro_rules! setting_name {
    ($field:ident) => {
        stringify!($field)
    };
    ($field:ident $name:literal) => {
        $name
    };
}
pub(in crate::hook) use {setting_name, settings};

#[cfg(test)]
#[expect(unreachable_pub, reason = "a table is public in its dialect")]
mod tests {
    use super::*;
    use serde_json::json;

    settings! {
        struct Sample {
            on: bool = true, "true", "a switch";
            count: u64 = 1, "1", "a number";
            most: Option<u64> = Some(5), "5", "a number, or none";
            text as "its-text": Option<String> = None, "none", "a text";
            variables: Vec<(String, String)> = Vec::new(), "{}", "an object";
        }
    }

    #[test]
    fn names_and_types_are_checked() {
        let read = |given: &Value| Sample::read(given.as_object().unwrap());
        let all =
            read(&json!({"count": 3, "on": null, "most": null, "its-text": "x", "variables": {"k": "v"}}));
        let Sample { on, count, most, text, variables } = all.unwrap();
        assert_eq!((on, count, most, text.as_deref()), (true, 3, None, Some("x")));
        assert_eq!(variables, [("k".to_owned(), "v".to_owned())]);
        assert_eq!(read(&json!({"on": 3})).unwrap_err(), "settings: `on` must be true or false");
        assert_eq!(
            read(&json!({"text": "x"})).unwrap_err(),
            "settings: unknown name `text` (known: on, count, most, its-text, variables)"
        );
        assert_eq!((SETTINGS[3].name, SETTINGS[4].kind), ("its-text", SettingKind::TextMembers));
    }
}
