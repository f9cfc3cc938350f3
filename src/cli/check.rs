//! `hookbox check`: validates hook configs as for saving, and looks for what goes wrong in them.
//!
//! Findings are errors (it does not work), warnings (probably not what was meant) and, with `--notes`, notes. Nothing is
//! run.
//!
//! Exit status: 0 no error was found, 1 there is one, 2 a file could not be read or its dialect is not clear.

use super::{CommandFailure, Streams, finish, stub};
use crate::hook::lint::{Finding, LintOptions, RULES, Severity, lint};
use crate::hook::{ConfigError, Dialect};
use crate::sandbox::Sandbox;
use crate::vfs::fixture::host::{self, MOST_TEXT};
use crate::visible;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Arguments of `hookbox check`.
#[derive(Clone, Debug, clap::Args)]
pub struct CheckArguments {
    /// Hook configs
    #[arg(required_unless_present = "rules", value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// The configs' dialect; found from the content when not given
    #[arg(long, value_name = "NAME")]
    pub dialect: Option<Dialect>,
    /// A command that the session will have beside those of the sandbox (repeatable); a FILE is not looked at
    #[arg(long, value_name = "NAME[=FILE]")]
    pub stub: Vec<String>,
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
type Checked = Result<(Dialect, Vec<Finding>), String>;

fn check(arguments: &CheckArguments, streams: &mut Streams<'_>) -> Result<u8, CommandFailure> {
    if arguments.rules {
        streams.print(&rules())?;
        return Ok(0);
    }
    let files: Vec<(String, Checked)> = arguments
        .files
        .iter()
        .map(|path| (path.display().to_string(), check_file(arguments, path)))
        .collect();
    if arguments.json {
        streams.print_json(&to_json(&files))?;
    } else {
        streams.print(&to_text(&files))?;
    }
    for (name, checked) in &files {
        if let Err(why) = checked {
            streams.report(&format!("hookbox: {}: {why}\n", visible::line(name)))?;
        }
    }
    let findings =
        || files.iter().filter_map(|(_, checked)| checked.as_ref().ok()).flat_map(|(_, findings)| findings);
    Ok(if files.iter().any(|(_, checked)| checked.is_err()) {
        2
    } else {
        u8::from(findings().any(|finding| finding.rule.severity == Severity::Error))
    })
}

fn check_file(arguments: &CheckArguments, path: &Path) -> Checked {
    let name = path.display().to_string();
    let text = host::read_named(path, MOST_TEXT).map_err(|error| error.to_string())?;
    let messages = |error: &ConfigError| {
        let lines: Vec<&str> = error.problems.iter().map(|problem| problem.message.as_str()).collect();
        lines.join("; ")
    };
    let dialect = match arguments.dialect {
        Some(dialect) => dialect,
        None => Dialect::detect(&name, &text).map_err(|error| messages(&error))?,
    };
    let has_command =
        |name: &str| Sandbox::has_command(name) || arguments.stub.iter().any(|stub| stub::name(stub) == name);
    let options = LintOptions { has_command: &has_command, timeout_cap: arguments.timeout_cap };
    let mut findings = lint(dialect, &name, &text, &options).map_err(|problem| problem.message)?;
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

fn to_text(files: &[(String, Checked)]) -> String {
    let mut text = String::new();
    let mut counts = [0_usize; 3];
    for (_, checked) in files {
        let Ok((_, findings)) = checked else { continue };
        for finding in findings {
            if let Some(count) = counts.get_mut(finding.rule.severity as usize) {
                *count += 1;
            }
            let _ = writeln!(text, "{}\n", finding.show());
        }
    }
    let [notes, warnings, errors] = counts;
    let plural = |count: usize, what: &str| format!("{count} {what}{}", if count == 1 { "" } else { "s" });
    let mut parts = vec![plural(errors, "error"), plural(warnings, "warning")];
    if notes > 0 {
        parts.push(plural(notes, "note"));
    }
    let _ = writeln!(text, "{}", parts.join(", "));
    text
}

fn to_json(files: &[(String, Checked)]) -> Value {
    let files: Vec<Value> = files
        .iter()
        .map(|(name, checked)| match checked {
            Ok((dialect, findings)) => {
                let findings: Vec<Value> = findings.iter().map(Finding::to_json).collect();
                json!({"file": name, "dialect": dialect.name(), "findings": findings})
            }
            Err(why) => json!({"file": name, "error": why}),
        })
        .collect();
    json!({"files": files})
}
