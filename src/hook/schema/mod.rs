//! JSON Schemas (2020-12) of each dialect's config, payload and output: `NAME/KIND.json`, for editors and for tests of
//! hooks.
//!
//! A config's schema is what its loader takes for saving, as far as a schema can say it; where a dialect ignores unknown
//! keys, the schema leaves room for them, except among event names, where an unknown one is a mistake.

use crate::hook::dialect::list::Dialect;
use std::str::FromStr;

/// What a schema describes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SchemaKind {
    /// The file in which hooks are written.
    #[default]
    Config,
    /// What a hook's script gets.
    Payload,
    /// What a hook's script prints.
    Output,
}

impl SchemaKind {
    /// All kinds.
    pub const ALL: [Self; 3] = [Self::Config, Self::Payload, Self::Output];

    /// `config`, `payload`, `output`
    pub const fn name(self) -> &'static str {
        match self {
            Self::Config => "config",
            Self::Payload => "payload",
            Self::Output => "output",
        }
    }
}

impl FromStr for SchemaKind {
    type Err = String;
    fn from_str(name: &str) -> Result<Self, String> {
        let known = Self::ALL.into_iter().find(|kind| kind.name() == name);
        known.ok_or_else(|| format!("unknown kind `{name}` (known: config, payload, output)"))
    }
}

macro_rules! schemas {
    ($folder:literal, $kind:expr) => {
        match $kind {
            SchemaKind::Config => include_str!(concat!($folder, "/config.json")),
            SchemaKind::Payload => include_str!(concat!($folder, "/payload.json")),
            SchemaKind::Output => include_str!(concat!($folder, "/output.json")),
        }
    };
}

/// The schema's text.
pub const fn schema(dialect: Dialect, kind: SchemaKind) -> &'static str {
    match dialect {
        Dialect::Everruns => schemas!("everruns", kind),
        Dialect::DockerAgent => schemas!("docker-agent", kind),
        Dialect::ClaudeCode => schemas!("claude-code", kind),
        Dialect::Agentao => schemas!("agentao", kind),
        Dialect::Infer => schemas!("infer", kind),
        Dialect::Goclaw => schemas!("goclaw", kind),
    }
}

#[cfg(test)]
mod tests;
