//! The program: terms in one table, referring to each other by number.
//!
//! Names are resolved when a term is made: a variable, a label or a filter parameter is the number of bindings between
//! its use and where it was bound, a function is its number and the number of bindings to drop before its body runs.

use super::binding::Id;
use super::context::Context;
use super::error::Raise;
use super::format::Format;
use super::operator::Operator;
use super::text::Text;
use super::value::Value;
use crate::memory::{BTreeSet, Box, Vec, vec};

/// A builtin over values: input and arguments to one output.
pub(crate) type NativeFunction = fn(&mut Context<'_>, Value, &[Value]) -> Result<Value, Raise>;

/// An operation over the outputs of several terms.
#[derive(Clone, Debug)]
pub(crate) enum Operation {
    /// A builtin; arguments are evaluated last first, the last one being the outermost loop.
    Native(NativeFunction),
    /// `-f`; true: `f` computes its number.
    Negate(bool),
    /// A string with interpolations: the literal pieces around them, and how each is formatted.
    Interpolate(Format, Vec<Text>),
    /// Object construction; arguments are key, value, key, value; the first one is the outermost loop.
    Object,
    /// `range($from; $upto)`; the first argument is the outermost loop.
    Range,
    /// `getpath($path)`, which is a path expression.
    GetPath,
    /// `limit($count; f)`: `f` is the second member.
    Limit(Id),
    /// `error($value)`
    Error,
    /// `input`; true: `[input]`, or `[]` after the last.
    Input(bool),
    /// `modulemeta`
    ModuleMeta,
}

impl Operation {
    /// Whether the first argument is the outermost loop.
    pub(crate) fn is_forward(&self) -> bool {
        matches!(self, Operation::Object | Operation::Range)
    }
}

/// What an assignment stores.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Assignment {
    /// `p = v`
    Set,
    /// `p |= f`
    Update,
    /// `p += v` and the like.
    Operate(Operator),
    /// `p //= v`
    Default,
}

/// A term of the language.
#[derive(Clone, Debug)]
pub(crate) enum Term {
    /// `.`
    Identity,
    /// A literal.
    Constant(Value),
    /// `f.name`
    Field(Id, Text),
    /// `f[key]`
    Index(Id, Id),
    /// `f[from:upto]`
    Slice(Id, Option<Id>, Option<Id>),
    /// `f[]`
    Each(Id),
    /// `f | g`
    Pipe(Id, Id),
    /// `f, g`
    Comma(Id, Id),
    /// `empty`
    Empty,
    /// `[f]`
    Collect(Id),
    /// `f + g` and the like: the right operand is the outer loop.
    Binary(Operator, Id, Id),
    /// `f and g`
    And(Id, Id),
    /// `f or g`
    Or(Id, Id),
    /// `f // g`
    Alternative(Id, Id),
    /// An operation over values.
    Apply(Operation, Vec<Id>),
    /// `if c then t else e end`
    If(Id, Id, Id),
    /// `try f catch g`; without `g` the error is dropped.
    Try(Id, Option<Id>),
    /// `reduce source as $x (init; update)`; `update` ends with the pattern's bindings in scope.
    Reduce(Box<Fold>),
    /// `foreach source as $x (init; update; extract)`
    Foreach(Box<Fold>),
    /// `source as $x | body`
    Bind(Id, Id),
    /// `source as P1 ?// P2 | body`: each pattern gives an array of the variables' values.
    BindAny(Id, Vec<Id>, Id),
    /// A term under fewer bindings: how many to drop, the term.
    Outer(usize, Id),
    /// `label $x | body`
    Label(Id),
    /// `break $x`: bindings to skip to the label.
    Break(usize),
    /// `$x`: bindings to skip.
    Variable(usize),
    /// A variable given from outside, or `$ENV`.
    Global(usize),
    /// A filter parameter: bindings to skip.
    Parameter(usize),
    /// A call: function, arguments, bindings to drop.
    Call(usize, Vec<Id>, usize),
    /// `path(f)`
    Path(Id),
    /// `p = v` and its kin.
    Assign(Assignment, Id, Id),
    /// `..`
    Recurse,
    /// A name that is not defined. A filter that can come to it is not compiled.
    Undefined,
}

