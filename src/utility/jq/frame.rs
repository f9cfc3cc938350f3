//! The machine's two stacks: frames (what happens to an output) and choices (where to go on for the next output).
//!
//! Frames are a shared list, so that several choices can continue into the same one; choices are a plain stack. Both lie
//! on the heap: how deep a filter recurses is a matter of the run's memory, not of the native stack.

use super::binding::{Bindings, Id};
use super::error::Raise;
use super::job::Job;
use super::operator::Operator;
use super::text::Text;
use super::value::{Array, Members, Value};
use crate::memory::{Held, Vec, shared};
use std::sync::Arc;

/// The path of a value, newest key first.
#[derive(Clone, Debug, Default)]
pub(crate) struct Trail(Option<Arc<Held<TrailStep>>>);

#[derive(Debug)]
struct TrailStep {
    key: Value,
    before: Trail,
}

impl Trail {
    /// This path with one more key.
    pub(crate) fn with(&self, key: Value) -> Trail {
        Trail(Some(shared(TrailStep { key, before: self.clone() })))
    }

    /// The keys from the first.
    pub(crate) fn keys(&self) -> Vec<Value> {
        let mut keys = Vec::new();
        let mut at = self;
        while let Some(step) = &at.0 {
            keys.push(step.key.clone());
            at = &step.before;
        }
        keys.reverse();
        keys
    }
}

impl Drop for Trail {
    fn drop(&mut self) {
        let mut next = self.0.take();
        while let Some(mut step) = next.take().and_then(Arc::into_inner) {
            next = step.before.0.take();
        }
    }
}

/// Whether the path of a value is followed.
#[derive(Clone, Debug)]
pub(crate) enum Track {
    /// No path is wanted.
    Off,
    /// The value lies here.
    At(Trail),
    /// A path is wanted, but the value was computed and lies nowhere: the last place, and the value that lies there.
    Lost(Trail, Value),
}

impl Track {
    /// A value as seen from this position: it lies there if it is the very value of that place.
    pub(crate) fn hold(self, value: Value) -> Item {
        let track = match self {
            Track::Lost(trail, there) if there.is_identical(&value) => Track::At(trail),
            other => other,
        };
        Item { value, track }
    }

    /// As [`Track::hold`] for a value that was made anew: a number is another one then.
    pub(crate) fn hold_new(self, value: Value) -> Item {
        match value {
            Value::Number(_) => Item { value, track: self },
            value => self.hold(value),
        }
    }
}

/// A value on its way, with its path.
#[derive(Clone, Debug)]
pub(crate) struct Item {
    pub(crate) value: Value,
    pub(crate) track: Track,
}

impl Item {
    /// A value whose path is of no interest.
    pub(crate) fn plain(value: Value) -> Item {
        Item { value, track: Track::Off }
    }

    /// The place of the value, for what is computed from it.
    pub(crate) fn position(&self) -> Track {
        match &self.track {
            Track::At(trail) => Track::Lost(trail.clone(), self.value.clone()),
            other => other.clone(),
        }
    }

    /// The same value without its path.
    pub(crate) fn untracked(&self) -> Item {
        Item::plain(self.value.clone())
    }
}

/// A list of frames, the next one first.
#[derive(Clone, Debug, Default)]
pub(crate) struct Frames(Option<Arc<Held<Frame>>>);

/// One frame.
#[derive(Clone, Debug)]
pub(crate) struct Frame {
    pub(crate) todo: Todo,
    pub(crate) bindings: Bindings,
    pub(crate) next: Frames,
}

impl Frames {
    /// This list with one more frame.
    pub(crate) fn with(self, todo: Todo, bindings: &Bindings) -> Frames {
        Frames(Some(shared(Frame { todo, bindings: bindings.clone(), next: self })))
    }

    /// The next frame, without copying where it is not shared.
    pub(crate) fn pop(mut self) -> Option<Frame> {
        let shared = self.0.take()?;
        Some(match Arc::try_unwrap(shared) {
            Ok(frame) => frame.into_inner(),
            Err(shared) => Frame::clone(&shared),
        })
    }

    /// The next frame.
    pub(crate) fn first(&self) -> Option<&Frame> {
        self.0.as_deref().map(|frame| &**frame)
    }
}

impl Drop for Frames {
    fn drop(&mut self) {
        let mut next = self.0.take();
        while let Some(mut frame) = next.take().and_then(Arc::into_inner) {
            next = frame.next.0.take();
        }
    }
}

