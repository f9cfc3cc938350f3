//! Perl's syntax (`grep -P`), through the `regex` crate: what it has in common with PCRE, plus `\K`, `\h` and `\Z`.
//!
//! The crate decides leftmost-first, as PCRE does, in linear time. Look-around and back-references have no linear form
//! and are errors of their own.

use super::{RegexError, RegexOptions, Span};
use crate::memory::{String, ToMetered, ToMeteredString, Vec, format};

/// The group around what follows a `\K`.
const KEPT: &str = "hookbox_kept";

/// What most expressions fit into.
const SMALL: usize = 1 << 16;
/// Bytes that the crate's automaton may grow to.
const DFA_BYTES: usize = 1 << 20;

/// A compiled expression in Perl's syntax.
#[derive(Debug)]
pub(super) struct Perl {
    regex: regex::bytes::Regex,
    /// The number of the group around what follows a `\K`.
    kept: Option<usize>,
}

impl Perl {
    /// The expression, and the most bytes that it may take.
    pub(super) fn new(source: &[u8], options: &RegexOptions) -> Result<(Self, u64), RegexError> {
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
        // The crate does not say how large an expression is: most fit into little, and are charged for that.
        let small = most.min(SMALL);
        let (built, size) = match build(small) {
            Err(regex::Error::CompiledTooBig(_)) => (build(most), most),
            built => (built, small),
        };
        let regex = built.map_err(|error| match error {
            regex::Error::CompiledTooBig(_) => RegexError::TooBig,
            error => RegexError::Perl(last_line(&error.to_metered_string())),
        })?;
        let bytes = size.saturating_add(DFA_BYTES) as u64;
        let kept = regex.capture_names().position(|name| name == Some(KEPT));
        Ok((Self { regex, kept }, bytes))
    }

    pub(super) fn group_count(&self) -> usize {
        self.regex.captures_len() - 1 - usize::from(self.kept.is_some())
    }

    pub(super) fn is_match(&self, text: &[u8]) -> bool {
        self.regex.is_match(text)
    }

    pub(super) fn find_at(&self, text: &[u8], start: usize) -> Option<Span> {
        if start > text.len() {
            return None;
        }
        if self.kept.is_none() {
            return self.regex.find_at(text, start).map(|found| (found.start(), found.end()));
        }
        let mut groups = Vec::new();
        self.captures_at(text, start, &mut groups);
        groups.first().copied().flatten()
    }

    pub(super) fn captures_at(&self, text: &[u8], start: usize, groups: &mut Vec<Option<Span>>) -> bool {
        groups.clear();
        if start > text.len() {
            return false;
        }
        let Some(captures) = self.regex.captures_at(text, start) else { return false };
        let all = captures.iter().map(|group| group.map(|group| (group.start(), group.end())));
        groups
            .extend(all.enumerate().filter(|&(number, _)| Some(number) != self.kept).map(|(_, group)| group));
        if let Some(kept) = self.kept.and_then(|kept| captures.get(kept))
            && let Some(whole) = groups.first_mut()
        {
            *whole = Some((kept.start(), kept.end()));
        }
        true
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
