//! A paragraph: its words, where its lines break, and its print.
//!
//! From the last word to the first, the cheapest way is found to set the rest of the paragraph with a line that begins at
//! the word: what lines cost grows with the square of what they are shorter than the goal or than the next line, and
//! breaks after sentences are cheaper than those within. A paragraph that is too long is set in parts.

use crate::memory::{ToMetered, Vec};
use crate::utility::prelude::*;

/// Words and bytes that are held at a time.
pub(super) const MOST_WORDS: usize = 998;
pub(super) const MOST_BYTES: usize = 5000;

const TAB: usize = 8;

const fn square(number: i64) -> i64 {
    number * number
}

const LINE: i64 = square(70);
const WIDOW: i64 = square(200);
const ORPHAN: i64 = square(150);
const SENTENCE: i64 = square(50);
const WITHIN_SENTENCE: i64 = square(600);
const PARENTHESIS: i64 = square(40);
const PUNCTUATION: i64 = square(40);
/// By how much a break may cost more for each line that it comes later.
const LATER: i64 = square(3);

/// What a line costs that misses a length by so much.
const fn short(missing: i64) -> i64 {
    square(missing * 10)
}

const fn ragged(difference: i64) -> i64 {
    short(difference) / 2
}

pub(super) struct Word {
    text: Vec<u8>,
    /// Blanks after it.
    pub(super) space: usize,
    opens: bool,
    is_punctuation: bool,
    /// Ends in a full stop or the like, closing marks aside.
    pub(super) has_period: bool,
    /// Ends a sentence.
    pub(super) is_final: bool,
    best: i64,
    /// Length of the line that begins here, and the first word of the next.
    line_length: i64,
    next_break: usize,
}

impl Word {
    pub(super) fn new(text: &[u8], space: usize) -> Self {
        let closing = |byte: &u8| b")]'\"".contains(byte);
        let end = text.iter().rposition(|byte| !closing(byte)).unwrap_or(0);
        Self {
            space,
            opens: text.first().is_some_and(|byte| b"(['`\"".contains(byte)),
            is_punctuation: text.last().is_some_and(u8::is_ascii_punctuation),
            has_period: text.get(end).is_some_and(|byte| b".?!".contains(byte)),
            is_final: false,
            best: 0,
            line_length: 0,
            next_break: 0,
            text: text.to_metered(),
        }
    }
}

pub(super) struct Paragraph {
    words: Vec<Word>,
    bytes: usize,
    width: i64,
    goal: i64,
    prefix: Vec<u8>,
    prefix_indent: usize,
    first_indent: usize,
    pub(super) other_indent: usize,
    /// Blanks are printed as tabs: the input has some.
    pub(super) tabs: bool,
    /// Where the output stands.
    pub(super) column: usize,
    /// Of the last line that was printed of this paragraph.
    last_length: i64,
}

impl Paragraph {
    pub(super) fn new(width: usize, goal: usize, prefix: Vec<u8>) -> Self {
        Self {
            words: Vec::new(),
            bytes: 0,
            width: width as i64,
            goal: goal as i64,
            prefix,
            prefix_indent: 0,
            first_indent: 0,
            other_indent: 0,
            tabs: false,
            column: 0,
            last_length: 0,
        }
    }

    pub(super) fn begin(&mut self, prefix_indent: usize, first_indent: usize) {
        (self.prefix_indent, self.first_indent, self.other_indent) =
            (prefix_indent, first_indent, first_indent);
        self.last_length = 0;
        self.words.clear();
        self.bytes = 0;
    }

    pub(super) const fn has_room(&self, length: usize) -> bool {
        self.bytes + length <= MOST_BYTES
    }

    pub(super) fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    pub(super) fn count(&self) -> usize {
        self.words.len()
    }

    pub(super) fn push(&mut self, word: Word) {
        self.bytes += word.text.len();
        self.words.push(word);
    }

    /// Prints everything.
    pub(super) async fn end(&mut self, ctx: &mut Context) -> Result<(), UtilityError> {
        if let Some(last) = self.words.last_mut() {
            (last.has_period, last.is_final) = (true, true);
        }
        self.set_breaks(ctx).await?;
        let count = self.words.len();
        self.print(ctx, count).await?;
        self.words.clear();
        self.bytes = 0;
        Ok(())
    }

