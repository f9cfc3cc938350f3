//! [`Object`]: a JSON object that keeps the order in which its keys were first set.
//!
//! Entries lie in a vector of slots; a removed entry leaves an empty slot, and the slots are packed when half of them
//! are empty. Small objects are searched from the front, larger ones through an ordered index (ordered, not hashed: keys
//! come from untrusted input). The table is shared and copied at the first write by one of several owners.

use super::disposal::{Members, free};
use super::text::Text;
use super::value::Value;
use crate::memory::{BTreeMap, Held, Vec, shared};
use std::ops::Bound;
use std::sync::Arc;

/// Objects with more slots than this get an index.
const INDEX_FROM: usize = 12;

/// A JSON object.
#[derive(Clone, Debug, Default)]
pub(crate) struct Object(Arc<Held<Table>>);

#[derive(Clone, Debug, Default)]
struct Table {
    slots: Vec<Option<(Text, Value)>>,
    live: usize,
    index: Option<BTreeMap<Text, usize>>,
    depth: usize,
}

impl Drop for Table {
    fn drop(&mut self) {
        if !self.slots.is_empty() {
            free(Members::Slots(std::mem::take(&mut self.slots)), self.depth);
        }
        if let Some(index) = self.index.take() {
            free(Members::Index(index), 0);
        }
    }
}

impl Table {
    fn with_capacity(size: usize) -> Self {
        Self { slots: Vec::with_capacity(size), live: 0, index: None, depth: 0 }
    }

    fn find(&self, key: &str) -> Option<usize> {
        match &self.index {
            Some(index) => index.get(key).copied(),
            None => {
                self.slots.iter().position(|slot| matches!(slot, Some((name, _)) if name.as_str() == key))
            }
        }
    }

    fn reindex(&mut self) {
        self.index = (self.slots.len() > INDEX_FROM).then(|| {
            let named = |(at, slot): (usize, &Option<(Text, Value)>)| {
                slot.as_ref().map(|(name, _)| (name.clone(), at))
            };
            self.slots.iter().enumerate().filter_map(named).collect()
        });
    }
}

impl Object {
    /// An empty object with room for `size` entries.
    pub(crate) fn with_capacity(size: usize) -> Self {
        Object(shared(Table::with_capacity(size)))
    }

    /// Number of entries.
    pub(crate) fn len(&self) -> usize {
        self.0.live
    }

    /// How many containers lie inside each other, this one included; an upper bound.
    pub(crate) fn depth(&self) -> usize {
        self.0.depth.saturating_add(1)
    }

    /// The value of `key`.
    pub(crate) fn get(&self, key: &str) -> Option<&Value> {
        let at = self.0.find(key)?;
        self.0.slots.get(at)?.as_ref().map(|(_, value)| value)
    }

    /// Whether this is the only owner, so that a write does not copy.
    pub(crate) fn is_unique(&self) -> bool {
        Arc::strong_count(&self.0) == 1
    }

    /// Whether both share one table.
    pub(crate) fn is_identical(&self, other: &Object) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// The value of `key` for writing; copies a shared table.
    pub(crate) fn get_mut(&mut self, key: &str) -> Option<&mut Value> {
        let at = self.0.find(key)?;
        Arc::make_mut(&mut self.0).slots.get_mut(at)?.as_mut().map(|(_, value)| value)
    }

    /// Sets `key`, at its old place when it is there already.
    pub(crate) fn insert(&mut self, key: Text, value: Value) {
        let table = Arc::make_mut(&mut self.0);
        table.depth = table.depth.max(value.depth());
        if let Some(slot) = table.find(key.as_str()).and_then(|at| table.slots.get_mut(at)) {
            *slot = Some((key, value));
            return;
        }
        let at = table.slots.len();
        if let Some(index) = &mut table.index {
            index.insert(key.clone(), at);
        }
        table.slots.push(Some((key, value)));
        table.live += 1;
        if table.index.is_none() && table.slots.len() > INDEX_FROM {
            table.reindex();
        }
    }

    /// Removes `key`; the order of the others stays.
    pub(crate) fn remove(&mut self, key: &str) {
        let Some(at) = self.0.find(key) else { return };
        let table = Arc::make_mut(&mut self.0);
        if let Some(slot) = table.slots.get_mut(at) {
            *slot = None;
        }
        table.live = table.live.saturating_sub(1);
        if let Some(index) = &mut table.index {
            index.remove(key);
        }
        if table.live < table.slots.len() / 2 {
            table.slots.retain(Option::is_some);
            table.reindex();
        }
    }

    /// What the object holds, to be freed; nothing if it has other owners.
    pub(super) fn into_members(self) -> impl Iterator<Item = Members> {
        let table = Arc::try_unwrap(self.0).ok();
        let parts = table.map(|mut table| (std::mem::take(&mut table.slots), table.index.take()));
        let (slots, index) = parts.unwrap_or_default();
        [Some(Members::Slots(slots)), index.map(Members::Index)].into_iter().flatten()
    }

    /// The entries in the order of insertion.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&Text, &Value)> {
        self.0.slots.iter().flatten().map(|(name, value)| (name, value))
    }

    /// The entry whose key follows `last` in code point order; the first of all without `last`.
    pub(crate) fn entry_after(&self, last: Option<&str>) -> Option<(&Text, &Value)> {
        let Some(index) = &self.0.index else {
            let later = self.iter().filter(|(name, _)| last.is_none_or(|last| name.as_str() > last));
            return later.min_by_key(|(name, _)| name.as_str());
        };
        let start = last.map_or(Bound::Unbounded, Bound::Excluded);
        let (_, at) = index.range::<str, _>((start, Bound::Unbounded)).next()?;
        self.0.slots.get(*at)?.as_ref().map(|(name, value)| (name, value))
    }

    /// The first entry at slot `at` or later, and the slot after it: iteration that survives between calls.
    pub(crate) fn entry_from(&self, at: usize) -> Option<(usize, &Text, &Value)> {
        let rest = self.0.slots.get(at..)?;
        let (skipped, (name, value)) = rest
            .iter()
            .enumerate()
            .find_map(|(skipped, slot)| slot.as_ref().map(|entry| (skipped, entry)))?;
        Some((at + skipped + 1, name, value))
    }

    /// Recomputes the depth from the members, after it was found too large.
    pub(crate) fn exact_depth(&self) -> usize {
        self.iter().map(|(_, value)| value.depth()).max().unwrap_or(0).saturating_add(1)
    }
}

impl FromIterator<(Text, Value)> for Object {
    fn from_iter<I: IntoIterator<Item = (Text, Value)>>(entries: I) -> Self {
        let mut object = Object::default();
        for (key, value) in entries {
            object.insert(key, value);
        }
        object
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::format;

    #[test]
    fn keeps_insertion_order_over_many_changes() {
        let mut object = Object::default();
        for number in 0..100 {
            object.insert(Text::from(format!("k{number}")), Value::number(f64::from(number)));
        }
        for number in 0..90 {
            object.remove(&format!("k{number}"));
        }
        object.insert(Text::from("k1"), Value::Null);
        object.insert(Text::from("k95"), Value::Null);
        let keys: Vec<&str> = object.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(keys, ["k90", "k91", "k92", "k93", "k94", "k95", "k96", "k97", "k98", "k99", "k1"]);
        assert!(matches!(object.get("k95"), Some(Value::Null)));
        assert_eq!(object.len(), 11);
    }
}
