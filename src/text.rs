//! `Text`: the byte string that words, variables and arguments are made of.
//!
//! Short values (22 bytes or fewer) live inside the `Text` and cost no allocation; longer ones are shared by reference
//! count and copied at the first write, so that cloning never copies and appending is amortised O(1). What they hold is
//! charged to the run, and a text that would be longer than [`Limits::value_bytes`](crate::limit::Limits::value_bytes)
//! stays as it was while the run ends.
//!
//! ```
//! use hookbox::text::Text;
//!
//! let text = Text::from("caf\u{e9}");
//! assert_eq!((text.len(), text.to_string().as_str()), (5, "caf\u{e9}"));
//! ```

use crate::limit::gauge;
use crate::memory::{Held, String, Vec};
use std::borrow::Borrow;
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Deref;
use std::sync::Arc;

const INLINE: usize = 22;

/// An immutable-by-default byte string, 24 bytes in size, cheap to clone.
#[derive(Clone)]
pub struct Text(Repr);

#[derive(Clone)]
enum Repr {
    Inline(u8, [u8; INLINE]),
    Static(&'static [u8]),
    Shared(Arc<Held<Vec<u8>>>),
}

impl Text {
    /// The empty text.
    pub const EMPTY: Self = Self(Repr::Inline(0, [0; INLINE]));

    /// A text over bytes that live for the whole program; no copy.
    pub const fn from_static(bytes: &'static [u8]) -> Self {
        Self(Repr::Static(bytes))
    }

    /// A text that is too long to live inside.
    fn shared(bytes: Vec<u8>) -> Self {
        if gauge::admit_value(bytes.len()) {
            Self(Repr::Shared(Arc::new(Held::new(bytes))))
        } else {
            Self::EMPTY
        }
    }

    /// The bytes.
    pub fn as_bytes(&self) -> &[u8] {
        match &self.0 {
            Repr::Inline(len, bytes) => bytes.get(..usize::from(*len)).unwrap_or(bytes),
            Repr::Static(bytes) => bytes,
            Repr::Shared(bytes) => bytes,
        }
    }

    /// Appends `more`; amortised O(`more`) while this text is not shared.
    pub(crate) fn push_bytes(&mut self, more: &[u8]) {
        match &mut self.0 {
            Repr::Shared(bytes) => {
                if gauge::admit_value(bytes.len().saturating_add(more.len())) {
                    Arc::make_mut(bytes).extend_from_slice(more);
                }
            }
            Repr::Inline(len, bytes) if usize::from(*len) + more.len() <= INLINE => {
                let start = usize::from(*len);
                if let Some(room) = bytes.get_mut(start..start + more.len()) {
                    room.copy_from_slice(more);
                    *len += more.len() as u8;
                }
            }
            Repr::Inline(..) | Repr::Static(_) => {
                let old = self.as_bytes();
                let mut bytes = Vec::with_capacity((old.len().saturating_add(more.len())).saturating_mul(2));
                bytes.extend_from_slice(old);
                bytes.extend_from_slice(more);
                *self = Self::from(bytes);
            }
        }
    }

    /// Bytes held on the heap by this text (0 for inline and static ones).
    pub(crate) fn heap_size(&self) -> usize {
        match &self.0 {
            Repr::Shared(bytes) => bytes.capacity(),
            _ => 0,
        }
    }

    /// The bytes as an owned vector; no copy when this is the only reference to a long text.
    pub fn into_vec(self) -> Vec<u8> {
        match self.0 {
            Repr::Shared(bytes) => match Arc::try_unwrap(bytes) {
                Ok(bytes) => bytes.take(),
                Err(shared) => Vec::clone(&shared),
            },
            _ => Vec::from(self.as_bytes()),
        }
    }

    /// The text for a message: invalid UTF-8 becomes U+FFFD.
    pub fn to_string_lossy(&self) -> std::borrow::Cow<'_, str> {
        std::string::String::from_utf8_lossy(self.as_bytes())
    }
}

