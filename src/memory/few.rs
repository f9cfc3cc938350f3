//! A list of items of which there is mostly one.

use super::vec::{IntoIter, Vec};
use std::fmt;
use std::ops::{Deref, DerefMut};

/// As a [`Vec`]; a single item needs no allocation.
#[derive(Clone)]
pub struct Few<T>(Repr<T>);

#[derive(Clone)]
enum Repr<T> {
    None,
    One(T),
    Many(Vec<T>),
}

impl<T> Few<T> {
    pub const fn new() -> Self {
        Self(Repr::None)
    }

    /// Room for `capacity` items.
    pub fn with_capacity(capacity: usize) -> Self {
        if capacity > 1 { Self(Repr::Many(Vec::with_capacity(capacity))) } else { Self::new() }
    }

    pub fn as_slice(&self) -> &[T] {
        match &self.0 {
            Repr::None => &[],
            Repr::One(item) => std::slice::from_ref(item),
            Repr::Many(items) => items,
        }
    }

    pub fn as_mut_slice(&mut self) -> &mut [T] {
        match &mut self.0 {
            Repr::None => &mut [],
            Repr::One(item) => std::slice::from_mut(item),
            Repr::Many(items) => items,
        }
    }

    pub fn push(&mut self, item: T) {
        match &mut self.0 {
            Repr::None => self.0 = Repr::One(item),
            Repr::One(_) => {
                let mut items = std::mem::take(self).into_vec(2);
                items.push(item);
                self.0 = Repr::Many(items);
            }
            Repr::Many(items) => items.push(item),
        }
    }

    pub fn pop(&mut self) -> Option<T> {
        if let Repr::Many(items) = &mut self.0 {
            return items.pop();
        }
        match std::mem::take(self).0 {
            Repr::One(item) => Some(item),
            Repr::None | Repr::Many(_) => None,
        }
    }

    pub fn clear(&mut self) {
        *self = Self::new();
    }

    /// The items in a list that has room for so many, where one has to be made.
    fn into_vec(self, room: usize) -> Vec<T> {
        match self.0 {
            Repr::None => Vec::new(),
            Repr::One(item) => {
                let mut items = Vec::with_capacity(room);
                items.push(item);
                items
            }
            Repr::Many(items) => items,
        }
    }
}

impl<T> Default for Few<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> Deref for Few<T> {
    type Target = [T];
    fn deref(&self) -> &[T] {
        self.as_slice()
    }
}

impl<T> DerefMut for Few<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        self.as_mut_slice()
    }
}

impl<T> From<[T; 1]> for Few<T> {
    fn from([item]: [T; 1]) -> Self {
        Self(Repr::One(item))
    }
}

impl<T> Extend<T> for Few<T> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, items: I) {
        for item in items {
            self.push(item);
        }
    }
}

impl<T> FromIterator<T> for Few<T> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        let mut few = Self::new();
        few.extend(items);
        few
    }
}

/// The items one after the other; see [`Few`].
pub enum IntoFew<T> {
    One(Option<T>),
    Many(IntoIter<T>),
}

impl<T> Iterator for IntoFew<T> {
    type Item = T;
    fn next(&mut self) -> Option<T> {
        match self {
            Self::One(item) => item.take(),
            Self::Many(items) => items.next(),
        }
    }
    fn size_hint(&self) -> (usize, Option<usize>) {
        match self {
            Self::One(item) => item.iter().size_hint(),
            Self::Many(items) => items.size_hint(),
        }
    }
}

impl<T> IntoIterator for Few<T> {
    type Item = T;
    type IntoIter = IntoFew<T>;
    fn into_iter(self) -> IntoFew<T> {
        match self.0 {
            Repr::None => IntoFew::One(None),
            Repr::One(item) => IntoFew::One(Some(item)),
            Repr::Many(items) => IntoFew::Many(items.into_iter()),
        }
    }
}

impl<'a, T> IntoIterator for &'a Few<T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;
    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<'a, T> IntoIterator for &'a mut Few<T> {
    type Item = &'a mut T;
    type IntoIter = std::slice::IterMut<'a, T>;
    fn into_iter(self) -> Self::IntoIter {
        self.iter_mut()
    }
}

impl<T: PartialEq> PartialEq for Few<T> {
    fn eq(&self, other: &Self) -> bool {
        self.as_slice() == other.as_slice()
    }
}

impl<T: Eq> Eq for Few<T> {}

impl<T: fmt::Debug> fmt::Debug for Few<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_slice().fmt(f)
    }
}
