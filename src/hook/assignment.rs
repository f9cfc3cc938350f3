//! What a host may set when it loads a config, as a table of each dialect ([`Dialect::settings`]), and as text: a command line
//! or an environment says `KEY=VALUE` ([`LoadOptions::set`]).
//!
//! A key is a setting's name. After a dot it names a member of a setting that is an object: `environment.TOKEN`,
//! `plugins.fmt.root`. A name in capitals is a variable of the setting `environment` (`INFER_TOOLS_BASH_ALLOW_APPEND` is
//! `environment.INFER_TOOLS_BASH_ALLOW_APPEND`). The table says of what type a value is; the dialect looks at the rest when it
//! loads (that a folder is absolute, say).
//!
//! ```
//! use hookbox::hook::{Dialect, LoadOptions};
//!
//! let mut options = LoadOptions::default();
//! options.set(Dialect::Infer, "mode", "plan")?;
//! options.set(Dialect::Infer, "tools.bash.mode.plan.allow", r#"["git .*"]"#)?;
//! assert_eq!(options.settings["tools"]["bash"]["mode"]["plan"]["allow"][0], "git .*");
//! let error = options.set(Dialect::Goclaw, "edition", "light").unwrap_err();
//! assert_eq!(error.to_string(), "goclaw: `edition` must be one of lite, standard, not `light`");
//! # Ok::<(), hookbox::hook::SettingError>(())
//! ```

use super::contract::LoadOptions;
use super::dialect::list::Dialect;
use super::setting::{Setting, SettingKind, structured};
use serde_json::{Map, Value};
use std::fmt::Write as _;

/// Why something cannot be set.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SettingError {
    /// The dialect has no such setting.
    #[error("{dialect} has no setting `{name}`{}", known(*dialect))]
    UnknownName {
        /// The dialect.
        dialect: Dialect,
        /// As given.
        name: String,
    },
    /// The value is not of the setting's type.
    #[error("{dialect}: `{name}` must be {}, not `{given}`", .kind.describe())]
    WrongValue {
        /// The dialect.
        dialect: Dialect,
        /// The setting.
        name: &'static str,
        /// What it must be.
        kind: SettingKind,
        /// As given.
        given: String,
    },
    /// A member is named of a setting that has none.
    #[error("{dialect}: `{name}` is {}: it has no member `{member}`", .kind.describe())]
    NoMembers {
        /// The dialect.
        dialect: Dialect,
        /// The setting.
        name: &'static str,
        /// Its type.
        kind: SettingKind,
        /// What is after the dot.
        member: String,
    },
}

fn known(dialect: Dialect) -> String {
    let names: Vec<_> = dialect.settings().iter().map(|setting| setting.name).collect();
    format!(" (known: {})", names.join(", "))
}

impl Dialect {
    /// What a host may set when it loads a config of this dialect: names of [`LoadOptions::settings`] and of fields of
    /// [`LoadOptions`].
    pub const fn settings(self) -> &'static [Setting] {
        self.contract().settings
    }
}

impl LoadOptions {
    /// Sets what the key says to what the text stands for; see the module.
    ///
    /// # Errors
    /// The dialect has no such setting, or the value is not of its type; the message says what would be right.
    pub fn set(&mut self, dialect: Dialect, key: &str, text: &str) -> Result<(), SettingError> {
        let is_known = |name: &str| dialect.settings().iter().any(|setting| setting.name == name);
        let is_variable =
            key.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_');
        let (name, member) = match key.split_once('.') {
            Some((name, member)) => (name, Some(member)),
            None if is_variable && !key.is_empty() && is_known("environment") => ("environment", Some(key)),
            None => (key, None),
        };
        let unknown = || SettingError::UnknownName { dialect, name: key.to_owned() };
        let setting = dialect.settings().iter().find(|setting| setting.name == name).ok_or_else(unknown)?;
        let Setting { name, kind, .. } = *setting;
        let Some(member) = member else {
            let wrong = || SettingError::WrongValue { dialect, name, kind, given: text.to_owned() };
            let value = kind.read(text).ok_or_else(wrong)?;
            self.put(name, kind, value);
            return Ok(());
        };
        let value = match kind {
            SettingKind::TextMembers => text.into(),
            SettingKind::Any => structured(text).unwrap_or_else(|| text.into()),
            _ => return Err(SettingError::NoMembers { dialect, name, kind, member: member.to_owned() }),
        };
        let path: Vec<&str> =
            if kind == SettingKind::Any { member.split('.').collect() } else { vec![member] };
        let mut place = self.settings.entry(name).or_insert(Value::Null);
        for step in path {
            if !place.is_object() {
                *place = Value::Object(Map::new());
            }
            let Some(object) = place.as_object_mut() else { return Ok(()) };
            place = object.entry(step).or_insert(Value::Null);
        }
        *place = value;
        Ok(())
    }

