//! Runs a pattern's graph over a text, unit by unit, as a deterministic automaton that is built while it runs.
//!
//! A configuration is a set of graph states, and for each `!(list)` edge under way (its target, the configuration of its
//! body since the edge was entered). While the body's configuration does not accept, the edge's target belongs to the
//! set too. Equal configurations are one, so that the many places where a `!(list)` may have begun fall together as soon
//! as their futures are the same. Configurations and steps between them are remembered; when they are many, all but
//! what the present one needs are forgotten. Without `!(list)` a step costs at most the size of the pattern.

use super::PatternOptions;
use super::graph::{Graph, Label};
use crate::character::{Unit, fold};
use crate::memory::{HashMap, Vec, vec};

/// States of the graph (sorted) and `!(list)` edges under way (target, configuration of the body; sorted).
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct Configuration {
    states: Vec<usize>,
    waits: Vec<(usize, usize)>,
}

/// Remembered configurations and steps, in elements, before the first clearing.
const REMEMBERED: usize = 1 << 15;

/// The automaton at one point of a text.
pub(super) struct Automaton<'a> {
    graph: &'a Graph,
    options: PatternOptions,
    accepting: Vec<bool>,
    configurations: Vec<Configuration>,
    numbers: HashMap<Configuration, usize>,
    steps: HashMap<(usize, Unit), usize>,
    /// Size of what is remembered, and the size at which it is cleared.
    size: usize,
    size_to_clear: usize,
    /// The configuration with which each body begins.
    fresh: Vec<usize>,
    /// The present configuration.
    current: usize,
    /// Work done and not yet ticked.
    work: u64,
    /// For each state the number of the closure that saw it last, and that number.
    seen: Vec<usize>,
    closure: usize,
}

impl<'a> Automaton<'a> {
    pub(super) fn new(graph: &'a Graph, options: PatternOptions) -> Self {
        let mut accepting = vec![false; graph.edges.len()];
        for ends in graph.bodies.iter().chain([&graph.whole]) {
            if let Some(mark) = accepting.get_mut(ends.end) {
                *mark = true;
            }
        }
        let mut automaton = Self {
            graph,
            options,
            accepting,
            configurations: Vec::new(),
            numbers: HashMap::default(),
            steps: HashMap::default(),
            size: 0,
            size_to_clear: REMEMBERED,
            fresh: vec![0; graph.bodies.len()],
            current: 0,
            work: 0,
            seen: vec![0; graph.edges.len()],
            closure: 0,
        };
        automaton.begin_bodies();
        automaton.current = automaton.close(vec![graph.whole.start], Vec::new());
        automaton
    }

    /// Inner bodies have greater numbers, so they are ready when an outer one enters them.
    fn begin_bodies(&mut self) {
        for (body, ends) in self.graph.bodies.iter().enumerate().rev() {
            let number = self.close(vec![ends.start], Vec::new());
            if let Some(fresh) = self.fresh.get_mut(body) {
                *fresh = number;
            }
        }
    }

    /// Whether what was read so far matches.
    pub(super) fn is_match(&self) -> bool {
        self.accepts(self.current)
    }

    /// Whether nothing that follows can make it match.
    pub(super) fn is_dead(&self) -> bool {
        self.configurations.get(self.current).is_none_or(|c| c.states.is_empty() && c.waits.is_empty())
    }

    /// The work that was done since the last call, once it is worth counting.
    pub(super) fn take_work(&mut self) -> Option<u64> {
        (self.work >= 512).then(|| std::mem::take(&mut self.work))
    }

    /// Reads one unit. `is_leading` is set for a period that only a literal one may match.
    pub(super) fn read(&mut self, unit: Unit, is_leading: bool) {
        let unit = if self.options.ignore_case { fold(unit) } else { unit };
        self.work += 1;
        if is_leading {
            self.current = self.step_leading(self.current, unit);
        } else if let Some(&next) = self.steps.get(&(self.current, unit)) {
            self.current = next;
        } else {
            self.step(unit);
        }
        if self.size > self.size_to_clear {
            self.forget();
        }
    }

    /// Steps the present configuration after all configurations of bodies it waits for, the innermost first.
    fn step(&mut self, unit: Unit) {
        let mut pending = vec![self.current];
        while let Some(&number) = pending.last() {
            let count = pending.len();
            if !self.steps.contains_key(&(number, unit)) {
                let waits = self.configurations.get(number).map(|c| c.waits.as_slice()).unwrap_or_default();
                self.work += 1 + waits.len() as u64;
                pending.extend(
                    waits
                        .iter()
                        .map(|&(_, body)| body)
                        .filter(|&body| !self.steps.contains_key(&(body, unit))),
                );
            }
            if pending.len() == count {
                pending.pop();
                self.step_one(number, unit);
            }
        }
        self.current = self.steps.get(&(self.current, unit)).copied().unwrap_or(self.current);
    }

