//! `safer_shell` (R35): asks before a shell command that is not known to only read. Later releases of the platform judge commands
//! themselves, and the built-in only says what it found.
//!
//! The command is taken apart as the shell would ([`crate::inspect`]), so that quoting, wrappers, substitutions and
//! `bash -c` hide nothing. Of destructive commands the worst one is told. A known read is one command alone, without
//! redirections to files, assignments and unknown parts, and without `&&`, `||`, `|` or `;` anywhere in its text.

use super::safer_shell_rules::{DESTRUCTIVE, DestructiveRule, READERS, ReadingRule};
use super::{BuiltinCall, category};
use crate::hook::version::Part;
use crate::hook::word::Word as _;
use crate::inspect::{CommandView, RedirectView, View, WordView, inspect_briefly};
use serde_json::{Value, json};

pub(super) fn run(call: &BuiltinCall<'_>) -> Result<Option<Value>, String> {
    if category(call) != "shell" {
        return Ok(None);
    }
    let argument = |name: &str| call.payload.get("tool_input").and_then(|input| input.get(name)?.as_str());
    let Some(command) = argument("cmd").or_else(|| argument("command")) else { return Ok(None) };
    if command.trim().is_empty() {
        return Ok(None);
    }
    let view = inspect_briefly(command.as_bytes());
    let labels = call.bundle.contract.since(Part::Way, "safer_shell_labels").is_none();
    let told = |label: &str, radius: &str, category: &str, reason: &str| {
        Ok(Some(if labels {
            labelled(label, radius, category, reason)
        } else {
            ask(radius, category, reason)
        }))
    };
    if let Some((rule, found)) = worst(&view) {
        let reason = format!("`{found}` {}", rule.reason);
        return told("destructive", rule.radius.name(), rule.category, &reason);
    }
    if is_known_read(command, &view) {
        return if labels { told("safe", "safe", "read", "the command only reads") } else { Ok(None) };
    }
    let why = match (&view.error, view.opaque.first()) {
        (Some(error), _) => format!("the command can not be read: {error}"),
        (None, Some(_)) => "what the command runs is only known when it runs".to_owned(),
        (None, None) => "the command is not known to only read".to_owned(),
    };
    told("unknown", "unknown", "unknown", &why)
}

fn labelled(label: &str, radius: &str, category: &str, reason: &str) -> Value {
    json!({"hook_specific_output": {
        "metadata": {"safety_label": label, "blast_radius": radius, "category": category, "reason": reason},
    }})
}

fn ask(radius: &str, category: &str, reason: &str) -> Value {
    json!({"hook_specific_output": {
        "permission_decision": "ask",
        "permission_decision_reason": reason,
        "metadata": {"blast_radius": radius, "category": category, "reason": reason},
    }})
}

/// The arguments; those that are computed are empty.
fn arguments(command: &CommandView) -> Vec<&str> {
    command.words.iter().skip(1).map(|word| word.text.as_deref().unwrap_or("")).collect()
}

/// The rule of the worst command, the first one of these, and the command's name.
fn worst(view: &View) -> Option<(&'static DestructiveRule, &str)> {
    let mut worst: Option<(&'static DestructiveRule, &str)> = None;
    for command in &view.commands {
        let Some(name) = command.name() else { continue };
        let arguments = arguments(command);
        let found = DESTRUCTIVE.iter().find(|rule| rule.fits(name, &arguments));
        if let Some(rule) = found
            && worst.is_none_or(|(known, _)| known.radius < rule.radius)
        {
            worst = Some((rule, name));
        }
    }
    worst
}

fn is_known_read(text: &str, view: &View) -> bool {
    let [command] = view.commands.as_slice() else { return false };
    let keeps_files = |redirect: &RedirectView| {
        matches!(redirect.operator, "<" | ">&" | "<<<")
            || redirect.target.text.as_deref() == Some("/dev/null")
    };
    let is_plain = view.opaque.is_empty()
        && view.error.is_none()
        && !text.contains(['|', ';'])
        && !text.contains("&&")
        && command.assignments.is_empty()
        && command.redirects.iter().all(keeps_files)
        && command.via.is_empty();
    // A path instead of a name could be any program.
    let name = command.words.first().and_then(|word| word.text.as_deref()).unwrap_or("");
    let is_pattern = |word: &WordView| word.text.is_none() && !word.source.contains(['$', '`']);
    let arguments = arguments(command);
    let fits = |reader: &ReadingRule| {
        // A pattern could become an option, which matters where one writes.
        let known = |word: &WordView| word.text.is_some() || reader.any_option() && is_pattern(word);
        command.words.iter().all(known) && reader.fits(name, &arguments)
    };
    is_plain && READERS.iter().any(fits)
}
