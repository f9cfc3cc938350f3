//! Texts as lines, and the runs of lines that differ, as git finds them: common ends are cut off, lines that the other file
//! does not have or has very often are left out of the search, and the runs are moved afterwards.

use super::script::{self, rough_root};
use super::slide::{Lines, settle};
use crate::limit::LimitError;
use crate::memory::{HashMap, Vec, vec};
use crate::utility::Context;
use crate::utility::context::pace::tick_bytes;
use std::hash::RandomState;

/// What is ignored when lines are compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Blanks {
    pub(crate) all: bool,
    pub(crate) change: bool,
    pub(crate) trailing: bool,
    pub(crate) carriage_return: bool,
    /// Runs of blank lines alone do not count.
    pub(crate) lines: bool,
    /// The indents of lines do not tell where a run that can be moved lies.
    pub(crate) keeps_places: bool,
}

impl Blanks {
    const fn are_ignored(self) -> bool {
        self.all || self.change || self.trailing || self.carriage_return
    }
}

/// A text and where its lines begin.
#[derive(Clone, Debug, Default)]
pub(crate) struct File {
    pub(crate) text: Vec<u8>,
    starts: Vec<usize>,
}

/// A run of lines that differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Run {
    pub(crate) left: usize,
    pub(crate) deleted: usize,
    pub(crate) right: usize,
    pub(crate) inserted: usize,
}

impl File {
    pub(crate) async fn new(ctx: &mut Context, text: Vec<u8>) -> Result<Self, LimitError> {
        let mut starts = Vec::new();
        starts.push(0);
        for end in memchr::memchr_iter(b'\n', &text) {
            starts.push(end + 1);
            ctx.tick().await?;
        }
        if starts.last() != Some(&text.len()) {
            starts.push(text.len());
        }
        Ok(Self { text, starts })
    }

    pub(crate) fn count(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// Cuts off what both files end with, in blocks, up to the end of a line: a comparison without context does not look at
    /// it, so that no run is moved into it. How many lines that were.
    pub(crate) fn cut_common_tail(one: &mut Self, other: &mut Self) -> usize {
        let blocks = one.text.rchunks(TAIL_BLOCK).zip(other.text.rchunks(TAIL_BLOCK));
        let same = blocks.take_while(|(left, right)| left.len() == TAIL_BLOCK && left == right).count();
        let start = one.text.len() - same * TAIL_BLOCK;
        let tail = one.text.get(start..).unwrap_or(&[]);
        let Some(newline) = memchr::memchr(b'\n', tail) else { return 0 };
        let cut = tail.len() - newline - 1;
        let mut lines = 0;
        for file in [one, other] {
            let length = file.text.len() - cut;
            let kept = file.starts.partition_point(|start| *start < length);
            lines = file.starts.len().saturating_sub(kept + 1);
            file.text.truncate(length);
            file.starts.truncate(kept);
            file.starts.push(length);
        }
        lines
    }

    /// A line with its newline.
    pub(crate) fn line(&self, index: usize) -> &[u8] {
        match (self.starts.get(index), self.starts.get(index + 1)) {
            (Some(&start), Some(&end)) => self.text.get(start..end).unwrap_or(&[]),
            _ => &[],
        }
    }
}

/// A common end of two files is looked for in blocks of so many bytes.
const TAIL_BLOCK: usize = 1024;

/// Bytes at the start of a file that tell whether it is binary.
const FIRST_BYTES: usize = 8000;

pub(crate) fn is_binary(text: &[u8]) -> bool {
    memchr::memchr(0, text.get(..FIRST_BYTES).unwrap_or(text)).is_some()
}

/// What of a line is compared.
fn normalised(line: &[u8], blanks: Blanks) -> Vec<u8> {
    let mut body = line;
    if blanks.carriage_return && !blanks.trailing {
        body = body.strip_suffix(b"\r\n").or_else(|| body.strip_suffix(b"\n")).unwrap_or(body);
    } else {
        body = body.trim_ascii_end();
    }
    let mut out = Vec::with_capacity(body.len());
    let mut in_blanks = false;
    for &byte in body {
        let is_blank = byte.is_ascii_whitespace() || byte == 0x0b;
        if is_blank && (blanks.all || (blanks.change && in_blanks)) {
            in_blanks = true;
            continue;
        }
        in_blanks = is_blank;
        out.push(if is_blank && blanks.change { b' ' } else { byte });
    }
    out
}

/// The lines of both files as numbers, and how often each occurs in each.
async fn number(
    ctx: &mut Context,
    files: [&File; 2],
    blanks: Blanks,
) -> Result<([Vec<u32>; 2], Vec<[u32; 2]>), LimitError> {
    let mut counts: Vec<[u32; 2]> = Vec::new();
    let mut numbers = [Vec::new(), Vec::new()];
    // The randomly keyed hasher of the standard library: no input can make its table slow.
    let mut shared: HashMap<&[u8], u32, RandomState> = HashMap::default();
    let mut owned: HashMap<Vec<u8>, u32, RandomState> = HashMap::default();
    for (side, (file, numbers)) in files.into_iter().zip(&mut numbers).enumerate() {
        for index in 0..file.count() {
            let line = file.line(index);
            tick_bytes(&ctx.meter, line.len() + 16).await?;
            let fresh = counts.len() as u32;
            let number = if blanks.are_ignored() {
                let key = normalised(line, blanks);
                let known = owned.get(&key).copied();
                known.unwrap_or_else(|| {
                    owned.insert(key, fresh);
                    fresh
                })
            } else {
                let known = shared.get(line).copied();
                known.unwrap_or_else(|| {
                    shared.insert(line, fresh);
                    fresh
                })
            };
            if number == fresh {
                counts.push([0, 0]);
            }
            if let Some(count) = counts.get_mut(number as usize).and_then(|counts| counts.get_mut(side)) {
                *count += 1;
            }
            numbers.push(number);
        }
    }
    Ok((numbers, counts))
}

/// How a line takes part in the search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Alone,
    Some,
    Often,
}

