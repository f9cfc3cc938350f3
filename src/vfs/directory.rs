//! The entries of one directory: a sorted map from name to inode id.
//!
//! Entries lie in sorted runs of at most 32, each behind an `Arc`. A write to a directory that a snapshot shares copies the
//! list of runs and one run, not all entries; inserting `n` names in any order takes O(n log n). (A `BTreeMap` behind one
//! `Arc` would copy every entry at the first write after each snapshot.)

use crate::text::Text;
use std::sync::Arc;

const RUN: usize = 32;

/// See the module.
#[derive(Clone, Debug)]
pub(super) struct Directory {
    /// The inode id of the directory that holds this one; its own for a root.
    pub(super) parent: u64,
    /// The name of this directory in its parent; empty for a root.
    pub(super) name: Text,
    runs: Vec<Arc<Vec<Entry>>>,
    len: usize,
}

#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) name: Text,
    pub(super) inode: u64,
}

impl Directory {
    pub(super) const fn new(parent: u64, name: Text) -> Self {
        Self { parent, name, runs: Vec::new(), len: 0 }
    }

    pub(super) const fn len(&self) -> usize {
        self.len
    }

    /// The run in which `name` is or belongs.
    fn run_of(&self, name: &[u8]) -> usize {
        if self.runs.len() < 2 {
            return 0;
        }
        let after = self.runs.partition_point(|run| run.first().is_some_and(|entry| *entry.name <= *name));
        after.saturating_sub(1)
    }

    pub(super) fn get(&self, name: &[u8]) -> Option<u64> {
        let run = self.runs.get(self.run_of(name))?;
        let at = run.binary_search_by(|entry| entry.name.as_bytes().cmp(name)).ok()?;
        Some(run.get(at)?.inode)
    }

    /// Adds an entry or points the one of that name elsewhere.
    pub(super) fn insert(&mut self, name: Text, inode: u64) {
        let (at, runs) = (self.run_of(&name), self.runs.len());
        let Some(run) = self.runs.get_mut(at).map(Arc::make_mut) else {
            self.runs.push(Arc::new(vec![Entry { name, inode }]));
            self.len = 1;
            return;
        };
        match run.binary_search_by(|entry| entry.name.cmp(&name)) {
            Ok(found) => {
                if let Some(entry) = run.get_mut(found) {
                    entry.inode = inode;
                }
                return;
            }
            Err(position) if run.len() < RUN => run.insert(position, Entry { name, inode }),
            // Names often come in order: a full last run is left full.
            Err(position) if position == RUN && at + 1 == runs => {
                self.runs.push(Arc::new(vec![Entry { name, inode }]));
            }
            Err(position) => {
                let mut upper = run.split_off(RUN / 2);
                match position.checked_sub(RUN / 2) {
                    Some(position) => upper.insert(position, Entry { name, inode }),
                    None => run.insert(position, Entry { name, inode }),
                }
                self.runs.insert(at + 1, Arc::new(upper));
            }
        }
        self.len += 1;
    }

    pub(super) fn remove(&mut self, name: &[u8]) -> Option<u64> {
        let at = self.run_of(name);
        let run = self.runs.get_mut(at)?;
        let position = run.binary_search_by(|entry| entry.name.as_bytes().cmp(name)).ok()?;
        let run = Arc::make_mut(run);
        let removed = run.remove(position);
        if run.is_empty() {
            self.runs.remove(at);
        }
        self.len -= 1;
        Some(removed.inode)
    }

    /// The entries in the order of their bytes.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Entry> {
        self.runs.iter().flat_map(|run| run.iter())
    }

    /// The entries that may differ between two directories: of both, the runs that are not shared.
    pub(super) fn unshared<'a>(&'a self, other: &'a Self) -> (Vec<&'a Entry>, Vec<&'a Entry>) {
        let ours: rustc_hash::FxHashSet<_> = self.runs.iter().map(Arc::as_ptr).collect();
        let theirs: rustc_hash::FxHashSet<_> = other.runs.iter().map(Arc::as_ptr).collect();
        let pick = |runs: &'a [Arc<Vec<Entry>>], shared: &rustc_hash::FxHashSet<*const Vec<Entry>>| {
            runs.iter().filter(|run| !shared.contains(&Arc::as_ptr(run))).flat_map(|run| run.iter()).collect()
        };
        (pick(&self.runs, &theirs), pick(&other.runs, &ours))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn agrees_with_a_map() {
        let mut directory = Directory::new(1, Text::EMPTY);
        let mut map = BTreeMap::new();
        let mut state = 7_u64;
        for step in 0..20_000_u64 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let name = format!("n{}", (state >> 33) % 700);
            if state >> 60 < 6 {
                assert_eq!(directory.remove(name.as_bytes()), map.remove(&name));
            } else {
                directory.insert(Text::from(name.as_str()), step);
                map.insert(name.clone(), step);
            }
            assert_eq!(directory.get(name.as_bytes()), map.get(&name).copied());
            assert_eq!(directory.len(), map.len());
        }
        let names: Vec<_> = directory.iter().map(|entry| (entry.name.to_string(), entry.inode)).collect();
        assert_eq!(names, map.into_iter().collect::<Vec<_>>());
    }

    #[test]
    fn a_clone_shares_all_runs_but_the_changed_one() {
        let mut before = Directory::new(1, Text::EMPTY);
        for n in 0..1000 {
            before.insert(Text::from(format!("{n:04}")), n);
        }
        let mut after = before.clone();
        after.remove(b"0500");
        let (old, new) = before.unshared(&after);
        assert!(old.len() <= RUN && new.len() < RUN, "{} {}", old.len(), new.len());
        assert_eq!(before.get(b"0500"), Some(500));
        assert_eq!(after.get(b"0500"), None);
    }
}
