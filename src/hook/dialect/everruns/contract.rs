//! The contract: how a config of this dialect is known and read, and the capability that it belongs to.

use super::config::CAPABILITY;
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
    let listed = |node: &Node| {
        let hooks = node.get("hooks").and_then(Node::as_array).unwrap_or_default();
        hooks.iter().any(|hook| hook.get("executor").is_some())
    };
    // Another tool's capabilities are words.
    let capabilities = config.get("capabilities").and_then(Node::as_array).unwrap_or_default();
    capabilities.iter().any(|capability| capability.get("ref").is_some())
        || config.get("ref").and_then(Node::as_str) == Some(CAPABILITY.id)
        || config.get("definition").is_some_and(|definition| definition.get("user_hooks").is_some())
        || config.get("disabled_contributions").is_some()
        || listed(config)
}
