//! Simulation of a compiled program over a text (Pike's): all threads take a byte together, in the order of their priority,
//! and each knows where its groups are. It takes text times program at most, and can pause anywhere.

use crate::memory::{Vec, vec};
use crate::pattern::{Pace, Stopped};
use regex_automata::nfa::thompson::{NFA, State};
use regex_automata::util::primitives::StateID;

/// Steps between two looks at the pace.
const STEPS: u64 = 1024;

/// The places of groups: where each begins and ends.
type Slots = Vec<Option<usize>>;

/// The states that have a thread, by priority, and the slots of each.
struct Threads {
    order: Vec<StateID>,
    /// By state: its place in `order`, valid if that has the state.
    places: Vec<usize>,
    /// By state: its slots.
    slots: Slots,
}

impl Threads {
    fn new(states: usize, width: usize) -> Self {
        let order = Vec::with_capacity(states);
        Self { order, places: vec![0; states], slots: vec![None; states.saturating_mul(width)] }
    }

    /// Adds a thread; `false` if the state has one of a higher priority.
    fn add(&mut self, state: StateID) -> bool {
        let next = self.order.len();
        let Some(place) = self.places.get_mut(state.as_usize()) else { return false };
        if self.order.get(*place) == Some(&state) {
            return false;
        }
        *place = next;
        self.order.push(state);
        true
    }

    fn slots_of(&mut self, state: StateID, width: usize) -> &mut [Option<usize>] {
        let start = state.as_usize().saturating_mul(width);
        self.slots.get_mut(start..start.saturating_add(width)).unwrap_or_default()
    }
}

/// What is to be done yet while the threads of one place are found.
enum Todo {
    Explore(StateID),
    /// A slot gets back what it had before a group was explored.
    Restore(usize, Option<usize>),
}

/// See the module.
pub(super) struct Simulation<'p> {
    program: &'p NFA,
    /// Slots that are wanted.
    width: usize,
    now: Threads,
    next: Threads,
    todo: Vec<Todo>,
    /// The slots of the thread at hand.
    current: Slots,
    steps: u64,
}

impl<'p> Simulation<'p> {
    pub(super) fn new(program: &'p NFA, width: usize) -> Self {
        let states = program.states().len();
        let (now, next) = (Threads::new(states, width), Threads::new(states, width));
        Self { program, width, now, next, todo: Vec::new(), current: vec![None; width], steps: 0 }
    }

    /// The slots of the first match in `[start, end)`; with `is_anchored` of the match that begins at `start`.
    pub(super) async fn find(
        &mut self,
        text: &[u8],
        start: usize,
        end: usize,
        is_anchored: bool,
        pace: &mut impl Pace,
    ) -> Result<Option<Slots>, Stopped> {
        let mut found: Option<Slots> = None;
        for at in start..=end {
            if self.now.order.is_empty() && (found.is_some() || is_anchored && at > start) {
                break;
            }
            if found.is_none() && (!is_anchored || at == start) {
                self.current.iter_mut().for_each(|slot| *slot = None);
                explore(
                    self.program,
                    &mut self.now,
                    &mut self.todo,
                    &mut self.current,
                    &mut self.steps,
                    self.program.start_anchored(),
                    text,
                    at,
                );
            }
            if let Some(slots) = self.step(text, at, end) {
                found = Some(slots);
            }
            std::mem::swap(&mut self.now, &mut self.next);
            self.next.order.clear();
            self.steps += 1;
            if self.steps >= STEPS {
                pace.tick(std::mem::take(&mut self.steps)).await?;
            }
        }
        self.now.order.clear();
        Ok(found)
    }

    /// Lets all threads take the byte at `at`; the slots of the thread that has matched before it, if one has. Those after
    /// it do not count any more.
    fn step(&mut self, text: &[u8], at: usize, end: usize) -> Option<Slots> {
        let byte = text.get(at).copied().filter(|_| at < end);
        let mut place = 0;
        while let Some(&thread) = self.now.order.get(place) {
            place += 1;
            let next = match (self.program.state(thread), byte) {
                (State::Match { .. }, _) => {
                    return Some(self.now.slots_of(thread, self.width).iter().copied().collect());
                }
                (State::ByteRange { trans }, Some(byte)) if trans.matches_byte(byte) => Some(trans.next),
                (State::Sparse(ranges), Some(byte)) => ranges.matches_byte(byte),
                (State::Dense(table), Some(byte)) => table.matches_byte(byte),
                _ => None,
            };
            self.steps += 1;
            if let Some(next) = next {
                copy(self.now.slots_of(thread, self.width), &mut self.current);
                explore(
                    self.program,
                    &mut self.next,
                    &mut self.todo,
                    &mut self.current,
                    &mut self.steps,
                    next,
                    text,
                    at + 1,
                );
            }
        }
        None
    }
}

/// Copies slots; where there was no room for some, the run is over.
fn copy(from: &[Option<usize>], to: &mut [Option<usize>]) {
    to.iter_mut().zip(from).for_each(|(to, from)| *to = *from);
}

/// Adds the threads that `start` leads to without taking a byte.
#[expect(clippy::too_many_arguments, reason = "parts of one simulation, borrowed apart")]
fn explore(
    program: &NFA,
    threads: &mut Threads,
    todo: &mut Vec<Todo>,
    current: &mut Slots,
    steps: &mut u64,
    start: StateID,
    text: &[u8],
    at: usize,
) {
    let width = current.len();
    todo.push(Todo::Explore(start));
    while let Some(next) = todo.pop() {
        let mut state = match next {
            Todo::Restore(slot, old) => {
                if let Some(slot) = current.get_mut(slot) {
                    *slot = old;
                }
                continue;
            }
            Todo::Explore(state) => state,
        };
        while threads.add(state) {
            *steps += 1;
            state = match program.state(state) {
                State::Look { look, next } if program.look_matcher().matches(*look, text, at) => *next,
                State::Union { alternates } => {
                    let Some((&first, others)) = alternates.split_first() else { break };
                    todo.extend(others.iter().rev().map(|&other| Todo::Explore(other)));
                    first
                }
                State::BinaryUnion { alt1, alt2 } => {
                    todo.push(Todo::Explore(*alt2));
                    *alt1
                }
                State::Capture { next, slot, .. } => {
                    if let Some(value) = current.get_mut(slot.as_usize()) {
                        todo.push(Todo::Restore(slot.as_usize(), value.replace(at)));
                    }
                    *next
                }
                State::Look { .. } | State::Fail => break,
                _ => {
                    copy(current, threads.slots_of(state, width));
                    break;
                }
            };
        }
    }
}
