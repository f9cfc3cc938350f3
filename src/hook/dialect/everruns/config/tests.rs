//! Bounds of a config that is saved, and the order of its checks.

use crate::hook::contract::{LoadOptions, Purpose};
use crate::hook::dialect::list::Dialect;
use crate::hook::hook_set::HookSet;
use serde_json::{Value, json};

fn saved(config: &Value) -> Vec<String> {
    let options = LoadOptions { purpose: Purpose::Save, ..LoadOptions::default() };
    match HookSet::load(Dialect::Everruns, config.to_string().as_bytes(), &options) {
        Ok(_) => Vec::new(),
        Err(error) => error.problems.into_iter().map(|problem| problem.message).collect(),
    }
}

fn spec(command: &str) -> Value {
    json!({"event": "pre_tool_use", "executor": {"type": "bash", "command": command}})
}

#[test]
fn at_most_64_hooks() {
    let config = |count: usize| json!({"hooks": vec![spec("x"); count]});
    assert_eq!(saved(&config(64)), Vec::<String>::new());
    assert_eq!(saved(&config(65)), ["user_hooks.hooks has 65 entries; maximum is 64"]);
    // Faults of values are looked for after that, those of the shape before.
    let mut faulty = config(65);
    faulty["hooks"][0]["timeout_ms"] = 1.into();
    assert_eq!(saved(&faulty), ["user_hooks.hooks has 65 entries; maximum is 64"]);
    faulty["hooks"][1]["event"] = 1.into();
    assert!(saved(&faulty)[0].starts_with("user_hooks config parse failed: hooks[1].event"));
    // What was saved by an older release runs, with a warning.
    let text = config(65).to_string();
    let hooks = HookSet::load(Dialect::Everruns, text.as_bytes(), &LoadOptions::default()).unwrap();
    assert_eq!(hooks.hooks().len(), 65);
    assert!(hooks.notices()[0].to_string().contains("has 65 entries; maximum is 64"));
}

#[test]
fn at_most_262144_bytes_before_anything_else() {
    let config = |bytes: usize| {
        let empty = json!({"hooks": [spec("")]}).to_string().len();
        json!({"hooks": [spec(&"x".repeat(bytes - empty))]})
    };
    assert_eq!(saved(&config(262_144)), Vec::<String>::new());
    let mut large = config(262_145);
    assert_eq!(saved(&large), ["user_hooks config is 262145 bytes; maximum is 262144"]);
    large["nope"] = 1.into();
    assert_eq!(saved(&large), ["user_hooks config is 262154 bytes; maximum is 262144"]);
    let inside = json!({"capabilities": [{"ref": "user_hooks", "config": config(262_145)}]});
    assert_eq!(saved(&inside), ["user_hooks config is 262145 bytes; maximum is 262144"]);
}
