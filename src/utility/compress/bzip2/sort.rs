//! Sorts the rotations of a block, in a time that no block can make long.
//!
//! Rotations are put into groups by their first two bytes, and then by twice as many bytes in each round: the group that the
//! rotation `h` further on is in says how the next `h` bytes compare (Manber and Myers; Larsson and Sadakane, who leave out
//! what is sorted). After as many rounds as the length has bits, what is still together is equal.

use crate::limit::LimitError;
use crate::limit::Meter;
use crate::memory::{Vec, vec};
use crate::utility::compress::stream::room;
use crate::utility::context::pace::tick_bytes;

/// Rotations that are looked at between two looks at the meter.
const STRETCH: usize = 8 << 10;

/// Groups up to this size are sorted by comparisons.
const SMALL: usize = 2 << 10;

/// Bits that one pass over a large group sorts by; two passes suffice for the places of a block.
const DIGIT: u32 = 10;

struct Rotations {
    /// Where each rotation begins, in order as far as it is known.
    order: Vec<u32>,
    /// Where the group of each rotation begins in `order`.
    rank: Vec<u32>,
    /// A bit for each place in `order` where a group begins.
    starts: Vec<u64>,
    spare: Vec<u32>,
}

/// Where each rotation begins, in order.
pub(super) async fn rotations(meter: &Meter, block: &[u8]) -> Result<Vec<u32>, LimitError> {
    let length = block.len();
    let mut all = Rotations {
        order: room(meter, 0, length)?,
        rank: room(meter, 0, length)?,
        starts: room(meter, 0, length / 64 + 1)?,
        spare: room(meter, 0, length)?,
    };
    all.group_by_two(meter, block).await?;
    let mut step = 2;
    while step < length {
        if !all.refine(meter, step).await? {
            break;
        }
        step *= 2;
    }
    Ok(all.order)
}

fn pair(block: &[u8], at: usize) -> usize {
    let first = block.get(at).copied().unwrap_or(0);
    let second = block.get(at + 1).or_else(|| block.first()).copied().unwrap_or(0);
    usize::from(first) << 8 | usize::from(second)
}

fn add(slot: Option<&mut u32>, by: u32) -> u32 {
    let Some(slot) = slot else { return 0 };
    let before = *slot;
    *slot += by;
    before
}

fn set(slot: Option<&mut u32>, value: u32) {
    if let Some(slot) = slot {
        *slot = value;
    }
}

/// Makes counts into places: the sum of those before each.
fn places(counts: &mut [u32]) {
    let mut sum = 0;
    for count in counts {
        sum += std::mem::replace(count, sum);
    }
}

impl Rotations {
    async fn group_by_two(&mut self, meter: &Meter, block: &[u8]) -> Result<(), LimitError> {
        let mut next: Vec<u32> = room(meter, 0, 1 << 16)?;
        for from in (0..block.len()).step_by(STRETCH) {
            for at in from..block.len().min(from + STRETCH) {
                add(next.get_mut(pair(block, at)), 1);
            }
            tick_bytes(meter, STRETCH).await?;
        }
        places(&mut next);
        for start in &next {
            mark(&mut self.starts, *start as usize);
        }
        for (stretch, from) in self.rank.chunks_mut(STRETCH).zip((0..).step_by(STRETCH)) {
            for (rank, at) in stretch.iter_mut().zip(from..) {
                *rank = next.get(pair(block, at)).copied().unwrap_or(0);
            }
            tick_bytes(meter, 4 * STRETCH).await?;
        }
        for from in (0..block.len()).step_by(STRETCH) {
            for at in from..block.len().min(from + STRETCH) {
                let place = add(next.get_mut(pair(block, at)), 1);
                set(self.order.get_mut(place as usize), at as u32);
            }
            tick_bytes(meter, 4 * STRETCH).await?;
        }
        Ok(())
    }

    /// Where the next group begins, at `from` or behind it.
    fn next_start(&self, from: usize) -> usize {
        let mut index = from / 64;
        let mut mask = u64::MAX << (from % 64);
        while let Some(word) = self.starts.get(index) {
            let found = word & mask;
            if found != 0 {
                return (index * 64 + found.trailing_zeros() as usize).min(self.order.len());
            }
            mask = u64::MAX;
            index += 1;
        }
        self.order.len()
    }

    /// The next group of several rotations that begins at `from` or behind it.
    fn next_group(&self, from: usize) -> Option<(usize, usize)> {
        let length = self.order.len();
        let mut index = from / 64;
        let mut mask = u64::MAX << (from % 64);
        while let Some(word) = self.starts.get(index) {
            // A group of one is followed by another start.
            let after = self.starts.get(index + 1).copied().unwrap_or(0);
            let found = word & !(word >> 1 | after << 63) & mask;
            if found != 0 {
                let start = index * 64 + found.trailing_zeros() as usize;
                let end = self.next_start(start + 1);
                return (start < length).then_some((start, end));
            }
            mask = u64::MAX;
            index += 1;
        }
        None
    }

