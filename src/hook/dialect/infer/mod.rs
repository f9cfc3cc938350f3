//! `infer`: command hooks of the inference-gateway CLI. Eight points, one action (a shell command), off by default, gated by
//! an allow-list, and observing only: nothing that a hook prints changes anything.
//!
//! `config.rs` reads configs (`config/expansion.rs` expands variables in their text first), `allow_list.rs` is the gate and
//! `guard.rs` its test of a command's text, `payload.rs` writes payloads and reads them back, `chain.rs` runs and records,
//! `log.rs` makes the two events, `reminder.rs` is the sibling feature of texts that are due at the same points.
//!
//! The mode in force is the event's permission mode; where it has none, the setting `mode`. The turn is the event's
//! `turn_id` as a number, 0 where it is none.
//!
//! | setting | type | default | |
//! |---|---|---|---|
//! | `environment` | object of strings | `{}` | the loader's variables: for `$NAME` in the file (R3), `INFER_HOOKS_ENABLED` (R2), `INFER_TOOLS_BASH_ALLOW_APPEND` (R11) |
//! | `expand_unset_to_empty` | boolean | `false` | a name that is not in `environment` becomes empty in place of staying (R3) |
//! | `mode` | string | `standard` | `standard`, `plan`, `auto`, `readonly` or a name of its own (R10) |
//! | `tools` | object | the contract's lists | `bash.mode.NAME.allow`: lists of regexes (1.4); a mode that is not given keeps its default list |
//! | `tools_bash_allow_append` | string | absent | the flag of that name: more entries (R11) |
//! | `plugins` | list | `[]` | objects `name`, `enabled`, `hooks_enabled` (both true unless said), `hooks` (a file's text, or its content) (R6) |
//!
//! | `reminders` | string or object | absent | the text of `reminders.yaml`, or its content (9.1) |
//! | `default_reminders` | list | `[]` | the reminders that the host ships, for a file with `merge` |
//!
//! Reminders look at facts of an event ([`Event::facts`]): `max_turns`, `finish_reason`, `open_todos` (a list of texts),
//! `stalled_strikes` (else they are counted), `failed` (else the calls of the batch tell).
//!
//! A [`Contribution`](super::Contribution) is a plug-in too: its `hooks` are hooks in the config's shape. They come before
//! those of `plugins`. `bash.enabled` is the tool's own switch; hooks do not ask for it.
//!
//! The contract follows.

#![doc = include_str!("CONTRACT.md")]

mod allow_list;
mod chain;
mod config;
mod guard;
mod log;
mod payload;
mod reminder;
#[cfg(test)]
mod tests;

pub use allow_list::AllowList;
pub use reminder::due::DueReminder;

use crate::hook::chain::{Fired, Firing};
use crate::hook::contract::{Bundle, Contract, LoadOptions, Loaded};
use crate::hook::document::{Node, Source};
use crate::hook::error::{ConfigError, EventError};
use crate::hook::event::{Event, Happening};
use crate::hook::hooks::{Hook, Hooks};
use crate::hook::record::{HookRecord, LogRecord, Phase};
use crate::hook::runner::HookFuture;
use guard::Verdict;
use reminder::Reminder;
use serde::Serialize;
use serde_json::Value;

/// The contract.
#[derive(Clone, Copy, Debug)]
pub struct Infer;

/// What a chain came to: one record for each due hook, in order (R22).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct InferResult {
    /// In run order.
    pub records: Vec<InferRecord>,
    /// Texts that are due at this point, for the host to put in their place (9.1).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reminders: Vec<DueReminder>,
}

/// One due hook (5).
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum InferRecord {
    /// It ran.
    Ran {
        /// The hook's name.
        name: String,
        /// The point.
        hook: &'static str,
        /// The command.
        command: String,
        /// Turn of the run, from 1; 0 before the first stream.
        turn: u64,
        /// Exit status; -1 when it could not start, timed out or was killed (R17).
        exit_code: i32,
        /// How long it took.
        duration_ms: u64,
        /// Both streams in the order of writing, cut (R19).
        output: String,
        /// Empty on exit status 0 (R18).
        error: String,
    },
    /// The gate refused it.
    Skipped {
        /// The hook's name.
        name: String,
        /// The point.
        hook: &'static str,
        /// The command.
        command: String,
        /// The mode in force.
        mode: String,
        /// Always `not_allowlisted` (R33).
        reason: &'static str,
        /// Which check of the command's text failed; empty when it is clean but not listed.
        hint: String,
    },
}

