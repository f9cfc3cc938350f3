//! Descriptor table: number to shared description; duplicate and close.

use super::description::Description;
use crate::memory::{Arc, Vec, vec};

/// Largest descriptor number that a script may use, plus one.
const MAX_DESCRIPTORS: u32 = 1024;

/// The descriptors of a process. Cloning it is what `fork` does: descriptions are shared.
#[derive(Clone, Debug)]
pub(crate) struct DescriptorTable {
    entries: Vec<Option<Arc<Description>>>,
    /// A script can open no numbers from here on (`ulimit -n`). The shell's own descriptors do not count.
    most: u32,
}

impl Default for DescriptorTable {
    fn default() -> Self {
        Self { entries: Vec::new(), most: MAX_DESCRIPTORS }
    }
}

impl DescriptorTable {
    /// A table with the three standard descriptors.
    pub(crate) fn standard(
        stdin: Arc<Description>,
        stdout: Arc<Description>,
        stderr: Arc<Description>,
    ) -> Self {
        Self { entries: vec![Some(stdin), Some(stdout), Some(stderr)], most: MAX_DESCRIPTORS }
    }

    /// Sets how many descriptors can be open from now on; those that are stay so.
    pub(crate) fn limit(&mut self, most: u64) {
        self.most = u32::try_from(most).unwrap_or(MAX_DESCRIPTORS).min(MAX_DESCRIPTORS);
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

    /// The lowest free number that is at least `from`.
    pub(crate) fn lowest_free(&self, from: u32) -> Option<u32> {
        (from..MAX_DESCRIPTORS).find(|&number| self.get(number).is_none())
    }

    /// The lowest free number for a script that is at least `from` (bash gives `{name}>` numbers from 10).
    pub(crate) fn lowest_for_script(&self, from: u32) -> Option<u32> {
        (from..self.most).find(|&number| self.get(number).is_none())
    }

    /// Whether a script can open that number.
    pub(crate) fn can_open(&self, number: u32) -> bool {
        number < self.most || self.get(number).is_some()
    }

    /// Open descriptors with their numbers.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u32, &Arc<Description>)> {
        self.entries.iter().enumerate().filter_map(|(number, entry)| Some((number as u32, entry.as_ref()?)))
    }
}
