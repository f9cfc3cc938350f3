//! `everruns`: Everruns user hooks. Six events, one executor (`bash`), sequential chains; the payload travels in a
//! variable, in a file and on standard input, the decision comes back on standard output. Rules R1 to R58.
//!
//! `config.rs` reads and validates configs, `payload.rs` writes the envelope and reads it back as an event, `output.rs`
//! reads decisions, `chain.rs` keeps what a chain has changed so far, `log.rs` makes the `hook.*` records.
//!
//! What a host may set are fields of [`LoadOptions`](crate::hook::LoadOptions); [`LoadOptions::set`](crate::hook::LoadOptions::set)
//! knows them by the names of [`SETTINGS`].
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

pub use config::{CAPABILITY, Capability};
pub use result::{EverrunsResult, PostTool, PromptGate, ToolGate};
pub use settings::SETTINGS;
