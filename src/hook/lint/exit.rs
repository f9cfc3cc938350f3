//! What a script's exit statuses come to under its dialect, and what a failure of a guard does.

use super::HookLint;
use super::rule::{CANNOT_BLOCK, EXIT_FAILURE, EXIT_NOT_BLOCKING, FAIL_OPEN, FAIL_OPEN_DEFAULT};
use super::texts::Texts;
use crate::hook::dialect::list::Dialect;
use crate::hook::event_table::Failure;
use crate::hook::portable::ExitRule;
use crate::inspect::{CommandView, View};

/// Events whose hooks can stop a step of the platform, but guard nothing that a model or a user does.
const IS_A_STEP: [&str; 3] = ["pre_compact", "before_compaction", "worktree_create"];

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

impl HookLint<'_> {
    pub(super) fn exit_statuses(&mut self, script: &str, view: &View, texts: &Texts) {
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
                    && (tells_why(script) || event.moment == "tool_call_starting" && tests_something(script))
                    // Any status other than 0 is an answer there.
                    && !matches!(event.name, "WorktreeCreate" | "WorktreeRemove")
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
            (ExitRule::NonZeroBlocks, true) => self.printed_before_exit(script, view),
            _ => {}
        }
        let blocks = says_block
            || (self.facts.exit == ExitRule::TwoBlocks && two.is_some())
            || (self.facts.exit == ExitRule::NonZeroBlocks && exits.iter().any(|(_, status)| *status != 0));
        if event.blocks && blocks {
            self.gives_up(script);
            let late = self.hook.own_fields.iter().find(|field| field.starts_with("async"));
            if let (Dialect::ClaudeCode, Some(field)) = (self.dialect, late) {
                let message = format!("with `{field}` nobody waits for the hook: it blocks nothing");
                self.report(&CANNOT_BLOCK, self.hook.places.hook, message);
                return;
            }
        }
        if event.blocks && blocks && self.dialect == Dialect::Goclaw && self.hook.closed == Some(false) {
            let message = "`on_timeout: allow`: a guard that is too slow lets the action through";
            self.report(&FAIL_OPEN, self.hook.places.hook, message);
        } else if event.blocks && blocks && !self.hook.fails_closed() {
            let (rule, message) = match (event.failure, self.dialect) {
                (Failure::Choice, dialect)
                    if dialect != Dialect::ClaudeCode && !IS_A_STEP.contains(&event.name) =>
                {
                    (&FAIL_OPEN, "a timeout or an error of this guard lets the action through")
                }
                _ => (&FAIL_OPEN_DEFAULT, "a timeout or an error of this guard lets the action through"),
            };
            self.report(rule, self.hook.places.hook, message);
        }
    }

    /// `|| exit 0`: what fails before it lets the action through. `test && exit 2 || exit 0` is no failure.
    fn gives_up(&mut self, script: &str) {
        let mut start = 0;
        for line in script.split_inclusive(['\n', ';']) {
            let at = line.find("|| exit 0").or_else(|| line.find("||exit 0"));
            if let Some(at) = at.filter(|at| !line.get(..*at).unwrap_or("").contains("exit ")) {
                let message = "`|| exit 0`: when the command before it fails, the action goes through";
                self.report_in_script(&FAIL_OPEN, start + at, message);
            }
            start += line.len();
        }
    }

    /// Everruns looks at the status only where nothing is printed: `echo '{}'; exit 2` allows, `echo no; exit 2` is an error.
    fn printed_before_exit(&mut self, script: &str, view: &View) {
        for pair in view.commands.windows(2) {
            let [print, exit] = pair else { continue };
            let between = script.get(print.span.end..exit.span.start).unwrap_or("x");
            let status = exit.words.get(1).and_then(|word| word.text.as_deref());
            let follows =
                between.contains([';', '\n']) && between.trim_matches([';', ' ', '\t', '\n']).is_empty();
            if !follows || exit.name() != Some("exit") || matches!(status, None | Some("0")) {
                continue;
            }
            let Some(text) = printed(print) else { continue };
            let status = status.unwrap_or_default();
            let (rule, message) = if text.trim_start().starts_with('{') {
                if ["\"block\"", "\"deny\""].iter().any(|word| text.contains(word)) {
                    continue;
                }
                (&EXIT_NOT_BLOCKING, format!("exit {status} is not looked at: what is printed decides alone"))
            } else {
                (
                    &EXIT_FAILURE,
                    "text on standard output is an error of the hook, whatever its status".to_owned(),
                )
            };
            self.report_in_script(rule, exit.span.start, message);
        }
    }
}

/// Whether it says something on standard error: an exit after that is meant as a verdict.
fn tells_why(script: &str) -> bool {
    script.contains(">&2") || script.contains("/dev/stderr")
}

/// Whether it looks like a guard: it tests something before it exits.
fn tests_something(script: &str) -> bool {
    ["grep ", "[[ ", "[ ", "test ", "case "].iter().any(|word| script.contains(word))
}

/// Whether the script prints a decision that stops something, in any dialect's words.
pub(super) fn says_block(script: &str, texts: &Texts) -> bool {
    let words = ["\"block\"", "\"deny\"", "blockingError", "preventContinuation"];
    let printed =
        texts.printed.iter().chain(&texts.jq).any(|piece| words.iter().any(|word| piece.text.contains(word)));
    printed || ["decision\\\":\\\"block", "decision\\\": \\\"block"].iter().any(|text| script.contains(text))
}

/// What `echo` or `printf` certainly prints on standard output.
fn printed(command: &CommandView) -> Option<&str> {
    let plain = command.redirects.is_empty() && command.via.is_empty();
    let word = command.words.get(1).filter(|_| plain && matches!(command.name(), Some("echo" | "printf")))?;
    word.text.as_deref().filter(|text| !text.is_empty())
}
