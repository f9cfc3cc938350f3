//! The linter: a config's text goes in, and out come the faults that the loader cannot see, each with its rule, its place and a
//! hint. `hookbox check` prints them.
//!
//! ```
//! use hookbox::hook::Dialect;
//! use hookbox::hook::lint::{LintOptions, Severity, lint};
//! use hookbox::sandbox::Sandbox;
//!
//! let config = br#"{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command",
//!     "command": "if jq -r .tool_input.command | grep -q 'rm -rf'; then echo no >&2; exit 1; fi"}]}]}}"#;
//! let options = LintOptions { has_command: &Sandbox::has_command, timeout_cap: None, files: None, load: None, target: None };
//! let findings = lint(Dialect::ClaudeCode, "hooks.json", config, &options)?;
//! // Only exit status 2 blocks.
//! let error = findings.iter().find(|finding| finding.rule.severity == Severity::Error);
//! assert_eq!(error.map(|finding| finding.rule.id), Some("exit-not-blocking"));
//! # Ok::<(), hookbox::hook::ConfigProblem>(())
//! ```
//!
//! # What comes out
//!
//! A [`Finding`] is of one of the [`RULES`]. Lines and columns count from 1, columns in characters; those of a script in a JSON
//! string or a YAML block are the config's own. [`Finding::show`] is for people, [`Finding::to_json`] for machines. A text that is
//! neither JSON nor YAML is the only `Err`; a config that the loader refuses is a finding (`config-invalid`).
//!
//! [`LintOptions::files`] finds the shell scripts that hooks call ([`ScriptFiles`]), and those that they call:
//! `"$CLAUDE_PROJECT_DIR"/.claude/hooks/x.sh`, `${CLAUDE_PLUGIN_ROOT}/x`, `bash x.sh`, `source lib.sh`,
//! `HERE="$(cd "$(dirname "$0")" && pwd)"`. Findings in them name their file, line and column. The linter opens no file by itself, runs no script,
//! and looks at no more than 300 files of a config, six calls deep.
//!
//! # How it goes
//!
//! 1. The dialect's own loader reads the config as for saving; its problems and notices are findings.
//! 2. `crate::hook::portable` reads the hooks once more, leniently, with places.
//! 3. `config.rs` looks at each hook's matcher, timeout and failure policy.
//! 4. `script.rs`, `search.rs`, `exit.rs`, `output.rs` and `payload.rs` look at its script, by the commands that `crate::inspect` sees in it and by
//!    the dialect's facts.
//! 5. `follow.rs` does the same with the files that the script calls, as far as `place.rs` can tell where they are.
//!
//! What a script computes is not known, so a rule says something only where the text shows it. A new rule is a row of `rule.rs`, the
//! test in the file of what it looks at, and a fault in `tests/check/`.

mod branch;
mod calls;
mod config;
mod exit;
mod flow;
mod follow;
mod output;
mod payload;
mod place;
mod python;
mod reach;
mod rule;
mod scalar;
mod script;
mod search;
mod status;
mod texts;
mod twice;
mod version;

#[cfg(test)]
mod tests;

pub use follow::{Found, ScriptFile, ScriptFiles};
pub use place::{Root, ScriptPath};
#[cfg_attr(not(feature = "cli"), allow(unused_imports, reason = "the command looks at other dialects"))]
pub(crate) use rule::{CONFIG_UNREAD, TARGET_CHANGED, TARGET_LOST};
pub use rule::{RULES, Rule, Severity};

use super::contract::{LoadOptions, Purpose};
use super::error::ConfigProblem;
use super::hook_set::HookSet;
use super::notice::{Notice, NoticeKind};
use super::portable::{self, Facts, Places, PortableHook};
use crate::document::Source;
use crate::hook::dialect::docker_agent;
use crate::hook::dialect::goclaw;
use crate::hook::dialect::list::Dialect;
use crate::hook::version::ContractVersion;
use crate::inspect::{LostExit, View, endings};
use crate::near;
use crate::visible;
use follow::{Beside, Role};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::ops::Range;
use std::time::Duration;

