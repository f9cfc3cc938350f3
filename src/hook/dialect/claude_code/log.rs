//! Records (7 of the contract). Certain are their names and the members of `hook_registered`; the other members are our
//! completion.

use super::answer::STARTED;
use super::event::EventName;
use super::hook::Extra;
use super::settings::HookSource;
use crate::hook::decision::Verdict;
use crate::hook::hooks::{Handler, Hook};
use crate::hook::id::HookId;
use crate::hook::record::{HookRecord, LogRecord, Phase, Selection};
use crate::hook::script::{Ended, ScriptOutcome};
use serde_json::Value;
use std::time::Duration;

/// `hook_registered`
pub(super) fn registered(hook: &Hook, extra: &Extra) -> LogRecord {
    let kind = match hook.handler {
        Handler::Other(kind) => kind,
        _ => "command",
    };
    let mut fields = vec![
        ("hook_id", Value::from(hook.id.as_str())),
        ("hook_event", hook.event.into()),
        ("hook_type", kind.into()),
        ("hook_source", extra.source.record_name().into()),
    ];
    fields.extend(extra.matcher_text.as_deref().map(|text| ("hook_matcher", text.into())));
    if let HookSource::Plugin(name) = &extra.source {
        fields.push(("plugin.name", Value::from(&**name)));
    }
    LogRecord::new("hook_registered", fields)
}

/// `hook_execution_start`
pub(super) fn execution_start(event: EventName, name: &str, hooks: usize) -> LogRecord {
    LogRecord::new("hook_execution_start", execution(event, name, hooks))
}

fn execution(event: EventName, name: &str, hooks: usize) -> [(&'static str, Value); 3] {
    [("hook_event", event.name().into()), ("hook_name", name.into()), ("num_hooks", hooks.into())]
}

/// How the hooks of a firing went.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counts {
    pub(super) success: usize,
    pub(super) blocking: usize,
    pub(super) errors: usize,
    pub(super) cancelled: usize,
}

/// `hook_execution_complete`
pub(super) fn execution_complete(
    event: EventName,
    name: &str,
    hooks: usize,
    counts: Counts,
    time: Duration,
) -> LogRecord {
    let counts = [
        ("num_success", counts.success.into()),
        ("num_blocking", counts.blocking.into()),
        ("num_non_blocking_error", counts.errors.into()),
        ("num_cancelled", counts.cancelled.into()),
        ("total_duration_ms", u64::try_from(time.as_millis()).unwrap_or(u64::MAX).into()),
    ];
    LogRecord::new("hook_execution_complete", execution(event, name, hooks).into_iter().chain(counts))
}

/// `hook_started` and `hook_response` of a hook that runs.
pub(super) fn records(phase: Phase, of: &HookRecord) -> Vec<LogRecord> {
    let name = of.label.as_deref().unwrap_or(of.event);
    match (phase, &of.run) {
        (Phase::Considered, _) if of.selection == Selection::Matched => {
            vec![LogRecord::new("hook_started", identity(&of.hook, name, of.event))]
        }
        (Phase::Finished, Some(run)) if run.reading.rule != STARTED => {
            let outcome = match (&run.end, run.reading.verdict) {
                (Ended::TimedOut, _) => "cancelled",
                (_, Verdict::Error) => "error",
                _ => "success",
            };
            let exited = run.end == Ended::Exited;
            vec![answer(
                &of.hook,
                name,
                of.event,
                (&run.stdout, &run.stderr),
                exited.then_some(run.status),
                outcome,
            )]
        }
        _ => Vec::new(),
    }
}

/// `hook_response` of a run that nobody waited for.
pub(super) fn response(hook: &HookId, name: &str, event: EventName, outcome: &ScriptOutcome) -> LogRecord {
    let exited = outcome.end == Ended::Exited;
    let word = match (&outcome.end, outcome.status) {
        (Ended::TimedOut, _) => "cancelled",
        (Ended::Exited, 0 | 2) => "success",
        _ => "error",
    };
    let streams = (outcome.stdout.as_slice(), outcome.stderr.as_slice());
    answer(hook, name, event.name(), streams, exited.then_some(outcome.status), word)
}

/// `hook_response` of a run that the end of the session ended.
pub(super) fn cancelled(hook: &HookId) -> LogRecord {
    let fields = [("hook_id", Value::from(hook.as_str())), ("outcome", "cancelled".into())];
    LogRecord::new("hook_response", fields)
}

fn identity(hook: &HookId, name: &str, event: &str) -> [(&'static str, Value); 3] {
    [("hook_id", hook.as_str().into()), ("hook_name", name.into()), ("hook_event", event.into())]
}

fn answer(
    hook: &HookId,
    name: &str,
    event: &str,
    (stdout, stderr): (&[u8], &[u8]),
    status: Option<i32>,
    outcome: &str,
) -> LogRecord {
    let (stdout, stderr) = (String::from_utf8_lossy(stdout), String::from_utf8_lossy(stderr));
    let output = format!("{stdout}{stderr}");
    let mut fields = identity(hook, name, event).to_vec();
    fields.extend([("stdout", Value::from(stdout)), ("stderr", stderr.into()), ("output", output.into())]);
    fields.extend(status.map(|status| ("exit_code", status.into())));
    fields.push(("outcome", outcome.into()));
    LogRecord::new("hook_response", fields)
}
