//! An agent's life in hooks: all moments of a session are fired through the hooks of one dialect, and a call of a tool is
//! made as they decided: blocked, changed, or as it was.
//!
//! `cargo run --example agent_loop [everruns|docker-agent|claude-code|agentao|infer|goclaw]`

use hookbox::hook::dialect::docker_agent;
use hookbox::hook::{Dialect, Event, EventContext, Happening, HookSet, Json, LoadOptions, ToolCall};
use hookbox::sandbox::Sandbox;
use serde_json::{Value, json};
use std::sync::Arc;

/// Blocks by status 2, which four dialects know. Everruns takes it for a block too, as nothing is printed.
const GUARD: &str = "if grep -q 'rm -rf'; then echo 'rm -rf is not allowed' >&2; exit 2; fi";
/// Notes each event.
const LOG: &str = "cat >> /workspace/events.log; echo >> /workspace/events.log";

/// A guard before tool calls and a log at the session's ends, as each dialect writes it.
fn config(dialect: Dialect) -> Value {
    let command = |script: &str| json!({"type": "command", "command": script});
    let group = |script: &str| json!([{"hooks": [command(script)]}]);
    match dialect {
        Dialect::Everruns => {
            let hook = |id: &str, event: &str, script: &str| json!({"id": id, "event": event, "on_error": "block", "executor": {"type": "bash", "command": script}});
            json!({"hooks": [hook("guard", "pre_tool_use", GUARD), hook("opened", "session_start", LOG),
                             hook("closed", "session_end", LOG)]})
        }
        Dialect::DockerAgent => json!({"agents": {"root": {"hooks": {
            "pre_tool_use": group(GUARD), "session_start": [command(LOG)], "session_end": [command(LOG)]}}}}),
        Dialect::ClaudeCode => json!({"hooks": {
            "PreToolUse": group(GUARD), "SessionStart": group(LOG), "SessionEnd": group(LOG)}}),
        Dialect::Agentao => json!({"hooks": {
            "PreToolUse": [command(GUARD)], "SessionStart": [command(LOG)], "SessionEnd": [command(LOG)]}}),
        // Hooks of this dialect only watch.
        Dialect::Infer => {
            let hook =
                |name: &str, hook: &str, script: &str| json!({"name": name, "hook": hook, "command": script});
            json!({"enabled": true, "hooks": [hook("guard", "pre_tool", GUARD), hook("opened", "pre_session", LOG),
                                              hook("closed", "post_session", LOG)]})
        }
        Dialect::Goclaw => {
            let hook = |name: &str, event: &str, script: &str| {
                json!({"name": name, "event": event, "handler_type": "command", "scope": "tenant",
                       "config": {"command": script}})
            };
            json!([
                hook("guard", "pre_tool_use", GUARD),
                hook("opened", "session_start", LOG),
                hook("closed", "stop", LOG)
            ])
        }
        other => panic!("no config for {other}"),
    }
}

/// What the dialect's host has to say: infer runs only what its allow-list has.
fn options(dialect: Dialect) -> LoadOptions {
    let mut options = LoadOptions::default();
    if dialect == Dialect::Infer {
        let settings = json!({"tools": {"bash": {"mode": {"all": {"allow": [".*"]}}}}});
        options.settings = settings.as_object().cloned().unwrap_or_default();
    }
    options
}

struct Agent {
    hooks: HookSet,
    session: Sandbox,
    context: Arc<EventContext>,
}

impl Agent {
    /// Fires a moment; whether the agent may go on, and the arguments that hooks wrote.
    async fn fire(&self, happening: Happening) -> (bool, Option<Json>) {
        let event = Event {
            context: Arc::clone(&self.context),
            at_ms: None,
            happening,
            facts: serde_json::Map::new(),
        };
        // docker-agent has several events where others have one.
        let events = match self.hooks.dialect() {
            Dialect::DockerAgent => docker_agent::events_of(&event),
            _ => vec![event],
        };
        let mut arguments = None;
        for event in events {
            let outcome = self.hooks.fire(&self.session, &event).await;
            for record in outcome.records.iter().filter(|record| record.run.is_some()) {
                println!("  {} ran for {}: {}", record.hook, record.event, record.effect);
            }
            if let Some(block) = outcome.decision.blocked {
                println!("  blocked by {}: {}", block.hook, block.reason);
                return (false, None);
            }
            arguments = outcome.decision.arguments.or(arguments);
        }
        (true, arguments)
    }

    async fn call(&self, number: u32, command: &str) -> Result<(), Box<dyn std::error::Error>> {
        println!("tool call: {command}");
        let arguments = Json::from(json!({"command": command}));
        let call = ToolCall { name: "bash".into(), id: format!("call_{number}").into(), arguments };
        self.fire(Happening::ToolBatchStarting { calls: vec![call.clone()] }).await;
        let (goes_on, changed) = self.fire(Happening::ToolCallStarting(call.clone())).await;
        if !goes_on {
            return Ok(());
        }
        let call = ToolCall { arguments: changed.unwrap_or_else(|| call.arguments.clone()), ..call };
        let arguments = call.arguments.clone().into_value();
        let output = self.session.run(arguments["command"].as_str().unwrap_or_default()).await?;
        let text = String::from_utf8_lossy(&output.stdout);
        print!("  status {}: {text}", output.status);
        let result = Some(Json::from(json!({"stdout": text})));
        self.fire(Happening::ToolCallEnded { call, result, error: None }).await;
        Ok(())
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let dialect: Dialect = std::env::args().nth(1).as_deref().unwrap_or("everruns").parse()?;
    let hooks = HookSet::load(dialect, config(dialect).to_string().as_bytes(), &options(dialect))?;
    for notice in hooks.notices() {
        println!("note: {}", notice.text);
    }
    let session = Sandbox::builder().file("/workspace/src/main.rs", "fn main() {}\n").build()?;
    let context = EventContext { session_id: "ses_01".to_owned(), ..EventContext::default() };
    let agent = Agent { hooks, session, context: Arc::new(context) };

    println!("session, prompt, turn, model");
    agent.fire(Happening::SessionStarted { source: Some("startup".to_owned()) }).await;
    let prompt = "tidy up".into();
    let (attachments, channel) = (Json::default(), hookbox::hook::Channel::Prompt);
    agent.fire(Happening::PromptSubmitted { message: prompt, attachments, channel }).await;
    agent.fire(Happening::TurnStarted).await;
    agent.fire(Happening::ModelCallStarting { model: None, iteration: Some(1) }).await;
    agent.fire(Happening::ModelCallEnded { model: None, response: None }).await;
    for (number, command) in (1..).zip(["ls src", "rm -rf /workspace/src", "cat src/main.rs"]) {
        agent.call(number, command).await?;
    }
    println!("end of the turn and of the session");
    let (tool_calls, reason, last_message) = (Vec::new(), None, Some("done".to_owned()));
    agent.fire(Happening::TurnEnded { success: true, tool_calls, reason, last_message }).await;
    agent.fire(Happening::SessionEnded { reason: "exit".to_owned() }).await;
    HookSet::settle(&agent.session).await;

    let log = agent.session.fs().read(b"/workspace/events.log")?;
    print!("events.log:\n{}", String::from_utf8_lossy(log.as_bytes()));
    Ok(())
}
