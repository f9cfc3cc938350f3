//! Operations over the outputs of several terms, argument by argument, and destructuring alternatives.

use super::binding::{Bindings, Id};
use super::error::Raise;
use super::frame::{Choice, Frames, Item, Next, Question, Todo, Track};
use super::machine::{Machine, deliver_result};
use super::path;
use super::single;
use super::term::{Operation, Term};
use super::value::Value;
use crate::memory::Vec;

impl Machine<'_, '_> {
    pub(super) fn has_pattern(&self, id: Id, number: usize) -> bool {
        matches!(self.program.term(id), Term::BindAny(_, patterns, ..) if number < patterns.len())
    }

    pub(super) fn bind_any(
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

    pub(super) fn argument(
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
        if let Err(raise) = single::check_key(operation, &done) {
            return Next::Fail(raise, frames);
        }
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

    pub(super) fn apply(
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
                    let (from, upto) = (from.value(), upto.value());
                    self.choices.push(Choice::Range(from, upto, item.position(), frames));
                    Next::Back
                }
                _ => Next::Fail(Raise::message("Range bounds must be numeric"), frames),
            },
            Operation::Input(is_optional) => {
                let question = if *is_optional { Question::InputIfAny } else { Question::Input };
                Next::Ask(question, item.position(), frames)
            }
            Operation::ModuleMeta => match &item.value {
                Value::String(name) => Next::Ask(Question::Module(name.clone()), item.position(), frames),
                _ => {
                    let problem = "modulemeta input module name must be a string";
                    Next::Fail(Raise::message(problem), frames)
                }
            },
            Operation::Limit(inner) => {
                let count = match arguments.first() {
                    Some(Value::Number(number)) if number.value() > 0.0 => number.value().ceil() as u64,
                    Some(Value::Number(number)) if number.value() == 0.0 => return Next::Back,
                    Some(other @ (Value::String(_) | Value::Array(_) | Value::Object(_))) => {
                        let one = Value::number(1.0);
                        return Next::Fail(Raise::about_two(other, &one, "cannot be subtracted"), frames);
                    }
                    _ => {
                        return Next::Fail(Raise::message("limit doesn't support negative count"), frames);
                    }
                };
                let at = self.choices.len();
                self.choices.push(Choice::Limit(count));
                Next::Eval(*inner, bindings.clone(), item, frames.with(Todo::Limit(at), bindings))
            }
            Operation::GetPath => match (&item.track, arguments.first()) {
                (Track::At(trail), Some(Value::Array(keys))) => {
                    let trail = keys.items().iter().fold(trail.clone(), |trail, key| trail.with(key.clone()));
                    let found = path::get_path(&mut self.context, &item.value, keys.items());
                    deliver_result(found, Track::At(trail), frames)
                }
                _ => self.apply_value(operation, arguments, item, frames),
            },
            _ => self.apply_value(operation, arguments, item, frames),
        }
    }

    pub(super) fn apply_value(
        &mut self,
        operation: &Operation,
        arguments: Vec<Value>,
        item: Item,
        frames: Frames,
    ) -> Next {
        let position = item.position();
        match single::apply(&mut self.context, operation, item.value, arguments) {
            Ok(Some(value)) => Next::Deliver(position.hold_new(value), frames),
            Ok(None) => Next::Back,
            Err(raise) => deliver_result(Err(raise), position, frames),
        }
    }
}
