//! Runs a program over a text with all threads at once, place by place (Thompson, Pike).
//!
//! A thread remembers where it started. Threads are kept in the order of their starts, and each instruction is held by the
//! first thread that reached it, so by the one that started leftmost. When one matches, later starters are dropped and the
//! others go on: the last match of the leftmost start is the leftmost-longest one.
//!
//! Groups are found afterwards, over the text matched: there threads are in the order of preference (earlier
//! alternatives and more repetitions first) and only one that ends at the end of the match counts, which is what glibc
//! answers.

use super::options::Span;
use super::program::{Instruction, Neighbours, Program};
use crate::character::unit_at;
use crate::memory::{ToMetered, Vec, vec};
use crate::pattern::Stopped;
use crate::utility::context::pace::Pace;
use crate::utility::context::pace::yield_now;

/// What a search is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wanted {
    /// Whether there is a match: any will do.
    Any,
    /// The start of the leftmost match; its end need not be the longest.
    Start,
    /// The leftmost-longest match.
    Longest,
}

/// A thread list: instructions in order, each at most once.
#[derive(Debug, Default)]
struct Threads {
    /// Instruction and start of each thread.
    list: Vec<(u32, usize)>,
    /// For each instruction the round in which it was last reached.
    reached: Vec<u64>,
    round: u64,
}

impl Threads {
    fn clear(&mut self, size: usize) {
        self.list.clear();
        self.reached.resize(size, 0);
        self.round += 1;
    }

    /// Whether the instruction was not reached before in this round.
    fn reach(&mut self, at: usize) -> bool {
        match self.reached.get_mut(at) {
            Some(round) if *round != self.round => {
                *round = self.round;
                true
            }
            _ => false,
        }
    }
}

/// Memory of the simulation, kept from one search to the next.
#[derive(Debug, Default)]
pub(super) struct Simulation {
    now: Threads,
    next: Threads,
    pending: Vec<usize>,
}

impl Simulation {
    /// The leftmost-longest match at or after `from`, as far as it is wanted.
    pub(super) async fn find(
        &mut self,
        program: &Program,
        text: &[u8],
        from: usize,
        wanted: Wanted,
        pace: &mut Pace<'_>,
    ) -> Result<Option<Span>, Stopped> {
        let size = program.code.len();
        self.now.clear(size);
        let mut found: Option<Span> = None;
        let mut at = from;
        let mut work = 0;
        loop {
            if self.now.list.is_empty() {
                if found.is_some() || (program.hints.is_anchored && at > 0) {
                    return Ok(found);
                }
                // What was reached and led nowhere may lead on at another place.
                self.now.clear(size);
                match program.hints.next_start(text, at) {
                    Some(start) => {
                        work += 1 + (start - at) as u64 / 64;
                        at = start;
                    }
                    None => return Ok(None),
                }
            }
            if found.is_none() && (at == 0 || !program.hints.is_anchored) {
                self.follow(program, text, at, (0, at), true);
            }
            let unit = unit_at(text, at);
            work += 1 + self.now.list.len() as u64;
            if work >= 1024 && pace.count(std::mem::take(&mut work))? {
                yield_now().await;
            }
            let after = at + unit.map_or(0, |(_, length)| length);
            self.next.clear(size);
            let mut list = std::mem::take(&mut self.now.list);
            for &(instruction_at, start) in &list {
                let Some(&instruction) = program.code.get(instruction_at as usize) else { continue };
                if instruction == Instruction::Match {
                    if found.is_none_or(|(best, _)| start <= best) {
                        found = Some((start, at));
                    }
                    if wanted == Wanted::Any {
                        return Ok(found);
                    }
                    // What started later cannot win any more.
                    continue;
                }
                if found.is_some_and(|(best, _)| start > best) {
                    continue;
                }
                if let Some((unit, _)) = unit
                    && program.takes(instruction, unit)
                {
                    self.follow(program, text, after, (instruction_at as usize + 1, start), false);
                }
            }
            list.clear();
            self.now.list = list;
            if unit.is_none() {
                return Ok(found);
            }
            std::mem::swap(&mut self.now, &mut self.next);
            at = after;
            if let (Wanted::Start, Some((best, _))) = (wanted, found)
                && self.now.list.first().is_none_or(|&(_, start)| start >= best)
            {
                return Ok(found);
            }
        }
    }

