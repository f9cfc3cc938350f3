//! [`Suspension`]: an evaluation without the machine (`single.rs`) that is put aside while a job in it pauses.
//!
//! On its way out through the terms around the job, each one notes what it has left to do with the output that is not
//! there yet. Of these notes the machine makes the frames and choices that it would have made itself, and the job is its
//! newest choice.

use super::binding::Bindings;
use super::error::Raise;
use super::frame::{Choice, Frames, Item, Next, Todo, Track};
use super::job::Job;
use super::machine::Machine;
use super::term::Id;
use super::value::{Array, Value};
use crate::memory::Vec;

/// A job that pauses, and what is left to do after it.
#[derive(Debug)]
pub(crate) struct Suspension {
    pub(crate) job: Job,
    /// The innermost first.
    pub(crate) rest: Vec<Rest>,
}

/// What a term has left to do with an output.
#[derive(Debug)]
pub(crate) enum Rest {
    /// What a frame says.
    Todo(Todo, Bindings),
    /// It is the only item of an array.
    Collect,
    /// It is the left output of `//`: the right side, and its input.
    Alternative(Id, Bindings, Value),
    /// It leaves a `try`: its handler.
    Try(Option<Id>, Bindings),
    /// It is the new value at a path of a value; without an output the path is deleted.
    Update(Vec<Value>, Value),
}

/// Notes what is left to do with a result that was suspended.
pub(crate) fn noting<T>(result: Result<T, Raise>, rest: impl FnOnce() -> Rest) -> Result<T, Raise> {
    match result {
        Err(Raise::Suspended(mut suspension)) => {
            suspension.rest.push(rest());
            Err(Raise::Suspended(suspension))
        }
        other => other,
    }
}

impl Machine<'_, '_> {
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
            Ok(Some(value)) => Next::Give(Item::plain(value), frames),
            Ok(None) => {
                self.choices.push(Choice::Job(job, frames));
                Next::Back
            }
            Err(raise) => Next::Fail(raise, frames),
        }
    }
}
