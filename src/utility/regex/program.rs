//! A regular expression as a program: instructions with relative jumps, so that a part can be copied or moved as it is.
//!
//! The program is read by three machines: `simulate` (all threads at once), `automaton` (the same, remembered), and
//! `backtrack` (one thread after the other, for back-references).

use crate::character::{
    Class, INVALID, LOWERS, UPPERS, Unit, character, fold, is_word, unfold, unit_at, unit_before,
};
use crate::memory::{Vec, vec};

/// What must hold at a place, for which no character is consumed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Assertion {
    TextStart,
    TextEnd,
    LineStart,
    LineEnd,
    WordBoundary,
    NotWordBoundary,
    WordStart,
    WordEnd,
    /// No word character before (`grep -w`).
    NoWordBefore,
    /// No word character after (`grep -w`).
    NoWordAfter,
}

/// A step of the program. Jumps are relative to the instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Instruction {
    /// Consumes this character.
    Character(Unit),
    /// Consumes a character of a set.
    Set(u32),
    /// Consumes any character; not a newline where newlines are special.
    Any,
    /// Goes on at both, the first preferred: a repetition.
    Split(i32, i32),
    /// Goes on at the next instruction or there: an alternative.
    Alternative(i32),
    Jump(i32),
    /// Notes the place in a slot; group `n` is between slots `2n` and `2n + 1`.
    Save(u32),
    Assert(Assertion),
    /// Consumes what the group matched.
    BackReference(u32),
    Match,
}

/// What a bracket expression, `\w` or a character whose case does not matter matches.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Set {
    /// The ASCII characters, negation and case applied.
    pub(super) ascii: u128,
    is_negated: bool,
    ignore_case: bool,
    ranges: Vec<(Unit, Unit)>,
    classes: Vec<Class>,
}

impl Set {
    /// Bytes that it takes.
    fn bytes(&self) -> usize {
        size_of::<Self>() + size_of_val(self.ranges.as_slice()) + size_of_val(self.classes.as_slice())
    }

    pub(super) fn push_range(&mut self, first: Unit, last: Unit) {
        if let Ok(first) = u8::try_from(first.min(127))
            && let Ok(last) = u8::try_from(last.min(127))
        {
            self.ascii |= crate::character::ascii_range(first, last);
        }
        if last >= 128 {
            self.ascii &= if first >= 128 { !(1 << 127) } else { u128::MAX };
            self.ranges.push((first, last));
        }
    }

    pub(super) fn push_class(&mut self, class: Class) {
        self.ascii |= class.ascii();
        self.classes.push(class);
    }

    /// Applies case and negation; `excluded` are ASCII characters that a negated set does not match.
    pub(super) fn finish(&mut self, is_negated: bool, ignore_case: bool, excluded: u128) {
        self.ignore_case = ignore_case;
        if ignore_case {
            self.ascii = (self.ascii & !LOWERS) | ((self.ascii & UPPERS) << 32);
        }
        self.is_negated = is_negated;
        if is_negated {
            self.ascii = !self.ascii & !excluded;
        }
    }

    /// Whether the set matches the character; an invalid byte is in no set.
    pub(super) fn contains(&self, unit: Unit) -> bool {
        if unit < 128 {
            return self.ascii & (1 << unit) != 0;
        }
        let Some(c) = character(unit) else { return false };
        let lists = |unit: Unit| self.ranges.iter().any(|&(first, last)| first <= unit && unit <= last);
        let listed = lists(unit)
            || self.classes.iter().any(|class| class.contains(c))
            || (self.ignore_case && (lists(fold(unit)) || lists(unfold(unit)) || self.has_cased_class(c)));
        listed != self.is_negated
    }

    /// Ranges of characters beyond ASCII in which all that the set matches are, and whether it matches all of them.
    pub(super) fn beyond_ascii(&self) -> (Vec<(Unit, Unit)>, bool) {
        const LAST: Unit = 0x10_ffff;
        let is_ascii = self.ranges.is_empty() && self.classes.is_empty();
        match (is_ascii, self.is_negated) {
            (true, true) => (vec![(128, LAST)], true),
            (true, false) => (Vec::new(), true),
            (false, false) if self.classes.is_empty() && !self.ignore_case => {
                let beyond = self.ranges.iter().filter(|range| range.1 < INVALID);
                let exact = self.ranges.iter().all(|range| range.1 < INVALID);
                let ranges: Vec<_> = beyond.map(|&(first, last)| (first.max(128), last)).collect();
                if exact { (ranges, true) } else { (vec![(128, LAST)], false) }
            }
            _ => (vec![(128, LAST)], false),
        }
    }

