//! R1 to R34 beside the cases, over a scripted session.

use crate::hook::contract::Purpose;
use crate::hook::dialect::list::Dialect;
use crate::hook::script::ScriptOutcome;
use crate::hook::scripted::{Scripted, fire, load_for, rows};
use serde_json::{Value, json};

/// A hook at a point, and the point's payload.
fn on(point: &str, members: &Value) -> (Value, Value) {
    let mut hook = json!({"name": "a", "hook": point, "command": "ls"});
    hook.as_object_mut().unwrap().extend(members.as_object().cloned().unwrap_or_default());
    (json!({"enabled": true, "hooks": [hook]}), json!({"hook": point}))
}

#[test]
fn rows_of_data() {
    rows::check(Dialect::Infer, include_str!("../../../../tests/rows/infer.jsonl"), on);
}

#[test]
fn r20_bytes_that_are_not_text() {
    let (config, payload) = on("post_tool", &Value::Null);
    let hooks = load_for(Dialect::Infer, &config, &json!({}), Purpose::Run).unwrap();
    let host = Scripted::new([ScriptOutcome::exited(0, b"a\xffb".as_slice(), "")]);
    let result = serde_json::to_value(fire(&hooks, &host, &payload).dialect_result).unwrap();
    assert_eq!(result["infer"]["records"][0]["ran"]["output"], "a\u{fffd}b");
}
