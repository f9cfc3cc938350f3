//! What a `Vec` is made of, and what is made of one.

use super::Vec;
use crate::limit::gauge;
use std::borrow::Cow;

impl<T: Clone> From<&[T]> for Vec<T> {
    #[inline]
    fn from(items: &[T]) -> Self {
        let bytes = size_of_val(items);
        if bytes <= gauge::SMALL {
            return if gauge::charge(bytes) { Self(items.to_vec()) } else { Self::new() };
        }
        Self::copied_in_pieces(items)
    }
}

impl<T: Clone> From<&mut [T]> for Vec<T> {
    fn from(items: &mut [T]) -> Self {
        Self::from(&*items)
    }
}

impl<T: Clone, const N: usize> From<&[T; N]> for Vec<T> {
    fn from(items: &[T; N]) -> Self {
        Self::from(items.as_slice())
    }
}

impl<T, const N: usize> From<[T; N]> for Vec<T> {
    #[inline]
    fn from(items: [T; N]) -> Self {
        let mut vec = Self::with_capacity(N);
        vec.extend(items);
        vec
    }
}

impl<T> From<std::vec::Vec<T>> for Vec<T> {
    fn from(items: std::vec::Vec<T>) -> Self {
        Self::from_std(items)
    }
}

impl<T: Clone> From<Cow<'_, [T]>> for Vec<T> {
    fn from(items: Cow<'_, [T]>) -> Self {
        match items {
            Cow::Borrowed(items) => Self::from(items),
            Cow::Owned(items) => Self::from_std(items),
        }
    }
}

impl From<&str> for Vec<u8> {
    fn from(text: &str) -> Self {
        Self::from(text.as_bytes())
    }
}

impl From<crate::memory::String> for Vec<u8> {
    fn from(text: crate::memory::String) -> Self {
        text.into_bytes()
    }
}

impl<T> FromIterator<T> for Vec<T> {
    #[inline]
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        let mut vec = Self::new();
        vec.extend(items);
        vec
    }
}

impl<T> Extend<T> for Vec<T> {
    #[inline]
    fn extend<I: IntoIterator<Item = T>>(&mut self, items: I) {
        let items = items.into_iter();
        let (least, most) = items.size_hint();
        if most == Some(least) {
            if self.make_room(least) {
                self.0.extend(items.take(least));
            }
            return;
        }
        // A hint that is too low costs a few more requests, one that is too high no memory that is not needed.
        self.make_room(least.min(1024));
        for item in items {
            if !self.make_room(1) {
                return;
            }
            self.0.push(item);
        }
    }
}

impl<'a, T: Copy + 'a> Extend<&'a T> for Vec<T> {
    fn extend<I: IntoIterator<Item = &'a T>>(&mut self, items: I) {
        self.extend(items.into_iter().copied());
    }
}

impl<T, const N: usize> TryFrom<Vec<T>> for [T; N] {
    type Error = Vec<T>;
    fn try_from(items: Vec<T>) -> Result<Self, Vec<T>> {
        items.into_std().try_into().map_err(Vec::from_std)
    }
}

impl<T> From<Vec<T>> for Box<[T]> {
    /// The slice is charged by nobody: it is for what a program keeps.
    fn from(items: Vec<T>) -> Self {
        items.into_std().into_boxed_slice()
    }
}

impl<T> From<Vec<T>> for std::sync::Arc<[T]> {
    /// Copies; the slice is charged by nobody, so it is for what a program or a session keeps.
    fn from(items: Vec<T>) -> Self {
        Self::from(items.into_std())
    }
}

impl std::io::Write for Vec<u8> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.extend_from_slice(bytes);
        Ok(bytes.len())
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
