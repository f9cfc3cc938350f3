//! Rules R1 to R44 over a scripted session: config and output are given, loading, chain and folding are the real ones.

use super::event::EventName;
use crate::hook::contract::LoadOptions;
use crate::hook::dialect::list::Dialect;
use crate::hook::hook_set::HookSet;
use crate::hook::scripted::{Scripted, rows};
use serde_json::{Value, json};

const ROWS: &str = include_str!("../../../../tests/rows/docker-agent.jsonl");

/// The config of an event's hook, or of its hooks, by members of each.
fn config_of(event: &str, hooks: &Value) -> Value {
    let hook = |members: &Value| {
        let mut hook = json!({"type": "command", "command": "x"});
        hook.as_object_mut().unwrap().extend(members.as_object().cloned().unwrap_or_default());
        hook
    };
    let hooks: Vec<_> =
        hooks.as_array().map_or_else(|| vec![hook(hooks)], |all| all.iter().map(hook).collect());
    let is_matched = EventName::from_name(event).is_some_and(EventName::is_matched);
    json!({"hooks": {event: if is_matched { json!([{"hooks": hooks}]) } else { json!(hooks) }}})
}

#[test]
fn rows_of_data() {
    rows::check(Dialect::DockerAgent, ROWS, |event, hooks| {
        let payload = json!({"session_id": "s", "cwd": "/workspace", "hook_event_name": event, "tool_name": "shell",
            "tool_use_id": "c", "tool_input": {"cmd": "ls"}});
        (config_of(event, hooks), payload)
    });
}

#[test]
fn no_text_makes_loading_panic() {
    let rows = ROWS.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let configs = rows.filter_map(|row| Some(row.get("config")?.as_str()?.to_owned()));
    let longest = configs.max_by_key(String::len).unwrap().into_bytes();
    for (start, end) in (0..longest.len()).step_by(5).map(|at| longest.split_at(at)) {
        for other in [b"\xff".as_slice(), b"[", b"{", b"'", b": ", b"\n- ", b"&a *a"] {
            for text in [start, &[start, other, end].concat()] {
                let _ = HookSet::load(Dialect::DockerAgent, text, &LoadOptions::default());
            }
        }
    }
}

/// R26: whoever cancels a run drops the firing, and no result exists.
#[test]
fn a_dropped_firing_decides_nothing() {
    let config = config_of("pre_tool_use", &json!({})).to_string();
    let hooks = HookSet::load(Dialect::DockerAgent, config.as_bytes(), &LoadOptions::default()).unwrap();
    let host = Scripted { never_ends: true, ..Scripted::default() };
    let event = hooks.read_event(&json!({"hook_event_name": "pre_tool_use", "tool_name": "shell"})).unwrap();
    let mut firing = Box::pin(hooks.fire(&host, &event));
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    assert!(firing.as_mut().poll(&mut context).is_pending());
    drop(firing);
    assert!(crate::clock::lock(&host.logs).is_empty());
}

/// What the cases expect is tested where they run; that they are there, here.
#[cfg(feature = "tools")]
#[test]
fn every_acceptance_example_has_a_case_file() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("vfs-fixtures/docker-agent/cases");
    let mut ids = Vec::new();
    for item in std::fs::read_dir(folder).unwrap() {
        let text = std::fs::read_to_string(item.unwrap().path()).unwrap();
        ids.push(crate::hook::case::CaseFile::parse(&text).unwrap().id);
    }
    for number in 1..=30 {
        assert!(ids.contains(&format!("DA-{number}")), "{number}");
    }
}
