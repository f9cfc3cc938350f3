//! Rules R1 to R58 over a scripted session: the config and what the script printed are given, the chain is the real one.

use crate::clock::lock;
use crate::hook::contract::Purpose;
use crate::hook::dialect::list::Dialect;
use crate::hook::scripted::{Scripted, block_on, fire, load_for, rows};
use serde_json::{Value, json};

/// One hook on an event, and the event's payload.
fn on(event: &str, members: &Value) -> (Value, Value) {
    let mut hook =
        json!({"id": "h", "event": event, "executor": {"type": "bash", "command": "h"}, "on_error": "warn"});
    hook.as_object_mut().unwrap().extend(members.as_object().cloned().unwrap_or_default());
    let data = json!({"tool_name": "bash", "arguments": {}, "message": "m"});
    (json!({"hooks": [hook]}), json!({"event": event, "data": data}))
}

#[test]
fn rows_of_data() {
    rows::check(Dialect::Everruns, include_str!("../../../../tests/rows/everruns.jsonl"), on);
}

#[test]
fn r23_the_payload_file_goes_with_a_firing_that_nobody_waits_for() {
    let (config, payload) = on("pre_tool_use", &Value::Null);
    let hooks = load_for(Dialect::Everruns, &config, &Value::Null, Purpose::Run).unwrap();
    let host = Scripted { never_ends: true, ..Scripted::default() };
    let event = hooks.read_event(&payload).unwrap();
    block_on(async {
        let mut firing = Box::pin(hooks.fire(&host, &event));
        let mut context = std::task::Context::from_waker(std::task::Waker::noop());
        assert!(firing.as_mut().poll(&mut context).is_pending());
        assert_eq!(lock(&host.files).len(), 1);
        drop(firing);
    });
    assert!(lock(&host.files).is_empty());
}

#[test]
fn records_of_the_log_can_be_made_again() {
    let (config, payload) = on("pre_tool_use", &Value::Null);
    let hooks = load_for(Dialect::Everruns, &config, &Value::Null, Purpose::Run).unwrap();
    let host = Scripted::printing([r#"{"decision":"block","user_message":"u"}"#]);
    let outcome = fire(&hooks, &host, &payload);
    let again: Vec<_> = outcome.records.iter().flat_map(|record| hooks.log_records(record)).collect();
    assert_eq!(again, *lock(&host.logs));
    assert_eq!(again.len(), 3);
}
