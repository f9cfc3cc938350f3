//! Statuses that do not say what their author takes them to say: an `exit` in a function that a substitution runs, and a `jq`
//! whose answer is printed and not returned.

use super::HookLint;
use super::rule::{EXIT_NOT_BLOCKING, JQ_STATUS};
use super::search::{emptiness_test, ends_at_failures, is_plain, stands_alone};
use crate::hook::portable::ExitRule;
use crate::inspect::{CommandView, Via, View};
use rustc_hash::FxHashSet;

/// Commands of one script that are looked at.
const MOST: usize = 500;

impl HookLint<'_> {
    /// `x=$(check ...)` where `check` blocks by `exit 2`: that ends the substitution, and nobody looks at its status.
    pub(super) fn exits_of_substitutions(&mut self, script: &str, view: &View) {
        let blocks = self.hook.facts.is_some_and(|event| event.blocks);
        if self.facts.exit != ExitRule::TwoBlocks || !blocks || ends_at_failures(script, view) {
            return;
        }
        let refusing = refusing(view);
        if refusing.is_empty() {
            return;
        }
        for assignment in view.commands.iter().filter(|command| is_plain(command)).take(MOST) {
            let [(name, _)] = assignment.assignments.as_slice() else { continue };
            if !stands_alone(script, assignment) {
                continue;
            }
            let is_inside = |command: &&CommandView| {
                command.span.start > assignment.span.start
                    && command.span.end <= assignment.span.end
                    && matches!(command.via.as_slice(), [Via::CommandSubstitution])
            };
            let mut called = view.commands.iter().filter(is_inside).filter_map(CommandView::name);
            let Some(called) = called.next_back().filter(|called| refusing.contains(called)) else {
                continue;
            };
            let after = script.get(assignment.span.end..).unwrap_or("");
            // A status that is asked for, or a value that is looked at, may stop the call yet.
            let asks = after.contains("$?") || emptiness_test(after, name).is_some();
            if !asks {
                let message = format!(
                    "`exit 2` of `{called}` ends only the substitution: the script goes on, and its own status is what counts"
                );
                self.report_in_script(&EXIT_NOT_BLOCKING, assignment.span.start, message);
            }
        }
    }

    /// `if jq '.x | test("rm")' >/dev/null; then exit 2`: without `-e` that succeeds whatever the answer is.
    pub(super) fn jq_conditions(&mut self, script: &str, view: &View) {
        for command in view.commands.iter().filter(|command| command.name() == Some("jq")).take(MOST) {
            let words =
                || command.words.iter().skip(1).map(|word| word.text.as_deref().unwrap_or(&word.source));
            let has_status = |word: &str| {
                word == "--exit-status"
                    || word.starts_with('-') && !word.starts_with("--") && word.contains('e')
            };
            let is_quiet = command.redirects.iter().any(|redirect| {
                matches!(redirect.operator, ">" | "&>")
                    && redirect.target.text.as_deref() == Some("/dev/null")
                    && redirect.descriptor.as_deref().is_none_or(|descriptor| descriptor != "2")
            });
            let ends = |word: &str| word.contains("halt_error") || word.contains("error(");
            let asks = words().any(|word| {
                ["test(", "==", "!=", "contains(", "startswith(", "endswith(", "any(", "all(", "match("]
                    .iter()
                    .any(|test| word.contains(test))
            });
            if is_quiet && asks && !words().any(has_status) && !words().any(ends) && decides(script, command)
            {
                let message =
                    "`jq` without -e succeeds whether the answer is true or false: both ways are the same";
                self.report_in_script(&JQ_STATUS, command.span.start, message);
                return;
            }
        }
    }
}

/// Functions of the script that end with a refusal, by name.
fn refusing(view: &View) -> FxHashSet<&str> {
    let is_refusal = |command: &&CommandView| {
        command.name() == Some("exit")
            && command.words.get(1).and_then(|word| word.text.as_deref()) == Some("2")
    };
    let function = |command: &'_ CommandView| match command.via.as_slice() {
        [Via::Function(name)] => Some(name.clone()),
        _ => None,
    };
    let names: Vec<String> = view.commands.iter().filter(is_refusal).filter_map(function).collect();
    let called = view.commands.iter().filter_map(CommandView::name);
    called.filter(|called| names.iter().any(|name| name == called)).collect()
}

/// Whether the status of a command decides what is done: it ends the condition of an `if`, or a list goes on by it.
fn decides(script: &str, command: &CommandView) -> bool {
    let after = script.get(command.span.end..).unwrap_or("").trim_start_matches([' ', '\t']);
    if after.starts_with("&&") || after.starts_with("||") {
        return true;
    }
    let next = after.trim_start_matches([';', '\n', ' ', '\t']);
    after.starts_with([';', '\n']) && next.starts_with("then")
}
