//! Dialects: the contracts of the agent systems whose hooks run here. Each is a folder that implements the three traits of
//! `contract.rs`; everything else is the engine's.
//!
//! How the six fit, so that none needs another engine:
//!
//! | | config | select | deliver | order | absorb |
//! |---|---|---|---|---|---|
//! | everruns | JSON, three shapes | name and argument tests on the arguments so far | variables, file, stdin | sequence | first block stops; arguments merge |
//! | docker-agent | YAML, event map | anchored expression; equal hooks dropped in `open` | stdin, session's variables | rewrite events in sequence, others parallel | never stops; folded in `finish`; failure denies by event |
//! | claude-code | JSON, groups | exact list or expression, `if` rule | stdin, placeholders, env file | parallel | never stops; precedence in `finish`; one shared time budget by `Delivery::timeout` |
//! | agentao | JSON, flat rules | glob, aliases | stdin | sequence | stops on deny, refusal or forced turn |
//! | infer | YAML list | allow-list gate is a mismatch with a hint | stdin; streams merged, excess dropped | sequence | nothing changes |
//! | goclaw | records | expression, CEL; breaker and depth in `open` | stdin, allow-listed variables | sequence, or parallel where it can not block | fail-closed; chain budget by `Delivery::timeout` |
//!
//! A moment that a dialect does not know opens no chain.

pub mod agentao;
pub mod claude_code;
pub mod docker_agent;
pub mod everruns;
mod expression;
pub mod goclaw;
pub mod infer;
mod result;
mod settings;

pub use super::background::Late;
pub use super::chain::{Fired, Firing};
pub use super::contract::{
    Absorbed, Bundle, Chain, Contract, Contribution, Delivery, Flow, LoadOptions, Loaded, Order, Purpose,
    Work,
};
pub use super::hooks::{Due, Handler, Hook, HookOf, Hooks};
pub use super::notice::{Notice, NoticeKind};
pub use result::DialectResult;

use super::document::Source;
use super::error::ConfigError;
use std::fmt;
use std::str::FromStr;

/// An agent system whose hooks run here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Dialect {
    /// Everruns user hooks.
    Everruns,
    /// docker-agent hooks.
    DockerAgent,
    /// Claude Code settings and plug-in hooks.
    ClaudeCode,
    /// Agentao plug-in hooks.
    Agentao,
    /// inference-gateway CLI command hooks.
    Infer,
    /// GoClaw hooks.
    Goclaw,
}

impl Dialect {
    /// Every dialect.
    pub const ALL: &'static [Self] =
        &[Self::Everruns, Self::DockerAgent, Self::ClaudeCode, Self::Agentao, Self::Infer, Self::Goclaw];

    /// Its id, as files and options spell it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Everruns => "everruns",
            Self::DockerAgent => "docker-agent",
            Self::ClaudeCode => "claude-code",
            Self::Agentao => "agentao",
            Self::Infer => "infer",
            Self::Goclaw => "goclaw",
        }
    }

    /// Its contract.
    pub const fn contract(self) -> &'static dyn Contract {
        match self {
            Self::Everruns => &everruns::Everruns,
            Self::DockerAgent => &docker_agent::DockerAgent,
            Self::ClaudeCode => &claude_code::ClaudeCode,
            Self::Agentao => &agentao::Agentao,
            Self::Infer => &infer::Infer,
            Self::Goclaw => &goclaw::Goclaw,
        }
    }

    /// The dialect that a config's content, JSON or YAML shows.
    ///
    /// # Errors
    /// The text is neither JSON nor YAML, or no dialect or more than one fits; the message lists the candidates.
    pub fn detect(name: &str, text: &[u8]) -> Result<Self, ConfigError> {
        let source = Source::new(name, text);
        let node = source.json_or_yaml("not a hook config: ")?;
        let fitting: Vec<_> =
            Self::ALL.iter().filter(|dialect| dialect.contract().recognises(&node)).copied().collect();
        if let [dialect] = fitting.as_slice() {
            return Ok(*dialect);
        }
        let candidates = if fitting.is_empty() { Self::ALL } else { fitting.as_slice() };
        let names: Vec<_> = candidates.iter().map(|dialect| dialect.name()).collect();
        let message = format!("the dialect is not clear from the content; name one of: {}", names.join(", "));
        Err(source.problem(node.at, message).into())
    }
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Dialect {
    type Err = UnknownDialect;
    fn from_str(name: &str) -> Result<Self, UnknownDialect> {
        let known = Self::ALL.iter().copied().find(|dialect| dialect.name() == name);
        known.ok_or_else(|| UnknownDialect(name.to_owned()))
    }
}

/// No dialect has this name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown dialect `{0}` (known: {known})", known = Dialect::ALL.iter().map(|dialect| dialect.name()).collect::<Vec<_>>().join(", "))]
pub struct UnknownDialect(String);
