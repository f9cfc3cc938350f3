//! A loaded config: its hooks with what the dialect keeps of each, and its switches.

use super::chain;
use super::event::EventName;
use super::matcher::Matcher;
use super::settings::AgentaoSettings;
use crate::hook::chain::{Fired, Firing};
use crate::hook::contract::Bundle;
use crate::hook::hooks::{Hook, Hooks};
use crate::hook::record::{HookRecord, LogRecord, Phase};
use crate::hook::runner::HookFuture;

/// What this dialect keeps of a hook beside the engine's [`Hook`].
#[derive(Debug)]
pub(super) struct Extra {
    pub(super) matcher: Matcher,
    /// What attachments call it: the command, or `prompt_hook`.
    pub(super) label: std::sync::Arc<str>,
    /// The text of a prompt handler.
    pub(super) prompt: Option<String>,
}

/// A loaded config.
#[derive(Debug)]
pub(super) struct AgentaoBundle {
    pub(super) hooks: Hooks<Extra>,
    pub(super) settings: AgentaoSettings,
}

impl Bundle for AgentaoBundle {
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
