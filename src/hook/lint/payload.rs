//! What a script reads, held against what its dialect gives: payload fields and variables.

use super::HookLint;
use super::rule::{PAYLOAD_ARGUMENT, PAYLOAD_FIELD, VARIABLE_UNKNOWN};
use super::texts::{Piece, Texts, roots, variables};
use crate::hook::dialect::list::Dialect;
use crate::hook::portable;
use crate::inspect::View;
use rustc_hash::FxHashSet;

/// Fields that tell a dialect's payload from those of others; words that any JSON may have are not among them.
const TELLING: &[&str] = &[
    "data",
    "tool_input",
    "tool_response",
    "tool_name",
    "tool_use_id",
    "toolInput",
    "toolName",
    "rawInput",
    "ToolInput",
    "ToolName",
    "RawInput",
    "hook_event_name",
    "hookEvent",
    "HookEvent",
    "stop_response",
    "last_user_message",
    "steering_messages",
    "transcript_path",
    "hook_id",
];

/// Names that authors guess.
const GUESSED: &[&str] =
    &["TOOL_INPUT", "TOOL_NAME", "TOOL_ARGS", "HOOK_INPUT", "HOOK_PAYLOAD", "USER_PROMPT"];

impl HookLint<'_> {
    pub(super) fn payload(&mut self, script: &str, view: &View, texts: &Texts) {
        self.payload_fields(texts);
        self.shell_argument(texts);
        self.unknown_variables(script, view);
    }

    /// A script that reads a field of its own dialect too is written for several.
    fn payload_fields(&mut self, texts: &Texts) {
        let own = |name: &str| self.facts.payload.contains(&name);
        if texts.jq.iter().any(|piece| roots(&piece.text).any(own)) {
            return;
        }
        let found: Vec<(usize, String)> = texts
            .jq
            .iter()
            .flat_map(|piece| roots(&piece.text).map(move |root| (piece.offset, root)))
            .filter(|(_, root)| TELLING.contains(root))
            .map(|(offset, root)| (offset, root.to_owned()))
            .collect();
        let mut reported = FxHashSet::default();
        for (offset, root) in found {
            if reported.insert(root.clone()) {
                let own = self.facts.payload.iter().take(10).copied().collect::<Vec<_>>().join(", ");
                let message = format!("the payload of {} has no `.{root}`; it has {own}", self.dialect);
                self.report_in_script(&PAYLOAD_FIELD, offset, message);
            }
        }
    }

    /// `.tool_input.cmd` where the shell tool has `command`.
    fn shell_argument(&mut self, texts: &Texts) {
        let own = self.facts.shell_argument;
        if own.is_empty() || self.hook.tools.passes(self.facts.shell_tool) == Some(false) {
            return;
        }
        let reads = |piece: &Piece, name: &str| {
            ["tool_input", "toolInput", "ToolInput", "arguments"].iter().any(|object| {
                let path = format!("{object}.{name}");
                piece.text.match_indices(&path).any(|(at, _)| {
                    let next = piece.text.as_bytes().get(at.saturating_add(path.len()));
                    next.is_none_or(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_')
                })
            })
        };
        if own.iter().any(|name| texts.jq.iter().any(|piece| reads(piece, name))) {
            return;
        }
        for name in ["cmd", "command", "commands"] {
            let found = texts.jq.iter().find(|piece| reads(piece, name)).map(|piece| piece.offset);
            if let Some(offset) = found {
                let message = format!(
                    "the argument of `{}` is `{}`, not `{name}`",
                    self.facts.shell_tool,
                    own.join("` or `")
                );
                self.report_in_script(&PAYLOAD_ARGUMENT, offset, message);
            }
        }
    }

    fn unknown_variables(&mut self, script: &str, view: &View) {
        let assigned: FxHashSet<&str> = view
            .commands
            .iter()
            .flat_map(|command| command.assignments.iter().map(|(name, _)| name.as_str()))
            .chain(self.hook.environment.iter().map(|(name, _)| name.as_str()))
            .collect();
        let mut reported = FxHashSet::default();
        let found: Vec<(usize, String)> =
            variables(script).map(|(offset, name)| (offset, name.to_owned())).collect();
        for (offset, name) in found {
            if assigned.contains(name.as_str()) || self.facts.variables.contains(&name.as_str()) {
                continue;
            }
            let Some(message) = self.unknown_variable(&name) else { continue };
            if reported.insert(name) {
                self.report_in_script(&VARIABLE_UNKNOWN, offset, message);
            }
        }
    }

    fn unknown_variable(&self, name: &str) -> Option<String> {
        let with_prefix = |dialect: Dialect| {
            portable::facts(dialect).variable_prefixes.iter().any(|prefix| name.starts_with(prefix))
        };
        if name.starts_with("CLAUDE_PLUGIN_OPTION_") && self.dialect == Dialect::ClaudeCode {
            return None;
        }
        let owner = Dialect::ALL.iter().copied().find(|dialect| with_prefix(*dialect));
        match owner {
            Some(owner) if owner == self.dialect => Some(format!("{owner} sets no `${name}`")),
            Some(owner) => {
                Some(format!("`${name}` is a variable of {owner}; {} does not set it", self.dialect))
            }
            None if GUESSED.contains(&name) => {
                Some(format!("`${name}` is set by nobody: the payload is read from standard input"))
            }
            None => None,
        }
    }
}
