//! Cases over a scripted session, and the form of every case file of the repository.

use super::update::update;
use super::*;
use crate::hook::scripted::Scripted;
use std::path::Path;

struct Host {
    base: Base,
    prints: &'static str,
}

impl SessionSource for Host {
    fn base(&self) -> &Base {
        &self.base
    }

    fn session(&self, _: SessionSetup) -> Result<Box<dyn HookRunner>, String> {
        Ok(Box::new(Scripted::printing([self.prints])))
    }
}

fn fixture(name: Option<&str>) -> Result<Fixture, FixtureError> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("vfs-fixtures");
    Fixture::load(&folder.join(name.unwrap_or("empty")))
}

fn run(text: &str, prints: &'static str) -> (CaseFile, Vec<Option<CaseResult>>) {
    let file = CaseFile::parse(text).unwrap();
    let host = Host { base: Base::new(&[]), prints };
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let results = file
        .cases
        .iter()
        .map(|case| Some(runtime.block_on(file.run(case, &host, &fixture)).unwrap()))
        .collect();
    (file, results)
}

const FILE: &str = "\
id: T-1
dialect: everruns
hooks: { hooks: [ { id: a, event: pre_tool_use, executor: { type: bash, command: x } } ] }
commands: { stub: \"#!/bin/sh\\n\" }
files: { note: hello }
cases:
  - name: blocks # a comment that stays
    event: { event: pre_tool_use, data: { tool_name: bash, arguments: { a: 1 } } }
    expect:
      decision: blocked
      reason: { starts_with: n }
      arguments: { a: 1 }
      changes: []
      files: { note: hello, /usr/local/bin/stub: { mode: \"0755\" }, gone: null, /usr/local/bin: [ stub ] }

  - name: two steps
    load: { hooks: [ \"user:a\" ], error: null }
    steps:
      - event: { event: turn_end }
        expect: { decision: proceed, ran: [] }
      - event: { event: pre_tool_use, data: { tool_name: bash } }
        expect:
          ran: [ \"user:a\" ]
";

#[test]
fn a_case_passes_or_tells_what_differs() {
    let (_, results) = run(FILE, r#"{"decision":"block","reason":"no"}"#);
    assert!(results.iter().flatten().all(|result| result.differences.is_empty()), "{results:?}");
    let (_, results) = run(FILE, "{}");
    let keys: Vec<_> =
        results[0].as_ref().unwrap().differences.iter().map(|found| found.key.as_str()).collect();
    assert_eq!(keys, ["decision", "reason"]);
}

#[test]
fn an_update_changes_expectations_and_nothing_else() {
    let (file, mut results) = run(FILE, "{}");
    let updated = update(FILE, &file, &results).unwrap();
    let (head, tail) = updated.split_once("    expect:\n").unwrap();
    assert!(FILE.starts_with(head));
    assert!(
        tail.starts_with("      decision: \"proceed\"\n      reason: null\n      arguments: {\"a\":1}\n"),
        "{tail}"
    );
    assert!(tail.contains("\n\n  - name: two steps\n"));
    let (_, again) = run(&updated, "{}");
    assert!(again.iter().flatten().all(|result| result.differences.is_empty()), "{updated}");
    results[0] = None;
    assert!(update(FILE, &file, &results).unwrap().contains("reason: { starts_with: n }"));
    let odd = FILE.replace("# a comment that stays", "\n    expect: {}");
    assert!(CaseFile::parse(&odd).is_err());
}

#[test]
fn every_case_file_of_the_repository_is_well_formed() {
    for (dialect, prefix, last) in [("everruns", "EV-", 31), ("agentao", "AG-", 20), ("infer", "IN-", 26)] {
        let wanted: Vec<_> = (1..=last).map(|number| format!("{prefix}{number}")).collect();
        assert_eq!(ids_of_well_formed_files(dialect, prefix), wanted);
    }
}

/// Ids that begin with `prefix`, by number.
fn ids_of_well_formed_files(dialect: &str, prefix: &str) -> Vec<String> {
    let cases = Path::new(env!("CARGO_MANIFEST_DIR")).join("vfs-fixtures").join(dialect).join("cases");
    let mut ids: Vec<_> = std::fs::read_dir(cases)
        .unwrap()
        .map(|item| {
            let path = item.unwrap().path();
            let text = std::fs::read_to_string(&path).unwrap();
            let file = CaseFile::parse(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            assert!(!file.cases.is_empty() && !file.title.is_empty(), "{}", file.id);
            let files = FileSystem::from_base(&Base::new(&[]), Options::default());
            for case in &file.cases {
                let (contract, config) = file.config(case, &files).unwrap();
                let options = file.load_options(case).unwrap().contract(contract);
                let loaded = HookSet::load(contract.dialect(), config.as_bytes(), &options);
                let mut result = CaseResult::default();
                result.compare("load", &case.load, &report::of_load(&loaded));
                assert!(
                    result.differences.is_empty(),
                    "{}: {}: {}",
                    file.id,
                    case.name,
                    result.differences[0]
                );
                let Ok(hooks) = loaded else { continue };
                for event in case.event.iter().chain(case.steps.iter().map(|step| &step.event)) {
                    hooks
                        .read_event(event)
                        .unwrap_or_else(|error| panic!("{}: {}: {error}", file.id, case.name));
                }
            }
            file.id
        })
        .collect();
    // Others have a word instead of a number: no section of the contract is theirs.
    let number = |id: &String| id.strip_prefix(prefix)?.parse::<u32>().ok();
    ids.retain(|id| number(id).is_some());
    ids.sort_by_key(number);
    ids
}
