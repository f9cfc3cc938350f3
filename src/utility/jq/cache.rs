//! [`Filters`]: the compiled filters of a session.
//!
//! A few dozen short filters at most, the last one used first; nothing is allocated before the first one.

use super::compile::Compiled;
use crate::clock::lock;
use crate::limit::gauge;
use crate::memory::{Arc, String, Vec};
use std::sync::Mutex;

/// Filters kept.
const KEPT: usize = 32;
/// The longest filter that is kept, in bytes.
const LONGEST: usize = 4096;

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct Filters(Mutex<Vec<Known>>);

#[derive(Debug)]
struct Known {
    text: Box<[u8]>,
    names: Box<[String]>,
    compiled: Arc<Compiled>,
}

impl Filters {
    /// The filter of that text with these variables.
    pub(super) fn get(&self, text: &[u8], names: &[String]) -> Option<Arc<Compiled>> {
        let mut known = lock(&self.0);
        let at = known.iter().position(|known| *known.text == *text && *known.names == *names)?;
        known.get_mut(..=at)?.rotate_right(1);
        known.first().map(|known| Arc::clone(&known.compiled))
    }

    /// Keeps a filter. What was made after memory was refused may lack a part, and no other run may find it.
    pub(super) fn insert(&self, text: &[u8], names: &[String], compiled: &Arc<Compiled>) {
        if text.len() > LONGEST || names.iter().map(|name| name.len()).sum::<usize>() > LONGEST {
            return;
        }
        let new = Known { text: text.into(), names: names.into(), compiled: Arc::clone(compiled) };
        if gauge::is_refused() {
            return;
        }
        let mut known = lock(&self.0);
        known.truncate(KEPT - 1);
        known.insert(0, new);
    }
}

#[cfg(test)]
mod tests {
    use super::super::compile::compile;
    use super::*;

    #[test]
    fn the_filters_used_last_are_kept() {
        let filters = Filters::default();
        for number in 0..100 {
            let text = std::format!("{number}");
            filters.insert(text.as_bytes(), &[], &Arc::new(compile(&text, &[]).unwrap()));
            assert!(filters.get(b"0", &[]).is_some());
        }
        assert!(filters.get(b"99", &[]).is_some());
        assert!(filters.get(b"50", &[]).is_none());
        assert!(filters.get(b"99", &["x".into()]).is_none());
    }
}
