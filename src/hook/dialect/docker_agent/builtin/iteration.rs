//! `max_iterations N`: blocks a model call past the N-th.

use super::BuiltinCall;
use serde_json::{Value, json};

pub(super) fn run(call: &BuiltinCall<'_>) -> Result<Option<Value>, String> {
    let most: u64 = match call.args.first() {
        None => return Err("max_iterations needs a number".to_owned()),
        Some(text) => {
            text.trim().parse().map_err(|_| format!("max_iterations needs a number, not '{text}'"))?
        }
    };
    let iteration = call.payload.get("iteration").and_then(Value::as_u64).unwrap_or(0);
    let reason = || format!("the limit of {most} iterations is reached");
    Ok((iteration > most).then(|| json!({"decision": "block", "reason": reason()})))
}
