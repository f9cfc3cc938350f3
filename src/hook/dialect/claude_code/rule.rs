//! `if`: one permission rule that decides whether a handler runs for a call (R13 to R15).
//!
//! `Tool` or `Tool(pattern)`. What the pattern is tested on depends on the call: a shell command, a file, or any text of the
//! input. The rule is a filter and no security boundary (R63): where a command cannot be known, the handler runs and sees
//! the call for itself.
//!
//! A shell command is taken apart by [`inspect_briefly`]: every simple command anywhere in it, also behind
//! `env`, `xargs` or `bash -c`, is tested as written and as it is after quote removal.

use super::path_rule::PathPattern;
use super::payload::FILE_TOOLS;
use crate::hook::matcher::{Mismatch, RegexCompiler, no_character_of_a_name};
use crate::inspect::{CommandView, OpaqueKind, inspect_briefly};
use serde_json::Value;
use std::cell::OnceCell;
use std::sync::OnceLock;

/// A rule.
#[derive(Debug)]
pub(super) struct IfRule {
    text: String,
    tool: String,
    pattern: Option<Pattern>,
}

#[derive(Debug)]
struct Pattern {
    text: Wildcard,
    /// The whole pattern, for members of the input that are not a command.
    whole: String,
    /// Made with a rule for a tool that names files, else for the first call with a file; `None` within: it is not a glob, and
    /// fits no file.
    path: OnceLock<Option<PathPattern>>,
    /// Whether it says more than the command word.
    is_specific: bool,
}

/// Memory of a pattern over files, in bytes.
const PATH_BYTES: u64 = 1 << 18;

/// A pattern over a command's text.
#[derive(Debug)]
enum Wildcard {
    /// This text, or it and a blank and anything: what `git:*` and `git *` ask for.
    Prefix(String),
    /// The pieces between the stars.
    Pieces(Vec<String>),
    /// As `Pieces`, of a pattern that ends in ` *`: the blank may be the end of the text.
    OpenPieces(Vec<String>),
}

impl Wildcard {
    fn new(pattern: &str) -> Self {
        match (pattern.strip_suffix(":*"), pattern.strip_suffix(" *")) {
            (Some(prefix), _) => Self::Prefix(prefix.to_owned()),
            (None, Some(prefix)) if !prefix.contains('*') => Self::Prefix(prefix.trim_end().to_owned()),
            (None, Some(_)) => Self::OpenPieces(pieces(pattern)),
            (None, None) => Self::Pieces(pieces(pattern)),
        }
    }

    /// What a text that fits begins with.
    fn beginning(&self) -> &str {
        match self {
            Self::Prefix(prefix) => prefix,
            Self::Pieces(pieces) | Self::OpenPieces(pieces) => pieces.first().map_or("", String::as_str),
        }
    }

    fn matches(&self, text: &str) -> bool {
        match self {
            Self::Prefix(prefix) => text
                .strip_prefix(prefix.as_str())
                .is_some_and(|rest| rest.is_empty() || rest.starts_with(char::is_whitespace)),
            Self::Pieces(pieces) => has_pieces(pieces, text),
            Self::OpenPieces(pieces) => has_pieces(pieces, &format!("{text} ")),
        }
    }
}

/// What stands between the stars of a pattern.
pub(super) fn pieces(pattern: &str) -> Vec<String> {
    pattern.split('*').map(str::to_owned).collect()
}

/// Whether a text is the pieces with anything between them. Each is looked for after the one before it, so the time is linear
/// in the text for every piece.
pub(super) fn has_pieces(pieces: &[String], text: &str) -> bool {
    let Some((first, others)) = pieces.split_first() else { return false };
    let Some((last, middle)) = others.split_last() else { return text == first };
    let Some(mut rest) = text.strip_prefix(first.as_str()) else { return false };
    for piece in middle {
        match rest.split_once(piece.as_str()) {
            Some((_, after)) => rest = after,
            None => return false,
        }
    }
    rest.ends_with(last.as_str())
}

