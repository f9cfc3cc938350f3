//! A search over many lines at once, for texts of many kilobytes: the lazy automaton of `regex-automata` over a program of
//! ours, with a look ahead for the bytes that every match begins with.
//!
//! To compile takes tens of microseconds and a megabyte, so it is done once an expression has seen enough text. The
//! automaton only tells lines that may match: of characters beyond ASCII that a class has it takes all, and it asks for no
//! word's boundary. Where it was that generous, [`Dense::is_exact`] is false, and a line is looked at again.

use super::program::{Assertion, Instruction, Program};
use super::{Engine, Regex};
use crate::character::{INVALID, Unit, character};
use crate::limit::{Charge, Meter, gauge};
use crate::memory::{Vec, vec};
use regex_automata::hybrid::dfa::{Cache, DFA};
use regex_automata::nfa::thompson::{BuildError, Builder, NFA, Transition};
use regex_automata::util::look::Look;
use regex_automata::util::prefilter::Prefilter;
use regex_automata::util::primitives::StateID;
use regex_automata::{Input, MatchKind};
use regex_syntax::utf8::Utf8Sequences;
use std::sync::Arc;

/// Bytes that the compiled program may take.
const PROGRAM: usize = 256 << 10;
/// Bytes that the automaton may grow to.
const CACHE: usize = 1 << 20;
/// Bytes that the texts which matches begin with may take, with what searches for them.
const PREFIXES: usize = 128 << 10;
/// Instructions of a program that is compiled in less than a millisecond.
const GREATEST_PROGRAM: usize = 400;
/// How often the automaton may start anew before it is looked at whether it is worth its while.
const CLEARED: usize = 3;
/// An automaton that sees fewer bytes than this for each state that it makes is given up.
const BYTES_PER_STATE: usize = 10;

/// See the module.
#[derive(Debug)]
pub(crate) struct Dense {
    dfa: DFA,
    cache: Cache,
    is_exact: bool,
    #[expect(dead_code, reason = "gives the bytes back when it is dropped")]
    charge: Charge,
}

/// The automaton does not do for a text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Unfit;

impl Regex {
    /// What searches many lines at once; `None`: the expression needs a line by itself, or is too large.
    pub(crate) fn dense(&self, meter: &Arc<Meter>) -> Option<Dense> {
        match self.engine() {
            Engine::Posix(posix) => Dense::new(&posix.program, meter),
            Engine::Perl(..) => None,
        }
    }
}

impl Dense {
    fn new(program: &Program, meter: &Arc<Meter>) -> Option<Self> {
        if program.has_back_references || program.code.len() > GREATEST_PROGRAM {
            return None;
        }
        // It is made while there is room to spare: a search does without it.
        const NEEDED: u64 = (2 * PROGRAM + CACHE + PREFIXES) as u64;
        let live = u64::try_from(gauge::live().0).unwrap_or(0);
        if live.saturating_add(2 * NEEDED) > meter.limits().live_bytes {
            return None;
        }
        let mut charge = meter.empty_charge();
        charge.set(NEEDED).ok()?;
        let mut translation =
            Translation { program, builder: Builder::new(), states: Vec::new(), is_exact: true };
        let nfa = translation.run().ok()?;
        let prefixes = Prefixes::of(program);
        let prefilter =
            prefixes.and_then(|prefixes| Prefilter::new(MatchKind::LeftmostFirst, prefixes.as_slice()));
        let config = DFA::config()
            .match_kind(MatchKind::LeftmostFirst)
            .prefilter(prefilter.filter(Prefilter::is_fast))
            .cache_capacity(CACHE)
            .skip_cache_capacity_check(true)
            .minimum_cache_clear_count(Some(CLEARED))
            .minimum_bytes_per_state(Some(BYTES_PER_STATE));
        let dfa = DFA::builder().configure(config).build_from_nfa(nfa).ok()?;
        let cache = dfa.create_cache();
        Some(Self { dfa, cache, is_exact: translation.is_exact, charge })
    }

    /// Whether a line that is found matches for sure.
    pub(crate) const fn is_exact(&self) -> bool {
        self.is_exact
    }

