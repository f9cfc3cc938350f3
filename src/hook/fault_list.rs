//! [`FaultList`]: what is wrong with a config, of which a text of nothing but faults makes no more than [`MOST`].

use super::error::{ConfigError, ConfigProblem};
use std::ops::{Deref, DerefMut};

/// Nobody reads more, and each takes many times the memory of the text that it is about.
pub(crate) const MOST: usize = 1_000;

/// Problems, or notices, in the order of the config; those beyond [`MOST`] are counted as more and not kept.
#[derive(Debug)]
pub(crate) struct FaultList<T> {
    kept: Vec<T>,
    has_more: bool,
}

impl<T> Default for FaultList<T> {
    fn default() -> Self {
        Self { kept: Vec::new(), has_more: false }
    }
}

impl<T> FaultList<T> {
    /// One more.
    pub(crate) fn push(&mut self, fault: T) {
        if self.kept.len() < MOST {
            self.kept.push(fault);
        } else {
            self.has_more = true;
        }
    }

    /// Those from `at` on, taken away.
    pub(crate) fn split_off(&mut self, at: usize) -> Vec<T> {
        self.kept.split_off(at.min(self.kept.len()))
    }

    /// Whether there were more than are kept.
    pub(crate) fn has_more(&self) -> bool {
        self.has_more
    }

    /// Those that were kept.
    pub(crate) fn into_kept(self) -> Vec<T> {
        self.kept
    }
}

impl<T> Extend<T> for FaultList<T> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, faults: I) {
        faults.into_iter().for_each(|fault| self.push(fault));
    }
}

impl<T> Deref for FaultList<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.kept
    }
}

impl<T> DerefMut for FaultList<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.kept
    }
}

impl From<FaultList<ConfigProblem>> for ConfigError {
    fn from(list: FaultList<ConfigProblem>) -> Self {
        let mut problems = list.kept;
        if let (true, Some(last)) = (list.has_more, problems.last()) {
            let message = format!("there are more problems: {MOST} are told");
            problems.push(ConfigProblem { file: last.file.clone(), place: None, field: None, message });
        }
        Self { problems }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Source;

    #[test]
    fn more_faults_than_are_told_are_counted_as_more() {
        let source = Source::new("hooks.json", b"{}");
        let mut list = FaultList::default();
        list.extend((0..MOST).map(|number| source.problem(None, number.to_string())));
        assert!(!list.has_more());
        list.push(source.problem(None, "last"));
        assert!(list.has_more());
        let problems = ConfigError::from(list).problems;
        assert_eq!(problems.len(), MOST + 1);
        assert_eq!(problems[MOST].to_string(), "hooks.json: there are more problems: 1000 are told");
    }
}
