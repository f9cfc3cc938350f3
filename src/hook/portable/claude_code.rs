//! Claude Code: facts, reader, writer, translations.

use super::tools::Tools;
use super::{Draft, ExitRule, Facts, Matching, PortableHandler, PortableHook, place, text, texts};
use crate::document::Node;
use crate::hook::dialect::claude_code::event::EVENTS;
use crate::hook::event_table::EventRow;
use serde_json::{Map, Value, json};
use std::sync::OnceLock;
use std::time::Duration;

pub(crate) static FACTS: Facts = Facts {
    events: EVENTS,
    more_output: &[],
    decisions: &["block", "approve"],
    payload: &[
        "session_id",
        "transcript_path",
        "cwd",
        "hook_event_name",
        "prompt_id",
        "scratchpad_dir",
        "permission_mode",
        "effort",
        "agent_id",
        "agent_type",
    ],
    is_flat: true,
    names: OnceLock::new(),
    variables: &[
        "CLAUDE_PROJECT_DIR",
        "CLAUDE_PLUGIN_ROOT",
        "CLAUDE_PLUGIN_DATA",
        "CLAUDE_EFFORT",
        "CLAUDE_CODE_REMOTE",
        "CLAUDE_CODE_BRIDGE_SESSION_ID",
        "CLAUDE_ENV_FILE",
        "CLAUDE_CODE_SESSIONEND_HOOKS_TIMEOUT_MS",
        "CLAUDE_CODE_STOP_HOOK_BLOCK_CAP",
    ],
    variable_prefixes: &["CLAUDE_"],
    shell_tool: "Bash",
    shell_argument: &["command"],
    shell_in_payload: "Bash",
    stops_early: false,
    merges_arguments: false,
    exit: ExitRule::TwoBlocks,
    default_timeout: Duration::from_mins(10),
    longest_timeout: None,
    timeout_unit: "seconds",
    read,
    write,
    payload_in: r#"
        . as $p
        | {moment: $moment, session_id, cwd, permission_mode, agent_id, source, reason, trigger,
           transcript_path, stop_hook_active, custom_instructions, last_message: .last_assistant_message}
        | with_entries(select(.value != null))
        | if $p | has("tool_name") then
            . + {tool_name: $p.tool_name, tool_call_id: ($p.tool_use_id // ""), arguments: $p.tool_input} else . end
        | if $p.hook_event_name == "PostToolUse" then . + {result: $p.tool_response, error: null} else . end
        | if $p.hook_event_name == "PostToolUseFailure" then . + {result: null, error: ($p.error // "failed")} else . end
        | if $moment == "prompt_submitted" then . + {message: $p.prompt, attachments: []} else . end
        | if $moment == "turn_ended" then . + {success: ($p.hook_event_name == "Stop")} else . end
        | if $moment == "notified" then . + {message: $p.message, level: "warning"} else . end
        | if $moment == "compaction_ended" then . + {summary: $p.compact_summary} else . end"#,
    payload_out: r#"
        {session_id: (.session_id // ""), transcript_path: (.transcript_path // ""), cwd: (.cwd // env.PWD),
         permission_mode: (.permission_mode // "default"), hook_event_name: $event}
        + (if .tool_name then {tool_name, tool_input: .arguments, tool_use_id: (.tool_call_id // "")} else {} end)
        + (if $event == "PostToolUse" then {tool_response: .result} else {} end)
        + (if $event == "PostToolUseFailure" then {error, is_interrupt: false} else {} end)
        + (if .moment == "prompt_submitted" then {prompt: .message} else {} end)
        + (if .moment == "session_started" then {source: (.source // "startup")} else {} end)
        + (if .moment == "session_ended" then {reason: (.reason // "other")} else {} end)
        + (if .moment == "turn_ended" or .moment == "subagent_ended" then
            {stop_hook_active: (.stop_hook_active // false), last_assistant_message: (.last_message // "")} else {} end)
        + (if .moment == "compaction_starting" then
            {trigger: (.trigger // "auto"), custom_instructions: (.custom_instructions // "")} else {} end)
        + (if .moment == "compaction_ended" then {trigger: (.trigger // "auto"), compact_summary: (.summary // "")} else {} end)
        + (if .moment == "notified" then {message, notification_type: "agent_needs_input"} else {} end)"#,
    answer_in: r#"
        ($stdout | gsub("^\\s+|\\s+$"; "")) as $text
        | ($stderr | gsub("\\s+$"; "")) as $err
        | ($text | startswith("{") and endswith("}")) as $object
        | (if $object then (try ($text | fromjson) catch null) else null end) as $answer
        | ($answer.hookSpecificOutput // {}) as $more
        | (($more.decision | objects) // {}) as $permit
        | (if $answer.continue == false then {verdict: "deny", reason: ($answer.stopReason // "stopped by a hook")}
           elif $more.permissionDecision == "deny" then {verdict: "deny", reason: $more.permissionDecisionReason}
           elif $answer.decision == "block" then {verdict: "deny", reason: $answer.reason}
           elif $permit.behavior == "deny" then {verdict: "deny", reason: $permit.message}
           elif $more.permissionDecision == "ask" or $more.permissionDecision == "defer" then
             {verdict: "ask", reason: $more.permissionDecisionReason}
           elif $more.permissionDecision == "allow" or $answer.decision == "approve"
             or $permit.behavior == "allow" then {verdict: "allow", reason: $more.permissionDecisionReason}
           else {verdict: "none"} end) as $said
        | if $status == 2 then {verdict: "deny", reason: (if $said.verdict == "deny" and $said.reason then $said.reason else $err end)}
          elif $object and $answer == null then {failure: "hook output is not JSON"}
          elif $object then $said
            + (if $answer.systemMessage then {user_message: $answer.systemMessage} else {} end)
            + (if $more.additionalContext then {contexts: [$more.additionalContext]} else {} end)
            + (($more.updatedInput // $permit.updatedInput) as $new
               | if $new and $said.verdict != "deny" then {arguments: $new} else {} end)
            + (if $more | has("updatedToolOutput") then {result: {value: $more.updatedToolOutput}} else {} end)
          elif $status != 0 then {failure: ($err | split("\n")[0] // "exit status \($status)")}
          elif $text != "" and ($payload.moment == "prompt_submitted" or $payload.moment == "session_started") then
            {verdict: "none", contexts: [$text]}
          else {verdict: "none"} end"#,
    answer_out: r#"
        ((.reason // "") | if . == "" then "blocked by a hook" else . end) as $reason
        | {hookEventName: $event} as $base
        | (if .verdict == "none" or .verdict == null then {}
           elif $event == "PreToolUse" then
             {permissionDecision: .verdict}
             + (if .verdict == "deny" or (.reason // "") != "" then {permissionDecisionReason: $reason} else {} end)
           elif $event == "PermissionRequest" and .verdict != "ask" then
             {decision: ({behavior: .verdict} + (if .verdict == "deny" then {message: $reason} else {} end)
                         + (if .verdict == "allow" and .arguments then {updatedInput: .arguments} else {} end))}
           else {} end) as $gate
        | ($gate
           + (if .arguments and .verdict != "deny" and $event == "PreToolUse" then {updatedInput: .arguments} else {} end)
           + (if .result and $event == "PostToolUse" then {updatedToolOutput: .result.value} else {} end)
           + (if (.contexts // []) != [] then {additionalContext: (.contexts | join("\n"))} else {} end)) as $more
        | (if ((.verdict == "deny" or .verdict == "ask") and $gate == {} and $event != "PermissionRequest") then {decision: "block", reason: $reason} else {} end)
          + (if .user_message then {systemMessage: .user_message} else {} end)
          + (if $more != {} then {hookSpecificOutput: ($base + $more)} else {} end)
        | if . == {} then {stdout: "", stderr: "", status: 0} else {stdout: (tojson + "\n"), stderr: "", status: 0} end"#,
    matching: Matching::Regex,
};

/// R5: everything, a list of names, or an unanchored expression.
pub(super) fn matcher(text: &str) -> Tools {
    if text.is_empty() || text == "*" {
        return Tools::Any;
    }
    let plain =
        |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-' | ' ' | ',' | '|');
    if text.chars().all(plain) {
        Tools::exact(text.split(['|', ',']).map(str::trim))
    } else {
        Tools::regex(text)
    }
}

/// The same; two events know one separator only (R6).
pub(super) fn matcher_of(event: &str, text: &str) -> Tools {
    let narrow = matches!(event, "FileChanged" | "StopFailure") && text.contains(['-', ' ', ',']);
    if narrow { Tools::regex(text) } else { matcher(text) }
}

fn read(node: &Node) -> Vec<PortableHook> {
    let mut hooks = Vec::new();
    let Some(events) = node.get("hooks") else { return hooks };
    // One switch for all hooks of the file.
    let enabled = super::flag(node, "disableAllHooks") != Some(true);
    for event in events.members() {
        for group in super::one_or_more(&event.value) {
            let written = text(group, "matcher");
            for handler in group.get("hooks").and_then(Node::as_array).unwrap_or(&[]) {
                let mut hook = read_handler(&event.name, handler);
                hook.enabled = enabled;
                hook.matcher.clone_from(&written);
                hook.places.matcher = place(group, "matcher");
                if let Some(text) = written.as_deref().filter(|text| !text.is_empty() && *text != "*") {
                    match hook.facts {
                        Some(facts) if facts.tool => hook.tools = matcher(text),
                        Some(EventRow { matched: "", .. }) | None => {}
                        Some(facts) => hook.conditions.push((facts.matched, text.to_owned())),
                    }
                }
                hooks.push(hook);
            }
        }
    }
    hooks
}

fn read_handler(event: &str, node: &Node) -> PortableHook {
    let mut hook = PortableHook::new(&FACTS, event, node.at);
    hook.timeout = super::number(node, "timeout").and_then(super::seconds);
    hook.policy = text(node, "onFailure");
    hook.description = text(node, "statusMessage");
    hook.places.timeout = place(node, "timeout");
    hook.places.script = place(node, "command");
    hook.own_fields = super::set_fields(node, &["once", "async", "asyncRewake"]);
    if let Some(rule) = text(node, "if") {
        hook.conditions.push(("if", rule));
    }
    let kind = text(node, "type").unwrap_or_default();
    hook.handler = match (kind.as_str(), text(node, "command"), node.get("args")) {
        ("command", Some(command), None) if text(node, "shell").is_none_or(|shell| shell == "bash") => {
            PortableHandler::Script(command)
        }
        ("command", Some(name), arguments @ Some(_)) => {
            PortableHandler::Program { name, arguments: texts(arguments) }
        }
        ("command", ..) if text(node, "shell").as_deref() == Some("powershell") => {
            PortableHandler::Other("powershell".to_owned())
        }
        _ => PortableHandler::Other(kind),
    };
    hook
}

/// A group's matcher: the tools, or what the event is about instead.
fn written_matcher(hook: &Draft) -> String {
    match &hook.tools {
        Tools::Any => hook.condition(hook.event.matched).unwrap_or("").to_owned(),
        tools => match tools.names() {
            Some(names) => names.join("|"),
            None => tools.to_regex(),
        },
    }
}

fn write_handler(hook: &Draft) -> Map<String, Value> {
    let mut handler = Map::new();
    handler.insert("type".into(), "command".into());
    handler.insert("command".into(), super::with_environment(hook).into());
    if let Some(rule) = hook.condition("if") {
        handler.insert("if".into(), rule.into());
    }
    if let Some(timeout) = hook.timeout {
        // Fractions count here.
        let seconds = match timeout.subsec_nanos() {
            0 => timeout.as_secs().into(),
            _ => timeout.as_secs_f64().into(),
        };
        handler.insert("timeout".into(), seconds);
    }
    let policy = hook.policy.as_deref().or_else(|| hook.closed.then_some("block"));
    if let Some(policy) = policy {
        handler.insert("onFailure".into(), policy.into());
    }
    if let Some(description) = &hook.description {
        handler.insert("statusMessage".into(), description.as_str().into());
    }
    handler
}

/// Hooks that stand together under one event and matcher share a group. The switch is one for all of them.
fn write(hooks: &[Draft]) -> Value {
    let mut events: Map<String, Value> = Map::new();
    let all_off = !hooks.is_empty() && hooks.iter().all(|hook| !hook.enabled);
    for hook in hooks.iter().filter(|hook| hook.enabled || all_off) {
        let groups = events.entry(hook.event.name).or_insert_with(|| json!([]));
        let (matcher, handler) = (written_matcher(hook), write_handler(hook));
        let Some(groups) = groups.as_array_mut() else { continue };
        let same = groups
            .last_mut()
            .filter(|group| group.get("matcher").and_then(Value::as_str).unwrap_or("") == matcher);
        match same.and_then(|group| group.get_mut("hooks")).and_then(Value::as_array_mut) {
            Some(handlers) => handlers.push(Value::Object(handler)),
            None => {
                let mut group = Map::new();
                if !matcher.is_empty() {
                    group.insert("matcher".into(), matcher.into());
                }
                group.insert("hooks".into(), json!([handler]));
                groups.push(Value::Object(group));
            }
        }
    }
    if all_off { json!({"disableAllHooks": true, "hooks": events}) } else { json!({"hooks": events}) }
}
