//! Searches one input. Block after block of whole lines, in which the matcher finds the next line that matches; with `-U`, where
//! a match may hold a newline, the whole text at once.
//!
//! A text falls into stretches that match and stretches that do not, in turn; which of them are selected is a question of
//! `-v`. The last lines that were not printed are kept, for they may become context. An input that holds a NUL is binary: see
//! [`Binary`].

use super::print::Lines;
use super::settings::{Binary, Report};
use super::{Rg, json, print};
use crate::memory::{ToMetered, Vec, VecDeque};
use crate::utility::context::pace::{Pace, tick_bytes};
use crate::utility::context::ticker::search_error;
use crate::utility::grep::matcher::line_end;
use crate::utility::prelude::*;
use crate::utility::regex::Span;
use std::time::Duration;

/// A line that may become context.
#[derive(Debug)]
struct Kept {
    offset: u64,
    number: u64,
    text: Vec<u8>,
}

/// Where the search of an input stands.
#[derive(Debug)]
pub(super) struct Search {
    pub(super) name: Text,
    pub(super) binary: Binary,
    /// Bytes of the input before the block.
    base: u64,
    /// Lines before `counted`, a place in the block; kept only where numbers are shown.
    lines: u64,
    counted: usize,
    kept: VecDeque<Kept>,
    after_left: u64,
    /// Where in the input the last line that was printed ends.
    printed_to: Option<u64>,
    /// Lines that were selected, or with `-U` groups of lines.
    pub(super) count: u64,
    pub(super) matches: u64,
    pub(super) matched_lines: u64,
    /// Where the first NUL is.
    pub(super) binary_at: Option<u64>,
    pub(super) has_begun: bool,
    pub(super) bytes_printed: u64,
    pub(super) bytes_searched: u64,
    pub(super) took: Duration,
    is_done: bool,
}

impl Search {
    pub(super) const fn new(name: Text, binary: Binary) -> Self {
        Self {
            name,
            binary,
            base: 0,
            lines: 0,
            counted: 0,
            kept: VecDeque::new(),
            after_left: 0,
            printed_to: None,
            count: 0,
            matches: 0,
            matched_lines: 0,
            binary_at: None,
            has_begun: false,
            bytes_printed: 0,
            bytes_searched: 0,
            took: Duration::ZERO,
            is_done: false,
        }
    }

    pub(super) async fn run(
        mut self,
        ctx: &mut Context,
        rg: &mut Rg,
        input: &mut Input,
    ) -> Result<(), UtilityError> {
        let started = ctx.session.clock.monotonic();
        let searched = if rg.patterns.crosses_lines {
            self.whole_input(ctx, rg, input).await?
        } else {
            self.blocks(ctx, rg, input).await?
        };
        if let Err(error) = searched {
            let name = self.name.clone();
            super::walk::report(ctx, rg, &name, error).await?;
        }
        self.took = ctx.session.clock.monotonic().saturating_sub(started);
        print::finish(ctx, rg, &mut self).await
    }

    /// The inner error is one of reading.
    async fn blocks(
        &mut self,
        ctx: &mut Context,
        rg: &mut Rg,
        input: &mut Input,
    ) -> Result<Result<(), FsError>, UtilityError> {
        let eol = rg.settings.eol;
        let mut zapped = Vec::new();
        let mut is_first = true;
        while !self.is_done {
            ctx.check().await?;
            let block = match input.fill_lines(eol).await {
                Ok([]) => break,
                Ok(block) => block,
                Err(error) => return Ok(Err(error)),
            };
            if is_first && !rg.settings.keeps_mark && is_utf16(block) {
                return self.whole_input(ctx, rg, input).await;
            }
            let length = block.len();
            let mark =
                if is_first && !rg.settings.keeps_mark && block.starts_with(MARK) { MARK.len() } else { 0 };
            is_first = false;
            let text = block.get(mark..).unwrap_or_default();
            if self.looks_binary(text) {
                break;
            }
            if self.binary_at.is_some() && eol != 0 && memchr::memchr(0, text).is_some() {
                zapped.clear();
                zapped.extend_from_slice(text);
                zapped.iter_mut().filter(|byte| **byte == 0).for_each(|byte| *byte = eol);
                self.block(ctx, rg, &zapped).await?;
            } else {
                self.block(ctx, rg, text).await?;
            }
            input.consume(length);
        }
        Ok(Ok(()))
    }