    /// Prints up to a break that costs little, to make room.
    pub(super) async fn flush(&mut self, ctx: &mut Context) -> Result<(), UtilityError> {
        self.set_breaks(ctx).await?;
        let count = self.words.len();
        let next = |at: usize| self.words.get(at).map_or(count, |word| word.next_break);
        let best = |at: usize| self.words.get(at).map_or(0, |word| word.best);
        let (mut split, mut least) = (count, i64::MAX);
        let mut at = next(0);
        while at < count {
            let cost = best(at) - best(next(at));
            if cost < least {
                (split, least) = (at, cost);
            }
            least = least.saturating_add(LATER);
            at = next(at);
        }
        self.print(ctx, split).await?;
        self.words.remove_front(split);
        self.bytes = self.words.iter().map(|word| word.text.len()).sum();
        // What is left begins with a line that is not the first.
        self.first_indent = self.other_indent;
        Ok(())
    }

    async fn set_breaks(&mut self, ctx: &mut Context) -> Result<(), UtilityError> {
        let count = self.words.len();
        for start in (0..count).rev() {
            ctx.tick().await?;
            let indent = if start == 0 { self.first_indent } else { self.other_indent };
            let length_of = |at: usize| self.words.get(at).map_or(0, |word| word.text.len() as i64);
            let mut length = indent as i64 + length_of(start);
            let (mut best, mut next_break, mut line_length) = (i64::MAX, start + 1, length);
            let mut next = start + 1;
            loop {
                let rest = self.words.get(next).map_or(0, |word| word.best);
                let mut cost = self.line_cost(next, length).saturating_add(rest);
                if start == 0 && self.last_length > 0 {
                    cost = cost.saturating_add(ragged(length - self.last_length));
                }
                if cost < best {
                    (best, next_break, line_length) = (cost, next, length);
                }
                if next >= count {
                    break;
                }
                let space = self.words.get(next - 1).map_or(0, |word| word.space as i64);
                length = length.saturating_add(space).saturating_add(length_of(next));
                next += 1;
                if length >= self.width {
                    break;
                }
            }
            let own = self.break_cost(start);
            if let Some(word) = self.words.get_mut(start) {
                word.best = best.saturating_add(own);
                (word.next_break, word.line_length) = (next_break, line_length);
            }
        }
        Ok(())
    }

    /// What a line of this length costs before a line that begins with the word `next`.
    fn line_cost(&self, next: usize, length: i64) -> i64 {
        let Some(word) = self.words.get(next) else { return 0 };
        let cost = short(self.goal - length);
        if word.next_break < self.words.len() { cost + ragged(length - word.line_length) } else { cost }
    }

    /// What it costs to begin a line with this word.
    fn break_cost(&self, at: usize) -> i64 {
        let mut cost = LINE;
        let Some(word) = self.words.get(at) else { return cost };
        let before = at.checked_sub(1).and_then(|at| self.words.get(at));
        if let Some(before) = before {
            let earlier = at.checked_sub(2).and_then(|at| self.words.get(at));
            if before.has_period {
                cost += if before.is_final { -SENTENCE } else { WITHIN_SENTENCE };
            } else if before.is_punctuation {
                cost -= PUNCTUATION;
            } else if earlier.is_some_and(|earlier| earlier.is_final) {
                cost += WIDOW / (before.text.len() as i64 + 2);
            }
        }
        if word.opens {
            cost -= PARENTHESIS;
        } else if word.is_final {
            cost += ORPHAN / (word.text.len() as i64 + 2);
        }
        cost
    }

    /// Prints the lines before the word `end`.
    async fn print(&mut self, ctx: &mut Context, end: usize) -> Result<(), UtilityError> {
        let mut start = 0;
        while start < end {
            ctx.tick().await?;
            let indent = if start == 0 { self.first_indent } else { self.other_indent };
            self.column = 0;
            self.space(ctx, self.prefix_indent).await?;
            ctx.stdout.push(&self.prefix);
            self.column += self.prefix.len();
            self.space(ctx, indent.saturating_sub(self.column)).await?;
            let Some(next) = self.words.get(start).map(|word| word.next_break.max(start + 1)) else { break };
            for at in start..next {
                let Some(word) = self.words.get(at) else { break };
                ctx.stdout.write(&word.text).await?;
                self.column += word.text.len();
                let space = word.space;
                if at + 1 < next {
                    self.space(ctx, space).await?;
                }
            }
            self.last_length = self.column as i64;
            ctx.stdout.write(b"\n").await?;
            start = next;
        }
        Ok(())
    }

    /// Prints blanks from the column on.
    pub(super) async fn space(&mut self, ctx: &mut Context, count: usize) -> Result<(), UtilityError> {
        let end = self.column.saturating_add(count);
        let tab_end = end / TAB * TAB;
        if self.tabs && self.column + 1 < tab_end {
            while self.column < tab_end {
                ctx.stdout.push(b"\t");
                self.column = (self.column / TAB + 1) * TAB;
            }
        }
        while self.column < end {
            ctx.stdout.write(b" ").await?;
            self.column += 1;
        }
        Ok(())
    }
}
