//! Sorts records by their summaries, and groups of equal ones by what comes next, level by level.
//!
//! A level is a key, or the bytes of the line, at a depth that is a multiple of what a summary holds of them. A group gets
//! the summaries of its level; many records are distributed by the first bits in which their summaries differ, few are
//! sorted by the standard library. Records with equal summaries are a group of the next level. What every line of a group
//! begins with is skipped at once, so that all levels together look at each byte a few times at most. The groups that are
//! still to be sorted are kept in a list: nothing recurses.
//!
//! Equal records keep their order, which is that of their places in the text. Keys whose summaries do not tell enough (long
//! numbers, versions) are left to the merge sort.

use super::compare::{SUMMARY_BYTES, is_exact, seven_and_length, summary};
use super::key::Kind;
use super::order::{LONG, Line, Order, PORTION, merge_sort};
use crate::limit::{LimitError, Meter};
use crate::memory::{Vec, vec};
use crate::utility::context::pace::tick_bytes;
use crate::utility::prelude::*;

/// What orders the records of a group that are equal in what comes before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Level {
    /// The key of this number, from this byte of it on.
    Key(usize, usize),
    /// The bytes of the line from this one on.
    Bytes(usize),
}

/// Records `start..end` are to be sorted.
#[derive(Clone, Copy, Debug)]
struct Group {
    start: usize,
    end: usize,
    level: Level,
    /// They have the summaries of the level.
    is_summarized: bool,
}

/// Groups of at most so many records are sorted by comparing their lines.
const FEW: usize = 20;
/// Groups of at most so many records are sorted in one go.
const RUN: usize = 4096;
/// Bits of a summary by which records are distributed.
const DIGIT: u32 = 10;
/// Records between two checks.
const STRETCH: usize = 2048;
/// Lines from this length on are not looked through for a key once more for each few bytes of it.
const LONG_FOR_KEYS: usize = 512;

/// Sorts all records.
pub(super) async fn sort(
    ctx: &mut Context,
    order: &Order<'_>,
    lines: &mut Vec<Line>,
) -> Result<(), LimitError> {
    let mut other = Vec::new();
    if lines.len() > FEW {
        other.resize(lines.len(), Line::default());
    }
    let level = if order.settings.keys.is_empty() { Level::Bytes(0) } else { Level::Key(0, 0) };
    let mut groups = vec![Group { start: 0, end: lines.len(), level, is_summarized: false }];
    while let Some(group) = groups.pop() {
        let Some(records) = lines.get_mut(group.start..group.end) else { break };
        if records.len() <= FEW && !group.is_summarized && sort_few(order, group.level, records) {
            ctx.tick_many(records.len() as u32);
            ctx.check().await?;
            continue;
        }
        let spare = other.get_mut(group.start..group.end).unwrap_or_default();
        let level = if group.is_summarized {
            group.level
        } else if needs_comparison(ctx, order, group.level, records).await? {
            if spare.len() == records.len() {
                merge_sort(ctx, order, group.level, records, spare).await?;
            } else {
                let mut spare = vec![Line::default(); records.len()];
                merge_sort(ctx, order, group.level, records, &mut spare).await?;
            }
            continue;
        } else {
            summarize(ctx, order, group.level, records).await?
        };
        let differing = differing_bits(ctx, records).await?;
        if differing == 0 {
            let next = records.first().and_then(|line| order.next_level(level, line.summary));
            groups.extend(next.map(|level| Group { level, is_summarized: false, ..group }));
        } else if records.len() <= RUN || spare.len() != records.len() {
            // What is equal keeps its order by its place.
            records.sort_unstable_by_key(|line| (line.summary, line.start));
            ctx.tick_many(records.len() as u32 / 2);
            ctx.check().await?;
            add_equal(order, level, group.start, records, &mut groups);
        } else {
            let shift = (u64::BITS - differing.leading_zeros()).saturating_sub(DIGIT);
            distribute(ctx, Group { level, ..group }, shift, records, spare, &mut groups).await?;
        }
    }
    Ok(())
}

