//! JSON Schemas (draft 2020-12) of each dialect's config, payload and output, for editors and for tests of hooks. `hookbox schema`
//! prints them.
//!
//! ```
//! use hookbox::hook::Dialect;
//! use hookbox::hook::schema::{SchemaKind, schema};
//!
//! let text = schema(Dialect::ClaudeCode, SchemaKind::Payload);
//! let schema: serde_json::Value = serde_json::from_str(text)?;
//! assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
//! # Ok::<(), serde_json::Error>(())
//! ```
//!
//! The texts are the files `NAME/KIND.json` beside this module, each a document that refers to no other. Tests hold them to the
//! dialects' tables of events and to every payload that is sent (`tests/schema/NAME.jsonl`).
//!
//! A config's schema is what its loader takes for saving, as far as a schema can say it; where a dialect ignores unknown
//! keys, the schema leaves room for them, except among event names, where an unknown one is a mistake.

use crate::hook::dialect::list::Dialect;
use crate::hook::version::ContractVersion;
use std::borrow::Cow;
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

    /// `config`, `payload` or `output`.
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

mod older;

/// The schema of a version of a dialect's contract: for the newest as it is written, for another without what came later.
pub fn schema_of(version: ContractVersion, kind: SchemaKind) -> Cow<'static, str> {
    let text = schema(version.dialect(), kind);
    if version.is_newest() {
        Cow::Borrowed(text)
    } else {
        Cow::Owned(older::without_later(text, version, kind))
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

/// The schema's text, of the newest version of the contract.
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
