//! Which hooks an event selects: tests of a tool's name and of its arguments, compiled when the config is loaded.
//!
//! Every regular expression is linear-time, without look-around and back-references. A test that fails says what it wanted
//! and what it found, so that a hook that did not run can be explained.

use super::json::cut;
use crate::limit::gauge;
use regex_automata::meta;
use regex_automata::nfa::thompson::WhichCaptures;
use regex_automata::util::syntax;
use regex_syntax::hir::{Hir, HirKind};
use serde_json::Value;
use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

/// A test of a name.
#[derive(Clone, Debug)]
pub(crate) enum NamePattern {
    /// Equal, case and all.
    Exact(String),
    /// Alternatives, each a whole name or a prefix.
    Prefixes(Vec<NamePrefix>),
}

/// One alternative of [`NamePattern::Prefixes`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NamePrefix {
    /// What the name must start with, or be.
    pub(crate) text: String,
    /// Whether more may follow.
    pub(crate) open: bool,
}

impl NamePattern {
    /// Whether `name` passes.
    pub(crate) fn matches(&self, name: &str) -> bool {
        match self {
            Self::Exact(wanted) => wanted == name,
            Self::Prefixes(prefixes) => prefixes
                .iter()
                .any(|prefix| if prefix.open { name.starts_with(&prefix.text) } else { name == prefix.text }),
        }
    }

    /// Alternatives separated by `|`, blanks around them trimmed, a `*` at an alternative's end open; `None` when there is
    /// any other pattern character in it.
    pub(crate) fn parse_prefixes(glob: &str) -> Option<Self> {
        let mut prefixes = Vec::new();
        for alternative in glob.split('|').map(str::trim).filter(|text| !text.is_empty()) {
            let (text, open) =
                alternative.strip_suffix('*').map_or((alternative, false), |text| (text, true));
            if text.contains(['*', '?', '[', ']', '{', '}']) {
                return None;
            }
            prefixes.push(NamePrefix { text: text.to_owned(), open });
        }
        Some(Self::Prefixes(prefixes))
    }
}

impl fmt::Display for NamePattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exact(text) => f.write_str(text),
            Self::Prefixes(prefixes) => {
                for (index, prefix) in prefixes.iter().enumerate() {
                    let separator = if index > 0 { "|" } else { "" };
                    write!(f, "{separator}{}{}", prefix.text, if prefix.open { "*" } else { "" })?;
                }
                Ok(())
            }
        }
    }
}

/// A character in `text` that no tool's name has: what is compared as it is was meant as a pattern.
pub(super) fn no_character_of_a_name(text: &str) -> Option<char> {
    let is_usual =
        |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '-' | '.' | ':' | '/' | ' ' | '@');
    text.chars().find(|letter| !is_usual(*letter))
}

/// A test of one value inside a call's arguments.
#[derive(Clone, Debug)]
pub(crate) struct ArgumentPattern {
    /// Object keys from the outside in.
    pub(crate) path: Vec<String>,
    /// Found anywhere in the value's text; without one the text must not be empty.
    pub(crate) regex: Option<Regex>,
}

impl ArgumentPattern {
    /// Splits a dotted path; one leading `$.` is dropped and empty segments are skipped.
    pub(crate) fn parse_path(path: &str) -> Vec<String> {
        let path = path.strip_prefix("$.").unwrap_or(path);
        path.split('.').filter(|key| !key.is_empty()).map(str::to_owned).collect()
    }

    /// The text at the path: a string itself, `""` for what is missing or null, else compact JSON.
    pub(crate) fn extract<'v>(&self, arguments: &'v Value) -> Cow<'v, str> {
        let mut value = arguments;
        for key in &self.path {
            match value.as_object().and_then(|object| object.get(key)) {
                Some(next) => value = next,
                None => return Cow::Borrowed(""),
            }
        }
        match value {
            Value::String(text) => Cow::Borrowed(text),
            Value::Null => Cow::Borrowed(""),
            other => Cow::Owned(other.to_string()),
        }
    }

    /// Whether `arguments` pass, else why not.
    pub(crate) fn test(&self, arguments: &Value) -> Result<(), Mismatch> {
        let text = self.extract(arguments);
        let passes = self.regex.as_ref().map_or(!text.is_empty(), |regex| regex.is_match(&text));
        if passes {
            return Ok(());
        }
        Err(Mismatch::Argument {
            path: self.path.join("."),
            pattern: self.regex.as_ref().map(|regex| regex.as_str().to_owned()),
            found: cut(&text, 120).to_owned(),
        })
    }
}

