//! Shell pattern matching notation (POSIX XCU 2.13; bash's extended operators): `case`, pathnames, `${x#p}`,
//! `find -name`.
//!
//! A pattern is compiled once and matched often:
//!
//! 1. `token`: source bytes and their quoting become units (a UTF-8 character, or a byte that is part of none).
//! 2. `bracket`, `parse`: units become a [`Simple`] pattern of segments between `*`s, or, with `?(a|b)` and its like, a
//!    `graph`.
//! 3. `simple` searches segments, with `memmem` where they are literal; `extended` runs an `automaton` over the text.
//!
//! Nothing backtracks: a simple pattern costs at most text times its longest segment, an extended one text times pattern
//! (`!(list)` can cost more, in polynomial time). Matching calls a [`Ticker`] or a [`Pace`] on its way, which can stop it, or let others go first.
//!
//! A new extended operator is a token, a node of the `graph` and its edges in the `automaton`.
//!
//! The locale is C.UTF-8: characters are compared by code point, and a range is one of code points. Or it is C, where
//! every byte is a character ([`PatternOptions::bytes`]).

#![cfg_attr(not(test), deny(clippy::disallowed_types, clippy::disallowed_methods, clippy::disallowed_macros))]

mod automaton;
mod bracket;
mod extended;
mod graph;
mod parse;
mod simple;
mod token;

use crate::character::{Unit, byte_unit, unit_at, unit_before};
use crate::memory::Arc;
use crate::text::Text;
use extended::{Extended, Starts};
use simple::Simple;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

/// Matching was stopped by its [`Ticker`]; the text was not looked at to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("stopped")]
pub(crate) struct Stopped;

/// Counts the work of a long match, and can stop it.
pub(crate) trait Ticker {
    /// Says that `n` more steps were done, each some nanoseconds of work or a block of bytes searched.
    ///
    /// # Errors
    ///
    /// [`Stopped`] ends the match, which hands it on.
    fn tick(&mut self, n: u64) -> Result<(), Stopped>;
}

/// A ticker that never stops.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct NoTicker;

impl Ticker for NoTicker {
    fn tick(&mut self, _: u64) -> Result<(), Stopped> {
        Ok(())
    }
}

/// As a [`Ticker`] that may let others go first: what matches long texts is a future.
pub(crate) trait Pace {
    /// Says that `n` more steps were done; ready when the match may go on.
    ///
    /// # Errors
    ///
    /// [`Stopped`] ends the match, which hands it on.
    fn tick(&mut self, n: u64) -> impl Future<Output = Result<(), Stopped>>;
}

/// The pace of a match that goes on to its end.
pub(crate) struct Steady<'a>(pub(crate) &'a mut dyn Ticker);

impl Pace for Steady<'_> {
    async fn tick(&mut self, n: u64) -> Result<(), Stopped> {
        self.0.tick(n)
    }
}

/// The result of work at a [`Steady`] pace, which never waits.
pub(crate) fn at_once<T>(work: impl Future<Output = Result<T, Stopped>>) -> Result<T, Stopped> {
    match pin!(work).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(result) => result,
        Poll::Pending => Err(Stopped),
    }
}

/// How a pattern is read and matched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct PatternOptions {
    /// `?(list)`, `*(list)`, `+(list)`, `@(list)`, `!(list)` are operators (`shopt extglob`).
    pub(crate) extglob: bool,
    /// Upper and lower case are the same (`shopt nocasematch`, `nocaseglob`).
    pub(crate) ignore_case: bool,
    /// Only a literal matches a `/`.
    pub(crate) pathname: bool,
    /// Every byte is a character: the locale is C.
    pub(crate) bytes: bool,
    /// Only a literal matches a `.` at the start of the text, or with `pathname` after a `/`. Looked at by
    /// [`Pattern::matches`] alone.
    pub(crate) period: bool,
}

impl PatternOptions {
    /// The unit that begins at `at` and its length in bytes; `None` at the end of `text`.
    fn unit_at(self, text: &[u8], at: usize) -> Option<(Unit, usize)> {
        if self.bytes { text.get(at).map(|&byte| (byte_unit(byte), 1)) } else { unit_at(text, at) }
    }

    /// The unit that ends at `end` and its length in bytes; `None` at the start of `text`.
    fn unit_before(self, text: &[u8], end: usize) -> Option<(Unit, usize)> {
        if !self.bytes {
            return unit_before(text, end);
        }
        end.checked_sub(1).and_then(|at| text.get(at)).map(|&byte| (byte_unit(byte), 1))
    }
}

#[derive(Clone, Debug)]
enum Matcher {
    /// Only this text matches, and case matters.
    Literal(Text),
    Simple(Arc<Simple>),
    Extended(Arc<Extended>),
}

/// A compiled pattern; to clone it copies nothing.
#[derive(Clone, Debug)]
pub(crate) struct Pattern {
    matcher: Matcher,
    is_special: bool,
    /// Whether it begins with a `*` that is not an extended operator.
    is_star_first: bool,
    /// Whether bash takes it for longer than it is: see [`Pattern::is_mismeasured`].
    is_mismeasured: bool,
    options: PatternOptions,
}

/// A match's `[start, end)` in bytes.
pub(crate) type Span = (usize, usize);

impl Pattern {
    /// Compiles a pattern in which nothing is quoted but by a backslash before it.
    pub(crate) fn parse(source: &[u8], options: PatternOptions) -> Self {
        Self::new(source, &[], options)
    }

