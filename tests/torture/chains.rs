//! Chains of all dialects under every fault: the decision is that of the dialect's rule for the hook that failed, and no
//! payload file is left, also where a firing is dropped.

use crate::fault_run::{MOST_POLLS, occasions, poll_at, session};
use hookbox::hook::case::{Case, CaseFile, SessionSetup, SessionSource};
use hookbox::hook::{ContractVersion, Dialect, Ended, Event, HookRunner, HookSet, LoadOptions, Outcome};
use hookbox::internal::document::Source;
use hookbox::limit::Limit;
use hookbox::limit::fault::{Fault, Injection};
use hookbox::sandbox::{Sandbox, SandboxSource};
use hookbox::vfs::fixture::Fixture;
use serde::Deserialize;
use serde_json::{Map, Value};
use std::fmt::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::task::{Context, Waker};

const FAULTS: [Fault; 3] = [Fault::Charge, Fault::Clock, Fault::FileOperation];

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Decision {
    Proceed,
    Blocked,
}

impl Decision {
    fn of(outcome: &Outcome) -> Self {
        if outcome.decision.proceeds() { Self::Proceed } else { Self::Blocked }
    }
}

/// An entry of `chains.yaml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Chain {
    name: String,
    dialect: String,
    #[serde(default)]
    settings: Map<String, Value>,
    hooks: Value,
    event: Value,
    usual: Decision,
    /// For each hook the decision when it fails.
    fails: Vec<Decision>,
    /// For each hook the decision when its time is over, if not the same.
    times_out: Option<Vec<Decision>>,
}

fn chains() -> Vec<Chain> {
    let wanted = std::env::var("TORTURE").unwrap_or_default();
    let source = Source::new("chains.yaml", include_bytes!("chains.yaml"));
    let chains: Vec<Chain> = serde_json::from_value(source.yaml("").unwrap().to_value()).unwrap();
    chains.into_iter().filter(|chain| chain.name.contains(&wanted)).collect()
}

/// What ended a hook before its own end.
fn failed(end: &Ended) -> bool {
    matches!(end, Ended::Limit(_) | Ended::TimedOut | Ended::OutputExceeded)
}

impl Chain {
    fn load(&self) -> (HookSet, Event) {
        let contract: ContractVersion = self.dialect.parse().unwrap();
        let dialect = contract.dialect();
        let mut options = LoadOptions::default().contract(contract);
        options.settings.clone_from(&self.settings);
        let hooks = HookSet::load(dialect, self.hooks.to_string().as_bytes(), &options).unwrap();
        let event = hooks.read_event(&self.event).unwrap();
        (hooks, event)
    }

    /// Fires the event; `None` when it was dropped after `most` polls.
    fn fire(hooks: &HookSet, event: &Event, sandbox: &Sandbox, most: u64) -> Option<Outcome> {
        let mut firing = pin!(async {
            let outcome = hooks.fire(sandbox, event).await;
            HookSet::settle(sandbox).await;
            outcome
        });
        let mut cx = Context::from_waker(Waker::noop());
        (0..most).find_map(|turn| poll_at(turn, firing.as_mut(), &mut cx))
    }

    /// The decision that the contract gives when a hook was ended so.
    fn expected(&self, index: usize, end: &Ended) -> Decision {
        let is_time = match end {
            Ended::TimedOut => true,
            Ended::Limit(error) => error.limit == Limit::WallTime,
            _ => false,
        };
        let rules = self.times_out.as_ref().filter(|_| is_time).unwrap_or(&self.fails);
        rules[index]
    }

