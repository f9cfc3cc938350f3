//! Hooks: an event goes in, the hooks of a config run, a decision comes out.
//!
//! ```
//! use hookbox::hook::{Dialect, HookSet, LoadOptions};
//! use hookbox::sandbox::Sandbox;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let config = br#"{"hooks": [{"event": "pre_tool_use", "matcher": {"tool_name": "bash"},
//!                              "executor": {"type": "bash", "command": "echo 'not today' >&2; exit 1"}}]}"#;
//! let hooks = HookSet::load(Dialect::Everruns, config, &LoadOptions::default())?;
//! assert_eq!(hooks.hooks()[0].id.as_str(), "user:pre_tool_use_0");
//!
//! let session = Sandbox::builder().build()?;
//! let event = hooks.read_event(&serde_json::json!({
//!     "moment": "tool_call_starting", "tool_name": "bash", "tool_call_id": "1", "arguments": {"command": "ls"},
//! }))?;
//! let outcome = hooks.fire(&session, &event).await;
//! assert_eq!(outcome.decision.blocked.map(|block| block.reason).as_deref(), Some("not today"));
//! # Ok(())
//! # }
//! ```
//!
//! The order of things in one firing: the dialect maps the [`Event`] to its own; each hook of that event is considered, gets its
//! payload, runs through the session's [`HookRunner`], its output is read by the dialect's rules into a [`Reading`], and the
//! chain takes it in. Every hook considered leaves one [`HookRecord`] in the [`Outcome`].
//!
//! # Errors
//!
//! A config that cannot be used is a [`ConfigError`], an event that cannot be read an [`EventError`]. Firing never fails: what a
//! script did, or could not do, is in its record, and what the config or a hook lacked in [`Outcome::notices`]. Times are
//! [`Duration`](std::time::Duration)s, sizes bytes.
//!
//! # Inside
//!
//! `hook_set.rs` is the face, `chain.rs` the engine of a firing, `contract.rs` what a dialect is to it, `matcher.rs` the
//! tests of names and arguments; [`dialect`] has the dialects, `cel/` and `template/` the languages in which configs have
//! conditions and prompts. This module does not know the shell: a session implements [`HookRunner`]. A new dialect is a
//! folder in [`dialect`]; a new moment is a variant of [`Moment`] and a row in the tables of events; a new kind of request
//! to the host is a variant of [`Request`].

#[cfg(feature = "tools")]
pub mod answer;
pub mod ask;
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
pub(crate) mod fault_list;
mod field;
mod hook_run;
mod hook_set;
pub(crate) mod hooks;
pub mod http;
pub(crate) mod id;
pub(crate) mod json;
#[cfg(feature = "tools")]
pub mod lint;
mod loading;
pub(crate) mod matcher;
pub(crate) mod notice;
pub(crate) mod observer;
mod outcome;
mod outcome_list;
mod payload;
#[cfg_attr(not(feature = "tools"), allow(dead_code, reason = "conversion asks for more than detection"))]
pub(crate) mod portable;
mod re2;
mod reading;
pub(crate) mod record;
pub(crate) mod redact;
pub(crate) mod request;
pub(crate) mod runner;
mod running;
#[cfg(feature = "tools")]
pub mod schema;
pub(crate) mod script;
#[cfg(test)]
pub(crate) mod scripted;
pub(crate) mod setting;
mod shadow;
pub(crate) mod state;
mod template;
mod timestamp;
pub(crate) mod unread;
pub(crate) mod version;
mod warning;
mod watch;
mod weight;
mod word;

pub use crate::document::{ConfigProblem, Place};
pub use assignment::SettingError;
pub use contract::{Contribution, LoadOptions, Purpose};
pub use decision::{Block, Decision, Reading, Verdict};
pub use dialect::list::{Dialect, UnknownDialect};
pub use dialect::result::DialectResult;
pub use dialect::version::UnknownVersion;
pub use error::{ConfigError, EventError};
pub use event::{Channel, Event, EventContext, Moment, ToolCall, ToolCallSummary};
pub use hook_set::HookSet;
pub use hooks::{Handler, Hook};
pub use id::HookId;
pub use json::Json;
pub use notice::{Notice, NoticeKind};
pub use observer::HookObserver;
pub use outcome::Outcome;
pub use outcome_list::OutcomeList;
pub use record::{Effect, HookRecord, LogRecord, Phase, RunRecord, Selection};
pub use request::{BuiltinRequest, HttpRequest, ModelRequest, Request, ToolRequest};
pub use runner::{HookFuture, HookHost, HookRunner, LateOutput};
pub use script::{
    Capture, Command, Ended, Excess, HookIdentity, HookScript, ScriptOutcome, ScriptRequest, Shell,
};
pub use setting::{Setting, SettingKind};
pub use shadow::Shadow;
pub use state::SessionState;
pub use version::ContractVersion;
