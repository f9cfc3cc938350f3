//! A server with thousands of agent sessions in one process: one hook set for all, one sandbox for each session, firings on
//! all threads of the runtime. Prints what sessions cost and how long a firing takes.
//!
//! `cargo run --release --example server [SESSIONS] [CALLS]`

use hookbox::hook::{Dialect, Event, EventContext, HookSet, Json, LoadOptions, Moment, ToolCall};
use hookbox::limit::Limits;
use hookbox::sandbox::Sandbox;
use serde_json::json;
use std::sync::Arc;
use std::time::{Duration, Instant};

const HOOKS: &[u8] = br#"{"hooks": [
  {"id": "guard", "event": "pre_tool_use", "matcher": {"tool_name": "bash"}, "on_error": "block",
   "executor": {"type": "bash", "command":
     "cmd=$(jq -r .data.arguments.command)\nif [[ $cmd =~ rm[[:space:]]+-rf ]]; then echo 'rm -rf is not allowed' >&2; exit 2; fi"}},
  {"id": "count", "event": "pre_tool_use",
   "executor": {"type": "bash", "command": "echo x >> /workspace/calls"}}
]}"#;

/// One session: every third call is blocked. How long each firing took, and how many calls went through.
async fn session(hooks: Arc<HookSet>, number: usize, calls: usize) -> Result<(Vec<Duration>, usize), String> {
    let sandbox = Sandbox::builder().limits(Limits::hook()).build().map_err(|error| error.to_string())?;
    let context = Arc::new(EventContext::session(format!("ses_{number}")));
    let (mut times, mut passed) = (Vec::with_capacity(calls), 0);
    for call in 0..calls {
        let command = if call % 3 == 2 { "rm -rf /" } else { "ls" };
        let arguments = Json::from(json!({"command": command}));
        let call = ToolCall::new("bash", format!("call_{call}"), arguments);
        let moment = Moment::ToolCallStarting(call);
        let event = Event::new(Arc::clone(&context), moment);
        let started = Instant::now();
        let outcome = hooks.fire(&sandbox, &event).await;
        times.push(started.elapsed());
        passed += usize::from(outcome.decision.proceeds());
        tokio::task::yield_now().await;
    }
    let counted = sandbox.fs().read(b"/workspace/calls").map_or(0, |calls| calls.as_bytes().len() / 2);
    if counted != passed {
        return Err(format!("session {number}: {counted} calls counted, {passed} passed"));
    }
    Ok((times, passed))
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1).map(|argument| argument.parse::<usize>());
    let sessions = arguments.next().transpose()?.unwrap_or(5_000);
    let calls = arguments.next().transpose()?.unwrap_or(9);
    let hooks = Arc::new(HookSet::load(Dialect::Everruns, HOOKS, &LoadOptions::default())?);

    let started = Instant::now();
    let running: Vec<_> =
        (0..sessions).map(|number| tokio::spawn(session(Arc::clone(&hooks), number, calls))).collect();
    let (mut times, mut passed) = (Vec::new(), 0);
    for session in running {
        let (of_session, through) = session.await??;
        times.extend(of_session);
        passed += through;
    }
    let elapsed = started.elapsed();

    times.sort_unstable();
    let at = |share: f64| {
        let place = (times.len() as f64 * share) as usize;
        times.get(place.min(times.len().saturating_sub(1))).copied().unwrap_or_default()
    };
    println!("{sessions} sessions, {} firings in {elapsed:.2?}, {passed} calls passed", times.len());
    println!("{:.0} firings a second", times.len() as f64 / elapsed.as_secs_f64());
    println!(
        "latency: median {:.1?}, 99% {:.1?}, 99.9% {:.1?}, most {:.1?}",
        at(0.5),
        at(0.99),
        at(0.999),
        at(1.0)
    );
    Ok(())
}
