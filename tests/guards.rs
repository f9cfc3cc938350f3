//! No guard opens in silence. Every case of `vfs-fixtures/` in which a hook stops something is tried with one fault at a time:
//! a wrong type, a wrong name, a bad expression, a script or a command that is not there, at each place of its config and of
//! what its hooks print. Then the config is refused, or the hook still stops it, or the outcome says what was left out, not found or not evaluated, with
//! the place.
//!
//! Each case is tried with a third of its faults, the next case with the next third; `GUARDS_ALL= cargo test --test guards`
//! tries all.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test")]

#[path = "guards/base.rs"]
mod base;
#[path = "guards/fault.rs"]
mod fault;

use base::{Base, Ran};
use hookbox::hook::dialect::docker_agent::Permission;
use hookbox::hook::{Dialect, DialectResult, Notice, Outcome, Verdict};
use serde_json::Value;
use std::collections::BTreeMap;

/// Members that may be left out, so that leaving one out is no fault.
const OPTIONAL: [&str; 11] = [
    ".timeout",
    ".timeout_ms",
    ".cwd",
    ".env",
    ".on_error",
    ".onFailure",
    ".preempt_yolo",
    ".working_dir",
    ".strict_output",
    ".schema",
    // `add_context` without templates adds nothing.
    ".user_prompt_submit[0].args",
];

/// Why a firing is not silent, or that it is. `known` are the warnings without the fault.
fn judge(base: &Base, known: &[Notice], ran: &Ran) -> Result<&'static str, String> {
    let outcome = match ran {
        Ran::Refused(error) => {
            let is_told = error.problems.iter().all(|problem| !problem.message.is_empty());
            return if is_told { Ok("refused") } else { Err("refused without a word".to_owned()) };
        }
        Ran::NoEvent => return Err("the event is not read".to_owned()),
        Ran::Fired(outcome) if base.guards(outcome) => return Ok("guards"),
        Ran::Fired(outcome) => outcome,
    };
    let is_new = |notice: &&Notice| !known.iter().any(|known| known.to_string() == notice.to_string());
    let of_config = outcome.config_notices.iter().filter(is_new);
    let mut told = outcome.notices.iter().filter(is_new);
    for notice in of_config.clone() {
        if notice.problem.place.is_none() || notice.problem.file.is_empty() {
            return Err(format!("no place: {notice}"));
        }
    }
    let is_told = of_config.count() > 0 || told.any(|notice| notice.hook.is_some());
    if is_told { Ok("told") } else { Err("silent".to_owned()) }
}

/// Whether a fault is none: what may be left out is.
fn is_allowed(what: &str) -> bool {
    let left_out = what.strip_suffix(" is not there").or_else(|| what.strip_suffix(" is null"));
    let is_event = |path: &str| path.rsplit('.').nth(1) == Some("hooks");
    left_out.is_some_and(|path| OPTIONAL.iter().any(|name| path.ends_with(name)))
        || what.strip_suffix(" is not there").is_some_and(is_event)
}

/// Whether a fault leaves a call to the fallback that the policy of its evaluator names, and that asks a person.
fn falls_back(what: &str, ran: &Ran) -> bool {
    let Ran::Fired(outcome) = ran else { return false };
    let asks = matches!(&outcome.dialect_result, Some(DialectResult::DockerAgent(result)) if result.decision == Some(Permission::Ask));
    asks && what.contains(".evaluator_policy.decisions.")
}

/// What hooks without the fault come to, and its warnings.
fn whole(base: &Base) -> (Outcome, Vec<Notice>) {
    let outcome = match base.fire(&base.config.to_string()) {
        Ran::Fired(outcome) => outcome,
        Ran::Refused(error) => panic!("{}: {error}", base.name),
        Ran::NoEvent => panic!("{}: no event", base.name),
    };
    assert!(base.guards(&outcome), "{}: {:?}", base.name, outcome.decision);
    let known = outcome.warnings().cloned().collect();
    (*outcome, known)
}

/// The faults that a case of this number is tried with.
fn share<T>(number: usize, faults: impl Iterator<Item = T>) -> impl Iterator<Item = T> {
    let step = if std::env::var_os("GUARDS_ALL").is_some() { 1 } else { 3 };
    faults.skip(number % step).step_by(step)
}

