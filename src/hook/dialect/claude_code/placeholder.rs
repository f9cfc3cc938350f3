//! Placeholders: `${CLAUDE_PROJECT_DIR}` and its like in commands (R20), `$NAME` in header values (R25), `${a.b}` in a tool's
//! input (R26), `$ARGUMENTS` in prompts (R27). Each is one pass from left to right; what was put in is not looked at again.
//! What an event decides is bounded: a prompt that repeats a large payload cannot start.

use super::settings::{ClaudeSettings, HookSource, Plugin};
use crate::hook::json::cut;
use crate::limit::gauge;
use crate::text::Text;
use serde_json::Value;
use std::sync::Arc;

/// What stands for the placeholders of one file's commands.
#[derive(Debug)]
pub(super) struct Places<'s> {
    project_dir: &'s str,
    plugin: Option<&'s Plugin>,
    /// What a hook of this file gets beside the variables of its event; all of them share it.
    pub(super) variables: Arc<[(Text, Text)]>,
}

impl<'s> Places<'s> {
    pub(super) fn new(settings: &'s ClaudeSettings, source: &HookSource) -> Self {
        let none = Arc::from([]);
        let places =
            Self { project_dir: &settings.project_dir, plugin: settings.plugin(source), variables: none };
        Self { variables: places.variables(), ..places }
    }

    fn folder(&self, name: &str) -> Option<&'s str> {
        match name {
            "CLAUDE_PROJECT_DIR" => Some(self.project_dir),
            "CLAUDE_PLUGIN_ROOT" => self.plugin?.root.as_deref(),
            "CLAUDE_PLUGIN_DATA" => self.plugin?.data.as_deref(),
            _ => None,
        }
    }

    fn variables(&self) -> Arc<[(Text, Text)]> {
        let names = ["CLAUDE_PROJECT_DIR", "CLAUDE_PLUGIN_ROOT", "CLAUDE_PLUGIN_DATA"];
        let folders = names.into_iter().filter_map(|name| Some((name.into(), self.folder(name)?.into())));
        let options = self.plugin.map_or(&[][..], |plugin| &plugin.options);
        let options = options.iter().map(|(key, value)| (option_variable(key).into(), value.as_str().into()));
        folders.chain(options).collect()
    }

    /// A shell command with its placeholders replaced as text. A folder that is not known stays as it is, for the shell to
    /// expand.
    ///
    /// # Errors
    /// It has a `${user_config.*}`: such a hook cannot start.
    pub(super) fn in_command(&self, command: &str) -> Result<String, String> {
        replace(command, |name| {
            if name.starts_with("user_config.") {
                return Err(format!("${{{name}}} is for commands with `args` only"));
            }
            self.folder(name).map(charged).transpose()
        })
    }

    /// A program's name or argument with its placeholders replaced.
    ///
    /// # Errors
    /// There is no such option.
    pub(super) fn in_argument(&self, argument: &str) -> Result<String, String> {
        replace(argument, |name| match name.strip_prefix("user_config.") {
            None => self.folder(name).map(charged).transpose(),
            Some(key) => {
                let mut options = self.plugin.iter().flat_map(|plugin| &plugin.options);
                let option = options.find(|(known, _)| known == key);
                let (_, value) = option.ok_or_else(|| format!("there is no option `{key}`"))?;
                charged(value).map(Some)
            }
        })
    }
}

/// A value that is put into a text of the config, charged to its loading: a config can name it many times.
fn charged(value: &str) -> Result<String, String> {
    if gauge::charge(value.len()) {
        Ok(value.to_owned())
    } else {
        Err("a text with its placeholders replaced is too long".to_owned())
    }
}

/// `CLAUDE_PLUGIN_OPTION_` and the key in capitals, with `_` for what a variable's name cannot have.
fn option_variable(key: &str) -> String {
    let letter =
        |letter: char| if letter.is_ascii_alphanumeric() { letter.to_ascii_uppercase() } else { '_' };
    format!("CLAUDE_PLUGIN_OPTION_{}", key.chars().map(letter).collect::<String>())
}

/// Longest name of a placeholder, in bytes.
const LONGEST_NAME: usize = 256;
/// Longest value of a header with its variables replaced, in bytes.
const LONGEST_HEADER: usize = 64 << 10;
/// Longest prompt or tool input with its placeholders replaced, in bytes.
const LONGEST_TEXT: usize = 4 << 20;

/// `name}` at the start of a text, and what follows.
fn braced(text: &str) -> Option<(&str, &str)> {
    let (name, _) = cut(text, LONGEST_NAME).split_once('}')?;
    Some((name, text.get(name.len()..)?.strip_prefix('}')?))
}

