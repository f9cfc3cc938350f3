//! `help`: from the table of builtins and the syntax of the keywords. Bash manual 4.2.

use super::context::ShellContext;
use super::error::BuiltinError;
use super::options::{OptionRow, flag};
use super::output::Printout;
use super::row::{Act, Builtin, Flow, Table};
use crate::memory::{String, ToMetered, Vec};
use crate::text::Text;
use std::fmt::Write as _;

pub(super) static HELP: Builtin = Builtin {
    name: "help",
    special: false,
    synopsis: "help [-dms] [pattern ...]",
    help: "Display information about builtin commands.",
    options: &[
        flag(b'd', "show what each topic is about in a line"),
        flag(b'm', "show it in the form of a manual page"),
        flag(b's', "show the synopsis only"),
    ],
    act: Act::Shell(help),
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

/// Something that help is asked about.
#[derive(Clone, Copy)]
pub(super) struct Topic {
    pub(super) name: &'static str,
    synopsis: &'static str,
    text: &'static str,
    options: &'static [OptionRow],
}

/// All topics by name.
pub(super) fn topics(table: &Table) -> Vec<Topic> {
    let keyword = |&(name, synopsis, text): &(&'static str, &'static str, &'static str)| Topic {
        name,
        synopsis,
        text,
        options: &[],
    };
    let mut all: Vec<Topic> = KEYWORDS.iter().map(keyword).collect();
    all.extend(table.rows.iter().map(|builtin| topic_of(builtin)));
    all.sort_by_key(|topic| topic.name);
    all
}

fn topic_of(builtin: &Builtin) -> Topic {
    Topic { name: builtin.name, synopsis: builtin.synopsis, text: builtin.help, options: builtin.options }
}

/// What `NAME --help` shows.
pub(super) fn print_help(builtin: &Builtin, out: &mut Printout) {
    // Writing into a printout does not fail.
    let _ = print_long(topic_of(builtin), out);
}

fn print_long(topic: Topic, out: &mut Printout) -> std::fmt::Result {
    writeln!(out, "{}: {}", topic.name, topic.synopsis)?;
    writeln!(out, "    {}", topic.text)?;
    print_options(topic, out)
}

/// The options of a builtin, one in a line.
fn print_options(topic: Topic, out: &mut Printout) -> std::fmt::Result {
    if topic.options.is_empty() {
        return Ok(());
    }
    writeln!(out, "    \n    Options:")?;
    for row in topic.options {
        let letter = char::from(row.letter);
        match row.argument {
            Some(argument) => writeln!(out, "      -{letter} {argument}\t{}", row.help)?,
            None => writeln!(out, "      -{letter}\t{}", row.help)?,
        }
    }
    Ok(())
}

fn help(ctx: &mut ShellContext<'_>) -> Result<Flow, BuiltinError> {
    let options = ctx.options()?;
    let patterns = ctx.operands(&options);
    if patterns.is_empty() {
        list(ctx);
        return Ok(Flow::Status(0));
    }
    let style = options.last_of(b"dms");
    // The status is kept turned round while patterns are looked at: one that is found is enough.
    while let Some(pattern) = ctx.next(patterns) {
        let chosen = chosen(ctx.table, pattern);
        let is_pattern = pattern.iter().any(|byte| matches!(byte, b'*' | b'?' | b'['));
        if is_pattern && !chosen.is_empty() && ctx.find_builtin(pattern).is_none() {
            ctx.out.bytes(b"Shell commands matching keyword `");
            ctx.out.text(pattern);
            ctx.out.bytes(b"'\n\n");
        }
        if !chosen.is_empty() {
            ctx.raise(1);
        }
        for topic in chosen {
            let _ = print_topic(topic, style, ctx.out);
        }
    }
    match (ctx.flow(), patterns.last()) {
        (Flow::Status(0), Some(last)) => Err(BuiltinError::NoHelp(last.clone())),
        (Flow::Status(_), _) => Ok(Flow::Status(0)),
        (flow, _) => Ok(flow),
    }
}

fn print_topic(topic: Topic, style: Option<u8>, out: &mut Printout) -> std::fmt::Result {
    let Topic { name, synopsis, text, .. } = topic;
    match style {
        Some(b'd') => writeln!(out, "{name} - {text}"),
        Some(b'm') => {
            write!(
                out,
                "NAME\n    {name} - {text}\n\nSYNOPSIS\n    {synopsis}\n\nDESCRIPTION\n    {text}\n"
            )?;
            print_options(topic, out)?;
            out.write_str("\n")
        }
        Some(_) => writeln!(out, "{name}: {synopsis}"),
        None => print_long(topic, out),
    }
}

/// The topics that a name, the start of names, or a pattern means.
fn chosen(table: &Table, pattern: &Text) -> Vec<Topic> {
    let all = topics(table);
    let exact: Vec<Topic> =
        all.iter().copied().filter(|topic| topic.name.as_bytes() == pattern.as_bytes()).collect();
    if !exact.is_empty() {
        return exact;
    }
    let is_pattern = pattern.iter().any(|byte| matches!(byte, b'*' | b'?' | b'['));
    if !is_pattern {
        return all.into_iter().filter(|topic| topic.name.as_bytes().starts_with(pattern)).collect();
    }
    let compiled = super::compgen::compiled(pattern);
    all.into_iter().filter(|topic| super::compgen::is_match(&compiled, topic.name.as_bytes())).collect()
}

/// What `help` says before its list.
const HEAD: &str = "GNU bash, version 5.2.15(1)-release (x86_64-pc-linux-gnu)\nThese shell commands are defined internally.  \
     Type `help' to see this list.\nType `help name' to find out more about the function `name'.\n\n\
     A star (*) next to a name means that the command is disabled.\n\n";

/// Every synopsis, in two columns.
fn list(ctx: &mut ShellContext<'_>) {
    ctx.out.bytes(HEAD.as_bytes());
    let all = topics(ctx.table);
    let rows = all.len().div_ceil(2);
    for row in 0..rows {
        let left = all.get(row).map(|topic| cell(ctx, *topic)).unwrap_or_default();
        let _ = match all.get(row + rows) {
            Some(right) => {
                let right = cell(ctx, *right);
                writeln!(ctx.out, "{left:<40}{right}")
            }
            None => writeln!(ctx.out, "{left}"),
        };
    }
}

fn cell(ctx: &ShellContext<'_>, topic: Topic) -> String {
    let is_off = ctx.find_builtin(topic.name.as_bytes()).is_some_and(|builtin| !ctx.is_enabled(builtin));
    let mut text = if is_off { "*" } else { " " }.to_metered();
    if topic.synopsis.chars().count() > 37 {
        text.extend(topic.synopsis.chars().take(36));
        text.push('>');
    } else {
        text.push_str(topic.synopsis);
    }
    text
}