/// Tries the faults of all configs of a dialect; at least so many cases, and so many faults of each judgement.
fn configs(dialect: Dialect, least_cases: usize) {
    let bases = base::all(dialect);
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut wrong = Vec::new();
    for (number, base) in bases.iter().enumerate() {
        let (_, known) = whole(base);
        let faults = fault::all(&base.config, "config");
        for fault in share(number, faults.iter().filter(|fault| !is_allowed(&fault.what))) {
            let ran = base.fire(&fault.value.to_string());
            if falls_back(&fault.what, &ran) {
                *counts.entry("asks").or_default() += 1;
                continue;
            }
            match judge(base, &known, &ran) {
                Ok(how) => *counts.entry(how).or_default() += 1,
                Err(why) => wrong.push(format!("{dialect} {}: {}: {why}", base.name, fault.what)),
            }
        }
    }
    println!("{dialect}: {} cases, {counts:?}", bases.len());
    assert!(wrong.is_empty(), "{} of them:\n{}", wrong.len(), wrong.join("\n"));
    assert!(bases.len() >= least_cases, "{dialect}: {} cases", bases.len());
}

/// Whether a fault of an output is none: what is absent, or no object, is no opinion; and a name that was wrong is put right.
fn is_no_opinion(what: &str) -> bool {
    if what == "output.Continue is called continue" {
        return true;
    }
    let is_absent = what.ends_with(" is not there") || what.ends_with(" is null");
    is_absent || what.strip_prefix("output is ").is_some_and(|value| !value.starts_with("[{"))
}

/// The same of what hooks print, as far as it is JSON.
fn outputs(dialect: Dialect) {
    let mut wrong = Vec::new();
    let mut count = 0;
    for (number, base) in base::all(dialect).into_iter().enumerate() {
        let (outcome, known) = whole(&base);
        let mut runs = outcome.records.iter().filter_map(|record| record.run.as_ref());
        let (Some(run), None) = (runs.next(), runs.next()) else { continue };
        let printed: Option<Value> = serde_json::from_slice(&run.stdout).ok();
        let Some(printed) = printed.filter(|printed| printed.is_object() && run.status == 0) else {
            continue;
        };
        if !base.is_scripted() || run.reading.verdict != Verdict::Block {
            continue;
        }
        let text = printed.to_string();
        let broken = [text.replace('}', ",}"), text.replace('"', "'"), text.trim_end_matches('}').to_owned()];
        let broken = broken.map(|text| (format!("output is {text}"), text));
        let faults = fault::all(&printed, "output").into_iter().filter(|fault| !is_no_opinion(&fault.what));
        let faults = faults.map(|fault| (fault.what, fault.value.to_string()));
        for (what, text) in share(number, faults).chain(broken) {
            count += 1;
            let session = base::Printing::new(&text);
            let ran = base.fire_in(&base.config.to_string(), &session);
            if let Err(why) = judge(&base, &known, &ran) {
                wrong.push(format!("{dialect} {}: {what}: {why}", base.name));
            }
        }
    }
    println!("{dialect}: {count} outputs");
    assert!(wrong.is_empty(), "{} of them:\n{}", wrong.len(), wrong.join("\n"));
    assert!(
        count > 0 || dialect == Dialect::Infer,
        "{dialect}: no case of vfs-fixtures/ prints an object that blocks; where nothing that a hook prints is read, name the dialect here"
    );
}

macro_rules! dialects {
    ($($name:ident $dialect:ident $least:literal;)*) => {
        $(mod $name {
            use super::*;

            #[test]
            fn a_fault_of_a_config_never_opens_in_silence() {
                configs(Dialect::$dialect, $least);
            }

            #[test]
            fn a_fault_of_an_output_never_opens_in_silence() {
                outputs(Dialect::$dialect);
            }
        })*

        #[test]
        fn every_dialect_has_a_row() {
            assert_eq!([$(Dialect::$dialect),*], Dialect::ALL, "the rows of `dialects!` in tests/guards.rs");
        }
    };
}

dialects! {
    everruns Everruns 15;
    docker_agent DockerAgent 15;
    claude_code ClaudeCode 30;
    agentao Agentao 8;
    infer Infer 15;
    goclaw Goclaw 30;
}
