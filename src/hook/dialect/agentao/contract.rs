//! The contract: how a config of this dialect is known and read.

use super::{config, payload};
use crate::hook::contract::{Contract, LoadOptions, Loaded};
use crate::hook::document::{Node, Source};
use crate::hook::error::{ConfigError, EventError};
use crate::hook::event::Event;
use serde_json::Value;

/// The contract.
#[derive(Clone, Copy, Debug)]
pub struct Agentao;

impl Contract for Agentao {
    fn recognises(&self, config: &Node) -> bool {
        let events = config.get("hooks").filter(|hooks| hooks.is_object()).unwrap_or(config);
        let is_flat = |entry: &Node| entry.get("type").is_some() && entry.get("hooks").is_none();
        events.members().iter().any(|member| {
            let is_event = member.name.starts_with(|first: char| first.is_ascii_uppercase());
            let entries = member.value.as_array().unwrap_or(std::slice::from_ref(&member.value));
            is_event && entries.iter().any(is_flat)
        })
    }

    fn load(&self, source: &Source<'_>, options: &LoadOptions) -> Result<Loaded, ConfigError> {
        config::load(source, options)
    }

    fn read_event(&self, payload: &Value) -> Result<Event, EventError> {
        payload::read_event(payload)
    }
}
