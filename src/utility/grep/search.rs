//! Searches one input: block after block of whole lines, in which the matcher finds the next matching line.
//!
//! A block falls into stretches of lines that match and lines that do not, in turn; which of them are selected is a
//! question of `-v`. The lines before a block that may become context are kept. An input with a NUL is binary: its NULs
//! end lines, and its first selected line ends the search.

use super::Grep;
use super::matcher::line_end;
use super::print::{Line, Printer};
use super::settings::{Binary, Report};
use crate::memory::Vec;
use crate::utility::context::pace::Pace;
use crate::utility::context::ticker::search_error;
use crate::utility::prelude::*;
use crate::utility::regex::Span;

/// Where the search of an input stands.
#[derive(Debug)]
pub(super) struct InputSearch {
    printer: Printer,
    /// Bytes of the input before the block.
    base: u64,
    /// Lines before `counted`, a place in the block; kept only where numbers are shown.
    lines: u64,
    counted: usize,
    selected: u64,
    /// Context lines that are still to be printed.
    after_left: u64,
    /// Where in the input the last line that was printed ends.
    printed_to: Option<u64>,
    /// The lines before the block, as many as can be context and up to as many again.
    history: Vec<u8>,
    history_lines: u64,
    is_binary: bool,
    has_hidden: bool,
    is_done: bool,
}

impl InputSearch {
    pub(super) fn new(name: Text, width: usize) -> Self {
        Self {
            printer: Printer::new(name, width),
            base: 0,
            lines: 0,
            counted: 0,
            selected: 0,
            after_left: 0,
            printed_to: None,
            history: Vec::new(),
            history_lines: 0,
            is_binary: false,
            has_hidden: false,
            is_done: false,
        }
    }

    /// The inner error is one of reading.
    pub(super) async fn run(
        &mut self,
        ctx: &mut Context,
        grep: &mut Grep,
        input: &mut Input,
    ) -> Result<Result<(), FsError>, UtilityError> {
        let eol = grep.settings.eol;
        let mut zapped = Vec::new();
        while !self.is_done {
            ctx.check().await?;
            let block = match input.fill_lines(eol).await {
                Ok([]) => break,
                Ok(block) => block,
                Err(error) => return Ok(Err(error)),
            };
            let length = block.len();
            let used =
                if grep.settings.binary != Binary::Text && eol != 0 && memchr::memchr(0, block).is_some() {
                    if grep.settings.binary == Binary::WithoutMatch {
                        self.selected = 0;
                        break;
                    }
                    self.is_binary = true;
                    zapped.clear();
                    zapped.extend_from_slice(block);
                    zapped.iter_mut().filter(|byte| **byte == 0).for_each(|byte| *byte = eol);
                    self.block(ctx, grep, &zapped).await?
                } else {
                    self.block(ctx, grep, block).await?
                };
            input.consume(if self.is_done { used } else { length });
        }
        Ok(Ok(()))
    }

    /// Prints what is printed of an input as a whole.
    pub(super) async fn finish(&mut self, ctx: &mut Context, grep: &mut Grep) -> Result<(), UtilityError> {
        let has_selected = self.selected > 0;
        grep.has_selected |= has_selected;
        match grep.settings.report {
            Report::Count => self.printer.count(ctx, grep, self.selected).await?,
            Report::NamesWith if has_selected => self.printer.name_alone(ctx, grep).await?,
            Report::NamesWithout if !has_selected => self.printer.name_alone(ctx, grep).await?,
            Report::Lines if self.has_hidden && grep.settings.binary == Binary::Report => {
                ctx.stdout.flush().await?;
                ctx.warn(format_args!("{}: binary file matches", self.printer.name));
            }
            _ => {}
        }
        Ok(())
    }

    /// Searches a block; gives the place after the last line that was looked at when the search is done.
    async fn block(
        &mut self,
        ctx: &mut Context,
        grep: &mut Grep,
        block: &[u8],
    ) -> Result<usize, UtilityError> {
        self.counted = 0;
        let is_inverted = grep.settings.is_inverted;
        let mut at = 0;
        while at < block.len() && !self.is_done {
            ctx.tick().await?;
            let found = grep
                .matcher
                .next_line(block, at, &mut Pace::Shared(&ctx.meter))
                .await
                .map_err(|error| search_error(&ctx.meter, &error, 2))?;
            let (start, end) = found.unwrap_or((block.len(), block.len()));
            for (stretch, matches) in [((at, start), false), ((start, end), true)] {
                if stretch.0 == stretch.1 || self.is_done {
                    continue;
                }
                at = if matches == is_inverted {
                    self.pass(ctx, grep, block, stretch).await?
                } else {
                    self.select(ctx, grep, block, stretch).await?
                };
            }
        }
        self.leave(grep, block);
        Ok(at)
    }