    /// What is wrong with the outcome of a firing in which `fault` came.
    fn judge(&self, fault: Fault, outcome: &Outcome, usual: &Outcome) -> Option<String> {
        let decision = Decision::of(outcome);
        let ends: Vec<&Ended> =
            outcome.records.iter().filter_map(|record| Some(&record.run.as_ref()?.end)).collect();
        let hit = ends.iter().position(|end| failed(end));
        let expected = match (fault, hit) {
            (Fault::FileOperation, Some(_)) => return Some(format!("{ends:?}")),
            // What a script makes of an error is its own; without one nothing may be different.
            (Fault::FileOperation, None) => {
                let told = |outcome: &Outcome| -> Vec<_> {
                    let runs = outcome.records.iter().filter_map(|record| record.run.as_ref());
                    runs.map(|run| (run.status, run.stdout.clone())).collect()
                };
                let same = told(outcome) == told(usual);
                return (same && decision != self.usual)
                    .then(|| format!("{decision:?} though nothing failed"));
            }
            (_, Some(index)) => self.expected(index, ends[index]),
            (_, None) => return Some(format!("no hook failed: {ends:?}")),
        };
        let wrong_end = match (fault, hit.map(|index| ends[index])) {
            (Fault::Charge, Some(Ended::Limit(error))) => error.limit != Limit::LiveBytes,
            (Fault::Clock, Some(Ended::Limit(error))) => error.limit != Limit::WallTime,
            (Fault::Clock, Some(Ended::TimedOut)) => false,
            _ => true,
        };
        if wrong_end {
            return Some(format!("{ends:?}"));
        }
        (decision != expected).then(|| format!("{decision:?}, the rule says {expected:?}; {ends:?}"))
    }
}

/// Names in the folder for temporary files, where payloads lie while a hook runs.
fn temporary(sandbox: &Sandbox) -> Vec<String> {
    let entries = sandbox.fs().read_dir(b"/tmp").unwrap().into_std();
    entries.iter().map(|entry| entry.name.to_string()).collect()
}

#[test]
fn a_chain_decides_by_the_rule_for_the_hook_that_failed() {
    let mut failures = String::new();
    for (number, chain) in chains().iter().enumerate() {
        let (hooks, event) = chain.load();
        let sandbox = session();
        let usual = Chain::fire(&hooks, &event, &sandbox, MOST_POLLS).unwrap();
        assert_eq!(Decision::of(&usual), chain.usual, "{}: {:?}", chain.name, usual.records);
        assert_eq!(usual.records.len(), chain.fails.len(), "{}", chain.name);
        let usual_files = temporary(&sandbox);
        for fault in FAULTS {
            for nth in occasions(number) {
                let sandbox = session();
                let injection = Injection::new(fault, nth);
                let fired =
                    catch_unwind(AssertUnwindSafe(|| Chain::fire(&hooks, &event, &sandbox, MOST_POLLS)));
                let has_come = injection.is_over();
                drop(injection);
                let wrong = match fired {
                    Err(_) => Some("panics".to_owned()),
                    Ok(None) => Some("hangs".to_owned()),
                    // A removal that fails leaves what it was to remove.
                    Ok(Some(_)) if fault != Fault::FileOperation && temporary(&sandbox) != usual_files => {
                        Some(format!("leaves {:?}", temporary(&sandbox)))
                    }
                    Ok(Some(outcome)) if has_come => chain.judge(fault, &outcome, &usual),
                    Ok(Some(outcome)) => (Decision::of(&outcome) != chain.usual)
                        .then(|| "decides differently without a fault".to_owned()),
                };
                if let Some(wrong) = wrong {
                    let _ = writeln!(failures, "{}: {fault:?} {nth}: {wrong}", chain.name);
                }
                if !has_come {
                    break;
                }
            }
        }
    }
    assert!(failures.is_empty(), "{failures}");
}

#[test]
fn a_firing_that_is_dropped_leaves_no_payload() {
    for chain in &chains() {
        let (hooks, event) = chain.load();
        for polls in 1..MOST_POLLS {
            let sandbox = session();
            let ended = Chain::fire(&hooks, &event, &sandbox, polls).is_some();
            assert_eq!(temporary(&sandbox), Vec::<String>::new(), "{} after {polls} polls", chain.name);
            let outcome = Chain::fire(&hooks, &event, &sandbox, MOST_POLLS).unwrap();
            assert_eq!(Decision::of(&outcome), chain.usual, "{} again after {polls} polls", chain.name);
            if ended {
                break;
            }
        }
    }
}

