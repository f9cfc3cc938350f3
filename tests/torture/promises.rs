//! No file is half written that bash would have whole: whatever fails, and wherever a run is dropped, the files are in one of
//! the states in which the real tools can leave them (`promises.yaml`).

use crate::fault_run::{MOST_POLLS, run, session};
use hookbox::internal::document::Source;
use hookbox::limit::fault::{Fault, Injection};
use hookbox::sandbox::Sandbox;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// An entry of `promises.yaml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Promise {
    script: String,
    #[serde(default)]
    prepare: String,
    #[serde(default)]
    states: Vec<BTreeMap<String, Option<String>>>,
    #[serde(default)]
    begins: BTreeMap<String, String>,
    /// Files that hold a beginning of another file's text.
    #[serde(default)]
    begins_as: BTreeMap<String, String>,
    #[serde(default)]
    also: Vec<String>,
}

fn promises() -> Vec<Promise> {
    let wanted = std::env::var("TORTURE").unwrap_or_default();
    let source = Source::new("promises.yaml", include_bytes!("promises.yaml"));
    let promises: Vec<Promise> = serde_json::from_value(source.yaml("").unwrap().to_value()).unwrap();
    promises.into_iter().filter(|promise| promise.script.contains(&wanted)).collect()
}

fn text(sandbox: &Sandbox, name: &str) -> Option<String> {
    let content = sandbox.fs().read(format!("/workspace/{name}").as_bytes()).ok()?;
    Some(String::from_utf8_lossy(&content).into_owned())
}

fn names(sandbox: &Sandbox) -> Vec<String> {
    let entries = sandbox.fs().read_dir(b"/workspace").unwrap().into_std();
    entries.iter().map(|entry| entry.name.to_string()).collect()
}

impl Promise {
    fn prepared(&self) -> Sandbox {
        let sandbox = session();
        assert_eq!(run(&sandbox, &self.prepare, MOST_POLLS).unwrap().status, 0, "{}", self.prepare);
        sandbox
    }

    /// What is wrong with the files.
    fn judge(&self, sandbox: &Sandbox, before: &[String]) -> Option<String> {
        let is_in = |state: &BTreeMap<String, Option<String>>| {
            state.iter().all(|(name, wanted)| text(sandbox, name) == *wanted)
        };
        if !self.states.is_empty() && !self.states.iter().any(is_in) {
            let named: BTreeMap<_, _> =
                self.states.iter().flat_map(BTreeMap::keys).map(|name| (name, text(sandbox, name))).collect();
            return Some(format!("no such state: {named:?}"));
        }
        let copies = self.begins_as.iter().filter_map(|(name, whole)| Some((name, text(sandbox, whole)?)));
        let fixed = self.begins.iter().map(|(name, whole)| (name, whole.clone()));
        for (name, whole) in fixed.chain(copies) {
            if let Some(found) = text(sandbox, name).filter(|found| !whole.starts_with(found.as_str())) {
                return Some(format!("{name} is {found:?}"));
            }
        }
        let is_known = |name: &String| {
            before.contains(name)
                || self.states.iter().any(|state| state.contains_key(name))
                || self.begins.contains_key(name)
                || self.begins_as.contains_key(name)
                || self.also.iter().any(|also| match also.strip_suffix('*') {
                    Some(start) => name.starts_with(start),
                    None => also == name,
                })
        };
        names(sandbox).iter().find(|name| !is_known(name)).map(|name| format!("{name} is left"))
    }
}

#[test]
fn no_file_is_half_written_that_bash_would_have_whole() {
    let mut failures = String::new();
    for promise in promises() {
        let script = &promise.script;
        let before = names(&promise.prepared());
        for fault in [Fault::Charge, Fault::Clock, Fault::FileOperation] {
            // They are short: every occasion is tried.
            for nth in 0.. {
                let sandbox = promise.prepared();
                let injection = Injection::new(fault, nth);
                run(&sandbox, script, MOST_POLLS);
                let has_come = injection.is_over();
                drop(injection);
                if let Some(wrong) = promise.judge(&sandbox, &before) {
                    let _ = writeln!(failures, "{fault:?} {nth}: {wrong}: {script}");
                }
                if !has_come {
                    break;
                }
            }
        }
        for polls in 0..MOST_POLLS {
            let sandbox = promise.prepared();
            let ended = run(&sandbox, script, polls).is_some();
            if let Some(wrong) = promise.judge(&sandbox, &before) {
                let _ = writeln!(failures, "dropped after {polls} polls: {wrong}: {script}");
            }
            if ended {
                break;
            }
        }
    }
    assert!(failures.is_empty(), "{failures}");
}

/// The states are those of real files: without a fault each script ends in the last of its states.
#[test]
fn the_promised_states_are_reached() {
    for promise in promises() {
        let sandbox = promise.prepared();
        let output = run(&sandbox, &promise.script, MOST_POLLS).unwrap();
        let is_whole = |(name, whole): (&String, &String)| text(&sandbox, name).as_ref() == Some(whole);
        assert!(
            promise.begins.iter().all(is_whole),
            "{}: {}",
            promise.script,
            String::from_utf8_lossy(&output.stderr)
        );
        let ends = promise.states.is_empty()
            || promise
                .states
                .iter()
                .any(|state| state.iter().all(|(name, wanted)| text(&sandbox, name) == *wanted));
        assert!(ends, "{}", promise.script);
    }
}
