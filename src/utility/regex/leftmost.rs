//! Expressions of the `regex` crate over long texts: the crate's matches, found in stretches between which others run.
//!
//! The crate searches a text in one go, 15 MB in up to half a second. For such texts its lazy automaton is driven from here,
//! byte by byte: forwards to where the leftmost match ends, and backwards to where it begins. Groups, and expressions for
//! which the automaton does not do (`\b` beside letters that are not ASCII), are left to a simulation (`leftmost/simulate`)
//! over the compiled program. Both decide leftmost-first, as the crate does.

mod simulate;

use super::options::Span;
use crate::memory::{Box, Vec};
use crate::pattern::{Pace, Stopped};
use regex_automata::hybrid::LazyStateID;
use regex_automata::hybrid::dfa::{Cache, DFA};
use regex_automata::nfa::thompson::{self, NFA, WhichCaptures};
use regex_automata::util::syntax;
use regex_automata::{Anchored, Input, MatchKind};
use simulate::Simulation;
use std::sync::Mutex;

/// Texts of more bytes than this are long.
pub(crate) const LONG: usize = 128 << 10;

/// Bytes that each of the two automata may grow to.
const CACHE: usize = 1 << 20;
/// Bytes that are looked at between two looks at the pace, at most.
const STRETCH: usize = 4096;
/// The same times the states of the program: a state of the automaton may have to be made for each byte.
const STATES_IN_STRETCH: usize = 1 << 17;
/// Bytes that take as long as one step of the pace.
const STEP_BYTES: usize = 16;
/// Bytes of states that are made in the time of one step.
const STEP_GROWTH: usize = 16;
/// How often an automaton may start anew in one search before it is looked at whether it is worth its while.
const CLEARED: usize = 3;
/// An automaton that sees fewer bytes than this for each state that it makes is given up.
const BYTES_PER_STATE: usize = 10;

/// A compiled expression.
#[derive(Debug)]
pub(crate) struct Leftmost {
    program: NFA,
    forward: DFA,
    reverse: DFA,
    /// Whether texts are UTF-8, and an empty match may not stand inside a character.
    utf8: bool,
    /// Bytes that are looked at between two looks at the pace.
    stretch: usize,
    /// What the automata have built; a search takes it, and one that finds it taken makes its own.
    caches: Mutex<Option<Box<Caches>>>,
}

#[derive(Debug)]
struct Caches {
    forward: Cache,
    reverse: Cache,
}

/// The automaton does not do for a text.
struct Unfit;

impl Leftmost {
    /// Bytes that an expression may take whose program may have `size` bytes.
    pub(crate) const fn bytes(size: usize) -> usize {
        size.saturating_mul(2).saturating_add(2 * CACHE)
    }

    /// Compiles an expression as [`regex`] compiles it; `None` if it is none or too large.
    pub(crate) fn new(pattern: &str, syntax: syntax::Config, size: usize) -> Option<Self> {
        let utf8 = syntax.get_utf8();
        let config = thompson::Config::new().utf8(utf8).nfa_size_limit(Some(size));
        let compile = |config| thompson::Compiler::new().syntax(syntax).configure(config).build(pattern).ok();
        let program = compile(config.clone())?;
        let backwards = compile(config.reverse(true).which_captures(WhichCaptures::None))?;
        let automaton = |program, kind| {
            let config = DFA::config()
                .match_kind(kind)
                .unicode_word_boundary(true)
                .cache_capacity(CACHE)
                .skip_cache_capacity_check(true)
                .minimum_cache_clear_count(Some(CLEARED))
                .minimum_bytes_per_state(Some(BYTES_PER_STATE));
            DFA::builder().configure(config).build_from_nfa(program).ok()
        };
        let forward = automaton(program.clone(), MatchKind::LeftmostFirst)?;
        let reverse = automaton(backwards, MatchKind::All)?;
        let stretch = (STATES_IN_STRETCH / program.states().len().max(1)).clamp(16, STRETCH);
        Some(Self { program, forward, reverse, utf8, stretch, caches: Mutex::new(None) })
    }

