//! The contract: how a config of this dialect is known and read.

use super::event::EVENTS;
use super::settings::SETTINGS;
use super::version::VERSIONS;
use super::{config, payload};
use crate::document::Node;
use crate::hook::contract::Contract;

pub(in crate::hook) const CONTRACT: Contract = Contract {
    recognises,
    load: config::load,
    tree: config::parse,
    read_event: payload::read_event,
    events: EVENTS,
    settings: SETTINGS,
    versions: VERSIONS,
};

/// An event map with names like `PreToolUse` whose entries are groups (with `hooks`), or the manifest of a plug-in, which may
/// name files of them.
fn recognises(config: &Node) -> bool {
    let is_json = |path: &str| path.rsplit_once('.').is_some_and(|(_, extension)| extension == "json");
    let parts = config.get("hooks").map(|hooks| hooks.as_array().unwrap_or(std::slice::from_ref(hooks)));
    let names_file = parts.is_some_and(|parts| parts.iter().any(|part| part.as_str().is_some_and(is_json)));
    if names_file && config.get("name").is_some() {
        return true;
    }
    let events = below(config).map_or(config, |hooks| below(hooks).unwrap_or(hooks));
    events.members().iter().any(|member| {
        let groups = member.value.as_array().unwrap_or_default();
        member.name.starts_with(|letter: char| letter.is_ascii_uppercase())
            && groups.iter().any(|group| group.get("hooks").is_some())
    })
}

/// What stands under `hooks`, where that is a map.
fn below(node: &Node) -> Option<&Node> {
    node.get("hooks").filter(|hooks| hooks.is_object())
}
