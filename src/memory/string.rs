//! A `String` that asks before it grows.

use super::vec::Vec;
use crate::limit::gauge;
use std::borrow::{Borrow, Cow};
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::{AddAssign, Deref, DerefMut};

/// See the module. Its capacity is charged.
#[derive(Default)]
pub struct String(std::string::String);

impl String {
    pub const fn new() -> Self {
        Self(std::string::String::new())
    }

    pub fn with_capacity(capacity: usize) -> Self {
        let mut text = Self::new();
        text.make_room(capacity);
        text
    }

    /// Takes over a string of `std`, whose capacity is charged from now on. When that is refused it is dropped.
    pub fn from_std(text: std::string::String) -> Self {
        if gauge::charge(text.capacity()) { Self(text) } else { Self::new() }
    }

    /// The string of `std` within, which is no longer charged: for what leaves the run.
    pub fn into_std(mut self) -> std::string::String {
        let text = std::mem::take(&mut self.0);
        gauge::release(text.capacity());
        text
    }

    /// # Errors
    /// The bytes are not UTF-8.
    pub fn from_utf8(bytes: Vec<u8>) -> Result<Self, std::str::Utf8Error> {
        match std::string::String::from_utf8(bytes.into_std()) {
            Ok(text) => Ok(Self::from_std(text)),
            Err(error) => Err(error.utf8_error()),
        }
    }

    /// Invalid UTF-8 becomes U+FFFD.
    pub fn from_utf8_lossy(bytes: &[u8]) -> Self {
        if let Ok(text) = std::str::from_utf8(bytes) {
            return Self::from(text);
        }
        let mut text = Self::with_capacity(bytes.len());
        for chunk in bytes.utf8_chunks() {
            text.push_str(chunk.valid());
            if !chunk.invalid().is_empty() {
                text.push(char::REPLACEMENT_CHARACTER);
            }
        }
        text
    }

    pub fn into_bytes(self) -> Vec<u8> {
        Vec::from_std(self.into_std().into_bytes())
    }

    #[inline]
    fn make_room(&mut self, more: usize) -> bool {
        self.0.capacity() - self.0.len() >= more || self.grow(more)
    }

    #[cold]
    fn grow(&mut self, more: usize) -> bool {
        let needed = self.0.len().saturating_add(more);
        let capacity = self.0.capacity().saturating_mul(2).max(needed).max(8);
        let bytes = capacity - self.0.capacity();
        if !gauge::charge(bytes) {
            return false;
        }
        if self.0.capacity() == 0 && bytes <= gauge::SMALL {
            self.0 = std::string::String::with_capacity(capacity);
        } else if self.0.try_reserve_exact(capacity - self.0.len()).is_err() {
            gauge::release(bytes);
            gauge::refuse(crate::limit::Limit::LiveBytes);
            return false;
        }
        true
    }

    #[inline]
    pub fn push_str(&mut self, more: &str) {
        if self.make_room(more.len()) {
            gauge::spend_bytes(more.len());
            self.0.push_str(more);
        }
    }

    #[inline]
    pub fn push(&mut self, more: char) {
        if self.make_room(more.len_utf8()) {
            self.0.push(more);
        }
    }

    pub fn pop(&mut self) -> Option<char> {
        self.0.pop()
    }

    /// # Panics
    /// As `std`'s, when `len` is within a character.
    pub fn truncate(&mut self, len: usize) {
        self.0.truncate(len);
    }

    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// # Panics
    /// As `std`'s, when `index` is within a character or past the end.
    pub fn insert_str(&mut self, index: usize, more: &str) {
        if self.make_room(more.len()) {
            gauge::spend_bytes(self.0.len() + more.len());
            self.0.insert_str(index, more);
        }
    }

    /// # Panics
    /// As `std`'s, when `index` is within a character or past the end.
    pub fn insert(&mut self, index: usize, more: char) {
        if self.make_room(more.len_utf8()) {
            self.0.insert(index, more);
        }
    }

    pub fn remove(&mut self, index: usize) -> char {
        self.0.remove(index)
    }

    pub fn retain(&mut self, keep: impl FnMut(char) -> bool) {
        self.0.retain(keep);
    }

    pub const fn as_str(&self) -> &str {
        self.0.as_str()
    }

    pub const fn capacity(&self) -> usize {
        self.0.capacity()
    }
}

