//! `docker-agent`: docker-agent hooks. 32 events, four types of hooks (`command`, `builtin`, `model`, `evaluator`); the payload
//! travels on standard input, the verdict comes back as JSON on standard output or as exit status 2. Rules R1 to R45.
//!
//! `event.rs` is the table of events, `config.rs` reads and validates configs, `payload.rs` writes payloads and reads them
//! back as events, `output.rs` reads verdicts, `chain.rs` selects and delivers, `fold.rs` puts the verdicts together,
//! `builtin.rs` has the built-ins, `model.rs` the questions to models, `input.rs` what their templates see of a payload, `log.rs`
//! the records.
//!
//! What a host may set: [`SETTINGS`]; [`append_cli_hook`] adds the commands of flags.
//!
//! User-level hooks (`settings.hooks`) and files of `hooks.d` are [`Contribution`](crate::hook::Contribution)s: each has event maps,
//! those whose origin begins with `hooks.d/` come last, in the order of their names.
//!
//! A neutral event becomes the contract's event that fits; the fact `hook_event_name` picks another one of the same moment
//! (`tool_guard` for a call that starts, `stop` for a turn that ends, `before_compaction`, `on_error`), and [`events_of`]
//! gives all of a moment. Three facts speak to
//! the engine and are in no payload: `lane` (`preempt` or `default`, the lane of `pre_tool_use` that fires; without it both
//! do, as `lane.rs` says), `approved_by` (what already allowed the call; the default lane is skipped, R29) and
//! `tool_category` (R34). A host that fires the lanes apart, or takes a rewrite from `permission_request`, fires the guards
//! again over the new arguments (R32).
//!
//! The run's cancellation is the host's: it drops the firing, and then there is no result (R26); it does not drop those of
//! `session_end` and `turn_end` (R42).
//!
//! A hook that blocks:
//!
//! ```
//! use hookbox::hook::{Dialect, HookSet, LoadOptions};
//! use hookbox::sandbox::Sandbox;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let config = b"
//! hooks:
//!   pre_tool_use:
//!     - matcher: shell
//!       hooks: [{ name: guard, type: command, command: 'echo not by force >&2; exit 2' }]
//! ";
//! let hooks = HookSet::load(Dialect::DockerAgent, config, &LoadOptions::default())?;
//! let event = hooks.read_event(&serde_json::json!({
//!     "hook_event_name": "pre_tool_use", "tool_name": "shell", "tool_input": {"cmd": "git push --force"},
//! }))?;
//! let outcome = hooks.fire(&Sandbox::builder().build()?, &event).await;
//! assert!(outcome.decision.blocked.is_some_and(|block| block.reason.contains("not by force")));
//! # Ok(())
//! # }
//! ```
//!
//! The contract follows.

#![doc = include_str!("CONTRACT.md")]

mod builtin;
mod bundle;
mod chain;
pub(in crate::hook) mod config;
pub(super) mod contract;
mod evaluator;
pub(in crate::hook) mod event;
mod expand;
mod fold;
mod guard;
mod input;
mod instruction;
mod lane;
mod log;
mod model;
mod moment;
mod output;
mod payload;
pub(super) mod result;
mod routing;
mod settings;
#[cfg(test)]
mod tests;
mod version;

#[cfg(feature = "tools")]
pub(in crate::hook) use builtin::names as builtins;
pub use moment::events_of;
pub use result::{DockerAgentResult, Permission};
pub use settings::SETTINGS;
pub use settings::append_cli_hook;