/// Most findings of one hook.
const MOST_FINDINGS: usize = 100;

/// What the linter should know.
#[derive(Clone, Copy)]
pub struct LintOptions<'o> {
    /// Whether the sandbox has a command of that name (builtin, utility, stub).
    pub has_command: &'o dyn Fn(&str) -> bool,
    /// The longest time that the host gives a hook.
    pub timeout_cap: Option<Duration>,
    /// Where the files are that hooks call; `None`: they are not looked at.
    pub files: Option<&'o dyn ScriptFiles>,
    /// What the host says when it loads the config; `None`: nothing.
    pub load: Option<&'o LoadOptions>,
    /// A version of the dialect's contract that must know all that the config uses.
    pub target: Option<ContractVersion>,
}

/// What the linter found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// By which rule.
    pub rule: &'static Rule,
    /// In which hook.
    pub hook: Option<String>,
    /// Where, and what.
    pub problem: ConfigProblem,
    /// Line of the hook's script, from 1.
    pub script_line: Option<u32>,
    /// What mends it, where there is one safe answer.
    pub fix: Option<Fix>,
}

/// A change that mends a finding and changes nothing else.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fix {
    /// Bytes of the finding's file become another text.
    Replace {
        /// `[start, end)`
        at: Range<usize>,
        /// In its place.
        text: String,
    },
    /// Carriage returns before newlines go away.
    Newlines,
    /// The file gets the right to be executed.
    Executable {
        /// As [`ScriptFile::name`].
        file: String,
    },
}

impl Finding {
    /// A finding about a config as a whole.
    #[cfg_attr(not(feature = "cli"), allow(dead_code, reason = "the command looks at other dialects"))]
    pub(crate) fn about_file(rule: &'static Rule, file: &str, hook: Option<String>, message: String) -> Self {
        let problem = Source::new(file, b"").problem(None, message);
        Self { rule, hook, problem, script_line: None, fix: None }
    }

    /// For people: place, severity, message, rule; the line; the hint.
    pub fn show(&self) -> String {
        let ConfigProblem { file, place, message, .. } = &self.problem;
        let severity = self.rule.severity.name();
        let (file, message) = (visible::line(file), visible::block(message, "  "));
        let hook = self.hook.as_deref().map(|hook| format!("{}: ", visible::line(hook))).unwrap_or_default();
        let head = match place {
            Some(place) => format!(
                "{file}:{}:{}: {severity}: {hook}{message} [{}]",
                place.line, place.column, self.rule.id
            ),
            None => format!("{file}: {severity}: {hook}{message} [{}]", self.rule.id),
        };
        let mut text = head;
        if let Some(place) = place {
            let mark = " ".repeat(place.column.saturating_sub(1).min(160));
            let _ = write!(text, "\n  | {}\n  | {mark}^", visible::line(&place.excerpt));
        }
        let _ = write!(text, "\n  = {}", self.rule.hint);
        text
    }

    /// `{"rule", "severity", "message", "hint", "hook", "file", "line", "column", "script_line"}`
    pub fn to_json(&self) -> Value {
        let place = self.problem.place.as_ref();
        json!({
            "rule": self.rule.id,
            "severity": self.rule.severity.name(),
            "message": self.problem.message,
            "hint": self.rule.hint,
            "hook": self.hook,
            "file": self.problem.file,
            "line": place.map(|place| place.line),
            "column": place.map(|place| place.column),
            "script_line": self.script_line,
            "fixable": self.fix.is_some(),
        })
    }
}

