//! Sorting that keeps the order of what is equal: it needs room for a part of the items beside them.

use super::vec::Vec;
use crate::limit::gauge;
use std::cmp::Ordering;

/// Bytes that `std` takes for all items at once; beyond, it makes do with half of the items.
const WHOLE_BYTES: usize = 8 << 20;
/// Fewer items than this are sorted where they are.
const FEW: usize = 20;

impl<T> Vec<T> {
    /// As `std`'s. When the room beside the items is refused, they stay as they are.
    pub fn sort_by(&mut self, compare: impl FnMut(&T, &T) -> Ordering) {
        let whole = self.len().min(WHOLE_BYTES / size_of::<T>().max(1));
        let room = if self.len() > FEW { whole.max(self.len() / 2) } else { 0 };
        let bytes = room.saturating_mul(size_of::<T>());
        if gauge::charge(bytes) {
            self.as_mut_slice().sort_by(compare);
            gauge::release(bytes);
        }
    }

    /// As `std`'s; see [`Vec::sort_by`].
    pub fn sort_by_key<K: Ord>(&mut self, mut key: impl FnMut(&T) -> K) {
        self.sort_by(|one, other| key(one).cmp(&key(other)));
    }

    /// As `std`'s; see [`Vec::sort_by`].
    pub fn sort(&mut self)
    where
        T: Ord,
    {
        self.sort_by(Ord::cmp);
    }
}
