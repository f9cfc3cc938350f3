//! `claude-code`: Claude Code settings, plug-in and frontmatter hooks. 33 events; handlers of five types (a command, an HTTP
//! request, a tool of an MCP server, a question to a model or an agent) that run together; deny beats defer beats ask beats
//! allow. Rules R1 to R64.
//!
//! `event.rs` has the table of events; `config.rs` loads, with `settings.rs` (what the host says), `matcher.rs` and
//! the dialects' `expression.rs` (groups), `rule.rs` and `path_rule.rs` (`if`), `placeholder.rs`; `payload.rs` writes payloads and reads
//! them back; `request.rs` asks the host; `printed.rs`, `schema.rs`, `reply.rs`, `worktree.rs` and `answer.rs` read outcomes;
//! `fold.rs` joins them into `result.rs`; `chain.rs` is a firing; `late.rs` and `state.rs` keep what goes on after it;
//! `cap.rs` and `env_file.rs` write files of the session; `log.rs` makes the records.
//!
//! Settings ([`LoadOptions::settings`](super::LoadOptions::settings)):
//!
//! | name | type | default | |
//! |---|---|---|---|
//! | `source` | string | `user` | where the config comes from: `user`, `project`, `local`, `flag`, `managed`, `plugin:NAME`, `skill:NAME`, `agent:NAME`; contributions say so by their origin |
//! | `trusted` | boolean | true | whether hooks of project files run (R4) |
//! | `interactive` | boolean | false | whether a person is there; `defer` needs that nobody is (R40) |
//! | `project_dir` | string | `/workspace` | `CLAUDE_PROJECT_DIR` |
//! | `start_dir` | string | `project_dir` | where the session started (R23) |
//! | `home` | string | `/home/agent` | the home directory, for paths of `if` rules (R14) and R23 |
//! | `transcript_path` | string | `PROJECT/.claude/transcript.jsonl` | for events that do not say it |
//! | `environment` | object | `{}` | the host's variables: for headers (R25), `CLAUDE_CODE_REMOTE`, `CLAUDE_CODE_BRIDGE_SESSION_ID`, `CLAUDE_CODE_STOP_HOOK_BLOCK_CAP` (R58), `CLAUDE_CODE_SESSIONEND_HOOKS_TIMEOUT_MS` (5.3) |
//! | `plugins` | object | `{}` | by name `{root, data, options}`: folders and options of plug-ins (R20) |
//! | `max_timeout_seconds` | number | none | cap of all timeouts (5.3) |
//!
//! The contract follows.

#![doc = include_str!("CONTRACT.md")]

mod answer;
mod cap;
mod chain;
mod config;
mod env_file;
mod event;
mod fold;
mod late;
mod log;
mod matcher;
mod path_rule;
mod payload;
mod placeholder;
mod printed;
mod reply;
mod request;
mod result;
mod rule;
mod schema;
mod settings;
mod state;
#[cfg(test)]
mod tests;
mod worktree;

pub use late::take_late;
pub use request::AGENT_TURNS;
pub use result::{
    ClaudeCodeResult, NonBlockingError, Permission, PermissionAnswer, PermissionRequestAnswer, SpecificOutput,
};

use crate::hook::chain::{Fired, Firing};
use crate::hook::contract::{Bundle, Contract, LoadOptions, Loaded};
use crate::hook::document;
use crate::hook::document::Node;
use crate::hook::error::{ConfigError, ConfigProblem, EventError};
use crate::hook::event::Event;
use crate::hook::hooks::{Hook, Hooks};
use crate::hook::record::{HookRecord, LogRecord, Phase};
use crate::hook::runner::{HookFuture, HookRunner};
use crate::text::Text;
use answer::Teller;
use event::EventName;
use request::{HttpHandler, HttpPolicy};
use serde_json::{Map, Value};
use settings::{Settings, Source};
use state::State;
use std::sync::Arc;
use std::time::Duration;

/// The contract.
#[derive(Clone, Copy, Debug)]
pub struct ClaudeCode;

