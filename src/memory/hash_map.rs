//! A `HashMap` and a `HashSet` that ask before they grow.

use crate::limit::gauge;
use rustc_hash::FxBuildHasher;
use std::borrow::Borrow;
use std::collections::hash_map::{Entry, IntoIter, Iter, IterMut, ValuesMut};
use std::fmt;
use std::hash::{BuildHasher, Hash};
use std::ops::Deref;

/// See the module. Its table is charged. What only reads is reached through the map of `std` behind it.
pub struct HashMap<K, V, S = FxBuildHasher> {
    map: std::collections::HashMap<K, V, S>,
    charged: usize,
}

/// Bytes of a table with room for `capacity` entries: a power of two of buckets, an eighth of which stays empty, each with
/// a byte of control.
const fn table_bytes(capacity: usize, entry: usize) -> usize {
    let buckets = match capacity {
        0 => return 0,
        1..=3 => 4,
        4..=7 => 8,
        _ => (capacity.saturating_mul(8) / 7).next_power_of_two(),
    };
    buckets.saturating_mul(entry + 1).saturating_add(16)
}

impl<K, V> HashMap<K, V> {
    pub fn new() -> Self {
        Self::default()
    }
}

impl<K, V, S> HashMap<K, V, S> {
    /// The map of `std` within, which is no longer charged.
    fn take(&mut self) -> std::collections::HashMap<K, V, S>
    where
        S: Default,
    {
        gauge::release(std::mem::take(&mut self.charged));
        std::mem::take(&mut self.map)
    }

    pub fn iter_mut(&mut self) -> IterMut<'_, K, V> {
        self.map.iter_mut()
    }

    pub fn values_mut(&mut self) -> ValuesMut<'_, K, V> {
        self.map.values_mut()
    }

    pub fn clear(&mut self) {
        self.map.clear();
    }

    pub fn retain(&mut self, keep: impl FnMut(&K, &mut V) -> bool) {
        self.map.retain(keep);
    }

    pub fn drain(&mut self) -> std::collections::hash_map::Drain<'_, K, V> {
        self.map.drain()
    }
}

impl<K: Eq + Hash, V, S: BuildHasher> HashMap<K, V, S> {
    /// Makes room for `more` entries; whether there is room now.
    pub fn make_room(&mut self, more: usize) -> bool {
        let needed = self.map.len().saturating_add(more);
        if needed <= self.map.capacity() {
            return true;
        }
        let capacity = self.map.capacity().saturating_mul(2).max(needed);
        // The old table lives until its entries have moved.
        let bytes = table_bytes(capacity, size_of::<(K, V)>());
        if !gauge::charge(bytes) {
            return false;
        }
        if self.map.try_reserve(capacity - self.map.len()).is_err() {
            gauge::release(bytes);
            gauge::refuse(crate::limit::Limit::LiveBytes);
            return false;
        }
        gauge::release(std::mem::replace(&mut self.charged, bytes));
        true
    }

    pub fn insert(&mut self, key: K, value: V) -> Option<V> {
        if self.make_room(1) { self.map.insert(key, value) } else { None }
    }

    /// The value of `key`, the default first where there is none; `None` when there is no room and the run ends.
    pub fn get_or_default(&mut self, key: K) -> Option<&mut V>
    where
        V: Default,
    {
        self.make_room(1).then(|| self.map.entry(key).or_default())
    }

    /// The entry of `key`; `None` when there is no room for a new one and the run ends.
    pub fn entry(&mut self, key: K) -> Option<Entry<'_, K, V>> {
        self.make_room(1).then(|| self.map.entry(key))
    }

    pub fn get_mut<Q: Hash + Eq + ?Sized>(&mut self, key: &Q) -> Option<&mut V>
    where
        K: Borrow<Q>,
    {
        self.map.get_mut(key)
    }

    pub fn remove<Q: Hash + Eq + ?Sized>(&mut self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
    {
        self.map.remove(key)
    }

    pub fn remove_entry<Q: Hash + Eq + ?Sized>(&mut self, key: &Q) -> Option<(K, V)>
    where
        K: Borrow<Q>,
    {
        self.map.remove_entry(key)
    }
}

