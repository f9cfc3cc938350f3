//! The machine runs programs: operations in, bytes on descriptors and an exit status out.
//!
//! A run is one future, the [`scheduler`]. It polls the processes of the run in turn; each takes a program that `program`
//! compiled, and `operate.rs` has the one loop over its operations. What an operation does is in the file of its subject:
//! `expand/` (words), `assign.rs`, `redirect.rs`, `command.rs` (search) and then `function.rs`, `builtin/` or `external.rs`.
//!
//! A [`Process`] has three parts: the `Shell` (what a subshell copies), the `Expansion` (the words of the command that runs)
//! and the `Control` (frames, and what it waits for). A method belongs to the smallest part that it needs.
//!
//! - Nothing recurses: a call, a substitution or a trap pushes a frame (`frame.rs`), which lives on the heap.
//! - `break`, `return`, `exit` and errors are values (`Halt`), which `unwind.rs` carries up the frames.
//! - An operation never blocks: it leaves what it waits for in `Wait` or `Pending`, and `resume.rs` goes on.
//! - Each operation uses fuel, so a run can be stopped, made to yield, or cancelled at each of them.
//! - Data is below behaviour: a file that holds a type imports no file that only adds methods to it.
//!
//! A new builtin is a file in `builtin/`; a new operation is a variant of `program::Op` and an arm in `operate.rs`.

#![cfg_attr(not(test), deny(clippy::disallowed_types, clippy::disallowed_methods, clippy::disallowed_macros))]

mod array;
mod array_assignment;
mod assign;
mod builder;
mod builtin;
mod command;
mod compile;
mod compiling;
mod condition;
mod control;
mod directory;
mod environment;
mod error;
mod executable;
mod expand;
mod expansion;
mod external;
mod failure;
mod flags;
mod fork;
mod frame;
mod function;
mod function_export;
mod halt;
mod history;
mod job;
mod key_binding;
mod link;
mod locale;
mod lookup;
mod loop_control;
mod name;
mod operate;
mod option;
mod outputs;
mod pending;
mod pipe_here;
mod pool;
mod process;
mod process_rows;
mod prompt;
mod quote;
mod reader;
mod redirect;
mod report;
mod resume;
mod run;
mod scheduler;
mod script_input;
mod select;
mod shell;
mod signal;
mod special;
mod start;
mod strings;
mod subshell;
mod time;
mod trace;
mod trap;
mod unwind;
mod variable;
mod wait;
mod watched;
mod work;

#[cfg(feature = "cli")]
pub(crate) use builtin::names as builtin_names;
pub(crate) use builtin::{find as find_builtin, find_id as find_builtin_id};
pub(crate) use compile::dump;
pub(crate) use environment::Template;
pub(crate) use external::FILE_BUILTINS;
pub(crate) use halt::Halt;
pub(crate) use name::Names;
pub(crate) use process::Process;
pub use run::{CommandGate, HostCommand};
pub(crate) use run::{DEFAULT_KEPT_BYTES, FIRST_PID, Measured, ProgramCache, Run, Services};
pub(crate) use scheduler::{CommandQueue, RunEnd, Scheduler};
pub(crate) use start::Start;
#[cfg_attr(not(feature = "cli"), allow(unused_imports, reason = "only the command reports coverage"))]
pub(crate) use watched::points;
