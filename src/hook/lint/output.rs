//! What a script prints, held against what its dialect reads.

use super::HookLint;
use super::rule::{
    CANNOT_BLOCK, OUTPUT_ASK, OUTPUT_DECISION, OUTPUT_EVENT_NAME, OUTPUT_FIELD, OUTPUT_IGNORED, OUTPUT_PLACE,
    OUTPUT_UNREAD,
};
use super::texts::{Piece, Texts, keys, string_values, top_keys};
use crate::hook::dialect::list::Dialect;
use crate::hook::event_table::Mark;
use crate::hook::portable;
use crate::hook::unread;
use crate::inspect::View;
use crate::near;
use rustc_hash::FxHashSet;
use serde_json::Value;

/// Keys that any JSON may have.
const COMMON: &[&str] = &[
    "message",
    "error",
    "result",
    "content",
    "reason",
    "action",
    "summary",
    "arguments",
    "source",
    "metadata",
    "retry",
    "interrupt",
    "behavior",
    "continue",
    "model",
    "prompt",
    "decision",
];

/// Names of members that are meant for somebody who decides or reads.
const MEANT: &[&str] = &[
    "action",
    "allow",
    "allowed",
    "approve",
    "approved",
    "block",
    "blocked",
    "context",
    "deny",
    "denied",
    "error",
    "feedback",
    "message",
    "msg",
    "permission",
    "result",
    "status",
    "success",
    "suggestion",
    "text",
    "warning",
    "warnings",
];
/// Members of an object that is meant so: one of more is a report of the script's own.
const FEW: usize = 4;

/// Letters of a name that is not written by chance.
const LONG_NAME: usize = 10;

/// Keys that the dialect reads only inside an object: key, object.
const INSIDE: &[(Dialect, &str, &[&str])] = &[
    (
        Dialect::ClaudeCode,
        "hookSpecificOutput",
        &[
            "permissionDecision",
            "permissionDecisionReason",
            "updatedInput",
            "additionalContext",
            "updatedToolOutput",
        ],
    ),
    (Dialect::Agentao, "hookSpecificOutput", &["permissionDecision", "permissionDecisionReason"]),
    (
        Dialect::DockerAgent,
        "hook_specific_output",
        &[
            "permission_decision",
            "permission_decision_reason",
            "updated_input",
            "additional_context",
            "updated_tool_response",
            "updated_messages",
        ],
    ),
    (Dialect::Everruns, "patch", &["additional_context"]),
];

