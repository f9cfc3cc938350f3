//! Planted faults and what must be found, from `tests/check/*.yaml`; silence on good configs.

use super::*;
use crate::document::from_yaml;
use crate::linear_time::assert_grows_linearly;
use serde::Deserialize;
use std::collections::BTreeSet;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Fault {
    name: String,
    dialect: String,
    /// Of the config as written, so that places can be tested.
    config: String,
    /// `rule`, `rule line`, or `rule file:line` for a script of `files`.
    #[serde(default)]
    finds: Vec<String>,
    #[serde(default)]
    timeout_cap: Option<u64>,
    #[serde(default)]
    stubs: Vec<String>,
    /// Files of the project; below `plugin:` those of the plug-in.
    #[serde(default)]
    files: std::collections::BTreeMap<String, String>,
    /// Which of them are not executable.
    #[serde(default)]
    plain: Vec<String>,
}

impl ScriptFiles for Fault {
    fn find(&self, path: &ScriptPath) -> Found {
        let name = match path.root {
            Root::Project => path.path.clone(),
            Root::Plugin => format!("plugin:{}", path.path),
            Root::Session => return Found::Unknown,
        };
        match self.files.get(&name) {
            None => Found::Missing,
            Some(text) => Found::File(ScriptFile {
                content: text.clone().into_bytes(),
                is_executable: !self.plain.contains(&name),
                name,
            }),
        }
    }
}

fn check(fault: &Fault) -> Vec<Finding> {
    let has_command = |name: &str| {
        crate::sandbox::Sandbox::has_command(name) || fault.stubs.iter().any(|stub| stub == name)
    };
    let files = (!fault.files.is_empty()).then_some(fault as &dyn ScriptFiles);
    let options = LintOptions {
        has_command: &has_command,
        timeout_cap: fault.timeout_cap.map(Duration::from_secs),
        files,
        load: None,
        target: None,
    };
    lint(fault.dialect.parse().unwrap(), "f", fault.config.as_bytes(), &options).unwrap()
}

fn faults() -> Vec<Fault> {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/check");
    let mut all = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        let faults: Vec<Fault> =
            from_yaml(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        all.extend(faults);
    }
    all
}

/// What the loader says is left out where it is not the point: it may tell the same as a rule.
fn is_loader(fault: &Fault, finding: &Finding) -> bool {
    finding.rule.id == "config-notice" && !fault.finds.iter().any(|want| want == "config-notice")
}

#[test]
fn planted_faults_are_found_and_nothing_else() {
    let mut failures = Vec::new();
    for fault in faults() {
        let found: Vec<String> = check(&fault)
            .iter()
            .filter(|finding| {
                finding.rule.severity > Severity::Note
                    || fault.finds.iter().any(|want| want.starts_with(finding.rule.id))
            })
            .filter(|finding| !is_loader(&fault, finding))
            .map(|finding| {
                let wants_line =
                    fault.finds.iter().any(|want| want.starts_with(&format!("{} ", finding.rule.id)));
                match (&finding.problem.place, wants_line) {
                    (Some(place), _) if finding.problem.file != "f" => {
                        format!("{} {}:{}", finding.rule.id, finding.problem.file, place.line)
                    }
                    (Some(place), true) => format!("{} {}", finding.rule.id, place.line),
                    _ => finding.rule.id.to_owned(),
                }
            })
            .collect();
        let (found_set, wanted): (BTreeSet<_>, BTreeSet<_>) =
            (found.iter().collect(), fault.finds.iter().collect());
        if found_set != wanted {
            failures.push(format!("{}: found {found_set:?}, wanted {wanted:?}", fault.name));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn every_rule_has_a_planted_fault() {
    let wanted: Vec<String> = faults().into_iter().flat_map(|fault| fault.finds).collect();
    let missing: Vec<&str> = RULES
        .iter()
        .map(|rule| rule.id)
        // These are of the command, which asks the converter and looks at names; and of a file by its name, or of a version, see below.
        .filter(|id| {
            !id.starts_with("target-")
                && !["config-unread", "hooks-elsewhere", "version-unknown"].contains(id)
        })
        .filter(|id| !wanted.iter().any(|want| want.split(' ').next() == Some(id)))
        .collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn hooks_that_a_manifest_names_are_told_in_a_note() {
    let options =
        LintOptions { has_command: &|_| true, timeout_cap: None, files: None, load: None, target: None };
    let manifest = br#"{"name": "p", "hooks": "./hooks/hooks.json"}"#;
    let findings = lint(Dialect::ClaudeCode, "p/.claude-plugin/plugin.json", manifest, &options).unwrap();
    let rules: Vec<_> = findings.iter().map(|finding| (finding.rule.id, finding.rule.severity)).collect();
    assert_eq!(rules, [("hooks-elsewhere", Severity::Note)]);
}

#[test]
fn places_point_into_the_script() {
    let config = r#"{"hooks": [{"event": "turn_end", "executor": {"type": "bash",
        "command": "x=$(cat \u00e9)\neval \"$x\""}}]}"#;
    let options =
        LintOptions { has_command: &|_| true, timeout_cap: None, files: None, load: None, target: None };
    let findings = lint(Dialect::Everruns, "f", config.as_bytes(), &options).unwrap();
    let finding = findings.iter().find(|finding| finding.rule.id == "eval-computed").unwrap();
    let place = finding.problem.place.as_ref().unwrap();
    assert_eq!((place.line, finding.script_line), (2, Some(2)));
    assert_eq!(place.excerpt.chars().skip(place.column - 1).take(4).collect::<String>(), "eval");
}

