//! Where the machine goes on for a further output: at its newest choice, or at an evaluation that was put aside.

use super::binding::Bindings;
use super::deletion;
use super::frame::{Choice, Frames, Item, Next, Todo, Track};
use super::job::Job;
use super::machine::{Machine, deliver_result, member};
use super::suspension::{Rest, Suspension};
use super::value::{Array, Value};
use crate::memory::Vec;

impl Machine<'_, '_> {
    /// Goes on at a choice.
    pub(super) fn resume(&mut self, choice: Choice) -> Next {
        match choice {
            Choice::Eval(id, bindings, item, frames) => Next::Eval(id, bindings, item, frames),
            Choice::Map(mapping) => self.map(mapping),
            Choice::Job(job, frames) => self.go_on_with(job, frames),
            Choice::Each(item, at, frames) => match member(&item, at) {
                Some((found, after)) => {
                    self.choices.push(Choice::Each(item, after, frames.clone()));
                    Next::Deliver(found, frames)
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
                    return Next::Deliver(found, frames);
                }
                Next::Back
            }
            Choice::Range(at, upto, track, frames) => {
                if at >= upto || at.is_nan() || upto.is_nan() {
                    return Next::Back;
                }
                self.choices.push(Choice::Range(at + 1.0, upto, track.clone(), frames.clone()));
                Next::Deliver(Item { value: Value::number(at), track }, frames)
            }
            Choice::Collect(items, track, frames) => match Value::Array(items).checked() {
                Ok(value) => Next::Deliver(Item { value, track }, frames),
                Err(raise) => Next::Fail(raise, frames),
            },
            Choice::Alternative(true, ..) | Choice::Foreach(_) | Choice::Limit(_) => Next::Back,
            Choice::Alternative(false, id, bindings, item, frames) => Next::Eval(id, bindings, item, frames),
            Choice::Reduce(state, track, frames) => {
                Next::Deliver(track.hold(state.unwrap_or_default()), frames)
            }
            Choice::Assign(state, emptied, track, frames) => {
                let changed = deletion::delete_paths(&mut self.context, state, emptied);
                deliver_result(changed, track, frames)
            }
            Choice::Update(at, keys) => {
                if let Some(Choice::Assign(_, emptied, ..)) = self.choices.get_mut(at) {
                    emptied.push(Value::array(keys));
                }
                Next::Back
            }
        }
    }

    /// Puts an evaluation aside whose output goes to `frames`.
    pub(super) fn suspend(&mut self, suspension: Suspension, frames: Frames) -> Next {
        let Suspension { job, rest } = suspension;
        let mut frames = frames;
        for rest in rest.into_iter().rev() {
            let at = self.choices.len();
            frames = match rest {
                Rest::Todo(todo, bindings) => frames.with(todo, &bindings),
                Rest::Collect => {
                    self.choices.push(Choice::Collect(Array::default(), Track::Off, frames.clone()));
                    frames.with(Todo::Collect(at), &Bindings::default())
                }
                Rest::Alternative(id, bindings, input) => {
                    let todo = Todo::Alternative(at);
                    let next = frames.clone().with(todo, &bindings);
                    self.choices.push(Choice::Alternative(false, id, bindings, Item::plain(input), frames));
                    next
                }
                Rest::Try(handler, bindings) => frames.with(Todo::Try(handler, at, Track::Off), &bindings),
                Rest::Update(keys, target) => {
                    self.choices.push(Choice::Assign(target, Vec::new(), Track::Off, frames.clone()));
                    let height = self.choices.len();
                    self.choices.push(Choice::Update(at, keys.clone()));
                    frames.with(Todo::AssignUpdate(at, keys, height), &Bindings::default())
                }
            };
        }
        self.choices.push(Choice::Job(job, frames));
        Next::Back
    }

    /// Goes on with a job.
    pub(super) fn go_on_with(&mut self, mut job: Job, frames: Frames) -> Next {
        match job.go_on(&mut self.context.work) {
            Ok(Some(value)) => Next::Deliver(Item::plain(value), frames),
            Ok(None) => {
                self.choices.push(Choice::Job(job, frames));
                Next::Back
            }
            Err(raise) => Next::Fail(raise, frames),
        }
    }
}
