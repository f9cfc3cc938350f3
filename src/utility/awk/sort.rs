//! `asort`, `asorti` and loops in the order of `PROCINFO["sorted_in"]`: a [`Job`] that is done in portions, so that others
//! run meanwhile. It gathers the entries of a table, sorts them by a merge sort from the bottom up, and hands them on.

use super::array::Table;
use super::number::to_number;
use super::value::Value;
use crate::memory::{IntoIter, Vec};
use crate::text::Text;
use std::cmp::Ordering;
use std::iter::Peekable;

/// Entries that are handled at once.
const PORTION: usize = 1024;
/// Entries of a run before runs are merged.
const RUN: usize = 32;

/// What is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum By {
    Nothing,
    IndexText,
    IndexNumber,
    ValueText,
    ValueNumber,
    ValueType,
}

/// An order of entries.
#[derive(Clone, Copy, Debug)]
pub(super) struct Order {
    by: By,
    descends: bool,
}

impl Order {
    /// That of `asort`.
    pub(super) const VALUES: Self = Self { by: By::ValueType, descends: false };
    /// That of `asorti`.
    pub(super) const SUBSCRIPTS: Self = Self { by: By::IndexText, descends: false };

    /// A named order; that of insertion for a name that is not known.
    pub(super) fn named(name: &[u8]) -> Self {
        let stem = name.strip_suffix(b"_asc").or_else(|| name.strip_suffix(b"_desc")).unwrap_or(b"");
        let by = match stem {
            b"@ind_str" => By::IndexText,
            b"@ind_num" => By::IndexNumber,
            b"@val_num" => By::ValueNumber,
            b"@val_str" => By::ValueText,
            b"@val_type" => By::ValueType,
            _ => By::Nothing,
        };
        Self { by, descends: name.ends_with(b"_desc") }
    }

    /// Whether there is an order of that name.
    pub(super) fn is_known(name: &[u8]) -> bool {
        Self::named(name).by != By::Nothing
    }

    fn compare(self, left: &Entry, right: &Entry, format: &[u8]) -> Ordering {
        let directed = |order: Ordering| if self.descends { order.reverse() } else { order };
        let is_index = matches!(self.by, By::Nothing | By::IndexText | By::IndexNumber);
        let order = directed(self.ascending(left, right, format));
        if is_index || order.is_ne() {
            return order;
        }
        // Equal values come by their subscripts: numbers upwards either way, as gawk keeps them.
        match (whole(&left.key), whole(&right.key)) {
            (Some(left), Some(right)) => left.cmp(&right),
            _ => directed(left.key.cmp(&right.key)),
        }
    }

    fn ascending(self, left: &Entry, right: &Entry, format: &[u8]) -> Ordering {
        match self.by {
            By::Nothing => Ordering::Equal,
            By::IndexText => left.key.cmp(&right.key),
            By::IndexNumber => left.number.total_cmp(&right.number).then_with(|| left.key.cmp(&right.key)),
            By::ValueNumber => left.value.number().total_cmp(&right.value.number()),
            By::ValueText | By::ValueType => by_type(&left.value, &right.value, format),
        }
    }
}

/// A subscript that is a whole number of some digits.
fn whole(key: &[u8]) -> Option<u64> {
    let is_number = key.len() < 16 && !key.is_empty() && key.iter().all(u8::is_ascii_digit);
    is_number.then(|| key.iter().fold(0, |sum, digit| sum * 10 + u64::from(digit - b'0')))
}

/// Numbers before texts, then by value: gawk's order of values by type.
fn by_type(left: &Value, right: &Value, format: &[u8]) -> Ordering {
    match (left.is_numeric(), right.is_numeric()) {
        (true, false) => Ordering::Less,
        (false, true) => Ordering::Greater,
        (true, true) => left.number().total_cmp(&right.number()),
        (false, false) => left.compare(right, format).unwrap_or(Ordering::Equal),
    }
}

/// What is done with the entries when they are in order.
#[derive(Clone, Copy, Debug)]
pub(super) enum Purpose {
    /// They are put into this table under the numbers from 1: their subscripts (`asorti`), or their values.
    Fill { target: u32, subscripts: bool },
    /// Their subscripts are looped over.
    Loop,
}

#[derive(Debug)]
pub(super) struct Entry {
    pub(super) key: Text,
    pub(super) value: Value,
    /// The key as a number, where that is compared.
    number: f64,
}

/// See the module.
#[derive(Debug)]
pub(super) struct Job {
    pub(super) source: u32,
    pub(super) purpose: Purpose,
    order: Order,
    format: Text,
    gathered: Vec<Entry>,
    /// The first place of the table that was not looked at.
    place: usize,
    sort: Option<MergeSort<Entry>>,
}

