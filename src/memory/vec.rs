//! A `Vec` that asks before it grows.

mod comparison;
mod conversion;
mod into_iter;

use crate::limit::gauge;
use std::borrow::Borrow;
use std::fmt;
use std::ops::{Deref, DerefMut, RangeBounds};

pub use into_iter::IntoIter;

/// Bytes that are copied between two looks at the clock: less than a millisecond's work.
const PIECE: usize = 1 << 20;

/// See the module. Its capacity is charged.
pub struct Vec<T>(std::vec::Vec<T>);

/// Room for `capacity` items, which are a few bytes; none when that is refused.
#[inline]
fn small<T>(capacity: usize, bytes: usize) -> std::vec::Vec<T> {
    if gauge::charge(bytes) { std::vec::Vec::with_capacity(capacity) } else { std::vec::Vec::new() }
}

impl<T> Vec<T> {
    pub const fn new() -> Self {
        Self(std::vec::Vec::new())
    }

    /// Room for `capacity` items; none when that is refused.
    pub fn with_capacity(capacity: usize) -> Self {
        match capacity.checked_mul(size_of::<T>()) {
            Some(bytes) if bytes <= gauge::SMALL => Self(small(capacity, bytes)),
            _ => {
                let mut vec = Self::new();
                vec.set_capacity(capacity);
                vec
            }
        }
    }

    /// Takes over a vector of `std`, whose capacity is charged from now on. When that is refused it is dropped.
    pub fn from_std(items: std::vec::Vec<T>) -> Self {
        if gauge::charge(items.capacity().saturating_mul(size_of::<T>())) { Self(items) } else { Self::new() }
    }

    /// The vector of `std` within, which is no longer charged: for what leaves the run.
    pub fn into_std(mut self) -> std::vec::Vec<T> {
        let items = std::mem::take(&mut self.0);
        gauge::release(items.capacity() * size_of::<T>());
        items
    }

    /// Bytes of its capacity.
    fn bytes(&self) -> usize {
        self.0.capacity() * size_of::<T>()
    }

    /// Makes room for `more` items beyond the length; whether there is room now.
    #[inline]
    fn make_room(&mut self, more: usize) -> bool {
        self.0.capacity() - self.0.len() >= more || self.grow(more)
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self, more: usize) -> bool {
        let Some(needed) = self.0.len().checked_add(more) else {
            return Self::refuse();
        };
        let least = match size_of::<T>() {
            0 | 1 => 8,
            2..=1024 => 4,
            _ => 1,
        };
        let doubled = self.0.capacity().saturating_mul(2).max(needed).max(least);
        let bytes = doubled.saturating_mul(size_of::<T>());
        if self.0.capacity() == 0 && bytes <= gauge::SMALL {
            self.0 = small(doubled, bytes);
            return self.0.capacity() > 0;
        }
        self.set_capacity(doubled)
    }

    fn set_capacity(&mut self, capacity: usize) -> bool {
        let more = capacity - self.0.capacity();
        let Some(bytes) = more.checked_mul(size_of::<T>()) else {
            return Self::refuse();
        };
        if !gauge::charge(bytes) {
            return false;
        }
        if self.0.try_reserve_exact(capacity - self.0.len()).is_err() {
            gauge::release(bytes);
            return Self::refuse();
        }
        debug_assert!(size_of::<T>() == 0 || self.0.capacity() == capacity, "capacity is what was charged");
        true
    }

    #[cold]
    fn refuse() -> bool {
        gauge::refuse(crate::limit::Limit::LiveBytes);
        false
    }

    pub fn reserve(&mut self, more: usize) {
        self.make_room(more);
    }

    pub fn reserve_exact(&mut self, more: usize) {
        if self.0.capacity() - self.0.len() < more {
            match self.0.len().checked_add(more) {
                Some(capacity) => {
                    self.set_capacity(capacity);
                }
                None => {
                    Self::refuse();
                }
            }
        }
    }

