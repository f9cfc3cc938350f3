//! Hooks: an event goes in, the hooks of a config run, a decision comes out.
//!
//! The order of things in one firing: the dialect maps the event to its own ([`dialect::Bundle::open`]); each hook of that
//! event is considered ([`matcher`]), gets its payload, runs through the session's [`HookRunner`], its output is read by
//! the dialect's rules into a [`Reading`], and the chain takes it in (`chain.rs`). Every hook considered leaves one
//! [`HookRecord`].
//!
//! This module does not know the shell: a session implements [`HookRunner`]. It never fails for what a script did.
//!
//! ```
//! use hookbox::hook::{Dialect, HookSet, LoadOptions};
//!
//! let config = br#"{"hooks": [{"event": "pre_tool_use", "matcher": {"tool_name": "bash"},
//!                              "executor": {"type": "bash", "command": "echo '{}'"}}]}"#;
//! let hooks = HookSet::load(Dialect::Everruns, config, &LoadOptions::default())?;
//! assert_eq!(hooks.hooks()[0].id.as_str(), "user:pre_tool_use_0");
//! // let outcome = hooks.fire(&session, &event).await;
//! # Ok::<(), hookbox::hook::ConfigError>(())
//! ```

pub mod case;
mod chain;
pub mod decision;
pub mod dialect;
pub mod document;
pub mod error;
pub mod event;
mod json;
pub mod matcher;
pub mod record;
pub mod request;
pub mod runner;
#[cfg(test)]
pub(crate) mod scripted;
pub mod state;
mod timestamp;

pub use decision::{Block, Decision, DialectResult, Reading, Verdict};
pub use dialect::{Contribution, Dialect, LoadOptions, Notice, NoticeKind, Purpose};
pub use error::{ConfigError, ConfigProblem, EventError};
pub use event::{Channel, Event, EventContext, Happening, ToolCall, ToolCallSummary};
pub use json::Json;
pub use record::{Effect, HookId, HookObserver, HookRecord, LogRecord, Phase, RunRecord, Selection};
pub use request::Request;
pub use runner::{
    Capture, Command, Ended, Excess, HookFuture, HookHost, HookIdentity, HookRunner, Script, ScriptOutcome,
    ScriptRequest, Shell,
};
pub use state::SessionState;

use dialect::{Bundle, Hook};
use document::Source;
use serde_json::Value;

/// A loaded, validated config: immutable, shared between sessions, with the compiled scripts of its hooks.
pub struct HookSet {
    dialect: Dialect,
    bundle: Box<dyn Bundle>,
    notices: Vec<Notice>,
}

impl HookSet {
    /// Loads a config.
    ///
    /// # Errors
    /// The config can not be used; with [`Purpose::Save`] also when one of its hooks can not.
    pub fn load(dialect: Dialect, config: &[u8], options: &LoadOptions) -> Result<Self, ConfigError> {
        let source = Source::new(&options.name, config);
        let loaded = dialect.contract().load(&source, options)?;
        for notice in &loaded.notices {
            tracing::warn!(target: "hookbox::hook", hook = notice.hook.as_ref().map(HookId::as_str), "{}", notice.text);
        }
        Ok(Self { dialect, bundle: loaded.bundle, notices: loaded.notices })
    }

    /// Fires an event: runs the hooks that it selects and says what they came to.
    pub async fn fire(&self, host: &dyn HookRunner, event: &Event) -> Outcome {
        chain::fire(self.bundle.as_ref(), host, event).await
    }

    /// The dialect.
    pub const fn dialect(&self) -> Dialect {
        self.dialect
    }

    /// The hooks, in chain order.
    pub fn hooks(&self) -> &[Hook] {
        self.bundle.hooks()
    }

    /// What was noticed while loading: dropped and muted hooks, warnings, what the host must do.
    pub fn notices(&self) -> &[Notice] {
        &self.notices
    }

    /// The dialect's log events of a finished record, in their order.
    pub fn log_records(&self, record: &HookRecord) -> Vec<LogRecord> {
        let mut all = Vec::new();
        if record.selection != Selection::NotReached {
            all.extend(self.bundle.log(Phase::Considered, record));
        }
        if record.run.is_some() {
            all.extend(self.bundle.log(Phase::Finished, record));
        }
        all
    }

    /// Reads an event: a payload in the dialect's own shape, or the neutral form (an object with `moment`).
    ///
    /// # Errors
    /// It is neither.
    pub fn read_event(&self, event: &Value) -> Result<Event, EventError> {
        if event.get("moment").is_some() {
            return serde_json::from_value(event.clone())
                .map_err(|error| EventError::Neutral(error.to_string()));
        }
        self.dialect.contract().read_event(event)
    }
}

impl std::fmt::Debug for HookSet {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("HookSet")
            .field("dialect", &self.dialect)
            .field("hooks", &self.hooks())
            .finish_non_exhaustive()
    }
}

/// What one firing came to.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// In our own words.
    pub decision: Decision,
    /// In the dialect's shape; `None` when the dialect has no such event.
    pub dialect_result: Option<DialectResult>,
    /// One for each hook of the event, in chain order.
    pub records: Vec<HookRecord>,
    /// The dialect's log events about the firing as a whole.
    pub logs: Vec<LogRecord>,
}

impl Outcome {
    /// As one JSON object: `proceed`, `decision`, `result`, `records`.
    pub fn to_json(&self) -> Value {
        let records: Vec<_> = self.records.iter().map(HookRecord::to_json).collect();
        serde_json::json!({
            "proceed": self.decision.proceeds(),
            "decision": self.decision,
            "result": self.dialect_result,
            "records": records,
        })
    }
}

/// Shows log events to who listens: the host's observer, `tracing`.
fn show(host: &dyn HookRunner, logs: &[LogRecord]) {
    let traced = tracing::enabled!(target: "hookbox::hook", tracing::Level::INFO);
    for log in logs {
        if traced {
            let fields = serde_json::to_string(&log.fields).unwrap_or_default();
            tracing::info!(target: "hookbox::hook", record = log.name, fields = fields.as_str());
        }
        if let Some(observer) = host.observer() {
            observer.log(log);
        }
    }
}

/// Shows a record to who listens: the host's observer, `tracing`.
fn report(bundle: &dyn Bundle, host: &dyn HookRunner, phase: Phase, record: &HookRecord) {
    let observer = host.observer();
    let traced = tracing::enabled!(target: "hookbox::hook", tracing::Level::INFO);
    if observer.is_none() && !traced {
        return;
    }
    show(host, &bundle.log(phase, record));
    if let (Phase::Finished, Some(observer)) = (phase, observer) {
        observer.audit(record);
    }
}
