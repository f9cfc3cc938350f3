//! Sets of characters: bracket expressions, `\d` and its like, `\p{...}`.

use crate::character::{Class, LOWERS, UPPERS, Unit, character, fold, unfold};
use crate::memory::Vec;

/// A set of characters.
#[derive(Clone, Debug, Default)]
pub(super) struct Set {
    /// The ASCII characters, negation and case applied.
    ascii: u128,
    ranges: Vec<(Unit, Unit)>,
    /// Classes, and whether what is not in them is meant. Without `is_unicode` no other than ASCII characters are in one.
    classes: Vec<(Class, bool)>,
    is_unicode: bool,
    is_negated: bool,
    ignore_case: bool,
}

impl Set {
    /// An empty set, whose classes are about all characters or ASCII alone.
    pub(super) fn new(is_unicode: bool) -> Self {
        Self { is_unicode, ..Self::default() }
    }

    pub(super) fn push_range(&mut self, first: Unit, last: Unit) {
        if let (Ok(first @ 0..128), Ok(last)) = (u8::try_from(first), u8::try_from(last.min(127))) {
            self.ascii |= crate::character::ascii_range(first, last);
        }
        if last >= 128 {
            self.ranges.push((first.max(128), last));
        }
    }

    pub(super) fn push_class(&mut self, class: Class, is_negated: bool) {
        self.ascii |= if is_negated { !class.ascii() } else { class.ascii() };
        self.classes.push((class, is_negated));
    }

    /// Applies case and negation.
    pub(super) fn finish(&mut self, is_negated: bool, ignore_case: bool) {
        self.ignore_case = ignore_case;
        if ignore_case {
            self.ascii |= ((self.ascii & UPPERS) << 32) | ((self.ascii & LOWERS) >> 32);
        }
        self.is_negated = is_negated;
        if is_negated {
            self.ascii = !self.ascii;
        }
    }

    /// An invalid byte is in no set.
    pub(super) fn contains(&self, unit: Unit) -> bool {
        if unit < 128 {
            return self.ascii >> unit & 1 != 0;
        }
        let Some(c) = character(unit) else { return false };
        let in_ranges = |unit: Unit| self.ranges.iter().any(|&(first, last)| first <= unit && unit <= last);
        let in_class =
            |&(class, is_negated): &(Class, bool)| (self.is_unicode && class.contains(c)) != is_negated;
        let is_listed = in_ranges(unit)
            || self.classes.iter().any(in_class)
            || self.ignore_case && (in_ranges(fold(unit)) || in_ranges(unfold(unit)));
        is_listed != self.is_negated
    }
}