impl Default for Text {
    fn default() -> Self {
        Self::EMPTY
    }
}

impl Deref for Text {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        self.as_bytes()
    }
}

impl AsRef<[u8]> for Text {
    fn as_ref(&self) -> &[u8] {
        self.as_bytes()
    }
}

impl Borrow<[u8]> for Text {
    fn borrow(&self) -> &[u8] {
        self.as_bytes()
    }
}

impl From<&[u8]> for Text {
    fn from(bytes: &[u8]) -> Self {
        if bytes.len() <= INLINE {
            let mut inline = [0; INLINE];
            if let Some(room) = inline.get_mut(..bytes.len()) {
                room.copy_from_slice(bytes);
            }
            Self(Repr::Inline(bytes.len() as u8, inline))
        } else {
            Self::shared(Vec::from(bytes))
        }
    }
}

impl From<Vec<u8>> for Text {
    fn from(bytes: Vec<u8>) -> Self {
        if bytes.len() <= INLINE { Self::from(bytes.as_slice()) } else { Self::shared(bytes) }
    }
}

impl From<std::vec::Vec<u8>> for Text {
    fn from(bytes: std::vec::Vec<u8>) -> Self {
        Self::from(Vec::from_std(bytes))
    }
}

impl From<&str> for Text {
    fn from(text: &str) -> Self {
        Self::from(text.as_bytes())
    }
}

impl From<String> for Text {
    fn from(text: String) -> Self {
        Self::from(text.into_bytes())
    }
}

impl From<std::string::String> for Text {
    fn from(text: std::string::String) -> Self {
        Self::from(text.into_bytes())
    }
}

impl<const N: usize> From<&[u8; N]> for Text {
    fn from(bytes: &[u8; N]) -> Self {
        Self::from(bytes.as_slice())
    }
}

/// The bytes of a short text as numbers, which overlap: they are compared without a call.
#[inline]
fn words(bytes: &[u8; INLINE]) -> (u128, u64) {
    let first = bytes.first_chunk().map_or(0, |first| u128::from_ne_bytes(*first));
    let last = bytes.last_chunk().map_or(0, |last| u64::from_ne_bytes(*last));
    (first, last)
}

impl PartialEq for Text {
    fn eq(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (Repr::Shared(own), Repr::Shared(theirs)) if Arc::ptr_eq(own, theirs) => true,
            (Repr::Static(own), Repr::Static(theirs)) if std::ptr::eq(*own, *theirs) => true,
            // After the text there are zeros.
            (Repr::Inline(length, own), Repr::Inline(other, theirs)) => {
                length == other && words(own) == words(theirs)
            }
            _ => self.as_bytes() == other.as_bytes(),
        }
    }
}

impl PartialEq<[u8]> for Text {
    fn eq(&self, other: &[u8]) -> bool {
        self.as_bytes() == other
    }
}

impl PartialEq<&[u8]> for Text {
    fn eq(&self, other: &&[u8]) -> bool {
        self.as_bytes() == *other
    }
}

impl<const N: usize> PartialEq<&[u8; N]> for Text {
    fn eq(&self, other: &&[u8; N]) -> bool {
        self.as_bytes() == other.as_slice()
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
        self.as_bytes().cmp(other.as_bytes())
    }
}

impl Hash for Text {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.as_bytes().hash(state);
    }
}

impl fmt::Debug for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", bstr::BStr::new(self.as_bytes()))
    }
}

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", bstr::BStr::new(self.as_bytes()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_three_words_and_grows_from_inline_to_shared() {
        assert_eq!(size_of::<Text>(), 24);
        let mut text = Text::from_static(b"ab");
        for _ in 0..30 {
            text.push_bytes(b"cd");
        }
        assert_eq!(text.len(), 62);
        let copy = text.clone();
        text.push_bytes(b"!");
        assert_eq!((copy.len(), text.len()), (62, 63));
    }
}