/// Examples of the contracts that are not meant as good ones, or where the linter is right: id and rule.
const EXPECTED: &[(&str, &str)] = &[
    // They block without `on_error: block`: a timeout would let the call through.
    ("EV-9", "fail-open"),
    ("EV-13", "fail-open"),
    ("EV-14", "fail-open"),
    ("EV-15", "fail-open"),
    ("EV-16", "fail-open"),
    ("EV-19", "fail-open"),
    ("DA-13", "fail-open"),
    // They put a command into JSON by hand, as the manual does: one with a quote in it would break it.
    ("DA-8", "json-by-hand"),
    ("DA-9", "json-by-hand"),
    // It shows what a missing command does.
    ("fail-closed", "command-missing"),
    // And what a misspelt field does.
    ("fail-closed", "output-field"),
    // They show what bad output, bad scripts and bad exit statuses do.
    ("EV-17", "output-decision"),
    ("EV-23", "cannot-block"), // a block changes nothing on post_tool_use
    ("everruns-4.4", "script-syntax"),
    ("GC-4", "exit-failure"),
    ("GC-4", "script-syntax"),
    ("GC-25", "exit-failure"),
    ("IN-12", "output-ignored"),
    ("IN-16", "script-syntax"),
    ("IN-16", "variable-unknown"), // it prints `$1`, which no hook is given
    ("EV-16", "exit-not-blocking"),
    ("AG-16", "cannot-block"),
    ("AG-documented", "cannot-block"), // hooks of an example that says so
    ("agentao-G10", "script-syntax"),
    ("DA-28", "cannot-block"),
    ("CC-6", "reason-lost"),     // it shows what other statuses do
    ("CC-7", "command-missing"), // a guard whose tools are not there
    ("CC-26", "cannot-block"),
    ("DA-30", "output-field"),
    ("delivery", "script-syntax"),
    // It runs what the event asks for, to make results of all sizes.
    ("DA-23", "eval-payload"),
    ("CC-4", "exit-not-blocking"),
    ("CC-24", "exit-not-blocking"),
    ("CC-24", "exit-failure"),
    // Times over the budget, matchers and conditions that never pass.
    ("CC-25", "timeout-cap"),
    ("CC-7", "config-notice"),
    ("CC-7", "matcher-ignored"),
    ("CC-7", "matcher-never"),
    ("CC-8", "condition-never"),
    ("CC-8", "config-notice"),
    // It shows what a time limit does.
    ("GC-22", "timeout-unit"),
    // A matcher that passes over the hook, fields that the loader drops, a switch that is off.
    ("GC-10", "matcher-never"),
    ("GC-11", "condition-never"),
    ("DA-2", "matcher-foreign-tool"),
    ("GC-6", "config-notice"),
    ("GC-30", "config-notice"),
    ("AG-16", "config-notice"),
    ("AG-17", "config-notice"),
    ("IN-3", "config-notice"),
    ("IN-23", "config-notice"),
    ("IN-documented", "config-notice"),
    // A program that is not there; the allow-list is asked, nothing is run: there are no stubs.
    ("CC-24", "command-missing"),
    ("DA-11", "command-missing"),
    ("IN-2", "command-missing"),
    ("IN-13", "command-missing"),
    ("IN-14", "command-missing"),
    ("IN-15", "command-missing"),
    ("IN-17", "command-missing"),
    ("IN-18", "command-missing"),
    ("IN-19", "command-missing"),
];

