//! `everruns`: Everruns user hooks. Six events, one executor (`bash`), sequential chains; the payload travels in a
//! variable, in a file and on standard input, the decision comes back on standard output. Rules R1 to R58.
//!
//! `config.rs` reads and validates configs, `payload.rs` writes the envelope and reads it back as an event, `output.rs`
//! reads decisions, `chain.rs` keeps what a chain has changed so far, `log.rs` makes the `hook.*` records.
//!
//! The contract follows.

#![doc = include_str!("CONTRACT.md")]

mod chain;
mod config;
mod log;
mod output;
mod payload;
#[cfg(test)]
mod tests;

use crate::hook::chain::{Fired, Firing};
use crate::hook::contract::{Bundle, Contract, LoadOptions, Loaded};
use crate::hook::document::{Node, Source};
use crate::hook::error::{ConfigError, EventError};
use crate::hook::event::{Event, Happening};
use crate::hook::hooks::{Hook, Hooks};
use crate::hook::json::Json;
use crate::hook::matcher::{ArgumentPattern, Mismatch, NamePattern};
use crate::hook::record::{HookId, HookRecord, LogRecord, Phase};
use crate::hook::runner::HookFuture;
use crate::hook::unread;
use crate::text::Text;
use serde::Serialize;
use serde_json::{Map, Value};

/// The contract.
#[derive(Clone, Copy, Debug)]
pub struct Everruns;

/// What a host shows of the capability that carries user hooks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capability {
    /// Its `ref`.
    pub id: &'static str,
    /// Its category.
    pub category: &'static str,
    /// Its risk; only administrators may assign it.
    pub risk: &'static str,
}

/// The capability `user_hooks`: no dependencies, no tools.
pub const CAPABILITY: Capability = Capability { id: "user_hooks", category: "Automation", risk: "High" };

/// What a chain came to, in the contract's shapes (5.1).
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum EverrunsResult {
    /// `pre_tool_use`
    Tool(ToolGate),
    /// `user_prompt_submit`
    Prompt(PromptGate),
    /// `post_tool_use`
    Post(PostTool),
    /// The other events: nothing can change.
    Lifecycle,
}

/// Whether a tool call may run.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolGate {
    /// With these arguments.
    Proceed {
        /// After all rewrites.
        arguments: Json,
        /// Who rewrote them, in order.
        mutated_by: Vec<HookId>,
    },
    /// It may not; the model gets `blocked by pre_tool_use hook: {reason}`.
    Blocked {
        /// By which hook.
        hook: HookId,
        /// For the model.
        reason: String,
        /// For the user.
        user_message: Option<String>,
        /// After the rewrites made before the block (R41).
        arguments: Json,
    },
}

/// Whether a message may reach the model.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PromptGate {
    /// As this text.
    Proceed {
        /// After all rewrites.
        message: String,
        /// Whether there was one.
        mutated: bool,
    },
    /// It may not.
    Blocked {
        /// By which hook.
        hook: HookId,
        /// For the audit, and for the user when there is no message.
        reason: String,
        /// For the user.
        user_message: Option<String>,
    },
}

/// A result after all patches.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PostTool {
    /// `null` also when there is none.
    pub result: Json,
    /// `None` is success.
    pub error: Option<String>,
}

/// The six events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum EventName {
    SessionStart,
    UserPromptSubmit,
    PreToolUse,
    PostToolUse,
    TurnEnd,
    SessionEnd,
}

impl EventName {
    const ALL: [Self; 6] = [
        Self::SessionStart,
        Self::UserPromptSubmit,
        Self::PreToolUse,
        Self::PostToolUse,
        Self::TurnEnd,
        Self::SessionEnd,
    ];

