//! The interface of Anthropic's messages. A schema of the reply is put as a tool that must be called.

use super::agent::TOOLS;
use super::reply::{Call, Reply, Tool, Turn, forced_tool};
use crate::hook::request::ModelRequest;
use serde_json::{Value, json};

/// The tool by which a reply of a schema is given.
const REPLY: &str = "reply";

fn tool(tool: &Tool) -> Value {
    json!({"name": tool.name, "description": tool.description, "input_schema": tool.parameters})
}

/// The tool that must be called.
fn forced(request: &ModelRequest) -> Option<Tool> {
    if let Some(tool) = forced_tool(request.schema.as_ref()) {
        return Some(tool);
    }
    let parameters = request.schema.clone().filter(|_| !request.agent)?;
    Some(Tool { name: REPLY.to_owned(), description: "Gives the reply.".to_owned(), parameters })
}

/// The body of a request.
pub(super) fn message(request: &ModelRequest, turns: &[Turn], model: &str, most: u64) -> Value {
    let mut messages = vec![json!({"role": "user", "content": request.prompt})];
    for turn in turns {
        let mut said = Vec::new();
        if !turn.reply.text.is_empty() {
            said.push(json!({"type": "text", "text": turn.reply.text}));
        }
        for call in &turn.reply.calls {
            said.push(json!({"type": "tool_use", "id": call.id, "name": call.name, "input": call.arguments}));
        }
        messages.push(json!({"role": "assistant", "content": said}));
        let results = turn.reply.calls.iter().zip(&turn.results);
        let results: Vec<Value> = results
            .map(|(call, result)| json!({"type": "tool_result", "tool_use_id": call.id, "content": result}))
            .collect();
        messages.push(json!({"role": "user", "content": results}));
    }
    let mut message = json!({
        "model": model, "max_tokens": most, "temperature": 0, "system": request.system, "messages": messages,
    });
    if let Some(forced) = forced(request) {
        message["tools"] = json!([tool(&forced)]);
        message["tool_choice"] = json!({"type": "tool", "name": forced.name});
    } else if request.agent {
        message["tools"] = TOOLS.iter().map(|own| tool(&own.tool())).collect();
    }
    message
}

/// Reads an answer.
pub(super) fn reply(body: &Value, request: &ModelRequest) -> Option<Reply> {
    let used =
        |name: &str| body.get("usage").and_then(|usage| usage.get(name)).and_then(Value::as_u64).unwrap_or(0);
    let mut reply = Reply {
        input_tokens: used("input_tokens"),
        output_tokens: used("output_tokens"),
        ..Reply::default()
    };
    for block in body.get("content")?.as_array()? {
        let text = |name: &str| block.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        match block.get("type").and_then(Value::as_str) {
            Some("text") => reply.text.push_str(&text("text")),
            Some("tool_use") => reply.calls.push(Call {
                id: text("id"),
                name: text("name"),
                arguments: block.get("input").cloned().unwrap_or_default(),
            }),
            _ => {}
        }
    }
    let is_schema = forced_tool(request.schema.as_ref()).is_none() && !request.agent;
    if is_schema && let Some(at) = reply.calls.iter().position(|call| call.name == REPLY) {
        reply.text = reply.calls.swap_remove(at).arguments.to_string();
        reply.calls.clear();
    }
    Some(reply)
}
