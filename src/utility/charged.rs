//! Buffers that input can grow: every growth is charged to the meter before it happens.

use crate::limit::{Charge, LimitError, Meter};
use crate::memory::Vec;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

/// A vector whose capacity is charged.
#[derive(Debug)]
pub(crate) struct ChargedVec<T> {
    items: Vec<T>,
    charge: Charge,
}

impl<T> ChargedVec<T> {
    pub(crate) fn new(meter: &Arc<Meter>) -> Self {
        Self { items: Vec::new(), charge: meter.empty_charge() }
    }

    /// Makes room for `more` items; capacity doubles.
    pub(crate) fn reserve(&mut self, more: usize) -> Result<(), LimitError> {
        let needed = self.items.len().saturating_add(more);
        if needed > self.items.capacity() {
            let capacity = needed.max(self.items.capacity().saturating_mul(2)).max(16);
            self.charge.set((capacity as u64).saturating_mul(size_of::<T>().max(1) as u64))?;
            self.items.reserve_exact(capacity - self.items.len());
        }
        Ok(())
    }

    pub(crate) fn push(&mut self, item: T) -> Result<(), LimitError> {
        self.reserve(1)?;
        self.items.push(item);
        Ok(())
    }

    pub(crate) fn pop(&mut self) -> Option<T> {
        self.items.pop()
    }

    pub(crate) fn clear(&mut self) {
        self.items.clear();
    }

    pub(crate) fn truncate(&mut self, len: usize) {
        self.items.truncate(len);
    }

    /// Removes the first `count` items.
    pub(crate) fn remove_front(&mut self, count: usize) {
        self.items.drain(..count.min(self.items.len()));
    }
}

impl<T: Copy> ChargedVec<T> {
    pub(crate) fn extend(&mut self, more: &[T]) -> Result<(), LimitError> {
        self.reserve(more.len())?;
        self.items.extend_from_slice(more);
        Ok(())
    }

    /// Makes it `len` items long, new ones being `item`.
    pub(crate) fn resize(&mut self, len: usize, item: T) -> Result<(), LimitError> {
        self.reserve(len.saturating_sub(self.items.len()))?;
        self.items.resize(len, item);
        Ok(())
    }
}

impl<T> Deref for ChargedVec<T> {
    type Target = [T];
    fn deref(&self) -> &[T] {
        &self.items
    }
}

impl<T> DerefMut for ChargedVec<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.items
    }
}

/// Bytes that come in at one end and go out at the other; both cost time in the bytes moved alone.
#[derive(Debug)]
pub(crate) struct ByteQueue {
    bytes: ChargedVec<u8>,
    start: usize,
}

impl ByteQueue {
    pub(crate) fn new(meter: &Arc<Meter>) -> Self {
        Self { bytes: ChargedVec::new(meter), start: 0 }
    }

    pub(crate) fn push(&mut self, more: &[u8]) -> Result<(), LimitError> {
        if self.start > self.bytes.len() / 2 {
            self.bytes.remove_front(self.start);
            self.start = 0;
        }
        self.bytes.extend(more)
    }

    pub(crate) fn remove_front(&mut self, count: usize) {
        self.start = self.start.saturating_add(count).min(self.bytes.len());
    }
}

impl Deref for ByteQueue {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        self.bytes.get(self.start..).unwrap_or(&[])
    }
}