    fn has_cased_class(&self, c: char) -> bool {
        (c.is_lowercase() || c.is_uppercase())
            && self.classes.iter().any(|class| matches!(class, Class::Lower | Class::Upper))
    }
}

/// The characters on both sides of a place; `None` at an end of the text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Neighbours {
    pub(super) before: Option<Unit>,
    pub(super) after: Option<Unit>,
}

impl Neighbours {
    pub(super) fn of(text: &[u8], at: usize) -> Self {
        Self { before: unit_before(text, at).map(|u| u.0), after: unit_at(text, at).map(|u| u.0) }
    }

    /// Whether the assertion holds here.
    pub(super) fn satisfies(self, assertion: Assertion) -> bool {
        let newline = Some(Unit::from(b'\n'));
        let before = || self.before.is_some_and(is_word);
        let after = || self.after.is_some_and(is_word);
        match assertion {
            Assertion::TextStart => self.before.is_none(),
            Assertion::TextEnd => self.after.is_none(),
            Assertion::LineStart => self.before.is_none() || self.before == newline,
            Assertion::LineEnd => self.after.is_none() || self.after == newline,
            Assertion::WordBoundary => before() != after(),
            Assertion::NotWordBoundary => before() == after(),
            Assertion::WordStart => !before() && after(),
            Assertion::WordEnd => before() && !after(),
            Assertion::NoWordBefore => !before(),
            Assertion::NoWordAfter => !after(),
        }
    }
}

/// A compiled regular expression.
#[derive(Clone, Debug, Default)]
pub(super) struct Program {
    pub(super) code: Vec<Instruction>,
    pub(super) sets: Vec<Set>,
    /// Groups, the whole match not counted.
    pub(super) groups: usize,
    pub(super) has_back_references: bool,
    pub(super) has_assertions: bool,
    /// `.` does not match a newline.
    pub(super) newline_sensitive: bool,
    pub(super) ignore_case: bool,
    pub(super) hints: Hints,
}

/// What is known of every match, to skip text that has none.
#[derive(Clone, Debug, Default)]
pub(super) struct Hints {
    /// The whole expression is this text.
    pub(super) literal: Option<Vec<u8>>,
    /// The longest text that is known to be in every match; empty when there is none.
    pub(super) required: Vec<u8>,
    /// Every match begins at the start of the text.
    pub(super) is_anchored: bool,
    /// The bytes a match can begin with, a bit each; `None` when it can be empty.
    pub(super) first: Option<[u64; 4]>,
    /// The same bytes, when they are three at most.
    pub(super) few: Vec<u8>,
}

impl Program {
    /// Bytes that it takes, with those of a simulation.
    pub(super) fn bytes(&self) -> u64 {
        let sets: usize = self.sets.iter().map(Set::bytes).sum();
        (self.code.len() as u64)
            .saturating_mul(super::options::BYTES_PER_INSTRUCTION)
            .saturating_add(sets as u64)
    }

    /// The target of a relative jump.
    pub(super) fn target(at: usize, offset: i32) -> usize {
        at.saturating_add_signed(offset as isize)
    }

    /// Whether a consuming instruction takes the character.
    pub(super) fn takes(&self, instruction: Instruction, unit: Unit) -> bool {
        match instruction {
            Instruction::Character(literal) => literal == unit,
            Instruction::Set(set) => self.sets.get(set as usize).is_some_and(|set| set.contains(unit)),
            Instruction::Any => unit < INVALID && !(self.newline_sensitive && unit == Unit::from(b'\n')),
            _ => false,
        }
    }

