//! `goclaw`: GoClaw hooks. Records with a scope and a priority, seven events of which three can be blocked, four handlers
//! (`command`, `http`, `prompt`, `script`). Rules R1 to R60.
//!
//! `config.rs` reads and validates records, `filter.rs` and `cel/` select by tenant, expression and condition, `payload.rs`
//! writes the payload and reads it back, `handler.rs` says what each handler gets, `output.rs` reads what it gave, `chain.rs`
//! keeps one firing, `rewrite.rs` what its hooks change, `shared.rs` what lives from firing to firing (breaker, caches, budgets), `audit.rs` and `log.rs` make the
//! audit rows, spans and log keys. `store.rs` has the records that management calls change.
//!
//! # Settings
//!
//! [`LoadOptions::settings`] takes
//!
//! | name | type | default | |
//! |---|---|---|---|
//! | `edition` | `lite`, `standard` | `lite` | `command` runs on `lite` only (R50) |
//! | `tenant_id` | string | – | the caller's tenant: that of rows without one |
//! | `sentinel_tenant_id` | string | the nil UUID | the tenant of global rows (R3) |
//! | `environment` | object of strings | `{}` | what `allowed_env_vars` may pick from (R12) |
//! | `allow_http_mutation` | boolean | false | apply `updatedInput` of an HTTP answer (R18) |
//! | `allow_loopback` | boolean | false | the SSRF guard lets loopback addresses through |
//! | `breaker_mode` | `open`, `hold` | `open` | whether a tripped hook lets through or goes on blocking (R34) |
//! | `condition_errors` | `skip`, `run` | `skip` | what a condition without a value does, for one whose cost the tool's input drives past its bound (R9): the product skips the hook, and the call proceeds; `run` fails closed |
//! | `script` | `host`, `off` | `host` | `off` rejects `script` rows (R22) |
//! | `monthly_tokens` | integer or null | 1000000 | budget of a tenant in a month; null is without bound (R40) |
//! | `builtins` | boolean | true | adds the rows that ship with the platform, disabled (R55) |
//!
//! A row without `tenant_id` belongs to the caller's tenant, and where the host names none to the tenant of the event: a file
//! of hooks is normally that of one tenant. A row without `id` is called by its name, else by event and place.
//!
//! # What the host does
//!
//! - An event's tenant is its `org_id`, its unique id the fact `eventId` (made from the session's random numbers when it is
//!   absent), its trace the facts `traceId` and `parentSpanId`.
//! - [`Request::Http`](crate::hook::Request::Http): stored `Authorization` values are decrypted there. The URL was checked as
//!   far as it is an address; whoever resolves a name checks again and words a refusal by
//!   [`Refusal`](crate::hook::http::Refusal).
//! - [`Request::Model`](crate::hook::Request::Model): the answer is the JSON object
//!   `{"tool_calls": [{"name": "decide", "arguments": {...}}], "tokens": 12}`; text of the model does not matter.
//! - [`Request::Builtin`](crate::hook::Request::Builtin) named `script`: the argument is the source, the payload the event;
//!   output is what `handle` returned, as JSON, messages are what it logged; another status than 0 is an exception.
//! - Rows that could not be read at all are said as `{"resolve_error": "why"}` in place of a config (R28).
//! - Prompt hooks are counted for each turn: by `turn_id`, and without one from one user message to the next (R38).
//!
//! The contract follows.

#![doc = include_str!("CONTRACT.md")]

mod audit;
mod cel;
mod chain;
mod config;
mod filter;
mod handler;
mod log;
mod output;
mod payload;
mod prompt;
mod redact;
mod rewrite;
mod shared;
mod store;
#[cfg(test)]
mod tests;

pub use audit::Execution;
pub(crate) use filter::never_true;
pub use store::{Caller, Keeper, Role, Store, TokenBudget, Trial};

use crate::hook::chain::{Fired, Firing};
use crate::hook::contract::{Bundle, Contract, LoadOptions, Loaded};
use crate::hook::document::{Node, Source};
use crate::hook::error::{ConfigError, EventError};
use crate::hook::event::{Channel, Event, Happening};
use crate::hook::hooks::{Hook, Hooks};
use crate::hook::json::Json;
use crate::hook::record::{HookId, HookRecord, LogRecord, Phase};
use crate::hook::runner::HookFuture;
use crate::hook::unread;
use config::{Row, Settings};
use serde::Serialize;
use serde_json::{Map, Value};
use shared::Shared;
use std::sync::Arc;

/// The contract.
#[derive(Clone, Copy, Debug)]
pub struct Goclaw;

