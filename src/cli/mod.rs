//! The command line: one file for each subcommand. Each takes its parsed arguments, the host's streams and a source of
//! sessions, and gives the exit status.

pub mod check;
pub mod convert;
pub mod fire;
#[cfg(feature = "editor")]
mod line_editor;
pub mod schema;
pub mod sh;
pub mod test;

use crate::hook::ConfigError;
use std::io::Write;

/// The streams of the process, so that a command can be run in a test.
pub struct Streams<'a> {
    /// Standard input.
    pub stdin: &'a mut dyn std::io::Read,
    /// Standard output.
    pub stdout: &'a mut dyn Write,
    /// Standard error.
    pub stderr: &'a mut dyn Write,
}

/// Why a command could not be done: shown on standard error as `hookbox: MESSAGE`, status 1.
#[derive(Debug, thiserror::Error)]
pub enum CommandFailure {
    /// A file or folder of the host.
    #[error("{path}: {cause}")]
    Host {
        /// As given.
        path: String,
        /// Why.
        cause: std::io::Error,
    },
    /// A hook config.
    #[error("{}", show(.0))]
    Config(#[from] ConfigError),
    /// A fixture or a seed folder.
    #[error(transparent)]
    Fixture(#[from] crate::vfs::fixture::FixtureError),
    /// Anything that has its own words.
    #[error("{0}")]
    Other(String),
    /// A stream of the process.
    #[error("write error: {0}")]
    Write(std::io::Error),
}

impl CommandFailure {
    pub(crate) fn host(path: impl Into<String>) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.into();
        move |cause| Self::Host { path, cause }
    }
}

fn show(error: &ConfigError) -> String {
    let lines: Vec<_> = error.problems.iter().map(crate::hook::ConfigProblem::show).collect();
    lines.join("\n")
}

/// Ends a command: its status, or the failure on standard error and 1.
pub(crate) fn finish(result: Result<u8, CommandFailure>, streams: &mut Streams<'_>) -> u8 {
    result.unwrap_or_else(|failure| {
        // With standard error gone, the status has to be enough.
        let _ = writeln!(streams.stderr, "hookbox: {failure}");
        1
    })
}

/// A runtime for one command or one thread of it.
pub(crate) fn runtime() -> Result<tokio::runtime::Runtime, CommandFailure> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build();
    runtime.map_err(|error| CommandFailure::Other(error.to_string()))
}

#[cfg(test)]
mod tests;
