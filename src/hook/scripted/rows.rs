//! Rows of data: what hooks print on an event, and what must come of it; `tests/rows/NAME.jsonl` has a row in each line.
//!
//! | member | holds |
//! |---|---|
//! | `on`, `hook` | the event and members of its hook: config and payload are those that the dialect's tests have for them, unless they are given |
//! | `config`, `settings`, `save` | what is loaded, with which settings; whether it is loaded to be saved |
//! | `event` | members of the payload, laid over those of the event |
//! | `out` | what the runs end with, in order: a text or JSON is printed with status 0; a list is status, output and messages, or how the run ended, with its message |
//! | `want` | what must be found, see [`found`]: of objects the members named, of lists all; a text that begins with `~` is to be found in one |

use super::{Scripted, fire, load_for};
use crate::hook::contract::Purpose;
use crate::hook::dialect::list::Dialect;
use crate::hook::hook_set::HookSet;
use crate::hook::outcome::Outcome;
use crate::hook::script::{Ended, ScriptOutcome};
use serde_json::{Map, Value, json};

/// Checks all rows of a file; `one` has config and payload for an event and members of its hook.
pub(crate) fn check(dialect: Dialect, rows: &str, one: impl Fn(&str, &Value) -> (Value, Value)) {
    let mut wrong = Vec::new();
    for line in rows.lines().filter(|line| line.starts_with('{')) {
        let row: Map<String, Value> =
            serde_json::from_str(line).unwrap_or_else(|why| panic!("{line}: {why}"));
        let known = ["on", "hook", "config", "settings", "save", "event", "out", "want"];
        assert!(row.keys().all(|name| known.contains(&name.as_str())), "{line}");
        let (config, mut event) = row.get("on").map_or_else(Default::default, |on| {
            one(on.as_str().unwrap(), row.get("hook").unwrap_or(&Value::Null))
        });
        let config = row.get("config").cloned().unwrap_or(config);
        if let Some(Value::Object(more)) = row.get("event") {
            let mut members = event.as_object().cloned().unwrap_or_default();
            members.extend(more.clone());
            event = members.into();
        }
        let purpose = if row.contains_key("save") { Purpose::Save } else { Purpose::Run };
        let settings = row.get("settings").cloned().unwrap_or_else(|| json!({}));
        let found = match load_for(dialect, &config, &settings, purpose) {
            Err(error) => {
                let problems: Vec<_> = error.problems.into_iter().map(|problem| problem.message).collect();
                json!({"problems": problems})
            }
            Ok(hooks) => {
                let out = row.get("out").and_then(Value::as_array).cloned().unwrap_or_default();
                let host = Scripted::new(out.iter().map(outcome));
                let fired = event.is_object().then(|| fire(&hooks, &host, &event));
                found(&hooks, &host, fired.as_ref())
            }
        };
        let wanted = row.get("want").unwrap_or_else(|| panic!("{line}"));
        if !fits(wanted, &found) {
            wrong.push(format!("{line}\nfound {found}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn outcome(out: &Value) -> ScriptOutcome {
    let text = |value: Option<&Value>| match value {
        None => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
    };
    let Value::Array(parts) = out else { return ScriptOutcome::exited(0, text(Some(out)), "") };
    match parts.first() {
        Some(Value::String(end)) => ScriptOutcome::ended(match end.as_str() {
            "timed_out" => Ended::TimedOut,
            "output_exceeded" => Ended::OutputExceeded,
            "syntax" => Ended::Syntax(text(parts.get(1))),
            "not_started" => Ended::NotStarted(text(parts.get(1))),
            other => panic!("{other}"),
        }),
        status => {
            let status =
                status.and_then(Value::as_i64).and_then(|status| i32::try_from(status).ok()).unwrap();
            ScriptOutcome::exited(status, text(parts.get(1)), text(parts.get(2)))
        }
    }
}

/// What a config and a firing came to, in one object.
fn found(hooks: &HookSet, host: &Scripted, outcome: Option<&Outcome>) -> Value {
    let notices: Vec<_> = hooks.notices().iter().map(ToString::to_string).collect();
    let mut all = json!({"hooks": hooks.hooks().len(), "notices": notices});
    let Some(outcome) = outcome else { return all };
    let result = serde_json::to_value(&outcome.dialect_result).unwrap();
    let records = outcome.records.iter();
    let readings = || records.clone().filter_map(|record| record.run.as_ref().map(|run| &run.reading));
    let stdin =
        host.runs().into_iter().map(|run| serde_json::from_str(&run.stdin).unwrap_or(Value::from(run.stdin)));
    let more = json!({
        "decision": outcome.decision,
        "blocked": outcome.decision.blocked.as_ref().map(|block| &block.reason),
        "result": result.as_object().and_then(|result| result.values().next()),
        "verdicts": readings().map(|reading| reading.verdict.name()).collect::<Vec<_>>(),
        "reasons": readings().map(|reading| &reading.reason).collect::<Vec<_>>(),
        "warnings": records.clone().flat_map(|record| &record.warnings).collect::<Vec<_>>(),
        "runs": host.runs().len(),
        "stdin": stdin.collect::<Vec<Value>>(),
        "logs": host.log_lines(),
    });
    all.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    all
}

/// Whether what is wanted is there; what is absent is `null`.
fn fits(wanted: &Value, found: &Value) -> bool {
    match (wanted, found) {
        (Value::Object(wanted), Value::Object(found)) => {
            wanted.iter().all(|(name, wanted)| fits(wanted, found.get(name).unwrap_or(&Value::Null)))
        }
        (Value::Array(wanted), Value::Array(found)) => {
            wanted.len() == found.len() && wanted.iter().zip(found).all(|(wanted, found)| fits(wanted, found))
        }
        (Value::String(wanted), Value::String(found)) => {
            wanted.strip_prefix('~').map_or(wanted == found, |part| found.contains(part))
        }
        _ => wanted == found,
    }
}
