//! `PLUGIN_HOOK_FIRED` (A7 of the contract), and what a replay stores of it (G21). Both are about a whole firing and only
//! exist when a rule was selected.

use super::event::EventName;
use super::payload::{compaction_type, trigger, turn_end_reason};
use super::result::{Folded, ToolDecision};
use crate::hook::event::Event;
use crate::hook::record::LogRecord;
use regex::Regex;
use serde_json::{Value, json};
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
    let outcome = |blocks: bool| ("outcome", Value::from(if blocks { "block" } else { "allow" }));
    match name {
        EventName::UserPromptSubmit => {
            let prompt = &folded.prompt;
            let blocks = prompt.blocking_error.is_some() || prompt.prevent_continuation;
            let contexts = prompt.additional_contexts.len();
            let detail = match (prompt.prevent_continuation, blocks, contexts) {
                (true, ..) => Some("stop"),
                (_, true, _) | (_, _, 0) => None,
                _ => Some("modify"),
            };
            let fields = [
                outcome(blocks),
                matched,
                ("blocking_error", prompt.blocking_error.clone().into()),
                ("stop_reason", prompt.stop_reason.clone().into()),
                ("added_context_count", contexts.into()),
            ];
            fields.into_iter().chain(detail.map(|detail| ("detail", detail.into()))).collect()
        }
        EventName::PreToolUse => {
            let decision = folded.tool.decision;
            let tool = event.tool_call().map(|call| super::matcher::claude_name(&call.name));
            let fields = [
                outcome(decision == Some(ToolDecision::Deny)),
                ("tool", tool.into()),
                matched,
                ("added_context_count", folded.tool.additional_contexts.len().into()),
            ];
            fields.into_iter().chain(decision.map(|detail| ("detail", json!(detail)))).collect()
        }
        EventName::Stop => vec![
            ("outcome", json!(folded.stop.outcome)),
            matched,
            ("turn_end_reason", turn_end_reason(event).into()),
            ("at_max_iter", is_at_max_iter(event).into()),
            ("added_context_count", folded.stop.additional_contexts.len().into()),
            ("suppress_output", folded.stop.suppress_output.into()),
        ],
        EventName::PreCompact => vec![
            outcome(false),
            matched,
            ("compaction_type", compaction_type(event).into()),
            ("trigger", trigger(event).into()),
        ],
        _ => vec![outcome(false), matched],
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
