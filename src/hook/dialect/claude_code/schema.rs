//! The output's schema (4.4, R45): which members there are, of which type, on which event.
//!
//! A member of the wrong type, a word outside its set, or an event's own part under another event's name is a failure.
//! `null` stands for an absent member, as `jq` prints it. Members that the contract does not name are let through.

use super::event::EventName;
use crate::hook::unread::{self, Shape};
use rustc_hash::FxHashSet;
use serde_json::{Map, Value};

/// An output whose known members have the right types.
#[derive(Debug, Default)]
pub(super) struct Output {
    members: Map<String, Value>,
}

impl Output {
    /// Checks an output.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(super) fn strict(members: Map<String, Value>, event: EventName) -> Result<Self, String> {
        let own = members.get("hookSpecificOutput").and_then(Value::as_object);
        let of_own = |own| {
            let decides = event == EventName::PermissionRequest;
            fault_of_name(own, event).or_else(|| fault_of_decision(own).filter(|_| decides))
        };
        match own.and_then(of_own).or_else(|| unread::misfit(&members, event.row().event.output, "")) {
            Some(fault) => Err(format!("hook output does not fit: {fault}")),
            None => Ok(Self { members }),
        }
    }

    /// Drops the members that are wrong, one by one (R54).
    pub(super) fn lenient(mut members: Map<String, Value>, event: EventName) -> Self {
        let own = members.get("hookSpecificOutput").and_then(Value::as_object);
        if own.is_some_and(|own| fault_of_name(own, event).is_some()) {
            members.shift_remove("hookSpecificOutput");
        }
        unread::drop_misfits(&mut members, event.row().event.output);
        Self { members }
    }

    fn get(&self, name: &str) -> Option<&Value> {
        self.members.get(name).filter(|value| !value.is_null())
    }

    pub(super) fn text(&self, name: &str) -> Option<&str> {
        self.get(name).and_then(Value::as_str)
    }

    pub(super) fn boolean(&self, name: &str) -> Option<bool> {
        self.get(name).and_then(Value::as_bool)
    }

    /// A member of `hookSpecificOutput`.
    pub(super) fn own(&self, name: &str) -> Option<&Value> {
        self.get("hookSpecificOutput")?.get(name).filter(|value| !value.is_null())
    }

    pub(super) fn own_text(&self, name: &str) -> Option<&str> {
        self.own(name).and_then(Value::as_str)
    }

    pub(super) fn own_boolean(&self, name: &str) -> Option<bool> {
        self.own(name).and_then(Value::as_bool)
    }

    /// The strings of a list, each once.
    pub(super) fn own_texts(&self, name: &str) -> Option<Vec<String>> {
        let items = self.own(name)?.as_array()?;
        let mut seen = FxHashSet::default();
        let texts = items.iter().filter_map(Value::as_str).filter(|text| seen.insert(*text));
        Some(texts.map(str::to_owned).collect())
    }
}

/// Why the event's own part is not the event's.
fn fault_of_name(own: &Map<String, Value>, event: EventName) -> Option<String> {
    match own.get("hookEventName").and_then(Value::as_str) {
        Some(name) if name == event.name() => None,
        Some(name) => Some(format!("hookSpecificOutput.hookEventName is `{name}`, not `{}`", event.name())),
        None => Some("hookSpecificOutput.hookEventName is missing".to_owned()),
    }
}

/// What the shapes of its members do not say of the answer to a permission request.
fn fault_of_decision(own: &Map<String, Value>) -> Option<String> {
    let path = "hookSpecificOutput.decision";
    let members = own.get("decision")?.as_object()?;
    if members.get("behavior").is_none_or(Value::is_null) {
        return Some(format!("{path}.behavior is missing"));
    }
    let updates = members.get("updatedPermissions").filter(|updates| !updates.is_null())?;
    let path = format!("{path}.updatedPermissions");
    let Some(updates) = updates.as_array() else { return Some(format!("{path} must be a list")) };
    updates
        .iter()
        .enumerate()
        .find_map(|(index, update)| fault_of_update(update, &format!("{path}[{index}]")))
}

/// R44.
fn fault_of_update(update: &Value, path: &str) -> Option<String> {
    let text = |name: &str| update.get(name).and_then(Value::as_str);
    let one_of = |name: &str, words: &[&str]| {
        let fits = text(name).is_some_and(|text| words.contains(&text));
        (!fits).then(|| format!("{path}.{name} must be one of: {}", words.join(", ")))
    };
    let kinds = ["addRules", "replaceRules", "removeRules", "setMode", "addDirectories", "removeDirectories"];
    let places = ["session", "localSettings", "projectSettings", "userSettings"];
    if let Some(fault) = one_of("type", &kinds).or_else(|| one_of("destination", &places)) {
        return Some(fault);
    }
    match text("type").unwrap_or_default() {
        "setMode" => text("mode").is_none().then(|| format!("{path}.mode must be a string")),
        "addDirectories" | "removeDirectories" => {
            let is_list =
                update.get("directories").is_some_and(|list| !list.is_null() && Shape::Texts.takes(list));
            (!is_list).then(|| format!("{path}.directories must be {}", Shape::Texts.describe()))
        }
        _ => {
            let is_rule = |rule: &Value| {
                let content = rule.get("ruleContent");
                rule.get("toolName").is_some_and(Value::is_string)
                    && content.is_none_or(|content| content.is_string() || content.is_null())
            };
            let rules = update.get("rules").and_then(Value::as_array);
            if !rules.is_some_and(|rules| rules.iter().all(is_rule)) {
                return Some(format!("{path}.rules must be a list of {{toolName, ruleContent}}"));
            }
            one_of("behavior", &["allow", "deny", "ask"])
        }
    }
}
