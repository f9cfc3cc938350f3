//! Which elements of two sequences differ. E. Myers, "An O(ND) Difference Algorithm and Its Variations", 1986: the middle
//! of a shortest edit path is searched from both ends, and the two halves are done likewise (with a list, not by
//! recursion). A search that takes very long is cut short at the furthest point that was reached: the result is still
//! right, only not the shortest. All work is counted, so that the run's limits end it.
//!
//! Lines that the other file does not have, or has too often among such, are taken out first (`discard.rs`), and runs of
//! changed lines are moved afterwards, so that they end as late as possible and meet the other file's runs.

use super::discard;
use super::lines::Search;
use crate::limit::LimitError;
use crate::memory::Vec;
use crate::utility::prelude::*;

/// Equal lines that make a run a long one.
const LONG_RUN: isize = 20;

/// Edit steps after which a search is cut short, at least.
const LONG_SEARCH: usize = 4096;

/// Which elements of each sequence are changed.
pub(super) async fn compare(
    ctx: &mut Context,
    left: &[u32],
    right: &[u32],
    search: Search,
) -> Result<(Vec<bool>, Vec<bool>), LimitError> {
    let mut changed = [Vec::new(), Vec::new()];
    let mut kept = [Vec::new(), Vec::new()];
    let mut places = [Vec::new(), Vec::new()];
    let counts = [counts(left), counts(right)];
    for (side, sequence) in [left, right].into_iter().enumerate() {
        let (Some(changed), Some(kept), Some(places), Some(others)) =
            (changed.get_mut(side), kept.get_mut(side), places.get_mut(side), counts.get(1 - side))
        else {
            continue;
        };
        changed.resize(sequence.len(), false);
        let unlikely = discard::unlikely(ctx, sequence, others).await?;
        for (place, (number, flag)) in sequence.iter().zip(changed.iter_mut()).enumerate() {
            if search.minimal || !unlikely.get(place).copied().unwrap_or(false) {
                kept.push(*number);
                places.push(place);
            } else {
                *flag = true;
            }
            ctx.tick().await?;
        }
    }
    let [kept_left, kept_right] = &kept;
    let mut search = MyersSearch::new(kept_left, kept_right, search);
    search.run(ctx).await?;
    let flags = [search.left_changed, search.right_changed];
    for ((changed, flags), places) in changed.iter_mut().zip(&flags).zip(&places) {
        for (place, flag) in places.iter().zip(flags.iter()) {
            if *flag && let Some(slot) = changed.get_mut(*place) {
                *slot = true;
            }
            ctx.tick().await?;
        }
    }
    let [mut left_changed, mut right_changed] = changed;
    shift(ctx, left, &mut left_changed, &right_changed).await?;
    shift(ctx, right, &mut right_changed, &left_changed).await?;
    Ok((left_changed, right_changed))
}

/// How often each number occurs.
fn counts(sequence: &[u32]) -> Vec<u32> {
    let mut counts = Vec::new();
    counts.resize(sequence.iter().max().map_or(0, |most| *most as usize + 1), 0_u32);
    for number in sequence {
        if let Some(slot) = counts.get_mut(*number as usize) {
            *slot = slot.saturating_add(1);
        }
    }
    counts
}

/// A part of both sequences: `[x0, x1)` and `[y0, y1)`.
#[derive(Clone, Copy, Debug)]
struct Part {
    x0: isize,
    x1: isize,
    y0: isize,
    y1: isize,
}

struct MyersSearch<'s> {
    left: &'s [u32],
    right: &'s [u32],
    left_changed: Vec<bool>,
    right_changed: Vec<bool>,
    /// Furthest x on each diagonal x - y, from the front and from the back; index 0 is diagonal `-right.len() - 1`.
    forward: Vec<isize>,
    backward: Vec<isize>,
    patience: usize,
    /// `--speed-large-files`: a search of more than 200 steps ends at a long run of equal lines.
    speed: bool,
}