impl<K, V, S> Drop for HashMap<K, V, S> {
    fn drop(&mut self) {
        gauge::release(self.charged);
    }
}

impl<K, V, S: Default> Default for HashMap<K, V, S> {
    fn default() -> Self {
        Self { map: std::collections::HashMap::default(), charged: 0 }
    }
}

impl<K, V, S> Deref for HashMap<K, V, S> {
    type Target = std::collections::HashMap<K, V, S>;
    fn deref(&self) -> &Self::Target {
        &self.map
    }
}

impl<K: Clone + Eq + Hash, V: Clone, S: BuildHasher + Default> Clone for HashMap<K, V, S> {
    fn clone(&self) -> Self {
        self.map.iter().map(|(key, value)| (key.clone(), value.clone())).collect()
    }
}

impl<K: Eq + Hash, V, S: BuildHasher> Extend<(K, V)> for HashMap<K, V, S> {
    fn extend<I: IntoIterator<Item = (K, V)>>(&mut self, entries: I) {
        let entries = entries.into_iter();
        self.make_room(entries.size_hint().0.min(1024));
        for (key, value) in entries {
            self.insert(key, value);
        }
    }
}

impl<K: Eq + Hash, V, S: BuildHasher + Default> FromIterator<(K, V)> for HashMap<K, V, S> {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(entries: I) -> Self {
        let mut map = Self::default();
        map.extend(entries);
        map
    }
}

impl<'a, K, V, S> IntoIterator for &'a HashMap<K, V, S> {
    type Item = (&'a K, &'a V);
    type IntoIter = Iter<'a, K, V>;
    fn into_iter(self) -> Self::IntoIter {
        self.map.iter()
    }
}

impl<'a, K, V, S> IntoIterator for &'a mut HashMap<K, V, S> {
    type Item = (&'a K, &'a mut V);
    type IntoIter = IterMut<'a, K, V>;
    fn into_iter(self) -> Self::IntoIter {
        self.map.iter_mut()
    }
}

impl<K, V, S: Default> IntoIterator for HashMap<K, V, S> {
    type Item = (K, V);
    type IntoIter = IntoIter<K, V>;
    fn into_iter(mut self) -> Self::IntoIter {
        self.take().into_iter()
    }
}

impl<K: fmt::Debug, V: fmt::Debug, S> fmt::Debug for HashMap<K, V, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.map.fmt(f)
    }
}

impl<K: Eq + Hash, V: PartialEq, S: BuildHasher> PartialEq for HashMap<K, V, S> {
    fn eq(&self, other: &Self) -> bool {
        self.map == other.map
    }
}

impl<K: Eq + Hash, V: Eq, S: BuildHasher> Eq for HashMap<K, V, S> {}

/// See the module.
#[derive(Clone, Debug, PartialEq)]
pub struct HashSet<T: Eq + Hash>(HashMap<T, ()>);

impl<T: Eq + Hash> HashSet<T> {
    /// Whether it was added now.
    pub fn insert(&mut self, item: T) -> bool {
        self.0.insert(item, ()).is_none()
    }

    pub fn contains<Q: Hash + Eq + ?Sized>(&self, item: &Q) -> bool
    where
        T: Borrow<Q>,
    {
        self.0.contains_key(item)
    }

    pub fn remove<Q: Hash + Eq + ?Sized>(&mut self, item: &Q) -> bool
    where
        T: Borrow<Q>,
    {
        self.0.remove(item).is_some()
    }

    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.0.keys()
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn clear(&mut self) {
        self.0.clear();
    }
}

impl<T: Eq + Hash> Default for HashSet<T> {
    fn default() -> Self {
        Self(HashMap::default())
    }
}

impl<T: Eq + Hash> Extend<T> for HashSet<T> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, items: I) {
        self.0.extend(items.into_iter().map(|item| (item, ())));
    }
}

impl<T: Eq + Hash> FromIterator<T> for HashSet<T> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        let mut set = Self::default();
        set.extend(items);
        set
    }
}
