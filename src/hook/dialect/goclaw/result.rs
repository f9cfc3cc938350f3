//! What a chain came to, in the contract's shape.

use crate::hook::id::HookId;
use crate::hook::json::Json;
use serde::Serialize;

/// What a chain came to (5 of the contract).
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GoclawResult {
    /// `allow` or `block`.
    pub decision: &'static str,
    /// Which hook blocked; none also when no hook was to blame.
    pub hook: Option<HookId>,
    /// Why it blocked, else empty.
    pub reason: String,
    /// For the model, in order.
    pub contexts: Vec<String>,
    /// The call's arguments, if they were rewritten and not blocked.
    pub updated_tool_input: Option<Json>,
    /// The user's message, if it was rewritten and not blocked.
    pub updated_raw_input: Option<String>,
    /// What handlers proposed that may not rewrite by themselves; the last one.
    pub proposed_input: Option<Json>,
    /// No hook could be asked at all; why. The host treats it as a block (R28, R35).
    pub error: Option<String>,
}
