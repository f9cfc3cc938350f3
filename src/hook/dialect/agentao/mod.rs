//! `agentao`: Agentao plug-in hooks. Eight events, two handlers (a command and a prompt), sequential chains; the payload is
//! standard input, the answer standard output and exit status. Rules G1 to G21.
//!
//! `config.rs` reads configs (`config/rule.rs` one rule), `matcher.rs` tests names and triggers, `payload.rs` writes payloads and
//! reads them back, `output.rs` reads what a hook printed (`output/stop.rs` that of `Stop`), `chain.rs` folds (`result.rs` has the
//! shapes), `log.rs` makes `PLUGIN_HOOK_FIRED` and the replay's entry.
//!
//! A plug-in's hooks beyond the config itself come as [`Contribution`](super::Contribution)s: each of its `hooks` is a declaration
//! in the config's own shape, or the name of a file that the setting `files` has.
//!
//! | setting | type | default | |
//! |---|---|---|---|
//! | `flat_superset` | boolean | `true` | Claude Code's flat keys stand beside `event` and `data` (G9) |
//! | `strict_agentao` | boolean | `false` | Claude Code's output shape and exit status 2 mean nothing, but on `Stop` (G12, G14) |
//! | `stop_reentry_cap` | whole number | 3 | forced turns in a row (G18) |
//! | `capture_plugin_hook_output_full` | boolean | `false` | the replay's `output_preview` is not cut (G21) |
//! | `files` | object of strings | `{}` | path → text of the hook files that plug-ins name |
//!
//! Facts of an event ([`Event::facts`]): the payload's own names (`stop_hook_active`, `custom_instructions`,
//! `compaction_type`, `reason`, `transcript_path`, …), and `permission_decision`: with `deny` no hook of the call runs (G20).
//!
//! The contract follows.

#![doc = include_str!("CONTRACT.md")]

mod chain;
mod config;
mod log;
mod matcher;
mod output;
mod payload;
mod result;
#[cfg(test)]
mod tests;

pub use result::{
    Attachment, AttachmentType, LifecycleResult, PreToolUseResult, StopHookResult, StopOutcome, ToolDecision,
    UserPromptSubmitResult,
};

use crate::hook::chain::{Fired, Firing};
use crate::hook::contract::{Bundle, Contract, LoadOptions, Loaded};
use crate::hook::document::{Node, Source};
use crate::hook::error::{ConfigError, EventError};
use crate::hook::event::{Event, Happening};
use crate::hook::hooks::{Hook, Hooks};
use crate::hook::record::{HookRecord, LogRecord, Phase};
use crate::hook::runner::HookFuture;
use crate::hook::unread;
use crate::text::Text;
use matcher::Matcher;
use serde::Serialize;
use serde_json::{Map, Value};

/// The contract.
#[derive(Clone, Copy, Debug)]
pub struct Agentao;

/// What a chain came to, in the contract's shapes (A5).
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum AgentaoResult {
    /// `UserPromptSubmit`
    UserPromptSubmit(UserPromptSubmitResult),
    /// `PreToolUse`
    PreToolUse(PreToolUseResult),
    /// `Stop`
    Stop(StopHookResult),
    /// The other events: nothing can change.
    Lifecycle(LifecycleResult),
}

/// The eight events (G4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum EventName {
    UserPromptSubmit,
    SessionStart,
    SessionEnd,
    PreToolUse,
    PostToolUse,
    PostToolUseFailure,
    Stop,
    PreCompact,
}

impl EventName {
    const ALL: [Self; 8] = [
        Self::UserPromptSubmit,
        Self::SessionStart,
        Self::SessionEnd,
        Self::PreToolUse,
        Self::PostToolUse,
        Self::PostToolUseFailure,
        Self::Stop,
        Self::PreCompact,
    ];

