//! A loaded config: its hooks with what the dialect keeps of each.

use super::payload;
use crate::hook::hooks::Hooks;
use crate::hook::matcher::{ArgumentPattern, Mismatch, NamePattern};
use crate::hook::word::words;
use crate::text::Text;
use serde_json::Value;

words! {
    /// What an executor error does.
    pub(super) enum OnError {
        Block "block",
        Allow "allow",
        Warn "warn",
    }
}

/// What a matcher asks of a call (1.4).
#[derive(Debug, Default)]
pub(super) struct Matcher {
    pub(super) names: Vec<NamePattern>,
    /// The truth table R6: no rule, a test, or why none ever passes.
    pub(super) argument: Option<Result<ArgumentPattern, &'static str>>,
}

impl Matcher {
    pub(super) fn test(&self, tool: &str, arguments: &Value) -> Result<(), Mismatch> {
        if let Some(pattern) = self.names.iter().find(|pattern| !pattern.matches(tool)) {
            return Err(Mismatch::Name { wanted: pattern.to_string(), found: tool.to_owned() });
        }
        match &self.argument {
            None => Ok(()),
            Some(Ok(pattern)) => pattern.test(arguments),
            Some(Err(why)) => Err(Mismatch::Never(why)),
        }
    }
}

/// Whose the hooks of a config are that no capability ships.
pub(in crate::hook) const USER: &str = "user";

/// R12. A hook without a name is called by its event and its place in its list.
pub(in crate::hook) fn hook_id(origin: &str, name: Option<&str>, event: &str, index: usize) -> String {
    match name {
        Some(name) => format!("{origin}:{name}"),
        None => format!("{origin}:{event}_{index}"),
    }
}

/// What this dialect keeps of a hook beside the engine's [`Hook`](crate::hook::hooks::Hook).
#[derive(Debug)]
pub(super) struct Extra {
    pub(super) matcher: Matcher,
    pub(super) on_error: OnError,
    pub(super) environment: Vec<(Text, Text)>,
    /// The hook's id as JSON, to be spliced into the envelope.
    pub(super) id_json: Vec<u8>,
    /// The hook's id as part of a file name (R22).
    pub(super) safe_id: String,
}

/// A loaded config.
#[derive(Debug)]
pub(super) struct EverrunsBundle {
    pub(super) hooks: Hooks<Extra>,
    pub(super) variables: payload::Variables,
}
