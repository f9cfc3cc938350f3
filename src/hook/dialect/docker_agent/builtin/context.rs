//! `add_context TEMPLATE...`: templates over the payload, each a part of the context.

use super::BuiltinCall;
use crate::hook::dialect::docker_agent::input::INPUT;
use crate::hook::template::Template;
use serde_json::Value;

pub(super) fn run(call: &BuiltinCall<'_>) -> Result<Option<Value>, String> {
    let mut payload = call.payload.clone();
    if let Some(agent) = &call.fired.context.agent_name {
        payload.insert("agent_name".to_owned(), agent.as_str().into());
    }
    let mut parts = Vec::new();
    for (index, text) in call.args.iter().enumerate() {
        let rendered = Template::parse(text).and_then(|template| template.render_known(&INPUT, &payload));
        let part = rendered.map_err(|why| format!("add_context: argument {}: {why}", index + 1))?;
        if !part.trim().is_empty() {
            parts.push(part);
        }
    }
    Ok((!parts.is_empty()).then(|| super::context(&parts.join("\n"))))
}
