//! The simulation remembered: a deterministic automaton built while it runs, for texts that are not short.
//!
//! A state is a set of instructions that were reached and not yet followed, and what kind of character came last. They
//! are followed when the next character is known, so that assertions, which look at both sides, need no care. A
//! transition therefore says whether a match ended before its character. When the states are many, all are forgotten.

use super::program::{Instruction, Neighbours, Program};
use crate::character::{Unit, is_word, unit_at, unit_before};
use crate::memory::{HashMap, Vec, vec};
use crate::pattern::Stopped;
use crate::utility::context::pace::Pace;
use crate::utility::context::pace::yield_now;

/// What came before, as far as assertions can tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Before {
    Nothing,
    Newline,
    Word,
    Other,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct AutomatonState {
    before: Before,
    /// Whether a match may begin at each place, or only at the first.
    is_searching: bool,
    /// Sorted.
    instructions: Vec<u32>,
}

/// A transition: the number of the next state times four, plus two if nothing is under way there, plus one if a match
/// ended before the character.
type Transition = u32;
const UNKNOWN: Transition = Transition::MAX;
const ENDS: Transition = 1;
const IDLE: Transition = 2;
const SHIFT: u32 = 2;
/// A column for each ASCII character, and one for the end of the text.
const COLUMNS: usize = 129;
const END: usize = 128;
/// How many states and other transitions are remembered.
const GREATEST_STATES: usize = 1000;
const GREATEST_OTHERS: usize = 8000;
/// How many instructions all states may hold.
const GREATEST_SIZE: usize = 1 << 18;
/// Bytes between two ticks.
const BLOCK: u64 = 4096;

/// What a search for any match learned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FirstEnd {
    /// No match begins before this place.
    pub(super) from: usize,
    /// A match ends here, and none before.
    pub(super) end: usize,
}

/// States and transitions known so far.
#[derive(Debug, Default)]
pub(super) struct Automaton {
    states: Vec<AutomatonState>,
    numbers: HashMap<AutomatonState, u32>,
    transitions: Vec<Transition>,
    others: HashMap<(u32, Unit), Transition>,
    /// The searching state with nothing under way, for each kind of character before.
    idle: [Option<u32>; 4],
    /// The state in which a match begins here, for each kind of character before.
    anchored: [Option<u32>; 4],
    size: usize,
    reached: Vec<u64>,
    round: u64,
    pending: Vec<u32>,
    work: u64,
}

impl Automaton {
    /// About what it holds.
    pub(super) fn bytes(&self) -> usize {
        let states = 2 * (self.size * size_of::<u32>() + self.states.len() * size_of::<AutomatonState>());
        let transitions = self.transitions.len() * size_of::<Transition>();
        states + transitions + self.others.len() * 2 * size_of::<(u32, Unit, Transition)>()
    }

    /// Looks for the first place where a match ends, at or after `from`.
    pub(super) async fn first_end(
        &mut self,
        program: &Program,
        text: &[u8],
        from: usize,
        pace: &mut Pace<'_>,
    ) -> Result<Option<FirstEnd>, Stopped> {
        let mut state = self.begin(program, text, from, true);
        let mut fresh = from;
        let mut at = from;
        loop {
            if self.is_empty(state) {
                if program.hints.is_anchored && at > 0 {
                    return Ok(None);
                }
                let Some(start) = program.hints.next_start(text, at) else { return Ok(None) };
                if start > at {
                    self.work += (start - at) as u64 / 16;
                    at = start;
                    state = self.begin(program, text, at, true);
                }
                fresh = at;
            }
            let (transition, length) = self.step(program, state, text, at);
            if transition & ENDS == ENDS {
                return Ok(Some(FirstEnd { from: fresh, end: at }));
            }
            if length == 0 {
                return Ok(None);
            }
            at += length;
            state = self.settle(transition);
            if self.count(pace)? {
                yield_now().await;
            }
            if transition & IDLE == 0 {
                (state, at) = self.run(state, text, at);
            }
        }
    }

    /// Follows known transitions between ASCII characters while nothing ends and something is under way, for one block at
    /// most; where it stopped.
    fn run(&mut self, mut state: u32, text: &[u8], start: usize) -> (u32, usize) {
        let block = text.get(start..).unwrap_or(&[]);
        let block = block.get(..block.len().min(BLOCK as usize)).unwrap_or(block);
        let mut at = start;
        for &byte in block {
            if byte >= 128 {
                break;
            }
            match self.transitions.get(state as usize * COLUMNS + usize::from(byte)) {
                Some(&known) if known & (ENDS | IDLE) == 0 => state = known >> SHIFT,
                _ => break,
            }
            at += 1;
        }
        self.work += (at - start) as u64;
        (state, at)
    }

    /// The end of the longest match that begins at `start`.
    pub(super) async fn longest(
        &mut self,
        program: &Program,
        text: &[u8],
        start: usize,
        pace: &mut Pace<'_>,
    ) -> Result<Option<usize>, Stopped> {
        let mut state = self.begin(program, text, start, false);
        let mut found = None;
        let mut at = start;
        let mut is_first = true;
        while is_first || !self.is_empty(state) {
            is_first = false;
            let (transition, length) = self.step(program, state, text, at);
            if transition & ENDS == ENDS {
                found = Some(at);
            }
            if length == 0 {
                break;
            }
            at += length;
            state = self.settle(transition);
            if self.count(pace)? {
                yield_now().await;
            }
        }
        Ok(found)
    }

    /// Counts a step; whether the search has to yield.
    fn count(&mut self, pace: &mut Pace<'_>) -> Result<bool, Stopped> {
        self.work += 1;
        if self.work < BLOCK { Ok(false) } else { pace.count(std::mem::take(&mut self.work)) }
    }

