//! A loaded config: its hooks and its reminders.

use super::allow_list::AllowList;
use super::event::Point;
use super::guard::Verdict;
use super::reminder::Reminder;
use super::{chain, log};
use crate::hook::chain::{Fired, Firing};
use crate::hook::contract::Bundle;
use crate::hook::hooks::{Hook, Hooks};
use crate::hook::record::{HookRecord, LogRecord, Phase};
use crate::hook::runner::HookFuture;

/// What this dialect keeps of a hook beside the engine's [`Hook`].
#[derive(Debug)]
pub(super) struct Extra {
    pub(super) name: String,
    pub(super) command: String,
    /// What the command's text says, whatever the list and the mode.
    pub(super) verdict: Verdict,
}

/// A loaded config.
#[derive(Debug)]
pub(super) struct InferBundle {
    /// None of them is due when the master switch is off.
    pub(super) hooks: Hooks<Extra>,
    pub(super) allow_list: AllowList,
    /// For events that name no mode.
    pub(super) mode: String,
    pub(super) reminders: Vec<Reminder>,
}

impl Bundle for InferBundle {
    fn hooks(&self) -> &[Hook] {
        self.hooks.all()
    }

    fn fire<'a>(&'a self, firing: Firing<'a>) -> Option<HookFuture<'a, Fired>> {
        let point = Point::of(&firing.event.moment)?;
        let chain = chain::InferChain::new(self, firing.event, point, firing.host);
        Some(firing.run(&self.hooks, chain))
    }

    fn log(&self, phase: Phase, record: &HookRecord) -> Vec<LogRecord> {
        let of = self.hooks.get(record.index);
        of.and_then(|of| log::record(phase, record, of.extra)).into_iter().collect()
    }
}
