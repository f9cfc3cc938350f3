//! The inode table: a persistent radix vector from inode id to inode.
//!
//! Nodes are in `Arc`s and copied at the first write while shared, so that cloning a table copies one pointer, and a write
//! after that copies one node per level. Nothing in it is deeper than its height, which is at most 13: dropping or walking
//! a table is bounded whatever tree it holds.
//!
//! A table knows what its inodes and nodes come to ([`Table::usage`]): they are added where they are put in, taken off where
//! they are taken out, and an inode that is changed is weighed again when the change is over ([`InodeMut`]). Nobody else
//! keeps that account, so nothing can be left out of it.

use super::inode::Inode;
use super::location::ID_BITS;
use super::options::FsUsage;
use super::stored::share;
use crate::limit::{gauge, worker};
use std::ops::{Deref, DerefMut};
use std::sync::{Arc, LazyLock};

/// Bytes of a table that is dropped where it is. To drop a larger one can take milliseconds, and who drops a session, a snapshot
/// or a fork may be an executor: that is done on a thread of the crate.
const DROPPED_AT_ONCE: u64 = 1 << 20;

/// What stands in a table that has been given away.
static NOTHING: LazyLock<Arc<Node>> = LazyLock::new(|| share(Node::empty(0)));

const BITS: u32 = 5;
const WIDTH: usize = 1 << BITS;

/// Takes an id and the inodes that two tables have for it.
pub(super) type Visit<'a> = dyn FnMut(u64, Option<&Inode>, Option<&Inode>) + 'a;

/// See the module.
#[derive(Clone, Debug)]
pub(super) struct Table {
    root: Arc<Node>,
    height: u32,
    account: Account,
}

impl Drop for Table {
    fn drop(&mut self) {
        if self.account.used.memory >= DROPPED_AT_ONCE && Arc::strong_count(&self.root) == 1 {
            worker::discard(std::mem::replace(&mut self.root, Arc::clone(&NOTHING)));
        }
    }
}

/// What the inodes of a table come to, with the nodes in memory.
#[derive(Clone, Copy, Debug)]
struct Account {
    used: FsUsage,
    /// The most memory since somebody asked.
    peak: u64,
    /// Files of [`LARGE`] bytes or more.
    large: u64,
}

/// Bytes of a file from which on a run works at a thread of the crate: a step that reads such a file at once takes long.
const LARGE: u64 = 1 << 20;

impl Account {
    /// Puts `after` in the place of `before`. What is taken off was added before, so nothing wraps in the end.
    #[inline]
    fn exchange(&mut self, before: FsUsage, after: FsUsage) {
        let used = &mut self.used;
        used.files = used.files.wrapping_add(after.files).wrapping_sub(before.files);
        used.bytes = used.bytes.wrapping_add(after.bytes).wrapping_sub(before.bytes);
        used.memory = used.memory.wrapping_add(after.memory).wrapping_sub(before.memory);
        self.peak = self.peak.max(used.memory);
        let (was_large, is_large) = (before.bytes >= LARGE, after.bytes >= LARGE);
        if was_large != is_large {
            self.change_large(is_large);
        }
    }

    #[cold]
    fn change_large(&mut self, more: bool) {
        if more {
            self.large += 1;
            gauge::note_large_file();
        } else {
            self.large = self.large.saturating_sub(1);
        }
    }
}

/// Bytes of the heap that a node takes, with the counters of its `Arc`.
const NODE: u64 = size_of::<Node>() as u64 + 16;

/// An inode that is changed; afterwards the table knows what it has become.
#[derive(Debug)]
pub(super) struct InodeMut<'a> {
    inode: &'a mut Inode,
    before: FsUsage,
    account: &'a mut Account,
}

impl Deref for InodeMut<'_> {
    type Target = Inode;
    fn deref(&self) -> &Inode {
        self.inode
    }
}

impl DerefMut for InodeMut<'_> {
    fn deref_mut(&mut self) -> &mut Inode {
        self.inode
    }
}

impl Drop for InodeMut<'_> {
    #[inline]
    fn drop(&mut self) {
        self.account.exchange(self.before, self.inode.usage());
    }
}

#[derive(Clone, Debug)]
enum Node {
    Inner([Option<Arc<Node>>; WIDTH]),
    Leaf([Option<Arc<Inode>>; WIDTH]),
}

/// The first id that lies in another leaf than those before `id`.
pub(super) const fn next_leaf(id: u64) -> u64 {
    id.next_multiple_of(WIDTH as u64)
}

