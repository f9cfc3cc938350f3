//! A loaded config: its hooks with what the dialect keeps of each, its agents and settings.

use super::evaluator::Evaluator;
use super::event::EventName;
use super::output::Schema;
use super::settings::DockerAgentSettings;
use crate::hook::event::Event;
use crate::hook::hooks::Hooks;
use crate::hook::matcher::Regex;
use crate::hook::redact::Redactor;
use crate::hook::template::Template;
use crate::hook::version::ContractVersion;
use crate::hook::word::words;
use std::sync::Arc;

words! {
    /// What a hook failure does (5.3).
    pub(super) enum OnError {
        Warn "warn",
        Ignore "ignore",
        Block "block",
    }
}

/// What a hook does.
#[derive(Debug)]
pub(super) enum Action {
    Command,
    Builtin {
        name: Arc<str>,
        args: Vec<String>,
    },
    Model {
        model: String,
        /// The prompt, or what is wrong with it.
        template: Result<Template, String>,
        /// What it is told about its task, where the hook says.
        system: Option<String>,
        schema: Schema,
    },
    Evaluator(Evaluator),
}

impl Action {
    /// As configs spell it.
    pub(super) const fn kind(&self) -> &'static str {
        match self {
            Self::Command => "command",
            Self::Builtin { .. } => "builtin",
            Self::Model { .. } => "model",
            Self::Evaluator(_) => "evaluator",
        }
    }
}

/// A test of a whole tool name.
#[derive(Clone, Debug)]
pub(super) struct Matcher {
    /// As written.
    pub(super) text: Arc<str>,
    /// Anchored.
    pub(super) regex: Regex,
}

/// What this dialect keeps of a hook beside the engine's [`Hook`](crate::hook::hooks::Hook).
#[derive(Debug)]
pub(super) struct Extra {
    /// Whose hook it is; `None` is every agent's.
    pub(super) agent: Option<Arc<str>>,
    /// `None` is every tool.
    pub(super) matcher: Option<Matcher>,
    pub(super) preempt: bool,
    /// Its name in messages (1.3).
    pub(super) display: Arc<str>,
    /// Names are unique; values are not expanded yet.
    pub(super) environment: Vec<(String, String)>,
    pub(super) working_dir: Option<String>,
    pub(super) on_error: OnError,
    pub(super) strict: bool,
    /// Equal hooks have the same number (R20).
    pub(super) twin: usize,
    pub(super) action: Action,
}

/// A loaded config.
#[derive(Debug)]
pub(super) struct DockerAgentBundle {
    pub(super) hooks: Hooks<Extra>,
    pub(super) agents: Vec<Arc<str>>,
    /// Whose hooks run where the event names no agent of the file.
    pub(super) default_agent: Option<String>,
    pub(super) redactor: Option<Redactor>,
    pub(super) settings: DockerAgentSettings,
    pub(super) contract: ContractVersion,
    /// Without those that are always there.
    pub(super) own_hooks: usize,
}

impl DockerAgentBundle {
    /// The agent whose hooks run for an event.
    pub(super) fn agent(&self, event: &Event) -> Option<&str> {
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
