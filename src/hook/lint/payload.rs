//! What a script reads, held against what its dialect gives: payload fields and variables.

use super::HookLint;
use super::flow::Flow;
use super::rule::{PAYLOAD_ARGUMENT, PAYLOAD_FIELD, PLACEHOLDER, VARIABLE_UNKNOWN};
use super::texts::{Piece, Texts, assigned, looped, roots};
use crate::hook::dialect::list::Dialect;
use crate::hook::portable::{self, Tools};
use crate::inspect::{CommandView, View};
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
    &["TOOL_INPUT", "TOOL_NAME", "TOOL_ARGS", "HOOK_INPUT", "HOOK_PAYLOAD", "USER_PROMPT", "FILE_PATH"];

/// The same with the prefix of Claude Code.
const GUESSED_CLAUDE: &[&str] = &[
    "CLAUDE_TOOL_INPUT",
    "CLAUDE_TOOL_NAME",
    "CLAUDE_TOOL_OUTPUT",
    "CLAUDE_TOOL_ARGS",
    "CLAUDE_FILE_PATH",
    "CLAUDE_FILE_PATHS",
    "CLAUDE_USER_PROMPT",
    "CLAUDE_TOOL_INPUT_FILE_PATH",
    "CLAUDE_TOOL_INPUT_COMMAND",
    "CLAUDE_TOOL_RESPONSE",
    "CLAUDE_TOOL_RESULT",
    "CLAUDE_TOOL_EXIT_CODE",
    "CLAUDE_COMMAND",
    "CLAUDE_BASH_COMMAND",
    "CLAUDE_PROMPT",
    "CLAUDE_HOOK_EVENT",
    "CLAUDE_HOOK_INPUT",
    "CLAUDE_NOTIFICATION",
    "CLAUDE_NOTIFICATION_MESSAGE",
    "CLAUDE_TRANSCRIPT_PATH",
    "CLAUDE_SUBAGENT_NAME",
    "CLAUDE_AGENT_NAME",
];

/// Roots that authors guess, and the payload's own.
const GUESSED_ROOTS: &[(&str, &str)] = &[
    ("tool_output", "tool_response"),
    ("tool_result", "tool_response"),
    ("tool_args", "tool_input"),
    ("tool_arguments", "tool_input"),
    ("tool_parameters", "tool_input"),
    ("user_prompt", "prompt"),
];

/// What authors take for placeholders.
const PLACEHOLDERS: &[&str] = &[
    "tool_input",
    "toolInput",
    "tool_name",
    "toolName",
    "tool_output",
    "tool_response",
    "tool_result",
    "file_path",
    "filePath",
    "transcript_path",
    "user_prompt",
];

/// Names that authors guess for the argument of Claude Code's file tools that is the file.
const GUESSED_FILES: &[&str] = &["path", "file", "filename", "filePath", "filepath", "file_name"];

/// Those of them that no tool of Claude Code has.
const NEVER_FILES: &[&str] = &["filePath", "filepath"];

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

/// Programs that may read standard input too, or run what does.
const READERS: &[&str] = &[
    "bun", "cut", "dd", "deno", "env", "exec", "npx", "perl", "php", "ruby", "sort", "tail", "tr", "uv",
    "wc", "xargs", "bash", "sh", "zsh",
];

/// What shows that a script knows how many arguments it has, or may have none.
const ARGUMENT_MARKS: &[&str] = &[
    "$#",
    "${#",
    "$@",
    "${@",
    "$*",
    "set --",
    "getopts",
    "shift",
    "/dev/stdin",
    "-n \"$1",
    "-n \"${1",
    "-n $1",
];

