//! What templates see of a payload (R37): the platform's structure of it, whose fields have Go's names and types.

use super::event::EventName;
use crate::hook::template::{Kind, Structure};
use std::sync::LazyLock;

/// The payload of every event.
pub(super) static INPUT: LazyLock<Structure> = LazyLock::new(|| {
    let of_events = EventName::ALL.iter().flat_map(|event| event.fields().iter().copied());
    // Those of calls of tools come with the host's facts.
    let common =
        "session_id cwd hook_event_name tool_category tool_read_only safety_policy safety_label".split(' ');
    structure("hooks.Input", of_events.chain(common), kind)
});

static SKILL: LazyLock<Structure> = LazyLock::new(|| below("name source path content"));
static PROMPT_FILE: LazyLock<Structure> = LazyLock::new(|| below("path content"));
static TURN: LazyLock<Structure> = LazyLock::new(|| below("role content"));
static MESSAGE: LazyLock<Structure> = LazyLock::new(|| {
    below("role content multi_content reasoning_content tool_calls tool_call_id is_error created_at model")
});
static MODEL: LazyLock<Structure> = LazyLock::new(|| below("provider model base_url unload_api"));
static USAGE: LazyLock<Structure> = LazyLock::new(|| {
    below("input_tokens output_tokens cached_input_tokens cached_write_tokens reasoning_tokens")
});

/// A structure below the payload, by the keys of its fields. None of them is a structure in turn.
fn below(keys: &'static str) -> Structure {
    structure("struct", keys.split(' '), plain)
}

fn structure(
    type_name: &'static str,
    keys: impl Iterator<Item = &'static str>,
    kind: fn(&str) -> Kind,
) -> Structure {
    Structure::new(type_name, keys.map(|key| (go_name(key), key, kind(key))))
}

fn kind(key: &str) -> Kind {
    match key {
        "skill" => Kind::Structure(&SKILL),
        "prompt_file" => Kind::Structure(&PROMPT_FILE),
        "usage" => Kind::Structure(&USAGE),
        "conversation" => Kind::Structures(&TURN),
        "messages" => Kind::Structures(&MESSAGE),
        "from_agent_models" => Kind::Structures(&MODEL),
        _ => plain(key),
    }
}

fn plain(key: &str) -> Kind {
    match key {
        "tool_input" => Kind::Map,
        "steering_messages" | "multi_content" | "tool_calls" => Kind::List,
        "tool_error" | "tool_read_only" | "is_error" => Kind::Bool,
        "tool_response" | "cost" => Kind::Any,
        "iteration"
        | "input_tokens"
        | "output_tokens"
        | "cached_input_tokens"
        | "cached_write_tokens"
        | "reasoning_tokens"
        | "context_limit"
        | "previous_max_iterations"
        | "new_max_iterations" => Kind::Integer,
        _ => Kind::Text,
    }
}

/// `tool_use_id` → `ToolUseID`.
fn go_name(key: &str) -> String {
    let mut name = String::new();
    // One has another name in Go.
    for word in key.strip_prefix("cached_write_").map_or(key, |_| "cache_write_tokens").split('_') {
        if matches!(word, "id" | "llm" | "url" | "api") {
            name.push_str(&word.to_ascii_uppercase());
            continue;
        }
        let mut characters = word.chars();
        name.extend(characters.next().map(|first| first.to_ascii_uppercase()));
        name.push_str(characters.as_str());
    }
    name
}
