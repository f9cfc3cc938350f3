//! Which lines two files have in common: the middle of a shortest edit path is searched from both ends and the halves are
//! done likewise, with a list (E. Myers, "An O(ND) Difference Algorithm and Its Variations", 1986). As in git, a search that
//! takes long is cut short where a long run of common lines was met, or at the furthest point.

use crate::limit::LimitError;
use crate::memory::{Vec, vec};
use crate::utility::Context;

/// Steps before a long common run is good enough.
const PATIENT: i64 = 256;
/// Common lines that make a long run.
const LONG_RUN: i64 = 20;
/// How much further than the steps such a run has to lie.
const FURTHER: i64 = 4;
/// No point lies there.
const NOWHERE: i64 = i64::MAX;

/// A part of both sequences that is still to be compared.
#[derive(Clone, Copy, Debug)]
struct Part {
    x0: i64,
    x1: i64,
    y0: i64,
    y1: i64,
    is_minimal: bool,
}

struct Split {
    x: i64,
    y: i64,
    low_is_minimal: bool,
    high_is_minimal: bool,
}

struct ScriptSearch<'s> {
    left: &'s [u32],
    right: &'s [u32],
    forward: Vec<i64>,
    backward: Vec<i64>,
    /// Index of diagonal 0.
    base: i64,
    most_steps: i64,
    work: u32,
}

/// A rough square root, as git takes it.
pub(super) fn rough_root(number: usize) -> usize {
    let (mut number, mut root) = (number, 1);
    while number > 0 {
        number >>= 2;
        root <<= 1;
    }
    root
}

/// Which elements of each sequence are not common.
pub(super) async fn compare(
    ctx: &mut Context,
    left: &[u32],
    right: &[u32],
    is_minimal: bool,
) -> Result<[Vec<bool>; 2], LimitError> {
    let diagonals = left.len() + right.len() + 5;
    let mut search = ScriptSearch {
        left,
        right,
        forward: vec![0; diagonals],
        backward: vec![0; diagonals],
        base: right.len() as i64 + 2,
        most_steps: rough_root(left.len() + right.len() + 3).max(256) as i64,
        work: 0,
    };
    let mut changed = [vec![false; left.len()], vec![false; right.len()]];
    let mut parts: Vec<Part> = Vec::new();
    parts.push(Part { x0: 0, x1: left.len() as i64, y0: 0, y1: right.len() as i64, is_minimal });
    while let Some(mut part) = parts.pop() {
        while part.x0 < part.x1 && part.y0 < part.y1 && search.equal(part.x0, part.y0) {
            part.x0 += 1;
            part.y0 += 1;
            search.work += 1;
        }
        while part.x0 < part.x1 && part.y0 < part.y1 && search.equal(part.x1 - 1, part.y1 - 1) {
            part.x1 -= 1;
            part.y1 -= 1;
            search.work += 1;
        }
        ctx.tick_many(std::mem::take(&mut search.work) / 16);
        ctx.tick().await?;
        if part.x0 == part.x1 || part.y0 == part.y1 {
            let [lefts, rights] = &mut changed;
            mark(lefts, part.x0, part.x1);
            mark(rights, part.y0, part.y1);
            continue;
        }
        let split = search.split(ctx, part).await?;
        // Without progress it would not end.
        if (split.x, split.y) == (part.x0, part.y0) || (split.x, split.y) == (part.x1, part.y1) {
            let [lefts, rights] = &mut changed;
            mark(lefts, part.x0, part.x1);
            mark(rights, part.y0, part.y1);
            continue;
        }
        parts.push(Part { x0: split.x, y0: split.y, is_minimal: split.high_is_minimal, ..part });
        parts.push(Part { x1: split.x, y1: split.y, is_minimal: split.low_is_minimal, ..part });
    }
    Ok(changed)
}

fn mark(flags: &mut [bool], from: i64, to: i64) {
    flags.get_mut(from.max(0) as usize..to.max(0) as usize).unwrap_or_default().fill(true);
}

