//! Finds contexts in a file, and in each of them the words that are wanted.

use super::settings::PtxOptions;
use super::word::Words;
use crate::memory::{Vec, format};
use crate::utility::context::pace::{Pace, tick_bytes};
use crate::utility::context::ticker::search_error;
use crate::utility::prelude::*;
use crate::utility::regex::Span;

/// A file.
pub(super) struct Source {
    pub(super) name: Text,
    pub(super) bytes: Vec<u8>,
    /// The lines before that of the last word that was looked at.
    pub(super) lines: u64,
}

/// A word that is wanted.
#[derive(Clone, Copy, Debug)]
pub(super) struct Occurrence {
    /// The index of its file.
    pub(super) source: usize,
    pub(super) word: Span,
    pub(super) context: Span,
    pub(super) reference: Reference,
}

/// What a reference to a place is made of.
#[derive(Clone, Copy, Debug)]
pub(super) enum Reference {
    None,
    /// The lines before that of the word.
    Line(u64),
    /// Where the text begins that is the reference.
    Text(usize),
}

impl Occurrence {
    pub(super) fn word<'s>(&self, sources: &'s [Source]) -> &'s [u8] {
        let text = sources.get(self.source).map_or(b"".as_slice(), |source| &source.bytes);
        text.get(self.word.0..self.word.1).unwrap_or_default()
    }
}

#[derive(Default)]
pub(super) struct Found {
    pub(super) occurrences: Vec<Occurrence>,
    /// Bytes of the longest word, wanted or not.
    pub(super) longest_word: usize,
    /// Bytes of the longest reference of a line that has a word.
    pub(super) longest_reference: usize,
}

pub(super) const fn is_white(byte: u8) -> bool {
    matches!(byte, b'\t'..=b'\r' | b' ')
}

/// The first place in `[at, end)` that is not white; `end` when all is.
pub(super) fn after_white(text: &[u8], at: usize, end: usize) -> usize {
    let rest = text.get(at..end).unwrap_or_default();
    rest.iter().position(|byte| !is_white(*byte)).map_or(at.max(end), |length| at + length)
}

/// The first place in `[at, end)` that is white; `end` when none is.
pub(super) fn after_black(text: &[u8], at: usize, end: usize) -> usize {
    let rest = text.get(at..end).unwrap_or_default();
    rest.iter().position(|byte| is_white(*byte)).map_or(at.max(end), |length| at + length)
}

/// The place after the last byte of `[start, at)` that is not white; `start` when all is.
pub(super) fn before_white(text: &[u8], start: usize, at: usize) -> usize {
    let rest = text.get(start..at).unwrap_or_default();
    rest.iter().rposition(|byte| !is_white(*byte)).map_or(start.min(at), |last| start + last + 1)
}

/// Where lines begin, as far as words have been looked at.
struct Lines {
    start: usize,
    /// Before it, newlines are counted.
    at: usize,
    /// Bytes of the reference at the start of the line.
    reference: usize,
}

impl Lines {
    /// Goes on to a word, or behind the reference in which it is.
    async fn advance(
        &mut self,
        ctx: &Context,
        source: &mut Source,
        word: usize,
        has_own_references: bool,
    ) -> Result<(), UtilityError> {
        let before = self.at;
        while self.at < word {
            let newline = source.bytes.get(self.at) == Some(&b'\n');
            self.at += 1;
            if newline {
                source.lines += 1;
                self.start = self.at;
                self.at = after_black(&source.bytes, self.at, source.bytes.len());
                if has_own_references {
                    self.reference = self.at - self.start;
                }
            }
        }
        tick_bytes(&ctx.meter, self.at - before).await?;
        Ok(())
    }
}

impl Found {
    /// Adds the words of a file.
    pub(super) async fn add(
        &mut self,
        ctx: &Context,
        settings: &PtxOptions,
        words: &Words,
        source: &mut Source,
        index: usize,
    ) -> Result<(), UtilityError> {
        let end = source.bytes.len();
        let mut lines = Lines { start: 0, at: 0, reference: 0 };
        if settings.has_own_references {
            lines.reference = after_black(&source.bytes, 0, end);
            lines.at = after_white(&source.bytes, lines.reference, end);
        }
        let mut start = 0;
        while start < end {
            let next = context_end(ctx, settings, words, &source.bytes, start).await?;
            let context = (start, before_white(&source.bytes, start, next));
            self.add_context(ctx, settings, words, source, index, context, &mut lines).await?;
            start = next;
        }
        Ok(())
    }

    #[expect(clippy::too_many_arguments, reason = "what `add` has, and the context")]
    async fn add_context(
        &mut self,
        ctx: &Context,
        settings: &PtxOptions,
        words: &Words,
        source: &mut Source,
        index: usize,
        mut context: Span,
        lines: &mut Lines,
    ) -> Result<(), UtilityError> {
        let mut at = context.0;
        while let Some(word) = words.next(ctx, &source.bytes, at, context.1).await? {
            if word.1 == word.0 {
                at = word.0 + 1;
                if at > context.1 {
                    break;
                }
                continue;
            }
            at = word.1;
            self.longest_word = self.longest_word.max(word.1 - word.0);
            if settings.has_own_references {
                lines.advance(ctx, source, word.0, true).await?;
                if lines.at > word.0 {
                    // It is part of a reference.
                    continue;
                }
            }
            let text = source.bytes.get(word.0..word.1).unwrap_or_default();
            if !words.is_wanted(text, settings.ignores_case) {
                continue;
            }
            let reference = if settings.has_line_references {
                lines.advance(ctx, source, word.0, settings.has_own_references).await?;
                Reference::Line(source.lines)
            } else if settings.has_own_references {
                self.longest_reference = self.longest_reference.max(lines.reference);
                Reference::Text(lines.start)
            } else {
                Reference::None
            };
            if settings.has_own_references && lines.start == context.0 {
                let start = after_black(&source.bytes, context.0, context.1);
                context.0 = after_white(&source.bytes, start, context.1);
            }
            self.occurrences.push(Occurrence { source: index, word, context, reference });
        }
        Ok(())
    }
}

/// Where the context that begins at `start` ends, what ends it included.
async fn context_end(
    ctx: &Context,
    settings: &PtxOptions,
    words: &Words,
    text: &[u8],
    start: usize,
) -> Result<usize, UtilityError> {
    let Some(regex) = &words.context_end else { return Ok(text.len()) };
    let rest = text.get(start..).unwrap_or_default();
    let found = regex.find_at(rest, 0, &mut Pace::Shared(&ctx.meter)).await;
    match found.map_err(|error| search_error(&ctx.meter, &error, 1))? {
        // The real program says so of every match at the beginning, whatever its length.
        Some((0, _)) => Err(UtilityError::failed(format!(
            "error: regular expression has a match of length zero: {}",
            quote(&settings.context_end)
        ))),
        Some((_, end)) => Ok(start + end),
        None => Ok(text.len()),
    }
}
