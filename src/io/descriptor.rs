//! Descriptor table: number to shared description; duplicate and close.

use super::description::Description;
use std::sync::Arc;

/// Largest descriptor number that a script may use, plus one.
const MAX_DESCRIPTORS: u32 = 1024;

/// The descriptors of a process. Cloning it is what `fork` does: descriptions are shared.
#[derive(Clone, Debug, Default)]
pub(crate) struct DescriptorTable {
    entries: Vec<Option<Arc<Description>>>,
}

impl DescriptorTable {
    /// A table with the three standard descriptors.
    pub(crate) fn standard(
        stdin: Arc<Description>,
        stdout: Arc<Description>,
        stderr: Arc<Description>,
    ) -> Self {
        Self { entries: vec![Some(stdin), Some(stdout), Some(stderr)] }
    }

    /// The description behind a descriptor.
    pub(crate) fn get(&self, number: u32) -> Option<&Arc<Description>> {
        self.entries.get(number as usize).and_then(Option::as_ref)
    }

    /// Puts a description (or nothing: close) at `number` and returns what was there. `Err` when the number is too large.
    pub(crate) fn replace(
        &mut self,
        number: u32,
        description: Option<Arc<Description>>,
    ) -> Result<Option<Arc<Description>>, ()> {
        if number >= MAX_DESCRIPTORS {
            return if description.is_none() { Ok(None) } else { Err(()) };
        }
        let index = number as usize;
        if index >= self.entries.len() {
            if description.is_none() {
                return Ok(None);
            }
            self.entries.resize(index + 1, None);
        }
        Ok(self.entries.get_mut(index).and_then(|entry| std::mem::replace(entry, description)))
    }

    /// The lowest free number that is at least `from` (bash gives `{name}>` numbers from 10).
    pub(crate) fn lowest_free(&self, from: u32) -> Option<u32> {
        (from..MAX_DESCRIPTORS).find(|&number| self.get(number).is_none())
    }

    /// Open descriptors with their numbers.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u32, &Arc<Description>)> {
        self.entries.iter().enumerate().filter_map(|(number, entry)| Some((number as u32, entry.as_ref()?)))
    }
}
