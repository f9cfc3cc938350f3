//! What dialects keep of a session from one firing to the next: counters, caps, caches.

use crate::clock::lock;
use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::sync::Mutex;

/// One value of each type; it lives and dies with the session.
#[derive(Default)]
pub struct SessionState(Mutex<HashMap<TypeId, Box<dyn Any + Send>>>);

impl SessionState {
    /// Calls `work` with the session's `T`, made by `Default` the first time. `work` must not come back here.
    pub fn with<T: Any + Default + Send, R>(&self, work: impl FnOnce(&mut T) -> R) -> R {
        let mut all = lock(&self.0);
        let entry = all.entry(TypeId::of::<T>()).or_insert_with(|| Box::<T>::default());
        match entry.downcast_mut::<T>() {
            Some(value) => work(value),
            None => work(&mut T::default()),
        }
    }

    /// As [`SessionState::with`], but only where the session has a `T` already.
    pub(crate) fn peek<T: Any + Send, R>(&self, work: impl FnOnce(&mut T) -> R) -> Option<R> {
        lock(&self.0).get_mut(&TypeId::of::<T>())?.downcast_mut::<T>().map(work)
    }
}

impl std::fmt::Debug for SessionState {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SessionState").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_type_has_a_value_of_its_own() {
        let state = SessionState::default();
        state.with(|count: &mut u32| *count += 1);
        state.with(|text: &mut String| text.push('a'));
        assert_eq!(state.with(|count: &mut u32| *count), 1);
        assert_eq!(state.with(|text: &mut String| text.clone()), "a");
    }
}