    /// Walks what every match goes through, from the first instruction on, and notes what is known of it.
    pub(super) fn find_hints(&mut self) {
        let mut run = Vec::new();
        let mut longest = Vec::new();
        let mut is_literal = true;
        let mut is_anchored = false;
        let mut at = 0;
        while let Some(&instruction) = self.code.get(at) {
            let mut next = at + 1;
            let mut ends_run = true;
            match instruction {
                Instruction::Character(unit) => {
                    crate::character::push_unit(&mut run, unit);
                    ends_run = false;
                }
                Instruction::Save(_) => ends_run = false,
                Instruction::Assert(assertion) => {
                    is_anchored |=
                        assertion == Assertion::TextStart && run.is_empty() && longest.is_empty() && at == 0;
                    is_literal = false;
                    ends_run = false;
                }
                Instruction::Split(_, exit) => {
                    is_literal = false;
                    next = Self::target(at, exit);
                }
                Instruction::Jump(_) | Instruction::Alternative(_) => {
                    is_literal = false;
                    break;
                }
                Instruction::Match => break,
                Instruction::Set(_) | Instruction::Any | Instruction::BackReference(_) => is_literal = false,
            }
            if ends_run {
                take_longer(&mut longest, &mut run);
            }
            at = next;
        }
        take_longer(&mut longest, &mut run);
        self.hints.literal = (is_literal && self.groups == 0 && !longest.is_empty()).then(|| longest.clone());
        self.hints.required = longest;
        self.hints.is_anchored = is_anchored;
        self.hints.first = self.first_bytes();
        if let Some(first) = &self.hints.first {
            let count: u32 = first.iter().map(|word| word.count_ones()).sum();
            if (1..=3).contains(&count) {
                self.hints.few = (0..=255_u8).filter(|&byte| is_in(first, byte)).collect();
            }
        }
    }

    /// The bytes a match can begin with; `None` when it can be empty or begins with a back-reference.
    fn first_bytes(&self) -> Option<[u64; 4]> {
        let mut first = [0_u64; 4];
        let mut seen = vec![false; self.code.len()];
        let mut pending = vec![0];
        while let Some(at) = pending.pop() {
            match seen.get_mut(at) {
                Some(mark) if !*mark => *mark = true,
                _ => continue,
            }
            match *self.code.get(at)? {
                Instruction::Character(unit) => {
                    let mut bytes = Vec::with_capacity(4);
                    crate::character::push_unit(&mut bytes, unit);
                    let byte = *bytes.first()?;
                    *first.get_mut(usize::from(byte / 64))? |= 1 << (byte % 64);
                }
                Instruction::Set(set) => {
                    let ascii = self.sets.get(set as usize)?.ascii;
                    first[0] |= ascii as u64;
                    first[1] |= (ascii >> 64) as u64;
                    (first[2], first[3]) = (u64::MAX, u64::MAX);
                }
                Instruction::Any => first = [u64::MAX; 4],
                Instruction::Split(a, b) => pending.extend([Self::target(at, a), Self::target(at, b)]),
                Instruction::Alternative(other) => pending.extend([at + 1, Self::target(at, other)]),
                Instruction::Jump(offset) => pending.push(Self::target(at, offset)),
                Instruction::Save(_) | Instruction::Assert(_) => pending.push(at + 1),
                Instruction::BackReference(_) | Instruction::Match => return None,
            }
        }
        Some(first)
    }
}

fn is_in(set: &[u64; 4], byte: u8) -> bool {
    set.get(usize::from(byte / 64)).is_some_and(|word| word >> (byte % 64) & 1 != 0)
}

fn take_longer(longest: &mut Vec<u8>, run: &mut Vec<u8>) {
    if run.len() > longest.len() {
        std::mem::swap(longest, run);
    }
    run.clear();
}

impl Hints {
    /// The first place at or after `at` where a match can begin, as far as its first byte tells.
    pub(super) fn next_start(&self, text: &[u8], at: usize) -> Option<usize> {
        let Some(first) = &self.first else { return (at <= text.len()).then_some(at) };
        let rest = text.get(at..)?;
        let offset = match *self.few.as_slice() {
            [only] => memchr::memchr(only, rest),
            [one, two] => memchr::memchr2(one, two, rest),
            [one, two, three] => memchr::memchr3(one, two, three, rest),
            _ => rest.iter().position(|&byte| is_in(first, byte)),
        };
        offset.map(|offset| at + offset)
    }
}