fn get(values: &[i64], index: i64) -> i64 {
    usize::try_from(index).ok().and_then(|index| values.get(index)).copied().unwrap_or(0)
}

fn set(values: &mut [i64], index: i64, value: i64) {
    if let Some(slot) = usize::try_from(index).ok().and_then(|index| values.get_mut(index)) {
        *slot = value;
    }
}

impl ScriptSearch<'_> {
    fn equal(&self, x: i64, y: i64) -> bool {
        match (usize::try_from(x), usize::try_from(y)) {
            (Ok(x), Ok(y)) => {
                matches!((self.left.get(x), self.right.get(y)), (Some(one), Some(other)) if one == other)
            }
            _ => false,
        }
    }

    /// Goes a step on every diagonal from the front; a meeting, or whether a long run was met.
    fn step_forward(
        &mut self,
        part: Part,
        range: (i64, i64),
        back: (i64, i64),
        odd: bool,
    ) -> Result<bool, (i64, i64)> {
        let mut is_long = false;
        let mut diagonal = range.1;
        while diagonal >= range.0 {
            let (below, above) =
                (get(&self.forward, self.base + diagonal - 1), get(&self.forward, self.base + diagonal + 1));
            let start = if below >= above { below + 1 } else { above };
            let mut x = start;
            while x < part.x1 && x - diagonal < part.y1 && self.equal(x, x - diagonal) {
                x += 1;
            }
            self.work += 2 + (x - start).unsigned_abs() as u32;
            is_long |= x - start > LONG_RUN;
            set(&mut self.forward, self.base + diagonal, x);
            if odd
                && back.0 <= diagonal
                && diagonal <= back.1
                && get(&self.backward, self.base + diagonal) <= x
            {
                return Err((x, x - diagonal));
            }
            diagonal -= 2;
        }
        Ok(is_long)
    }

    fn step_backward(
        &mut self,
        part: Part,
        range: (i64, i64),
        front: (i64, i64),
        odd: bool,
    ) -> Result<bool, (i64, i64)> {
        let mut is_long = false;
        let mut diagonal = range.1;
        while diagonal >= range.0 {
            let (below, above) = (
                get(&self.backward, self.base + diagonal - 1),
                get(&self.backward, self.base + diagonal + 1),
            );
            let start = if below < above { below } else { above - 1 };
            let mut x = start;
            while x > part.x0 && x - diagonal > part.y0 && self.equal(x - 1, x - diagonal - 1) {
                x -= 1;
            }
            self.work += 2 + (start - x).unsigned_abs() as u32;
            is_long |= start - x > LONG_RUN;
            set(&mut self.backward, self.base + diagonal, x);
            if !odd
                && front.0 <= diagonal
                && diagonal <= front.1
                && x <= get(&self.forward, self.base + diagonal)
            {
                return Err((x, x - diagonal));
            }
            diagonal -= 2;
        }
        Ok(is_long)
    }

    async fn split(&mut self, ctx: &mut Context, part: Part) -> Result<Split, LimitError> {
        let (lowest, highest) = (part.x0 - part.y1, part.x1 - part.y0);
        let (front, back) = (part.x0 - part.y0, part.x1 - part.y1);
        let odd = (front - back) & 1 != 0;
        let (mut forward, mut backward) = ((front, front), (back, back));
        set(&mut self.forward, self.base + front, part.x0);
        set(&mut self.backward, self.base + back, part.x1);
        let whole = |(x, y): (i64, i64)| Split { x, y, low_is_minimal: true, high_is_minimal: true };
        let mut steps = 1;
        loop {
            ctx.tick_many(std::mem::take(&mut self.work) / 16);
            ctx.tick().await?;
            widen(&mut self.forward, self.base, &mut forward, (lowest, highest), -1);
            let long_forward = match self.step_forward(part, forward, backward, odd) {
                Ok(is_long) => is_long,
                Err(place) => return Ok(whole(place)),
            };
            widen(&mut self.backward, self.base, &mut backward, (lowest, highest), NOWHERE);
            let long_backward = match self.step_backward(part, backward, forward, odd) {
                Ok(is_long) => is_long,
                Err(place) => return Ok(whole(place)),
            };
            if !part.is_minimal {
                if (long_forward || long_backward)
                    && steps > PATIENT
                    && let Some(split) = self.good_enough(part, (forward, backward), (front, back), steps)
                {
                    return Ok(split);
                }
                if steps >= self.most_steps {
                    return Ok(self.furthest(part, forward, backward));
                }
            }
            steps += 1;
        }
    }

    /// A point after a long common run that lies far from where the search began.
    fn good_enough(
        &self,
        part: Part,
        ranges: ((i64, i64), (i64, i64)),
        starts: (i64, i64),
        steps: i64,
    ) -> Option<Split> {
        let mut best = (0, None);
        for diagonal in (ranges.0.0..=ranges.0.1).rev().step_by(2) {
            let x = get(&self.forward, self.base + diagonal);
            let y = x - diagonal;
            let value = (x - part.x0) + (y - part.y0) - (diagonal - starts.0).abs();
            let is_inside = part.x0 + LONG_RUN <= x && x < part.x1 && part.y0 + LONG_RUN <= y && y < part.y1;
            if value > FURTHER * steps
                && value > best.0
                && is_inside
                && (1..=LONG_RUN).all(|back| self.equal(x - back, y - back))
            {
                best = (value, Some((x, y)));
            }
        }
        if let Some((x, y)) = best.1 {
            return Some(Split { x, y, low_is_minimal: true, high_is_minimal: false });
        }
        for diagonal in (ranges.1.0..=ranges.1.1).rev().step_by(2) {
            let x = get(&self.backward, self.base + diagonal);
            let y = x - diagonal;
            let value = (part.x1 - x) + (part.y1 - y) - (diagonal - starts.1).abs();
            let is_inside = part.x0 < x && x <= part.x1 - LONG_RUN && part.y0 < y && y <= part.y1 - LONG_RUN;
            if value > FURTHER * steps
                && value > best.0
                && is_inside
                && (0..LONG_RUN).all(|on| self.equal(x + on, y + on))
            {
                best = (value, Some((x, y)));
            }
        }
        best.1.map(|(x, y)| Split { x, y, low_is_minimal: false, high_is_minimal: true })
    }

    /// The furthest point from the front or from the back.
    fn furthest(&self, part: Part, forward: (i64, i64), backward: (i64, i64)) -> Split {
        let (mut front, mut front_x) = (-1, -1);
        for diagonal in (forward.0..=forward.1).rev().step_by(2) {
            let mut x = get(&self.forward, self.base + diagonal).min(part.x1);
            let mut y = x - diagonal;
            if part.y1 < y {
                (x, y) = (part.y1 + diagonal, part.y1);
            }
            if front < x + y {
                (front, front_x) = (x + y, x);
            }
        }
        let (mut back, mut back_x) = (NOWHERE, NOWHERE);
        for diagonal in (backward.0..=backward.1).rev().step_by(2) {
            let mut x = get(&self.backward, self.base + diagonal).max(part.x0);
            let mut y = x - diagonal;
            if y < part.y0 {
                (x, y) = (part.y0 + diagonal, part.y0);
            }
            if x + y < back {
                (back, back_x) = (x + y, x);
            }
        }
        if (part.x1 + part.y1) - back < front - (part.x0 + part.y0) {
            Split { x: front_x, y: front - front_x, low_is_minimal: true, high_is_minimal: false }
        } else {
            Split { x: back_x, y: back - back_x, low_is_minimal: false, high_is_minimal: true }
        }
    }
}

/// Takes one more diagonal at both ends, or one less where the border is reached.
fn widen(values: &mut [i64], base: i64, range: &mut (i64, i64), border: (i64, i64), none: i64) {
    if range.0 > border.0 {
        range.0 -= 1;
        set(values, base + range.0 - 1, none);
    } else {
        range.0 += 1;
    }
    if range.1 < border.1 {
        range.1 += 1;
        set(values, base + range.1 + 1, none);
    } else {
        range.1 -= 1;
    }
}
