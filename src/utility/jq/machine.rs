//! [`Machine`]: evaluates a program, one output after another.
//!
//! A term that has at most one output and nests little is evaluated directly (`single.rs`). Any other is taken apart:
//! the machine evaluates one part and leaves a frame that says what to do with each output of that part; where a part may
//! have further outputs, it leaves a choice to come back to. An output that no frame waits for is an output of the
//! filter; for the next one the newest choice is taken. An error looks for the nearest `try` among the frames and drops
//! the choices made since. Every turn of the loop is counted.

use super::binding::{Bindings, Bound};
use super::error::{JqError, Raise, Stop};
use super::frame::{Choice, Frame, Frames, Item, Next, Todo, Track, Trail};
use super::path;
use super::print;
use super::read::ReadError;
use super::regex::Regexes;
use super::run::Host;
use super::single::{self, Input, Single};
use super::term::{Assignment, Id, Operation, Program, Term};
use super::value::Value;
use super::work::Work;

/// What builtins can reach.
pub(crate) struct Context<'c> {
    /// Counts steps and bytes.
    pub(crate) work: Work<'c>,
    /// Inputs, clock, environment, standard error.
    pub(crate) host: Host,
    /// Compiled regular expressions.
    pub(crate) regexes: Regexes,
    /// Variables given from outside.
    pub(crate) globals: Vec<Value>,
}

/// Why the machine stops.
#[derive(Debug)]
pub(crate) enum Step {
    /// An output; there may be more.
    Output(Value),
    /// There are no more outputs.
    Done,
    /// An error; there are no more outputs.
    Failed(JqError),
    /// The guard wants a pause: make it, then go on.
    Pause,
    /// The filter wants the next input: supply it, then go on.
    Input,
}

/// A run of a program over one input.
pub(crate) struct Machine<'p, 'c> {
    program: &'p Program,
    pub(crate) context: Context<'c>,
    choices: Vec<Choice>,
    labels: u64,
    /// Where a pause left off.
    next: Next,
    supplied: Option<Option<Result<Value, ReadError>>>,
    /// The most choices and frames there were, in steps of `ROOM`: what was charged.
    charged: usize,
}

/// Choices and frames that are charged at once.
const ROOM: usize = 256;

impl<'p, 'c> Machine<'p, 'c> {
    /// A machine without anything to do.
    pub(crate) fn new(program: &'p Program, context: Context<'c>) -> Self {
        Machine { program, context, choices: Vec::new(), labels: 0, next: Next::Back, supplied: None, charged: ROOM }
    }

    /// Starts over with the term `id` over `input`.
    pub(crate) fn start(&mut self, id: Id, input: Value) {
        self.choices.clear();
        self.next = Next::Back;
        let start = Choice::Eval(id, Bindings::default(), Item::plain(input), Frames::default());
        self.choices.push(start);
    }

    /// What [`Step::Input`] waits for.
    pub(crate) fn supply(&mut self, input: Option<Result<Value, ReadError>>) {
        self.supplied = Some(input);
    }

    /// Goes on to the next output, or to a reason to stop.
    pub(crate) fn run(&mut self) -> Step {
        let mut next = std::mem::replace(&mut self.next, Next::Back);
        loop {
            if self.context.work.is_due() {
                self.next = next;
                return Step::Pause;
            }
            if let Err(stop) = self.count(&next) {
                self.choices.clear();
                return Step::Failed(JqError::from(Raise::Stop(stop)));
            }
            next = match next {
                Next::Eval(id, bindings, item, frames) => self.eval(id, &bindings, item, frames),
                Next::Give(item, frames) => match frames.pop() {
                    None => return Step::Output(item.value),
                    Some(frame) => self.give(item, frame),
                },
                Next::Fail(raise, frames) => match self.fail(raise, &frames) {
                    Ok(next) => next,
                    Err(raise) => {
                        self.choices.clear();
                        return Step::Failed(JqError::from(raise));
                    }
                },
                Next::Back => match self.choices.pop() {
                    None => return Step::Done,
                    Some(choice) => self.resume(choice),
                },
                Next::Input(is_optional, track, frames) => match self.supplied.take() {
                    None => {
                        self.next = Next::Input(is_optional, track, frames);
                        return Step::Input;
                    }
                    Some(input) => supplied(input, is_optional, track, frames),
                },
            };
        }
    }