    /// Looks for a NUL; whether the search ends for that.
    fn looks_binary(&mut self, text: &[u8]) -> bool {
        if self.binary != Binary::Text
            && self.binary_at.is_none()
            && let Some(found) = memchr::memchr(0, text)
        {
            self.binary_at = Some(self.base + found as u64);
        }
        self.binary == Binary::Quit && self.binary_at.is_some()
    }

    async fn whole_input(
        &mut self,
        ctx: &mut Context,
        rg: &mut Rg,
        input: &mut Input,
    ) -> Result<Result<(), FsError>, UtilityError> {
        let mut text = match input.read_to_end().await {
            Ok(text) => text,
            Err(error) => return Ok(Err(error)),
        };
        if !rg.settings.keeps_mark {
            if is_utf16(&text) {
                text = decoded(ctx, &text).await?;
            } else if text.starts_with(MARK) {
                text.remove_front(MARK.len());
            }
        }
        tick_bytes(&ctx.meter, text.len()).await?;
        if self.looks_binary(&text) {
            return Ok(Ok(()));
        }
        if self.binary_at.is_some() {
            text.iter_mut().filter(|byte| **byte == 0).for_each(|byte| *byte = b'\n');
        }
        if rg.patterns.crosses_lines {
            self.whole(ctx, rg, &text).await?;
        } else {
            self.block(ctx, rg, &text).await?;
        }
        Ok(Ok(()))
    }

    /// Searches whole lines.
    async fn block(&mut self, ctx: &mut Context, rg: &mut Rg, block: &[u8]) -> Result<(), UtilityError> {
        self.counted = 0;
        let is_inverted = rg.settings.is_inverted;
        let mut at = 0;
        while at < block.len() && !self.is_done {
            ctx.tick().await?;
            let found = rg
                .patterns
                .lines
                .next_line(block, at, &mut Pace::Shared(&ctx.meter))
                .await
                .map_err(|error| search_error(&ctx.meter, &error, 2))?;
            let (start, end) = found.unwrap_or((block.len(), block.len()));
            for (stretch, matches) in [((at, start), false), ((start, end), true)] {
                if matches == is_inverted {
                    self.pass(ctx, rg, block, stretch).await?;
                } else {
                    self.select_lines(ctx, rg, block, stretch).await?;
                }
            }
            at = end;
        }
        self.leave(rg, block, at);
        Ok(())
    }

    /// Searches a text for matches that go over lines. Lines of matches that touch are one group.
    async fn whole(&mut self, ctx: &mut Context, rg: &mut Rg, text: &[u8]) -> Result<(), UtilityError> {
        let eol = rg.settings.eol;
        let mut passed = 0;
        let mut group: Option<Span> = None;
        let mut at = 0;
        while !self.is_done {
            ctx.tick().await?;
            let found = print::find(ctx, rg, text, at).await?;
            let lines = found.map(|(start, end)| {
                at = if start == end { end + 1 } else { end };
                let before = text.get(..start).unwrap_or_default();
                let first = memchr::memrchr(eol, before).map_or(0, |found| found + 1);
                let ends_line = end > start && text.get(end - 1) == Some(&eol);
                (first, if ends_line { end } else { line_end(text, end, eol) })
            });
            match (group, lines) {
                (Some((_, end)), Some((start, new_end))) if start <= end => {
                    group = group.map(|(start, _)| (start, new_end.max(end)));
                    continue;
                }
                (Some((start, end)), _) => {
                    self.group(ctx, rg, text, (passed, start), (start, end)).await?;
                    passed = end;
                }
                (None, _) => {}
            }
            group = lines.filter(|(start, _)| *start < text.len());
            if group.is_none() || at > text.len() && lines.is_none() {
                break;
            }
        }
        if !self.is_done {
            self.group(ctx, rg, text, (passed, text.len()), (text.len(), text.len())).await?;
        }
        let end = text.len();
        self.leave(rg, text, end);
        Ok(())
    }