    const fn name(self) -> &'static str {
        match self {
            Self::SessionStart => "session_start",
            Self::UserPromptSubmit => "user_prompt_submit",
            Self::PreToolUse => "pre_tool_use",
            Self::PostToolUse => "post_tool_use",
            Self::TurnEnd => "turn_end",
            Self::SessionEnd => "session_end",
        }
    }

    fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|event| event.name() == name)
    }

    /// Every channel of a user's message is a prompt here: the contract fires for messages that come in later, too.
    const fn of(happening: &Happening) -> Option<Self> {
        match happening {
            Happening::SessionStarted { .. } => Some(Self::SessionStart),
            Happening::PromptSubmitted { .. } => Some(Self::UserPromptSubmit),
            Happening::ToolCallStarting(_) => Some(Self::PreToolUse),
            Happening::ToolCallEnded { .. } => Some(Self::PostToolUse),
            Happening::TurnEnded { .. } => Some(Self::TurnEnd),
            Happening::SessionEnded { .. } => Some(Self::SessionEnd),
            _ => None,
        }
    }

    const fn is_about_a_tool(self) -> bool {
        matches!(self, Self::PreToolUse | Self::PostToolUse)
    }

    fn all_names() -> String {
        Self::ALL.map(Self::name).join(", ")
    }
}

/// What an executor error does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum OnError {
    Block,
    Allow,
    Warn,
}

/// What a matcher asks of a call (1.4).
#[derive(Debug, Default)]
struct Matcher {
    name: Option<NamePattern>,
    glob: Option<NamePattern>,
    argument: ArgumentRule,
}

/// The truth table R6.
#[derive(Debug, Default)]
enum ArgumentRule {
    #[default]
    Any,
    Test(ArgumentPattern),
    Never(&'static str),
}

impl Matcher {
    fn test(&self, tool: &str, arguments: &Value) -> Result<(), Mismatch> {
        for pattern in [&self.name, &self.glob].into_iter().flatten() {
            if !pattern.matches(tool) {
                return Err(Mismatch::Name { wanted: pattern.to_string(), found: tool.to_owned() });
            }
        }
        match &self.argument {
            ArgumentRule::Any => Ok(()),
            ArgumentRule::Test(pattern) => pattern.test(arguments),
            ArgumentRule::Never(why) => Err(Mismatch::Never(why)),
        }
    }
}

/// What this dialect keeps of a hook beside the engine's [`Hook`].
#[derive(Debug)]
struct Extra {
    matcher: Matcher,
    on_error: OnError,
    environment: Vec<(Text, Text)>,
    /// The hook's id as JSON, to be spliced into the envelope.
    id_json: Vec<u8>,
    /// The hook's id as part of a file name (R22).
    safe_id: String,
}

/// A loaded config.
#[derive(Debug)]
struct EverrunsBundle {
    hooks: Hooks<Extra>,
    variables: payload::Variables,
}

impl Bundle for EverrunsBundle {
    fn unread(&self, _: &str, output: &Map<String, Value>) -> Vec<String> {
        unread::check(output, output::MEMBERS, false)
    }

    fn hooks(&self) -> &[Hook] {
        self.hooks.all()
    }

    fn fire<'a>(&'a self, firing: Firing<'a>) -> Option<HookFuture<'a, Fired>> {
        let name = EventName::of(&firing.event.happening)?;
        let chain = chain::EverrunsChain::new(self, name, &firing);
        Some(firing.run(&self.hooks, chain))
    }

    fn log(&self, phase: Phase, record: &HookRecord) -> Vec<LogRecord> {
        log::records(phase, record)
    }
}

impl Contract for Everruns {
    fn recognises(&self, config: &Node) -> bool {
        let listed = |node: &Node| {
            let hooks = node.get("hooks").and_then(Node::as_array).unwrap_or_default();
            hooks.iter().any(|hook| hook.get("executor").is_some())
        };
        config.get("capabilities").is_some()
            || config.get("ref").and_then(Node::as_str) == Some(CAPABILITY.id)
            || config.get("definition").is_some_and(|definition| definition.get("user_hooks").is_some())
            || config.get("disabled_contributions").is_some()
            || listed(config)
    }

    fn load(&self, source: &Source<'_>, options: &LoadOptions) -> Result<Loaded, ConfigError> {
        config::load(source, options)
    }

    fn read_event(&self, payload: &Value) -> Result<Event, EventError> {
        payload::read_event(payload)
    }
}
