//! The list of the dialects ([`Dialect`]): each with its name and its contract.

use super::{agentao, claude_code, docker_agent, everruns, goclaw, infer};
use crate::hook::contract::Contract;
use std::fmt;
use std::str::FromStr;

/// Declares the dialects: a row has the name in code, the id that files and options spell, and the dialect's folder.
macro_rules! dialects {
    ($($(#[$doc:meta])* $Name:ident $id:literal $folder:ident;)*) => {
        /// An agent system whose hooks run here.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Dialect {
            $($(#[$doc])* $Name,)*
        }

        impl Dialect {
            /// Every dialect.
            pub const ALL: &'static [Self] = &[$(Self::$Name,)*];

            /// Its id, as files and options spell it.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$Name => $id,)*
                }
            }

            /// Its contract.
            pub(crate) const fn contract(self) -> &'static Contract {
                match self {
                    $(Self::$Name => &$folder::contract::CONTRACT,)*
                }
            }
        }
    };
}

dialects! {
    /// Everruns user hooks.
    Everruns "everruns" everruns;
    /// docker-agent hooks.
    DockerAgent "docker-agent" docker_agent;
    /// Claude Code settings and plug-in hooks.
    ClaudeCode "claude-code" claude_code;
    /// Agentao plug-in hooks.
    Agentao "agentao" agentao;
    /// inference-gateway CLI command hooks.
    Infer "infer" infer;
    /// GoClaw hooks.
    Goclaw "goclaw" goclaw;
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
