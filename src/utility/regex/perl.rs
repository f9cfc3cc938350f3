//! Perl's syntax (`grep -P`): by the `regex` crate, as far as it has in common with PCRE what is written, plus `\K`, `\h` and
//! `\Z`; else by the engine of `backtracking`, which also tells what is wrong.
//!
//! The crate decides leftmost-first, as PCRE does, in linear time. Look-around and back-references have no linear form.
//! Long texts are searched by `leftmost`, which gives the same matches.

use super::backtracking::{Backtracking, PerlFlags, PerlSyntax};
use super::error::RegexError;
use super::leftmost::{LONG, Leftmost};
use super::options::{RegexOptions, Span, Syntax};
use crate::limit::{Charge, Meter};
use crate::memory::{self, String, ToMetered, ToMeteredString, Vec, format};
use crate::pattern::Stopped;
use crate::utility::context::pace::Pace;
use regex_automata::util::syntax;
use std::sync::OnceLock;

/// The group around what follows a `\K`.
const KEPT: &str = "hookbox_kept";

/// What most expressions fit into.
const SMALL: usize = 1 << 16;
/// Bytes that the crate's automaton may grow to.
const DFA_BYTES: usize = 1 << 20;

/// Bytes that the crate takes for each byte of an expression while it is parsed, at most: the syntax tree of an alternation
/// of short texts takes most.
const PARSING: usize = 128;
/// What compiling takes at most, in sizes of the program: it is made forwards and backwards.
const COMPILING: usize = 3;

/// Bytes that the crate takes while it makes an expression of `length` bytes a program of at most `size` bytes.
pub(crate) const fn building_bytes(length: usize, size: usize) -> usize {
    length.saturating_mul(PARSING).saturating_add(size.saturating_mul(COMPILING))
}

/// A compiled expression in Perl's syntax.
#[derive(Debug)]
pub(super) enum Perl {
    Linear(Linear),
    Backtracking(Backtracking),
}

/// An expression that the crate matches, in linear time.
#[derive(Debug)]
pub(super) struct Linear {
    regex: regex::bytes::Regex,
    /// The number of the group around what follows a `\K`.
    kept: Option<usize>,
    /// What the expression was compiled from, and as what.
    source: String,
    syntax: syntax::Config,
    size: usize,
    /// For long texts; made for the first one. `None` within: it cannot be made.
    long: OnceLock<Option<memory::Box<Leftmost>>>,
}

impl Perl {
    /// The expression, and what it is charged for: the crate does not say what it takes.
    pub(super) fn new(
        source: &[u8],
        syntax: Syntax,
        options: &RegexOptions,
    ) -> Result<(Self, Option<Charge>), RegexError> {
        let source =
            std::str::from_utf8(source).map_err(|error| RegexError::Perl(error.to_metered_string()))?;
        if syntax == Syntax::Rust {
            let (linear, charge) = Linear::new(source.to_metered(), options, whole_message)?;
            return Ok((Self::Linear(linear), charge));
        }
        let is_plain = syntax == Syntax::Texts;
        let flags = PerlFlags {
            ignore_case: options.ignore_case,
            multi_line: options.newline_sensitive,
            ..PerlFlags::default()
        };
        let by_words = options.whole_word && !options.whole_line;
        // Text around the expression, as grep puts it: the expression may not end in a quotation or a comment.
        let words = || PerlSyntax::parse(&format!(r"(?<!\w)(?:{source})(?!\w)"), flags);
        if by_words && !is_plain {
            words()?;
        }
        let needs_backtracking = !is_plain && PerlSyntax::parse(source, flags)?.needs_backtracking();
        if !needs_backtracking && let Some(translated) = translate(source) {
            match Linear::new(translated, options, last_line) {
                // What the crate does not know, the other engine does.
                Err(RegexError::Perl(_)) if !is_plain => {}
                linear => return linear.map(|(linear, charge)| (Self::Linear(linear), charge)),
            }
        }
        let parsed = if by_words { words()? } else { PerlSyntax::parse(source, flags)? };
        // PCRE has an option for that.
        let parsed = if options.whole_line { parsed.of_whole_text() } else { parsed };
        let compiled = parsed.compile(flags, options.size_limit, options.backtrack_limit)?;
        // Its containers are charged by themselves.
        Ok((Self::Backtracking(compiled), None))
    }

    pub(super) fn group_count(&self) -> usize {
        match self {
            Self::Linear(linear) => linear.group_count(),
            Self::Backtracking(backtracking) => backtracking.group_count(),
        }
    }

    /// The number of the group with this name.
    #[cfg(feature = "programs")]
    pub(super) fn group_number(&self, name: &str) -> Option<usize> {
        match self {
            Self::Linear(linear) => linear.regex.capture_names().position(|known| known == Some(name)),
            Self::Backtracking(_) => None,
        }
    }

