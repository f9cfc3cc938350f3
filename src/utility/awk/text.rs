//! Strings of a running program: short ones in place, longer ones shared and charged to the run's meter while any value
//! holds them.

use crate::memory::{ToMetered, Vec};
use crate::limit::{Charge, LimitError, Meter};
use crate::text::Text;
use std::ops::Deref;
use std::sync::Arc;

/// Strings up to this length need no memory of their own.
const SHORT: usize = 22;

/// A byte string; cloning never copies.
#[derive(Clone, Debug)]
pub(super) enum Str {
    /// At most [`SHORT`] bytes, or part of the program.
    Short(Text),
    Long(Arc<Heap>),
}

#[derive(Debug)]
pub(super) struct Heap {
    bytes: Vec<u8>,
    charge: Charge,
}

impl Str {
    pub(super) const EMPTY: Self = Self::Short(Text::EMPTY);

    pub(super) fn new(bytes: &[u8], meter: &Arc<Meter>) -> Result<Self, LimitError> {
        if bytes.len() <= SHORT {
            return Ok(Self::Short(Text::from(bytes)));
        }
        meter.check_value(bytes.len() as u64)?;
        let charge = meter.charge(bytes.len() as u64)?;
        Ok(Self::Long(Arc::new(Heap { bytes: bytes.to_metered(), charge })))
    }

    /// Takes bytes that were just made.
    pub(super) fn from_vec(bytes: Vec<u8>, meter: &Arc<Meter>) -> Result<Self, LimitError> {
        if bytes.len() <= SHORT {
            return Ok(Self::Short(Text::from(bytes)));
        }
        meter.check_value(bytes.len() as u64)?;
        let charge = meter.charge(bytes.capacity() as u64)?;
        Ok(Self::Long(Arc::new(Heap { bytes, charge })))
    }

    /// Appends in place where nobody else holds this string: amortised O(`more`).
    pub(super) fn append(&mut self, more: &[u8], meter: &Arc<Meter>) -> Result<(), LimitError> {
        let length = self.len().saturating_add(more.len());
        meter.check_value(length as u64)?;
        if let Self::Long(heap) = self
            && let Some(heap) = Arc::get_mut(heap)
        {
            if length > heap.bytes.capacity() {
                let capacity = length.max(heap.bytes.capacity().saturating_mul(2));
                heap.charge.set(capacity as u64)?;
                heap.bytes.reserve_exact(capacity - heap.bytes.len());
            }
            heap.bytes.extend_from_slice(more);
            return Ok(());
        }
        if length <= SHORT {
            let mut text = Text::from(&**self);
            text.push_bytes(more);
            *self = Self::Short(text);
            return Ok(());
        }
        let capacity = length.saturating_mul(2);
        let charge = meter.charge(capacity as u64)?;
        let mut bytes = Vec::with_capacity(capacity);
        bytes.extend_from_slice(self);
        bytes.extend_from_slice(more);
        *self = Self::Long(Arc::new(Heap { bytes, charge }));
        Ok(())
    }
}

impl Deref for Str {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        match self {
            Self::Short(text) => text,
            Self::Long(heap) => &heap.bytes,
        }
    }
}
