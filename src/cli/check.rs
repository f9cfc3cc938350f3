//! `hookbox check`: validates hook configs as for saving, and looks for what goes wrong in them.
//!
//! Findings are errors (it does not work), warnings (probably not what was meant) and, with `--notes`, notes. Nothing is
//! run.
//!
//! Exit status: 0 no error was found, 1 there is one, 2 a file could not be read or its dialect is not clear.

use super::config::ContractArgument;
use super::script_files::HostScripts;
use super::{CommandFailure, Streams, finish, stub};
use crate::hook::dialect::version;
use crate::hook::lint::{Finding, LintOptions, RULES, Severity, lint};
use crate::hook::{ConfigError, ConfigProblem, ContractVersion, Dialect};
use crate::sandbox::Sandbox;
use crate::vfs::fixture::host::{self, MOST_TEXT};
use crate::visible;
use rustc_hash::FxHashMap;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Arguments of `hookbox check`.
#[derive(Clone, Debug, clap::Args)]
pub struct CheckArguments {
    /// Hook configs; - is standard input
    #[arg(required_unless_present_any = ["rules", "contract"], value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// The configs' dialect; found from the content when not given
    #[arg(long, value_name = "NAME")]
    pub dialect: Option<Dialect>,
    /// The version of the dialect's contract; the newest when not given. `--contract help` lists them
    #[arg(long, value_name = "NAME@VERSION")]
    pub contract: Option<ContractArgument>,
    /// Say what this version of the dialect's contract does not know yet
    #[arg(long, value_name = "NAME@VERSION")]
    pub target: Option<ContractVersion>,
    /// A command that the session will have beside those of the sandbox (repeatable); a FILE is not looked at
    #[arg(long, value_name = "NAME[=FILE]")]
    pub stub: Vec<String>,
    /// A folder of the session in which scripts are looked for (repeatable; at /workspace)
    #[arg(long, value_name = "HOSTDIR[:VPATH]")]
    pub seed: Vec<String>,
    /// The longest time that the host gives a hook, in seconds
    #[arg(long, value_name = "SECONDS", value_parser = read_seconds)]
    pub timeout_cap: Option<Duration>,
    /// Show notes too
    #[arg(long)]
    pub notes: bool,
    /// Print the findings as one JSON document
    #[arg(long)]
    pub json: bool,
    /// List the rules
    #[arg(long)]
    pub rules: bool,
}

fn read_seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse::<f64>().map_err(|error| error.to_string())?;
    Duration::try_from_secs_f64(seconds).map_err(|error| error.to_string())
}

/// Runs the command.
pub fn run(arguments: &CheckArguments, streams: &mut Streams<'_>) -> u8 {
    let result = check(arguments, streams);
    finish(result, streams)
}

/// A file that could be looked at, or why it could not.
type Checked = Result<(Dialect, Vec<Finding>), Refused>;

/// Why a file could not be looked at.
struct Refused {
    /// Without the file's name.
    message: String,
    /// For people: place, message, line.
    shown: String,
}

impl From<ConfigError> for Refused {
    fn from(error: ConfigError) -> Self {
        let join = |lines: Vec<String>, separator: &str| lines.join(separator);
        Self {
            message: join(error.problems.iter().map(|problem| problem.message.clone()).collect(), "; "),
            shown: join(error.problems.iter().map(ConfigProblem::show).collect(), "\n"),
        }
    }
}

fn check(arguments: &CheckArguments, streams: &mut Streams<'_>) -> Result<u8, CommandFailure> {
    if arguments.rules {
        streams.print(&rules())?;
        return Ok(0);
    }
    if arguments.contract == Some(ContractArgument::Help) {
        streams.print(&version::list())?;
        return Ok(0);
    }
    let mut files: Vec<(String, Checked)> = Vec::new();
    for path in &arguments.files {
        let (name, text) = if path.as_os_str() == "-" {
            ("standard input".to_owned(), Ok(streams.read_stdin()?))
        } else {
            (path.display().to_string(), host::read_named(path, MOST_TEXT))
        };
        let checked = match text {
            Ok(text) => check_text(arguments, path, &name, &text),
            Err(error) => {
                let shown = format!("{}: {error}", visible::line(&name));
                Err(Refused { message: error.to_string(), shown })
            }
        };
        files.push((name, checked));
    }
    if arguments.json {
        streams.print_json(&to_json(&files))?;
    } else {
        streams.print(&to_text(&files))?;
    }
    for refused in files.iter().filter_map(|(_, checked)| checked.as_ref().err()) {
        streams.report(&format!("hookbox: {}\n", refused.shown))?;
    }
    let findings =
        || files.iter().filter_map(|(_, checked)| checked.as_ref().ok()).flat_map(|(_, findings)| findings);
    Ok(if files.iter().any(|(_, checked)| checked.is_err()) {
        2
    } else {
        u8::from(findings().any(|finding| finding.rule.severity == Severity::Error))
    })
}

