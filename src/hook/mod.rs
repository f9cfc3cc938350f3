//! Hooks: an event goes in, the hooks of a config run, a decision comes out.
//!
//! The order of things in one firing: the dialect maps the event to its own ([`contract::Bundle::fire`]); each hook of that
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

#[cfg(feature = "tools")]
pub mod answer;
pub mod assignment;
mod background;
#[cfg(feature = "tools")]
pub mod case;
#[cfg_attr(not(feature = "tools"), allow(dead_code, reason = "the linter asks for more than the engine"))]
mod cel;
mod chain;
pub mod contract;
#[cfg(feature = "tools")]
pub mod convert;
pub mod decision;
pub mod dialect;
pub mod error;
pub mod event;
mod event_table;
mod fail_closed;
mod hook_run;
mod hook_set;
pub mod hooks;
pub mod http;
pub mod id;
pub(crate) mod json;
#[cfg(feature = "tools")]
pub mod lint;
pub mod matcher;
pub mod notice;
pub mod observer;
mod outcome;
mod payload;
#[cfg_attr(not(feature = "tools"), allow(dead_code, reason = "conversion asks for more than detection"))]
pub(crate) mod portable;
mod re2;
mod reading;
pub mod record;
pub mod request;
pub mod runner;
#[cfg(feature = "tools")]
pub mod schema;
pub mod script;
#[cfg(test)]
pub(crate) mod scripted;
pub mod setting;
mod shadow;
pub mod state;
mod timestamp;
pub(crate) mod unread;
mod warning;
mod watch;
mod weight;

pub use crate::document;

#[cfg(feature = "tools")]
pub use answer::{Answer, AnswerError, Answers, Asked};
pub use assignment::SettingError;
pub use background::Late;
pub use chain::{Fired, Firing};
pub use contract::{Contribution, LoadOptions, Purpose};
pub use decision::{Block, Decision, Reading, Verdict};
pub use dialect::{Dialect, DialectResult};
pub use error::{ConfigError, ConfigProblem, EventError};
pub use event::{Channel, Event, EventContext, Moment, ToolCall, ToolCallSummary};
pub use hook_set::HookSet;
pub use id::HookId;
pub use json::Json;
pub use notice::{Notice, NoticeKind};
pub use observer::HookObserver;
pub use outcome::Outcome;
pub use record::{Effect, HookRecord, LogRecord, Phase, RunRecord, Selection};
pub use request::Request;
pub use runner::{HookFuture, HookHost, HookRunner, LateOutput};
pub use script::{
    Capture, Command, Ended, Excess, HookIdentity, Script, ScriptOutcome, ScriptRequest, Shell,
};
pub use setting::{Setting, SettingKind};
pub use shadow::Shadow;
pub use state::SessionState;
