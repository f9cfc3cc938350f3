//! Matching with back-references: one thread after the other, with a limit on the steps.
//!
//! With back-references matching is NP-hard, so that no bound but a count of steps can be promised. All ways to match
//! from a place are tried in the order of preference, and the longest wins (the first of those). What is left to try is
//! kept on the heap. A repetition that consumed nothing is not taken again.

use super::error::RegexError;
use super::program::{Instruction, Neighbours, Program};
use crate::character::{fold, unit_at};
use crate::memory::{Vec, vec};
use crate::utility::context::pace::Pace;
use crate::utility::context::pace::yield_now;

/// What is to be done next: go on from an instruction, or restore what a failed attempt changed.
enum BacktrackStep {
    Try { pc: usize, at: usize },
    RestoreSlot { slot: usize, value: Option<usize> },
    RestoreLoop { pc: usize, value: usize },
}

/// Steps that may wait at once.
const GREATEST_PENDING: usize = 1 << 20;
/// The place of a loop that was not entered.
const NOWHERE: usize = usize::MAX;

struct BacktrackSearch<'a> {
    program: &'a Program,
    text: &'a [u8],
    slots: Vec<Option<usize>>,
    /// For each jump backward where it was last taken.
    loops: Vec<usize>,
    pending: Vec<BacktrackStep>,
    steps: u64,
    limit: u64,
}

/// The slots of the leftmost-longest match at or after `from`, the first two being its span.
pub(super) async fn find(
    program: &Program,
    text: &[u8],
    from: usize,
    limit: u64,
    pace: &mut Pace<'_>,
) -> Result<Option<Vec<Option<usize>>>, RegexError> {
    let mut search = BacktrackSearch {
        program,
        text,
        slots: vec![None; 2 * (program.groups + 1)],
        loops: vec![NOWHERE; program.code.len()],
        pending: Vec::new(),
        steps: 0,
        limit,
    };
    let mut at = from;
    while let Some(start) = program.hints.next_start(text, at) {
        if program.hints.is_anchored && start > 0 {
            break;
        }
        if let Some((mut slots, end)) = search.longest_from(start, pace).await? {
            if let [first, second, ..] = slots.as_mut_slice() {
                (*first, *second) = (Some(start), Some(end));
            }
            return Ok(Some(slots));
        }
        match unit_at(text, start) {
            Some((_, length)) => at = start + length,
            None => break,
        }
    }
    Ok(None)
}

type Found = Option<(Vec<Option<usize>>, usize)>;

impl BacktrackSearch<'_> {
    async fn longest_from(&mut self, start: usize, pace: &mut Pace<'_>) -> Result<Found, RegexError> {
        let mut found: Found = None;
        self.slots.fill(None);
        self.loops.fill(NOWHERE);
        self.pending.clear();
        self.pending.push(BacktrackStep::Try { pc: 0, at: start });
        while let Some(step) = self.pending.pop() {
            self.steps += 1;
            if self.steps.is_multiple_of(1024) && pace.count(1024)? {
                yield_now().await;
            }
            if self.steps > self.limit || self.pending.len() > GREATEST_PENDING {
                return Err(RegexError::Backtracking { limit: self.limit });
            }
            match step {
                BacktrackStep::RestoreSlot { slot, value } => self.set_slot(slot, value),
                BacktrackStep::RestoreLoop { pc, value } => self.set_loop(pc, value),
                BacktrackStep::Try { pc, at } => {
                    if self.program.code.get(pc) != Some(&Instruction::Match) {
                        self.advance(pc, at);
                    } else if found.as_ref().is_none_or(|(_, end)| *end < at) {
                        found = Some((self.slots.clone(), at));
                        if at == self.text.len() {
                            break;
                        }
                    }
                }
            }
        }
        Ok(found)
    }

    fn set_slot(&mut self, slot: usize, value: Option<usize>) {
        if let Some(place) = self.slots.get_mut(slot) {
            *place = value;
        }
    }

    fn set_loop(&mut self, pc: usize, value: usize) {
        if let Some(place) = self.loops.get_mut(pc) {
            *place = value;
        }
    }

    fn push(&mut self, pc: usize, at: usize) {
        self.pending.push(BacktrackStep::Try { pc, at });
    }

    /// Does one instruction.
    fn advance(&mut self, pc: usize, at: usize) {
        let Some(&instruction) = self.program.code.get(pc) else { return };
        match instruction {
            Instruction::Split(a, b) => {
                self.push(Program::target(pc, b), at);
                self.jump(pc, a, at);
            }
            Instruction::Alternative(other) => {
                self.push(Program::target(pc, other), at);
                self.push(pc + 1, at);
            }
            Instruction::Jump(offset) => self.jump(pc, offset, at),
            Instruction::Save(slot) => {
                let slot = slot as usize;
                let value = self.slots.get(slot).copied().flatten();
                self.pending.push(BacktrackStep::RestoreSlot { slot, value });
                self.set_slot(slot, Some(at));
                self.push(pc + 1, at);
            }
            Instruction::Assert(assertion) => {
                if Neighbours::of(self.text, at).satisfies(assertion) {
                    self.push(pc + 1, at);
                }
            }
            Instruction::BackReference(group) => {
                if let Some(length) = self.reference(group as usize, at) {
                    self.push(pc + 1, at + length);
                }
            }
            Instruction::Match => {}
            Instruction::Character(_) | Instruction::Set(_) | Instruction::Any => {
                if let Some((unit, length)) = unit_at(self.text, at)
                    && self.program.takes(instruction, unit)
                {
                    self.push(pc + 1, at + length);
                }
            }
        }
    }

    /// Takes a jump; one backward only when something was consumed since it was last taken.
    fn jump(&mut self, pc: usize, offset: i32, at: usize) {
        if offset < 0 {
            let value = self.loops.get(pc).copied().unwrap_or(NOWHERE);
            if value == at {
                return;
            }
            self.pending.push(BacktrackStep::RestoreLoop { pc, value });
            self.set_loop(pc, at);
        }
        self.push(Program::target(pc, offset), at);
    }

    /// The length of what the group matched, if the text at `at` repeats it.
    fn reference(&self, group: usize, at: usize) -> Option<usize> {
        let start = (*self.slots.get(2 * group)?)?;
        let end = (*self.slots.get(2 * group + 1)?)?;
        repeated(self.text.get(start..end)?, self.text.get(at..)?, self.program.ignore_case)
    }
}

/// The length of the beginning of `rest` that repeats `wanted`.
pub(super) fn repeated(wanted: &[u8], rest: &[u8], ignore_case: bool) -> Option<usize> {
    if !ignore_case {
        return rest.starts_with(wanted).then_some(wanted.len());
    }
    let (mut from, mut to) = (0, 0);
    while let Some((unit, length)) = unit_at(wanted, from) {
        let (other, other_length) = unit_at(rest, to)?;
        if fold(unit) != fold(other) {
            return None;
        }
        from += length;
        to += other_length;
    }
    Some(to)
}
