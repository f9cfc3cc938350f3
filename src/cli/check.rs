//! `hookbox check`: validates hook configs as for saving, and looks for what goes wrong in them.
//!
//! Findings are errors (it does not work), warnings (probably not what was meant) and, with `--notes`, notes. Nothing is
//! run.
//!
//! `--sarif` and `--github` print what the reviews of others show (`machine.rs`), `--fix` mends what has one safe answer
//! (`fix.rs`).
//!
//! Exit status: 0 no error was found, 1 there is one, 2 a file could not be read or its dialect is not clear.

mod fix;
mod machine;
mod report;
mod unread;

use super::config::apply;
use super::contract::ContractArgument;
use super::dialect_parser::DialectParser;
use super::script_files::HostScripts;
use super::stub::{self, Stub};
use super::{CommandFailure, Streams, finish};
use crate::hook::case::SessionSource;
use crate::hook::convert::{Remark, RemarkKind, convert};
use crate::hook::dialect::version;
use crate::hook::lint::{Finding, LintOptions, Severity, TARGET_CHANGED, TARGET_LOST, lint};
use crate::hook::{ConfigError, ConfigProblem, ContractVersion, Dialect, LoadOptions, assignment};
use crate::sandbox::Sandbox;
use crate::vfs::fixture::host::{self, HostKind, MOST_TEXT};
use crate::visible;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Arguments of `hookbox check`.
#[derive(Clone, Debug, clap::Args)]
pub struct CheckArguments {
    /// Hook configs; - is standard input
    #[arg(required_unless_present_any = ["rules", "set", "contract"], value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// The configs' dialect; found from the content when not given
    #[arg(long, value_name = "NAME", value_parser = DialectParser)]
    pub dialect: Option<Dialect>,
    /// The version of the dialect's contract; the newest when not given. `--contract help` lists them
    #[arg(long, value_name = "NAME@VERSION")]
    pub contract: Option<ContractArgument>,
    /// A command that the session will have beside those of the sandbox (repeatable); a FILE is not looked at
    #[arg(long, value_name = "NAME[=FILE]")]
    pub stub: Vec<String>,
    /// A folder of the session in which scripts are looked for (repeatable; at /workspace)
    #[arg(long, value_name = "HOSTDIR[:VPATH]")]
    pub seed: Vec<String>,
    /// The longest time that the host gives a hook, in seconds
    #[arg(long, value_name = "SECONDS", value_parser = read_seconds)]
    pub timeout_cap: Option<Duration>,
    /// Set what a host would set (repeatable), as for `fire`; `--set help` lists the settings
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// Tell also what this version of the dialect's contract does not know yet, or what has no counterpart in another dialect
    /// (as `convert` would)
    #[arg(long, value_name = "NAME[@VERSION]")]
    pub target: Option<ContractVersion>,
    /// Refuse a config whose bundle is not what `hookbox lock` wrote down; say what changed and what that does
    #[arg(long)]
    pub locked: bool,
    /// Mend what has one safe answer, in the files themselves, and tell the rest
    #[arg(long)]
    pub fix: bool,
    /// Show notes too
    #[arg(long)]
    pub notes: bool,
    /// Print the findings as one JSON document
    #[arg(long)]
    pub json: bool,
    /// Print the findings as SARIF 2.1.0
    #[arg(long, conflicts_with = "json")]
    pub sarif: bool,
    /// Print the findings as annotations of GitHub's workflows
    #[arg(long, conflicts_with_all = ["json", "sarif"])]
    pub github: bool,
    /// List the rules
    #[arg(long)]
    pub rules: bool,
}

fn read_seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse::<f64>().map_err(|error| error.to_string())?;
    Duration::try_from_secs_f64(seconds).map_err(|error| error.to_string())
}

