//! Notices: what a person should know about a config that can be used, and about a firing that went on although a hook of
//! it did not do its work.
//!
//! A config's notices say what was left out of it, what does not run, and what runs but perhaps not as meant, each with its
//! place: file, line, column and path. Those of a firing say what a hook lacked (commands, scripts) and which hooks failed.
//! Both are in the [`Outcome`](super::outcome::Outcome): no guard is silent about what it did not look at.

use super::error::ConfigProblem;
use super::id::HookId;
use super::record::LogRecord;
use crate::document::Place;
use crate::visible;
use serde_json::{Map, Value};
use std::fmt::{self, Write as _};

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
    pub(crate) const fn new(kind: NoticeKind, hook: Option<HookId>, problem: ConfigProblem) -> Self {
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
