//! A loaded config: its hooks with what the dialect keeps of each, and its switches.

use super::event::EventName;
use super::matcher::Matcher;
use super::{chain, output};
use crate::hook::chain::{Fired, Firing};
use crate::hook::contract::Bundle;
use crate::hook::hooks::{Hook, Hooks};
use crate::hook::record::{HookRecord, LogRecord, Phase};
use crate::hook::runner::HookFuture;
use crate::hook::unread;
use serde_json::{Map, Value};

/// What this dialect keeps of a hook beside the engine's [`Hook`].
#[derive(Debug)]
pub(super) struct Extra {
    pub(super) matcher: Matcher,
    /// What attachments call it: the command, or `prompt_hook`.
    pub(super) label: std::sync::Arc<str>,
    /// The text of a prompt handler.
    pub(super) prompt: Option<String>,
}

/// The settings of the module's table.
#[derive(Clone, Copy, Debug)]
pub(super) struct Switches {
    pub(super) flat_superset: bool,
    pub(super) strict: bool,
    pub(super) stop_reentry_cap: u64,
    pub(super) full_preview: bool,
}

/// A loaded config.
#[derive(Debug)]
pub(super) struct AgentaoBundle {
    pub(super) hooks: Hooks<Extra>,
    pub(super) switches: Switches,
}

impl Bundle for AgentaoBundle {
    fn unread(&self, event: &str, output: &Map<String, Value>) -> Vec<String> {
        let members = EventName::from_name(event).and_then(output::members);
        members.map_or_else(Vec::new, |members| unread::check(output, members, false))
    }

    fn hooks(&self) -> &[Hook] {
        self.hooks.all()
    }

    fn fire<'a>(&'a self, firing: Firing<'a>) -> Option<HookFuture<'a, Fired>> {
        let name = EventName::at(&firing.event.moment)?;
        let chain = chain::AgentaoChain::new(self, firing.event, name, firing.host);
        Some(firing.run(&self.hooks, chain))
    }

    /// The contract's only log event is about a whole firing.
    fn log(&self, _: Phase, _: &HookRecord) -> Vec<LogRecord> {
        Vec::new()
    }
}
