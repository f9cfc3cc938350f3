//! What a script's exit statuses come to under its dialect, and what a failure of a guard does.

use super::HookLint;
use super::flow::{Flow, Kind};
use super::rule::{CANNOT_BLOCK, EXIT_FAILURE, EXIT_NOT_BLOCKING, FAIL_OPEN, FAIL_OPEN_DEFAULT, REASON_LOST};
use super::texts::{Goes, Streams, Texts};
use crate::hook::dialect::list::Dialect;
use crate::hook::event_table::{EventRow, Failure, Mark};
use crate::hook::portable::ExitRule;
use crate::inspect::{CommandView, Via, View};
use regex::Regex;
use std::sync::LazyLock;

impl HookLint<'_> {
    pub(super) fn exit_statuses(&mut self, script: &str, view: &View, texts: &Texts, flow: &Flow) {
        let Some(event) = self.hook.facts else { return };
        let sites = ExitSite::all(script, view);
        let exits: Vec<(usize, u8)> = sites.iter().map(|site| (site.offset, site.status)).collect();
        let says_block = says_block(script, texts);
        let two = exits.iter().find(|(_, status)| *status == 2).copied();
        // A script that knows exit 2 means another status by it, unless it says that it refuses.
        let is_verdict = |site: &&ExitSite| {
            !matches!(site.status, 0 | 2)
                && if two.is_some() { site.refuses() } else { site.is_verdict(flow, event.moment) }
        };
        let others: Vec<(usize, u8)> =
            sites.iter().filter(is_verdict).map(|site| (site.offset, site.status)).collect();
        if self.facts.exit == ExitRule::TwoBlocks {
            self.lost_reasons(&sites, event, flow);
            self.lost_failures(&sites, event, &others, flow);
        }
        match (self.facts.exit, event.blocks) {
            (ExitRule::TwoBlocks, true) => {
                // Any status other than 0 is an answer there.
                let is_answer = event.has(Mark::AnyStatus);
                let failure_blocks = self.hook.fails_closed();
                let rule = if failure_blocks { &EXIT_FAILURE } else { &EXIT_NOT_BLOCKING };
                let what =
                    if failure_blocks { "is a failure of the hook" } else { "lets the action through" };
                for (offset, status) in others.iter().filter(|_| !says_block && !is_answer) {
                    self.report_in_script(rule, *offset, format!("exit {status} {what} on {}", event.name));
                }
            }
            (ExitRule::TwoBlocks, false) => {
                let blocks = |site: &&ExitSite| site.status == 2 && !site.lacks_a_tool();
                if let Some(site) = sites.iter().find(blocks).filter(|_| !event.has(Mark::Feedback)) {
                    let message = format!("exit 2 blocks nothing on {}", event.name);
                    self.report_in_script(&CANNOT_BLOCK, site.offset, message);
                }
            }
            (ExitRule::NonZeroBlocks, true) => self.printed_before_exit(script, view),
            (ExitRule::NonZeroBlocks, false) | (ExitRule::Ignored, _) => {}
        }
        if event.blocks && !says_block && !super::search::ends_at_failures(script, view) {
            self.exits_of_parts();
        }
        let blocks = says_block || exits.iter().any(|(_, status)| self.facts.exit.blocks(*status));
        if event.blocks && blocks {
            self.gives_up(script, flow);
            // `asyncRewake` hands the reason to the agent later.
            let fields = &self.hook.own_fields;
            let wakes = fields.iter().any(|field| field == "asyncRewake");
            let late = fields.iter().find(|field| *field == "async" && !wakes);
            if let (Dialect::ClaudeCode, Some(field)) = (self.dialect, late) {
                let message = format!("with `{field}` nobody waits for the hook: it blocks nothing");
                self.report(&CANNOT_BLOCK, self.hook.places.hook, message);
                return;
            }
        }
        if event.blocks && blocks && self.dialect == Dialect::Goclaw && self.hook.closes() == Some(false) {
            let message = "`on_timeout: allow`: a guard that is too slow lets the action through";
            self.report(&FAIL_OPEN, self.hook.places.hook, message);
        } else if event.blocks && blocks && !self.hook.fails_closed() {
            let (rule, message) = match (event.failure, self.dialect) {
                (Failure::Choice, dialect)
                    if dialect != Dialect::ClaudeCode && !event.has(Mark::PlatformStep) =>
                {
                    (&FAIL_OPEN, "a timeout or an error of this guard lets the action through")
                }
                _ => (&FAIL_OPEN_DEFAULT, "a timeout or an error of this guard lets the action through"),
            };
            self.report(rule, self.hook.places.hook, message);
        }
    }

    /// `cmd | while read x; do exit 2; done; exit 0`: that ends the loop, which is a process of its own.
    fn exits_of_parts(&mut self) {
        for exit in std::mem::take(&mut self.lost_exits) {
            if self.facts.exit.blocks(exit.status) {
                let message = format!(
                    "exit {} ends only {}: the script goes on, and its own status is what counts",
                    exit.status,
                    exit.part.name()
                );
                self.report_in_script(&EXIT_NOT_BLOCKING, exit.offset, message);
            }
        }
    }

    /// A reason on standard output before `exit 2`: only standard error is read then.
    fn lost_reasons(&mut self, sites: &[ExitSite], event: &EventRow, flow: &Flow) {
        let is_read = event.blocks || event.has(Mark::Feedback);
        for site in sites.iter().filter(|site| site.status == 2 && is_read) {
            let lost = site.printed.iter().find(|print| print.goes == Goes::Output && print.is_text);
            let told = site.printed.iter().any(|print| print.goes == Goes::Error || print.is_object(flow));
            if let Some(print) = lost.filter(|print| !told && !print.text.trim().is_empty()) {
                let message =
                    "the reason is printed on standard output; with exit 2 only standard error is read";
                self.report_in_script(&REASON_LOST, print.offset, message);
            }
        }
    }

    /// A text on standard output before a status that is a failure: only standard error is shown then.
    fn lost_failures(&mut self, sites: &[ExitSite], event: &EventRow, told: &[(usize, u8)], flow: &Flow) {
        let is_told = |site: &&ExitSite| told.iter().any(|(offset, _)| *offset == site.offset);
        let fails = |site: &&ExitSite| {
            !matches!(site.status, 0 | 2) && !event.has(Mark::AnyStatus) && !site.depends_on_an_argument()
        };
        for site in sites.iter().filter(fails).filter(|site| !is_told(site)) {
            let lost = site.printed.iter().find(|print| print.goes == Goes::Output && print.is_text);
            let shown = site.printed.iter().any(|print| print.goes == Goes::Error || print.is_object(flow));
            if let Some(print) = lost.filter(|print| !shown && !print.text.trim().is_empty()) {
                let message = format!(
                    "the text is printed on standard output; with exit {} only standard error is shown",
                    site.status
                );
                self.report_in_script(&REASON_LOST, print.offset, message);
            }
        }
    }

    /// `VALUE=$(jq ...) || exit 0`: what cannot be read goes through.
    fn gives_up(&mut self, script: &str, flow: &Flow) {
        let mut start = 0;
        for line in script.split_inclusive('\n') {
            let at = line.find("|| exit 0").or_else(|| line.find("||exit 0"));
            let before = at.and_then(|at| line.get(..at)).unwrap_or("");
            let command = before.rsplit([';', '&']).next().unwrap_or("");
            let reads = command.contains("jq ") && !command.contains("jq -e") && !command.contains("grep");
            let value = command.find("$(").and_then(|at| command.get(at..)).unwrap_or(command);
            let reads = reads && flow.is_payload(value);
            let asks = ["command -v", "which ", "type ", "hash "].iter().any(|test| command.contains(test));
            if let Some(at) = at.filter(|_| reads && !asks && !line.trim_start().starts_with('#')) {
                let message = "`|| exit 0`: when the command before it fails, the action goes through";
                self.report_in_script(&FAIL_OPEN, start + at, message);
                return;
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

/// Something that is said right before an exit.
struct Print {
    text: String,
    goes: Goes,
    offset: usize,
    /// Printed by `echo` and its kin.
    is_text: bool,
}

impl Print {
    /// Whether it begins as an object of JSON does, or is a variable that holds one.
    fn is_object(&self, flow: &Flow) -> bool {
        let text = self.text.trim_start_matches(['\'', '"']).trim_start();
        text.starts_with('{') || text.starts_with('$') && flow.kind(&self.text) == Kind::Json
    }
}

/// An `exit` with a number, with what the script says right before it, and on which condition it is reached.
struct ExitSite {
    offset: usize,
    status: u8,
    printed: Vec<Print>,
    condition: String,
}

/// Exits of one script that are looked at.
const MOST_EXITS: usize = 200;
/// Bytes before an exit in which its condition is looked for.
const NEAR: usize = 1000;

/// Words of a refusal.
const REFUSES: &[&str] = &[
    "block",
    "denied",
    "deny",
    "forbid",
    "refus",
    "not allowed",
    "not permitted",
    "disallow",
    "prohibit",
    "rejected",
    "protected",
    "dangerous",
    "destructive",
    "must not",
    "do not ",
    "don't ",
    "never ",
    // In other languages.
    "bloque",
    "gesperrt",
    "verboten",
    "interdit",
    "запрещ",
    "заблок",
    "禁止",
    "阻止",
    "拒绝",
    "拒否",
    "ブロック",
    "차단",
    "금지",
];
/// Words of a failure.
const FAILS: &[&str] = &[
    "not found",
    "not installed",
    "missing",
    "required",
    "usage",
    "install ",
    "unable to",
    "no such",
    "could not",
    "failed to",
    "cannot find",
    "not available",
    "invalid json",
    "error:",
];

impl ExitSite {
    fn all(script: &str, view: &View) -> Vec<Self> {
        let streams = Streams::of(script, view);
        let mut sites = Vec::new();
        for (index, command) in view.commands.iter().enumerate() {
            let status = command.words.get(1).and_then(|word| word.text.as_deref()?.parse().ok());
            let (Some("exit"), Some(status)) = (command.name(), status) else { continue };
            if sites.len() >= MOST_EXITS {
                break;
            }
            let in_child = |via: &Via| matches!(via, Via::CommandSubstitution | Via::Script(_));
            if command.via.iter().any(in_child) {
                continue;
            }
            let (printed, start) = Self::printed(script, view, &streams, index);
            let condition = condition(script.get(..start).unwrap_or(""));
            sites.push(Self { offset: command.span.start, status, printed, condition });
        }
        sites
    }

    /// What is said right before the command there, and where that begins.
    fn printed(script: &str, view: &View, streams: &Streams<'_>, index: usize) -> (Vec<Print>, usize) {
        let mut start = view.commands.get(index).map_or(0, |command| command.span.start);
        let mut printed = Vec::new();
        for command in view.commands.get(..index).unwrap_or(&[]).iter().rev().take(30) {
            let inner = command.via.iter().any(|via| matches!(via, Via::CommandSubstitution));
            if inner || command.words.is_empty() || command.span.end > start {
                continue;
            }
            let document = command.redirects.iter().find(|redirect| redirect.operator == "<<");
            let between = script.get(command.span.end..start).unwrap_or("x");
            let name = command.name();
            if !goes_on(between, document.is_some())
                || matches!(name, Some("exit" | "return" | "grep" | "[" | "test"))
            {
                break;
            }
            let words = command.words.iter().skip(1).map(|word| word.text.as_deref().unwrap_or(&word.source));
            let mut text: String = words.collect::<Vec<_>>().join(" ");
            if let Some(document) = document {
                text.push_str(document.target.text.as_deref().unwrap_or(&document.target.source));
            }
            printed.push(Print {
                text,
                goes: streams.goes(command),
                offset: command.span.start,
                is_text: matches!(name, Some("echo" | "printf")) || name == Some("cat") && document.is_some(),
            });
            start = command.span.start;
        }
        (printed, start)
    }

    fn says(&self, words: &[&str]) -> bool {
        self.printed.iter().any(|print| {
            let text = print.text.to_lowercase();
            words.iter().any(|word| text.contains(word))
        })
    }

    /// Whether a program that is not there is why: a failure that the author wants to be seen wherever it can be.
    fn lacks_a_tool(&self) -> bool {
        let asks =
            ["command -v ", "which ", "type ", "hash "].iter().any(|test| self.condition.contains(test));
        asks || self.says(&["not installed", "command not found"])
    }

    /// Whether the words that the script is called with lead to it: what is said of wrong ones no hook comes to.
    fn depends_on_an_argument(&self) -> bool {
        let words = self.condition.strip_prefix("case ").map(|text| text.trim_start_matches('"'));
        words.is_some_and(|text| text.starts_with("$1") || text.starts_with("${1"))
    }

    /// Whether the script says that it refuses.
    fn refuses(&self) -> bool {
        self.says(REFUSES)
    }

    /// Whether the exit is meant to stop the action: the script says so, or it has found something in the payload.
    fn is_verdict(&self, flow: &Flow, moment: &str) -> bool {
        if self.refuses() {
            return true;
        }
        let text = self.condition.as_str();
        let none = ["-z ", "-n ", "-f ", "-d ", "-x ", "command -v", "which ", "! ", "||"];
        if self.says(FAILS) || moment != "tool_call_starting" || none.iter().any(|test| text.contains(test)) {
            return false;
        }
        let tests = ["grep ", "=~", "==", "case "].iter().any(|test| text.contains(test));
        tests && (text.contains("jq ") || super::texts::variables(text).any(|(_, name)| flow.is_text(name)))
    }
}

/// Whether nothing but separators, comments and a here-document stands between two commands.
fn goes_on(between: &str, document: bool) -> bool {
    if document && between.starts_with([' ', '\n', '>', ';']) {
        let body = between.trim_end_matches([' ', '\t', '\n', ';']);
        let last = body.rsplit('\n').next().unwrap_or("").trim();
        return !last.is_empty()
            && last.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_');
    }
    between.lines().all(|line| {
        let line = line.trim();
        line.starts_with('#')
            || line
                .chars()
                .all(|letter| matches!(letter, ' ' | '\t' | ';' | '&' | '}' | '>' | '1' | '2' | '{'))
    })
}

/// The condition of what begins after a text: of `if ...; then`, `... &&`, a pattern of `case`.
fn condition(before: &str) -> String {
    let near = before.char_indices().rev().take(NEAR).last().map_or(0, |(at, _)| at);
    let text = before.get(near..).unwrap_or("").trim_end_matches([' ', '\t', '\n', '{', '(']);
    if let Some(head) = text.strip_suffix("then") {
        let at = head.rfind("if ").unwrap_or(0);
        return head.get(at + 3..).unwrap_or("").to_owned();
    }
    let line = text.rsplit(['\n', ';']).next().unwrap_or("");
    if text.ends_with("&&") || text.ends_with("||") {
        return line.to_owned();
    }
    if text.ends_with(')') {
        let at = text.rfind("case ").unwrap_or(text.len());
        return text.get(at..).unwrap_or("").lines().next().unwrap_or("").to_owned();
    }
    String::new()
}

/// A text that is printed there without the variables that the condition before it holds against words of the script:
/// `if [[ $phase == "build" ]]; then echo "... $phase ..."`.
pub(super) fn without_compared(script: &str, offset: usize, text: &str) -> String {
    static COMPARED: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(r#""?\$\{?([A-Za-z_]\w*)\}?"?\s+==?\s+["']?[\w.-]+["']?\s*(?:\]|&&|\|\||;|$)"#).ok()
    });
    let mut text = text.to_owned();
    let condition = condition(script.get(..offset).unwrap_or(""));
    let Some(regex) = COMPARED.as_ref().filter(|_| condition.len() <= NEAR) else { return text };
    for name in regex.captures_iter(&condition).take(20).filter_map(|found| found.get(1)) {
        text = text.replace(&format!("${{{}}}", name.as_str()), "");
    }
    text
}

/// Whether the script prints a decision that stops something, in any dialect's words.
pub(super) fn says_block(script: &str, texts: &Texts) -> bool {
    let words = ["\"block\"", "\"deny\"", "blockingError", "preventContinuation"];
    let printed = texts.output().any(|piece| words.iter().any(|word| piece.text.contains(word)));
    printed || ["decision\\\":\\\"block", "decision\\\": \\\"block"].iter().any(|text| script.contains(text))
}

/// What `echo` or `printf` certainly prints on standard output.
fn printed(command: &CommandView) -> Option<&str> {
    let plain = command.redirects.is_empty() && command.via.is_empty();
    let word = command.words.get(1).filter(|_| plain && matches!(command.name(), Some("echo" | "printf")))?;
    word.text.as_deref().filter(|text| !text.is_empty())
}