/// What a handler does, beside what the engine's [`Hook`] says.
#[derive(Debug)]
enum Kind {
    /// A script or a program.
    Command,
    Http(HttpHandler),
    Tool {
        server: String,
        tool: String,
        input: Value,
    },
    Model {
        prompt: String,
        model: Option<String>,
        /// Whether it may look around.
        agent: bool,
        /// `continueOnBlock`; always for an agent.
        goes_on: bool,
    },
}

impl Kind {
    const fn name(&self) -> &'static str {
        match self {
            Self::Command => "command",
            Self::Http(_) => "http",
            Self::Tool { .. } => "mcp_tool",
            Self::Model { agent: false, .. } => "prompt",
            Self::Model { .. } => "agent",
        }
    }

    /// As whose an output is read.
    const fn teller(&self) -> Teller {
        match self {
            Self::Command => Teller::Command,
            Self::Http(_) => Teller::Http,
            Self::Tool { .. } => Teller::Tool,
            Self::Model { agent, goes_on, .. } => Teller::Model { agent: *agent, goes_on: *goes_on },
        }
    }
}

/// How a command runs that nobody waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Apart {
    /// `async`
    Silent,
    /// `asyncRewake`
    Rewake,
}

/// What this dialect keeps of a handler beside the engine's [`Hook`].
#[derive(Debug)]
struct Extra {
    event: EventName,
    source: Source,
    matcher: Arc<matcher::Matcher>,
    /// As written, for records.
    matcher_text: Option<String>,
    rule: Option<rule::Rule>,
    kind: Kind,
    once: bool,
    /// `onFailure: block`
    closes: bool,
    apart: Option<Apart>,
    /// Equal for handlers of which one runs.
    class: usize,
    /// Why it can not start.
    fault: Option<String>,
    /// Whether the config says `timeout`.
    has_timeout: bool,
    variables: Vec<(Text, Text)>,
}

/// A loaded config.
#[derive(Debug)]
struct ClaudeBundle {
    hooks: Hooks<Extra>,
    settings: Settings,
    http: HttpPolicy,
    /// Of `SessionEnd`.
    budget: Duration,
}

impl ClaudeBundle {
    /// Tells configs of one session apart.
    fn key(&self) -> usize {
        std::ptr::from_ref(self).addr()
    }

    /// Shows the records of the start, once for a session.
    fn register(&self, host: &dyn HookRunner) {
        let first = |state: &mut State| state.register(self.key());
        if crate::hook::is_watched(host) && host.state().with(first) {
            for record in config::registered(self) {
                crate::hook::show(host, &record);
            }
        }
    }
}

impl Bundle for ClaudeBundle {
    fn unread(&self, event: &str, output: &Map<String, Value>) -> Vec<String> {
        EventName::from_name(event).map_or_else(Vec::new, |event| schema::unread(event, output))
    }

    fn hooks(&self) -> &[Hook] {
        self.hooks.all()
    }

    fn fire<'a>(&'a self, firing: Firing<'a>) -> Option<HookFuture<'a, Fired>> {
        chain::note(self, firing.event, firing.host);
        let name = payload::event_of(firing.event)?;
        self.register(firing.host);
        let chain = chain::ClaudeChain::new(self, firing.event, name, firing.host);
        Some(firing.run(&self.hooks, chain))
    }

    fn log(&self, phase: Phase, record: &HookRecord) -> Vec<LogRecord> {
        log::records(phase, record)
    }
}

impl Contract for ClaudeCode {
    /// An event map with names like `PreToolUse` whose entries are groups (with `hooks`).
    fn recognises(&self, config: &Node) -> bool {
        let events = config.get("hooks").filter(|hooks| hooks.is_object()).unwrap_or(config);
        events.members().iter().any(|member| {
            let groups = member.value.as_array().unwrap_or_default();
            member.name.starts_with(|letter: char| letter.is_ascii_uppercase())
                && groups.iter().any(|group| group.get("hooks").is_some())
        })
    }

    fn load(&self, source: &document::Source<'_>, options: &LoadOptions) -> Result<Loaded, ConfigError> {
        config::load(source, options)
    }

    fn tree(&self, source: &document::Source<'_>) -> Result<Node, ConfigProblem> {
        config::parse(source)
    }

    fn read_event(&self, payload: &Value) -> Result<Event, EventError> {
        payload::read_event(payload)
    }
}
