//! Patterns with extended operators as a graph (a Thompson automaton).
//!
//! States are numbers, edges consume a unit or nothing. `!(list)` is one edge over a *body*: a graph of its own for the
//! list, with a start and an end; the edge may be taken over any text that the body does not match. Bodies are numbered
//! as they open, so that a body within another has the greater number. The same graph with every edge turned round
//! matches from the end of the text to its start.

use super::bracket::Set;
use crate::character::Unit;
use crate::memory::{Vec, vec};

/// What an edge consumes.
#[derive(Clone, Debug)]
pub(super) enum Label {
    /// Nothing.
    Empty,
    /// The unit, in lower case if case is ignored.
    Literal(Unit),
    /// Any unit, as `?` and `*` do.
    Any,
    /// A unit of the set.
    Set(usize),
    /// Any text but those the body matches.
    Not(usize),
}

/// A graph's start and end state.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ends {
    pub(super) start: usize,
    pub(super) end: usize,
}

/// The whole pattern's graph and those of its bodies, over the same states.
#[derive(Clone, Debug)]
pub(super) struct Graph {
    /// For each state its edges.
    pub(super) edges: Vec<Vec<(Label, usize)>>,
    pub(super) whole: Ends,
    pub(super) bodies: Vec<Ends>,
    pub(super) sets: Vec<Set>,
}

impl Graph {
    pub(super) fn new() -> Self {
        let whole = Ends { start: 0, end: 1 };
        Self { edges: vec![Vec::new(), Vec::new()], whole, bodies: Vec::new(), sets: Vec::new() }
    }

    pub(super) fn add_state(&mut self) -> usize {
        let state = self.edges.len();
        self.edges.push(Vec::new());
        state
    }

    pub(super) fn add_edge(&mut self, from: usize, label: Label, to: usize) {
        if let Some(edges) = self.edges.get_mut(from) {
            edges.push((label, to));
        }
    }

    /// The graph that matches the same texts from their end to their start.
    pub(super) fn reversed(&self) -> Self {
        let turn = |ends: &Ends| Ends { start: ends.end, end: ends.start };
        let mut reversed = Self {
            edges: vec![Vec::new(); self.edges.len()],
            whole: turn(&self.whole),
            bodies: self.bodies.iter().map(turn).collect(),
            sets: self.sets.clone(),
        };
        for (from, edges) in self.edges.iter().enumerate() {
            for (label, to) in edges {
                reversed.add_edge(*to, label.clone(), from);
            }
        }
        reversed
    }

    /// The graph that may skip any text first.
    pub(super) fn skipping(mut self) -> Self {
        let start = self.add_state();
        let next = self.whole.start;
        self.add_edge(start, Label::Any, start);
        self.add_edge(start, Label::Empty, next);
        self.whole.start = start;
        self
    }
}
