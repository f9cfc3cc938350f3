//! Hooks around the tool calls of an agent: before each call they may block it or change its arguments, and what they
//! leave in the session's files is there for the next one.
//!
//! `cargo run --example agent_loop`

use hookbox::hook::{Dialect, Event, EventContext, Happening, HookSet, Json, LoadOptions, ToolCall};
use hookbox::sandbox::Sandbox;
use serde_json::json;
use std::sync::Arc;

const HOOKS: &[u8] = br#"{"hooks": [
  {"id": "guard", "event": "pre_tool_use", "matcher": {"tool_name": "bash"}, "on_error": "block",
   "executor": {"type": "bash", "command":
     "cmd=$(jq -r .data.arguments.command)\nif [[ $cmd =~ (^|[;&|])[[:space:]]*rm[[:space:]]+-rf ]]; then\n  echo '{\"decision\": \"block\", \"reason\": \"rm -rf is not allowed\"}'\nfi"}},
  {"id": "audit", "event": "pre_tool_use",
   "executor": {"type": "bash", "command":
     "jq -c .data.arguments >> /workspace/audit.log"}}
]}"#;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let hooks = HookSet::load(Dialect::Everruns, HOOKS, &LoadOptions::default())?;
    for notice in hooks.notices() {
        eprintln!("{}", notice.text);
    }
    let session = Sandbox::builder().file("/workspace/src/main.rs", "fn main() {}\n").build()?;
    let context = Arc::new(EventContext { session_id: "ses_01".to_owned(), ..EventContext::default() });

    for (number, command) in ["ls src", "cd / && rm -rf workspace", "cat src/main.rs"].iter().enumerate() {
        let call = ToolCall {
            name: Arc::from("bash"),
            id: Arc::from(format!("call_{number}")),
            arguments: Json::from(json!({"command": command})),
        };
        let event = Event {
            context: Arc::clone(&context),
            at_ms: None,
            happening: Happening::ToolCallStarting(call),
            facts: serde_json::Map::new(),
        };
        let decision = hooks.fire(&session, &event).await.decision;
        if let Some(block) = decision.blocked {
            println!("{command}: blocked by {}: {}", block.hook, block.reason);
            continue;
        }
        // A hook may have rewritten the arguments.
        let arguments = decision.arguments.map_or_else(|| json!({"command": command}), Json::into_value);
        let output = session.run(arguments["command"].as_str().unwrap_or_default()).await?;
        print!("{command}: status {}\n{}", output.status, String::from_utf8_lossy(&output.stdout));
    }

    let log = session.fs().read(b"/workspace/audit.log")?;
    print!("audit.log:\n{}", String::from_utf8_lossy(log.as_bytes()));
    Ok(())
}