    /// Where the match ends that ends first of those between `start` and `end`. Both are at a line's end.
    pub(crate) fn first_end(
        &mut self,
        text: &[u8],
        start: usize,
        end: usize,
    ) -> Result<Option<usize>, Unfit> {
        if start > end || end > text.len() {
            return Ok(None);
        }
        let input = Input::new(text).span(start..end).earliest(true);
        match self.dfa.try_search_fwd(&mut self.cache, &input) {
            Ok(found) => Ok(found.map(|found| found.offset())),
            Err(_) => Err(Unfit),
        }
    }
}

/// Makes a program of ours one of the crate.
struct Translation<'p> {
    program: &'p Program,
    builder: Builder,
    /// Where each instruction begins.
    states: Vec<StateID>,
    is_exact: bool,
}

#[expect(clippy::result_large_err, reason = "it is the error of the library, and nobody keeps it")]
impl Translation<'_> {
    fn run(&mut self) -> Result<NFA, BuildError> {
        self.builder.set_utf8(false);
        self.builder.set_size_limit(Some(PROGRAM))?;
        self.builder.start_pattern()?;
        for &instruction in &self.program.code {
            let state = match instruction {
                Instruction::Match => self.builder.add_match()?,
                Instruction::Assert(assertion) => match look(assertion) {
                    Some(look) => self.builder.add_look(StateID::ZERO, look)?,
                    None => {
                        self.is_exact = false;
                        self.builder.add_empty()?
                    }
                },
                Instruction::Jump(_) | Instruction::Save(_) => self.builder.add_empty()?,
                _ => self.builder.add_union(Vec::new().into_std())?,
            };
            self.states.push(state);
        }
        for (at, &instruction) in self.program.code.iter().enumerate() {
            let from = self.state(at);
            match instruction {
                Instruction::Match => {}
                Instruction::Assert(_) | Instruction::Save(_) => {
                    self.builder.patch(from, self.state(at + 1))?;
                }
                Instruction::Jump(offset) => self.patch(from, at, offset)?,
                Instruction::Split(one, two) => {
                    self.patch(from, at, one)?;
                    self.patch(from, at, two)?;
                }
                Instruction::Alternative(other) => {
                    self.patch(from, at, 1)?;
                    self.patch(from, at, other)?;
                }
                _ => self.take(from, instruction, self.state(at + 1))?,
            }
        }
        let start = self.state(0);
        self.builder.finish_pattern(start)?;
        let any = self.builder.add_range(Transition { start: 0, end: 255, next: StateID::ZERO })?;
        let unanchored = self.builder.add_union(vec![start, any].into_std())?;
        self.builder.patch(any, unanchored)?;
        self.builder.build(start, unanchored)
    }

    /// Where the instruction begins.
    fn state(&self, at: usize) -> StateID {
        self.states.get(at).copied().unwrap_or(StateID::ZERO)
    }

    fn patch(&mut self, from: StateID, at: usize, offset: i32) -> Result<(), BuildError> {
        self.builder.patch(from, self.state(Program::target(at, offset)))
    }

    /// From a state to another one by what the instruction consumes; no newline, which is in no line.
    fn take(&mut self, from: StateID, instruction: Instruction, to: StateID) -> Result<(), BuildError> {
        let mut ascii = self.program.ascii(instruction);
        ascii &= !(1 << b'\n');
        let mut transitions = Vec::new();
        for byte in 0..128_u8 {
            if ascii >> byte & 1 != 0 {
                match transitions.last_mut() {
                    Some(Transition { end, .. }) if *end + 1 == byte => *end = byte,
                    _ => transitions.push(Transition { start: byte, end: byte, next: to }),
                }
            }
        }
        let sparse = self.builder.add_sparse(transitions.into_std())?;
        self.builder.patch(from, sparse)?;
        let (ranges, is_exact) = self.program.beyond_ascii(instruction);
        self.is_exact &= is_exact;
        for (first, last) in ranges {
            if let (Some(first), Some(last)) = (character(first), character(last)) {
                for sequence in Utf8Sequences::new(first, last) {
                    let mut next = to;
                    for range in sequence.as_slice().iter().rev() {
                        next = self.builder.add_range(Transition {
                            start: range.start,
                            end: range.end,
                            next,
                        })?;
                    }
                    self.builder.patch(from, next)?;
                }
            } else if let (true, Ok(byte)) = (first == last, u8::try_from(first.saturating_sub(INVALID))) {
                let only = self.builder.add_range(Transition { start: byte, end: byte, next: to })?;
                self.builder.patch(from, only)?;
            }
        }
        Ok(())
    }
}

