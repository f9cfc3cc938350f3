//! The schema of an older version of a contract: that of the newest without the properties, words and parts that came later.

use super::SchemaKind;
use crate::hook::version::{Addition, ContractVersion, Part};
use serde_json::Value;

/// A schema's text without what the version lacks.
pub(super) fn without_later(text: &str, version: ContractVersion, kind: SchemaKind) -> String {
    let Ok(mut schema) = serde_json::from_str::<Value>(text) else { return text.to_owned() };
    let later: Vec<Addition> = version.lacking().filter(|addition| counts(addition, kind)).collect();
    prune(&mut schema, &later, "");
    if let Some(title) = schema.get("title").and_then(Value::as_str) {
        schema["title"] = format!("{title} of {version}").into();
    }
    let mut text = serde_json::to_string_pretty(&schema).unwrap_or_else(|_| text.to_owned());
    text.push('\n');
    text
}

/// Whether something that came later can stand in a schema of the kind.
fn counts(addition: &Addition, kind: SchemaKind) -> bool {
    matches!(
        (addition.part, kind),
        (Part::Event, _)
            | (Part::Kind | Part::Field | Part::Schema, SchemaKind::Config)
            | (Part::Payload, SchemaKind::Payload)
            | (Part::Output, SchemaKind::Output)
    )
}

/// Takes out of a schema, which is our own text and nests little, what came later. `event` is the one that a branch is about.
fn prune(schema: &mut Value, later: &[Addition], event: &str) {
    let own = event_of(schema).unwrap_or(event).to_owned();
    let event = own.as_str();
    let is_later = |name: &str| {
        let is_it = |addition: &Addition| {
            addition.name == name && (addition.event.is_empty() || addition.event == event)
        };
        later.iter().any(is_it)
    };
    match schema {
        Value::Object(members) => {
            for (name, value) in &mut *members {
                match (name.as_str(), value) {
                    ("properties", Value::Object(properties)) => {
                        properties.retain(|name, _| !is_later(name));
                        for value in properties.values_mut() {
                            prune(value, later, event);
                        }
                    }
                    ("enum" | "required", Value::Array(words)) => {
                        words.retain(|word| !word.as_str().is_some_and(is_later));
                    }
                    ("allOf" | "anyOf" | "oneOf", Value::Array(parts)) => {
                        parts.retain(|part| !is_about(part, &is_later));
                        for part in parts.iter_mut() {
                            prune(part, later, event);
                        }
                    }
                    (_, value) => prune(value, later, event),
                }
            }
        }
        Value::Array(items) => {
            for item in items {
                prune(item, later, event);
            }
        }
        _ => {}
    }
}

/// The event that a branch asks for (`if` ... `hook_event_name` is a word).
fn event_of(schema: &Value) -> Option<&str> {
    let asked = schema.get("if")?.get("properties")?;
    let name = asked.get("hook_event_name").or_else(|| asked.get("hookEventName"))?;
    name.get("const")?.as_str()
}

/// Whether a branch is only about something that came later: an event, or a type of hooks.
fn is_about(part: &Value, is_later: &impl Fn(&str) -> bool) -> bool {
    let asked = part.get("if").unwrap_or(part).get("properties");
    let constants = asked.and_then(Value::as_object).into_iter().flat_map(|all| all.iter());
    let words =
        constants.filter(|(name, _)| matches!(name.as_str(), "hook_event_name" | "hookEventName" | "type"));
    words.filter_map(|(_, value)| value.get("const")?.as_str()).any(is_later)
}