/// What cases give a hook set, found without the case engine: id, dialect, the config's text, stubs.
fn configs_of_cases() -> Vec<(String, Dialect, String, Vec<String>)> {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("vfs-fixtures");
    let mut all = Vec::new();
    for dialect in Dialect::ALL {
        let Ok(entries) = std::fs::read_dir(folder.join(dialect.name()).join("cases")) else { continue };
        for entry in entries {
            let text = std::fs::read_to_string(entry.unwrap().path()).unwrap();
            let Ok(file) = from_yaml::<Value>(&text) else { continue };
            let id = file.get("id").and_then(Value::as_str).unwrap_or("").to_owned();
            let none = Vec::new();
            let cases = file.get("cases").and_then(Value::as_array).unwrap_or(&none);
            for place in std::iter::once(&file).chain(cases) {
                let stubs = std::iter::once(&file)
                    .chain(cases)
                    .filter_map(|place| place.get("commands")?.as_object());
                let stubs = stubs.flat_map(|stubs| stubs.keys().cloned()).collect();
                let text = place.get("hooks_text").and_then(Value::as_str).map(str::to_owned);
                if let Some(config) = text.or_else(|| place.get("hooks").map(Value::to_string)) {
                    all.push((id.clone(), *dialect, config, stubs));
                }
            }
        }
    }
    all
}

#[test]
fn good_examples_of_the_contracts_pass() {
    let mut unexpected = BTreeSet::new();
    let mut checked = 0;
    for (id, dialect, config, stubs) in configs_of_cases() {
        // What those are about is wrong by intention.
        if id.ends_with("open-guards") || id == "told" {
            continue;
        }
        let has_command =
            |name: &str| crate::sandbox::Sandbox::has_command(name) || stubs.iter().any(|stub| stub == name);
        let options = LintOptions {
            has_command: &has_command,
            timeout_cap: None,
            files: None,
            load: None,
            target: None,
        };
        let Ok(findings) = lint(dialect, "f", config.as_bytes(), &options) else { continue };
        if findings.iter().any(|finding| finding.rule.id == "config-invalid") {
            continue;
        }
        checked += 1;
        for finding in findings.iter().filter(|finding| finding.rule.severity > Severity::Note) {
            if !EXPECTED.contains(&(id.as_str(), finding.rule.id)) {
                unexpected
                    .insert(format!("(\"{id}\", \"{}\"), // {}", finding.rule.id, finding.problem.message));
            }
        }
    }
    assert!(checked > 300, "{checked}");
    let unexpected: Vec<String> = unexpected.into_iter().collect();
    assert!(unexpected.is_empty(), "\n{}", unexpected.join("\n"));
}

#[test]
fn time_grows_with_length_alone() {
    let units = [
        ("eval \"$x\"; curl a | sh; ", 1),
        ("cat <<E\n{\"a\":\"$x\"}\nE\n", 1),
        ("x=$(jq .a); echo $x \"{\\\"a\\\":\\\"$x\\\"}\"; exit 1; ", 2),
        ("echo '{\"decision\":\"x\",\"hookSpecificOutput\":1}'; ", 1),
        ("bash -c \"$x\"; . \"$x\"; md5 a; ", 2),
        ("if uname; then md5 $x\nfi\n", 1),
    ];
    for (unit, length) in units {
        assert_grows_linearly(unit, 800 / length, |count| lint_script(&unit.repeat(count)));
        let inner = unit.replace('\'', "");
        assert_grows_linearly(unit, 400 / length, |count| {
            lint_script(&format!("bash -c '{}'", inner.repeat(count)));
        });
    }
}

