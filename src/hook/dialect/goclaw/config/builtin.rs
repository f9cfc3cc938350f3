//! The rows that ship with the platform (R55): read like any other, of source `builtin`, and disabled until somebody turns
//! them on.

use crate::document::Node;
use serde_json::json;

/// The shipped redactor. Its work is done natively (see `handler.rs`); the source says the same for whoever reads it.
pub(super) const REDACTOR: &str = r"function handle(event) {
  var secrets = /[A-Za-z0-9._%+-]+@[A-Za-z0-9.-]+\.[A-Za-z]{2,}|Bearer\s+[A-Za-z0-9._~+\/=-]{8,}|sk-[A-Za-z0-9_-]{8,}/g;
  var clean = event.rawInput.replace(secrets, '[REDACTED]');
  if (clean === event.rawInput) { return { decision: 'allow' }; }
  return { decision: 'allow', updatedInput: { rawInput: clean } };
}
";

pub(in crate::hook::dialect::goclaw) fn records() -> [Node; 1] {
    let redactor = json!({
        "id": "pii-redactor", "name": "pii-redactor", "event": "user_prompt_submit", "handler_type": "script",
        "scope": "global", "source": "builtin", "priority": 900, "timeout_ms": 2000, "on_timeout": "allow",
        "enabled": false, "config": {"source": REDACTOR}, "metadata": {"mutable_fields": ["rawInput"]},
    });
    [Node::from_value(&redactor)]
}
