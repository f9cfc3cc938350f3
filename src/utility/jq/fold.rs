//! `reduce` and `foreach`: the state lies in a choice below those of the source.

use super::binding::{Bindings, Bound, Id};
use super::error::Raise;
use super::frame::{Choice, Frames, Item, Next, Todo, Track};
use super::machine::Machine;
use super::single::Input;
use super::term::Term;
use super::value::Value;

impl Machine<'_, '_> {
    pub(super) fn fold_init(
        &mut self,
        id: Id,
        state: Item,
        input: Item,
        bindings: Bindings,
        frames: Frames,
    ) -> Next {
        let at = self.choices.len();
        // A path goes on from the place of the state, if it is followed.
        let position = state.position();
        let fold = match self.program.term(id) {
            Term::Reduce(fold) => {
                self.choices.push(Choice::Reduce(Some(state.value), position.clone(), frames.clone()));
                fold
            }
            Term::Foreach(fold) => {
                self.choices.push(Choice::Foreach(Some(state.value)));
                fold
            }
            _ => return Next::Back,
        };
        let frames = frames.with(Todo::FoldSource(id, at), &bindings);
        Next::Eval(fold.source, bindings, position.hold(input.value), frames)
    }

    pub(super) fn state(&mut self, at: usize) -> Option<&mut Option<Value>> {
        match self.choices.get_mut(at) {
            Some(Choice::Reduce(state, ..) | Choice::Foreach(state)) => Some(state),
            _ => None,
        }
    }

    pub(super) fn fold_source(
        &mut self,
        id: Id,
        at: usize,
        output: Item,
        bindings: &Bindings,
        frames: Frames,
    ) -> Next {
        let (Term::Reduce(fold) | Term::Foreach(fold)) = self.program.term(id) else { return Next::Back };
        let position = output.position();
        let bindings = bindings.with(Bound::Value(output.value));
        let state = self.state(at).and_then(Option::take).unwrap_or_default();
        let is_direct = matches!(self.program.term(id), Term::Reduce(_))
            && matches!(position, Track::Off)
            && self.program.shape(fold.update).is_single;
        if !is_direct {
            return Next::Eval(
                fold.update,
                bindings.clone(),
                position.hold(state),
                frames.with(Todo::FoldState(id, at), &bindings),
            );
        }
        match self.single(fold.update, &bindings, Input::Owned(state)) {
            Ok(value) => {
                if let Some(state) = self.state(at) {
                    *state = value;
                }
                Next::Back
            }
            Err(Raise::Suspended(suspension)) => {
                self.suspend(suspension.into_inner(), frames.with(Todo::FoldState(id, at), &bindings))
            }
            Err(raise) => Next::Fail(raise, frames),
        }
    }

    pub(super) fn fold_state(
        &mut self,
        id: Id,
        at: usize,
        item: Item,
        bindings: Bindings,
        frames: Frames,
    ) -> Next {
        let Term::Foreach(fold) = self.program.term(id) else {
            if let Some(state) = self.state(at) {
                *state = Some(item.value);
            }
            return Next::Back;
        };
        if let Some(state) = self.state(at) {
            *state = Some(item.value.clone());
        }
        match fold.extract {
            Some(extract) => Next::Eval(extract, bindings, item, frames),
            None => Next::Deliver(item, frames),
        }
    }
}