impl HookLint<'_> {
    pub(super) fn output(&mut self, view: &View, texts: &Texts) {
        if self.facts.output().is_empty() {
            self.ignored(view, texts);
            return;
        }
        let mut reported = FxHashSet::default();
        // A script that prints its own dialect's fields too is written for several.
        let telling = |key: &str| self.facts.output().contains(&key) && !COMMON.contains(&key);
        let is_for_several = texts.output().any(|piece| keys(&piece.text).any(telling));
        let own_event = texts
            .output()
            .any(|piece| string_values(&piece.text, "hookEventName").contains(&self.hook.event.as_str()));
        for piece in texts.output() {
            if !is_for_several {
                self.fields(piece, &mut reported);
            }
            self.misspelt(piece, &mut reported);
            self.decisions(piece);
            self.asks(piece);
            self.event_name(piece, own_event);
            self.places(piece);
            self.of_another_event(piece);
        }
        self.unread(texts);
        self.blocks_nothing(texts);
    }

    /// Fields of `hookSpecificOutput` that are read on other events than that of the object.
    fn of_another_event(&mut self, piece: &Piece) {
        if self.dialect != Dialect::ClaudeCode {
            return;
        }
        let names = string_values(&piece.text, "hookEventName");
        let [name] = names.as_slice() else { return };
        let Some(row) = self.facts.event(name).filter(|row| row.name == self.hook.event) else { return };
        let mut known = Vec::new();
        unread::names(row.output, &mut known);
        for field in ["additionalContext", "updatedInput", "updatedToolOutput"] {
            if !known.contains(&field) && keys(&piece.text).any(|key| key == field) {
                let message = format!("`{field}` is not read on {}", row.name);
                self.report_in_script(&OUTPUT_FIELD, piece.offset, message);
            }
        }
    }

    /// An object of which the event reads no member. A script that prints its platform's own members too is written for several.
    fn unread(&mut self, texts: &Texts) {
        let Some(row) = self.hook.facts.filter(|row| !row.output.is_empty()) else { return };
        let is_read = |key: &str| {
            let same = |name: &str| if row.any_case { name.eq_ignore_ascii_case(key) } else { name == key };
            row.output.iter().any(|(name, _)| same(name))
        };
        let objects: Vec<(&Piece, Vec<&str>)> = texts
            .output()
            .filter_map(|piece| Some((piece, top_keys(&piece.text)?)))
            .filter(|(_, keys)| !keys.is_empty())
            .collect();
        if objects.iter().any(|(_, keys)| keys.iter().any(|key| is_read(key))) {
            return;
        }
        // Fields that another rule knows the place or the platform of.
        let is_known =
            |key: &str| Dialect::ALL.iter().any(|other| portable::facts(*other).output().contains(&key));
        let is_meant = |keys: &[&str]| {
            keys.len() <= FEW
                && keys.iter().any(|key| MEANT.contains(key))
                && !keys.iter().any(|key| is_known(key) && !COMMON.contains(key))
        };
        if let Some((piece, keys)) = objects.iter().find(|(_, keys)| is_meant(keys)) {
            let own = row.output.iter().take(6).map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
            let message = format!("{} reads nothing of `{}`; it reads {own}", row.name, keys.join("`, `"));
            self.report_in_script(&OUTPUT_UNREAD, piece.offset, message);
        }
    }

    /// Infer: nothing is read.
    fn ignored(&mut self, view: &View, texts: &Texts) {
        let decides = |piece: &&Piece| {
            !string_values(&piece.text, "decision").is_empty() || piece.text.contains("permissionDecision")
        };
        if let Some(piece) = texts.output().find(decides) {
            self.report_in_script(
                &OUTPUT_IGNORED,
                piece.offset,
                "a decision is printed, and nobody reads it",
            );
        }
        let two = |command: &&crate::inspect::CommandView| {
            command.name() == Some("exit")
                && command.words.get(1).and_then(|word| word.text.as_deref()) == Some("2")
        };
        let command = view.commands.iter().find(two).filter(|_| !self.facts.exit.blocks(2));
        if let Some(command) = command {
            self.report_in_script(&OUTPUT_IGNORED, command.span.start, "exit 2 has no meaning here");
        }
    }

    /// Fields of other dialects only.
    fn fields(&mut self, piece: &Piece, reported: &mut FxHashSet<String>) {
        for key in keys(&piece.text) {
            if self.facts.output().contains(&key) || COMMON.contains(&key) {
                continue;
            }
            let other = Dialect::ALL.iter().find(|other| portable::facts(**other).output().contains(&key));
            if let Some(other) = other
                && reported.insert(key.to_owned())
            {
                let own = self.facts.output().iter().take(8).copied().collect::<Vec<_>>().join(", ");
                let message = format!("`{key}` is a field of {other}; {} reads {own}", self.dialect);
                self.report_in_script(&OUTPUT_FIELD, piece.offset, message);
            }
        }
    }

    /// Fields that are nearly one of the dialect's own.
    fn misspelt(&mut self, piece: &Piece, reported: &mut FxHashSet<String>) {
        let is_known =
            |key: &str| Dialect::ALL.iter().any(|other| portable::facts(*other).output().contains(&key));
        for key in keys(&piece.text).filter(|key| !is_known(key) && !COMMON.contains(key)) {
            // Short words are near to many.
            let own = self.facts.output().iter().copied().filter(|name| name.len() >= LONG_NAME);
            if let Some(name) = near::nearest(key, own)
                && reported.insert(key.to_owned())
            {
                let message = format!("{} has no field `{key}`: did you mean `{name}`?", self.dialect);
                self.report_in_script(&OUTPUT_FIELD, piece.offset, message);
            }
        }
    }

    fn decisions(&mut self, piece: &Piece) {
        for value in string_values(&piece.text, "decision") {
            if !self.facts.decisions.contains(&value) && !value.is_empty() {
                let message =
                    format!("decision `{value}`; {} knows {}", self.dialect, self.facts.decisions.join(", "));
                self.report_in_script(&OUTPUT_DECISION, piece.offset, message);
            }
        }
        for (name, own) in
            [("permissionDecision", "allow, deny, ask, defer"), ("permission_decision", "allow, deny, ask")]
        {
            for value in
                string_values(&piece.text, name).into_iter().filter(|_| self.facts.output().contains(&name))
            {
                if !own.split(", ").any(|known| known == value) {
                    let message = format!("{name} `{value}`; {} knows {own}", self.dialect);
                    self.report_in_script(&OUTPUT_DECISION, piece.offset, message);
                }
            }
        }
    }

    /// `ask` on an event on which it is not read.
    fn asks(&mut self, piece: &Piece) {
        let Some(event) = self.hook.facts.filter(|event| !event.has(Mark::Ask)) else { return };
        let asks = ["permissionDecision", "permission_decision"].iter().any(|name| {
            self.facts.output().contains(name) && string_values(&piece.text, name).contains(&"ask")
        });
        if asks {
            self.report_in_script(
                &OUTPUT_ASK,
                piece.offset,
                format!("{} cannot ask on {}", self.dialect, event.name),
            );
        }
    }

    fn event_name(&mut self, piece: &Piece, own_event: bool) {
        if self.dialect != Dialect::ClaudeCode || !keys(&piece.text).any(|key| key == "hookSpecificOutput") {
            return;
        }
        if !piece.text.contains("hookEventName") {
            self.report_in_script(
                &OUTPUT_EVENT_NAME,
                piece.offset,
                "hookSpecificOutput has no hookEventName",
            );
        }
        if own_event {
            return;
        }
        let event = &self.hook.event;
        let other = string_values(&piece.text, "hookEventName").into_iter().find(|name| name != event);
        if let Some(name) = other {
            let message = format!("hookEventName is `{name}`, and the hook runs on {event}");
            self.report_in_script(&OUTPUT_EVENT_NAME, piece.offset, message);
        }
    }

    /// Only texts that are JSON show where a field stands.
    fn places(&mut self, piece: &Piece) {
        let Ok(Value::Object(printed)) = serde_json::from_str(&piece.text) else { return };
        let dialect = self.dialect;
        for (_, object, fields) in INSIDE.iter().filter(|(owner, ..)| *owner == dialect) {
            for field in fields.iter().filter(|field| printed.contains_key(**field)) {
                let message = format!("`{field}` is read inside `{object}` only");
                self.report_in_script(&OUTPUT_PLACE, piece.offset, message);
            }
        }
    }

    fn blocks_nothing(&mut self, texts: &Texts) {
        let Some(event) = self.hook.facts.filter(|event| !event.blocks) else { return };
        // Claude Code takes `decision: block` after a tool as a word to the model (R35), but no permission.
        if self.dialect == Dialect::ClaudeCode && event.moment == "tool_call_ended" {
            let permits = |piece: &&Piece| keys(&piece.text).any(|key| key == "permissionDecision");
            if let Some(piece) = texts.output().find(permits) {
                let message = format!("{} reads no permissionDecision", event.name);
                self.report_in_script(&CANNOT_BLOCK, piece.offset, message);
            }
            return;
        }
        let permission = ["permissionDecision", "permission_decision"];
        let stops = |piece: &Piece| match self.dialect {
            Dialect::Agentao => keys(&piece.text).any(|key| key == "blockingError"),
            Dialect::Goclaw => {
                piece.text.contains("\"continue\":false") || piece.text.contains("\"continue\": false")
            }
            _ => false,
        };
        let blocks = |piece: &&Piece| {
            string_values(&piece.text, "decision").contains(&"block")
                || permission.iter().any(|name| string_values(&piece.text, name).contains(&"deny"))
                || stops(piece)
        };
        if let Some(piece) = texts.output().find(blocks) {
            let message = format!("a block changes nothing on {}", event.name);
            self.report_in_script(&CANNOT_BLOCK, piece.offset, message);
        }
    }
}
