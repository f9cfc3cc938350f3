//! Indexed and associative arrays.

use crate::limit::gauge;
use crate::memory::{BTreeMap, HashMap, Vec};
use crate::text::Text;

/// Uses fuel for a key that is hashed and compared.
fn spend_for(key: &[u8]) {
    gauge::spend_bytes(key.len().saturating_mul(HASHED_FOR_COPIED));
}

/// Hashing a byte takes as long as copying so many.
const HASHED_FOR_COPIED: usize = 4;
/// How far past its end an array may grow and stay dense.
const MAX_GAP: u64 = 1024;

/// A sparse indexed array. Elements near the start live in a vector, far ones in a tree; every index of the tree is
/// larger than every one of the vector.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Array {
    dense: Vec<Option<Text>>,
    sparse: BTreeMap<u64, Text>,
    count: usize,
}

impl Array {
    pub(crate) fn get(&self, index: u64) -> Option<&Text> {
        match usize::try_from(index).ok().and_then(|index| self.dense.get(index)) {
            Some(element) => element.as_ref(),
            None => self.sparse.get(&index),
        }
    }

    pub(crate) fn set(&mut self, index: u64, value: Text) {
        let length = self.dense.len() as u64;
        let before = if index < length || (index <= length + MAX_GAP && self.sparse.is_empty()) {
            let index = index as usize;
            if index >= self.dense.len() {
                self.dense.resize(index + 1, None);
            }
            self.dense.get_mut(index).and_then(|slot| slot.replace(value))
        } else {
            self.sparse.insert(index, value)
        };
        if before.is_none() {
            self.count += 1;
        }
    }

    pub(crate) fn push(&mut self, value: Text) {
        let next = self.end();
        self.set(next, value);
    }

    pub(crate) fn remove(&mut self, index: u64) -> Option<Text> {
        let removed = match usize::try_from(index).ok().and_then(|index| self.dense.get_mut(index)) {
            Some(element) => element.take(),
            None => self.sparse.remove(&index),
        };
        if removed.is_some() {
            self.count = self.count.saturating_sub(1);
            while self.dense.last().is_some_and(Option::is_none) {
                self.dense.pop();
            }
        }
        removed
    }

    /// One past the largest index.
    pub(crate) fn end(&self) -> u64 {
        match self.sparse.last_key_value() {
            Some((&last, _)) => last.saturating_add(1),
            None => self.dense.len() as u64,
        }
    }

    /// Elements that are set.
    pub(crate) fn len(&self) -> usize {
        self.count
    }

    /// Indices and elements in order.
    pub(crate) fn iter(&self) -> impl DoubleEndedIterator<Item = (u64, &Text)> {
        let dense = self
            .dense
            .iter()
            .enumerate()
            .filter_map(|(index, element)| Some((index as u64, element.as_ref()?)));
        dense.chain(self.sparse.iter().map(|(&index, element)| (index, element)))
    }

    /// The first element that is set from an index on.
    pub(crate) fn first_from(&self, index: u64) -> Option<(u64, &Text)> {
        let start = usize::try_from(index).unwrap_or(usize::MAX);
        let mut dense = self.dense.get(start..).unwrap_or(&[]).iter().zip(index..);
        dense
            .find_map(|(element, index)| Some((index, element.as_ref()?)))
            .or_else(|| self.sparse.range(index..).next().map(|(&index, element)| (index, element)))
    }
}

impl FromIterator<Text> for Array {
    fn from_iter<I: IntoIterator<Item = Text>>(elements: I) -> Self {
        let dense: Vec<Option<Text>> = elements.into_iter().map(Some).collect();
        Self { count: dense.len(), dense, sparse: BTreeMap::new() }
    }
}

/// An associative array. It is walked in bash's order: by bucket of bash's hash (FNV-1, 32 bits) of the key, the newest
/// first within a bucket.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Assoc {
    entries: HashMap<Text, (u64, Text)>,
    next: u64,
}

/// Buckets that bash starts an associative array with.
const BUCKETS: usize = 1024;

impl Assoc {
    pub(crate) fn get(&self, key: &[u8]) -> Option<&Text> {
        spend_for(key);
        self.entries.get(key).map(|(_, value)| value)
    }

    pub(crate) fn set(&mut self, key: Text, value: Text) {
        spend_for(&key);
        match self.entries.get_mut(&key) {
            Some(entry) => entry.1 = value,
            None => {
                self.entries.insert(key, (self.next, value));
                self.next += 1;
            }
        }
    }

    pub(crate) fn remove(&mut self, key: &[u8]) -> Option<Text> {
        spend_for(key);
        self.entries.remove(key).map(|(_, value)| value)
    }

    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Keys and values in bash's order.
    pub(crate) fn sorted(&self) -> Vec<(&Text, &Text)> {
        let buckets = self.buckets();
        let mut entries: Vec<_> = self
            .entries
            .iter()
            .map(|(key, (order, value))| {
                (fnv1(key) as usize & (buckets - 1), std::cmp::Reverse(*order), key, value)
            })
            .collect();
        entries.sort_unstable_by_key(|&(bucket, order, ..)| (bucket, order));
        entries.into_iter().map(|(_, _, key, value)| (key, value)).collect()
    }

    /// Bash makes four times as many buckets once there are twice as many entries as buckets.
    fn buckets(&self) -> usize {
        let mut buckets = BUCKETS;
        while self.next as usize > buckets * 2 {
            buckets *= 4;
        }
        buckets
    }
}

/// Bytes count as signed, as `char` is to bash.
fn fnv1(key: &[u8]) -> u32 {
    key.iter()
        .fold(2_166_136_261, |hash: u32, &byte| hash.wrapping_mul(16_777_619) ^ byte.cast_signed() as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn far_elements_do_not_fill_the_gap() {
        let mut array = Array::default();
        array.set(1 << 60, Text::from("far"));
        array.push(Text::from("next"));
        array.set(3, Text::from("near"));
        let indices: Vec<u64> = array.iter().map(|(index, _)| index).collect();
        assert_eq!(indices, [3, 1 << 60, (1 << 60) + 1]);
        array.remove(1 << 60);
        assert_eq!((array.len(), array.end()), (2, (1 << 60) + 2));
    }

    #[test]
    fn keys_come_in_bash_order() {
        let mut assoc = Assoc::default();
        for key in ["one", "two", "three", "four"] {
            assoc.set(Text::from(key), Text::EMPTY);
        }
        let keys: Vec<String> = assoc.sorted().iter().map(|(key, _)| key.to_string()).collect();
        // bash 5.2: declare -A a=([one]= [two]= [three]= [four]=); echo "${!a[@]}"
        assert_eq!(keys.join(" "), "four two three one");
    }
}