/// What the automaton knows of an assertion over a line.
const fn look(assertion: Assertion) -> Option<Look> {
    match assertion {
        Assertion::TextStart | Assertion::LineStart => Some(Look::StartLF),
        Assertion::TextEnd | Assertion::LineEnd => Some(Look::EndLF),
        _ => None,
    }
}

/// The last character of all.
const LAST: Unit = 0x10_ffff;

impl Program {
    /// The ASCII characters that an instruction consumes, a bit each.
    fn ascii(&self, instruction: Instruction) -> u128 {
        match instruction {
            Instruction::Character(unit) if unit < 128 => 1 << unit,
            Instruction::Set(set) => self.sets.get(set as usize).map_or(0, |set| set.ascii),
            Instruction::Any => u128::MAX,
            _ => 0,
        }
    }

    /// Ranges of the other characters that it consumes, or of more than these, and whether of these alone.
    fn beyond_ascii(&self, instruction: Instruction) -> (Vec<(Unit, Unit)>, bool) {
        match instruction {
            Instruction::Character(unit) if unit < 128 => (Vec::new(), true),
            // A byte that is no character may be a part of one.
            Instruction::Character(unit) => (vec![(unit, unit)], unit < INVALID),
            Instruction::Set(set) => {
                self.sets.get(set as usize).map_or((Vec::new(), true), super::program::Set::beyond_ascii)
            }
            Instruction::Any => (vec![(128, LAST)], true),
            _ => (Vec::new(), true),
        }
    }
}

/// Texts one of which every match begins with.
struct Prefixes<'p> {
    program: &'p Program,
    found: Vec<Vec<u8>>,
    /// Instructions that are still to be followed, with what was consumed before.
    pending: Vec<(usize, Vec<u8>)>,
}

/// Bytes of a text that is looked for ahead.
const LONGEST_PREFIX: usize = 4;
/// A shorter one is found too often.
const SHORTEST_PREFIX: usize = 2;
/// How many texts are looked for.
const GREATEST_PREFIXES: usize = 48;
/// Instructions that are followed.
const GREATEST_WORK: usize = 4000;

impl<'p> Prefixes<'p> {
    /// `None`: some match begins with no text that would help, or there are too many.
    fn of(program: &'p Program) -> Option<Vec<Vec<u8>>> {
        // Shorter texts are fewer.
        (SHORTEST_PREFIX..=LONGEST_PREFIX).rev().find_map(|length| {
            let mut prefixes = Prefixes { program, found: Vec::new(), pending: vec![(0, Vec::new())] };
            prefixes.find(length)?;
            Some(prefixes.found)
        })
    }

    fn find(&mut self, length: usize) -> Option<()> {
        let mut work = 0;
        while let Some((at, prefix)) = self.pending.pop() {
            work += 1;
            if work > GREATEST_WORK || self.found.len() > GREATEST_PREFIXES {
                return None;
            }
            if prefix.len() >= length {
                if !self.found.contains(&prefix) {
                    self.found.push(prefix);
                }
                continue;
            }
            let instruction = *self.program.code.get(at)?;
            let to = |offset| Program::target(at, offset);
            match instruction {
                Instruction::Split(one, two) => {
                    self.pending.push((to(one), prefix.clone()));
                    self.pending.push((to(two), prefix));
                }
                Instruction::Alternative(other) => {
                    self.pending.push((at + 1, prefix.clone()));
                    self.pending.push((to(other), prefix));
                }
                Instruction::Jump(offset) => self.pending.push((to(offset), prefix)),
                Instruction::Save(_) | Instruction::Assert(_) => self.pending.push((at + 1, prefix)),
                Instruction::Match | Instruction::BackReference(_) => self.end(prefix)?,
                _ => self.consume(at, instruction, prefix)?,
            }
        }
        (self.found.len() <= GREATEST_PREFIXES).then_some(())
    }

    /// A text that cannot be made longer.
    fn end(&mut self, prefix: Vec<u8>) -> Option<()> {
        if prefix.len() < SHORTEST_PREFIX {
            return None;
        }
        if !self.found.contains(&prefix) {
            self.found.push(prefix);
        }
        Some(())
    }