/// What happens to an output.
#[derive(Clone, Debug)]
pub(crate) enum Todo {
    /// It is the input of a term.
    Pipe(Id),
    /// It is indexed with a constant name (the term holds it).
    Field(Id),
    /// It is a key; the target's outputs are indexed with it.
    Key(Id, Item),
    /// It is indexed with this key.
    Index(Value),
    /// It is the start of a slice of the target.
    SliceFrom(Id, Item),
    /// It is the end of a slice that starts here.
    SliceUpto(Id, Value, Item),
    /// It is sliced.
    Slice(Value, Value),
    /// Its members are the outputs.
    Each,
    /// Its members are mapped by a term into an array; the track to go on with.
    Map(Option<Id>, Track),
    /// It is the next item of the array being collected in this choice.
    Collect(usize),
    /// It is the right operand; the left one is evaluated over the input.
    Right(Operator, Id, Value),
    /// It is the left operand.
    Left(Operator, Value),
    /// It is the left operand of `and` (true) or `or` (false).
    Logic(bool, Id, Value),
    /// It is replaced by whether it is true.
    Truth,
    /// It was computed over this input.
    Computed(Item),
    /// It is a left output of `//` in this choice.
    Alternative(usize),
    /// It is the output for the next member of the mapping in this choice.
    Mapped(usize),
    /// It is an argument of an operation (a term); those evaluated before it.
    Argument(Id, Vec<Value>, Item),
    /// It is a condition.
    If(Id, Id, Item),
    /// It leaves a `try`: its handler, the height of the choices.
    Try(Option<Id>, usize, Track),
    /// It is an initial state of the fold (a term) over the input.
    FoldInit(Id, Item),
    /// It is an output of the source of the fold in this choice.
    FoldSource(Id, usize),
    /// It is the new state of the fold in this choice.
    FoldState(Id, usize),
    /// It is bound to a variable for a term over the input.
    Bind(Id, Item),
    /// It is destructured by the patterns of a term, starting with this one.
    BindAny(Id, Item),
    /// It is the array of values of a pattern of a term; the body's input.
    BindValues(Id, Item),
    /// It leaves a pattern or its body: term, number of the pattern, the value, input, the height of the choices.
    BindGuard(Id, usize, Value, Item, usize),
    /// It leaves a label: its number, the height of the choices.
    Label(u64, usize),
    /// It is counted against the limit in this choice.
    Limit(usize),
    /// It is replaced by its path; the track to go on with.
    Path(Track),
    /// It is the value of an assignment (a term) over the input.
    AssignValue(Id, Item),
    /// It is not looked at: the assignment (a term) of this value is made path by path over the input.
    AssignAnew(Id, Value, Item),
    /// It has a path to assign to; the assignment is in this choice, its value here.
    AssignPath(Id, usize, Value),
    /// It is the new value at a path of the assignment in this choice; the height of the choices without it.
    AssignUpdate(usize, Vec<Value>, usize),
}

/// Where to go on.
#[derive(Debug)]
pub(crate) enum Choice {
    /// A term over an input.
    Eval(Id, Bindings, Item, Frames),
    /// The members of a container from this place on.
    Each(Item, usize, Frames),
    /// All values inside a container, from this place on; then the places to go on with in the containers around it.
    Recurse(Vec<(Item, usize)>, Frames),
    /// The numbers of a range.
    Range(f64, f64, Track, Frames),
    /// An array of which each member is replaced by the output of a term.
    Map(Box<Held<Mapping>>),
    /// A builtin at work; where its output goes.
    Job(Job, Frames),
    /// An array being collected.
    Collect(Array, Track, Frames),
    /// Whether `//` had a true output; otherwise the term to evaluate.
    Alternative(bool, Id, Bindings, Item, Frames),
    /// The state of `reduce`.
    Reduce(Option<Value>, Track, Frames),
    /// The state of `foreach`.
    Foreach(Option<Value>),
    /// Outputs left of a limit.
    Limit(u64),
    /// The state of an assignment, and the paths that its updates left without a value.
    Assign(Value, Vec<Value>, Track, Frames),
    /// The update at a path of the assignment in that choice has had no output so far.
    Update(usize, Vec<Value>),
}

/// `[.[] | f]` in progress.
#[derive(Debug)]
pub(crate) struct Mapping {
    /// `f`, which has at most one output.
    pub(crate) term: Option<Id>,
    pub(crate) members: Members,
    pub(crate) done: Vec<Value>,
    pub(crate) track: Track,
    pub(crate) bindings: Bindings,
    pub(crate) frames: Frames,
}

/// What the machine does next.
#[derive(Debug)]
pub(crate) enum Next {
    /// Evaluate a term over an input.
    Eval(Id, Bindings, Item, Frames),
    /// Hand an output to its frame.
    Deliver(Item, Frames),
    /// Raise an error at these frames.
    Fail(Raise, Frames),
    /// Take the newest choice.
    Back,
    /// Give what the caller supplies to these frames.
    Ask(Question, Track, Frames),
}

/// What the machine asks its caller for.
#[derive(Clone, Debug)]
pub(crate) enum Question {
    /// The next input.
    Input,
    /// `[input]`, or `[]` where there is none.
    InputIfAny,
    /// What the module of that name says of itself.
    Module(Text),
}