fn check_text(arguments: &CheckArguments, path: &Path, name: &str, text: &[u8]) -> Checked {
    let contract = arguments.contract.and_then(ContractArgument::version);
    let named = arguments.dialect.or(contract.or(arguments.target).map(|version| version.dialect()));
    for version in [contract, arguments.target].into_iter().flatten() {
        if let Some(dialect) = named.filter(|dialect| *dialect != version.dialect()) {
            let message = format!("{version} is no version of {dialect}");
            return Err(Refused { shown: message.clone(), message });
        }
    }
    let dialect = match named {
        Some(dialect) => dialect,
        None => Dialect::detect(name, text)?,
    };
    let has_command =
        |name: &str| Sandbox::has_command(name) || arguments.stub.iter().any(|stub| stub::name(stub) == name);
    let files = HostScripts::new(path, &arguments.seed).map_err(|error| {
        let message = format!("--seed: {error}");
        Refused { shown: message.clone(), message }
    })?;
    let options = LintOptions {
        has_command: &has_command,
        timeout_cap: arguments.timeout_cap,
        files: Some(&files),
        contract,
        target: arguments.target,
    };
    let mut findings = lint(dialect, name, text, &options).map_err(ConfigError::from)?;
    findings.retain(|finding| arguments.notes || finding.rule.severity > Severity::Note);
    Ok((dialect, findings))
}

fn rules() -> String {
    let mut text = String::new();
    for rule in RULES {
        let _ = writeln!(
            text,
            "{:<20} {:<8} {}\n{:30}{}",
            rule.id,
            rule.severity.name(),
            rule.summary,
            "",
            rule.hint
        );
    }
    text
}

/// The findings, and for each file a line with its dialect and how many there are; a file that was refused has none.
fn to_text(files: &[(String, Checked)]) -> String {
    let mut text = String::new();
    let checked = files.iter().filter_map(|(name, checked)| Some((name, checked.as_ref().ok()?)));
    let (mut all, mut looked_at) = ([0_usize; 3], 0_usize);
    for (name, (dialect, findings)) in checked {
        let mut counts = [0_usize; 3];
        for same in grouped(findings) {
            let _ = writeln!(text, "{}\n", show_group(&same));
        }
        for finding in findings {
            for counts in [&mut counts, &mut all] {
                if let Some(count) = counts.get_mut(finding.rule.severity as usize) {
                    *count = count.saturating_add(1);
                }
            }
        }
        looked_at = looked_at.saturating_add(1);
        let _ = writeln!(text, "{}: {dialect}: {}", visible::line(name), show_counts(counts));
    }
    if looked_at > 1 {
        let _ = writeln!(text, "{looked_at} files: {}", show_counts(all));
    }
    text
}

fn show_counts([notes, warnings, errors]: [usize; 3]) -> String {
    let plural = |count: usize, what: &str| format!("{count} {what}{}", if count == 1 { "" } else { "s" });
    let mut parts = vec![plural(errors, "error"), plural(warnings, "warning")];
    if notes > 0 {
        parts.push(plural(notes, "note"));
    }
    parts.join(", ")
}

/// Findings of the same rule with the same words in the same file are told once when they are more than this.
const MOST_ALIKE: usize = 3;

/// What is alike where there is much of it, each at the place of its first; the others one by one.
fn grouped(findings: &[Finding]) -> Vec<Vec<&Finding>> {
    let key = |finding: &'_ Finding| {
        let ConfigProblem { file, message, .. } = &finding.problem;
        (finding.rule.id, file.clone(), message.clone())
    };
    let mut alike: FxHashMap<_, Vec<&Finding>> = FxHashMap::default();
    for finding in findings {
        alike.entry(key(finding)).or_default().push(finding);
    }
    let mut groups = Vec::new();
    for finding in findings {
        let many = alike.get_mut(&key(finding)).filter(|same| same.len() > MOST_ALIKE || same.is_empty());
        match many.map(std::mem::take) {
            None => groups.push(vec![finding]),
            Some(same) if same.is_empty() => {}
            Some(same) => groups.push(same),
        }
    }
    groups
}

/// One finding as it is; many as the first of them, without its hook, how many, and the places.
fn show_group(group: &[&Finding]) -> String {
    let Some(first) = group.first() else { return String::new() };
    if group.len() <= MOST_ALIKE {
        return first.show();
    }
    let places: Vec<String> = group
        .iter()
        .filter_map(|finding| finding.problem.place.as_ref())
        .map(|place| format!("{}:{}", place.line, place.column))
        .collect();
    let text = Finding { hook: None, ..(*first).clone() }.show();
    let count = format!("\n  = {} times: {}", group.len(), places.join(", "));
    text + &count
}

fn to_json(files: &[(String, Checked)]) -> Value {
    let files: Vec<Value> = files
        .iter()
        .map(|(name, checked)| match checked {
            Ok((dialect, findings)) => {
                let findings: Vec<Value> = findings.iter().map(Finding::to_json).collect();
                json!({"file": name, "dialect": dialect.name(), "findings": findings})
            }
            Err(refused) => json!({"file": name, "error": refused.message}),
        })
        .collect();
    json!({"files": files})
}