/// Checks a config.
///
/// # Errors
/// The text is neither JSON nor YAML.
pub fn lint(
    dialect: Dialect,
    name: &str,
    text: &[u8],
    options: &LintOptions<'_>,
) -> Result<Vec<Finding>, ConfigProblem> {
    let source = Source::new(name, text);
    // Frontmatter is its dialect's own language.
    let own = |error| (dialect.contract().tree)(&source).map_err(|_| error);
    let node = source.json_or_yaml("not a hook config: ").or_else(own)?;
    let mut findings = load(dialect, name, text, options.load);
    if let Some(target) = options.target {
        findings.extend(version::unknown(target, dialect, &source, &node));
    }
    findings.extend(config::duplicate_keys(&source, &node));
    let facts = portable::facts(dialect);
    let hooks = (facts.read)(&node);
    let mut follow = options.files.map(|files| follow::Follow::new(files, options, dialect));
    // Under `_Stop` stands what its author has turned off.
    let is_on = |hook: &PortableHook| !hook.event.starts_with(['_', '/']);
    for (index, hook) in hooks.iter().enumerate().filter(|(_, hook)| is_on(hook)) {
        let mut lint = HookLint {
            source: &source,
            file: None,
            dialect,
            facts,
            hook,
            options,
            role: Role::Hook,
            beside: None,
            has_payload: false,
            has_arguments: false,
            lost_exits: Vec::new(),
            findings: Vec::new(),
        };
        lint.config();
        if let Some((dialect, mut original)) = hook.script().and_then(super::convert::origin) {
            // An adapter is ours; what was ported is looked at as what it is.
            original.places = Places { script: None, ..hook.places };
            lint = HookLint { dialect, facts: portable::facts(dialect), hook: &original, ..lint };
            lint.whole_script();
            findings.append(&mut lint.findings);
            continue;
        }
        lint.whole_script();
        if let Some(follow) = &mut follow {
            follow.hook(index, &mut lint);
        }
        findings.append(&mut lint.findings);
    }
    findings.sort_by_key(place_of);
    once(&mut findings, &rule::MACHINE_PATH);
    if let Some(follow) = follow {
        let mut of_files = follow.findings(&hooks, &source);
        of_files.sort_by(|one, other| {
            (&one.problem.file, place_of(one)).cmp(&(&other.problem.file, place_of(other)))
        });
        findings.append(&mut of_files);
    }
    Ok(findings)
}

/// Keeps the first finding of a rule, and says in it how many there are.
fn once(findings: &mut Vec<Finding>, rule: &'static Rule) {
    let is_of = |finding: &Finding| finding.rule.id == rule.id;
    let others = findings.iter().filter(|finding| is_of(finding)).count().saturating_sub(1);
    let mut is_first = true;
    findings.retain(|finding| !is_of(finding) || std::mem::take(&mut is_first));
    if let Some(finding) = findings.iter_mut().find(|finding| is_of(finding) && others > 0) {
        let _ = write!(finding.problem.message, ", as are those of {others} more hooks");
    }
}

fn place_of(finding: &Finding) -> (usize, usize) {
    finding.problem.place.as_ref().map_or((0, 0), |place| (place.line, place.column))
}

/// What the dialect's loader says.
fn load(dialect: Dialect, name: &str, text: &[u8], given: Option<&LoadOptions>) -> Vec<Finding> {
    let given = given.cloned().unwrap_or_default();
    let options = LoadOptions { name: name.to_owned(), purpose: Purpose::Save, ..given };
    let finding = |rule, problem| Finding {
        rule,
        hook: None,
        problem: with_hint(dialect, problem),
        script_line: None,
        fix: None,
    };
    let of_notice = |notice: &Notice| of_notice(dialect, notice);
    match HookSet::load(dialect, text, &options) {
        Err(error) => {
            let invalid = error.problems.into_iter().map(|problem| finding(&rule::CONFIG_INVALID, problem));
            let mut found: Vec<Finding> = invalid.collect();
            if dialect == Dialect::Goclaw {
                let others = goclaw::config::other_faults(&Source::new(name, text), &options);
                found.extend(others.into_iter().map(|problem| finding(&rule::CONFIG_INVALID, problem)));
            }
            // What else there is to say of it comes out where it is loaded to run, if it can be.
            let options = LoadOptions { purpose: Purpose::Run, ..options };
            let set = HookSet::load(dialect, text, &options);
            let warnings =
                set.iter().flat_map(HookSet::notices).filter(|notice| notice.kind == NoticeKind::Warning);
            found.extend(warnings.filter_map(of_notice));
            found
        }
        Ok(set) => set.notices().iter().filter_map(of_notice).collect(),
    }
}

