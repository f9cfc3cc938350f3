//! The items of a `Vec`, one by one.

use super::Vec;
use crate::limit::gauge;
use std::fmt;

/// The items of a [`Vec`] that was taken apart; its memory is charged until it is dropped.
pub struct IntoIter<T> {
    items: std::vec::IntoIter<T>,
    bytes: usize,
}

impl<T> IntoIter<T> {
    /// The items that are left.
    pub fn as_slice(&self) -> &[T] {
        self.items.as_slice()
    }
}

impl<T: fmt::Debug> fmt::Debug for IntoIter<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.items.fmt(f)
    }
}

impl<T> Default for IntoIter<T> {
    fn default() -> Self {
        Vec::new().into_iter()
    }
}

impl<T> Iterator for IntoIter<T> {
    type Item = T;
    #[inline]
    fn next(&mut self) -> Option<T> {
        self.items.next()
    }
    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        self.items.size_hint()
    }
}

impl<T> DoubleEndedIterator for IntoIter<T> {
    fn next_back(&mut self) -> Option<T> {
        self.items.next_back()
    }
}

impl<T> ExactSizeIterator for IntoIter<T> {}

impl<T> Drop for IntoIter<T> {
    #[inline]
    fn drop(&mut self) {
        gauge::release(self.bytes);
    }
}

impl<T> IntoIterator for Vec<T> {
    type Item = T;
    type IntoIter = IntoIter<T>;
    #[inline]
    fn into_iter(mut self) -> IntoIter<T> {
        let bytes = self.bytes();
        IntoIter { items: std::mem::take(&mut self.0).into_iter(), bytes }
    }
}

impl<'a, T> IntoIterator for &'a Vec<T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;
    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}

impl<'a, T> IntoIterator for &'a mut Vec<T> {
    type Item = &'a mut T;
    type IntoIter = std::slice::IterMut<'a, T>;
    fn into_iter(self) -> Self::IntoIter {
        self.0.iter_mut()
    }
}