    /// The first match at or after `start`.
    pub(crate) async fn find(
        &self,
        text: &[u8],
        start: usize,
        pace: &mut impl Pace,
    ) -> Result<Option<Span>, Stopped> {
        let mut at = start;
        loop {
            let found = self.find_anywhere(text, at, pace).await?;
            match found {
                Some((from, end)) if self.utf8 && from == end && is_inside_character(text, from) => {
                    at = from + 1;
                }
                found => return Ok(found),
            }
        }
    }

    /// The first match at or after `start` and its groups, the match itself being the first; empty without a match.
    pub(crate) async fn captures(
        &self,
        text: &[u8],
        start: usize,
        pace: &mut impl Pace,
    ) -> Result<Vec<Option<Span>>, Stopped> {
        let mut groups = Vec::new();
        let Some(whole) = self.find(text, start, pace).await? else { return Ok(groups) };
        groups.push(Some(whole));
        let count = self.program.group_info().group_len(regex_automata::PatternID::ZERO);
        if count > 1 {
            let mut simulation = Simulation::new(&self.program, 2 * count);
            let slots = simulation.find(text, whole.0, whole.1, true, pace).await?.unwrap_or_default();
            groups.extend((1..count).map(|group| super::options::span(&slots, group)));
        }
        Ok(groups)
    }

    async fn find_anywhere(
        &self,
        text: &[u8],
        start: usize,
        pace: &mut impl Pace,
    ) -> Result<Option<Span>, Stopped> {
        let caches = self.caches.try_lock().ok().and_then(|mut caches| caches.take());
        let mut caches = caches.unwrap_or_else(|| {
            Box::new(Caches { forward: self.forward.create_cache(), reverse: self.reverse.create_cache() })
        });
        let found = self.drive(&mut caches, text, start, pace).await;
        if let Ok(mut place) = self.caches.try_lock() {
            *place = Some(caches);
        }
        match found? {
            Ok(found) => Ok(found),
            Err(Unfit) => {
                let mut simulation = Simulation::new(&self.program, 2);
                let slots = simulation.find(text, start, text.len(), false, pace).await?;
                Ok(slots.and_then(|slots| super::options::span(&slots, 0)))
            }
        }
    }

    async fn drive(
        &self,
        caches: &mut Caches,
        text: &[u8],
        start: usize,
        pace: &mut impl Pace,
    ) -> Result<Result<Option<Span>, Unfit>, Stopped> {
        let end = match self.end(&mut caches.forward, text, start, pace).await? {
            Ok(Some(end)) => end,
            Ok(None) => return Ok(Ok(None)),
            Err(Unfit) => return Ok(Err(Unfit)),
        };
        let from = self.start(&mut caches.reverse, text, start, end, pace).await?;
        Ok(from.map(|from| from.map(|from| (from, end))))
    }

    /// Where the leftmost match at or after `start` ends.
    async fn end(
        &self,
        cache: &mut Cache,
        text: &[u8],
        start: usize,
        pace: &mut impl Pace,
    ) -> Result<Result<Option<usize>, Unfit>, Stopped> {
        let Some(rest) = text.get(start..) else { return Ok(Ok(None)) };
        let input = Input::new(text).range(start..);
        let Ok(mut state) = self.forward.start_state_forward(cache, &input) else { return Ok(Err(Unfit)) };
        let mut found = None;
        let mut at = start;
        cache.search_start(at);
        let mut cost = Cost::of(cache);
        for stretch in rest.chunks(self.stretch) {
            let walked = walk(&self.forward, cache, &mut state, stretch.iter(), &mut |passed| {
                found = Some(at + passed);
            });
            at += stretch.len();
            cache.search_update(at);
            match walked {
                Walked::On => {}
                Walked::Ended => {
                    cache.search_finish(at);
                    return Ok(Ok(found));
                }
                Walked::Unfit => return Ok(Err(Unfit)),
            }
            pace.tick(cost.since(cache, stretch.len())).await?;
        }
        cache.search_finish(at);
        match self.forward.next_eoi_state(cache, state) {
            Ok(state) if state.is_match() => Ok(Ok(Some(text.len()))),
            Ok(_) => Ok(Ok(found)),
            Err(_) => Ok(Err(Unfit)),
        }
    }

