//! [`Text`]: a JSON string, shared until it is written to.
//!
//! A string from an input or a filter is never changed and stays an `Arc<str>` (one allocation). Appending makes it a
//! growing buffer; a growing buffer that has one owner is appended to in place, so that a loop of `. + "x"` is linear.

use crate::memory::String;
use std::cmp::Ordering;
use std::sync::Arc;

/// A UTF-8 string.
#[derive(Clone, Debug)]
pub(crate) enum Text {
    /// A text of the program itself.
    Static(&'static str),
    /// A shared text that is not appended to.
    Fixed(Arc<str>),
    /// A shared text that was built by appending.
    Growing(Arc<String>),
}

impl Text {
    /// The characters.
    pub(crate) fn as_str(&self) -> &str {
        match self {
            Text::Static(text) => text,
            Text::Fixed(text) => text,
            Text::Growing(text) => text,
        }
    }

    /// Length in bytes.
    pub(crate) fn len(&self) -> usize {
        self.as_str().len()
    }

    /// This text followed by `more`; in place where this is the only owner of a growing text.
    pub(crate) fn append(self, more: &str) -> Text {
        match self {
            Text::Growing(mut buffer) => {
                if let Some(owned) = Arc::get_mut(&mut buffer) {
                    owned.push_str(more);
                    return Text::Growing(buffer);
                }
                joined(&buffer, more)
            }
            other => joined(other.as_str(), more),
        }
    }
}

fn joined(left: &str, right: &str) -> Text {
    let mut buffer = String::with_capacity(left.len().saturating_add(right.len()));
    buffer.push_str(left);
    buffer.push_str(right);
    Text::Growing(Arc::new(buffer))
}

impl Default for Text {
    fn default() -> Self {
        Text::Static("")
    }
}

impl From<&str> for Text {
    fn from(text: &str) -> Self {
        Text::Fixed(Arc::from(text))
    }
}

impl From<String> for Text {
    fn from(text: String) -> Self {
        Text::Growing(Arc::new(text))
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
