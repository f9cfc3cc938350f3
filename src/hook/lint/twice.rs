//! A payload that is read twice: standard input is at its end after the first `jq` or `cat`, and the second gets nothing.

use super::HookLint;
use super::rule::PAYLOAD_TWICE;
use crate::inspect::{CommandView, Via, View};
use regex::Regex;
use std::sync::LazyLock;

/// Options of `jq` with how many words belong to them.
const WITH_WORDS: &[(&str, usize)] = &[
    ("--arg", 2),
    ("--argjson", 2),
    ("--slurpfile", 2),
    ("--rawfile", 2),
    ("--argfile", 2),
    ("--indent", 1),
];

impl HookLint<'_> {
    pub(super) fn read_twice(&mut self, script: &str, view: &View) {
        let mut readers = view.commands.iter().filter(|command| reads_all(script, command));
        let (Some(first), Some(second)) = (readers.next(), readers.next()) else { return };
        // Where a loop, a group or a list comes between, something else may stand on standard input, or the first is not run.
        let before = script.get(..second.span.start).unwrap_or("");
        if branches(before) || !stands_first(script, first) {
            return;
        }
        let line = first.line;
        let name = first.name().unwrap_or_default();
        let message =
            format!("`{name}` in line {line} has read the payload to its end: nothing is left for this one");
        self.report_in_script(&PAYLOAD_TWICE, second.span.start, message);
    }
}

/// Whether a command reads the script's own standard input to its end.
fn reads_all(script: &str, command: &CommandView) -> bool {
    let is_own = command.via.iter().all(|via| matches!(via, Via::CommandSubstitution));
    let has_other = command.redirects.iter().any(|redirect| redirect.operator.starts_with('<'));
    let before = script.get(..command.span.start).unwrap_or("").trim_end_matches([' ', '\t', '\n', '\\']);
    let is_piped = before.ends_with('|') && !before.ends_with("||") || before.ends_with("|&");
    let reads = match command.name() {
        Some("cat") => command.words.iter().skip(1).all(|word| word.source == "-"),
        Some("jq") => has_no_file(command),
        _ => false,
    };
    is_own && !has_other && !is_piped && reads
}

/// Whether a `jq` is given a program and no file, and reads its input.
fn has_no_file(command: &CommandView) -> bool {
    let mut words = command.words.iter().skip(1).map(|word| word.text.as_deref().unwrap_or(&word.source));
    let mut has_program = false;
    while let Some(word) = words.next() {
        if let Some((_, count)) = WITH_WORDS.iter().find(|(option, _)| *option == word) {
            for _ in 0..*count {
                words.next();
            }
        } else if word.starts_with("--") {
            if matches!(
                word,
                "--null-input" | "--from-file" | "--args" | "--jsonargs" | "--help" | "--version"
            ) {
                return false;
            }
        } else if word.starts_with('-') && word.len() > 1 {
            if word.contains(['n', 'f', 'h', 'V']) {
                return false;
            }
        } else if std::mem::replace(&mut has_program, true) {
            return false;
        }
    }
    has_program
}

/// Whether a text of a script has a loop, a branch, a group or a function.
fn branches(text: &str) -> bool {
    static WORD: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(r"(?m)(?:^|[;&|(])\s*(?:if|for|while|until|case|select|exec|trap|function|\{|\()(?:\s|$)|\(\)\s*\{").ok()
    });
    WORD.as_ref().is_none_or(|word| word.is_match(text))
}

/// Whether nothing decides if the command is run.
fn stands_first(script: &str, command: &CommandView) -> bool {
    let before = script.get(..command.span.start).unwrap_or("");
    let line = before.rsplit(['\n', ';']).next().unwrap_or("");
    !line.contains("&&") && !line.contains("||")
}