fn get(values: &[isize], base: isize, diagonal: isize) -> isize {
    usize::try_from(diagonal + base).ok().and_then(|index| values.get(index)).copied().unwrap_or(0)
}

fn set(values: &mut [isize], base: isize, diagonal: isize, value: isize) {
    if let Some(slot) = usize::try_from(diagonal + base).ok().and_then(|index| values.get_mut(index)) {
        *slot = value;
    }
}

impl<'s> MyersSearch<'s> {
    fn new(left: &'s [u32], right: &'s [u32], search: Search) -> Self {
        let diagonals = left.len() + right.len() + 3;
        let mut myers = Self {
            left,
            right,
            left_changed: Vec::new(),
            right_changed: Vec::new(),
            forward: Vec::new(),
            backward: Vec::new(),
            patience: if search.minimal { usize::MAX } else { LONG_SEARCH.max(diagonals.isqrt()) },
            speed: search.speed && !search.minimal,
        };
        myers.left_changed.resize(left.len(), false);
        myers.right_changed.resize(right.len(), false);
        myers.forward.resize(diagonals, 0);
        myers.backward.resize(diagonals, 0);
        myers
    }

    fn equal(&self, x: isize, y: isize) -> bool {
        match (usize::try_from(x), usize::try_from(y)) {
            (Ok(x), Ok(y)) => matches!((self.left.get(x), self.right.get(y)), (Some(a), Some(b)) if a == b),
            _ => false,
        }
    }

    async fn run(&mut self, ctx: &mut Context) -> Result<(), LimitError> {
        let mut parts = Vec::new();
        parts.push(Part { x0: 0, x1: self.left.len() as isize, y0: 0, y1: self.right.len() as isize });
        while let Some(&last) = parts.last() {
            parts.truncate(parts.len() - 1);
            let mut part = last;
            let mut work = 0;
            while part.x0 < part.x1 && part.y0 < part.y1 && self.equal(part.x0, part.y0) {
                part.x0 += 1;
                part.y0 += 1;
                work += 1;
            }
            while part.x0 < part.x1 && part.y0 < part.y1 && self.equal(part.x1 - 1, part.y1 - 1) {
                part.x1 -= 1;
                part.y1 -= 1;
                work += 1;
            }
            ctx.tick_many(work / 16);
            ctx.tick().await?;
            if part.x0 == part.x1 || part.y0 == part.y1 {
                mark(&mut self.left_changed, part.x0, part.x1);
                mark(&mut self.right_changed, part.y0, part.y1);
                continue;
            }
            let (x, y) = self.middle(ctx, part).await?;
            parts.push(Part { x0: x, y0: y, ..part });
            parts.push(Part { x1: x, y1: y, ..part });
        }
        Ok(())
    }

