//! What hooks rewrite on a blocking event (R18, R21, R29): by the right of a builtin row, by the host's leave, or only as a
//! proposal. Later hooks see it; a block discards it.

use super::chain::GoclawChain;
use super::event::EventName;
use super::output::{Decided, GoclawAnswer};
use crate::hook::dialect::goclaw::config::record::{HandlerConfig, Row};
use crate::hook::hooks::Hook;
use crate::hook::json::Json;
use crate::hook::record::Effect;
use serde_json::{Map, Value};
use std::sync::Arc;

impl GoclawChain<'_> {
    /// What an allowing hook adds and rewrites (R18, R21, R29).
    pub(super) fn apply(
        &mut self,
        hook: &Hook,
        row: &Row,
        answer: GoclawAnswer,
        warnings: &mut Vec<String>,
    ) -> Effect {
        self.contexts.extend(answer.context.filter(|_| answer.decided == Decided::Allow));
        let Some(input) = answer.input else { return Effect::None };
        let parts = match &row.handler {
            HandlerConfig::Script { .. } => self.rewrite_by_right(input, &row.mutable, warnings),
            HandlerConfig::Http { .. } if self.bundle.settings.allow_http_mutation => {
                self.proposed = Some(Json::from(Value::Object(input.clone())));
                self.rewrite_whole(input)
            }
            _ => {
                self.proposed = Some(Json::from(Value::Object(input)));
                return Effect::Ignored("R18: the input is proposed to the host, not applied");
            }
        };
        if parts.is_empty() {
            return Effect::Ignored("R21: nothing of the input may be rewritten");
        }
        self.encoded = None;
        self.rewritten_by.push(hook.id.clone());
        Effect::Rewrote(parts)
    }

    /// R21: only what the row lists.
    fn rewrite_by_right(
        &mut self,
        input: Map<String, Value>,
        mutable: &[String],
        warnings: &mut Vec<String>,
    ) -> Vec<&'static str> {
        let may = |field: &str| mutable.iter().any(|known| known == field);
        let mut parts = Vec::new();
        for (name, value) in input {
            match (name.as_str(), value) {
                ("toolInput", Value::Object(members)) if !may("toolInput") => {
                    for (key, value) in members {
                        let field = format!("toolInput.{key}");
                        if may(&field) && self.set_member(&key, value) {
                            parts.push("toolInput");
                        } else {
                            warnings.push(format!("updatedInput.{field} is dropped"));
                        }
                    }
                }
                (field, value) => {
                    if may(field) && self.set_field(field, value) {
                        parts.push(if field == "rawInput" { "rawInput" } else { "toolInput" });
                    } else {
                        warnings.push(format!("updatedInput.{field} is dropped"));
                    }
                }
            }
        }
        parts.dedup();
        parts
    }

    /// The fields by their names, or all of a call's arguments.
    fn rewrite_whole(&mut self, mut input: Map<String, Value>) -> Vec<&'static str> {
        let mut parts = Vec::new();
        let named =
            ["rawInput", "toolInput"].into_iter().filter_map(|name| Some((name, input.remove(name)?)));
        for (name, value) in named.collect::<Vec<_>>() {
            if self.set_field(name, value) {
                parts.push(name);
            }
        }
        if parts.is_empty() && self.set_field("toolInput", Value::Object(input)) {
            parts.push("toolInput");
        }
        parts
    }

    fn set_field(&mut self, name: &str, value: Value) -> bool {
        match (name, value, self.payload.name) {
            ("rawInput", Value::String(text), EventName::UserPromptSubmit) => {
                self.payload.raw_input = Arc::from(text);
                self.rewrote.raw_input = true;
                true
            }
            ("toolInput", value @ Value::Object(_), EventName::PreToolUse) => {
                self.payload.tool_input = Json::from(value);
                self.rewrote.tool_input = true;
                true
            }
            (name, value, EventName::PreToolUse) => {
                name.strip_prefix("toolInput.").is_some_and(|key| self.set_member(key, value))
            }
            _ => false,
        }
    }

    fn set_member(&mut self, key: &str, value: Value) -> bool {
        if self.payload.name != EventName::PreToolUse {
            return false;
        }
        let Value::Object(members) = self.payload.tool_input.make_mut() else { return false };
        members.insert(key.to_owned(), value);
        self.rewrote.tool_input = true;
        true
    }
}