/// A call, for all rules of one firing.
#[derive(Debug)]
pub(super) struct RuleCall<'a> {
    tool: &'a str,
    input: &'a Value,
    cwd: &'a str,
    home: &'a str,
    command: OnceCell<Command>,
}

/// A shell command, taken apart once.
#[derive(Debug)]
struct Command {
    /// What runs cannot be known.
    is_unknown: bool,
    /// It has `$( )`, a backquote or `$VAR`.
    expands: bool,
    /// Every simple command in every form that it is tested in, in order and each once.
    texts: Vec<String>,
}

impl<'a> RuleCall<'a> {
    pub(super) const fn new(tool: &'a str, input: &'a Value, cwd: &'a str, home: &'a str) -> Self {
        Self { tool, input, cwd, home, command: OnceCell::new() }
    }

    fn member(&self, name: &str) -> Option<&'a str> {
        self.input.get(name).and_then(Value::as_str)
    }
}

impl Command {
    fn new(command: &str) -> Self {
        let view = inspect_briefly(command.as_bytes());
        let hides = |kind: OpaqueKind| {
            matches!(
                kind,
                OpaqueKind::ComputedCommand
                    | OpaqueKind::ComputedArguments
                    | OpaqueKind::ComputedScript
                    | OpaqueKind::SyntaxError
                    | OpaqueKind::TooLarge
            )
        };
        let mut texts = Vec::new();
        view.commands.iter().for_each(|command| add_forms(command, &mut texts));
        texts.sort_unstable();
        texts.dedup();
        Self {
            is_unknown: view.error.is_some() || view.opaque.iter().any(|opaque| hides(opaque.what)),
            expands: has_expansion(command),
            texts,
        }
    }

    /// Whether one of its texts fits. Only those that begin as the pattern does are looked at.
    fn fits(&self, pattern: &Wildcard) -> bool {
        let beginning = pattern.beginning();
        let first = self.texts.partition_point(|text| text.as_str() < beginning);
        let candidates = self.texts.get(first..).unwrap_or(&[]).iter();
        candidates.take_while(|text| text.starts_with(beginning)).any(|text| pattern.matches(text))
    }
}

/// Adds a command after quote removal, as written, and by its name without a path: `/bin/rm x` is `rm x`.
fn add_forms(command: &CommandView, texts: &mut Vec<String>) {
    let Some(first) = command.words.first() else { return };
    // Most are written as they are, and what is repeated is often repeated at once.
    let mut add = |text: String| {
        if texts.last() != Some(&text) {
            texts.push(text);
        }
    };
    let text = command.text();
    if let (Some(name), Some(word)) = (command.name(), first.text.as_deref())
        && name != word
    {
        add(format!("{name}{}", text.get(word.len()..).unwrap_or("")));
    }
    let is_plain = command.words.iter().all(|word| word.text.as_deref() == Some(&*word.source));
    if !is_plain {
        let sources: Vec<_> = command.words.iter().map(|word| word.source.as_str()).collect();
        add(sources.join(" "));
    }
    add(text);
}

impl IfRule {
    /// Reads a rule.
    ///
    /// # Errors
    /// Why it is none.
    pub(super) fn read(text: &str) -> Result<Self, String> {
        let text = text.trim();
        let (tool, pattern) = match text.split_once('(') {
            None => (text, None),
            Some((tool, rest)) => match rest.strip_suffix(')') {
                Some(pattern) => (tool.trim(), Some(pattern.trim())),
                None => return Err(format!("`{text}` has no closing parenthesis")),
            },
        };
        if tool.is_empty() || tool.contains([' ', ')']) {
            return Err(format!("`{text}` is not a tool's name with a pattern in parentheses"));
        }
        let pattern = pattern.filter(|pattern| !pattern.is_empty());
        let pattern = pattern.map(Pattern::new);
        if let Some(pattern) = pattern.as_ref().filter(|_| FILE_TOOLS.contains(&tool)) {
            // When the config is loaded, not when the first call waits for the hook.
            pattern.path();
        }
        Ok(Self { text: text.to_owned(), tool: tool.to_owned(), pattern })
    }

