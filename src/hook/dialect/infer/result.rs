//! What a chain came to, in the contract's shapes.

use crate::hook::dialect::infer::reminder::due::DueReminder;
use serde::Serialize;

/// What a chain came to: one record for each due hook, in order (R22).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct InferResult {
    /// In run order.
    pub records: Vec<InferRecord>,
    /// Texts that are due at this point, for the host to put in their place (9.1).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reminders: Vec<DueReminder>,
}

/// One due hook (5).
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum InferRecord {
    /// It ran.
    Ran {
        /// The hook's name.
        name: String,
        /// The point.
        hook: &'static str,
        /// The command.
        command: String,
        /// Turn of the run, from 1; 0 before the first stream.
        turn: u64,
        /// Exit status; -1 when it could not start, timed out or was killed (R17).
        exit_code: i32,
        /// How long it took.
        duration_ms: u64,
        /// Both streams in the order of writing, cut (R19).
        output: String,
        /// Empty on exit status 0 (R18).
        error: String,
    },
    /// The gate refused it.
    Skipped {
        /// The hook's name.
        name: String,
        /// The point.
        hook: &'static str,
        /// The command.
        command: String,
        /// The mode in force.
        mode: String,
        /// Always `not_allowlisted` (R33).
        reason: &'static str,
        /// Which check of the command's text failed; empty when it is clean but not listed.
        hint: String,
    },
}

/// R33.
pub(super) const NOT_ALLOWLISTED: &str = "not_allowlisted";
