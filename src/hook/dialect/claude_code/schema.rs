//! The output's schema (4.4, R45): which members there are, of which type, on which event.
//!
//! A member of the wrong type, a word outside its set, or an event's own part under another event's name is a failure.
//! `null` stands for an absent member, as `jq` prints it. Members that the contract does not name are let through.

use super::event::EventName;
use crate::hook::unread;
use rustc_hash::FxHashSet;
use serde_json::{Map, Value};

/// What a member must be.
#[derive(Clone, Copy, Debug)]
enum Shape {
    Text,
    Bool,
    Object,
    Anything,
    Texts,
    Words(&'static [&'static str]),
    /// `{behavior, updatedInput, updatedPermissions, message, interrupt}`
    PermissionDecision,
}

use Shape::{Anything, Bool, Object, PermissionDecision, Text, Texts, Words};

type Members = &'static [(&'static str, Shape)];

const COMMON: Members = &[
    ("continue", Bool),
    ("stopReason", Text),
    ("suppressOutput", Bool),
    ("systemMessage", Text),
    ("terminalSequence", Text),
    ("decision", Words(&["approve", "block"])),
    ("reason", Text),
    ("hookSpecificOutput", Object),
];

const CONTEXT: Members = &[("additionalContext", Text)];
const WATCH: Members = &[("watchPaths", Texts)];
const ANSWER: Members = &[("action", Words(&["accept", "decline", "cancel"])), ("content", Object)];
const DECISION: Members = &[
    ("behavior", Words(&["allow", "deny"])),
    ("updatedInput", Object),
    ("updatedPermissions", Anything),
    ("message", Text),
    ("interrupt", Bool),
];

/// Members of `hookSpecificOutput` beside `hookEventName`.
const fn own(event: EventName) -> Members {
    match event {
        EventName::PreToolUse => &[
            ("permissionDecision", Words(&["allow", "deny", "ask", "defer"])),
            ("permissionDecisionReason", Text),
            ("updatedInput", Object),
            ("additionalContext", Text),
        ],
        EventName::PermissionRequest => &[("decision", PermissionDecision)],
        EventName::PermissionDenied => &[("retry", Bool)],
        EventName::PostToolUse => &[
            ("additionalContext", Text),
            ("updatedToolOutput", Anything),
            ("updatedMCPToolOutput", Anything),
            ("classifierContext", Text),
        ],
        EventName::PostToolUseFailure
        | EventName::PostToolBatch
        | EventName::SubagentStart
        | EventName::Stop
        | EventName::SubagentStop
        | EventName::PostModelSwitch
        | EventName::UserPromptExpansion => CONTEXT,
        EventName::UserPromptSubmit => {
            &[("additionalContext", Text), ("sessionTitle", Text), ("suppressOriginalPrompt", Bool)]
        }
        EventName::SessionStart => &[
            ("additionalContext", Text),
            ("initialUserMessage", Text),
            ("sessionTitle", Text),
            ("watchPaths", Texts),
            ("reloadSkills", Bool),
        ],
        EventName::CwdChanged | EventName::FileChanged => WATCH,
        EventName::PreModelSwitch => {
            &[("permissionDecision", Words(&["allow", "deny", "ask"])), ("permissionDecisionReason", Text)]
        }
        EventName::Elicitation | EventName::ElicitationResult => ANSWER,
        EventName::MessageDisplay => &[("displayContent", Text)],
        EventName::WorktreeCreate => &[("worktreePath", Text)],
        _ => &[],
    }
}

