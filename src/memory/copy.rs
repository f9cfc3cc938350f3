//! Copies and joins of slices as metered containers: what `to_vec`, `to_string`, `concat` and `join` are for `std`'s.

use super::string::String;
use super::vec::Vec;
use std::fmt::Display;

/// A metered copy of borrowed data.
pub trait ToMetered {
    /// What owns the copy.
    type Owned;
    /// The copy.
    fn to_metered(&self) -> Self::Owned;
}

impl<T: Clone> ToMetered for [T] {
    type Owned = Vec<T>;
    fn to_metered(&self) -> Vec<T> {
        Vec::from(self)
    }
}

impl ToMetered for str {
    type Owned = String;
    fn to_metered(&self) -> String {
        String::from(self)
    }
}

/// A metered text of what can be displayed.
pub trait ToMeteredString: Display {
    /// The text.
    fn to_metered_string(&self) -> String {
        super::format::format_text(format_args!("{self}"))
    }
}

impl<T: Display + ?Sized> ToMeteredString for T {}

/// A metered text of an integer, without the detour over what formats.
pub trait ToDecimal: itoa::Integer + Copy {
    /// The integer in decimal.
    fn to_decimal(self) -> String {
        String::from(itoa::Buffer::new().format(self))
    }
}

impl<T: itoa::Integer + Copy> ToDecimal for T {}

/// Parts put together; the whole is measured before it is built.
pub trait JoinMetered {
    /// The parts one after the other.
    fn concat_metered(&self) -> Vec<u8> {
        self.join_metered(b"")
    }
    /// The parts with `separator` between each two.
    fn join_metered(&self, separator: &[u8]) -> Vec<u8>;
}

impl<T: AsRef<[u8]>> JoinMetered for [T] {
    fn join_metered(&self, separator: &[u8]) -> Vec<u8> {
        let parts: usize = self.iter().fold(0, |sum, part| sum.saturating_add(part.as_ref().len()));
        let separators = separator.len().saturating_mul(self.len().saturating_sub(1));
        let mut whole = Vec::with_capacity(parts.saturating_add(separators));
        for (at, part) in self.iter().enumerate() {
            if at > 0 {
                whole.extend_from_slice(separator);
            }
            whole.extend_from_slice(part.as_ref());
        }
        whole
    }
}

/// Texts put together.
pub trait JoinText {
    /// The texts with `separator` between each two.
    fn join_text(&self, separator: &str) -> String;
}

impl<T: AsRef<str>> JoinText for [T] {
    fn join_text(&self, separator: &str) -> String {
        let mut whole = String::new();
        for (at, part) in self.iter().enumerate() {
            if at > 0 {
                whole.push_str(separator);
            }
            whole.push_str(part.as_ref());
        }
        whole
    }
}

/// `text`, `count` times; measured before it is built.
pub fn repeat(bytes: &[u8], count: usize) -> Vec<u8> {
    let Some(length) = bytes.len().checked_mul(count) else {
        crate::limit::gauge::refuse(crate::limit::Limit::LiveBytes);
        return Vec::new();
    };
    let mut whole = Vec::with_capacity(length);
    if whole.capacity() >= length {
        for _ in 0..count {
            whole.extend_from_slice(bytes);
        }
    }
    whole
}

/// As [`repeat`], of a text.
pub fn repeat_text(text: &str, count: usize) -> String {
    String::from_utf8(repeat(text.as_bytes(), count)).unwrap_or_default()
}