/// R33.
const NOT_ALLOWLISTED: &str = "not_allowlisted";

/// The eight points, in loop order (2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Point {
    PreSession,
    PreStream,
    PostStream,
    PreTool,
    PostTool,
    PreQueueDrain,
    PostQueueDrain,
    PostSession,
}

impl Point {
    const ALL: [Self; 8] = [
        Self::PreSession,
        Self::PreStream,
        Self::PostStream,
        Self::PreTool,
        Self::PostTool,
        Self::PreQueueDrain,
        Self::PostQueueDrain,
        Self::PostSession,
    ];

    const fn name(self) -> &'static str {
        match self {
            Self::PreSession => "pre_session",
            Self::PreStream => "pre_stream",
            Self::PostStream => "post_stream",
            Self::PreTool => "pre_tool",
            Self::PostTool => "post_tool",
            Self::PreQueueDrain => "pre_queue_drain",
            Self::PostQueueDrain => "post_queue_drain",
            Self::PostSession => "post_session",
        }
    }

    fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|point| point.name() == name)
    }

    /// Separated by blanks.
    fn all_names() -> String {
        Self::ALL.map(Self::name).join(" ")
    }

    fn of(happening: &Happening) -> Option<Self> {
        match happening {
            Happening::SessionStarted { .. } => Some(Self::PreSession),
            Happening::ModelCallStarting { .. } => Some(Self::PreStream),
            Happening::ModelCallEnded { .. } => Some(Self::PostStream),
            Happening::ToolBatchStarting { .. } => Some(Self::PreTool),
            Happening::ToolBatchEnded { .. } => Some(Self::PostTool),
            Happening::QueueDrainStarting => Some(Self::PreQueueDrain),
            Happening::QueueDrainEnded => Some(Self::PostQueueDrain),
            Happening::SessionEnded { .. } => Some(Self::PostSession),
            // What a payload says of a batch is only that there is one.
            Happening::Other { name } => Self::from_name(name),
            _ => None,
        }
    }
}

/// What this dialect keeps of a hook beside the engine's [`Hook`].
#[derive(Debug)]
struct Extra {
    name: String,
    command: String,
    /// What the command's text says, whatever the list and the mode.
    verdict: Verdict,
}

/// A loaded config.
#[derive(Debug)]
struct InferBundle {
    /// None of them is due when the master switch is off.
    hooks: Hooks<Extra>,
    allow_list: AllowList,
    /// For events that name no mode.
    mode: String,
    reminders: Vec<Reminder>,
}

impl Bundle for InferBundle {
    fn hooks(&self) -> &[Hook] {
        self.hooks.all()
    }

    fn fire<'a>(&'a self, firing: Firing<'a>) -> Option<HookFuture<'a, Fired>> {
        let point = Point::of(&firing.event.happening)?;
        let chain = chain::InferChain::new(self, firing.event, point, firing.host);
        Some(firing.run(&self.hooks, chain))
    }

    fn log(&self, phase: Phase, record: &HookRecord) -> Vec<LogRecord> {
        let of = self.hooks.get(record.index);
        of.and_then(|of| log::record(phase, record, of.extra)).into_iter().collect()
    }
}

impl Contract for Infer {
    fn recognises(&self, config: &Node) -> bool {
        let hooks = config.get("hooks").and_then(Node::as_array).unwrap_or_default();
        let is_hook = |hook: &Node| hook.get("hook").is_some() && hook.get("command").is_some();
        hooks.iter().any(is_hook)
    }

    fn load(&self, source: &Source<'_>, options: &LoadOptions) -> Result<Loaded, ConfigError> {
        config::load(source, options)
    }

    fn read_event(&self, payload: &Value) -> Result<Event, EventError> {
        payload::read_event(payload)
    }
}
