//! [`Suspension`]: an evaluation without the machine (`single.rs`) that is put aside while a job in it pauses.
//!
//! On its way out through the terms around the job, each one notes what it has left to do with the output that is not
//! there yet. Of these notes the machine makes the frames and choices that it would have made itself, and the job is its
//! newest choice.

use super::binding::{Bindings, Id};
use super::error::Raise;
use super::frame::Todo;
use super::job::Job;
use super::value::Value;
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
