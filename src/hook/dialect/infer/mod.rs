//! `infer`: command hooks of the inference-gateway CLI. Eight points, one action (a shell command), off by default, gated by
//! an allow-list, and observing only: nothing that a hook prints changes anything.
//!
//! `config.rs` reads configs (`config/expansion.rs` expands variables in their text first), `payload.rs` writes payloads and reads
//! them back, `chain.rs` runs and records, `log.rs` makes the two events. Two features of the platform have folders of their own: the
//! gate in front of every command (`gate.rs`), and the texts that are due at the same points (`reminder.rs`).
//!
//! The mode in force is the event's permission mode; where it has none, the setting `mode`. The turn is the event's
//! `turn_id` as a number, 0 where it is none.
//!
//! What a host may set: [`SETTINGS`].
//!
//! Reminders look at facts of an event ([`Event::facts`](crate::hook::Event::facts)): `max_turns`, `finish_reason`, `open_todos` (a list of texts),
//! `stalled_strikes` (else they are counted), `failed` (else the calls of the batch tell).
//!
//! A [`Contribution`](crate::hook::Contribution) is a plug-in too: its `hooks` are hooks in the config's shape. They come before
//! those of `plugins`. `bash.enabled` is the tool's own switch; hooks do not ask for it.
//!
//! A hook that the allow-list of the platform lets run, and that only observes:
//!
//! ```
//! use hookbox::hook::{Dialect, HookSet, LoadOptions};
//! use hookbox::sandbox::Sandbox;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let config = b"
//! enabled: true
//! hooks: [{ name: journal, hook: post_tool, command: mkdir seen }]
//! ";
//! let hooks = HookSet::load(Dialect::Infer, config, &LoadOptions::default())?;
//! let event = hooks.read_event(&serde_json::json!({"hook": "post_tool", "session_id": "s1", "turn": 3}))?;
//! let sandbox = Sandbox::builder().build()?;
//! let outcome = hooks.fire(&sandbox, &event).await;
//! assert!(outcome.decision.proceeds());
//! assert!(sandbox.fs().metadata(b"/workspace/seen")?.is_directory());
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
mod gate;
mod log;
mod payload;
mod reminder;
pub(super) mod result;
mod settings;
#[cfg(test)]
mod tests;

pub use crate::hook::dialect::infer::reminder::due::DueReminder;
pub use gate::AllowList;
pub use result::{InferRecord, InferResult};
pub use settings::SETTINGS;
