//! The contract: how a config of this dialect is known and read.

use super::{config, payload};
use crate::hook::contract::{Contract, LoadOptions, Loaded};
use crate::hook::document::{Node, Source};
use crate::hook::error::{ConfigError, EventError};
use crate::hook::event::Event;
use serde_json::Value;

/// The contract.
#[derive(Clone, Copy, Debug)]
pub struct Infer;

impl Contract for Infer {
    fn recognises(&self, config: &Node) -> bool {
        let hooks = config.get("hooks").and_then(Node::as_array).unwrap_or_default();
        let is_hook = |hook: &Node| hook.get("hook").is_some() && hook.get("command").is_some();
        hooks.iter().any(is_hook)
    }

    fn load(&self, source: &Source<'_>, options: &LoadOptions) -> Result<Loaded, ConfigError> {
        config::load(source, options)
    }

    fn read_event(&self, payload: &Value) -> Result<Event, EventError> {
        payload::read_event(payload)
    }
}
