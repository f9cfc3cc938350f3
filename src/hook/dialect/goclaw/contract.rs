//! The contract: how records of this dialect are known and read.

use super::config::settings::SETTINGS;
use super::event::EVENTS;
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
    config::records(config).iter().any(|record| record.get("handler_type").is_some())
}