const fn index(id: u64, shift: u32) -> usize {
    (id >> shift) as usize & (WIDTH - 1)
}

impl Node {
    const fn empty(shift: u32) -> Self {
        if shift == 0 { Self::Leaf([const { None }; WIDTH]) } else { Self::Inner([const { None }; WIDTH]) }
    }

    fn is_empty(&self) -> bool {
        match self {
            Self::Inner(children) => children.iter().all(Option::is_none),
            Self::Leaf(inodes) => inodes.iter().all(Option::is_none),
        }
    }
}

impl Table {
    pub(super) fn new() -> Self {
        let used = FsUsage { memory: NODE, ..FsUsage::default() };
        Self { root: share(Node::empty(0)), height: 1, account: Account { used, peak: NODE, large: 0 } }
    }

    /// What its inodes come to, with its nodes in memory.
    pub(super) const fn usage(&self) -> FsUsage {
        self.account.used
    }

    /// Whether it has a file that takes long to read at once.
    pub(super) const fn has_large_file(&self) -> bool {
        self.account.large > 0
    }

    const fn holds(&self, id: u64) -> bool {
        id >> (BITS * self.height) == 0
    }

    pub(super) fn get(&self, id: u64) -> Option<&Inode> {
        self.get_shared(id).map(AsRef::as_ref)
    }

    /// The inode as it is held, to share it with another table.
    pub(super) fn get_shared(&self, id: u64) -> Option<&Arc<Inode>> {
        if !self.holds(id) {
            return None;
        }
        let (mut node, mut shift) = (self.root.as_ref(), BITS * (self.height - 1));
        loop {
            match node {
                Node::Inner(children) => node = children.get(index(id, shift))?.as_deref()?,
                Node::Leaf(inodes) => return inodes.get(index(id, shift))?.as_ref(),
            }
            shift = shift.saturating_sub(BITS);
        }
    }

    pub(super) fn get_mut(&mut self, id: u64) -> Option<InodeMut<'_>> {
        if !self.holds(id) {
            return None;
        }
        let (mut node, mut shift) = (Arc::make_mut(&mut self.root), BITS * (self.height - 1));
        loop {
            match node {
                Node::Inner(children) => {
                    node = Arc::make_mut(children.get_mut(index(id, shift))?.as_mut()?);
                }
                Node::Leaf(inodes) => {
                    let inode = Arc::make_mut(inodes.get_mut(index(id, shift))?.as_mut()?);
                    let before = inode.usage();
                    return Some(InodeMut { inode, before, account: &mut self.account });
                }
            }
            shift = shift.saturating_sub(BITS);
        }
    }

    pub(super) fn insert(&mut self, id: u64, inode: Arc<Inode>) {
        debug_assert!(id >> ID_BITS == 0, "inode id out of range");
        while !self.holds(id) {
            self.raise();
        }
        let (mut node, mut shift) = (Arc::make_mut(&mut self.root), BITS * (self.height - 1));
        loop {
            match node {
                Node::Inner(children) => {
                    let Some(child) = children.get_mut(index(id, shift)) else { return };
                    shift = shift.saturating_sub(BITS);
                    let used = &mut self.account.used;
                    node = Arc::make_mut(child.get_or_insert_with(|| {
                        used.memory += NODE;
                        share(Node::empty(shift))
                    }));
                }
                Node::Leaf(inodes) => {
                    if let Some(slot) = inodes.get_mut(index(id, shift)) {
                        let after = inode.usage();
                        let before = slot.replace(inode).map_or_else(FsUsage::default, |old| old.usage());
                        self.account.exchange(before, after);
                    }
                    return;
                }
            }
        }
    }

    /// Takes an inode out; nodes that become empty go with it.
    pub(super) fn remove(&mut self, id: u64) -> Option<Arc<Inode>> {
        self.get(id)?;
        let removed = remove_in(
            Arc::make_mut(&mut self.root),
            BITS * (self.height - 1),
            id,
            &mut self.account.used.memory,
        )?;
        self.account.exchange(removed.usage(), FsUsage::default());
        Some(removed)
    }

    /// One level more; the ids stay.
    fn raise(&mut self) {
        let mut children = [const { None }; WIDTH];
        if let Some(first) = children.first_mut()
            && !self.root.is_empty()
        {
            *first = Some(Arc::clone(&self.root));
            self.account.used.memory += NODE;
        }
        self.root = share(Node::Inner(children));
        self.height += 1;
    }

    /// The most memory since the last call.
    pub(super) fn take_peak(&mut self) -> u64 {
        let Account { used, peak, .. } = &mut self.account;
        std::mem::replace(peak, used.memory)
    }

    /// Calls `visit` with each inode in ascending order of ids.
    #[cfg(test)]
    pub(super) fn for_each(&self, mut visit: impl FnMut(u64, &Inode)) {
        Self::differences(&Self::new(), self, &mut |id, _, inode| {
            if let Some(inode) = inode {
                visit(id, inode);
            }
        });
    }

    /// Calls `visit` with the ids whose inodes are not the same object in both tables. Subtrees that the tables share are
    /// skipped.
    pub(super) fn differences(before: &Self, after: &Self, visit: &mut Visit<'_>) {
        let (mut before, mut after) = (before.clone(), after.clone());
        while before.height < after.height {
            before.raise();
        }
        while after.height < before.height {
            after.raise();
        }
        let shift = BITS * (before.height - 1);
        differences_in(Some(&before.root), Some(&after.root), shift, 0, visit);
    }
}

