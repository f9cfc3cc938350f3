//! `docker-agent`: docker-agent hooks. 28 events, three types of hooks (`command`, `builtin`, `model`); the payload travels on
//! standard input, the verdict comes back as JSON on standard output or as exit status 2. Rules R1 to R44.
//!
//! `event.rs` is the table of events, `config.rs` reads and validates configs, `payload.rs` writes payloads and reads them
//! back as events, `output.rs` reads verdicts, `chain.rs` selects and delivers, `fold.rs` puts the verdicts together,
//! `builtin.rs` has the built-ins, `model.rs` and `template.rs` the questions to models, `log.rs` the records.
//!
//! Settings ([`LoadOptions::settings`]):
//!
//! | name | type | default | |
//! |---|---|---|---|
//! | `agent` | string | – | the agent of the file whose hooks run; without it the one that the event names, else `root`, else the first |
//! | `legacy_context_events` | boolean | true | text of `post_tool_use` and `stop` is context, as documented; false is the way of newer releases |
//! | `lenient_exit_codes` | boolean | false | an exit status other than 0 and 2 is only logged |
//! | `merge_updated_input` | boolean | false | rewritten arguments join the call's instead of replacing them |
//! | `capture_content` | boolean | false | records have free text: reasons and output |
//! | `stdout_bytes`, `stderr_bytes` | integer | 1048576 | output of a hook; more is a failure |
//! | `temp_dir` | string | `/tmp` | where large results are saved |
//! | `tool_categories` | object | – | tool name → `filesystem`, `shell`, `mcp`, `a2a`, or another category |
//! | `hook-pre-tool-use`, `hook-post-tool-use`, `hook-session-start`, `hook-session-end`, `hook-on-user-input`, `hook-stop` | list of strings | – | commands of the flags of that name, see [`append_cli_hook`] |
//!
//! User-level hooks (`settings.hooks`) and files of `hooks.d` are [`Contribution`](super::Contribution)s: each has event maps,
//! those whose origin begins with `hooks.d/` come last, in the order of their names.
//!
//! A neutral event becomes the contract's event that fits; the fact `hook_event_name` picks another one of the same moment
//! (`tool_guard` for a call that starts, `stop` for a turn that ends, `before_compaction`, `on_error`), and [`events_of`]
//! gives all of a moment. Three facts speak to
//! the engine and are in no payload: `lane` (`preempt` or `default`, the lane of `pre_tool_use` that fires; without it both
//! do, as `lane.rs` says), `approved_by` (what already allowed the call; the default lane is skipped, R29) and
//! `tool_category` (R34). A host that fires the lanes apart, or takes a rewrite from `permission_request`, fires the guards
//! again over the new arguments (R32).
//!
//! The run's cancellation is the host's: it drops the firing, and then there is no result (R26); it does not drop those of
//! `session_end` and `turn_end` (R42).
//!
//! The contract follows.

#![doc = include_str!("CONTRACT.md")]

mod builtin;
mod chain;
mod config;
mod event;
mod expand;
mod fold;
mod lane;
mod log;
mod model;
mod moment;
mod output;
mod payload;
mod settings;
mod template;
#[cfg(test)]
mod tests;

pub use fold::{DockerAgentResult, Permission};
pub use moment::events_of;
pub use settings::append_cli_hook;

use crate::hook::chain::{Fired, Firing};
use crate::hook::contract::{Bundle, Contract, LoadOptions, Loaded};
use crate::hook::document::{Node, Source};
use crate::hook::error::{ConfigError, EventError};
use crate::hook::event::Event;
use crate::hook::hooks::{Hook, Hooks};
use crate::hook::matcher::Regex;
use crate::hook::record::{HookRecord, LogRecord, Phase};
use crate::hook::runner::HookFuture;
use crate::hook::unread;
use event::EventName;
use serde_json::{Map, Value};
use settings::Settings;
use std::sync::Arc;

/// The contract.
#[derive(Clone, Copy, Debug)]
pub struct DockerAgent;

