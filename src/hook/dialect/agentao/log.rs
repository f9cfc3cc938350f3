//! `PLUGIN_HOOK_FIRED` (A7 of the contract), and what a replay stores of it (G21). Both are about a whole firing and only
//! exist when a rule was selected.

use super::event::EventName;
use super::payload::{compaction_type, trigger, turn_end_reason};
use super::result::{Folded, StopOutcome, ToolDecision};
use crate::hook::event::Event;
use crate::hook::record::LogRecord;
use regex::Regex;
use serde_json::Value;
use std::sync::LazyLock;

/// Characters of a preview that is cut.
const PREVIEW_CHARACTERS: usize = 500;
/// Bytes that are looked at for it: enough that a secret at its end is seen whole.
const SCANNED_BYTES: usize = 8 << 10;
/// Bytes of a preview that is not cut.
const FULL_PREVIEW_BYTES: usize = 1 << 20;

type Fields = Vec<(&'static str, Value)>;

pub(super) fn records(event: &Event, name: EventName, folded: &Folded, full: bool) -> Vec<LogRecord> {
    if folded.matched == 0 {
        return Vec::new();
    }
    let fields = fields(event, name, folded);
    let outcome = fields.first().map_or(Value::Null, |(_, outcome)| outcome.clone());
    let mut fired: Fields = vec![("hook_name", name.name().into())];
    fired.extend(fields);
    let replay = vec![
        ("hook_name", name.name().into()),
        ("matched_rule_count", folded.matched.into()),
        ("outcome", outcome),
        ("output_preview", folded.printed.preview(full).into()),
    ];
    vec![LogRecord::new("PLUGIN_HOOK_FIRED", fired), LogRecord::new("replay.plugin_hook", replay)]
}

/// Whether the turn used its last iteration.
pub(super) fn is_at_max_iter(event: &Event) -> bool {
    turn_end_reason(event) == "max_iterations"
}

/// The contract's fields in its order, `outcome` first; `detail` where the product has a finer word.
fn fields(event: &Event, name: EventName, folded: &Folded) -> Fields {
    let matched = ("matched_rule_count", Value::from(folded.matched));
    let mut fields: Fields = Vec::new();
    match name {
        EventName::UserPromptSubmit => {
            let prompt = &folded.prompt;
            let blocks = prompt.blocking_error.is_some() || prompt.prevent_continuation;
            let contexts = prompt.additional_contexts.len();
            fields.push(("outcome", if blocks { "block" } else { "allow" }.into()));
            fields.push(matched);
            fields.push(("blocking_error", prompt.blocking_error.clone().into()));
            fields.push(("stop_reason", prompt.stop_reason.clone().into()));
            fields.push(("added_context_count", contexts.into()));
            let detail = if prompt.prevent_continuation {
                Some("stop")
            } else if !blocks && contexts > 0 {
                Some("modify")
            } else {
                None
            };
            fields.extend(detail.map(|detail| ("detail", detail.into())));
        }
        EventName::PreToolUse => {
            let decision = folded.tool.decision;
            let tool = event.tool_call().map(|call| super::matcher::claude_name(&call.name));
            let denied = decision == Some(ToolDecision::Deny);
            fields.push(("outcome", if denied { "block" } else { "allow" }.into()));
            fields.push(("tool", tool.into()));
            fields.push(matched);
            fields.push(("added_context_count", folded.tool.additional_contexts.len().into()));
            let detail = decision.map(|decision| match decision {
                ToolDecision::Deny => "deny",
                ToolDecision::Ask => "ask",
            });
            fields.extend(detail.map(|detail| ("detail", detail.into())));
        }
        EventName::Stop => {
            fields.push(("outcome", stop_outcome(folded.stop.outcome).into()));
            fields.push(matched);
            fields.push(("turn_end_reason", turn_end_reason(event).into()));
            fields.push(("at_max_iter", is_at_max_iter(event).into()));
            fields.push(("added_context_count", folded.stop.additional_contexts.len().into()));
            fields.push(("suppress_output", folded.stop.suppress_output.into()));
        }
        EventName::PreCompact => {
            fields.push(("outcome", "allow".into()));
            fields.push(matched);
            fields.push(("compaction_type", compaction_type(event).into()));
            fields.push(("trigger", trigger(event).into()));
        }
        _ => {
            fields.push(("outcome", "allow".into()));
            fields.push(matched);
        }
    }
    fields
}

const fn stop_outcome(outcome: StopOutcome) -> &'static str {
    match outcome {
        StopOutcome::Allow => "allow",
        StopOutcome::Block => "block",
        StopOutcome::Continue => "continue",
        StopOutcome::ContinueAtMaxIter => "continue_at_max_iter",
        StopOutcome::ReentryCapped => "reentry_capped",
    }
}

