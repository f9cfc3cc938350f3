//! The `hook.*` records (7 of the contract), made from the engine's records. Standard error is in none of them (R57).

use crate::hook::decision::Verdict;
use crate::hook::id::HookId;
use crate::hook::record::{Effect, HookRecord, LogRecord, Phase, Selection};
use serde_json::Value;

fn record(
    name: &'static str,
    hook: &HookId,
    fields: impl IntoIterator<Item = (&'static str, Value)>,
) -> LogRecord {
    LogRecord::new(name, [("hook_id", hook.as_str().into())].into_iter().chain(fields))
}

/// `hook.warning`
pub(super) fn warning(hook: &HookId, message: &str) -> LogRecord {
    record("hook.warning", hook, [("message", message.into())])
}

/// `hook.muted`
pub(super) fn muted(hook: &HookId) -> LogRecord {
    record("hook.muted", hook, [])
}

/// The records of one hook at `phase`.
pub(super) fn records(phase: Phase, of: &HookRecord) -> Vec<LogRecord> {
    match phase {
        Phase::Considered if of.selection == Selection::NotReached => Vec::new(),
        Phase::Considered => vec![invoked(of)],
        Phase::Finished => finished(of),
    }
}

fn invoked(of: &HookRecord) -> LogRecord {
    let mut fields =
        vec![("event", Value::from(of.event)), ("session_id", Value::from(of.context.session_id.as_str()))];
    fields.extend(of.tool_call_id.as_deref().map(|id| ("tool_call_id", Value::from(id))));
    fields.push(("matched", (of.selection == Selection::Matched).into()));
    record("hook.invoked", &of.hook, fields)
}

fn finished(of: &HookRecord) -> Vec<LogRecord> {
    let Some(run) = &of.run else { return Vec::new() };
    let decision = match run.reading.verdict {
        Verdict::Mutate => "mutate",
        Verdict::Block => "block",
        Verdict::Error => "error",
        _ => "allow",
    };
    let fields = [
        ("decision", decision.into()),
        ("duration_ms", u64::try_from(run.duration.as_millis()).unwrap_or(u64::MAX).into()),
        ("stdout_bytes", run.stdout.len().into()),
        ("exit_code", run.status.into()),
    ];
    let mut all = vec![record("hook.completed", &of.hook, fields)];
    if let Effect::Blocked { reason, user_message } = &of.effect {
        let mut fields = vec![("reason", Value::from(reason.as_str()))];
        fields.extend(user_message.as_deref().map(|message| ("user_message", Value::from(message))));
        all.push(record("hook.blocked", &of.hook, fields));
    }
    all.extend(of.warnings.iter().map(|message| warning(&of.hook, message)));
    all
}
