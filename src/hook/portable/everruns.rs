//! Everruns: facts, reader, writer, translations.

use super::tools::{NameTest, Tools};
use super::{
    ArgumentTest, Draft, ExitRule, Facts, Matching, PortableHandler, PortableHook, object, pairs, place,
    text, texts,
};
use crate::document::Node;
use crate::hook::dialect::everruns::event::EVENTS;
use crate::hook::dialect::everruns::{USER, VARIABLES, hook_id};
use crate::hook::matcher::ArgumentPattern;
use serde_json::{Map, Value, json};
use std::sync::OnceLock;
use std::time::Duration;

pub(crate) static FACTS: Facts = Facts {
    events: EVENTS,
    more_output: &["arguments", "message", "result", "error", "additional_context"],
    decisions: &["allow", "mutate", "block"],
    payload: &["event", "hook_id", "session_id", "turn_id", "org_id", "agent_id", "ts", "data"],
    is_flat: false,
    names: OnceLock::new(),
    variables: &VARIABLES,
    variable_prefixes: &["EVERRUNS_"],
    shell_tool: "bash",
    shell_argument: &["command", "commands"],
    shell_in_payload: "bash",
    stops_early: true,
    merges_arguments: true,
    exit: ExitRule::NonZeroBlocks,
    default_timeout: Duration::from_secs(5),
    longest_timeout: Some(Duration::from_secs(30)),
    timeout_unit: "milliseconds",
    read,
    write,
    payload_in: r#"
        {moment: $moment, session_id, turn_id, org_id, agent_id, at: .ts} + (.data // {})
        | if has("tool_calls") then .tool_calls as $calls | . + {tool_calls: $calls} else . end"#,
    payload_out: r#"
        . as $e
        | {event: $event, hook_id: $hook, session_id: (.session_id // ""), turn_id, org_id, agent_id,
           ts: (.at // (now | todateiso8601 | sub("Z$"; ".000Z"))),
           data: ({session_started: {agent_id},
                   prompt_submitted: {message: (.message // ""), attachments: (.attachments // [])},
                   tool_call_starting: {tool_name: (.tool_name // ""), tool_call_id: (.tool_call_id // ""),
                                        arguments: (.arguments // {})},
                   tool_call_ended: {tool_name: (.tool_name // ""), tool_call_id: (.tool_call_id // ""),
                                     arguments: (.arguments // {}), result, error, success: (.error == null)},
                   turn_ended: {success: (.success != false), tool_calls: (.tool_calls // [])},
                   session_ended: {reason: (.reason // "")}}[.moment] // {})}"#,
    answer_in: r#"
        ($stdout | sub("^\\s+"; "")) as $text
        | ($stderr | gsub("^\\s+|\\s+$"; "")) as $err
        | if $text == "" then
            if $status == 0 then {verdict: "none"}
            else {verdict: "deny", reason: (if $err == "" then "hook exited non-zero" else $err end)} end
          elif $text | startswith("{") | not then {failure: "hook stdout is not JSON"}
          else (try ($text | fromjson) catch null) as $answer
            | if ($answer | type) != "object" then {failure: "hook stdout JSON parse failed"}
              elif ($answer.decision // "allow") == "allow" then {verdict: "none"}
              elif $answer.decision == "block" then
                {verdict: "deny", user_message: $answer.user_message,
                 reason: ($answer.reason // (if $err == "" then "hook blocked" else $err end))}
              elif $answer.decision == "mutate" and $answer.patch != null then
                $answer.patch as $patch
                | {verdict: "none"}
                | if $payload.moment == "tool_call_starting" and ($patch.arguments | type) == "object" then
                    .arguments = (if ($payload.arguments | type) == "object" then $payload.arguments else {} end)
                      + $patch.arguments
                  elif $payload.moment == "prompt_submitted" and ($patch.message | type) == "string" then
                    .message = $patch.message
                  elif $payload.moment == "tool_call_ended" then
                    (if $patch | has("result") then .result = {value: $patch.result} else . end)
                    | (if ($patch.error | type) == "string" then .error = $patch.error else . end)
                    | (if ($patch.additional_context | type) == "string" then .contexts = [$patch.additional_context]
                       else . end)
                  else . end
              else {failure: "unknown hook decision"} end
          end"#,
    answer_out: r#"
        (.verdict == "deny" or .verdict == "ask") as $stops
        | ({} + (if .arguments then {arguments} else {} end) + (if .message then {message} else {} end)
           + (if .result then {result: .result.value} else {} end) + (if .error then {error} else {} end)
           + (if (.contexts // []) != [] and $payload.moment == "tool_call_ended"
              then {additional_context: (.contexts | join("\n"))} else {} end)) as $patch
        | if $stops then {decision: "block", reason: ((.reason // "") | if . == "" then "hook blocked" else . end)}
            + (if .user_message then {user_message} else {} end)
          elif $patch != {} then {decision: "mutate", patch: $patch}
          else {} end
        | {stdout: (tojson + "\n"), stderr: "", status: 0}"#,
    matching: Matching::NamesAndArgument,
};

/// The three shapes of a config, and a declarative bundle.
fn read(node: &Node) -> Vec<PortableHook> {
    let mut lists = Vec::new();
    let mut muted = Vec::new();
    if let Some(capabilities) = node.get("capabilities").and_then(Node::as_array) {
        let ours = |entry: &&Node| entry.get("ref").and_then(Node::as_str) == Some("user_hooks");
        let configs = capabilities.iter().filter(ours).filter_map(|entry| entry.get("config"));
        for config in configs {
            lists.extend(config.get("hooks"));
            muted.extend(texts(config.get("disabled_contributions")));
        }
    } else if let Some(definition) = node.get("definition") {
        lists.extend(definition.get("user_hooks"));
    } else {
        lists.extend(node.get("hooks"));
        muted = texts(node.get("disabled_contributions"));
    }
    let lists = lists.into_iter().filter_map(Node::as_array);
    lists.flat_map(|list| list.iter().enumerate()).map(|(index, node)| read_in(node, index, &muted)).collect()
}

/// A hook by its place in its list: one without an id is muted by that.
fn read_in(node: &Node, index: usize, muted: &[String]) -> PortableHook {
    let mut hook = read_hook(node);
    let id = hook_id(USER, hook.name.as_deref(), &hook.event, index);
    hook.enabled = !muted.contains(&id);
    hook
}

fn read_hook(node: &Node) -> PortableHook {
    let mut hook = PortableHook::new(&FACTS, &text(node, "event").unwrap_or_default(), node.at);
    hook.name = text(node, "id");
    hook.description = text(node, "description");
    hook.timeout = super::number(node, "timeout_ms").and_then(|ms| super::seconds(ms / 1000.0));
    hook.policy = text(node, "on_error");
    hook.places.timeout = place(node, "timeout_ms");
    if let Some(matcher) = node.get("matcher") {
        hook.places.matcher = matcher.at;
        let name = text(matcher, "tool_name");
        let glob = text(matcher, "tool_name_glob");
        hook.tools = match (&name, &glob) {
            (None, None) => Tools::Any,
            (Some(name), None) => Tools::exact([name.as_str()]),
            (None, Some(glob)) => globs(glob),
            (Some(name), Some(glob)) => match globs(glob).passes(name) {
                Some(true) => Tools::exact([name.as_str()]),
                _ => Tools::Never,
            },
        };
        hook.matcher = name.or(glob);
        let path = text(matcher, "args_jsonpath").map(|path| ArgumentPattern::parse_path(&path));
        let (found, denied) = (text(matcher, "match_regex"), text(matcher, "deny_regex"));
        let deny = found.is_none() && denied.is_some();
        let regex = found.or(denied);
        match (path, regex) {
            (Some(path), regex) => hook.argument = Some(ArgumentTest { path, regex, deny }),
            // A regex without a path never passes (R6).
            (None, Some(_)) => hook.tools = Tools::Never,
            (None, None) => {}
        }
    }
    if let Some(executor) = node.get("executor") {
        hook.places.script = place(executor, "command");
        hook.environment = pairs(executor.get("env"));
        hook.handler = match (text(executor, "type").as_deref(), text(executor, "command")) {
            (Some("bash"), Some(command)) => PortableHandler::Script(command),
            (kind, _) => PortableHandler::Other(kind.unwrap_or("").to_owned()),
        };
    }
    hook
}

fn globs(text: &str) -> Tools {
    let alternatives = text.split('|').map(str::trim).filter(|alternative| !alternative.is_empty());
    let tests = alternatives.map(|alternative| match alternative.strip_suffix('*') {
        Some(start) => NameTest { text: start.to_owned(), open: true },
        None => NameTest::exact(alternative),
    });
    Tools::Names(tests.collect())
}

fn write(hooks: &[Draft]) -> Value {
    let specs: Vec<Value> = hooks.iter().map(write_hook).collect();
    let id = |(index, hook): (usize, &Draft)| hook_id(USER, hook.name.as_deref(), hook.event.name, index);
    let muted: Vec<String> = hooks.iter().enumerate().filter(|(_, hook)| !hook.enabled).map(id).collect();
    if muted.is_empty() {
        json!({"hooks": specs})
    } else {
        json!({"hooks": specs, "disabled_contributions": muted})
    }
}

fn write_hook(hook: &Draft) -> Value {
    let mut spec = Map::new();
    if let Some(name) = &hook.name {
        spec.insert("id".into(), name.as_str().into());
    }
    spec.insert("event".into(), hook.event.name.into());
    let mut matcher = Map::new();
    if let Tools::Names(names) = &hook.tools {
        match names.as_slice() {
            [only] if !only.open => matcher.insert("tool_name".into(), only.text.as_str().into()),
            names => {
                let alternatives: Vec<String> = names
                    .iter()
                    .map(|name| format!("{}{}", name.text, if name.open { "*" } else { "" }))
                    .collect();
                matcher.insert("tool_name_glob".into(), alternatives.join("|").into())
            }
        };
    }
    if let Some(argument) = &hook.argument {
        matcher.insert("args_jsonpath".into(), format!("$.{}", argument.path.join(".")).into());
        if let Some(regex) = &argument.regex {
            let name = if argument.deny { "deny_regex" } else { "match_regex" };
            matcher.insert(name.into(), regex.as_str().into());
        }
    }
    if !matcher.is_empty() {
        spec.insert("matcher".into(), Value::Object(matcher));
    }
    let mut executor = Map::new();
    executor.insert("type".into(), "bash".into());
    executor.insert("command".into(), hook.script.as_str().into());
    if !hook.environment.is_empty() {
        executor.insert("env".into(), object(&hook.environment));
    }
    spec.insert("executor".into(), Value::Object(executor));
    if let Some(timeout) = hook.timeout {
        let milliseconds = u64::try_from(timeout.as_millis()).unwrap_or(30_000);
        spec.insert("timeout_ms".into(), milliseconds.clamp(100, 30_000).into());
    }
    if let Some(policy) = hook.policy.as_deref().or_else(|| hook.closed.then_some("block")) {
        spec.insert("on_error".into(), policy.into());
    }
    if let Some(description) = &hook.description {
        spec.insert("description".into(), description.as_str().into());
    }
    Value::Object(spec)
}
