//! Notices: what a person should know about a config that can be used, and about a firing that went on although a hook of
//! it did not do its work.
//!
//! A config's notices say what was left out of it, what does not run, and what runs but perhaps not as meant, each with its
//! place: file, line, column and path. Those of a firing say what a hook lacked (commands, scripts) and which hooks failed.
//! Both are in the [`Outcome`](super::Outcome): no guard is silent about what it did not look at.

use super::contract::Bundle;
use super::decision::Verdict;
use super::document::{Node, Place};
use super::error::ConfigProblem;
use super::hooks::{Handler, Hook};
use super::matcher::Mismatch;
use super::record::{Effect, HookId, HookRecord, LogRecord, Selection};
use super::runner::{Ended, HookRunner};
use super::unread;
use crate::visible;
use rustc_hash::FxHashMap;
use serde_json::{Map, Value};
use std::fmt::{self, Write as _};
use std::sync::Arc;

/// See the module.
#[derive(Clone, Debug, PartialEq)]
pub struct Notice {
    /// Of what kind.
    pub kind: NoticeKind,
    /// The hook, if it is about one.
    pub hook: Option<HookId>,
    /// What it is, and where in the config; without a file's name for what a firing noticed.
    pub problem: ConfigProblem,
    /// The dialect's log event for it, if it has one.
    pub log: Option<LogRecord>,
}

/// See [`Notice`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NoticeKind {
    /// A hook was left out because it is faulty.
    Dropped,
    /// A hook was muted by the config.
    Muted,
    /// It runs, but perhaps not as meant.
    Warning,
    /// The host must do something.
    Obligation,
    /// A hook of this firing wanted to run a command or a script that is not there.
    Missing,
    /// A hook of this firing did not run: a gate refused it, or its condition has no value.
    Skipped,
    /// A hook of this firing failed, or could not be asked, and stopped nothing.
    Failed,
}

impl NoticeKind {
    /// As records spell it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Dropped => "dropped",
            Self::Muted => "muted",
            Self::Warning => "warning",
            Self::Obligation => "obligation",
            Self::Missing => "missing",
            Self::Skipped => "skipped",
            Self::Failed => "failed",
        }
    }
}

impl Notice {
    /// A notice without a log event of its own.
    pub const fn new(kind: NoticeKind, hook: Option<HookId>, problem: ConfigProblem) -> Self {
        Self { kind, hook, problem, log: None }
    }

    /// Whether it says that something may not be guarded: everything but what the host is asked to do.
    pub fn is_warning(&self) -> bool {
        self.kind != NoticeKind::Obligation
    }

    /// As one JSON object: `kind`, `message`, and where they are known `hook`, `file`, `line`, `column` (both from 1) and
    /// `field`, the path in the config.
    pub fn to_json(&self) -> Value {
        let ConfigProblem { file, place, field, message } = &self.problem;
        let mut object = Map::new();
        let mut put = |name: &str, value: Value| object.insert(name.to_owned(), value);
        put("kind", self.kind.name().into());
        put("message", message.as_str().into());
        if let Some(hook) = &self.hook {
            put("hook", hook.as_str().into());
        }
        if !file.is_empty() {
            put("file", file.as_str().into());
        }
        if let Some(Place { line, column, .. }) = place {
            put("line", (*line).into());
            put("column", (*column).into());
        }
        if let Some(field) = field {
            put("field", field.as_str().into());
        }
        Value::Object(object)
    }

    /// For people, in a line or some: with the hook and the path in the config where the message does not name them.
    pub fn show(&self) -> String {
        let message = &self.problem.message;
        let mut text = self.problem.to_string();
        if let Some(field) = self.problem.field.as_ref().filter(|field| !message.contains(field.as_str())) {
            let _ = write!(text, " ({field})");
        }
        match self.hook.as_ref().filter(|hook| !text.contains(hook.as_str())) {
            Some(hook) if self.problem.file.is_empty() => visible::block(&format!("{hook}: {text}"), "  "),
            _ => visible::block(&text, "  "),
        }
    }
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.problem.fmt(f)
    }
}

/// The warnings of a config, at hand for its firings.
#[derive(Debug, Default)]
pub(super) struct Warnings {
    pub(super) all: Arc<[Notice]>,
    /// Places in `all`.
    by_hook: FxHashMap<HookId, Vec<usize>>,
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

    /// Shows the host's observer the warnings of a config, once in a session.
    pub(super) fn show(&self, host: &dyn HookRunner) {
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
            self.all.iter().for_each(|notice| observer.notice(notice));
        }
    }
}

/// Configs that are remembered in a session.
const MOST_SHOWN: usize = 16;

/// The warnings that a session's observer has seen: those of the last configs.
#[derive(Default)]
struct Shown(Vec<Arc<[Notice]>>);

/// What a finished record leaves to notice.
pub(super) fn of_record(bundle: &dyn Bundle, record: &HookRecord, all: &mut Vec<Notice>) {
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
    for warning in &record.warnings {
        add(NoticeKind::Warning, warning.clone());
    }
    // The answers of a server are objects of the same members.
    let is_read = |hook: &Hook| !matches!(hook.handler, Handler::Other(kind) if kind != "http");
    if bundle.hooks().get(record.index).is_some_and(is_read) {
        for fault in unread::faults(run, |output| bundle.unread(record.event, output)) {
            add(NoticeKind::Warning, fault);
        }
    }
    for missing in &run.missing {
        add(NoticeKind::Missing, missing.to_string());
    }
    let failed = run.end != Ended::Exited || run.reading.verdict == Verdict::Error;
    if failed && !matches!(record.effect, Effect::Blocked { .. }) {
        let why = run.reading.reason.clone().unwrap_or_else(|| run.end.to_string());
        add(NoticeKind::Failed, format!("the hook failed: {why}"));
    }
}

/// Tells each problem the path of its place in the config.
pub(super) fn locate(tree: &Node, problems: Vec<&mut ConfigProblem>) {
    for problem in problems {
        problem.field = problem.place.as_ref().and_then(|place| tree.path_at(place.offset));
    }
}
