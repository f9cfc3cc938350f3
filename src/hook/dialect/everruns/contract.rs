//! The contract: how a config of this dialect is known and read, and the capability that it belongs to.

use super::{config, payload};
use crate::hook::contract::{Contract, LoadOptions, Loaded};
use crate::hook::document::{Node, Source};
use crate::hook::error::{ConfigError, EventError};
use crate::hook::event::Event;
use serde_json::Value;

/// The contract.
#[derive(Clone, Copy, Debug)]
pub struct Everruns;

/// What a host shows of the capability that carries user hooks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capability {
    /// Its `ref`.
    pub id: &'static str,
    /// Its category.
    pub category: &'static str,
    /// Its risk; only administrators may assign it.
    pub risk: &'static str,
}

/// The capability `user_hooks`: no dependencies, no tools.
pub const CAPABILITY: Capability = Capability { id: "user_hooks", category: "Automation", risk: "High" };

impl Contract for Everruns {
    fn recognises(&self, config: &Node) -> bool {
        let listed = |node: &Node| {
            let hooks = node.get("hooks").and_then(Node::as_array).unwrap_or_default();
            hooks.iter().any(|hook| hook.get("executor").is_some())
        };
        config.get("capabilities").is_some()
            || config.get("ref").and_then(Node::as_str) == Some(CAPABILITY.id)
            || config.get("definition").is_some_and(|definition| definition.get("user_hooks").is_some())
            || config.get("disabled_contributions").is_some()
            || listed(config)
    }

    fn load(&self, source: &Source<'_>, options: &LoadOptions) -> Result<Loaded, ConfigError> {
        config::load(source, options)
    }

    fn read_event(&self, payload: &Value) -> Result<Event, EventError> {
        payload::read_event(payload)
    }
}
