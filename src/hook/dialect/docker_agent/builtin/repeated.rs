//! `elide_repeated_tool_results`: a result that is byte for byte the one before it for the same call becomes a line. The tool ran
//! all the same; what is kept of a result is its digest.

use super::{BuiltinCall, category};
use crate::hook::dialect::docker_agent::event::EventName;
use crate::hook::json::append_sorted;
use rustc_hash::FxHashMap;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

/// Categories whose tools are the agent's own and only read.
const CATEGORIES: [&str; 5] = ["filesystem", "lsp", "rag", "memory", "git"];
/// Larger results are `limit_large_tool_results`' to cut.
const MOST_BYTES: usize = 51_200;
/// Calls of which a result is remembered; further ones are shown always.
const MOST_CALLS: usize = 4096;

type Sum = [u8; 32];

/// The digest of the last result, by the digest of the call.
#[derive(Default)]
struct Seen(FxHashMap<Sum, Sum>);

#[expect(clippy::unnecessary_wraps, reason = "the form of every built-in")]
pub(super) fn run(call: &BuiltinCall<'_>) -> Result<Option<Value>, String> {
    if call.event != EventName::ToolResponseTransform {
        // What the model saw before is not in its context any more.
        call.host.state().with(|seen: &mut Seen| seen.0.clear());
        return Ok(None);
    }
    let member = |name: &str| call.payload.get(name);
    let text = |name: &str| member(name).and_then(Value::as_str).unwrap_or_default();
    let Some(result) = member("tool_response").and_then(Value::as_str) else { return Ok(None) };
    let is_read =
        member("tool_read_only") == Some(&Value::Bool(true)) && CATEGORIES.contains(&category(call));
    if !is_read || call.failed() || text("session_id").is_empty() || result.len() >= MOST_BYTES {
        return Ok(None);
    }
    let line = format!(
        "[{} ran again with the same arguments and gave the same {} bytes as before: they are not repeated.]",
        text("tool_name"),
        result.len()
    );
    if result.len() <= line.len() {
        return Ok(None);
    }
    let mut key = format!("{}\0{}\0", text("session_id"), text("tool_name")).into_bytes();
    append_sorted(&mut key, member("tool_input").unwrap_or(&Value::Null));
    let is_repeated =
        call.host.state().with(|seen: &mut Seen| seen.observe(digest(&key), digest(result.as_bytes())));
    Ok(is_repeated.then(|| json!({"hook_specific_output": {"updated_tool_response": line}})))
}

impl Seen {
    /// Remembers a result; whether it is the one before it.
    fn observe(&mut self, call: Sum, result: Sum) -> bool {
        if !self.0.contains_key(&call) && self.0.len() >= MOST_CALLS {
            return false;
        }
        self.0.insert(call, result) == Some(result)
    }
}

fn digest(bytes: &[u8]) -> Sum {
    Sha256::digest(bytes).into()
}
