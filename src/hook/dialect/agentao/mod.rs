//! `agentao`: Agentao plug-in hooks. Eight events, two handlers (a command and a prompt), sequential chains; the payload is
//! standard input, the answer standard output and exit status. Rules G1 to G21.
//!
//! `config.rs` reads configs (`config/rule.rs` one rule), `matcher.rs` tests names and triggers, `payload.rs` writes payloads and
//! reads them back, `output.rs` reads what a hook printed (`output/stop.rs` that of `Stop`), `chain.rs` folds (`result.rs` has the
//! shapes), `log.rs` makes `PLUGIN_HOOK_FIRED` and the replay's entry.
//!
//! A plug-in's hooks beyond the config itself come as [`Contribution`](crate::hook::Contribution)s: each of its `hooks` is a declaration
//! in the config's own shape, or the name of a file that the setting `files` has.
//!
//! What a host may set: [`SETTINGS`].
//!
//! Facts of an event ([`Event::facts`](crate::hook::Event::facts)): the payload's own names (`stop_hook_active`, `custom_instructions`,
//! `compaction_type`, `reason`, `transcript_path`, …), and `permission_decision`: with `deny` no hook of the call runs (G20).
//!
//! A hook that blocks:
//!
//! ```
//! use hookbox::hook::{Dialect, HookSet, LoadOptions};
//! use hookbox::sandbox::Sandbox;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let config = br#"{"hooks": {"PreToolUse": [{"type": "command", "matcher": {"tool_name": "run_shell_command"},
//!     "command": "echo '{\"blockingError\": \"not by force\"}'"}]}}"#;
//! let hooks = HookSet::load(Dialect::Agentao, config, &LoadOptions::default())?;
//! let event = hooks.read_event(&serde_json::json!({
//!     "event": "PreToolUse",
//!     "data": {"toolName": "Bash", "toolInput": {"command": "git push --force"}, "sessionId": "s1"},
//! }))?;
//! let outcome = hooks.fire(&Sandbox::builder().build()?, &event).await;
//! assert_eq!(outcome.decision.blocked.map(|block| block.reason).as_deref(), Some("not by force"));
//! # Ok(())
//! # }
//! ```
//!
//! The contract follows.

#![doc = include_str!("CONTRACT.md")]

mod bundle;
mod chain;
mod config;
pub(super) mod contract;
pub(in crate::hook) mod event;
mod log;
mod matcher;
mod output;
mod payload;
pub(super) mod result;
mod settings;
#[cfg(test)]
mod tests;

pub use result::{
    AgentaoResult, Attachment, AttachmentType, LifecycleResult, PreToolUseResult, StopHookResult,
    StopOutcome, ToolDecision, UserPromptSubmitResult,
};
pub use settings::SETTINGS;