/// Why a hook was not selected.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Mismatch {
    /// The name did not pass.
    Name {
        /// What was asked for.
        wanted: String,
        /// The name.
        found: String,
    },
    /// The arguments did not pass.
    Argument {
        /// Keys joined with dots.
        path: String,
        /// The expression; `None` asked for any text.
        pattern: Option<String>,
        /// The text, cut to 120 bytes; empty also when there was none.
        found: String,
    },
    /// An expression over the whole event did not hold, or has no value.
    Condition {
        /// The expression.
        text: String,
        /// Which of both.
        why: String,
        /// Whether it has no value.
        undecided: bool,
    },
    /// The matcher can never pass.
    Never(&'static str),
    /// A safety gate refused the hook.
    Refused {
        /// The gate's word for why, for example `not_allowlisted`.
        reason: &'static str,
        /// What to do about it; empty when there is nothing to say.
        hint: String,
        /// The mode that was in force.
        mode: String,
    },
    /// Another test of the dialect did not pass; why.
    Because(String),
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name { wanted, found } => write!(f, "tool name `{found}` is not `{wanted}`"),
            Self::Argument { path, pattern: None, found: _ } => {
                write!(f, "argument `{path}` is missing or empty")
            }
            Self::Argument { path, pattern: Some(pattern), found } if found.is_empty() => {
                write!(f, "argument `{path}` is missing or empty, so `{pattern}` is not found in it")
            }
            Self::Argument { path, pattern: Some(pattern), found } => {
                write!(f, "`{pattern}` is not found in argument `{path}`: `{found}`")
            }
            Self::Condition { text, why, .. } => write!(f, "`{text}`: {why}"),
            Self::Never(why) => f.write_str(why),
            Self::Refused { reason, hint, mode } => {
                let separator = if hint.is_empty() { "" } else { ": " };
                write!(f, "refused in mode `{mode}`: {reason}{separator}{hint}")
            }
            Self::Because(why) => f.write_str(why),
        }
    }
}

/// A compiled expression with its source text.
#[derive(Clone, Debug)]
pub(crate) struct Regex {
    text: String,
    engine: Engine,
}

#[derive(Clone, Debug)]
enum Engine {
    /// Any expression.
    Meta(meta::Regex),
    /// One with look-around or back-references, which goes back and forth a bounded number of steps.
    Backtracking(Arc<fancy_regex::Regex>),
    /// Plain texts: the text has one of them in it, or `is_whole`, is one of them.
    Texts { texts: Arc<[String]>, is_whole: bool },
}

impl Regex {
    /// Whether it is found anywhere in `text`. One that takes too many steps to know counts as found: the hook runs, and sees
    /// for itself.
    pub(crate) fn is_match(&self, text: &str) -> bool {
        match &self.engine {
            Engine::Meta(engine) => engine.is_match(text),
            Engine::Backtracking(engine) => engine.is_match(text).unwrap_or(true),
            Engine::Texts { texts, is_whole: true } => texts.iter().any(|one| one == text),
            Engine::Texts { texts, is_whole: false } => texts.iter().any(|one| text.contains(one.as_str())),
        }
    }

    /// The source text.
    pub(crate) fn as_str(&self) -> &str {
        &self.text
    }
}

/// Memory for all expressions of one config, in bytes.
const CONFIG_BYTES: usize = 32 << 20;
/// Memory for the states that one expression builds while it searches, in bytes.
const CACHE_BYTES: usize = 256 << 10;

/// Compiles the expressions of one config; all of them together have a bound, so that a config of many expressions can
/// not take the host's memory.
#[derive(Debug)]
pub(crate) struct RegexCompiler {
    one: usize,
    left: usize,
}

impl RegexCompiler {
    /// A compiler that gives one expression at most `bytes`.
    pub(crate) fn new(bytes: u64) -> Self {
        Self { one: usize::try_from(bytes).unwrap_or(usize::MAX), left: CONFIG_BYTES }
    }

