//! Bracket expressions, `[...]` (POSIX XCU 2.13.1, XBD 9.3.5): which units they match, and where they end.
//!
//! A bracket expression without its `]` is not a bracket expression: its `[` stands for itself. Looking for the `]` from
//! every `[` of a long pattern would be quadratic, so that `BracketParser` remembers from which items on the end of the
//! pattern was reached before: whether an item leads to a `]` depends on nothing before it.

use super::token::Token;
use crate::character::{Class, Unit, character, fold, unfold};
use crate::memory::Vec;

/// What one bracket expression matches.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Set {
    is_negated: bool,
    ignore_case: bool,
    ranges: Vec<(Unit, Unit)>,
    classes: Vec<Class>,
    is_mismeasured: bool,
}

impl Set {
    /// Whether bash sees its end too early where it computes lengths.
    pub(super) fn is_mismeasured(&self) -> bool {
        self.is_mismeasured
    }

    /// Whether the set matches `unit`.
    pub(super) fn contains(&self, unit: Unit) -> bool {
        let in_class = || character(unit).is_some_and(|c| self.classes.iter().any(|class| class.contains(c)));
        // A class is asked about the unit itself, though case is ignored.
        let is_listed = self.lists(unit)
            || (self.ignore_case && (self.lists(fold(unit)) || self.lists(unfold(unit))))
            || in_class();
        is_listed != self.is_negated
    }

    fn lists(&self, unit: Unit) -> bool {
        self.ranges.iter().any(|&(first, last)| first <= unit && unit <= last)
    }

    fn push(&mut self, unit: Unit) {
        self.ranges.push((unit, unit));
    }
}

/// Finds bracket expressions in one pattern.
pub(super) struct BracketParser<'a> {
    tokens: &'a [Token],
    ignore_case: bool,
    /// Whether the item that begins at this token is known to be in no bracket expression that ends.
    endless: Vec<bool>,
    /// Whether `[:`, `[=`, `[.` is known to lack its end from this token on, for each of the three.
    unclosed_from: [usize; 3],
}

enum Item {
    One(Unit),
    Class(Option<Class>),
    Nothing,
}

impl<'a> BracketParser<'a> {
    pub(super) fn new(tokens: &'a [Token], ignore_case: bool) -> Self {
        Self { tokens, ignore_case, endless: Vec::new(), unclosed_from: [usize::MAX; 3] }
    }

    fn is(&self, at: usize, byte: u8) -> bool {
        self.tokens.get(at).is_some_and(|token| token.is(byte))
    }

    /// The set of the bracket expression whose `[` is at `open`, and the index after its `]`.
    pub(super) fn parse(&mut self, open: usize) -> Option<(Set, usize)> {
        let mut set = Set { ignore_case: self.ignore_case, ..Set::default() };
        let mut at = open + 1;
        if self.is(at, b'!') || self.is(at, b'^') {
            set.is_negated = true;
            at += 1;
            set.is_mismeasured = self.is(at, b']');
        }
        let first = at;
        let mut passed = Vec::new();
        loop {
            if at > first && self.is(at, b']') {
                return Some((set, at + 1));
            }
            if at >= self.tokens.len() || (at > first && self.endless.get(at) == Some(&true)) {
                self.remember_endless(&passed);
                return None;
            }
            if at > first {
                passed.push(at);
            }
            at = self.item_or_range(at, &mut set);
        }
    }

    fn remember_endless(&mut self, passed: &[usize]) {
        self.endless.resize(self.tokens.len(), false);
        for &at in passed {
            if let Some(mark) = self.endless.get_mut(at) {
                *mark = true;
            }
        }
    }

    /// Adds the item or range that begins at `at`; the index after it.
    fn item_or_range(&mut self, at: usize, set: &mut Set) -> usize {
        let (item, after) = self.item(at);
        let first = match item {
            Item::Class(class) if self.is_end_quoted(after) => {
                set.is_mismeasured = true;
                set.classes.extend(class);
                return after;
            }
            Item::One(unit) => unit,
            Item::Class(class) => {
                set.classes.extend(class);
                return after;
            }
            Item::Nothing => return after,
        };
        let is_range = self.is(after, b'-') && after + 1 < self.tokens.len() && !self.is(after + 1, b']');
        if !is_range {
            set.push(first);
            return after;
        }
        let (item, end) = self.item(after + 1);
        match item {
            Item::One(last) if first <= last => set.ranges.push((first, last)),
            Item::One(_) => {}
            Item::Class(_) | Item::Nothing => {
                set.push(first);
                set.push(Unit::from(b'-'));
                return after + 1;
            }
        }
        end
    }

    /// The item at `at`, which is a token, and the index after it.
    fn item(&mut self, at: usize) -> (Item, usize) {
        let Some(&token) = self.tokens.get(at) else { return (Item::Nothing, at + 1) };
        let kind = [b':', b'=', b'.'].into_iter().enumerate().find(|&(_, byte)| self.is(at + 1, byte));
        if let (true, Some((index, kind))) = (token.is(b'['), kind)
            && let Some(end) = self.end_of_name(at + 2, index, kind)
        {
            let name = self.tokens.get(at + 2..end).unwrap_or_default();
            if kind != b':' && name.iter().any(|token| token.is_quoted) {
                return (Item::Nothing, end + 2);
            }
            let name: Vec<Unit> = name.iter().map(|token| token.unit).collect();
            return (named_item(kind, &name), end + 2);
        }
        (Item::One(token.unit), at + 1)
    }

    /// Whether the `:` of the `:]` before `after` is quoted.
    fn is_end_quoted(&self, after: usize) -> bool {
        after.checked_sub(2).and_then(|at| self.tokens.get(at)).is_some_and(|token| token.is_quoted)
    }

    /// Where `:]` (or `=]`, `.]`) begins at or after `from`. In bash the `:` may be quoted, and no other of these.
    fn end_of_name(&mut self, from: usize, index: usize, kind: u8) -> Option<usize> {
        let known = self.unclosed_from.get_mut(index)?;
        if from >= *known {
            return None;
        }
        let is_end = |token: &Token| token.is(kind) || (kind == b':' && token.unit == Unit::from(kind));
        let rest = self.tokens.get(from..)?;
        let found = rest.windows(2).position(|pair| matches!(pair, [a, b] if is_end(a) && b.is(b']')));
        if found.is_none() {
            *known = from;
        }
        found.map(|offset| from + offset)
    }
}

fn named_item(kind: u8, name: &[Unit]) -> Item {
    match (kind, name) {
        (b':', _) => {
            let bytes: Vec<u8> = name.iter().map(|&unit| u8::try_from(unit).unwrap_or(0)).collect();
            Item::Class(Class::named(&bytes))
        }
        (_, &[only]) => Item::One(only),
        _ => Item::Nothing,
    }
}