    /// Whether a text is searched in steps whose number has no other bound than a limit.
    pub(super) const fn goes_back(&self) -> bool {
        matches!(self, Self::Backtracking(_))
    }

    pub(super) async fn is_match(&self, text: &[u8], pace: &mut Pace<'_>) -> Result<bool, RegexError> {
        match self {
            Self::Linear(linear) => Ok(linear.is_match(text, pace).await?),
            Self::Backtracking(_) => Ok(self.find_at(text, 0, pace).await?.is_some()),
        }
    }

    pub(super) async fn find_at(
        &self,
        text: &[u8],
        start: usize,
        pace: &mut Pace<'_>,
    ) -> Result<Option<Span>, RegexError> {
        match self {
            Self::Linear(linear) => Ok(linear.find_at(text, start, pace).await?),
            Self::Backtracking(backtracking) => {
                let mut groups = Vec::new();
                backtracking.captures(text, start, &mut groups, pace).await?;
                Ok(groups.first().copied().flatten())
            }
        }
    }

    pub(super) async fn captures_at(
        &self,
        text: &[u8],
        start: usize,
        groups: &mut Vec<Option<Span>>,
        pace: &mut Pace<'_>,
    ) -> Result<bool, RegexError> {
        match self {
            Self::Linear(linear) => Ok(linear.captures_at(text, start, groups, pace).await?),
            Self::Backtracking(backtracking) => backtracking.captures(text, start, groups, pace).await,
        }
    }
}

impl Linear {
    /// Compiles an expression in the crate's syntax.
    fn new(
        mut translated: String,
        options: &RegexOptions,
        message: fn(&str) -> String,
    ) -> Result<(Self, Option<Charge>), RegexError> {
        if options.whole_word {
            translated = format!(r"(?-u:\b{{start-half}})(?:{translated})(?-u:\b{{end-half}})");
        }
        if options.whole_line {
            translated = format!(r"\A(?:{translated})\z");
        }
        let most = options.size_limit.saturating_mul(64);
        let build = |size: usize| {
            regex::bytes::RegexBuilder::new(&translated)
                .case_insensitive(options.ignore_case)
                .multi_line(options.newline_sensitive)
                .size_limit(size)
                .dfa_size_limit(DFA_BYTES)
                .nest_limit(100)
                .build()
        };
        // Most fit into little, and are charged for that.
        let small = most.min(SMALL);
        let mut charge = options.meter.as_ref().map(Meter::empty_charge);
        let mut set = |bytes: usize| charge.as_mut().map_or(Ok(()), |charge| charge.set(bytes as u64));
        set(building_bytes(translated.len(), small)).map_err(|_| Stopped)?;
        let (built, size) = match build(small) {
            Err(regex::Error::CompiledTooBig(_)) => {
                set(building_bytes(translated.len(), most)).map_err(|_| Stopped)?;
                (build(most), most)
            }
            built => (built, small),
        };
        let regex = built.map_err(|error| match error {
            regex::Error::CompiledTooBig(_) => RegexError::Size,
            error => RegexError::Perl(message(&error.to_metered_string())),
        })?;
        set(size.saturating_add(DFA_BYTES).saturating_add(Leftmost::bytes(size))).map_err(|_| Stopped)?;
        let kept = regex.capture_names().position(|name| name == Some(KEPT));
        let syntax = syntax::Config::new()
            .utf8(false)
            .case_insensitive(options.ignore_case)
            .multi_line(options.newline_sensitive)
            .nest_limit(100);
        Ok((Self { regex, kept, source: translated, syntax, size, long: OnceLock::new() }, charge))
    }

    /// What searches `text` if that is long.
    fn for_long(&self, text: &[u8]) -> Option<&Leftmost> {
        if text.len() <= LONG {
            return None;
        }
        self.long
            .get_or_init(|| Leftmost::new(&self.source, self.syntax, self.size).map(memory::Box::new))
            .as_deref()
    }

    fn group_count(&self) -> usize {
        self.regex.captures_len() - 1 - usize::from(self.kept.is_some())
    }

    async fn is_match(&self, text: &[u8], pace: &mut Pace<'_>) -> Result<bool, Stopped> {
        match self.for_long(text) {
            Some(long) => Ok(long.find(text, 0, pace).await?.is_some()),
            None => Ok(self.regex.is_match(text)),
        }
    }

    async fn find_at(&self, text: &[u8], start: usize, pace: &mut Pace<'_>) -> Result<Option<Span>, Stopped> {
        if start > text.len() {
            return Ok(None);
        }
        if self.kept.is_some() {
            let mut groups = Vec::new();
            self.captures_at(text, start, &mut groups, pace).await?;
            return Ok(groups.first().copied().flatten());
        }
        match self.for_long(text) {
            Some(long) => long.find(text, start, pace).await,
            None => Ok(self.regex.find_at(text, start).map(|found| (found.start(), found.end()))),
        }
    }

