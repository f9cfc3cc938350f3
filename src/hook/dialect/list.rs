//! The list of the dialects ([`Dialect`]): each with its name and its contract.

use super::{agentao, claude_code, docker_agent, everruns, goclaw, infer};
use crate::hook::contract::Contract;
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
    pub(crate) const fn contract(self) -> &'static Contract {
        match self {
            Self::Everruns => &everruns::contract::CONTRACT,
            Self::DockerAgent => &docker_agent::contract::CONTRACT,
            Self::ClaudeCode => &claude_code::contract::CONTRACT,
            Self::Agentao => &agentao::contract::CONTRACT,
            Self::Infer => &infer::contract::CONTRACT,
            Self::Goclaw => &goclaw::contract::CONTRACT,
        }
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
