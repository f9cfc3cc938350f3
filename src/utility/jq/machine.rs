//! [`Machine`]: evaluates a program, one output after another.
//!
//! A term that has at most one output and nests little is evaluated directly (`single.rs`). Any other is taken apart:
//! the machine evaluates one part and leaves a frame that says what to do with each output of that part; where a part may
//! have further outputs, it leaves a choice to come back to. An output that no frame waits for is an output of the
//! filter; for the next one the newest choice is taken. An error looks for the nearest `try` among the frames and drops
//! the choices made since. Every turn of the loop is counted.

use super::binding::{Bindings, Bound, Id, called};
use super::context::Context;
use super::disposal::Dropped;
use super::error::{JqError, Raise};
use super::frame::{Choice, Frames, Item, Next, Question, Todo, Track, Trail};
use super::print;
use super::read::ReadError;
use super::single::{Input, Single};
use super::term::{Assignment, Program, Term};
use super::text::Text;
use super::value::{Array, Value, member_at};
use crate::memory::{String, Vec, format, vec};

/// What the caller has supplied for [`Interruption::Input`].
#[derive(Debug, Default)]
enum Supplied {
    #[default]
    Nothing,
    Input(Option<Result<Value, ReadError>>),
    Metadata(Result<Value, String>),
}

/// Why the machine stops.
#[derive(Debug)]
pub(crate) enum Interruption {
    /// An output; there may be more.
    Output(Value),
    /// There are no more outputs.
    Done,
    /// An error; there are no more outputs.
    Failed(JqError),
    /// The turn is over: make a pause, then go on.
    Pause,
    /// The filter wants the next input: supply it, then go on.
    Input,
    /// The filter wants to know a module: describe it, then go on.
    Module(Text),
}

/// A run of a program over one input.
pub(crate) struct Machine<'p, 'c> {
    pub(super) program: &'p Program,
    pub(crate) context: Context<'c>,
    pub(super) choices: Vec<Choice>,
    labels: u64,
    /// Where a pause left off.
    next: Next,
    supplied: Supplied,
    dropped: Dropped,
}

impl<'p, 'c> Machine<'p, 'c> {
    /// A machine without anything to do.
    pub(crate) fn new(program: &'p Program, context: Context<'c>) -> Self {
        Machine {
            program,
            context,
            choices: Vec::new(),
            labels: 0,
            next: Next::Back,
            supplied: Supplied::Nothing,
            dropped: Dropped::default(),
        }
    }

    /// Starts over with the term `id` over `input`.
    pub(crate) fn start(&mut self, id: Id, input: Value) {
        self.choices.clear();
        self.next = Next::Back;
        let start = Choice::Eval(id, Bindings::default(), Item::plain(input), Frames::default());
        self.choices.push(start);
    }

    /// What [`Interruption::Input`] waits for.
    pub(crate) fn supply(&mut self, input: Option<Result<Value, ReadError>>) {
        self.supplied = Supplied::Input(input);
    }

    /// What [`Interruption::Module`] waits for.
    pub(crate) fn describe(&mut self, metadata: Result<Value, String>) {
        self.supplied = Supplied::Metadata(metadata);
    }

    /// Goes on to the next output, or to a reason to stop.
    pub(crate) fn run(&mut self) -> Interruption {
        std::mem::take(&mut self.dropped).start_turn();
        let step = self.run_turn();
        self.dropped = Dropped::end_turn();
        // What is left over is freed before the end is told.
        if matches!(step, Interruption::Done) && !self.dropped.is_empty() {
            Interruption::Pause
        } else {
            step
        }
    }