/// The parts of `reduce` and `foreach`; they follow one binding, the source's output. Destructuring, if any, is part of
/// `update` and `extract`.
#[derive(Clone, Debug)]
pub(crate) struct Fold {
    pub(crate) source: Id,
    pub(crate) init: Id,
    pub(crate) update: Id,
    pub(crate) extract: Option<Id>,
}

/// What is known of a term.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Shape {
    /// At most one output, found without the machine.
    pub(crate) is_single: bool,
    /// As `is_single`, provided that each filter parameter in scope is.
    pub(crate) is_single_given_parameters: bool,
    /// How deep the evaluation of a single term recurses.
    pub(crate) depth: usize,
}

/// A function: its body, and what is known of it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Function {
    pub(crate) body: Id,
    pub(crate) shape: Shape,
}

/// A compiled filter's terms and functions.
#[derive(Debug, Default)]
pub(crate) struct Program {
    pub(crate) terms: Vec<Term>,
    pub(crate) shapes: Vec<Shape>,
    pub(crate) functions: Vec<Function>,
}

/// Terms that recurse deeper than this run on the machine, whose stack is on the heap.
const SINGLE_DEPTH: usize = 40;

impl Program {
    /// The term with number `id`; the identity for a number that was never given out.
    pub(crate) fn term(&self, id: Id) -> &Term {
        self.terms.get(id).unwrap_or(&Term::Identity)
    }

    /// The terms that evaluating `main` can come to.
    pub(crate) fn reachable(&self, main: Id) -> BTreeSet<Id> {
        let mut reached = BTreeSet::new();
        let mut open = vec![main];
        while let Some(id) = open.pop() {
            if reached.insert(id) {
                self.parts(id, &mut open);
            }
        }
        reached
    }

    /// Appends the terms that `id` is made of, and the body of the function that it calls.
    fn parts(&self, id: Id, parts: &mut Vec<Id>) {
        match self.term(id) {
            Term::Field(one, _)
            | Term::Each(one)
            | Term::Collect(one)
            | Term::Label(one)
            | Term::Path(one) => {
                parts.push(*one);
            }
            Term::Outer(_, one) => parts.push(*one),
            Term::Index(one, two)
            | Term::Pipe(one, two)
            | Term::Comma(one, two)
            | Term::Binary(_, one, two)
            | Term::And(one, two)
            | Term::Or(one, two)
            | Term::Alternative(one, two)
            | Term::Bind(one, two)
            | Term::Assign(_, one, two) => parts.extend([*one, *two]),
            Term::Slice(one, from, upto) => {
                parts.push(*one);
                parts.extend([*from, *upto].into_iter().flatten());
            }
            Term::Apply(operation, arguments) => {
                parts.extend_from_slice(arguments);
                if let Operation::Limit(inner) = operation {
                    parts.push(*inner);
                }
            }
            Term::If(one, two, three) => parts.extend([*one, *two, *three]),
            Term::Try(body, handler) => {
                parts.push(*body);
                parts.extend(*handler);
            }
            Term::Reduce(fold) | Term::Foreach(fold) => {
                parts.extend([fold.source, fold.init, fold.update]);
                parts.extend(fold.extract);
            }
            Term::BindAny(source, patterns, body) => {
                parts.extend([*source, *body]);
                parts.extend_from_slice(patterns);
            }
            Term::Call(function, arguments, _) => {
                parts.extend_from_slice(arguments);
                parts.extend(self.functions.get(*function).map(|function| function.body));
            }
            Term::Identity
            | Term::Constant(_)
            | Term::Empty
            | Term::Break(_)
            | Term::Variable(_)
            | Term::Global(_)
            | Term::Parameter(_)
            | Term::Recurse
            | Term::Undefined => {}
        }
    }

    /// What is known of the term `id`.
    pub(crate) fn shape(&self, id: Id) -> Shape {
        self.shapes.get(id).copied().unwrap_or_default()
    }

    /// Adds a term.
    pub(crate) fn add(&mut self, term: Term) -> Id {
        let shape = self.shape_of(&term);
        self.shapes.push(shape);
        self.terms.add(term)
    }

    fn all(&self, parts: impl IntoIterator<Item = Id>) -> Shape {
        let start = Shape { is_single: true, is_single_given_parameters: true, depth: 0 };
        let joined = parts.into_iter().fold(start, |sum, id| {
            let part = self.shape(id);
            Shape {
                is_single: sum.is_single && part.is_single,
                is_single_given_parameters: sum.is_single_given_parameters && part.is_single_given_parameters,
                depth: sum.depth.max(part.depth),
            }
        });
        deeper(joined, 1)
    }

