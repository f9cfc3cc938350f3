//! Failing closed ([`LoadOptions::fail_closed`](super::LoadOptions::fail_closed)): what keeps a hook from a clear answer, and what the
//! config left out.
//!
//! The platforms let most failures pass: a guard that crashed, ran out of time or printed half an object stops nothing. A host
//! that would rather stop says so, for any dialect. The engine looks at the finished record of each hook, and the chain
//! blocks in its dialect's own words ([`Chain::refuse`](super::contract::Chain::refuse)); an event that cannot be blocked
//! goes on as before. A block, and an answer that leaves it to a person, are always clear.

use super::contract::Bundle;
use super::decision::Verdict;
use super::event_table::EventRow;
use super::hooks::{Handler, Hook};
use super::id::HookId;
use super::matcher::Mismatch;
use super::notice::{Notice, NoticeKind};
use super::record::{Effect, HookRecord, RunRecord, Selection};
use super::script::Ended;
use super::unread;

/// What a host closes with that fails closed: entries that the config left out.
#[derive(Debug)]
pub(super) struct FailClosed {
    left_out: Vec<LeftOut>,
    /// The hooks of which this holds; `None` is all.
    only: Option<Vec<HookId>>,
}

/// An entry that no event asks any more.
#[derive(Debug)]
struct LeftOut {
    hook: Option<HookId>,
    /// Its event, where its place in the config tells; otherwise it may have been of any.
    event: Option<&'static str>,
    why: String,
}

impl FailClosed {
    /// `events` are the dialect's, `only` the hooks of which it holds.
    pub(super) fn of(events: &'static [EventRow], notices: &[Notice], only: Option<&[String]>) -> Self {
        let only: Option<Vec<HookId>> =
            only.map(|ids| ids.iter().map(|id| HookId::from(id.as_str())).collect());
        let is_meant = |notice: &&Notice| {
            let named = |ids: &Vec<HookId>| notice.hook.as_ref().is_some_and(|hook| ids.contains(hook));
            only.as_ref().is_none_or(named)
        };
        let left_out = |notice: &Notice| LeftOut {
            hook: notice.hook.clone(),
            event: notice.problem.field.as_deref().and_then(|path| event_in(events, path)),
            why: notice.to_string(),
        };
        let dropped = notices.iter().filter(|notice| notice.kind == NoticeKind::Dropped);
        Self { left_out: dropped.filter(is_meant).map(left_out).collect(), only }
    }

    /// The first of these ids that no hook has, of those that are there and of those that were left out.
    pub(super) fn unknown<'i>(
        ids: &'i [String],
        bundle: &dyn Bundle,
        notices: &[Notice],
    ) -> Option<&'i String> {
        let is_known = |id: &&String| {
            bundle.hooks().iter().any(|hook| hook.id.as_str() == **id)
                || notices.iter().filter_map(|notice| notice.hook.as_ref()).any(|hook| hook.as_str() == **id)
        };
        ids.iter().find(|id| !is_known(id))
    }

    /// Whether it holds of a hook.
    pub(super) fn holds_of(&self, hook: &HookId) -> bool {
        self.only.as_ref().is_none_or(|ids| ids.contains(hook))
    }

    /// Who is told to have blocked an event, and why: the first entry that may have guarded it.
    pub(super) fn left_out(&self, event: &str) -> Option<(HookId, String)> {
        let entry = self.left_out.iter().find(|entry| entry.event.is_none_or(|of| of == event))?;
        let hook = entry.hook.clone().unwrap_or_else(|| HookId::from("config"));
        Some((hook, format!("fail_closed: a hook was left out of the config: {}", entry.why)))
    }
}

/// The event that a path names (`hooks.PreToolUse[0].matcher`).
fn event_in(events: &'static [EventRow], path: &str) -> Option<&'static str> {
    let name = |step: &str| events.iter().find(|row| row.name == step).map(|row| row.name);
    path.split(['.', '[']).find_map(name)
}

/// Why a finished record is not a clear answer; `None` where it is one, or where the hook was not to be asked.
pub(super) fn why_unclear(
    bundle: &dyn Bundle,
    events: &'static [EventRow],
    record: &HookRecord,
) -> Option<String> {
    let why = match (&record.selection, &record.run) {
        (Selection::NotMatched(mismatch), _) => unasked(mismatch, &record.warnings)?,
        (Selection::Matched, Some(run)) => unclear(bundle, events, record, run)?,
        _ => return None,
    };
    Some(format!("fail_closed: {why}"))
}

/// A hook that was not asked although nobody knows whether it should have been.
fn unasked(mismatch: &Mismatch, warnings: &[String]) -> Option<String> {
    match mismatch {
        Mismatch::Refused { .. } | Mismatch::Condition { undecided: true, .. } => {
            Some(format!("the hook did not run: {mismatch}"))
        }
        // The config warned of it: this matcher was not meant never to match.
        Mismatch::Never(_) => warnings.first().cloned(),
        _ => None,
    }
}

fn unclear(
    bundle: &dyn Bundle,
    events: &'static [EventRow],
    record: &HookRecord,
    run: &RunRecord,
) -> Option<String> {
    let blocks = matches!(record.effect, Effect::Blocked { .. });
    if blocks || matches!(run.reading.verdict, Verdict::Block | Verdict::Ask | Verdict::Defer) {
        return None;
    }
    if run.end != Ended::Exited || run.reading.verdict == Verdict::Error {
        let why = run.reading.reason.clone().unwrap_or_else(|| run.end.to_string());
        return Some(format!("the hook failed: {why}"));
    }
    let hook = bundle.hooks().get(record.index);
    let is_process = |hook: &Hook| matches!(hook.handler, Handler::Script { .. } | Handler::Program { .. });
    if run.status != 0 && hook.is_some_and(is_process) {
        return Some(format!("the hook ended with exit status {}", run.status));
    }
    if let Some(missing) = run.missing.first() {
        return Some(missing.to_string());
    }
    let reads = |hook: &Hook| unread::is_asked_of(&hook.handler);
    let unread = hook.is_some_and(reads).then(|| unread::faults(run, events, record.event));
    unread.into_iter().flatten().next().or_else(|| record.warnings.first().cloned())
}

#[cfg(test)]
mod tests;
