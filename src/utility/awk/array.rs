//! Arrays: tables from text to value that remember the order of insertion, which is the order of `for (k in a)` (gawk's
//! own order is that of its hash table). All arrays of a program live in one place and are named by a number.

use crate::memory::{HashMap, Vec};
use super::sort::Rubbish;
use super::text::Str;
use super::value::Value;
use crate::limit::{Charge, LimitError, Meter};
use std::sync::Arc;

/// Bytes that an entry takes, its text aside.
const ENTRY_BYTES: u64 = 128;

#[derive(Debug)]
pub(super) struct Table {
    places: HashMap<Key, usize>,
    /// Deleted entries leave a hole, closed when holes are many.
    entries: Vec<Option<(Str, Value)>>,
    charge: Charge,
    /// What a place that does not exist would hold: none is ever asked for.
    spare: Value,
}

/// A string as a key.
#[derive(Clone, Debug)]
pub(super) struct Key(Str);

impl std::hash::Hash for Key {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.0.hash(state);
    }
}

impl PartialEq for Key {
    fn eq(&self, other: &Self) -> bool {
        *self.0 == *other.0
    }
}

impl Eq for Key {}

impl std::borrow::Borrow<[u8]> for Key {
    fn borrow(&self) -> &[u8] {
        &self.0
    }
}

impl Table {
    fn new(meter: &Arc<Meter>) -> Self {
        Self {
            places: HashMap::new(),
            entries: Vec::new(),
            charge: meter.empty_charge(),
            spare: Value::Unset,
        }
    }

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
    pub(super) fn entry(&mut self, key: Str) -> Result<&mut Value, LimitError> {
        let key = Key(key);
        let place = if let Some(&place) = self.places.get(&key) {
            place
        } else {
            self.charge.grow(ENTRY_BYTES)?;
            let place = self.entries.len();
            self.entries.push(Some((key.0.clone(), Value::Unset)));
            self.places.insert(key, place);
            place
        };
        match self.entries.get_mut(place) {
            Some(slot) => Ok(&mut slot.get_or_insert((Str::EMPTY, Value::Unset)).1),
            None => Ok(&mut self.spare),
        }
    }

    pub(super) fn remove(&mut self, key: &[u8]) -> Result<(), LimitError> {
        let Some(place) = self.places.remove(key) else { return Ok(()) };
        if let Some(entry) = self.entries.get_mut(place) {
            *entry = None;
        }
        self.charge.set(self.charge.bytes().saturating_sub(ENTRY_BYTES))?;
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
        Ok(())
    }

    pub(super) fn clear(&mut self) -> Result<(), LimitError> {
        self.places.clear();
        self.entries.clear();
        self.charge.set(0)
    }

    /// At most `count` entries from a place on, holes among them.
    pub(super) fn slots(&self, place: usize, count: usize) -> &[Option<(Str, Value)>] {
        let rest = self.entries.get(place..).unwrap_or(&[]);
        rest.get(..count).unwrap_or(rest)
    }

    /// Empties the table; what was in it is freed by the caller.
    pub(super) fn take(&mut self, meter: &Arc<Meter>) -> Rubbish<Key> {
        Rubbish {
            places: std::mem::take(&mut self.places).into_iter(),
            entries: std::mem::take(&mut self.entries).into_iter(),
            _charge: std::mem::replace(&mut self.charge, meter.empty_charge()),
        }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &(Str, Value)> {
        self.entries.iter().flatten()
    }
}

/// All arrays.
#[derive(Debug)]
pub(super) struct Arrays {
    /// With the depth of the call whose local variable an array is, 0 for those of the program.
    tables: Vec<(Table, usize)>,
    free: Vec<u32>,
    meter: Arc<Meter>,
    charge: Charge,
}

impl Arrays {
    pub(super) fn new(meter: &Arc<Meter>) -> Self {
        Self { tables: Vec::new(), free: Vec::new(), meter: Arc::clone(meter), charge: meter.empty_charge() }
    }

    pub(super) fn create(&mut self, owner: usize) -> Result<u32, LimitError> {
        if let Some(number) = self.free.pop() {
            if let Some(table) = self.tables.get_mut(number as usize) {
                table.1 = owner;
            }
            return Ok(number);
        }
        self.charge.grow(ENTRY_BYTES)?;
        self.tables.push((Table::new(&self.meter), owner));
        Ok((self.tables.len() - 1) as u32)
    }

    /// Forgets an array that nobody names any more.
    pub(super) fn release(&mut self, number: u32) {
        if let Some(table) = self.tables.get_mut(number as usize) {
            table.0 = Table::new(&self.meter);
            self.free.push(number);
        }
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
