//! Perl's syntax (`grep -P`), through the `regex` crate: what it has in common with PCRE, plus `\K`, `\h` and `\Z`.
//!
//! The crate decides leftmost-first, as PCRE does, in linear time. Look-around and back-references have no linear form
//! and are errors of their own. Long texts are searched by `leftmost`, which gives the same matches.

use super::leftmost::{LONG, Leftmost};
use super::{RegexError, RegexOptions, Span};
use crate::limit::{Charge, Meter};
use crate::memory::{self, String, ToMetered, ToMeteredString, Vec, format};
use crate::pattern::Stopped;
use crate::utility::pace::Pace;
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
pub(super) struct Perl {
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
    pub(super) fn new(source: &[u8], options: &RegexOptions) -> Result<(Self, Option<Charge>), RegexError> {
        let source =
            std::str::from_utf8(source).map_err(|error| RegexError::Perl(error.to_metered_string()))?;
        let mut translated = translate(source)?;
        if options.whole_word {
            translated = format!(r"\b{{start-half}}(?:{translated})\b{{end-half}}");
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
            regex::Error::CompiledTooBig(_) => RegexError::TooBig,
            error => RegexError::Perl(last_line(&error.to_metered_string())),
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

    pub(super) fn group_count(&self) -> usize {
        self.regex.captures_len() - 1 - usize::from(self.kept.is_some())
    }

    pub(super) async fn is_match(&self, text: &[u8], pace: &mut Pace<'_>) -> Result<bool, Stopped> {
        match self.for_long(text) {
            Some(long) => Ok(long.find(text, 0, pace).await?.is_some()),
            None => Ok(self.regex.is_match(text)),
        }
    }

    pub(super) async fn find_at(
        &self,
        text: &[u8],
        start: usize,
        pace: &mut Pace<'_>,
    ) -> Result<Option<Span>, Stopped> {
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

    pub(super) async fn captures_at(
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

fn last_line(message: &str) -> String {
    let line = message.lines().last().unwrap_or_default();
    line.strip_prefix("error: ").unwrap_or(line).to_metered()
}

/// Rewrites what PCRE writes in another way, and finds what cannot be done.
fn translate(source: &str) -> Result<String, RegexError> {
    let mut out = String::with_capacity(source.len());
    let mut characters = source.chars().peekable();
    let (mut depth, mut in_class, mut has_alternative, mut is_kept) = (0_usize, false, false, false);
    while let Some(c) = characters.next() {
        match c {
            '\\' => match characters.next() {
                None => return Err(RegexError::TrailingBackslash),
                Some('K') if !in_class => {
                    if depth > 0 || is_kept {
                        return Err(RegexError::Perl(r"\K is supported once, outside groups".to_metered()));
                    }
                    is_kept = true;
                    out.push_str("(?P<");
                    out.push_str(KEPT);
                    out.push('>');
                }
                Some('h') => out.push_str(if in_class { r"\t " } else { r"[\t ]" }),
                Some('Z') if !in_class => out.push_str(r"\z"),
                Some('1'..='9' | 'g' | 'k') if !in_class => return Err(RegexError::PerlBackReference),
                Some(escaped) => {
                    out.push(c);
                    out.push(escaped);
                }
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
            '[' if characters.peek() != Some(&':') => out.push_str(r"\["),
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
                let rest: String = characters.clone().take(3).collect();
                if rest.starts_with("?=") || rest.starts_with("?!") || rest == "?<=" || rest == "?<!" {
                    return Err(RegexError::LookAround);
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
            return Err(RegexError::Perl(r"\K is not supported beside an alternative".to_metered()));
        }
        out.push(')');
    }
    Ok(out)
}