/// Whether a jq there reads the payload: what stands before it in its line writes that, or it is the first of its substitution.
fn reads_payload(script: &str, offset: usize, flow: &Flow) -> bool {
    let before = script.get(..offset).unwrap_or("").trim_end_matches([' ', '\t', '\n', '\\']);
    let after = script.get(offset..).unwrap_or("").lines().next().unwrap_or("");
    if let Some(writer) = before.strip_suffix('|').filter(|writer| !writer.ends_with('|')) {
        let writer = writer.rsplit(['\n', ';', '(']).next().unwrap_or("").trim();
        return writer == "cat" || flow.is_payload(writer) && !flow.has_member(writer);
    }
    if let Some((_, word)) = after.split_once("<<<") {
        let word = word.split([')', '|', ';', '&']).next().unwrap_or("").trim();
        return flow.is_payload(word) && !flow.has_member(word);
    }
    before.ends_with("$(") && flow.is_payload(after.split(')').next().unwrap_or(""))
}

impl HookLint<'_> {
    pub(super) fn payload(&mut self, view: &View, texts: &Texts) {
        self.payload_fields(texts);
        self.fields_of_events(texts);
        self.fields_of_other_events(view, texts);
        self.arguments_at_the_top(view, texts);
        self.shell_argument(texts);
        self.file_argument(texts);
        self.unknown_variables(view);
        self.missing_arguments(view);
        self.placeholders();
    }

    /// `{{tool_input.file_path}}` in the config's own command: platforms run that as it is. A script in a file may have templates of
    /// its own, and so has one that edits texts.
    fn placeholders(&mut self) {
        let Some(script) =
            self.hook.script().filter(|script| self.file.is_none() && !script.contains("sed "))
        else {
            return;
        };
        // `{{tool_input.x}}`; `${tool_input.x}`, which is no expansion either.
        let root_at = |at: usize, is_member: bool| {
            let rest = script.get(at.saturating_add(2)..).unwrap_or("");
            let rest = if is_member { rest } else { rest.trim_start_matches([' ', '.', '$']) };
            let end = rest.find(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_');
            let (root, after) = rest.split_at_checked(end.unwrap_or(rest.len()))?;
            (PLACEHOLDERS.contains(&root) && (!is_member || after.starts_with('.'))).then_some(root)
        };
        let first = |start: &str, is_member: bool| {
            memchr::memmem::find_iter(script.as_bytes(), start)
                .find_map(|at| Some((at, format!("{start}{}...", root_at(at, is_member)?))))
        };
        let found = first("{{", false).or_else(|| first("${", true));
        if let Some((at, shown)) = found {
            let message = format!("nobody puts text into `{shown}`: it is no variable, and stays as it is");
            self.report_in_script(&PLACEHOLDER, at, message);
        }
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

    /// Fields that other events have, in a script that reads none of its own event's: `.tool_input` when a turn has ended.
    /// And names that authors guess, where the script does not read the real one.
    fn fields_of_events(&mut self, texts: &Texts) {
        let Some(event) = self.hook.facts.filter(|event| self.facts.is_flat && !event.payload.is_empty())
        else {
            return;
        };
        let reads = |name: &str| texts.jq.iter().any(|piece| roots(&piece.text).any(|root| root == name));
        let asks = reads("hook_event_name") || event.payload.iter().any(|name| reads(name));
        if !asks && !event.tool && !event.payload.contains(&"tool_calls") {
            let of_tools = |piece: &&Piece| {
                roots(&piece.text).any(|root| matches!(root, "tool_input" | "tool_response"))
            };
            if let Some(piece) = texts.jq.iter().find(of_tools) {
                let own = event.payload.join(", ");
                let message =
                    format!("the payload of {} is about no tool; its own fields are {own}", event.name);
                self.report_in_script(&PAYLOAD_FIELD, piece.offset, message);
            }
        }
        for (guess, own) in GUESSED_ROOTS.iter().filter(|(_, own)| event.payload.contains(own) && !reads(own))
        {
            let found = texts.jq.iter().find(|piece| roots(&piece.text).any(|root| root == *guess));
            if let Some(offset) = found.map(|piece| piece.offset) {
                let message = format!("the payload of {} has no `.{guess}`; it has `.{own}`", event.name);
                self.report_in_script(&PAYLOAD_FIELD, offset, message);
            }
        }
    }

    /// `.prompt` before a tool call: in a script of the config itself, which runs on this event alone.
    fn fields_of_other_events(&mut self, view: &View, texts: &Texts) {
        let Some(script) = self.hook.script().filter(|_| self.file.is_none()) else { return };
        let Some(event) = self.hook.facts.filter(|event| self.facts.is_flat && !event.payload.is_empty())
        else {
            return;
        };
        let reads = |name: &str| texts.jq.iter().any(|piece| roots(&piece.text).any(|root| root == name));
        if self.dialect != Dialect::ClaudeCode || reads("hook_event_name") {
            return;
        }
        let is_told =
            |findings: &[super::Finding]| findings.iter().any(|finding| finding.rule == &PAYLOAD_FIELD);
        if is_told(&self.findings) {
            return;
        }
        let others: FxHashSet<&str> = self.facts.events.iter().flat_map(|row| row.payload).copied().collect();
        let flow = Flow::of(script, view, self.facts, self.has_payload);
        for piece in &texts.jq {
            let lacks = |root: &&str| {
                others.contains(root) && !event.payload.contains(root) && !self.facts.payload.contains(root)
            };
            // What stands behind `//` is for where the first is not there.
            let root = roots(&piece.text).find(lacks).filter(|_| !piece.text.contains("//"));
            let Some(root) = root.filter(|_| reads_payload(script, piece.offset, &flow)) else { continue };
            let own = event.payload.join(", ");
            let message = format!("the payload of {} has no `.{root}`; its own fields are {own}", event.name);
            self.report_in_script(&PAYLOAD_FIELD, piece.offset, message);
            return;
        }
    }

    /// `.file_path` of the payload, which has it in `.tool_input`: the hook finds nothing, whatever the call is.
    fn arguments_at_the_top(&mut self, view: &View, texts: &Texts) {
        let Some(script) = self.hook.script() else { return };
        let Some(event) = self.hook.facts.filter(|event| event.tool && event.payload.contains(&"tool_input"))
        else {
            return;
        };
        if self.dialect != Dialect::ClaudeCode || script.contains("tool_input") {
            return;
        }
        let flow = Flow::of(script, view, self.facts, self.has_payload);
        for piece in &texts.jq {
            let root = roots(&piece.text).find(|root| matches!(*root, "file_path" | "filePath" | "command"));
            let Some(root) = root.filter(|_| reads_payload(script, piece.offset, &flow)) else { continue };
            let message = format!("the payload of {} has no `.{root}`; it has `.tool_input`", event.name);
            self.report_in_script(&PAYLOAD_FIELD, piece.offset, message);
            return;
        }
    }

    /// `.tool_input.path` where the tools that pass have `file_path`.
    fn file_argument(&mut self, texts: &Texts) {
        let is_file_tool = |name: &str| matches!(name, "Write" | "Edit" | "MultiEdit" | "Read");
        let guesses = match &self.hook.tools {
            Tools::Names(names)
                if !names.is_empty() && names.iter().all(|name| !name.open && is_file_tool(&name.text)) =>
            {
                GUESSED_FILES
            }
            // No tool of its own has these; those of servers may.
            Tools::Any => NEVER_FILES,
            Tools::Names(names) if !names.iter().any(|name| name.text.starts_with("mcp_")) => NEVER_FILES,
            _ => return,
        };
        if self.dialect != Dialect::ClaudeCode
            || !self.hook.facts.is_some_and(|event| event.tool)
            || texts.jq.iter().any(|piece| piece.text.contains("file_path"))
        {
            return;
        }
        for name in guesses {
            let path = format!("tool_input.{name}");
            let reads = |piece: &&Piece| {
                piece.text.match_indices(&path).any(|(at, _)| {
                    let next = piece.text.as_bytes().get(at.saturating_add(path.len()));
                    next.is_none_or(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_')
                })
            };
            if let Some(offset) = texts.jq.iter().find(reads).map(|piece| piece.offset) {
                let message = format!("the file of Claude Code's file tools is `file_path`, not `{name}`");
                self.report_in_script(&PAYLOAD_ARGUMENT, offset, message);
                return;
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
        assigned.extend(self.hook.script().map(looped).into_iter().flatten());
        assigned.extend(self.hook.environment.iter().map(|(name, _)| name.as_str()));
        // Names that authors take for the payload's: where nothing else is read, the script does nothing.
        let is_blind =
            !view.commands.iter().any(|command| command.name().is_some_and(|name| READS.contains(&name)));
        let is_guess = |name: &str| is_blind && (GUESSED.contains(&name) || GUESSED_CLAUDE.contains(&name));
        let with_default = view.expansions.iter().filter(|one| one.has_default && !is_guess(&one.name));
        assigned.extend(with_default.map(|one| one.name.as_str()));
        // What a program prints for `eval` may set any variable.
        let evaluates = view.commands.iter().any(|command| {
            command.name() == Some("eval") && command.words.iter().any(|word| word.source.contains("$("))
        });
        let mut reported = FxHashSet::default();
        for expansion in &view.expansions {
            let name = expansion.name.as_str();
            let beside = self.beside.is_some_and(|beside| beside.variables.contains(name));
            let may_be_set = evaluates && GUESSED.contains(&name);
            if beside || may_be_set || assigned.contains(name) || self.facts.variables.contains(&name) {
                continue;
            }
            let Some(message) = self.unknown_variable(name) else { continue };
            if reported.insert(name) {
                self.report_in_script(&VARIABLE_UNKNOWN, expansion.span.start, message);
            }
        }
    }

    /// `$1` in a script that the config calls without arguments, and that reads nothing else: the payload comes on standard input.
    fn missing_arguments(&mut self, view: &View) {
        let Some(script) = self.hook.script() else { return };
        let Some(argument) = view.arguments.iter().find(|argument| !argument.has_default) else { return };
        // A script that asks what it was given runs in other ways, too.
        let asks = ARGUMENT_MARKS.iter().any(|mark| script.contains(mark));
        let reads = |command: &CommandView| {
            command.name().is_none_or(|name| READS.contains(&name) || READERS.contains(&name))
                && !command.words.is_empty()
        };
        let is_told = self.findings.iter().any(|finding| finding.rule == &VARIABLE_UNKNOWN);
        if self.has_arguments || asks || is_told || view.commands.iter().any(reads) {
            return;
        }
        let message = format!(
            "`${}` is empty: the script is called without arguments, and the payload is read from standard input",
            argument.name
        );
        self.report_in_script(&VARIABLE_UNKNOWN, argument.span.start, message);
    }

    fn unknown_variable(&self, name: &str) -> Option<String> {
        let with_prefix = |dialect: Dialect| {
            portable::facts(dialect).variable_prefixes.iter().any(|prefix| name.starts_with(prefix))
        };
        let of_user = [
            "CLAUDE_PLUGIN_OPTION_",
            "CLAUDE_CODE_",
            "CLAUDE_CONFIG_DIR",
            "CLAUDE_SESSION_ID",
            "CLAUDE_SKILL_DIR",
        ];
        if self.dialect == Dialect::ClaudeCode && of_user.iter().any(|start| name.starts_with(start)) {
            return None;
        }
        let owner = Dialect::ALL.iter().copied().find(|dialect| with_prefix(*dialect));
        match owner {
            Some(owner) if owner == self.dialect => Some(format!("{owner} sets no `${name}`")),
            Some(owner) => {
                Some(format!("`${name}` is a variable of {owner}; {} does not set it", self.dialect))
            }
            None if GUESSED.contains(&name) || name.starts_with("TOOL_INPUT_") => {
                Some(format!("`${name}` is set by nobody: the payload is read from standard input"))
            }
            None => None,
        }
    }
}
