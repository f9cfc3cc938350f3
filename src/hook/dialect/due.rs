//! Which hooks an event has: the table that a loaded config keeps beside its hooks.

use super::Hook;

/// Indexes of hooks by event, in chain order. Only events that have hooks are in it, and a config has hooks for few: a name
/// is found by comparing.
#[derive(Debug, Default)]
pub(super) struct Due(Vec<(&'static str, Vec<usize>)>);

impl Due {
    /// Each hook under its own event, in the order of the config.
    pub(super) fn of(hooks: &[Hook]) -> Self {
        let mut due = Self::default();
        for (index, hook) in hooks.iter().enumerate() {
            due.add(hook.event, index);
        }
        due
    }

    /// One more hook, behind those that the event has already.
    pub(super) fn add(&mut self, event: &'static str, hook: usize) {
        match self.0.iter_mut().find(|(name, _)| *name == event) {
            Some((_, hooks)) => hooks.push(hook),
            None => self.0.push((event, vec![hook])),
        }
    }

    /// The hooks of an event, none for a name that is no event.
    pub(super) fn at(&self, event: &str) -> &[usize] {
        let found = self.0.iter().find(|(name, _)| *name == event);
        found.map_or(&[], |(_, hooks)| hooks)
    }
}

#[cfg(test)]
mod tests {
    use super::Due;

    #[test]
    fn hooks_stay_in_the_order_in_which_they_were_added() {
        let mut due = Due::default();
        for (event, hook) in [("stop", 2), ("start", 0), ("stop", 1), ("stop", 2)] {
            due.add(event, hook);
        }
        assert_eq!((due.at("stop"), due.at("start"), due.at("sto")), (&[2, 1, 2][..], &[0][..], &[][..]));
    }
}
