//! Stubs: commands that a session is given, in the place of programs that the sandbox lacks (`cargo`, `gitleaks`).

use super::CommandFailure;
use crate::vfs::fixture::Fixture;
use std::path::Path;

/// What a stub without a file is: it does nothing, and succeeds.
const NOTHING: &[u8] = b"#!/bin/sh\nexit 0\n";

/// A command: its name and its script.
#[derive(Clone, Debug)]
pub(super) struct Stub {
    name: String,
    script: Vec<u8>,
}

/// The name in `NAME[=FILE]`.
pub(super) fn name(text: &str) -> &str {
    text.split_once('=').map_or(text, |(name, _)| name)
}

impl Stub {
    /// Reads `NAME[=FILE]`.
    pub(super) fn parse(text: &str) -> Result<Self, CommandFailure> {
        let name = name(text);
        if name.is_empty() || name == "." || name == ".." || name.contains(['/', '\0']) {
            let message = format!("--stub {text}: NAME or NAME=FILE is wanted, the name without a folder");
            return Err(CommandFailure::Other(message));
        }
        let script = match text.split_once('=') {
            Some((_, file)) => super::read_text(Path::new(file))?,
            None => NOTHING.to_vec(),
        };
        Ok(Self { name: name.to_owned(), script })
    }

    /// Reads all.
    pub(super) fn parse_all(texts: &[String]) -> Result<Vec<Self>, CommandFailure> {
        texts.iter().map(|text| Self::parse(text)).collect()
    }

    /// Puts the command where sessions look first.
    pub(super) fn add(&self, fixture: &mut Fixture) {
        fixture.add_file(format!("/usr/local/bin/{}", self.name).as_bytes(), &self.script, 0o755);
    }
}
