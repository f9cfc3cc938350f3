//! What a conversion loses or changes, in words.

use super::Conversion;
use crate::hook::dialect::list::Dialect;
use crate::hook::event_table::{EventRow, Failure, Mark, Part};
use crate::hook::portable::{self, Facts, PortableHook};
use crate::visible;
use serde_json::{Value, json};
use std::time::Duration;

/// What kind of remark.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RemarkKind {
    /// Not there any more.
    Lost,
    /// There, with another meaning.
    Changed,
    /// There, by other means.
    Kept,
}

impl RemarkKind {
    /// `lost`, `changed`, `kept`
    pub const fn name(self) -> &'static str {
        match self {
            Self::Lost => "lost",
            Self::Changed => "changed",
            Self::Kept => "kept",
        }
    }
}

/// A remark on a conversion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remark {
    /// What kind.
    pub kind: RemarkKind,
    /// The hook; `None`: all of them.
    pub hook: Option<String>,
    /// In words.
    pub text: String,
}

impl Remark {
    /// `lost: guard (pre_tool_use): ...`
    pub fn show(&self) -> String {
        let (kind, text) = (self.kind.name(), visible::block(&self.text, "  "));
        match &self.hook {
            Some(hook) => format!("{kind}: {}: {text}", visible::line(hook)),
            None => format!("{kind}: {text}"),
        }
    }

    /// `{"kind", "hook", "text"}`
    pub fn to_json(&self) -> Value {
        json!({"kind": self.kind.name(), "hook": self.hook, "text": self.text})
    }
}

/// What an answer may hold, words by which a script shows that it uses it, and what the loss is called.
const USES: [(Mark, &[&str], &str); 6] = [
    (Mark::Ask, &["\"ask\"", "\"defer\""], "to ask the user is not possible there"),
    (
        Mark::Allow,
        &["permissionDecision", "permission_decision", "approve", "behavior"],
        "a permission given by the hook has no effect there",
    ),
    (
        Mark::Arguments,
        &["updatedInput", "updated_input", "patch"],
        "rewritten arguments have no effect there",
    ),
    (Mark::Message, &["patch"], "a rewritten message has no effect there"),
    (
        Mark::Result,
        &["updatedToolOutput", "updated_tool_response", "patch"],
        "a rewritten result has no effect there",
    ),
    (
        Mark::Context,
        &["additionalContext", "additional_context", "hook_context"],
        "text for the model has no place there",
    ),
];

/// Whether a script can give a verdict: by its words, or because it runs what is not seen here.
fn may_block(script: &str) -> bool {
    let words = ["exit", "block", "deny", "continue"];
    let view = crate::inspect::inspect(script.as_bytes());
    let elsewhere =
        |command: &crate::inspect::CommandView| command.name().is_some_and(|name| name.contains('/'));
    words.iter().any(|word| script.contains(word))
        || !view.opaque.is_empty()
        || view.commands.iter().any(elsewhere)
}

/// Whether a command of the script prints something on standard output that is not an object.
fn prints_text(script: &str) -> bool {
    let view = crate::inspect::inspect(script.as_bytes());
    view.commands.iter().any(|command| {
        let object = command
            .words
            .get(1)
            .is_some_and(|word| word.source.trim_start_matches(['"', '\'']).starts_with('{'));
        let away = command.redirects.iter().any(|redirect| redirect.operator.starts_with(['>', '&']));
        matches!(command.name(), Some("echo" | "printf" | "cat"))
            && command.via.is_empty()
            && !object
            && !away
    })
}