    const fn name(self) -> &'static str {
        match self {
            Self::UserPromptSubmit => "UserPromptSubmit",
            Self::SessionStart => "SessionStart",
            Self::SessionEnd => "SessionEnd",
            Self::PreToolUse => "PreToolUse",
            Self::PostToolUse => "PostToolUse",
            Self::PostToolUseFailure => "PostToolUseFailure",
            Self::Stop => "Stop",
            Self::PreCompact => "PreCompact",
        }
    }

    fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|event| event.name() == name)
    }

    const fn of(happening: &Happening) -> Option<Self> {
        match happening {
            Happening::PromptSubmitted { .. } => Some(Self::UserPromptSubmit),
            Happening::SessionStarted { .. } => Some(Self::SessionStart),
            Happening::SessionEnded { .. } => Some(Self::SessionEnd),
            Happening::ToolCallStarting(_) => Some(Self::PreToolUse),
            Happening::ToolCallEnded { error: None, .. } => Some(Self::PostToolUse),
            Happening::ToolCallEnded { .. } => Some(Self::PostToolUseFailure),
            Happening::TurnEnded { .. } => Some(Self::Stop),
            Happening::CompactionStarting { .. } => Some(Self::PreCompact),
            _ => None,
        }
    }

    const fn is_about_a_tool(self) -> bool {
        matches!(self, Self::PreToolUse | Self::PostToolUse | Self::PostToolUseFailure)
    }

    fn all_names() -> String {
        Self::ALL.map(Self::name).join(", ")
    }
}

/// What this dialect keeps of a hook beside the engine's [`Hook`].
#[derive(Debug)]
struct Extra {
    matcher: Matcher,
    /// What attachments call it: the command, or `prompt_hook`.
    label: std::sync::Arc<str>,
    /// The text of a prompt handler.
    prompt: Option<String>,
}

/// The settings of the module's table.
#[derive(Clone, Copy, Debug)]
struct Switches {
    flat_superset: bool,
    strict: bool,
    stop_reentry_cap: u64,
    full_preview: bool,
}

/// A loaded config.
#[derive(Debug)]
struct AgentaoBundle {
    hooks: Hooks<Extra>,
    switches: Switches,
}

impl Bundle for AgentaoBundle {
    fn unread(&self, event: &str, output: &Map<String, Value>) -> Vec<String> {
        let members = EventName::from_name(event).and_then(output::members);
        members.map_or_else(Vec::new, |members| unread::check(output, members, false))
    }

    fn hooks(&self) -> &[Hook] {
        self.hooks.all()
    }

    fn fire<'a>(&'a self, firing: Firing<'a>) -> Option<HookFuture<'a, Fired>> {
        let name = EventName::of(&firing.event.happening)?;
        let chain = chain::AgentaoChain::new(self, firing.event, name, firing.host);
        Some(firing.run(&self.hooks, chain))
    }

    /// The contract's only log event is about a whole firing.
    fn log(&self, _: Phase, _: &HookRecord) -> Vec<LogRecord> {
        Vec::new()
    }
}

/// The working directory that payloads show when the event knows none.
const DEFAULT_CWD: &str = "/workspace";

/// The directory that hooks run in, where the event names one.
fn cwd_of(event: &Event) -> Option<Text> {
    event.context.cwd.as_deref().map(Text::from)
}

impl Contract for Agentao {
    fn recognises(&self, config: &Node) -> bool {
        let events = config.get("hooks").filter(|hooks| hooks.is_object()).unwrap_or(config);
        let is_flat = |entry: &Node| entry.get("type").is_some() && entry.get("hooks").is_none();
        events.members().iter().any(|member| {
            let is_event = member.name.starts_with(|first: char| first.is_ascii_uppercase());
            let entries = member.value.as_array().unwrap_or(std::slice::from_ref(&member.value));
            is_event && entries.iter().any(is_flat)
        })
    }

    fn load(&self, source: &Source<'_>, options: &LoadOptions) -> Result<Loaded, ConfigError> {
        config::load(source, options)
    }

    fn read_event(&self, payload: &Value) -> Result<Event, EventError> {
        payload::read_event(payload)
    }
}