    /// Takes lines that are not selected, or one too many: context after a match, or nothing. Gives their end.
    async fn pass(
        &mut self,
        ctx: &mut Context,
        grep: &mut Grep,
        block: &[u8],
        (mut at, end): Span,
    ) -> Result<usize, UtilityError> {
        while self.after_left > 0 && at < end {
            ctx.tick().await?;
            let next = line_end(block, at, grep.settings.eol);
            self.after_left -= 1;
            self.print(ctx, grep, block, (at, next), false).await?;
            at = next;
        }
        if self.is_full(grep) && self.after_left == 0 {
            self.is_done = true;
            return Ok(at);
        }
        Ok(end)
    }

    /// Takes lines that are selected. Gives the end of the last one taken.
    async fn select(
        &mut self,
        ctx: &mut Context,
        grep: &mut Grep,
        block: &[u8],
        (mut at, end): Span,
    ) -> Result<usize, UtilityError> {
        let eol = grep.settings.eol;
        if self.is_full(grep) {
            return self.pass(ctx, grep, block, (at, end)).await;
        }
        if grep.settings.report == Report::Count && grep.settings.max_count == u64::MAX {
            self.selected += count_lines(block.get(at..end).unwrap_or(&[]), eol);
            return Ok(end);
        }
        if grep.settings.report == Report::Lines && !self.is_binary {
            self.print_before(ctx, grep, block, at).await?;
            if grep.settings.max_count == u64::MAX
                && Printer::is_plain(grep)
                && self.print_plain(ctx, grep, block, (at, end)).await?
            {
                return Ok(end);
            }
        }
        while at < end && !self.is_done {
            ctx.tick().await?;
            let next = line_end(block, at, eol);
            self.selected += 1;
            match grep.settings.report {
                Report::Lines if self.is_binary => {
                    // What is printed next stands apart from it.
                    grep.has_printed = true;
                    self.has_hidden = true;
                    self.is_done = true;
                }
                Report::Lines => {
                    self.print(ctx, grep, block, (at, next), true).await?;
                    self.after_left = grep.settings.after.unwrap_or(0);
                }
                Report::Count => {}
                _ => self.is_done = true,
            }
            at = next;
            if self.is_full(grep) && !self.is_done {
                // What follows is context, whether it would be selected or not.
                return self.pass(ctx, grep, block, (at, end)).await;
            }
        }
        Ok(at)
    }

    fn is_full(&self, grep: &Grep) -> bool {
        self.selected >= grep.settings.max_count
    }

    /// Writes a stretch of selected lines as it is; false when it is not text.
    async fn print_plain(
        &mut self,
        ctx: &mut Context,
        grep: &mut Grep,
        block: &[u8],
        (start, end): Span,
    ) -> Result<bool, UtilityError> {
        let text = block.get(start..end).unwrap_or(&[]);
        if grep.settings.binary != Binary::Text && std::str::from_utf8(text).is_err() {
            return Ok(false);
        }
        // Lines need not be counted one by one: only whether there are any is asked for.
        self.selected += 1;
        ctx.stdout.write(text).await?;
        if text.last() != Some(&grep.settings.eol) {
            ctx.stdout.write(&[grep.settings.eol]).await?;
        }
        self.printed_to = Some(self.base + end as u64);
        self.after_left = grep.settings.after.unwrap_or(0);
        grep.has_printed = true;
        Ok(true)
    }

