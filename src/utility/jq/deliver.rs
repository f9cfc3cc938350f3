//! What the machine does with an output: the frame that waits for it says so.

use super::binding::Bound;
use super::error::{Raise, cannot_iterate};
use super::frame::{Choice, Frame, Frames, Item, Next, Todo, Track};
use super::machine::{Machine, computed, finished, no_path};
use super::path;
use super::print;
use super::term::Term;
use super::value::Value;
use crate::memory::format;

impl Machine<'_, '_> {
    /// Does what the frame says with an output.
    pub(super) fn deliver(&mut self, item: Item, frame: Frame) -> Next {
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
            Todo::Map(term, track) => self.start_map(term, item.value, track, bindings, next),
            Todo::Collect(at) => {
                if let Some(Choice::Collect(items, ..)) = self.choices.get_mut(at) {
                    items.change(item.value.depth(), |items| items.push(item.value));
                }
                Next::Back
            }
            Todo::Mapped(at) => {
                if let Some(Choice::Map(mapping)) = self.choices.get_mut(at) {
                    mapping.done.push(item.value);
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
                    Next::Deliver(Item::plain(Value::Bool(!is_and)), next)
                }
            }
            Todo::Truth => Next::Deliver(Item::plain(Value::Bool(item.value.is_true())), next),
            Todo::Computed(input) => computed(&input, item.value, next),
            Todo::Alternative(at) => {
                if !item.value.is_true() {
                    return Next::Back;
                }
                if let Some(Choice::Alternative(found, ..)) = self.choices.get_mut(at) {
                    *found = true;
                }
                Next::Deliver(item, next)
            }
            Todo::Argument(id, done, input) => self.argument(id, done, item.value, input, bindings, next),
            Todo::If(then, otherwise, input) => {
                let branch = if item.value.is_true() { then } else { otherwise };
                Next::Eval(branch, bindings, input, next)
            }
            Todo::Try(..) | Todo::Label(..) | Todo::BindGuard(..) => Next::Deliver(item, next),
            Todo::FoldInit(id, input) => self.fold_init(id, item, input, bindings, next),
            Todo::FoldSource(id, at) => self.fold_source(id, at, item, &bindings, next),
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
                Next::Deliver(item, next)
            }
            Todo::Path(track) => match item.track {
                Track::At(trail) => Next::Deliver(Item { value: Value::array(trail.keys()), track }, next),
                _ => Next::Fail(no_path(&item.value), next),
            },
            Todo::AssignValue(id, input) => self.assign(id, item.value, input, &bindings, next),
            Todo::AssignAnew(id, value, input) => self.assign_each(id, value, input, &bindings, next),
            Todo::AssignPath(id, at, value) => self.assign_path(id, at, value, item, &bindings, next),
            Todo::AssignUpdate(at, keys, height) => {
                self.choices.truncate(height);
                let value = item.value;
                self.change_state(at, next, |_, state| path::set_path(state, &keys, value))
            }
        }
    }

    /// `item[key]`, followed by its path.
    pub(super) fn access(&mut self, item: &Item, key: Value, frames: Frames) -> Next {
        if matches!(item.track, Track::Lost(..)) {
            let (key, value) = (print::excerpt(&key), print::excerpt(&item.value));
            let problem = format!("Invalid path expression near attempt to access element {key} of {value}");
            return Next::Fail(Raise::message(problem), frames);
        }
        match path::get(&mut self.context, &item.value, &key) {
            Ok(value) => {
                let track = match &item.track {
                    Track::At(trail) => Track::At(trail.with(key)),
                    other => other.clone(),
                };
                Next::Deliver(Item { value, track }, frames)
            }
            Err(raise) => Next::Fail(raise, frames),
        }
    }

    pub(super) fn each(&mut self, item: Item, frames: Frames) -> Next {
        if matches!(item.track, Track::Lost(..)) {
            let value = print::excerpt(&item.value);
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
}
