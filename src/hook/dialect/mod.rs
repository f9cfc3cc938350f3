//! Dialects: the contracts of the agent systems whose hooks run here. A config names none, its content tells:
//!
//! ```
//! use hookbox::hook::Dialect;
//!
//! let config = br#"{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "exit 0"}]}]}}"#;
//! assert_eq!(Dialect::detect("settings.json", config)?, Dialect::ClaudeCode);
//! # Ok::<(), hookbox::hook::ConfigError>(())
//! ```
//!
//! A host that knows what it loads says so ([`HookSet::load`](crate::hook::HookSet::load)). From then on nothing depends on the
//! dialect but the shapes: of the config, of an event as JSON, and of
//! [`Outcome::dialect_result`](crate::hook::Outcome::dialect_result). Each module's page has an example, what a host sets and
//! what it has to do, and the contract itself, whose rules (R1, R2, …) code and records cite.
//!
//! # Inside
//!
//! Each dialect is a folder that implements the three traits of `contract.rs`; everything else is the engine's.
//!
//! How the six fit, so that none needs another engine:
//!
//! | | config | select | deliver | order | absorb |
//! |---|---|---|---|---|---|
//! | everruns | JSON, three shapes | name and argument tests on the arguments so far | variables, file, stdin | sequence | first block stops; arguments merge |
//! | docker-agent | YAML, event map | anchored expression; equal hooks dropped in `open` | stdin, session's variables | rewrite events in sequence, others parallel | never stops; folded in `finish`; failure denies by event |
//! | claude-code | JSON, groups | exact list or expression, `if` rule | stdin, placeholders, env file | parallel | never stops; precedence in `finish`; one shared time budget by `Delivery::timeout` |
//! | agentao | JSON, flat rules | glob, aliases | stdin | sequence | stops on deny, refusal or forced turn |
//! | infer | YAML list | allow-list gate is a mismatch with a hint | stdin; streams merged, excess dropped | sequence | nothing changes |
//! | goclaw | records | expression, CEL; breaker and depth in `open` | stdin, allow-listed variables | sequence, or parallel where it cannot block | fail-closed; chain budget by `Delivery::timeout` |
//!
//! A moment that a dialect does not know opens no chain.
//!
//! What a host sets is in each module's `SETTINGS`, what hooks of the platform may rely on in its contract, which its page shows.
//!
#![doc = include_str!("EVENTS.md")]

pub mod agentao;
pub mod claude_code;
mod detect;
pub mod docker_agent;
pub mod everruns;
pub(in crate::hook) mod expression;
mod foreign;
pub mod goclaw;
pub mod infer;
pub(super) mod list;
pub(super) mod result;
pub(crate) mod version;
