//! hookbox runs the hook scripts of AI-agent platforms in a bash of its own: inside the host's process, on a file system
//! that exists only in memory. An event goes in, the hooks of a config run unchanged, a decision comes out.
//!
//! ```
//! use hookbox::hook::{Dialect, HookSet, LoadOptions};
//! use hookbox::limit::Limits;
//! use hookbox::sandbox::Sandbox;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! // Once for each config: it is validated, and shared between sessions.
//! let config = br#"{"hooks": [{
//!     "id": "guard",
//!     "event": "pre_tool_use",
//!     "matcher": {"tool_name": "bash"},
//!     "on_error": "block",
//!     "executor": {"type": "bash", "command":
//!         "if jq -r .data.arguments.command | grep -q 'rm -rf'; then echo '{\"decision\": \"block\", \"reason\": \"no rm -rf\"}'; fi"}
//! }]}"#;
//! let hooks = HookSet::load(Dialect::Everruns, config, &LoadOptions::default())?;
//!
//! // Once for each agent session: a file system, limits, a shell.
//! let sandbox = Sandbox::builder()
//!     .limits(Limits::hook())
//!     .file("/workspace/notes.txt", "TODO: water the plants\n")
//!     .build()?;
//!
//! // Before each call of a tool.
//! let event = hooks.read_event(&serde_json::json!({
//!     "moment": "tool_call_starting",
//!     "session_id": "ses_01",
//!     "tool_name": "bash",
//!     "tool_call_id": "call_01",
//!     "arguments": {"command": "rm -rf /workspace"},
//! }))?;
//! let outcome = hooks.fire(&sandbox, &event).await;
//! assert!(!outcome.decision.proceeds());
//! assert_eq!(outcome.decision.blocked.map(|block| block.reason).as_deref(), Some("no rm -rf"));
//!
//! // The shell alone, on the same files.
//! let output = sandbox.run("grep -c TODO *.txt").await;
//! assert_eq!((output.stdout.as_slice(), output.status), (b"1\n".as_slice(), 0));
//! # Ok(())
//! # }
//! ```
//!
//! What a script does is never an `Err`: it is an exit status, output, and how the run ended. A run is one future; dropping
//! it ends every process in it.
//!
//! # Where to look
//!
//! - [`sandbox`]: a session and its runs: build it, run scripts in it.
//! - [`hook`]: configs, events, decisions, records; how a host answers what hooks ask. Below it [`hook::dialect`], and for
//!   authors of hooks, with the feature `tools`, the linter, conversion, cases, canned answers and schemas.
//! - [`command`]: commands of a host's own, written as the crate's utilities are.
//! - [`network`]: whom a session may ask over HTTP: nobody, unless its host says so.
//! - [`limit`]: what a run may use, and what it used.
//! - [`vfs`]: the session's files: snapshots, mounts, what changed, fixtures.
//! - [`clock`]: a session's time and random numbers, real or fixed.
//! - [`inspect`]: what a script would run, without running it.
//! - [`mod@text`]: bytes that are cheap to copy, which is what names and arguments are.
//!
//! Errors: what could not be set up is an `Err` with its own type ([`sandbox::Error`], [`hook::ConfigError`],
//! [`hook::EventError`]). Sizes are bytes and times milliseconds where nothing else is said.
//!
//! # Inside
//!
//! Two flows of data meet in [`sandbox`], the only module that joins the layers. A script is bytes, which `syntax` makes a
//! tree, `program` operations, and `machine` fields, redirections and commands; a command is a function, a builtin or a
//! program of `utility`, which reads and writes descriptors (`io`) on the session's files ([`vfs`]). An event is matched by
//! [`hook`], whose dialect writes the payload, has the hook run as a script, and reads its output as a decision.
//!
//! Nothing imports upward, and no more than nine files import each other in a circle. Everything that a script can make
//! grow or repeat is charged to the run's meter ([`limit`], `memory`). Each layer's own page says where to add things.

mod character;
#[cfg(feature = "cli")]
mod cli;
pub mod clock;
pub mod command;
mod document;
mod environment;
pub mod hook;
pub mod inspect;
#[doc(hidden)]
pub mod internal;
mod io;
pub mod limit;
#[cfg(test)]
mod linear_time;
mod machine;
mod memory;
mod missing;
mod near;
pub mod network;
mod pattern;
mod program;
pub mod sandbox;
mod syntax;
pub mod text;
mod trace;
mod utility;
pub mod vfs;
#[cfg_attr(not(feature = "cli"), allow(dead_code, reason = "the command shows more"))]
mod visible;