    async fn captures_at(
        &self,
        text: &[u8],
        start: usize,
        groups: &mut Vec<Option<Span>>,
        pace: &mut Pace<'_>,
    ) -> Result<bool, Stopped> {
        groups.clear();
        if start > text.len() {
            return Ok(false);
        }
        if let Some(long) = self.for_long(text) {
            *groups = long.captures(text, start, pace).await?;
        } else if let Some(captures) = self.regex.captures_at(text, start) {
            groups.extend(captures.iter().map(|group| group.map(|group| (group.start(), group.end()))));
        }
        // What follows a `\K` is the match, and no group.
        if let Some(kept) = self.kept.filter(|&kept| kept < groups.len()) {
            let found = groups.remove(kept);
            if let Some(whole) = groups.first_mut().filter(|_| found.is_some()) {
                *whole = found;
            }
        }
        Ok(!groups.is_empty())
    }
}

fn whole_message(message: &str) -> String {
    message.to_metered()
}

fn last_line(message: &str) -> String {
    let line = message.lines().last().unwrap_or_default();
    line.strip_prefix("error: ").unwrap_or(line).to_metered()
}

/// Rewrites what PCRE writes in another way for the crate; `None`: the crate has no such thing.
fn translate(source: &str) -> Option<String> {
    let mut out = String::with_capacity(source.len());
    let mut characters = source.chars().peekable();
    let (mut depth, mut in_class, mut has_alternative, mut is_kept) = (0_usize, false, false, false);
    while let Some(c) = characters.next() {
        match c {
            '\\' => match characters.next()? {
                'K' if !in_class => {
                    if depth > 0 || is_kept {
                        return None;
                    }
                    is_kept = true;
                    out.push_str("(?P<");
                    out.push_str(KEPT);
                    out.push('>');
                }
                'Z' if !in_class => out.push_str(r"\z"),
                'b' if !in_class => out.push_str(r"(?-u:\b)"),
                'B' if !in_class => out.push_str(r"(?-u:\B)"),
                escaped => match named_set(escaped) {
                    Some((set, false)) if in_class => out.push_str(set),
                    Some((set, is_negated)) => {
                        out.push_str(if is_negated { "[^" } else { "[" });
                        out.push_str(set);
                        out.push(']');
                    }
                    None if "AznrtafpPx".contains(escaped) || escaped.is_ascii_punctuation() => {
                        // The crate sees more than a character in some.
                        out.push_str(if matches!(escaped, '<' | '>') { "" } else { r"\" });
                        out.push(escaped);
                    }
                    None => return None,
                },
            },
            '[' if !in_class => {
                in_class = true;
                out.push('[');
                if characters.next_if_eq(&'^').is_some() {
                    out.push('^');
                }
                if characters.next_if_eq(&']').is_some() {
                    out.push_str(r"\]");
                }
            }
            '[' if !is_class_name(characters.clone()) => out.push_str(r"\["),
            '[' => {
                out.push('[');
                while let Some(named) = characters.next_if(|&c| c != ']') {
                    out.push(named);
                }
                out.extend(characters.next());
            }
            ']' => {
                in_class = false;
                out.push(']');
            }
            '&' | '~' if in_class => {
                out.push('\\');
                out.push(c);
            }
            '(' if !in_class => {
                depth += 1;
                out.push('(');
                if characters.next_if_eq(&'?').is_some() {
                    out.push('?');
                    let is_known = characters.peek().is_some_and(|c| ":imsxP<-".contains(*c));
                    if !is_known {
                        return None;
                    }
                }
            }
            ')' if !in_class => {
                depth = depth.saturating_sub(1);
                out.push(')');
            }
            '|' => {
                has_alternative |= depth == 0 && !in_class;
                out.push('|');
            }
            _ => out.push(c),
        }
    }
    if is_kept {
        if has_alternative {
            return None;
        }
        out.push(')');
    }
    Some(out)
}

/// Whether `:name:]` follows.
fn is_class_name(mut rest: std::iter::Peekable<std::str::Chars<'_>>) -> bool {
    let begins = rest.next() == Some(':');
    let end = rest.find(|c| !c.is_ascii_alphabetic() && *c != '^');
    begins && end == Some(':') && rest.next() == Some(']')
}

/// The set of an escape, which is about ASCII alone, and whether what is not in it is meant.
fn named_set(escaped: char) -> Option<(&'static str, bool)> {
    Some(match escaped {
        'd' => ("0-9", false),
        'D' => ("0-9", true),
        'w' => ("0-9A-Za-z_", false),
        'W' => ("0-9A-Za-z_", true),
        's' => (r"\t\n\x0B\f\r ", false),
        'S' => (r"\t\n\x0B\f\r ", true),
        'h' => (r"\t ", false),
        _ => return None,
    })
}
