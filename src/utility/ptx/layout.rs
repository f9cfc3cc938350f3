//! The fields of a line: what stands before the word, the word with what comes after it, and what of the rest has room
//! at the other side of the line.
//!
//! A line has two halves. The word begins the right one. Where the left half has room left, the text goes on there after it
//! has ended at the right (the tail); where the right half has, what comes before the left half stands there (the head).

use super::scan::{Found, Occurrence, Reference, Source, after_black, after_white, before_white};
use super::settings::PtxOptions;
use super::word::Words;
use crate::memory::{ToMetered, Vec, format};
use crate::utility::context::pace::tick_bytes;
use crate::utility::prelude::*;

/// A stretch of a file, `[start, end)`, and whether text was cut off at its outer side.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Field {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) is_cut: bool,
}

impl Field {
    /// Bytes of it; below zero where it begins after its end, which is where a word stands right after white space.
    pub(super) const fn length(self) -> i64 {
        self.end as i64 - self.start as i64
    }

    /// The columns that it takes, with the mark where text was cut off.
    pub(super) fn columns(self, mark: usize) -> i64 {
        self.length() + if self.is_cut { mark as i64 } else { 0 }
    }
}

#[derive(Clone, Debug, Default)]
pub(super) struct Line {
    pub(super) tail: Field,
    pub(super) before: Field,
    pub(super) word: Field,
    pub(super) head: Field,
    pub(super) reference: Vec<u8>,
}

/// Widths in columns, which are bytes.
pub(super) struct Layout<'p> {
    pub(super) settings: &'p PtxOptions,
    pub(super) words: &'p Words,
    pub(super) half: i64,
    before: i64,
    word: i64,
    pub(super) reference: i64,
    longest_word: i64,
}

impl<'p> Layout<'p> {
    pub(super) fn new(settings: &'p PtxOptions, words: &'p Words, found: &Found, sources: &[Source]) -> Self {
        let reference = if settings.has_line_references {
            // The real program counts a line more than it has seen.
            let widths = sources.iter().map(|source| line_reference(source, source.lines + 1).len());
            widths.max().unwrap_or(0)
        } else {
            found.longest_reference
        } as i64;
        let mut width = settings.width;
        if settings.has_references() && !settings.has_references_at_right {
            width = width.saturating_sub(reference.saturating_add(settings.gap));
        }
        let half = width.max(0) / 2;
        let marks = 2 * settings.mark.len() as i64;
        let mut before = half.saturating_sub(settings.gap);
        let mut word = half.saturating_sub(marks);
        if settings.is_traditional {
            word -= 1;
        } else {
            before = before.saturating_sub(marks).max(0);
        }
        Self { settings, words, half, before, word, reference, longest_word: found.longest_word as i64 }
    }

    /// Lays out the line of an occurrence.
    pub(super) async fn line(
        &self,
        ctx: &Context,
        source: &Source,
        occurrence: &Occurrence,
    ) -> Result<Line, UtilityError> {
        let text = source.bytes.as_slice();
        let has_marks = !self.settings.mark.is_empty();
        let (left, right) = occurrence.context;
        let start = occurrence.word.0;

        // The word, and as many words after it as there is room for.
        let room = start.saturating_add_signed(self.word as isize);
        let end = self.extend(ctx, text, occurrence.word.1, right, |at| at <= room).await?;
        let mut word = Field { start, end, is_cut: has_marks && end < right };
        word.end = before_white(text, start, word.end);

        // From afar, one begins to look near enough, perhaps in the middle of a word, which is passed over.
        let far = self.half.saturating_add(self.longest_word) as usize;
        let leftmost =
            if start - left > far { self.words.step(ctx, text, start - far, start).await? } else { left };
        let mut before = Field { start: leftmost, end: before_white(text, leftmost, start), is_cut: false };
        before.start = self.shorten(ctx, text, before, self.before).await?;
        before.is_cut = has_marks && before_white(text, 0, before.start) > left;
        before.start = after_white(text, before.start, text.len());

        let tail = self.tail(ctx, text, &before, &mut word, right).await?;
        let head = self.head(ctx, text, &mut before, &word, (left, leftmost)).await?;
        let bytes =
            [before, word, head, tail].into_iter().map(|field| field.length().unsigned_abs() as usize);
        tick_bytes(&ctx.meter, bytes.sum()).await?;
        let reference = match occurrence.reference {
            Reference::None => Vec::new(),
            Reference::Line(lines) => line_reference(source, lines),
            Reference::Text(at) => {
                let end = after_black(text, at, right);
                text.get(at..end).unwrap_or_default().to_metered()
            }
        };
        Ok(Line { tail, before, word, head, reference })
    }

    /// What comes after the word's field, in the room that the left half has left.
    async fn tail(
        &self,
        ctx: &Context,
        text: &[u8],
        before: &Field,
        word: &mut Field,
        right: usize,
    ) -> Result<Field, UtilityError> {
        let room = self.before.saturating_sub(before.length()).saturating_sub(self.settings.gap);
        if room <= 0 {
            return Ok(Field::default());
        }
        let start = after_white(text, word.end, text.len());
        let limit = start.saturating_add(room as usize);
        let end = self.extend(ctx, text, start, right, |at| at < limit).await?;
        let mut tail = Field { start, end, is_cut: false };
        if tail.end > tail.start {
            word.is_cut = false;
            tail.is_cut = !self.settings.mark.is_empty() && tail.end < right;
        }
        tail.end = before_white(text, tail.start, tail.end);
        Ok(tail)
    }

    /// What comes before the field before the word, in the room that the right half has left.
    async fn head(
        &self,
        ctx: &Context,
        text: &[u8],
        before: &mut Field,
        word: &Field,
        (left, leftmost): (usize, usize),
    ) -> Result<Field, UtilityError> {
        let room = self.word.saturating_sub(word.length()).saturating_sub(self.settings.gap);
        if room <= 0 {
            return Ok(Field::default());
        }
        let mut head = Field { start: leftmost, end: before_white(text, 0, before.start), is_cut: false };
        head.start = self.shorten(ctx, text, head, room).await?;
        if head.end > head.start {
            before.is_cut = false;
            head.is_cut = !self.settings.mark.is_empty() && head.start > left;
        }
        head.start = after_white(text, head.start, head.end);
        Ok(head)
    }

    /// Goes on from `at` word by word, up to `limit`, as long as the place has room.
    async fn extend(
        &self,
        ctx: &Context,
        text: &[u8],
        mut at: usize,
        limit: usize,
        has_room: impl Fn(usize) -> bool,
    ) -> Result<usize, UtilityError> {
        let mut end = at;
        while at < limit && has_room(at) {
            end = at;
            let next = self.words.step(ctx, text, at, limit).await?;
            if next <= at {
                return Ok(end);
            }
            at = next;
        }
        Ok(if has_room(at) { at } else { end })
    }

    /// The place at or after the start of a field, word by word, from which on it has room.
    async fn shorten(
        &self,
        ctx: &Context,
        text: &[u8],
        field: Field,
        room: i64,
    ) -> Result<usize, UtilityError> {
        let mut start = field.start;
        while (start as i64).saturating_add(room) < field.end as i64 {
            let next = self.words.step(ctx, text, start, field.end).await?;
            if next <= start {
                break;
            }
            start = next;
        }
        Ok(start)
    }
}

/// `name:line`
fn line_reference(source: &Source, lines: u64) -> Vec<u8> {
    let name = if *source.name == *b"-" { b"" } else { source.name.as_bytes() };
    let mut reference = name.to_metered();
    reference.extend_from_slice(format!(":{}", lines + 1).as_bytes());
    reference
}