/// Names of an output that mean nothing on this event; of types [`check`] is sure.
pub(super) fn unread(event: EventName, output: &Map<String, Value>) -> Vec<String> {
    let is_known = |members: Members, name: &str| members.iter().any(|(known, _)| *known == name);
    let own_part = output.get("hookSpecificOutput").and_then(Value::as_object);
    let above = output.keys().filter(|name| !is_known(COMMON, name)).map(|name| unread::unknown("", name));
    let below = own_part.into_iter().flat_map(Map::keys);
    let below = below.filter(|name| *name != "hookEventName" && !is_known(own(event), name));
    above
        .chain(below.map(|name| unread::unknown("hookSpecificOutput.", name)))
        .take(unread::MOST_FAULTS)
        .collect()
}

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
    pub(super) fn strict(mut members: Map<String, Value>, event: EventName) -> Result<Self, String> {
        match check(&mut members, event, false) {
            Some(fault) => Err(format!("hook output does not fit: {fault}")),
            None => Ok(Self { members }),
        }
    }

    /// Drops the members that are wrong, one by one (R54).
    pub(super) fn lenient(mut members: Map<String, Value>, event: EventName) -> Self {
        check(&mut members, event, true);
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

/// The first fault; where `drop`, faulty members are taken out and all are looked at.
fn check(members: &mut Map<String, Value>, event: EventName, drop: bool) -> Option<String> {
    if let Some(fault) = check_members(members, COMMON, "", drop) {
        return Some(fault);
    }
    let Some(Value::Object(own_part)) = members.get_mut("hookSpecificOutput") else { return None };
    let fault = match own_part.get("hookEventName").and_then(Value::as_str) {
        Some(name) if name == event.name() => {
            check_members(own_part, own(event), "hookSpecificOutput.", drop)
        }
        Some(name) => Some(format!("hookSpecificOutput.hookEventName is `{name}`, not `{}`", event.name())),
        None => Some("hookSpecificOutput.hookEventName is missing".to_owned()),
    };
    if drop && fault.is_some() {
        members.shift_remove("hookSpecificOutput");
        return None;
    }
    fault
}

fn check_members(members: &mut Map<String, Value>, known: Members, path: &str, drop: bool) -> Option<String> {
    for (name, shape) in known {
        let Some(value) = members.get(*name).filter(|value| !value.is_null()) else { continue };
        let Some(fault) = fault_of(value, *shape, &format!("{path}{name}")) else { continue };
        if !drop {
            return Some(fault);
        }
        members.shift_remove(*name);
    }
    None
}

fn fault_of(value: &Value, shape: Shape, path: &str) -> Option<String> {
    let expected = match shape {
        Anything => return None,
        PermissionDecision => return fault_of_decision(value, path),
        Words(words) => {
            let text = value.as_str();
            if text.is_some_and(|text| words.contains(&text)) {
                return None;
            }
            return Some(match text {
                Some(text) => format!("{path} `{text}` is not one of: {}", words.join(", ")),
                None => format!("{path} must be one of: {}", words.join(", ")),
            });
        }
        Text => (value.is_string(), "a string"),
        Bool => (value.is_boolean(), "a boolean"),
        Object => (value.is_object(), "an object"),
        Texts => {
            let is_list = value.as_array().is_some_and(|items| items.iter().all(Value::is_string));
            (is_list, "a list of strings")
        }
    };
    (!expected.0).then(|| format!("{path} must be {}", expected.1))
}

fn fault_of_decision(value: &Value, path: &str) -> Option<String> {
    let Some(members) = value.as_object() else { return Some(format!("{path} must be an object")) };
    if members.get("behavior").is_none_or(Value::is_null) {
        return Some(format!("{path}.behavior is missing"));
    }
    let present = |name: &str| members.get(name).filter(|value| !value.is_null());
    for (name, shape) in DECISION {
        let fault = present(name).and_then(|value| fault_of(value, *shape, &format!("{path}.{name}")));
        if fault.is_some() {
            return fault;
        }
    }
    let updates = present("updatedPermissions")?;
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
            fault_of(update.get("directories").unwrap_or(&Value::Null), Texts, &format!("{path}.directories"))
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

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn fault(event: EventName, output: Value) -> Option<String> {
        let Value::Object(output) = output else { panic!() };
        Output::strict(output, event).err()
    }

    #[test]
    fn faults() {
        let own = |event: &str, members: Value| {
            let mut own = members;
            own["hookEventName"] = event.into();
            json!({"hookSpecificOutput": own})
        };
        let rule = json!({"type": "addRules", "rules": [{"toolName": "Bash", "ruleContent": "x"}],
            "behavior": "allow", "destination": "session"});
        let decision =
            |updates: Value| json!({"decision": {"behavior": "allow", "updatedPermissions": updates}});
        use EventName::{PermissionRequest, PreModelSwitch, PreToolUse, SessionStart, Stop};
        for (event, output, wanted) in [
            (Stop, json!({"continue": "no"}), true),
            (Stop, json!({"continue": null, "more": 1}), false),
            (Stop, json!({"decision": "allow"}), true),
            (Stop, json!({"decision": "approve"}), false),
            (Stop, json!({"reason": 1}), true),
            (Stop, json!({"hookSpecificOutput": {}}), true),
            (Stop, json!({"hookSpecificOutput": []}), true),
            (Stop, own("PreToolUse", json!({})), true),
            (Stop, own("Stop", json!({"additionalContext": "x", "unknown": 5})), false),
            (PreToolUse, own("PreToolUse", json!({"permissionDecision": "maybe"})), true),
            (PreToolUse, own("PreToolUse", json!({"permissionDecision": "defer"})), false),
            (PreModelSwitch, own("PreModelSwitch", json!({"permissionDecision": "defer"})), true),
            (PreToolUse, own("PreToolUse", json!({"updatedInput": "x"})), true),
            (SessionStart, own("SessionStart", json!({"watchPaths": [1]})), true),
            (SessionStart, own("SessionStart", json!({"watchPaths": []})), false),
            (PermissionRequest, own("PermissionRequest", json!({"decision": {}})), true),
            (PermissionRequest, own("PermissionRequest", json!({"decision": {"behavior": "ask"}})), true),
            (PermissionRequest, own("PermissionRequest", decision(json!([rule]))), false),
            (PermissionRequest, own("PermissionRequest", decision(json!([{"type": "x"}]))), true),
            (
                PermissionRequest,
                own("PermissionRequest", decision(json!([{"type": "setMode", "destination": "session"}]))),
                true,
            ),
        ] {
            assert_eq!(fault(event, output.clone()).is_some(), wanted, "{output}");
        }
    }

    #[test]
    fn lenient_drops_members_one_by_one() {
        let output = json!({"systemMessage": 5, "reason": "r",
            "hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": 1, "additionalContext": "c"}});
        let Value::Object(output) = output else { panic!() };
        let output = Output::lenient(output, EventName::PreToolUse);
        assert_eq!((output.text("systemMessage"), output.text("reason")), (None, Some("r")));
        assert_eq!(
            (output.own("permissionDecision"), output.own_text("additionalContext")),
            (None, Some("c"))
        );
    }
}
