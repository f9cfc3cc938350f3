//! A `VecDeque` that asks before it grows.

use crate::limit::gauge;
use std::fmt;
use std::ops::{Deref, RangeBounds};

/// See the module. Its capacity is charged. What does not grow it is reached through the queue of `std` behind it.
pub struct VecDeque<T>(std::collections::VecDeque<T>);

impl<T> VecDeque<T> {
    pub const fn new() -> Self {
        Self(std::collections::VecDeque::new())
    }

    fn bytes(&self) -> usize {
        self.0.capacity() * size_of::<T>()
    }

    fn make_room(&mut self, more: usize) -> bool {
        let (length, before) = (self.0.len(), self.0.capacity());
        let Some(needed) = length.checked_add(more) else {
            gauge::refuse(crate::limit::Limit::LiveBytes);
            return false;
        };
        if needed <= before {
            return true;
        }
        let capacity = before.saturating_mul(2).max(needed).max(4);
        let bytes = (capacity - before).saturating_mul(size_of::<T>());
        if !gauge::charge(bytes) {
            return false;
        }
        if self.0.try_reserve_exact(capacity - length).is_err() {
            gauge::release(bytes);
            gauge::refuse(crate::limit::Limit::LiveBytes);
            return false;
        }
        true
    }

    pub fn push_back(&mut self, item: T) {
        if self.make_room(1) {
            self.0.push_back(item);
        }
    }

    pub fn push_front(&mut self, item: T) {
        if self.make_room(1) {
            self.0.push_front(item);
        }
    }

    pub fn pop_front(&mut self) -> Option<T> {
        self.0.pop_front()
    }

    pub fn pop_back(&mut self) -> Option<T> {
        self.0.pop_back()
    }

    pub fn front_mut(&mut self) -> Option<&mut T> {
        self.0.front_mut()
    }

    pub fn back_mut(&mut self) -> Option<&mut T> {
        self.0.back_mut()
    }

    pub fn get_mut(&mut self, index: usize) -> Option<&mut T> {
        self.0.get_mut(index)
    }

    pub fn iter_mut(&mut self) -> std::collections::vec_deque::IterMut<'_, T> {
        self.0.iter_mut()
    }

    pub fn remove(&mut self, index: usize) -> Option<T> {
        gauge::spend_bytes(self.0.len() * size_of::<T>());
        self.0.remove(index)
    }

    pub fn retain(&mut self, keep: impl FnMut(&T) -> bool) {
        gauge::spend_bytes(self.0.len() * size_of::<T>());
        self.0.retain(keep);
    }

    pub fn truncate(&mut self, len: usize) {
        self.0.truncate(len);
    }

    pub fn clear(&mut self) {
        self.0.clear();
    }

    pub fn drain<R: RangeBounds<usize>>(&mut self, range: R) -> std::collections::vec_deque::Drain<'_, T> {
        self.0.drain(range)
    }

    /// Moves all items of `other` to the end.
    pub fn append(&mut self, other: &mut Self) {
        if !other.0.is_empty() && self.make_room(other.0.len()) {
            self.0.append(&mut other.0);
        }
    }

    pub fn make_contiguous(&mut self) -> &mut [T] {
        self.0.make_contiguous()
    }
}

impl<T: Copy> VecDeque<T> {
    /// Appends `more`.
    pub fn extend_from_slice(&mut self, more: &[T]) {
        if self.make_room(more.len()) {
            gauge::spend_bytes(size_of_val(more));
            self.0.extend(more);
        }
    }
}

impl<T> Drop for VecDeque<T> {
    fn drop(&mut self) {
        gauge::release(self.bytes());
    }
}

impl<T> Default for VecDeque<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> Deref for VecDeque<T> {
    type Target = std::collections::VecDeque<T>;
    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl<T> From<super::Vec<T>> for VecDeque<T> {
    fn from(items: super::Vec<T>) -> Self {
        items.into_iter().collect()
    }
}

impl<T> From<VecDeque<T>> for super::Vec<T> {
    fn from(items: VecDeque<T>) -> Self {
        items.into_iter().collect()
    }
}

impl<T: Clone> Clone for VecDeque<T> {
    fn clone(&self) -> Self {
        self.0.iter().cloned().collect()
    }
}

impl<T> Extend<T> for VecDeque<T> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, items: I) {
        for item in items {
            if !self.make_room(1) {
                return;
            }
            self.0.push_back(item);
        }
    }
}

impl<T> FromIterator<T> for VecDeque<T> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        let mut queue = Self::new();
        queue.extend(items);
        queue
    }
}

impl<'a, T> IntoIterator for &'a VecDeque<T> {
    type Item = &'a T;
    type IntoIter = std::collections::vec_deque::Iter<'a, T>;
    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}

impl<'a, T> IntoIterator for &'a mut VecDeque<T> {
    type Item = &'a mut T;
    type IntoIter = std::collections::vec_deque::IterMut<'a, T>;
    fn into_iter(self) -> Self::IntoIter {
        self.0.iter_mut()
    }
}

impl<T> IntoIterator for VecDeque<T> {
    type Item = T;
    type IntoIter = super::vec::IntoIter<T>;
    fn into_iter(mut self) -> Self::IntoIter {
        gauge::release(self.bytes());
        super::Vec::from_std(std::vec::Vec::from(std::mem::take(&mut self.0))).into_iter()
    }
}

impl<T: fmt::Debug> fmt::Debug for VecDeque<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl<T: PartialEq> PartialEq for VecDeque<T> {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}
