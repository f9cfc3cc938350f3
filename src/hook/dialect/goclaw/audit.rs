//! Audit rows (7 of the contract): one for each run of a hook, with hashes in the place of inputs and without secrets.

use super::redact::redact;
use crate::hook::json::{append_sorted, cut};
use crate::hook::record::HookRecord;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};
use std::fmt::Write as _;

/// Longest `error`, in bytes.
const LONGEST_ERROR: usize = 256;

/// A row of `hook_executions`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Execution {
    /// Random.
    pub id: String,
    /// Which hook; null once it was deleted.
    pub hook_id: Option<String>,
    /// In which session.
    pub session_id: String,
    /// The event's name.
    pub event: String,
    /// SHA-256 of tool and input, in lower-case hexadecimal.
    pub input_hash: String,
    /// `allow`, `block`, `error` or `timeout`.
    pub decision: String,
    /// By the session's clock.
    pub duration_ms: u64,
    /// How often it was tried again, as far as the engine knows.
    pub retry: u32,
    /// `{hook_id}:{event_id}`, unique.
    pub dedup_key: String,
    /// Redacted, 256 bytes at most; null without an error.
    pub error: Option<String>,
    /// The whole text, encrypted in the rows that a store keeps ([`Keeper::encrypt`](super::Keeper::encrypt)); not part of log
    /// records.
    #[serde(skip)]
    pub error_detail: Option<String>,
    /// What is known of `matcher_matched`, `cel_eval_result`, `stdout_len`, `http_status`, `prompt_model`, `prompt_tokens`,
    /// `trace_id`.
    pub metadata: Map<String, Value>,
    /// RFC 3339, UTC.
    pub created_at: String,
}

impl Execution {
    /// The row of a record; `None` when nothing ran, or the row was written before.
    pub fn of(record: &HookRecord) -> Option<Self> {
        let specific = record.run.as_ref()?.reading.specific.as_ref()?;
        let mut row: Self = serde_json::from_value(specific.get("execution")?.clone()).ok()?;
        if row.error.is_some() {
            row.error_detail.clone_from(&record.run.as_ref()?.reading.reason);
        }
        Some(row)
    }
}

/// The text of an error as a row may show it.
pub(super) fn shown_error(text: &str) -> String {
    cut(&redact(text), LONGEST_ERROR).to_owned()
}

/// Hash of what a call asks for, whatever the order of its keys.
pub(super) fn input_hash(tool: &str, input: &Value) -> String {
    let mut hash = Sha256::new();
    hash.update(tool.as_bytes());
    hash.update([0]);
    hash.update(canonical(input));
    let digest: [u8; 32] = hash.finalize().into();
    digest.iter().fold(String::with_capacity(64), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// JSON with the keys of every object sorted. Depth is that of the value, which was parsed.
pub(super) fn canonical(value: &Value) -> Vec<u8> {
    let mut out = Vec::new();
    append_sorted(&mut out, value);
    out
}