    /// Compiles `pattern`; the error is one line.
    pub(crate) fn compile(&mut self, pattern: &str) -> Result<Regex, String> {
        let text = pattern.to_owned();
        if let Some(engine) = Engine::of_texts(pattern).filter(|_| pattern.len() <= self.one.min(self.left)) {
            self.left = self.left.saturating_sub(pattern.len());
            return Ok(Regex { text, engine });
        }
        let allowed = self.one.min(self.left);
        let config = meta::Config::new()
            .nfa_size_limit(Some(allowed))
            .which_captures(WhichCaptures::None)
            .onepass(false)
            .hybrid_cache_capacity(CACHE_BYTES);
        let hir = syntax::parse(pattern);
        if hir.as_ref().is_ok_and(|hir| least_bytes(hir) > allowed) {
            return Err(too_large(allowed));
        }
        // The program is made forwards and backwards, each in a form to build it and one to run; what the expression repeats
        // counts for as much as is allowed.
        let building = hir.map_or(0, |hir| most_bytes(&hir)).min(allowed).saturating_mul(BUILDING);
        if !gauge::charge(building) {
            return Err("it takes too much memory".to_owned());
        }
        let built = meta::Builder::new().configure(config).build(pattern);
        gauge::release(building);
        let engine = built.map_err(|error| {
            if let Some(size) = error.size_limit() {
                return too_large(size);
            }
            let text = error.syntax_error().map_or_else(|| error.to_string(), ToString::to_string);
            text.rsplit_once("error: ").map_or(text.as_str(), |(_, why)| why).trim().to_owned()
        })?;
        let bytes = engine.memory_usage();
        self.left = self.left.saturating_sub(bytes);
        // It lives as long as the config, which is told what it was charged for and never gives it back.
        if !gauge::charge(bytes) {
            return Err("it takes too much memory".to_owned());
        }
        Ok(Regex { text, engine: Engine::Meta(engine) })
    }
}

/// Steps of an expression with look-around, about a millisecond of them.
const STEPS: usize = 50_000;
/// Groups in groups, and bytes, of such an expression.
const MOST_GROUPS: usize = 100;
const MOST_BYTES: usize = 4096;
/// What such an expression takes for each of its bytes, about.
const BYTES_EACH: usize = 512;

impl RegexCompiler {
    /// Compiles an expression with look-around or back-references; the error is one line.
    pub(crate) fn compile_backtracking(&mut self, pattern: &str) -> Result<Regex, String> {
        let allowed = self.one.min(self.left);
        let bytes = if pattern.contains('{') { allowed } else { pattern.len().saturating_mul(BYTES_EACH) };
        let opened = pattern.bytes().filter(|&byte| byte == b'(').count();
        if pattern.len() > MOST_BYTES || opened > MOST_GROUPS || bytes > allowed {
            return Err(too_large(allowed));
        }
        // As in `compile`: it lives as long as the config.
        if !gauge::charge(bytes) {
            return Err("it takes too much memory".to_owned());
        }
        self.left = self.left.saturating_sub(bytes);
        let mut builder = fancy_regex::RegexBuilder::new(pattern);
        builder.backtrack_limit(STEPS);
        builder.delegate_size_limit(allowed).delegate_dfa_size_limit(CACHE_BYTES);
        let engine = builder.build().map_err(|error| one_line(&error.to_string()))?;
        Ok(Regex { text: pattern.to_owned(), engine: Engine::Backtracking(Arc::new(engine)) })
    }
}

fn one_line(text: &str) -> String {
    text.rsplit_once("error: ").map_or(text, |(_, why)| why).trim().replace('\n', " ")
}

fn too_large(allowed: usize) -> String {
    format!("compiled regex exceeds size limit of {allowed} bytes")
}

/// Bytes of a state of a compiled expression, at least.
const STATE_BYTES: usize = 24;
/// What making an expression takes, in the least sizes of its program.
const BUILDING: usize = 8;

/// Bytes that a compiled expression takes at least, so that what is too large is refused before it is built. Recursion is
/// bounded: the parser lets groups nest 250 deep.
fn least_bytes(hir: &Hir) -> usize {
    match hir.kind() {
        HirKind::Empty => 0,
        HirKind::Literal(literal) => literal.0.len().saturating_mul(STATE_BYTES),
        HirKind::Class(_) | HirKind::Look(_) => STATE_BYTES,
        HirKind::Repetition(repetition) => {
            let times = repetition.max.unwrap_or(repetition.min).max(1) as usize;
            least_bytes(&repetition.sub).saturating_mul(times)
        }
        HirKind::Capture(capture) => least_bytes(&capture.sub),
        HirKind::Concat(parts) => parts.iter().map(least_bytes).fold(0, usize::saturating_add),
        // What alternatives have in common may be there once.
        HirKind::Alternation(parts) => parts.iter().map(least_bytes).max().unwrap_or(0),
    }
}