    /// The state before the character at `at`, with nothing under way.
    fn begin(&mut self, program: &Program, text: &[u8], at: usize, is_searching: bool) -> u32 {
        let before = before(program, unit_before(text, at).map(|(unit, _)| unit));
        if !is_searching {
            if let Some(&Some(known)) = self.anchored.get(before as usize) {
                return known;
            }
            let number = self.number(AutomatonState { before, is_searching, instructions: vec![0] });
            if let Some(anchored) = self.anchored.get_mut(before as usize) {
                *anchored = Some(number);
            }
            return number;
        }
        if let Some(&Some(known)) = self.idle.get(before as usize) {
            return known;
        }
        let number = self.number(AutomatonState { before, is_searching, instructions: Vec::new() });
        if let Some(idle) = self.idle.get_mut(before as usize) {
            *idle = Some(number);
        }
        number
    }

    fn is_empty(&self, state: u32) -> bool {
        self.states.get(state as usize).is_none_or(|state| state.instructions.is_empty())
    }

    /// The transition at `at` and the length of the character there.
    fn step(&mut self, program: &Program, state: u32, text: &[u8], at: usize) -> (Transition, usize) {
        let (column, unit, length) = match text.get(at) {
            Some(&byte) if byte < 128 => (usize::from(byte), Some(Unit::from(byte)), 1),
            Some(_) => {
                let Some((unit, length)) = unit_at(text, at) else { return (state << SHIFT, 0) };
                if let Some(&known) = self.others.get(&(state, unit)) {
                    return (known, length);
                }
                let transition = self.transition(program, state, Some(unit));
                self.others.insert((state, unit), transition);
                return (transition, length);
            }
            None => (END, None, 0),
        };
        let index = state as usize * COLUMNS + column;
        match self.transitions.get(index) {
            Some(&known) if known != UNKNOWN => (known, length),
            _ => {
                let transition = self.transition(program, state, unit);
                if let Some(slot) = self.transitions.get_mut(index) {
                    *slot = transition;
                }
                (transition, length)
            }
        }
    }

    /// The state a transition leads to, after forgetting all others when they are many.
    fn settle(&mut self, transition: Transition) -> u32 {
        let state = transition >> SHIFT;
        if self.states.len() < GREATEST_STATES
            && self.others.len() < GREATEST_OTHERS
            && self.size < GREATEST_SIZE
        {
            return state;
        }
        let kept = self.states.get(state as usize).cloned();
        self.states.clear();
        self.idle = [None; 4];
        self.anchored = [None; 4];
        self.size = 0;
        self.numbers.clear();
        self.transitions.clear();
        self.others.clear();
        kept.map_or(0, |kept| self.number(kept))
    }

    /// Works out one transition.
    fn transition(&mut self, program: &Program, number: u32, unit: Option<Unit>) -> Transition {
        let Some(state) = self.states.get(number as usize) else { return number << SHIFT };
        let place = Neighbours { before: state.before.example(), after: unit };
        let is_searching = state.is_searching;
        self.round += 1;
        self.reached.resize(program.code.len(), 0);
        self.pending.clear();
        self.pending.extend_from_slice(&state.instructions);
        if is_searching {
            self.pending.push(0);
        }
        let mut is_match = false;
        let mut next = Vec::new();
        while let Some(pc) = self.pending.pop() {
            let at = pc as usize;
            match self.reached.get_mut(at) {
                Some(round) if *round != self.round => *round = self.round,
                _ => continue,
            }
            self.work += 8;
            let Some(&instruction) = program.code.get(at) else { continue };
            let to = |offset: i32| Program::target(at, offset) as u32;
            match instruction {
                Instruction::Split(a, b) => self.pending.extend([to(a), to(b)]),
                Instruction::Alternative(other) => self.pending.extend([pc + 1, to(other)]),
                Instruction::Jump(offset) => self.pending.push(to(offset)),
                Instruction::Save(_) => self.pending.push(pc + 1),
                Instruction::Assert(assertion) => {
                    if place.satisfies(assertion) {
                        self.pending.push(pc + 1);
                    }
                }
                Instruction::Match => is_match = true,
                _ => {
                    if unit.is_some_and(|unit| program.takes(instruction, unit)) {
                        next.push(pc + 1);
                    }
                }
            }
        }
        next.sort_unstable();
        next.dedup();
        let next =
            self.number(AutomatonState { before: before(program, unit), is_searching, instructions: next });
        let is_idle = self.is_empty(next);
        (next << SHIFT) | (Transition::from(is_idle) * IDLE) | (Transition::from(is_match) * ENDS)
    }

    fn number(&mut self, state: AutomatonState) -> u32 {
        if let Some(&number) = self.numbers.get(&state) {
            return number;
        }
        let number = self.states.len() as u32;
        self.size += state.instructions.len();
        self.numbers.insert(state.clone(), number);
        self.states.push(state);
        self.transitions.resize(self.states.len() * COLUMNS, UNKNOWN);
        number
    }
}

impl Before {
    /// A character of this kind.
    fn example(self) -> Option<Unit> {
        match self {
            Self::Nothing => None,
            Self::Newline => Some(Unit::from(b'\n')),
            Self::Word => Some(Unit::from(b'a')),
            Self::Other => Some(Unit::from(b' ')),
        }
    }
}

/// The kind of the character before; always the same where no assertion asks.
fn before(program: &Program, unit: Option<Unit>) -> Before {
    match unit {
        _ if !program.has_assertions => Before::Other,
        None => Before::Nothing,
        Some(unit) if unit == Unit::from(b'\n') => Before::Newline,
        Some(unit) if is_word(unit) => Before::Word,
        Some(_) => Before::Other,
    }
}