    /// Splits each group by what follows `step` bytes further on. `false`: every group has one rotation.
    async fn refine(&mut self, meter: &Meter, step: usize) -> Result<bool, LimitError> {
        let mut counts = vec![0u32; 1 << DIGIT];
        let (mut from, mut work, mut is_over) = (0, 0, true);
        while let Some((start, end)) = self.next_group(from) {
            from = end;
            work += 4 * (end - start);
            if end - start < 2 {
                continue;
            }
            is_over = false;
            if end - start <= SMALL {
                let Self { order, rank, .. } = self;
                if let Some(group) = order.get_mut(start..end) {
                    group.sort_unstable_by_key(|at| key(rank, *at, step));
                }
            } else {
                self.sort_large(meter, start, end, step, &mut counts).await?;
            }
            self.split(meter, start, end, step).await?;
            if work >= STRETCH {
                tick_bytes(meter, 4 * work).await?;
                work = 0;
            }
        }
        tick_bytes(meter, self.starts.len() + work).await?;
        Ok(!is_over)
    }

    /// By two digits of the key, the lower one first.
    async fn sort_large(
        &mut self,
        meter: &Meter,
        start: usize,
        end: usize,
        step: usize,
        counts: &mut Vec<u32>,
    ) -> Result<(), LimitError> {
        for shift in [0, DIGIT] {
            let mask = (1 << DIGIT) - 1;
            let digit = |rank: &[u32], at: u32| (key(rank, at, step) >> shift) as usize & mask;
            counts.fill(0);
            for stretch in self.order.get(start..end).unwrap_or(&[]).chunks(STRETCH) {
                for at in stretch {
                    add(counts.get_mut(digit(&self.rank, *at)), 1);
                }
                tick_bytes(meter, 4 * stretch.len()).await?;
            }
            places(counts);
            let Self { order, rank, spare, .. } = self;
            for stretch in order.get(start..end).unwrap_or(&[]).chunks(STRETCH) {
                for at in stretch {
                    let place = add(counts.get_mut(digit(rank, *at)), 1);
                    set(spare.get_mut(place as usize), *at);
                }
                tick_bytes(meter, 4 * stretch.len()).await?;
            }
            if let (Some(to), Some(from)) = (order.get_mut(start..end), spare.get(..end - start)) {
                to.copy_from_slice(from);
            }
        }
        Ok(())
    }

    /// Begins a group where the key changes, and tells each rotation its group.
    async fn split(
        &mut self,
        meter: &Meter,
        start: usize,
        end: usize,
        step: usize,
    ) -> Result<(), LimitError> {
        let Self { order, rank, starts, .. } = self;
        let group = order.get(start..end).unwrap_or(&[]);
        // Keys are of the round before: ranks change after all of them were looked at.
        let mut before = None;
        for (stretch, from) in group.chunks(STRETCH).zip((start..).step_by(STRETCH)) {
            for (at, place) in stretch.iter().zip(from..) {
                let key = key(rank, *at, step);
                if before.is_some_and(|before| before != key) {
                    mark(starts, place);
                }
                before = Some(key);
            }
            if stretch.len() == STRETCH {
                tick_bytes(meter, 4 * STRETCH).await?;
            }
        }
        let mut first = start;
        for (stretch, from) in group.chunks(STRETCH).zip((start..).step_by(STRETCH)) {
            for (at, place) in stretch.iter().zip(from..) {
                if starts.get(place / 64).is_some_and(|word| word >> (place % 64) & 1 == 1) {
                    first = place;
                }
                set(rank.get_mut(*at as usize), first as u32);
            }
            if stretch.len() == STRETCH {
                tick_bytes(meter, 4 * STRETCH).await?;
            }
        }
        Ok(())
    }
}

fn mark(starts: &mut [u64], place: usize) {
    if let Some(word) = starts.get_mut(place / 64) {
        *word |= 1 << (place % 64);
    }
}

/// The group of the rotation that begins `step` further on.
fn key(rank: &[u32], at: u32, step: usize) -> u32 {
    let further = at as usize + step;
    let further = if further >= rank.len() { further - rank.len() } else { further };
    rank.get(further).copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Clock;
    use crate::limit::Limits;

    fn rotated(block: &[u8], at: usize) -> Vec<u8> {
        let mut bytes: Vec<u8> = Vec::from(&block[at..]);
        bytes.extend_from_slice(&block[..at]);
        bytes
    }

    #[test]
    fn rotations_are_in_order_whatever_repeats() {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let meter = Meter::new(Limits::interactive(), std::sync::Arc::new(Clock::system()));
        let long: std::vec::Vec<u8> = (0..5000u32).map(|n| (n % 7 % 3) as u8).collect();
        let mixed: std::vec::Vec<u8> =
            (0..3000u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 29) as u8).collect();
        for block in [&b"banana"[..], b"a", b"ab", b"aaaaaaa", b"abababab", &long, &mixed] {
            let order = runtime.block_on(rotations(&meter, block)).unwrap();
            for pair in order.windows(2) {
                assert!(rotated(block, pair[0] as usize) <= rotated(block, pair[1] as usize));
            }
            let mut sorted = order.clone();
            sorted.sort_unstable();
            assert!(sorted.iter().copied().eq(0..block.len() as u32));
        }
    }
}