/// What a chain came to (5 of the contract).
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GoclawResult {
    /// `allow` or `block`.
    pub decision: &'static str,
    /// Which hook blocked; none also when no hook was to blame.
    pub hook: Option<HookId>,
    /// Why it blocked, else empty.
    pub reason: String,
    /// For the model, in order.
    pub contexts: Vec<String>,
    /// The call's arguments, if they were rewritten and not blocked.
    pub updated_tool_input: Option<Json>,
    /// The user's message, if it was rewritten and not blocked.
    pub updated_raw_input: Option<String>,
    /// What handlers proposed that may not rewrite by themselves; the last one.
    pub proposed_input: Option<Json>,
    /// No hook could be asked at all; why. The host treats it as a block (R28, R35).
    pub error: Option<String>,
}

/// The seven events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum EventName {
    SessionStart,
    UserPromptSubmit,
    PreToolUse,
    PostToolUse,
    Stop,
    SubagentStart,
    SubagentStop,
}

impl EventName {
    const ALL: [Self; 7] = [
        Self::SessionStart,
        Self::UserPromptSubmit,
        Self::PreToolUse,
        Self::PostToolUse,
        Self::Stop,
        Self::SubagentStart,
        Self::SubagentStop,
    ];

    const fn name(self) -> &'static str {
        match self {
            Self::SessionStart => "session_start",
            Self::UserPromptSubmit => "user_prompt_submit",
            Self::PreToolUse => "pre_tool_use",
            Self::PostToolUse => "post_tool_use",
            Self::Stop => "stop",
            Self::SubagentStart => "subagent_start",
            Self::SubagentStop => "subagent_stop",
        }
    }

    fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|event| event.name() == name)
    }

    /// `stop` is the end of the session, not that of a turn.
    const fn of(happening: &Happening) -> Option<Self> {
        match happening {
            Happening::SessionStarted { .. } => Some(Self::SessionStart),
            Happening::PromptSubmitted { .. } => Some(Self::UserPromptSubmit),
            Happening::ToolCallStarting(_) => Some(Self::PreToolUse),
            Happening::ToolCallEnded { .. } => Some(Self::PostToolUse),
            Happening::SessionEnded { .. } => Some(Self::Stop),
            Happening::SubagentStarted => Some(Self::SubagentStart),
            Happening::SubagentEnded { .. } => Some(Self::SubagentStop),
            _ => None,
        }
    }

    const fn blocks(self) -> bool {
        matches!(self, Self::UserPromptSubmit | Self::PreToolUse | Self::SubagentStart)
    }

    /// Whether it begins a user's turn.
    const fn starts_turn(happening: &Happening) -> bool {
        matches!(
            happening,
            Happening::SessionStarted { .. }
                | Happening::PromptSubmitted { channel: Channel::Prompt | Channel::FollowUp, .. }
        )
    }

    fn all_names() -> String {
        Self::ALL.map(Self::name).join(", ")
    }
}

/// The four handlers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum HandlerKind {
    Command,
    Http,
    Prompt,
    Script,
}

impl HandlerKind {
    const ALL: [Self; 4] = [Self::Command, Self::Http, Self::Prompt, Self::Script];

    const fn name(self) -> &'static str {
        match self {
            Self::Command => "command",
            Self::Http => "http",
            Self::Prompt => "prompt",
            Self::Script => "script",
        }
    }

    fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// Loaded records.
struct GoclawBundle {
    /// In the order of resolution: priority, then age.
    hooks: Hooks<Row>,
    settings: Settings,
    shared: Arc<Shared>,
    /// The rows could not be read; why (R28).
    resolve_error: Option<String>,
    /// One row is tried (R60): no filter, no breaker, no audit row.
    dry: bool,
}

impl Bundle for GoclawBundle {
    fn is_empty(&self) -> bool {
        self.resolve_error.is_none() && self.hooks.iter().all(|of| of.extra.shipped)
    }

    fn unread(&self, _: &str, output: &Map<String, Value>) -> Vec<String> {
        unread::check(output, output::MEMBERS, true)
    }

    fn hooks(&self) -> &[Hook] {
        self.hooks.all()
    }

    fn fire<'a>(&'a self, firing: Firing<'a>) -> Option<HookFuture<'a, Fired>> {
        let name = EventName::of(&firing.event.happening)?;
        let chain = chain::GoclawChain::new(self, firing.event, name, firing.now, firing.host);
        Some(firing.run(&self.hooks, chain))
    }

    fn log(&self, phase: Phase, record: &HookRecord) -> Vec<LogRecord> {
        log::records(phase, record)
    }
}

impl Contract for Goclaw {
    fn recognises(&self, config: &Node) -> bool {
        config::records(config).iter().any(|record| record.get("handler_type").is_some())
    }

    fn load(&self, source: &Source<'_>, options: &LoadOptions) -> Result<Loaded, ConfigError> {
        config::load(source, options)
    }

    fn read_event(&self, payload: &Value) -> Result<Event, EventError> {
        payload::read_event(payload)
    }
}
