//! A loaded config: its hooks with what the dialect keeps of each, its settings and its budget of time.

use super::event::EventName;
use super::hook::Extra;
use super::request::HttpPolicy;
use super::settings::ClaudeSettings;
use super::state::State;
use super::{chain, log};
use crate::hook::chain::{Fired, Firing};
use crate::hook::contract::Bundle;
use crate::hook::hooks::{Hook, Hooks};
use crate::hook::record::{HookRecord, LogRecord, Phase};
use crate::hook::runner::{HookFuture, HookRunner};
use crate::hook::watch;
use std::time::Duration;

/// A loaded config.
#[derive(Debug)]
pub(super) struct ClaudeBundle {
    pub(super) hooks: Hooks<Extra>,
    pub(super) settings: ClaudeSettings,
    pub(super) http: HttpPolicy,
    /// Of `SessionEnd`.
    pub(super) budget: Duration,
}

impl ClaudeBundle {
    /// Tells configs of one session apart.
    pub(super) fn key(&self) -> usize {
        std::ptr::from_ref(self).addr()
    }

    /// Shows the records `hook_registered` (7), once for a session.
    pub(super) fn register(&self, host: &dyn HookRunner) {
        let first = |state: &mut State| state.register(self.key());
        if watch::is_watched(host) && host.state().with(first) {
            for of in self.hooks.iter() {
                watch::show(host, &log::registered(of.hook, of.extra));
            }
        }
    }
}

impl Bundle for ClaudeBundle {
    fn hooks(&self) -> &[Hook] {
        self.hooks.all()
    }

    fn fire<'a>(&'a self, firing: Firing<'a>) -> Option<HookFuture<'a, Fired>> {
        chain::note(self, firing.event, firing.host);
        let name = EventName::of(&firing.event.moment)?;
        self.register(firing.host);
        let chain = chain::ClaudeChain::new(self, firing.event, name, firing.host);
        Some(firing.run(&self.hooks, chain))
    }

    fn log(&self, phase: Phase, record: &HookRecord) -> Vec<LogRecord> {
        log::records(phase, record)
    }
}