fn of_notice(dialect: Dialect, notice: &Notice) -> Option<Finding> {
    let message = &notice.problem.message;
    if !matches!(notice.kind, NoticeKind::Dropped | NoticeKind::Warning) || is_about_a_comment(message) {
        return None;
    }
    let is_elsewhere = message.contains("are not read from here");
    let rule = if is_elsewhere { &rule::HOOKS_ELSEWHERE } else { &rule::CONFIG_NOTICE };
    let hook = notice.hook.as_ref().map(|hook| hook.as_str().to_owned());
    let mut problem = notice.problem.clone();
    // A finding names its hook itself.
    let rest = hook.as_deref().and_then(|hook| message.strip_prefix(hook)?.strip_prefix(": "));
    if let Some(rest) = rest {
        rest.clone_into(&mut problem.message);
    }
    Some(Finding { rule, hook, problem: with_hint(dialect, problem), script_line: None, fix: None })
}

/// A problem with the known name that an unknown one is nearest to. The words before it are the dialect's own.
fn with_hint(dialect: Dialect, mut problem: ConfigProblem) -> ConfigProblem {
    let message = problem.message.as_str();
    let quoted = |start: &str| {
        let rest = message.split_once(start)?.1;
        let (quote, rest) = rest.split_at_checked(1)?;
        rest.split(quote).next()
    };
    let of_claude = || message.strip_prefix("hooks.")?.strip_suffix(": unknown event; skipped");
    let event = quoted("unknown event ").or_else(|| quoted("unknown hook ")).or_else(of_claude);
    let is_flat = message.ends_with("at least one hook is required");
    let hint = match (event, quoted("there is no builtin ")) {
        (Some(name), _) => {
            let rows = portable::facts(dialect).events.iter().map(|row| row.name);
            // One that differs by its spelling alone has a rule of its own.
            let near = near::nearest(name, rows).filter(|near| !is_spelt_alike(near, name));
            near.map(|near| format!(": did you mean `{near}`?"))
        }
        (None, Some(name)) if dialect == Dialect::DockerAgent => {
            Some(near::hint(name, docker_agent::builtins()))
        }
        _ if is_flat => Some(
            ": hooks of this event stand in the list `hooks` of an entry, beside its `matcher`".to_owned(),
        ),
        _ => None,
    };
    problem.message.push_str(&hint.unwrap_or_default());
    problem
}

fn is_spelt_alike(one: &str, other: &str) -> bool {
    let letters = |name: &str| name.replace('_', "").to_lowercase();
    letters(one) == letters(other)
}

/// Whether a notice is about a member that is there for readers.
fn is_about_a_comment(message: &str) -> bool {
    if message.ends_with(": a comment, ignored") {
        return true;
    }
    let name = message.split_once("unknown field `").and_then(|(_, rest)| rest.split('`').next());
    name.is_some_and(|name| {
        matches!(name, "comment" | "comments" | "description" | "id" | "name" | "note" | "$schema")
            || name.starts_with(['_', '/'])
    })
}

/// One hook being looked at.
struct HookLint<'h> {
    source: &'h Source<'h>,
    /// The file that the script is in; `None`: it is in the config.
    file: Option<&'h Source<'h>>,
    dialect: Dialect,
    facts: &'static Facts,
    hook: &'h PortableHook,
    options: &'h LintOptions<'h>,
    /// What the script is to the hook.
    role: Role,
    /// What the files beside it define.
    beside: Option<&'h Beside<'h>>,
    /// Whether its arguments have text of the payload in them.
    has_payload: bool,
    /// Whether it is, or may be, called with arguments.
    has_arguments: bool,
    /// Exits that end less than the script.
    lost_exits: Vec<LostExit>,
    findings: Vec<Finding>,
}

