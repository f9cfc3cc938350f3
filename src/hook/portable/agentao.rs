//! Agentao: facts, reader, writer, translations.

use super::tools::Tools;
use super::{Draft, ExitRule, Facts, Matching, PortableHandler, PortableHook, place, text, whole_seconds};
use crate::document::Node;
use crate::hook::dialect::agentao::event::EVENTS;
use serde_json::{Map, Value, json};
use std::sync::OnceLock;
use std::time::Duration;

pub(crate) static FACTS: Facts = Facts {
    events: EVENTS,
    more_output: &[],
    decisions: &["block"],
    payload: &[
        "event",
        "data",
        "hook_event_name",
        "session_id",
        "transcript_path",
        "cwd",
        "permission_mode",
        "stop_hook_active",
        "last_assistant_message",
        "turn_end_reason",
        "trigger",
        "custom_instructions",
        "compaction_type",
        "reason",
        "tool_name",
        "tool_input",
        "tool_response",
        "prompt",
        "error",
    ],
    is_flat: false,
    names: OnceLock::new(),
    variables: &[],
    variable_prefixes: &[],
    shell_tool: "run_shell_command",
    shell_argument: &["command"],
    shell_in_payload: "Bash",
    stops_early: true,
    merges_arguments: false,
    exit: ExitRule::TwoBlocks,
    default_timeout: Duration::from_mins(1),
    longest_timeout: None,
    timeout_unit: "seconds",
    read,
    write,
    payload_in: r#"
        . as $p | (.event // .hook_event_name) as $name | (.data // {}) as $d
        | {moment: $moment, session_id: ($d.sessionId // .session_id), cwd: ($d.cwd // .cwd), permission_mode, trigger,
           stop_hook_active, transcript_path, custom_instructions, last_message: .last_assistant_message,
           reason: (.turn_end_reason // .reason)}
        | with_entries(select(.value != null))
        | if $d | has("toolName") then
            . + {tool_name: $d.toolName, tool_call_id: "", arguments: $d.toolInput} else . end
        | if $name == "PostToolUse" then . + {result: $d.toolOutput, error: null} else . end
        | if $name == "PostToolUseFailure" then . + {result: null, error: ($d.error // "failed")} else . end
        | if $moment == "prompt_submitted" then . + {message: $d.userMessage, attachments: []} else . end
        | if $moment == "turn_ended" then . + {success: ($p.turn_end_reason == "final_response")} else . end"#,
    payload_out: r#"
        (.session_id // "") as $session | (.cwd // env.PWD) as $cwd
        | if $event == "Stop" or $event == "PreCompact" then
            {hook_event_name: $event, session_id: $session, transcript_path, cwd: $cwd,
             permission_mode: (.permission_mode // "workspace-write")}
            + (if $event == "Stop" then
                {stop_hook_active: (.stop_hook_active // false), last_assistant_message: (.last_message // ""),
                 turn_end_reason: (.reason // "final_response")}
               else {trigger: (.trigger // "auto"), custom_instructions: (.custom_instructions // ""),
                     compaction_type: "full", reason: "token_threshold"} end)
          else
            {event: $event,
             data: ((if .tool_name then {toolName: .tool_name, toolInput: .arguments} else {} end)
                    + (if $event == "PostToolUse" then {toolOutput: .result} else {} end)
                    + (if $event == "PostToolUseFailure" then {error} else {} end)
                    + (if $event == "UserPromptSubmit" then {userMessage: .message} else {} end)
                    + {sessionId: $session} + (if .tool_name then {} else {cwd: $cwd} end))}
          end"#,
    answer_in: r#"
        ($stdout | gsub("^\\s+|\\s+$"; "")) as $text
        | ($stderr | gsub("^\\s+|\\s+$"; "")) as $err
        | (try ($text | fromjson) catch null) as $answer
        | ($answer | type == "object") as $object
        | (if $object then $answer.hookSpecificOutput // {} else {} end) as $more
        | def contexts: if type == "array" then map(tostring) elif . == null then [] else [tostring] end;
          if $status == 2 and $payload.moment != "session_started" then
            {verdict: "deny", reason: (if $err == "" then "blocked by a hook" else $err end)}
          elif $status != 0 and $text == "" then {failure: "Hook exited with code \($status)"}
          elif $object then
            (if $answer.blockingError then {verdict: "deny", reason: ($answer.blockingError | tostring)}
             elif $answer.preventContinuation == true or $answer.continue == false then
               {verdict: "deny", reason: ($answer.stopReason // "Hook prevented continuation")}
             elif $answer.decision == "block" then {verdict: "deny", reason: $answer.reason}
             elif $answer.force_continue == true then {verdict: "deny", reason: $answer.follow_up_message}
             elif $more.permissionDecision == "deny" or $more.permissionDecision == "ask" then
               {verdict: $more.permissionDecision,
                reason: ($more.permissionDecisionReason // $more.reason // $answer.reason)}
             else {verdict: "none"} end)
            + (if $answer.systemMessage then {user_message: $answer.systemMessage} else {} end)
            + {contexts: (($answer.additionalContext | contexts) + ($more.additionalContext | contexts))}
          elif $text != "" and ($payload.moment == "prompt_submitted" or $payload.moment == "turn_ended") then
            {verdict: "none", contexts: [if ($answer | type) == "string" then $answer else $text end]}
          else {verdict: "none"} end"#,
    answer_out: r#"
        ((.reason // "") | if . == "" then "blocked by a hook" else . end) as $reason
        | (if $event == "PreToolUse" then
             (if .verdict == "deny" or .verdict == "ask" then
                {hookSpecificOutput: {hookEventName: $event, permissionDecision: .verdict, permissionDecisionReason: $reason}}
              else {} end)
           elif $event == "UserPromptSubmit" then
             (if .verdict == "deny" or .verdict == "ask" then {blockingError: $reason} else {} end)
           elif $event == "Stop" then
             (if .verdict == "deny" or .verdict == "ask" then {decision: "block", reason: $reason} else {} end)
             + (if .user_message then {systemMessage: .user_message} else {} end)
           else {} end)
          + (if (.contexts // []) != [] and ($event == "UserPromptSubmit" or $event == "Stop")
             then {additionalContext: .contexts} else {} end)
        | if . == {} then {stdout: "", stderr: "", status: 0} else {stdout: (tojson + "\n"), stderr: "", status: 0} end"#,
    matching: Matching::Regex,
};

fn read(node: &Node) -> Vec<PortableHook> {
    let mut hooks = Vec::new();
    let map = node.get("hooks").unwrap_or(node);
    for event in map.members() {
        for rule in super::one_or_more(&event.value) {
            match rule.get("hooks").and_then(Node::as_array) {
                // Claude's groups are taken, too (G2).
                Some(handlers) => {
                    for handler in handlers {
                        let mut hook = read_rule(&event.name, handler);
                        if let Some(matcher) = text(rule, "matcher") {
                            hook.tools = super::claude_code::matcher(&matcher);
                            hook.matcher = Some(matcher);
                        }
                        hooks.push(hook);
                    }
                }
                None => hooks.push(read_rule(&event.name, rule)),
            }
        }
    }
    hooks
}

fn read_rule(event: &str, node: &Node) -> PortableHook {
    let mut hook = PortableHook::new(&FACTS, event, node.at);
    hook.timeout = super::number(node, "timeout").and_then(super::seconds);
    hook.places.timeout = place(node, "timeout");
    hook.places.script = place(node, "command");
    if let Some(matcher) = node.get("matcher") {
        hook.places.matcher = matcher.at;
        if let Some(pattern) = text(matcher, "tool_name").or_else(|| text(matcher, "toolName")) {
            let expression = pattern.starts_with('^') && pattern.ends_with('$');
            hook.tools = if expression { Tools::regex(&pattern) } else { Tools::glob(&pattern) };
            hook.matcher = Some(pattern);
        }
        if let Some(trigger) = text(matcher, "trigger") {
            hook.conditions.push(("trigger", trigger));
        }
    }
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
        let mut rule = Map::new();
        rule.insert("type".into(), "command".into());
        rule.insert("command".into(), super::with_environment(hook).into());
        let pattern = match &hook.tools {
            Tools::Any => None,
            tools => match tools.names().as_deref() {
                Some([only]) => Some((*only).to_owned()),
                _ => Some(format!("^(?:{})$", tools.to_whole_regex())),
            },
        };
        if let Some(pattern) = pattern {
            rule.insert("matcher".into(), json!({"tool_name": pattern}));
        } else if let Some(trigger) = hook.condition("trigger") {
            rule.insert("matcher".into(), json!({"trigger": trigger}));
        }
        if let Some(timeout) = hook.timeout {
            rule.insert("timeout".into(), whole_seconds(timeout).into());
        }
        if let Some(list) = events.entry(hook.event.name).or_insert_with(|| json!([])).as_array_mut() {
            list.push(Value::Object(rule));
        }
    }
    json!({"hooks": events})
}
