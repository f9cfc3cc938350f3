//! The records of lines, their order, and a merge sort that gives the executor back now and then.
//!
//! Runs of at most 1024 records (or 64 KiB of text) are sorted with the standard library's stable sort; then neighbouring
//! runs are merged until one is left. Two runs that are in order already are copied. `sort/distribute.rs` leaves to it what
//! the summaries of records cannot order.

use super::compare::{compare, compare_slowly, first_eight, summary};
use super::distribute::Level;
use super::settings::SortOptions;
use crate::limit::{LimitError, Meter};
use crate::memory::Vec;
use crate::utility::context::pace;
use crate::utility::prelude::*;
use std::cmp::Ordering;

/// A line: where it is, and the summary of what orders it next.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Line {
    pub(super) summary: u64,
    pub(super) start: usize,
    /// Without the delimiter.
    pub(super) length: usize,
}

/// Compares records over the text that they point into.
pub(super) struct Order<'t> {
    pub(super) settings: &'t SortOptions,
    text: &'t [u8],
}

impl<'t> Order<'t> {
    pub(super) fn new(settings: &'t SortOptions, text: &'t [u8]) -> Self {
        Self { settings, text }
    }

    pub(super) fn line(&self, line: &Line) -> &'t [u8] {
        self.text.get(line.start..line.start + line.length).unwrap_or(&[])
    }

    pub(super) fn with_delimiter(&self, line: &Line) -> &'t [u8] {
        self.text.get(line.start..line.start + line.length + 1).unwrap_or(&[])
    }

    /// Compares records that are equal up to `level`.
    pub(super) fn compare_at(&self, level: Level, one: &Line, two: &Line) -> Ordering {
        match level {
            Level::Key(index, _) => compare_from(self.settings, index, self.line(one), self.line(two)),
            Level::Bytes(depth) => {
                let rest = |line| self.line(line).get(depth..).unwrap_or(&[]);
                let order = rest(one).cmp(rest(two));
                if self.settings.reverse { order.reverse() } else { order }
            }
        }
    }

    /// As `compare_at`; long lines in stretches between which others run.
    async fn compare_paced(
        &self,
        meter: &Meter,
        level: Level,
        one: &Line,
        two: &Line,
    ) -> Result<Ordering, LimitError> {
        match level {
            Level::Key(index, _) if is_long(one, two) => {
                compare_from_paced(meter, self.settings, index, self.line(one), self.line(two)).await
            }
            _ => Ok(self.compare_at(level, one, two)),
        }
    }

    /// What comparing a line may cost, in nanoseconds or so.
    fn cost(line: &Line) -> usize {
        8 + line.length / 16
    }
}

/// The summary that orders lines before anything else is looked at.
pub(super) fn line_summary(settings: &SortOptions, line: &[u8]) -> u64 {
    let (summary, reverse) = match settings.keys.first() {
        None => (first_eight(line), settings.reverse),
        Some(key) => {
            let found = key.find(line, settings.tab);
            (summary(key.ordering, settings.seed, found), key.ordering.reverse)
        }
    };
    if reverse { !summary } else { summary }
}

/// Compares by the keys and then, as a last resort, by all bytes.
pub(super) fn compare_lines(settings: &SortOptions, one: &[u8], two: &[u8]) -> Ordering {
    compare_from(settings, 0, one, two)
}

/// As [`compare_lines`], without the first `skipped` keys.
fn compare_from(settings: &SortOptions, skipped: usize, one: &[u8], two: &[u8]) -> Ordering {
    for key in settings.keys.iter().skip(skipped) {
        let (left, right) = (key.find(one, settings.tab), key.find(two, settings.tab));
        let order = compare(key.ordering, settings.seed, left, right);
        if order.is_ne() {
            return if key.ordering.reverse { order.reverse() } else { order };
        }
    }
    if !settings.keys.is_empty() && settings.stable {
        return Ordering::Equal;
    }
    let order = one.cmp(two);
    if settings.reverse { order.reverse() } else { order }
}

/// Bytes from which on a line is long: it is compared in stretches.
pub(super) const LONG: usize = 16 << 10;

fn is_long(one: &Line, two: &Line) -> bool {
    one.length.min(two.length) >= LONG
}

/// As [`compare_lines`]; long lines in stretches between which others run.
pub(super) async fn compare_lines_paced(
    meter: &Meter,
    settings: &SortOptions,
    one: &[u8],
    two: &[u8],
) -> Result<Ordering, LimitError> {
    if one.len().min(two.len()) < LONG {
        return Ok(compare_lines(settings, one, two));
    }
    compare_from_paced(meter, settings, 0, one, two).await
}

async fn compare_from_paced(
    meter: &Meter,
    settings: &SortOptions,
    skipped: usize,
    one: &[u8],
    two: &[u8],
) -> Result<Ordering, LimitError> {
    for key in settings.keys.iter().skip(skipped) {
        let (left, right) = (key.find(one, settings.tab), key.find(two, settings.tab));
        let order = compare_slowly(meter, key.ordering, settings.seed, left, right).await?;
        if order.is_ne() {
            return Ok(if key.ordering.reverse { order.reverse() } else { order });
        }
    }
    if !settings.keys.is_empty() && settings.stable {
        return Ok(Ordering::Equal);
    }
    let order = pace::compare(meter, one, two).await?;
    Ok(if settings.reverse { order.reverse() } else { order })
}