    fn run_turn(&mut self) -> Interruption {
        let mut next = std::mem::replace(&mut self.next, Next::Back);
        loop {
            if self.context.work.is_due() {
                self.next = next;
                return Interruption::Pause;
            }
            if let Err(stop) = self.context.work.step() {
                // What is under way may be large. It is dropped with the run, not here.
                self.next = next;
                return Interruption::Failed(JqError::from(Raise::Stop(stop)));
            }
            next = match next {
                Next::Eval(id, bindings, item, frames) => self.eval(id, &bindings, item, frames),
                Next::Deliver(item, frames) => match frames.pop() {
                    None => return Interruption::Output(item.value),
                    Some(frame) => self.deliver(item, frame),
                },
                Next::Fail(Raise::Suspended(suspension), frames) => {
                    self.suspend(suspension.into_inner(), frames)
                }
                Next::Fail(raise, frames) => match self.fail(raise, &frames) {
                    Ok(next) => next,
                    Err(Raise::Stop(stop)) => {
                        self.next = Next::Fail(Raise::Stop(stop), frames);
                        return Interruption::Failed(JqError::from(Raise::Stop(stop)));
                    }
                    Err(raise) => {
                        self.choices.clear();
                        return Interruption::Failed(JqError::from(raise));
                    }
                },
                Next::Back => match self.choices.pop() {
                    None => return Interruption::Done,
                    Some(choice) => self.resume(choice),
                },
                Next::Ask(question, track, frames) => match std::mem::take(&mut self.supplied) {
                    Supplied::Nothing => {
                        let step = match &question {
                            Question::Module(name) => Interruption::Module(name.clone()),
                            Question::Input | Question::InputIfAny => Interruption::Input,
                        };
                        self.next = Next::Ask(question, track, frames);
                        return step;
                    }
                    Supplied::Input(input) => {
                        supplied(input, matches!(question, Question::InputIfAny), track, frames)
                    }
                    Supplied::Metadata(Ok(value)) => Next::Deliver(Item { value, track }, frames),
                    Supplied::Metadata(Err(problem)) => Next::Fail(Raise::message(problem), frames),
                },
            };
        }
    }

    pub(super) fn single(
        &mut self,
        id: Id,
        bindings: &Bindings,
        input: Input<'_>,
    ) -> Result<Option<Value>, Raise> {
        Single { program: self.program, context: &mut self.context }.one(id, bindings, input)
    }

