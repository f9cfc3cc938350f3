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
    let events = config.get("hooks").filter(|hooks| hooks.is_object()).unwrap_or(config);
    let is_flat = |entry: &Node| entry.get("type").is_some() && entry.get("hooks").is_none();
    events.members().iter().any(|member| {
        let is_event = member.name.starts_with(|first: char| first.is_ascii_uppercase());
        let entries = member.value.as_array().unwrap_or(std::slice::from_ref(&member.value));
        is_event && entries.iter().any(is_flat)
    })
}