    /// Prints the separator and the context before a selected line.
    async fn print_before(
        &mut self,
        ctx: &mut Context,
        grep: &mut Grep,
        block: &[u8],
        start: usize,
    ) -> Result<(), UtilityError> {
        let Some(before) = grep.settings.before else { return Ok(()) };
        let eol = grep.settings.eol;
        let is_numbered = grep.settings.line_number;
        // Old lines first: those of the history, then those of the block.
        let history = std::mem::take(&mut self.history);
        let printed = self.printed_to.unwrap_or(0);
        let history_base = self.base - history.len() as u64;
        let in_block = printed.saturating_sub(self.base).min(start as u64) as usize;
        let (from, taken) = last_lines(block.get(in_block..start).unwrap_or(&[]), before, eol);
        let in_history = printed.saturating_sub(history_base).min(history.len() as u64) as usize;
        let old = history.get(in_history..).unwrap_or(&[]);
        let wanted = if from == 0 { before - taken } else { 0 };
        let (old_from, old_taken) = last_lines(old, wanted, eol);
        let (first, first_old) = (in_block + from, in_history + old_from);
        let begins_at =
            if old_taken > 0 { history_base + first_old as u64 } else { self.base + first as u64 };
        if grep.has_printed && self.printed_to != Some(begins_at) {
            self.printer.separator(ctx, grep).await?;
        }
        if is_numbered {
            self.count_to(block, first, eol);
        }
        let mut number = self.lines - if is_numbered { old_taken } else { 0 };
        let mut at = first_old;
        while at < history.len() {
            ctx.tick().await?;
            let next = line_end(&history, at, eol);
            number += 1;
            let body = history.get(at..next).unwrap_or(&[]);
            let body = body.strip_suffix(&[eol]).unwrap_or(body);
            let line = Line { body, number, offset: history_base + at as u64, is_selected: false };
            self.print_line(ctx, grep, line).await?;
            at = next;
        }
        self.history = history;
        let mut at = first;
        while at < start {
            ctx.tick().await?;
            let next = line_end(block, at, eol);
            self.print(ctx, grep, block, (at, next), false).await?;
            at = next;
        }
        Ok(())
    }

    async fn print(
        &mut self,
        ctx: &mut Context,
        grep: &mut Grep,
        block: &[u8],
        (start, end): Span,
        is_selected: bool,
    ) -> Result<(), UtilityError> {
        if grep.settings.line_number {
            self.count_to(block, start, grep.settings.eol);
        }
        let line = block.get(start..end).unwrap_or(&[]);
        let body = line.strip_suffix(&[grep.settings.eol]).unwrap_or(line);
        let line = Line { body, number: self.lines + 1, offset: self.base + start as u64, is_selected };
        self.print_line(ctx, grep, line).await?;
        self.printed_to = Some(self.base + end as u64);
        Ok(())
    }

    async fn print_line(
        &mut self,
        ctx: &mut Context,
        grep: &mut Grep,
        line: Line<'_>,
    ) -> Result<(), UtilityError> {
        grep.has_printed = true;
        let may_hide = grep.settings.binary != Binary::Text;
        if may_hide && !grep.settings.only_matching && std::str::from_utf8(line.body).is_err() {
            self.has_hidden = true;
            return Ok(());
        }
        self.has_hidden |= self.printer.line(ctx, grep, line).await?;
        Ok(())
    }

    /// Brings the number of lines up to a place in the block.
    fn count_to(&mut self, block: &[u8], place: usize, eol: u8) {
        if place > self.counted {
            self.lines += count_lines(block.get(self.counted..place).unwrap_or(&[]), eol);
            self.counted = place;
        }
    }

    /// Keeps of a block what the next one needs.
    fn leave(&mut self, grep: &Grep, block: &[u8]) {
        let eol = grep.settings.eol;
        if grep.settings.line_number {
            self.count_to(block, block.len(), eol);
        }
        self.base += block.len() as u64;
        let before = grep.settings.before.unwrap_or(0);
        if before == 0 || grep.settings.report != Report::Lines {
            return;
        }
        let (from, taken) = last_lines(block, before, eol);
        if taken == before {
            self.history.clear();
            self.history_lines = 0;
        }
        self.history.extend_from_slice(block.get(from..).unwrap_or(&[]));
        self.history_lines += taken;
        if self.history_lines > before.saturating_mul(2) {
            let (from, taken) = last_lines(&self.history, before, eol);
            self.history.remove_front(from);
            self.history_lines = taken;
        }
    }
}

fn count_lines(text: &[u8], eol: u8) -> u64 {
    let ends = memchr::memchr_iter(eol, text).count() as u64;
    ends + u64::from(text.last().is_some_and(|&last| last != eol))
}

/// Where the last `count` lines of a text begin, and how many there are.
fn last_lines(text: &[u8], count: u64, eol: u8) -> (usize, u64) {
    let mut start = text.len();
    let mut taken = 0;
    while taken < count && start > 0 {
        let before = text.get(..start - 1).unwrap_or(&[]);
        start = memchr::memrchr(eol, before).map_or(0, |found| found + 1);
        taken += 1;
    }
    (start, taken)
}