/// Whether more summaries would not order records, or with too much work.
async fn needs_comparison(
    ctx: &mut Context,
    order: &Order<'_>,
    level: Level,
    records: &[Line],
) -> Result<bool, LimitError> {
    let Level::Key(index, 1..) = level else { return Ok(false) };
    let Some(key) = order.settings.keys.get(index) else { return Ok(false) };
    if key.ordering.kind() != Kind::Bytes || key.ordering.transforms() {
        return Ok(true);
    }
    for stretch in records.chunks(STRETCH) {
        if stretch.iter().any(|line| line.length >= LONG_FOR_KEYS) {
            return Ok(true);
        }
        ctx.tick_many(1 + stretch.len() as u32 / 64);
        ctx.check().await?;
    }
    Ok(false)
}

/// Sorts a few records, if their lines are not long.
fn sort_few(order: &Order<'_>, level: Level, records: &mut [Line]) -> bool {
    let is_short = records.iter().all(|line| line.length < LONG);
    if is_short {
        #[expect(clippy::disallowed_methods, reason = "they are few")]
        records.sort_by(|one, two| order.compare_at(level, one, two));
    }
    is_short
}

/// Gives records the summaries of a level; bytes that all of them have are skipped, so that the level may be a deeper one.
async fn summarize(
    ctx: &mut Context,
    order: &Order<'_>,
    mut level: Level,
    records: &mut [Line],
) -> Result<Level, LimitError> {
    if let Level::Bytes(depth) = level {
        level = Level::Bytes(depth + common_bytes(ctx, order, depth, records).await?);
    }
    for stretch in records.chunks_mut(STRETCH / 4) {
        let mut bytes = 0;
        for line in stretch.iter_mut() {
            line.summary = order.summary(level, line);
            bytes += if matches!(level, Level::Key(..)) { line.length } else { 0 };
        }
        ctx.tick_many(1 + stretch.len() as u32 / 4);
        tick_bytes(&ctx.meter, bytes).await?;
        ctx.check().await?;
    }
    Ok(level)
}

/// How many bytes all lines have in common from `depth` on.
async fn common_bytes(
    ctx: &mut Context,
    order: &Order<'_>,
    depth: usize,
    records: &[Line],
) -> Result<usize, LimitError> {
    let rest = |line: &Line| order.line(line).get(depth..).unwrap_or(&[]);
    let Some((first, others)) = records.split_first() else { return Ok(0) };
    let mut common = rest(first);
    for stretch in others.chunks(STRETCH) {
        for line in stretch {
            let line = rest(line);
            if !line.starts_with(common) || common.len() >= LONG {
                let length = common_length(&ctx.meter, common, line).await?;
                common = common.get(..length).unwrap_or(common);
            }
            if common.is_empty() {
                return Ok(0);
            }
        }
        tick_bytes(&ctx.meter, stretch.len() * (16 + common.len())).await?;
    }
    Ok(common.len())
}

/// How many bytes two texts have in common.
async fn common_length(meter: &Meter, one: &[u8], two: &[u8]) -> Result<usize, LimitError> {
    let mut passed = 0;
    for (left, right) in one.chunks(PORTION / 4).zip(two.chunks(PORTION / 4)) {
        if left != right {
            let differs = left.iter().zip(right).position(|(left, right)| left != right);
            return Ok(passed + differs.unwrap_or(left.len().min(right.len())));
        }
        passed += left.len();
        tick_bytes(meter, left.len() / 4).await?;
    }
    Ok(passed)
}

/// The bits in which some summaries differ.
async fn differing_bits(ctx: &mut Context, records: &[Line]) -> Result<u64, LimitError> {
    let Some(first) = records.first() else { return Ok(0) };
    let mut differing = 0;
    for stretch in records.chunks(STRETCH) {
        differing = stretch.iter().fold(differing, |bits, line| bits | (line.summary ^ first.summary));
        ctx.tick_many(1 + stretch.len() as u32 / 64);
        ctx.check().await?;
    }
    Ok(differing)
}

