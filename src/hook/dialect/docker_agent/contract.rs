//! The contract: how a config of this dialect is known and read.

use super::event::EVENTS;
use super::settings::SETTINGS;
use super::version::VERSIONS;
use super::{config, payload};
use crate::hook::contract::{Contract, json_or_yaml};

pub(in crate::hook) const CONTRACT: Contract = Contract {
    recognises: config::recognises,
    load: config::load,
    tree: json_or_yaml,
    read_event: payload::read_event,
    events: EVENTS,
    settings: SETTINGS,
    versions: VERSIONS,
};
