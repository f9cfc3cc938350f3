//! [`Environment`]: the variables that a command or a hook is given.

use crate::memory::Vec;
use crate::text::Text;
use std::sync::Arc;

/// Variables and their values, in order. A clone shares what was made to be shared (`Environment::sharing`).
#[derive(Clone, Debug, Default)]
pub struct Environment {
    /// The first ones, which other environments have too: those of the hooks of a chain.
    shared: Option<Arc<Vec<(Text, Text)>>>,
    /// The others.
    own: Vec<(Text, Text)>,
}

impl Environment {
    /// An environment of these variables, in this order. Names are unique.
    pub fn new(variables: Vec<(Text, Text)>) -> Self {
        Self { shared: None, own: variables }
    }

    /// An environment that begins with `shared`, of which no copy is made, and has `own` after them. Names are unique.
    pub(crate) const fn sharing(shared: Arc<Vec<(Text, Text)>>, own: Vec<(Text, Text)>) -> Self {
        Self { shared: Some(shared), own }
    }

    /// What [`Environment::sharing`] shares, unless it was changed.
    pub(crate) const fn shared(&self) -> Option<&Arc<Vec<(Text, Text)>>> {
        self.shared.as_ref()
    }

    /// How many variables there are.
    pub fn len(&self) -> usize {
        self.shared.as_ref().map_or(0, |shared| shared.len()) + self.own.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The value of a variable.
    pub fn get(&self, name: &[u8]) -> Option<&Text> {
        self.iter().find(|(key, _)| key.as_bytes() == name).map(|(_, value)| value)
    }

    /// Sets a variable.
    pub fn set(&mut self, name: Text, value: Text) {
        if self.shared.as_ref().is_some_and(|shared| shared.iter().any(|(key, _)| *key == name)) {
            self.own_all();
        }
        match self.own.iter_mut().find(|(key, _)| *key == name) {
            Some(entry) => entry.1 = value,
            None => self.own.push((name, value)),
        }
    }

    /// These variables with others over them.
    pub(crate) fn with(&self, over: &Self) -> Self {
        let mut all = self.clone();
        for (name, value) in over.iter() {
            all.set(name.clone(), value.clone());
        }
        all
    }

    /// Removes a variable.
    pub fn remove(&mut self, name: &[u8]) {
        self.own_all();
        self.own.retain(|(key, _)| key.as_bytes() != name);
    }

    /// Names and values.
    pub fn iter(&self) -> impl Iterator<Item = &(Text, Text)> {
        self.iter_from(0)
    }

    /// Names and values, without the first ones.
    pub(crate) fn iter_from(&self, first: usize) -> impl Iterator<Item = &(Text, Text)> {
        let shared = self.shared.as_deref().map_or(&[][..], Vec::as_slice);
        let own = self.own.get(first.saturating_sub(shared.len())..).unwrap_or_default();
        shared.get(first..).unwrap_or_default().iter().chain(own)
    }

    /// Those that are the environment's own: their values can be taken.
    pub(crate) fn own_mut(&mut self) -> &mut [(Text, Text)] {
        &mut self.own
    }

    /// Before a change of what is shared.
    fn own_all(&mut self) {
        if let Some(shared) = self.shared.take() {
            self.own.splice(..0, shared.iter().cloned());
        }
    }
}

impl PartialEq for Environment {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

impl Eq for Environment {}

impl From<Vec<(Text, Text)>> for Environment {
    fn from(variables: Vec<(Text, Text)>) -> Self {
        Self::new(variables)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(name: &str, value: &str) -> (Text, Text) {
        (name.into(), value.into())
    }

    #[test]
    fn a_change_of_a_shared_variable_is_the_environments_own() {
        let shared = Arc::new(crate::memory::vec![pair("A", "1"), pair("B", "2")]);
        let mut changed = Environment::sharing(Arc::clone(&shared), crate::memory::vec![pair("C", "3")]);
        assert!(changed.shared().is_some());
        changed.set("A".into(), "0".into());
        assert!(changed.shared().is_none());
        let other = Environment::sharing(shared, Vec::new());
        assert_eq!(
            changed,
            Environment::new(crate::memory::vec![pair("A", "0"), pair("B", "2"), pair("C", "3")])
        );
        assert_eq!((other.get(b"A"), other.len()), (Some(&"1".into()), 2));
        changed.remove(b"B");
        assert_eq!((changed.get(b"B"), changed.len()), (None, 2));
    }
}