    /// Adds a thread and all it reaches without consuming, to the present list or to the next one.
    fn follow(&mut self, program: &Program, text: &[u8], at: usize, thread: (usize, usize), is_now: bool) {
        let threads = if is_now { &mut self.now } else { &mut self.next };
        self.pending.clear();
        self.pending.push(thread.0);
        let mut place = None;
        while let Some(pc) = self.pending.pop() {
            if !threads.reach(pc) {
                continue;
            }
            let Some(&instruction) = program.code.get(pc) else { continue };
            match instruction {
                Instruction::Split(a, b) => {
                    self.pending.push(Program::target(pc, b));
                    self.pending.push(Program::target(pc, a));
                }
                Instruction::Alternative(other) => {
                    self.pending.push(Program::target(pc, other));
                    self.pending.push(pc + 1);
                }
                Instruction::Jump(offset) => self.pending.push(Program::target(pc, offset)),
                Instruction::Save(_) => self.pending.push(pc + 1),
                Instruction::Assert(assertion) => {
                    if place.get_or_insert_with(|| Neighbours::of(text, at)).satisfies(assertion) {
                        self.pending.push(pc + 1);
                    }
                }
                _ => threads.list.push((pc as u32, thread.1)),
            }
        }
    }
}

/// What is left to do when threads are followed with their slots: an instruction, or a slot's earlier value.
enum ThreadStep {
    Visit(usize),
    Restore(usize, Option<usize>),
}

/// The slots of the match with that span; empty if there is none, which cannot be for a span that was found.
pub(super) async fn slots(
    program: &Program,
    text: &[u8],
    span: Span,
    pace: &mut Pace<'_>,
) -> Result<Vec<Option<usize>>, Stopped> {
    let mut now = Captures::new(program);
    let mut next = Captures::new(program);
    let mut slots = vec![None; now.width];
    now.follow(program, text, span.0, 0, &mut slots);
    let mut at = span.0;
    while at < span.1 {
        let Some((unit, length)) = unit_at(text, at) else { break };
        if pace.count(1 + (now.list.len() * now.width / 8) as u64)? {
            yield_now().await;
        }
        next.clear();
        for (index, &pc) in now.list.iter().enumerate() {
            let Some(&instruction) = program.code.get(pc) else { continue };
            if program.takes(instruction, unit) {
                let known = now.slots_of(index);
                if known.len() != slots.len() {
                    continue;
                }
                slots.copy_from_slice(known);
                next.follow(program, text, at + length, pc + 1, &mut slots);
            }
        }
        std::mem::swap(&mut now, &mut next);
        at += length;
    }
    let matched = now.list.iter().position(|&pc| program.code.get(pc) == Some(&Instruction::Match));
    Ok(matched.map(|index| now.slots_of(index).to_metered()).unwrap_or_default())
}

/// A thread list where each thread has slots.
struct Captures {
    list: Vec<usize>,
    /// `width` slots for each thread of the list.
    slots: Vec<Option<usize>>,
    width: usize,
    reached: Vec<bool>,
    pending: Vec<ThreadStep>,
}

impl Captures {
    fn new(program: &Program) -> Self {
        let width = 2 * (program.groups + 1);
        Self {
            list: Vec::new(),
            slots: Vec::new(),
            width,
            reached: vec![false; program.code.len()],
            pending: Vec::new(),
        }
    }

    fn clear(&mut self) {
        self.list.clear();
        self.slots.clear();
        self.reached.fill(false);
    }

    fn slots_of(&self, index: usize) -> &[Option<usize>] {
        self.slots.get(index * self.width..(index + 1) * self.width).unwrap_or_default()
    }

    fn follow(&mut self, program: &Program, text: &[u8], at: usize, pc: usize, slots: &mut [Option<usize>]) {
        self.pending.push(ThreadStep::Visit(pc));
        while let Some(step) = self.pending.pop() {
            let pc = match step {
                ThreadStep::Visit(pc) => pc,
                ThreadStep::Restore(slot, value) => {
                    if let Some(slot) = slots.get_mut(slot) {
                        *slot = value;
                    }
                    continue;
                }
            };
            match self.reached.get_mut(pc) {
                Some(reached) if !*reached => *reached = true,
                _ => continue,
            }
            let Some(&instruction) = program.code.get(pc) else { continue };
            match instruction {
                Instruction::Split(a, b) => {
                    self.pending.push(ThreadStep::Visit(Program::target(pc, b)));
                    self.pending.push(ThreadStep::Visit(Program::target(pc, a)));
                }
                Instruction::Alternative(other) => {
                    self.pending.push(ThreadStep::Visit(Program::target(pc, other)));
                    self.pending.push(ThreadStep::Visit(pc + 1));
                }
                Instruction::Jump(offset) => {
                    self.pending.push(ThreadStep::Visit(Program::target(pc, offset)));
                }
                Instruction::Save(slot) => {
                    if let Some(value) = slots.get_mut(slot as usize) {
                        self.pending.push(ThreadStep::Restore(slot as usize, *value));
                        *value = Some(at);
                    }
                    self.pending.push(ThreadStep::Visit(pc + 1));
                }
                Instruction::Assert(assertion) => {
                    if Neighbours::of(text, at).satisfies(assertion) {
                        self.pending.push(ThreadStep::Visit(pc + 1));
                    }
                }
                _ => {
                    self.list.push(pc);
                    self.slots.extend_from_slice(slots);
                }
            }
        }
    }
}
