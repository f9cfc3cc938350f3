//! Which rules an event selects (A1.1): a pattern over a tool's name with aliases, or over a compaction's trigger.
//!
//! A flat rule's pattern is a regular expression over the whole name when it reads `^…$`, else a glob with `*` and `?` (G6).
//! The string matcher of a nested group is that of Claude Code (R5): everything, a list of names, or an expression found
//! anywhere. Every pattern is tried against both names of a tool (G7).

use crate::hook::dialect::expression;
use crate::hook::matcher::{Mismatch, Regex, RegexCompiler, no_character_of_a_name};
use crate::pattern::{NoTicker, Pattern, PatternOptions};
use std::fmt;

/// The platform's name and Claude Code's.
const ALIASES: [(&str, &str); 15] = [
    ("read_file", "Read"),
    ("write_file", "Write"),
    ("replace", "Edit"),
    ("run_shell_command", "Bash"),
    ("glob", "Glob"),
    ("search_file_content", "Grep"),
    ("web_fetch", "WebFetch"),
    ("web_search", "WebSearch"),
    ("list_directory", "LS"),
    ("save_memory", "SaveMemory"),
    ("ask_user", "AskUser"),
    ("todo_write", "TodoWrite"),
    ("plan_save", "PlanSave"),
    ("plan_finalize", "PlanFinalize"),
    ("activate_skill", "ActivateSkill"),
];

/// The name that payloads show (G8).
pub(super) fn claude_name(tool: &str) -> &str {
    ALIASES.iter().find(|(internal, _)| *internal == tool).map_or(tool, |(_, claude)| claude)
}

/// The tool's other name, if it has one.
fn alias(tool: &str) -> Option<&'static str> {
    ALIASES.iter().find_map(|&(internal, claude)| match tool {
        _ if tool == internal => Some(claude),
        _ if tool == claude => Some(internal),
        _ => None,
    })
}

/// What an event shows to matchers.
#[derive(Clone, Copy, Debug)]
pub(super) enum Subject<'a> {
    /// A tool's name.
    Tool(&'a str),
    /// What triggered a compaction.
    Trigger(&'a str),
    /// Nothing: every rule matches.
    Nothing,
}

/// A rule's test.
#[derive(Debug, Default)]
pub(super) enum Matcher {
    /// Everything.
    #[default]
    All,
    /// One of these names.
    Names(Vec<String>),
    /// A glob over the whole name.
    Glob { text: String, pattern: Pattern },
    /// An expression; anchored where it has to be.
    Expression { text: String, regex: Regex },
    /// Nothing, and why.
    Never(&'static str),
}

impl Matcher {
    pub(super) fn test(&self, subject: Subject<'_>) -> Result<(), Mismatch> {
        let (found, other) = match subject {
            Subject::Tool(tool) => (tool, alias(tool)),
            Subject::Trigger(trigger) => (trigger, None),
            Subject::Nothing => return Ok(()),
        };
        let passes = |name: &str| match self {
            Self::All => true,
            Self::Names(names) => names.iter().any(|wanted| wanted == name),
            Self::Glob { pattern, .. } => matches!(pattern.matches(name.as_bytes(), &mut NoTicker), Ok(true)),
            Self::Expression { regex, .. } => regex.is_match(name),
            Self::Never(_) => false,
        };
        if passes(found) || other.is_some_and(passes) {
            return Ok(());
        }
        match self {
            Self::Never(why) => Err(Mismatch::Never(why)),
            _ => Err(Mismatch::Name { wanted: self.to_string(), found: found.to_owned() }),
        }
    }

    /// A flat rule's pattern for a tool; the second value is a warning.
    pub(super) fn tool(pattern: &str, regexes: &mut RegexCompiler) -> (Self, Option<String>) {
        if pattern.len() > 1 && pattern.starts_with('^') && pattern.ends_with('$') {
            return Self::whole(pattern, regexes);
        }
        let letters: String = pattern.chars().filter(|letter| !matches!(letter, '*' | '?')).collect();
        let warning = no_character_of_a_name(&letters).map(|letter| {
            format!("matcher pattern `{pattern}` is compared as text, and no tool has `{letter}` in its name; an expression begins with ^ and ends with $")
        });
        if letters.len() == pattern.len() {
            return (Self::Names(vec![pattern.to_owned()]), warning);
        }
        (Self::Glob { text: pattern.to_owned(), pattern: glob(pattern) }, warning)
    }

    /// An expression over the whole text; an invalid one is compared as it is (G6).
    pub(super) fn whole(pattern: &str, regexes: &mut RegexCompiler) -> (Self, Option<String>) {
        // Alone first: `a)|(b` must not become valid by what is put around it.
        let alone = compile(pattern, regexes);
        match alone.and_then(|_| compile(&format!(r"\A(?:{pattern})\z"), regexes)) {
            Ok(regex) => (Self::Expression { text: pattern.to_owned(), regex }, None),
            Err(why) => (
                Self::Names(vec![pattern.to_owned()]),
                Some(format!("matcher pattern `{pattern}` is not a regex and is compared as text: {why}")),
            ),
        }
    }

    /// A nested group's matcher (R5).
    pub(super) fn group(matcher: &str, regexes: &mut RegexCompiler) -> (Self, Option<String>) {
        if matcher.is_empty() || matcher == "*" {
            return (Self::All, None);
        }
        let is_plain = |character: char| {
            character.is_ascii_alphanumeric() || matches!(character, '_' | '-' | ' ' | ',' | '|')
        };
        if matcher.chars().all(is_plain) {
            let names = matcher.split(['|', ',']).map(str::trim).filter(|name| !name.is_empty());
            return (Self::Names(names.map(str::to_owned).collect()), None);
        }
        match expression::compile(matcher, regexes) {
            Ok(regex) => (Self::Expression { text: matcher.to_owned(), regex }, None),
            Err(why) => (
                Self::Never("R5: the matcher is not a valid regex"),
                Some(format!("matcher `{matcher}` is not a valid regex, the group never fires: {why}")),
            ),
        }
    }
}

impl fmt::Display for Matcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::All => f.write_str("*"),
            Self::Names(names) => f.write_str(&names.join("|")),
            Self::Glob { text, .. } | Self::Expression { text, .. } => f.write_str(text),
            Self::Never(why) => f.write_str(why),
        }
    }
}

/// Python's expressions have look-around and back-references; these go back and forth a bounded number of steps.
fn compile(pattern: &str, regexes: &mut RegexCompiler) -> Result<Regex, String> {
    regexes.compile(pattern).or_else(|why| regexes.compile_backtracking(pattern).map_err(|_| why))
}

/// `*` is any text, `?` any character, everything else itself.
fn glob(glob: &str) -> Pattern {
    let literal: Vec<bool> = glob.bytes().map(|byte| !matches!(byte, b'*' | b'?')).collect();
    Pattern::new(glob.as_bytes(), &literal, PatternOptions::default())
}
