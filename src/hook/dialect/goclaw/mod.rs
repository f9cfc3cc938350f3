//! `goclaw`: GoClaw hooks.

use super::{Contract, LoadOptions, Loaded, Node, Source};
use crate::hook::error::{ConfigError, EventError};
use crate::hook::event::Event;
use serde::Serialize;
use serde_json::Value;

/// The contract.
#[derive(Clone, Copy, Debug)]
pub struct Goclaw;

/// What a chain came to, in the contract's shapes.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GoclawResult {}

impl Contract for Goclaw {
    fn recognises(&self, _: &Node) -> bool {
        false
    }

    fn load(&self, source: &Source<'_>, _: &LoadOptions) -> Result<Loaded, ConfigError> {
        Err(source.problem(None, "goclaw: not there yet").into())
    }

    fn read_event(&self, _: &Value) -> Result<Event, EventError> {
        Err(EventError::Neutral("goclaw: not there yet".to_owned()))
    }
}