    fn consume(&mut self, at: usize, instruction: Instruction, prefix: Vec<u8>) -> Option<()> {
        /// Characters of a set that are told apart.
        const FEW: u32 = 4;
        let ascii = self.program.ascii(instruction);
        let (ranges, _) = self.program.beyond_ascii(instruction);
        let others: u32 =
            ranges.iter().map(|(first, last)| (last - first).saturating_add(1)).fold(0, u32::saturating_add);
        if ascii.count_ones().saturating_add(others) > FEW {
            return self.end(prefix);
        }
        let bytes = (0..128).filter(|byte| ascii >> byte & 1 != 0);
        for unit in bytes.chain(ranges.iter().flat_map(|&(first, last)| first..=last)) {
            let mut longer = prefix.clone();
            crate::character::push_unit(&mut longer, unit);
            self.pending.push((at + 1, longer));
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Clock;
    use crate::limit::Limits;
    use crate::pattern::NoTicker;
    use crate::utility::context::pace::{Pace, in_place};
    use crate::utility::regex::{RegexOptions, Syntax};
    use std::pin::pin;
    use std::time::Duration;

    /// Lines of which many are alike, some with bytes that are no characters.
    fn lines() -> std::vec::Vec<std::vec::Vec<u8>> {
        const PARTS: [&[u8]; 12] = [
            b"a",
            b"b",
            b"ab",
            b"A",
            b"_",
            b" ",
            b"9",
            "\u{e9}".as_bytes(),
            "\u{c9}".as_bytes(),
            "\u{212a}".as_bytes(),
            b"\xc3",
            b"k",
        ];
        let mut state = 1_u64;
        let mut below = |bound: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % bound
        };
        (0..300).map(|_| (0..below(7)).flat_map(|_| PARTS[below(PARTS.len())].to_vec()).collect()).collect()
    }

    #[test]
    fn finds_the_lines_that_match() {
        let meter = Meter::new(Limits::default(), Arc::new(Clock::fixed(Duration::ZERO)));
        let lines = lines();
        let text = lines.join(&b'\n');
        let expressions = [
            "ab",
            "a|b9",
            "^a",
            "b$",
            "^$",
            "^a*$",
            "a.b",
            "[^a]b",
            "(ab|_)+9",
            "[[:alpha:]]{3}",
            "\u{e9}",
            "[\u{e8}-\u{ea}]b",
            "[^\u{e9}]b",
            "\\ba",
            "a\\>",
            "\\w_",
            "k",
            "a?b?",
            "x",
            "[[:space:]]a",
            "\\W9",
            ".{4}",
            "(^| )b( |$)",
            "[k-z]a",
        ];
        for source in expressions {
            for choice in 0..8 {
                let options = RegexOptions {
                    ignore_case: choice & 1 != 0,
                    whole_word: choice & 2 != 0,
                    whole_line: choice & 4 != 0,
                    ..RegexOptions::default()
                };
                let regex = Regex::new(source.as_bytes(), Syntax::Extended, &options).unwrap();
                let mut dense = regex.dense(&meter).unwrap();
                let mut start = 0;
                for line in &lines {
                    let end = start + line.len();
                    let found = dense.first_end(&text, start, end).unwrap().is_some();
                    let pace = &mut Pace::Alone(&mut NoTicker);
                    let wanted = in_place(pin!(regex.is_match(line, pace))).unwrap().unwrap();
                    let is_right = if dense.is_exact() { found == wanted } else { found || !wanted };
                    assert!(is_right, "{source} {options:?} in {:?}: {found}", bstr::BStr::new(line));
                    start = end + 1;
                }
            }
        }
    }

    #[test]
    fn most_expressions_are_exact_and_have_prefixes() {
        let compile = |source: &str, ignore_case| {
            let options = RegexOptions { ignore_case, ..RegexOptions::default() };
            Regex::new(source.as_bytes(), Syntax::Extended, &options).unwrap()
        };
        for (source, ignore_case, want) in [
            ("error|refused", false, Some(2)),
            ("err", true, Some(8)),
            ("^ab[0-9]", false, Some(1)),
            ("a[0-9]", false, None),
            ("a*b", false, None),
        ] {
            let regex = compile(source, ignore_case);
            let Engine::Posix(posix) = regex.engine() else { panic!("POSIX") };
            assert_eq!(Prefixes::of(&posix.program).map(|found| found.len()), want, "{source}");
        }
    }
}
