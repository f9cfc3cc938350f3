//! Tokens → a simple pattern, or a graph where extended operators need one.
//!
//! A first pass finds each bracket expression and pairs each `(` of an extended operator with its `)`; an operator whose
//! `)` is missing stands for itself. The second pass builds. Neither recurses.

use super::bracket::{BracketParser, Set};
use super::extended::Extended;
use super::graph::{Ends, Graph, Label};
use super::simple::{Element, Simple};
use super::token::Token;
use super::{Matcher, PatternOptions};
use crate::character::{INVALID, fold};
use crate::memory::{Arc, BTreeMap, Vec};
use crate::text::Text;

/// What begins at a token, when it is more than the token itself.
enum Mark {
    /// A bracket expression and the index after it.
    Bracket(Set, usize),
    /// The `)` of the extended operator at this token.
    Close,
}

/// The matcher of a pattern, and what is asked of it otherwise.
pub(super) struct Parsed {
    pub(super) matcher: Matcher,
    /// Whether any special character is in it.
    pub(super) is_special: bool,
    /// See `Pattern::is_mismeasured`.
    pub(super) is_mismeasured: bool,
}

/// Builds the matcher of a pattern.
pub(super) fn parse(tokens: &[Token], options: PatternOptions) -> Parsed {
    let marks = mark(tokens, options);
    let has_groups = marks.values().any(|mark| matches!(mark, Mark::Close));
    let has_brackets = !marks.is_empty();
    let is_mismeasured = !has_groups
        && marks.values().any(|mark| matches!(mark, Mark::Bracket(set, _) if set.is_mismeasured()))
        && !tokens.iter().any(|token| token.is(b'*'));
    let is_special = has_brackets || tokens.iter().any(|token| token.is(b'*') || token.is(b'?'));
    if has_groups || (!options.bytes && tokens.iter().any(|token| token.unit >= INVALID)) {
        let graph = Builder::new(options).build(tokens, marks);
        let matcher = Matcher::Extended(Arc::new(Extended { graph, options }));
        return Parsed { matcher, is_special, is_mismeasured };
    }
    let simple = simple(tokens, marks, options);
    let matcher = match simple.literal() {
        Some(literal) => Matcher::Literal(Text::from(literal)),
        None => Matcher::Simple(Arc::new(simple)),
    };
    Parsed { matcher, is_special, is_mismeasured }
}

fn is_operator(token: Token) -> bool {
    [b'?', b'*', b'+', b'@', b'!'].into_iter().any(|byte| token.is(byte))
}

/// Marks by the index of their token.
type Marks = BTreeMap<usize, Mark>;

/// The first pass: the tokens that are more than themselves.
fn mark(tokens: &[Token], options: PatternOptions) -> Marks {
    let mut marks = Marks::default();
    let mut brackets = BracketParser::new(tokens, options.ignore_case);
    // For each open parenthesis the operator before it, if there is one.
    let mut open: Vec<Option<usize>> = Vec::new();
    let mut at = 0;
    while let Some(&token) = tokens.get(at) {
        let mut next = at + 1;
        if token.is(b'[') {
            if let Some((set, end)) = brackets.parse(at) {
                marks.insert(at, Mark::Bracket(set, end));
                next = end;
            }
        } else if options.extglob && token.is(b'(') {
            let operator =
                at.checked_sub(1).filter(|&before| tokens.get(before).is_some_and(|&t| is_operator(t)));
            if operator.is_some() || !open.is_empty() {
                open.push(operator);
            }
        } else if options.extglob
            && token.is(b')')
            && let Some(Some(operator)) = open.pop()
        {
            marks.insert(operator, Mark::Close);
            marks.insert(at, Mark::Close);
        }
        at = next;
    }
    marks
}

fn simple(tokens: &[Token], mut marks: Marks, options: PatternOptions) -> Simple {
    let mut simple = Simple::new(options);
    let mut at = 0;
    while let Some(&token) = tokens.get(at) {
        at += 1;
        if let Some(Mark::Bracket(set, end)) = marks.remove(&(at - 1)) {
            simple.push(Element::Set(set));
            at = end;
        } else if token.is(b'*') {
            simple.push_star();
        } else if token.is(b'?') {
            simple.push(Element::Any);
        } else {
            simple.push_literal(token.unit);
        }
    }
    simple
}

/// An extended operator whose list is being read.
struct Open {
    /// Where each alternative begins and ends.
    alternative: Ends,
    /// Where the pattern goes on.
    after: usize,
}

/// The second pass.
struct Builder {
    graph: Graph,
    options: PatternOptions,
    /// The state that the pattern so far leads to.
    current: usize,
    open: Vec<Open>,
}

impl Builder {
    fn new(options: PatternOptions) -> Self {
        let graph = Graph::new();
        Self { current: graph.whole.start, graph, options, open: Vec::new() }
    }

    fn build(mut self, tokens: &[Token], mut marks: Marks) -> Graph {
        let mut at = 0;
        while let Some(&token) = tokens.get(at) {
            at += 1;
            match marks.remove(&(at - 1)) {
                Some(Mark::Bracket(set, end)) => {
                    let number = self.graph.sets.len();
                    self.graph.sets.push(set);
                    self.advance(Label::Set(number));
                    at = end;
                }
                Some(Mark::Close) if token.is(b')') => self.close_group(),
                Some(Mark::Close) => {
                    self.open_group(token);
                    at += 1;
                }
                None if token.is(b'|') && !self.open.is_empty() => self.next_alternative(),
                None if token.is(b'*') => {
                    self.graph.add_edge(self.current, Label::Any, self.current);
                    // A state of its own, so that nothing before the `*` can come back to it.
                    self.advance(Label::Empty);
                }
                None if token.is(b'?') => self.advance(Label::Any),
                None if self.options.ignore_case => self.advance(Label::Literal(fold(token.unit))),
                None => self.advance(Label::Literal(token.unit)),
            }
        }
        let end = self.graph.whole.end;
        self.graph.add_edge(self.current, Label::Empty, end);
        self.graph
    }

    fn advance(&mut self, label: Label) {
        let next = self.graph.add_state();
        self.graph.add_edge(self.current, label, next);
        self.current = next;
    }

    fn open_group(&mut self, operator: Token) {
        let before = self.current;
        let alternative = Ends { start: self.graph.add_state(), end: self.graph.add_state() };
        let after = self.graph.add_state();
        let graph = &mut self.graph;
        if operator.is(b'!') {
            let body = graph.bodies.len();
            graph.bodies.push(alternative);
            graph.add_edge(before, Label::Not(body), after);
        } else {
            graph.add_edge(before, Label::Empty, alternative.start);
            graph.add_edge(alternative.end, Label::Empty, after);
            if operator.is(b'?') || operator.is(b'*') {
                graph.add_edge(before, Label::Empty, after);
            }
            if operator.is(b'*') || operator.is(b'+') {
                graph.add_edge(alternative.end, Label::Empty, alternative.start);
            }
        }
        self.open.push(Open { alternative, after });
        self.current = graph.add_state();
        graph.add_edge(alternative.start, Label::Empty, self.current);
    }

    fn next_alternative(&mut self) {
        if let Some(open) = self.open.last() {
            self.graph.add_edge(self.current, Label::Empty, open.alternative.end);
            self.current = self.graph.add_state();
            self.graph.add_edge(open.alternative.start, Label::Empty, self.current);
        }
    }

    fn close_group(&mut self) {
        if let Some(open) = self.open.pop() {
            self.graph.add_edge(self.current, Label::Empty, open.alternative.end);
            self.current = open.after;
        }
    }
}
