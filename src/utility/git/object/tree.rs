//! Trees: entries of a mode, a name and an object, in git's order.

use super::id::ObjectId;
use crate::memory::Vec;
use crate::text::Text;
use std::cmp::Ordering;

/// File types of a mode.
pub(crate) const TREE: u32 = 0o040_000;
pub(crate) const REGULAR: u32 = 0o100_644;
pub(crate) const EXECUTABLE: u32 = 0o100_755;
pub(crate) const LINK: u32 = 0o120_000;
pub(crate) const SUBMODULE: u32 = 0o160_000;

/// An entry of a tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TreeEntry {
    pub(crate) mode: u32,
    pub(crate) name: Text,
    pub(crate) id: ObjectId,
}

impl TreeEntry {
    pub(crate) const fn is_tree(&self) -> bool {
        self.mode & 0o170_000 == TREE
    }
}

/// The entries of a tree; `None` where it is damaged.
pub(crate) fn parse(bytes: &[u8]) -> Option<Vec<TreeEntry>> {
    let mut entries = Vec::new();
    let mut rest = bytes;
    while !rest.is_empty() {
        let space = memchr::memchr(b' ', rest.get(..8.min(rest.len()))?)?;
        let mut mode = 0;
        for &byte in rest.get(..space)? {
            mode = mode << 3 | u32::from(byte.checked_sub(b'0').filter(|digit| *digit < 8)?);
        }
        // Old trees have modes of groups.
        if mode & 0o170_000 == 0o100_000 {
            mode = if mode & 0o100 != 0 { EXECUTABLE } else { REGULAR };
        }
        rest = rest.get(space + 1..)?;
        let end = memchr::memchr(0, rest)?;
        let name = rest.get(..end).filter(|name| !name.is_empty())?;
        let id = ObjectId::from_bytes(rest.get(end + 1..end + 21)?)?;
        entries.push(TreeEntry { mode, name: Text::from(name), id });
        rest = rest.get(end + 21..)?;
    }
    Some(entries)
}

/// Git's order of names in a tree: that of a folder ends with a slash.
pub(crate) fn compare_names(one: &[u8], one_is_tree: bool, other: &[u8], other_is_tree: bool) -> Ordering {
    let shared = one.len().min(other.len());
    let order = one.get(..shared).cmp(&other.get(..shared));
    if order.is_ne() {
        return order;
    }
    let next =
        |name: &[u8], is_tree: bool| name.get(shared).copied().unwrap_or(if is_tree { b'/' } else { 0 });
    next(one, one_is_tree).cmp(&next(other, other_is_tree))
}

/// The bytes of a tree with these entries, which are in order.
pub(crate) fn write(entries: &[TreeEntry]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for entry in entries {
        bytes.extend_from_slice(crate::memory::format!("{:o} ", entry.mode).as_bytes());
        bytes.extend_from_slice(&entry.name);
        bytes.push(0);
        bytes.extend_from_slice(&entry.id.0);
    }
    bytes
}
