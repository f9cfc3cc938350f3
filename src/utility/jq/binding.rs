//! [`Bindings`]: what the names of a filter stand for while it runs, as a list shared by all that can see it.
//!
//! The newest binding comes first. The list is dropped without recursion, however long it is and however deep closures
//! nest.

use super::value::Value;
use crate::memory::{Held, Vec, shared};
use std::sync::Arc;

/// The number of a term of the program, which a closure keeps.
pub(crate) type Id = usize;

/// How many bindings a call drops: all of them.
pub(crate) const TO_ROOT: usize = usize::MAX;

/// A list of bindings, newest first.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bindings(Option<Arc<Held<Node>>>);

#[derive(Debug)]
struct Node {
    bound: Bound,
    older: Bindings,
}

/// What one name stands for.
#[derive(Clone, Debug)]
pub(crate) enum Bound {
    /// A variable.
    Value(Value),
    /// A filter parameter: the argument and the bindings at its call.
    Closure(Id, Bindings),
    /// A label: its number in this run.
    Label(u64),
}

impl Bindings {
    /// This list with one more binding.
    pub(crate) fn with(&self, bound: Bound) -> Bindings {
        Bindings(Some(shared(Node { bound, older: self.clone() })))
    }

    /// This list without its newest `count` bindings.
    pub(crate) fn skip(&self, count: usize) -> Bindings {
        if count == TO_ROOT {
            return Bindings::default();
        }
        let mut at = self;
        for _ in 0..count {
            match &at.0 {
                Some(node) => at = &node.older,
                None => break,
            }
        }
        at.clone()
    }

    /// The binding before the newest `count`.
    pub(crate) fn get(&self, count: usize) -> Option<&Bound> {
        let mut at = self;
        for _ in 0..count {
            at = &at.0.as_ref()?.older;
        }
        at.0.as_ref().map(|node| &node.bound)
    }

    /// The value of the variable before the newest `count` bindings.
    pub(crate) fn value(&self, count: usize) -> Value {
        match self.get(count) {
            Some(Bound::Value(value)) => value.clone(),
            _ => Value::Null,
        }
    }
}

impl Drop for Bindings {
    fn drop(&mut self) {
        let mut pending = Vec::new();
        let mut next = self.0.take();
        while let Some(shared) = next.take() {
            if let Some(mut node) = Arc::into_inner(shared) {
                next = node.older.0.take();
                if let Bound::Closure(_, bindings) = &mut node.bound {
                    pending.extend(bindings.0.take());
                }
            }
            if next.is_none() {
                next = pending.pop();
            }
        }
    }
}

/// The bindings of a function's body: those around its definition and one closure for each argument.
pub(super) fn called(arguments: &[Id], skip: usize, bindings: &Bindings) -> Bindings {
    let start = bindings.skip(skip);
    arguments.iter().fold(start, |inner, argument| inner.with(Bound::Closure(*argument, bindings.clone())))
}
