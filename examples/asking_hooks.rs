//! An agent whose hooks ask others before each call of a tool: a collector over HTTP, a model, and a tool of a server of the
//! Model Context Protocol. The three servers are started here, on loopback; a platform names its own.
//!
//! `cargo run --example asking_hooks`

use hookbox::hook::ask::{LiveHost, ModelEndpoint, ToolServer};
use hookbox::hook::{Dialect, HookSet, LoadOptions, Verdict};
use hookbox::network::{AllowedHost, EgressPolicy, HttpClient, HttpPolicy, Network, Secret};
use hookbox::sandbox::Sandbox;
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::Arc;

type Failure = Box<dyn std::error::Error>;

/// Starts a server that answers each message with what `answer` makes of it; its URL.
fn serve(answer: fn(&Value) -> Value) -> Result<String, Failure> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    let url = format!("http://{}", listener.local_addr()?);
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            if let Err(error) = exchange(stream, answer) {
                eprintln!("server: {error}");
            }
        }
    });
    Ok(url)
}

fn exchange(mut stream: TcpStream, answer: fn(&Value) -> Value) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap_or(0);
        }
        if line.trim().is_empty() {
            break;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    let reply = answer(&serde_json::from_slice(&body).unwrap_or_default()).to_string();
    let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n";
    write!(stream, "{head}Content-Length: {}\r\n\r\n{reply}", reply.len())
}

/// Takes every tool call; what is pushed stays here, and what is deployed a person has to allow.
fn collect(payload: &Value) -> Value {
    println!("  collector: {} {}", payload["tool_name"], payload["tool_input"]);
    let command = payload["tool_input"]["command"].as_str().unwrap_or_default();
    let verdict = |decision: &str, reason: &str| {
        json!({"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": decision,
               "permissionDecisionReason": reason}})
    };
    if command.starts_with("git push") {
        verdict("deny", "nothing is pushed from here")
    } else if command.starts_with("deploy") {
        verdict("ask", "a person allows deployments")
    } else {
        json!({})
    }
}

/// A model that finds deletions dangerous.
fn judge(question: &Value) -> Value {
    let is_dangerous =
        question["messages"][1]["content"].as_str().is_some_and(|text| text.contains("rm -rf"));
    let reply = if is_dangerous {
        json!({"ok": false, "reason": "the model finds it dangerous"})
    } else {
        json!({"ok": true})
    };
    json!({"choices": [{"message": {"role": "assistant", "content": reply.to_string()}}],
           "usage": {"prompt_tokens": 120, "completion_tokens": 9}})
}

/// A server with one tool, which knows which folders are frozen.
fn freezer(message: &Value) -> Value {
    let result = match message["method"].as_str() {
        Some("initialize") => json!({"protocolVersion": "2025-06-18", "capabilities": {"tools": {}},
                                     "serverInfo": {"name": "freezer", "version": "1"}}),
        Some("tools/call") => {
            let is_frozen = message["params"]["arguments"]["command"]
                .as_str()
                .is_some_and(|text| text.contains("release/"));
            let verdict = if is_frozen {
                json!({"decision": "block", "reason": "release/ is frozen until Monday"}).to_string()
            } else {
                String::new()
            };
            json!({"content": [{"type": "text", "text": verdict}]})
        }
        _ => Value::Null,
    };
    json!({"jsonrpc": "2.0", "id": message["id"], "result": result})
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Failure> {
    let (collector, model, tools) = (serve(collect)?, serve(judge)?, serve(freezer)?);
    let config = json!({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [
        {"type": "http", "url": format!("{collector}/calls")},
        {"type": "prompt", "model": "small", "prompt": "May the agent do this? $ARGUMENTS"},
        {"type": "mcp_tool", "server": "freezer", "tool": "check", "input": {"command": "${tool_input.command}"}},
    ]}]}});
    let hooks = HookSet::load(Dialect::ClaudeCode, config.to_string().as_bytes(), &LoadOptions::default())?;

    let client = Arc::new(HttpClient::new(HttpPolicy::default())?);
    // Hooks reach the collector and nothing else; model and tools are asked by the host, each with its own key.
    let rule = format!("POST {}/calls", collector.trim_start_matches("http://"));
    let policy = EgressPolicy::none().allow(AllowedHost::parse(&rule)?);
    let mut endpoint = ModelEndpoint::open_ai(&format!("{model}/v1"))?.key(Secret::new("sk-of-the-host"));
    endpoint.token_budget = Some(10_000);
    let host = LiveHost::default()
        .network(Network::new(policy, Arc::clone(&client)))
        .model(endpoint, Arc::clone(&client))
        .tools("freezer", ToolServer::http(&format!("{tools}/mcp"), None, client)?);
    let host = Arc::new(host);
    let sandbox = Sandbox::builder().hook_host(Arc::clone(&host) as _).build()?;

    // What each call comes to, and who says so: nobody, the collector twice, the model, the tool.
    let expected = [
        ("ls src", "goes on"),
        ("git push", "blocked: nothing is pushed from here"),
        ("deploy staging", "a person is asked"),
        ("rm -rf /workspace", "blocked: the model finds it dangerous"),
        ("touch release/notes.txt", "blocked: release/ is frozen until Monday"),
    ];
    for (command, expected) in expected {
        println!("tool call: {command}");
        let event = hooks.read_event(&json!({
            "hook_event_name": "PreToolUse", "session_id": "ses_01", "tool_name": "Bash",
            "tool_input": {"command": command}, "tool_use_id": "call_01",
        }))?;
        let outcome = hooks.fire(&sandbox, &event).await;
        let decision = &outcome.decision;
        let came_to = match (&decision.blocked, decision.permission) {
            (Some(block), _) => format!("blocked: {}", block.reason),
            (None, Some(Verdict::Ask)) => "a person is asked".to_owned(),
            (None, _) => "goes on".to_owned(),
        };
        println!("  {came_to}");
        if came_to != expected {
            return Err(format!("{command}: {expected} was expected").into());
        }
    }
    println!("{} tokens were used", host.tokens());
    if host.tokens() == 5 * 129 { Ok(()) } else { Err("every call is put to the model".into()) }
}