    /// A point on a shortest path through the part, which is not empty and begins and ends with differences.
    async fn middle(&mut self, ctx: &mut Context, part: Part) -> Result<(isize, isize), LimitError> {
        let base = self.right.len() as isize + 1;
        let (lowest, highest) = (part.x0 - part.y1, part.x1 - part.y0);
        let (front, back) = (part.x0 - part.y0, part.x1 - part.y1);
        let odd = (front - back) & 1 != 0;
        let (mut fmin, mut fmax, mut bmin, mut bmax) = (front, front, back, back);
        set(&mut self.forward, base, front, part.x0);
        set(&mut self.backward, base, back, part.x1);
        let mut steps = 0_usize;
        loop {
            steps += 1;
            let mut work = 0_u32;
            let mut has_long_run = false;
            widen(&mut self.forward, base, &mut fmin, &mut fmax, (lowest, highest), -1);
            let mut diagonal = fmax;
            while diagonal >= fmin {
                let below = get(&self.forward, base, diagonal - 1);
                let above = get(&self.forward, base, diagonal + 1);
                let mut x = if below < above { above } else { below + 1 };
                let mut y = x - diagonal;
                let from = x;
                while x < part.x1 && y < part.y1 && self.equal(x, y) {
                    x += 1;
                    y += 1;
                    work += 1;
                }
                has_long_run |= x - from > LONG_RUN;
                set(&mut self.forward, base, diagonal, x);
                if odd && bmin <= diagonal && diagonal <= bmax && get(&self.backward, base, diagonal) <= x {
                    return Ok((x, y));
                }
                diagonal -= 2;
                work += 2;
            }
            widen(&mut self.backward, base, &mut bmin, &mut bmax, (lowest, highest), isize::MAX);
            diagonal = bmax;
            while diagonal >= bmin {
                let below = get(&self.backward, base, diagonal - 1);
                let above = get(&self.backward, base, diagonal + 1);
                let mut x = if below < above { below } else { above - 1 };
                let mut y = x - diagonal;
                let from = x;
                while part.x0 < x && part.y0 < y && self.equal(x - 1, y - 1) {
                    x -= 1;
                    y -= 1;
                    work += 1;
                }
                has_long_run |= from - x > LONG_RUN;
                set(&mut self.backward, base, diagonal, x);
                if !odd && fmin <= diagonal && diagonal <= fmax && x <= get(&self.forward, base, diagonal) {
                    return Ok((x, y));
                }
                diagonal -= 2;
                work += 2;
            }
            ctx.tick_many(work / 16);
            ctx.tick().await?;
            if self.speed
                && has_long_run
                && steps > 200
                && let Some(point) = self.promising(part, base, steps, (fmin, fmax), (bmin, bmax))
            {
                return Ok(point);
            }
            if steps >= self.patience {
                return Ok(self.furthest(part, base, (fmin, fmax), (bmin, bmax)));
            }
        }
    }

    /// A point after a long run of equal lines that is far along its diagonal, for a search that shall be quick.
    fn promising(
        &self,
        part: Part,
        base: isize,
        steps: usize,
        forward: (isize, isize),
        backward: (isize, isize),
    ) -> Option<(isize, isize)> {
        let far = |distance: isize| 12 * (steps as isize + distance.abs());
        let diagonals = |(low, high): (isize, isize)| (low..=high).rev().step_by(2);
        let (front, back) = (part.x0 - part.y0, part.x1 - part.y1);
        let mut best: Option<(isize, isize, isize)> = None;
        for diagonal in diagonals(forward) {
            let x = get(&self.forward, base, diagonal);
            let y = x - diagonal;
            let gain = (x - part.x0) * 2 - (diagonal - front);
            if gain > far(diagonal - front)
                && best.is_none_or(|(most, ..)| gain > most)
                && (part.x0 + LONG_RUN <= x && x < part.x1 && part.y0 + LONG_RUN <= y && y < part.y1)
                && (1..=LONG_RUN).all(|back| self.equal(x - back, y - back))
            {
                best = Some((gain, x, y));
            }
        }
        if best.is_none() {
            for diagonal in diagonals(backward) {
                let x = get(&self.backward, base, diagonal);
                let y = x - diagonal;
                let gain = (part.x1 - x) * 2 + (diagonal - back);
                if gain > far(diagonal - back)
                    && best.is_none_or(|(most, ..)| gain > most)
                    && (part.x0 < x && x <= part.x1 - LONG_RUN && part.y0 < y && y <= part.y1 - LONG_RUN)
                    && (0..LONG_RUN).all(|on| self.equal(x + on, y + on))
                {
                    best = Some((gain, x, y));
                }
            }
        }
        best.map(|(_, x, y)| (x, y))
    }

