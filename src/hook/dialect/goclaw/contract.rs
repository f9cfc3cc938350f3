//! The contract: how records of this dialect are known and read.

use super::{config, payload};
use crate::hook::contract::{Contract, LoadOptions, Loaded};
use crate::hook::document::{Node, Source};
use crate::hook::error::{ConfigError, EventError};
use crate::hook::event::Event;
use serde_json::Value;

/// The contract.
#[derive(Clone, Copy, Debug)]
pub struct Goclaw;

impl Contract for Goclaw {
    fn recognises(&self, config: &Node) -> bool {
        config::records(config).iter().any(|record| record.get("handler_type").is_some())
    }

    fn load(&self, source: &Source<'_>, options: &LoadOptions) -> Result<Loaded, ConfigError> {
        config::load(source, options)
    }

    fn read_event(&self, payload: &Value) -> Result<Event, EventError> {
        payload::read_event(payload)
    }
}