    /// Why no call passes; `None` where some may.
    pub(super) fn never(&self) -> Option<String> {
        if let Some(letter) = no_character_of_a_name(&self.tool) {
            return Some(format!(
                "`if`: no tool has `{letter}` in its name, so `{}` never passes",
                self.text
            ));
        }
        self.pattern.as_ref().filter(|pattern| goes_on_with_rules(&pattern.whole))?;
        Some(format!(
            "`if` is one rule (R14), so `{}` is a single pattern: give each rule a handler of its own",
            self.text
        ))
    }

    /// Whether the handler is to run for the call.
    pub(super) fn test(&self, call: &RuleCall<'_>) -> Result<(), Mismatch> {
        let is_tool = call.tool == self.tool;
        if is_tool && self.pattern.as_ref().is_none_or(|pattern| pattern.test(call)) {
            return Ok(());
        }
        let found = if is_tool { "the call" } else { call.tool };
        Err(Mismatch::Because(format!("`if`: {found} does not pass `{}`", self.text)))
    }
}

impl Pattern {
    fn new(pattern: &str) -> Self {
        let words = pattern.strip_suffix(":*").unwrap_or(pattern);
        Self {
            text: Wildcard::new(pattern),
            whole: pattern.to_owned(),
            path: OnceLock::new(),
            is_specific: words.split_whitespace().skip(1).any(|word| word != "*"),
        }
    }

    fn path(&self) -> Option<&PathPattern> {
        let read = || PathPattern::read(&self.whole, &mut RegexCompiler::new(PATH_BYTES)).ok();
        self.path.get_or_init(read).as_ref()
    }

    fn test(&self, call: &RuleCall<'_>) -> bool {
        let file = ["file_path", "notebook_path", "path"].into_iter().find_map(|name| call.member(name));
        if let Some(path) = file {
            return self.path().is_some_and(|pattern| pattern.matches(path, call.cwd, call.home));
        }
        if let Some(command) = call.member("command") {
            let command = call.command.get_or_init(|| Command::new(command));
            return command.is_unknown || (self.is_specific && command.expands) || command.fits(&self.text);
        }
        if let (Some(wanted), Some(url)) = (self.whole.strip_prefix("domain:"), call.member("url")) {
            return is_domain(host_of(url), wanted);
        }
        // The contract says nothing of other tools: a text of the input must fit. A shell tool without a command is
        // one that cannot be parsed.
        let mut texts = call.input.as_object().into_iter().flatten().filter_map(|(_, value)| value.as_str());
        call.tool == "Bash" || texts.any(|text| self.text.matches(text))
    }
}

/// Whether more rules stand in a pattern, as in `rm *)|Bash(mv *`.
fn goes_on_with_rules(pattern: &str) -> bool {
    pattern.split(')').skip(1).any(|rest| {
        let rule = rest.trim_start_matches([' ', '|', ',', '&']);
        let tool = rule.split_once('(').map_or("", |(tool, _)| tool);
        rule.len() < rest.len()
            && tool.starts_with(|letter: char| letter.is_ascii_uppercase())
            && no_character_of_a_name(tool).is_none()
    })
}

/// `$( )`, a backquote, or `$VAR`, wherever it stands.
fn has_expansion(command: &str) -> bool {
    let bytes = command.as_bytes();
    memchr::memchr2_iter(b'$', b'`', bytes).any(|at| {
        let next = bytes.get(at + 1).copied();
        bytes.get(at) == Some(&b'`')
            || next.is_some_and(|next| next.is_ascii_alphanumeric() || b"({_@*#?!".contains(&next))
    })
}

fn host_of(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#']).next().unwrap_or("");
    let host = authority.rsplit('@').next().unwrap_or("");
    host.split(':').next().unwrap_or("")
}

fn is_domain(host: &str, wanted: &str) -> bool {
    has_pieces(&pieces(&wanted.to_ascii_lowercase()), &host.to_ascii_lowercase())
}
