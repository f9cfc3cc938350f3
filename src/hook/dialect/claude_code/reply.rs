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

#[cfg(test)]
mod tests {
    use super::*;

    /// `stop`, `block`, `permission` or nothing, as the table of the contract has it.
    fn effect(event: EventName, by_teammate: bool, agent: bool, goes_on: bool) -> Vec<&'static str> {
        let reply = parse(br#"{"ok":false,"reason":"r"}"#).unwrap();
        let answer = reply.refusal(event, by_teammate, agent, goes_on || agent);
        let mut all = Vec::new();
        all.extend(answer.stop.map(|_| "stop"));
        all.extend(answer.block.map(|_| "block"));
        all.extend(answer.permission.map(|_| "deny"));
        all
    }

    #[test]
    fn table() {
        use EventName::*;
        for (event, by_teammate, goes_on, wanted) in [
            (Stop, false, false, vec!["block"]),
            (SubagentStop, false, false, vec!["block"]),
            (PreToolUse, false, false, vec!["stop", "deny"]),
            (PreToolUse, false, true, vec!["deny"]),
            (PostToolUse, false, false, vec!["stop"]),
            (PostToolUse, false, true, vec!["block"]),
            (PostToolBatch, false, true, vec!["stop"]),
            (UserPromptSubmit, false, false, vec!["stop"]),
            (UserPromptExpansion, false, false, vec!["stop"]),
            (PostToolUseFailure, false, false, vec!["block"]),
            (TaskCreated, false, false, vec!["block"]),
            (TaskCompleted, false, false, vec!["block"]),
            (TaskCompleted, true, false, vec!["stop"]),
            (TaskCompleted, true, true, vec!["block"]),
            (TeammateIdle, true, false, vec!["stop"]),
            (TeammateIdle, true, true, vec!["block"]),
            (PermissionRequest, false, false, vec![]),
            (PermissionDenied, false, false, vec![]),
        ] {
            assert_eq!(
                effect(event, by_teammate, false, goes_on),
                wanted,
                "{event:?} {by_teammate} {goes_on}"
            );
        }
        assert_eq!(effect(PreToolUse, false, true, false), ["deny"]);
    }

    #[test]
    fn impossible_lets_the_stop_through_but_not_an_agent() {
        let reply = || parse(br#"{"ok":false,"reason":"r","impossible":true}"#).unwrap();
        assert_eq!(reply().refusal(EventName::Stop, false, false, false).block, None);
        assert_eq!(reply().refusal(EventName::Stop, false, true, true).block.as_deref(), Some("r"));
    }

    #[test]
    fn shapes() {
        for text in ["", "yes", "{}", r#"{"ok":1}"#, r#"{"ok":false}"#, r#"{"ok":false,"reason":1}"#, "[]"] {
            assert!(parse(text.as_bytes()).is_err(), "{text}");
        }
        assert!(parse(b" {\"ok\":true}\n").unwrap().ok);
    }
}