impl HookLint<'_> {
    /// Whether no more findings of this hook are told.
    fn is_full(&self) -> bool {
        self.findings.len() >= MOST_FINDINGS
    }

    /// Adds a finding at an offset of the config.
    fn report(&mut self, rule: &'static Rule, at: Option<usize>, message: impl Into<String>) {
        if self.is_full() {
            return;
        }
        let problem = self.source.problem(at.or(self.hook.places.hook), message);
        self.findings.push(Finding {
            rule,
            hook: Some(self.hook.label()),
            problem,
            script_line: None,
            fix: None,
        });
    }

    /// Says what mends the finding that was reported last.
    fn mended_by(&mut self, fix: Fix) {
        if let Some(finding) = self.findings.last_mut() {
            finding.fix.get_or_insert(fix);
        }
    }

    /// Adds a finding at an offset of the script.
    fn report_in_script(&mut self, rule: &'static Rule, offset: usize, message: impl Into<String>) {
        if self.is_full() {
            return;
        }
        let script = self.hook.script().unwrap_or("").as_bytes();
        let before = script.get(..offset).unwrap_or(script);
        let line = memchr::memchr_iter(b'\n', before).count() + 1;
        if let Some(file) = self.file {
            let problem = file.problem(Some(offset), message);
            self.findings.push(Finding {
                rule,
                hook: Some(self.hook.label()),
                problem,
                script_line: None,
                fix: None,
            });
        } else {
            let at = self.hook.places.script.map(|at| raw_offset(self.source.text, at, offset));
            self.report(rule, at, message);
        }
        if let Some(finding) = self.findings.last_mut() {
            finding.script_line = u32::try_from(line).ok();
        }
    }

    fn whole_script(&mut self) {
        if let Some(script) = self.hook.script() {
            let (script, lost) = reached(script);
            let view = crate::inspect::inspect(script.as_bytes());
            self.lost_exits = lost;
            self.script(script, &view);
        }
    }

    fn script(&mut self, script: &str, view: &View) {
        let texts = texts::Texts::of(script, view);
        self.commands(script, view, &texts);
        if self.role == Role::Hook {
            self.output(view, &texts);
            self.payload(view, &texts);
        }
    }
}

/// What of a script can be run, and its exits that end less than it: behind `exit 0` may stand anything.
fn reached(script: &str) -> (&str, Vec<LostExit>) {
    let endings = endings(script.as_bytes());
    (script.get(..endings.reached).unwrap_or(script), endings.lost)
}

/// The lines of a config at which bytes of a hook's script stand, where the config has that script as it is.
#[cfg_attr(not(feature = "cli"), allow(dead_code, reason = "only the command reports coverage"))]
pub(crate) fn lines_in_config(
    dialect: Dialect,
    text: &[u8],
    script: &str,
    offsets: &[u32],
) -> Option<Vec<usize>> {
    let source = Source::new("", text);
    let node = source.json_or_yaml("").ok().or_else(|| (dialect.contract().tree)(&source).ok())?;
    let hooks = (portable::facts(dialect).read)(&node);
    let at = hooks.iter().find(|hook| hook.script() == Some(script))?.places.script?;
    let line = |offset: &u32| {
        let end = raw_offset(text, at, *offset as usize);
        memchr::memchr_iter(b'\n', text.get(..end).unwrap_or(text)).count() + 1
    };
    Some(offsets.iter().map(line).collect())
}

/// The offset in a config of the byte at `offset` of the string or scalar that begins at `at`.
fn raw_offset(text: &[u8], at: usize, offset: usize) -> usize {
    if text.get(at) != Some(&b'"') {
        return scalar::raw_offset(text, at, offset);
    }
    let (mut raw, mut decoded) = (at.saturating_add(1), 0);
    while decoded < offset {
        match text.get(raw) {
            None | Some(b'"') => return at,
            Some(b'\\') if text.get(raw + 1) == Some(&b'u') => {
                let digits = text.get(raw + 2..raw + 6).and_then(|digits| std::str::from_utf8(digits).ok());
                let code = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok()).unwrap_or(0);
                decoded += match code {
                    0..=0x7f => 1,
                    0x80..=0x7ff => 2,
                    // Half of a pair that makes four bytes.
                    0xd800..=0xdfff => 2,
                    _ => 3,
                };
                raw += 6;
            }
            Some(b'\\') => {
                decoded += 1;
                raw += 2;
            }
            Some(_) => {
                decoded += 1;
                raw += 1;
            }
        }
    }
    raw
}