    async fn group(
        &mut self,
        ctx: &mut Context,
        rg: &mut Rg,
        text: &[u8],
        before: Span,
        group: Span,
    ) -> Result<(), UtilityError> {
        if rg.settings.is_inverted {
            self.select_lines(ctx, rg, text, before).await?;
            return self.pass(ctx, rg, text, group).await;
        }
        self.pass(ctx, rg, text, before).await?;
        if group.0 < group.1 { self.select(ctx, rg, text, group).await } else { Ok(()) }
    }

    /// Takes lines that are not selected: context after a match, or what may become context before one.
    async fn pass(
        &mut self,
        ctx: &mut Context,
        rg: &mut Rg,
        block: &[u8],
        (mut at, end): Span,
    ) -> Result<(), UtilityError> {
        let eol = rg.settings.eol;
        if self.is_done || at >= end || !prints(rg) {
            return Ok(());
        }
        while at < end && (rg.settings.passthru || self.after_left > 0) {
            ctx.tick().await?;
            let next = line_end(block, at, eol);
            self.after_left = self.after_left.saturating_sub(1);
            self.print(ctx, rg, block, (at, next), false).await?;
            at = next;
            if self.is_full(rg) && self.after_left == 0 && !rg.settings.passthru {
                self.is_done = true;
                return Ok(());
            }
        }
        if rg.settings.before == 0 || at >= end {
            return Ok(());
        }
        let stretch = block.get(at..end).unwrap_or_default();
        at += last_lines(stretch, rg.settings.before, eol);
        while at < end {
            ctx.tick().await?;
            let next = line_end(block, at, eol);
            self.count_to(rg, block, at);
            if self.kept.len() as u64 >= rg.settings.before {
                self.kept.pop_front();
            }
            self.kept.push_back(Kept {
                offset: self.base + at as u64,
                number: self.lines + 1,
                text: block.get(at..next).unwrap_or_default().to_metered(),
            });
            at = next;
        }
        Ok(())
    }

    /// Selects the lines of a stretch, one by one.
    async fn select_lines(
        &mut self,
        ctx: &mut Context,
        rg: &mut Rg,
        block: &[u8],
        (mut at, end): Span,
    ) -> Result<(), UtilityError> {
        while at < end && !self.is_done {
            ctx.tick().await?;
            let next = line_end(block, at, rg.settings.eol);
            self.select(ctx, rg, block, (at, next)).await?;
            at = next;
        }
        Ok(())
    }

    /// Selects a line or a group of lines.
    async fn select(
        &mut self,
        ctx: &mut Context,
        rg: &mut Rg,
        block: &[u8],
        span: Span,
    ) -> Result<(), UtilityError> {
        if self.is_done {
            return Ok(());
        }
        let was_full = self.is_full(rg);
        self.count += 1;
        if rg.settings.report == Report::Lines && self.binary_at.is_some() {
            self.is_done = true;
            return Ok(());
        }
        if prints(rg) {
            self.print_kept(ctx, rg, span.0).await?;
            // More matches after the last one that is wanted are as context is.
            self.after_left = if was_full { self.after_left.saturating_sub(1) } else { rg.settings.after };
            self.print(ctx, rg, block, span, true).await?;
            self.is_done = self.is_full(rg) && self.after_left == 0;
            return Ok(());
        }
        let spans = print::spans(ctx, rg, block, span).await?;
        self.matches += spans.len() as u64;
        self.matched_lines += count_lines(block.get(span.0..span.1).unwrap_or_default(), rg.settings.eol);
        let stops_early = !rg.settings.stats
            && matches!(rg.settings.report, Report::NamesWith | Report::NamesWithout | Report::Nothing);
        self.is_done = stops_early || self.is_full(rg);
        Ok(())
    }

    fn is_full(&self, rg: &Rg) -> bool {
        self.count >= rg.settings.max_count
    }

