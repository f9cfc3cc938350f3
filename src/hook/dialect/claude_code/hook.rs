//! What the dialect keeps of a hook beside what the engine knows.

use super::answer::Teller;
use super::event::EventName;
use super::request::HttpHandler;
use super::settings::HookSource;
use super::{matcher, rule};
use crate::text::Text;
use serde_json::Value;
use std::sync::Arc;

/// What a handler does, beside what the engine's [`Hook`](crate::hook::hooks::Hook) says.
#[derive(Debug)]
pub(super) enum Kind {
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
    /// As whose an output is read.
    pub(super) const fn teller(&self) -> Teller {
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
pub(super) enum Background {
    /// `async`
    Silent,
    /// `asyncRewake`
    Rewake,
}

/// What goes with the output of a command that wakes the agent.
#[derive(Clone, Debug, Default)]
pub(super) struct Rewake {
    /// `rewakeMessage`: before the output, for the model.
    pub(super) message: Option<Arc<str>>,
    /// `rewakeSummary`: a line for the user.
    pub(super) summary: Option<Arc<str>>,
}

/// What this dialect keeps of a handler beside the engine's [`Hook`](crate::hook::hooks::Hook).
#[derive(Debug)]
pub(super) struct Extra {
    pub(super) event: EventName,
    pub(super) source: HookSource,
    pub(super) matcher: Arc<matcher::Matcher>,
    /// As written, for records.
    pub(super) matcher_text: Option<String>,
    pub(super) rule: Option<rule::IfRule>,
    pub(super) kind: Kind,
    pub(super) once: bool,
    /// `onFailure: block`
    pub(super) closes: bool,
    pub(super) apart: Option<Background>,
    pub(super) rewake: Rewake,
    /// Equal for handlers of which one runs.
    pub(super) class: usize,
    /// Why it cannot start.
    pub(super) fault: Option<String>,
    /// Whether the config says `timeout`.
    pub(super) has_timeout: bool,
    pub(super) variables: Arc<[(Text, Text)]>,
}
