//! A `BTreeMap` and a `BTreeSet` that ask before they grow.

use crate::limit::gauge;
use std::borrow::Borrow;
use std::collections::btree_map::{IntoIter, Iter, IterMut, ValuesMut};
use std::fmt;
use std::ops::{Deref, RangeBounds};

/// See the module. What only reads is reached through the map of `std` behind it.
pub struct BTreeMap<K, V>(std::collections::BTreeMap<K, V>);

impl<K, V> BTreeMap<K, V> {
    /// Bytes for each entry. A node has room for eleven and holds at least five or six of them once there is more than one
    /// node; what is above the leaves adds less than a fifth.
    const ENTRY: usize = (size_of::<K>() + size_of::<V>()) * 9 / 4 + 8;
    /// Bytes of the first node beyond its share in the entries.
    const FIRST: usize = (size_of::<K>() + size_of::<V>()) * 10 + 16;

    fn bytes(&self) -> usize {
        if self.0.is_empty() { 0 } else { self.0.len() * Self::ENTRY + Self::FIRST }
    }

    pub const fn new() -> Self {
        Self(std::collections::BTreeMap::new())
    }

    fn take(&mut self) -> std::collections::BTreeMap<K, V> {
        gauge::release(self.bytes());
        std::mem::take(&mut self.0)
    }

    pub fn iter_mut(&mut self) -> IterMut<'_, K, V> {
        self.0.iter_mut()
    }

    pub fn values_mut(&mut self) -> ValuesMut<'_, K, V> {
        self.0.values_mut()
    }

    pub fn clear(&mut self) {
        self.take();
    }
}

impl<K: Ord + Clone, V: Default> BTreeMap<K, V> {
    /// The value of `key`, the default first where there is none; `None` when there is no room and the run ends.
    pub fn get_or_default(&mut self, key: K) -> Option<&mut V> {
        self.get_or_insert_with(key, V::default)
    }
}

impl<'de, K: Ord + serde::Deserialize<'de>, V: serde::Deserialize<'de>> serde::Deserialize<'de>
    for BTreeMap<K, V>
{
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        std::collections::BTreeMap::deserialize(deserializer).map(|map| map.into_iter().collect())
    }
}

impl<K: Ord, V> BTreeMap<K, V> {
    pub fn insert(&mut self, key: K, value: V) -> Option<V> {
        let (before, bytes) = (self.0.len(), Self::ENTRY + if self.0.is_empty() { Self::FIRST } else { 0 });
        if !gauge::charge(bytes) {
            return None;
        }
        let old = self.0.insert(key, value);
        if self.0.len() == before {
            gauge::release(bytes);
        }
        old
    }

    pub fn get_mut<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<&mut V>
    where
        K: Borrow<Q>,
    {
        self.0.get_mut(key)
    }

    /// The value of `key`, made first where there is none; `None` when there is no room for it and the run ends.
    #[expect(clippy::needless_pass_by_value, reason = "a key to be kept, as in the standard library")]
    pub fn get_or_insert_with(&mut self, key: K, make: impl FnOnce() -> V) -> Option<&mut V>
    where
        K: Clone,
    {
        if !self.0.contains_key(&key) {
            self.insert(key.clone(), make());
        }
        self.0.get_mut(&key)
    }

    pub fn remove<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
    {
        self.shrink(|map| map.remove(key))
    }

    pub fn pop_first(&mut self) -> Option<(K, V)> {
        self.shrink(std::collections::BTreeMap::pop_first)
    }

    pub fn retain(&mut self, keep: impl FnMut(&K, &mut V) -> bool) {
        self.shrink(|map| map.retain(keep));
    }

    pub fn range_mut<R: RangeBounds<K>>(
        &mut self,
        range: R,
    ) -> std::collections::btree_map::RangeMut<'_, K, V> {
        self.0.range_mut(range)
    }

    fn shrink<T>(&mut self, change: impl FnOnce(&mut std::collections::BTreeMap<K, V>) -> T) -> T {
        let before = self.bytes();
        let result = change(&mut self.0);
        gauge::release(before.saturating_sub(self.bytes()));
        result
    }
}

impl<K, V> Drop for BTreeMap<K, V> {
    fn drop(&mut self) {
        gauge::release(self.bytes());
    }
}

impl<K, V> Default for BTreeMap<K, V> {
    fn default() -> Self {
        Self::new()
    }
}

impl<K, V> Deref for BTreeMap<K, V> {
    type Target = std::collections::BTreeMap<K, V>;
    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl<K: Ord + Clone, V: Clone> Clone for BTreeMap<K, V> {
    fn clone(&self) -> Self {
        if gauge::charge(self.bytes()) { Self(self.0.clone()) } else { Self::new() }
    }
}

impl<K: Ord, V> Extend<(K, V)> for BTreeMap<K, V> {
    fn extend<I: IntoIterator<Item = (K, V)>>(&mut self, entries: I) {
        for (key, value) in entries {
            self.insert(key, value);
        }
    }
}

impl<K: Ord, V> FromIterator<(K, V)> for BTreeMap<K, V> {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(entries: I) -> Self {
        let mut map = Self::new();
        map.extend(entries);
        map
    }
}

impl<'a, K, V> IntoIterator for &'a BTreeMap<K, V> {
    type Item = (&'a K, &'a V);
    type IntoIter = Iter<'a, K, V>;
    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}

impl<'a, K, V> IntoIterator for &'a mut BTreeMap<K, V> {
    type Item = (&'a K, &'a mut V);
    type IntoIter = IterMut<'a, K, V>;
    fn into_iter(self) -> Self::IntoIter {
        self.0.iter_mut()
    }
}

impl<K, V> IntoIterator for BTreeMap<K, V> {
    type Item = (K, V);
    type IntoIter = IntoIter<K, V>;
    fn into_iter(mut self) -> Self::IntoIter {
        self.take().into_iter()
    }
}

impl<K: fmt::Debug, V: fmt::Debug> fmt::Debug for BTreeMap<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl<K: PartialEq, V: PartialEq> PartialEq for BTreeMap<K, V> {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

impl<K: Eq, V: Eq> Eq for BTreeMap<K, V> {}

/// See the module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BTreeSet<T: Ord + Clone>(BTreeMap<T, ()>);

impl<T: Ord + Clone> BTreeSet<T> {
    pub const fn new() -> Self {
        Self(BTreeMap::new())
    }

    /// Whether it was added now.
    pub fn insert(&mut self, item: T) -> bool {
        self.0.insert(item, ()).is_none()
    }

    pub fn contains<Q: Ord + ?Sized>(&self, item: &Q) -> bool
    where
        T: Borrow<Q>,
    {
        self.0.contains_key(item)
    }

    pub fn remove<Q: Ord + ?Sized>(&mut self, item: &Q) -> bool
    where
        T: Borrow<Q>,
    {
        self.0.remove(item).is_some()
    }

    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &T> {
        self.0.keys()
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<T: Ord + Clone> Default for BTreeSet<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: Ord + Clone> Extend<T> for BTreeSet<T> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, items: I) {
        for item in items {
            self.insert(item);
        }
    }
}

impl<T: Ord + Clone> FromIterator<T> for BTreeSet<T> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        let mut set = Self::new();
        set.extend(items);
        set
    }
}

impl<K: Ord, V, const N: usize> From<[(K, V); N]> for BTreeMap<K, V> {
    fn from(entries: [(K, V); N]) -> Self {
        entries.into_iter().collect()
    }
}