    // What is left of it in line is a comparison.
    #[expect(clippy::inline_always, reason = "else the loops that push pay for a call of each item")]
    #[inline(always)]
    pub fn push(&mut self, item: T) {
        if self.make_room(1) {
            self.0.push(item);
        }
    }

    /// Appends `item` and returns its index; where it was refused, there is nothing at that index.
    pub fn add(&mut self, item: T) -> usize {
        let index = self.0.len();
        self.push(item);
        index
    }

    #[inline]
    pub fn pop(&mut self) -> Option<T> {
        self.0.pop()
    }

    /// As `std`'s, but an index past the end is the end.
    pub fn insert(&mut self, index: usize, item: T) {
        if self.make_room(1) {
            gauge::spend_bytes(self.0.len().saturating_sub(index) * size_of::<T>());
            self.0.insert(index.min(self.0.len()), item);
        }
    }

    /// Removes the item at `index`; its fuel is that of moving what follows.
    ///
    /// # Panics
    /// As `std`'s, when `index` is past the end.
    pub fn remove(&mut self, index: usize) -> T {
        gauge::spend_bytes(self.0.len().saturating_sub(index) * size_of::<T>());
        self.0.remove(index)
    }

    pub fn swap_remove(&mut self, index: usize) -> T {
        self.0.swap_remove(index)
    }

    pub fn truncate(&mut self, len: usize) {
        self.0.truncate(len);
    }

    pub fn clear(&mut self) {
        self.0.clear();
    }

    pub fn append(&mut self, other: &mut Self) {
        if self.make_room(other.0.len()) {
            gauge::spend_bytes(size_of_val(other.0.as_slice()));
            self.0.append(&mut other.0);
        }
    }

    /// Removes the first `count` items, or all when there are fewer; its fuel is that of moving what follows.
    pub fn remove_front(&mut self, count: usize) {
        let count = count.min(self.0.len());
        gauge::spend_bytes((self.0.len() - count) * size_of::<T>());
        self.0.drain(..count);
    }

    pub fn drain<R: RangeBounds<usize>>(&mut self, range: R) -> std::vec::Drain<'_, T> {
        self.0.drain(range)
    }

    /// Replaces a range with `items`; what was there is dropped.
    ///
    /// # Panics
    /// As `std`'s, when the range is not within the length.
    pub fn splice<R: RangeBounds<usize>>(&mut self, range: R, items: impl IntoIterator<Item = T>) {
        let items: Self = items.into_iter().collect();
        if self.make_room(items.len()) {
            gauge::spend_bytes(size_of_val(self.0.as_slice()));
            self.0.splice(range, items);
        }
    }

    /// Gives back the room beyond `least` items.
    pub fn shrink_to(&mut self, least: usize) {
        let before = self.bytes();
        self.0.shrink_to(least);
        gauge::release(before - self.bytes());
    }

    pub fn retain(&mut self, keep: impl FnMut(&T) -> bool) {
        gauge::spend_bytes(size_of_val(self.0.as_slice()));
        self.0.retain(keep);
    }

    pub fn retain_mut(&mut self, keep: impl FnMut(&mut T) -> bool) {
        gauge::spend_bytes(size_of_val(self.0.as_slice()));
        self.0.retain_mut(keep);
    }

    pub fn dedup_by_key<K: PartialEq>(&mut self, key: impl FnMut(&mut T) -> K) {
        self.0.dedup_by_key(key);
    }

    pub fn dedup_by(&mut self, same: impl FnMut(&mut T, &mut T) -> bool) {
        self.0.dedup_by(same);
    }

    /// The items from `at` on, in a vector of their own.
    ///
    /// # Panics
    /// As `std`'s, when `at` is past the end.
    #[must_use]
    pub fn split_off(&mut self, at: usize) -> Self {
        let mut rest = Self::with_capacity(self.0.len() - at);
        if rest.0.capacity() >= self.0.len() - at {
            rest.0.extend(self.0.drain(at..));
        } else {
            self.0.truncate(at);
        }
        rest
    }

    pub fn resize_with(&mut self, len: usize, make: impl FnMut() -> T) {
        if len <= self.0.len() || self.make_room(len - self.0.len()) {
            self.0.resize_with(len, make);
        }
    }

    pub fn shrink_to_fit(&mut self) {
        let before = self.bytes();
        self.0.shrink_to_fit();
        gauge::release(before - self.bytes());
    }

    pub const fn capacity(&self) -> usize {
        self.0.capacity()
    }

    pub const fn len(&self) -> usize {
        self.0.len()
    }

    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub const fn as_slice(&self) -> &[T] {
        self.0.as_slice()
    }

    pub const fn as_mut_slice(&mut self) -> &mut [T] {
        self.0.as_mut_slice()
    }
}

