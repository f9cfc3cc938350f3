//! A loaded config: its hooks and its reminders.

use super::gate::{AllowList, GuardVerdict};
use super::reminder::Reminder;
use crate::hook::hooks::Hooks;

/// What this dialect keeps of a hook beside the engine's [`Hook`](crate::hook::hooks::Hook).
#[derive(Debug)]
pub(super) struct Extra {
    pub(super) name: String,
    pub(super) command: String,
    /// What the command's text says, whatever the list and the mode.
    pub(super) verdict: GuardVerdict,
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