/// Recursion as deep as the table is high.
fn remove_in(node: &mut Node, shift: u32, id: u64, memory: &mut u64) -> Option<Arc<Inode>> {
    match node {
        Node::Inner(children) => {
            let slot = children.get_mut(index(id, shift))?;
            let child = Arc::make_mut(slot.as_mut()?);
            let removed = remove_in(child, shift.saturating_sub(BITS), id, memory);
            if child.is_empty() {
                *slot = None;
                *memory = memory.saturating_sub(NODE);
            }
            removed
        }
        Node::Leaf(inodes) => inodes.get_mut(index(id, shift))?.take(),
    }
}

/// Recursion as deep as the table is high.
fn differences_in(
    before: Option<&Arc<Node>>,
    after: Option<&Arc<Node>>,
    shift: u32,
    prefix: u64,
    visit: &mut Visit<'_>,
) {
    if before.map(Arc::as_ptr) == after.map(Arc::as_ptr) {
        return;
    }
    for slot in 0..WIDTH {
        let id = prefix | (slot as u64) << shift;
        if shift == 0 {
            let (old, new) = (leaf(before, slot), leaf(after, slot));
            if old.map(Arc::as_ptr) != new.map(Arc::as_ptr) {
                visit(id, old.map(AsRef::as_ref), new.map(AsRef::as_ref));
            }
        } else {
            differences_in(inner(before, slot), inner(after, slot), shift.saturating_sub(BITS), id, visit);
        }
    }
}

fn leaf(node: Option<&Arc<Node>>, slot: usize) -> Option<&Arc<Inode>> {
    match node.map(AsRef::as_ref) {
        Some(Node::Leaf(inodes)) => inodes.get(slot)?.as_ref(),
        _ => None,
    }
}

fn inner(node: Option<&Arc<Node>>, slot: usize) -> Option<&Arc<Node>> {
    match node.map(AsRef::as_ref) {
        Some(Node::Inner(children)) => children.get(slot)?.as_ref(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vfs::inode::Body;

    fn fifo(mode: u16) -> Arc<Inode> {
        Arc::new(Inode::new(Body::Fifo, mode, 0, 0, 0, 1))
    }

    #[test]
    fn a_clone_does_not_see_later_writes() {
        let mut table = Table::new();
        for id in [1, 31, 32, 40_000] {
            table.insert(id, fifo(0o600));
        }
        let before = table.clone();
        table.get_mut(31).unwrap().mode = 0o644;
        table.remove(40_000);
        table.insert(2_000_000, fifo(0o600));
        assert_eq!((before.get(31).unwrap().mode, before.get(40_000).is_some()), (0o600, true));
        assert_eq!((table.get(31).unwrap().mode, table.get(40_000).is_some()), (0o644, false));
        let mut seen = Vec::new();
        Table::differences(&before, &table, &mut |id, old, new| {
            seen.push((id, old.is_some(), new.is_some()));
        });
        assert_eq!(seen, [(31, true, true), (40_000, true, false), (2_000_000, false, true)]);
        let mut ids = Vec::new();
        table.for_each(|id, _| ids.push(id));
        assert_eq!(ids, [1, 31, 32, 2_000_000]);
    }

    #[test]
    fn nodes_that_become_empty_are_dropped() {
        let mut table = Table::new();
        for id in 1..10_000 {
            table.insert(id, fifo(0o600));
            assert!(table.remove(id).is_some());
            assert!(table.remove(id).is_none());
        }
        assert!(table.root.is_empty());
    }
}