    /// Compiles a pattern. `quoted` says of each byte of `source` whether it is quoted and so literal; bytes past its end
    /// are not. A backslash that is not quoted quotes the character after it.
    pub(crate) fn new(source: &[u8], quoted: &[bool], options: PatternOptions) -> Self {
        let tokens = token::tokens(source, quoted, options);
        let parse::Parsed { matcher, is_special, is_mismeasured } = parse::parse(&tokens, options);
        let is_star_first = match tokens.as_slice() {
            [first, second, ..] => first.is(b'*') && !(options.extglob && second.is(b'(')),
            [only] => only.is(b'*'),
            [] => false,
        };
        Self { matcher, is_special, is_star_first, is_mismeasured, options }
    }

    /// The pattern that only this text matches. It has no special character and is UTF-8, and case matters.
    pub(crate) fn of_literal(text: Text, options: PatternOptions) -> Self {
        let matcher = Matcher::Literal(text);
        Self { matcher, is_special: false, is_star_first: false, is_mismeasured: false, options }
    }

    /// Whether the pattern has a special character: what pathname expansion asks before it reads a directory.
    pub(crate) fn is_special(&self) -> bool {
        self.is_special
    }

    /// Whether `${x/p/r}` finds nothing with this pattern in bash. For a pattern without a `*` it computes the length of
    /// a match, and counts the `]` after `[^]` and `[[:class\:]` as a character: `s=ab; echo ${s//[^]]/z}` prints `ab`.
    pub(crate) fn is_mismeasured(&self) -> bool {
        self.is_mismeasured
    }

    /// The one text that matches, when the pattern is a literal and case matters.
    pub(crate) fn literal(&self) -> Option<&[u8]> {
        match &self.matcher {
            Matcher::Literal(text) => Some(text),
            Matcher::Simple(_) | Matcher::Extended(_) => None,
        }
    }

    /// Whether the whole text matches.
    pub(crate) fn matches(&self, text: &[u8], ticker: &mut dyn Ticker) -> Result<bool, Stopped> {
        if let Some(literal) = self.literal() {
            return Ok(text == literal);
        }
        at_once(self.matches_paced(text, &mut Steady(ticker)))
    }

    /// As [`Pattern::matches`], at a pace.
    pub(crate) async fn matches_paced(&self, text: &[u8], pace: &mut impl Pace) -> Result<bool, Stopped> {
        match &self.matcher {
            Matcher::Literal(literal) => Ok(text == literal.as_bytes()),
            Matcher::Simple(simple) => simple.matches(text, pace).await,
            Matcher::Extended(extended) => extended.matches(text, pace).await,
        }
    }

    /// Length of the longest or the shortest prefix that matches: what `${x##p}` and `${x#p}` remove.
    pub(crate) async fn prefix(
        &self,
        text: &[u8],
        longest: bool,
        pace: &mut impl Pace,
    ) -> Result<Option<usize>, Stopped> {
        match &self.matcher {
            Matcher::Literal(literal) => Ok(text.starts_with(literal.as_bytes()).then_some(literal.len())),
            Matcher::Simple(simple) => simple.prefix(text, longest, pace).await,
            Matcher::Extended(extended) => extended.end_of_match(text, 0, longest, pace).await,
        }
    }

    /// Start of the longest or the shortest suffix that matches: what `${x%%p}` and `${x%p}` remove.
    pub(crate) async fn suffix(
        &self,
        text: &[u8],
        longest: bool,
        pace: &mut impl Pace,
    ) -> Result<Option<usize>, Stopped> {
        match &self.matcher {
            Matcher::Literal(literal) => Ok(text.strip_suffix(literal.as_bytes()).map(<[u8]>::len)),
            Matcher::Simple(simple) => simple.suffix(text, longest, pace).await,
            Matcher::Extended(extended) => extended.suffix(text, longest, pace).await,
        }
    }
}

/// The matches in a text from left to right, none overlapping: what `${x//p/r}` replaces.
pub(crate) struct Matches<'a> {
    pattern: &'a Pattern,
    text: &'a [u8],
    at: usize,
    starts: Option<Starts>,
    is_done: bool,
}

impl<'a> Matches<'a> {
    pub(crate) fn new(pattern: &'a Pattern, text: &'a [u8]) -> Self {
        let is_done = if text.is_empty() { !pattern.is_star_first } else { pattern.literal() == Some(b"") };
        Self { pattern, text, at: 0, starts: None, is_done }
    }

    /// The next match. As in bash, the empty pattern has none; an empty text has one only for a pattern that begins
    /// with a `*`; after an empty match the search goes on after the next character; and there is none after the last.
    pub(crate) async fn next(&mut self, pace: &mut impl Pace) -> Result<Option<Span>, Stopped> {
        if self.is_done {
            return Ok(None);
        }
        let found = match &self.pattern.matcher {
            Matcher::Literal(literal) => {
                let start = simple::search(literal, self.text, self.at, pace).await?;
                start.map(|start| (start, start + literal.len()))
            }
            Matcher::Simple(simple) => simple.find(self.text, self.at, pace).await?,
            Matcher::Extended(extended) => {
                let starts = match self.starts.take() {
                    Some(starts) => starts,
                    None => extended.starts(self.text, self.at, pace).await?,
                };
                let start = self.starts.insert(starts).next(self.at);
                match start {
                    Some(start) => {
                        extended.end_of_match(self.text, start, true, pace).await?.map(|end| (start, end))
                    }
                    None => None,
                }
            }
        };
        self.at = match found {
            Some((start, end)) if start == end => {
                end + self.pattern.options.unit_at(self.text, end).map_or(1, |(_, length)| length)
            }
            Some((_, end)) => end,
            None => self.text.len(),
        };
        self.is_done = found.is_none() || self.at >= self.text.len();
        Ok(found)
    }
}

#[cfg(test)]
mod tests;