    /// Where the match begins that ends at `end`, at or after `start`.
    async fn start(
        &self,
        cache: &mut Cache,
        text: &[u8],
        start: usize,
        end: usize,
        pace: &mut impl Pace,
    ) -> Result<Result<Option<usize>, Unfit>, Stopped> {
        let input = Input::new(text).range(start..end).anchored(Anchored::Yes);
        let Ok(mut state) = self.reverse.start_state_reverse(cache, &input) else { return Ok(Err(Unfit)) };
        let mut found = None;
        let mut at = end;
        cache.search_start(at);
        let mut cost = Cost::of(cache);
        for stretch in text.get(start..end).unwrap_or_default().rchunks(self.stretch) {
            let bytes = stretch.iter().rev();
            let walked =
                walk(&self.reverse, cache, &mut state, bytes, &mut |passed| found = Some(at - passed));
            at -= stretch.len();
            cache.search_update(at);
            match walked {
                Walked::On => {}
                Walked::Ended => {
                    cache.search_finish(at);
                    return Ok(Ok(found));
                }
                Walked::Unfit => return Ok(Err(Unfit)),
            }
            pace.tick(cost.since(cache, stretch.len())).await?;
        }
        cache.search_finish(at);
        let last = match start.checked_sub(1).and_then(|before| text.get(before)) {
            Some(&byte) => self.reverse.next_state(cache, state, byte),
            None => self.reverse.next_eoi_state(cache, state),
        };
        match last {
            Ok(state) if state.is_quit() => Ok(Err(Unfit)),
            Ok(state) if state.is_match() => Ok(Ok(Some(start))),
            Ok(_) => Ok(Ok(found)),
            Err(_) => Ok(Err(Unfit)),
        }
    }
}

/// What a walk costs: the bytes that it sees, and the states that it makes.
struct Cost {
    cleared: usize,
    memory: usize,
}

impl Cost {
    fn of(cache: &Cache) -> Self {
        Self { cleared: cache.clear_count(), memory: cache.memory_usage() }
    }

    /// Steps since the last time.
    fn since(&mut self, cache: &Cache, bytes: usize) -> u64 {
        let before = std::mem::replace(self, Self::of(cache));
        let grown =
            if self.cleared == before.cleared { self.memory.saturating_sub(before.memory) } else { CACHE };
        (bytes / STEP_BYTES + grown / STEP_GROWTH) as u64
    }
}

/// How a walk over a stretch of a text went.
enum Walked {
    /// It may go on.
    On,
    /// No later match is better.
    Ended,
    /// The automaton cannot go on.
    Unfit,
}

/// Goes over bytes; says of each match how many were passed when it was complete. Matches are seen one byte late.
fn walk<'t>(
    automaton: &DFA,
    cache: &mut Cache,
    state: &mut LazyStateID,
    bytes: impl Iterator<Item = &'t u8>,
    found: &mut dyn FnMut(usize),
) -> Walked {
    for (passed, &byte) in bytes.enumerate() {
        let Ok(next) = automaton.next_state(cache, *state, byte) else { return Walked::Unfit };
        *state = next;
        if !next.is_tagged() {
            continue;
        }
        if next.is_match() {
            found(passed);
        } else if next.is_dead() {
            return Walked::Ended;
        } else if next.is_quit() {
            return Walked::Unfit;
        }
    }
    Walked::On
}

fn is_inside_character(text: &[u8], at: usize) -> bool {
    text.get(at).is_some_and(|byte| (0x80..0xc0).contains(byte))
}

#[cfg(test)]
mod tests;