    fn shape_of(&self, term: &Term) -> Shape {
        match term {
            Term::Identity | Term::Constant(_) | Term::Empty | Term::Variable(_) | Term::Global(_) => {
                self.all([])
            }
            Term::Field(target, _) | Term::Outer(_, target) => self.all([*target]),
            Term::Index(target, key) => self.all([*target, *key]),
            Term::Slice(target, from, upto) => self.all([Some(*target), *from, *upto].into_iter().flatten()),
            Term::Pipe(left, right)
            | Term::Binary(_, left, right)
            | Term::And(left, right)
            | Term::Or(left, right)
            | Term::Alternative(left, right)
            | Term::Bind(left, right) => self.all([*left, *right]),
            Term::If(condition, then, otherwise) => self.all([*condition, *then, *otherwise]),
            Term::Try(body, handler) => self.all([Some(*body), *handler].into_iter().flatten()),
            Term::Collect(inner) => self.all([*inner]),
            Term::Apply(
                Operation::Range | Operation::Limit(_) | Operation::Input(_) | Operation::ModuleMeta,
                _,
            ) => Shape::default(),
            Term::Apply(_, arguments) => self.all(arguments.iter().copied()),
            Term::Assign(kind, path, value) if self.is_plain_path(*path) && *kind != Assignment::Update => {
                self.all([*path, *value])
            }
            Term::Parameter(_) => Shape { is_single_given_parameters: true, is_single: false, depth: 1 },
            Term::Call(function, arguments, _) => self.shape_of_call(*function, arguments),
            _ => Shape::default(),
        }
    }

    fn shape_of_call(&self, function: usize, arguments: &[Id]) -> Shape {
        let Some(function) = self.functions.get(function) else { return Shape::default() };
        if !function.shape.is_single_given_parameters {
            return Shape::default();
        }
        deeper(self.all(arguments.iter().copied()), function.shape.depth)
    }

    /// Whether `id` is `.a["b"].c[f]` with each key a single term: its path is found without the machine.
    pub(crate) fn is_plain_path(&self, id: Id) -> bool {
        let mut at = id;
        for _ in 0..SINGLE_DEPTH {
            match self.term(at) {
                Term::Identity => return true,
                Term::Field(target, _) => at = *target,
                Term::Index(target, key) if self.shape(*key).is_single => at = *target,
                _ => return false,
            }
        }
        false
    }

    /// Whether a term has an output, and no second one, or fails: what may be empty is none.
    fn is_one(&self, id: Id) -> bool {
        let mut pending = vec![id];
        for _ in 0..SINGLE_DEPTH {
            let Some(id) = pending.pop() else { return true };
            match self.term(id) {
                Term::Identity | Term::Constant(_) | Term::Variable(_) | Term::Global(_) => {}
                Term::Field(target, _) => pending.push(*target),
                Term::Index(target, key) => pending.extend([*target, *key]),
                _ => return false,
            }
        }
        false
    }

    /// Target and `g` of `target[] | g` (`None`: of `target[]`), where the target is one value and each member has at most one
    /// output of `g`.
    pub(crate) fn mapping(&self, id: Id) -> Option<(Id, Option<Id>)> {
        let (each, rest) = match self.term(id) {
            Term::Pipe(each, rest) if self.shape(*rest).is_single => (*each, Some(*rest)),
            Term::Each(_) => (id, None),
            _ => return None,
        };
        match self.term(each) {
            Term::Each(target) if self.is_one(*target) => Some((*target, rest)),
            _ => None,
        }
    }

    /// The keys of `.a.b.c`, outermost first, if `id` is nothing but that.
    pub(crate) fn field_path(&self, id: Id) -> Option<Vec<Text>> {
        let mut keys = Vec::new();
        let mut at = id;
        loop {
            match self.term(at) {
                Term::Identity => break,
                Term::Field(target, name) => {
                    keys.push(name.clone());
                    at = *target;
                }
                _ => return None,
            }
        }
        keys.reverse();
        Some(keys)
    }
}

fn deeper(shape: Shape, by: usize) -> Shape {
    let depth = shape.depth.saturating_add(by);
    if depth > SINGLE_DEPTH { Shape::default() } else { Shape { depth, ..shape } }
}
