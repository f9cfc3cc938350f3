//! An agent's life in hooks: all moments of a session are fired through the hooks of one dialect, and a call of a tool is
//! made as they decided: blocked, changed, or as it was. Events that no moment stands for are fired by their own names, so that
//! at the end every event of the dialect had a hook that ran.
//!
//! `cargo run --example agent_loop [DIALECT]`; without a name all dialects come one after another.

use hookbox::hook::dialect::docker_agent;
use hookbox::hook::{
    Dialect, Event, EventContext, HookSet, Json, LoadOptions, Moment, ToolCall, ToolCallSummary,
};
use hookbox::sandbox::Sandbox;
use serde_json::{Value, json};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Blocks by status 2, which four dialects know. Everruns takes it for a block too, as nothing is printed.
const GUARD: &str = "if grep -q 'rm -rf'; then echo 'rm -rf is not allowed' >&2; exit 2; fi";
/// Notes each event.
const LOG: &str = "cat >> /workspace/events.log; echo >> /workspace/events.log";

/// The events of a dialect.
const fn events(dialect: Dialect) -> &'static [&'static str] {
    match dialect {
        Dialect::Everruns => &[
            "session_start",
            "user_prompt_submit",
            "pre_tool_use",
            "post_tool_use",
            "turn_end",
            "session_end",
        ],
        #[rustfmt::skip]
        Dialect::DockerAgent => &[
            "pre_tool_use", "tool_response_transform", "post_tool_use", "permission_request", "session_start",
            "user_prompt_submit", "user_steering_messages_submit", "user_followup_submit", "turn_start", "turn_end",
            "before_llm_call", "after_llm_call", "session_end", "pre_compact", "before_compaction", "after_compaction",
            "subagent_stop", "on_user_input", "stop", "notification", "on_error", "on_max_iterations", "on_agent_switch",
            "on_session_resume", "on_tool_approval_decision", "worktree_create", "tool_input_transform", "tool_guard",
        ],
        #[rustfmt::skip]
        Dialect::ClaudeCode => &[
            "SessionStart", "Setup", "InstructionsLoaded", "UserPromptSubmit", "UserPromptExpansion", "MessageDisplay",
            "PreToolUse", "PermissionRequest", "PermissionDenied", "PostToolUse", "PostToolUseFailure", "PostToolBatch",
            "Notification", "SubagentStart", "SubagentStop", "TaskCreated", "TaskCompleted", "Stop", "StopFailure",
            "TeammateIdle", "ConfigChange", "CwdChanged", "DirectoryAdded", "FileChanged", "WorktreeCreate",
            "WorktreeRemove", "PreCompact", "PostCompact", "PreModelSwitch", "PostModelSwitch", "Elicitation",
            "ElicitationResult", "SessionEnd",
        ],
        #[rustfmt::skip]
        Dialect::Agentao => &[
            "UserPromptSubmit", "SessionStart", "SessionEnd", "PreToolUse", "PostToolUse", "PostToolUseFailure", "Stop",
            "PreCompact",
        ],
        #[rustfmt::skip]
        Dialect::Infer => &[
            "pre_session", "pre_stream", "post_stream", "pre_tool", "post_tool", "pre_queue_drain", "post_queue_drain",
            "post_session",
        ],
        #[rustfmt::skip]
        Dialect::Goclaw => &[
            "session_start", "user_prompt_submit", "pre_tool_use", "post_tool_use", "stop", "subagent_start",
            "subagent_stop",
        ],
        // A dialect of a later version.
        _ => &[],
    }
}

