//! [`Disposal`]: frees a large value a part at a time, so that nobody waits for it.

use super::value::Value;
use crate::memory::{IntoIter, Vec, vec};
use std::cell::{Cell, RefCell};

/// What is left of a value: the members of its open containers.
#[derive(Debug)]
pub(super) struct Disposal(Vec<IntoIter<Value>>);

/// Members freed at a time.
const AT_ONCE: usize = 2048;

impl Disposal {
    pub(super) fn new(value: Value) -> Self {
        Disposal(vec![vec![value].into_iter()])
    }

    /// Frees some; false when nothing is left. What others still own is left to them.
    pub(super) fn go_on(&mut self) -> bool {
        for _ in 0..AT_ONCE {
            let Some(members) = self.0.last_mut() else { return false };
            match members.next() {
                None => drop(self.0.pop()),
                Some(Value::Array(array)) if array.is_unique() => self.0.push(array.into_items().into_iter()),
                Some(Value::Object(object)) if object.is_unique() => {
                    self.0.push(object.into_values().into_iter());
                }
                Some(_) => {}
            }
        }
        true
    }
}

/// What was dropped while the machine ran and is freed later, because enough was freed in its turn.
#[derive(Debug, Default)]
pub(super) struct Dropped(Vec<Vec<Value>>);

/// Members that are freed in one turn.
const IN_A_TURN: usize = 8192;

thread_local! {
    /// Members that may still be freed in this turn.
    static LEFT: Cell<usize> = const { Cell::new(usize::MAX) };
    static WAITING: RefCell<Dropped> = const { RefCell::new(Dropped(Vec::new())) };
}

impl Dropped {
    /// Starts a turn, in which some of what waits is freed first.
    pub(super) fn start_turn(self) {
        LEFT.set(IN_A_TURN);
        let mut waiting = self.0;
        while LEFT.get() > 0
            && let Some(members) = waiting.last_mut()
        {
            match members.pop() {
                None => drop(waiting.pop()),
                Some(member) => {
                    LEFT.set(LEFT.get().saturating_sub(1));
                    drop(member);
                }
            }
        }
        WAITING.with_borrow_mut(|all| {
            let mut new = std::mem::replace(&mut all.0, waiting);
            all.0.append(&mut new);
        });
    }

    /// Ends the turn; what waits is left to the next one.
    pub(super) fn end_turn() -> Self {
        LEFT.set(usize::MAX);
        WAITING.take()
    }

    /// Whether nothing waits.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Frees the members of a container that nobody has any more, now or in a later turn.
pub(super) fn free(members: Vec<Value>) {
    let left = LEFT.get();
    if members.len() <= left {
        if left != usize::MAX {
            LEFT.set(left - members.len());
        }
        return;
    }
    // Where there is no room for the list they are freed now.
    LEFT.set(usize::MAX);
    WAITING.with_borrow_mut(|waiting| waiting.0.push(members));
    LEFT.set(left);
}
