//! `infer`: inference-gateway CLI command hooks.

use super::{Contract, LoadOptions, Loaded, Node, Source};
use crate::hook::error::{ConfigError, EventError};
use crate::hook::event::Event;
use serde::Serialize;
use serde_json::Value;

/// The contract.
#[derive(Clone, Copy, Debug)]
pub struct Infer;

/// What a chain came to, in the contract's shapes.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct InferResult {}

impl Contract for Infer {
    fn recognises(&self, _: &Node) -> bool {
        false
    }

    fn load(&self, source: &Source<'_>, _: &LoadOptions) -> Result<Loaded, ConfigError> {
        Err(source.problem(None, "infer: not there yet").into())
    }

    fn read_event(&self, _: &Value) -> Result<Event, EventError> {
        Err(EventError::Neutral("infer: not there yet".to_owned()))
    }
}
