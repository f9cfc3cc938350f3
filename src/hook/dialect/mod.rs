//! Dialects: the contracts of the agent systems whose hooks run here. Each is a folder that implements the three traits of
//! `contract.rs`; everything else is the engine's.
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
//! | goclaw | records | expression, CEL; breaker and depth in `open` | stdin, allow-listed variables | sequence, or parallel where it can not block | fail-closed; chain budget by `Delivery::timeout` |
//!
//! A moment that a dialect does not know opens no chain.

pub mod agentao;
pub mod claude_code;
mod detect;
pub mod docker_agent;
pub mod everruns;
mod expression;
pub mod goclaw;
pub mod infer;
pub(super) mod list;
pub(super) mod result;

pub use list::{Dialect, UnknownDialect};
pub use result::DialectResult;
