//! Assignments: the paths of the left side are outputs of the machine, the state they change lies in a choice.

use super::binding::{Bindings, Id};
use super::context::Context;
use super::error::Raise;
use super::frame::{Choice, Frames, Item, Next, Todo, Track, Trail};
use super::machine::{Machine, deliver_result, no_path};
use super::path;
use super::single::Single;
use super::suspension::Rest;
use super::term::{Assignment, Term};
use super::value::Value;
use crate::memory::Vec;

impl<'c> Machine<'_, 'c> {
    /// Assigns `value` (what is on the right; for `|=` nothing) at the paths of the left side.
    pub(super) fn assign(
        &mut self,
        id: Id,
        value: Value,
        item: Item,
        bindings: &Bindings,
        frames: Frames,
    ) -> Next {
        let Term::Assign(kind, target, update) = self.program.term(id) else { return Next::Back };
        let track = item.position();
        if self.program.is_plain_path(*target)
            && (*kind != Assignment::Update || self.program.shape(*update).is_single)
        {
            let mut single = Single { program: self.program, context: &mut self.context };
            return match single.assign(id, value, item.value, bindings) {
                Ok(None) => Next::Back,
                Ok(Some(value)) => deliver_result(Ok(value), track, frames),
                Err(raise) => deliver_result(Err(raise), track, frames),
            };
        }
        self.assign_each(id, value, item, bindings, frames)
    }

    /// The same, path by path.
    pub(super) fn assign_each(
        &mut self,
        id: Id,
        value: Value,
        item: Item,
        bindings: &Bindings,
        frames: Frames,
    ) -> Next {
        let Term::Assign(_, target, _) = self.program.term(id) else { return Next::Back };
        let track = item.position();
        let at = self.choices.len();
        let start = Item { value: item.value.clone(), track: Track::At(Trail::default()) };
        self.choices.push(Choice::Assign(item.value, Vec::new(), track, frames.clone()));
        Next::Eval(*target, bindings.clone(), start, frames.with(Todo::AssignPath(id, at, value), bindings))
    }

    pub(super) fn assign_path(
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
                Some(Choice::Assign(state, ..)) => path::take_path(&mut state.clone(), &keys),
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

    pub(super) fn change_state(
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
            Err(Raise::Suspended(mut suspension)) => match suspension.rest.pop() {
                // The new value at a path is being computed.
                Some(Rest::Update(keys, target)) => {
                    *state = target;
                    let height = self.choices.len();
                    self.choices.push(Choice::Update(at, keys.clone()));
                    let update = Todo::AssignUpdate(at, keys, height);
                    self.suspend(suspension.into_inner(), frames.with(update, &Bindings::default()))
                }
                rest => {
                    suspension.rest.extend(rest);
                    Next::Fail(Raise::Suspended(suspension), frames)
                }
            },
            Err(raise) => Next::Fail(raise, frames),
        }
    }
}
