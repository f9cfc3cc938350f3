//! [`Text`]: a JSON string, shared until it is written to.
//!
//! A string from an input or a filter is never changed and stays an `Arc<str>` (one allocation). Appending makes it a
//! growing buffer; a growing buffer that has one owner is appended to in place, so that a loop of `. + "x"` is linear.

use crate::limit::gauge;
use crate::memory::{Held, String, shared};
use std::cmp::Ordering;
use std::sync::Arc;

/// A UTF-8 string.
#[derive(Clone, Debug)]
pub(crate) enum Text {
    /// A text of the program itself.
    Static(&'static str),
    /// A shared text that is not appended to.
    Fixed(Fixed),
    /// A shared text that was built by appending.
    Growing(Arc<Held<String>>),
}

/// A shared text of a fixed length; its bytes are charged while it lives.
#[derive(Clone, Debug)]
pub(crate) struct Fixed(Arc<str>);

impl Fixed {
    /// What `length` bytes take behind an `Arc`: with two counters, and up to the next eight bytes.
    const fn bytes(length: usize) -> usize {
        length.saturating_add(16 + 7) / 8 * 8
    }
}

impl Drop for Fixed {
    fn drop(&mut self) {
        if Arc::strong_count(&self.0) == 1 {
            gauge::release(Self::bytes(self.0.len()));
        }
    }
}

impl Text {
    /// The characters.
    pub(crate) fn as_str(&self) -> &str {
        match self {
            Text::Static(text) => text,
            Text::Fixed(text) => &text.0,
            Text::Growing(text) => text,
        }
    }

    /// Length in bytes.
    pub(crate) fn len(&self) -> usize {
        self.as_str().len()
    }

    /// Whether both share one text.
    pub(crate) fn is_identical(&self, other: &Text) -> bool {
        match (self, other) {
            (Text::Fixed(one), Text::Fixed(two)) => Arc::ptr_eq(&one.0, &two.0),
            (Text::Growing(one), Text::Growing(two)) => Arc::ptr_eq(one, two),
            _ => false,
        }
    }

    /// Whether appending copies no more than what is appended.
    pub(crate) fn is_appendable(&self) -> bool {
        matches!(self, Text::Growing(buffer) if Arc::strong_count(buffer) == 1)
    }

    /// This text followed by `more`; in place where this is the only owner of a growing text.
    pub(crate) fn append(self, more: &str) -> Text {
        match self {
            Text::Growing(mut buffer) => {
                if let Some(owned) = Arc::get_mut(&mut buffer) {
                    owned.push_str(more);
                    return Text::Growing(buffer);
                }
                joined(buffer.as_str(), more)
            }
            other => joined(other.as_str(), more),
        }
    }
}

fn joined(left: &str, right: &str) -> Text {
    let mut buffer = String::with_capacity(left.len().saturating_add(right.len()));
    buffer.push_str(left);
    buffer.push_str(right);
    Text::Growing(shared(buffer))
}

impl Default for Text {
    fn default() -> Self {
        Text::Static("")
    }
}

impl From<&str> for Text {
    fn from(text: &str) -> Self {
        if text.is_empty() || !gauge::charge(Fixed::bytes(text.len())) {
            return Text::Static("");
        }
        Text::Fixed(Fixed(Arc::from(text)))
    }
}

impl From<String> for Text {
    fn from(text: String) -> Self {
        Text::Growing(shared(text))
    }
}

impl PartialEq for Text {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl Eq for Text {}

impl PartialOrd for Text {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Text {
    fn cmp(&self, other: &Self) -> Ordering {
        self.as_str().cmp(other.as_str())
    }
}

impl std::borrow::Borrow<str> for Text {
    fn borrow(&self) -> &str {
        self.as_str()
    }
}

/// The text of some bytes that are not many.
pub(super) fn text_of(bytes: &[u8]) -> Text {
    if let Ok(text) = str::from_utf8(bytes) {
        return Text::from(text);
    }
    let mut text = String::with_capacity(bytes.len());
    push_replaced(bytes, true, &mut text);
    Text::from(text)
}

/// Appends bytes as text. As in jq, U+FFFD stands for a character that is too long, too large or half of a pair as a whole,
/// and for all that is left where the last character is cut, if nothing follows.
pub(super) fn push_replaced(bytes: &[u8], is_last: bool, text: &mut String) {
    if let Ok(whole) = str::from_utf8(bytes) {
        text.push_str(whole);
        return;
    }
    let mut rest = bytes;
    while let Some(&first) = rest.first() {
        let length = match first {
            0..0x80 => 1,
            0xc2..=0xdf => 2,
            0xe0..=0xef => 3,
            0xf0..=0xf4 => 4,
            _ => 1,
        };
        let inner = rest.iter().skip(1).take(length - 1);
        let good = 1 + inner.take_while(|byte| **byte & 0xc0 == 0x80).count();
        let taken = if is_last && rest.len() < length { rest.len() } else { good };
        let (character, next) = rest.split_at(taken);
        text.push_str(str::from_utf8(character).unwrap_or("\u{fffd}"));
        rest = next;
    }
}

/// An end of about `wanted` bytes at which no character is cut.
pub(super) fn text_end(bytes: &[u8], wanted: usize) -> usize {
    if wanted >= bytes.len() {
        return bytes.len();
    }
    // A byte that goes on a character has at most two before it that do so as well.
    let back = |end: &usize| bytes.get(*end).is_some_and(|byte| byte & 0xc0 != 0x80);
    (wanted.saturating_sub(3).max(1)..=wanted).rev().find(back).unwrap_or(wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn appending_to_a_shared_text_leaves_the_other_owner_alone() {
        let first = Text::from("a").append("b");
        let second = first.clone().append("c");
        assert_eq!((first.as_str(), second.as_str()), ("ab", "abc"));
    }
}