/// The same if alternatives have nothing in common.
fn most_bytes(hir: &Hir) -> usize {
    match hir.kind() {
        HirKind::Repetition(repetition) => {
            let times = repetition.max.unwrap_or(repetition.min).max(1) as usize;
            most_bytes(&repetition.sub).saturating_mul(times)
        }
        HirKind::Capture(capture) => most_bytes(&capture.sub),
        HirKind::Concat(parts) | HirKind::Alternation(parts) => {
            parts.iter().map(most_bytes).fold(0, usize::saturating_add)
        }
        _ => least_bytes(hir),
    }
}

/// What stands around an expression that is to be the whole text.
const WHOLE: [(&str, &str); 3] = [("^(?:", ")$"), (r"\A(?:", r")\z"), (r"\A(?s:", r")\z")];

impl Engine {
    /// For one text or alternatives, as most matchers are: compiling those takes a thousand times as long as comparing them.
    fn of_texts(pattern: &str) -> Option<Self> {
        let inside = |(open, close): (&str, &str)| pattern.strip_prefix(open)?.strip_suffix(close);
        let whole = WHOLE.into_iter().find_map(inside);
        let alternatives = whole.unwrap_or(pattern);
        let is_plain = |character: char| !r"\.+*?()|[]{}^$".contains(character);
        let texts = alternatives.split('|').map(|text| text.chars().all(is_plain).then(|| text.to_owned()));
        Some(Self::Texts { texts: texts.collect::<Option<_>>()?, is_whole: whole.is_some() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn prefixes() {
        let pattern = NamePattern::parse_prefixes("bash | daytona_*||").unwrap();
        assert!(pattern.matches("bash") && pattern.matches("daytona_exec") && pattern.matches("daytona_"));
        assert!(!pattern.matches("bash2") && !pattern.matches("Bash") && !pattern.matches(""));
        assert_eq!(pattern.to_string(), "bash|daytona_*");
        for bad in ["a?", "[ab]", "b**", "*x", "a*b", "{a}"] {
            assert!(NamePattern::parse_prefixes(bad).is_none(), "{bad}");
        }
        assert!(!NamePattern::parse_prefixes("").unwrap().matches("x"));
        assert!(NamePattern::parse_prefixes("*").unwrap().matches("x"));
    }

    #[test]
    fn paths() {
        let at = |path: &str| ArgumentPattern { path: ArgumentPattern::parse_path(path), regex: None };
        let arguments = json!({"a": {"b": [1, 2]}, "s": "x", "n": null, "t": true});
        for (path, text) in [
            ("$.a.b", "[1,2]"),
            ("a..b", "[1,2]"),
            ("s", "x"),
            ("n", ""),
            ("t", "true"),
            ("a.b.0", ""),
            ("z", ""),
            ("$.$.s", ""),
        ] {
            assert_eq!(at(path).extract(&arguments), text, "{path}");
        }
        assert!(at("$.").extract(&arguments).starts_with('{'));
        assert!(at("s").test(&arguments).is_ok());
        assert_eq!(at("n").test(&arguments).unwrap_err().to_string(), "argument `n` is missing or empty");
    }

    #[test]
    fn a_bad_expression_is_told_in_one_line() {
        assert_eq!(
            RegexCompiler::new(1 << 20).compile("(?=x)").unwrap_err(),
            "look-around, including look-ahead and look-behind, is not supported"
        );
        let error = RegexCompiler::new(1 << 20).compile("(?:a{1000}){1000}").unwrap_err();
        assert_eq!(error, "compiled regex exceeds size limit of 1048576 bytes");
    }

    #[test]
    fn plain_texts_are_what_the_expression_is() {
        for pattern in [
            "a",
            "",
            "a|b",
            "^(?:a|bc)$",
            "^(?:)$",
            r"\A(?:a|)\z",
            r"\A(?s:a b)\z",
            "é-#|x",
            "^(?:a)$|b",
            "a|b)$",
            "^(?:a|b",
        ] {
            let Ok(regex) = regex::Regex::new(pattern) else { continue };
            let compiled = RegexCompiler::new(1 << 20).compile(pattern).unwrap();
            for text in ["", "a", "b", "bc", "abc", "a b", "a\n", "é-#", "x", "|"] {
                assert_eq!(compiled.is_match(text), regex.is_match(text), "{pattern} {text:?}");
            }
        }
        assert!(RegexCompiler::new(1 << 20).compile("a|b)$").is_err());
    }

    #[test]
    fn all_expressions_of_a_config_share_a_bound() {
        let mut compiler = RegexCompiler::new(2 << 20);
        let compiled = (0..1000).map_while(|n| compiler.compile(&format!("{n}\\w{{20}}")).ok()).count();
        assert!((10..500).contains(&compiled), "{compiled}");
    }
}