impl Job {
    pub(super) fn new(source: u32, purpose: Purpose, order: Order, format: Text) -> Self {
        Self { source, purpose, order, format, gathered: Vec::new(), place: 0, sort: None }
    }

    /// Gathers or sorts a portion; the entries when they are in order.
    pub(super) fn go_on(&mut self, table: &Table) -> Option<IntoIter<Entry>> {
        let (order, format) = (self.order, &self.format);
        if let Some(sort) = &mut self.sort {
            let sorted = sort.go_on(&mut |left, right| order.compare(left, right, format));
            return sorted.map(Vec::into_iter);
        }
        let slots = table.slots(self.place, PORTION);
        if slots.is_empty() {
            let gathered = std::mem::take(&mut self.gathered);
            if order.by == By::Nothing {
                return Some(gathered.into_iter());
            }
            self.sort = Some(MergeSort::new(gathered));
            return None;
        }
        if self.gathered.is_empty() {
            self.gathered.reserve_exact(table.len());
        }
        self.place += slots.len();
        for (key, value) in slots.iter().flatten() {
            let number = if order.by == By::IndexNumber { to_number(key) } else { 0.0 };
            let mut value = value.clone();
            if order.by == By::ValueText {
                let mut buffer = Vec::new();
                value = Value::Text(Text::from(value.bytes(format, &mut buffer)));
            }
            self.gathered.push(Entry { key: key.clone(), value, number });
        }
        None
    }
}

/// A stable merge sort that can stop between two portions.
#[derive(Debug)]
struct MergeSort<T> {
    unsorted: IntoIter<T>,
    /// Runs to be merged, in order, and those that were.
    runs: IntoIter<Vec<T>>,
    merged: Vec<Vec<T>>,
    merging: Option<Merge<T>>,
}

#[derive(Debug)]
struct Merge<T> {
    left: Peekable<IntoIter<T>>,
    right: Peekable<IntoIter<T>>,
    done: Vec<T>,
}

impl<T> MergeSort<T> {
    fn new(items: Vec<T>) -> Self {
        Self { unsorted: items.into_iter(), runs: Vec::new().into_iter(), merged: Vec::new(), merging: None }
    }

    fn go_on(&mut self, compare: &mut dyn FnMut(&T, &T) -> Ordering) -> Option<Vec<T>> {
        if self.unsorted.len() > 0 {
            for _ in 0..PORTION / RUN {
                let mut run: Vec<T> = self.unsorted.by_ref().take(RUN).collect();
                run.sort_by(&mut *compare);
                self.merged.push(run);
            }
            return None;
        }
        let Some(merge) = &mut self.merging else { return self.next_merge() };
        for _ in 0..PORTION {
            let next = match (merge.left.peek(), merge.right.peek()) {
                (Some(left), Some(right)) if compare(right, left).is_lt() => merge.right.next(),
                (Some(_), _) => merge.left.next(),
                (None, _) => merge.right.next(),
            };
            let Some(next) = next else {
                self.merged.push(std::mem::take(&mut merge.done));
                self.merging = None;
                return None;
            };
            merge.done.push(next);
        }
        None
    }

    /// Takes up the next two runs; the one that is left at last is the result.
    fn next_merge(&mut self) -> Option<Vec<T>> {
        match (self.runs.next(), self.runs.next()) {
            (Some(left), Some(right)) => {
                let done = Vec::with_capacity(left.len() + right.len());
                let (left, right) = (left.into_iter().peekable(), right.into_iter().peekable());
                self.merging = Some(Merge { left, right, done });
            }
            (Some(alone), None) => self.merged.push(alone),
            _ if self.merged.len() > 1 => self.runs = std::mem::take(&mut self.merged).into_iter(),
            _ => return Some(self.merged.pop().unwrap_or_default()),
        }
        None
    }
}

/// Entries that are handed on at once.
pub(super) const AT_ONCE: usize = PORTION;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_merge_sort_in_portions_is_stable() {
        for count in [0, 1, 31, 33, 5000] {
            let items: Vec<(u64, u64)> = (0..count).map(|n| (n * 7919 % 613, n)).collect();
            let mut want = items.clone();
            want.sort_by_key(|item| item.0);
            let mut sort = MergeSort::new(items);
            let sorted = loop {
                if let Some(sorted) = sort.go_on(&mut |left, right| left.0.cmp(&right.0)) {
                    break sorted;
                }
            };
            assert_eq!(sorted, want);
        }
    }
}
