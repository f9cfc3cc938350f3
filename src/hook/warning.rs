//! From where notices come: the warnings of a config are shown once in a session, and a finished record is looked at for
//! what kept its hook from its work.

use super::contract::Bundle;
use super::decision::Verdict;
use super::error::ConfigProblem;
use super::event_table::EventRow;
use super::id::HookId;
use super::matcher::Mismatch;
use super::notice::{Notice, NoticeKind};
use super::outcome_list::OutcomeList;
use super::record::{Effect, HookRecord, Selection};
use super::runner::HookRunner;
use super::running::Pace;
use super::script::Ended;
use super::unread;
use crate::document::Node;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// The warnings of a config, at hand for its firings.
#[derive(Debug, Default)]
pub(super) struct Warnings {
    pub(super) all: Arc<[Notice]>,
    /// Places in `all`.
    pub(super) by_hook: FxHashMap<HookId, Vec<usize>>,
}

impl Warnings {
    pub(super) fn of(notices: &[Notice]) -> Self {
        let all: Arc<[Notice]> = notices.iter().filter(|notice| notice.is_warning()).cloned().collect();
        let mut by_hook: FxHashMap<HookId, Vec<usize>> = FxHashMap::default();
        for (place, notice) in all.iter().enumerate() {
            if let Some(hook) = &notice.hook {
                by_hook.entry(hook.clone()).or_default().push(place);
            }
        }
        Self { all, by_hook }
    }

    /// A hook that can never match says why in its record.
    pub(super) fn explain(&self, record: &mut HookRecord) {
        if matches!(record.selection, Selection::NotMatched(Mismatch::Never(_))) {
            let places = self.by_hook.get(&record.hook).map_or(&[][..], Vec::as_slice);
            let known = places.iter().filter_map(|&place| self.all.get(place));
            record.warnings.extend(known.map(ToString::to_string));
        }
    }

    /// Shows the host's observer the warnings of a config, once in a session; who drops the firing meanwhile sees no more of them.
    pub(super) async fn show(&self, host: &dyn HookRunner, pace: &mut Pace) {
        let Some(observer) = host.observer().filter(|_| !self.all.is_empty()) else { return };
        let is_new = host.state().with(|shown: &mut Shown| {
            let is_new = !shown.0.iter().any(|known| Arc::ptr_eq(known, &self.all));
            if is_new {
                shown.0.truncate(MOST_SHOWN - 1);
                shown.0.insert(0, Arc::clone(&self.all));
            }
            is_new
        });
        if is_new {
            for notice in self.all.iter() {
                observer.notice(notice);
                pace.look().await;
            }
        }
    }
}

/// Configs that are remembered in a session.
pub(super) const MOST_SHOWN: usize = 16;

/// The warnings that a session's observer has seen: those of the last configs.
#[derive(Default)]
pub(super) struct Shown(Vec<Arc<[Notice]>>);

/// What a finished record leaves to notice.
pub(super) fn of_record(
    bundle: &dyn Bundle,
    events: &'static [EventRow],
    record: &HookRecord,
    all: &mut OutcomeList<Notice>,
) {
    let mut add = |kind, message: String| {
        let problem = ConfigProblem { file: String::new(), place: None, field: None, message };
        all.push(Notice::new(kind, Some(record.hook.clone()), problem));
    };
    if let Selection::NotMatched(
        mismatch @ (Mismatch::Refused { .. } | Mismatch::Condition { undecided: true, .. }),
    ) = &record.selection
    {
        add(NoticeKind::Skipped, format!("the hook did not run: {mismatch}"));
    }
    let Some(run) = &record.run else { return };
    let failed = run.end != Ended::Exited || run.reading.verdict == Verdict::Error;
    let failed = failed && !matches!(record.effect, Effect::Blocked { .. });
    let why = run.reading.reason.clone().unwrap_or_else(|| run.end.to_string());
    // A dialect may warn of the failure in the same words: it is told once.
    for warning in record.warnings.iter().filter(|warning| !failed || **warning != why) {
        add(NoticeKind::Warning, warning.clone());
    }
    if bundle.hooks().get(record.index).is_some_and(|hook| unread::is_asked_of(&hook.handler)) {
        for fault in unread::faults(run, events, record.event) {
            add(NoticeKind::Warning, fault);
        }
    }
    for missing in &run.missing {
        add(NoticeKind::Missing, missing.to_string());
    }
    if failed {
        add(NoticeKind::Failed, format!("the hook failed: {why}"));
    }
}

/// Tells each problem the path of its place in the config.
pub(super) fn locate(tree: &Node, problems: Vec<&mut ConfigProblem>) {
    for problem in problems {
        problem.field = problem.place.as_ref().and_then(|place| tree.path_at(place.offset));
    }
}
