//! A loaded config: its hooks with what the dialect keeps of each, its settings and its budget of time.

use super::event::EventName;
use super::hook::Extra;
use super::log;
use super::request::HttpAllowList;
use super::settings::ClaudeSettings;
use super::state::KeptState;
use crate::hook::hooks::Hooks;
use crate::hook::runner::HookRunner;
use crate::hook::running::Pace;
use crate::hook::version::{ContractVersion, Part};
use crate::hook::watch;
use std::time::Duration;

/// A loaded config.
#[derive(Debug)]
pub(super) struct ClaudeBundle {
    pub(super) hooks: Hooks<Extra>,
    pub(super) settings: ClaudeSettings,
    pub(super) http: HttpAllowList,
    /// Of `SessionEnd`.
    pub(super) budget: Duration,
    /// `None` is the newest.
    pub(super) contract: Option<ContractVersion>,
}

impl ClaudeBundle {
    /// Members of payloads or outputs that the contract's version does not have.
    pub(super) fn lacking(&self, part: Part, event: EventName) -> Vec<&'static str> {
        self.contract.map(|contract| contract.lacking_members(part, event.name())).unwrap_or_default()
    }

    /// Tells configs of one session apart.
    pub(super) fn key(&self) -> usize {
        std::ptr::from_ref(self).addr()
    }

    /// Shows the records `hook_registered` (7), once for a session.
    pub(super) async fn register(&self, host: &dyn HookRunner, pace: &mut Pace) {
        let first = |state: &mut KeptState| state.register(self.key());
        if watch::is_watched(host) && host.state().with(first) {
            for of in self.hooks.iter() {
                watch::show(host, &log::registered(of.hook, of.extra));
                pace.look().await;
            }
        }
    }
}
