//! The contract: how a config of this dialect is known and read.

use super::{config, payload};
use crate::hook::contract::{Contract, LoadOptions, Loaded};
use crate::hook::document::{Node, Source};
use crate::hook::error::{ConfigError, EventError};
use crate::hook::event::Event;
use serde_json::Value;

/// The contract.
#[derive(Clone, Copy, Debug)]
pub struct DockerAgent;

impl Contract for DockerAgent {
    fn recognises(&self, config: &Node) -> bool {
        config::recognises(config)
    }

    fn load(&self, source: &Source<'_>, options: &LoadOptions) -> Result<Loaded, ConfigError> {
        config::load(source, options)
    }

    fn read_event(&self, payload: &Value) -> Result<Event, EventError> {
        payload::read_event(payload)
    }
}