impl Conversion {
    pub(super) fn answer_remarks(
        &mut self,
        from: Dialect,
        hook: &PortableHook,
        event: &EventRow,
        target: &EventRow,
        script: &str,
    ) {
        let facts = portable::facts(from);
        let label = hook.label();
        let to = self.to;
        if event.blocks && !target.blocks && may_block(script) {
            self.remark(
                RemarkKind::Lost,
                &label,
                format!("`{}` of {to} can not be blocked: the hook only observes", target.name),
            );
        }
        for (mark, words, text) in USES {
            let text = match mark {
                Mark::Ask if target.blocks => "to ask the user is not possible there: it blocks instead",
                _ => text,
            };
            let uses = words.iter().any(|word| script.contains(word))
                || mark == Mark::Context && event.has(Mark::PlainText) && prints_text(script);
            if event.has(mark) && !target.has(mark) && uses {
                self.remark(RemarkKind::Lost, &label, text);
            }
        }
        let to_facts = portable::facts(to);
        let rewrites = ["updatedInput", "updated_input", "patch"].iter().any(|word| script.contains(word));
        let both = event.has(Mark::Arguments) && target.has(Mark::Arguments);
        if both && rewrites && facts.merges_arguments != to_facts.merges_arguments {
            if facts.merges_arguments {
                let text = "the adapter merges the patch: the platform replaces the arguments";
                self.remark(RemarkKind::Kept, &label, text);
            } else {
                let text = "arguments are merged there: one that the rewrite leaves out stays";
                self.remark(RemarkKind::Changed, &label, text);
            }
        }
        if event.part == Part::All && target.part == Part::Failure && target.name != "PostToolUseFailure" {
            self.remark(RemarkKind::Changed, &label, format!("`{}` comes after failures only", target.name));
        }
    }

    pub(super) fn failure_remarks(&mut self, closed: bool, event: &EventRow, target: &EventRow, label: &str) {
        if !event.blocks || !target.blocks {
            return;
        }
        match (closed, target.failure) {
            (true, Failure::Open) => {
                let text = "a failure of the script still blocks, through the adapter; a timeout lets the action through";
                self.remark(RemarkKind::Changed, label, text);
            }
            (false, Failure::Closed) => {
                let text =
                    "a failure of the script still lets the action through, by the adapter; a timeout blocks";
                self.remark(RemarkKind::Changed, label, text);
            }
            _ => {}
        }
    }

    pub(super) fn timeout(&mut self, facts: &Facts, hook: &PortableHook, label: &str) -> Option<Duration> {
        let to = portable::facts(self.to);
        let wanted = hook.timeout.unwrap_or(facts.default_timeout);
        match to.longest_timeout {
            Some(longest) if wanted > longest => {
                let text = format!("the timeout is {} s: {} allows no more", longest.as_secs_f64(), self.to);
                self.remark(RemarkKind::Changed, label, text);
                Some(longest)
            }
            _ if hook.timeout.is_none() && wanted == to.default_timeout => None,
            _ => Some(self.rounded(wanted, label)),
        }
    }

    /// A time in the target's units.
    fn rounded(&mut self, wanted: Duration, label: &str) -> Duration {
        let written = portable::writable(self.to, wanted);
        if written != wanted {
            let (now, before) = (written.as_secs_f64(), wanted.as_secs_f64());
            let text = format!("the timeout is {now} s, not {before} s, which {} can not say", self.to);
            self.remark(RemarkKind::Changed, label, text);
        }
        written
    }

    /// What holds for all hooks.
    pub(super) fn chain_remarks(&mut self, from: Dialect) {
        if from == self.to || self.drafts.is_empty() {
            return;
        }
        let (facts, to) = (portable::facts(from), portable::facts(self.to));
        let mut all = |kind, text: String| self.remarks.push(Remark { kind, hook: None, text });
        let target = self.to;
        if facts.stops_early && !to.stops_early && target != Dialect::Infer {
            all(
                RemarkKind::Changed,
                format!("{target} runs all hooks of an event, also behind one that blocks"),
            );
        }
        if !facts.stops_early && to.stops_early {
            all(
                RemarkKind::Changed,
                format!("{target} stops at the first block: hooks behind it do not run"),
            );
        }
        if target == Dialect::ClaudeCode {
            all(
                RemarkKind::Changed,
                "hooks of an event run at the same time: none sees what another changed".into(),
            );
        }
        if target == Dialect::Infer {
            all(
                RemarkKind::Changed,
                "hooks are commands under the allow-list: the adapters need an entry for it".into(),
            );
            all(
                RemarkKind::Lost,
                "infer reads no answer: hooks can neither block nor change anything".into(),
            );
        }
        if target == Dialect::Goclaw {
            all(
                RemarkKind::Changed,
                "records are global and need the store's tenant; narrow their scope by hand".into(),
            );
        }
        if from == Dialect::Everruns {
            let text = "the payload comes on standard input there; adapters give the script its variables and its file";
            all(RemarkKind::Kept, text.into());
        }
    }
}
