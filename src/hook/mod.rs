//! Hooks: an event goes in, the hooks of a config run, a decision comes out.
//!
//! The order of things in one firing: the dialect maps the event to its own; each hook of that
//! event is considered (`matcher.rs`), gets its payload, runs through the session's [`HookRunner`], its output is read by
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

#[cfg(feature = "tools")]
pub mod answer;
pub(crate) mod assignment;
mod background;
#[cfg(feature = "tools")]
pub mod case;
#[cfg_attr(not(feature = "tools"), allow(dead_code, reason = "the linter asks for more than the engine"))]
mod cel;
mod chain;
pub(crate) mod contract;
#[cfg(feature = "tools")]
pub mod convert;
pub(crate) mod decision;
pub mod dialect;
pub(crate) mod error;
pub(crate) mod event;
mod event_field;
mod event_table;
mod fail_closed;
mod field;
mod hook_run;
mod hook_set;
pub(crate) mod hooks;
pub mod http;
pub(crate) mod id;
pub(crate) mod json;
#[cfg(feature = "tools")]
pub mod lint;
pub(crate) mod matcher;
pub(crate) mod notice;
pub(crate) mod observer;
mod outcome;
mod payload;
#[cfg_attr(not(feature = "tools"), allow(dead_code, reason = "conversion asks for more than detection"))]
pub(crate) mod portable;
mod re2;
mod reading;
pub(crate) mod record;
pub(crate) mod request;
pub(crate) mod runner;
#[cfg(feature = "tools")]
pub mod schema;
pub(crate) mod script;
#[cfg(test)]
pub(crate) mod scripted;
pub(crate) mod setting;
mod shadow;
pub(crate) mod state;
mod timestamp;
pub(crate) mod unread;
mod warning;
mod watch;
mod weight;
mod word;

pub use crate::document::{ConfigProblem, Place};
#[cfg(feature = "tools")]
pub use answer::{Answer, AnswerError, Answers, Asked};
pub use assignment::SettingError;
pub use background::Late;
pub use chain::{Fired, Firing};
pub use contract::{Contribution, LoadOptions, Purpose};
pub use decision::{Block, Decision, Reading, Verdict};
pub use dialect::{Dialect, DialectResult};
pub use error::{ConfigError, EventError};
pub use event::{Channel, Event, EventContext, Moment, ToolCall, ToolCallSummary};
pub use hook_set::HookSet;
pub use hooks::{Handler, Hook};
pub use id::HookId;
pub use json::Json;
pub use notice::{Notice, NoticeKind};
pub use observer::HookObserver;
pub use outcome::Outcome;
pub use record::{Effect, HookRecord, LogRecord, Phase, RunRecord, Selection};
pub use request::{BuiltinRequest, HttpRequest, ModelRequest, Request, ToolRequest};
pub use runner::{HookFuture, HookHost, HookRunner, LateOutput};
pub use script::{
    Capture, Command, Ended, Excess, HookIdentity, HookScript, ScriptOutcome, ScriptRequest, Shell,
};
pub use setting::{Setting, SettingKind};
pub use shadow::Shadow;
pub use state::SessionState;