    /// Steps one configuration whose bodies have stepped.
    fn step_one(&mut self, number: usize, unit: Unit) {
        if self.steps.contains_key(&(number, unit)) {
            return;
        }
        let Some(configuration) = self.configurations.get(number) else { return };
        let mut targets = self.targets(configuration, |label| match label {
            Label::Any => !(self.options.pathname && unit == Unit::from(b'/')),
            Label::Set(set) => {
                !(self.options.pathname && unit == Unit::from(b'/'))
                    && self.graph.sets.get(*set).is_some_and(|set| set.contains(unit))
            }
            Label::Literal(literal) => *literal == unit,
            Label::Empty | Label::Not(_) => false,
        });
        let mut waits = Vec::with_capacity(configuration.waits.len());
        let may_wait = !(self.options.pathname && unit == Unit::from(b'/'));
        for &(target, body) in configuration.waits.iter().filter(|_| may_wait) {
            let Some(&body) = self.steps.get(&(body, unit)) else { continue };
            if !self.accepts(body) {
                targets.push(target);
            }
            waits.push((target, body));
        }
        let next = self.close(targets, waits);
        self.steps.insert((number, unit), next);
        self.size += 1;
    }

    /// As a step, but only literals match.
    fn step_leading(&mut self, number: usize, unit: Unit) -> usize {
        let Some(configuration) = self.configurations.get(number) else { return number };
        let targets =
            self.targets(configuration, |label| matches!(label, Label::Literal(literal) if *literal == unit));
        self.close(targets, Vec::new())
    }

    fn targets(&self, configuration: &Configuration, takes: impl Fn(&Label) -> bool) -> Vec<usize> {
        let edges = configuration.states.iter().filter_map(|&state| self.graph.edges.get(state)).flatten();
        edges.filter(|(label, _)| takes(label)).map(|&(_, to)| to).collect()
    }

    fn accepts(&self, number: usize) -> bool {
        let states = self.configurations.get(number).map(|c| c.states.as_slice()).unwrap_or_default();
        states.iter().any(|&state| self.accepting.get(state) == Some(&true))
    }

    /// The configuration of all states that can be reached from `pending` without reading.
    fn close(&mut self, mut pending: Vec<usize>, mut waits: Vec<(usize, usize)>) -> usize {
        self.closure += 1;
        let graph = self.graph;
        let mut states = Vec::new();
        while let Some(state) = pending.pop() {
            match self.seen.get_mut(state) {
                Some(seen) if *seen != self.closure => *seen = self.closure,
                _ => continue,
            }
            let edges = graph.edges.get(state).map(Vec::as_slice).unwrap_or_default();
            let mut is_kept = self.accepting.get(state) == Some(&true);
            for &(ref label, to) in edges {
                match label {
                    Label::Empty => pending.push(to),
                    Label::Not(body) => {
                        let fresh = self.fresh.get(*body).copied().unwrap_or(0);
                        waits.push((to, fresh));
                        if !self.accepts(fresh) {
                            pending.push(to);
                        }
                    }
                    Label::Literal(_) | Label::Any | Label::Set(_) => is_kept = true,
                }
            }
            if is_kept {
                states.push(state);
            }
            self.work += 1 + edges.len() as u64;
        }
        states.sort_unstable();
        waits.sort_unstable();
        waits.dedup();
        self.number(Configuration { states, waits })
    }

    /// The number of a configuration, which is remembered.
    fn number(&mut self, configuration: Configuration) -> usize {
        if let Some(&number) = self.numbers.get(&configuration) {
            return number;
        }
        let number = self.configurations.len();
        self.size += 4 + 2 * configuration.states.len() + 4 * configuration.waits.len();
        self.numbers.insert(configuration.clone(), number);
        self.configurations.push(configuration);
        number
    }

    /// Forgets all steps, and all configurations but the present one and those it waits for.
    fn forget(&mut self) {
        let mut is_needed = vec![false; self.configurations.len()];
        let mut pending = vec![self.current];
        while let Some(number) = pending.pop() {
            match is_needed.get_mut(number) {
                Some(mark) if !*mark => *mark = true,
                _ => continue,
            }
            let waits = self.configurations.get(number).map(|c| c.waits.as_slice()).unwrap_or_default();
            pending.extend(waits.iter().map(|&(_, body)| body));
        }
        let old = std::mem::take(&mut self.configurations);
        self.numbers.clear();
        self.steps.clear();
        self.size = 0;
        // A configuration is numbered after those it waits for, so the new numbers of those are known.
        let mut renumbered = vec![0; old.len()];
        for (index, mut configuration) in old.into_iter().enumerate() {
            if is_needed.get(index) != Some(&true) {
                continue;
            }
            for (_, body) in &mut configuration.waits {
                *body = renumbered.get(*body).copied().unwrap_or(0);
            }
            configuration.waits.sort_unstable();
            self.work += 1 + configuration.waits.len() as u64;
            let number = self.number(configuration);
            if let Some(new) = renumbered.get_mut(index) {
                *new = number;
            }
        }
        self.current = renumbered.get(self.current).copied().unwrap_or(0);
        self.begin_bodies();
        self.size_to_clear = REMEMBERED.max(4 * self.size);
    }
}
