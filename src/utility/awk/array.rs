//! Arrays: tables from text to value that remember the order of insertion, which is the order of `for (k in a)` (gawk's
//! own order is that of its hash table). All arrays of a program live in one place and are named by a number.
//!
//! What a large table held is freed in portions ([`Arrays::free_some`]), so that others run meanwhile.

use super::value::Value;
use crate::memory::{HashMap, IntoIter, Vec};
use crate::text::Text;

/// Entries that are freed at once; a table with fewer is freed in one go.
const PORTION: usize = 1024;

#[derive(Debug, Default)]
pub(super) struct Table {
    places: HashMap<Text, usize>,
    /// Deleted entries leave a hole, closed when holes are many.
    entries: Vec<Option<(Text, Value)>>,
    /// What a place that was refused would hold: the run ends soon.
    spare: Value,
}

impl Table {
    pub(super) fn len(&self) -> usize {
        self.places.len()
    }

    pub(super) fn contains(&self, key: &[u8]) -> bool {
        self.places.contains_key(key)
    }

    pub(super) fn get(&self, key: &[u8]) -> Option<&Value> {
        let place = *self.places.get(key)?;
        self.entries.get(place)?.as_ref().map(|(_, value)| value)
    }

    /// The value of a key, made where there is none.
    pub(super) fn entry(&mut self, key: Text) -> &mut Value {
        let place = if let Some(&place) = self.places.get(&key) {
            place
        } else {
            let place = self.entries.len();
            self.entries.push(Some((key.clone(), Value::Unset)));
            self.places.insert(key, place);
            place
        };
        match self.entries.get_mut(place) {
            Some(slot) => &mut slot.get_or_insert((Text::EMPTY, Value::Unset)).1,
            None => &mut self.spare,
        }
    }

    pub(super) fn remove(&mut self, key: &[u8]) {
        let Some(place) = self.places.remove(key) else { return };
        if let Some(entry) = self.entries.get_mut(place) {
            *entry = None;
        }
        if self.entries.len() > 32 && self.places.len() < self.entries.len() / 2 {
            self.entries.retain(Option::is_some);
            for (place, entry) in self.entries.iter().enumerate() {
                if let Some((key, _)) = entry
                    && let Some(known) = self.places.get_mut(&**key)
                {
                    *known = place;
                }
            }
        }
    }

    /// At most `count` entries from a place on, holes among them.
    pub(super) fn slots(&self, place: usize, count: usize) -> &[Option<(Text, Value)>] {
        let rest = self.entries.get(place..).unwrap_or(&[]);
        rest.get(..count).unwrap_or(rest)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &(Text, Value)> {
        self.entries.iter().flatten()
    }
}

/// What is left of a table that was emptied.
#[derive(Debug)]
struct Rubbish {
    places: std::collections::hash_map::IntoIter<Text, usize>,
    entries: IntoIter<Option<(Text, Value)>>,
}

/// All arrays.
#[derive(Debug, Default)]
pub(super) struct Arrays {
    /// With the depth of the call whose local variable an array is, 0 for those of the program.
    tables: Vec<(Table, usize)>,
    free: Vec<u32>,
    rubbish: Vec<Rubbish>,
}

impl Arrays {
    pub(super) fn create(&mut self, owner: usize) -> u32 {
        if let Some(number) = self.free.pop() {
            if let Some(table) = self.tables.get_mut(number as usize) {
                table.1 = owner;
            }
            return number;
        }
        let number = self.tables.len() as u32;
        self.tables.push((Table::default(), owner));
        number
    }

    /// Forgets an array that nobody names any more.
    pub(super) fn release(&mut self, number: u32) {
        self.clear(number);
        self.free.push(number);
    }

    /// Empties an array.
    pub(super) fn clear(&mut self, number: u32) {
        let Some((table, _)) = self.tables.get_mut(number as usize) else { return };
        let Table { places, entries, .. } = std::mem::take(table);
        if entries.len() > PORTION {
            self.rubbish.push(Rubbish { places: places.into_iter(), entries: entries.into_iter() });
        }
    }

    /// Empties all arrays.
    pub(super) fn clear_all(&mut self) {
        for number in 0..self.tables.len() {
            self.clear(number as u32);
        }
    }

    pub(super) fn has_rubbish(&self) -> bool {
        !self.rubbish.is_empty()
    }

    /// Frees a portion of what large tables held; whether there was something to free.
    pub(super) fn free_some(&mut self) -> bool {
        let Some(Rubbish { places, entries }) = self.rubbish.last_mut() else { return false };
        places.by_ref().take(PORTION).for_each(drop);
        entries.by_ref().take(PORTION).for_each(drop);
        if entries.len() == 0 && places.len() == 0 {
            self.rubbish.pop();
        }
        true
    }

    pub(super) fn owner(&self, number: u32) -> usize {
        self.tables.get(number as usize).map_or(0, |table| table.1)
    }

    pub(super) fn get(&self, number: u32) -> Option<&Table> {
        self.tables.get(number as usize).map(|table| &table.0)
    }

    pub(super) fn get_mut(&mut self, number: u32) -> Option<&mut Table> {
        self.tables.get_mut(number as usize).map(|table| &mut table.0)
    }
}
