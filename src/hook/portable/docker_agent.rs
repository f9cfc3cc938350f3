//! docker-agent: facts, reader, writer, translations.

use super::tools::Tools;
use super::{
    Draft, ExitRule, Facts, Matching, PortableHandler, PortableHook, object, pairs, place, text,
    whole_seconds,
};
use crate::document::Node;
use crate::hook::dialect::docker_agent::config;
use crate::hook::dialect::docker_agent::event::EVENTS;
use crate::hook::event_table::Failure;
use serde_json::{Map, Value, json};
use std::sync::OnceLock;
use std::time::Duration;

pub(crate) static FACTS: Facts = Facts {
    events: EVENTS,
    more_output: &[],
    decisions: &["block"],
    payload: &["session_id", "cwd", "hook_event_name"],
    is_flat: true,
    names: OnceLock::new(),
    variables: &[],
    variable_prefixes: &[],
    shell_tool: "shell",
    shell_argument: &["cmd"],
    shell_in_payload: "shell",
    stops_early: false,
    merges_arguments: false,
    exit: ExitRule::TwoBlocks,
    default_timeout: Duration::from_mins(1),
    longest_timeout: None,
    timeout_unit: "seconds",
    read,
    write,
    payload_in: r#"
        . as $p
        | {moment: $moment, session_id, cwd, agent_name, source, reason, last_message: .stop_response, trigger: .source}
        | with_entries(select(.value != null))
        | if $p | has("tool_name") then
            . + {tool_name: $p.tool_name, tool_call_id: ($p.tool_use_id // ""), arguments: ($p.tool_input // {})} else . end
        | if $moment == "tool_call_ended" then
            . + {result: $p.tool_response,
                 error: (if $p.tool_error then ($p.tool_response | if type == "string" then . else tojson end) else null end)}
          else . end
        | if $moment == "prompt_submitted" then . + {message: ($p.prompt // ""), attachments: []} else . end
        | if $moment == "turn_ended" then . + {success: ($p.reason != "error" and $p.reason != "canceled")} else . end
        | if $moment == "notified" then . + {message: $p.notification_message, level: $p.notification_level} else . end
        | if $moment == "compaction_ended" then . + {summary: $p.summary} else . end"#,
    payload_out: r#"
        ({session_id: (.session_id // ""), cwd: (.cwd // env.PWD), hook_event_name: $event, agent_name}
         + (if .tool_name then {tool_name, tool_use_id: (.tool_call_id // ""), tool_input: .arguments} else {} end)
         + (if .moment == "tool_call_ended" then {tool_response: (.error // .result), tool_error: (.error != null)} else {} end)
         + (if .moment == "prompt_submitted" then {prompt: .message} else {} end)
         + (if .moment == "session_started" then {source: (.source // "startup")} else {} end)
         + (if .moment == "session_ended" then {reason: (.reason // "other")} else {} end)
         + (if $event == "turn_end" then {reason: (if .success == false then "error" else "normal" end)} else {} end)
         + (if $event == "stop" or $event == "subagent_stop" then {stop_response: .last_message} else {} end)
         + (if .moment == "compaction_starting" then {source: (.trigger // "auto")} else {} end)
         + (if .moment == "compaction_ended" then {summary} else {} end)
         + (if .moment == "notified" then {notification_level: (.level // "warning"), notification_message: .message} else {} end))
        | with_entries(select(.value != null and .value != "" and .value != false and .value != []))"#,
    answer_in: r#"
        ($stdout | gsub("^\\s+|\\s+$"; "")) as $text
        | ($stderr | gsub("^\\s+|\\s+$"; "")) as $err
        | ($text | startswith("{")) as $object
        | (if $object then (try ($text | fromjson) catch null) else null end) as $answer
        | ($answer.hook_specific_output // {}) as $more
        | (["session_started", "prompt_submitted", "turn_started", "tool_call_ended", "turn_ended", "compaction_starting"]
           | index($payload.moment) != null) as $talks
        | if $status == 2 then
            {verdict: "deny", user_message: $answer.system_message,
             reason: ([$err, $answer.reason, $more.permission_decision_reason, $answer.stop_reason]
                      | map(select(. != null and . != "")) | first // "blocked by a hook")}
          elif $status != 0 then {failure: "exit status \($status)"}
          elif $answer != null then
            (if $answer.continue == false then {verdict: "deny", reason: ($answer.stop_reason // $answer.reason)}
             elif $answer.decision == "block" then {verdict: "deny", reason: $answer.reason}
             elif ($more.permission_decision // "none") as $said | ["allow", "ask", "deny"] | index($said) then
               {verdict: $more.permission_decision, reason: $more.permission_decision_reason}
             else {verdict: "none"} end)
            + (if $answer.system_message then {user_message: $answer.system_message} else {} end)
            + (if $more.updated_input then {arguments: $more.updated_input} else {} end)
            + (if $more.additional_context then {contexts: [$more.additional_context]} else {} end)
            + (if $more | has("updated_tool_response") then {result: {value: $more.updated_tool_response}} else {} end)
          elif $text != "" and $talks then {verdict: "none", contexts: [$text]}
          elif $object then {failure: "hook output is not JSON"}
          else {verdict: "none"} end"#,
    answer_out: r#"
        ((.reason // "") | if . == "" then "blocked by a hook" else . end) as $reason
        | ($event == "pre_tool_use" or $event == "permission_request" or $event == "tool_guard") as $gate
        | ((if $gate and .verdict != "none" and .verdict != null then
              {permission_decision: .verdict}
              + (if .verdict == "deny" or (.reason // "") != "" then {permission_decision_reason: $reason} else {} end)
            else {} end)
           + (if $gate and .arguments and .verdict != "deny" then {updated_input: .arguments} else {} end)
           + (if (.contexts // []) != [] then {additional_context: (.contexts | join("\n"))} else {} end)
           + (if $event == "tool_response_transform" and .result then
                {updated_tool_response: (.result.value | if type == "string" then . else tojson end)} else {} end)) as $more
        | (if ($gate | not) and (.verdict == "deny" or .verdict == "ask") then {decision: "block", reason: $reason} else {} end)
          + (if .user_message then {system_message: .user_message} else {} end)
          + (if $more != {} then {hook_specific_output: $more} else {} end)
        | {stdout: (tojson + "\n"), stderr: "", status: 0}"#,
    matching: Matching::Regex,
};

/// Whether an event's hooks stand in matcher entries.
fn is_matched(event: &str) -> bool {
    FACTS.event(event).is_some_and(|row| row.tool)
}

fn read(node: &Node) -> Vec<PortableHook> {
    let mut hooks = Vec::new();
    let agents = node.get("agents").map_or(&[][..], Node::members);
    let alone = Some(node).filter(|node| config::is_event_map(node));
    let of_agents = agents.iter().filter_map(|agent| agent.value.get("hooks"));
    let maps = of_agents.chain(node.get("hooks")).chain(config::user_hooks(node)).chain(alone);
    for map in maps {
        for event in map.members() {
            for entry in super::one_or_more(&event.value) {
                if !is_matched(&event.name) {
                    hooks.push(read_hook(&event.name, entry));
                    continue;
                }
                let matcher = text(entry, "matcher");
                for node in entry.get("hooks").and_then(Node::as_array).unwrap_or(&[]) {
                    let mut hook = read_hook(&event.name, node);
                    hook.places.matcher = place(entry, "matcher");
                    hook.own_fields.extend(super::set_fields(entry, &["preempt_yolo"]));
                    if let Some(text) = matcher.as_deref().filter(|text| !text.is_empty() && *text != "*") {
                        hook.tools = Tools::whole_regex(text);
                    }
                    hook.matcher.clone_from(&matcher);
                    hooks.push(hook);
                }
            }
        }
    }
    hooks
}

fn read_hook(event: &str, node: &Node) -> PortableHook {
    let mut hook = PortableHook::new(&FACTS, event, node.at);
    hook.name = text(node, "name");
    hook.timeout = super::number(node, "timeout").and_then(super::seconds);
    hook.policy = text(node, "on_error");
    hook.environment = pairs(node.get("env"));
    hook.cwd = text(node, "working_dir");
    hook.places.timeout = place(node, "timeout");
    hook.places.script = place(node, "command");
    hook.own_fields = super::set_fields(node, &["strict_output"]);
    let kind = text(node, "type").unwrap_or_default();
    hook.handler = match (kind.as_str(), text(node, "command")) {
        ("command", Some(command)) => PortableHandler::Script(command),
        _ => PortableHandler::Other(kind),
    };
    hook
}

fn write(hooks: &[Draft]) -> Value {
    let mut events: Map<String, Value> = Map::new();
    for hook in hooks.iter().filter(|hook| hook.enabled) {
        let mut spec = Map::new();
        if let Some(name) = &hook.name {
            spec.insert("name".into(), name.as_str().into());
        }
        spec.insert("type".into(), "command".into());
        spec.insert("command".into(), hook.script.as_str().into());
        if let Some(timeout) = hook.timeout {
            spec.insert("timeout".into(), whole_seconds(timeout).into());
        }
        if !hook.environment.is_empty() {
            spec.insert("env".into(), object(&hook.environment));
        }
        if let Some(cwd) = &hook.cwd {
            spec.insert("working_dir".into(), cwd.as_str().into());
        }
        let chosen = hook.closed && hook.event.failure == Failure::Choice;
        if let Some(policy) = hook.policy.as_deref().or_else(|| chosen.then_some("block")) {
            spec.insert("on_error".into(), policy.into());
        }
        let Some(list) = events.entry(hook.event.name).or_insert_with(|| json!([])).as_array_mut() else {
            continue;
        };
        if !hook.event.tool {
            list.push(Value::Object(spec));
            continue;
        }
        let matcher = match &hook.tools {
            Tools::Any => "*".to_owned(),
            tools => tools.to_whole_regex(),
        };
        let same =
            list.last_mut().filter(|entry| entry.get("matcher").and_then(Value::as_str) == Some(&matcher));
        match same.and_then(|entry| entry.get_mut("hooks")).and_then(Value::as_array_mut) {
            Some(hooks) => hooks.push(Value::Object(spec)),
            None => list.push(json!({"matcher": matcher, "hooks": [spec]})),
        }
    }
    json!({"hooks": events})
}
