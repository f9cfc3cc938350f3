//! What a chain keeps of a hook under way, and of what hooks rewrote.

use super::output::Way;
use super::shared::ScriptPlace;
use std::time::Duration;

/// A hook that was started.
pub(super) struct Flight {
    /// What it was given of time.
    pub(super) timeout: Duration,
    pub(super) way: Way,
    /// Held while a script runs.
    pub(super) _place: Option<ScriptPlace>,
}

/// Which parts are no longer the event's.
#[derive(Default)]
pub(super) struct Rewrote {
    pub(super) tool_input: bool,
    pub(super) raw_input: bool,
}