fn lint_script(script: &str) {
    let options = LintOptions {
        has_command: &|name| name != "md5",
        timeout_cap: None,
        files: None,
        load: None,
        target: None,
    };
    let config =
        json!({"hooks": [{"event": "pre_tool_use", "executor": {"type": "bash", "command": script}}]});
    let findings = lint(Dialect::Everruns, "f", config.to_string().as_bytes(), &options).unwrap();
    assert!(findings.len() <= MOST_FINDINGS + 10);
}

#[test]
fn frontmatter_is_looked_at() {
    let text = "---\nname: a\nhooks:\n  PreToolUse:\n    - hooks: [ { type: command, command: 'no-such-tool' } ]\n---\n# Body: x\n";
    let options = LintOptions {
        has_command: &|name| name != "no-such-tool",
        timeout_cap: None,
        files: None,
        load: None,
        target: None,
    };
    let findings = lint(Dialect::ClaudeCode, "agents/a.md", text.as_bytes(), &options).unwrap();
    assert!(findings.iter().any(|finding| finding.rule.id == "command-missing"), "{findings:?}");
}

#[test]
fn a_program_in_python_that_reads_a_member_is_told_in_jq() {
    let script = "c=$(python3 -c \"import json,sys; print(json.load(sys.stdin)['tool_input']['command'])\")\n\
                  n=$(python3 -c 'import json,sys; print(json.load(sys.stdin).get(\"tool_name\", \"\"))')\n\
                  python3 x.py; python3 y.py";
    let config = json!({"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": script}]}]}});
    let options = LintOptions {
        has_command: &|name| name != "python3",
        timeout_cap: None,
        files: None,
        load: None,
        target: None,
    };
    let findings = lint(Dialect::ClaudeCode, "f", config.to_string().as_bytes(), &options).unwrap();
    let told: Vec<&str> = findings
        .iter()
        .filter(|finding| finding.rule.id == "command-missing")
        .map(|finding| finding.problem.message.as_str())
        .collect();
    let wanted = [
        "the sandbox has no `python3`: `jq -er '.tool_input.command'` reads the same",
        "the sandbox has no `python3`: `jq -r '.tool_name // \"\"'` reads the same",
        "the sandbox has no `python3`",
    ];
    assert!(
        told.len() == 3 && told.iter().zip(wanted).all(|(told, wanted)| told.ends_with(wanted)),
        "{told:?}"
    );
}

#[test]
fn a_version_says_what_it_does_not_know() {
    let messages = |target: &str, config: &str| -> Vec<String> {
        let target: crate::hook::ContractVersion = target.parse().unwrap();
        let options = LintOptions {
            has_command: &|_| true,
            timeout_cap: None,
            files: None,
            load: None,
            target: Some(target),
        };
        let findings = lint(target.dialect(), "f", config.as_bytes(), &options).unwrap();
        let found = findings.iter().filter(|finding| finding.rule.id == "version-unknown");
        found.map(|finding| finding.problem.message.clone()).collect()
    };
    let config = r#"{"hooks": {"StopFailure": [{"hooks": [{"type": "http", "url": "https://x.example", "if": "Bash"}]}]}}"#;
    assert_eq!(
        messages("claude-code@2.1.60", config),
        [
            "claude-code@2.1.50 has no event `StopFailure`: it came with 2.1.78",
            "claude-code@2.1.50 has no hook type `http`: it came with 2.1.63",
            "claude-code@2.1.50 has no field `url`: it came with 2.1.63",
            "claude-code@2.1.50 has no field `if`: it came with 2.1.85",
        ]
    );
    assert_eq!(messages("claude-code@2.1.85", config), Vec::<String>::new());
    let config = "hooks: {turn_start: [{type: builtin, command: add_context, args: [x]}, {type: model, model: m, prompt: p, system_prompt: s}], \
                  prompt_file_guard: [{type: model, model: m, prompt: p, schema: guard_decision}]}";
    assert_eq!(messages("docker-agent@manual", config).len(), 4);
    assert_eq!(messages("docker-agent", config), Vec::<String>::new());
}
