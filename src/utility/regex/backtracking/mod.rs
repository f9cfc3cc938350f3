//! Perl's regular expressions with look-around, atomic groups and back-references: one thread after the other, the first
//! match in the order of preference wins. A limit on the steps bounds what no other bound can; what is left to try is on
//! the heap, and others run meanwhile.
//!
//! `parse` and `class` make `node`s of an expression (with PCRE's errors), `compile` a program, which runs here.
//!
//! Left out: recursion, conditions, verbs, callouts, `\X`; look-behind has branches of a fixed length each.

mod class;
mod compile;
mod node;
mod parse;
mod set;

use super::backtrack::repeated;
use super::error::RegexError;
use super::options::Span;
use crate::character::{Class, Unit, character, fold, unit_at, unit_before};
use crate::memory::{Vec, vec};
use crate::utility::context::pace::Pace;
use compile::{Compiler, Instruction, Program};
use node::{Assertion, Node};
pub(crate) use parse::Flags as PerlFlags;

/// An expression that was looked at: what is wrong with it is known, and what it needs.
pub(crate) struct PerlSyntax(parse::Parsed);

impl PerlSyntax {
    /// Reads an expression.
    ///
    /// # Errors
    ///
    /// What is wrong with it, in PCRE's words.
    pub(crate) fn parse(source: &str, flags: PerlFlags) -> Result<Self, RegexError> {
        parse::parse(source, flags).map(Self)
    }

    /// The same over a whole text.
    pub(crate) fn of_whole_text(self) -> Self {
        let parse::Parsed { node, groups } = self.0;
        let all = vec![Node::Assert(Assertion::TextStart), node, Node::Assert(Assertion::TextEnd)];
        Self(parse::Parsed { node: Node::Sequence(all), groups })
    }

    /// Whether it has look-around, back-references or atomic groups, which no engine matches in linear time.
    pub(crate) fn needs_backtracking(&self) -> bool {
        self.0.node.needs_backtracking()
    }

    /// The program; `size` instructions are allowed, and `steps` for a search.
    pub(crate) fn compile(
        self,
        flags: PerlFlags,
        size: usize,
        steps: u64,
    ) -> Result<Backtracking, RegexError> {
        let parse::Parsed { node, groups } = self.0;
        let compiler = Compiler { program: Program::default(), limit: size };
        let program = compiler.whole(&node)?;
        Ok(Backtracking { program, groups: groups as usize, steps, is_unicode: flags.unicode })
    }
}

/// A compiled expression.
#[derive(Debug)]
pub(crate) struct Backtracking {
    program: Program,
    groups: usize,
    steps: u64,
    is_unicode: bool,
}

/// What is to be done when an attempt fails.
enum Retry {
    Try {
        pc: u32,
        at: usize,
    },
    RestoreSlot {
        slot: u32,
        value: Option<usize>,
    },
    RestoreMark {
        mark: u32,
        value: usize,
    },
    /// The beginning of what is tried by itself.
    Open {
        is_negated: bool,
        end: u32,
        at: usize,
    },
}

/// Steps that may wait at once.
const GREATEST_PENDING: usize = 1 << 20;
/// Steps between two looks at whose turn it is.
const TURN: u64 = 1024;
/// The place of a loop that was not entered.
const NOWHERE: usize = usize::MAX;

impl Backtracking {
    pub(crate) const fn group_count(&self) -> usize {
        self.groups
    }

    /// The first match at or after `start` and its groups, which replace what `groups` holds; without a match that is empty.
    pub(crate) async fn captures(
        &self,
        text: &[u8],
        start: usize,
        groups: &mut Vec<Option<Span>>,
        pace: &mut Pace<'_>,
    ) -> Result<bool, RegexError> {
        groups.clear();
        let mut search = PerlSearch {
            expression: self,
            text,
            start,
            slots: vec![None; 2 * (self.groups + 1)],
            marks: vec![NOWHERE; self.program.marks as usize],
            pending: Vec::new(),
            open: Vec::new(),
            steps: 0,
        };
        let mut at = start;
        while at <= text.len() {
            if let Some(first) = self.program.first {
                let Some(found) = memchr::memchr(first, text.get(at..).unwrap_or(&[])) else { break };
                at += found;
            }
            if search.matches(at, pace).await? {
                let slots = search.slots.as_slice();
                groups.extend(slots.chunks(2).map(|pair| match pair {
                    [Some(from), Some(to)] => Some((*from.min(to), *to)),
                    _ => None,
                }));
                return Ok(true);
            }
            at += unit_at(text, at).map_or(1, |(_, length)| length);
        }
        Ok(false)
    }
}

