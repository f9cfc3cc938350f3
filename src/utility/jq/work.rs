//! [`Work`]: counts what an evaluation does and asks the guard now and then.
//!
//! Steps are counted down locally, so that the guard's virtual call is made once in [`SLICE`] steps; bytes are gathered
//! likewise, except that a large allocation is announced before it is made. After a tick the guard may ask for a pause:
//! what can be resumed (the machine, reading, printing) then returns to its caller.

use crate::memory::{Vec, vec};
use super::error::{Guard, Stop};
use crate::limit::Charge;

/// Steps between two calls of the guard.
const SLICE: u32 = 256;
/// Bytes that may be gathered before they are charged.
const SMALL: usize = 4096;

/// The running count of one evaluation.
pub(crate) struct Work<'g> {
    guard: &'g dyn Guard,
    left: u32,
    bytes: usize,
    due: bool,
}

impl<'g> Work<'g> {
    /// Starts counting.
    pub(crate) fn new(guard: &'g dyn Guard) -> Self {
        Work { guard, left: SLICE, bytes: 0, due: false }
    }

    /// One step.
    #[inline]
    pub(crate) fn step(&mut self) -> Result<(), Stop> {
        self.left -= 1;
        if self.left == 0 {
            return self.tick(u64::from(SLICE));
        }
        Ok(())
    }

    fn tick(&mut self, steps: u64) -> Result<(), Stop> {
        self.left = SLICE;
        self.guard.tick(steps)?;
        self.due |= self.guard.is_due();
        Ok(())
    }

    /// Whether the guard wants a pause.
    #[inline]
    pub(crate) fn is_due(&self) -> bool {
        self.due
    }

    /// The pause was made.
    pub(crate) fn go_on(&mut self) {
        self.due = false;
    }

    /// Many steps at once, before they are made.
    pub(crate) fn steps(&mut self, count: usize) -> Result<(), Stop> {
        if count < self.left as usize {
            self.left -= count as u32;
            return Ok(());
        }
        self.tick(count as u64)
    }

    /// Bytes that are held for longer than an input.
    pub(crate) fn hold(&self, bytes: usize) -> Result<Option<Charge>, Stop> {
        self.guard.hold(bytes as u64)
    }

    /// Bytes about to be allocated.
    pub(crate) fn charge(&mut self, bytes: usize) -> Result<(), Stop> {
        self.bytes = self.bytes.saturating_add(bytes);
        if self.bytes >= SMALL {
            return self.guard.charge(std::mem::take(&mut self.bytes) as u64);
        }
        Ok(())
    }
}

/// Sorts stably with a comparison that can be stopped: merge sort, bottom up.
///
/// The standard library's sort may panic when a stopped comparison makes the order inconsistent.
///
/// # Errors
/// The first error of `compare`.
pub(crate) fn sort<T, E>(
    items: Vec<T>,
    compare: &mut dyn FnMut(&T, &T) -> Result<std::cmp::Ordering, E>,
) -> Result<Vec<T>, E> {
    let mut runs: Vec<Vec<T>> = items.into_iter().map(|item| vec![item]).collect();
    while runs.len() > 1 {
        let mut merged = Vec::with_capacity(runs.len().div_ceil(2));
        let mut pending = runs.into_iter();
        while let Some(left) = pending.next() {
            merged.push(match pending.next() {
                Some(right) => merge(left, right, compare)?,
                None => left,
            });
        }
        runs = merged;
    }
    Ok(runs.pop().unwrap_or_default())
}

fn merge<T, E>(
    left: Vec<T>,
    right: Vec<T>,
    compare: &mut dyn FnMut(&T, &T) -> Result<std::cmp::Ordering, E>,
) -> Result<Vec<T>, E> {
    let mut merged = Vec::with_capacity(left.len() + right.len());
    let mut left = left.into_iter().peekable();
    let mut right = right.into_iter().peekable();
    while let (Some(one), Some(two)) = (left.peek(), right.peek()) {
        let next = if compare(two, one)?.is_lt() { right.next() } else { left.next() };
        merged.extend(next);
    }
    merged.extend(left);
    merged.extend(right);
    Ok(merged)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::vec;

    #[test]
    fn sort_is_stable() {
        let items: Vec<(u8, char)> = vec![(2, 'a'), (1, 'b'), (2, 'c'), (1, 'd'), (0, 'e')];
        let sorted = sort::<_, ()>(items, &mut |one, two| Ok(one.0.cmp(&two.0))).unwrap();
        assert_eq!(sorted, [(0, 'e'), (1, 'b'), (1, 'd'), (2, 'a'), (2, 'c')]);
    }
}