impl Drop for String {
    fn drop(&mut self) {
        gauge::release(self.0.capacity());
    }
}

impl fmt::Write for String {
    /// An error when there is no room: what is being formatted can stop.
    fn write_str(&mut self, more: &str) -> fmt::Result {
        if !self.make_room(more.len()) {
            return Err(fmt::Error);
        }
        self.0.push_str(more);
        Ok(())
    }
}

impl Deref for String {
    type Target = str;
    fn deref(&self) -> &str {
        &self.0
    }
}

impl DerefMut for String {
    fn deref_mut(&mut self) -> &mut str {
        &mut self.0
    }
}

impl Clone for String {
    fn clone(&self) -> Self {
        Self::from(self.as_str())
    }
}

impl From<&str> for String {
    fn from(text: &str) -> Self {
        let mut string = Self::new();
        if !text.is_empty() && gauge::charge(text.len()) {
            string.0.reserve_exact(text.len());
            string.0.push_str(text);
        }
        string
    }
}

impl From<&String> for String {
    fn from(text: &String) -> Self {
        text.clone()
    }
}

impl From<char> for String {
    fn from(character: char) -> Self {
        let mut text = Self::new();
        text.push(character);
        text
    }
}

impl From<std::string::String> for String {
    fn from(text: std::string::String) -> Self {
        Self::from_std(text)
    }
}

impl From<String> for std::string::String {
    fn from(text: String) -> Self {
        text.into_std()
    }
}

impl From<Cow<'_, str>> for String {
    fn from(text: Cow<'_, str>) -> Self {
        match text {
            Cow::Borrowed(text) => Self::from(text),
            Cow::Owned(text) => Self::from_std(text),
        }
    }
}

impl FromIterator<char> for String {
    fn from_iter<I: IntoIterator<Item = char>>(characters: I) -> Self {
        let mut text = Self::new();
        text.extend(characters);
        text
    }
}

impl<'a> FromIterator<&'a str> for String {
    fn from_iter<I: IntoIterator<Item = &'a str>>(parts: I) -> Self {
        let mut text = Self::new();
        text.extend(parts);
        text
    }
}

impl FromIterator<String> for String {
    fn from_iter<I: IntoIterator<Item = String>>(parts: I) -> Self {
        let mut text = Self::new();
        for part in parts {
            text.push_str(&part);
        }
        text
    }
}

impl Extend<char> for String {
    fn extend<I: IntoIterator<Item = char>>(&mut self, characters: I) {
        for character in characters {
            if !self.make_room(character.len_utf8()) {
                return;
            }
            self.0.push(character);
        }
    }
}

impl<'a> Extend<&'a str> for String {
    fn extend<I: IntoIterator<Item = &'a str>>(&mut self, parts: I) {
        for part in parts {
            self.push_str(part);
        }
    }
}

impl std::ops::Add<&str> for String {
    type Output = Self;
    fn add(mut self, more: &str) -> Self {
        self.push_str(more);
        self
    }
}

impl<'de> serde::Deserialize<'de> for String {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        std::string::String::deserialize(deserializer).map(Self::from_std)
    }
}

impl From<&mut str> for String {
    fn from(text: &mut str) -> Self {
        Self::from(&*text)
    }
}

impl AddAssign<&str> for String {
    fn add_assign(&mut self, more: &str) {
        self.push_str(more);
    }
}

impl AsRef<str> for String {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl AsRef<[u8]> for String {
    fn as_ref(&self) -> &[u8] {
        self.0.as_bytes()
    }
}

impl Borrow<str> for String {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for String {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Display for String {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl PartialEq for String {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

impl PartialEq<str> for String {
    fn eq(&self, other: &str) -> bool {
        self.0 == other
    }
}

impl PartialEq<&str> for String {
    fn eq(&self, other: &&str) -> bool {
        self.0 == *other
    }
}

impl PartialEq<std::string::String> for String {
    fn eq(&self, other: &std::string::String) -> bool {
        self.0 == *other
    }
}

impl PartialEq<String> for str {
    fn eq(&self, other: &String) -> bool {
        self == other.0
    }
}

impl Eq for String {}

impl PartialOrd for String {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for String {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.cmp(&other.0)
    }
}

impl Hash for String {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.hash(state);
    }
}
