//! The machine: runs programs. A run is one future ([`scheduler`]); its processes keep their frames on the heap, so that
//! no script decides how deep the host's stack gets, and every operation is a point to stop, yield or be cancelled.

#![cfg_attr(not(test), deny(clippy::disallowed_types, clippy::disallowed_methods, clippy::disallowed_macros))]

mod array;
mod array_assignment;
mod assign;
mod builder;
mod builtin;
mod command;
mod compile;
mod condition;
mod control;
mod environment;
mod error;
mod executable;
mod expand;
mod expansion;
mod external;
mod flags;
mod fork;
mod frame;
mod function;
mod function_export;
mod halt;
mod history;
mod job;
mod link;
mod locale;
mod lookup;
mod loop_control;
mod name;
mod option;
mod outputs;
mod pipe_here;
mod pool;
mod process;
mod prompt;
mod quote;
mod reader;
mod redirect;
mod report;
mod run;
mod scheduler;
mod select;
mod shell;
mod signal;
mod special;
mod start;
mod subshell;
mod time;
mod trace;
mod trap;
mod variable;
mod wait;
mod work;

pub(crate) use builtin::find as find_builtin;
pub(crate) use compile::dump;
pub(crate) use environment::Template;
pub(crate) use external::FILE_BUILTINS;
pub(crate) use halt::Halt;
pub(crate) use name::Names;
pub(crate) use process::Process;
pub use run::{CommandGate, HostCommand};
pub(crate) use run::{DEFAULT_KEPT_BYTES, FIRST_PID, ProgramCache, Run, Services};
pub(crate) use scheduler::{CommandQueue, RunEnd, Scheduler};
pub(crate) use start::Start;
