//! A loaded config: its hooks with what the dialect keeps of each, and its switches.

use super::matcher::Matcher;
use super::settings::AgentaoSettings;
use crate::hook::hooks::Hooks;

/// What this dialect keeps of a hook beside the engine's [`Hook`](crate::hook::hooks::Hook).
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