    /// Prints the separator and the lines that were kept before a selected one at `start`.
    async fn print_kept(&mut self, ctx: &mut Context, rg: &mut Rg, start: usize) -> Result<(), UtilityError> {
        let begin = self.kept.front().map_or(self.base + start as u64, |line| line.offset);
        let has_context = rg.settings.before > 0 || rg.settings.after > 0;
        if has_context && self.printed_to.is_some_and(|end| end != begin) {
            print::separator(ctx, rg, self).await?;
        }
        while let Some(line) = self.kept.pop_front() {
            ctx.tick().await?;
            let lines = Lines {
                text: &line.text,
                span: (0, line.text.len()),
                offset: line.offset,
                number: line.number,
                is_match: false,
            };
            self.tell(ctx, rg, lines).await?;
        }
        Ok(())
    }

    async fn print(
        &mut self,
        ctx: &mut Context,
        rg: &mut Rg,
        block: &[u8],
        (start, end): Span,
        is_match: bool,
    ) -> Result<(), UtilityError> {
        self.count_to(rg, block, start);
        let offset = self.base + start as u64;
        let lines = Lines { text: block, span: (start, end), offset, number: self.lines + 1, is_match };
        self.tell(ctx, rg, lines).await?;
        self.printed_to = Some(self.base + end as u64);
        Ok(())
    }

    async fn tell(&mut self, ctx: &mut Context, rg: &mut Rg, lines: Lines<'_>) -> Result<(), UtilityError> {
        if rg.settings.report == Report::Json {
            json::lines(ctx, rg, self, lines).await
        } else {
            print::lines(ctx, rg, self, lines).await
        }
    }

    /// Brings the number of lines up to a place in the block.
    fn count_to(&mut self, rg: &Rg, block: &[u8], place: usize) {
        if rg.settings.line_number && place > self.counted {
            let text = block.get(self.counted..place).unwrap_or_default();
            self.lines += count_lines(text, rg.settings.eol);
            self.counted = place;
        }
    }

    /// Keeps of a block what the next one needs.
    fn leave(&mut self, rg: &Rg, block: &[u8], searched: usize) {
        self.count_to(rg, block, block.len());
        self.base += block.len() as u64;
        self.bytes_searched += searched as u64;
    }
}

/// Whether lines are printed.
fn prints(rg: &Rg) -> bool {
    matches!(rg.settings.report, Report::Lines | Report::Json)
}

pub(super) fn count_lines(text: &[u8], eol: u8) -> u64 {
    let ends = memchr::memchr_iter(eol, text).count() as u64;
    ends + u64::from(text.last().is_some_and(|&last| last != eol))
}

/// Where the last `count` lines of a text begin.
fn last_lines(text: &[u8], count: u64, eol: u8) -> usize {
    let mut start = text.len();
    let mut taken = 0;
    while taken < count && start > 0 {
        let before = text.get(..start - 1).unwrap_or_default();
        start = memchr::memrchr(eol, before).map_or(0, |found| found + 1);
        taken += 1;
    }
    start
}

/// UTF-8's byte order mark.
const MARK: &[u8] = b"\xef\xbb\xbf";

fn is_utf16(text: &[u8]) -> bool {
    text.starts_with(b"\xff\xfe") || text.starts_with(b"\xfe\xff")
}

/// UTF-16 with a byte order mark as UTF-8.
async fn decoded(ctx: &mut Context, text: &[u8]) -> Result<Vec<u8>, UtilityError> {
    let is_big = text.starts_with(b"\xfe\xff");
    let mut out = Vec::with_capacity(text.len());
    let units = text.get(2..).unwrap_or_default().chunks(2).map(|pair| match *pair {
        [one, two] if is_big => u16::from_be_bytes([one, two]),
        [one, two] => u16::from_le_bytes([one, two]),
        _ => 0xfffd,
    });
    for (index, character) in char::decode_utf16(units).enumerate() {
        if index % 4096 == 0 {
            tick_bytes(&ctx.meter, 4096 * 4).await?;
        }
        let character = character.unwrap_or(char::REPLACEMENT_CHARACTER);
        out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
    }
    Ok(out)
}
