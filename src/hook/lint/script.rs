//! What a script does wrong in any dialect: syntax, text that is run, text without quotes, JSON put together by hand,
//! commands that are not there.

use super::HookLint;
use super::flow::{Flow, first_value};
use super::rule::{
    COMMAND_MISSING, EVAL_COMPUTED, EVAL_PAYLOAD, JSON_BY_HAND, LINE_ENDINGS, PAYLOAD_UNQUOTED, SCRIPT_SYNTAX,
};
use super::texts::{Texts, unquoted_substitutions, unquoted_variables};
use crate::inspect::{CommandView, Opaque, OpaqueKind, Via, View};
use rustc_hash::FxHashSet;

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
        let flow = Flow::of(view, self.facts);
        self.run_texts(script, view, &flow);
        self.unquoted(view, &flow);
        self.json_by_hand(view, texts, &flow);
        self.missing_commands(view);
        self.exit_statuses(script, view, texts);
    }

    /// `eval` and its kin over computed text, and shells that read what the payload says.
    fn run_texts(&mut self, script: &str, view: &View, flow: &Flow) {
        for opaque in &view.opaque {
            if self.is_full() {
                return;
            }
            let source: String = script.get(opaque.span.clone()).unwrap_or("").chars().take(4096).collect();
            let tainted = match opaque.what {
                OpaqueKind::ComputedScript => flow.is_payload(&source),
                OpaqueKind::PipedScript => {
                    source.contains("<<<") && flow.is_payload(&source)
                        || writer(script, view, opaque).is_some_and(|writer| flow.is_payload(writer))
                }
                OpaqueKind::ScriptFile => source.contains("<(") && flow.is_payload(&source),
                _ => continue,
            };
            if !tainted && opaque.what != OpaqueKind::ComputedScript {
                continue;
            }
            let shown: String = source.lines().next().unwrap_or("").chars().take(60).collect();
            let rule = if tainted { &EVAL_PAYLOAD } else { &EVAL_COMPUTED };
            self.report_in_script(rule, opaque.span.start, format!("`{shown}` runs a computed text"));
        }
    }

    fn unquoted(&mut self, view: &View, flow: &Flow) {
        for command in &view.commands {
            // `export x=$(...)` splits nothing.
            let declares =
                matches!(command.name(), Some("export" | "local" | "declare" | "readonly" | "typeset"));
            if declares || matches!(command.via.last(), Some(Via::Wrapper(_))) {
                continue;
            }
            for word in command.words.iter().filter(|word| word.text.is_none()) {
                // What stands in a substitution is a command of its own.
                if word.source.contains("$(") || word.source.contains('`') {
                    if unquoted_substitutions(&word.source).into_iter().any(prints_text) {
                        let message = "what jq prints of the payload stands without quotes";
                        self.report_in_script(&PAYLOAD_UNQUOTED, command.span.start, message);
                    }
                    continue;
                }
                let named = unquoted_variables(&word.source).into_iter().find(|name| flow.is_text(name));
                if let Some(name) = named {
                    let message = format!("`${name}` holds text from the payload and stands without quotes");
                    self.report_in_script(&PAYLOAD_UNQUOTED, command.span.start, message);
                }
            }
        }
    }

    fn json_by_hand(&mut self, view: &View, texts: &Texts, flow: &Flow) {
        let mut reported = FxHashSet::default();
        for piece in texts.printed.iter().filter(|piece| !piece.known) {
            let text = piece.text.trim_start();
            let object = text.starts_with('{') && text.contains("\":") || text.starts_with("{\\\"");
            if object && flow.holds_text(first_value(text)) && reported.insert(piece.offset) {
                let message = "text is put between the quotes of a JSON string as it is";
                self.report_in_script(&JSON_BY_HAND, piece.offset, message);
            }
        }
        for (name, offset) in &flow.json_by_hand {
            if reported.insert(*offset) {
                let message =
                    format!("text is put between the quotes of a JSON string as it is, in `{name}`");
                self.report_in_script(&JSON_BY_HAND, *offset, message);
            }
        }
        for command in view.commands.iter().filter(|command| command.name() == Some("printf")) {
            let Some((index, format)) = printf_format(command) else { continue };
            let arguments = command.words.get(index + 1..).unwrap_or(&[]);
            let computed = arguments.iter().any(|word| word.text.is_none() && flow.holds_text(&word.source));
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
}

/// Whether the commands of a substitution print a text of the payload rather than JSON.
fn prints_text(substitution: &str) -> bool {
    super::flow::prints_raw(substitution) && !super::flow::is_json(substitution)
}

/// What writes into the pipe that a shell reads: the command before it.
fn writer<'s>(script: &'s str, view: &View, reader: &Opaque) -> Option<&'s str> {
    let before = view.commands.iter().filter(|command| command.span.end <= reader.span.start);
    let writer = before.max_by_key(|command| command.span.end)?;
    let between = script.get(writer.span.end..reader.span.start)?;
    (between.trim() == "|" || between.trim() == "|&").then(|| script.get(writer.span.clone())).flatten()
}

/// The format and its index among the words.
fn printf_format(command: &CommandView) -> Option<(usize, &str)> {
    let (index, word) =
        command.words.iter().enumerate().skip(1).find(|(_, word)| word.text.as_deref() != Some("--"))?;
    Some((index, word.text.as_deref()?))
}
