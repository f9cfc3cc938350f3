//! `claude-code`: Claude Code settings, plug-in and frontmatter hooks. 33 events; handlers of five types (a command, an HTTP
//! request, a tool of an MCP server, a question to a model or an agent) that run together; deny beats defer beats ask beats
//! allow. Rules R1 to R64.
//!
//! `event.rs` has the table of events; `config.rs` loads, with `settings.rs` (what the host says), `matcher.rs` and
//! the dialects' `expression.rs` (groups), `rule.rs` and `path_rule.rs` (`if`), `placeholder.rs`; `payload.rs` writes payloads and reads
//! them back; `request.rs` asks the host; `printed.rs`, `schema.rs`, `reply.rs`, `worktree.rs` and `reader.rs` read outcomes into an `answer.rs`;
//! `fold.rs` joins them into `result.rs`; `chain.rs` is a firing; `late.rs` and `state.rs` keep what goes on after it;
//! `cap.rs` and `env_file.rs` write files of the session; `log.rs` makes the records.
//!
//! What a host may set: [`SETTINGS`].
//!
//! The contract follows.

#![doc = include_str!("CONTRACT.md")]

mod answer;
mod bundle;
mod cap;
mod chain;
mod config;
pub(super) mod contract;
mod env_file;
pub(in crate::hook) mod event;
mod fold;
mod hook;
mod late;
mod log;
mod matcher;
mod path_rule;
mod payload;
mod placeholder;
mod printed;
mod reader;
mod reply;
mod request;
pub(super) mod result;
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
pub use settings::SETTINGS;