/// Lines that are looked at around one that occurs often.
const WINDOW: usize = 100;

/// Whether a line that occurs often stands among lines that the other file does not have.
fn is_lost(parts: &[Part], at: usize) -> bool {
    let count = |places: &mut dyn Iterator<Item = &Part>| {
        let (mut alone, mut often) = (0_usize, 1_usize);
        for part in places.take(WINDOW) {
            match part {
                Part::Alone => alone += 1,
                Part::Often => often += 1,
                Part::Some => break,
            }
        }
        (alone, often)
    };
    let before = count(&mut parts.get(..at).unwrap_or(&[]).iter().rev());
    if before.0 == 0 {
        return false;
    }
    let after = count(&mut parts.get(at + 1..).unwrap_or(&[]).iter());
    if after.0 == 0 {
        return false;
    }
    let (alone, often) = (before.0 + after.0, before.1 + after.1);
    often * 4 < often + alone
}

/// The runs of lines that differ.
pub(crate) async fn runs(
    ctx: &mut Context,
    left: &File,
    right: &File,
    blanks: Blanks,
    is_minimal: bool,
) -> Result<Vec<Run>, LimitError> {
    let ([lefts, rights], counts) = number(ctx, [left, right], blanks).await?;
    let most = lefts.len().min(rights.len());
    let front = lefts.iter().zip(rights.iter()).take_while(|(one, other)| one == other).count();
    let pairs = lefts.iter().rev().zip(rights.iter().rev()).take(most - front);
    let back = pairs.take_while(|(one, other)| one == other).count();
    let mut changed = [vec![false; lefts.len()], vec![false; rights.len()]];
    let mut kept: [Vec<u32>; 2] = [Vec::new(), Vec::new()];
    let mut places: [Vec<usize>; 2] = [Vec::new(), Vec::new()];
    let sides = [&lefts, &rights].into_iter().zip(&mut changed).zip(kept.iter_mut().zip(&mut places));
    for (side, ((numbers, flags), (kept, places))) in sides.enumerate() {
        let often = rough_root(numbers.len()).min(1024) as u32;
        let middle = numbers.get(front..numbers.len() - back).unwrap_or(&[]);
        let part = |number: &u32| {
            let count =
                counts.get(*number as usize).and_then(|counts| counts.get(1 - side)).copied().unwrap_or(0);
            match count {
                0 => Part::Alone,
                _ if count >= often && !is_minimal => Part::Often,
                _ => Part::Some,
            }
        };
        let parts: Vec<Part> = middle.iter().map(part).collect();
        for (at, (number, part)) in middle.iter().zip(parts.iter()).enumerate() {
            ctx.tick().await?;
            if *part == Part::Some || (*part == Part::Often && !is_lost(&parts, at)) {
                kept.push(*number);
                places.push(front + at);
            } else if let Some(flag) = flags.get_mut(front + at) {
                *flag = true;
            }
        }
    }
    let [kept_left, kept_right] = &kept;
    let found = script::compare(ctx, kept_left, kept_right, is_minimal).await?;
    for ((flags, found), places) in changed.iter_mut().zip(&found).zip(&places) {
        for (place, _) in places.iter().zip(found.iter()).filter(|(_, is_changed)| **is_changed) {
            if let Some(flag) = flags.get_mut(*place) {
                *flag = true;
            }
        }
    }
    let [mut left_changed, mut right_changed] = changed;
    let (left_line, right_line) = (|index: usize| left.line(index), |index: usize| right.line(index));
    let by_indents = !blanks.keeps_places;
    let lines = Lines { numbers: &lefts, line: &left_line, by_indents };
    settle(ctx, &lines, &mut left_changed, &right_changed).await?;
    let lines = Lines { numbers: &rights, line: &right_line, by_indents };
    settle(ctx, &lines, &mut right_changed, &left_changed).await?;
    collect(ctx, [left, right], [&left_changed, &right_changed], blanks).await
}

async fn collect(
    ctx: &mut Context,
    [left, right]: [&File; 2],
    [lefts, rights]: [&[bool]; 2],
    blanks: Blanks,
) -> Result<Vec<Run>, LimitError> {
    let length = |flags: &[bool], from: usize| {
        flags.get(from..).unwrap_or(&[]).iter().take_while(|flag| **flag).count()
    };
    let mut runs = Vec::new();
    let (mut x, mut y) = (0, 0);
    while x < lefts.len() || y < rights.len() {
        ctx.tick().await?;
        let (deleted, inserted) = (length(lefts, x), length(rights, y));
        if deleted + inserted > 0 {
            let run = Run { left: x, deleted, right: y, inserted };
            // Without blanks that are ignored a line is blank when it has a byte at most, as git takes it.
            let is_blank = |line: &[u8]| {
                if blanks.are_ignored() { line.trim_ascii().is_empty() } else { line.len() <= 1 }
            };
            let only_blanks = blanks.lines
                && (x..x + deleted).all(|index| is_blank(left.line(index)))
                && (y..y + inserted).all(|index| is_blank(right.line(index)));
            if !only_blanks {
                runs.push(run);
            }
        }
        x += deleted + 1;
        y += inserted + 1;
    }
    Ok(runs)
}
