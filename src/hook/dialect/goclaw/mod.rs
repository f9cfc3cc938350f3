//! `goclaw`: GoClaw hooks. Records with a scope and a priority, seven events of which three can be blocked, four handlers
//! (`command`, `http`, `prompt`, `script`). Rules R1 to R60.
//!
//! `config.rs` reads and validates records, `filter.rs` selects by tenant, expression and condition (in CEL), `payload.rs`
//! writes the payload and reads it back, `handler.rs` says what each handler gets, `output.rs` reads what it gave, `chain.rs`
//! keeps one firing, `rewrite.rs` what its hooks change, `shared.rs` what lives from firing to firing (breaker, caches, budgets), `audit.rs` and `log.rs` make the
//! audit rows, spans and log keys. `store.rs` has the records that management calls change.
//!
//! What a host may set: [`SETTINGS`].
//!
//! A row without `tenant_id` belongs to the caller's tenant, and where the host names none to the tenant of the event: a file
//! of hooks is normally that of one tenant. A row without `id` is called by its name, else by event and place.
//!
//! # What the host does
//!
//! - An event's tenant is its `org_id`, its unique id the fact `eventId` (made from the session's random numbers when it is
//!   absent), its trace the facts `traceId` and `parentSpanId`.
//! - [`Request::Http`](crate::hook::Request::Http): stored `Authorization` values are decrypted there. The URL was checked as
//!   far as it is an address; whoever resolves a name checks again and words a refusal by
//!   [`Refusal`](crate::network::Refusal).
//! - [`Request::Model`](crate::hook::Request::Model): the answer is the JSON object
//!   `{"tool_calls": [{"name": "decide", "arguments": {...}}], "tokens": 12}`; text of the model does not matter.
//! - [`Request::Builtin`](crate::hook::Request::Builtin) named `script`: the argument is the source, the payload the event;
//!   output is what `handle` returned, as JSON, messages are what it logged; another status than 0 is an exception.
//! - Rows that could not be read at all are said as `{"resolve_error": "why"}` in place of a config (R28).
//! - Prompt hooks are counted for each turn: by `turn_id`, and without one from one user message to the next (R38).
//!
//! A hook that blocks:
//!
//! ```
//! use hookbox::hook::{Dialect, HookSet, LoadOptions};
//! use hookbox::sandbox::Sandbox;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let config = br#"[{"event": "pre_tool_use", "handler_type": "command", "scope": "tenant", "name": "guard",
//!     "matcher": "^exec$", "enabled": true, "config": {"command": "echo not by force >&2; exit 2", "cwd": "/workspace"}}]"#;
//! let hooks = HookSet::load(Dialect::Goclaw, config, &LoadOptions::default())?;
//! let event = hooks.read_event(&serde_json::json!({
//!     "hookEvent": "pre_tool_use", "tenantId": "t1", "toolName": "exec", "toolInput": {"cmd": "git push --force"},
//! }))?;
//! let outcome = hooks.fire(&Sandbox::builder().build()?, &event).await;
//! assert!(outcome.decision.blocked.is_some_and(|block| block.hook.as_str() == "guard"));
//! # Ok(())
//! # }
//! ```
//!
//! The contract follows.

#![doc = include_str!("CONTRACT.md")]

mod audit;
mod bundle;
mod chain;
pub(in crate::hook) mod config;
pub(super) mod contract;
pub(in crate::hook) mod event;
mod filter;
mod flight;
mod handler;
mod handler_kind;
mod keeper;
#[cfg(feature = "secrets")]
mod key;
mod log;
mod output;
mod payload;
mod prompt;
mod redact;
pub(super) mod result;
mod rewrite;
mod shared;
mod store;
#[cfg(test)]
mod tests;

pub use audit::Execution;
pub use config::settings::SETTINGS;
#[cfg(feature = "tools")]
pub(crate) use filter::never_true;
pub use keeper::{Keeper, TokenBudget};
#[cfg(feature = "secrets")]
pub use key::SecretKey;
pub use result::GoclawResult;
pub use store::{Caller, Role, Store, Trial};
