//! `[.[] | f]` where `f` has at most one output: a loop over the members, some of them at a time.

use super::binding::{Bindings, Id};
use super::error::{Raise, cannot_iterate};
use super::frame::{Choice, Frames, Item, Mapping, Next, Todo, Track};
use super::machine::Machine;
use super::object::Object;
use super::single::Input;
use super::value::{Members, Value};
use crate::memory::{Held, Vec, boxed};

/// Members between two turns of the machine.
const AT_ONCE: usize = 64;

impl Machine<'_, '_> {
    pub(super) fn start_map(
        &mut self,
        term: Option<Id>,
        container: Value,
        track: Track,
        bindings: Bindings,
        frames: Frames,
    ) -> Next {
        let length = match &container {
            Value::Array(array) => array.len(),
            Value::Object(object) => object.len(),
            other => return Next::Fail(cannot_iterate(other), frames),
        };
        let values = |object: &Object| object.iter().map(|(_, value)| value.clone()).collect::<Vec<_>>();
        let none = Members::Owned(Vec::new().into_iter());
        let (members, done) = match (container, term) {
            (Value::Array(array), Some(_)) => (array.into_members(), Vec::with_capacity(length)),
            (Value::Array(array), None) => (none, array.into_items()),
            (Value::Object(object), Some(_)) => {
                (Members::Owned(values(&object).into_iter()), Vec::with_capacity(length))
            }
            (Value::Object(object), None) => (none, values(&object)),
            _ => (none, Vec::new()),
        };
        self.map(boxed(Mapping { term, members, done, track, bindings, frames }))
    }

    /// Goes on with some members.
    pub(super) fn map(&mut self, mut mapping: Box<Held<Mapping>>) -> Next {
        if let Some(term) = mapping.term {
            for _ in 0..AT_ONCE {
                let Some(member) = mapping.members.next() else { break };
                match self.single(term, &mapping.bindings, Input::Owned(member)) {
                    Ok(output) => mapping.done.extend(output),
                    Err(Raise::Suspended(suspension)) => {
                        let mapped = Todo::Mapped(self.choices.len());
                        let frames = mapping.frames.clone().with(mapped, &mapping.bindings);
                        self.choices.push(Choice::Map(mapping));
                        return self.suspend(suspension.into_inner(), frames);
                    }
                    Err(raise) => return Next::Fail(raise, mapping.frames.clone()),
                }
            }
            if mapping.members.len() > 0 {
                self.choices.push(Choice::Map(mapping));
                return Next::Back;
            }
        }
        let Mapping { done, track, frames, .. } = mapping.into_inner();
        match Value::array(done).checked() {
            Ok(value) => Next::Deliver(Item { value, track }, frames),
            Err(raise) => Next::Fail(raise, frames),
        }
    }
}