struct PerlSearch<'a> {
    expression: &'a Backtracking,
    text: &'a [u8],
    /// Where the search began.
    start: usize,
    slots: Vec<Option<usize>>,
    marks: Vec<usize>,
    pending: Vec<Retry>,
    /// Where in `pending` those are that are tried by themselves.
    open: Vec<usize>,
    steps: u64,
}

/// What an instruction leads to.
enum Outcome {
    Go(u32, usize),
    Fail,
    Match,
}

impl PerlSearch<'_> {
    /// Whether there is a match that begins at `start`.
    async fn matches(&mut self, start: usize, pace: &mut Pace<'_>) -> Result<bool, RegexError> {
        self.slots.fill(None);
        self.marks.fill(NOWHERE);
        self.pending.clear();
        self.open.clear();
        let (mut pc, mut at) = (0, start);
        let mut turn = self.steps + TURN;
        loop {
            self.steps += 1;
            if self.steps >= turn {
                turn = self.steps + TURN;
                pace.tick(TURN).await?;
            }
            if self.steps > self.expression.steps || self.pending.len() > GREATEST_PENDING {
                return Err(RegexError::Backtracking { limit: self.expression.steps });
            }
            match self.advance(pc, at) {
                Outcome::Go(next, place) => (pc, at) = (next, place),
                Outcome::Match => return Ok(true),
                Outcome::Fail => match self.back() {
                    Some(next) => (pc, at) = next,
                    None => {
                        // A start that failed at once costs a step too.
                        pace.tick(1).await?;
                        return Ok(false);
                    }
                },
            }
        }
    }

    /// Undoes what was done up to the last choice, and takes the other way.
    fn back(&mut self) -> Option<(u32, usize)> {
        while let Some(step) = self.pending.pop() {
            match step {
                Retry::Try { pc, at } => return Some((pc, at)),
                Retry::Open { is_negated, end, at } => {
                    self.open.pop();
                    if is_negated {
                        return Some((end, at));
                    }
                }
                step => self.restore(&step),
            }
        }
        None
    }

    fn restore(&mut self, step: &Retry) {
        match *step {
            Retry::RestoreSlot { slot, value } => {
                if let Some(place) = self.slots.get_mut(slot as usize) {
                    *place = value;
                }
            }
            Retry::RestoreMark { mark, value } => {
                if let Some(place) = self.marks.get_mut(mark as usize) {
                    *place = value;
                }
            }
            Retry::Try { .. } | Retry::Open { .. } => {}
        }
    }

    fn save(&mut self, slot: u32, at: usize) {
        if let Some(place) = self.slots.get_mut(slot as usize) {
            let value = place.replace(at);
            self.pending.push(Retry::RestoreSlot { slot, value });
        }
    }

    /// Does one instruction.
    fn advance(&mut self, pc: u32, at: usize) -> Outcome {
        let program = &self.expression.program;
        let Some(&instruction) = program.code.get(pc as usize) else { return Outcome::Fail };
        let next = pc + 1;
        let go_if = |holds: bool| if holds { Outcome::Go(next, at) } else { Outcome::Fail };
        match instruction {
            Instruction::Character(wanted) => self.take(next, at, |unit| unit == wanted),
            Instruction::Folded(wanted) => self.take(next, at, |unit| unit == wanted || fold(unit) == wanted),
            Instruction::NotNewline => {
                self.take(next, at, |unit| unit != Unit::from(b'\n') && character(unit).is_some())
            }
            Instruction::Any => self.take(next, at, |unit| character(unit).is_some()),
            Instruction::Set(set) => match program.sets.get(set as usize) {
                Some(set) => self.take(next, at, |unit| set.contains(unit)),
                None => Outcome::Fail,
            },
            Instruction::Assert(assertion) => go_if(self.holds(assertion, at)),
            Instruction::Save(slot) => {
                self.save(slot, at);
                Outcome::Go(next, at)
            }
            Instruction::Keep => {
                self.save(0, at);
                Outcome::Go(next, at)
            }
            Instruction::Split(first, second) => {
                self.pending.push(Retry::Try { pc: second, at });
                Outcome::Go(first, at)
            }
            Instruction::Jump(to) => Outcome::Go(to, at),
            Instruction::Mark(mark) => {
                if let Some(place) = self.marks.get_mut(mark as usize) {
                    let value = std::mem::replace(place, at);
                    self.pending.push(Retry::RestoreMark { mark, value });
                }
                Outcome::Go(next, at)
            }
            Instruction::Repeat(mark, to) => {
                let is_empty = self.marks.get(mark as usize) == Some(&at);
                Outcome::Go(if is_empty { next } else { to }, at)
            }
            Instruction::Reference(group, ignore_case) => {
                match self.reference(group as usize, at, ignore_case) {
                    Some(length) => Outcome::Go(next, at + length),
                    None => Outcome::Fail,
                }
            }
            Instruction::Back(count) => {
                let mut place = at;
                for _ in 0..count {
                    let Some((_, length)) = unit_before(self.text, place) else { return Outcome::Fail };
                    place -= length;
                }
                Outcome::Go(next, place)
            }
            Instruction::Open { is_negated, end } => {
                self.open.push(self.pending.len());
                self.pending.push(Retry::Open { is_negated, end, at });
                Outcome::Go(next, at)
            }
            Instruction::CloseLook => Outcome::Go(next, self.forget_choices().unwrap_or(at)),
            Instruction::CloseAtomic => {
                self.forget_choices();
                Outcome::Go(next, at)
            }
            Instruction::CloseNegated => {
                let opened = self.open.pop().unwrap_or(0);
                while self.pending.len() > opened
                    && let Some(step) = self.pending.pop()
                {
                    self.restore(&step);
                }
                Outcome::Fail
            }
            Instruction::Match => Outcome::Match,
        }
    }

    /// What was tried by itself matched: its other ways are forgotten, what it changed can be undone still. Gives the place
    /// where it began.
    fn forget_choices(&mut self) -> Option<usize> {
        let opened = self.open.pop()?;
        let began = match self.pending.get(opened) {
            Some(Retry::Open { at, .. }) => Some(*at),
            _ => None,
        };
        let mut kept = Vec::new();
        while self.pending.len() > opened
            && let Some(step) = self.pending.pop()
        {
            self.steps += 1;
            if let Retry::RestoreSlot { .. } | Retry::RestoreMark { .. } = step {
                kept.push(step);
            }
        }
        while let Some(step) = kept.pop() {
            self.pending.push(step);
        }
        began
    }

    fn take(&self, next: u32, at: usize, is_wanted: impl Fn(Unit) -> bool) -> Outcome {
        match unit_at(self.text, at) {
            Some((unit, length)) if is_wanted(unit) => Outcome::Go(next, at + length),
            _ => Outcome::Fail,
        }
    }

    fn holds(&self, assertion: Assertion, at: usize) -> bool {
        let newline = Unit::from(b'\n');
        let before = || unit_before(self.text, at).map(|(unit, _)| unit);
        let after = || unit_at(self.text, at).map(|(unit, _)| unit);
        let is_word = |unit: Option<Unit>| {
            unit.and_then(character)
                .is_some_and(|c| Class::Word.contains(c) && (c.is_ascii() || self.expression.is_unicode))
        };
        match assertion {
            Assertion::TextStart => at == 0,
            Assertion::TextEnd => at == self.text.len(),
            Assertion::LastLineEnd => {
                self.text.get(at..).is_some_and(|rest| rest.is_empty() || rest == b"\n")
            }
            Assertion::LineStart => at == 0 || before() == Some(newline),
            Assertion::LineEnd => at == self.text.len() || after() == Some(newline),
            Assertion::WordBoundary => is_word(before()) != is_word(after()),
            Assertion::NotWordBoundary => is_word(before()) == is_word(after()),
            Assertion::SearchStart => at == self.start,
        }
    }

    /// The length of what the group matched, if the text at `at` repeats it. A group that is not set matches nothing.
    fn reference(&mut self, group: usize, at: usize, ignore_case: bool) -> Option<usize> {
        let start = (*self.slots.get(2 * group)?)?;
        let end = (*self.slots.get(2 * group + 1)?)?;
        let wanted = self.text.get(start..end)?;
        self.steps += wanted.len() as u64 / 16;
        repeated(wanted, self.text.get(at..)?, ignore_case)
    }
}