    /// Where a search that took too long came furthest, from the front or from the back.
    fn furthest(
        &self,
        part: Part,
        base: isize,
        forward: (isize, isize),
        backward: (isize, isize),
    ) -> (isize, isize) {
        let diagonals = |(low, high): (isize, isize)| (low..=high).rev().step_by(2);
        let front = diagonals(forward).map(|diagonal| {
            let x = get(&self.forward, base, diagonal).min(part.x1).min(part.y1 + diagonal);
            (x, x - diagonal)
        });
        let back = diagonals(backward).map(|diagonal| {
            let x = get(&self.backward, base, diagonal).max(part.x0).max(part.y0 + diagonal);
            (x, x - diagonal)
        });
        // Of several that are as far the first one counts, which `max_by_key` does not give.
        let front = front.min_by_key(|(x, y)| -(x + y)).unwrap_or((part.x0, part.y0));
        let back = back.min_by_key(|(x, y)| x + y).unwrap_or((part.x1, part.y1));
        let from_front = front.0 + front.1 - part.x0 - part.y0;
        let from_back = part.x1 + part.y1 - back.0 - back.1;
        if from_back < from_front { front } else { back }
    }
}

/// Takes one more diagonal at both ends, or one less where the border is reached; `none` is a point that never counts.
fn widen(
    values: &mut [isize],
    base: isize,
    min: &mut isize,
    max: &mut isize,
    border: (isize, isize),
    none: isize,
) {
    if *min > border.0 {
        *min -= 1;
        set(values, base, *min - 1, none);
    } else {
        *min += 1;
    }
    if *max < border.1 {
        *max += 1;
        set(values, base, *max + 1, none);
    } else {
        *max -= 1;
    }
}

fn mark(flags: &mut [bool], from: isize, to: isize) {
    let range = usize::try_from(from).unwrap_or(0)..usize::try_from(to).unwrap_or(0);
    flags.get_mut(range).unwrap_or_default().fill(true);
}

/// Moves each run of changed lines back as far as it goes, then forward, joining runs that it meets, and then back to the
/// last place where it meets a run of the other file.
async fn shift(
    ctx: &mut Context,
    lines: &[u32],
    changed: &mut [bool],
    other: &[bool],
) -> Result<(), LimitError> {
    let is = |flags: &[bool], index: usize| flags.get(index).copied().unwrap_or(false);
    let (mut end, mut across) = (0, 0);
    loop {
        ctx.tick().await?;
        // The next run, and the place across it in the other file.
        while end < lines.len() && !is(changed, end) {
            while is(other, across) {
                across += 1;
            }
            across += 1;
            end += 1;
        }
        if end >= lines.len() {
            return Ok(());
        }
        let mut start = end;
        while is(changed, end) {
            end += 1;
        }
        while is(other, across) {
            across += 1;
        }
        let mut meeting;
        loop {
            let length = end - start;
            while start > 0 && lines.get(start - 1) == lines.get(end - 1) {
                start -= 1;
                end -= 1;
                swap(changed, start, end);
                while start > 0 && is(changed, start - 1) {
                    start -= 1;
                }
                across = across.saturating_sub(1);
                while across > 0 && is(other, across) {
                    across -= 1;
                }
                ctx.tick().await?;
            }
            meeting = (across > 0 && is(other, across - 1)).then_some(end);
            while end < lines.len() && lines.get(start) == lines.get(end) {
                swap(changed, end, start);
                start += 1;
                end += 1;
                while is(changed, end) {
                    end += 1;
                }
                across += 1;
                while is(other, across) {
                    meeting = Some(end);
                    across += 1;
                }
                ctx.tick().await?;
            }
            if length == end - start {
                break;
            }
        }
        while let Some(meeting) = meeting
            && meeting < end
            && start > 0
        {
            start -= 1;
            end -= 1;
            swap(changed, start, end);
            across = across.saturating_sub(1);
            while across > 0 && is(other, across) {
                across -= 1;
            }
        }
    }
}

/// Marks `on` as changed and `off` as not.
fn swap(changed: &mut [bool], on: usize, off: usize) {
    for (index, value) in [(on, true), (off, false)] {
        if let Some(slot) = changed.get_mut(index) {
            *slot = value;
        }
    }
}
