//! The reply of a `prompt` or `agent` handler (R47): `{"ok", "reason", "impossible"}`, and what a no does on each event.

use super::answer::ClaudeAnswer;
use super::event::EventName;
use super::result::Permission;
use serde::Deserialize;

/// A reply whose shape is right.
#[derive(Debug, Deserialize)]
pub(super) struct Reply {
    pub(super) ok: bool,
    reason: Option<String>,
    #[serde(default)]
    impossible: Option<bool>,
}

/// Reads a reply.
///
/// # Errors
/// Why it is none.
pub(super) fn parse(text: &[u8]) -> Result<Reply, String> {
    let reply: Reply = serde_json::from_slice(text.trim_ascii())
        .map_err(|why| format!("The reply is not {{\"ok\": ...}}: {why}"))?;
    if !reply.ok && reply.reason.is_none() {
        return Err("The reply says no without a reason".to_owned());
    }
    Ok(reply)
}

impl Reply {
    /// What a no does. An agent always goes on and knows nothing impossible.
    pub(super) fn refusal(
        self,
        event: EventName,
        by_teammate: bool,
        agent: bool,
        goes_on: bool,
    ) -> ClaudeAnswer {
        let reason = self.reason.unwrap_or_default();
        let mut answer = ClaudeAnswer::of("R47: ok is false");
        let impossible = self.impossible == Some(true) && !agent;
        match event {
            EventName::Stop | EventName::SubagentStop if impossible => {
                answer.rule = "R47: impossible, the stop goes through";
            }
            EventName::PreToolUse => {
                answer.permission = Some((Permission::Deny, Some(reason.clone())));
                answer.stop = (!goes_on).then_some(reason);
            }
            EventName::PostToolUse | EventName::TeammateIdle if !goes_on => answer.stop = Some(reason),
            EventName::TaskCompleted if by_teammate && !goes_on => answer.stop = Some(reason),
            EventName::PostToolBatch | EventName::UserPromptSubmit | EventName::UserPromptExpansion => {
                answer.stop = Some(reason);
            }
            EventName::Stop
            | EventName::SubagentStop
            | EventName::PostToolUse
            | EventName::PostToolUseFailure
            | EventName::TaskCreated
            | EventName::TaskCompleted
            | EventName::TeammateIdle => answer.block = Some(reason),
            _ => answer.rule = "R47: no effect on this event",
        }
        answer
    }
}