/// What a hook failure does (5.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum OnError {
    Warn,
    Ignore,
    Block,
}

impl OnError {
    const fn name(self) -> &'static str {
        match self {
            Self::Warn => "warn",
            Self::Ignore => "ignore",
            Self::Block => "block",
        }
    }
}

/// What a hook does.
#[derive(Debug)]
enum Action {
    Command,
    Builtin { name: Arc<str>, args: Vec<String> },
    Model { model: String, template: template::Template, judges: bool },
}

impl Action {
    /// As configs spell it.
    const fn kind(&self) -> &'static str {
        match self {
            Self::Command => "command",
            Self::Builtin { .. } => "builtin",
            Self::Model { .. } => "model",
        }
    }
}

/// A test of a whole tool name.
#[derive(Clone, Debug)]
struct Matcher {
    /// As written.
    text: Arc<str>,
    /// Anchored.
    regex: Regex,
}

/// What this dialect keeps of a hook beside the engine's [`Hook`].
#[derive(Debug)]
struct Extra {
    /// Whose hook it is; `None` is every agent's.
    agent: Option<Arc<str>>,
    /// `None` is every tool.
    matcher: Option<Matcher>,
    preempt: bool,
    /// Its name in messages (1.3).
    display: Arc<str>,
    /// Names are unique; values are not expanded yet.
    environment: Vec<(String, String)>,
    working_dir: Option<String>,
    on_error: OnError,
    strict: bool,
    /// Equal hooks have the same number (R20).
    twin: usize,
    action: Action,
}

/// A loaded config.
#[derive(Debug)]
struct DockerAgentBundle {
    hooks: Hooks<Extra>,
    agents: Vec<Arc<str>>,
    /// Whose hooks run where the event names no agent of the file.
    default_agent: Option<String>,
    redactor: Option<builtin::Redactor>,
    settings: Settings,
    /// Without those that are always there.
    own_hooks: usize,
}

impl DockerAgentBundle {
    /// The agent whose hooks run for an event.
    fn agent(&self, event: &Event) -> Option<&str> {
        let of_file =
            |name: &str| self.agents.iter().map(AsRef::as_ref).find(|agent: &&str| **agent == *name);
        if self.settings.agent.is_some() {
            return self.default_agent.as_deref();
        }
        // The context of `subagent_stop` is the child's, the hooks are the parent's.
        let named = event.context.agent_name.as_deref();
        let named = named.filter(|_| EventName::of(event) != Some(EventName::SubagentStop));
        named.and_then(of_file).or(self.default_agent.as_deref())
    }
}

impl Bundle for DockerAgentBundle {
    fn is_empty(&self) -> bool {
        self.own_hooks == 0
    }

    fn unread(&self, event: &str, output: &Map<String, Value>) -> Vec<String> {
        let reads = EventName::from_name(event).is_some_and(|event| !event.is_mute());
        if reads { unread::check(output, output::MEMBERS, false) } else { Vec::new() }
    }

    fn hooks(&self) -> &[Hook] {
        self.hooks.all()
    }

    fn fire<'a>(&'a self, firing: Firing<'a>) -> Option<HookFuture<'a, Fired>> {
        let name = EventName::of(firing.event)?;
        let chain = chain::DockerAgentChain::new(self, firing.event, name, firing.now, firing.host);
        Some(firing.run(&self.hooks, chain))
    }

    fn log(&self, phase: Phase, record: &HookRecord) -> Vec<LogRecord> {
        log::of_hook(self, phase, record)
    }
}

impl Contract for DockerAgent {
    fn recognises(&self, config: &Node) -> bool {
        config::recognises(config)
    }

    fn load(&self, source: &Source<'_>, options: &LoadOptions) -> Result<Loaded, ConfigError> {
        config::load(source, options)
    }

    fn read_event(&self, payload: &Value) -> Result<Event, EventError> {
        payload::read_event(payload)
    }
}