/// Replaces each `${name}` for which `value` has one; the others stay.
fn replace<E>(text: &str, mut value: impl FnMut(&str) -> Result<Option<String>, E>) -> Result<String, E> {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("${") {
        out.push_str(before);
        let found = match braced(after) {
            Some((name, tail)) if !name.contains(['$', '{']) => value(name)?.map(|value| (value, tail)),
            _ => None,
        };
        rest = if let Some((value, tail)) = found {
            out.push_str(&value);
            tail
        } else {
            out.push_str("${");
            after
        };
    }
    out.push_str(rest);
    Ok(out)
}

/// A header's value: `$V` and `${V}` become what `value` has, or nothing.
///
/// # Errors
/// It would be too long.
pub(super) fn in_header(text: &str, value: impl Fn(&str) -> String) -> Result<String, String> {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    let is_name = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    while let Some((before, after)) = rest.split_once('$') {
        if out.len() > LONGEST_HEADER {
            return Err(format!(
                "a header with its variables replaced is longer than {LONGEST_HEADER} bytes"
            ));
        }
        out.push_str(before);
        let in_braces = after.strip_prefix('{').and_then(braced);
        let in_braces = in_braces.filter(|(name, _)| !name.is_empty() && name.chars().all(is_name));
        let bare = || {
            let end = after.find(|letter| !is_name(letter)).unwrap_or(after.len());
            let found = after.split_at_checked(end)?;
            (!found.0.is_empty() && !found.0.starts_with(|letter: char| letter.is_ascii_digit()))
                .then_some(found)
        };
        if let Some((name, tail)) = in_braces.or_else(bare) {
            out.push_str(&value(name));
            rest = tail;
        } else {
            out.push('$');
            rest = after;
        }
    }
    out.push_str(rest);
    Ok(out)
}

/// A tool's input with each `${a.b}` in its strings replaced by what the payload has at that path: a string as it is,
/// anything else as compact JSON, nothing for what is not there.
///
/// # Errors
/// It would be too long.
pub(super) fn in_input(input: &Value, payload: &Value) -> Result<Value, String> {
    fill(input, payload, &mut { LONGEST_TEXT })
}

/// The depth is that of the config, which its parser bounds. `left` is how many bytes may still be put in.
fn fill(input: &Value, payload: &Value, left: &mut usize) -> Result<Value, String> {
    match input {
        Value::String(text) => {
            let at = |path: &str| {
                let value = at_path(payload, path);
                *left = left.checked_sub(value.len()).ok_or_else(|| too_long("input"))?;
                Ok(Some(value))
            };
            replace(text, at).map(Value::String)
        }
        Value::Array(items) => items.iter().map(|item| fill(item, payload, left)).collect(),
        Value::Object(members) => {
            let filled = members.iter().map(|(name, value)| Ok((name.clone(), fill(value, payload, left)?)));
            filled.collect::<Result<_, String>>().map(Value::Object)
        }
        other => Ok(other.clone()),
    }
}

fn too_long(what: &str) -> String {
    format!("{what} with its placeholders replaced is longer than {LONGEST_TEXT} bytes")
}

fn at_path(payload: &Value, path: &str) -> String {
    let found = path.split('.').try_fold(payload, |value, key| match value {
        Value::Array(items) => items.get(key.parse::<usize>().ok()?),
        other => other.get(key),
    });
    match found {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
    }
}

/// A prompt with `$ARGUMENTS` replaced by the payload; without one the payload follows it. `\$` is a dollar sign.
///
/// # Errors
/// It would be too long.
pub(super) fn in_prompt(prompt: &str, payload: &[u8]) -> Result<String, String> {
    let payload = String::from_utf8_lossy(payload);
    let mut out = String::with_capacity(prompt.len().saturating_add(payload.len()));
    let (mut rest, mut placed) = (prompt, false);
    while let Some(at) = rest.find(['\\', '$']) {
        let (before, after) = rest.split_at_checked(at).unwrap_or((rest, ""));
        out.push_str(before);
        if let Some(tail) = after.strip_prefix("\\$") {
            out.push('$');
            rest = tail;
        } else if let Some(tail) = after.strip_prefix("$ARGUMENTS") {
            if out.len().saturating_add(payload.len()) > LONGEST_TEXT {
                return Err(too_long("prompt"));
            }
            out.push_str(&payload);
            placed = true;
            rest = tail;
        } else {
            let mut letters = after.chars();
            out.extend(letters.next());
            rest = letters.as_str();
        }
    }
    out.push_str(rest);
    if !placed {
        out.push_str("\n\n");
        out.push_str(&payload);
    }
    Ok(out)
}
