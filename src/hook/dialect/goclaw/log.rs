//! Log records (7 of the contract), made from the engine's: audit rows, spans and the `security.hook.*` keys.

use super::audit::Execution;
use crate::hook::id::HookId;
use crate::hook::matcher::Mismatch;
use crate::hook::record::{HookRecord, LogRecord, Phase, Selection};
use serde_json::{Value, json};
use std::borrow::Cow;

pub(super) const CIRCUIT_BREAKER: &str = "security.hook.circuit_breaker";
pub(super) const LOOP_DEPTH: &str = "security.hook.loop_depth_exceeded";
pub(super) const PROMPT_PARSE_ERROR: &str = "security.hook.prompt_parse_error";
pub(super) const SSRF_BLOCK: &str = "security.hook.ssrf_block";
pub(super) const RESOLVE_ERROR: &str = "security.hook.resolve_error";
pub(super) const BUDGET_PRECHECK: &str = "security.hook.budget_precheck_failed";
pub(super) const BUDGET_DEDUCT: &str = "security.hook.budget_deduct_failed";
pub(super) const AUDIT_WRITE_FAILED: &str = "security.hook.audit_write_failed";
/// A warning without a key of its own.
pub(super) const WARNING: &str = "hook.warning";

/// Why no hook is asked at all, as the mismatch of the first one.
pub(super) const TOO_DEEP: &str = "hooks: loop depth exceeded";
pub(super) const UNRESOLVED: &str = "the rows could not be read";
pub(super) const NOT_ASKED: &str = "no hook is asked";

pub(super) fn message(name: impl Into<Cow<'static, str>>, hook: &HookId, text: &str) -> LogRecord {
    LogRecord::new(name, [("hook_id", hook.as_str().into()), ("message", text.into())])
}

/// The records of one hook at `phase`.
pub(super) fn records(phase: Phase, of: &HookRecord) -> Vec<LogRecord> {
    match phase {
        Phase::Considered => match &of.selection {
            Selection::NotMatched(Mismatch::Never(TOO_DEEP)) => vec![message(LOOP_DEPTH, &of.hook, TOO_DEEP)],
            Selection::NotMatched(Mismatch::Never(UNRESOLVED)) => {
                vec![message(RESOLVE_ERROR, &of.hook, UNRESOLVED)]
            }
            _ => Vec::new(),
        },
        Phase::Finished => finished(of),
    }
}

fn finished(of: &HookRecord) -> Vec<LogRecord> {
    let Some(run) = &of.run else { return Vec::new() };
    let mut all = Vec::new();
    if let Some(row) = Execution::of(of)
        && let Ok(Value::Object(fields)) = serde_json::to_value(row)
    {
        all.push(LogRecord { name: "hook_executions".into(), fields });
    }
    let specific = run.reading.specific.as_ref();
    let part = |name: &str| specific.and_then(|specific| specific.get(name));
    let kind = part("handler_type").and_then(Value::as_str);
    if let (Some(kind), Some(Value::Object(span))) = (kind, part("span")) {
        let mut log =
            LogRecord::new(format!("hook.{kind}.{}", of.event), [("hook_id", of.hook.as_str().into())]);
        log.fields.extend(span.clone());
        all.push(log);
    }
    let logs = part("logs").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    for log in logs {
        let texts = (log.get(0).and_then(Value::as_str), log.get(1).and_then(Value::as_str));
        if let (Some(key), Some(text)) = texts {
            all.push(message(key.to_owned(), &of.hook, text));
        }
    }
    for warning in &of.warnings {
        let tripped = warning.strip_prefix(CIRCUIT_BREAKER).and_then(|text| text.strip_prefix(": "));
        let (key, text) = tripped.map_or((WARNING, warning.as_str()), |text| (CIRCUIT_BREAKER, text));
        all.push(message(key, &of.hook, text));
    }
    all
}

/// The fields of a span.
pub(super) fn span(decision: &str, error: Option<&str>, duration_ms: u64, parent: Option<&Value>) -> Value {
    json!({
        "status": if error.is_some() { "error" } else { "completed" },
        "error": error,
        "duration_ms": duration_ms,
        "metadata": {"decision": decision},
        "parent_span_id": parent,
    })
}
