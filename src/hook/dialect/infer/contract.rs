//! The contract: how a config of this dialect is known and read.

use super::event::EVENTS;
use super::settings::SETTINGS;
use super::{config, payload};
use crate::document::Node;
use crate::hook::contract::{Contract, json_or_yaml};
use crate::hook::version::first;

pub(in crate::hook) const CONTRACT: Contract = Contract {
    recognises,
    load: config::load,
    tree: json_or_yaml,
    read_event: payload::read_event,
    events: EVENTS,
    settings: SETTINGS,
    versions: &[first("1", "the contract of this crate")],
};

fn recognises(config: &Node) -> bool {
    let hooks = config.get("hooks").and_then(Node::as_array).unwrap_or_default();
    let is_hook = |hook: &Node| hook.get("hook").is_some() && hook.get("command").is_some();
    hooks.iter().any(is_hook)
}