/// A guard before tool calls and a log of every event, as each dialect writes it.
fn config(dialect: Dialect) -> Value {
    let command = |script: &str| json!({"type": "command", "command": script});
    let script = |event: &str| match event {
        "pre_tool_use" | "PreToolUse" | "pre_tool" => GUARD,
        // Its last line is the path of the new tree.
        "WorktreeCreate" => "cat >> /workspace/events.log; echo /workspace/tree",
        _ => LOG,
    };
    let map = |one: &dyn Fn(&str) -> Value| -> Value {
        events(dialect)
            .iter()
            .map(|event| ((*event).to_owned(), one(event)))
            .collect::<serde_json::Map<_, _>>()
            .into()
    };
    let list =
        |one: &dyn Fn(&str) -> Value| -> Value { events(dialect).iter().map(|event| one(event)).collect() };
    match dialect {
        Dialect::Everruns => json!({"hooks": list(&|event| {
            json!({"event": event, "on_error": "block", "executor": {"type": "bash", "command": script(event)}})
        })}),
        Dialect::DockerAgent => {
            let has_matcher = |event: &str| {
                event.contains("tool") && event != "on_tool_approval_decision"
                    || event == "permission_request"
            };
            let entry = |event: &str| {
                let hooks = json!([command(script(event))]);
                if has_matcher(event) { json!([{"hooks": hooks}]) } else { hooks }
            };
            json!({"agents": {"root": {"hooks": map(&entry)}}})
        }
        Dialect::ClaudeCode => json!({"hooks": map(&|event| json!([{"hooks": [command(script(event))]}]))}),
        Dialect::Agentao => json!({"hooks": map(&|event| json!([command(script(event))]))}),
        // Hooks of this dialect only watch.
        Dialect::Infer => json!({"enabled": true, "hooks": list(&|event| {
            json!({"name": event, "hook": event, "command": script(event)})
        })}),
        Dialect::Goclaw => list(&|event| {
            json!({"name": event, "event": event, "handler_type": "command", "scope": "tenant",
                   "config": {"command": script(event)}})
        }),
        _ => json!({}),
    }
}