/// Adds the groups of equal summaries among sorted records, which begin at `start`.
fn add_equal(order: &Order<'_>, level: Level, start: usize, records: &[Line], groups: &mut Vec<Group>) {
    let mut at = start;
    for equal in records.chunk_by(|one, two| one.summary == two.summary) {
        let end = at + equal.len();
        if let [first, _, ..] = equal
            && let Some(level) = order.next_level(level, first.summary)
        {
            groups.push(Group { start: at, end, level, is_summarized: false });
        }
        at = end;
    }
}

/// Distributes records by the bits of their summaries from `shift` on, above which all are equal.
async fn distribute(
    ctx: &mut Context,
    group: Group,
    shift: u32,
    records: &mut [Line],
    spare: &mut [Line],
    groups: &mut Vec<Group>,
) -> Result<(), LimitError> {
    const DIGITS: usize = 1 << DIGIT;
    let digit = |line: &Line| (line.summary >> shift) as usize % DIGITS;
    let mut places = vec![0_usize; DIGITS];
    for stretch in records.chunks(STRETCH) {
        for line in stretch {
            if let Some(count) = places.get_mut(digit(line)) {
                *count += 1;
            }
        }
        ctx.tick_many(1 + stretch.len() as u32 / 32);
        ctx.check().await?;
    }
    let mut start = 0;
    for place in &mut places {
        let count = std::mem::replace(place, start);
        if count > 1 {
            let begin = group.start + start;
            groups.push(Group { start: begin, end: begin + count, is_summarized: true, ..group });
        }
        start += count;
    }
    for stretch in records.chunks(STRETCH) {
        for line in stretch {
            if let Some(place) = places.get_mut(digit(line)) {
                if let Some(slot) = spare.get_mut(*place) {
                    *slot = *line;
                }
                *place += 1;
            }
        }
        ctx.tick_many(1 + stretch.len() as u32 / 16);
        ctx.check().await?;
    }
    for (sorted, place) in spare.chunks(STRETCH).zip(records.chunks_mut(STRETCH)) {
        place.copy_from_slice(sorted);
        ctx.tick_many(1 + sorted.len() as u32 / 32);
        ctx.check().await?;
    }
    Ok(())
}

impl Order<'_> {
    /// The summary of a line at a level, with its direction.
    fn summary(&self, level: Level, line: &Line) -> u64 {
        let text = self.line(line);
        let (value, is_reversed) = match level {
            Level::Bytes(depth) => {
                (seven_and_length(text.get(depth..).unwrap_or(&[])), self.settings.reverse)
            }
            Level::Key(index, depth) => match self.settings.keys.get(index) {
                None => (0, false),
                Some(key) => {
                    let found = key.find(text, self.settings.tab);
                    let found = found.get(depth..).unwrap_or(&[]);
                    (summary(key.ordering, self.settings.seed, found), key.ordering.reverse)
                }
            },
        };
        if is_reversed { !value } else { value }
    }

    /// The level that orders records whose summaries are all this one; `None`: nothing does.
    fn next_level(&self, level: Level, summary: u64) -> Option<Level> {
        match level {
            Level::Bytes(depth) => {
                let summary = if self.settings.reverse { !summary } else { summary };
                (summary & 0xff > SUMMARY_BYTES as u64).then_some(Level::Bytes(depth + SUMMARY_BYTES))
            }
            Level::Key(index, depth) => {
                let key = self.settings.keys.get(index)?;
                let summary = if key.ordering.reverse { !summary } else { summary };
                if !is_exact(key.ordering, summary) {
                    return Some(Level::Key(index, depth + SUMMARY_BYTES));
                }
                if index + 1 < self.settings.keys.len() {
                    return Some(Level::Key(index + 1, 0));
                }
                (!self.settings.stable).then_some(Level::Bytes(0))
            }
        }
    }
}
