//! `hooks.test` (R60): one record's handler on a sample event, once. Whether it is enabled, filters and the breaker are not
//! looked at, and no audit row is written.

use super::Store;
use super::call::{Answered, Caller, Role, belongs_to, invalid, respond};
use crate::document::Source;
use crate::hook::contract::{LoadOptions, Loaded, Purpose};
use crate::hook::dialect::goclaw::config;
use crate::hook::dialect::list::Dialect;
use crate::hook::hook_set::HookSet;
use crate::hook::outcome::Outcome;
use crate::hook::runner::HookRunner;
use serde::Serialize;
use serde_json::Value;
use std::sync::Arc;

/// What a tried hook did.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Trial {
    /// `allow`, `block`, `error` or `timeout`.
    pub decision: String,
    /// Why.
    pub reason: String,
    /// By the session's clock.
    pub duration_ms: u64,
    /// Output, or the body of an answer.
    pub stdout: String,
    /// Messages.
    pub stderr: String,
    /// Of HTTP, or the exit status of a command; -1 when there is none.
    pub status_code: i32,
    /// Of decisions `error` and `timeout`.
    pub error: Option<String>,
    /// What it would have rewritten, or proposed.
    pub updated_input: Option<Value>,
}

impl Store {
    /// Answers `hooks.test` with params `{config, sampleEvent}` in the session of `host`.
    pub async fn test(&self, caller: &Caller, host: &dyn HookRunner, request: &Value) -> Value {
        let trial = match self.trial(caller, request) {
            Ok((hooks, event)) => match hooks.read_event(&event) {
                Ok(event) => of(&hooks.fire(host, &event).await),
                Err(error) => invalid(error.to_string()),
            },
            Err(refused) => Err(refused),
        };
        respond(request, trial.map(|trial| serde_json::json!(trial)))
    }

    fn trial(&self, caller: &Caller, request: &Value) -> Answered<(HookSet, Value)> {
        caller.role.needs(Role::Operator)?;
        let params = request.get("params").unwrap_or(&Value::Null);
        let Some(Value::Object(record)) = params.get("config") else { return invalid("config is required") };
        let mut event = match params.get("sampleEvent") {
            Some(Value::Object(event)) => event.clone(),
            None | Some(Value::Null) => serde_json::Map::new(),
            Some(_) => return invalid("sampleEvent must be an object"),
        };
        let mut record = record.clone();
        belongs_to(&mut record, caller);
        self.check(caller, &record)?;
        if !event.contains_key("hookEvent") && !event.contains_key("HookEvent") {
            event.insert("hookEvent".to_owned(), record.get("event").cloned().unwrap_or_default());
        }
        let options = self.options_for(caller);
        let mut options = LoadOptions { purpose: Purpose::Run, ..options };
        options.settings.insert("builtins".to_owned(), false.into());
        let text = Value::Object(record).to_string();
        let source = Source::new(&options.name, text.as_bytes());
        match config::read(&source, &options, Arc::default()) {
            Ok((mut bundle, notices)) => {
                bundle.dry = true;
                let loaded = Loaded { bundle: Box::new(bundle), notices };
                Ok((HookSet::of(Dialect::Goclaw, loaded, &options), Value::Object(event)))
            }
            Err(error) => invalid(error.to_string()),
        }
    }
}

fn of(outcome: &Outcome) -> Answered<Trial> {
    let Some(run) = outcome.records.first().and_then(|record| record.run.as_ref()) else {
        return invalid("the hook could not be tried on this event");
    };
    let part = |pointer: &str| run.reading.specific.as_ref().and_then(|specific| specific.pointer(pointer));
    let decision = part("/span/metadata/decision").and_then(Value::as_str).unwrap_or("error");
    let reason = run.reading.reason.clone().unwrap_or_default();
    let failed = matches!(decision, "error" | "timeout");
    Ok(Trial {
        decision: decision.to_owned(),
        error: failed.then(|| reason.clone()),
        reason,
        duration_ms: u64::try_from(run.duration.as_millis()).unwrap_or(u64::MAX),
        stdout: String::from_utf8_lossy(&run.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&run.stderr).into_owned(),
        status_code: run.status,
        updated_input: part("/input").filter(|input| !input.is_null()).cloned(),
    })
}
