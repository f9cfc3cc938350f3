//! The entries of one directory: a sorted map from name to inode id.
//!
//! Entries lie in sorted runs of at most 32, each behind an `Arc`. A write to a directory that a snapshot shares copies the
//! list of runs and one run, not all entries; inserting `n` names in any order takes O(n log n). (A `BTreeMap` behind one
//! `Arc` would copy every entry at the first write after each snapshot.)

use super::stored::{Name, SHARED_VEC, StoredVec, share};
use std::sync::Arc;

const RUN: usize = 32;
/// Room is given back when it is this many times what is needed.
const SPARSE: usize = 4;

/// See the module.
#[derive(Clone, Debug)]
pub(super) struct Directory {
    /// The inode id of the directory that holds this one; its own for a root.
    pub(super) parent: u64,
    /// The name of this directory in its parent; empty for a root.
    pub(super) name: Name,
    runs: StoredVec<Arc<StoredVec<Entry>>>,
    len: usize,
    /// Bytes of the heap that the runs and the names in them take.
    held: usize,
}

#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) name: Name,
    pub(super) inode: u64,
}

/// Bytes of the heap that a run takes, its names apart.
fn run_memory(run: &StoredVec<Entry>) -> usize {
    SHARED_VEC + run.capacity() * size_of::<Entry>()
}

impl Directory {
    pub(super) const fn new(parent: u64, name: Name) -> Self {
        Self { parent, name, runs: StoredVec::new(), len: 0, held: 0 }
    }

    /// Bytes of the heap that it takes in a box.
    pub(super) const fn memory(&self) -> usize {
        size_of::<Self>() + self.runs.capacity() * size_of::<Arc<StoredVec<Entry>>>() + self.held
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
    pub(super) fn insert(&mut self, name: Name, inode: u64) {
        let (at, runs, heap) = (self.run_of(&name), self.runs.len(), name.memory());
        let Some(run) = self.runs.get_mut(at) else {
            self.push_run(Entry { name, inode });
            return;
        };
        let before = run_memory(run);
        let run = Arc::make_mut(run);
        let mut split = None;
        match run.binary_search_by(|entry| entry.name.as_bytes().cmp(&name)) {
            Ok(found) => {
                if let Some(entry) = run.get_mut(found) {
                    entry.inode = inode;
                }
                self.held = self.held + run_memory(run) - before;
                return;
            }
            Err(position) if run.len() < RUN => run.insert(position, Entry { name, inode }),
            // Names often come in order: a full last run is left full.
            Err(position) if position == RUN && at + 1 == runs => {
                self.held = self.held + run_memory(run) - before;
                self.push_run(Entry { name, inode });
                return;
            }
            Err(position) => {
                let mut upper = run.split_off(RUN / 2);
                match position.checked_sub(RUN / 2) {
                    Some(position) => upper.insert(position, Entry { name, inode }),
                    None => run.insert(position, Entry { name, inode }),
                }
                split = Some(upper);
            }
        }
        self.held = self.held + run_memory(run) + heap - before;
        if let Some(upper) = split {
            self.held += run_memory(&upper);
            self.runs.insert(at + 1, share(upper));
        }
        self.len += 1;
    }

    /// Adds an entry as the last run.
    fn push_run(&mut self, entry: Entry) {
        self.held += entry.name.memory();
        let run = StoredVec::from([entry]);
        self.held += run_memory(&run);
        self.runs.push(share(run));
        self.len += 1;
    }

    pub(super) fn remove(&mut self, name: &[u8]) -> Option<u64> {
        let at = self.run_of(name);
        let run = self.runs.get_mut(at)?;
        let position = run.binary_search_by(|entry| entry.name.as_bytes().cmp(name)).ok()?;
        let before = run_memory(run);
        let run = Arc::make_mut(run);
        let removed = run.remove(position);
        if run.is_empty() {
            self.runs.remove(at);
            self.held -= before;
            if self.runs.capacity() >= SPARSE * self.runs.len().max(2) {
                self.runs.shrink_to(2 * self.runs.len());
            }
        } else {
            if run.capacity() >= SPARSE * run.len().max(2) {
                run.shrink_to(2 * run.len());
            }
            self.held = self.held + run_memory(run) - before;
        }
        self.held -= removed.name.memory();
        self.len -= 1;
        Some(removed.inode)
    }

    /// The entries in the order of their bytes.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Entry> {
        self.runs.iter().flat_map(|run| run.iter())
    }

    /// The entries that may differ between two directories: of both, the runs that are not shared.
    pub(super) fn unshared<'a>(&'a self, other: &'a Self) -> (StoredVec<&'a Entry>, StoredVec<&'a Entry>) {
        let ours: rustc_hash::FxHashSet<_> = self.runs.iter().map(Arc::as_ptr).collect();
        let theirs: rustc_hash::FxHashSet<_> = other.runs.iter().map(Arc::as_ptr).collect();
        let pick = |runs: &'a [Arc<StoredVec<Entry>>],
                    shared: &rustc_hash::FxHashSet<*const StoredVec<Entry>>| {
            runs.iter().filter(|run| !shared.contains(&Arc::as_ptr(run))).flat_map(|run| run.iter()).collect()
        };
        (pick(&self.runs, &theirs), pick(&other.runs, &ours))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    /// What [`Directory::held`] must be.
    fn counted(directory: &Directory) -> usize {
        let runs: usize = directory.runs.iter().map(|run| run_memory(run)).sum();
        runs + directory.iter().map(|entry| entry.name.memory()).sum::<usize>()
    }

    #[test]
    fn agrees_with_a_map() {
        let mut directory = Directory::new(1, Name::EMPTY);
        let mut map = BTreeMap::new();
        let mut state = 7_u64;
        for step in 0..20_000_u64 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let name = format!(
                "{}{}",
                if state >> 58 & 1 == 0 { "n" } else { "a name that is not short " },
                (state >> 33) % 700
            );
            if state >> 60 < 6 {
                assert_eq!(directory.remove(name.as_bytes()), map.remove(&name));
            } else {
                directory.insert(Name::from(name.as_bytes()), step);
                map.insert(name.clone(), step);
            }
            assert_eq!(directory.get(name.as_bytes()), map.get(&name).copied());
            assert_eq!(directory.len(), map.len());
            assert_eq!(directory.held, counted(&directory));
        }
        let names: Vec<_> = directory
            .iter()
            .map(|entry| (String::from_utf8_lossy(&entry.name).into_owned(), entry.inode))
            .collect();
        assert_eq!(names, map.into_iter().collect::<Vec<_>>());
    }

    #[test]
    fn a_clone_shares_all_runs_but_the_changed_one() {
        let mut before = Directory::new(1, Name::EMPTY);
        for n in 0..1000 {
            before.insert(Name::from(format!("{n:04}").as_bytes()), n);
        }
        let mut after = before.clone();
        after.remove(b"0500");
        let (old, new) = before.unshared(&after);
        assert!(old.len() <= RUN && new.len() < RUN, "{} {}", old.len(), new.len());
        assert_eq!(before.get(b"0500"), Some(500));
        assert_eq!(after.get(b"0500"), None);
    }
}
