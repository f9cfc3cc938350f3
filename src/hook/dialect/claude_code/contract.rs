//! The contract: how a config of this dialect is known and read.

use super::{config, payload};
use crate::hook::contract::{Contract, LoadOptions, Loaded};
use crate::hook::document::{self, Node};
use crate::hook::error::{ConfigError, ConfigProblem, EventError};
use crate::hook::event::Event;
use serde_json::Value;

/// The contract.
#[derive(Clone, Copy, Debug)]
pub struct ClaudeCode;

impl Contract for ClaudeCode {
    /// An event map with names like `PreToolUse` whose entries are groups (with `hooks`).
    fn recognises(&self, config: &Node) -> bool {
        let events = config.get("hooks").filter(|hooks| hooks.is_object()).unwrap_or(config);
        events.members().iter().any(|member| {
            let groups = member.value.as_array().unwrap_or_default();
            member.name.starts_with(|letter: char| letter.is_ascii_uppercase())
                && groups.iter().any(|group| group.get("hooks").is_some())
        })
    }

    fn load(&self, source: &document::Source<'_>, options: &LoadOptions) -> Result<Loaded, ConfigError> {
        config::load(source, options)
    }

    fn tree(&self, source: &document::Source<'_>) -> Result<Node, ConfigProblem> {
        config::parse(source)
    }

    fn read_event(&self, payload: &Value) -> Result<Event, EventError> {
        payload::read_event(payload)
    }
}
