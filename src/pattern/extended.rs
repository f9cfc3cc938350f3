//! Matching with extended operators: what is asked of a text, in terms of runs of the automaton over it.
//!
//! A suffix is a prefix of the reversed pattern, read from the end of the text. The places where a match can begin are
//! found by one such run over the whole text.

use super::automaton::Automaton;
use super::graph::Graph;
use super::{Pace, PatternOptions, Stopped};
use crate::memory::{Vec, vec};

/// A pattern with extended operators, or with literals that are invalid UTF-8.
#[derive(Clone, Debug)]
pub(super) struct Extended {
    pub(super) graph: Graph,
    pub(super) options: PatternOptions,
}

impl Extended {
    /// Whether the whole text matches.
    pub(super) async fn matches(&self, text: &[u8], pace: &mut impl Pace) -> Result<bool, Stopped> {
        let mut automaton = Automaton::new(&self.graph, self.options);
        let mut at = 0;
        let mut is_first = self.options.period;
        while let Some((unit, length)) = self.options.unit_at(text, at) {
            automaton.read(unit, is_first && unit == u32::from(b'.'));
            if let Some(work) = automaton.take_work() {
                pace.tick(work).await?;
            }
            if automaton.is_dead() {
                return Ok(false);
            }
            is_first = self.options.period && self.options.pathname && unit == u32::from(b'/');
            at += length;
        }
        Ok(automaton.is_match())
    }

    /// End of the longest or shortest match that begins at `from`.
    pub(super) async fn end_of_match(
        &self,
        text: &[u8],
        from: usize,
        longest: bool,
        pace: &mut impl Pace,
    ) -> Result<Option<usize>, Stopped> {
        pace.tick(1 + self.graph.edges.len() as u64 / 4).await?;
        let mut automaton = Automaton::new(&self.graph, self.options);
        let mut found = None;
        let mut at = from;
        loop {
            if automaton.is_match() {
                found = Some(at);
            }
            if (found.is_some() && !longest) || automaton.is_dead() {
                return Ok(found);
            }
            let Some((unit, length)) = self.options.unit_at(text, at) else { return Ok(found) };
            automaton.read(unit, false);
            if let Some(work) = automaton.take_work() {
                pace.tick(work).await?;
            }
            at += length;
        }
    }

    /// Start of the longest or shortest suffix that matches.
    pub(super) async fn suffix(
        &self,
        text: &[u8],
        longest: bool,
        pace: &mut impl Pace,
    ) -> Result<Option<usize>, Stopped> {
        let reversed = self.graph.reversed();
        let mut automaton = Automaton::new(&reversed, self.options);
        let mut found = None;
        let mut at = text.len();
        loop {
            if automaton.is_match() {
                found = Some(at);
            }
            if (found.is_some() && !longest) || automaton.is_dead() {
                return Ok(found);
            }
            let Some((unit, length)) = self.options.unit_before(text, at) else { return Ok(found) };
            automaton.read(unit, false);
            if let Some(work) = automaton.take_work() {
                pace.tick(work).await?;
            }
            at -= length;
        }
    }

    /// Where matches can begin at or after `from`.
    pub(super) async fn starts(
        &self,
        text: &[u8],
        from: usize,
        pace: &mut impl Pace,
    ) -> Result<Starts, Stopped> {
        let reversed = self.graph.reversed().skipping();
        let mut automaton = Automaton::new(&reversed, self.options);
        let mut starts = Starts { bits: vec![0; text.len() / 64 + 1] };
        let mut at = text.len();
        loop {
            if automaton.is_match() {
                starts.insert(at);
            }
            let Some((unit, length)) = self.options.unit_before(text, at).filter(|_| at > from) else {
                return Ok(starts);
            };
            automaton.read(unit, false);
            if let Some(work) = automaton.take_work() {
                pace.tick(work).await?;
            }
            at -= length;
        }
    }
}

/// A set of places in a text.
#[derive(Clone, Debug)]
pub(super) struct Starts {
    bits: Vec<u64>,
}

impl Starts {
    fn insert(&mut self, at: usize) {
        if let Some(word) = self.bits.get_mut(at / 64) {
            *word |= 1 << (at % 64);
        }
    }

    /// The first place at or after `from`.
    pub(super) fn next(&self, from: usize) -> Option<usize> {
        let index = from / 64;
        let word = self.bits.get(index)? & (u64::MAX << (from % 64));
        if word != 0 {
            return Some(index * 64 + word.trailing_zeros() as usize);
        }
        let rest = self.bits.get(index + 1..)?;
        let offset = rest.iter().position(|&word| word != 0)?;
        Some((index + 1 + offset) * 64 + rest.get(offset)?.trailing_zeros() as usize)
    }
}
