//! Values: numbers, strings, and strings from input that count as numbers where they look like one.

use super::letter_case::push_in_case;
use super::number::{push_number, to_number, whole_number};
use crate::memory::Vec;
use crate::text::Text;
use std::cmp::Ordering;

/// Where an argument without a type came from, so that it becomes an array there when it is used as one here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    Global(u32),
    /// A place on the stack.
    Stack(usize),
    /// It is not a variable.
    Nowhere,
}

#[derive(Clone, Debug, Default)]
pub(super) enum Value {
    /// Not assigned yet: the empty string and zero. It may become an array.
    #[default]
    Unset,
    /// The same of a variable whose value was looked at, so that it is not an array.
    Unassigned,
    /// A parameter that was given a variable without a type.
    Untyped(Origin),
    Number(f64),
    Text(Text),
    /// From input: a number if it looks like one.
    Input(Text),
    /// An index into the arrays.
    Array(u32),
    /// A regular expression of the program, as an argument.
    Regex(u32),
}

impl Value {
    /// A text from input.
    pub(super) fn input(text: impl Into<Text>) -> Self {
        let text = text.into();
        // An unset value is not a number; a field that is not there is an empty input.
        if text.is_empty() { Self::Text(text) } else { Self::Input(text) }
    }

    pub(super) const fn truth(is_true: bool) -> Self {
        Self::Number(if is_true { 1.0 } else { 0.0 })
    }

    pub(super) fn number(&self) -> f64 {
        match self {
            Self::Number(number) => *number,
            Self::Text(text) | Self::Input(text) => to_number(text),
            _ => 0.0,
        }
    }

    pub(super) fn is_true(&self) -> bool {
        match self {
            Self::Number(number) => *number != 0.0,
            Self::Text(text) => !text.is_empty(),
            Self::Input(text) => whole_number(text).map_or(!text.is_empty(), |number| number != 0.0),
            _ => false,
        }
    }

    /// The number, where this counts as one in comparisons.
    fn as_number(&self) -> Option<f64> {
        match self {
            Self::Number(number) => Some(*number),
            Self::Input(text) => whole_number(text),
            Self::Text(_) => None,
            _ => Some(0.0),
        }
    }

    /// Whether it is a number or looks like one from input.
    pub(super) fn is_numeric(&self) -> bool {
        matches!(self, Self::Number(_)) || matches!(self, Self::Input(text) if whole_number(text).is_some())
    }

    /// Appends its text; numbers that are not integers by `format`.
    pub(super) fn push_text(&self, format: &[u8], out: &mut Vec<u8>) {
        match self {
            Self::Number(number) => push_number(*number, format, out),
            Self::Text(text) | Self::Input(text) => out.extend_from_slice(text),
            _ => {}
        }
    }

    pub(super) fn text(&self, format: &[u8]) -> Text {
        match self {
            Self::Text(text) | Self::Input(text) => text.clone(),
            Self::Number(number) => {
                let mut out = Vec::new();
                push_number(*number, format, &mut out);
                Text::from(out)
            }
            _ => Text::EMPTY,
        }
    }

    /// As numbers where both are, else as texts. `None`: one is not a number (NaN).
    pub(super) fn compare(&self, other: &Self, format: &[u8]) -> Option<Ordering> {
        if let (Some(left), Some(right)) = (self.as_number(), other.as_number()) {
            return left.partial_cmp(&right);
        }
        let (mut left, mut right) = (Vec::new(), Vec::new());
        Some(self.bytes(format, &mut left).cmp(other.bytes(format, &mut right)))
    }

    /// As `compare`, upper and lower case being the same.
    pub(super) fn compare_folded(&self, other: &Self, format: &[u8]) -> Option<Ordering> {
        if self.as_number().is_some() && other.as_number().is_some() {
            return self.compare(other, format);
        }
        let folded = |value: &Self| {
            let (mut buffer, mut out) = (Vec::new(), Vec::new());
            push_in_case(value.bytes(format, &mut buffer), false, &mut out);
            out
        };
        Some(folded(self).cmp(&folded(other)))
    }

    /// Its bytes, made in `buffer` where they do not exist.
    pub(super) fn bytes<'v>(&'v self, format: &[u8], buffer: &'v mut Vec<u8>) -> &'v [u8] {
        match self {
            Self::Text(text) | Self::Input(text) => text,
            _ => {
                buffer.clear();
                self.push_text(format, buffer);
                buffer
            }
        }
    }
}