/// Sessions of cases, and the files of the one that was made last.
#[derive(Default)]
struct Watched(std::sync::Mutex<Option<std::sync::Arc<hookbox::vfs::FileSystem>>>);

impl SessionSource for Watched {
    fn base(&self) -> &hookbox::vfs::Base {
        SandboxSource.base()
    }

    fn session(&self, setup: SessionSetup) -> Result<Box<dyn HookRunner>, String> {
        *self.0.lock().unwrap() = Some(std::sync::Arc::clone(&setup.files));
        SandboxSource.session(setup)
    }
}

impl Watched {
    /// The names in the session's folder for temporary files.
    fn temporary(&self) -> Vec<String> {
        let files = self.0.lock().unwrap().take();
        let entries = files.map(|files| files.read_dir(b"/tmp").unwrap().into_std()).unwrap_or_default();
        entries.iter().map(|entry| entry.name.to_string()).collect()
    }
}

/// Files of cases of a dialect with the folder of their fixture.
fn case_files(dialect: &str) -> Vec<(CaseFile, std::path::PathBuf)> {
    let fixture = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("vfs-fixtures").join(dialect);
    let mut paths: Vec<_> =
        std::fs::read_dir(fixture.join("cases")).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let parse = |path: &std::path::PathBuf| CaseFile::parse(&std::fs::read_to_string(path).unwrap()).unwrap();
    paths.iter().map(|path| (parse(path), fixture.clone())).collect()
}

/// Runs a case; `None`: it did not end.
fn run_case(file: &CaseFile, case: &Case, fixture: &std::path::Path, sessions: &Watched) -> Option<()> {
    let fixtures = |name: Option<&str>| match name {
        None => Fixture::load(fixture),
        Some(name) => Fixture::load(&fixture.parent().unwrap_or(fixture).join(name)),
    };
    let mut running = pin!(file.run(case, sessions, &fixtures));
    let mut cx = Context::from_waker(Waker::noop());
    (0..MOST_POLLS).find_map(|turn| poll_at(turn, running.as_mut(), &mut cx)).map(drop)
}

/// Tries every fault in one case; adds what is wrong.
fn torture_case(
    number: usize,
    (file, fixture): &(CaseFile, std::path::PathBuf),
    case: &Case,
    out: &mut String,
) {
    let sessions = Watched::default();
    if run_case(file, case, fixture, &sessions).is_none() {
        // It waits for real time, or for somebody outside.
        return;
    }
    let usual = sessions.temporary();
    for fault in FAULTS {
        for nth in occasions(number) {
            let injection = Injection::new(fault, nth);
            let ran = catch_unwind(AssertUnwindSafe(|| run_case(file, case, fixture, &sessions)));
            let has_come = injection.is_over();
            drop(injection);
            // A removal that fails leaves what it was to remove.
            let left = if fault == Fault::FileOperation { Vec::new() } else { sessions.temporary() };
            let wrong = match ran {
                Err(_) => Some("panics".to_owned()),
                Ok(None) => Some("hangs".to_owned()),
                Ok(Some(())) if left.iter().any(|name| !usual.contains(name)) => {
                    Some(format!("leaves {left:?}"))
                }
                Ok(Some(())) => None,
            };
            if let Some(wrong) = wrong {
                let _ = writeln!(out, "{fault:?} {nth} {wrong}: {}: {}", file.id, case.name);
            }
            if !has_come {
                break;
            }
        }
    }
}

#[test]
fn the_examples_of_all_dialects_bear_every_fault() {
    let mut failures = String::new();
    let all = std::env::var_os("TORTURE_ALL").is_some();
    let mut number = 0;
    for dialect in Dialect::ALL {
        for file in &case_files(dialect.name()) {
            for case in file.0.cases.iter().take(if all { 4 } else { 1 }) {
                number += 1;
                torture_case(number, file, case, &mut failures);
            }
        }
    }
    assert!(failures.is_empty(), "{failures}");
}
