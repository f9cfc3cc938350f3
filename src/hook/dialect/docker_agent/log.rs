//! The records (7 of the contract): `hook.run` for each hook that ran, and `hook.{event}` for a firing in which a hook was
//! considered. Free text is in them only when content is captured (R43).

use super::bundle::DockerAgentBundle;
use super::event::EventName;
use super::fold::Fold;
use crate::hook::decision::Verdict;
use crate::hook::record::{HookRecord, LogRecord, Phase};
use serde_json::Value;

pub(super) fn of_hook(bundle: &DockerAgentBundle, phase: Phase, record: &HookRecord) -> Vec<LogRecord> {
    let (Phase::Finished, Some(run)) = (phase, &record.run) else { return Vec::new() };
    let of = bundle.hooks.get(record.index);
    let (display, kind) = of.map_or(("", ""), |of| (&*of.extra.display, of.extra.action.kind()));
    let mut fields = vec![
        ("hook_id", record.hook.as_str().into()),
        ("event", record.event.into()),
        ("name", display.into()),
        ("type", kind.into()),
        ("exit_code", run.status.into()),
        ("duration_ms", u64::try_from(run.duration.as_millis()).unwrap_or(u64::MAX).into()),
        ("stdout_bytes", run.stdout.len().into()),
        ("stderr_bytes", run.stderr.len().into()),
    ];
    let failure = run.reading.reason.as_deref().filter(|_| run.reading.verdict == Verdict::Error);
    fields.extend(failure.map(|failure| ("failure", failure.into())));
    if bundle.settings.capture_content {
        let specific = run.reading.specific.as_ref();
        let is_hidden = specific.is_some_and(|specific| specific.get("suppress_output").is_some());
        let reason = run.reading.reason.as_deref().filter(|_| failure.is_none());
        fields.extend(reason.map(|reason| ("reason", reason.into())));
        let text = |bytes: &[u8]| Value::from(String::from_utf8_lossy(bytes));
        if !is_hidden {
            fields.push(("stdout", text(&run.stdout)));
        }
        fields.push(("stderr", text(&run.stderr)));
    }
    vec![LogRecord::new("hook.run", fields)]
}

/// `count` is the number of hooks that ran.
pub(super) fn of_firing(event: EventName, count: usize, fold: &Fold, with_content: bool) -> LogRecord {
    let mut fields = vec![
        ("event", event.name().into()),
        ("count", count.into()),
        ("allowed", (!fold.blocks()).into()),
        ("exit_code", fold.exit_code().into()),
    ];
    let decision = fold.permission().and_then(|decision| serde_json::to_value(decision).ok());
    fields.extend(decision.map(|decision| ("decision", decision)));
    if with_content && !fold.permission_reason().is_empty() {
        fields.push(("decision_reason", fold.permission_reason().into()));
    }
    fields.extend([
        ("permission_allowed", fold.permission_allowed().into()),
        ("modified_input", (fold.rewrites.input.is_some() && !fold.blocks()).into()),
        ("summary_provided", (!fold.summary.is_empty()).into()),
    ]);
    LogRecord::new(format!("hook.{}", event.name()), fields)
}