    pub(super) fn eval(&mut self, id: Id, bindings: &Bindings, item: Item, frames: Frames) -> Next {
        let program = self.program;
        let term = program.term(id);
        if program.shape(id).is_single && matches!(item.track, Track::Off) {
            return match self.single(id, bindings, Input::Owned(item.value)) {
                Ok(Some(value)) => Next::Deliver(Item::plain(value), frames),
                Ok(None) => Next::Back,
                Err(raise) => Next::Fail(raise, frames),
            };
        }
        let eval = |id: &Id, item, frames| Next::Eval(*id, bindings.clone(), item, frames);
        match term {
            Term::Identity => Next::Deliver(item, frames),
            Term::Constant(value) => computed(&item, value.clone(), frames),
            Term::Variable(skip) => Next::Deliver(item.position().hold(bindings.value(*skip)), frames),
            Term::Global(number) => {
                let value = self.context.globals.get(*number).cloned().unwrap_or_default();
                computed(&item, value, frames)
            }
            Term::Empty | Term::Undefined => Next::Back,
            Term::Field(target, _) => eval(target, item, frames.with(Todo::Field(id), bindings)),
            Term::Index(target, key) => {
                let input = item.untracked();
                eval(key, input, frames.with(Todo::Key(*target, item), bindings))
            }
            Term::Slice(target, from, upto) => {
                let input = item.untracked();
                match (from, upto) {
                    (Some(from), _) => eval(from, input, frames.with(Todo::SliceFrom(id, item), bindings)),
                    (None, Some(upto)) => {
                        let todo = Todo::SliceUpto(*target, Value::Null, item);
                        eval(upto, input, frames.with(todo, bindings))
                    }
                    (None, None) => {
                        eval(target, item, frames.with(Todo::Slice(Value::Null, Value::Null), bindings))
                    }
                }
            }
            Term::Each(target) => eval(target, item, frames.with(Todo::Each, bindings)),
            Term::Recurse => {
                self.choices.push(Choice::Recurse(vec![(item.clone(), 0)], frames.clone()));
                Next::Deliver(item, frames)
            }
            Term::Pipe(left, right) => eval(left, item, frames.with(Todo::Pipe(*right), bindings)),
            Term::Comma(left, right) => {
                let later = Choice::Eval(*right, bindings.clone(), item.clone(), frames.clone());
                self.choices.push(later);
                eval(left, item, frames)
            }
            Term::Collect(inner) if let Some((target, rest)) = program.mapping(*inner) => {
                let todo = Todo::Map(rest, item.position());
                eval(&target, Item::plain(item.value), frames.with(todo, bindings))
            }
            Term::Collect(inner) => {
                let at = self.choices.len();
                self.choices.push(Choice::Collect(Array::default(), item.position(), frames.clone()));
                let input = Item::plain(item.value);
                eval(inner, input, frames.with(Todo::Collect(at), bindings))
            }
            Term::Binary(operator, left, right) => {
                let frames = Self::computing(&item, frames, bindings);
                let todo = Todo::Right(*operator, *left, item.value.clone());
                eval(right, Item::plain(item.value), frames.with(todo, bindings))
            }
            Term::And(left, right) => Self::eval_logic(true, (*left, *right), bindings, item, frames),
            Term::Or(left, right) => Self::eval_logic(false, (*left, *right), bindings, item, frames),
            Term::Alternative(left, right) => {
                let at = self.choices.len();
                let other =
                    Choice::Alternative(false, *right, bindings.clone(), item.clone(), frames.clone());
                self.choices.push(other);
                eval(left, item, frames.with(Todo::Alternative(at), bindings))
            }
            Term::Apply(operation, arguments) => {
                let next = if operation.is_forward() { arguments.first() } else { arguments.last() };
                match next {
                    None => self.apply(operation, Vec::new(), item, bindings, frames),
                    Some(first) => {
                        let input = item.untracked();
                        eval(first, input, frames.with(Todo::Argument(id, Vec::new(), item), bindings))
                    }
                }
            }
            Term::If(condition, then, otherwise) => {
                let input = item.untracked();
                eval(condition, input, frames.with(Todo::If(*then, *otherwise, item), bindings))
            }
            // `f[]?` and its like forgive a value without such members, not one without a path.
            Term::Try(body, None)
                if matches!(item.track, Track::Lost(..))
                    && matches!(
                        program.term(*body),
                        Term::Each(_) | Term::Field(..) | Term::Index(..) | Term::Slice(..)
                    ) =>
            {
                eval(body, item, frames)
            }
            Term::Try(body, handler) => {
                let todo = Todo::Try(*handler, self.choices.len(), item.position());
                eval(body, item, frames.with(todo, bindings))
            }
            Term::Reduce(fold) | Term::Foreach(fold) => {
                let todo = Todo::FoldInit(id, item.clone());
                eval(&fold.init, item, frames.with(todo, bindings))
            }
            Term::Bind(source, body) => {
                let input = item.untracked();
                eval(source, input, frames.with(Todo::Bind(*body, item), bindings))
            }
            Term::BindAny(source, ..) => {
                let input = item.untracked();
                eval(source, input, frames.with(Todo::BindAny(id, item), bindings))
            }
            Term::Outer(skip, inner) => Next::Eval(*inner, bindings.skip(*skip), item, frames),
            Term::Label(body) => {
                self.labels += 1;
                let label = bindings.with(Bound::Label(self.labels));
                let frames = frames.with(Todo::Label(self.labels, self.choices.len()), bindings);
                Next::Eval(*body, label, item, frames)
            }
            Term::Break(skip) => match bindings.get(*skip) {
                Some(Bound::Label(number)) => Next::Fail(Raise::Break(*number), frames),
                _ => Next::Back,
            },
            Term::Parameter(skip) => match bindings.get(*skip) {
                Some(Bound::Closure(id, bindings)) => Next::Eval(*id, bindings.clone(), item, frames),
                _ => Next::Back,
            },
            Term::Call(function, arguments, skip) => {
                let Some(function) = program.functions.get(*function) else { return Next::Back };
                let inner = called(arguments, *skip, bindings);
                Next::Eval(function.body, inner, item, frames)
            }
            Term::Path(inner) => {
                let track = item.position();
                let start = Item { value: item.value, track: Track::At(Trail::default()) };
                eval(inner, start, frames.with(Todo::Path(track), bindings))
            }
            Term::Assign(kind, _, value) => {
                if *kind == Assignment::Update {
                    return self.assign(id, Value::Null, item, bindings, frames);
                }
                let input = item.untracked();
                eval(value, input, frames.with(Todo::AssignValue(id, item), bindings))
            }
        }
    }