/// A payload of an event that no moment of the loop stands for, with the little that every dialect asks for.
fn payload(dialect: Dialect, event: &str) -> Value {
    match dialect {
        Dialect::DockerAgent | Dialect::ClaudeCode => {
            json!({"session_id": "ses_01", "hook_event_name": event, "tool_name": "bash", "tool_input": {}})
        }
        _ => json!({"event": event, "hook": event, "hookEvent": event, "data": {}}),
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
    /// Events for which a hook ran.
    seen: RefCell<BTreeSet<&'static str>>,
}

impl Agent {
    /// Fires a moment; whether the agent may go on, and the arguments that hooks wrote.
    async fn fire(&self, moment: Moment) -> (bool, Option<Json>) {
        let event = Event::new(Arc::clone(&self.context), moment);
        // docker-agent has several events where others have one.
        let events = match self.hooks.dialect() {
            Dialect::DockerAgent => docker_agent::events_of(&event),
            _ => vec![event],
        };
        let mut arguments = None;
        for event in events {
            let (goes_on, changed) = self.fire_event(&event).await;
            if !goes_on {
                return (false, None);
            }
            arguments = changed.or(arguments);
        }
        (true, arguments)
    }

    async fn fire_event(&self, event: &Event) -> (bool, Option<Json>) {
        let outcome = self.hooks.fire(&self.session, event).await;
        for record in outcome.records.iter().filter(|record| record.run.is_some()) {
            println!("  {} ran for {}: {}", record.hook, record.event, record.effect);
            self.seen.borrow_mut().insert(record.event);
        }
        if let Some(block) = outcome.decision.blocked {
            println!("  blocked by {}: {}", block.hook, block.reason);
            return (false, None);
        }
        (true, outcome.decision.arguments)
    }

    /// The events that the loop did not come to, by their own names.
    async fn fire_others(&self) -> Result<(), Box<dyn std::error::Error>> {
        let dialect = self.hooks.dialect();
        for name in events(dialect) {
            if !self.seen.borrow().contains(name) {
                self.fire_event(&self.hooks.read_event(&payload(dialect, name))?).await;
            }
        }
        Ok(())
    }

    async fn call(&self, number: u32, command: &str) -> Result<(), Box<dyn std::error::Error>> {
        println!("tool call: {command}");
        let arguments = Json::from(json!({"command": command}));
        let call = ToolCall::new("bash", format!("call_{number}"), arguments);
        self.fire(Moment::ToolBatchStarting { calls: vec![call.clone()] }).await;
        let (goes_on, changed) = self.fire(Moment::ToolCallStarting(call.clone())).await;
        // A platform that asks a person first lets hooks answer before.
        let goes_on = goes_on && self.fire(Moment::PermissionRequested(call.clone())).await.0;
        let decision = if goes_on { "allow" } else { "deny" }.to_owned();
        let source = "user_approved".to_owned();
        self.fire(Moment::PermissionDecided { call: call.clone(), decision, source }).await;
        if !goes_on {
            return Ok(());
        }
        let call = ToolCall::new(call.name, call.id, changed.unwrap_or(call.arguments));
        let arguments = call.arguments.clone().into_value();
        let output = self.session.run(arguments["command"].as_str().unwrap_or_default()).await;
        let text = String::from_utf8_lossy(&output.stdout);
        println!("  status {}: {}", output.status, text.trim_end());
        let result = Some(Json::from(json!({"stdout": text})));
        let error = (output.status != 0).then(|| format!("status {}", output.status));
        let (tool_name, tool_call_id) = (call.name.to_string(), call.id.to_string());
        self.fire(Moment::ToolCallEnded { call, result, error }).await;
        let call = ToolCallSummary::new(tool_name, tool_call_id, output.status == 0);
        self.fire(Moment::ToolBatchEnded { calls: vec![call] }).await;
        Ok(())
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let named = std::env::args().nth(1);
    let dialects = match &named {
        Some(name) => vec![name.parse()?],
        None => Dialect::ALL.to_vec(),
    };
    for dialect in dialects {
        live(dialect).await?;
    }
    Ok(())
}

/// The agent's life under one dialect.
async fn live(dialect: Dialect) -> Result<(), Box<dyn std::error::Error>> {
    let hooks = HookSet::load(dialect, config(dialect).to_string().as_bytes(), &options(dialect))?;
    for notice in hooks.notices() {
        println!("note: {notice}");
    }
    let session = Sandbox::builder().file("/workspace/src/main.rs", "fn main() {}\n").build()?;
    let context = EventContext::session("ses_01");
    let agent = Agent { hooks, session, context: Arc::new(context), seen: RefCell::default() };

    println!("session, prompt, turn, model");
    agent.fire(Moment::SessionStarted { source: Some("startup".to_owned()) }).await;
    let prompt = "tidy up".into();
    let (attachments, channel) = (Json::default(), hookbox::hook::Channel::Prompt);
    agent.fire(Moment::PromptSubmitted { message: prompt, attachments, channel }).await;
    agent.fire(Moment::TurnStarted).await;
    agent.fire(Moment::ModelCallStarting { model: None, iteration: Some(1) }).await;
    agent.fire(Moment::ModelCallEnded { model: None, response: None }).await;
    for (number, command) in
        (1..).zip(["ls src", "rm -rf /workspace/src", "cat src/main.rs", "cat src/none.rs"])
    {
        agent.call(number, command).await?;
    }
    println!("queue, sub-agent, compaction, notice");
    agent.fire(Moment::QueueDrainStarting).await;
    agent.fire(Moment::QueueDrainEnded).await;
    agent.fire(Moment::SubagentStarted).await;
    agent.fire(Moment::SubagentEnded { last_message: None }).await;
    agent.fire(Moment::CompactionStarting { trigger: "auto".to_owned() }).await;
    agent.fire(Moment::CompactionEnded { trigger: "auto".to_owned(), summary: String::new() }).await;
    let (level, message) = ("warning".to_owned(), "nearly done".to_owned());
    agent.fire(Moment::Notified { level, message }).await;
    println!("end of the turn and of the session");
    let (tool_calls, reason, last_message) = (Vec::new(), None, Some("done".to_owned()));
    agent.fire(Moment::TurnEnded { success: true, tool_calls, reason, last_message }).await;
    agent.fire(Moment::SessionEnded { reason: "exit".to_owned() }).await;
    println!("what only this platform has");
    agent.fire_others().await?;
    HookSet::settle(&agent.session).await;

    let (seen, all) = (agent.seen.borrow().len(), events(dialect).len());
    println!("{seen} of {all} events of {dialect} had a hook that ran");
    if seen < all || all == 0 {
        return Err("an event was not fired, or the dialect has no events here".into());
    }
    let log = agent.session.fs().read(b"/workspace/events.log")?;
    print!("events.log:\n{}", String::from_utf8_lossy(log.as_bytes()));
    Ok(())
}
