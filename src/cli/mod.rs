//! The command line: one file for each subcommand. Each takes its parsed arguments, the host's streams and a source of
//! sessions, and returns the exit status.
//!
//! Nothing below knows that there is a command line. Files of the host are opened by `vfs::fixture::host` alone, and what is printed for
//! people goes through `visible`. A new subcommand is a file here and a variant in `main.rs`, whose documentation is its `--help`.

pub mod ask;
mod bundle;
pub mod check;
pub mod command_line;
pub mod config;
pub mod contract;
pub mod convert;
mod dialect_parser;
pub mod egress;
mod export;
pub mod fire;
pub mod host;
pub mod init;
mod line_editor;
pub mod lock;
mod plugin;
mod program;
pub mod record;
mod reference;
pub mod schema;
mod script_files;
pub mod sh;
mod stub;
pub mod test;

use crate::hook::ConfigError;
use crate::vfs::fixture::host::{MOST_TEXT, read_bounded, read_named};
use crate::visible;
use std::io::Write;
use std::path::Path;

/// The streams of the process, so that a command can be run in a test.
pub struct Streams<'a> {
    /// Standard input.
    pub stdin: &'a mut dyn std::io::Read,
    /// Standard output.
    pub stdout: &'a mut dyn Write,
    /// Standard error.
    pub stderr: &'a mut dyn Write,
    /// Whether standard output shows colours.
    pub is_coloured: bool,
}

impl Streams<'_> {
    /// Prints text for people: what a terminal would act on is shown as an escape.
    pub(crate) fn print(&mut self, text: &str) -> Result<(), CommandFailure> {
        self.stdout.write_all(visible::lines(text).as_bytes()).map_err(CommandFailure::Write)
    }

    /// As [`Streams::print`], on standard error.
    pub(crate) fn report(&mut self, text: &str) -> Result<(), CommandFailure> {
        self.stderr.write_all(visible::lines(text).as_bytes()).map_err(CommandFailure::Write)
    }

    /// Prints a JSON document.
    pub(crate) fn print_json(&mut self, value: &serde_json::Value) -> Result<(), CommandFailure> {
        self.stdout.write_all(visible::json(value).as_bytes()).map_err(CommandFailure::Write)
    }

    /// All of standard input.
    pub(crate) fn read_stdin(&mut self) -> Result<Vec<u8>, CommandFailure> {
        read_bounded(&mut *self.stdin, 0, MOST_TEXT).map_err(CommandFailure::host("standard input"))
    }
}

/// Reads a config, an event or another text that the user named.
pub(crate) fn read_text(path: &Path) -> Result<Vec<u8>, CommandFailure> {
    read_named(path, MOST_TEXT).map_err(CommandFailure::host(path.display().to_string()))
}

/// Why a command could not be done: shown on standard error as `hookbox: MESSAGE`, status 1.
#[derive(Debug, thiserror::Error)]
pub enum CommandFailure {
    /// A file or folder of the host.
    #[error("{path}: {cause}{}", next_step(.cause))]
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

/// What can be done about an error of the host, where its kind tells.
fn next_step(cause: &std::io::Error) -> &'static str {
    match cause.kind() {
        std::io::ErrorKind::NotFound => {
            "; look at the path: it counts from the folder that the command runs in"
        }
        std::io::ErrorKind::PermissionDenied => "; the user who runs the command needs the right to it",
        std::io::ErrorKind::IsADirectory => "; it is a folder: name a file in it",
        std::io::ErrorKind::NotADirectory => "; a part of the path is a file: name a folder there",
        _ => "",
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
        let _ = streams.report(&format!("hookbox: {failure}\n"));
        1
    })
}

/// Shows what the parser of the command line has to say, help or a mistake; returns the exit status.
pub fn usage(error: &clap::Error, streams: &mut Streams<'_>) -> u8 {
    let text = error.render().to_string();
    // With the stream gone, the status has to be enough.
    let _ = if error.use_stderr() { streams.report(&text) } else { streams.print(&text) };
    u8::try_from(error.exit_code()).unwrap_or(2)
}

/// A runtime for one command or one thread of it.
pub(crate) fn runtime() -> Result<tokio::runtime::Runtime, CommandFailure> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.map_err(|error| CommandFailure::Other(error.to_string()))
}

#[cfg(test)]
mod tests;