    fn count(&mut self, next: &Next) -> Result<(), Stop> {
        self.context.work.step()?;
        let depth = match next {
            Next::Eval(.., frames)
            | Next::Give(_, frames)
            | Next::Fail(_, frames)
            | Next::Input(.., frames) => frames.depth(),
            Next::Back => 0,
        };
        let used = depth.saturating_add(self.choices.len());
        if used > self.charged {
            self.charged = used.saturating_add(ROOM);
            self.context.work.charge(ROOM * (size_of::<Choice>() + size_of::<Frame>()))?;
        }
        Ok(())
    }

    fn single(&mut self, id: Id, bindings: &Bindings, input: Input<'_>) -> Result<Option<Value>, Raise> {
        Single { program: self.program, context: &mut self.context }.one(id, bindings, input)
    }

    fn eval(&mut self, id: Id, bindings: &Bindings, item: Item, frames: Frames) -> Next {
        let program = self.program;
        let term = program.term(id);
        if program.shape(id).is_single && matches!(item.track, Track::Off) {
            return match self.single(id, bindings, Input::Owned(item.value)) {
                Ok(Some(value)) => Next::Give(Item::plain(value), frames),
                Ok(None) => Next::Back,
                Err(raise) => Next::Fail(raise, frames),
            };
        }
        let eval = |id: &Id, item, frames| Next::Eval(*id, bindings.clone(), item, frames);
        match term {
            Term::Identity => Next::Give(item, frames),
            Term::Constant(value) => computed(&item, value.clone(), frames),
            Term::Variable(skip) => computed(&item, bindings.value(*skip), frames),
            Term::Global(number) => {
                let value = self.context.globals.get(*number).cloned().unwrap_or_default();
                computed(&item, value, frames)
            }
            Term::Empty => Next::Back,
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
                Next::Give(item, frames)
            }
            Term::Pipe(left, right) => eval(left, item, frames.with(Todo::Pipe(*right), bindings)),
            Term::Comma(left, right) => {
                let later = Choice::Eval(*right, bindings.clone(), item.clone(), frames.clone());
                self.choices.push(later);
                eval(left, item, frames)
            }
            Term::Collect(inner) => {
                let at = self.choices.len();
                let input = Item::plain(item.value);
                self.choices.push(Choice::Collect(Vec::new(), item.track.lost(), frames.clone()));
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
            Term::Try(body, handler) => {
                let todo = Todo::Try(*handler, self.choices.len());
                eval(body, item, frames.with(todo, bindings))
            }
            Term::Reduce(fold) | Term::Foreach(fold) => {
                let todo = Todo::FoldInit(id, item.value.clone());
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
                let track = item.track.lost();
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
    fn computing(item: &Item, frames: Frames, bindings: &Bindings) -> Frames {
        match item.track {
            Track::Off => frames,
            _ => frames.with(Todo::Computed(item.clone()), bindings),
        }
    }

    fn eval_logic(
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

    /// Does what the frame says with an output.
    fn give(&mut self, item: Item, frame: Frame) -> Next {
        let Frame { todo, bindings, next, .. } = frame;
        match todo {
            Todo::Pipe(right) => Next::Eval(right, bindings, item, next),
            Todo::Field(id) => match self.program.term(id) {
                Term::Field(_, name) => self.access(&item, Value::String(name.clone()), next),
                _ => Next::Back,
            },
            Todo::Key(target, input) => {
                Next::Eval(target, bindings.clone(), input, next.with(Todo::Index(item.value), &bindings))
            }
            Todo::Index(key) => self.access(&item, key, next),
            Todo::SliceFrom(id, input) => match self.program.term(id) {
                Term::Slice(target, _, Some(upto)) => {
                    let plain = input.untracked();
                    let todo = Todo::SliceUpto(*target, item.value, input);
                    Next::Eval(*upto, bindings.clone(), plain, next.with(todo, &bindings))
                }
                Term::Slice(target, ..) => {
                    let todo = Todo::Slice(item.value, Value::Null);
                    Next::Eval(*target, bindings.clone(), input, next.with(todo, &bindings))
                }
                _ => Next::Back,
            },
            Todo::SliceUpto(target, from, input) => {
                let todo = Todo::Slice(from, item.value);
                Next::Eval(target, bindings.clone(), input, next.with(todo, &bindings))
            }
            Todo::Slice(from, upto) => {
                let range = Value::object([("start", from), ("end", upto)]);
                self.access(&item, range, next)
            }
            Todo::Each => self.each(item, next),
            Todo::Collect(at) => {
                if let Err(stop) = self.context.work.charge(size_of::<Value>()) {
                    return Next::Fail(stop.into(), next);
                }
                if let Some(Choice::Collect(items, ..)) = self.choices.get_mut(at) {
                    items.push(item.value);
                }
                Next::Back
            }
            Todo::Right(operator, left, input) => {
                let todo = Todo::Left(operator, item.value);
                Next::Eval(left, bindings.clone(), Item::plain(input), next.with(todo, &bindings))
            }
            Todo::Left(operator, right) => {
                finished(operator.apply(&mut self.context, item.value, right), next)
            }
            Todo::Logic(is_and, right, input) => {
                if item.value.is_true() == is_and {
                    Next::Eval(right, bindings.clone(), Item::plain(input), next.with(Todo::Truth, &bindings))
                } else {
                    Next::Give(Item::plain(Value::Bool(!is_and)), next)
                }
            }
            Todo::Truth => Next::Give(Item::plain(Value::Bool(item.value.is_true())), next),
            Todo::Computed(input) => computed(&input, item.value, next),
            Todo::Alternative(at) => {
                if !item.value.is_true() {
                    return Next::Back;
                }
                if let Some(Choice::Alternative(found, ..)) = self.choices.get_mut(at) {
                    *found = true;
                }
                Next::Give(item, next)
            }
            Todo::Argument(id, done, input) => self.argument(id, done, item.value, input, bindings, next),
            Todo::If(then, otherwise, input) => {
                let branch = if item.value.is_true() { then } else { otherwise };
                Next::Eval(branch, bindings, input, next)
            }
            Todo::Try(..) | Todo::Label(..) | Todo::BindGuard(..) => Next::Give(item, next),
            Todo::FoldInit(id, input) => self.fold_init(id, item, input, bindings, next),
            Todo::FoldSource(id, at) => self.fold_source(id, at, item.value, &bindings, next),
            Todo::FoldState(id, at) => self.fold_state(id, at, item, bindings, next),
            Todo::Bind(body, input) => Next::Eval(body, bindings.with(Bound::Value(item.value)), input, next),
            Todo::BindAny(id, input) => self.bind_any(id, 0, item.value, input, bindings, next),
            Todo::BindValues(id, values) => {
                let Term::BindAny(_, _, body) = self.program.term(id) else { return Next::Back };
                let mut inner = bindings;
                if let Value::Array(array) = item.value {
                    for value in array.into_items() {
                        inner = inner.with(Bound::Value(value));
                    }
                }
                Next::Eval(*body, inner, values, next)
            }
            Todo::Limit(at) => {
                if let Some(Choice::Limit(left)) = self.choices.get_mut(at) {
                    *left = left.saturating_sub(1);
                    if *left == 0 {
                        self.choices.truncate(at);
                    }
                }
                Next::Give(item, next)
            }
            Todo::Path(track) => match item.track {
                Track::At(trail) => {
                    let keys = trail.keys();
                    let size = keys.len().saturating_mul(size_of::<Value>());
                    if let Err(stop) = self.context.work.charge(size) {
                        return Next::Fail(stop.into(), next);
                    }
                    Next::Give(Item { value: Value::array(keys), track }, next)
                }
                _ => Next::Fail(no_path(&item.value), next),
            },
            Todo::AssignValue(id, input) => self.assign(id, item.value, input, &bindings, next),
            Todo::AssignPath(id, at, value) => self.assign_path(id, at, value, item, &bindings, next),
            Todo::AssignUpdate(at, keys, height) => {
                self.choices.truncate(height);
                let value = item.value;
                self.change_state(at, next, |context, state| path::set_path(context, state, &keys, value))
            }
        }
    }

    /// `item[key]`, followed by its path.
    fn access(&mut self, item: &Item, key: Value, frames: Frames) -> Next {
        if matches!(item.track, Track::Lost) {
            let (key, value) = (print::excerpt(&key, 14), print::excerpt(&item.value, 29));
            let problem = format!("Invalid path expression near attempt to access element {key} of {value}");
            return Next::Fail(Raise::message(problem), frames);
        }
        match path::get(&mut self.context, &item.value, &key) {
            Ok(value) => {
                let track = match &item.track {
                    Track::At(trail) => Track::At(trail.with(key)),
                    other => other.clone(),
                };
                Next::Give(Item { value, track }, frames)
            }
            Err(raise) => Next::Fail(raise, frames),
        }
    }

    fn each(&mut self, item: Item, frames: Frames) -> Next {
        if matches!(item.track, Track::Lost) {
            let value = print::excerpt(&item.value, 14);
            let problem = format!("Invalid path expression near attempt to iterate through {value}");
            return Next::Fail(Raise::message(problem), frames);
        }
        match item.value {
            Value::Array(_) | Value::Object(_) => {
                self.choices.push(Choice::Each(item, 0, frames));
                Next::Back
            }
            other => Next::Fail(cannot_iterate(&other), frames),
        }
    }

    /// Goes on at a choice.
    fn resume(&mut self, choice: Choice) -> Next {
        match choice {
            Choice::Eval(id, bindings, item, frames) => Next::Eval(id, bindings, item, frames),
            Choice::Each(item, at, frames) => match member(&item, at) {
                Some((found, after)) => {
                    self.choices.push(Choice::Each(item, after, frames.clone()));
                    Next::Give(found, frames)
                }
                None => Next::Back,
            },
            Choice::Recurse(mut places, frames) => {
                while let Some((item, at)) = places.last_mut() {
                    let Some((found, after)) = member(item, *at) else {
                        places.pop();
                        continue;
                    };
                    *at = after;
                    if matches!(found.value, Value::Array(_) | Value::Object(_)) {
                        places.push((found.clone(), 0));
                    }
                    self.choices.push(Choice::Recurse(places, frames.clone()));
                    return Next::Give(found, frames);
                }
                Next::Back
            }
            Choice::Range(at, upto, track, frames) => {
                if at >= upto || at.is_nan() || upto.is_nan() {
                    return Next::Back;
                }
                self.choices.push(Choice::Range(at + 1.0, upto, track.clone(), frames.clone()));
                Next::Give(Item { value: Value::Number(at), track }, frames)
            }
            Choice::Collect(items, track, frames) => match Value::array(items).checked() {
                Ok(value) => Next::Give(Item { value, track }, frames),
                Err(raise) => Next::Fail(raise, frames),
            },
            Choice::Alternative(true, ..) | Choice::Foreach(_) | Choice::Limit(_) => Next::Back,
            Choice::Alternative(false, id, bindings, item, frames) => Next::Eval(id, bindings, item, frames),
            Choice::Reduce(state, track, frames) => {
                Next::Give(state.unwrap_or(Item { value: Value::Null, track }), frames)
            }
            Choice::Assign(state, emptied, track, frames) => {
                match path::delete_paths(&mut self.context, state, emptied) {
                    Ok(value) => Next::Give(Item { value, track }, frames),
                    Err(raise) => Next::Fail(raise, frames),
                }
            }
            Choice::Update(at, keys) => {
                if let Some(Choice::Assign(_, emptied, ..)) = self.choices.get_mut(at) {
                    emptied.push(Value::array(keys));
                }
                Next::Back
            }
        }
    }

    /// Finds who catches `raise` among the frames.
    fn fail(&mut self, raise: Raise, frames: &Frames) -> Result<Next, Raise> {
        let mut at = frames;
        while let Some(frame) = at.first() {
            self.context.work.step()?;
            match (&raise, &frame.todo) {
                (Raise::Stop(_) | Raise::Halt(_), _) => return Err(raise),
                (Raise::Error(value), Todo::Try(handler, height)) => {
                    self.choices.truncate(*height);
                    let Some(handler) = handler else { return Ok(Next::Back) };
                    let input = Item::plain(value.clone());
                    return Ok(Next::Eval(*handler, frame.bindings.clone(), input, frame.next.clone()));
                }
                (Raise::Error(_), Todo::BindGuard(id, number, value, item, height))
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

    fn has_pattern(&self, id: Id, number: usize) -> bool {
        matches!(self.program.term(id), Term::BindAny(_, patterns, ..) if number < patterns.len())
    }

    fn bind_any(
        &mut self,
        id: Id,
        number: usize,
        value: Value,
        input: Item,
        bindings: Bindings,
        frames: Frames,
    ) -> Next {
        let Term::BindAny(_, patterns, ..) = self.program.term(id) else { return Next::Back };
        let Some(pattern) = patterns.get(number) else { return Next::Back };
        let height = self.choices.len();
        let guard = Todo::BindGuard(id, number, value.clone(), input.clone(), height);
        let frames = frames.with(guard, &bindings).with(Todo::BindValues(id, input), &bindings);
        Next::Eval(*pattern, bindings, Item::plain(value), frames)
    }

    fn argument(
        &mut self,
        id: Id,
        mut done: Vec<Value>,
        value: Value,
        input: Item,
        bindings: Bindings,
        frames: Frames,
    ) -> Next {
        let Term::Apply(operation, arguments) = self.program.term(id) else { return Next::Back };
        done.push(value);
        let next = if operation.is_forward() {
            arguments.get(done.len())
        } else {
            arguments.len().checked_sub(done.len() + 1).and_then(|at| arguments.get(at))
        };
        if let Some(next) = next {
            let plain = input.untracked();
            let frames = frames.with(Todo::Argument(id, done, input), &bindings);
            return Next::Eval(*next, bindings, plain, frames);
        }
        if !operation.is_forward() {
            done.reverse();
        }
        self.apply(operation, done, input, &bindings, frames)
    }

    fn apply(
        &mut self,
        operation: &Operation,
        arguments: Vec<Value>,
        item: Item,
        bindings: &Bindings,
        frames: Frames,
    ) -> Next {
        match operation {
            Operation::Range => match arguments.as_slice() {
                [Value::Number(from), Value::Number(upto)] => {
                    self.choices.push(Choice::Range(*from, *upto, item.track.lost(), frames));
                    Next::Back
                }
                _ => Next::Fail(Raise::message("Range bounds must be numeric"), frames),
            },
            Operation::Input(is_optional) => Next::Input(*is_optional, item.track.lost(), frames),
            Operation::Limit(inner) => {
                let count = match arguments.first() {
                    Some(Value::Number(number)) if *number > 0.0 => number.ceil() as u64,
                    // jq 1.6 counts after the fact: one output passes a limit of 0.
                    Some(Value::Number(number)) if *number == 0.0 => 1,
                    _ => u64::MAX,
                };
                let at = self.choices.len();
                self.choices.push(Choice::Limit(count));
                Next::Eval(*inner, bindings.clone(), item, frames.with(Todo::Limit(at), bindings))
            }
            Operation::GetPath => match (&item.track, arguments.first()) {
                (Track::At(trail), Some(Value::Array(keys))) => {
                    let trail = keys.items().iter().fold(trail.clone(), |trail, key| trail.with(key.clone()));
                    match path::get_path(&mut self.context, &item.value, keys.items()) {
                        Ok(value) => Next::Give(Item { value, track: Track::At(trail) }, frames),
                        Err(raise) => Next::Fail(raise, frames),
                    }
                }
                _ => self.apply_value(operation, arguments, item, frames),
            },
            _ => self.apply_value(operation, arguments, item, frames),
        }
    }

    fn apply_value(
        &mut self,
        operation: &Operation,
        arguments: Vec<Value>,
        item: Item,
        frames: Frames,
    ) -> Next {
        let null = matches!(item.value, Value::Null);
        let track = item.track;
        match single::apply(&mut self.context, operation, item.value, arguments) {
            Ok(Some(value)) => {
                let input = if null { Value::Null } else { Value::Bool(false) };
                computed(&Item { value: input, track }, value, frames)
            }
            Ok(None) => Next::Back,
            Err(raise) => Next::Fail(raise, frames),
        }
    }

    // Folds.

    fn fold_init(&mut self, id: Id, state: Item, input: Value, bindings: Bindings, frames: Frames) -> Next {
        let at = self.choices.len();
        let fold = match self.program.term(id) {
            Term::Reduce(fold) => {
                let track = state.track.lost();
                self.choices.push(Choice::Reduce(Some(state), track, frames.clone()));
                fold
            }
            Term::Foreach(fold) => {
                self.choices.push(Choice::Foreach(Some(state)));
                fold
            }
            _ => return Next::Back,
        };
        let frames = frames.with(Todo::FoldSource(id, at), &bindings);
        Next::Eval(fold.source, bindings, Item::plain(input), frames)
    }

    fn state(&mut self, at: usize) -> Option<&mut Option<Item>> {
        match self.choices.get_mut(at) {
            Some(Choice::Reduce(state, ..) | Choice::Foreach(state)) => Some(state),
            _ => None,
        }
    }

    fn fold_source(&mut self, id: Id, at: usize, output: Value, bindings: &Bindings, frames: Frames) -> Next {
        let (Term::Reduce(fold) | Term::Foreach(fold)) = self.program.term(id) else { return Next::Back };
        let bindings = bindings.with(Bound::Value(output));
        let null = Item::plain(Value::Null);
        let state = self.state(at).and_then(Option::take).unwrap_or(null);
        let is_direct = matches!(self.program.term(id), Term::Reduce(_))
            && matches!(state.track, Track::Off)
            && self.program.shape(fold.update).is_single;
        if !is_direct {
            return Next::Eval(
                fold.update,
                bindings.clone(),
                state,
                frames.with(Todo::FoldState(id, at), &bindings),
            );
        }
        match self.single(fold.update, &bindings, Input::Owned(state.value)) {
            Ok(value) => {
                if let Some(state) = self.state(at) {
                    *state = value.map(Item::plain);
                }
                Next::Back
            }
            Err(raise) => Next::Fail(raise, frames),
        }
    }

    fn fold_state(&mut self, id: Id, at: usize, item: Item, bindings: Bindings, frames: Frames) -> Next {
        let Term::Foreach(fold) = self.program.term(id) else {
            if let Some(state) = self.state(at) {
                *state = Some(item);
            }
            return Next::Back;
        };
        if let Some(state) = self.state(at) {
            *state = Some(item.clone());
        }
        match fold.extract {
            Some(extract) => Next::Eval(extract, bindings, item, frames),
            None => Next::Give(item, frames),
        }
    }

    // Assignments.

    /// Assigns `value` (what is on the right; for `|=` nothing) at the paths of the left side.
    fn assign(&mut self, id: Id, value: Value, item: Item, bindings: &Bindings, frames: Frames) -> Next {
        let Term::Assign(kind, target, update) = self.program.term(id) else { return Next::Back };
        let track = item.track.lost();
        if self.program.is_plain_path(*target)
            && (*kind != Assignment::Update || self.program.shape(*update).is_single)
        {
            let mut single = Single { program: self.program, context: &mut self.context };
            return match single.assign(id, value, item.value, bindings) {
                Ok(Some(value)) => Next::Give(Item { value, track }, frames),
                Ok(None) => Next::Back,
                Err(raise) => Next::Fail(raise, frames),
            };
        }
        let at = self.choices.len();
        let start = Item { value: item.value.clone(), track: Track::At(Trail::default()) };
        self.choices.push(Choice::Assign(item.value, Vec::new(), track, frames.clone()));
        Next::Eval(*target, bindings.clone(), start, frames.with(Todo::AssignPath(id, at, value), bindings))
    }

    fn assign_path(
        &mut self,
        id: Id,
        at: usize,
        value: Value,
        item: Item,
        bindings: &Bindings,
        frames: Frames,
    ) -> Next {
        let Term::Assign(kind, _, update) = self.program.term(id) else { return Next::Back };
        let Track::At(trail) = item.track else { return Next::Fail(no_path(&item.value), frames) };
        drop(item.value);
        let keys = trail.keys();
        if *kind == Assignment::Update && !self.program.shape(*update).is_single {
            let current = match self.choices.get(at) {
                Some(Choice::Assign(state, ..)) => path::get_path(&mut self.context, state, &keys),
                _ => Ok(Value::Null),
            };
            let height = self.choices.len();
            return match current {
                Ok(current) => {
                    self.choices.push(Choice::Update(at, keys.clone()));
                    let frames = frames.with(Todo::AssignUpdate(at, keys, height), bindings);
                    Next::Eval(*update, bindings.clone(), Item::plain(current), frames)
                }
                Err(raise) => Next::Fail(raise, frames),
            };
        }
        let program = self.program;
        let mut emptied = false;
        let next = self.change_state(at, frames, |context, state| {
            let mut single = Single { program, context };
            match single.assign_at(id, &keys, value, state, bindings)? {
                Ok(changed) => Ok(changed),
                Err(unchanged) => {
                    emptied = true;
                    Ok(unchanged)
                }
            }
        });
        if emptied && let Some(Choice::Assign(_, paths, ..)) = self.choices.get_mut(at) {
            paths.push(Value::array(keys));
        }
        next
    }

    fn change_state(
        &mut self,
        at: usize,
        frames: Frames,
        change: impl FnOnce(&mut Context<'c>, Value) -> Result<Value, Raise>,
    ) -> Next {
        let Some(Choice::Assign(state, ..)) = self.choices.get_mut(at) else { return Next::Back };
        match change(&mut self.context, std::mem::take(state)) {
            Ok(changed) => {
                *state = changed;
                Next::Back
            }
            Err(raise) => Next::Fail(raise, frames),
        }
    }
}

/// An input as the output of `input`, or of `_next_input` where it is optional.
fn supplied(
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
    Next::Give(Item { value, track }, frames)
}

/// The bindings of a function's body: those around its definition and one closure for each argument.
pub(super) fn called(arguments: &[Id], skip: usize, bindings: &Bindings) -> Bindings {
    let start = bindings.skip(skip);
    arguments.iter().fold(start, |inner, argument| inner.with(Bound::Closure(*argument, bindings.clone())))
}

/// The words for a value that has no members.
pub(super) fn cannot_iterate(value: &Value) -> Raise {
    Raise::message(format!("Cannot iterate over {} ({})", value.kind(), print::excerpt(value, 14)))
}

fn no_path(value: &Value) -> Raise {
    Raise::message(format!("Invalid path expression with result {}", print::excerpt(value, 29)))
}

/// Hands on a value computed over `item`: it has no path, unless both are null and so look the same to jq.
fn computed(item: &Item, value: Value, frames: Frames) -> Next {
    let track = match &item.track {
        Track::At(trail) if matches!((&item.value, &value), (Value::Null, Value::Null)) => {
            Track::At(trail.clone())
        }
        other => other.lost(),
    };
    Next::Give(Item { value, track }, frames)
}

fn finished(result: Result<Value, Raise>, frames: Frames) -> Next {
    match result {
        Ok(value) => Next::Give(Item::plain(value), frames),
        Err(raise) => Next::Fail(raise, frames),
    }
}

/// The member of a container at place `at` or after it, and the place after that.
fn member(item: &Item, at: usize) -> Option<(Item, usize)> {
    let (key, value, after) = member_at(&item.value, at)?;
    let track = match &item.track {
        Track::At(trail) => Track::At(trail.with(key)),
        other => other.clone(),
    };
    Some((Item { value, track }, after))
}

/// Key and value of the member of a container at place `at` or after it, and the place after that.
pub(super) fn member_at(container: &Value, at: usize) -> Option<(Value, Value, usize)> {
    match container {
        Value::Array(array) => Some((Value::Number(at as f64), array.items().get(at)?.clone(), at + 1)),
        Value::Object(object) => {
            let (after, name, value) = object.entry_from(at)?;
            Some((Value::String(name.clone()), value.clone(), after))
        }
        _ => None,
    }
}
