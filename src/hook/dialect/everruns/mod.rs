//! `everruns`: Everruns user hooks. Six events, one executor (`bash`), sequential chains; the payload travels in a
//! variable, in a file and on standard input, the decision comes back on standard output. Rules R1 to R58.
//!
//! `config.rs` reads and validates configs, `payload.rs` writes the envelope and reads it back as an event, `output.rs`
//! reads decisions, `chain.rs` keeps what a chain has changed so far, `log.rs` makes the `hook.*` records.
//!
//! What a host may set are fields of [`LoadOptions`](crate::hook::LoadOptions); [`LoadOptions::set`](crate::hook::LoadOptions::set)
//! knows them by the names of [`SETTINGS`].
//!
//! A hook that blocks:
//!
//! ```
//! use hookbox::hook::{Dialect, HookSet, LoadOptions};
//! use hookbox::sandbox::Sandbox;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let config = br#"{"hooks": [{"event": "pre_tool_use", "matcher": {"tool_name": "bash"}, "executor": {
//!     "type": "bash", "command": "echo '{\"decision\": \"block\", \"reason\": \"not by force\"}'"}}]}"#;
//! let hooks = HookSet::load(Dialect::Everruns, config, &LoadOptions::default())?;
//! let event = hooks.read_event(&serde_json::json!({
//!     "event": "pre_tool_use",
//!     "data": {"tool_name": "bash", "arguments": {"command": "git push --force"}},
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
mod output;
mod payload;
pub(super) mod result;
mod settings;
#[cfg(test)]
mod tests;

pub(in crate::hook) use bundle::{USER, hook_id};
pub use config::{CAPABILITY, Capability};
pub(in crate::hook) use payload::VARIABLES;
pub use result::{EverrunsResult, PostTool, PromptGate, ToolGate};
pub use settings::SETTINGS;