/// What the hooks printed, one after another: as much of it as a preview looks at.
#[derive(Debug, Default)]
pub(super) struct Printed(String);

impl Printed {
    pub(super) fn add(&mut self, output: &str, full: bool) {
        let most = if full { FULL_PREVIEW_BYTES } else { SCANNED_BYTES };
        let room = most.saturating_sub(self.0.len());
        if output.is_empty() || room == 0 {
            return;
        }
        if !self.0.is_empty() {
            self.0.push('\n');
        }
        self.0.push_str(crate::hook::json::cut(output, room));
    }

    /// Without secrets.
    fn preview(&self, full: bool) -> String {
        let text = without_secrets(&self.0);
        if full { text } else { text.chars().take(PREVIEW_CHARACTERS).collect() }
    }
}

/// What looks like a secret: known forms of keys, and values after names that say so.
const SECRETS: &str = concat!(
    r"\b(?:sk|pk|rk)-[A-Za-z0-9_-]{16,}|\bgh[pousr]_[A-Za-z0-9]{20,}|\bgithub_pat_[A-Za-z0-9_]{20,}",
    r"|\bglpat-[A-Za-z0-9_-]{16,}|\bxox[abprs]-[A-Za-z0-9-]{10,}|\b(?:AKIA|ASIA)[0-9A-Z]{16}\b|\bAIza[A-Za-z0-9_-]{30,}",
    r"|\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*",
    r"|-----BEGIN [A-Z ]*PRIVATE KEY-----(?s:.*?)(?:-----END [A-Z ]*PRIVATE KEY-----|\z)",
    r#"|(?P<name>(?i:password|passwd|secret|token|api[_-]?key|access[_-]?key|authorization)"?\s*[:=]\s*"?(?i:bearer\s+)?)[^\s"',;]{4,}"#,
);

static SCAN: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(SECRETS).ok());

fn without_secrets(text: &str) -> String {
    let clean = |regex: &Regex| regex.replace_all(text, "${name}[REDACTED]").into_owned();
    SCAN.as_ref().map(clean).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_cut_out() {
        assert!(SCAN.is_some());
        for (text, wanted) in [
            ("plain text", "plain text"),
            ("key sk-abcdefghijklmnopqrst end", "key [REDACTED] end"),
            ("ghp_abcdefghijklmnopqrstuvwxyz0123", "[REDACTED]"),
            ("password=hunter22 x", "password=[REDACTED] x"),
            ("{\"api_key\": \"abcdef\"}", "{\"api_key\": \"[REDACTED]\"}"),
            ("Authorization: Bearer abc.def", "Authorization: Bearer [REDACTED]"),
        ] {
            assert_eq!(without_secrets(text), wanted);
        }
    }

    #[test]
    fn previews_are_cut_unless_asked_for() {
        for (full, length) in [(false, 500), (true, 801)] {
            let mut printed = Printed::default();
            for output in ["a".repeat(400), String::new(), "b".repeat(400)] {
                printed.add(&output, full);
            }
            assert_eq!(printed.preview(full).len(), length);
        }
    }
}
