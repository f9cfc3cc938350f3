//! `help`: from the table of builtins and the syntax of the keywords. Bash manual 4.2.

use crate::memory::{String, ToMetered, Vec, format};
use super::{BUILTINS, Builtin, Flow, Invocation, letter_options};
use crate::machine::process::{Process, Step};
use crate::machine::run::Run;
use crate::text::Text;
use std::task::Context;

pub(super) static HELP: Builtin = Builtin {
    name: "help",
    special: false,
    synopsis: "help [-dms] [pattern ...]",
    help: "Display information about builtin commands.",
    run,
};

/// Name, synopsis, what it does.
const KEYWORDS: [(&str, &str, &str); 15] = [
    ("%", "job_spec [&]", "Resume job in foreground."),
    ("((", "(( expression ))", "Evaluate arithmetic expression."),
    ("[[", "[[ expression ]]", "Execute conditional command."),
    (
        "case",
        "case WORD in [PATTERN [| PATTERN]...) COMMANDS ;;]... esac",
        "Execute commands based on pattern matching.",
    ),
    ("coproc", "coproc [NAME] command [redirections]", "Create a coprocess named NAME."),
    ("for", "for NAME [in WORDS ... ] ; do COMMANDS; done", "Execute commands for each member in a list."),
    ("for ((", "for (( exp1; exp2; exp3 )); do COMMANDS; done", "Arithmetic for loop."),
    ("function", "function name { COMMANDS ; } or name () { COMMANDS ; }", "Define shell function."),
    (
        "if",
        "if COMMANDS; then COMMANDS; [ elif COMMANDS; then COMMANDS; ]... [ else COMMANDS; ] fi",
        "Execute commands based on conditional.",
    ),
    (
        "select",
        "select NAME [in WORDS ... ;] do COMMANDS; done",
        "Select words from a list and execute commands.",
    ),
    ("time", "time [-p] pipeline", "Report time consumed by pipeline's execution."),
    ("until", "until COMMANDS; do COMMANDS-2; done", "Execute commands as long as a test does not succeed."),
    (
        "variables",
        "variables - Names and meanings of some shell variables",
        "Common shell variable names and usage.",
    ),
    ("while", "while COMMANDS; do COMMANDS-2; done", "Execute commands as long as a test succeeds."),
    ("{ ... }", "{ COMMANDS ; }", "Group commands as a unit."),
];

/// All topics by name.
pub(super) fn topics() -> Vec<(&'static str, &'static str, &'static str)> {
    let mut all: Vec<_> = KEYWORDS.to_metered();
    all.extend(BUILTINS.iter().map(|builtin| (builtin.name, builtin.synopsis, builtin.help)));
    all.sort_by_key(|topic| topic.0);
    all
}

fn run(process: &mut Process, _: &mut Run, _: &mut Context<'_>, invocation: &mut Invocation) -> Step<Flow> {
    let letters = match letter_options::parse(process, invocation, b"dms") {
        Ok(letters) => letters,
        Err(flow) => return Ok(flow),
    };
    let patterns = invocation.args.get(letters.first..).unwrap_or(&[]);
    if patterns.is_empty() {
        list(process);
        return Ok(Flow::Status(0));
    }
    let mut any = false;
    for pattern in patterns {
        let chosen = chosen(pattern);
        let is_pattern = pattern.iter().any(|byte| matches!(byte, b'*' | b'?' | b'['));
        if is_pattern && !chosen.is_empty() && super::find(pattern).is_none() {
            let heading = format!("Shell commands matching keyword `{pattern}'\n\n");
            process.out.extend_from_slice(heading.as_bytes());
        }
        any |= !chosen.is_empty();
        for (name, synopsis, text) in chosen {
            let shown = if letters.has(b'd') {
                format!("{name} - {text}\n")
            } else if letters.has(b'm') {
                format!(
                    "NAME\n    {name} - {text}\n\nSYNOPSIS\n    {synopsis}\n\nDESCRIPTION\n    {text}\n\n"
                )
            } else if letters.has(b's') {
                format!("{name}: {synopsis}\n")
            } else {
                format!("{name}: {synopsis}\n    {text}\n")
            };
            process.out.extend_from_slice(shown.as_bytes());
        }
    }
    if !any && let Some(last) = patterns.last() {
        process.report_for(
            &invocation.name(),
            format_args!(
                "no help topics match `{last}'.  Try `help help' or `man -k {last}' or `info {last}'."
            ),
        );
        return Ok(Flow::Status(1));
    }
    Ok(Flow::Status(0))
}

/// The topics that a name, the start of names, or a pattern means.
fn chosen(pattern: &Text) -> Vec<(&'static str, &'static str, &'static str)> {
    let all = topics();
    let exact: Vec<_> =
        all.iter().copied().filter(|topic| topic.0.as_bytes() == pattern.as_bytes()).collect();
    if !exact.is_empty() {
        return exact;
    }
    let is_pattern = pattern.iter().any(|byte| matches!(byte, b'*' | b'?' | b'['));
    if !is_pattern {
        return all.into_iter().filter(|topic| topic.0.as_bytes().starts_with(pattern)).collect();
    }
    let compiled = super::compgen::compiled(pattern);
    all.into_iter().filter(|topic| super::compgen::is_match(&compiled, topic.0.as_bytes())).collect()
}

/// Every synopsis, in two columns.
fn list(process: &mut Process) {
    let head = "GNU bash, version 5.2.15(1)-release (x86_64-pc-linux-gnu)\nThese shell commands are defined internally.  \
         Type `help' to see this list.\nType `help name' to find out more about the function `name'.\n\n\
         A star (*) next to a name means that the command is disabled.\n\n";
    process.out.extend_from_slice(head.as_bytes());
    let cell = |process: &Process, synopsis: &str, name: &str| {
        let star = super::find(name.as_bytes()).is_some_and(|builtin| !process.is_enabled(builtin));
        let mut text = String::from(if star { "*" } else { " " });
        if synopsis.chars().count() > 37 {
            text.extend(synopsis.chars().take(36));
            text.push('>');
        } else {
            text.push_str(synopsis);
        }
        text
    };
    let all = topics();
    let rows = all.len().div_ceil(2);
    for row in 0..rows {
        let left = all.get(row).map(|topic| cell(process, topic.1, topic.0)).unwrap_or_default();
        let line = match all.get(row + rows) {
            Some(right) => format!("{left:<40}{}\n", cell(process, right.1, right.0)),
            None => format!("{left}\n"),
        };
        process.out.extend_from_slice(line.as_bytes());
    }
}