/// Makes a record for each line, without its summary.
pub(super) async fn index(
    ctx: &mut Context,
    settings: &SortOptions,
    text: &[u8],
) -> Result<Vec<Line>, LimitError> {
    let mut lines = Vec::new();
    let mut start = 0;
    let mut work = 0;
    for end in memchr::memchr_iter(settings.delimiter, text) {
        let length = end - start;
        lines.push(Line { summary: 0, start, length });
        start = end + 1;
        work += 16 + length / 8;
        if work > PORTION {
            work = 0;
            ctx.check().await?;
        }
    }
    Ok(lines)
}

/// Work between two checks, in units of about a nanosecond.
pub(super) const PORTION: usize = 64 * 1024;
/// Most records of a run that is sorted in one go.
const RUN: usize = 1024;

/// Sorts records that are equal up to `level`; equal ones keep their order. `other` is as long as they are.
pub(super) async fn merge_sort(
    ctx: &mut Context,
    order: &Order<'_>,
    level: Level,
    lines: &mut [Line],
    other: &mut [Line],
) -> Result<(), LimitError> {
    let mut ends = Vec::new();
    let mut start = 0;
    while start < lines.len() {
        let rest = lines.get_mut(start..).unwrap_or_default();
        let mut bytes = 0;
        let length = rest
            .iter()
            .take(RUN)
            .take_while(|line| {
                // A long line is a run of its own.
                let fits = bytes == 0 || bytes < PORTION && line.length < LONG;
                bytes += if line.length < LONG { line.length } else { PORTION };
                fits
            })
            .count();
        if let Some(run) = rest.get_mut(..length) {
            #[expect(clippy::disallowed_methods, reason = "a run is short")]
            run.sort_by(|one, two| order.compare_at(level, one, two));
        }
        start += length;
        ends.push(start);
        ctx.tick_many(length as u32 * 8);
        ctx.check().await?;
    }
    let (mut from, mut to) = (lines, other);
    let mut is_swapped = false;
    while ends.len() > 1 {
        merge_pairs(ctx, order, level, from, to, &mut ends).await?;
        std::mem::swap(&mut from, &mut to);
        is_swapped = !is_swapped;
    }
    if is_swapped {
        for (sorted, place) in from.chunks(PORTION / 16).zip(to.chunks_mut(PORTION / 16)) {
            if sorted.len() == place.len() {
                place.copy_from_slice(sorted);
            }
            ctx.tick_many(sorted.len() as u32 / 8);
            ctx.check().await?;
        }
    }
    Ok(())
}

/// Merges each two neighbouring runs of `from` into one of `to`. `ends` has the end of each run.
async fn merge_pairs(
    ctx: &mut Context,
    order: &Order<'_>,
    level: Level,
    from: &[Line],
    to: &mut [Line],
    ends: &mut Vec<usize>,
) -> Result<(), LimitError> {
    let mut start = 0;
    let mut kept = 0;
    for pair in (0..ends.len()).step_by(2) {
        let Some(&middle) = ends.get(pair) else { break };
        let end = ends.get(pair + 1).copied().unwrap_or(middle);
        let (Some(left), Some(right), Some(target)) =
            (from.get(start..middle), from.get(middle..end), to.get_mut(start..end))
        else {
            break;
        };
        merge(ctx, order, level, left, right, target).await?;
        if let Some(slot) = ends.get_mut(kept) {
            *slot = end;
        }
        kept += 1;
        start = end;
    }
    ends.truncate(kept);
    Ok(())
}

async fn merge(
    ctx: &mut Context,
    order: &Order<'_>,
    level: Level,
    mut left: &[Line],
    mut right: &[Line],
    mut target: &mut [Line],
) -> Result<(), LimitError> {
    let in_order = match (left.last(), right.first()) {
        (Some(last), Some(first)) => order.compare_paced(&ctx.meter, level, last, first).await?.is_le(),
        _ => true,
    };
    while !in_order && !left.is_empty() && !right.is_empty() {
        let mut work = 0;
        while let ([one, left_rest @ ..], [two, right_rest @ ..], true) = (left, right, work < PORTION) {
            if is_long(one, two) {
                break;
            }
            work += Order::cost(one).min(Order::cost(two));
            let take_left = order.compare_at(level, one, two).is_le();
            work += 8;
            let Some((slot, rest)) = std::mem::take(&mut target).split_first_mut() else { break };
            target = rest;
            if take_left {
                *slot = *one;
                left = left_rest;
            } else {
                *slot = *two;
                right = right_rest;
            }
        }
        ctx.tick_many((work / 16) as u32);
        ctx.check().await?;
        if let ([one, left_rest @ ..], [two, right_rest @ ..]) = (left, right)
            && is_long(one, two)
        {
            let take_left = order.compare_paced(&ctx.meter, level, one, two).await?.is_le();
            let Some((slot, rest)) = std::mem::take(&mut target).split_first_mut() else { break };
            target = rest;
            if take_left {
                *slot = *one;
                left = left_rest;
            } else {
                *slot = *two;
                right = right_rest;
            }
        }
    }
    // At most one of the two is left, or they follow each other.
    let (first, second) = target.split_at_mut_checked(left.len()).unwrap_or_default();
    if first.len() == left.len() && second.len() == right.len() {
        first.copy_from_slice(left);
        second.copy_from_slice(right);
    }
    Ok(())
}
