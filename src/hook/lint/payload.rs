//! What a script reads, held against what its dialect gives: payload fields and variables.

use super::HookLint;
use super::rule::{PAYLOAD_ARGUMENT, PAYLOAD_FIELD, VARIABLE_UNKNOWN};
use super::texts::{Piece, Texts, assigned, roots};
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

/// The same with the prefix of Claude Code.
const GUESSED_CLAUDE: &[&str] = &[
    "CLAUDE_TOOL_INPUT",
    "CLAUDE_TOOL_NAME",
    "CLAUDE_TOOL_OUTPUT",
    "CLAUDE_TOOL_ARGS",
    "CLAUDE_FILE_PATH",
    "CLAUDE_FILE_PATHS",
    "CLAUDE_USER_PROMPT",
];

/// Commands that may read standard input, or run what does.
const READS: &[&str] = &[
    "cat",
    "jq",
    "read",
    "head",
    "tee",
    "python",
    "python3",
    "node",
    "mapfile",
    "readarray",
    "grep",
    "sed",
    "awk",
    "source",
    ".",
];

impl HookLint<'_> {
    pub(super) fn payload(&mut self, view: &View, texts: &Texts) {
        self.payload_fields(texts);
        self.shell_argument(texts);
        self.unknown_variables(view);
    }

    /// A script that reads a field of its own dialect too is written for several.
    fn payload_fields(&mut self, texts: &Texts) {
        let own = |name: &str| self.facts.roots().contains(&name);
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
                let own = self.facts.roots().iter().take(10).copied().collect::<Vec<_>>().join(", ");
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

    /// Variables that nobody sets: not the script, not the config, not the dialect. Where the script says what holds without
    /// the variable, it is the author's own setting.
    fn unknown_variables(&mut self, view: &View) {
        let mut assigned: FxHashSet<&str> = assigned(view).collect();
        assigned.extend(self.hook.environment.iter().map(|(name, _)| name.as_str()));
        // Names that authors take for the payload's: where nothing else is read, the script does nothing.
        let is_blind =
            !view.commands.iter().any(|command| command.name().is_some_and(|name| READS.contains(&name)));
        let is_guess = |name: &str| is_blind && (GUESSED.contains(&name) || GUESSED_CLAUDE.contains(&name));
        let with_default = view.expansions.iter().filter(|one| one.has_default && !is_guess(&one.name));
        assigned.extend(with_default.map(|one| one.name.as_str()));
        let mut reported = FxHashSet::default();
        for expansion in &view.expansions {
            let name = expansion.name.as_str();
            let beside = self.beside.is_some_and(|beside| beside.variables.contains(name));
            if beside || assigned.contains(name) || self.facts.variables.contains(&name) {
                continue;
            }
            let Some(message) = self.unknown_variable(name) else { continue };
            if reported.insert(name) {
                self.report_in_script(&VARIABLE_UNKNOWN, expansion.span.start, message);
            }
        }
    }

    fn unknown_variable(&self, name: &str) -> Option<String> {
        let with_prefix = |dialect: Dialect| {
            portable::facts(dialect).variable_prefixes.iter().any(|prefix| name.starts_with(prefix))
        };
        let of_user = ["CLAUDE_PLUGIN_OPTION_", "CLAUDE_CODE_", "CLAUDE_CONFIG_DIR", "CLAUDE_SESSION_ID"];
        if self.dialect == Dialect::ClaudeCode && of_user.iter().any(|start| name.starts_with(start)) {
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
