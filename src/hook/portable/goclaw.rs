//! GoClaw: facts, reader, writer, translations.

use super::tools::Tools;
use super::{Draft, ExitRule, Facts, Matching, PortableHandler, PortableHook, place, text};
use crate::document::Node;
use crate::hook::dialect::goclaw::config::records;
use crate::hook::dialect::goclaw::event::EVENTS;
use serde_json::{Map, Value, json};
use std::sync::OnceLock;
use std::time::Duration;

pub(crate) static FACTS: Facts = Facts {
    events: EVENTS,
    more_output: &[],
    decisions: &["block", "allow"],
    payload: &[
        "eventId",
        "sessionId",
        "tenantId",
        "agentId",
        "toolName",
        "toolInput",
        "rawInput",
        "depth",
        "hookEvent",
        "toolOutput",
        "toolError",
        "EventID",
        "SessionID",
        "TenantID",
        "AgentID",
        "ToolName",
        "ToolInput",
        "RawInput",
        "Depth",
        "HookEvent",
    ],
    is_flat: true,
    names: OnceLock::new(),
    variables: &[],
    variable_prefixes: &[],
    shell_tool: "exec",
    shell_argument: &["cmd", "command"],
    shell_in_payload: "exec",
    stops_early: true,
    merges_arguments: false,
    exit: ExitRule::TwoBlocks,
    default_timeout: Duration::from_secs(5),
    longest_timeout: Some(Duration::from_secs(10)),
    timeout_unit: "milliseconds",
    read,
    write,
    payload_in: r#"
        . as $p
        | {moment: $moment, session_id: .sessionId, agent_id: .agentId, depth}
        | if $moment == "tool_call_starting" or $moment == "tool_call_ended" then
            . + {tool_name: $p.toolName, tool_call_id: $p.eventId, arguments: $p.toolInput} else . end
        | if $moment == "tool_call_ended" then . + {result: $p.toolOutput, error: $p.toolError} else . end
        | if $moment == "prompt_submitted" then . + {message: $p.rawInput, attachments: []} else . end
        | if $moment == "session_ended" then . + {reason: "stop"} else . end"#,
    payload_out: r#"
        {eventId: (.tool_call_id // .turn_id // .session_id // ""), sessionId: (.session_id // ""), tenantId: "",
         agentId: (.agent_id // ""), toolName: (.tool_name // ""), toolInput: .arguments, rawInput: (.message // ""),
         depth: (.depth // 0), hookEvent: $event}
        | . + {EventID: .eventId, SessionID: .sessionId, TenantID: .tenantId, AgentID: .agentId, ToolName: .toolName,
               ToolInput: .toolInput, RawInput: .rawInput, Depth: .depth, HookEvent: .hookEvent}
        | if $event == "post_tool_use" then . + {toolOutput: $payload.result, toolError: $payload.error} else . end"#,
    answer_in: r#"
        (try ($stdout | fromjson) catch null) as $answer
        | ($stderr | gsub("^\\s+|\\s+$"; "")) as $err
        | def first_of: map(select(. != null and . != "")) | first // "hook blocked";
          if $status == 2 then {verdict: "deny", reason: ([$err, ($answer | objects | .reason)] | first_of)}
          elif $status != 0 then {failure: "hook: command exited \($status): \($err)"}
          elif ($answer | type) == "object" then
            (if $answer.continue == false or $answer.decision == "block" then {verdict: "deny", reason: ([$answer.reason, $err] | first_of)}
             else {verdict: "none"} end)
            + (if $answer.additionalContext then {contexts: [$answer.additionalContext]} else {} end)
          else {verdict: "none"} end"#,
    answer_out: r#"
        if .verdict == "deny" or .verdict == "ask" then
          {stdout: "", stderr: (((.reason // "") | if . == "" then "blocked by a hook" else . end) + "\n"), status: 2}
        elif (.contexts // []) != [] then
          {stdout: ({additionalContext: (.contexts | join("\n"))} | tojson + "\n"), stderr: "", status: 0}
        else {stdout: "", stderr: "", status: 0} end"#,
    matching: Matching::Regex,
};

/// One record, a list of records, or `{"hooks": [...]}`.
fn read(node: &Node) -> Vec<PortableHook> {
    records(node).iter().map(read_record).collect()
}

fn read_record(node: &Node) -> PortableHook {
    let mut hook = PortableHook::new(&FACTS, &text(node, "event").unwrap_or_default(), node.at);
    hook.name = text(node, "name").filter(|name| !name.is_empty());
    hook.timeout = super::number(node, "timeout_ms").and_then(|ms| super::seconds(ms / 1000.0));
    hook.policy = text(node, "on_timeout");
    hook.enabled = super::flag(node, "enabled").unwrap_or(true);
    hook.priority = super::number(node, "priority").map_or(0, |priority| priority as i64);
    hook.places.timeout = place(node, "timeout_ms");
    hook.places.matcher = place(node, "matcher");
    if let Some(matcher) = text(node, "matcher").filter(|matcher| !matcher.is_empty()) {
        hook.tools = Tools::regex(&matcher);
        hook.matcher = Some(matcher);
    }
    if let Some(expression) = text(node, "if_expr").filter(|expression| !expression.is_empty()) {
        hook.conditions.push(("if_expr", expression));
    }
    if text(node, "scope").is_some_and(|scope| scope != "global") {
        hook.own_fields.push("scope".to_owned());
    }
    let kind = text(node, "handler_type").unwrap_or_default();
    hook.handler = PortableHandler::Other(kind.clone());
    if let Some(config) = node.get("config") {
        hook.places.script = place(config, "command");
        hook.cwd = text(config, "cwd");
        hook.own_fields.extend(super::set_fields(config, &["allowed_env_vars"]));
        if let ("command", Some(command)) = (kind.as_str(), text(config, "command")) {
            hook.handler = PortableHandler::Script(command);
        }
    }
    hook
}

fn write(hooks: &[Draft]) -> Value {
    let records: Vec<Value> = hooks
        .iter()
        .map(|hook| {
            let mut record = Map::new();
            record.insert("event".into(), hook.event.name.into());
            record.insert("handler_type".into(), "command".into());
            record.insert("scope".into(), "global".into());
            if let Some(name) = &hook.name {
                record.insert("name".into(), name.as_str().into());
            }
            if hook.tools != Tools::Any {
                record.insert("matcher".into(), hook.tools.to_regex().into());
            }
            let mut config = Map::new();
            config.insert("command".into(), super::with_environment(hook).into());
            if let Some(cwd) = &hook.cwd {
                config.insert("cwd".into(), cwd.as_str().into());
            }
            record.insert("config".into(), Value::Object(config));
            if let Some(timeout) = hook.timeout {
                let milliseconds = u64::try_from(timeout.as_millis()).unwrap_or(10_000);
                record.insert("timeout_ms".into(), milliseconds.clamp(1, 10_000).into());
            }
            let open = hook.event.blocks && !hook.closed;
            if let Some(policy) = hook.policy.as_deref().or_else(|| open.then_some("allow")) {
                record.insert("on_timeout".into(), policy.into());
            }
            if let Some(expression) = hook.condition("if_expr") {
                record.insert("if_expr".into(), expression.into());
            }
            record.insert("priority".into(), hook.priority.into());
            record.insert("enabled".into(), hook.enabled.into());
            Value::Object(record)
        })
        .collect();
    json!({"hooks": records})
}
