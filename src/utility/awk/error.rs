//! What can be wrong with a program, and what ends one that runs.

use crate::limit::LimitError;
use crate::memory::{String, Vec, format};
use crate::utility::regex::RegexError;
use crate::utility::{ExitStatus, UtilityError};

/// A fault in a program's text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SyntaxError {
    pub(super) source: ProgramPart,
    pub(super) line: u32,
    pub(super) kind: SyntaxErrorKind,
}

/// Where the text is from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ProgramPart {
    CommandLine,
    File(String),
}

impl std::fmt::Display for ProgramPart {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::CommandLine => f.write_str("cmd. line"),
            Self::File(name) => f.write_str(name),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum SyntaxErrorKind {
    /// A token that cannot stand where it does: the text of its line, how many bytes of that are before it, and what is wrong.
    Token {
        text: Vec<u8>,
        column: usize,
        message: String,
    },
    Fatal(String),
    /// The text ends too early: what stands before the mark in its line.
    EndOfFile(String),
    /// What is wrong was told by notices; the text was read on.
    Told,
    Regex(RegexError, Vec<u8>),
}

impl SyntaxError {
    /// The error that ends the utility called `name`.
    pub(super) fn into_error(self, name: &[u8]) -> UtilityError {
        let Self { source, line, kind } = self;
        let place = format!("{source}:{line}:");
        match kind {
            SyntaxErrorKind::Token { text, column, message } => {
                let shown = String::from_utf8_lossy(&text);
                let name = String::from_utf8_lossy(name);
                let before = text.iter().take(column);
                let pad: String = before.map(|&byte| if byte == b'\t' { '\t' } else { ' ' }).collect();
                UtilityError::failed(format!("{place} {shown}\n{name}: {place} {pad}^ {message}"))
            }
            SyntaxErrorKind::EndOfFile(pad) => {
                let name = String::from_utf8_lossy(name);
                let message =
                    "source files / command-line arguments must contain complete functions or rules";
                UtilityError::failed(format!("{place} (END OF FILE)\n{name}: {place} {pad}^ {message}"))
            }
            SyntaxErrorKind::Told => UtilityError::Exit(ExitStatus::FAILURE),
            SyntaxErrorKind::Fatal(message) => {
                UtilityError::Failed { message: format!("{place} fatal: {message}"), status: 2 }
            }
            SyntaxErrorKind::Regex(error, text) => {
                let shown = String::from_utf8_lossy(&text);
                UtilityError::failed(format!("{place} error: {error}: /{shown}/"))
            }
        }
    }
}

/// What is told of a text while it is read, before what ends the reading.
#[derive(Debug)]
pub(super) struct Notice {
    pub(super) line: u32,
    pub(super) text: String,
    /// The program does not run.
    pub(super) is_error: bool,
}

/// What ends a program that runs.
#[derive(Clone, Debug)]
pub(super) enum Fault {
    /// In gawk's words, without place.
    Fatal(String),
    Limit(LimitError),
    Utility(UtilityError),
}

impl Fault {
    pub(super) fn fatal(message: impl Into<String>) -> Self {
        Self::Fatal(message.into())
    }

    /// Nothing stands after a `>`, `|` or the like.
    pub(super) fn without_name(operator: &str) -> Self {
        Self::fatal(format!("expression for `{operator}' redirection has null string value"))
    }
}

impl From<LimitError> for Fault {
    fn from(limit: LimitError) -> Self {
        Self::Limit(limit)
    }
}

impl From<UtilityError> for Fault {
    fn from(error: UtilityError) -> Self {
        Self::Utility(error)
    }
}
