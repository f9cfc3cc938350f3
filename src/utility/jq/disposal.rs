//! [`Disposal`]: frees a large value a part at a time, so that nobody waits for it.

use crate::memory::{IntoIter, Vec, vec};
use super::value::Value;

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
