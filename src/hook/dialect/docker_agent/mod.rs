//! `docker-agent`: docker-agent hooks.

use super::{Contract, LoadOptions, Loaded, Node, Source};
use crate::hook::error::{ConfigError, EventError};
use crate::hook::event::Event;
use serde::Serialize;
use serde_json::Value;

/// The contract.
#[derive(Clone, Copy, Debug)]
pub struct DockerAgent;

/// What a chain came to, in the contract's shapes.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DockerAgentResult {}

impl Contract for DockerAgent {
    fn recognises(&self, _: &Node) -> bool {
        false
    }

    fn load(&self, source: &Source<'_>, _: &LoadOptions) -> Result<Loaded, ConfigError> {
        Err(source.problem(None, "docker-agent: not there yet").into())
    }

    fn read_event(&self, _: &Value) -> Result<Event, EventError> {
        Err(EventError::Neutral("docker-agent: not there yet".to_owned()))
    }
}