    /// Frames that a computed value goes through: its path is lost where one is followed.
    pub(super) fn computing(item: &Item, frames: Frames, bindings: &Bindings) -> Frames {
        match item.track {
            Track::Off => frames,
            _ => frames.with(Todo::Computed(item.clone()), bindings),
        }
    }

    pub(super) fn eval_logic(
        is_and: bool,
        (left, right): (Id, Id),
        bindings: &Bindings,
        item: Item,
        frames: Frames,
    ) -> Next {
        let frames = Self::computing(&item, frames, bindings);
        let todo = Todo::Logic(is_and, right, item.value.clone());
        Next::Eval(left, bindings.clone(), Item::plain(item.value), frames.with(todo, bindings))
    }

    /// Finds who catches `raise` among the frames.
    pub(super) fn fail(&mut self, raise: Raise, frames: &Frames) -> Result<Next, Raise> {
        let mut at = frames;
        while let Some(frame) = at.first() {
            self.context.work.step()?;
            match (&raise, &frame.todo) {
                (Raise::Stop(_) | Raise::Halt(_), _) => return Err(raise),
                (Raise::Error(value), Todo::Try(handler, height, track)) => {
                    self.choices.truncate(*height);
                    let Some(handler) = handler else { return Ok(Next::Back) };
                    let input = track.clone().hold_new(value.clone());
                    return Ok(Next::Eval(*handler, frame.bindings.clone(), input, frame.next.clone()));
                }
                (Raise::Error(_) | Raise::Break(_), Todo::BindGuard(id, number, value, item, height))
                    if self.has_pattern(*id, number + 1) =>
                {
                    self.choices.truncate(*height);
                    let (bindings, next) = (frame.bindings.clone(), frame.next.clone());
                    return Ok(self.bind_any(*id, number + 1, value.clone(), item.clone(), bindings, next));
                }
                (Raise::Break(number), Todo::Label(label, height)) if number == label => {
                    self.choices.truncate(*height);
                    return Ok(Next::Back);
                }
                _ => at = &frame.next,
            }
        }
        Err(raise)
    }
}

/// An input as the output of `input`, or of `_next_input` where it is optional.
pub(super) fn supplied(
    input: Option<Result<Value, ReadError>>,
    is_optional: bool,
    track: Track,
    frames: Frames,
) -> Next {
    let value = match input {
        Some(Ok(value)) if is_optional => Value::array(vec![value]),
        Some(Ok(value)) => value,
        None if is_optional => Value::array(Vec::new()),
        None => return Next::Fail(Raise::message("break"), frames),
        Some(Err(ReadError::Syntax(problem))) => return Next::Fail(Raise::message(problem), frames),
        Some(Err(ReadError::Stopped(stop))) => return Next::Fail(Raise::Stop(stop), frames),
    };
    Next::Deliver(Item { value, track }, frames)
}

pub(super) fn no_path(value: &Value) -> Raise {
    Raise::message(format!("Invalid path expression with result {}", print::excerpt(value)))
}

/// Hands on a value computed over `item`: it has no path, unless it is the same one.
pub(super) fn computed(item: &Item, value: Value, frames: Frames) -> Next {
    Next::Deliver(item.position().hold_new(value), frames)
}

/// A result that is tracked so. One that is not there yet is tracked so when it comes.
pub(super) fn deliver_result(result: Result<Value, Raise>, track: Track, frames: Frames) -> Next {
    match result {
        Ok(value) => Next::Deliver(Item { value, track }, frames),
        Err(raise @ Raise::Suspended(_)) if !matches!(track, Track::Off) => {
            let lost = Item { value: Value::Bool(false), track };
            Next::Fail(raise, frames.with(Todo::Computed(lost), &Bindings::default()))
        }
        Err(raise) => Next::Fail(raise, frames),
    }
}

pub(super) fn finished(result: Result<Value, Raise>, frames: Frames) -> Next {
    match result {
        Ok(value) => Next::Deliver(Item::plain(value), frames),
        Err(raise) => Next::Fail(raise, frames),
    }
}

/// The member of a container at place `at` or after it, and the place after that.
pub(super) fn member(item: &Item, at: usize) -> Option<(Item, usize)> {
    let (key, value, after) = member_at(&item.value, at)?;
    let track = match &item.track {
        Track::At(trail) => Track::At(trail.with(key)),
        other => other.clone(),
    };
    Some((Item { value, track }, after))
}
