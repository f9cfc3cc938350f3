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
//! A hook that blocks:
//!
//! ```
//! use hookbox::hook::{Dialect, HookSet, LoadOptions};
//! use hookbox::sandbox::Sandbox;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let config = br#"{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [
//!     {"type": "command", "command": "echo 'not by force' >&2; exit 2"}]}]}}"#;
//! let hooks = HookSet::load(Dialect::ClaudeCode, config, &LoadOptions::default())?;
//! let event = hooks.read_event(&serde_json::json!({
//!     "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "git push --force"},
//! }))?;
//! let outcome = hooks.fire(&Sandbox::builder().build()?, &event).await;
//! assert!(outcome.decision.blocked.is_some_and(|block| block.reason.contains("not by force")));
//! # Ok(())
//! # }
//! ```
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
mod version;
mod worktree;

pub use late::take_late;
pub use request::AGENT_TURNS;
pub use result::{
    ClaudeCodeResult, NonBlockingError, Permission, PermissionAnswer, PermissionRequestAnswer, SpecificOutput,
};
pub use settings::SETTINGS;