impl<T: Clone> Vec<T> {
    #[inline]
    pub fn extend_from_slice(&mut self, more: &[T]) {
        if self.make_room(more.len()) {
            gauge::spend_few_bytes(size_of_val(more));
            self.0.extend_from_slice(more);
        }
    }

    /// Copies much, with looks at the clock. When the time is over meanwhile, there is nothing.
    fn copied_in_pieces(items: &[T]) -> Self {
        let mut vec = Self::with_capacity(items.len());
        for piece in items.chunks(PIECE / size_of::<T>().max(1) + 1) {
            if gauge::is_time_over() {
                return Self::new();
            }
            vec.extend_from_slice(piece);
        }
        vec
    }

    /// Appends a copy of a part of itself.
    ///
    /// # Panics
    /// As `std`'s, when the range is not within the length.
    pub fn extend_from_within<R: RangeBounds<usize>>(&mut self, range: R) {
        let start = match range.start_bound() {
            std::ops::Bound::Included(&start) => start,
            std::ops::Bound::Excluded(&before) => before + 1,
            std::ops::Bound::Unbounded => 0,
        };
        let end = match range.end_bound() {
            std::ops::Bound::Included(&last) => last + 1,
            std::ops::Bound::Excluded(&end) => end,
            std::ops::Bound::Unbounded => self.0.len(),
        };
        if self.make_room(end.saturating_sub(start)) {
            gauge::spend_bytes(end.saturating_sub(start) * size_of::<T>());
            self.0.extend_from_within(start..end);
        }
    }

    pub fn resize(&mut self, len: usize, item: T) {
        if len <= self.0.len() || self.make_room(len - self.0.len()) {
            gauge::spend_bytes(len.saturating_sub(self.0.len()) * size_of::<T>());
            self.0.resize(len, item);
        }
    }

    /// Appends `count` copies of `item`.
    pub fn resize_by(&mut self, count: usize, item: T) {
        self.resize(self.0.len().saturating_add(count), item);
    }

    /// `count` copies of `item`.
    pub fn of_copies(item: T, count: usize) -> Self {
        let mut vec = Self::new();
        vec.resize(count, item);
        vec
    }
}

impl<T: PartialEq> Vec<T> {
    pub fn dedup(&mut self) {
        self.0.dedup();
    }
}

impl<T> Drop for Vec<T> {
    #[inline]
    fn drop(&mut self) {
        let bytes = self.bytes();
        if bytes > 0 {
            gauge::release(bytes);
        }
    }
}

impl<T> Default for Vec<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> Deref for Vec<T> {
    type Target = [T];
    fn deref(&self) -> &[T] {
        &self.0
    }
}

impl<T> DerefMut for Vec<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.0
    }
}

impl<T: Clone> Clone for Vec<T> {
    #[inline]
    fn clone(&self) -> Self {
        if self.is_empty() { Self::new() } else { Self::from(self.as_slice()) }
    }

    fn clone_from(&mut self, source: &Self) {
        self.clear();
        self.extend_from_slice(source);
    }
}

impl<T> AsRef<[T]> for Vec<T> {
    fn as_ref(&self) -> &[T] {
        &self.0
    }
}

impl<T> Borrow<[T]> for Vec<T> {
    fn borrow(&self) -> &[T] {
        &self.0
    }
}

impl<T: fmt::Debug> fmt::Debug for Vec<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
