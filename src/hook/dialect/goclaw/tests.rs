//! The rules over a scripted session; a store's are in `store/tests.rs`.

use crate::hook::dialect::list::Dialect;
use crate::hook::scripted::rows;
use serde_json::{Value, json};

/// A command on an event, and the event's payload.
fn on(event: &str, members: &Value) -> (Value, Value) {
    let mut row = json!({"id": "h", "event": event, "handler_type": "command", "scope": "tenant", "config": {"command": "x"}});
    row.as_object_mut().unwrap().extend(members.as_object().cloned().unwrap_or_default());
    (json!([row]), json!({"hookEvent": event, "eventId": "e", "tenantId": "t1"}))
}

#[test]
fn rows_of_data() {
    rows::check(Dialect::Goclaw, include_str!("../../../../tests/rows/goclaw.jsonl"), on);
}
