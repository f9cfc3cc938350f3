//! The lists of an outcome.

use crate::limit::worker;
use serde::{Serialize, Serializer};
use std::ops::{Deref, DerefMut};

/// A list with so many entries or more is dropped on a thread: each may hold a megabyte of output, which takes some 40 µs.
const LONG: usize = 32;

/// One of the lists of an [`Outcome`](super::Outcome), which is used as a slice or by its iterators.
///
/// A config can have thousands of hooks, and to drop what they left takes milliseconds: a long list is dropped on a thread of
/// the crate, so that who drops an outcome, or a firing half-way, on an executor does not keep it.
#[derive(Clone, Debug, PartialEq)]
pub struct OutcomeList<T: Send + 'static>(Vec<T>);

impl<T: Send + 'static> OutcomeList<T> {
    /// The entries themselves.
    #[must_use]
    pub fn into_vec(mut self) -> Vec<T> {
        std::mem::take(&mut self.0)
    }

    pub(super) fn with_capacity(entries: usize) -> Self {
        Self(Vec::with_capacity(entries))
    }

    pub(in crate::hook) fn push(&mut self, entry: T) {
        self.0.push(entry);
    }
}

impl<T: Send + 'static> Default for OutcomeList<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T: Send + 'static> From<Vec<T>> for OutcomeList<T> {
    fn from(entries: Vec<T>) -> Self {
        Self(entries)
    }
}

impl<T: Send + 'static> Deref for OutcomeList<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.0
    }
}

impl<T: Send + 'static> DerefMut for OutcomeList<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.0
    }
}

impl<T: Send + 'static> IntoIterator for OutcomeList<T> {
    type Item = T;
    type IntoIter = std::vec::IntoIter<T>;

    fn into_iter(self) -> Self::IntoIter {
        self.into_vec().into_iter()
    }
}

impl<'a, T: Send + 'static> IntoIterator for &'a OutcomeList<T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}

impl<T: Serialize + Send + 'static> Serialize for OutcomeList<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<T: Send + 'static> Drop for OutcomeList<T> {
    fn drop(&mut self) {
        if self.0.len() >= LONG {
            worker::discard(std::mem::take(&mut self.0));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::sync::mpsc::{Sender, channel};
    use std::thread::{ThreadId, current};

    struct Tells(Arc<Sender<ThreadId>>);

    impl Drop for Tells {
        fn drop(&mut self) {
            let _ = self.0.send(current().id());
        }
    }

    fn dropped_by(entries: usize) -> Vec<ThreadId> {
        let (sender, receiver) = channel();
        let sender = Arc::new(sender);
        let list: Vec<Tells> = (0..entries).map(|_| Tells(Arc::clone(&sender))).collect();
        drop(sender);
        drop(OutcomeList::from(list));
        receiver.iter().collect()
    }

    #[test]
    fn a_short_list_is_dropped_where_it_is() {
        assert!(dropped_by(LONG - 1).iter().all(|thread| *thread == current().id()));
    }

    #[test]
    fn a_long_list_is_dropped_on_a_thread_of_the_crate() {
        let threads = dropped_by(LONG);
        assert_eq!(threads.len(), LONG);
        assert!(threads.iter().all(|thread| *thread != current().id()));
    }
}
