//! What one handler says ([`ClaudeAnswer`]), and whose answer it is.

use super::result::{Permission, SpecificOutput};
use crate::hook::json::Json;
use crate::hook::script::{Ended, ScriptOutcome};

/// What one handler says.
#[derive(Debug, Default)]
pub(super) struct ClaudeAnswer {
    /// Everything stops; why.
    pub(super) stop: Option<String>,
    pub(super) permission: Option<(Permission, Option<String>)>,
    /// A block in the event's own sense; the text.
    pub(super) block: Option<String>,
    /// A failure that stops nothing; the text.
    pub(super) error: Option<String>,
    pub(super) cancelled: bool,
    pub(super) contexts: Vec<String>,
    pub(super) system_messages: Vec<String>,
    pub(super) terminal: Option<String>,
    pub(super) updated_input: Option<Json>,
    pub(super) updated_output: Option<Json>,
    /// `WorktreeRemove`: what is blocked with while the directory still exists.
    pub(super) unless_gone: Option<String>,
    pub(super) specific: SpecificOutput,
    pub(super) warnings: Vec<String>,
    /// Which rule of the contract led here.
    pub(super) rule: &'static str,
}

impl ClaudeAnswer {
    pub(super) fn of(rule: &'static str) -> Self {
        Self { rule, ..Self::default() }
    }

    pub(super) fn failed(message: impl Into<String>, rule: &'static str) -> Self {
        Self { error: Some(message.into()), ..Self::of(rule) }
    }

    /// A failure of which the first line is told (R34).
    pub(super) fn not_blocking(line: &str, rule: &'static str) -> Self {
        Self::failed(format!("Failed with non-blocking status code: {line}"), rule)
    }
}

/// Whose output it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Teller {
    Command,
    Http,
    Tool,
    Model {
        /// Whether it may look around.
        agent: bool,
        goes_on: bool,
    },
}

/// The rule of a reading that stands for a run nobody waits for.
pub(super) const STARTED: &str = "R54: started, nobody waits";

/// In place of an empty message on standard error.
pub(super) const NO_STDERR: &str = "No stderr output";

/// The message on standard error.
pub(super) fn message_of(stderr: &[u8]) -> String {
    let text = String::from_utf8_lossy(stderr);
    let text = text.trim_end();
    if text.is_empty() { NO_STDERR.to_owned() } else { text.to_owned() }
}

/// The exit status, which is that of a shell where a script does not parse.
pub(super) const fn status_of(outcome: &ScriptOutcome) -> i32 {
    if matches!(outcome.end, Ended::Syntax(_)) { 2 } else { outcome.status }
}
