//! Rules R1 to R44 over a scripted session: config and output are given, loading, chain and folding are the real ones.

mod builtin;
mod config;
mod firing;

use super::result::DockerAgentResult;
use crate::hook::contract::LoadOptions;
use crate::hook::dialect::list::Dialect;
use crate::hook::dialect::result::DialectResult;
use crate::hook::error::ConfigError;
use crate::hook::hook_set::HookSet;
use crate::hook::outcome::Outcome;
use crate::hook::scripted::{Scripted, block_on, fire, rows, written_for};
use serde_json::{Value, json};

fn load_with(config: &str, options: &LoadOptions) -> Result<HookSet, ConfigError> {
    let options = LoadOptions { contract: Some(written_for(Dialect::DockerAgent)), ..options.clone() };
    HookSet::load(Dialect::DockerAgent, config.as_bytes(), &options)
}

fn load(config: &str) -> HookSet {
    load_with(config, &LoadOptions::default()).unwrap()
}

/// Options with these settings.
fn with(settings: &Value) -> LoadOptions {
    LoadOptions { settings: settings.as_object().unwrap().clone(), ..LoadOptions::default() }
}

/// The events of the manual.
fn of_manual() -> impl Iterator<Item = super::event::EventName> {
    let is_newer = |event: &super::event::EventName| event.routes() || event.is_guard();
    super::event::EventName::ALL.iter().copied().filter(move |event| !is_newer(event))
}

/// Hooks of one event, one for each command.
fn hooks_of(event: &str, commands: &[&str]) -> Value {
    let hooks: Vec<_> =
        commands.iter().map(|command| json!({"type": "command", "command": command})).collect();
    config_of(event, &hooks)
}

fn config_of(event: &str, hooks: &[Value]) -> Value {
    let is_matched =
        super::event::EventName::from_name(event).is_some_and(super::event::EventName::is_matched);
    let list = if is_matched { json!([{"hooks": hooks}]) } else { json!(hooks) };
    json!({"hooks": {event: list}})
}

/// A payload of `event`, with a call where there is one.
fn payload(event: &str) -> Value {
    json!({"session_id": "s", "cwd": "/workspace", "hook_event_name": event, "tool_name": "shell",
           "tool_use_id": "c", "tool_input": {"cmd": "ls"}})
}

fn result(outcome: &Outcome) -> DockerAgentResult {
    let Some(DialectResult::DockerAgent(result)) = outcome.dialect_result.clone() else { panic!() };
    *result
}

fn ran(outcome: &Outcome) -> Vec<String> {
    let ran = outcome.records.iter().filter(|record| record.run.is_some());
    ran.map(|record| record.hook.to_string()).collect()
}

#[test]
fn rows_of_data() {
    let on = |event: &str, members: &Value| {
        let mut hook = json!({"type": "command", "command": "x"});
        hook.as_object_mut().unwrap().extend(members.as_object().cloned().unwrap_or_default());
        (config_of(event, &[hook]), payload(event))
    };
    rows::check(Dialect::DockerAgent, include_str!("../../../../tests/rows/docker-agent.jsonl"), on);
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