    fn put(&mut self, name: &'static str, kind: SettingKind, value: Value) {
        match name {
            "may_assign_high_risk" => self.may_assign_high_risk = value == true,
            "declarative_bundles" => self.declarative_bundles = value == true,
            "variable_prefix" => self.variable_prefix = value.as_str().map(str::to_owned),
            _ if kind == SettingKind::Texts => {
                let list = self.settings.entry(name).or_insert_with(|| Value::Array(Vec::new()));
                match list.as_array_mut() {
                    Some(list) => list.push(value),
                    None => *list = Value::Array(vec![value]),
                }
            }
            _ => {
                self.settings.insert(name.to_owned(), value);
            }
        }
    }
}

/// The table of a dialect's settings, for people.
#[cfg_attr(not(feature = "cli"), allow(dead_code, reason = "the command shows it"))]
pub(crate) fn list(dialect: Dialect) -> String {
    let mut text = String::new();
    for Setting { name, kind, default, summary } in dialect.settings() {
        let _ = writeln!(text, "{name}\n    {summary}\n    {}; default: {default}", kind.describe());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hook::HookSet;
    use serde_json::json;

    /// A value of the type.
    fn sample(setting: &Setting) -> &'static str {
        match setting.kind {
            SettingKind::Boolean => "true",
            SettingKind::Count | SettingKind::CountOrNull | SettingKind::Number => "3",
            SettingKind::Text | SettingKind::Texts => "/x",
            SettingKind::Choice(words) => words[0],
            SettingKind::TextMembers => r#"{"A": "b"}"#,
            SettingKind::Any => match setting.name {
                "default_reminders" => "[]",
                "plugins" if setting.default == "[]" => "[]",
                _ => "{}",
            },
        }
    }

    #[test]
    fn each_dialect_reads_what_its_table_has() {
        for &dialect in Dialect::ALL {
            for setting in dialect.settings() {
                let mut options = LoadOptions::default();
                options.set(dialect, setting.name, sample(setting)).unwrap();
                let error = HookSet::load(dialect, b"{}", &options).err().map(|error| error.to_string());
                let error = error.unwrap_or_default();
                assert!(!error.contains("setting"), "{dialect}: {}: {error}", setting.name);
            }
        }
    }

    #[test]
    fn members_and_variables() {
        let mut options = LoadOptions::default();
        let mut set = |key: &str, text: &str| options.set(Dialect::Infer, key, text).unwrap();
        set("INFER_TOOLS_BASH_ALLOW_APPEND", "jq .*");
        set("environment.a.b", "1");
        set("tools.bash.mode.all.allow", "[git, 'ls .*']");
        set("plugins", "[{name: p, hooks: 'enabled: true'}]");
        set("expand_unset_to_empty", "true");
        assert_eq!(
            Value::Object(options.settings),
            json!({
                "environment": {"INFER_TOOLS_BASH_ALLOW_APPEND": "jq .*", "a.b": "1"},
                "tools": {"bash": {"mode": {"all": {"allow": ["git", "ls .*"]}}}},
                "plugins": [{"name": "p", "hooks": "enabled: true"}],
                "expand_unset_to_empty": true,
            })
        );
        let mut options = LoadOptions::default();
        for command in ["exit 2", "true"] {
            options.set(Dialect::DockerAgent, "hook-stop", command).unwrap();
        }
        assert_eq!(options.settings["hook-stop"], json!(["exit 2", "true"]));
        options.set(Dialect::Everruns, "variable_prefix", "ACME").unwrap();
        assert_eq!((options.variable_prefix.as_deref(), options.settings.len()), (Some("ACME"), 1));
    }

    #[test]
    fn what_is_wrong_says_what_would_be_right() {
        let mut options = LoadOptions::default();
        let mut error =
            |dialect, key: &str, text: &str| options.set(dialect, key, text).unwrap_err().to_string();
        assert_eq!(
            error(Dialect::Everruns, "mode", "x"),
            "everruns has no setting `mode` (known: may_assign_high_risk, declarative_bundles, variable_prefix)"
        );
        assert_eq!(
            error(Dialect::Agentao, "strict_agentao", "yes"),
            "agentao: `strict_agentao` must be true or false, not `yes`"
        );
        assert_eq!(error(Dialect::Infer, "mode.x", "y"), "infer: `mode` is a text: it has no member `x`");
        assert_eq!(
            error(Dialect::ClaudeCode, "environment", "x"),
            "claude-code: `environment` must be an object of texts, not `x`"
        );
    }
}