/// Runs the command.
pub fn run(arguments: &CheckArguments, sessions: &dyn SessionSource, streams: &mut Streams<'_>) -> u8 {
    let result = check(arguments, sessions, streams);
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

impl From<CommandFailure> for Refused {
    fn from(failure: CommandFailure) -> Self {
        let message = failure.to_string();
        Self { shown: message.clone(), message }
    }
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

fn check(
    arguments: &CheckArguments,
    sessions: &dyn SessionSource,
    streams: &mut Streams<'_>,
) -> Result<u8, CommandFailure> {
    if arguments.rules {
        streams.print(&report::rules())?;
        return Ok(0);
    }
    if arguments.contract == Some(ContractArgument::Help) {
        streams.print(&version::list())?;
        return Ok(0);
    }
    if arguments.files.is_empty() || arguments.set.iter().any(|set| set == "help") {
        streams.print(&settings(arguments.dialect))?;
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
            Ok(text) => check_and_mend(arguments, path, &name, &text, streams)?,
            Err(error) => {
                let message = folder_message(path).unwrap_or_else(|| error.to_string());
                Err(Refused { shown: format!("{}: {message}", visible::line(&name)), message })
            }
        };
        let checked = match checked {
            Ok(_) if arguments.locked => locked(arguments, path, sessions).map_or_else(Err, |()| checked),
            checked => checked,
        };
        files.push((name, checked));
    }
    if arguments.json {
        streams.print_json(&report::to_json(&files))?;
    } else if arguments.sarif {
        streams.print_json(&machine::sarif(&files))?;
    } else if arguments.github {
        streams.print(&machine::annotations(&files))?;
    } else {
        let text = visible::lines(&report::to_text(&files)).into_owned();
        let text = if streams.is_coloured { report::coloured(&text) } else { text };
        streams.stdout.write_all(text.as_bytes()).map_err(CommandFailure::Write)?;
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

/// Where configs lie in projects, plug-ins and fixtures.
const PLACES: &[&str] = &[
    ".claude/settings.json",
    ".claude/settings.local.json",
    ".claude-plugin/plugin.json",
    "hooks/hooks.json",
    "hooks.json",
    "agent.yaml",
    ".infer/hooks.yaml",
];

/// What to do instead of naming a folder.
fn folder_message(path: &Path) -> Option<String> {
    if host::kind_named(path) != Some(HostKind::Folder) {
        return None;
    }
    let folders = [path.to_owned(), path.join("tree")];
    let places = folders.iter().flat_map(|folder| PLACES.iter().map(|place| folder.join(place)));
    let there = places.filter(|place| host::kind_named(place) == Some(HostKind::File));
    let there: Vec<String> = there.map(|place| place.display().to_string()).collect();
    let list = if there.is_empty() { String::new() } else { format!("; there are {}", there.join(", ")) };
    Some(format!("a folder: name the config files{list}"))
}

/// Holds a config to its lock.
fn locked(arguments: &CheckArguments, path: &Path, sessions: &dyn SessionSource) -> Result<(), Refused> {
    let stubs = Stub::parse_all(&arguments.stub)?;
    Ok(super::lock::verify(path, &stubs, sessions)?)
}

/// The settings of one dialect, or of all.
fn settings(dialect: Option<Dialect>) -> String {
    let all = Dialect::ALL.iter().filter(|one| dialect.is_none_or(|dialect| dialect == **one));
    let lists = all.map(|dialect| format!("Settings of {dialect}:\n\n{}", assignment::list(*dialect)));
    lists.collect::<Vec<_>>().concat()
}

/// What a config has that another dialect lacks.
fn losses(from: Dialect, to: Dialect, name: &str, text: &[u8]) -> Result<Vec<Finding>, ConfigProblem> {
    let converted = convert(from, to, name, text)?;
    let finding = |remark: &Remark| {
        let rule = match remark.kind {
            RemarkKind::Lost => &TARGET_LOST,
            _ => &TARGET_CHANGED,
        };
        Finding::about_file(rule, name, remark.hook.clone(), format!("{}: {}", to.name(), remark.text))
    };
    Ok(converted.remarks.iter().map(finding).collect())
}

/// Checks a file; with `--fix` mends what can be mended, and checks it again.
fn check_and_mend(
    arguments: &CheckArguments,
    path: &Path,
    name: &str,
    text: &[u8],
    streams: &mut Streams<'_>,
) -> Result<Checked, CommandFailure> {
    let checked = check_text(arguments, path, name, text);
    let Ok((_, findings)) = &checked else { return Ok(checked) };
    if !arguments.fix || findings.iter().all(|finding| finding.fix.is_none()) {
        return Ok(checked);
    }
    if path.as_os_str() == "-" {
        let message = "--fix writes files: standard input has none; name the config's file".to_owned();
        return Err(CommandFailure::Other(message));
    }
    for line in fix::mend(path, findings)? {
        streams.report(&format!("hookbox: {line}\n"))?;
    }
    let text = host::read_named(path, MOST_TEXT).map_err(CommandFailure::host(name))?;
    Ok(check_text(arguments, path, name, &text))
}

fn check_text(arguments: &CheckArguments, path: &Path, name: &str, text: &[u8]) -> Checked {
    let contract = arguments.contract.and_then(ContractArgument::version);
    let named = arguments.dialect.or(contract.map(|version| version.dialect()));
    if let (Some(dialect), Some(version)) =
        (named, contract.filter(|version| Some(version.dialect()) != named))
    {
        let message = format!("{version} is no version of {dialect}");
        return Err(Refused { shown: message.clone(), message });
    }
    let dialect = match (named, arguments.target) {
        (Some(dialect), _) => dialect,
        (None, Some(target)) => Dialect::detect(name, text).unwrap_or(target.dialect()),
        (None, None) => Dialect::detect(name, text)?,
    };
    let has_command =
        |name: &str| Sandbox::has_command(name) || arguments.stub.iter().any(|stub| stub::name(stub) == name);
    let files = HostScripts::new(path, &arguments.seed).map_err(|error| {
        let message = format!("--seed: {error}");
        Refused { shown: message.clone(), message }
    })?;
    let mut load = LoadOptions { contract, ..LoadOptions::default() };
    apply(dialect, &mut load, &arguments.set).map_err(Refused::from)?;
    let options = LintOptions {
        has_command: &has_command,
        timeout_cap: arguments.timeout_cap,
        files: Some(&files),
        load: Some(&load),
        target: arguments.target.filter(|target| target.dialect() == dialect),
    };
    let mut findings = lint(dialect, name, text, &options).map_err(ConfigError::from)?;
    if let Some(target) = arguments.target.map(|target| target.dialect()).filter(|target| *target != dialect)
    {
        findings.extend(losses(dialect, target, name, text).map_err(ConfigError::from)?);
    }
    findings.extend(unread::finding(dialect, path, name));
    findings.retain(|finding| arguments.notes || finding.rule.severity > Severity::Note);
    Ok((dialect, findings))
}
