//! What a script does wrong in any dialect: syntax, text that is run, text without quotes, JSON put together by hand,
//! commands that are not there; and what its exit statuses mean.

use super::HookLint;
use super::rule::{
    CANNOT_BLOCK, COMMAND_MISSING, EVAL_COMPUTED, EVAL_PAYLOAD, EXIT_FAILURE, EXIT_NOT_BLOCKING, FAIL_OPEN,
    FAIL_OPEN_DEFAULT, JSON_BY_HAND, LINE_ENDINGS, PAYLOAD_UNQUOTED, SCRIPT_SYNTAX,
};
use super::texts::{Texts, unquoted_variables, variables};
use crate::hook::dialect::Dialect;
use crate::hook::portable::{ExitRule, Failure};
use crate::inspect::{CommandView, OpaqueKind, Via, View};
use rustc_hash::FxHashSet;

/// Events of Claude Code on which exit 2 does nothing at all.
const IGNORES_STATUS: [&str; 7] = [
    "PermissionDenied",
    "Notification",
    "Setup",
    "InstructionsLoaded",
    "MessageDisplay",
    "StopFailure",
    "DirectoryAdded",
];

/// Variables by what they hold.
#[derive(Default)]
struct Flow {
    /// Text from the payload.
    payload: FxHashSet<String>,
    /// Text that is JSON already, or a number.
    safe: FxHashSet<String>,
}

