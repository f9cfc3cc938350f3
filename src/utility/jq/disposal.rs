//! [`Disposal`]: frees a large value a part at a time, so that nobody waits for it.

use super::text::Text;
use super::value::Value;
use crate::memory::{BTreeMap, Vec, vec};
use std::cell::{Cell, RefCell};

/// What is left of a value: the members of its open containers.
#[derive(Debug)]
pub(super) struct Disposal(Vec<Members>);

/// Members freed at a time.
const AT_ONCE: usize = 2048;

impl Disposal {
    pub(super) fn new(value: Value) -> Self {
        Disposal(vec![Members::Items(vec![value])])
    }

    /// Frees some; false when nothing is left. What others still own is left to them.
    pub(super) fn go_on(&mut self) -> bool {
        for _ in 0..AT_ONCE {
            let Some(members) = self.0.last_mut() else { return false };
            match members.take_one() {
                None => drop(self.0.pop()),
                Some(Value::Array(array)) if array.is_unique() => {
                    self.0.push(Members::Items(array.into_items()));
                }
                Some(Value::Object(object)) if object.is_unique() => self.0.extend(object.into_members()),
                Some(_) => {}
            }
        }
        true
    }
}

/// What was dropped while the machine ran and is freed later, because enough was freed in its turn.
#[derive(Debug, Default)]
pub(super) struct Dropped(Vec<Members>);

/// What a container held that nobody has any more.
#[derive(Debug)]
pub(super) enum Members {
    Items(Vec<Value>),
    Slots(Vec<Option<(Text, Value)>>),
    Index(BTreeMap<Text, usize>),
}

impl Members {
    fn len(&self) -> usize {
        match self {
            Self::Items(items) => items.len(),
            Self::Slots(slots) => slots.len(),
            Self::Index(index) => index.len(),
        }
    }

    /// Takes one out, or what stands for it; `None`: there is none.
    fn take_one(&mut self) -> Option<Value> {
        match self {
            Self::Items(items) => items.pop(),
            Self::Slots(slots) => slots.pop().map(|slot| slot.map_or(Value::Null, |(_, value)| value)),
            Self::Index(index) => index.pop_first().map(|_| Value::Null),
        }
    }
}

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
            if members.take_one().is_some() {
                LEFT.set(LEFT.get().saturating_sub(1));
            } else {
                waiting.pop();
            }
        }
        if waiting.is_empty() {
            return;
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

/// Frees the members of a container that nobody has any more, now or in a later turn. `depth`: how deep they nest at most.
pub(super) fn free(members: Members, depth: usize) {
    let left = LEFT.get();
    if members.len() <= left {
        if left != usize::MAX {
            LEFT.set(left - members.len());
        }
        if depth > SHALLOW {
            free_deep(members);
        }
        return;
    }
    // Where there is no room for the list they are freed now.
    LEFT.set(usize::MAX);
    WAITING.with_borrow_mut(|waiting| waiting.0.push(members));
    LEFT.set(left);
}

/// Containers inside each other that are dropped by recursion.
const SHALLOW: usize = 200;

/// Deep values that are put aside at a time while one is freed.
const ASIDE: usize = 64;

/// Frees members that nest deep. Those that do lie on a list of a fixed size, since there may be no memory for a longer one.
/// What finds no room is dropped by recursion: then there are at least [`ASIDE`] others that nest deep beside it, so that
/// the memory which a script has is used up long before the stack is.
fn free_deep(members: Members) {
    let mut aside: [Option<Value>; ASIDE] = [const { None }; ASIDE];
    let mut count = 0;
    let put = |value: Value, count: &mut usize, aside: &mut [Option<Value>; ASIDE]| {
        if value.depth() > SHALLOW
            && let Some(slot) = aside.get_mut(*count)
        {
            *slot = Some(value);
            *count += 1;
        }
    };
    let mut members = members;
    loop {
        while let Some(value) = members.take_one() {
            put(value, &mut count, &mut aside);
        }
        let Some(next) = count.checked_sub(1).and_then(|last| aside.get_mut(last)).and_then(Option::take)
        else {
            return;
        };
        count -= 1;
        members = match next {
            Value::Array(array) if array.is_unique() => Members::Items(array.into_items()),
            Value::Object(object) if object.is_unique() => {
                let mut parts = object.into_members();
                let slots = parts.next();
                drop(parts);
                slots.unwrap_or(Members::Items(Vec::new()))
            }
            _ => Members::Items(Vec::new()),
        };
    }
}
