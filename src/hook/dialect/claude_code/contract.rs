//! The contract: how a config of this dialect is known and read.

use super::settings::SETTINGS;
use super::{config, payload};
use crate::hook::contract::Contract;
use crate::hook::document::Node;

pub(in crate::hook) const CONTRACT: Contract = Contract {
    recognises,
    load: config::load,
    tree: config::parse,
    read_event: payload::read_event,
    settings: SETTINGS,
};

/// An event map with names like `PreToolUse` whose entries are groups (with `hooks`).
fn recognises(config: &Node) -> bool {
    let events = config.get("hooks").filter(|hooks| hooks.is_object()).unwrap_or(config);
    events.members().iter().any(|member| {
        let groups = member.value.as_array().unwrap_or_default();
        member.name.starts_with(|letter: char| letter.is_ascii_uppercase())
            && groups.iter().any(|group| group.get("hooks").is_some())
    })
}