impl HookLint<'_> {
    pub(super) fn commands(&mut self, script: &str, view: &View, texts: &Texts) {
        if let Some(error) = &view.error {
            let offset = view.opaque.iter().find(|opaque| opaque.what == OpaqueKind::SyntaxError);
            self.report_in_script(
                &SCRIPT_SYNTAX,
                offset.map_or(0, |opaque| opaque.span.start),
                error.clone(),
            );
        }
        if let Some(offset) = memchr::memchr(b'\r', script.as_bytes()) {
            self.report_in_script(&LINE_ENDINGS, offset, "a carriage return");
        }
        let flow = self.flow(view);
        self.run_texts(script, view, &flow);
        self.unquoted(view, &flow);
        self.json_by_hand(view, texts, &flow);
        self.missing_commands(view);
        self.exit_statuses(script, view, texts);
    }

    /// Follows assignments, in source order.
    fn flow(&self, view: &View) -> Flow {
        let mut flow = Flow::default();
        let from_payload = |source: &str, flow: &Flow| {
            source.contains("$(cat)")
                || source.contains("jq ")
                || source.contains("/dev/stdin")
                || variables(source)
                    .any(|(_, name)| flow.payload.contains(name) || self.facts.variables.contains(&name))
        };
        for command in &view.commands {
            let exported = command.words.iter().filter_map(|word| {
                let (name, value) = word.source.split_once('=')?;
                matches!(command.name(), Some("export" | "local" | "declare" | "readonly" | "typeset"))
                    .then(|| (name.to_owned(), value.to_owned()))
            });
            let plain = command.assignments.iter().map(|(name, value)| (name.clone(), value.source.clone()));
            for (name, source) in plain.chain(exported) {
                let safe = [
                    "-Rs", "-sR", "-R", "@json", "tojson", "jq -n", "jq -c", "$((", "wc -", "date",
                    "grep -c", "${#",
                ];
                if safe.iter().any(|mark| source.contains(mark)) {
                    flow.safe.insert(name.clone());
                }
                if from_payload(&source, &flow) {
                    flow.payload.insert(name);
                }
            }
            if command.name() == Some("read") {
                let names = command.words.iter().skip(1).filter_map(|word| word.text.as_deref());
                flow.payload.extend(names.filter(|name| !name.starts_with('-')).map(str::to_owned));
            }
        }
        flow
    }

    /// `eval` and its kin over computed text.
    fn run_texts(&mut self, script: &str, view: &View, flow: &Flow) {
        for opaque in view.opaque.iter().filter(|opaque| opaque.what == OpaqueKind::ComputedScript) {
            if self.is_full() {
                return;
            }
            let source: String = script.get(opaque.span.clone()).unwrap_or("").chars().take(4096).collect();
            let tainted = source.contains("jq ")
                || source.contains("$(cat")
                || variables(&source)
                    .any(|(_, name)| flow.payload.contains(name) || self.facts.variables.contains(&name));
            let shown: String = source.lines().next().unwrap_or("").chars().take(60).collect();
            let rule = if tainted { &EVAL_PAYLOAD } else { &EVAL_COMPUTED };
            self.report_in_script(rule, opaque.span.start, format!("`{shown}` runs a computed text"));
        }
    }

    fn unquoted(&mut self, view: &View, flow: &Flow) {
        for command in &view.commands {
            if matches!(command.via.last(), Some(Via::Wrapper(_))) {
                continue;
            }
            for word in command.words.iter().filter(|word| word.text.is_none()) {
                // What stands in a substitution is a command of its own.
                if word.source.contains("$(") || word.source.contains('`') {
                    continue;
                }
                let named =
                    unquoted_variables(&word.source).into_iter().find(|name| flow.payload.contains(*name));
                if let Some(name) = named.filter(|name| !flow.safe.contains(*name)) {
                    let message = format!("`${name}` holds text from the payload and stands without quotes");
                    self.report_in_script(&PAYLOAD_UNQUOTED, command.span.start, message);
                }
            }
        }
    }

    fn json_by_hand(&mut self, view: &View, texts: &Texts, flow: &Flow) {
        let holds_text = |source: &str| {
            !source.contains("jq ")
                && (source.contains("$(")
                    || variables(source)
                        .any(|(_, name)| !flow.safe.contains(name) && name != "PWD" && name != "SECONDS"))
        };
        let mut reported = FxHashSet::default();
        for piece in texts.printed.iter().filter(|piece| !piece.known) {
            let text = piece.text.trim_start();
            let object = text.starts_with('{') && text.contains("\":") || text.starts_with("{\\\"");
            if object && holds_text(first_value(text)) && reported.insert(piece.offset) {
                let message = "text is put between the quotes of a JSON string as it is";
                self.report_in_script(&JSON_BY_HAND, piece.offset, message);
            }
        }
        for command in view.commands.iter().filter(|command| command.name() == Some("printf")) {
            let Some((index, format)) = printf_format(command) else { continue };
            let arguments = command.words.get(index + 1..).unwrap_or(&[]);
            let computed = arguments.iter().any(|word| word.text.is_none() && holds_text(&word.source));
            if format.trim_start().starts_with('{')
                && format.contains("\"%s\"")
                && computed
                && reported.insert(command.span.start)
            {
                let message = "printf puts text between the quotes of a JSON string as it is";
                self.report_in_script(&JSON_BY_HAND, command.span.start, message);
            }
        }
    }

    fn missing_commands(&mut self, view: &View) {
        let functions: FxHashSet<&str> = view
            .commands
            .iter()
            .flat_map(|command| &command.via)
            .filter_map(|via| if let Via::Function(name) = via { Some(name.as_str()) } else { None })
            .collect();
        // `command -v x`, `type x`, `which x`: the script knows that it may be missing.
        let asked: FxHashSet<&str> = view
            .commands
            .iter()
            .filter(|command| matches!(command.name(), Some("command" | "type" | "which" | "hash")))
            .flat_map(|command| command.words.iter().skip(1).filter_map(|word| word.text.as_deref()))
            .collect();
        let mut reported = FxHashSet::default();
        for command in &view.commands {
            let Some(name) = command.words.first().and_then(|word| word.text.as_deref()) else { continue };
            // A path is a file of the session or of the host.
            if name.contains('/') || name.is_empty() || functions.contains(name) || asked.contains(name) {
                continue;
            }
            if !(self.options.has_command)(name) && reported.insert(name) {
                self.report_in_script(
                    &COMMAND_MISSING,
                    command.span.start,
                    format!("the sandbox has no `{name}`"),
                );
            }
        }
    }

    fn exit_statuses(&mut self, script: &str, view: &View, texts: &Texts) {
        let Some(event) = self.hook.facts else { return };
        let exits: Vec<(usize, u8)> = view
            .commands
            .iter()
            .filter(|command| command.name() == Some("exit"))
            .filter_map(|command| {
                let status = command.words.get(1)?.text.as_deref()?.parse().ok()?;
                Some((command.span.start, status))
            })
            .collect();
        let says_block = says_block(script, texts);
        let two = exits.iter().find(|(_, status)| *status == 2).copied();
        let other = exits.iter().find(|(_, status)| !matches!(status, 0 | 2)).copied();
        match (self.facts.exit, event.blocks) {
            (ExitRule::TwoBlocks, true) => {
                if let (Some((offset, status)), None, false) = (other, two, says_block)
                    && (script.contains(">&2") || script.contains("/dev/stderr"))
                    // Any status other than 0 is an answer there.
                    && event.name != "WorktreeCreate"
                {
                    let failure_blocks = self.hook.fails_closed();
                    let rule = if failure_blocks { &EXIT_FAILURE } else { &EXIT_NOT_BLOCKING };
                    let what =
                        if failure_blocks { "is a failure of the hook" } else { "lets the action through" };
                    self.report_in_script(rule, offset, format!("exit {status} {what} on {}", event.name));
                }
            }
            (ExitRule::TwoBlocks, false) => {
                // Claude Code hands the text to the model or the user on most events.
                let feedback = self.dialect == Dialect::ClaudeCode && !IGNORES_STATUS.contains(&event.name);
                if let Some((offset, _)) = two.filter(|_| !feedback) {
                    let message = format!("exit 2 blocks nothing on {}", event.name);
                    self.report_in_script(&CANNOT_BLOCK, offset, message);
                }
            }
            _ => {}
        }
        let blocks = says_block
            || (self.facts.exit == ExitRule::TwoBlocks && two.is_some())
            || (self.facts.exit == ExitRule::NonZeroBlocks && exits.iter().any(|(_, status)| *status != 0));
        if event.blocks && blocks && !self.hook.fails_closed() {
            let (rule, message) = match (event.failure, self.dialect) {
                (Failure::Choice, dialect) if dialect != Dialect::ClaudeCode => {
                    (&FAIL_OPEN, "a timeout or an error of this guard lets the action through")
                }
                _ => (&FAIL_OPEN_DEFAULT, "a timeout or an error of this guard lets the action through"),
            };
            self.report(rule, self.hook.places.hook, message);
        }
    }
}

/// Whether the script prints a decision that stops something, in any dialect's words.
pub(super) fn says_block(script: &str, texts: &Texts) -> bool {
    let words = ["\"block\"", "\"deny\"", "blockingError", "preventContinuation"];
    let printed =
        texts.printed.iter().chain(&texts.jq).any(|piece| words.iter().any(|word| piece.text.contains(word)));
    printed || ["decision\\\":\\\"block", "decision\\\": \\\"block"].iter().any(|text| script.contains(text))
}

/// The text up to the end of the object's first line; what stands behind is another command's.
fn first_value(text: &str) -> &str {
    let end = text.rfind('}').map_or(text.len(), |end| end + 1);
    text.get(..end).unwrap_or(text)
}

/// The format and its index among the words.
fn printf_format(command: &CommandView) -> Option<(usize, &str)> {
    let (index, word) =
        command.words.iter().enumerate().skip(1).find(|(_, word)| word.text.as_deref() != Some("--"))?;
    Some((index, word.text.as_deref()?))
}
