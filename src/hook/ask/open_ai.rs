//! The interface of `OpenAI`'s chat completions.

use super::agent::TOOLS;
use super::reply::{Call, Reply, Tool, Turn, forced_tool};
use crate::hook::request::ModelRequest;
use serde_json::{Value, json};

fn tool(tool: &Tool) -> Value {
    json!({"type": "function", "function": {
        "name": tool.name, "description": tool.description, "parameters": tool.parameters,
    }})
}

/// The body of a request.
pub(super) fn message(
    request: &ModelRequest,
    turns: &[Turn],
    model: &str,
    most: u64,
    with_schema: bool,
) -> Value {
    let mut messages = vec![
        json!({"role": "system", "content": request.system}),
        json!({"role": "user", "content": request.prompt}),
    ];
    for turn in turns {
        let calls = turn.reply.calls.iter().map(|call| {
            json!({"id": call.id, "type": "function", "function": {
                "name": call.name, "arguments": call.arguments.to_string(),
            }})
        });
        let calls: Vec<Value> = calls.collect();
        messages.push(json!({"role": "assistant", "content": turn.reply.text, "tool_calls": calls}));
        for (call, result) in turn.reply.calls.iter().zip(&turn.results) {
            messages.push(json!({"role": "tool", "tool_call_id": call.id, "content": result}));
        }
    }
    let mut message = json!({"model": model, "messages": messages, "temperature": 0, "max_tokens": most});
    if let Some(forced) = forced_tool(request.schema.as_ref()) {
        message["tools"] = json!([tool(&forced)]);
        message["tool_choice"] = json!({"type": "function", "function": {"name": forced.name}});
    } else if request.agent {
        message["tools"] = TOOLS.iter().map(|own| tool(&own.tool())).collect();
    } else if let Some(schema) = request.schema.as_ref().filter(|_| with_schema) {
        message["response_format"] =
            json!({"type": "json_schema", "json_schema": {"name": "reply", "schema": schema}});
    }
    message
}

/// Whether the request asked for a schema.
pub(super) fn has_format(message: &Value) -> bool {
    message.get("response_format").is_some()
}

/// Reads an answer.
pub(super) fn reply(body: &Value) -> Option<Reply> {
    let message = body.get("choices")?.as_array()?.first()?.get("message")?;
    let text = message.get("content").and_then(Value::as_str).unwrap_or_default().to_owned();
    let calls = message.get("tool_calls").and_then(Value::as_array);
    let calls = calls.into_iter().flatten().filter_map(|call| {
        let function = call.get("function")?;
        let arguments = match function.get("arguments")? {
            Value::String(text) => serde_json::from_str(text).unwrap_or(Value::Null),
            other => other.clone(),
        };
        let id = call.get("id").and_then(Value::as_str).unwrap_or_default().to_owned();
        Some(Call { id, name: function.get("name")?.as_str()?.to_owned(), arguments })
    });
    let used =
        |name: &str| body.get("usage").and_then(|usage| usage.get(name)).and_then(Value::as_u64).unwrap_or(0);
    Some(Reply {
        text,
        calls: calls.collect(),
        input_tokens: used("prompt_tokens"),
        output_tokens: used("completion_tokens"),
    })
}
