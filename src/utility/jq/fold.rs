//! `reduce` and `foreach`: the state lies in a choice below those of the source.

use super::binding::{Bindings, Bound};
use super::error::Raise;
use super::frame::{Choice, Frames, Item, Next, Todo, Track};
use super::machine::Machine;
use super::single::Input;
use super::term::{Id, Term};
use super::value::Value;

impl Machine<'_, '_> {
    pub(super) fn fold_init(
        &mut self,
        id: Id,
        state: Item,
        input: Value,
        bindings: Bindings,
        frames: Frames,
    ) -> Next {
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

    pub(super) fn state(&mut self, at: usize) -> Option<&mut Option<Item>> {
        match self.choices.get_mut(at) {
            Some(Choice::Reduce(state, ..) | Choice::Foreach(state)) => Some(state),
            _ => None,
        }
    }

    pub(super) fn fold_source(
        &mut self,
        id: Id,
        at: usize,
        output: Value,
        bindings: &Bindings,
        frames: Frames,
    ) -> Next {
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
}
